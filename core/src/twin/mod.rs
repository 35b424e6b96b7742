//! The twin: from an open SSTable, the index that it does not have, by the writers of [`crate::bti::pack`] and
//! [`crate::big::write`].
//!
//! A *feed* gives the partitions in order, from a trie, from Index.db, or from Data.db alone; a *builder* writes
//! Partitions.db and Rows.db, or Index.db and Summary.db, into sinks of the caller. [`TwinPlan`] says before anything is
//! read which feed it will be, what that costs and what stands against it; [`TwinJob`] does the work in steps, and
//! [`TwinReport`] says what was built from what. See `docs/twin.md`.

mod build;
mod feed;
mod former;
mod job;
mod options;
mod plan;
mod report;
mod target;

pub use job::{Twin, TwinJob};
use options::Sampling;
pub use options::TwinOptions;
pub use plan::{Estimate, Refusal, TwinPlan};
pub use report::{Assumption, BlockSize, BuiltFrom, Progress, TwinReport};
pub use target::Target;
