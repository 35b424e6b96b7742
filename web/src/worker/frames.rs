//! How page and worker talk, whatever about: requests with an id, answers, signs of life.
//!
//! Every request has an id and gets exactly one final answer; before it there may be partial ones. Late answers are
//! dropped by id. `At` says which request is being worked on, so that the right one is blamed when the worker dies.
//!
//! What is asked and answered is packed before it is put in a frame, so one client on the page serves every worker: the
//! lookup worker and the workshop differ in a [`Protocol`] only.

use crate::model::Failure;
use crate::state::store::Spent;
use crate::state::supervisor::{Keep, RequestId};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

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

/// There are no browser files outside a browser: tests have bytes.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Handle(pub Vec<u8>);

/// What a worker is asked and what it answers.
pub trait Protocol: 'static {
    /// What the page asks for.
    type Request: Carries;
    /// What the worker answers.
    type Reply: Carries;

    /// Whether a worker that takes the place of one that died needs this request again: the files that are open.
    fn keeps(request: &Self::Request) -> Keep;
}

/// Something that crosses over as bytes, with files of the browser beside it, since those are no bytes.
pub trait Carries: Serialize + DeserializeOwned {
    /// The files that go with it.
    fn files(&self) -> &[OpenFile] {
        &[]
    }

    /// Takes the files that came with it.
    fn put_files(&mut self, _files: Vec<OpenFile>) {}
}

/// Something packed: its bytes, and the files beside them.
#[derive(Clone, Debug, Default)]
pub struct Parcel {
    /// The value as bytes.
    pub bytes: Vec<u8>,
    /// The files.
    pub files: Vec<OpenFile>,
}

/// From the page to a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ToWorker {
    /// Do this.
    Do(RequestId, #[serde(with = "serde_bytes")] Vec<u8>),
    /// An answer is no longer wanted.
    Cancel(RequestId),
    /// Give a sign of life.
    Ping,
}

/// From a worker to the page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ToPage {
    /// Loaded.
    Ready,
    /// A sign of life.
    Pong,
    /// Works on this request now.
    At(RequestId),
    /// A partial answer.
    Partial(RequestId, #[serde(with = "serde_bytes")] Vec<u8>),
    /// The final answer, and what it has cost.
    Final(RequestId, Result<Packed, Failure>, Spent),
    /// The worker is about to die, and says of what.
    Dying(String),
}

/// The bytes of a reply.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Packed(#[serde(with = "serde_bytes")] pub Vec<u8>);

/// What a slice of work in a worker gave.
#[derive(Debug)]
pub enum Slice<R> {
    /// There is more to do; perhaps something to tell already.
    More(Option<R>),
    /// Done.
    Done(Result<R, Failure>),
}
