//! Named checks: what can be wrong with an SSTable, where it is wrong, and what that means to a reader of the table.
//!
//! A [`Check`] is a rule with an id; a [`Finding`] is a place that breaks it. A [`CheckJob`] runs the stages that look:
//! each lives in the room of the format it knows ([`crate::bti`], [`crate::big`]), those about the set of files, its
//! metadata and the whole live here.

pub mod catalog;
mod chunks;
mod components;
mod deep;
mod files;
mod finding;
pub mod flip;
mod job;
mod keys;
mod offsets;
mod partitions;
pub mod scope;
mod statistics;
mod stored;
mod sums;
mod within;

pub use catalog::{Area, Check, Severity};
pub use files::split_names;
pub use finding::{Cost, Finding, Findings};
pub use job::{CheckJob, CheckOptions, Progress, Report};
pub(crate) use job::{Stage, Step};
