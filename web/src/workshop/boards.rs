//! The boards: which room makes the board of which view, and what the rooms keep between two questions.

use super::findings::Findings;
use super::jobs::Slice;
use super::packing::Builds;
use super::pages::Pages;
use super::trie::Trie;
use crate::board::BoardAsk;
use crate::model::Failure;
use crate::state::address::View;
use crate::worker::world::World;
use triescope_core::source::Source;

/// What is kept: each room has its own.
#[derive(Debug, Default)]
pub struct Boards {
    findings: Findings,
    packing: Builds,
    pages: Pages,
    trie: Trie,
}

impl Boards {
    /// The files are others now.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// A slice of the work on a board.
    pub fn board<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Slice {
        match ask.view {
            View::Packing => self.packing.board(ask, world, over),
            View::Overview | View::Lookup => Slice::Done(Err(Failure::Cancelled)),
            View::Pages => self.pages.board(ask, world, over),
            View::Trie => self.trie.board(ask, world, over),
            View::Findings => self.findings.board(ask, world, over),
        }
    }

    /// A slice of the work on what a board shows, as text; the query has a `text` that says in which form.
    pub fn text<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Slice {
        match ask.view {
            View::Packing => self.packing.text(ask, world, over),
            View::Overview | View::Lookup => Slice::Done(Err(Failure::Cancelled)),
            View::Pages => self.pages.text(ask, world, over),
            View::Trie => self.trie.text(ask, world, over),
            View::Findings => self.findings.text(ask, world, over),
        }
    }
}
