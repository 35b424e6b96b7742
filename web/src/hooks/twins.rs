//! The page's dealings with the workshop: it is started when something is first asked of it, gets the files that are open,
//! and what it builds is opened by the lookup worker.

use super::Dispatch;
use super::clipboard::copy;
use super::session::{Come, Session, TABLES, hear};
use crate::model::{Failure, Made, SampleEntry, Twin, TwinWords};
use crate::state::intent::Side;
use crate::state::store::{Action, Spent, TwinCall};
use crate::state::supervisor::RequestId;
use crate::words::failure::sentence;
use crate::worker::client::{Client, Heard, Role};
use crate::worker::frames::OpenFile;
use crate::worker::protocol::{Reply as Opened, Request as Open};
use crate::workshop::protocol::{MakeCall, Reply, Request, Writing};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use triescope_core::race::Race;

/// Number of the first twin of an opening, after those of its tables.
const TWINS: u32 = TABLES / 2;

/// What the page knows of the workshop.
pub(super) struct Bench {
    client: Client<Writing>,
    /// The files that are open.
    files: RefCell<Vec<OpenFile>>,
    /// Whether the workshop has them.
    given: Rc<Cell<bool>>,
    /// Twins that are being built or opened.
    running: RefCell<Vec<(TwinCall, RequestId)>>,
    /// Twins of this opening so far.
    made: Cell<u32>,
    /// A sample that is being made, and its name.
    making: RefCell<Option<(RequestId, String)>>,
}

impl Default for Bench {
    fn default() -> Self {
        let given = Rc::new(Cell::new(false));
        let lost = Rc::clone(&given);
        Self {
            client: Client::new(Role::Workshop, move |_| lost.set(false)),
            files: RefCell::default(),
            given,
            running: RefCell::default(),
            made: Cell::new(0),
            making: RefCell::new(None),
        }
    }
}

impl Bench {
    /// Other files are open now.
    pub(super) fn clear(&self, files: Vec<OpenFile>) {
        for (_, id) in self.running.take() {
            self.client.cancel(id);
        }
        *self.files.borrow_mut() = files;
        self.given.set(false);
        self.made.set(0);
    }

    /// Something else is opened.
    pub(super) fn stop_making(&self, dispatch: &Dispatch) {
        if let Some((id, _)) = self.making.take() {
            self.client.cancel(id);
            dispatch.dispatch(Action::Ended(id.0));
        }
    }
}

impl Come for Reply {
    fn come(&self) -> Option<(u64, u64)> {
        match self {
            Self::Progress(done, of) => Some((*done, *of)),
            _ => None,
        }
    }
}

impl Session {
    /// Builds these twins; others that are being built are no longer wanted.
    pub fn twins(self: &Rc<Self>, calls: &[TwinCall]) {
        let mut gone = Vec::new();
        self.bench.running.borrow_mut().retain(|(call, id)| {
            let wanted = calls.contains(call);
            if !wanted {
                gone.push(*id);
            }
            wanted
        });
        for id in gone {
            self.bench.client.cancel(id);
            self.dispatch.dispatch(Action::Ended(id.0));
        }
        for call in calls {
            let runs = self.bench.running.borrow().iter().any(|(known, _)| known == call);
            if !runs {
                self.twin(*call);
            }
        }
    }

    /// Asks the workshop, which has the open files by then. The status line says `about`; a press of Stop is heard by
    /// [`Session::stop`].
    pub fn ask_workshop(
        &self,
        request: &Request,
        about: String,
        answer: impl Fn(&Dispatch, Heard<Reply>) + 'static,
    ) -> RequestId {
        if !self.bench.given.replace(true) {
            let files = self.bench.files.borrow().clone();
            let open = Request::Open { files, first: self.opening.get() * TABLES };
            self.bench.client.send(&open, |_| {});
        }
        hear(&self.bench.client, &self.dispatch, request, about, answer)
    }

    /// Takes a question to the workshop back.
    pub(super) fn cancel_workshop(&self, id: RequestId) {
        self.bench.client.cancel(id);
        self.dispatch.dispatch(Action::Ended(id.0));
    }

    /// Copies a race as JSON, which the workshop writes.
    pub fn copy_json(&self, race: &Race) {
        let request = Request::Json(Box::new(race.clone()));
        let dispatch = self.dispatch.clone();
        self.bench.client.send(&request, move |heard| match heard {
            Heard::Final(Ok(Reply::Text(json)), _) => copy(&dispatch, "Steps as JSON", &json),
            Heard::Final(Err(failure), _) => {
                let why = format!("Copying failed. {}", sentence(&failure));
                dispatch.dispatch(Action::Notice(Some(why)));
            }
            _ => {}
        });
    }

