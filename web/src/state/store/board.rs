//! Boards: what they ask the workshop, and how their actions change the state.

use super::{Action, SPEEDS, State};
use crate::board::{Board, BoardAsk, LINK_BYTES, value, with};
use crate::shared::Shared;
use crate::state::address::{Address, Origin, View};
use crate::words::failure::sentence;

/// Milliseconds that a step of a writer lasts.
const PACK_MS: u32 = 160;

impl State {
    /// Whether a board is shown: of what is open, or of keys that belong to no file.
    pub fn is_board(&self) -> bool {
        self.address.view.is_board() && (self.open().is_some() || self.packs_keys())
    }

    /// Whether the packing is shown.
    pub fn is_packing(&self) -> bool {
        self.address.view == View::Packing && self.is_board()
    }

    /// Whether the keys that are packed belong to no file.
    pub fn packs_keys(&self) -> bool {
        self.address.origin == Some(Origin::Keys)
    }

    /// The question that the board has, answered or not.
    pub fn board_ask(&self) -> Option<BoardAsk> {
        let (width, height) = self.room.filter(|_| self.is_board())?;
        let tables = self.open().map_or((None, None), |tables| tables.ids());
        let (place, query) = (self.address.place(), self.address.rest.clone());
        let keys = self.typed.clone().filter(|_| self.packs_keys());
        let view = self.address.view;
        Some(BoardAsk { view, tables, place, query, keys, width, height })
    }

    /// The question that the board has and that nothing has answered yet.
    pub fn wanted_board(&self) -> Option<BoardAsk> {
        let ask = self.board_ask()?;
        let board = self.board.as_ref().filter(|_| !self.is_partial);
        let is_answered = board.is_some_and(|(known, _)| *known == ask)
            || self.board_failure.as_ref().is_some_and(|(known, _)| *known == ask);
        (!is_answered).then_some(ask)
    }

    /// The board of what is shown; the last one of the same files stays while another is on its way.
    pub fn current_board(&self) -> Option<&Shared<Board>> {
        let ask = self.board_ask()?;
        let (known, board) = self.board.as_ref()?;
        (known.view == ask.view && known.tables == ask.tables).then_some(board)
    }

    /// Why there is no board for what is shown, a sentence.
    pub fn board_trouble(&self) -> Option<String> {
        let ask = self.board_ask()?;
        let (_, why) = self.board_failure.as_ref().filter(|(failed, _)| *failed == ask)?;
        Some(sentence(why))
    }

    /// The keys in the box, where they are typed.
    pub fn typed_keys(&self) -> Option<String> {
        if !self.packs_keys() || value(&self.address.rest, "make").is_some() {
            return None;
        }
        Some(self.typed.clone().or_else(|| value(&self.address.rest, "keys")).unwrap_or_default())
    }

    /// Position and length of the packing: the step that is asked for, and steps in all.
    pub fn position(&self) -> (usize, usize) {
        let Some(board) = self.current_board() else { return (0, 0) };
        let step = value(&self.address.rest, "step").and_then(|step| step.parse().ok());
        (step.unwrap_or(board.at).min(board.of) as usize, board.of as usize)
    }

    /// Another writer, chosen without a step, shows the same step.
    pub(super) fn keep_step(&mut self, before: &Address) {
        let stem = |query: &str| with(&with(query, "writer", None), "step", None);
        let is_same = before.origin == self.address.origin
            && (before.view, self.address.view) == (View::Packing, View::Packing)
            && value(&self.address.rest, "step").is_none()
            && stem(&before.rest) == stem(&self.address.rest);
        if let Some(step) = value(&before.rest, "step").filter(|_| is_same) {
            self.set("step", Some(&step));
        }
    }

    /// Milliseconds at normal speed until the next step while it plays; `None` when it does not, or has to wait for the
    /// workshop.
    pub fn wait(&self) -> Option<u32> {
        let wait = match self.address.view {
            View::Packing => Some(PACK_MS).filter(|_| self.wanted_board().is_none()),
            _ => self.clock.wait(self.at),
        };
        wait.filter(|_| self.playing)
    }

    fn set(&mut self, name: &str, value: Option<&str>) {
        self.address.rest = with(&self.address.rest, name, value);
    }

    /// An action of a board, or of the transport while one is shown.
    pub(super) fn board(&mut self, action: Action) {
        match action {
            Action::Room(width, height) => self.room = Some((width, height)),
            Action::Boarded(ask, board, done) => self.boarded(ask, *board, done),
            Action::BoardFailed(ask, failure) => {
                if self.board_ask().as_ref() == Some(&ask) {
                    self.board_failure = Some((ask, Shared::new(failure)));
                    self.playing = false;
                }
            }
            Action::Choose(name, value) => {
                self.playing = false;
                let is_long = name == "keys" && value.len() > LINK_BYTES;
                self.set(&name, Some(&value).filter(|_| !is_long).map(String::as_str));
                self.typed = is_long.then_some(value);
            }
            _ => self.board_transport(&action),
        }
    }

    fn boarded(&mut self, mut ask: BoardAsk, board: Board, done: bool) {
        self.is_partial = !done;
        if done && self.board_ask().as_ref() == Some(&ask) {
            self.board_failure = None;
            self.address.rest.clone_from(&board.query);
            self.playing &= board.at < board.of;
        }
        if done {
            ask.query.clone_from(&board.query);
        }
        self.board = Some((ask, Shared::new(board)));
    }

    fn board_transport(&mut self, action: &Action) {
        let (at, len) = self.position();
        let (playing, to) = match *action {
            Action::To(to) => (false, to),
            Action::Step(true) => (false, at + 1),
            Action::Step(false) => (false, at.saturating_sub(1)),
            Action::End(true) => (false, len),
            Action::End(false) => (false, 1),
            Action::Play if self.playing => (false, at),
            Action::Play if at >= len => (true, 1),
            Action::Play => (true, at),
            Action::Tick if self.playing => (at + 1 < len, at + 1),
            Action::Fetch(on) => {
                self.playing = false;
                return self.set("goto", Some(if on { "next" } else { "previous" }));
            }
            Action::Speed(speed) => return self.speed = speed.min(SPEEDS.len() - 1),
            _ => return,
        };
        if len > 0 {
            self.set("step", Some(&to.clamp(1, len).to_string()));
            self.playing = playing;
        }
    }
}
