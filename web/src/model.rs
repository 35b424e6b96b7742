//! What the worker tells the page beside [`triescope_core::race`]: plain data, drawn and worded by the page.

use serde::{Deserialize, Serialize};
use triescope_core::error::ReadError;
use triescope_core::table::TableFacts;

/// Number of an opened SSTable in the worker.
pub type TableId = u32;

/// Files that were dropped or picked, grouped.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// The SSTables, trie index first.
    pub tables: Vec<(TableId, TableFacts)>,
    /// Pairs of the same rows: same first and last key and same number of partitions.
    pub pairs: Vec<Pair>,
    /// Files that belong to no SSTable, with what was expected and found.
    pub strangers: Vec<Stranger>,
}

/// A trie SSTable and a legacy SSTable of the same rows, or one of them alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The one with the trie index.
    pub trie: Option<TableId>,
    /// The one with the legacy index.
    pub legacy: Option<TableId>,
}

/// A file that belongs to no SSTable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stranger {
    /// Its path.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Why: `expected a name like da-1-bti-Partitions.db`.
    pub why: String,
}

/// What the worker answers when a request cannot be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Failure {
    /// Text in a box that is no key of this table; the text says what was expected.
    Text {
        /// What was expected, a sentence.
        why: String,
    },
    /// Damage or an unreadable file.
    Read(ReadError),
    /// Index.db is larger than what is sampled without asking.
    AskToSample {
        /// Its size.
        bytes: u64,
    },
    /// The request was cancelled.
    Cancelled,
    /// The worker died; it was started again.
    WorkerDied {
        /// What it last said.
        said: String,
    },
}
