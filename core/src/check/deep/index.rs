//! The partitions that the index has, in its order, as they are compared with those of Data.db.

use crate::big::{EntryHead, IndexWalk};
use crate::bti::{LeavesPlace, PartitionIndex, RowEntry};
use crate::error::{Error, Miss};
use crate::lookup::LeafTarget;
use crate::pos::FilePos;
use crate::source::{Pages, Source};
use crate::table::{IndexKind, Part, Table};
use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};

/// Partitions that are read from the index at once.
const BATCH: usize = 256;
/// Bytes of keys after which a batch ends.
const BATCH_BYTES: usize = 256 << 10;

/// A partition as the index has it.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    /// Position in Data.db.
    pub data: u64,
    /// Its leaf or entry.
    pub at: FilePos,
    /// What is known of its key: bytes of the batch.
    pub name: Range<usize>,
    pub kind: ExpectedKind,
}

#[derive(Clone, Debug)]
pub(super) enum ExpectedKind {
    /// A leaf, whose name is the bytes that lead to it; with its hash byte, and the entry in Rows.db of a wide partition.
    Leaf { hash: Option<u8>, entry: Option<Box<RowEntry>> },
    /// An entry of Index.db, whose name is the key.
    Entry(EntryHead),
}

/// Partitions of the index that are to be met next.
#[derive(Debug, Default)]
pub(super) struct IndexSide {
    walk: IndexPlace,
    bytes: Vec<u8>,
    items: VecDeque<Expected>,
    /// A leaf whose entry in Rows.db is still to be read.
    leaf: Option<Expected>,
}

#[derive(Debug, Default)]
enum IndexPlace {
    Trie(LeavesPlace),
    Legacy(IndexWalk),
    /// All of it was read.
    #[default]
    Ended,
    /// It cannot be read on; other checks say why.
    Broken,
}

impl IndexSide {
    pub(super) fn new<S: Source>(table: &Table<S>) -> Self {
        let walk = match (table.readable_index(), &table.footer) {
            (Some(IndexKind::Trie), Some(footer)) if table.source(Part::Partitions).is_some() => {
                IndexPlace::Trie(LeavesPlace::first(PartitionIndex::new(footer)))
            }
            (Some(IndexKind::Legacy), _) if table.source(Part::Index).is_some() => {
                IndexPlace::Legacy(IndexWalk::new(table.version().formats().index))
            }
            _ => IndexPlace::Broken,
        };
        Self { walk, ..Self::default() }
    }

    /// The partition that the index has next, if it is read already.
    pub(super) fn front(&self) -> Option<&Expected> {
        self.items.front()
    }

    /// What is known of a partition's key.
    pub(super) fn name(&self, expected: &Expected) -> &[u8] {
        self.bytes.get(expected.name.clone()).unwrap_or(&[])
    }

    pub(super) fn pop(&mut self) -> Option<Expected> {
        self.items.pop_front()
    }

    /// Whether [`Self::fill`] brings more.
    pub(super) fn has_more(&self) -> bool {
        matches!(self.walk, IndexPlace::Trie(_) | IndexPlace::Legacy(_))
    }

    /// Whether the index was read to its end, so that what it does not have is known.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.walk, IndexPlace::Ended)
    }

    /// Reads on, when nothing is left. What was read before a miss is kept.
    pub(super) fn fill<S: Source>(&mut self, table: &Table<S>) -> Result<(), Miss> {
        if !self.items.is_empty() {
            return Ok(());
        }
        if self.leaf.is_none() {
            self.bytes.clear();
        }
        let result = match std::mem::take(&mut self.walk) {
            IndexPlace::Trie(place) => self.leaves(table, place),
            IndexPlace::Legacy(walk) => self.entries(table, walk),
            other => {
                self.walk = other;
                Ok(())
            }
        };
        match result {
            Ok(()) => Ok(()),
            Err(Error::Damage(_)) => {
                self.walk = IndexPlace::Broken;
                Ok(())
            }
            // What is here is looked at first; then the miss comes again.
            Err(Error::Miss(_)) if !self.items.is_empty() => Ok(()),
            Err(Error::Miss(miss)) => Err(miss),
        }
    }

    fn is_full(&self) -> bool {
        self.items.len() >= BATCH || self.bytes.len() >= BATCH_BYTES
    }

    fn leaves<S: Source>(&mut self, table: &Table<S>, place: LeavesPlace) -> Result<(), Error> {
        let (Some(partitions), rows) = (table.source(Part::Partitions), table.source(Part::Rows))
        else {
            return Ok(());
        };
        let mut unheard = ();
        let mut leaves = place.resume(Pages::new(Part::Partitions, partitions, &mut unheard));
        let mut end = Ok(false);
        while !self.is_full() {
            if let Some(mut leaf) = self.leaf.take() {
                let read = match rows {
                    Some(rows) => RowEntry::read(
                        &mut Pages::new(Part::Rows, rows, &mut ()),
                        FilePos(leaf.data),
                    ),
                    None => {
                        end = Ok(true);
                        break;
                    }
                };
                match read {
                    Ok(entry) => {
                        leaf.data = entry.data.0;
                        if let ExpectedKind::Leaf { entry: of_leaf, .. } = &mut leaf.kind {
                            *of_leaf = Some(Box::new(entry));
                        }
                        self.items.push_back(leaf);
                    }
                    Err(error) => {
                        self.leaf = Some(leaf);
                        end = Err(error);
                        break;
                    }
                }
                continue;
            }
            let found = match leaves.next() {
                Ok(Some(found)) => found.leaf,
                Ok(None) => {
                    end = Ok(true);
                    break;
                }
                Err(error) => {
                    end = Err(error);
                    break;
                }
            };
            let from = self.bytes.len();
            leaves.prefix_into(&mut self.bytes);
            let kind = ExpectedKind::Leaf { hash: found.hash, entry: None };
            let (at, name) = (found.at, from..self.bytes.len());
            match found.target() {
                LeafTarget::Data(data) => {
                    self.items.push_back(Expected { data: data.0, at, name, kind });
                }
                LeafTarget::Rows(entry) => {
                    self.leaf = Some(Expected { data: entry.0, at, name, kind });
                }
            }
        }
        match end {
            Ok(true) => {
                self.walk =
                    if self.leaf.is_none() { IndexPlace::Ended } else { IndexPlace::Broken };
                Ok(())
            }
            Ok(false) => {
                self.walk = IndexPlace::Trie(leaves.suspend());
                Ok(())
            }
            Err(error) => {
                self.walk = IndexPlace::Trie(leaves.suspend());
                Err(error)
            }
        }
    }

    fn entries<S: Source>(&mut self, table: &Table<S>, mut walk: IndexWalk) -> Result<(), Error> {
        let Some(source) = table.source(Part::Index) else { return Ok(()) };
        let (items, bytes) = (&mut self.items, &mut self.bytes);
        let read = walk.run(source, u64::MAX, |head, of_head| {
            let from = bytes.len();
            bytes.extend_from_slice(head.key(of_head));
            let (name, kind) = (from..bytes.len(), ExpectedKind::Entry(*head));
            items.push_back(Expected { data: head.data.0, at: head.at, name, kind });
            if items.len() >= BATCH || bytes.len() >= BATCH_BYTES {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        self.walk = if walk.ended(source) { IndexPlace::Ended } else { IndexPlace::Legacy(walk) };
        read.map(|_| ())
    }
}
