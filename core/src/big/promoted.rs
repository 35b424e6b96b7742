//! The promoted index of an entry of Index.db: the row blocks of a wide partition (`docs/format/index.md`).
//!
//! Head, block offsets and blocks are read where they are asked for; only the pages that hold a byte of them are touched.

use super::cells;
use super::parse::parse;
use crate::cursor::Cursor;
use crate::data::{Deletion, read_values};
use crate::error::{Error, ReadError};
use crate::lookup::{Observer, PromotedStep, RowKind};
use crate::pos::FilePos;
use crate::source::{Pages, Source};
use crate::table::{IndexFormat, Part, Version};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// Bytes of an entry of the offsets table.
pub(crate) const OFFSET_BYTES: u64 = 4;
/// Fewest bytes of a block: two prefixes without values, offset, width, no open marker.
const LEAST_BLOCK: u64 = 5;
/// Cassandra and ScyllaDB store widths minus this, whatever the block size is.
const WIDTH_BASE: i64 = 65_536;

/// How blocks are laid out in a table: what the bytes alone do not tell.
#[derive(Clone, Copy, Debug)]
pub struct BlockLayout<'a> {
    /// The version, for the form of deletion times.
    pub version: Version,
    /// Column by column, the length of clustering values that are stored without one. May be empty before `ma`.
    pub lengths: &'a [Option<u32>],
}

/// The head of a promoted index, and where its pieces lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromotedHead {
    /// Position of its first byte in Index.db.
    pub at: FilePos,
    /// Bytes from the partition's start to its first row or marker, static row included. Before `ma`, to its first cell.
    pub header_length: u64,
    /// Deletion of the whole partition.
    pub deletion: Option<Deletion>,
    /// Number of blocks, at least 1.
    pub blocks: u64,
    /// Position of the first block.
    pub blocks_at: FilePos,
    /// Position of the table of block offsets; the end in versions before `ma`, which have none.
    pub offsets_at: FilePos,
    /// End of the promoted index, exclusive.
    pub end: FilePos,
}

/// A bound of a block: the place of its first or last row or marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// What it is.
    pub kind: BoundKind,
    /// Its clustering values, all of a row's and perhaps fewer of a marker's; `None` is null. Before `ma` these are the
    /// components of a cell's name: the name of the column follows.
    pub values: Vec<Option<ByteBuf>>,
}

/// Kind of a bound, from its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BoundKind {
    /// 0: end of a range deletion, before the rows with these values.
    ExclusiveEnd,
    /// 1: start of a range deletion, before the rows with these values.
    InclusiveStart,
    /// 2: one ends and another starts, before the rows with these values.
    ExclusiveEndInclusiveStart,
    /// 4: a row.
    Row,
    /// 5: one ends and another starts, after the rows with these values.
    InclusiveEndExclusiveStart,
    /// 6: end of a range deletion, after the rows with these values.
    InclusiveEnd,
    /// 7: start of a range deletion, after the rows with these values.
    ExclusiveStart,
}

/// A block of the promoted index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Position of its first byte in Index.db.
    pub at: FilePos,
    /// Its bytes in Index.db.
    pub size: u32,
    /// Place of its first row or marker.
    pub first: Bound,
    /// Place of its last row or marker.
    pub last: Bound,
    /// Start of the rows, in bytes from the partition's start.
    pub offset: u64,
    /// Bytes of the rows. Of the last block it includes the byte that ends the partition, unless a newer ScyllaDB wrote it.
    pub width: u64,
    /// Range deletion that is still open after its last row or marker.
    pub open: Option<Deletion>,
}

