//! Races on real pairs: counts, texts, answers and means, end to end through the public functions.

#[path = "../common/mod.rs"]
mod common;

mod damage;
mod means;
mod pairs;
mod words;

use common::InMemory;
use triescope_core::big::{Progress, SampleRule, Sampled, Sampler};
use triescope_core::lookup::FilterMode;
use triescope_core::race::{CacheModel, Contest, LegacyReader, Race, RaceRequest, run};
use triescope_core::table::{Part, Table};

/// A pair of SSTables of the same rows, opened.
struct Opened {
    trie: InMemory,
    legacy: InMemory,
}

impl Opened {
    fn new(table: &str, generation: u64) -> Self {
        Self {
            trie: common::cassandra(table, "da", generation).files,
            legacy: common::cassandra(table, "oa", generation).files,
        }
    }

    fn with<T>(&self, f: impl FnOnce(&Contest<'_, &[u8]>) -> T) -> T {
        let (trie, legacy) = (self.trie.table(), self.legacy.table());
        let sampled = sampled(&legacy);
        f(&Contest {
            trie: Some(&trie),
            legacy: Some(&legacy),
            scylla_samples: Some(&sampled),
            cassandra_samples: None,
        })
    }

    fn race(&self, request: &RaceRequest) -> Race {
        self.with(|contest| run(contest, request).unwrap())
    }
}

fn sampled(table: &Table<&[u8]>) -> Sampled {
    let mut sampler = Sampler::new(SampleRule::Scylla);
    let index = table.source(Part::Index).unwrap();
    while sampler.step(index, 1000).unwrap() != Progress::Finished {}
    sampler.into_sampled()
}

/// A cold lookup as ScyllaDB reads, with the filter off.
fn ask(key: &str) -> RaceRequest {
    RaceRequest {
        key: key.to_owned(),
        row: None,
        reader: LegacyReader::Scylla,
        cache: CacheModel::Cold,
        filter: FilterMode::Off,
        sample_large: false,
    }
}
