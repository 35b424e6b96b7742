//! What the lookup worker is asked, and what it answers.

use super::frames::{Carries, OpenFile, Protocol};
use crate::model::{Opened, Suggestions, TableId, Understood};
use crate::state::intent::TryWhat;
use crate::state::store::{MeansCall, RaceCall};
use crate::state::supervisor::Keep;
use serde::{Deserialize, Serialize};
use triescope_core::race::{Means, Race};
use triescope_core::table::TableFacts;

/// The language of the lookup worker.
#[derive(Clone, Copy, Debug)]
pub struct Lookups;

impl Protocol for Lookups {
    type Request = Request;
    type Reply = Reply;

    fn keeps(request: &Request) -> Keep {
        match request {
            Request::Open { .. } => Keep::Anew,
            Request::Twin { .. } => Keep::Also,
            _ => Keep::No,
        }
    }
}

/// What the page asks for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// Group these files and open the SSTables among them, instead of what is open.
    Open {
        /// The files. They cross over beside the message, since files of the browser are no bytes.
        #[serde(skip)]
        files: Vec<OpenFile>,
        /// Number of the first SSTable.
        first: TableId,
    },
    /// Open an index that was built for an SSTable beside it, as an SSTable of its own.
    Twin {
        /// The SSTable it was built for.
        of: TableId,
        /// Number of the new one.
        id: TableId,
        /// The version whose index it is.
        version: String,
        /// Its files, each with the name of its component as its path.
        #[serde(skip)]
        files: Vec<OpenFile>,
    },
    /// Say what typed text means: partition key and clustering key.
    Parse {
        /// Whose keys they are.
        tables: Which,
        /// The partition key as typed.
        key: String,
        /// The clustering key as typed.
        row: Option<String>,
    },
    /// Look a key up in both indexes.
    Race(RaceCall),
    /// Look many keys up and count. Partial answers come as it goes.
    Means(MeansCall),
    /// Read keys to suggest.
    Suggest(Which),
    /// Find a key of a kind.
    Try(Which, TryWhat),
}

/// The SSTables that a request is about: trie, legacy.
pub type Which = (Option<TableId>, Option<TableId>);

/// What the worker answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Reply {
    /// Files were grouped.
    Opened(Opened),
    /// The twin is open.
    Twin(Box<TableFacts>),
    /// What the text means.
    Parsed(Understood),
    /// Both lanes.
    Race(Box<Race>),
    /// Means so far; final when all keys are done.
    Means(Means),
    /// Keys to suggest.
    Suggested(Suggestions),
    /// A partition key as it is typed.
    Key(String),
    /// How far something long has come: done, of. Never final.
    Progress(u64, u64),
}

impl Carries for Request {
    fn files(&self) -> &[OpenFile] {
        match self {
            Self::Open { files, .. } | Self::Twin { files, .. } => files,
            _ => &[],
        }
    }

    fn put_files(&mut self, came: Vec<OpenFile>) {
        if let Self::Open { files, .. } | Self::Twin { files, .. } = self {
            *files = came;
        }
    }
}

impl Carries for Reply {}