impl BoundKind {
    /// The kind with this number.
    pub fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            0 => Self::ExclusiveEnd,
            1 => Self::InclusiveStart,
            2 => Self::ExclusiveEndInclusiveStart,
            4 => Self::Row,
            5 => Self::InclusiveEndExclusiveStart,
            6 => Self::InclusiveEnd,
            7 => Self::ExclusiveStart,
            _ => return None,
        })
    }

    /// The byte that stands for it.
    pub const fn byte(self) -> u8 {
        match self {
            Self::ExclusiveEnd => 0,
            Self::InclusiveStart => 1,
            Self::ExclusiveEndInclusiveStart => 2,
            Self::Row => 4,
            Self::InclusiveEndExclusiveStart => 5,
            Self::InclusiveEnd => 6,
            Self::ExclusiveStart => 7,
        }
    }

    /// Reads a kind and the number of values behind it, of a row one for each of the `columns`.
    pub(super) fn read(cursor: &mut Cursor<'_>, columns: usize) -> Result<(Self, usize), Error> {
        let before = cursor.clone();
        let byte = cursor.u8("bound kind")?;
        let Some(kind) = Self::from_byte(byte) else {
            return Err(before.error("bound kind", "0, 1, 2, 4, 5, 6 or 7", i128::from(byte)));
        };
        let count = match kind {
            Self::Row => columns,
            _ => usize::from(cursor.u16("number of clustering values")?),
        };
        Ok((kind, count))
    }

    /// How it stands to the rows with its values.
    pub fn side(self) -> RowKind {
        match self {
            Self::ExclusiveEnd | Self::InclusiveStart | Self::ExclusiveEndInclusiveStart => {
                RowKind::Before
            }
            Self::Row => RowKind::Row,
            Self::InclusiveEndExclusiveStart | Self::InclusiveEnd | Self::ExclusiveStart => {
                RowKind::After
            }
        }
    }
}

impl Bound {
    /// Whether it lies after everything that a partition can hold.
    pub fn is_top(&self) -> bool {
        self.values.is_empty() && self.kind.side() == RowKind::After
    }

    fn read(cursor: &mut Cursor<'_>, lengths: &[Option<u32>]) -> Result<Self, Error> {
        let (kind, count) = BoundKind::read(cursor, lengths.len())?;
        let values = read_values(cursor, lengths, count)?;
        let values = values.into_iter().map(|value| value.map(ByteBuf::from)).collect();
        Ok(Self { kind, values })
    }
}

impl PromotedHead {
    /// Reads the head of the promoted index of `size` bytes at `at`, which the caller knows to lie in the file.
    /// Damage is a number of blocks that cannot lie in that size.
    pub fn read<S: Source, O: Observer>(
        pages: &mut Pages<'_, S, O>,
        at: FilePos,
        size: u64,
        version: Version,
    ) -> Result<Self, Error> {
        let end = FilePos(at.0.saturating_add(size));
        let (head, _) = parse(pages, at, end, &mut Vec::new(), |cursor: &mut Cursor<'_>| {
            Self::parse(cursor, size, version)
        })?;
        Ok(head)
    }

    /// As [`Self::read`], from where the cursor stands.
    pub(crate) fn parse(
        cursor: &mut Cursor<'_>,
        size: u64,
        version: Version,
    ) -> Result<Self, Error> {
        if version.formats().index == IndexFormat::Fixed {
            return cells::head(cursor, size);
        }
        let at = cursor.pos();
        let end = FilePos(at.0.saturating_add(size));
        let header_length = cursor.uvint("header length")?;
        let deletion = if version.has_compact_deletion() {
            Deletion::read_compact(cursor)?
        } else {
            Deletion::read_legacy(cursor)?
        };
        let count_at = cursor.pos();
        let blocks = cursor.uvint("block count")?;
        let blocks_at = cursor.pos();
        let most = end.0.saturating_sub(blocks_at.0) / (OFFSET_BYTES + LEAST_BLOCK);
        if blocks == 0 || blocks > most {
            let expected = format!("1..={most}, as many as the promoted index can hold");
            let error =
                ReadError::out_of_range(Part::Index, count_at, "block count", expected, blocks);
            return Err(error.into());
        }
        let offsets_at = FilePos(end.0.saturating_sub(blocks * OFFSET_BYTES));
        Ok(Self { at, header_length, deletion, blocks, blocks_at, offsets_at, end })
    }

    /// The head as a step; `whole` says whether all of the promoted index was read with it.
    pub(crate) fn step(&self, whole: bool) -> PromotedStep {
        let Self { at, header_length, deletion, blocks, blocks_at, offsets_at, end } = *self;
        PromotedStep { at, header_length, deletion, blocks, blocks_at, offsets_at, end, whole }
    }

    /// Position of a block's entry in the offsets table.
    pub fn offset_at(&self, block: u64) -> FilePos {
        FilePos(self.offsets_at.0.saturating_add(block.saturating_mul(OFFSET_BYTES)))
    }

    /// Position of a block, from its entry in the offsets table: a place between the first block and the table.
    pub fn block_at(&self, block: u64, entry: u32) -> Result<FilePos, Error> {
        let room = self.offsets_at.0.saturating_sub(self.blocks_at.0).saturating_sub(LEAST_BLOCK);
        let at = self.blocks_at.after(u64::from(entry)).filter(|_| u64::from(entry) <= room);
        at.ok_or_else(|| {
            let (at, expected) = (self.offset_at(block), format!("at most {room}"));
            ReadError::out_of_range(Part::Index, at, "block offset", expected, entry).into()
        })
    }
}

