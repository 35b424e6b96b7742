//! Races on real pairs: counts, texts, answers and means, end to end through the public functions.

#[path = "../common/mod.rs"]
mod common;

mod damage;
mod means;
mod older;
mod pairs;
mod samples;
mod words;

use common::InMemory;
use triescope_core::big::{Progress, SampleRule, Sampled, Sampler};
use triescope_core::error::Error;
use triescope_core::lookup::FilterMode;
use triescope_core::race::{CacheModel, Contest, LegacyReader, Race, RaceRequest, Stop, run};
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

    /// A race as a host runs it: samples are made when they are asked for, and damage met on the way is kept with them.
    fn race_sampled(&self, request: &RaceRequest) -> Result<Race, Stop> {
        let (trie, legacy) = (self.trie.table(), self.legacy.table());
        let (mut scylla, mut cassandra) = (None, None);
        for _ in 0..3 {
            let contest = Contest {
                trie: Some(&trie),
                legacy: Some(&legacy),
                scylla_samples: scylla.as_ref(),
                cassandra_samples: cassandra.as_ref(),
            };
            let Err(Stop::Sample(wanted)) = run(&contest, request) else {
                return run(&contest, request);
            };
            let made = Some(sampled_by(&legacy, wanted.rule));
            match wanted.rule {
                SampleRule::Scylla => scylla = made,
                SampleRule::Every(_) => cassandra = made,
            }
        }
        panic!("samples are asked for again and again");
    }

    fn race(&self, request: &RaceRequest) -> Race {
        self.with(|contest| run(contest, request).unwrap())
    }
}

fn sampled(table: &Table<&[u8]>) -> Sampled {
    sampled_by(table, SampleRule::Scylla)
}

fn sampled_by(table: &Table<&[u8]>, rule: SampleRule) -> Sampled {
    let mut sampler = Sampler::new(rule, table.version().formats().index);
    let index = table.source(Part::Index).unwrap();
    loop {
        match sampler.step(index, 1000) {
            Ok(Progress::Finished) => return sampler.into_sampled(),
            Ok(Progress::Working { .. }) => {}
            Err(Error::Damage(error)) => return Sampled::damaged(error),
            Err(Error::Miss(miss)) => panic!("all bytes are here: {miss:?}"),
        }
    }
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
