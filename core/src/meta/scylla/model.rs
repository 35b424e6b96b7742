//! The records of Scylla.db as plain data.
//!
//! Numbers that name a kind are kept as they stand in the file, with a method for the word: newer writers add kinds.

use super::ScyllaFeatures;
use crate::error::ReadError;
use crate::meta::Checksum;
use crate::pos::FilePos;
use crate::table::Part;

/// What Scylla.db says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScyllaMetadata {
    /// The records in the order of the file, which means nothing.
    pub records: Vec<ScyllaRecord>,
    /// The checksum at the end, in files that have component digests.
    pub checksum: Option<Checksum>,
    /// What could not be read: the body of a record, or everything behind a record that passes the end of the file.
    pub problems: Vec<ReadError>,
}

/// A record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScyllaRecord {
    /// Position of its tag.
    pub at: FilePos,
    /// Its tag.
    pub tag: u32,
    /// Bytes of its body, which begins 8 bytes after [`Self::at`].
    pub size: u32,
    /// What it says.
    pub body: ScyllaBody,
}

/// What a record says. A UUID is its 16 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScyllaBody {
    /// Tag 1: the token ranges of the shard that wrote it.
    Sharding(Vec<TokenRange>),
    /// Tag 2: feature bits.
    Features(ScyllaFeatures),
    /// Tag 3: attributes of schema extensions, name and value.
    Extensions(Vec<(Vec<u8>, Vec<u8>)>),
    /// Tag 4: the compaction run that wrote it.
    Run([u8; 16]),
    /// Tag 5: how large partitions, rows and cells are.
    LargeDataStats(Vec<LargeData>),
    /// Tag 6: what wrote it, `memtable` or `compaction` for instance.
    Origin(String),
    /// Tag 7: build of the writer.
    Build(String),
    /// Tag 8: version of the writer.
    Version(String),
    /// Tag 9: least timestamps of live data.
    Timestamps(Vec<TimestampStat>),
    /// Tag 10: identifier of the SSTable.
    Sstable([u8; 16]),
    /// Tag 11: the schema of the table.
    Schema(ScyllaSchema),
    /// Tag 12: checksums of the other components.
    Digests(Vec<ComponentDigest>),
    /// Tag 13: the largest partitions, rows and cells.
    LargeDataRecords(Vec<LargeDataRecord>),
    /// A tag that this program does not know, or a body that could not be read ([`ScyllaMetadata::problems`] says why).
    Unknown(Vec<u8>),
}

/// A range of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRange {
    /// Its start.
    pub left: TokenBound,
    /// Its end.
    pub right: TokenBound,
}

/// A bound of a range of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenBound {
    /// Whether the token itself is outside the range.
    pub exclusive: bool,
    /// The token: 8 bytes, a big-endian `i64`, in all known files.
    pub token: Vec<u8>,
}

/// How large the greatest of a kind is, and how many are above the threshold of the writer's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LargeData {
    /// Kind: see [`Self::name`].
    pub kind: u32,
    /// The greatest: bytes, or a number of rows or elements.
    pub max: u64,
    /// The threshold in the same unit.
    pub threshold: u64,
    /// How many are above it.
    pub above: u32,
}

/// A least timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimestampStat {
    /// Kind: see [`Self::name`].
    pub kind: u32,
    /// Microseconds; `i64::MAX` when there is no such data.
    pub timestamp: i64,
}

/// A schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScyllaSchema {
    /// Identifier of the table.
    pub table_id: [u8; 16],
    /// Version of the schema.
    pub version: [u8; 16],
    /// Keyspace.
    pub keyspace: String,
    /// Table.
    pub table: String,
    /// All columns.
    pub columns: Vec<ScyllaColumn>,
}

/// A column of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScyllaColumn {
    /// What it is; `None` for a number that this program does not know.
    pub kind: Option<ColumnKind>,
    /// Name, as bytes: names of old tables need not be text.
    pub name: Vec<u8>,
    /// Class of its type.
    pub class: String,
}

/// What a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// 1: of the partition key.
    PartitionKey,
    /// 2: of the clustering.
    Clustering,
    /// 3: static.
    Static,
    /// 4: regular.
    Regular,
}

/// The checksum of another component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComponentDigest {
    /// Position of its component number in Scylla.db; the checksum lies 4 bytes after it.
    pub at: FilePos,
    /// Number of the component.
    pub component: u32,
    /// The component with that number; `None` for temporary files and numbers that this program does not know.
    pub part: Option<Part>,
    /// CRC32 of the whole file.
    pub crc32: u32,
}

