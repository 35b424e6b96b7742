//! Entries of a trie from an open SSTable, a piece at a time.

use super::entries::{Entries, Fragments};
use super::error::EntriesError;
use super::run::Progress;
use super::shortest::Shortest;
use crate::big::IndexWalk;
use crate::bti::pack::Payload;
use crate::bti::{Block, BlocksPlace, Leaf, LeavesPlace, PartitionIndex, RowEntry, RowIndex};
use crate::error::{Error, ReadError};
use crate::keys::{Dialect, KeyStyle, murmur3, partition_key};
use crate::lookup::LeafTarget;
use crate::pos::{FilePos, len64};
use crate::scan::{LeafWalk, Order};
use crate::source::{Pages, Source};
use crate::table::{Part, Table};
use std::ops::ControlFlow;

/// Bytes of the footer of Partitions.db, and of two lengths of keys.
const FOOTER: u64 = 24 + 2 + 2;

/// Builds the entries of one trie. A miss loses nothing: the job is called again.
#[derive(Debug)]
pub struct EntriesJob {
    entries: Entries,
    work: Work,
    done: u64,
    of: u64,
}

#[derive(Debug)]
enum Work {
    /// The leaves of Partitions.db.
    Leaves { place: Option<LeavesPlace>, shortest: Shortest },
    /// Backwards through the leaves, for the entry of Rows.db before that of a partition.
    Before { walk: Box<LeavesBack>, entry: Box<RowEntry> },
    /// The separators of a partition in Rows.db.
    Blocks { place: Option<BlocksPlace> },
    /// The entries of Index.db.
    Index { walk: IndexWalk, shortest: Shortest, first: u64, last: u64 },
    /// All entries are there.
    Done,
}

/// A walk from a leaf to those before it.
struct LeavesBack(LeafWalk);

impl std::fmt::Debug for LeavesBack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LeavesBack")
    }
}

impl EntriesJob {
    /// The trie of Partitions.db. Prefixes are cut to what tells a key from its neighbours, as the databases do.
    ///
    /// # Errors
    /// [`EntriesError::Nothing`] without a Partitions.db that can be read, [`EntriesError::Budget`] where its leaves would
    /// take more than `budget` bytes of memory.
    pub fn partitions<S: Source>(table: &Table<S>, budget: u64) -> Result<Self, EntriesError> {
        let none = EntriesError::Nothing("this SSTable has no Partitions.db that can be read");
        let (Some(footer), Some(_)) = (&table.footer, table.source(Part::Partitions)) else {
            return Err(none);
        };
        // A leaf has two bytes in the file that it has not here, and here four that it has not there.
        let needed = footer.keys_at.0.saturating_add(footer.count.saturating_mul(2));
        if needed > budget && footer.count > 1 {
            return Err(EntriesError::Budget { needed, budget });
        }
        let tail = FOOTER + len64(footer.first.len()) + len64(footer.last.len());
        let entries =
            Entries::new(Part::Partitions, FilePos(0), Fragments::Partition, tail, budget);
        let place = Some(LeavesPlace::first(PartitionIndex::new(footer)));
        let work = Work::Leaves { place, shortest: Shortest::default() };
        Ok(Self { entries, work, done: 0, of: footer.count })
    }

    /// The trie that Index.db would have, were it a Partitions.db of the same keys and positions.
    ///
    /// # Errors
    /// [`EntriesError::Nothing`] without an Index.db.
    pub fn index<S: Source>(table: &Table<S>, budget: u64) -> Result<Self, EntriesError> {
        let Some(source) = table.source(Part::Index) else {
            return Err(EntriesError::Nothing("this SSTable has no Index.db"));
        };
        let walk = IndexWalk::new(table.version().formats().index);
        let entries = Entries::new(Part::Partitions, FilePos(0), Fragments::Partition, 0, budget);
        let work = Work::Index { walk, shortest: Shortest::default(), first: 0, last: 0 };
        Ok(Self { entries, work, done: 0, of: source.len() })
    }

