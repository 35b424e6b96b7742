//! What was counted, as plain data for pages, terminals and tests. All sizes are bytes.

use super::sizes::PartitionSizes;
use crate::bti::NodeKind;
use crate::error::ReadError;
use crate::table::Part;
use serde::{Deserialize, Serialize};

/// Where the bytes of an SSTable go.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Census {
    /// Partitions that the index has.
    pub partitions: u64,
    /// All components, with what they take for each partition.
    pub components: Vec<ComponentCensus>,
    /// Partitions.db.
    pub trie: Option<PartitionsCensus>,
    /// Rows.db; `None` where it has no bytes.
    pub rows: Option<RowsCensus>,
    /// Index.db.
    pub index: Option<IndexCensus>,
    /// Summary.db.
    pub summary: Option<SummaryCensus>,
    /// How large partitions are in Data.db.
    pub sizes: PartitionSizes,
    /// What could not be read, and is not counted: the first one hundred. The checks say more.
    pub problems: Vec<ReadError>,
}

/// A component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComponentCensus {
    /// Which one; `None` for a file with a name that this program does not know.
    pub part: Option<Part>,
    /// Its word in the file name.
    pub name: String,
    /// Its bytes.
    pub bytes: u64,
    /// Bytes for each partition; `None` where the index has none.
    pub per_partition: Option<f64>,
}

/// Nodes of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindCensus {
    /// The type.
    pub kind: NodeKind,
    /// How many.
    pub nodes: u64,
    /// Their bytes with payload.
    pub bytes: u64,
}

/// Nodes of one trie, or of all tries of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrieCensus {
    /// Nodes.
    pub nodes: u64,
    /// Their bytes: the sum of the next four.
    pub bytes: u64,
    /// First bytes of nodes, and what dense and sparse ones have before their lists. Four pointer bits of types 1 and 3
    /// are among them.
    pub header_bytes: u64,
    /// Transition bytes that are written one by one.
    pub transition_bytes: u64,
    /// Distances to children.
    pub pointer_bytes: u64,
    /// Payloads.
    pub payload_bytes: u64,
    /// Types that occur, by code.
    pub kinds: Vec<KindCensus>,
    /// Nodes with a payload.
    pub payloads: u64,
    /// Children, each once.
    pub pointers: u64,
    /// Children in another page than their parent.
    pub crossing_pointers: u64,
    /// Empty slots of dense nodes.
    pub empty_slots: u64,
    /// Greatest number of bytes that lead to a node.
    pub max_depth: u64,
    /// Payloads by the number of bytes that lead to them, from 0; the last number counts all greater ones.
    pub depths: Vec<u64>,
    /// Payloads by the number of pages from root to payload, from 0; the last number counts all greater ones.
    pub pages_of_lookups: Vec<u64>,
    /// Zero bytes where pages end.
    pub padding_bytes: u64,
    /// Pages that end so.
    pub padded_pages: u64,
    /// Whole pages, by the tenth of them that is used: the last number counts 90 % and more.
    pub fill: [u64; 10],
}

/// Partitions.db.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartitionsCensus {
    /// The file.
    pub bytes: u64,
    /// Its nodes.
    pub nodes: TrieCensus,
    /// First and last key with their lengths.
    pub key_bytes: u64,
    /// The footer.
    pub footer_bytes: u64,
    /// Bytes that belong to none of these; damage.
    pub unclaimed_bytes: u64,
}

/// Rows.db.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowsCensus {
    /// The file.
    pub bytes: u64,
    /// The nodes of all row tries.
    pub nodes: TrieCensus,
    /// The entries.
    pub entries: EntryCensus,
    /// What follows the last entry.
    pub filler_bytes: u64,
    /// Bytes that belong to none of these; damage.
    pub unclaimed_bytes: u64,
}

/// Entries of Rows.db.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryCensus {
    /// How many.
    pub entries: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Keys among them, with their lengths.
    pub key_bytes: u64,
    /// Row blocks that they count.
    pub blocks: u64,
}

/// Index.db.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexCensus {
    /// The file: the sum of the next four, where it could be read to its end.
    pub bytes: u64,
    /// Keys with their lengths.
    pub key_bytes: u64,
    /// Positions in Data.db.
    pub position_bytes: u64,
    /// Sizes of promoted indexes.
    pub promoted_size_bytes: u64,
    /// Promoted indexes.
    pub promoted_bytes: u64,
    /// Entries.
    pub entries: u64,
    /// Entries that have a promoted index.
    pub promoted_entries: u64,
    /// Bytes of the greatest promoted index.
    pub greatest_promoted_bytes: u64,
}

/// Summary.db.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryCensus {
    /// The file: the sum of the next five.
    pub bytes: u64,
    /// The header.
    pub header_bytes: u64,
    /// Offsets of the samples.
    pub offset_bytes: u64,
    /// Keys of the samples.
    pub key_bytes: u64,
    /// Positions in Index.db.
    pub position_bytes: u64,
    /// First and last key, and what versions `ka` and `la` have behind them.
    pub end_bytes: u64,
    /// Samples.
    pub samples: u64,
}
