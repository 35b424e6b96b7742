//! The legacy index: Summary.db and Index.db with its promoted index.

mod summary;

pub use summary::{Summary, SummaryHeader};
