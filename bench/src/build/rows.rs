//! `build/rows`: a row index with clustering keys of 2,048 bytes, as the oracle's `bench-rows` builds it: random keys, and
//! keys with 2,000 bytes in common. One partition, a block a key.

use super::keys::Random;
use super::{Counted, best, least, now};
use crate::ROUNDS;
use crate::oracle::Oracle;
use crate::report::Report;
use anyhow::{Result, ensure};
use triescope_core::bti::pack::{Flavour, RowBlock, RowsWriter, end_marker, separator};
use triescope_core::keys::{ClusteringSchema, Dialect};
use triescope_core::lookup::RowKind;
use triescope_core::pos::DataPos;
use triescope_core::write::WriteError;

const QUESTION: &str = "build/rows";
/// Blocks.
const BLOCKS: usize = 50_000;
/// Bytes of a key.
const KEY_BYTES: usize = 2048;
/// What every key begins with, as often as it takes.
const COMMON: &str = "common/prefix/";
/// Common bytes, name of the corpus, how many times as fast as Cassandra's writer we want to be.
const CORPORA: [(usize, &str, f64); 2] =
    [(0, "2048-byte random", 3.0), (2000, "2048-byte, 2000 common", 10.0)];

/// Measures both.
pub fn measure(report: &mut Report, oracle: Option<&Oracle>) -> Result<()> {
    let run = || oracle.map(|oracle| oracle.run("bench-rows", &[&BLOCKS.to_string()]));
    let mut cassandra = None;
    for (prefix, name, goal) in CORPORA {
        let keys = keys(prefix);
        let [mut ours, mut scylla] = [(); 2].map(|()| Vec::new());
        let mut bytes = 0;
        for round in 0..ROUNDS {
            if round == ROUNDS / 2 && cassandra.is_none() {
                cassandra = run();
            }
            let (ns, written) = build(&keys, Flavour::CASSANDRA)?;
            (bytes, _) = (written, ours.push(ns / BLOCKS as f64));
            scylla.push(build(&keys, Flavour::SCYLLA)?.0 / BLOCKS as f64);
        }
        let ours = least(ours);
        let what = (QUESTION, name);
        match &cassandra {
            Some(Ok(text)) => {
                let (ns, written) = best(text, "row index of ", &format!("prefix {prefix}:"))?;
                ensure!(written == bytes, "{name}: Cassandra writes {written} bytes, we {bytes}");
                report.compare(what, ours, ("Cassandra 5.0.5", ns), Some(goal));
            }
            Some(Err(why)) => report.skipped.push(format!("Cassandra's row writer: {why:#}")),
            None => {}
        }
        report.compare(what, ours, ("ours, as ScyllaDB packs", least(scylla)), None);
    }
    Ok(())
}

/// Random keys behind a common prefix, sorted.
fn keys(prefix: usize) -> Vec<String> {
    let mut random = Random::new(BLOCKS as u64);
    let head: String = COMMON.chars().cycle().take(prefix).collect();
    let mut keys: Vec<String> = (0..BLOCKS)
        .map(|_| {
            let tail = (prefix..KEY_BYTES).map(|_| char::from(33 + random.below(94) as u8));
            head.chars().chain(tail).collect()
        })
        .collect();
    keys.sort_unstable();
    // Laid into memory in their order, as in the oracle.
    keys.iter().map(|key| key.as_str().to_owned()).collect()
}

/// Rows.db of these clusterings, first and last of a block each: translated, cut and packed. Nanoseconds, and bytes.
fn build(keys: &[String], flavour: Flavour) -> Result<(f64, u64), WriteError> {
    let schema = ClusteringSchema::from_classes(["UTF8Type"]);
    let start = now();
    let mut writer = RowsWriter::new(flavour, Counted::default());
    let [mut last, mut this, mut cut] = [(); 3].map(|()| Vec::new());
    let mut before = None;
    let offset = |block: usize| 16 + 4096 * block as u64;
    for (number, key) in keys.iter().enumerate() {
        if let Some(before) = before {
            // As Cassandra, which compares translated bytes as it makes them: no more is translated than tells them apart.
            let (before, this_row) = (row(before), row(key));
            schema.parting(Dialect::CASSANDRA, before, this_row, [&mut last, &mut this]);
            separator(&last, &this, &mut cut);
        }
        let block = RowBlock { separator: &cut, offset: offset(number), open: None };
        writer.add(block, fragments(flavour))?;
        before = Some(key);
    }
    if let Some(key) = before {
        let (kind, values) = row(key);
        schema.comparable_into(Dialect::CASSANDRA, kind, values, &mut last);
    }
    end_marker(&last, &mut cut);
    let block = RowBlock { separator: &cut, offset: offset(keys.len()), open: None };
    writer.add(block, fragments(flavour))?;
    writer.end_partition(&[0, 0, 0, 1], DataPos(0), None)?;
    let sink = writer.into_sink();
    Ok((now() - start, sink.bytes))
}

fn row(key: &str) -> (RowKind, [Option<&[u8]>; 1]) {
    (RowKind::Row, [Some(key.as_bytes())])
}

/// Ends of the pieces in which ScyllaDB holds a clustering of one text of this length.
fn fragments(flavour: Flavour) -> impl Iterator<Item = usize> {
    let ends = [488, 1488, 3512];
    ends.into_iter().filter(move |_| flavour == Flavour::SCYLLA)
}
