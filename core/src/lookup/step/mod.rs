//! The steps of a lookup, as data. Words for them are made elsewhere, pictures too.
//!
//! Byte strings are what lies in the files or what the lookup made of the key; comparisons are always *searched key
//! against the thing*: [`Cmp::Smaller`] means that the searched key sorts before it.

mod legacy;
mod trie;

pub use crate::bti::NodeKind;
pub use legacy::*;
pub use trie::*;

use crate::data::Deletion;
use crate::error::ReadError;
use crate::pos::{DataPos, FilePos, PageNo};
use crate::table::Part;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// One step of a lookup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// The Bloom filter was asked (both lanes, first).
    Filter(FilterStep),
    /// The walk turned to a page.
    Page(PageStep),
    /// A trie node was entered, and what came of it.
    Node(NodeStep),
    /// Trie: the entry of a wide partition in Rows.db was read.
    RowEntry(RowEntryStep),
    /// Legacy, Cassandra: the key was compared with the first and the last key of the SSTable.
    Bounds(BoundsStep),
    /// Legacy: an entry of Summary.db was compared.
    SummaryProbe(SummaryProbeStep),
    /// Legacy: the summary has told which part of Index.db to read.
    Window(WindowStep),
    /// Legacy, ScyllaDB: all entries of the window were parsed.
    Entries(EntriesStep),
    /// Legacy: one entry of Index.db was compared.
    Entry(EntryStep),
    /// Legacy: the head of a matched entry's promoted index was read.
    Promoted(PromotedStep),
    /// Legacy: a block of the promoted index was compared.
    BlockProbe(BlockProbeStep),
    /// Both: the row block that the index chose.
    Block(BlockStep),
    /// Both: Data.db was read at the position found, and the key there compared.
    Data(DataStep),
    /// Both, last: what the lookup says.
    Answer(Answer),
    /// Reading could not go on here; an [`Answer::Unknown`] follows.
    Damage(ReadError),
}

/// How the searched key stands to what it was compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Cmp {
    /// The searched key sorts before it.
    Smaller,
    /// They are equal.
    Equal,
    /// The searched key sorts after it.
    Greater,
}

impl From<std::cmp::Ordering> for Cmp {
    fn from(ordering: std::cmp::Ordering) -> Self {
        match ordering {
            std::cmp::Ordering::Less => Self::Smaller,
            std::cmp::Ordering::Equal => Self::Equal,
            std::cmp::Ordering::Greater => Self::Greater,
        }
    }
}

/// Whether the lookup lets the Bloom filter end it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FilterMode {
    /// As a database does: "no" ends the lookup.
    #[default]
    Ask,
    /// The filter is shown, but the walk goes on.
    Off,
}

/// The Bloom filter was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilterStep {
    /// Whether "no" ends the lookup.
    pub mode: FilterMode,
    /// Number of hash functions, K in the file.
    pub hashes: u32,
    /// Bits in the filter.
    pub bits: u64,
    /// The bits tested, in order; a database stops at the first that is not set, and so does this list.
    pub tested: Vec<FilterBit>,
    /// What follows.
    pub answer: FilterAnswer,
}

/// One bit of the Bloom filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilterBit {
    /// Number of the bit.
    pub bit: u64,
    /// Whether it is set.
    pub set: bool,
}

/// What the Bloom filter says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FilterAnswer {
    /// All bits are set: the key may be here.
    Maybe,
    /// A bit is not set: the key is certainly not here.
    No,
    /// There is no Filter.db (chance 1.0, or not among the files): the database always reads on.
    NoFilter,
    /// Filter.db cannot be read.
    Damaged(ReadError),
}

/// The walk turned to a page: a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageStep {
    /// The component: Partitions, Rows or Index.
    pub part: Part,
    /// The page.
    pub page: PageNo,
    /// Its bytes: 4096, the last page of a file fewer.
    pub bytes: u64,
    /// What the request cost.
    pub state: PageState,
}

/// What a page request cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PageState {
    /// Fetched: the first touch in this lookup; the number counts fetches from 1.
    Fetched(u32),
    /// First touch, but the cache model held it: not fetched.
    Warm,
    /// Touched before in this lookup.
    Here,
}

