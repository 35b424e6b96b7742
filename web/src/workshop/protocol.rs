//! What the workshop is asked, and what it answers.

use crate::board::{Board, BoardAsk, BoxAsk, Readings};
use crate::model::{Made, TableId, TwinWords};
use crate::state::store::TwinCall;
use crate::state::supervisor::Keep;
use crate::worker::frames::{Carries, OpenFile, Protocol};
use serde::{Deserialize, Serialize};
use triescope_core::race::Race;

/// The language of the workshop.
#[derive(Clone, Copy, Debug)]
pub struct Writing;

impl Protocol for Writing {
    type Request = Request;
    type Reply = Reply;

    fn keeps(request: &Request) -> Keep {
        match request {
            Request::Open { .. } => Keep::Anew,
            _ => Keep::No,
        }
    }
}

/// What the page asks for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// Open these files, instead of what is open, under the numbers that the lookup worker gives them.
    Open {
        /// The files. They cross over beside the message.
        #[serde(skip)]
        files: Vec<OpenFile>,
        /// Number of the first SSTable.
        first: TableId,
    },
    /// Build an index that an open SSTable does not have.
    Twin(TwinCall),
    /// Make a sample.
    Make(MakeCall),
    /// A race as JSON: the code that writes it is not needed before a person asks for it.
    Json(Box<Race>),
    /// A board.
    Board(BoardAsk),
    /// What a board shows as text.
    Text(BoardAsk),
    /// What a text in the one box means.
    Box(BoxAsk),
}

/// A sample that is made: one table, once for each version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MakeCall {
    /// Its name, which is the folder of its files.
    pub name: String,
    /// The versions: `ms`, `mt`, `me`.
    pub versions: Vec<String>,
    /// What is in it.
    pub made: Made,
}

/// What the workshop answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Reply {
    /// The files are open.
    Opened,
    /// An index was built.
    Twin {
        /// The version whose index it is.
        version: String,
        /// How it came about.
        words: TwinWords,
        /// Its files, each with the name of its component as its path.
        #[serde(skip)]
        files: Vec<OpenFile>,
    },
    /// A sample was made.
    Made {
        /// Its files.
        #[serde(skip)]
        files: Vec<OpenFile>,
    },
    /// A board.
    Board(Box<Board>),
    /// What a text in the one box may mean.
    Readings(Readings),
    /// Something as text.
    Text(String),
    /// Nothing was built.
    Not {
        /// Why, a sentence.
        why: String,
        /// Whether it would be if a person says so.
        ask: bool,
    },
    /// How far something long has come: done, of. Never final.
    Progress(u64, u64),
}

impl Carries for Request {
    fn files(&self) -> &[OpenFile] {
        match self {
            Self::Open { files, .. } => files,
            _ => &[],
        }
    }

    fn put_files(&mut self, came: Vec<OpenFile>) {
        if let Self::Open { files, .. } = self {
            *files = came;
        }
    }
}

impl Carries for Reply {
    fn files(&self) -> &[OpenFile] {
        match self {
            Self::Twin { files, .. } | Self::Made { files } => files,
            _ => &[],
        }
    }

    fn put_files(&mut self, came: Vec<OpenFile>) {
        if let Self::Twin { files, .. } | Self::Made { files } = self {
            *files = came;
        }
    }
}