/// One of the largest partitions, rows or cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LargeDataRecord {
    /// Kind, as in [`LargeData::kind`].
    pub kind: u32,
    /// Partition key, serialized.
    pub key: Vec<u8>,
    /// Clustering, serialized; empty for a partition.
    pub clustering: Vec<u8>,
    /// Column; empty but for a cell.
    pub column: Vec<u8>,
    /// How large: bytes, or a number of rows or elements.
    pub value: u64,
    /// Elements of a collection.
    pub elements: u64,
    /// Range tombstones of a partition.
    pub range_tombstones: u64,
    /// Dead rows of a partition.
    pub dead_rows: u64,
}

impl ScyllaMetadata {
    /// The features; none without their record.
    pub fn features(&self) -> ScyllaFeatures {
        let features = self.records.iter().find_map(|record| match record.body {
            ScyllaBody::Features(features) => Some(features),
            _ => None,
        });
        features.unwrap_or_default()
    }

    /// The checksums of other components.
    pub fn digests(&self) -> &[ComponentDigest] {
        let digests = self.records.iter().find_map(|record| match &record.body {
            ScyllaBody::Digests(digests) => Some(digests.as_slice()),
            _ => None,
        });
        digests.unwrap_or_default()
    }

    /// The schema.
    pub fn schema(&self) -> Option<&ScyllaSchema> {
        self.records.iter().find_map(|record| match &record.body {
            ScyllaBody::Schema(schema) => Some(schema),
            _ => None,
        })
    }
}

impl ScyllaRecord {
    /// The record in words: `token ranges of the shard`; `unknown record` for a tag that this program does not know.
    pub const fn name(&self) -> &'static str {
        match self.tag {
            1 => "token ranges of the shard",
            2 => "features",
            3 => "extension attributes",
            4 => "compaction run",
            5 => "large data statistics",
            6 => "origin",
            7 => "build of the writer",
            8 => "version of the writer",
            9 => "least live timestamps",
            10 => "SSTable identifier",
            11 => "schema",
            12 => "component digests",
            13 => "large data records",
            _ => "unknown record",
        }
    }
}

impl ScyllaFeatures {
    /// All features with a name, in the order of their bits.
    pub const NAMES: [&'static str; 7] = [
        "NonCompoundPIEntries",
        "NonCompoundRangeTombstones",
        "ShadowableTombstones",
        "CorrectStaticCompact",
        "CorrectEmptyCounters",
        "CorrectUDTsInCollections",
        "CorrectLastPiBlockWidth",
    ];

    /// The names of the bits that are set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES
            .into_iter()
            .enumerate()
            .filter(move |(bit, _)| self.0 >> bit & 1 == 1)
            .map(|(_, name)| name)
    }

    /// Bits that are set and have no name here.
    pub const fn unnamed(self) -> u64 {
        self.0 >> Self::NAMES.len() << Self::NAMES.len()
    }
}

impl TokenBound {
    /// The token as a number, where it has 8 bytes.
    pub fn number(&self) -> Option<i64> {
        Some(i64::from_be_bytes(self.token.as_slice().try_into().ok()?))
    }
}

impl LargeData {
    /// What is counted, for a kind that this program knows.
    pub const fn name(&self) -> Option<&'static str> {
        large(self.kind)
    }
}

impl LargeDataRecord {
    /// What is counted, for a kind that this program knows.
    pub const fn name(&self) -> Option<&'static str> {
        large(self.kind)
    }
}

const fn large(kind: u32) -> Option<&'static str> {
    Some(match kind {
        1 => "bytes of a partition",
        2 => "bytes of a row",
        3 => "bytes of a cell",
        4 => "rows of a partition",
        5 => "elements of a collection",
        _ => return None,
    })
}

impl TimestampStat {
    /// Whose timestamp, for a kind that this program knows.
    pub const fn name(&self) -> Option<&'static str> {
        match self.kind {
            1 => Some("least live timestamp"),
            2 => Some("least live row marker timestamp"),
            _ => None,
        }
    }
}

impl ColumnKind {
    pub(super) const fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            1 => Self::PartitionKey,
            2 => Self::Clustering,
            3 => Self::Static,
            4 => Self::Regular,
            _ => return None,
        })
    }
}

impl ComponentDigest {
    /// The component with a number of tag 12.
    pub(super) const fn part(component: u32) -> Option<Part> {
        Some(match component {
            0 => Part::Index,
            1 => Part::CompressionInfo,
            2 => Part::Data,
            3 => Part::Toc,
            4 => Part::Summary,
            5 => Part::Digest,
            6 => Part::Crc,
            7 => Part::Filter,
            8 => Part::Statistics,
            11 => Part::Scylla,
            12 => Part::Rows,
            13 => Part::Partitions,
            // 9, 10 and 14 are temporary files.
            _ => return None,
        })
    }
}
