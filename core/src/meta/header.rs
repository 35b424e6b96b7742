//! The serialization header in Statistics.db: the types and bases that Data.db was written with
//! (`docs/format/statistics.md`, serialization header).

use super::text;
use crate::cql::ColumnType;
use crate::cursor::Cursor;
use crate::error::Error;
use crate::limits;

/// What the bases are stored relative to: 2015-09-22 00:00 UTC, in microseconds and in seconds.
pub(super) const EPOCH_MICROS: i64 = 1_442_880_000_000_000;
pub(super) const EPOCH_SECONDS: i32 = 1_442_880_000;

/// Types and bases. Class names are kept as they stand in the file; short names have no package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SerializationHeader {
    /// What timestamps in Data.db are relative to, microseconds.
    pub min_timestamp: i64,
    /// What local deletion times in Data.db are relative to, seconds.
    pub min_local_deletion_time: i32,
    /// What times to live in Data.db are relative to, seconds.
    pub min_ttl: i32,
    /// Class of the partition key: one type, or `CompositeType(…)` for several columns.
    pub key_type: String,
    /// Classes of the clustering columns, `ReversedType(…)` for descending ones.
    pub clustering_types: Vec<String>,
    /// Static columns in the order of the file.
    pub static_columns: Vec<Column>,
    /// Regular columns in the order of the file.
    pub regular_columns: Vec<Column>,
}

/// A column that is not part of the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name, as bytes: names of old tables need not be text.
    pub name: Vec<u8>,
    /// Class of its type.
    pub class: String,
}

impl SerializationHeader {
    /// Reads the component to its end.
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        // The writer subtracts with wrapping arithmetic, so that any base can be stored; wrapping gives it back.
        let min_timestamp = EPOCH_MICROS.wrapping_add(cursor.uvint("min timestamp")?.cast_signed());
        let min_local_deletion_time =
            EPOCH_SECONDS.wrapping_add(low_word(cursor.uvint("min local deletion time")?));
        let min_ttl = low_word(cursor.uvint("min ttl")?);
        let key_type = text(cursor.vint_bytes("key type")?);
        let mut clustering_types = Vec::new();
        for _ in 0..column_count(cursor, "clustering column count")? {
            clustering_types.push(text(cursor.vint_bytes("clustering type")?));
        }
        let static_columns = columns(cursor, "static column count")?;
        let regular_columns = columns(cursor, "regular column count")?;
        if cursor.left() != 0 {
            let left = i128::try_from(cursor.left()).unwrap_or(i128::MAX);
            return Err(cursor.error("end of the serialization header", "no bytes left", left));
        }
        Ok(Self {
            min_timestamp,
            min_local_deletion_time,
            min_ttl,
            key_type,
            clustering_types,
            static_columns,
            regular_columns,
        })
    }

    /// The clustering columns with their directions.
    pub fn clustering(&self) -> Vec<ColumnType> {
        self.clustering_types.iter().map(|class| ColumnType::from_class(class)).collect()
    }

    /// Bytes of the values of each clustering column in Data.db and Index.db, `None` for those with a length before them.
    pub fn clustering_lengths(&self) -> Vec<Option<u32>> {
        self.clustering().iter().map(|column| column.cql.fixed_len()).collect()
    }
}

/// The low 32 bits, signed: how the writer's 32-bit differences come back.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the format stores a sign-extended 32-bit number"
)]
fn low_word(value: u64) -> i32 {
    (value as u32).cast_signed()
}

fn column_count(cursor: &mut Cursor<'_>, field: &'static str) -> Result<u64, Error> {
    let before = cursor.clone();
    let count = cursor.uvint(field)?;
    if count > limits::COLUMNS {
        return Err(before.error(field, "at most 65536", i128::from(count)));
    }
    Ok(count)
}

fn columns(cursor: &mut Cursor<'_>, field: &'static str) -> Result<Vec<Column>, Error> {
    let mut columns = Vec::new();
    for _ in 0..column_count(cursor, field)? {
        let name = cursor.vint_bytes("column name")?.to_vec();
        columns.push(Column { name, class: text(cursor.vint_bytes("column type")?) });
    }
    Ok(columns)
}
