//! The components of an SSTable.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A component of an SSTable: one file each. `docs/format/files.md` says which version has which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Part {
    /// Rows, partition after partition.
    Data,
    /// Trie index of the partitions.
    Partitions,
    /// Row tries and entries of the wide partitions.
    Rows,
    /// Legacy index: an entry a partition, with its promoted index.
    Index,
    /// Sample of Index.db, kept in memory by the database.
    Summary,
    /// Types, bounds, histograms.
    Statistics,
    /// Chunk offsets of a compressed Data.db.
    CompressionInfo,
    /// Bloom filter of the partition keys.
    Filter,
    /// CRC32 of each chunk of an uncompressed Data.db.
    Crc,
    /// Checksum of Data.db.
    Digest,
    /// List of the components.
    Toc,
    /// ScyllaDB's own metadata.
    Scylla,
}

impl Part {
    /// All components, index files first.
    pub const ALL: [Self; 12] = [
        Self::Partitions,
        Self::Rows,
        Self::Index,
        Self::Summary,
        Self::Data,
        Self::CompressionInfo,
        Self::Filter,
        Self::Statistics,
        Self::Crc,
        Self::Digest,
        Self::Toc,
        Self::Scylla,
    ];

    /// The component word as it stands in file names. A digest is named after its algorithm; this is the usual one.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Data => "Data.db",
            Self::Partitions => "Partitions.db",
            Self::Rows => "Rows.db",
            Self::Index => "Index.db",
            Self::Summary => "Summary.db",
            Self::Statistics => "Statistics.db",
            Self::CompressionInfo => "CompressionInfo.db",
            Self::Filter => "Filter.db",
            Self::Crc => "CRC.db",
            Self::Digest => "Digest.crc32",
            Self::Toc => "TOC.txt",
            Self::Scylla => "Scylla.db",
        }
    }

    /// Whether it belongs to a twin as well: it is no index, and lists no files.
    pub const fn is_shared(self) -> bool {
        !matches!(self, Self::Partitions | Self::Rows | Self::Index | Self::Summary | Self::Toc)
    }

    /// The component with this word in its file name.
    pub fn from_file_name(name: &str) -> Option<Self> {
        match name {
            "Digest.adler32" | "Digest.sha1" => Some(Self::Digest),
            _ => Self::ALL.into_iter().find(|part| part.file_name() == name),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.file_name())
    }
}
