//! What a person can choose of a twin.

use super::Target;
use crate::big::SampleRule;
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

impl TwinOptions {
    /// A target with all defaults.
    pub fn new(target: Target) -> Self {
        Self { target, block_bytes: None, samples: None, filler: false }
    }
}
