//! `build`: what it costs to write both indexes, beside Cassandra's own writers and `fst`, natively and in wasm.
//!
//! Our times count what Cassandra's count: hashing a key for its byte in the leaf, translating it, packing the trie. The
//! bytes go to memory or nowhere; Cassandra's go to a file, which the system keeps in memory.

mod keys;
mod legacy;
mod memory;
mod rows;
mod wasm;

pub use legacy::measure as measure_legacy;
pub use memory::{ARGUMENT, child};
pub use wasm::measure as measure_wasm;

use crate::ROUNDS;
use crate::oracle::Oracle;
use crate::report::Report;
use anyhow::{Context as _, Result, ensure};
use keys::{BATCH, Random, build, key, tokens};
use std::time::Instant;
use triescope_core::bti::pack::Flavour;
use triescope_core::keys::{murmur3, murmur3_blob_into};
use triescope_core::pos::len64;
use triescope_core::write::Sink;

const QUESTION: &str = "build/partitions";
/// Keys, and what the corpora are called.
const SIZES: [(usize, &str); 2] = [(1_000_000, "1M-token"), (10_000_000, "10M-token")];
/// How many times as fast as Cassandra's writer we want to be.
const GOAL: f64 = 3.0;
/// How many times as long a key may take among ten times as many, and in wasm.
const GROWTH: f64 = 1.2;

/// Measures Partitions.db, and the memory that takes.
pub fn measure(report: &mut Report) -> Result<()> {
    let oracle = oracle(report);
    partitions(report, oracle.as_ref())?;
    memory::measure(report)
}

/// Measures Rows.db.
pub fn measure_rows(report: &mut Report) -> Result<()> {
    let oracle = oracle(report);
    rows::measure(report, oracle.as_ref())
}

fn oracle(report: &mut Report) -> Option<Oracle> {
    let oracle = Oracle::find();
    let why = "Cassandra's writers: no oracle.sh, see TRIESCOPE_ORACLE".to_owned();
    if oracle.is_none() && !report.skipped.contains(&why) {
        report.skipped.push(why);
    }
    oracle
}

/// Partitions.db of both sizes in both flavours.
fn partitions(report: &mut Report, oracle: Option<&Oracle>) -> Result<()> {
    let mut smaller = None;
    for (n, name) in SIZES {
        let tokens = tokens(n);
        let count = tokens.len() as f64;
        let [mut ours, mut scylla, mut fst] = [(); 3].map(|()| Vec::new());
        let mut bytes = 0;
        // The large ones are built more rarely, and the slowest peer once: each takes as long as ten of the small ones.
        let rounds = if n > 1_000_000 { 3 } else { ROUNDS };
        for round in 0..rounds {
            let (ns, sink) = build(&tokens, Flavour::CASSANDRA, Counted::default(), now)?;
            bytes = sink.bytes;
            ours.push(ns / count);
            if round == 0 || rounds == ROUNDS {
                fst.push(fst_of(&tokens)? / count);
            }
            scylla.push(build(&tokens, Flavour::SCYLLA, Counted::default(), now)?.0 / count);
        }
        let cassandra = oracle.map(|oracle| by_cassandra(oracle, n));
        // Once more, so that ours lie around Cassandra's.
        ours.push(build(&tokens, Flavour::CASSANDRA, Counted::default(), now)?.0 / count);
        let ours = least(ours);
        let what = (QUESTION, name);
        match cassandra {
            Some(Ok((ns, written))) => {
                ensure!(written == bytes, "{name}: Cassandra writes {written} bytes, we {bytes}");
                report.compare(what, ours, ("Cassandra 5.0.5", ns), Some(GOAL));
            }
            Some(Err(why)) => report.skipped.push(format!("Cassandra's writer: {why:#}")),
            None => {}
        }
        report.compare(what, ours, ("fst::MapBuilder", least(fst)), Some(1.0));
        report.compare(what, ours, ("ours, as ScyllaDB packs", least(scylla)), None);
        match smaller {
            None => smaller = Some(ours),
            Some(few) => {
                report.compare(what, ours, ("ours, 1M-token", few), Some(1.0 / GROWTH));
            }
        }
    }
    Ok(())
}

