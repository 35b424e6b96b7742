//! Which partitions lie in stretches of Data.db, told from the index: those of a chunk that cannot be read, or the one at
//! a position.

use super::Step;
use crate::big::IndexWalk;
use crate::bti::RowEntry;
use crate::error::{Error, Miss};
use crate::lookup::LeafTarget;
use crate::pos::{DataPos, FilePos};
use crate::scan::{LeafWalk, Order};
use crate::source::{Pages, Source};
use crate::table::{IndexKind, Part, Table};
use std::ops::{ControlFlow, Range};

/// Entries of the index that are read before the budget is looked at.
const ENTRIES: u64 = 256;
/// What a leaf counts as: about the bytes of its nodes.
const LEAF_BYTES: u64 = 8;

/// A partition by its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct At {
    /// Its position.
    pub(crate) at: DataPos,
    /// Its serialized key, where the index has it, or Data.db can be read there.
    pub(crate) key: Option<Vec<u8>>,
}

/// The partitions of a stretch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// The stretch, in the uncompressed stream.
    pub(crate) range: Range<u64>,
    /// Partitions with a byte in it.
    pub(crate) count: u64,
    /// The first of them.
    pub(crate) first: Option<At>,
    /// The last of them.
    pub(crate) last: Option<At>,
}

/// A walk over the index that looks for stretches.
#[derive(Debug)]
pub(crate) struct Within {
    stretches: Vec<Stretch>,
    /// Stretches before this one end before the walk's place.
    from: usize,
    walk: Walk,
    /// The partition that was come to last; where it ends is known with the next one.
    before: Option<At>,
    ended: bool,
    /// Stretches whose partitions have the keys that can be had.
    named: usize,
}

enum Walk {
    Legacy(IndexWalk),
    Trie(Box<LeafWalk>),
    None,
}

impl std::fmt::Debug for Walk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Legacy(walk) => write!(f, "Legacy@{}", walk.at()),
            Self::Trie(_) => f.write_str("Trie"),
            Self::None => f.write_str("None"),
        }
    }
}

impl Within {
    /// Looks for stretches of the uncompressed stream, in ascending order.
    pub(crate) fn new<S: Source>(
        table: &Table<S>,
        ranges: impl Iterator<Item = Range<u64>>,
    ) -> Self {
        let walk = match table.readable_index() {
            Some(IndexKind::Legacy) => {
                Walk::Legacy(IndexWalk::new(table.version().formats().index))
            }
            Some(IndexKind::Trie) => table.footer.as_ref().map_or(Walk::None, |footer| {
                Walk::Trie(Box::new(LeafWalk::new(footer, Order::Forward, None)))
            }),
            None => Walk::None,
        };
        let stretch = |range| Stretch { range, count: 0, first: None, last: None };
        let stretches: Vec<Stretch> = ranges.map(stretch).collect();
        let ended = stretches.is_empty();
        Self { ended, stretches, from: 0, walk, before: None, named: 0 }
    }

    /// The stretches with what was found so far.
    pub(crate) fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// Walks on for about `budget` bytes of the index. Damage ends the walk.
    pub(crate) fn step<S: Source>(&mut self, table: &Table<S>, budget: u64) -> Result<Step, Miss> {
        let mut bytes = 0;
        while !self.ended && bytes < budget {
            let read = match std::mem::replace(&mut self.walk, Walk::None) {
                Walk::Legacy(mut walk) => {
                    let read = self.legacy(table, &mut walk);
                    self.walk = Walk::Legacy(walk);
                    read
                }
                Walk::Trie(mut walk) => {
                    let read = self.trie(table, &mut walk);
                    self.walk = Walk::Trie(walk);
                    read
                }
                Walk::None => Ok(None),
            };
            match read {
                Ok(Some(read)) => bytes += read,
                Ok(None) => {
                    let length = table.facts.data_length.unwrap_or(u64::MAX);
                    self.come(At { at: DataPos(length), key: None });
                    self.ended = true;
                }
                Err(Error::Miss(miss)) => return Err(miss),
                Err(Error::Damage(_)) => self.ended = true,
            }
            self.ended |= self.from >= self.stretches.len();
        }
        if self.ended {
            self.name(table)?;
        }
        Ok(Step { bytes, done: self.ended })
    }

    /// Reads the keys that a trie does not have.
    fn name<S: Source>(&mut self, table: &Table<S>) -> Result<(), Miss> {
        while let Some(stretch) = self.stretches.get_mut(self.named) {
            for partition in [&mut stretch.first, &mut stretch.last].into_iter().flatten() {
                let Some(mut reader) = table.data_reader().ok().filter(|_| partition.key.is_none())
                else {
                    continue;
                };
                match reader.key(partition.at) {
                    Ok((key, _)) => partition.key = Some(key),
                    Err(Error::Miss(miss)) => return Err(miss),
                    // It lies in a chunk that cannot be read.
                    Err(Error::Damage(_)) => {}
                }
            }
            self.named += 1;
        }
        Ok(())
    }

    fn trie<S: Source>(
        &mut self,
        table: &Table<S>,
        walk: &mut LeafWalk,
    ) -> Result<Option<u64>, Error> {
        let Some(source) = table.source(Part::Partitions) else { return Ok(None) };
        let Some(found) = walk.peek(source)? else { return Ok(None) };
        let next = match found.leaf.target() {
            LeafTarget::Data(at) => Some(At { at, key: None }),
            LeafTarget::Rows(at) => match table.source(Part::Rows) {
                Some(rows) => {
                    let mut unheard = ();
                    match RowEntry::read(&mut Pages::new(Part::Rows, rows, &mut unheard), at) {
                        Ok(entry) => Some(At { at: entry.data, key: Some(entry.key) }),
                        Err(Error::Miss(miss)) => return Err(miss.into()),
                        // The partition before it seems to reach further then.
                        Err(Error::Damage(_)) => None,
                    }
                }
                None => None,
            },
        };
        walk.take();
        if let Some(next) = next {
            self.come(next);
        }
        Ok(Some(LEAF_BYTES))
    }

    fn legacy<S: Source>(
        &mut self,
        table: &Table<S>,
        walk: &mut IndexWalk,
    ) -> Result<Option<u64>, Error> {
        let Some(source) = table.source(Part::Index) else { return Ok(None) };
        let FilePos(start) = walk.at();
        let read = walk.run(source, ENTRIES, |head, bytes| {
            self.come(At { at: head.data, key: Some(head.key(bytes).to_vec()) });
            ControlFlow::Continue(())
        })?;
        Ok((read > 0).then_some(walk.at().0.saturating_sub(start)))
    }

    /// The walk comes to a partition, so that the end of the one before it is known.
    fn come(&mut self, next: At) {
        let Some(before) = self.before.replace(next.clone()) else { return };
        let (start, end) = (before.at.0, next.at.0);
        while self.stretches.get(self.from).is_some_and(|stretch| stretch.range.end <= start) {
            self.from += 1;
        }
        for stretch in self.stretches.iter_mut().skip(self.from) {
            if stretch.range.start >= end {
                break;
            }
            stretch.count += 1;
            stretch.first.get_or_insert_with(|| before.clone());
            stretch.last = Some(before.clone());
        }
    }
}
