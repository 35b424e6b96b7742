//! Partitions, rows, markers and cells as they lie in the bytes: borrowed, nothing is copied (`docs/format/data.md`).
//!
//! One function reads one element. It commits nothing before the whole element is there, so that it can be run again
//! with more bytes.

use super::clustering::{VALUES_IN_BLOCK, each_value};
use super::{DataFormat, Deletion, Expiry, Life, Liveness, RowDeletion, RowFormat};
use crate::big::BoundKind;
use crate::cursor::Cursor;
use crate::error::{Error, Kind, ReadError};
use crate::limits;
use crate::pos::{FilePos, len64, mem};
use crate::table::Part;
use serde_bytes::ByteBuf;
use std::ops::Range;

const END_OF_PARTITION: u8 = 0x01;
const MARKER: u8 = 0x02;
const HAS_TIMESTAMP: u8 = 0x04;
const HAS_TTL: u8 = 0x08;
const HAS_DELETION: u8 = 0x10;
const HAS_ALL_COLUMNS: u8 = 0x20;
pub(super) const HAS_COMPLEX_DELETION: u8 = 0x40;
pub(super) const EXTENDED: u8 = 0x80;

const EXTENDED_STATIC: u8 = 0x01;
const EXTENDED_SHADOWABLE: u8 = 0x02;
const EXTENDED_SECOND_DELETION: u8 = 0x80;

const CELL_DELETED: u8 = 0x01;
const CELL_EXPIRING: u8 = 0x02;
const CELL_WITHOUT_VALUE: u8 = 0x04;
const CELL_ROW_TIMESTAMP: u8 = 0x08;
const CELL_ROW_TTL: u8 = 0x10;

/// Columns from which on a subset is a list and not a bitmap.
const LISTED_COLUMNS: usize = 64;

/// The head of a partition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawPartition<'a> {
    pub at: u64,
    pub end: u64,
    pub key: &'a [u8],
    pub deletion: Option<Deletion>,
}

/// Clustering values with their headers, known to be whole.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RawValues<'a> {
    pub bytes: &'a [u8],
    pub count: usize,
}

/// A row up to its cells.
#[derive(Clone, Debug)]
pub(crate) struct RawRow<'a> {
    pub at: u64,
    pub end: u64,
    pub previous: u64,
    pub is_static: bool,
    pub clustering: RawValues<'a>,
    pub liveness: Option<Liveness>,
    pub deletion: Option<RowDeletion>,
    pub shadowable: Option<Deletion>,
}

/// A range tombstone marker.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawMarker<'a> {
    pub at: u64,
    pub end: u64,
    pub previous: u64,
    pub kind: BoundKind,
    pub clustering: RawValues<'a>,
    pub closes: Option<Deletion>,
    pub opens: Option<Deletion>,
}

/// What lies in a partition behind its head.
#[derive(Debug)]
pub(crate) enum RawUnfiltered<'a> {
    Row(RawRow<'a>, Cells),
    Marker(RawMarker<'a>),
    /// The byte at this position.
    End(u64),
}

/// A cell, or the head of a collection or user type.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RawCells<'a> {
    Complex { column: usize, deletion: Option<Deletion> },
    Cell(RawCell<'a>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct RawCell<'a> {
    pub at: u64,
    pub end: u64,
    pub column: usize,
    pub timestamp: i64,
    pub has_row_timestamp: bool,
    pub life: Life,
    pub path: Option<&'a [u8]>,
    pub value: &'a [u8],
    /// Bytes of the value behind `value` that were passed over.
    pub cut: u64,
}

/// The start of a row or marker, up to the size of its body.
pub(super) struct Head<'a> {
    pub flags: u8,
    pub extended: u8,
    pub kind: HeadKind,
    pub values: RawValues<'a>,
    pub body: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeadKind {
    End,
    Static,
    Row,
    Marker(BoundKind),
}

/// Where the walk stands in the cells of a row.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    is_static: bool,
    has_deletions: bool,
    liveness: Option<Liveness>,
    subset: Subset,
    body_at: u64,
    end: u64,
    /// The column to come, or the one that `left` cells are missing of.
    column: usize,
    left: u64,
}

/// Which columns a row has.
#[derive(Clone, Debug)]
enum Subset {
    All,
    /// A set bit is a column that is missing.
    Missing(u64),
    /// Ascending, from the one to come.
    Listed(std::vec::IntoIter<usize>),
}

/// The head of a partition.
pub(super) fn partition<'a>(
    format: &RowFormat,
    cursor: &mut Cursor<'a>,
) -> Result<RawPartition<'a>, Error> {
    let at = cursor.pos().0;
    let key = cursor.short_bytes("partition key")?;
    let deletion = if format.compact_deletion {
        Deletion::read_compact(cursor)?
    } else {
        Deletion::read_legacy(cursor)?
    };
    Ok(RawPartition { at, end: cursor.pos().0, key, deletion })
}

