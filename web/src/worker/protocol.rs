//! What page and worker say to each other.
//!
//! Every request has an id and gets exactly one final answer; before it there may be partial ones. Late answers are
//! dropped by id. `At` says which request is being worked on, so that the right one is blamed when the worker dies.

use crate::model::{Failure, Opened, Suggestions, TableId, Understood};
use crate::state::intent::TryWhat;
use crate::state::store::{MeansCall, RaceCall, Spent};
use crate::state::supervisor::RequestId;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use triescope_core::race::{Means, Race};

/// A file of the host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OpenFile {
    /// Its path, folders separated by `/`.
    pub path: String,
    /// The file itself.
    pub handle: Handle,
}

/// A file or blob of the browser, which crosses over as it is.
#[cfg(target_arch = "wasm32")]
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Handle(#[serde(with = "serde_wasm_bindgen::preserve")] pub web_sys::Blob);

/// There are no browser files outside a browser.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Handle;

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

/// From the page to the worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ToWorker {
    /// Do this.
    Do(RequestId, Request),
    /// An answer is no longer wanted.
    Cancel(RequestId),
    /// Give a sign of life.
    Ping,
}

/// From the worker to the page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ToPage {
    /// Loaded.
    Ready,
    /// A sign of life.
    Pong,
    /// Works on this request now.
    At(RequestId),
    /// A partial answer.
    Partial(RequestId, Reply),
    /// The final answer, and what it has cost.
    Final(RequestId, Result<Reply, Failure>, Spent),
    /// The worker is about to die, and says of what.
    Dying(String),
}

/// A message, with the files that cross over beside it.
pub trait Message: Serialize + DeserializeOwned {
    /// The files that go with it.
    fn files(&self) -> &[OpenFile] {
        &[]
    }

    /// Takes the files that came with it.
    fn put_files(&mut self, _files: Vec<OpenFile>) {}
}

impl Message for ToPage {}

impl Message for ToWorker {
    fn files(&self) -> &[OpenFile] {
        match self {
            Self::Do(_, Request::Open { files, .. }) => files,
            _ => &[],
        }
    }

    fn put_files(&mut self, came: Vec<OpenFile>) {
        if let Self::Do(_, Request::Open { files, .. }) = self {
            *files = came;
        }
    }
}
