//! The row blocks of one partition, in order, from either index.

use super::{Partition, RowIndexed};
use crate::big::{self, BlockLayout, PromotedHead};
use crate::bti::{Blocks, RowEntry, RowIndex};
use crate::data::Deletion;
use crate::error::Error;
use crate::pos::{FilePos, PAGE_SIZE};
use crate::source::{Pages, Source};
use crate::table::{Part, Table};

/// A row block as an index names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowBlock {
    /// Its number, from 0.
    pub number: u64,
    /// Position of the node in Rows.db, or of the block's record in Index.db.
    pub at: FilePos,
    /// Its first byte, counted from the start of the partition in Data.db. Of the trie's end marker, the last byte of the
    /// partition.
    pub start: u64,
    /// Its bytes in Data.db, where the index tells.
    pub width: Option<u64>,
    /// What is known of its rows.
    pub rows: BlockRows,
    /// The deletion in force at its start (trie), or behind its last row or marker (legacy).
    pub open: Option<Deletion>,
}

/// What an index knows of the rows of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockRows {
    /// Trie: a byte-comparable separator that lies between the rows before the block and its own.
    Separator(Vec<u8>),
    /// Trie: the separator behind the last block, which begins none.
    End(Vec<u8>),
    /// Legacy: its first and its last row or marker.
    Bounds(big::Bound, big::Bound),
}

/// A walk over the blocks of a partition. It holds a path or one block.
pub struct BlockScan<'a, S: Source> {
    table: &'a Table<S>,
    /// Blocks that the index says there are.
    count: u64,
    deletion: Option<Deletion>,
    done: u64,
    walk: Walk<'a, S>,
}

enum Walk<'a, S: Source> {
    Trie { blocks: Box<Blocks<'a, S, ()>>, ahead: Option<RowBlock> },
    Legacy { head: PromotedHead, at: FilePos },
}

impl<'a, S: Source> BlockScan<'a, S> {
    /// The blocks of a partition that a scan of this table has found; `None` where it has no row index, or where that
    /// cannot be read: Rows.db is not here, or Statistics.db is not, which tells how long clustering values are in Index.db.
    pub fn new(table: &'a Table<S>, partition: &Partition) -> Result<Option<Self>, Error> {
        let (part, promoted) = match partition.rows {
            RowIndexed::No => return Ok(None),
            RowIndexed::Entry(_) => (Part::Rows, 0),
            RowIndexed::Promoted(_) if table.clustering_schema().is_none() => return Ok(None),
            RowIndexed::Promoted(bytes) => (Part::Index, bytes),
        };
        let Some(source) = table.source(part) else { return Ok(None) };
        // A box of nothing allocates nothing, so nothing is leaked.
        let unheard: &'a mut () = Box::leak(Box::new(()));
        let mut pages = Pages::new(part, source, unheard);
        let (count, deletion, walk) = match partition.rows {
            RowIndexed::Entry(at) => {
                let entry = RowEntry::read(&mut pages, at)?;
                let blocks = Box::new(RowIndex::new(&entry).blocks(pages));
                (entry.blocks, entry.deletion, Walk::Trie { blocks, ahead: None })
            }
            _ => {
                let mut bytes = Vec::new();
                let entry = big::EntryHead::read(
                    &mut pages,
                    table.version().formats().index,
                    partition.at,
                    &mut bytes,
                )?;
                let head =
                    PromotedHead::read(&mut pages, entry.promoted_at(), promoted, table.version())?;
                (head.blocks, head.deletion, Walk::Legacy { head, at: head.blocks_at })
            }
        };
        Ok(Some(Self { table, count, deletion, done: 0, walk }))
    }

    /// Blocks that the index says there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Deletion of the whole partition.
    pub fn deletion(&self) -> Option<Deletion> {
        self.deletion
    }