/// Reads up to the body's size, inclusive.
pub(super) fn head<'a>(format: &RowFormat, cursor: &mut Cursor<'a>) -> Result<Head<'a>, Error> {
    let before = cursor.clone();
    let flags = cursor.u8("row flags")?;
    let (mut extended, mut values) = (0, RawValues::default());
    if flags == END_OF_PARTITION {
        return Ok(Head { flags, extended, kind: HeadKind::End, values, body: 0 });
    }
    if flags & END_OF_PARTITION != 0 || (flags & MARKER != 0 && flags != MARKER) {
        let expected = "0x01, 0x02, or neither of these bits";
        return Err(before.error("row flags", expected, i128::from(flags)));
    }
    let kind = if flags == MARKER {
        let before = cursor.clone();
        let byte = cursor.u8("marker kind")?;
        let kind = BoundKind::from_byte(byte).filter(|kind| *kind != BoundKind::Row);
        let Some(kind) = kind else {
            return Err(before.error("marker kind", "0, 1, 2, 5, 6 or 7", i128::from(byte)));
        };
        let size = usize::from(cursor.u16("marker size")?);
        values = RawValues::read(cursor, &format.lengths, size)?;
        HeadKind::Marker(kind)
    } else {
        if flags & EXTENDED != 0 {
            extended = cursor.u8("extended row flags")?;
        }
        if extended & EXTENDED_STATIC != 0 {
            HeadKind::Static
        } else {
            values = RawValues::read(cursor, &format.lengths, format.lengths.len())?;
            HeadKind::Row
        }
    };
    Ok(Head { flags, extended, kind, values, body: cursor.uvint("row body size")? })
}

/// The row up to its cells, the whole marker, or the end of the partition. `length` is that of the data.
pub(super) fn unfiltered<'a>(
    format: &DataFormat,
    cursor: &mut Cursor<'a>,
    length: u64,
) -> Result<RawUnfiltered<'a>, Error> {
    let at = cursor.pos().0;
    let head = head(&format.rows, cursor)?;
    let body_at = cursor.pos();
    let end = body_at.0.checked_add(head.body).filter(|end| *end <= length);
    let Some(end) = end else {
        let left = length.saturating_sub(body_at.0);
        return Err(body_size(body_at, format!("at most {left}, the bytes left"), head.body));
    };
    match head.kind {
        HeadKind::End => Ok(RawUnfiltered::End(at)),
        HeadKind::Marker(kind) => {
            let previous = cursor.uvint("previous size")?;
            let one = format.deletion(cursor)?;
            let (closes, opens) = match kind {
                BoundKind::InclusiveStart | BoundKind::ExclusiveStart => (None, Some(one)),
                BoundKind::ExclusiveEnd | BoundKind::InclusiveEnd | BoundKind::Row => {
                    (Some(one), None)
                }
                BoundKind::ExclusiveEndInclusiveStart | BoundKind::InclusiveEndExclusiveStart => {
                    (Some(one), Some(format.deletion(cursor)?))
                }
            };
            ends(cursor, body_at, end)?;
            let clustering = head.values;
            let marker = RawMarker { at, end, previous, kind, clustering, closes, opens };
            Ok(RawUnfiltered::Marker(marker))
        }
        HeadKind::Static | HeadKind::Row => row(format, cursor, &head, at..end),
    }
}

