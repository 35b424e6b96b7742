//! Steps of the legacy index: samples, windows, entries, blocks of promoted indexes.

use super::Cmp;
use crate::data::Deletion;
use crate::pos::{DataPos, FilePos, PageNo};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// The key was compared with the ends of the SSTable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundsStep {
    /// First key of the SSTable.
    pub first: ByteBuf,
    /// Last key.
    pub last: ByteBuf,
    /// Against the first key.
    pub against_first: Cmp,
    /// Against the last key; `None` where the first comparison has ended the lookup.
    pub against_last: Option<Cmp>,
    /// Key bytes compared: token and, where tokens are equal, key.
    pub bytes_compared: u32,
}

/// An entry of Summary.db was compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryProbeStep {
    /// Number of the sample, from 0.
    pub sample: u64,
    /// Number of samples.
    pub of: u64,
    /// First sample still possible before this probe.
    pub low: u64,
    /// End of the samples still possible before this probe, exclusive.
    pub high: u64,
    /// The sample's key.
    pub key: ByteBuf,
    /// The searched key against it.
    pub cmp: Cmp,
    /// Key bytes compared.
    pub bytes_compared: u32,
}

/// The part of Index.db to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowStep {
    /// Sample at its start; `None` where the key sorts before the first sample.
    pub sample: Option<u64>,
    /// Number of samples.
    pub of: u64,
    /// First byte in Index.db.
    pub from: FilePos,
    /// End, exclusive: the next sample's position or the end of the file.
    pub to: FilePos,
    /// Where the samples come from.
    pub summary: SummarySource,
    /// Most entries between two samples, where the summary says so (Cassandra: its interval).
    pub entries: Option<u64>,
    /// Why a second window is read: the entry found is the last of the first one (ScyllaDB).
    pub for_next_partition: bool,
}

/// Where the samples of the legacy index come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SummarySource {
    /// The file's own Summary.db.
    File,
    /// Sampled in memory from Index.db by ScyllaDB's rule.
    Sampled,
}

/// All entries of a window were parsed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntriesStep {
    /// First byte in Index.db.
    pub from: FilePos,
    /// End of the last entry, exclusive.
    pub to: FilePos,
    /// Entries parsed.
    pub count: u64,
    /// Bytes of their heads: key, position, promoted size.
    pub head_bytes: u64,
    /// Bytes of promoted indexes that were skipped.
    pub skipped_bytes: u64,
    /// Position of every 50th entry, the first one included.
    pub ticks: Vec<FilePos>,
    /// Pages from the start to the last entry head that straight reading would touch.
    pub straight_pages: u64,
}

impl EntriesStep {
    /// The page with the last byte of the last entry head.
    pub fn last_head_page(&self) -> PageNo {
        PageNo(self.from.page().0.saturating_add(self.straight_pages.saturating_sub(1)))
    }
}

/// How an entry came to be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EntryHow {
    /// Read one after the other; only whole keys are compared for equality (Cassandra, inside the sampling interval).
    Scan,
    /// Read one after the other beyond the interval, and compared in order (Cassandra).
    ScanOrdered,
    /// Probed by bisection in the parsed window (ScyllaDB).
    Probe {
        /// First entry still possible before this probe.
        low: u64,
        /// End of those still possible, exclusive.
        high: u64,
    },
    /// The entry that the bisection ended at, compared for equality (ScyllaDB).
    Check,
}

/// What happened to an entry's promoted index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PromotedUse {
    /// It has none.
    None,
    /// Skipped over.
    Skipped,
    /// Read whole with the entry (Cassandra, up to 2,048 bytes).
    Whole,
    /// Read where it is probed.
    Probed,
}

/// One entry of Index.db was compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryStep {
    /// Number of the entry in its window, from 0.
    pub index: u64,
    /// Entries in the window where all were parsed.
    pub of: Option<u64>,
    /// Position of its first byte, the key length.
    pub at: FilePos,
    /// Bytes of its head: key length, key, position, promoted size.
    pub head: u32,
    /// Its key.
    pub key: ByteBuf,
    /// The searched key against it. A scan that only tests equality says `Greater` for "not equal, go on".
    pub cmp: Cmp,
    /// How it came to be compared.
    pub how: EntryHow,
    /// Position of the partition in Data.db.
    pub data: DataPos,
    /// The bytes of that position as they lie in the file.
    pub data_bytes: ByteBuf,
    /// Bytes of its promoted index.
    pub promoted_size: u64,
    /// The bytes of that size as they lie in the file.
    pub promoted_size_bytes: ByteBuf,
    /// What happened to that.
    pub promoted: PromotedUse,
    /// Key bytes compared.
    pub bytes_compared: u32,
}

impl EntryStep {
    /// The page with the last byte of the entry's head.
    pub fn last_head_page(&self) -> PageNo {
        FilePos(self.at.0.saturating_add(u64::from(self.head.saturating_sub(1)))).page()
    }
}

/// The head of a promoted index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromotedStep {
    /// Position of its first byte in Index.db.
    pub at: FilePos,
    /// Bytes from the partition's start to its first row or marker.
    pub header_length: u64,
    /// Deletion of the whole partition.
    pub deletion: Option<Deletion>,
    /// Number of blocks.
    pub blocks: u64,
    /// Position of the first block.
    pub blocks_at: FilePos,
    /// Position of the table of block offsets.
    pub offsets_at: FilePos,
    /// End of the promoted index, exclusive.
    pub end: FilePos,
    /// Whether it was read whole.
    pub whole: bool,
}

/// A block of the promoted index was compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockProbeStep {
    /// Number of the block, from 0.
    pub block: u64,
    /// Number of blocks.
    pub of: u64,
    /// First block still possible before this probe.
    pub low: u64,
    /// End of those still possible before this probe, exclusive.
    pub high: u64,
    /// Position of the block in Index.db.
    pub at: FilePos,
    /// Bytes of the block that were read; 0 for a block that was known.
    pub size: u32,
    /// Position of its offset in the offsets table; `None` where the index was read whole, or the block was known.
    pub offset_at: Option<FilePos>,
    /// Which bound was compared: the block's first clustering (ScyllaDB) or its last (Cassandra).
    pub bound: BlockBound,
    /// That clustering: a value a column, `None` for null, and how the row stands to it.
    pub values: Vec<Option<ByteBuf>>,
    /// The searched position against it.
    pub cmp: Cmp,
    /// Clustering bytes compared.
    pub bytes_compared: u32,
}

/// Which clustering of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BlockBound {
    /// Of its first row or marker.
    First,
    /// Of its last row or marker.
    Last,
}
