//! A set made in memory.

use crate::common::InMemory;
use std::collections::BTreeMap;
use triescope_core::data::{DataReader, PartSink};
use triescope_core::pos::DataPos;
use triescope_core::set::{SetError, SetJob, SetPlan, SetRefusal, SetReport};
use triescope_core::source::Source;
use triescope_core::table::{Part, Table, Version, group};
use triescope_core::twin::Target;

/// The files of a set.
#[derive(Debug, Default)]
pub struct Files(pub BTreeMap<Part, Vec<u8>>);

impl PartSink for Files {
    fn put(&mut self, part: Part, bytes: &[u8]) {
        self.0.entry(part).or_default().extend_from_slice(bytes);
    }
}

/// Why there is no set.
#[derive(Debug)]
pub enum No {
    Refused(SetRefusal),
    Failed(SetError),
}

pub fn version(letters: &str) -> Version {
    Version::new(letters.as_bytes()).unwrap()
}

/// All but the index of an SSTable in another version, written in steps of `budget` bytes.
pub fn make<S: Source>(
    table: &Table<S>,
    letters: &str,
    budget: u64,
) -> Result<(Files, SetReport), No> {
    let target = Target::new(version(letters)).unwrap();
    let plan = SetPlan::new(table, target).map_err(|error| No::Failed(error.into()))?;
    let plan = plan.map_err(No::Refused)?;
    let (mut job, mut files) = (SetJob::new(table, plan), Files::default());
    while !job.step(table, budget, &mut files).map_err(No::Failed)?.is_finished {}
    let report = job.report(table).unwrap();
    for (part, bytes) in &report.files {
        assert_eq!(files.0[part].len() as u64, *bytes, "{part}");
    }
    Ok((files, report))
}

/// The files as an SSTable.
pub fn opened(letters: &str, files: &Files) -> InMemory {
    let word = version(letters).format_word();
    let names = files.0.iter().map(|(part, bytes)| {
        (format!("{letters}-1-{word}-{}", part.file_name()), bytes.len() as u64)
    });
    let names: Vec<(String, u64)> = names.collect();
    let grouping = group(names.iter().map(|(name, bytes)| (name.as_str(), *bytes)));
    InMemory {
        folder: Default::default(),
        bytes: files.0.clone(),
        set: grouping.sets.into_iter().next().unwrap(),
    }
}

/// Data.db as it is uncompressed.
pub fn stream<S: Source>(table: &Table<S>) -> Vec<u8> {
    let mut reader: DataReader<'_, S> = table.data_reader().unwrap().streaming();
    let (length, mut at, mut bytes) = (reader.len(), 0, Vec::new());
    while at < length {
        let many = (length - at).min(65_536) as usize;
        let read =
            reader.parse(DataPos(at), "bytes", |cursor| Ok(cursor.take(many, "bytes")?.to_vec()));
        bytes.extend(read.unwrap().0);
        at += many as u64;
    }
    bytes
}
