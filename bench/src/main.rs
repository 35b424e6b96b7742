//! What an index lookup, a check and a build cost, beside peers that are measured in the same run: `cargo xtask bench`.
//!
//! Ours and the peers take turns for five rounds, and the medians are compared, so that a busy machine slows both. A
//! ratio counts; a bare time says something about one machine only.

mod build;
mod check;
mod corpus;
mod deep;
mod legacy;
mod memory;
mod numbers;
mod oracle;
mod replay;
mod report;
mod trie;

use anyhow::{Result, bail};
use report::Report;
use std::time::Instant;

/// Rounds of every measurement.
const ROUNDS: usize = 5;

/// Measures an area and puts the results into the report.
type Measure = fn(&mut Report) -> Result<()>;

/// What can be measured.
const AREAS: [(&str, Measure); 10] = [
    ("trie", trie::measure),
    ("legacy", legacy::measure),
    ("check", check::measure),
    ("deep", deep::measure),
    ("replay", replay::measure),
    ("build", build::measure),
    ("build-rows", build::measure_rows),
    ("build-index", build::measure_legacy),
    ("build-wasm", build::measure_wasm),
    ("memory", memory::measure),
];

fn main() -> Result<()> {
    if std::env::args().nth(1).is_some_and(|argument| argument == build::ARGUMENT) {
        return build::child();
    }
    let (mut json, mut only) = (false, None);
    for arg in std::env::args().skip(1) {
        match AREAS.iter().find(|(name, _)| *name == arg) {
            Some((name, _)) => only = Some(*name),
            None if arg == "--json" => json = true,
            None => {
                bail!("expected --json or one of {:?}, found {arg}", AREAS.map(|(name, _)| name))
            }
        }
    }
    let mut report = Report::default();
    for (_, measure) in AREAS.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)) {
        measure(&mut report)?;
    }
    if json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{report}");
    }
    Ok(())
}

/// Lookups that are timed together.
const BATCH: usize = 5_000;

/// Nanoseconds a lookup, and the sum of the answers, which keeps the work from being left out.
///
/// The median of short batches: what interrupts the program hits few of them.
#[expect(clippy::disallowed_methods, reason = "the clock is what a benchmark is for")]
fn time<K>(keys: &[K], mut lookup: impl FnMut(&K) -> u64) -> (f64, u64) {
    let mut sum = 0u64;
    let batches = keys.chunks(BATCH).map(|batch| {
        let start = Instant::now();
        for key in batch {
            sum = sum.wrapping_add(std::hint::black_box(lookup(key)));
        }
        start.elapsed().as_secs_f64() * 1e9 / batch.len() as f64
    });
    (median(batches.collect()), sum)
}

/// The median.
fn median(mut rounds: Vec<f64>) -> f64 {
    rounds.sort_by(f64::total_cmp);
    rounds[rounds.len() / 2]
}
