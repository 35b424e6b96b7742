//! `lookup/legacy`: the same partitions looked up in the legacy index of the same rows, as both databases read it.
//!
//! Serialized keys in random order go in, the position in Data.db comes out. The peer is our own trie lookup.

use crate::corpus::{self, Corpus};
use crate::report::Report;
use crate::trie::lookup;
use crate::{ROUNDS, median, time};
use anyhow::{Context, Result, ensure};
use triescope_core::big::{Progress, SampleRule, Sampled, Sampler, Samples, Summary};
use triescope_core::bti::{Footer, PartitionIndex};
use triescope_core::keys::{ClusteringSchema, Partitioner, murmur3};
use triescope_core::lookup::{FilterMode, LegacyFound, LegacyIndex, Query, find_legacy};
use triescope_core::race::LegacyReader;
use triescope_core::table::Version;

/// Lookups of a round: as ScyllaDB reads, each parses about 1,800 entries.
const LOOKUPS: usize = 50_000;
/// Entries sampled between two looks at whether that is all.
const ENTRIES: u64 = 100_000;

/// Measures both readers.
pub fn measure(report: &mut Report) -> Result<()> {
    let corpus = corpus::p20k()?;
    let (index, summary) = (corpus::p20k_legacy("Index")?, corpus::p20k_legacy("Summary")?);
    let (index, summary) = (index.as_slice(), summary.as_slice());
    let sampled = sample(&index)?;
    let own = Summary::open(&summary).context("Summary.db")?;
    for (reader, question, samples) in [
        (
            LegacyReader::Cassandra,
            "lookup/legacy, as Cassandra reads",
            Samples::File { summary: &own, source: &summary },
        ),
        (LegacyReader::Scylla, "lookup/legacy, as ScyllaDB reads", Samples::Memory(&sampled)),
    ] {
        let legacy = LegacyIndex {
            index: &index,
            samples,
            partitioner: &Partitioner::Murmur3,
            version: Version::new(b"oa").context("a version")?,
            clustering: &ClusteringSchema::default(),
            exact_widths: true,
        };
        compare(report, &corpus, question, &legacy, reader)?;
    }
    Ok(())
}

fn sample(index: &&[u8]) -> Result<Sampled> {
    let mut sampler = Sampler::new(SampleRule::Scylla, triescope_core::table::IndexFormat::Vints);
    while sampler.step(index, ENTRIES).context("Index.db")? != Progress::Finished {}
    Ok(sampler.into_sampled())
}

fn compare(
    report: &mut Report,
    corpus: &Corpus,
    question: &'static str,
    legacy: &LegacyIndex<'_, &[u8]>,
    reader: LegacyReader,
) -> Result<()> {
    let file = corpus.file.as_slice();
    let trie = PartitionIndex::new(&Footer::read(&file).context("the corpus")?);
    let order = &corpus.order[..LOOKUPS];
    let [mut ours, mut peer] = [(); 2].map(|()| Vec::new());
    for _ in 0..ROUNDS {
        let (ns, sum) = time(order, |key| find(legacy, reader, key));
        ours.push(ns);
        let mut buffer = Vec::new();
        let (ns, same) = time(order, |key| lookup(&trie, file, key, &mut buffer, &mut ()));
        peer.push(ns);
        ensure!(sum == same, "{question}: both indexes answer the same: {sum}, {same}");
    }
    report.compare((question, corpus.name), median(ours), ("our trie lookup", median(peer)), None);
    Ok(())
}

/// Position of a key that is there in Data.db, as the index gives it.
fn find(legacy: &LegacyIndex<'_, &[u8]>, reader: LegacyReader, key: &[u8]) -> u64 {
    let hash = murmur3(key);
    let token = legacy.partitioner.token(key);
    let filter = FilterMode::Off;
    let query =
        Query { key, token: &token, hash, comparable: &[], row: None, filter, clustering: None };
    match find_legacy(legacy, reader, &query, &mut ()) {
        Ok(LegacyFound::Entry { data, .. }) => data.0,
        _ => u64::MAX,
    }
}