    /// Makes a sample and opens it.
    pub(super) fn make_sample(self: &Rc<Self>, entry: SampleEntry, made: Made, turn: u32) {
        let name = entry.name.clone();
        self.dispatch.dispatch(Action::Loading(format!("making {name} in this tab")));
        let versions = [&entry.trie, &entry.legacy].map(|table| table.version.clone());
        let call = MakeCall { name: name.clone(), versions: versions.to_vec(), made };
        let session = Rc::clone(self);
        let about = format!("making {name}, rows and row blocks");
        let request = Request::Make(call);
        let id =
            hear(&self.bench.client, &self.dispatch, &request, about, move |dispatch, heard| {
                let Heard::Final(result, _) = heard else { return };
                if session.opening.get() != turn {
                    return;
                }
                session.bench.making.take();
                let why = match result {
                    Ok(Reply::Made { files }) => {
                        session.forget();
                        return session.open(turn, Some(entry.name.clone()), files);
                    }
                    Ok(Reply::Not { why, .. }) => why,
                    Ok(_) => return,
                    Err(failure) => format!("Making {} failed. {}", entry.name, sentence(&failure)),
                };
                dispatch.dispatch(Action::LoadFailed(why));
            });
        *self.bench.making.borrow_mut() = Some((id, name));
    }

    /// Stops a request to the workshop; `false` where it is none.
    pub(super) fn stop_workshop(&self, id: RequestId) -> bool {
        let making = self.bench.making.borrow_mut().take_if(|(making, _)| *making == id);
        if let Some((id, name)) = making {
            self.bench.client.cancel(id);
            self.dispatch.dispatch(Action::Ended(id.0));
            let why = format!("Making {name} was stopped before it was done.");
            self.dispatch.dispatch(Action::LoadFailed(why));
            return true;
        }
        let stopped = {
            let mut running = self.bench.running.borrow_mut();
            let at = running.iter().position(|(_, known)| *known == id);
            at.map(|at| running.remove(at))
        };
        let Some((call, id)) = stopped else { return false };
        self.bench.client.cancel(id);
        self.dispatch.dispatch(Action::Ended(id.0));
        self.dispatch.dispatch(Action::Twinned(call, not(&Failure::Cancelled)));
        true
    }

    fn twin(self: &Rc<Self>, call: TwinCall) {
        let name = if call.side == Side::Trie { "trie" } else { "legacy" };
        let about = format!("building the {name} index of this table, bytes");
        let (session, turn) = (Rc::clone(self), self.opening.get());
        let id = self.ask_workshop(&Request::Twin(call), about, move |_, heard| {
            let Heard::Final(result, spent) = heard else { return };
            if session.opening.get() != turn {
                return;
            }
            match result {
                Ok(Reply::Twin { version, words, files }) => {
                    session.open_twin(call, version, timed(words, spent), files);
                }
                Ok(Reply::Not { why, ask }) => session.twinned(call, Twin::Not { why, ask }),
                Ok(_) => {}
                Err(failure) => session.twinned(call, not(&failure)),
            }
        });
        self.bench.running.borrow_mut().push((call, id));
    }

    fn open_twin(
        self: &Rc<Self>,
        call: TwinCall,
        version: String,
        words: TwinWords,
        files: Vec<OpenFile>,
    ) {
        let turn = self.opening.get();
        let id = turn * TABLES + TWINS + self.bench.made.replace(self.bench.made.get() + 1);
        let session = Rc::clone(self);
        let request = Open::Twin { of: call.of, id, version, files };
        self.client.send(&request, move |heard| {
            let Heard::Final(result, _) = heard else { return };
            if session.opening.get() != turn {
                return;
            }
            session.twinned(
                call,
                match result {
                    Ok(Opened::Twin(facts)) => {
                        Twin::Made { id, facts: (*facts).into(), words: words.clone().into() }
                    }
                    Ok(_) => not(&Failure::Cancelled),
                    Err(failure) => not(&failure),
                },
            );
        });
    }

    fn twinned(&self, call: TwinCall, twin: Twin) {
        self.bench.running.borrow_mut().retain(|(known, _)| *known != call);
        self.dispatch.dispatch(Action::Twinned(call, twin));
    }
}

/// A twin that could be built once more.
fn not(failure: &Failure) -> Twin {
    let why = match failure {
        Failure::Cancelled => "Building this index was stopped before it was done.".to_owned(),
        other => format!("Building this index failed. {}", sentence(other)),
    };
    Twin::Not { why, ask: true }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time that is read by people"
)]
fn timed(words: TwinWords, spent: Spent) -> TwinWords {
    TwinWords { millis: spent.ms.round() as u64, ..words }
}
