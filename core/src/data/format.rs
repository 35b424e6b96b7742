//! What is needed to decode Data.db: the version's forms, and the types and bases of the serialization header
//! (`docs/format/data.md`, `docs/format/statistics.md`).

use super::{Deletion, RowFormat};
use crate::cql::CqlType;
use crate::cursor::Cursor;
use crate::error::Error;
use crate::meta::{Column, SerializationHeader};
use crate::table::Version;

/// How rows and cells of a table are decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFormat {
    /// Heads and clustering values.
    pub(super) rows: RowFormat,
    /// Local deletion times are unsigned.
    unsigned_times: bool,
    base_timestamp: i64,
    base_local_time: i32,
    base_ttl: i32,
    statics: Columns,
    regulars: Columns,
}

/// Columns of one kind in the order of Data.db: first those of one cell, then collections and user types, each group in
/// the order of the header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    all: Vec<DataColumn>,
    simple: usize,
}

/// A column as Data.db has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataColumn {
    /// Name, as bytes: names of old tables need not be text.
    pub name: Vec<u8>,
    /// Its type. A column that the table no longer has is still in the header of its old SSTables.
    pub cql: CqlType,
    /// Bytes of its values, where they are stored without a length.
    pub(super) fixed: Option<usize>,
}

impl DataFormat {
    /// From the version and the header in Statistics.db.
    pub fn new(version: Version, header: &SerializationHeader) -> Self {
        Self {
            rows: RowFormat::new(version, header),
            unsigned_times: version.has_compact_deletion(),
            base_timestamp: header.min_timestamp,
            base_local_time: header.min_local_deletion_time,
            base_ttl: header.min_ttl,
            statics: Columns::new(&header.static_columns),
            regulars: Columns::new(&header.regular_columns),
        }
    }

    /// Without columns and bases, for versions whose Statistics.db has none.
    pub(crate) fn without_types(version: Version) -> Self {
        Self {
            rows: RowFormat::without_types(version),
            unsigned_times: false,
            base_timestamp: 0,
            base_local_time: 0,
            base_ttl: 0,
            statics: Columns::default(),
            regulars: Columns::default(),
        }
    }

    /// How heads of rows and clustering values are read.
    pub(crate) fn rows(&self) -> &RowFormat {
        &self.rows
    }

    /// The static or the regular columns.
    pub fn columns(&self, is_static: bool) -> &Columns {
        if is_static { &self.statics } else { &self.regulars }
    }

    /// A write timestamp. The writer subtracted with wrapping arithmetic, so that any base serves any value.
    #[inline]
    pub(super) fn timestamp(&self, cursor: &mut Cursor<'_>) -> Result<i64, Error> {
        Ok(self.base_timestamp.wrapping_add(cursor.uvint("timestamp")?.cast_signed()))
    }

    /// A time to live: a 32-bit difference, stored sign-extended.
    #[inline]
    pub(super) fn ttl(&self, cursor: &mut Cursor<'_>) -> Result<i32, Error> {
        Ok(self.base_ttl.wrapping_add(low_word(cursor.uvint("time to live")?).cast_signed()))
    }

    /// A local deletion time: a 32-bit difference, stored sign-extended; the sum is unsigned in `oa` and `da`.
    #[inline]
    pub(super) fn local_time(&self, cursor: &mut Cursor<'_>) -> Result<i64, Error> {
        let difference = low_word(cursor.uvint("local deletion time")?);
        let sum = self.base_local_time.cast_unsigned().wrapping_add(difference);
        Ok(if self.unsigned_times { i64::from(sum) } else { i64::from(sum.cast_signed()) })
    }

    /// A local deletion time as its 32 bits are, and the difference that would store `other` in its place.
    pub(super) fn stored_local_time(
        &self,
        cursor: &mut Cursor<'_>,
        other: u32,
    ) -> Result<(u32, u64), Error> {
        let base = self.base_local_time.cast_unsigned();
        let stored = base.wrapping_add(low_word(cursor.uvint("local deletion time")?));
        let difference = other.wrapping_sub(base).cast_signed();
        Ok((stored, i64::from(difference).cast_unsigned()))
    }

    /// A deletion as two differences.
    #[inline]
    pub(super) fn deletion(&self, cursor: &mut Cursor<'_>) -> Result<Deletion, Error> {
        let timestamp = self.timestamp(cursor)?;
        Ok(Deletion { timestamp, local_time: self.local_time(cursor)? })
    }
}

impl Columns {
    fn new(header: &[Column]) -> Self {
        let of = |column: &Column| {
            let cql = CqlType::from_class(&column.class);
            let fixed = cql.fixed_len().and_then(|len| usize::try_from(len).ok());
            DataColumn { name: column.name.clone(), cql, fixed }
        };
        // ScyllaDB writes the header in the order of names, without grouping; the data is grouped in every case.
        let (complex, simple): (Vec<_>, Vec<_>) =
            header.iter().map(of).partition(|column| column.cql.is_multi_cell());
        let count = simple.len();
        Self { all: simple.into_iter().chain(complex).collect(), simple: count }
    }

    /// All of them.
    pub fn all(&self) -> &[DataColumn] {
        &self.all
    }

    /// The column at a place of this order.
    pub fn get(&self, column: u32) -> Option<&DataColumn> {
        self.all.get(usize::try_from(column).ok()?)
    }

    /// Whether the column at this place has any number of cells, each with a path.
    #[inline]
    pub fn is_complex(&self, column: usize) -> bool {
        column >= self.simple
    }
}

/// The low 32 bits: the rest repeats their sign.
#[inline]
pub(super) fn low_word(value: u64) -> u32 {
    u32::try_from(value & 0xffff_ffff).unwrap_or(0)
}
