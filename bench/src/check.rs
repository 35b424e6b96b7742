//! `check/trie`: the checks of Partitions.db, all of them and on one thread, beside copying the same bytes.

use crate::report::{Report, Speed};
use crate::{ROUNDS, corpus, median};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::time::Instant;
use triescope_core::bti::{Footer, Node};
use triescope_core::check::{CheckJob, CheckOptions};
use triescope_core::pos::{FilePos, PAGE_BYTES};
use triescope_core::table::{Part, Table, group};

const QUESTION: &str = "check/trie";
/// Bytes that the job looks at in one call, and that are timed together: what interrupts the program hits few calls.
const BUDGET: u64 = 64 << 10;
/// Times a corpus is checked in a round.
const TIMES: usize = 10;

/// Measures it on real text keys, and on a million keys.
pub fn measure(report: &mut Report) -> Result<()> {
    let million = corpus::million()?;
    for (name, file) in [("p100k_text", corpus::p100k_text()?), (million.name, million.file)] {
        let (mut ours, mut copies) = (Vec::new(), Vec::new());
        let mut buffer = vec![0; file.len()];
        let mut seen = 0;
        for _ in 0..ROUNDS * TIMES {
            seen = check(&file, &mut ours)?;
            for (to, from) in buffer.chunks_mut(BUDGET as usize).zip(file.chunks(BUDGET as usize)) {
                let copy =
                    || std::hint::black_box(&mut *to).copy_from_slice(std::hint::black_box(from));
                copies.push(timed(copy).1 / from.len() as f64);
            }
        }
        // Calls are timed by the bytes of nodes; padding is passed with them.
        let (seconds, copy) = (median(ours) * seen as f64, median(copies) * file.len() as f64);
        report.speeds.push(Speed {
            question: QUESTION,
            corpus: name,
            mb_per_s: file.len() as f64 / seconds / 1e6,
            mb_goal: 300.0,
            items: "nodes",
            nodes_per_s: nodes(&file)? as f64 / seconds,
            nodes_goal: 30e6,
            memcpy_share: copy / seconds,
        });
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the clock is what a benchmark is for")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let answer = work();
    (answer, start.elapsed().as_secs_f64())
}

/// All checks of a table that has nothing but this file; the seconds a byte of each call, and the bytes of
/// all nodes.
fn check(file: &[u8], seconds: &mut Vec<f64>) -> Result<u64> {
    let set = group([("da-1-bti-Partitions.db", file.len() as u64)]).sets.remove(0);
    let table =
        Table::open(set, BTreeMap::from([(Part::Partitions, file)])).ok().context("open")?;
    let mut job = CheckJob::new(&table, CheckOptions::default());
    let mut before = 0;
    loop {
        let (progress, time) = timed(|| job.step(&table, BUDGET));
        let progress = progress.ok().context("check")?;
        // The last call looks at few bytes and sums up.
        if progress.done {
            before = progress.bytes;
            break;
        }
        seconds.push(time / (progress.bytes - before) as f64);
        before = progress.bytes;
    }
    let report = job.into_report();
    // The other components are missing, and nothing else.
    let strange = report.findings.iter().find(|finding| !finding.check.id.starts_with("files/"));
    ensure!(strange.is_none(), "{strange:?}");
    Ok(before)
}

/// Nodes of the trie.
fn nodes(file: &[u8]) -> Result<u64> {
    let mut waiting = vec![Footer::read(&file)?.root];
    let mut nodes = 0;
    while let Some(FilePos(at)) = waiting.pop() {
        let start = at as usize / PAGE_BYTES * PAGE_BYTES;
        let page = &file[start..file.len().min(start + PAGE_BYTES)];
        for child in Node::read(Part::Partitions, FilePos(at), page)?.children() {
            waiting.push(child?.at);
        }
        nodes += 1;
    }
    Ok(nodes)
}
