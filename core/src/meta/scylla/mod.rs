//! Scylla.db, ScyllaDB's own metadata: the features that lookups need, and all records (`docs/format/scylla.md`).

mod features;
mod model;
mod read;

pub use features::ScyllaFeatures;
pub use model::{
    ColumnKind, ComponentDigest, LargeData, LargeDataRecord, ScyllaBody, ScyllaColumn,
    ScyllaMetadata, ScyllaRecord, ScyllaSchema, TimestampStat, TokenBound, TokenRange,
};
