//! A summary made in memory from Index.db, where there is no Summary.db or its reader would not use it
//! (`docs/format/summary.md`, how entries are chosen).

use super::index::{EntryHead, IndexWalk};
use crate::error::{Error, Kind, ReadError};
use crate::limits;
use crate::pos::{FilePos, len64, mem};
use crate::source::Source;
use crate::table::{IndexFormat, Part};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Bytes of Data.db that ScyllaDB wants for a byte of summary.
const DATA_PER_SUMMARY_BYTE: u64 = 2000;
/// What ScyllaDB adds to a key's length: a position of 8 bytes and a length of 2.
const SAMPLE_OVERHEAD: u64 = 10;
/// Most entries between two of ScyllaDB's samples.
const MOST_BETWEEN: u64 = 10_000;

/// Which entries become samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SampleRule {
    /// ScyllaDB's: by bytes of Data.db since the last sample. Positions are those of the uncompressed stream, as when
    /// ScyllaDB makes a missing summary again.
    Scylla,
    /// Cassandra's: each so-manyth entry, the first one included. At least 1.
    Every(u32),
}

/// How far a job has come, in bytes of Index.db.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Call again.
    Working {
        /// Bytes done.
        done: u64,
        /// Bytes in all.
        of: u64,
    },
    /// Nothing is left to do.
    Finished,
}

/// The job that makes a summary. A miss loses nothing: it goes on at the entry that was missing.
#[derive(Clone, Debug)]
pub struct Sampler {
    walk: IndexWalk,
    maker: SampleMaker,
}

/// Chooses samples among entries that are told to it in order.
#[derive(Clone, Debug)]
pub struct SampleMaker {
    rule: SampleRule,
    by_bytes: ByBytes,
    made: Sampled,
}

/// A summary made in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sampled {
    samples: Vec<(usize, FilePos)>,
    keys: Vec<u8>,
    first: Vec<u8>,
    last: Vec<u8>,
    entries: u64,
    interval: Option<u32>,
    damage: Option<Box<ReadError>>,
}

impl Sampler {
    /// A job over an Index.db in the format of its version, that has read nothing.
    pub fn new(rule: SampleRule, format: IndexFormat) -> Self {
        Self { walk: IndexWalk::new(format), maker: SampleMaker::new(rule) }
    }