/// The first bound of a block, of which a bisection by first bounds reads no more.
pub(crate) fn read_first(cursor: &mut Cursor<'_>, layout: BlockLayout<'_>) -> Result<Bound, Error> {
    match layout.version.formats().index {
        IndexFormat::Fixed => cells::bound(cursor, layout.lengths),
        IndexFormat::Vints => Bound::read(cursor, layout.lengths),
    }
}

impl Block {
    /// Reads a whole block from where the cursor stands.
    pub fn read(cursor: &mut Cursor<'_>, layout: BlockLayout<'_>) -> Result<Self, Error> {
        if layout.version.formats().index == IndexFormat::Fixed {
            return cells::block(cursor, layout.lengths);
        }
        let (at, start) = (cursor.pos(), cursor.used());
        let first = Bound::read(cursor, layout.lengths)?;
        let last = Bound::read(cursor, layout.lengths)?;
        let Rest { offset, width, open } = Rest::read(cursor, layout.version)?;
        let size = u32::try_from(cursor.used() - start).unwrap_or(u32::MAX);
        Ok(Self { at, size, first, last, offset, width, open })
    }

    /// End of its rows, exclusive, in bytes from the partition's start.
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(self.width)
    }
}

/// What follows the bounds of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rest {
    pub(super) offset: u64,
    pub(super) width: u64,
    pub(super) open: Option<Deletion>,
}

impl Rest {
    /// A whole block before `ma`: its bounds, which are names of cells, are passed over.
    pub(super) fn read_fixed(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        cursor.short_bytes("cell name")?;
        cursor.short_bytes("cell name")?;
        let offset = cursor.u64("block start")?;
        Ok(Self { offset, width: cursor.u64("block width")?, open: None })
    }