fn row<'a>(
    format: &DataFormat,
    cursor: &mut Cursor<'a>,
    head: &Head<'a>,
    at: Range<u64>,
) -> Result<RawUnfiltered<'a>, Error> {
    let (body_at, at, end) = (cursor.pos().0, at.start, at.end);
    let (flags, extended) = (head.flags, head.extended);
    let known = EXTENDED_STATIC | EXTENDED_SHADOWABLE | EXTENDED_SECOND_DELETION;
    if extended & !known != 0 {
        let expected = "bits 0x01, 0x02 and 0x80 only";
        return Err(cursor.error("extended row flags", expected, i128::from(extended)));
    }
    if flags & HAS_TTL != 0 && flags & HAS_TIMESTAMP == 0 {
        let expected = "bit 0x08 with bit 0x04 only";
        return Err(cursor.error("row flags", expected, i128::from(flags)));
    }
    let is_static = head.kind == HeadKind::Static;
    let previous = cursor.uvint("previous size")?;
    let liveness = if flags & HAS_TIMESTAMP != 0 {
        let timestamp = format.timestamp(cursor)?;
        let expiry = if flags & HAS_TTL != 0 {
            let ttl = format.ttl(cursor)?;
            Some(Expiry { ttl, at: format.local_time(cursor)? })
        } else {
            None
        };
        Some(Liveness { timestamp, expiry })
    } else {
        None
    };
    let deletion = if flags & HAS_DELETION != 0 {
        let is_shadowable = extended & EXTENDED_SHADOWABLE != 0;
        Some(RowDeletion { deletion: format.deletion(cursor)?, is_shadowable })
    } else {
        None
    };
    let shadowable = if extended & EXTENDED_SECOND_DELETION != 0 {
        Some(format.deletion(cursor)?)
    } else {
        None
    };
    let columns = format.columns(is_static).all().len();
    let subset =
        if flags & HAS_ALL_COLUMNS != 0 { Subset::All } else { Subset::read(cursor, columns)? };
    let has_deletions = flags & HAS_COMPLEX_DELETION != 0;
    let (column, left) = (0, 0);
    let cells = Cells { is_static, has_deletions, liveness, subset, body_at, end, column, left };
    let clustering = head.values;
    let row = RawRow { at, end, previous, is_static, clustering, liveness, deletion, shadowable };
    Ok(RawUnfiltered::Row(row, cells))
}

impl<'a> RawValues<'a> {
    fn read(cursor: &mut Cursor<'a>, lengths: &[Option<u32>], count: usize) -> Result<Self, Error> {
        let mut before = cursor.clone();
        each_value(cursor, lengths, count, |_| {})?;
        let bytes = before.take(cursor.used() - before.used(), "clustering values")?;
        Ok(Self { bytes, count })
    }

    /// One value after the other.
    pub(crate) fn each(&self, format: &DataFormat, each: impl FnMut(Option<&'a [u8]>)) {
        let mut cursor = Cursor::new(Part::Data, FilePos(0), self.bytes);
        // They were read once already, so there is no error to tell.
        _ = each_value(&mut cursor, &format.rows.lengths, self.count, each);
    }

    /// The values one by one, for going through two of them in step.
    #[inline]
    pub(crate) fn iter<'f>(&self, format: &'f DataFormat) -> ValueIter<'a, 'f> {
        let lengths = format.rows.lengths.get(..self.count).unwrap_or(&[]);
        let cursor = Cursor::new(Part::Data, FilePos(0), self.bytes);
        ValueIter { cursor, lengths, at: 0, header: 0 }
    }

    /// The values, copied.
    pub(super) fn to_vec(self, format: &DataFormat) -> Vec<Option<ByteBuf>> {
        let mut values = Vec::with_capacity(self.count);
        self.each(format, |value| values.push(value.map(ByteBuf::from)));
        values
    }
}

/// Clustering values one by one.
pub(crate) struct ValueIter<'a, 'f> {
    cursor: Cursor<'a>,
    lengths: &'f [Option<u32>],
    at: usize,
    header: u64,
}

