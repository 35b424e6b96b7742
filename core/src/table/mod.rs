//! What makes an SSTable: its components, its version, and how files become one.

mod facts;
mod formats;
mod generation;
mod group;
mod name;
mod open;
mod pairs;
mod part;
pub mod remarks;
mod version;
pub mod words;

pub use facts::*;
pub use formats::{
    ChunkChecksum, ClusteringForm, CommitLogForm, DataForm, DeletionForm, FilterDoubt,
    FilterFormat, Formats, IndexFormat, StatisticsFormat,
};
pub use generation::Generation;
pub use group::{FileSet, Grouping, IndexEvidence, SetFile, Stranger, group};
pub use name::{ComponentName, NameError, TableName};
pub use open::Table;
pub use pairs::pairs;
pub use part::Part;
pub use version::{IndexKind, Product, Version};
