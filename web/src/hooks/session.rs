//! What the state asks for, asked of the worker; its answers, told to the state.

use super::board::Boards;
use super::twins::Bench;
use super::{Dispatch, files};
use crate::model::{Failure, SampleEntry};
use crate::state::intent::TryWhat;
use crate::state::store::{Action, MeansCall, Progress, RaceCall};
use crate::state::supervisor::RequestId;
use crate::words::failure::sentence;
use crate::worker::client::{Client, Heard, Role, now};
use crate::worker::frames::{OpenFile, Protocol};
use crate::worker::protocol::{Lookups, Reply, Request, Which};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use triescope_core::lookup::FilterMode;
use wasm_bindgen_futures::spawn_local;

/// Numbers of tables in one opening: each opening has numbers of its own, so no answer is taken for another's.
pub(super) const TABLES: u32 = 100_000;

/// The page's dealings with the worker.
pub struct Session {
    pub(super) client: Client<Lookups>,
    pub(super) dispatch: Dispatch,
    /// Local files that are open, so that more can be added to them.
    local: RefCell<Vec<OpenFile>>,
    /// Counts what was opened: what comes late belongs to an earlier one.
    pub(super) opening: Rc<Cell<u32>>,
    pub(super) bench: Bench,
    pub(super) boards: Boards,
    race: RefCell<Option<(RaceCall, RequestId)>>,
    means: Cell<Option<(MeansCall, RequestId)>>,
    parse: Cell<Option<RequestId>>,
    suggest: Cell<Option<RequestId>>,
}

impl Session {
    /// No worker yet.
    pub fn new(dispatch: Dispatch) -> Self {
        let lost = dispatch.clone();
        let client = Client::new(Role::Lookups, move |said| {
            lost.dispatch(Action::Lost(format!(
                "The worker stopped while it opened the files again: {said}."
            )));
        });
        Self {
            client,
            bench: Bench::default(),
            boards: Boards::default(),
            dispatch,
            local: RefCell::default(),
            opening: Rc::default(),
            race: RefCell::new(None),
            means: Cell::new(None),
            parse: Cell::new(None),
            suggest: Cell::new(None),
        }
    }

    /// Fetches the list of samples.
    pub fn list_samples(&self) {
        let dispatch = self.dispatch.clone();
        spawn_local(async move {
            dispatch.dispatch(match files::sample_index().await {
                Ok(samples) => Action::Samples(samples),
                Err(why) => Action::LoadFailed(format!("The samples are not here: {why}.")),
            });
        });
    }

    /// Loads a sample.
    pub fn load_sample(self: Rc<Self>, entry: SampleEntry) {
        let turn = self.turn();
        if let Some(made) = entry.made {
            return self.make_sample(entry, made, turn);
        }
        let count = entry.trie.files.len() + entry.legacy.files.len();
        self.dispatch.dispatch(Action::Loading(format!("loading {}, {count} files", entry.name)));
        spawn_local(async move {
            let loaded = files::sample(&entry).await;
            if self.opening.get() != turn {
                return;
            }
            match loaded {
                Ok(files) => {
                    self.forget();
                    self.open(turn, Some(entry.name), files);
                }
                Err(why) => self.dispatch.dispatch(Action::LoadFailed(format!("{why}."))),
            }
        });
    }

    /// Opens local files; `add` keeps those that are here.
    pub fn open_local(&self, files: Vec<OpenFile>, add: bool) {
        if files.is_empty() {
            return;
        }
        let turn = self.turn();
        let mut local = self.local.borrow_mut();
        if !add {
            local.clear();
        }
        for file in files {
            // A file that is chosen again stands for the one before.
            local.retain(|known| known.path != file.path);
            local.push(file);
        }
        let files = local.clone();
        drop(local);
        let words = if files.len() == 1 { "file" } else { "files" };
        self.dispatch.dispatch(Action::Loading(format!("reading {} {words}", files.len())));
        self.open(turn, None, files);
    }

    /// Says that a drop could not be read.
    pub fn failed(&self, why: String) {
        self.dispatch.dispatch(Action::LoadFailed(why));
    }

    /// Puts local files away.
    pub fn forget(&self) {
        self.local.borrow_mut().clear();
    }

