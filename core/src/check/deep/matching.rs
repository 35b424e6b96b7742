//! Partitions of Data.db against those of the index: the same ones, in the same order, at the same positions.

use super::blocks::{Blocks, deletion};
use super::index::{Expected, ExpectedKind, IndexSide};
use super::rows::{Context, Reading, same_deletion};
use crate::bti::check::other_key;
use crate::check::catalog::{data, index, rows, trie};
use crate::check::{Check, Finding};
use crate::keys::{Hash, KeyStyle, Partitioner, murmur3_blob_into, partition_key};
use crate::pos::FilePos;
use crate::table::Part;
use std::cmp::Ordering;
use std::collections::VecDeque;

/// Partitions that the index did not have where it should, kept for the case that it has them later.
const MOST_KEPT: usize = 8;

/// What the index and the data did not have in common so far.
#[derive(Debug, Default)]
pub(super) struct Matching {
    /// Partitions that the index does not have, or not here: position and key.
    unindexed: VecDeque<(u64, Vec<u8>)>,
    comparable: Vec<u8>,
}

/// How far the key of a partition is that of a leaf or entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Identity {
    Same,
    /// The bytes that lead to the leaf are those of the key, its hash byte is not.
    OtherHash,
    Other,
}

impl Matching {
    /// Finds the partition that begins in the index, as far as that was read.
    pub(super) fn find(
        &mut self,
        context: &Context<'_>,
        index: &mut IndexSide,
        reading: &mut Reading,
    ) {
        while reading.is_unmatched {
            let Some(front) = index.front() else {
                if index.has_more() {
                    return;
                }
                reading.is_unmatched = false;
                if index.is_whole() {
                    self.not_indexed(reading);
                }
                return;
            };
            let order = front.data.cmp(&reading.partition);
            let identity = self.identity(context, index.name(front), front, reading);
            if order == Ordering::Greater && identity == Identity::Other {
                reading.is_unmatched = false;
                self.not_indexed(reading);
                return;
            }
            let path = (identity == Identity::Other).then(|| index.name(front).to_vec());
            let Some(found) = index.pop() else { return };
            match (order, identity) {
                (Ordering::Equal, identity) => {
                    reading.is_unmatched = false;
                    self.same_place(context, (found, path), identity, reading);
                }
                (_, Identity::Other) => self.nothing_there(&found, reading),
                (_, _) => {
                    reading.is_unmatched = false;
                    let expected = format!("{}, where the partition begins", reading.partition);
                    let finding = position(&found, expected).key(&reading.key);
                    reading.pending.push(reading.partition, finding);
                }
            }
        }
    }

    /// Whether the index does not have the partition at a position, as far as it was read.
    pub(super) fn is_unindexed(&self, at: u64) -> bool {
        self.unindexed.iter().any(|(unindexed, _)| *unindexed == at)
    }

    /// All of the data was read: what is left of the index points nowhere.
    pub(super) fn finish(&mut self, index: &mut IndexSide, reading: &mut Reading) {
        while let Some(found) = index.pop() {
            self.nothing_there(&found, reading);
        }
        if index.is_whole() {
            while let Some(partition) = self.unindexed.pop_front() {
                unindexed(partition, reading);
            }
        }
    }

    fn identity(
        &mut self,
        context: &Context<'_>,
        name: &[u8],
        expected: &Expected,
        reading: &Reading,
    ) -> Identity {
        let ExpectedKind::Leaf { hash, .. } = &expected.kind else {
            return if name == reading.key { Identity::Same } else { Identity::Other };
        };
        let of_key = reading.hash.unwrap_or(Hash { h1: 0, h2: 0 });
        let style = context.dialect.key_style;
        match context.partitioner {
            Partitioner::Murmur3 if style == KeyStyle::Blob => {
                murmur3_blob_into(&reading.key, of_key, &mut self.comparable);
            }
            // The order of an unknown partitioner is unknown: only the hash byte tells.
            Partitioner::Unknown(_) => self.comparable = name.to_vec(),
            partitioner => {
                let key = partition_key(partitioner, style, context.keys, &reading.key);
                self.comparable = key.bytes;
            }
        }
        if !self.comparable.starts_with(name) {
            Identity::Other
        } else if hash.is_some_and(|hash| hash != of_key.byte()) {
            Identity::OtherHash
        } else {
            Identity::Same
        }
    }

