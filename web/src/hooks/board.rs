//! Boards, asked of the workshop.

use super::Dispatch;
use super::clipboard::copy;
use super::session::Session;
use crate::board::{BoardAsk, BoxAsk};
use crate::model::Failure;
use crate::state::store::Action;
use crate::state::supervisor::RequestId;
use crate::words::failure::sentence;
use crate::worker::client::Heard;
use crate::workshop::protocol::{Reply, Request};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What was asked and is not answered.
#[derive(Default)]
pub(super) struct Boards {
    /// The text of the one box that is being read.
    typed: Cell<Option<RequestId>>,
    /// The board that is being made.
    running: RefCell<Option<(BoardAsk, RequestId)>>,
    /// The board to make next: another step of the same files.
    next: RefCell<Option<BoardAsk>>,
}

impl Session {
    /// Asks for a board. Steps are asked for one after the other, and only the last of those that come meanwhile.
    pub fn board(self: &Rc<Self>, ask: BoardAsk) {
        let known = self.boards.running.borrow().as_ref().map(|(known, _)| known.clone());
        match known {
            Some(known) if known.is_of(&ask) => {
                *self.boards.next.borrow_mut() = Some(ask);
                return;
            }
            Some(_) => self.leave_board(),
            None => {}
        }
        let (session, asked) = (Rc::clone(self), ask.clone());
        let answer = move |dispatch: &Dispatch, heard| {
            let (result, spent) = match heard {
                Heard::Final(result, spent) => (result, spent),
                Heard::Partial(reply) => {
                    // What is known so far is shown; what is asked for meanwhile need not wait for the rest, which is kept.
                    if let Reply::Board(board) = reply {
                        dispatch.dispatch(Action::Boarded(asked.clone(), board, false));
                    }
                    let next = session.boards.next.borrow().clone();
                    if let Some(next) = next.filter(|next| *next != asked) {
                        session.leave_board();
                        session.board(next);
                    }
                    return;
                }
            };
            *session.boards.running.borrow_mut() = None;
            dispatch.dispatch(Action::Spent(spent));
            match result {
                Ok(Reply::Board(board)) => {
                    dispatch.dispatch(Action::Boarded(asked.clone(), board, true));
                }
                Ok(_) => {}
                Err(why) => dispatch.dispatch(Action::BoardFailed(asked.clone(), why)),
            }
            let next = session.boards.next.borrow_mut().take();
            if let Some(next) = next.filter(|next| *next != asked) {
                session.board(next);
            }
        };
        let id =
            self.ask_workshop(&Request::Board(ask.clone()), ask.view.doing().to_owned(), answer);
        *self.boards.running.borrow_mut() = Some((ask, id));
    }

    /// Says what a text in the one box means. Only the last text is of interest.
    pub fn understand(&self, ask: BoxAsk) {
        if let Some(id) = self.boards.typed.take() {
            self.cancel_workshop(id);
        }
        let about = "reading the box".to_owned();
        let id = self.ask_workshop(&Request::Box(ask), about, |dispatch, heard| {
            if let Heard::Final(Ok(Reply::Readings(readings)), _) = heard {
                dispatch.dispatch(Action::Readings(readings));
            }
        });
        self.boards.typed.set(Some(id));
    }

    /// Copies the steps of a build as text.
    pub fn copy_board(&self, ask: BoardAsk) {
        let about = "writing the steps".to_owned();
        self.ask_workshop(&Request::Text(ask), about, |dispatch, heard| match heard {
            Heard::Final(Ok(Reply::Text(text)), _) => copy(dispatch, "Text", &text),
            Heard::Final(Err(failure), _) => {
                let why = format!("Copying failed. {}", sentence(&failure));
                dispatch.dispatch(Action::Notice(Some(why)));
            }
            _ => {}
        });
    }

    /// The board that is being made is no longer wanted.
    pub fn leave_board(&self) {
        self.boards.next.borrow_mut().take();
        let running = self.boards.running.borrow_mut().take();
        if let Some((_, id)) = running {
            self.cancel_workshop(id);
        }
    }

    /// Stops a board that is being made; `false` where it is none.
    pub(super) fn stop_board(&self, id: RequestId) -> bool {
        let running = self.boards.running.borrow().clone();
        let Some((ask, _)) = running.filter(|(_, known)| *known == id) else { return false };
        self.leave_board();
        self.dispatch.dispatch(Action::BoardFailed(ask, Failure::Cancelled));
        true
    }
}
