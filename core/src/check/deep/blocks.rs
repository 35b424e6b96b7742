//! The row-index blocks of a wide partition, as Rows.db or Index.db has them, against the rows that are met.

use super::rows::{Context, Met, Pending, same_deletion};
use crate::big::{
    Block as LegacyBlock, BlockLayout, Bound, BoundKind, EntryHead, PromotedHead, parse,
};
use crate::bti::{Block, BlocksPlace, RowEntry, RowIndex};
use crate::check::Finding;
use crate::check::catalog::{index, rows};
use crate::data::raw::RawValues;
use crate::data::{Deletion, RowFormat};
use crate::error::{Error, Miss};
use crate::pos::{FilePos, len64};
use crate::source::{Pages, Source};
use crate::table::{Part, Table};

/// The blocks of the partition that is read.
#[derive(Debug, Default)]
pub(super) enum Blocks {
    /// It has none, or they cannot be read and other checks say why.
    #[default]
    None,
    Trie(Box<TrieBlocks>),
    Legacy(Box<LegacyBlocks>),
}

#[derive(Debug)]
pub(super) struct TrieBlocks {
    place: Option<BlocksPlace>,
    /// Blocks that are still to be read, and the end marker behind them.
    left: u64,
    next: Option<(Block, Vec<u8>)>,
    is_first: bool,
}

#[derive(Debug)]
pub(super) struct LegacyBlocks {
    entry: EntryHead,
    head: Option<PromotedHead>,
    at: FilePos,
    left: u64,
    next: Option<LegacyBlock>,
    /// The block that the rows being met lie in.
    current: Option<LegacyBlock>,
    /// No row was met.
    is_first: bool,
}

impl Blocks {
    pub(super) fn of_entry(entry: &RowEntry) -> Self {
        let place = Some(BlocksPlace::first(RowIndex::new(entry)));
        let (next, is_first) = (None, true);
        let left = entry.blocks.saturating_add(1);
        Self::Trie(Box::new(TrieBlocks { place, left, next, is_first }))
    }

    pub(super) fn of_head(entry: EntryHead) -> Self {
        if entry.promoted_size == 0 {
            return Self::None;
        }
        let (head, at, next, current) = (None, entry.promoted_at(), None, None);
        let is_first = true;
        Self::Legacy(Box::new(LegacyBlocks { entry, head, at, left: 0, next, current, is_first }))
    }

    /// Whether the next block is to be read before the next row is met.
    pub(super) fn needs_more(&self) -> bool {
        match self {
            Self::None => false,
            Self::Trie(blocks) => blocks.next.is_none() && blocks.left > 0,
            Self::Legacy(blocks) => {
                blocks.head.is_none() || blocks.next.is_none() && blocks.left > 0
            }
        }
    }

    /// Reads the next block. What cannot be read ends the comparison of this partition's blocks.
    pub(super) fn fetch<S: Source>(
        &mut self,
        table: &Table<S>,
        format: Option<&RowFormat>,
    ) -> Result<(), Miss> {
        let read = match self {
            Self::None => Ok(()),
            Self::Trie(blocks) => blocks.fetch(table),
            Self::Legacy(blocks) => blocks.fetch(table, format),
        };
        match read {
            Err(Error::Miss(miss)) => Err(miss),
            Ok(()) => Ok(()),
            Err(Error::Damage(_)) => {
                *self = Self::None;
                Ok(())
            }
        }
    }

    /// The deletion of the partition, as the promoted index repeats it, with the place where it says so.
    pub(super) fn promoted_head(&self) -> Option<&PromotedHead> {
        match self {
            Self::Legacy(blocks) => blocks.head.as_ref(),
            _ => None,
        }
    }

    /// A row or marker is met.
    pub(super) fn met(&mut self, context: &Context<'_>, met: &Met<'_>, out: &mut Pending) {
        match self {
            Self::None => {}
            Self::Trie(blocks) => blocks.met(context, met, out),
            Self::Legacy(blocks) => blocks.met(context, met, out),
        }
    }

