//! Boards of the packing view, asked of the workshop.

use super::Dispatch;
use super::clipboard::copy;
use super::session::Session;
use crate::model::Failure;
use crate::packing::PackAsk;
use crate::state::store::Action;
use crate::state::supervisor::RequestId;
use crate::words::failure::sentence;
use crate::worker::client::Heard;
use crate::workshop::protocol::{Reply, Request};
use std::cell::RefCell;
use std::rc::Rc;

/// What was asked and is not answered.
#[derive(Default)]
pub(super) struct Packing {
    /// The board that is being made.
    running: RefCell<Option<(PackAsk, RequestId)>>,
    /// The board to make next: another step of the same files.
    next: RefCell<Option<PackAsk>>,
}

impl Session {
    /// Asks for a board. Steps are asked for one after the other, and only the last of those that come meanwhile.
    pub fn pack(self: &Rc<Self>, ask: PackAsk) {
        let known = self.packing.running.borrow().as_ref().map(|(known, _)| known.clone());
        match known {
            Some(known) if known.tables == ask.tables && known.keys == ask.keys => {
                *self.packing.next.borrow_mut() = Some(ask);
                return;
            }
            Some(_) => self.leave_packing(),
            None => {}
        }
        let (session, asked) = (Rc::clone(self), ask.clone());
        let answer = move |dispatch: &Dispatch, heard| {
            let Heard::Final(result, spent) = heard else { return };
            *session.packing.running.borrow_mut() = None;
            dispatch.dispatch(Action::Spent(spent));
            match result {
                Ok(Reply::Board(board)) => dispatch.dispatch(Action::Boarded(asked.clone(), board)),
                Ok(_) => {}
                Err(why) => dispatch.dispatch(Action::BoardFailed(asked.clone(), why)),
            }
            let next = session.packing.next.borrow_mut().take();
            if let Some(next) = next.filter(|next| *next != asked) {
                session.pack(next);
            }
        };
        let id =
            self.ask_workshop(&Request::Pack(ask.clone()), "packing the keys".to_owned(), answer);
        *self.packing.running.borrow_mut() = Some((ask, id));
    }

    /// Copies the steps of a build as text.
    pub fn copy_packing(&self, ask: PackAsk) {
        let about = "writing the steps".to_owned();
        self.ask_workshop(&Request::PackText(ask), about, |dispatch, heard| match heard {
            Heard::Final(Ok(Reply::Text(text)), _) => copy(dispatch, "Steps", &text),
            Heard::Final(Err(failure), _) => {
                let why = format!("Copying failed. {}", sentence(&failure));
                dispatch.dispatch(Action::Notice(Some(why)));
            }
            _ => {}
        });
    }

    /// The board that is being made is no longer wanted.
    pub fn leave_packing(&self) {
        self.packing.next.borrow_mut().take();
        let running = self.packing.running.borrow_mut().take();
        if let Some((_, id)) = running {
            self.cancel_workshop(id);
        }
    }

    /// Stops a board that is being made; `false` where it is none.
    pub(super) fn stop_packing(&self, id: RequestId) -> bool {
        let running = self.packing.running.borrow().clone();
        let Some((ask, _)) = running.filter(|(_, known)| *known == id) else { return false };
        self.leave_packing();
        self.dispatch.dispatch(Action::BoardFailed(ask, Failure::Cancelled));
        true
    }
}
