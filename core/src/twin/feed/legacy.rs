//! Partitions from Index.db alone: its entries have the keys, and promoted indexes the blocks.

use super::{Context, Got, Head, Tail};
use crate::big::{Block, BlockLayout, EntryHead, IndexWalk, PromotedHead, parse};
use crate::data::Deletion;
use crate::error::{Error, ReadError};
use crate::pos::{FilePos, len64};
use crate::source::{Pages, Source};
use crate::table::{IndexFormat, Part, Table};
use crate::twin::BlockSize;
use crate::twin::former::{BlockRows, TwinBlock};
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// Entries read at once.
const BATCH: u64 = 256;
/// Bytes of keys after which a batch ends.
const BATCH_BYTES: usize = 256 << 10;

/// A walk over the entries.
#[derive(Debug)]
pub(in crate::twin) struct LegacyFeed {
    walk: IndexWalk,
    /// Entries read ahead, with their keys.
    ready: VecDeque<(EntryHead, Vec<u8>)>,
    /// Lengths of clustering values; `None` where blocks cannot be read.
    lengths: Option<Vec<Option<u32>>>,
    blocks: Option<Walk>,
    /// The same before the first block.
    first: Option<Walk>,
    at: FilePos,
    tail: Tail,
}

/// The blocks of a wide partition.
#[derive(Clone, Debug)]
struct Walk {
    head: PromotedHead,
    /// Position of the next block.
    at: FilePos,
    left: u64,
    open: Option<Deletion>,
    /// End of the blocks so far, and the width of the last.
    end: u64,
    last_width: u64,
    /// The last byte of the partition, where what lies behind it tells.
    last: Option<u64>,
}

impl LegacyFeed {
    pub(super) fn new<S: Source>(table: &Table<S>) -> Self {
        let format = table.version().formats().index;
        let lengths = table
            .clustering_schema()
            .filter(|_| format == IndexFormat::Vints)
            .map(|it| it.columns().iter().map(|column| column.cql.fixed_len()).collect::<Vec<_>>());
        Self {
            walk: IndexWalk::new(format),
            ready: VecDeque::new(),
            lengths,
            blocks: None,
            first: None,
            at: FilePos(0),
            tail: Tail::default(),
        }
    }

    pub(super) fn at(&self) -> FilePos {
        self.blocks.as_ref().map_or(self.at, |walk| walk.at)
    }

    pub(super) fn next<S: Source>(
        &mut self,
        context: &mut Context<'_, S>,
    ) -> Result<Option<Head>, Error> {
        (self.blocks, self.first) = (None, None);
        self.fill(context.table, 1)?;
        let Some((entry, _)) = self.ready.front() else { return Ok(None) };
        let entry = *entry;
        let mut deletion = None;
        if entry.promoted_size > 0 && self.lengths.is_some() {
            // The entry behind this one tells where the partition ends.
            self.fill(context.table, 2)?;
            let walk = self.walk_of(context.table, &entry)?;
            deletion = walk.head.deletion;
            (self.first, self.blocks) = (Some(walk.clone()), Some(walk));
        } else if entry.promoted_size > 0 {
            context.notes.left_out += 1;
        }
        let Some((_, key)) = self.ready.pop_front() else { return Ok(None) };
        self.at = entry.end();
        Ok(Some(Head { key, data: entry.data, deletion, named: (Part::Index, entry.at) }))
    }

    /// Sees to it that so many entries are here, if there are.
    fn fill<S: Source>(&mut self, table: &Table<S>, wanted: usize) -> Result<(), Error> {
        let Some(source) = table.source(Part::Index) else { return Ok(()) };
        if self.ready.len() >= wanted {
            return Ok(());
        }
        let (ready, mut bytes) = (&mut self.ready, 0);
        let read = self.walk.run(source, BATCH, |head, of_head| {
            let key = head.key(of_head).to_vec();
            bytes += key.len();
            ready.push_back((*head, key));
            match bytes >= BATCH_BYTES {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        // Entries before one that cannot be read are handed out first; then the error is met again.
        if self.ready.len() < wanted {
            read?;
        }
        Ok(())
    }

    fn walk_of<S: Source>(&self, table: &Table<S>, entry: &EntryHead) -> Result<Walk, Error> {
        let Some(source) = table.source(Part::Index) else {
            return Err(ReadError::truncated(Part::Index, entry.at, "file", 1, 0).into());
        };
        let mut unheard = ();
        let mut pages = Pages::new(Part::Index, source, &mut unheard);
        let (at, size) = (entry.promoted_at(), entry.promoted_size);
        let head = PromotedHead::read(&mut pages, at, size, table.version())?;
        let next = match self.ready.get(1) {
            Some((next, _)) => Some(next.data.0),
            None => table.facts.data_length,
        };
        let last = match next.map(|next| (next, next.checked_sub(entry.data.0 + 1))) {
            None => None,
            Some((_, Some(last))) if last > 0 => Some(last),
            Some((next, _)) => {
                let least = format!("more than {}, that of the partition before", entry.data);
                let field = "end of the partition in Data.db";
                return Err(
                    ReadError::out_of_range(Part::Index, entry.at, field, least, next).into()
                );
            }
        };
        let (at, left) = (head.blocks_at, head.blocks);
        Ok(Walk { head, at, left, open: None, end: 0, last_width: 0, last })
    }

    pub(super) fn block<S: Source>(
        &mut self,
        context: &mut Context<'_, S>,
    ) -> Result<Got<TwinBlock>, Error> {
        let (Some(walk), Some(lengths), Some(source)) =
            (&mut self.blocks, &self.lengths, context.table.source(Part::Index))
        else {
            return Ok(Got::End);
        };
        if walk.left == 0 {
            let last = match walk.last {
                Some(last) => last,
                None => {
                    context.notes.end_assumed = true;
                    // The width takes in the byte that ends the partition, but of a block that was full before it.
                    let exact = context.table.has_exact_block_widths();
                    let likely = context.notes.sizes.allowed().map(BlockSize::likely);
                    let full = likely.is_some_and(|bytes| walk.last_width > bytes);
                    walk.end.saturating_sub(u64::from(!exact && !full))
                }
            };
            self.tail = Tail { last, separator: None, keeps_widths: true };
            return Ok(Got::End);
        }
        let layout = BlockLayout { version: context.table.version(), lengths };
        let mut unheard = ();
        let mut pages = Pages::new(Part::Index, source, &mut unheard);
        let (block, used) =
            parse(&mut pages, walk.at, walk.head.offsets_at, &mut Vec::new(), |cursor| {
                Block::read(cursor, layout)
            })?;
        if block.width == 0 {
            let (field, at) = ("block width", block.at);
            return Err(ReadError::out_of_range(Part::Index, at, field, "at least 1", 0).into());
        }
        walk.at = FilePos(walk.at.0.saturating_add(len64(used)));
        walk.left -= 1;
        (walk.end, walk.last_width) = (block.end(), block.width);
        let before = std::mem::replace(&mut walk.open, block.open);
        if walk.left > 0 {
            context.notes.sizes.width(block.width);
        }
        Ok(Got::One(TwinBlock {
            offset: block.offset,
            width: block.width,
            before,
            after: block.open,
            rows: BlockRows::Bounds(block.first, block.last),
        }))
    }

    pub(super) fn tail(&self) -> Tail {
        self.tail.clone()
    }

    pub(super) fn rewind(&mut self) {
        self.blocks.clone_from(&self.first);
    }
}