    /// The partition ends with the byte at `end`; `met` is what was met last.
    pub(super) fn ended(
        &mut self,
        context: &Context<'_>,
        (partition, end): (u64, u64),
        last: Option<(BoundKind, RawValues<'_>)>,
        out: &mut Pending,
    ) {
        match self {
            Self::None => {}
            Self::Trie(blocks) => blocks.ended(context, (partition, end), last, out),
            Self::Legacy(blocks) => {
                if let Some(block) = blocks.next.take() {
                    out.push(end, start(index::BLOCK_START, Part::Index, block.at, block.offset));
                } else {
                    blocks.close(context, end, last, None, out);
                }
                if blocks.is_first {
                    blocks.header(end.saturating_sub(partition), end, out);
                }
            }
        }
        *self = Self::None;
    }
}

impl TrieBlocks {
    fn fetch<S: Source>(&mut self, table: &Table<S>) -> Result<(), Error> {
        let (Some(place), Some(source)) = (self.place.take(), table.source(Part::Rows)) else {
            self.left = 0;
            return Ok(());
        };
        let mut unheard = ();
        let mut blocks = place.resume(Pages::new(Part::Rows, source, &mut unheard));
        let next = blocks.next();
        let separator = blocks.separator().to_vec();
        self.place = Some(blocks.suspend());
        match next? {
            Some(block) => {
                self.left -= 1;
                self.next = Some((block, separator));
            }
            None => self.left = 0,
        }
        Ok(())
    }

    fn met(&mut self, context: &Context<'_>, met: &Met<'_>, out: &mut Pending) {
        let offset = met.at.saturating_sub(met.partition);
        // The last one is the end marker, which no row belongs to.
        let is_met = |(block, _): &mut (Block, Vec<u8>)| self.left > 0 && block.offset <= offset;
        let Some((block, separator)) = self.next.take_if(is_met) else { return };
        let is_first = std::mem::replace(&mut self.is_first, false);
        if block.offset != offset {
            out.push(met.at, start(rows::BLOCK_START, Part::Rows, block.node, block.offset));
            return;
        }
        if !same_deletion(block.open, met.open) {
            let (expected, found) = (deletion(met.open), deletion(block.open));
            let finding = Finding::new(rows::OPEN_DELETION, "open deletion", expected, found);
            out.push(met.at, finding.at(Part::Rows, block.node));
        }
        if is_first {
            return;
        }
        let after = met.previous.map(|(kind, values)| comparable(context, kind, values));
        let before = comparable(context, met.kind, met.values);
        let is_above = after.is_none_or(|last| last < separator);
        if !is_above || separator > before {
            let expected = "more than the last clustering of the block before, and at most the \
                            first of its own";
            let found =
                if is_above { "one behind the first row" } else { "one before the last row" };
            let finding = Finding::new(rows::SEPARATOR, "separator", expected, found);
            out.push(met.at, finding.at(Part::Rows, block.node));
        }
    }

    /// The partition ends: all blocks were met, and what is left is the end marker. That it points here is checked with
    /// the trie.
    fn ended(
        &mut self,
        context: &Context<'_>,
        (partition, end): (u64, u64),
        last: Option<(BoundKind, RawValues<'_>)>,
        out: &mut Pending,
    ) {
        let Some((block, separator)) = self.next.take() else { return };
        if self.left > 0 {
            out.push(end, start(rows::BLOCK_START, Part::Rows, block.node, block.offset));
            return;
        }
        let is_here = block.offset == end.saturating_sub(partition);
        let last = last.filter(|_| is_here).map(|(kind, values)| comparable(context, kind, values));
        if last.is_some_and(|last| last >= separator) {
            let expected = "more than the last clustering of the partition";
            let found = "one that is not behind the last row";
            let finding = Finding::new(rows::SEPARATOR, "separator of the end", expected, found);
            out.push(end, finding.at(Part::Rows, block.node));
        }
    }
}

/// A place among the rows, as the trie has it.
fn comparable(context: &Context<'_>, kind: BoundKind, values: RawValues<'_>) -> Vec<u8> {
    let values: Vec<_> = values.iter(context.format).collect();
    context.clustering.comparable(context.dialect, kind.side(), values).bytes
}

impl LegacyBlocks {
    fn fetch<S: Source>(
        &mut self,
        table: &Table<S>,
        format: Option<&RowFormat>,
    ) -> Result<(), Error> {
        let (Some(source), Some(format)) = (table.source(Part::Index), format) else {
            (self.left, self.at) = (0, self.entry.end());
            return Ok(());
        };
        let mut unheard = ();
        let mut pages = Pages::new(Part::Index, source, &mut unheard);
        let version = table.version();
        let Some(head) = &self.head else {
            let at = self.entry.promoted_at();
            let head = PromotedHead::read(&mut pages, at, self.entry.promoted_size, version)?;
            (self.at, self.left, self.head) = (head.blocks_at, head.blocks, Some(head));
            return Ok(());
        };
        let layout = BlockLayout { version, lengths: format.lengths() };
        let (block, used) =
            parse(&mut pages, self.at, head.offsets_at, &mut Vec::new(), |cursor| {
                LegacyBlock::read(cursor, layout)
            })?;
        self.left -= 1;
        self.at = FilePos(self.at.0.saturating_add(len64(used)));
        self.next = Some(block);
        Ok(())
    }

