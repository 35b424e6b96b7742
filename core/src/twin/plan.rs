//! What a twin will be built from and what that costs, before anything is read; or why it cannot be built.

use super::{BuiltFrom, TwinOptions};
use crate::big::SampleRule;
use crate::keys::Partitioner;
use crate::limits;
use crate::lookup::NotConfirmed;
use crate::meta::SliceBound;
use crate::pos::len64;
use crate::source::Source;
use crate::table::{Count, IndexFormat, IndexKind, Part, Table};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Bytes of a partition in Partitions.db: real files have 7 to 10.5, and longer prefixes where tokens are equal.
const TRIE_ENTRY_BYTES: u64 = 12;
/// Bytes of an entry of Index.db beside its key: length, position, promoted size.
const INDEX_ENTRY_BYTES: u64 = 9;
/// Bytes of a block in Rows.db: payload, and pointers of the nodes above it.
const TRIE_BLOCK_BYTES: u64 = 24;
/// Bytes of a block of a promoted index beside its two clusterings.
const PROMOTED_BLOCK_BYTES: u64 = 20;
/// Bytes of a clustering at least: the ends that Statistics.db has may be short ones.
const CLUSTERING_BYTES: u64 = 24;

/// What stands against a twin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// Neither an index that can be read nor Data.db is here.
    NothingToReadFrom,
    /// Keys or rows are needed, and they stand in Data.db alone.
    Data {
        /// What is needed of it.
        needed: DataNeed,
        /// Why it cannot be asked.
        why: NotConfirmed,
    },
    /// Rows are needed, and without Statistics.db their form is not known.
    NoTypes,
    /// Data.db has cells and no rows.
    NoRows,
    /// The order of tokens is not known, and a trie is written in it.
    Partitioner {
        /// Its class.
        class: String,
    },
    /// A block of no bytes.
    EmptyBlocks,
    /// It is greater than the caller has room for.
    TooLarge {
        /// What it needs.
        estimate: Estimate,
        /// The room, bytes.
        room: u64,
    },
}

/// What Data.db is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DataNeed {
    /// The keys, of which a trie has prefixes only.
    Keys,
    /// The rows, to form blocks again.
    Rows,
}

/// What a twin costs, as far as it is known before it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    /// What it is built from.
    pub from: BuiltFrom,
    /// Partitions, where the source tells.
    pub partitions: Option<u64>,
    /// Bytes that are read, at most.
    pub read: u64,
    /// Bytes of the files, more rather than less.
    pub result: u64,
    /// Bytes of memory while it is built, without the files: it does not grow with the number of partitions, but for the
    /// samples of Summary.db, nor with the rows of a partition, but for four bytes a block in a promoted index.
    pub memory: u64,
}

/// A twin that can be built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TwinPlan {
    /// What was asked for.
    pub options: TwinOptions,
    /// What it costs.
    pub estimate: Estimate,
}

impl TwinPlan {
    /// Chooses what to build from. Nothing is read.
    ///
    /// # Errors
    /// Why it cannot be built.
    pub fn new<S: Source>(table: &Table<S>, options: TwinOptions) -> Result<Self, Refusal> {
        if options.block_bytes == Some(0) {
            return Err(Refusal::EmptyBlocks);
        }
        let partitioner = table.partitioner();
        if let (Partitioner::Unknown(class), IndexKind::Trie) =
            (&partitioner, options.target.kind())
        {
            return Err(Refusal::Partitioner { class: class.clone() });
        }
        let from = choose(table, &options)?;
        Ok(Self { options, estimate: estimate(table, &options, from) })
    }
}

impl Estimate {
    /// Whether files and memory together fit a room of so many bytes.
    ///
    /// # Errors
    /// The refusal that says both.
    pub fn fits(&self, room: u64) -> Result<(), Refusal> {
        match self.result.saturating_add(self.memory) <= room {
            true => Ok(()),
            false => Err(Refusal::TooLarge { estimate: *self, room }),
        }
    }
}

