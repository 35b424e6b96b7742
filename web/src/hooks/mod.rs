//! What ties the state to the browser: the worker, the address, the keyboard, files, time and size.

pub mod board;
pub mod clipboard;
pub mod drop;
pub mod files;
pub mod history;
pub mod keyboard;
pub mod prefs;
pub mod session;
pub mod size;
pub mod twins;

use crate::state::store::{Action, State};
use std::rc::Rc;
use yew::Reducible;

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        match self.after(action) {
            Some(next) => Rc::new(next),
            // The same pointer: nothing is drawn again.
            None => self,
        }
    }
}

/// What sends actions to the state.
pub type Dispatch = yew::UseReducerDispatcher<State>;