    /// The row trie of one partition, whose entry lies at `entry` in Rows.db. It begins where the entry before ends.
    ///
    /// # Errors
    /// A miss or damage, while the entry is read; [`EntriesError::Nothing`] without Rows.db and Partitions.db.
    pub fn rows<S: Source>(
        table: &Table<S>,
        entry: FilePos,
        budget: u64,
    ) -> Result<Self, EntriesError> {
        let none = EntriesError::Nothing("this SSTable has no Rows.db that can be read");
        let (Some(source), Some(footer)) = (table.source(Part::Rows), &table.footer) else {
            return Err(none);
        };
        let mut unheard = ();
        let entry = RowEntry::read(&mut Pages::new(Part::Rows, source, &mut unheard), entry)?;
        let of = entry.blocks.saturating_add(1);
        let tail = u64::from(entry.size);
        let entries = Entries::new(Part::Rows, FilePos(0), Fragments::Clustering, tail, budget);
        let style = table.dialect().key_style;
        let key = partition_key(&table.partitioner(), style, table.key_schema(), &entry.key);
        let walk = LeafWalk::new(footer, Order::Reverse, Some(key.bytes));
        let walk = Box::new(LeavesBack(walk));
        let work = Work::Before { walk, entry: Box::new(entry) };
        Ok(Self { entries, work, done: 0, of })
    }

    /// Goes on by about `budget` entries.
    ///
    /// # Errors
    /// A miss, after which it is called again; damage, keys out of order, or too little memory, after which it cannot go on.
    pub fn step<S: Source>(
        &mut self,
        table: &Table<S>,
        budget: u64,
    ) -> Result<Progress, EntriesError> {
        let mut left = budget.max(1);
        while left > 0 && !self.is_done() {
            left -= 1;
            match &mut self.work {
                Work::Leaves { .. } => self.leaf(table)?,
                Work::Before { .. } => self.before(table)?,
                Work::Blocks { .. } => self.block(table)?,
                Work::Index { .. } => {
                    self.index_entries(table, left + 1)?;
                    left = 0;
                }
                Work::Done => {}
            }
        }
        Ok(Progress { done: self.done, of: self.of })
    }

    /// Whether all entries are there.
    pub fn is_done(&self) -> bool {
        matches!(self.work, Work::Done)
    }

    /// The entries, once all are there.
    pub fn into_entries(self) -> Entries {
        self.entries
    }

    fn leaf<S: Source>(&mut self, table: &Table<S>) -> Result<(), EntriesError> {
        let Work::Leaves { place, shortest } = &mut self.work else { return Ok(()) };
        let (Some(source), Some(here)) = (table.source(Part::Partitions), place.take()) else {
            return Ok(());
        };
        let mut unheard = ();
        let mut leaves = here.resume(Pages::new(Part::Partitions, source, &mut unheard));
        let next = leaves.next();
        let prefix = leaves.prefix();
        *place = Some(leaves.suspend());
        match next? {
            Some(found) => {
                let (entries, of) = (&mut self.entries, self.of);
                shortest.add(&prefix, payload(&found.leaf), |key, payload| {
                    entries.add(key, payload, Some(of))
                })?;
                self.done += 1;
            }
            None => {
                let entries = &mut self.entries;
                shortest.finish(|key, payload| entries.add(key, payload, None))?;
                self.work = Work::Done;
            }
        }
        Ok(())
    }

    fn before<S: Source>(&mut self, table: &Table<S>) -> Result<(), EntriesError> {
        let Work::Before { walk, entry } = &mut self.work else { return Ok(()) };
        let (Some(partitions), Some(rows)) =
            (table.source(Part::Partitions), table.source(Part::Rows))
        else {
            return Ok(());
        };
        let found = walk.0.peek(partitions)?.map(|found| found.leaf.target());
        let start = match found {
            // The partition itself, or one behind it with the same prefix.
            Some(LeafTarget::Rows(at)) if at >= entry.at => None,
            Some(LeafTarget::Data(_)) => None,
            Some(LeafTarget::Rows(at)) => {
                let mut unheard = ();
                let mut pages = Pages::new(Part::Rows, rows, &mut unheard);
                let before = RowEntry::read(&mut pages, at)?;
                Some(FilePos(before.at.0.saturating_add(before.size.into())))
            }
            None => Some(FilePos(0)),
        };
        match start {
            Some(start) => {
                self.entries.begin_at(start);
                let place = Some(BlocksPlace::first(RowIndex::new(entry)));
                self.work = Work::Blocks { place };
            }
            None => walk.0.take(),
        }
        Ok(())
    }