fn choose<S: Source>(table: &Table<S>, options: &TwinOptions) -> Result<BuiltFrom, Refusal> {
    let index = match (table.readable_index(), &table.footer) {
        // Without Rows.db nothing is known of wide partitions, not even their keys: then Data.db alone tells more.
        (Some(IndexKind::Trie), Some(_))
            if [Part::Partitions, Part::Rows].iter().all(|part| table.source(*part).is_some()) =>
        {
            Some(IndexKind::Trie)
        }
        (Some(IndexKind::Legacy), _) if table.source(Part::Index).is_some() => {
            Some(IndexKind::Legacy)
        }
        _ => None,
    };
    match (index, options.block_bytes) {
        (Some(IndexKind::Legacy), None) => Ok(BuiltFrom::Legacy),
        (Some(IndexKind::Trie), None) => {
            data(table, DataNeed::Keys)?;
            let with_rows = needs_rows(table, options);
            if with_rows {
                rows(table)?;
            }
            Ok(BuiltFrom::Trie { with_rows })
        }
        (None, _) if table.source(Part::Data).is_none() => Err(Refusal::NothingToReadFrom),
        (_, size) => {
            data(table, DataNeed::Rows)?;
            rows(table)?;
            let block_bytes = size.unwrap_or_else(|| options.target.default_block_bytes());
            Ok(BuiltFrom::Data { block_bytes })
        }
    }
}

/// Whether Rows.db says too little of its blocks: a promoted index holds clusterings; ScyllaDB's trie has the pieces of
/// those that the separators were cut from; and other separators belong to other dialects.
fn needs_rows<S: Source>(table: &Table<S>, options: &TwinOptions) -> bool {
    let is_same = options.target.flavour().is_some_and(|it| it.edge_bytes == 1)
        && table.version() == options.target.version();
    table.facts.has_row_index && !is_same
}

fn data<S: Source>(table: &Table<S>, needed: DataNeed) -> Result<(), Refusal> {
    match table.data_reader() {
        Ok(_) => Ok(()),
        Err(why) => Err(Refusal::Data { needed, why }),
    }
}

fn rows<S: Source>(table: &Table<S>) -> Result<(), Refusal> {
    if !table.data_version().has_rows() {
        return Err(Refusal::NoRows);
    }
    table.data_format().map(|_| ()).ok_or(Refusal::NoTypes)
}

fn estimate<S: Source>(table: &Table<S>, options: &TwinOptions, from: BuiltFrom) -> Estimate {
    let len = |part| table.source(part).map_or(0, Source::len);
    let sum = |parts: &[Part]| parts.iter().map(|part| len(*part)).fold(0, u64::saturating_add);
    let read = match from {
        BuiltFrom::Legacy => len(Part::Index),
        BuiltFrom::Trie { .. } => sum(&[Part::Partitions, Part::Rows, Part::Data]),
        BuiltFrom::Data { .. } => len(Part::Data),
    };
    let partitions = table.facts.partitions.map(|count| match count {
        Count::Exact(count) | Count::FromStatistics(count) => count,
    });
    let key = key_bytes(table);
    let fixed = table.version().formats().index == IndexFormat::Fixed;
    let entry = key + 2 + if fixed { 12 } else { 2 };
    // Without any count, the least bytes that a partition has in what is read.
    let most = match from {
        BuiltFrom::Legacy => read / entry.max(1),
        _ => len(Part::Data),
    };
    let count = partitions.unwrap_or(most).min(most.max(1));
    // A byte of a separator that no other shares takes two in a trie; a promoted index has two clusterings a block. These
    // are all bytes of Data.db.
    let fixed = match options.target.kind() {
        IndexKind::Trie => TRIE_BLOCK_BYTES,
        IndexKind::Legacy => PROMOTED_BLOCK_BYTES,
    };
    let length = table.facts.data_length.unwrap_or(u64::MAX);
    let of_blocks = |blocks: u64| {
        let clusterings = blocks.saturating_mul(clustering_bytes(table)).min(length);
        blocks.saturating_mul(fixed).saturating_add(clusterings.saturating_mul(2))
    };
    let rows = match from {
        BuiltFrom::Data { block_bytes } => {
            of_blocks(table.facts.data_length.unwrap_or(read) / block_bytes.max(1))
        }
        BuiltFrom::Trie { .. } => match options.target.kind() {
            IndexKind::Trie => len(Part::Rows).saturating_mul(2),
            // A block has at least four bytes in Rows.db.
            IndexKind::Legacy => of_blocks(len(Part::Rows) / 4),
        },
        // A deletion may take 12 bytes where it took one.
        BuiltFrom::Legacy => read.saturating_sub(count.saturating_mul(entry.saturating_sub(12))),
    };
    let each = match options.target.kind() {
        IndexKind::Trie => TRIE_ENTRY_BYTES,
        IndexKind::Legacy => key + INDEX_ENTRY_BYTES,
    };
    let samples = match options.target.kind() {
        IndexKind::Trie => 0,
        IndexKind::Legacy => {
            let samples = match options.sampling(table).rule {
                SampleRule::Every(interval) => count / u64::from(interval.max(1)),
                // By bytes of data, and at most 10,000 partitions apart.
                SampleRule::Scylla => {
                    let by_data = table.facts.data_length.unwrap_or(read) / (2000 * (key + 10));
                    by_data.saturating_add(count / 10_000).min(count)
                }
            };
            (samples + 1).saturating_mul(key + 24)
        }
    };
    let result = count.saturating_mul(each).saturating_add(rows).saturating_add(samples);
    // Both end keys and the ends of the files.
    let result = result.saturating_add(4 * key + 256);
    let memory = limits::TWIN_BYTES.saturating_add(samples.saturating_mul(2));
    Estimate { from, partitions, read, result, memory }
}

