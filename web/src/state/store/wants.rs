//! What follows from the state: what is open, what has to be fetched, what has to be asked.

use super::Spent;
use super::{MeansCall, RaceCall, State, Tables};
use crate::model::{Failure, SampleEntry, Wanted};
use crate::shared::Shared;
use crate::state::address::{Address, Origin, View};
use crate::state::clock::Clock;
use triescope_core::keys::KeySchema;
use triescope_core::race::{LegacyReader, Means, RaceRequest};
use triescope_core::table::{Part, TableFacts};

impl State {
    /// The state of a page that was opened at this address.
    pub fn new(address: Address) -> Self {
        Self {
            address,
            is_settled: false,
            samples: Shared::new(Vec::new()),
            dropped: None,
            tables: None,
            loading: None,
            failure: None,
            race: None,
            clock: Shared::new(Clock::default()),
            attempt: 0,
            race_failure: None,
            at: 0,
            playing: false,
            speed: 1,
            means: Vec::new(),
            means_failure: None,
            sample_large: false,
            twins: Vec::new(),
            twin_large: false,
            understood: None,
            suggestions: None,
            notice: None,
            spent: Spent::default(),
            room: None,
            typed: None,
            is_partial: false,
            readings: None,
            board: None,
            board_failure: None,
            busy: Vec::new(),
            help: false,
        }
    }

    /// What is open and asked for, where both are the same.
    pub fn open(&self) -> Option<&Tables> {
        self.tables.as_ref().filter(|tables| Some(&tables.origin) == self.address.origin.as_ref())
    }

    /// The sample that is open.
    pub fn sample(&self) -> Option<&SampleEntry> {
        match &self.open()?.origin {
            Origin::Sample(name) => self.samples.iter().find(|sample| sample.name == *name),
            Origin::Local(_) | Origin::Keys => None,
        }
    }

    /// Who reads the legacy index: as chosen, else ScyllaDB where it wrote the files.
    pub fn reader(&self) -> LegacyReader {
        let by_scylla = |facts: &TableFacts| {
            matches!(facts.version.as_str(), "ms" | "mt")
                || facts.components.iter().any(|component| {
                    component.part == Some(Part::Scylla) && component.bytes.is_some()
                })
        };
        self.address.ask.reader.unwrap_or_else(|| {
            let written = self.open().is_some_and(|tables| {
                [&tables.trie, &tables.legacy]
                    .into_iter()
                    .flatten()
                    .any(|(_, facts)| by_scylla(facts))
            });
            if written { LegacyReader::Scylla } else { LegacyReader::Cassandra }
        })
    }

    /// The sample that has to be loaded because the address asks for it.
    pub fn wanted_source(&self) -> Option<&SampleEntry> {
        match &self.address.origin {
            Some(Origin::Sample(name)) if self.open().is_none() => {
                self.samples.iter().find(|sample| sample.name == *name)
            }
            _ => None,
        }
    }

    /// Local files that the address asks for and that are not here.
    pub fn wanted_files(&self) -> Option<&[Wanted]> {
        match &self.address.origin {
            Some(Origin::Local(wanted)) if self.open().is_none() => Some(wanted),
            _ => None,
        }
    }

    /// The race that the address asks for.
    pub fn wanted_race(&self) -> Option<RaceCall> {
        self.open().filter(|_| self.address.view == View::Lookup)?;
        // Other blocks than those of the files: the race before stays until both indexes are there.
        if self.block().is_some() && self.is_building() {
            return None;
        }
        let (trie, legacy) = self.lane_ids();
        trie.or(legacy)?;
        let ask = &self.address.ask;
        let request = RaceRequest {
            key: ask.key.clone()?,
            row: ask.row.clone(),
            reader: self.reader(),
            cache: ask.cache.clone(),
            filter: ask.filter,
            sample_large: self.sample_large,
        };
        Some(RaceCall { trie, legacy, request })
    }

    /// The means that belong to what is open.
    pub fn wanted_means(&self) -> Option<MeansCall> {
        self.open()?;
        if self.block().is_some() && self.is_building() {
            return None;
        }
        let (trie, legacy) = self.lane_ids();
        trie.or(legacy)?;
        Some(MeansCall { trie, legacy, reader: self.reader(), sample_large: self.sample_large })
    }

    /// Means as far as they are known for what is open and who reads.
    pub fn current_means(&self) -> Option<&Shared<Means>> {
        let call = self.wanted_means()?;
        self.means.iter().find(|(known, _)| *known == call).map(|(_, means)| means)
    }

    /// Why there are no means for what is open and who reads.
    pub fn current_means_failure(&self) -> Option<&Shared<Failure>> {
        let call = self.wanted_means()?;
        self.means_failure.as_ref().filter(|(failed, _)| *failed == call).map(|(_, why)| why)
    }

    /// Steps done in each lane: trie, legacy.
    pub fn steps(&self) -> (usize, usize) {
        self.clock.steps(self.at)
    }

    /// The key that a lookup starts with: the sample's, else the first one of the SSTable.
    pub fn first_key(&self) -> Option<String> {
        if let Some(sample) = self.sample() {
            return Some(sample.present.clone());
        }
        let facts = self.open()?.facts()?;
        let (first, _) = facts.ends.as_ref()?;
        let schema = facts.classes.key.as_deref().map(KeySchema::from_class).unwrap_or_default();
        Some(schema.to_text(first))
    }
}
