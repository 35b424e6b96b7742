//! `lookup/trie`: the exact lookup of a partition in the trie index.
//!
//! Serialized keys in random order go in, the position after the hash byte comes out; hashing and translation are ours to
//! pay. No filter, no Data.db. `fst` gets its keys translated beforehand.

use crate::corpus::{self, Corpus};
use crate::oracle::Oracle;
use crate::report::Report;
use crate::{ROUNDS, median, numbers, time};
use anyhow::{Context, Result, ensure};
use triescope_core::bti::{Exact, Footer, PartitionIndex};
use triescope_core::keys::{murmur3, murmur3_blob_into};
use triescope_core::lookup::{Observer, Recorder};
use triescope_core::source::Pages;
use triescope_core::table::Part;

const QUESTION: &str = "lookup/trie";

/// Measures all of it.
pub fn measure(report: &mut Report) -> Result<()> {
    let oracle = Oracle::find();
    if oracle.is_none() {
        report.skipped.push("Cassandra's reader: no oracle.sh, see TRIESCOPE_ORACLE".to_owned());
    }
    for corpus in [corpus::p20k()?, corpus::million()?] {
        // Cassandra's program opens whole SSTables, and only the smaller one is one.
        let oracle = oracle.as_ref().filter(|_| corpus.name == "p20k");
        compare(report, &corpus, oracle)?;
    }
    Ok(())
}

fn compare(report: &mut Report, corpus: &Corpus, oracle: Option<&Oracle>) -> Result<()> {
    let file = corpus.file.as_slice();
    let index = PartitionIndex::new(&Footer::read(&file).context("the corpus")?);
    let map = fst_of(corpus, &index)?;
    let translated: Vec<Vec<u8>> = corpus.order.iter().map(numbers::comparable).collect();
    let [mut ours, mut recorded, mut fst, mut cassandra] = [(); 4].map(|()| Vec::new());
    for _ in 0..ROUNDS {
        let mut buffer = Vec::new();
        let (ns, sum) = time(&corpus.order, |key| lookup(&index, file, key, &mut buffer, &mut ()));
        ours.push(ns);
        let (ns, same) = time(&translated, |key| map.get(key).unwrap_or(u64::MAX));
        fst.push(ns);
        ensure!(sum == same, "{}: both answer the same: {sum}, {same}", corpus.name);
        let mut recorder = Recorder::new();
        let (ns, same) = time(&corpus.order, |key| {
            recorder.clear();
            lookup(&index, file, key, &mut buffer, &mut recorder)
        });
        recorded.push(ns);
        ensure!(sum == same, "{}: recording changes no answer: {sum}, {same}", corpus.name);
        if let Some(oracle) = oracle {
            match oracle.lookup() {
                Ok(ns) => cassandra.push(ns),
                Err(why) => {
                    let text = format!("Cassandra's reader: {why:#}");
                    if !report.skipped.contains(&text) {
                        report.skipped.push(text);
                    }
                }
            }
        }
    }
    let ours = median(ours);
    let what = (QUESTION, corpus.name);
    if !cassandra.is_empty() {
        report.compare(what, ours, ("Cassandra 5.0.5", median(cassandra)), Some(3.0));
    }
    let goal = (corpus.name != "p20k").then_some(1.0);
    report.compare(what, ours, ("fst::Map::get", median(fst)), goal);
    report.compare(what, ours, ("ours, recorded", median(recorded)), None);
    Ok(())
}

/// Position of a key that is there in Data.db, as the index gives it.
#[inline]
pub fn lookup<O: Observer>(
    index: &PartitionIndex,
    file: &[u8],
    key: &[u8],
    buffer: &mut Vec<u8>,
    observer: &mut O,
) -> u64 {
    let hash = murmur3(key);
    murmur3_blob_into(key, hash, buffer);
    let mut pages = Pages::new(Part::Partitions, &file, observer);
    match index.exact(&mut pages, buffer, hash.byte()) {
        Ok(Exact::Candidate(leaf)) => (!leaf.raw).cast_unsigned(),
        _ => u64::MAX,
    }
}

/// The same keys with the same answers in the peer.
fn fst_of(corpus: &Corpus, index: &PartitionIndex) -> Result<fst::Map<Vec<u8>>> {
    let mut keys: Vec<(Vec<u8>, u64)> = (0..corpus.keys)
        .map(u32::to_be_bytes)
        .map(|key| {
            let position = lookup(index, &corpus.file, &key, &mut Vec::new(), &mut ());
            (numbers::comparable(&key), position)
        })
        .collect();
    ensure!(keys.iter().all(|(_, position)| *position != u64::MAX), "a key is missing");
    keys.sort_unstable();
    Ok(fst::Map::from_iter(keys)?)
}
