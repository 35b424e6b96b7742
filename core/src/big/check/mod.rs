//! Checks of the legacy index: Index.db with its promoted indexes, Summary.db, and what both cost (`docs/format/index.md`,
//! `docs/format/summary.md`).
//!
//! [`LegacyCheck`] walks Index.db once, entry by entry, and Summary.db beside it, sample by sample. Its memory does not
//! grow with the files.

mod about;
mod bounds;
mod compare;
mod cost;
mod facts;
mod job;
mod layout;
mod promoted;
mod quantiles;
mod rule;
mod samples;
mod windows;
mod words;

pub use facts::{
    EndMarker, IndexBytes, LargestWindow, LegacyFacts, LookupPages, PerPartition, PromotedFacts,
    PromotedTotals, Spread, Widths, per_partition, reach, share,
};
pub use job::LegacyCheck;
