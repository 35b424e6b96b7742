//! The tab *Page* of Pages.

use crate::board::BoardAsk;
use crate::model::Failure;
use crate::worker::world::World;
use crate::workshop::jobs::Slice;
use triescope_core::source::Source;

/// What is kept between two questions.
#[derive(Debug, Default)]
pub struct Page {}

impl Page {
    /// A slice of the work on a board.
    pub fn board<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Slice {
        let _ = (ask, world, over);
        Slice::Done(Err(Failure::Cancelled))
    }

    /// A slice of the work on what is shown as text.
    pub fn text<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Slice {
        let _ = (ask, world, over);
        Slice::Done(Err(Failure::Cancelled))
    }
}
