//! Building a twin in one go, and comparing it with real files.

use crate::common::InMemory;
use triescope_core::error::Error;
use triescope_core::source::Source;
use triescope_core::table::{Part, Table, Version};
use triescope_core::twin::{Target, Twin, TwinJob, TwinOptions, TwinPlan};

/// The target of a version by its letters.
pub fn target(version: &str) -> Target {
    Target::new(Version::new(version.as_bytes()).unwrap()).unwrap()
}

/// Builds a twin, in steps of `budget`.
pub fn try_build<S: Source>(
    table: &Table<S>,
    options: TwinOptions,
    budget: u64,
) -> Result<Twin<Vec<u8>>, String> {
    let plan = TwinPlan::new(table, options).map_err(|refusal| refusal.to_string())?;
    let mut job = TwinJob::new(table, plan, |_| Vec::new());
    loop {
        match job.step(table, budget) {
            Ok(progress) if progress.is_finished => {
                assert_eq!(progress.done, progress.of);
                return Ok(job.finish().unwrap());
            }
            Ok(progress) => assert!(progress.done <= progress.of),
            Err(Error::Damage(error)) => return Err(error.to_string()),
            Err(miss @ Error::Miss(_)) => panic!("{miss}"),
        }
    }
}

/// Builds a twin that can be built.
pub fn build(table: &Table<&[u8]>, options: TwinOptions) -> Twin<Vec<u8>> {
    try_build(table, options, 1 << 20).unwrap()
}

/// The bytes of a file of a twin.
pub fn file(twin: &Twin<Vec<u8>>, part: Part) -> &[u8] {
    let found = twin.files.iter().find(|(other, _)| *other == part);
    &found.unwrap_or_else(|| panic!("no {part}")).1
}

/// The first byte that differs, for a message; `None` where none does.
pub fn difference(found: &[u8], real: &InMemory, part: Part) -> Option<String> {
    let real = real.bytes.get(&part)?;
    if found == real {
        return None;
    }
    let at = found.iter().zip(real).position(|(a, b)| a != b);
    Some(format!("{part}: {} bytes of {}, first difference {at:?}", found.len(), real.len()))
}
