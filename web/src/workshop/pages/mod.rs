//! Pages: the same selection as one page, as a map of all of them, in the legacy index, as rows.

pub mod legacy;
pub mod map;
pub mod page;
pub mod rows;
mod tabs;

pub use tabs::{Tab, tabs};

use crate::board::{BoardAsk, value};
use crate::worker::world::World;
use crate::workshop::jobs::Slice;
use triescope_core::source::Source;

/// What each tab keeps between two questions.
#[derive(Debug, Default)]
pub struct Pages {
    page: page::Page,
    map: map::Map,
    legacy: legacy::Legacy,
    rows: rows::Rows,
}

impl Pages {
    /// A slice of the work on a board.
    pub fn board<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Slice {
        match tab(ask) {
            Tab::Page => self.page.board(ask, world, over),
            Tab::Map => self.map.board(ask, world, over),
            Tab::Legacy => self.legacy.board(ask, world, over),
            Tab::Rows => self.rows.board(ask, world, over),
        }
    }

    /// A slice of the work on what is shown as text.
    pub fn text<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Slice {
        match tab(ask) {
            Tab::Page => self.page.text(ask, world, over),
            Tab::Map => self.map.text(ask, world, over),
            Tab::Legacy => self.legacy.text(ask, world, over),
            Tab::Rows => self.rows.text(ask, world, over),
        }
    }
}

fn tab(ask: &BoardAsk) -> Tab {
    let word = value(&ask.query, "as");
    Tab::ALL.into_iter().find(|tab| Some(tab.word()) == word.as_deref()).unwrap_or_default()
}
