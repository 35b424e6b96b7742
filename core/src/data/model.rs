//! What lies in Data.db, decoded: partitions, rows, range tombstone markers, cells (`docs/format/data.md`).
//!
//! Times are absolute here, not the differences that the file stores. Positions are those of the uncompressed stream.

use super::Deletion;
use crate::big::BoundKind;
use crate::pos::DataPos;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// One thing that a walk over Data.db comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Item {
    /// A partition begins.
    Partition(PartitionHead),
    /// A row, or the static row, which is the first of its partition.
    Row(Row),
    /// Start, end or change of a range deletion.
    Marker(Marker),
    /// The partition ends.
    End(PartitionEnd),
}

/// The head of a partition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartitionHead {
    /// Position of its first byte.
    pub at: DataPos,
    /// Bytes of the head: key and deletion.
    pub len: u64,
    /// The serialized key.
    pub key: ByteBuf,
    /// Deletion of the whole partition.
    pub deletion: Option<Deletion>,
}

/// The end of a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartitionEnd {
    /// Position of the partition's first byte.
    pub partition: DataPos,
    /// Position of the byte that ends it.
    pub at: DataPos,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Position of its first byte.
    pub at: DataPos,
    /// Its bytes.
    pub len: u64,
    /// The size of what lies before it, as stored: of the row or marker before, or of the partition's head. Readers do
    /// not need it.
    pub previous: u64,
    /// The static row of the partition; it has no clustering values.
    pub is_static: bool,
    /// Its clustering values; `None` is null, which only compact tables have.
    pub clustering: Vec<Option<ByteBuf>>,
    /// What an INSERT leaves behind: the row exists even without cells.
    pub liveness: Option<Liveness>,
    /// Deletion of the row.
    pub deletion: Option<RowDeletion>,
    /// The second deletion that ScyllaDB writes in view tables: it deletes only what has no newer liveness.
    pub shadowable: Option<Deletion>,
    /// Its columns, in the order of the file. A column that is not here is absent.
    pub columns: Vec<RowColumn>,
    /// What was passed over because the row is too large to be kept.
    pub omitted: Option<Omitted>,
}

/// Deletion of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowDeletion {
    /// When, and up to which write.
    pub deletion: Deletion,
    /// Cassandra's mark for a deletion that a newer liveness of the row undoes (view tables).
    pub is_shadowable: bool,
}

/// The liveness of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Liveness {
    /// Write timestamp in microseconds.
    pub timestamp: i64,
    /// When it expires, if it does.
    pub expiry: Option<Expiry>,
}

/// A time to live and when it is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expiry {
    /// Seconds to live when it was written. In a liveness `i32::MAX` means that it is over, and `at` when.
    pub ttl: i32,
    /// When it is over, seconds since 1970. Negative after an overflow in versions with signed times.
    pub at: i64,
}

/// A column of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowColumn {
    /// Its place among the static or the regular columns, in the order of Data.db ([`super::Columns`]).
    pub column: u32,
    /// Deletion of a collection or user type as a whole; an INSERT of one leaves it behind.
    pub deletion: Option<Deletion>,
    /// Its cells: one of a simple column, any number of a collection or user type.
    pub cells: Vec<Cell>,
}

/// A cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Position of its first byte.
    pub at: DataPos,
    /// Its bytes.
    pub len: u64,
    /// Write timestamp in microseconds.
    pub timestamp: i64,
    /// The timestamp is stored with the row only.
    pub has_row_timestamp: bool,
    /// Whether it lives.
    pub life: Life,
    /// The place in its collection or user type: list: a time UUID; set: the element; map: the key; user type: the
    /// number of the field.
    pub path: Option<ByteBuf>,
    /// The value; without bytes for an empty value, for elements of sets and for deleted cells.
    pub value: Value,
}

/// Whether a cell lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Life {
    /// It lives.
    Live,
    /// It lives until then.
    Expiring(Expiry),
    /// It is deleted: null.
    Deleted {
        /// When, seconds since 1970. Negative after an overflow in versions with signed times.
        at: i64,
    },
}

/// A value, cut if it is very long.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value {
    /// Its bytes, the first [`crate::limits::VALUE_BYTES`] of a longer one.
    pub bytes: ByteBuf,
    /// Bytes that were cut off.
    pub cut: u64,
}

/// Cells that were passed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Omitted {
    /// Their number.
    pub cells: u64,
    /// Their bytes in the file.
    pub bytes: u64,
}

/// A range tombstone marker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marker {
    /// Position of its first byte.
    pub at: DataPos,
    /// Its bytes.
    pub len: u64,
    /// The size of what lies before it, as in [`Row::previous`].
    pub previous: u64,
    /// What it is.
    pub kind: BoundKind,
    /// The clustering values of its place, perhaps fewer than there are columns.
    pub clustering: Vec<Option<ByteBuf>>,
    /// The deletion that ends here.
    pub closes: Option<Deletion>,
    /// The deletion that begins here.
    pub opens: Option<Deletion>,
}

impl Item {
    /// Position of its first byte.
    pub fn at(&self) -> DataPos {
        match self {
            Self::Partition(head) => head.at,
            Self::Row(row) => row.at,
            Self::Marker(marker) => marker.at,
            Self::End(end) => end.at,
        }
    }

    /// Its bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Partition(head) => head.len,
            Self::Row(row) => row.len,
            Self::Marker(marker) => marker.len,
            Self::End(_) => 1,
        }
    }
}