    pub(super) fn read(cursor: &mut Cursor<'_>, version: Version) -> Result<Self, Error> {
        let offset = cursor.uvint("block start")?;
        let before = cursor.clone();
        let stored = cursor.svint("block width")?;
        let width = stored.checked_add(WIDTH_BASE).and_then(|width| u64::try_from(width).ok());
        let Some(width) = width else {
            return Err(before.error("block width", "-65536 or more", i128::from(stored)));
        };
        let before = cursor.clone();
        let open = match (cursor.u8("open marker flag")?, version.has_compact_deletion()) {
            (0, _) => None,
            (1, true) => Deletion::read_compact(cursor)?,
            (1, false) => Deletion::read_legacy(cursor)?,
            (flag, _) => return Err(before.error("open marker flag", "0 or 1", i128::from(flag))),
        };
        Ok(Self { offset, width, open })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pos::len64;

    /// A promoted index of two blocks, one `int` clustering column, version `oa`.
    const TWO: &[u8] = &[
        0x04, // header length 4
        0x80, // live
        0x02, // 2 blocks
        // block 0: rows 7 to 9
        4, 0, 0, 0, 0, 7, // first: a row, header 00, value
        4, 0, 0, 0, 0, 9,    // last
        0x04, // start 4
        0xc1, 0xff, 0xfd, // width 1: -65535
        0,    // no open marker
        // block 1: from an inclusive start without values to row 12
        1, 0, 0, // first: kind 1, no values, so no header
        4, 0, 0, 0, 0, 12,   // last
        0x05, // start 5
        0x00, // width 65,536
        1,    // open marker
        0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 6, // timestamp 5, local time 6
        0, 0, 0, 0, 0, 0, 0, 17, // offsets
    ];

    fn layout(version: &[u8]) -> BlockLayout<'static> {
        BlockLayout { version: Version::new(version).unwrap(), lengths: &[Some(4)] }
    }

    fn head(bytes: &[u8], version: &[u8]) -> Result<PromotedHead, Error> {
        let (mut unheard, version) = ((), Version::new(version).unwrap());
        let mut pages = Pages::new(Part::Index, &bytes, &mut unheard);
        PromotedHead::read(&mut pages, FilePos(0), len64(bytes.len()), version)
    }

    fn block(from: usize, bytes: &[u8]) -> Result<Block, Error> {
        let mut cursor = Cursor::new(Part::Index, FilePos(len64(from)), &bytes[from..]);
        Block::read(&mut cursor, layout(b"oa"))
    }

    #[test]
    fn head_and_blocks_are_read() {
        let head = head(TWO, b"oa").unwrap();
        assert_eq!((head.header_length, head.deletion, head.blocks), (4, None, 2));
        assert_eq!((head.blocks_at.0, head.offsets_at.0, head.end.0), (3, 44, 52));
        assert_eq!(head.offset_at(1), FilePos(48));
        let first = block(3, TWO).unwrap();
        assert_eq!((first.offset, first.width, first.open, first.size), (4, 1, None, 17));
        assert_eq!(first.last.values, [Some(ByteBuf::from([0, 0, 0, 9]))]);
        let second = block(20, TWO).unwrap();
        assert_eq!((second.first.kind, second.end()), (BoundKind::InclusiveStart, 65_541));
        assert_eq!(second.open, Some(Deletion { timestamp: 5, local_time: 6 }));
    }

    #[test]
    fn a_block_count_that_does_not_fit_is_reported() {
        let mut bytes = TWO.to_vec();
        bytes[2] = 6;
        assert_eq!(
            head(&bytes, b"oa").unwrap_err().to_string(),
            "Index.db, offset 2 (page 0 + 2), block count: expected 1..=5, as many as the promoted index can hold, found 6"
        );
        bytes[2] = 0;
        assert!(head(&bytes, b"oa").is_err());
    }

    #[test]
    fn a_block_offset_outside_the_blocks_is_reported() {
        let head = head(TWO, b"oa").unwrap();
        assert_eq!(head.block_at(1, 17).unwrap(), FilePos(20));
        assert_eq!(
            head.block_at(1, 41).unwrap_err().to_string(),
            "Index.db, offset 48 (page 0 + 48), block offset: expected at most 36, found 41"
        );
    }

    #[test]
    fn odd_kinds_flags_and_widths_are_reported() {
        for (at, byte, field) in
            [(3, 3, "bound kind"), (19, 2, "open marker flag"), (3, 8, "bound kind")]
        {
            let mut bytes = TWO.to_vec();
            bytes[at] = byte;
            assert!(block(3, &bytes).unwrap_err().to_string().contains(field), "{at}");
        }
        let mut bytes = TWO.to_vec();
        bytes[18] = 0xff; // -65536 would be c1ffff; this is -65537 + 1
        assert_eq!(block(3, &bytes).unwrap().width, 0);
    }
}
