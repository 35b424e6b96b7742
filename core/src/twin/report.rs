//! What was built, from what, and what had to be assumed.

use super::Target;
use crate::table::{IndexKind, Part};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a twin is built from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BuiltFrom {
    /// Partitions.db and Rows.db for positions and blocks, Data.db for keys.
    Trie {
        /// The rows of wide partitions were read for the clusterings at the ends of their blocks.
        with_rows: bool,
    },
    /// Index.db alone.
    Legacy,
    /// Data.db alone: keys, and blocks formed again of so many bytes.
    Data {
        /// Bytes of rows after which a block is closed.
        block_bytes: u64,
    },
}

/// The block size that the blocks of a file can have been formed with: a block is closed by the row that fills it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockSize {
    /// Least bytes.
    pub least: u64,
    /// Most bytes.
    pub most: u64,
}

/// Something that the source does not tell, and what was taken for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Assumption {
    /// Without Statistics.db the partitioner is not known.
    Murmur3,
    /// The source has no index, so the size of its blocks is not known.
    DefaultBlocks {
        /// Bytes taken.
        bytes: u64,
    },
    /// A trie does not tell whether the width of a last block takes in the byte that ends the partition: it does unless the
    /// block was full. How much fills one is told by the other blocks, as far as they do.
    LastWidths {
        /// What the other blocks allow.
        allowed: BlockSize,
        /// Bytes taken.
        taken: u64,
        /// Last blocks that another size in that range would give another width.
        blocks: u64,
    },
    /// The length of Data.db is not known, so the end of the last partition is that of its last block.
    EndOfLast,
    /// The types of the clustering columns are not known, so these partitions are indexed without their rows.
    RowsLeftOut {
        /// Partitions that the source has a row index of.
        partitions: u64,
    },
    /// The `min_index_interval` of the table, which the header of Summary.db tells, is not known.
    Interval {
        /// Keys taken.
        keys: u32,
    },
    /// Another number of partitions was found than the source says there are: it is cut off or damaged, and nothing else
    /// told so.
    OtherCount {
        /// Partitions found.
        found: u64,
        /// Those that Statistics.db or the end of Partitions.db counts.
        counted: u64,
    },
    /// How many bytes of the compressed Data.db lie before a partition is not known, so the samples of Summary.db were
    /// chosen by those before compression.
    UncompressedSamples,
}

/// What a finished twin is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TwinReport {
    /// What it was built from.
    pub from: BuiltFrom,
    /// Whose index it is.
    pub target: Target,
    /// What had to be assumed; empty where the source determines everything.
    pub assumptions: Vec<Assumption>,
    /// Bytes of each file, in the order of [`Target::parts`].
    pub files: [(Part, u64); 2],
    /// Partitions.
    pub partitions: u64,
    /// Those with a row index.
    pub wide: u64,
    /// Row blocks of these.
    pub blocks: u64,
    /// The block size, where blocks tell it: with the rows exactly as far as they do.
    pub block_size: Option<BlockSize>,
    /// Milliseconds that it took. The core has no clock: whoever runs the job fills it in.
    pub millis: Option<u64>,
}

impl BlockSize {
    /// The size that a person would have set: the greatest power of two of KiB in the range, else its greatest number.
    pub fn likely(self) -> u64 {
        let most = self.most.max(1);
        let round = 1 << most.ilog2();
        if round >= self.least && round >= 1024 { round } else { self.most }
    }
}

impl fmt::Display for BuiltFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trie { with_rows: false } => {
                f.write_str("Partitions.db and Rows.db, with keys from Data.db")
            }
            Self::Trie { with_rows: true } => f.write_str(
                "Partitions.db and Rows.db, with keys and the clusterings at the ends of blocks from Data.db",
            ),
            Self::Legacy => f.write_str("Index.db alone"),
            Self::Data { block_bytes } => {
                write!(f, "Data.db alone, with blocks formed again of {block_bytes} bytes")
            }
        }
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Murmur3 => {
                f.write_str("Statistics.db cannot be read, so keys are taken to be ordered by Murmur3")
            }
            Self::DefaultBlocks { bytes } => write!(
                f,
                "no index tells the size of row blocks, so it is taken to be the usual {bytes} bytes"
            ),
            Self::LastWidths { allowed, taken, blocks } => write!(
                f,
                "row blocks are closed by {} to {} bytes; {taken} was taken, and the widths of {blocks} last blocks depend on it",
                allowed.least, allowed.most
            ),
            Self::EndOfLast => f.write_str(
                "the length of Data.db is not known, so the last partition is taken to end with its last row block",
            ),
            Self::RowsLeftOut { partitions } => write!(
                f,
                "the types of the clustering columns are not known, so {partitions} partitions are indexed without their rows"
            ),
            Self::Interval { keys } => {
                write!(f, "the table's min_index_interval is not known, so its default of {keys} was taken")
            }
            Self::OtherCount { found, counted } => write!(
                f,
                "{counted} partitions were written, as the SSTable says, and {found} were found: the others are not in the twin"
            ),
            Self::UncompressedSamples => f.write_str(
                "CompressionInfo.db cannot be read, so samples were chosen by bytes before compression",
            ),
        }
    }
}

impl TwinReport {
    /// Bytes of both files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|(_, bytes)| bytes).sum()
    }

    /// Whether it is a trie.
    pub fn is_trie(&self) -> bool {
        self.target.kind() == IndexKind::Trie
    }
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Bytes done of what the feed goes through: of Index.db, or else of Data.db as it is uncompressed.
    pub done: u64,
    /// All of them.
    pub of: u64,
    /// Partitions done.
    pub partitions: u64,
    /// Whether nothing is left to do.
    pub is_finished: bool,
}
