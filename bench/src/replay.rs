//! A jump to any step of a build of a million keys: from the nearest checkpoint, beside the same from the first step.

use crate::median;
use crate::report::Report;
use anyhow::{Result, anyhow, ensure};
use std::rc::Rc;
use std::time::Instant;
use triescope_core::bti::pack::{Flavour, PartitionTarget, PartitionsWriter};
use triescope_core::keys::{murmur3, murmur3_blob_into};
use triescope_core::pos::{DataPos, FilePos};
use triescope_core::race::SplitMix64;
use triescope_core::replay::{Checkpoints, Entries, EntriesJob, Replay, Writer};
use triescope_core::table::{Part, Table, group};

/// Keys of the trie.
const KEYS: u32 = 1_000_000;
/// Jumps that are timed.
const JUMPS: u64 = 60;
/// Longest time that a jump may take: half of what the page promises, which is 1.5 times as slow.
const MOST_NS: f64 = 150e6;

/// Times the longest of many jumps: to a step, and to the step that wrote the byte at a position.
pub fn measure(report: &mut Report) -> Result<()> {
    let entries = Rc::new(entries()?);
    for (writer, corpus) in [(Writer::Cassandra, "1M, Cassandra"), (Writer::Scylla, "1M, ScyllaDB")]
    {
        let replay = replayed(&entries, writer, Checkpoints::default())?;
        let whole = replayed(&entries, writer, Checkpoints { every: u64::MAX, budget: 0 })?;
        let (steps, end) = (replay.totals().steps, replay.totals().end.0);
        let mut random = SplitMix64::new(1);
        let (mut longest, mut from_start) = (0f64, Vec::new());
        for jump in 0..JUMPS {
            let step = random.below(steps);
            let (took, frame) = time(|| replay.frame(step));
            longest = longest.max(took);
            let at = FilePos(random.below(end));
            // A position is looked for first, and then shown.
            let (took, found) = time(|| replay.wrote(at).and_then(|step| replay.frame(step)));
            longest = longest.max(took);
            ensure!(found.is_some_and(|frame| frame.file.at > at.0), "{at} was written by no step");
            if jump % 12 == 0 {
                let (took, walked) = time(|| whole.frame(step));
                from_start.push(took);
                ensure!(frame.is_some() && frame == walked, "step {step} differs");
            }
        }
        let mib = replay.held_bytes() >> 20;
        eprintln!("replay: {steps} steps, checkpoints of {mib} MiB, {corpus}");
        let what = ("replay/longest jump", corpus);
        report.compare(what, longest, ("150 ms", MOST_NS), Some(1.0));
        report.compare(what, longest, ("from the first step", median(from_start)), None);
    }
    Ok(())
}

/// The entries of a Partitions.db of numbers.
fn entries() -> Result<Entries> {
    let mut keys: Vec<(Vec<u8>, [u8; 4])> = (0..KEYS)
        .map(u32::to_be_bytes)
        .map(|key| {
            let mut comparable = Vec::new();
            murmur3_blob_into(&key, murmur3(&key), &mut comparable);
            (comparable, key)
        })
        .collect();
    keys.sort_unstable();
    let mut writer = PartitionsWriter::new(Flavour::CASSANDRA, Vec::new());
    for (rank, (comparable, key)) in (0..).zip(&keys) {
        let target = PartitionTarget::Data(DataPos(100 * rank));
        writer.add(key, comparable, murmur3(key).byte(), target)?;
    }
    let file = writer.finish()?;
    let set = group([("da-1-bti-Partitions.db", file.len() as u64)]).sets.remove(0);
    let table = Table::open(set, [(Part::Partitions, file.as_slice())])
        .map_err(|miss| anyhow!("{miss:?}"))?;
    let mut job = EntriesJob::partitions(&table, 64 << 20)?;
    while !job.is_done() {
        job.step(&table, 100_000)?;
    }
    Ok(job.into_entries())
}

fn replayed(entries: &Rc<Entries>, writer: Writer, checkpoints: Checkpoints) -> Result<Replay> {
    let mut replay = Replay::with_checkpoints(entries.clone(), writer, checkpoints);
    while !replay.is_done() {
        replay.step(100_000)?;
    }
    Ok(replay)
}

/// Nanoseconds, and what came of it.
#[expect(clippy::disallowed_methods, reason = "the clock is what a benchmark is for")]
fn time<T>(run: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let value = run();
    (start.elapsed().as_secs_f64() * 1e9, value)
}
