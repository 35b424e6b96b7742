//! What a person can choose of a twin.

use super::Target;
use crate::big::SampleRule;
use crate::source::Source;
use crate::table::Table;
use serde::{Deserialize, Serialize};

/// What is built, and how. Everything but the target has a default that follows the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TwinOptions {
    /// Whose index.
    pub target: Target,
    /// Bytes of rows after which a row block is closed, at least 1. Where it is given, blocks are formed again from the
    /// rows in Data.db. `None` keeps the blocks of the source, and where that has no index takes
    /// [`Target::default_block_bytes`].
    pub block_bytes: Option<u64>,
    /// Which keys Summary.db samples. `None`: as the source does, else as the database does that writes the target.
    pub samples: Option<SampleRule>,
    /// Rows.db ends with the four bytes `13371337`, as ScyllaDB's writers from September 2025 to August 2026 ended it.
    /// Other targets have none.
    pub filler: bool,
}

/// How Summary.db is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sampling {
    pub rule: SampleRule,
    /// The table's `min_index_interval`.
    pub interval: u32,
    /// Nothing told it.
    pub is_assumed: bool,
}

/// Keys between two samples, where nothing tells: the default of both databases.
const INTERVAL: u32 = 128;

impl TwinOptions {
    /// A target with all defaults.
    pub fn new(target: Target) -> Self {
        Self { target, block_bytes: None, samples: None, filler: false }
    }

    /// How the summary of the target is sampled.
    pub(super) fn sampling<S: Source>(&self, table: &Table<S>) -> Sampling {
        let own = table.summary.as_ref().map(|summary| summary.header.min_index_interval);
        let by_scylla = table.is_written_by_scylla() && self.target.version().is_read_by_scylla();
        let rule = self.samples.unwrap_or(match by_scylla {
            true => SampleRule::Scylla,
            false => SampleRule::Every(own.unwrap_or(INTERVAL)),
        });
        let interval = match rule {
            SampleRule::Every(interval) => interval.max(1),
            SampleRule::Scylla => own.unwrap_or(INTERVAL),
        };
        Sampling { rule, interval, is_assumed: self.samples.is_none() && own.is_none() }
    }
}
