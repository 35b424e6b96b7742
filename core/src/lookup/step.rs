//! The steps of a lookup, as data. Words for them are made elsewhere, pictures too.
//!
//! Byte strings are what lies in the files or what the lookup made of the key; comparisons are always *searched key
//! against the thing*: [`Cmp::Smaller`] means that the searched key sorts before it.

use crate::data::Deletion;
use crate::error::ReadError;
use crate::pos::{DataPos, FilePos, PageNo};
use crate::table::Part;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

pub use crate::bti::NodeKind;

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

/// A trie node was entered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeStep {
    /// Partitions or Rows.
    pub part: Part,
    /// Position of its first byte.
    pub at: FilePos,
    /// Type, from the high nibble of the first byte.
    pub kind: NodeKind,
    /// Bytes of the node with its payload.
    pub size: u32,
    /// Low nibble of the first byte where that holds payload bits, else 0.
    pub payload_bits: u8,
    /// Edges from the root: the index of the key byte that is compared here.
    pub depth: u32,
    /// Transition bytes that have a child, ascending.
    pub children: ByteBuf,
    /// What was done.
    pub outcome: NodeOutcome,
}

/// What was done at a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeOutcome {
    /// The key's byte has a child, which is followed. In a row trie the node's own payload, and what lies below the
    /// next smaller child, become the candidate for the floor.
    Follow(Edge),
    /// The key's byte has no child: in the partition trie the key is absent.
    NoTransition {
        /// The key's byte.
        byte: u8,
        /// Nearest smaller transition byte.
        below: Option<u8>,
        /// Nearest greater transition byte.
        above: Option<u8>,
    },
    /// The key ends at a node with children: it is absent.
    KeyEnds,
    /// A leaf of the partition trie.
    Leaf(LeafPayload),
    /// Row trie: the key's byte has no child; the floor lies below the greatest smaller one, which is followed.
    Floor {
        /// The key's byte.
        wanted: u8,
        /// The child that is followed instead.
        edge: Edge,
    },
    /// Row trie, on the way to a floor: the greatest child is followed.
    Last(Edge),
    /// Row trie: this node's own payload is the floor.
    Block(BlockPayload),
    /// Row trie: neither payload nor smaller child here; the walk goes back to the last candidate, named here.
    Back {
        /// Key byte that had no child, if the key had one left.
        wanted: Option<u8>,
        /// Position of the node with the candidate.
        to: FilePos,
    },
}

/// A transition that was followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// Transition byte.
    pub byte: u8,
    /// Index of the child among [`NodeStep::children`], from 0.
    pub child: u32,
    /// Bytes from the child's position to the node's: children lie before their parents.
    pub distance: u64,
    /// Position of the child.
    pub to: FilePos,
}

/// Payload of a leaf of the partition trie.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeafPayload {
    /// The payload bytes.
    pub bytes: ByteBuf,
    /// Hash byte in the leaf; files without one (payload bits 1 to 7) have none.
    pub hash: Option<u8>,
    /// Low byte of the searched key's second hash word.
    pub expected_hash: u8,
    /// Where the leaf points.
    pub target: LeafTarget,
}

impl LeafPayload {
    /// Whether the lookup goes on: the hash byte is equal, or there is none.
    pub fn hash_matches(&self) -> bool {
        self.hash.is_none_or(|hash| hash == self.expected_hash)
    }
}

/// Where a leaf of the partition trie points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LeafTarget {
    /// The partition in Data.db: a negative payload `~position`.
    Data(DataPos),
    /// The partition's entry in Rows.db.
    Rows(FilePos),
}

/// Payload of a node of a row trie.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockPayload {
    /// The payload bytes.
    pub bytes: ByteBuf,
    /// Block start, from the start of the partition in Data.db.
    pub offset: u64,
    /// Range deletion in force at the block's start.
    pub open: Option<Deletion>,
}

/// The entry of a wide partition in Rows.db.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowEntryStep {
    /// Position of the entry's first byte, the key length.
    pub at: FilePos,
    /// Bytes of the entry.
    pub size: u32,
    /// The partition key stored there.
    pub key: ByteBuf,
    /// Whether it is the searched key.
    pub equal: bool,
    /// Position of the partition in Data.db.
    pub data: DataPos,
    /// Position after the key, from which the root is counted.
    pub base: FilePos,
    /// Root of the row trie.
    pub root: FilePos,
    /// Number of row blocks.
    pub blocks: u64,
    /// Deletion of the whole partition.
    pub deletion: Option<Deletion>,
}

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