    fn turn(&self) -> u32 {
        self.bench.stop_making(&self.dispatch);
        self.opening.set(self.opening.get() + 1);
        self.opening.get()
    }

    pub(super) fn open(&self, turn: u32, sample: Option<String>, files: Vec<OpenFile>) {
        self.bench.clear(files.clone());
        let means = self.means.take().map(|(_, id)| id);
        let race = self.race.take().map(|(_, id)| id);
        for id in [race, means, self.suggest.take()].into_iter().flatten() {
            self.stop(id);
        }
        let about = match &sample {
            Some(name) => format!("opening {name}"),
            None => "opening the files".to_owned(),
        };
        let opening = Rc::clone(&self.opening);
        self.leave_board();
        let request = Request::Open { files, first: turn * TABLES };
        self.ask(request, about, move |dispatch, result| {
            if opening.get() != turn {
                return;
            }
            dispatch.dispatch(match result {
                Ok(Reply::Opened(opened)) => Action::Loaded(sample.clone(), opened),
                Ok(_) => return,
                Err(failure) => Action::LoadFailed(failed("Opening the files", &failure)),
            });
        });
    }

    /// Runs a race; the one before is no longer wanted.
    pub fn race(&self, call: RaceCall) {
        if let Some((_, id)) = self.race.take() {
            self.stop(id);
        }
        let about = format!("looking up {}", call.request.key);
        let asked = call.clone();
        let id = self.ask(Request::Race(asked.clone()), about, move |dispatch, result| {
            dispatch.dispatch(match result {
                Ok(Reply::Race(race)) => Action::Raced(call.clone(), race),
                Ok(_) => return,
                Err(Failure::Cancelled) => return,
                Err(failure) => {
                    tell(dispatch, &format!("Looking up {}", call.request.key), &failure);
                    Action::RaceFailed(call.clone(), failure)
                }
            });
        });
        *self.race.borrow_mut() = Some((asked, id));
    }

    /// Counts means in the background; those of another question are no longer wanted.
    pub fn means(&self, call: MeansCall) {
        if let Some((known, id)) = self.means.take() {
            if known == call {
                self.means.set(Some((known, id)));
                return;
            }
            self.stop(id);
        }
        let about = "means over keys".to_owned();
        let id = self.hear(Request::Means(call), about, move |dispatch, heard| {
            let action = match heard {
                Heard::Partial(Reply::Means(means)) | Heard::Final(Ok(Reply::Means(means)), _) => {
                    Action::Means(call, means)
                }
                Heard::Final(Err(failure), _) => {
                    tell(dispatch, "Counting the means", &failure);
                    Action::MeansFailed(call, failure)
                }
                _ => return,
            };
            dispatch.dispatch(action);
        });
        self.means.set(Some((call, id)));
    }

    /// Says what typed text means.
    pub fn parse(&self, tables: Which, key: String, row: Option<String>) {
        if let Some(id) = self.parse.take() {
            self.client.cancel(id);
        }
        let dispatch = self.dispatch.clone();
        let request = Request::Parse { tables, key, row };
        let id = self.client.send(&request, move |heard| {
            if let Heard::Final(Ok(Reply::Parsed(understood)), _) = heard {
                dispatch.dispatch(Action::Understood(Some(understood)));
            }
        });
        self.parse.set(Some(id));
    }

    /// Reads keys to suggest.
    pub fn suggest(&self, tables: Which) {
        if let Some(id) = self.suggest.take() {
            self.client.cancel(id);
        }
        let dispatch = self.dispatch.clone();
        let id = self.client.send(&Request::Suggest(tables), move |heard| {
            if let Heard::Final(Ok(Reply::Suggested(keys)), _) = heard {
                dispatch.dispatch(Action::Suggestions(keys));
            }
        });
        self.suggest.set(Some(id));
    }

