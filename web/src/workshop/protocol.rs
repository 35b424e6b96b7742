//! What the workshop is asked, and what it answers.

use crate::model::{Opened, TableId};
use crate::state::supervisor::Keep;
use crate::worker::frames::{Carries, OpenFile, Protocol};
use serde::{Deserialize, Serialize};

/// The language of the workshop.
#[derive(Clone, Copy, Debug)]
pub struct Writing;

impl Protocol for Writing {
    type Request = Request;
    type Reply = Reply;

    fn keeps(request: &Request) -> Keep {
        match request {
            Request::Open { .. } => Keep::Anew,
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
}

/// What the workshop answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Reply {
    /// The files are open.
    Opened(Opened),
    /// How far something long has come: done, of. Never final.
    Progress(u64, u64),
}

impl Carries for Request {
    fn files(&self) -> &[OpenFile] {
        match self {
            Self::Open { files, .. } => files,
        }
    }

    fn put_files(&mut self, came: Vec<OpenFile>) {
        match self {
            Self::Open { files, .. } => *files = came,
        }
    }
}

impl Carries for Reply {}
