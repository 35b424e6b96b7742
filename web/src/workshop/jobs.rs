//! What the workshop is asked to do, done in slices, so that a press of Stop and a ping are heard in between.

use super::boards::Boards;
use super::making::Making;
use super::onebox::Boxing;
use super::protocol::Reply;
use super::shelf::Shelf;
use super::twins::Twinning;
use crate::board::BoardAsk;
use crate::model::Failure;
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
    /// Makes a board, from what is known already or is found out on the way.
    Board(BoardAsk, Rc<RefCell<Boards>>),
    /// Finds out what a text in the one box means.
    Box(Box<Boxing>),
    /// Writes what a board shows as text.
    Text(BoardAsk, Rc<RefCell<Boards>>),
}

/// What a slice of work gave.
pub type Slice = frames::Slice<Reply>;

impl<S: Source, W: Shelf> Job<S, W> {
    /// Whether others should go first: nobody waits for it with a key pressed.
    pub fn is_background(&self) -> bool {
        match self {
            Self::Open(_) | Self::Make(_) | Self::Json(_) | Self::Board(..) | Self::Box(_) => false,
            Self::Twin(_) | Self::Text(..) => true,
        }
    }

    /// Works until `over` says that the slice is over, or until it is done.
    pub fn slice(&mut self, world: &mut World<S>, over: &dyn Fn() -> bool) -> Slice {
        match self {
            Self::Open(opening) => open(opening, world, over),
            Self::Twin(twinning) => twinning.slice(world, over),
            Self::Make(making) => making.slice(over),
            Self::Json(race) => Slice::Done(json(race)),
            Self::Board(ask, boards) => boards.borrow_mut().board(ask, world, over),
            Self::Box(boxing) => boxing.slice(world, over),
            Self::Text(ask, boards) => boards.borrow_mut().text(ask, world, over),
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