/// Bytes of a clustering, as Statistics.db has the least and the greatest.
fn clustering_bytes<S: Source>(table: &Table<S>) -> u64 {
    let stats = table.statistics.as_ref().and_then(|it| it.stats.as_ref());
    let sum = |values: &[Vec<u8>]| values.iter().map(|it| len64(it.len()) + 2).sum::<u64>();
    let slice = |bound: &SliceBound| {
        bound.values.iter().flatten().map(|it| len64(it.len()) + 2).sum::<u64>()
    };
    let known = stats.into_iter().flat_map(|stats| {
        let lists = [sum(&stats.min_clustering), sum(&stats.max_clustering)];
        let slices = stats.covered.iter().flat_map(|it| [slice(&it.start), slice(&it.end)]);
        lists.into_iter().chain(slices)
    });
    known.max().unwrap_or(0).max(CLUSTERING_BYTES)
}

/// Bytes of a key, as the first and the last one have it.
fn key_bytes<S: Source>(table: &Table<S>) -> u64 {
    let ends = table.facts.ends.as_ref();
    ends.map_or(16, |(first, last)| len64(first.len()).max(len64(last.len())))
}

impl fmt::Display for DataNeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Keys => "a trie holds prefixes of keys only, so Data.db is needed for them",
            Self::Rows => "row blocks are formed from the rows in Data.db",
        })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingToReadFrom => {
                f.write_str("neither an index that can be read nor Data.db is here")
            }
            Self::Data { needed, why } => {
                write!(f, "{needed}, but ")?;
                match why {
                    NotConfirmed::NoData => f.write_str("it is not here"),
                    NotConfirmed::NoCompressionInfo => {
                        f.write_str("it is compressed and CompressionInfo.db is not here")
                    }
                    NotConfirmed::UnknownCompressor { name } => {
                        write!(f, "{name}, which compressed it, is not known")
                    }
                    NotConfirmed::Version => f.write_str("that of this version is not read"),
                    NotConfirmed::Damaged(error) => write!(f, "it cannot be read: {error}"),
                }
            }
            Self::NoTypes => f.write_str(
                "rows are needed, and Statistics.db, which tells their form, cannot be read",
            ),
            Self::NoRows => {
                f.write_str("row blocks cannot be formed from the cells of a version before ma")
            }
            Self::Partitioner { class } => {
                write!(
                    f,
                    "a trie is written in the order of tokens, and that of {class} is not known"
                )
            }
            Self::EmptyBlocks => f.write_str("a row block has at least one byte"),
            Self::TooLarge { estimate, room } => write!(
                f,
                "about {} bytes of index and {} bytes of memory are needed, and there is room for {room}",
                estimate.result, estimate.memory
            ),
        }
    }
}
