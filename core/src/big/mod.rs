//! The legacy index: Summary.db and Index.db with its promoted index.

mod index;
mod parse;
mod sample;
mod summary;

pub use index::{EntryHead, IndexWalk};
pub use sample::{Progress, SampleRule, Sampled, Sampler};
pub use summary::{Summary, SummaryHeader};