    fn block<S: Source>(&mut self, table: &Table<S>) -> Result<(), EntriesError> {
        let Work::Blocks { place } = &mut self.work else { return Ok(()) };
        let (Some(source), Some(here)) = (table.source(Part::Rows), place.take()) else {
            return Ok(());
        };
        let mut unheard = ();
        let mut blocks = here.resume(Pages::new(Part::Rows, source, &mut unheard));
        let next = blocks.next();
        if let Ok(Some(block)) = &next {
            let payload = block_payload(block)?;
            self.entries.add(blocks.separator(), &payload, Some(self.of))?;
            self.done += 1;
        }
        *place = Some(blocks.suspend());
        if next?.is_none() {
            self.work = Work::Done;
        }
        Ok(())
    }

    fn index_entries<S: Source>(
        &mut self,
        table: &Table<S>,
        most: u64,
    ) -> Result<(), EntriesError> {
        let Work::Index { walk, shortest, first, last } = &mut self.work else { return Ok(()) };
        let Some(source) = table.source(Part::Index) else { return Ok(()) };
        let style = Dialect::of(table.version()).key_style;
        let style = if style == KeyStyle::Columns { KeyStyle::Blob } else { style };
        let (partitioner, schema) = (table.partitioner(), table.key_schema());
        let (entries, mut error) = (&mut self.entries, None);
        let mut add = |key: &[u8], payload: Payload| -> Result<(), EntriesError> {
            let comparable = partition_key(&partitioner, style, schema, key);
            shortest
                .add(&comparable.bytes, payload, |key, payload| entries.add(key, payload, None))?;
            *first = if *first == 0 { len64(key.len()) } else { *first };
            *last = len64(key.len());
            Ok(())
        };
        let read = walk.run(source, most, |head, bytes| {
            let key = head.key(bytes);
            let position = !head.data.0.cast_signed();
            match add(key, Payload::partition(murmur3(key).byte(), position)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(found) => {
                    error = Some(found);
                    ControlFlow::Break(())
                }
            }
        });
        self.done = walk.at().0;
        match error {
            Some(EntriesError::Budget { needed, budget }) => {
                let needed = needed.saturating_mul(self.of) / self.done.max(1);
                return Err(EntriesError::Budget { needed, budget });
            }
            Some(error) => return Err(error),
            None => {}
        }
        read?;
        if walk.ended(source) {
            let entries = &mut self.entries;
            shortest.finish(|key, payload| entries.add(key, payload, None))?;
            let tail = FOOTER + *first + *last;
            self.entries.end_with(tail);
            self.work = Work::Done;
        }
        Ok(())
    }
}

/// The payload that a writer makes of what a leaf says.
pub(super) fn payload(leaf: &Leaf) -> Payload {
    match leaf.hash {
        Some(hash) => Payload::partition(hash, leaf.raw),
        None => Payload::position(leaf.raw),
    }
}

/// The payload that a writer makes of what a separator says.
pub(super) fn block_payload(block: &Block) -> Result<Payload, Error> {
    match i64::try_from(block.offset).ok().filter(|offset| *offset < 1 << 55) {
        Some(offset) => Ok(Payload::block(offset, block.open)),
        None => {
            let (part, field) = (Part::Rows, "block offset");
            let expected = "at most 7 bytes";
            Err(ReadError::out_of_range(part, block.node, field, expected, block.offset).into())
        }
    }
}
