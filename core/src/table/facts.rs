//! What is known of an opened SSTable, as plain data for pages, terminals and tests.

use super::{IndexKind, Part, Version};
use crate::error::ReadError;
use crate::keys::Partitioner;
use crate::pos::FilePos;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// An SSTable as it was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableFacts {
    /// Version, generation and format as in the file names: `da-1-bti`.
    pub name: String,
    /// The version.
    pub version: Version,
    /// Keyspace and table where the names or the folder tell them.
    pub table: Option<String>,
    /// The folder its files lie in, as it was given; empty for files without one.
    pub directory: String,
    /// Which index it has, told from version and components; `None` when neither index is here.
    pub index: Option<IndexKind>,
    /// The components, those that are missing but matter included.
    pub components: Vec<Component>,
    /// Bytes of all components.
    pub bytes: u64,
    /// Partitions: exact from Partitions.db's footer, else estimated from Statistics.db.
    pub partitions: Option<Count>,
    /// Partitioner; `None` without Statistics.db.
    pub partitioner: Option<Partitioner>,
    /// CQL types of the partition key's columns; empty without Statistics.db.
    pub key_types: Vec<String>,
    /// The same types as the files name them: what keys are written and read by.
    pub classes: TypeClasses,
    /// Clustering columns in order; `None` without Statistics.db.
    pub clustering: Option<Vec<ClusteringColumn>>,
    /// Compressor class without its package, `None` when Data.db is not compressed or that is not known.
    pub compressor: Option<String>,
    /// Bytes of Data.db after decompression.
    pub data_length: Option<u64>,
    /// First and last partition key, serialized.
    pub ends: Option<(ByteBuf, ByteBuf)>,
    /// Trie: root position.
    pub root: Option<FilePos>,
    /// Legacy: number of samples in Summary.db and bytes that it keeps in memory (offsets and entries).
    pub summary: Option<SummaryFacts>,
    /// Bytes of Filter.db kept in memory.
    pub filter_bytes: Option<u64>,
    /// Whether some partition has a row index.
    pub has_row_index: bool,
    /// What could not be read; everything else stays usable.
    pub problems: Vec<Problem>,
    /// First 4 hex digits of the CRC32 of the last 64 bytes of Partitions.db, else of Index.db, with the size of that
    /// file in front: what a link names a local SSTable by.
    pub identity: String,
}

/// Types as Statistics.db names them, by Java classes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeClasses {
    /// Of the partition key; `None` without Statistics.db.
    pub key: Option<String>,
    /// Of the clustering columns, in order.
    pub clustering: Vec<String>,
}

/// A component of an opened SSTable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Component {
    /// The component; `None` for files with a name that this program does not know.
    pub part: Option<Part>,
    /// The component's word in the file name.
    pub name: String,
    /// Bytes, `None` when it is missing.
    pub bytes: Option<u64>,
    /// Whether TOC.txt lists it; `None` without a TOC.txt.
    pub listed: Option<bool>,
    /// Whether the version needs it. Missing ones are in the list only when they are needed or listed.
    pub needed: bool,
}

/// A number of partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Count {
    /// Counted by the writer.
    Exact(u64),
    /// Summed from the histogram of Statistics.db.
    FromStatistics(u64),
}

/// A clustering column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusteringColumn {
    /// CQL type.
    pub cql: String,
    /// `CLUSTERING ORDER BY … DESC`.
    pub descending: bool,
}

/// What Summary.db says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryFacts {
    /// Samples.
    pub samples: u64,
    /// Bytes of the offsets and entries: what stays in memory.
    pub memory_bytes: u64,
    /// Entries of Index.db between two samples at full sampling.
    pub min_index_interval: u32,
    /// Of 128 samples, how many are kept.
    pub sampling_level: u32,
    /// Whether the offsets are big-endian (written on a big-endian machine).
    pub big_endian: bool,
}

/// Something that is missing, odd or damaged, found while opening.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Problem {
    /// A component is missing. What that costs follows from which it is.
    Missing(Part),
    /// A component cannot be read.
    Damaged(ReadError),
    /// The version is known but not read (`ka`, `la`), or unknown.
    Version(Version),
    /// TOC.txt lists a file that is no component this program knows.
    UnknownInToc(String),
    /// Two files claim to be the same component of the same SSTable; the second is not used.
    Twice(Part),
    /// A `TOC.txt.tmp` or another temporary file: the SSTable was not finished.
    Unfinished,
}
