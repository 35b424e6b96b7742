//! A race as data: what is asked, and what both lanes answer.

use crate::keys::Token;
use crate::lookup::{FilterMode, Record, SummarySource};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// Which database reads the legacy index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LegacyReader {
    /// ScyllaDB: a window from sample to sample, parsed whole, then bisected.
    Scylla,
    /// Cassandra: a scan from the sample to the entry.
    Cassandra,
}

/// Cache model of a lookup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CacheModel {
    /// Emptied before every lookup.
    Cold,
    /// Warm: least recently used pages within a budget for each index, after the given keys were looked up in order.
    Warm {
        /// Budget in bytes, for each index.
        bytes: u64,
        /// Keys looked up since it was emptied, oldest first, as texts of the key box.
        keys: Vec<String>,
    },
}

/// A lookup in both indexes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceRequest {
    /// The partition key as typed.
    pub key: String,
    /// The clustering key as typed, where a row is searched.
    pub row: Option<String>,
    /// Reader of the legacy index.
    pub reader: LegacyReader,
    /// Cache model.
    pub cache: CacheModel,
    /// Whether the filter may end the lookup.
    pub filter: FilterMode,
    /// Whether Index.db may be sampled in memory although it is large.
    pub sample_large: bool,
}

/// Both lanes of a lookup.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Race {
    /// The key that was looked up.
    pub key: KeyFacts,
    /// The row that was looked up.
    pub row: Option<RowFacts>,
    /// The trie lane, where there is a trie index.
    pub trie: Option<Lane>,
    /// The legacy lane, where there is a legacy index.
    pub legacy: Option<LegacyLane>,
}

/// One lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// What the reader did.
    pub record: Record,
}

/// The legacy lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LegacyLane {
    /// The lane.
    pub lane: Lane,
    /// Who reads.
    pub reader: LegacyReader,
    /// Where the samples come from.
    pub summary: SummarySource,
    /// Samples in the summary used.
    pub samples: u64,
    /// Positions of the samples in Index.db, at most 4,096 of them spread evenly: for the picture.
    pub sample_positions: Vec<u64>,
    /// Bytes of the summary used: what stays in memory.
    pub resident: u64,
    /// Samples of the file's own Summary.db, where another one is used.
    pub own_samples: Option<u64>,
}

/// A partition key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyFacts {
    /// As CQL text, hex where types are unknown.
    pub text: String,
    /// Serialized.
    pub bytes: ByteBuf,
    /// Its token.
    pub token: Token,
    /// Byte-comparable, as the trie stores prefixes of it.
    pub comparable: ByteBuf,
    /// The parts of `comparable`: bytes and what they are, in order.
    pub parts: Vec<ComparablePart>,
}

/// A part of a byte-comparable key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparablePart {
    /// Number of bytes.
    pub bytes: u32,
    /// What they are.
    pub what: ComparableWhat,
}

/// What some bytes of a byte-comparable key are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ComparableWhat {
    /// A separator before a component.
    Separator,
    /// The token, sign flipped.
    Token,
    /// The serialized key, zero bytes escaped.
    Key,
    /// One column.
    Column(String),
    /// The last byte.
    Terminator,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowFacts {
    /// As CQL text.
    pub text: String,
    /// Byte-comparable.
    pub comparable: ByteBuf,
    /// Its parts.
    pub parts: Vec<ComparablePart>,
}

/// Means over keys.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Means {
    /// Keys looked up so far.
    pub done: u64,
    /// Keys to look up.
    pub of: u64,
    /// Whether these are all keys of the table, or seeded random tokens.
    pub all_keys: bool,
    /// Trie.
    pub trie: Option<MeanCosts>,
    /// Legacy as the chosen reader reads it.
    pub legacy: Option<MeanCosts>,
    /// Legacy as the other reader reads it, where that was counted too.
    pub other: Option<MeanCosts>,
    /// The summary that the chosen reader uses; `None` without a legacy index.
    pub summary: Option<SummaryUsed>,
}

/// The summary that lookups in the legacy index use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryUsed {
    /// Where its samples come from.
    pub source: SummarySource,
    /// How many there are.
    pub samples: u64,
    /// Its bytes, which stay in memory.
    pub resident: u64,
}

/// Sums over the keys looked up; divide by [`Means::done`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeanCosts {
    /// Page fetches, cold.
    pub fetches: u64,
    /// Nodes or entries parsed.
    pub parsed: u64,
    /// Fewest key bytes compared in one lookup.
    pub least_bytes_compared: u64,
    /// Most key bytes compared in one lookup.
    pub most_bytes_compared: u64,
}
