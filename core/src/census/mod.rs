//! Where the bytes of an SSTable go: nodes by type, pointers, payload, transitions, padding, depth and fill of the trie
//! index; keys, positions and promoted indexes of the legacy one; bytes a partition of every component; and how large
//! partitions are as the index alone tells.
//!
//! A [`CensusJob`] counts in pieces and gives a [`Census`]; a [`PagesJob`] counts for each page of the index, and each chunk
//! of Data.db, what lies in it.

mod job;
mod legacy;
mod model;
mod pages;
mod sizes;
mod sparse;

pub use job::CensusJob;
pub(crate) use job::keep;
pub use model::{
    Census, ComponentCensus, EntryCensus, IndexCensus, KindCensus, PartitionsCensus, RowsCensus,
    SummaryCensus, TrieCensus,
};
pub(crate) use pages::spread;
pub use pages::{ChunkCount, DataStarts, PageCount, PagesJob, shares};
pub use sizes::{PartitionSizes, SizeScan, Sized};
pub use sparse::Sparse;