    /// Goes to a block by the table of offsets, so that [`Self::step`] gives it next. `false` where there is none to go by,
    /// in a trie and in versions before `ma`, or no such block: then it stays where it is.
    pub fn go_to(&mut self, number: u64) -> Result<bool, Error> {
        let Walk::Legacy { head, at } = &mut self.walk else { return Ok(false) };
        let Some(source) = self.table.source(Part::Index) else { return Ok(false) };
        if number >= head.blocks || head.offsets_at == head.end {
            return Ok(false);
        }
        let (mut unheard, mut offset) = ((), Vec::new());
        let mut pages = Pages::new(Part::Index, source, &mut unheard);
        pages.read(head.offset_at(number), 4, "block offset", &mut offset)?;
        let offset = <[u8; 4]>::try_from(offset.as_slice()).unwrap_or_default();
        *at = head.block_at(number, u32::from_be_bytes(offset))?;
        self.done = number;
        Ok(true)
    }

    /// The next block, `None` after the last one.
    pub fn step(&mut self) -> Result<Option<RowBlock>, Error> {
        let found = match &mut self.walk {
            Walk::Trie { blocks, ahead } => next_of_trie(blocks, ahead, self.done)?,
            Walk::Legacy { head, at } if self.done < head.blocks => {
                Some(next_of_legacy(self.table, head, at, self.done)?)
            }
            Walk::Legacy { .. } => None,
        };
        self.done += u64::from(found.is_some());
        Ok(found)
    }
}

/// A block is known when the next separator tells where it ends.
fn next_of_trie<S: Source>(
    blocks: &mut Blocks<'_, S, ()>,
    ahead: &mut Option<RowBlock>,
    number: u64,
) -> Result<Option<RowBlock>, Error> {
    if ahead.is_none() && number == 0 {
        *ahead = read_separator(blocks, 0)?;
    }
    let next = match ahead {
        Some(_) => read_separator(blocks, number + 1)?,
        None => return Ok(None),
    };
    let mut block = std::mem::replace(ahead, next);
    if let Some(block) = &mut block {
        match (ahead, &mut block.rows) {
            (Some(next), _) => block.width = next.start.checked_sub(block.start),
            (None, rows) => {
                if let BlockRows::Separator(bytes) = rows {
                    *rows = BlockRows::End(std::mem::take(bytes));
                }
            }
        }
    }
    Ok(block)
}

fn read_separator<S: Source>(
    blocks: &mut Blocks<'_, S, ()>,
    number: u64,
) -> Result<Option<RowBlock>, Error> {
    Ok(blocks.next()?.map(|block| RowBlock {
        number,
        at: block.node,
        start: block.offset,
        width: None,
        rows: BlockRows::Separator(blocks.separator().to_vec()),
        open: block.open,
    }))
}

fn next_of_legacy<S: Source>(
    table: &Table<S>,
    head: &PromotedHead,
    at: &mut FilePos,
    number: u64,
) -> Result<RowBlock, Error> {
    let Some(source) = table.source(Part::Index) else {
        return Err(crate::source::miss(Part::Index, *at, head.end));
    };
    let schema = table.clustering_schema();
    let lengths: Vec<Option<u32>> =
        schema.into_iter().flat_map(|it| it.columns()).map(|it| it.cql.fixed_len()).collect();
    let layout = BlockLayout { version: table.version(), lengths: &lengths };
    let (mut unheard, mut buffer) = ((), Vec::new());
    let mut pages = Pages::new(Part::Index, source, &mut unheard);
    pages.expect(*at, FilePos(at.0.saturating_add(PAGE_SIZE).min(head.end.0)))?;
    let end = head.offsets_at;
    let (block, used) =
        big::parse(&mut pages, *at, end, &mut buffer, |cursor| big::Block::read(cursor, layout))?;
    let found = RowBlock {
        number,
        at: *at,
        start: block.offset,
        width: Some(block.width),
        open: block.open,
        rows: BlockRows::Bounds(block.first, block.last),
    };
    *at = FilePos(at.0.saturating_add(crate::pos::len64(used)));
    Ok(found)
}
