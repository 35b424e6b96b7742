//! What the worker has open: SSTables, and the samples that were made of their Index.db.

use super::protocol::Which;
use crate::model::{Failure, TableId};
use triescope_core::big::{SampleRule, Sampled};
use triescope_core::error::{Kind, ReadError};
use triescope_core::few::Few;
use triescope_core::race::{Contest, Stop};
use triescope_core::source::Source;
use triescope_core::table::{Part, Table, TableFacts, Version};

/// Everything that is open.
#[derive(Debug)]
pub struct World<S> {
    tables: Few<TableId, Held<S>>,
}

#[derive(Debug)]
struct Held<S> {
    table: Table<S>,
    scylla: Option<Sampled>,
    cassandra: Option<Sampled>,
}

impl<S> Default for World<S> {
    fn default() -> Self {
        Self { tables: Few::default() }
    }
}

impl<S: Source> World<S> {
    /// Closes everything.
    pub fn clear(&mut self) {
        self.tables.clear();
    }

    /// Takes an opened SSTable.
    pub fn put(&mut self, id: TableId, table: Table<S>) {
        self.tables.insert(id, Held { table, scylla: None, cassandra: None });
    }

    /// An SSTable.
    pub fn table(&self, id: TableId) -> Option<&Table<S>> {
        self.tables.get(&id).map(|held| &held.table)
    }

    /// Opens `id`: the SSTable `of` with an index that was built for it, whose files are `index`.
    ///
    /// # Errors
    /// When `of` is not open any more, or its bytes are not here.
    pub fn put_twin(
        &mut self,
        of: TableId,
        id: TableId,
        version: Version,
        index: Vec<(Part, S)>,
    ) -> Result<TableFacts, Failure>
    where
        S: Clone,
    {
        let source = self.table(of).ok_or(Failure::Cancelled)?;
        let lengths: Vec<(Part, u64)> = index.iter().map(|(part, it)| (*part, it.len())).collect();
        let set = source.set.twin(version, &lengths);
        let shared = Part::ALL.into_iter().filter(|part| part.is_shared());
        let shared = shared.filter_map(|part| Some((part, source.source(part)?.clone())));
        let sources: Vec<(Part, S)> = shared.chain(index).collect();
        let table = Table::open(set, sources).map_err(|miss| failure(Stop::Miss(miss)))?;
        let facts = table.facts.clone();
        self.put(id, table);
        Ok(facts)
    }

    /// Keeps samples of an SSTable's Index.db.
    pub fn keep(&mut self, id: TableId, rule: SampleRule, sampled: Sampled) {
        if let Some(held) = self.tables.get_mut(&id) {
            match rule {
                SampleRule::Scylla => held.scylla = Some(sampled),
                SampleRule::Every(_) => held.cassandra = Some(sampled),
            }
        }
    }

    /// The two SSTables of a race.
    ///
    /// # Errors
    /// When one of them is not open any more.
    pub fn contest(&self, which: Which) -> Result<Contest<'_, S>, Failure> {
        let held = |id: Option<TableId>| match id {
            Some(id) => self.tables.get(&id).map(Some).ok_or(Failure::Cancelled),
            None => Ok(None),
        };
        let (trie, legacy) = (held(which.0)?, held(which.1)?);
        Ok(Contest {
            trie: trie.map(|held| &held.table),
            legacy: legacy.map(|held| &held.table),
            scylla_samples: legacy.and_then(|held| held.scylla.as_ref()),
            cassandra_samples: legacy.and_then(|held| held.cassandra.as_ref()),
        })
    }
}

/// Why something cannot be done, as the page is told. Samples that have to be made first are the caller's matter.
pub fn failure(stop: Stop) -> Failure {
    match stop {
        Stop::Text { why } => Failure::Text { why },
        Stop::Damage(error) => Failure::Read(*error),
        Stop::Sample(wanted) => Failure::AskToSample { bytes: wanted.bytes },
        // The worker's sources read at once and never miss.
        Stop::Miss(miss) => {
            let kind = Kind::Unreadable { reason: "its bytes are not here".into() };
            Failure::Read(ReadError::new(miss.part, miss.from, "bytes", kind))
        }
    }
}
