//! The record of a lookup, and what is counted from it.

use super::{NodeOutcome, Observer, PageCache, PageState, PageStep, Step};
use crate::limits;
use crate::pos::{PageNo, len64};
use crate::table::Part;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// All steps of one lookup in one index, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The steps.
    pub steps: Vec<Step>,
    /// Steps that were not kept, since a damaged file made the walk too long.
    pub dropped: u64,
}

/// What a lookup has cost up to some step. Everything here is counted from the record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Pages fetched: first touches that no cache held.
    pub fetches: u64,
    /// First touches that the cache model held.
    pub warm: u64,
    /// Requests: each time the walk turned to another page.
    pub requests: u64,
    /// Bytes of the fetched pages.
    pub bytes_fetched: u64,
    /// Bytes that the reader used: nodes, entries, probed blocks.
    pub bytes_used: u64,
    /// Trie nodes parsed.
    pub nodes: u64,
    /// Entries of Index.db or Rows.db parsed.
    pub entries: u64,
    /// Blocks of the promoted index parsed.
    pub blocks: u64,
    /// Key bytes compared.
    pub bytes_compared: u64,
    /// Keys or clusterings compared whole.
    pub keys_compared: u64,
    /// Chunks of Data.db read and decompressed.
    pub chunks: u64,
}

impl Record {
    /// Counts the first `steps` steps.
    pub fn counts(&self, steps: usize) -> Counts {
        let mut counts = Counts::default();
        for step in self.steps.iter().take(steps) {
            counts.add(step);
        }
        counts
    }

    /// Counts all steps.
    pub fn total(&self) -> Counts {
        self.counts(self.steps.len())
    }

    /// The pages requested of one component, repeats included.
    pub fn requests(&self, part: Part) -> impl Iterator<Item = PageNo> + '_ {
        self.steps.iter().filter_map(move |step| match step {
            Step::Page(page) if page.part == part => Some(page.page),
            _ => None,
        })
    }

    /// Legacy: pages of Index.db that reading straight on would touch, from the start of the first window to the last
    /// entry head read, in the first `steps` steps. It stands beside the fetches, which leave out the promoted indexes
    /// that are skipped over.
    pub fn straight_pages(&self, steps: usize) -> Option<u64> {
        let (mut start, mut last) = (None, None);
        for step in self.steps.iter().take(steps) {
            let page = match step {
                Step::Window(window) => {
                    start = start.or(Some(window.from.page().0));
                    continue;
                }
                Step::Entries(entries) => entries.last_head_page(),
                Step::Entry(entry) if entry.of.is_none() => entry.last_head_page(),
                _ => continue,
            };
            last = last.max(Some(page.0));
        }
        Some(last?.saturating_sub(start?) + 1)
    }

    /// Applies a cache model: first touches of pages that it holds become warm, the others enter it. The numbers of the
    /// fetches that are left count from 1 again.
    pub fn apply_cache(&mut self, cache: &mut PageCache) {
        let mut fetched = 0;
        for step in &mut self.steps {
            if let Step::Page(page) = step
                && page.state != PageState::Here
            {
                if cache.touch(page.part, page.page, page.bytes) {
                    page.state = PageState::Warm;
                } else {
                    fetched += 1;
                    page.state = PageState::Fetched(fetched);
                }
            }
        }
    }
}