impl<'a> Iterator for ValueIter<'a, '_> {
    type Item = Option<&'a [u8]>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let length = self.lengths.get(self.at)?;
        if self.at.is_multiple_of(VALUES_IN_BLOCK) {
            self.header = self.cursor.uvint("").ok()?;
        }
        self.at += 1;
        let bits = self.header & 3;
        self.header >>= 2;
        // They were read once already, so there is no error to tell.
        Some(match (bits, length) {
            (0, Some(length)) => Some(self.cursor.take(mem(u64::from(*length))?, "").ok()?),
            (0, None) => Some(self.cursor.vint_bytes("").ok()?),
            (1, _) => Some(&[]),
            _ => None,
        })
    }
}

impl Cells {
    /// The next cell or head of a collection; `None` behind the last, where the row must end.
    pub(super) fn next<'a>(
        &mut self,
        format: &DataFormat,
        cursor: &mut Cursor<'a>,
    ) -> Result<Option<RawCells<'a>>, Error> {
        let columns = format.columns(self.is_static);
        if self.left > 0 {
            let cell = self.cell(format, cursor, self.column, None, true)?;
            self.left -= 1;
            if self.left == 0 {
                self.column += 1;
            }
            return Ok(Some(RawCells::Cell(cell)));
        }
        let Some(column) = self.subset.peek(self.column, columns.all().len()) else {
            return ends(cursor, FilePos(self.body_at), self.end).map(|()| None);
        };
        if !columns.is_complex(column) {
            let fixed = columns.all().get(column).and_then(|column| column.fixed);
            let cell = self.cell(format, cursor, column, fixed, false)?;
            self.subset.pass();
            self.column = column + 1;
            return Ok(Some(RawCells::Cell(cell)));
        }
        let deletion = if self.has_deletions { Some(format.deletion(cursor)?) } else { None };
        // The local time of "not deleted" is not the same in all versions, its timestamp is.
        let deletion = deletion.filter(|deletion| deletion.timestamp != i64::MIN);
        let before = cursor.clone();
        let count = cursor.uvint("number of cells")?;
        let left = self.end.saturating_sub(cursor.pos().0);
        if count > left {
            return Err(before.error("number of cells", "at most one a byte", i128::from(count)));
        }
        self.subset.pass();
        (self.column, self.left) = (if count == 0 { column + 1 } else { column }, count);
        Ok(Some(RawCells::Complex { column, deletion }))
    }

    fn cell<'a>(
        &self,
        format: &DataFormat,
        cursor: &mut Cursor<'a>,
        column: usize,
        fixed: Option<usize>,
        has_path: bool,
    ) -> Result<RawCell<'a>, Error> {
        let before = cursor.clone();
        let at = before.pos().0;
        let flags = cursor.u8("cell flags")?;
        let bad = |expected| before.error("cell flags", expected, i128::from(flags));
        let (deleted, expiring) = (flags & CELL_DELETED != 0, flags & CELL_EXPIRING != 0);
        if flags & 0xe0 != 0 || deleted && expiring {
            return Err(bad("bits 0x01 to 0x10, and not 0x01 with 0x02"));
        }
        let has_row_timestamp = flags & CELL_ROW_TIMESTAMP != 0;
        let timestamp = match (has_row_timestamp, self.liveness) {
            (false, _) => format.timestamp(cursor)?,
            (true, Some(liveness)) => liveness.timestamp,
            (true, None) => return Err(bad("bit 0x08 in a row with a timestamp only")),
        };
        let has_row_ttl = flags & CELL_ROW_TTL != 0;
        let life = if deleted || expiring {
            let row = self.liveness.and_then(|liveness| liveness.expiry);
            match (has_row_ttl, row) {
                (false, _) => {
                    let at = format.local_time(cursor)?;
                    if deleted {
                        Life::Deleted { at }
                    } else {
                        Life::Expiring(Expiry { ttl: format.ttl(cursor)?, at })
                    }
                }
                (true, Some(expiry)) if deleted => Life::Deleted { at: expiry.at },
                (true, Some(expiry)) => Life::Expiring(expiry),
                (true, None) => return Err(bad("bit 0x10 in a row with a time to live only")),
            }
        } else {
            Life::Live
        };
        let path = if has_path { Some(path(cursor)?) } else { None };
        let (mut value, mut cut) = (&[][..], 0);
        if flags & CELL_WITHOUT_VALUE == 0 {
            let length = match fixed {
                Some(length) => len64(length),
                None => cursor.uvint("value length")?,
            };
            let left = self.end.saturating_sub(cursor.pos().0);
            if length > left {
                let expected = format!("at most {left}, the bytes left in the row");
                let error =
                    ReadError::out_of_range(Part::Data, cursor.pos(), "value", expected, length);
                return Err(error.into());
            }
            let kept = length.min(limits::VALUE_BYTES);
            value = cursor.take(mem(kept).unwrap_or(usize::MAX), "value")?;
            cut = length - kept;
        }
        let end = cursor.pos().0.saturating_add(cut);
        if end > self.end {
            let least =
                format!("at least {}, to the end of a cell", end.saturating_sub(self.body_at));
            let found = self.end.saturating_sub(self.body_at);
            return Err(body_size(FilePos(self.body_at), least, found));
        }
        Ok(RawCell { at, end, column, timestamp, has_row_timestamp, life, path, value, cut })
    }
}

