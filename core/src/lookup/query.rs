//! What is looked up: a partition key in all the forms that the two indexes compare, and perhaps a place among its rows.

use super::FilterMode;
use crate::keys::{ClusteringSchema, Decorated, Hash, Token};

/// A partition key, and perhaps a row.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// Serialized partition key, as Data.db, Index.db and Rows.db store it.
    pub key: &'a [u8],
    /// Its token.
    pub token: &'a Token,
    /// Its Murmur3 hash: hash byte and Bloom filter.
    pub hash: Hash,
    /// Byte-comparable form, of which the trie stores prefixes.
    pub comparable: &'a [u8],
    /// A place among the rows.
    pub row: Option<&'a RowTarget>,
    /// Whether the Bloom filter may end the lookup.
    pub filter: FilterMode,
    /// The clustering columns, as another SSTable of the same rows names them: for a table without Statistics.db.
    pub clustering: Option<&'a ClusteringSchema>,
}

impl<'a> Query<'a> {
    /// The key in the order of the table.
    pub fn decorated(&self) -> Decorated<'a> {
        Decorated { token: self.token, key: self.key }
    }
}

/// A place among the rows of a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowTarget {
    /// A row, or a bound.
    pub kind: RowKind,
    /// Serialized clustering values, fewer than the table has for a prefix; `None` is null.
    pub values: Vec<Option<Vec<u8>>>,
    /// Byte-comparable form with its terminator.
    pub comparable: Vec<u8>,
}

/// How a place among the rows stands to the rows with its clustering values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// The row with these values.
    Row,
    /// Before everything with these values (inclusive start, exclusive end).
    Before,
    /// After everything with these values (exclusive start, inclusive end).
    After,
}