impl Counts {
    fn add(&mut self, step: &Step) {
        match step {
            Step::Page(page) => {
                self.requests += 1;
                match page.state {
                    PageState::Fetched(_) => {
                        self.fetches += 1;
                        self.bytes_fetched += page.bytes;
                    }
                    PageState::Warm => self.warm += 1,
                    PageState::Here => {}
                }
            }
            Step::Node(node) => {
                self.nodes += 1;
                self.bytes_used += u64::from(node.size);
                match &node.outcome {
                    NodeOutcome::Leaf(leaf) if leaf.hash.is_none() => {}
                    NodeOutcome::Block(_) | NodeOutcome::Last(_) | NodeOutcome::KeyEnds => {}
                    NodeOutcome::Back { wanted: None, .. } => {}
                    _ => self.bytes_compared += 1,
                }
            }
            Step::RowEntry(entry) => {
                self.entries += 1;
                self.keys_compared += 1;
                self.bytes_used += u64::from(entry.size);
            }
            Step::Bounds(bounds) => {
                self.keys_compared += 1 + u64::from(bounds.against_last.is_some());
                self.bytes_compared += u64::from(bounds.bytes_compared);
            }
            Step::SummaryProbe(probe) => {
                self.keys_compared += 1;
                self.bytes_compared += u64::from(probe.bytes_compared);
            }
            Step::Entries(entries) => {
                self.entries += entries.count;
                self.bytes_used += entries.head_bytes;
            }
            Step::Entry(entry) => {
                self.keys_compared += 1;
                self.bytes_compared += u64::from(entry.bytes_compared);
                if entry.of.is_none() {
                    self.entries += 1;
                    self.bytes_used += u64::from(entry.head);
                }
            }
            Step::Promoted(promoted) => {
                let read = if promoted.whole { promoted.end } else { promoted.blocks_at };
                self.bytes_used += read.0.saturating_sub(promoted.at.0);
            }
            Step::BlockProbe(probe) => {
                // A block of which nothing was read for the probe is counted where it was read.
                self.blocks += u64::from(probe.size > 0);
                self.keys_compared += 1;
                self.bytes_compared += u64::from(probe.bytes_compared);
                if probe.offset_at.is_some() {
                    self.bytes_used += 4 + u64::from(probe.size);
                }
            }
            Step::Data(data) => self.chunks += len64(data.chunks.len()),
            Step::Block(block) => {
                self.blocks += u64::from(block.parsed);
                self.bytes_used += u64::from(block.parsed_bytes);
            }
            Step::Filter(_) | Step::Window(_) | Step::Answer(_) | Step::Damage(_) => {}
        }
    }
}

/// The observer that keeps the record.
#[derive(Debug, Default)]
pub struct Recorder {
    record: Record,
    touched: BTreeSet<(Part, PageNo)>,
    fetched: u32,
}

impl Recorder {
    /// An empty record.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything: a lookup that met a miss is run again from the beginning.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The record so far.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The record.
    pub fn into_record(self) -> Record {
        self.record
    }

    fn push(&mut self, step: Step) {
        if self.record.steps.len() < limits::RECORD_STEPS {
            self.record.steps.push(step);
        } else {
            self.record.dropped += 1;
        }
    }
}

impl Observer for Recorder {
    fn request(&mut self, part: Part, page: PageNo, bytes: u64) {
        let state = if self.touched.insert((part, page)) {
            self.fetched += 1;
            PageState::Fetched(self.fetched)
        } else {
            PageState::Here
        };
        self.push(Step::Page(PageStep { part, page, bytes, state }));
    }

    fn step(&mut self, make: impl FnOnce() -> Step) {
        self.push(make());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(pages: &[u64]) -> Record {
        let mut recorder = Recorder::new();
        for page in pages {
            recorder.request(Part::Index, PageNo(*page), 4096);
        }
        recorder.into_record()
    }

    #[test]
    fn the_first_touch_is_a_fetch_and_a_repeat_only_a_request() {
        let counts = record(&[5, 6, 5, 6, 7]).total();
        assert_eq!((counts.fetches, counts.requests, counts.bytes_fetched), (3, 5, 3 * 4096));
    }

    #[test]
    fn a_cache_makes_first_touches_warm_and_evicts_the_oldest_page() {
        let mut cache = PageCache::new(2 * 4096);
        let mut cold = record(&[1, 2]);
        cold.apply_cache(&mut cache);
        assert_eq!(cold.total().fetches, 2);
        let mut again = record(&[2, 3, 2]);
        again.apply_cache(&mut cache);
        assert_eq!((again.total().fetches, again.total().warm), (1, 1));
        let mut evicted = record(&[1]);
        evicted.apply_cache(&mut cache);
        assert_eq!(evicted.total().fetches, 1);
    }
}
