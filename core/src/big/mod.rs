//! The legacy index: Summary.db and Index.db with its promoted index.

mod cells;
pub mod check;
mod index;
mod parse;
pub(crate) mod promoted;
mod sample;
mod samples;
mod segments;
mod summary;
pub mod write;

pub(crate) use index::{Ahead, Heads};
pub use index::{EntryHead, IndexWalk};
pub(crate) use parse::parse;
pub(crate) use promoted::read_first;
pub use promoted::{Block, BlockLayout, Bound, BoundKind, PromotedHead};
pub use sample::{Progress, SampleMaker, SampleRule, Sampled, Sampler};
pub use samples::Samples;
pub(crate) use samples::too_many_entries;
pub use segments::{SegmentBounds, Segments};
pub use summary::{Summary, SummaryHeader};