    /// Reads up to `entries` more entries of Index.db. An error is a miss, after which it is called again, or damage.
    pub fn step<S: Source>(&mut self, index: &S, entries: u64) -> Result<Progress, Error> {
        let Self { walk, maker } = self;
        let mut too_large = None;
        walk.run(index, entries, |head, bytes| {
            maker.add(head.key(bytes), head.data.0, head.at);
            if maker.made.memory_bytes() > limits::SAMPLED_BYTES {
                too_large = Some(*head);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
        if let Some(head) = too_large {
            return Err(over_limit(&head, self.maker.made.memory_bytes()).into());
        }
        if self.walk.ended(index) {
            return Ok(Progress::Finished);
        }
        Ok(Progress::Working { done: self.walk.at().0, of: index.len() })
    }

    /// The summary, complete after [`Progress::Finished`].
    pub fn into_sampled(self) -> Sampled {
        self.maker.into_sampled()
    }
}

/// ScyllaDB's rule: a sample at the first entry, then by bytes of Data.db since the last one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ByBytes {
    begun: bool,
    last: u64,
    since: u64,
}

impl ByBytes {
    /// Whether an entry becomes a sample; `data` is where its partition begins, as the rule counts bytes.
    #[inline]
    pub(super) fn next(&mut self, key_length: u64, data: u64) -> bool {
        self.since += 1;
        let wanted = DATA_PER_SUMMARY_BYTE * (key_length + SAMPLE_OVERHEAD);
        let far = data.saturating_sub(self.last) >= wanted || self.since >= MOST_BETWEEN;
        let due = far || !self.begun;
        if due {
            *self = Self { begun: true, last: data, since: 0 };
        }
        due
    }
}

impl SampleMaker {
    /// A maker that knows no entry.
    pub fn new(rule: SampleRule) -> Self {
        let interval = match rule {
            SampleRule::Scylla => None,
            SampleRule::Every(interval) => Some(interval.max(1)),
        };
        let made = Sampled { interval, ..Sampled::default() };
        Self { rule, by_bytes: ByBytes::default(), made }
    }

    /// Takes the next entry: its key, the bytes of Data.db before its partition, its position in Index.db. ScyllaDB counts
    /// compressed bytes while it writes a compressed table, whole chunks only, and uncompressed ones in all other cases.
    pub fn add(&mut self, key: &[u8], data: u64, at: FilePos) {
        let due = match self.rule {
            SampleRule::Scylla => self.by_bytes.next(len64(key.len()), data),
            SampleRule::Every(interval) => {
                self.made.entries.is_multiple_of(u64::from(interval.max(1)))
            }
        };
        if due {
            self.made.samples.push((self.made.keys.len(), at));
            self.made.keys.extend_from_slice(key);
        }
        self.made.note_end(key);
    }

    /// Bytes of the samples so far.
    pub fn memory_bytes(&self) -> u64 {
        self.made.memory_bytes()
    }

    /// The samples of all entries taken.
    pub fn into_sampled(self) -> Sampled {
        self.made
    }
}

fn over_limit(head: &EntryHead, found: u64) -> ReadError {
    let kind = Kind::OverLimit { limit: limits::SAMPLED_BYTES, found };
    ReadError::new(Part::Index, head.at, "bytes of the samples made so far", kind)
}

impl Sampled {
    /// What is left of a job that met damage: no samples, since a database would not open such an Index.db, and why.
    pub fn damaged(error: Box<ReadError>) -> Self {
        Self { damage: Some(error), ..Self::default() }
    }

    /// The damage that kept Index.db from being sampled.
    pub fn damage(&self) -> Option<&ReadError> {
        self.damage.as_deref()
    }

    /// Number of samples.
    pub fn len(&self) -> u64 {
        len64(self.samples.len())
    }

    /// Whether Index.db had no entry.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Key and position in Index.db of a sample; `None` when there are fewer.
    pub fn sample(&self, sample: u64) -> Option<(&[u8], FilePos)> {
        let index = mem(sample)?;
        let (from, at) = self.samples.get(index)?;
        let to = self.samples.get(index + 1).map_or(self.keys.len(), |(to, _)| *to);
        Some((self.keys.get(*from..to)?, *at))
    }

    /// First key of Index.db.
    pub fn first(&self) -> &[u8] {
        &self.first
    }

    /// Last key of Index.db.
    pub fn last(&self) -> &[u8] {
        &self.last
    }

    /// Entries of Index.db, that is partitions.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Entries from a sample to the next one, where the rule fixes it.
    pub fn interval(&self) -> Option<u32> {
        self.interval
    }

    /// Bytes of the offsets and entries, as the header of a Summary.db with these samples says.
    pub fn memory_bytes(&self) -> u64 {
        self.len() * (4 + 8) + len64(self.keys.len())
    }

    /// Bytes of a Summary.db with these samples: header, offsets, entries, first and last key.
    pub fn bytes(&self) -> u64 {
        if self.damage.is_some() {
            return 0;
        }
        24 + self.memory_bytes() + 8 + len64(self.first.len()) + len64(self.last.len())
    }

    fn note_end(&mut self, key: &[u8]) {
        self.entries += 1;
        if self.entries == 1 {
            self.first.extend_from_slice(key);
        }
        self.last.clear();
        self.last.extend_from_slice(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Index.db of `n` entries with 2-byte keys, `step` bytes of data each.
    fn index(n: u16, step: u64) -> Vec<u8> {
        let mut file = Vec::new();
        for i in 0..n {
            file.extend([0, 2]);
            file.extend(i.to_be_bytes());
            let position = u32::try_from(u64::from(i) * step).unwrap();
            file.push(0xf0);
            file.extend(position.to_be_bytes());
            file.push(0);
        }
        file
    }

    fn sampled(file: &[u8], rule: SampleRule) -> Sampled {
        let mut sampler = Sampler::new(rule, IndexFormat::Vints);
        while sampler.step(&file, 100).unwrap() != Progress::Finished {}
        sampler.into_sampled()
    }

    fn positions(sampled: &Sampled) -> Vec<u64> {
        (0..sampled.len()).map(|i| sampled.sample(i).unwrap().1.0 / 10).collect()
    }

    #[test]
    fn scylladb_samples_by_data_bytes_and_at_most_10_000_entries_apart() {
        // A key of 2 bytes: one sample for 24,000 bytes of data, here 24 entries.
        let made = sampled(&index(50, 1000), SampleRule::Scylla);
        assert_eq!(positions(&made), [0, 24, 48]);
        assert_eq!((made.first(), made.last(), made.entries()), (&[0, 0][..], &[0, 49][..], 50));
        assert_eq!(made.sample(1), Some((&[0, 24][..], FilePos(240))));
        assert_eq!(made.sample(3), None);
        let made = sampled(&index(25_000, 1), SampleRule::Scylla);
        assert_eq!(positions(&made), [0, 10_000, 20_000]);
    }

    #[test]
    fn cassandra_samples_each_128th_entry() {
        let made = sampled(&index(257, 1), SampleRule::Every(128));
        assert_eq!(positions(&made), [0, 128, 256]);
        assert_eq!(made.interval(), Some(128));
    }

    #[test]
    fn an_empty_index_gives_no_samples() {
        assert!(sampled(&[], SampleRule::Scylla).is_empty());
    }
}
