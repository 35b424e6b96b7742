//! The worker's end: messages in, slices of work, answers out.
//!
//! Between two slices the event loop runs, so a cancellation or a ping waits 16 ms at most.

use super::blob::{BlobFile, size};
use super::codec;
use super::jobs::{Job, Slice};
use super::open::Opening;
use super::protocol::{Request, ToPage, ToWorker};
use super::suggest::Suggesting;
use super::windows::{BUDGET_BYTES, FileSource, Windows};
use super::world::World;
use crate::model::Failure;
use crate::state::store::Spent;
use crate::state::supervisor::RequestId;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessageEvent, Performance};

/// Milliseconds of a slice.
const SLICE_MS: f64 = 16.0;
/// Milliseconds between two partial answers to one request.
const TELL_MS: f64 = 150.0;

type Source = FileSource<BlobFile>;

struct Server {
    scope: DedicatedWorkerGlobalScope,
    /// A message to itself is the next turn of the event loop, without the 4 ms that timers wait.
    turn: MessageChannel,
    turning: bool,
    windows: Rc<RefCell<Windows>>,
    world: World<Source>,
    jobs: VecDeque<Work>,
    current: Option<RequestId>,
}

struct Work {
    id: RequestId,
    job: Job<Source>,
    spent: Spent,
    /// When it last told how far it has come.
    told: f64,
}

/// Serves for the life of the worker.
pub fn serve(scope: DedicatedWorkerGlobalScope) {
    let Ok(turn) = MessageChannel::new() else { return };
    say_last_words();
    let server = Rc::new(RefCell::new(Server {
        scope: scope.clone(),
        turn,
        turning: false,
        windows: Rc::new(RefCell::new(Windows::new(BUDGET_BYTES))),
        world: World::default(),
        jobs: VecDeque::new(),
        current: None,
    }));
    let hears = Rc::clone(&server);
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        hears.borrow_mut().hear(event.data());
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    let works = Rc::clone(&server);
    let on_turn = Closure::<dyn Fn()>::new(move || works.borrow_mut().work());
    server.borrow().turn.port1().set_onmessage(Some(on_turn.as_ref().unchecked_ref()));
    // Both live as long as the worker.
    on_message.forget();
    on_turn.forget();
    server.borrow().post(&ToPage::Ready);
}

/// A panic posts what it says before the module stops: the page sees only "unreachable" otherwise.
fn say_last_words() {
    std::panic::set_hook(Box::new(|info| {
        let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
        post(&scope, &ToPage::Dying(info.to_string()));
    }));
}

fn post(scope: &DedicatedWorkerGlobalScope, message: &ToPage) {
    if let Ok(value) = codec::encode(message) {
        let _ = scope.post_message(&value);
    }
}

impl Server {
    fn hear(&mut self, value: JsValue) {
        match codec::decode(value) {
            Ok(ToWorker::Ping) => self.post(&ToPage::Pong),
            Ok(ToWorker::Cancel(id)) => {
                let before = self.jobs.len();
                self.jobs.retain(|work| work.id != id);
                if self.jobs.len() < before {
                    self.post(&ToPage::Final(id, Err(Failure::Cancelled), Spent::default()));
                }
            }
            Ok(ToWorker::Do(id, request)) => {
                let job = self.job(request);
                let work = Work { id, job, spent: Spent::default(), told: 0.0 };
                // What nobody waits for goes last.
                let at = match work.job.is_background() {
                    true => self.jobs.len(),
                    false => {
                        let waits = |work: &Work| !work.job.is_background();
                        self.jobs.iter().filter(|work| waits(work)).count()
                    }
                };
                self.jobs.insert(at, work);
                self.next_turn();
            }
            Err(error) => {
                self.post(&ToPage::Dying(format!("a request was not understood: {error}")))
            }
        }
    }

    fn job(&mut self, request: Request) -> Job<Source> {
        match request {
            Request::Open { files, first } => {
                self.world.clear();
                self.windows.borrow_mut().clear();
                let named: Vec<(String, u64)> =
                    files.iter().map(|file| (file.path.clone(), size(&file.handle.0))).collect();
                let windows = &self.windows;
                Job::Open(Box::new(Opening::new(&named, first, |at, part| {
                    FileSource::new(part, BlobFile::new(files[at].handle.0.clone()), windows)
                })))
            }
            Request::Parse { tables: which, key, row } => {
                Job::Parse { which, key, row, sampling: None }
            }
            Request::Race(call) => Job::Race { call, sampling: None },
            Request::Means(call) => Job::Means { call, sampling: None, job: None },
            Request::Suggest(which) => Job::Suggest(Suggesting::new(which)),
            Request::Try(which, what) => Job::Try { which, what, sampling: None },
        }
    }

    fn next_turn(&mut self) {
        if !self.turning && !self.jobs.is_empty() {
            self.turning = self.turn.port2().post_message(&JsValue::NULL).is_ok();
        }
    }

    fn work(&mut self) {
        self.turning = false;
        let Some(mut work) = self.jobs.pop_front() else { return };
        if self.current != Some(work.id) {
            self.current = Some(work.id);
            self.post(&ToPage::At(work.id));
        }
        let clock = self.scope.performance();
        let start = now(clock.as_ref());
        let over = || now(clock.as_ref()) - start >= SLICE_MS;
        let slice = work.job.slice(&mut self.world, &over);
        let end = now(clock.as_ref());
        let read = self.windows.borrow_mut().take_read();
        work.spent.bytes += read.bytes;
        work.spent.reads += read.reads;
        work.spent.ms += end - start;
        match slice {
            Slice::Done(result) => self.post(&ToPage::Final(work.id, result, work.spent)),
            Slice::More(reply) => {
                if let Some(reply) = reply.filter(|_| end - work.told >= TELL_MS) {
                    work.told = end;
                    self.post(&ToPage::Partial(work.id, reply));
                }
                // To the front of its kind: work that was begun is finished first.
                let at = match work.job.is_background() {
                    true => self.jobs.iter().filter(|work| !work.job.is_background()).count(),
                    false => 0,
                };
                self.jobs.insert(at, work);
            }
        }
        self.next_turn();
    }

    fn post(&self, message: &ToPage) {
        post(&self.scope, message);
    }
}

fn now(clock: Option<&Performance>) -> f64 {
    clock.map_or(0.0, Performance::now)
}
