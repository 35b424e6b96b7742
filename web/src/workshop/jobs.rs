//! What the workshop is asked to do, done in slices, so that a press of Stop and a ping are heard in between.

use super::making::Making;
use super::packing::Builds;
use super::protocol::Reply;
use super::shelf::Shelf;
use super::twins::Twinning;
use crate::model::Failure;
use crate::packing::PackAsk;
use crate::worker::frames;
use crate::worker::open::Opening;
use crate::worker::world::World;
use std::cell::RefCell;
use std::rc::Rc;
use triescope_core::race::Race;
use triescope_core::source::Source;

/// A piece of work.
#[derive(Debug)]
pub enum Job<S, W: Shelf> {
    /// Opens files.
    Open(Box<Opening<S>>),
    /// Builds an index.
    Twin(Twinning<W>),
    /// Makes a sample.
    Make(Making<W>),
    /// Writes a race as JSON.
    Json(Box<Race>),
    /// Makes a board of the packing view, from what is built already or is built on.
    Pack(PackAsk, Rc<RefCell<Builds>>),
    /// Writes the steps of a build as text.
    PackText(PackAsk, Rc<RefCell<Builds>>),
}

/// What a slice of work gave.
pub type Slice = frames::Slice<Reply>;

impl<S: Source, W: Shelf> Job<S, W> {
    /// Whether others should go first: nobody waits for it with a key pressed.
    pub fn is_background(&self) -> bool {
        match self {
            Self::Open(_) | Self::Make(_) | Self::Json(_) | Self::Pack(..) => false,
            Self::Twin(_) | Self::PackText(..) => true,
        }
    }

    /// Works until `over` says that the slice is over, or until it is done.
    pub fn slice(&mut self, world: &mut World<S>, over: &dyn Fn() -> bool) -> Slice {
        match self {
            Self::Open(opening) => open(opening, world, over),
            Self::Twin(twinning) => twinning.slice(world, over),
            Self::Make(making) => making.slice(over),
            Self::Json(race) => Slice::Done(json(race)),
            Self::Pack(ask, builds) => builds.borrow_mut().board(ask, world, over),
            Self::PackText(ask, builds) => builds.borrow_mut().text(ask, world, over),
        }
    }
}

fn json(race: &Race) -> Result<Reply, Failure> {
    let why = |error: serde_json::Error| Failure::WorkerDied { said: error.to_string() };
    serde_json::to_string(race).map(Reply::Text).map_err(why)
}

fn open<S: Source>(
    opening: &mut Opening<S>,
    world: &mut World<S>,
    over: &dyn Fn() -> bool,
) -> Slice {
    while opening.step(world) {
        if over() {
            let (done, of) = opening.progress();
            return Slice::More(Some(Reply::Progress(done, of)));
        }
    }
    Slice::Done(Ok(Reply::Opened))
}