impl Subset {
    fn read(cursor: &mut Cursor<'_>, columns: usize) -> Result<Self, Error> {
        const FIELD: &str = "columns of the row";
        let before = cursor.clone();
        let first = cursor.uvint(FIELD)?;
        if columns < LISTED_COLUMNS {
            if first >> columns != 0 {
                return Err(before.error(FIELD, "one bit a column", i128::from(first)));
            }
            return Ok(Self::Missing(first));
        }
        let present = mem(first).and_then(|missing| columns.checked_sub(missing));
        let Some(present) = present else {
            return Err(before.error(FIELD, "at most as many as there are", i128::from(first)));
        };
        let lists_present = present < columns / 2;
        let count = if lists_present { present } else { columns - present };
        let mut listed = Vec::with_capacity(count);
        for _ in 0..count {
            let before = cursor.clone();
            let column = cursor.uvint(FIELD)?;
            let next = listed.last().map_or(0, |last| last + 1);
            match mem(column).filter(|column| (next..columns).contains(column)) {
                Some(column) => listed.push(column),
                None => {
                    let expected = "columns in ascending order";
                    return Err(before.error(FIELD, expected, i128::from(column)));
                }
            }
        }
        if lists_present {
            return Ok(Self::Listed(listed.into_iter()));
        }
        let mut missing = listed.into_iter().peekable();
        let kept = (0..columns).filter(|column| missing.next_if_eq(column).is_none());
        Ok(Self::Listed(kept.collect::<Vec<_>>().into_iter()))
    }

    /// The first column from `from` on that the row has.
    #[inline]
    fn peek(&self, from: usize, columns: usize) -> Option<usize> {
        let column = match self {
            Self::All => from,
            Self::Missing(bits) => {
                let here = (!bits).checked_shr(u32::try_from(from).ok()?)?;
                from + usize::try_from(here.trailing_zeros()).ok()?
            }
            Self::Listed(columns) => *columns.as_slice().first()?,
        };
        (column < columns).then_some(column)
    }

    /// Passes that column.
    fn pass(&mut self) {
        if let Self::Listed(columns) = self {
            columns.next();
        }
    }
}

fn path<'a>(cursor: &mut Cursor<'a>) -> Result<&'a [u8], Error> {
    let before = cursor.pos();
    let length = cursor.uvint("path length")?;
    if length > limits::PATH_BYTES {
        let kind = Kind::OverLimit { limit: limits::PATH_BYTES, found: length };
        return Err(ReadError::new(Part::Data, before, "path length", kind).into());
    }
    cursor.take(mem(length).unwrap_or(usize::MAX), "path")
}

/// A body must end where its size says.
fn ends(cursor: &Cursor<'_>, body_at: FilePos, end: u64) -> Result<(), Error> {
    let here = cursor.pos().0;
    if here == end {
        return Ok(());
    }
    let read = i128::from(here) - i128::from(body_at.0);
    Err(body_size(body_at, read.to_string(), end.saturating_sub(body_at.0)))
}

#[cold]
fn body_size(at: FilePos, expected: String, found: u64) -> Error {
    ReadError::out_of_range(Part::Data, at, "row body size", expected, found).into()
}
