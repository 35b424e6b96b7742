//! Blocks formed from the rows of a partition: by the rule of the databases, or between starts that an index names.
//!
//! A block opens with a row or marker and is closed by the first one that ends at least the block size behind its start;
//! the end of the partition closes the last one (`docs/format/rows.md`, "Blocks").

use super::BlockSize;
use crate::big::Bound;
use crate::data::{DataFormat, DataReader, Deletion, Place};
use crate::error::{Error, ReadError};
use crate::pos::{DataPos, FilePos};
use crate::source::Source;
use crate::table::Part;

/// A row block as the builders are told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TwinBlock {
    /// Its first byte, from the start of the partition.
    pub offset: u64,
    /// Bytes up to the next block, or to the byte that ends the partition. Of a promoted index, as it says.
    pub width: u64,
    /// The range deletion in force at its start.
    pub before: Option<Deletion>,
    /// That behind its last row or marker.
    pub after: Option<Deletion>,
    /// What tells its rows from those of other blocks.
    pub rows: BlockRows,
}

/// What is known of the rows of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BlockRows {
    /// The separator before it, empty for the first block.
    Separator(Vec<u8>),
    /// Its first and its last row or marker.
    Bounds(Bound, Bound),
}

/// Where a block ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Until {
    /// Behind the row or marker that fills it with so many bytes.
    Bytes(u64),
    /// Before the row or marker that lies so many bytes behind the start of the partition.
    Offset(u64),
    /// With the last row or marker of the partition, whose end lies there.
    End(u64),
}

/// What a call has come to.
#[derive(Debug)]
pub(super) enum Formed {
    /// A block.
    Block(TwinBlock),
    /// The byte that ends the partition, from its start.
    End(u64),
    /// The budget is spent.
    Spent,
}

/// A walk over the rows of one partition. After a miss it goes on where it was.
#[derive(Clone, Debug)]
pub(super) struct Former {
    partition: u64,
    at: u64,
    open: Option<Deletion>,
    current: Option<Current>,
    values: Vec<u8>,
}

/// The block that is open.
#[derive(Clone, Debug)]
struct Current {
    start: u64,
    before: Option<Deletion>,
    first: Bound,
    last: Last,
    /// Start of its last row or marker.
    last_start: u64,
}

/// The last row or marker, kept as it lies: only that of a closed block is asked for.
#[derive(Clone, Debug)]
struct Last {
    kind: crate::big::BoundKind,
    count: usize,
    values: Vec<u8>,
}

/// Which block sizes the blocks so far allow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sizes {
    /// No block was full before its last row, so the size is more than this.
    above: u64,
    /// Each block but the last one of a partition was full.
    full: Option<u64>,
}

impl Former {
    /// From the first row, marker or static row of a partition.
    pub(super) fn new(partition: DataPos, rows: DataPos) -> Self {
        let (partition, at) = (partition.0, rows.0);
        Self { partition, at, open: None, current: None, values: Vec::new() }
    }

    /// Position of what comes next.
    pub(super) fn at(&self) -> DataPos {
        DataPos(self.at)
    }

    /// Goes on to the end of the block, for at most `budget` rows and markers.
    pub(super) fn run<S: Source>(
        &mut self,
        reader: &mut DataReader<'_, S>,
        format: &DataFormat,
        until: Until,
        sizes: &mut Sizes,
        budget: &mut u64,
    ) -> Result<Formed, Error> {
        loop {
            let offset = self.at.saturating_sub(self.partition);
            if let Until::Offset(end) = until
                && offset >= end
            {
                if offset > end {
                    return Err(self.no_row(end));
                }
                if let Some(current) = self.current.take() {
                    sizes.full(&current, self.at);
                    return Ok(Formed::Block(self.close(current, format)));
                }
            }
            if *budget == 0 {
                return Ok(Formed::Spent);
            }
            let (place, next) = reader.place(format, DataPos(self.at), &mut self.values)?;
            *budget -= 1;
            match place {
                Place::Static => {}
                Place::End => {
                    if let Until::End(end) | Until::Offset(end) = until
                        && offset != end
                    {
                        return Err(self.other_end(end, offset));
                    }
                    if let Some(current) = self.current.take() {
                        sizes.last(&current);
                        return Ok(Formed::Block(self.close(current, format)));
                    }
                    return Ok(Formed::End(offset));
                }
                Place::Item { kind, count, opens } => {
                    let start = self.at;
                    match &mut self.current {
                        Some(current) => {
                            (current.last.kind, current.last.count) = (kind, count);
                            std::mem::swap(&mut current.last.values, &mut self.values);
                            current.last_start = start;
                        }
                        None => {
                            let first = format.bound(kind, count, &self.values);
                            let last = Last { kind, count, values: self.values.clone() };
                            let before = self.open;
                            let last_start = start;
                            self.current = Some(Current { start, before, first, last, last_start });
                        }
                    }
                    self.open = opens.unwrap_or(self.open);
                    let full = |current: &mut Current| match until {
                        Until::Bytes(bytes) => next.0.saturating_sub(current.start) >= bytes,
                        Until::Offset(_) | Until::End(_) => false,
                    };
                    if let Some(current) = self.current.take_if(full) {
                        self.at = next.0;
                        sizes.full(&current, next.0);
                        return Ok(Formed::Block(self.close(current, format)));
                    }
                }
            }
            self.at = next.0;
        }
    }

    /// The block ends at [`Self::at`].
    fn close(&self, current: Current, format: &DataFormat) -> TwinBlock {
        let Current { start, before, first, last, .. } = current;
        let last = format.bound(last.kind, last.count, &last.values);
        TwinBlock {
            offset: start.saturating_sub(self.partition),
            width: self.at.saturating_sub(start),
            before,
            after: self.open,
            rows: BlockRows::Bounds(first, last),
        }
    }

    #[cold]
    fn other_end(&self, expected: u64, found: u64) -> Error {
        let at = FilePos(self.at);
        let expected = format!("at {expected} from its start, as Rows.db has it");
        let field = "end of the partition";
        ReadError::unexpected(Part::Data, at, field, expected, format!("at {found}")).into()
    }

    #[cold]
    fn no_row(&self, offset: u64) -> Error {
        let at = FilePos(self.partition.saturating_add(offset));
        let (expected, found) = ("the start of a row or marker", "a place inside of one");
        ReadError::unexpected(Part::Data, at, "start of a row block", expected, found).into()
    }
}

impl Sizes {
    /// A block that was closed because it was full, with the row that ends at `end`.
    fn full(&mut self, block: &Current, end: u64) {
        self.last(block);
        self.width(end.saturating_sub(block.start));
    }

    /// A block of this width was full.
    pub(super) fn width(&mut self, width: u64) {
        self.full = Some(self.full.map_or(width, |full| full.min(width)));
    }

    /// The last block of a partition: it was not full before its last row.
    fn last(&mut self, block: &Current) {
        self.above = self.above.max(block.last_start.saturating_sub(block.start));
    }

    /// The sizes allowed; `None` while no block was full.
    pub(super) fn allowed(&self) -> Option<BlockSize> {
        let most = self.full?;
        Some(BlockSize { least: self.above.saturating_add(1).min(most), most })
    }
}