    /// The index has a partition here.
    fn same_place(
        &mut self,
        context: &Context<'_>,
        (found, path): (Expected, Option<Vec<u8>>),
        identity: Identity,
        reading: &mut Reading,
    ) {
        let at = reading.partition;
        let text = |key: &[u8]| context.keys.to_text(key);
        match (identity, &found.kind) {
            (Identity::Same, _) => {}
            (Identity::OtherHash, ExpectedKind::Leaf { hash, .. }) => {
                let byte = reading.hash.map_or(0, Hash::byte);
                let (expected, stored) =
                    (format!("0x{byte:02x}"), format!("0x{:02x}", hash.unwrap_or(0)));
                let finding = Finding::new(trie::HASH, "hash byte", expected, stored);
                let finding = finding.at(Part::Partitions, found.at).key(&reading.key);
                reading.pending.push(at, finding);
            }
            (_, ExpectedKind::Leaf { .. }) => {
                let (path, place) = (path.unwrap_or_default(), format!("Data.db {at}"));
                let finding = other_key(trie::DATA_KEY, (&path, &place), &self.comparable);
                let finding = finding.at(Part::Partitions, found.at).key(&reading.key);
                reading.pending.push(at, finding);
                return;
            }
            (_, ExpectedKind::Entry(_)) => {
                let (check, part) = (index::DATA_KEY, Part::Index);
                let expected = format!("that of {}, which begins there", text(&reading.key));
                let finding = Finding::new(check, "key", expected, "another one");
                let finding = finding.at(part, found.at).key(&reading.key);
                reading.pending.push(at, finding);
                return;
            }
        }
        match found.kind {
            ExpectedKind::Leaf { entry: Some(entry), .. } => {
                if entry.key != reading.key {
                    let expected = format!("{}, which begins there", text(&reading.key));
                    let finding = Finding::new(rows::DATA_KEY, "key", expected, text(&entry.key));
                    let finding = finding.at(Part::Rows, entry.at).key(&reading.key);
                    reading.pending.push(at, finding);
                }
                if !same_deletion(entry.deletion, reading.deletion) {
                    let (expected, stored) = (deletion(reading.deletion), deletion(entry.deletion));
                    let finding =
                        Finding::new(rows::DELETION, "partition deletion", expected, stored);
                    let finding = finding.at(Part::Rows, entry.at).key(&reading.key);
                    reading.pending.push(at, finding);
                }
                reading.blocks = Blocks::of_entry(&entry);
            }
            ExpectedKind::Leaf { entry: None, .. } => {}
            ExpectedKind::Entry(head) => reading.blocks = Blocks::of_head(head),
        }
    }

    /// The index has a partition where none begins.
    fn nothing_there(&mut self, found: &Expected, reading: &mut Reading) {
        let known = self.unindexed.iter().position(|(at, _)| *at == found.data);
        let expected = match known {
            // It is there, but was met before the partitions that the index has before it.
            Some(known) => {
                self.unindexed.remove(known);
                "one behind that of the entry before".to_owned()
            }
            None => "the start of a partition".to_owned(),
        };
        reading.pending.push(found.data, position(found, expected));
    }

    /// The index does not have the partition, at least not here.
    fn not_indexed(&mut self, reading: &mut Reading) {
        self.unindexed.push_back((reading.partition, reading.key.clone()));
        if self.unindexed.len() > MOST_KEPT
            && let Some(oldest) = self.unindexed.pop_front()
        {
            unindexed(oldest, reading);
        }
    }
}

fn unindexed((at, key): (u64, Vec<u8>), reading: &mut Reading) {
    let (expected, found) = ("an entry in the index", "none that points here");
    let finding = Finding::new(data::UNINDEXED, "partition", expected, found);
    reading.pending.push(at, finding.at(Part::Data, FilePos(at)).key(&key));
}

/// A position in the index at which its partition does not begin.
fn position(found: &Expected, expected: String) -> Finding {
    let (check, part): (&'static Check, _) = match &found.kind {
        ExpectedKind::Leaf { .. } => (trie::DATA_POSITION, Part::Partitions),
        ExpectedKind::Entry(_) => (index::DATA_POSITION, Part::Index),
    };
    Finding::new(check, "position in Data.db", expected, found.data.to_string()).at(part, found.at)
}
