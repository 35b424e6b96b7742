//! The job that counts, in pieces of bounded work.

use super::legacy;
use super::model::{Census, ComponentCensus, SummaryCensus};
use super::sizes::PartitionSizes;
use crate::big::IndexWalk;
use crate::bti::TrieCount;
use crate::check::Progress;
use crate::error::{Error, Miss, ReadError};
use crate::source::Source;
use crate::table::{IndexKind, Part, Table};

/// Counts where the bytes of a table go. Memory does not grow with the files.
pub struct CensusJob {
    trie: TrieCount,
    index: IndexWalk,
    census: Census,
    sizes: PartitionSizes,
    seen: u64,
    done: bool,
}

impl CensusJob {
    /// Nothing is counted yet.
    pub fn new<S: Source>(table: &Table<S>) -> Self {
        Self {
            trie: TrieCount::new(table),
            index: IndexWalk::new(table.version().formats().index),
            census: Census::default(),
            sizes: PartitionSizes::default(),
            seen: 0,
            done: false,
        }
    }

    /// Counts until about `budget` bytes have been seen. A miss is answered by fetching and calling again; nothing is
    /// counted twice. Damage is passed over and noted in [`Census::problems`].
    pub fn step<S: Source>(&mut self, table: &Table<S>, budget: u64) -> Result<Progress, Miss> {
        let kind = table.readable_index();
        if !self.done {
            let (seen, done) = match kind {
                Some(IndexKind::Trie) => self.trie.step(table, budget, &mut self.sizes)?,
                Some(IndexKind::Legacy) => self.legacy(table, budget)?,
                None => (0, true),
            };
            self.seen = self.seen.saturating_add(seen);
            if done {
                self.finish(table, kind);
            }
        }
        let stage = match kind {
            Some(IndexKind::Legacy) => "Index.db, entry by entry",
            _ => "the trie index, node by node",
        };
        Ok(Progress { done: self.done, stage, bytes: self.seen })
    }

    /// What was counted; all of it once [`Progress::done`].
    pub fn into_census(self) -> Census {
        self.census
    }

    fn legacy<S: Source>(&mut self, table: &Table<S>, budget: u64) -> Result<(u64, bool), Miss> {
        let Some(source) = table.source(Part::Index) else { return Ok((0, true)) };
        let census = self.census.index.get_or_insert_default();
        match legacy::entries(source, &mut self.index, budget, census, &mut self.sizes) {
            Ok(seen) => Ok((seen, self.index.ended(source))),
            Err(Error::Miss(miss)) => Err(miss),
            Err(Error::Damage(error)) => {
                self.census.problems.push(*error);
                Ok((0, true))
            }
        }
    }

    fn finish<S: Source>(&mut self, table: &Table<S>, kind: Option<IndexKind>) {
        self.done = true;
        let census = &mut self.census;
        match kind {
            Some(IndexKind::Trie) => self.trie.finish(table, census),
            Some(IndexKind::Legacy) => {
                census.partitions = census.index.map_or(0, |index| index.entries);
                census.summary = summary(table);
            }
            None => {}
        }
        // Where a part could not be read, the end of the last partition that was is another one's start.
        let whole = census.problems.is_empty();
        self.sizes.finish(table.facts.data_length.filter(|_| whole));
        census.sizes = std::mem::take(&mut self.sizes);
        census.components = components(table, census.partitions);
    }
}

fn summary<S: Source>(table: &Table<S>) -> Option<SummaryCensus> {
    let bytes = table.source(Part::Summary)?.len();
    Some(legacy::summary(table.summary.as_ref()?, bytes))
}

fn components<S: Source>(table: &Table<S>, partitions: u64) -> Vec<ComponentCensus> {
    let here = table.facts.components.iter().filter_map(|component| {
        let bytes = component.bytes?;
        let per_partition = (partitions > 0).then(|| bytes as f64 / partitions as f64);
        Some(ComponentCensus {
            part: component.part,
            name: component.name.clone(),
            bytes,
            per_partition,
        })
    });
    here.collect()
}

/// Keeps a problem, unless there are many.
pub(crate) fn keep(problems: &mut Vec<ReadError>, error: ReadError) {
    if problems.len() < MOST_PROBLEMS {
        problems.push(error);
    }
}

/// Problems that are kept.
const MOST_PROBLEMS: usize = 100;