/// The peer on the same keys, translated beforehand, with the same positions.
fn fst_of(tokens: &[i64]) -> Result<f64> {
    let mut map = fst::MapBuilder::new(Forgetful::default())?;
    let mut seconds = Random::new(7);
    let (mut spent, mut at) = (0.0, 0);
    for tokens in tokens.chunks(BATCH) {
        let batch: Vec<Vec<u8>> = tokens
            .iter()
            .map(|token| {
                let (key, mut comparable) =
                    (key(token.cast_unsigned(), seconds.next()), Vec::new());
                murmur3_blob_into(&key, murmur3(&key), &mut comparable);
                comparable
            })
            .collect();
        let start = now();
        for key in &batch {
            map.insert(key, at)?;
            at += 100;
        }
        spent += now() - start;
    }
    let start = now();
    map.finish()?;
    Ok(spent + now() - start)
}

/// Nanoseconds a key, and the bytes of the file.
fn by_cassandra(oracle: &Oracle, n: usize) -> Result<(f64, u64)> {
    let text = oracle.run("bench-build", &[&n.to_string()])?;
    best(&text, "partition index of ", "")
}

/// The best round of the program among the lines that begin and go on so: nanoseconds a key, and the bytes of the file.
fn best(text: &str, begins: &str, holds: &str) -> Result<(f64, u64)> {
    let number = |text: &str, unit: &str| -> Option<f64> {
        let (before, _) = text.split_once(unit)?;
        before.rsplit([' ', '(']).next()?.replace(',', "").parse().ok()
    };
    let lines = text.lines().filter(|line| line.starts_with(begins) && line.contains(holds));
    let rounds = lines.filter_map(|line| {
        let bytes = number(line, " bytes)")?;
        Some((1e9 / number(line, " keys/s")?, bytes as u64))
    });
    rounds.min_by(|a, b| a.0.total_cmp(&b.0)).with_context(|| {
        format!("expected lines \"{begins}…{holds}… keys/s … bytes)\", found none")
    })
}

/// The best round. Cassandra's rounds follow each other in a program of their own, so that a busy machine does not slow
/// both alike, and it gets faster from round to round: so of all sides the best round counts.
fn least(rounds: Vec<f64>) -> f64 {
    rounds.into_iter().fold(f64::INFINITY, f64::min)
}

/// Nanoseconds since the program began.
#[expect(clippy::disallowed_methods, reason = "the clock is what a benchmark is for")]
fn now() -> f64 {
    use std::sync::OnceLock;
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e9
}

/// Takes bytes to where `fst` can go back to nothing, and counts them.
#[derive(Default)]
struct Counted {
    bytes: u64,
    file: Vec<u8>,
}

/// Bytes of a file that are kept before they are forgotten, as they would be written.
const KEPT: usize = 1 << 20;

impl Sink for Counted {
    fn put(&mut self, bytes: &[u8]) {
        self.bytes += len64(bytes.len());
        if self.file.len() > KEPT {
            self.file.clear();
        }
        self.file.extend_from_slice(bytes);
    }
}

/// The same for `fst`.
#[derive(Default)]
struct Forgetful(Counted);

impl std::io::Write for Forgetful {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.put(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_round_of_the_lines_that_are_meant_counts() {
        let text = "partition index of 1,000,000 keys: 0.400 s, 2,500,000 keys/s, 21.0 MB/s of index (8,395,056 bytes)\n\
                    partition index of 1,000,000 keys: 0.333 s, 3,000,000 keys/s, 25.0 MB/s of index (8,395,056 bytes)\n\
                    row index of 50,000 blocks, 2,048-byte keys, common prefix 0: 1.000 s, 50,000 keys/s, 1.0 MB/s of keys, 1.0 MB/s of index (7 bytes)\n";
        let (ns, bytes) = best(text, "partition index of ", "").unwrap();
        assert_eq!((ns.round(), bytes), (333.0, 8_395_056));
        assert_eq!(best(text, "row index of ", "prefix 0:").unwrap(), (20_000.0, 7));
        assert!(best(text, "row index of ", "prefix 2000:").is_err());
    }
}
