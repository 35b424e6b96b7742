//! The partitions of a table in the order of its index: all of them or from a key on, forwards or backwards.
//!
//! A [`Scan`] is a resumable job that keeps a path or a window, never the file. Nothing of it is counted: what a lookup
//! costs is asked of [`crate::lookup`].

mod blocks;
mod keys;
mod legacy;
mod place;
mod run;
mod trie;

pub use blocks::{BlockRows, BlockScan, RowBlock};
pub use place::Place;
pub use run::{Next, Order, Scan};
pub(crate) use trie::LeafWalk;

use crate::error::ReadError;
use crate::pos::{DataPos, FilePos};

/// A partition as an index names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Its key.
    pub key: FoundKey,
    /// Its position in Data.db; `None` where only its entry in Rows.db would tell, and cannot be read.
    pub data: Option<DataPos>,
    /// Position of its leaf in Partitions.db or of its entry in Index.db.
    pub at: FilePos,
    /// Its row index.
    pub rows: RowIndexed,
    /// Whether it certainly lies on the wanted side of the place that the scan started from. A trie has prefixes of keys,
    /// so the first partition may lie on the other side where its key cannot be read.
    pub certain: bool,
    /// Why the key is a prefix, or the position is missing, where damage is the reason.
    pub problem: Option<Box<ReadError>>,
}

/// What is known of a partition's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundKey {
    /// The serialized key.
    Whole(Vec<u8>),
    /// The first bytes of its byte-comparable form: all that the trie stores. The key is in Data.db, which is not here
    /// or cannot be read.
    Prefix(Vec<u8>),
}

/// Whether a partition has a row index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowIndexed {
    /// It has none: it has one block.
    No,
    /// Trie: its entry in Rows.db.
    Entry(FilePos),
    /// Legacy: bytes of its promoted index.
    Promoted(u64),
}
