//! How a writer packs a trie, step by step, and whether a file is what a database's writer makes.
//!
//! [`Entries`] are what a writer of one trie is fed. A [`Replay`] runs the real writer over them once and keeps
//! checkpoints; then [`Replay::frame`] gives the state after any step, as data. See `docs/format/packing.md`.

mod build;
mod code;
mod entries;
mod error;
mod frame;
mod model;
mod parting;
mod rebuild;
mod run;
mod shortest;
mod snapshot;
mod tally;
mod typed;
mod verdict;
pub mod words;
mod writer;

pub use build::EntriesJob;
pub use code::{CodeLine, line, pseudocode};
pub use entries::{Entries, Fragments};
pub use error::{EntriesError, TypedError};
pub use frame::{
    Choice, Counts, Decision, DecisionKind, FileFill, Frame, Layout, Level, LevelState, PageFill,
    Segment, SegmentKind, Subtree, SubtreeState,
};
pub use parting::{Costs, Parted, Parting, PartingJob, Side};
pub use run::{Checkpoints, PageMark, Progress, Replay, Totals, trace};
pub use tally::Tally;
pub use typed::{Generated, TypedKeys};
pub use verdict::{Difference, Judged, Judging, Nothing, Structure, Verdict};
pub use writer::Writer;