/// The row block that the index chose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockStep {
    /// Number of the block where the index numbers them (legacy); [`Self::of`] after the last one.
    pub block: Option<u64>,
    /// Number of blocks of the partition.
    pub of: u64,
    /// Block start, from the start of the partition in Data.db.
    pub start: u64,
    /// Block end, exclusive, where the pages read so far tell it.
    pub end: Option<u64>,
    /// Range deletion in force at the block's start.
    pub open: Option<Deletion>,
    /// Position of the partition in Data.db; the block lies at this plus `start`.
    pub partition: DataPos,
    /// Whether the position searched lies after the partition's last block.
    pub after_last: bool,
    /// Blocks of the promoted index parsed for this beside the probed ones: the block before, for its open deletion.
    /// None in the trie.
    pub parsed: u32,
    /// Bytes of the promoted index read for this beside what the probes read. None in the trie.
    pub parsed_bytes: u32,
}

/// Data.db was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataStep {
    /// Position of the partition.
    pub at: DataPos,
    /// Chunks that were read and decompressed, in order.
    pub chunks: Vec<ChunkRead>,
    /// Name of the compressor; `None` for an uncompressed Data.db.
    pub compressor: Option<String>,
    /// What the key there says.
    pub key: Confirmation,
    /// What the rows of the chosen block say, where a row was searched and the key is confirmed.
    pub row: Option<RowConfirmation>,
}

/// A chunk of Data.db.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkRead {
    /// Number of the chunk.
    pub chunk: u64,
    /// Position in the file.
    pub at: FilePos,
    /// Bytes in the file, without the checksum.
    pub stored_bytes: u64,
    /// Bytes after decompression.
    pub bytes: u64,
}

/// What the key in Data.db says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Confirmation {
    /// It is the searched key.
    Equal,
    /// It is another key: the searched one is absent.
    Differs {
        /// The key there.
        found: ByteBuf,
    },
    /// Data.db could not be asked.
    NotConfirmed(NotConfirmed),
}

/// Why Data.db could not be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotConfirmed {
    /// Data.db is not among the files.
    NoData,
    /// CompressionInfo.db is not among the files, and Statistics.db or TOC.txt says that Data.db is compressed.
    NoCompressionInfo,
    /// The compressor is not known to this program.
    UnknownCompressor {
        /// Its class name.
        name: String,
    },
    /// Data.db of this version is not decoded (DSE `bb`).
    Version,
    /// Data.db or CompressionInfo.db is damaged there.
    Damaged(ReadError),
}

/// What the rows of a block say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowConfirmation {
    /// The row is there.
    Found {
        /// Its position in Data.db.
        at: DataPos,
        /// Rows and markers passed before it in the block.
        passed: u64,
    },
    /// The block has no such row.
    Absent {
        /// Rows and markers read.
        passed: u64,
    },
    /// The block could not be read, or the position is a bound and not a row.
    NotRead {
        /// The damage, if any.
        error: Option<ReadError>,
    },
}

/// What the lookup says, last step of every lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// The partition is here.
    Present {
        /// Its position in Data.db.
        data: DataPos,
        /// Whether the key was compared: in Data.db, in Rows.db, or in Index.db (where it is stored whole).
        confirmed: bool,
        /// Where the block of the searched row lies in Data.db.
        block: Option<DataPos>,
        /// What the rows say, where a row was searched.
        row: Option<RowConfirmation>,
    },
    /// The partition is not here.
    Absent(AbsentWhy),
    /// The index is damaged on the way.
    Unknown(ReadError),
}

/// What shows that a partition is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AbsentWhy {
    /// The Bloom filter says no.
    Filter,
    /// Trie: a node has no child for the key's byte, or the key ends inside the trie.
    DeadEnd,
    /// Trie: the leaf has another hash byte.
    HashByte,
    /// Trie: equal hash byte, but another key at the position.
    OtherKey,
    /// Legacy: it sorts before the first partition.
    BeforeFirst,
    /// Legacy: it sorts after the last partition.
    AfterLast,
    /// Legacy: it sorts between two entries of the window, or after the window's last one.
    BetweenEntries,
}
