//! `build/index`: Index.db and Summary.db of the same keys, beside copying the same bytes.

use super::keys::{Random, key, tokens};
use super::{Counted, now};
use crate::report::{Report, Speed};
use crate::{ROUNDS, median};
use anyhow::{Context as _, Result};
use triescope_core::big::write::{IndexWriter, SummaryOptions, write_summary};
use triescope_core::big::{BlockLayout, SampleMaker, SampleRule};
use triescope_core::keys::Partitioner;
use triescope_core::pos::DataPos;
use triescope_core::table::Version;
use triescope_core::write::Sink as _;

/// Keys.
const KEYS: usize = 1_000_000;

/// Measures both rules of sampling.
pub fn measure(report: &mut Report) -> Result<()> {
    let mut seconds = Random::new(7);
    let keys: Vec<[u8; 16]> =
        tokens(KEYS).iter().map(|token| key(token.cast_unsigned(), seconds.next())).collect();
    for (letters, rule, corpus) in [
        (b"oa", SampleRule::Every(128), "1M-token, oa"),
        (b"me", SampleRule::Scylla, "1M-token, me"),
    ] {
        let version = Version::new(letters).context("a version")?;
        let (mut ours, mut copies, mut bytes) = (Vec::new(), Vec::new(), 0);
        for _ in 0..ROUNDS {
            let start = now();
            let layout = BlockLayout { version, lengths: &[] };
            let mut index = IndexWriter::new(&Partitioner::Murmur3, layout, Counted::default());
            let mut samples = SampleMaker::new(rule);
            let mut data = 0;
            for key in &keys {
                let at = index.add(key, DataPos(data), None)?;
                samples.add(key, data, at);
                data += 100;
            }
            let options = SummaryOptions {
                min_index_interval: 128,
                sampling_level: 128,
                rule,
                big_endian: false,
            };
            let summary = write_summary(&samples.into_sampled(), options)?;
            bytes = index.into_sink().bytes + summary.len() as u64;
            ours.push(now() - start);
            copies.push(copy(bytes));
        }
        let (ns, copy) = (median(ours), median(copies));
        report.speeds.push(Speed {
            question: "build/index",
            corpus,
            mb_per_s: bytes as f64 * 1e3 / ns,
            mb_goal: 0.0,
            items: "keys",
            nodes_per_s: KEYS as f64 * 1e9 / ns,
            nodes_goal: 0.0,
            memcpy_share: copy / ns,
        });
    }
    Ok(())
}

/// Nanoseconds of copying so many bytes to the same sink, entry by entry of the size of a page.
fn copy(bytes: u64) -> f64 {
    let page = [7; 4096];
    let start = now();
    let mut sink = Counted::default();
    while sink.bytes < bytes {
        sink.put(std::hint::black_box(&page));
    }
    std::hint::black_box(&sink.file);
    now() - start
}
