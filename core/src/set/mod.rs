//! A complete SSTable in another version: everything but the index, which [`crate::twin`] builds over it.
//!
//! [`SetPlan`] says what is copied and what is written anew, or why it cannot be; [`SetJob`] does it, file by file, into a
//! sink of the caller, in bounded memory; [`SetReport`] says what had to be assumed.

mod index;
mod job;
mod plan;
mod report;
mod sketch;
mod statistics;

pub use job::{SetError, SetJob, SetProgress};
pub use plan::{RowPlan, SetPlan, SetRefusal};
pub use report::{Note, SetReport};
pub use sketch::SketchMaker;
pub use statistics::{Known, convert};