    /// Finds a key of a kind and looks it up.
    pub fn try_key(&self, tables: Which, what: TryWhat) {
        let filter = match what {
            TryWhat::Absent(_) | TryWhat::DeadEnd(_) => FilterMode::Off,
            _ => FilterMode::Ask,
        };
        self.ask(
            Request::Try(tables, what),
            "finding a key".to_owned(),
            move |dispatch, result| {
                dispatch.dispatch(match result {
                    Ok(Reply::Key(key)) => Action::LookUp(key, None, Some(filter)),
                    Ok(_) => return,
                    Err(failure) => Action::Notice(Some(failed("Finding such a key", &failure))),
                });
            },
        );
    }

    /// Stops a request that is shown in the status line.
    pub fn stop(&self, id: RequestId) {
        if self.stop_workshop(id) || self.stop_board(id) {
            return;
        }
        self.client.cancel(id);
        self.dispatch.dispatch(Action::Ended(id.0));
        let stopped = self.race.borrow_mut().take_if(|(_, race)| *race == id);
        if let Some((call, _)) = stopped {
            self.dispatch.dispatch(Action::RaceFailed(call, Failure::Cancelled));
        }
        if let Some((call, means)) = self.means.take() {
            if means == id {
                self.dispatch.dispatch(Action::MeansFailed(call, Failure::Cancelled));
            } else {
                self.means.set(Some((call, means)));
            }
        }
    }

    /// Asks and says in the status line that it takes a while; partial answers are not heard.
    fn ask(
        &self,
        request: Request,
        about: String,
        answer: impl Fn(&Dispatch, Result<Reply, Failure>) + 'static,
    ) -> RequestId {
        self.hear(request, about, move |dispatch, heard| {
            if let Heard::Final(result, _) = heard {
                answer(dispatch, result);
            }
        })
    }

    fn hear(
        &self,
        request: Request,
        about: String,
        answer: impl Fn(&Dispatch, Heard<Reply>) + 'static,
    ) -> RequestId {
        hear(&self.client, &self.dispatch, &request, about, move |dispatch, heard| {
            // What runs in the background is no part of what the shown answer has cost.
            if let Heard::Final(Ok(Reply::Opened(_) | Reply::Race(_)), spent) = &heard {
                dispatch.dispatch(Action::Spent(*spent));
            }
            answer(dispatch, heard);
        })
    }
}

/// A reply that may tell how far a request has come.
pub(super) trait Come {
    /// Done, and in all.
    fn come(&self) -> Option<(u64, u64)>;
}

impl Come for Reply {
    fn come(&self) -> Option<(u64, u64)> {
        match self {
            Self::Progress(done, of) => Some((*done, *of)),
            Self::Means(means) => Some((means.done, means.of)),
            _ => None,
        }
    }
}

/// Asks a worker, and says in the status line what it does and how far it has come.
pub(super) fn hear<P: Protocol<Reply: Come>>(
    client: &Client<P>,
    dispatch: &Dispatch,
    request: &P::Request,
    about: String,
    answer: impl Fn(&Dispatch, Heard<P::Reply>) + 'static,
) -> RequestId {
    let slot: Rc<Cell<Option<RequestId>>> = Rc::default();
    let (known, told) = (Rc::clone(&slot), dispatch.clone());
    let begun = now();
    let id = client.send(request, move |heard| {
        let id = known.get().map_or(u32::MAX, |id| id.0);
        match &heard {
            Heard::Partial(reply) => {
                if let Some((done, of)) = reply.come() {
                    let a_second = rate(done, now() - begun);
                    told.dispatch(Action::Progress(id, Progress { done, of, a_second }));
                }
            }
            Heard::Final(..) => told.dispatch(Action::Ended(id)),
        }
        answer(&told, heard);
    });
    slot.set(Some(id));
    dispatch.dispatch(Action::Began(id.0, about));
    id
}

/// Names a request that the worker did not survive: the view that waited for it may not be the one that is shown.
fn tell(dispatch: &Dispatch, what: &str, failure: &Failure) {
    if matches!(failure, Failure::WorkerDied { .. }) {
        dispatch.dispatch(Action::Notice(Some(failed(what, failure))));
    }
}

pub(super) fn failed(what: &str, failure: &Failure) -> String {
    format!("{what} failed. {}", sentence(failure))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a rate that is read by people"
)]
pub(super) fn rate(done: u64, ms: f64) -> u64 {
    (done as f64 * 1000.0 / ms.max(1.0)).round() as u64
}