    fn met(&mut self, context: &Context<'_>, met: &Met<'_>, out: &mut Pending) {
        let offset = met.at.saturating_sub(met.partition);
        if std::mem::replace(&mut self.is_first, false) {
            self.header(offset, met.at, out);
        }
        let Some(block) = self.next.take_if(|block| block.offset <= offset) else { return };
        if block.offset != offset {
            self.current = None;
            out.push(met.at, start(index::BLOCK_START, Part::Index, block.at, block.offset));
            return;
        }
        self.close(context, met.at, met.previous, met.open, out);
        if !is_bound(context, &block.first, (met.kind, met.values)) {
            out.push(met.at, bounds(&block, "first clustering"));
        }
        self.current = Some(block);
    }

    /// The block that was met last is over.
    fn close(
        &mut self,
        context: &Context<'_>,
        at: u64,
        last: Option<(BoundKind, RawValues<'_>)>,
        open: Option<Deletion>,
        out: &mut Pending,
    ) {
        let (Some(block), Some(last)) = (self.current.take(), last) else { return };
        if !is_bound(context, &block.last, last) {
            out.push(at.saturating_sub(1), bounds(&block, "last clustering"));
        }
        if !same_deletion(block.open, open) {
            let (expected, found) = (deletion(open), deletion(block.open));
            let finding = Finding::new(index::OPEN_DELETION, "open deletion", expected, found);
            out.push(at.saturating_sub(1), finding.at(Part::Index, block.at));
        }
    }

    /// The first row or marker of the partition, or its end, lies so many bytes behind its start.
    fn header(&self, length: u64, at: u64, out: &mut Pending) {
        if let Some(head) = self.head.filter(|head| head.header_length != length) {
            let (expected, found) = (length.to_string(), head.header_length.to_string());
            let finding = Finding::new(index::HEADER_LENGTH, "header length", expected, found);
            out.push(at, finding.at(Part::Index, head.at));
        }
    }
}

fn is_bound(
    context: &Context<'_>,
    bound: &Bound,
    (kind, values): (BoundKind, RawValues<'_>),
) -> bool {
    let stored = bound.values.iter().map(|value| value.as_deref().map(Vec::as_slice));
    bound.kind == kind && values.iter(context.format).eq(stored)
}

fn bounds(block: &LegacyBlock, field: &'static str) -> Finding {
    let (expected, found) = ("that of the row or marker in Data.db", "another one");
    Finding::new(index::BLOCK_BOUNDS, field, expected, found)
        .at(Part::Index, block.at)
        .len(block.size.into())
}

fn start(check: &'static crate::check::Check, part: Part, at: FilePos, offset: u64) -> Finding {
    let expected = "the start of a row or marker";
    Finding::new(check, "block start", expected, offset.to_string()).at(part, at)
}

/// A deletion in words.
pub(super) fn deletion(deletion: Option<Deletion>) -> String {
    match deletion {
        None => "none".to_owned(),
        Some(Deletion { timestamp, local_time }) => format!("{timestamp}, at {local_time}"),
    }
}
