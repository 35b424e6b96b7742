//! A worker's end: messages in, slices of work, answers out.
//!
//! Between two slices the event loop runs, so a cancellation or a ping waits 16 ms at most.

use super::codec;
use super::frames::{OpenFile, Packed, Parcel, Protocol, Slice, ToPage, ToWorker};
use super::windows::Read;
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

/// What is done in a worker: requests become jobs, jobs are done in slices.
pub trait Workplace: 'static {
    /// What it is asked and what it answers.
    type Speaks: Protocol;
    /// A piece of work. Dropping it leaves nothing behind.
    type Job;

    /// The work that a request asks for.
    fn job(&mut self, request: <Self::Speaks as Protocol>::Request) -> Self::Job;

    /// Whether others should go first: nobody waits for it with a key pressed.
    fn is_background(job: &Self::Job) -> bool;

    /// Works until `over` says that the slice is over, or until it is done.
    fn slice(
        &mut self,
        job: &mut Self::Job,
        over: &dyn Fn() -> bool,
    ) -> Slice<<Self::Speaks as Protocol>::Reply>;

    /// What was read from files since this was last asked.
    fn take_read(&mut self) -> Read;
}

struct Server<W: Workplace> {
    scope: DedicatedWorkerGlobalScope,
    /// A message to itself is the next turn of the event loop, without the 4 ms that timers wait.
    turn: MessageChannel,
    turning: bool,
    place: W,
    jobs: VecDeque<Work<W::Job>>,
    current: Option<RequestId>,
}

struct Work<J> {
    id: RequestId,
    job: J,
    spent: Spent,
    /// When it last told how far it has come.
    told: f64,
}

/// Serves for the life of the worker.
pub fn serve<W: Workplace>(scope: DedicatedWorkerGlobalScope, place: W) {
    let Ok(turn) = MessageChannel::new() else { return };
    say_last_words();
    let server = Rc::new(RefCell::new(Server {
        scope: scope.clone(),
        turn,
        turning: false,
        place,
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
    server.borrow().post(&ToPage::Ready, Vec::new());
}

/// A panic posts what it says before the module stops: the page sees only "unreachable" otherwise.
fn say_last_words() {
    std::panic::set_hook(Box::new(|info| {
        let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
        post(&scope, &ToPage::Dying(info.to_string()), Vec::new());
    }));
}

fn post(scope: &DedicatedWorkerGlobalScope, message: &ToPage, files: Vec<OpenFile>) {
    if let Ok(value) = codec::encode(message, files) {
        let _ = scope.post_message(&value);
    }
}

impl<W: Workplace> Server<W> {
    fn hear(&mut self, value: JsValue) {
        let not_understood =
            |error: String| ToPage::Dying(format!("a request was not understood: {error}"));
        let (frame, files) = match codec::decode(value) {
            Ok(heard) => heard,
            Err(error) => return self.post(&not_understood(error), Vec::new()),
        };
        match frame {
            ToWorker::Ping => self.post(&ToPage::Pong, Vec::new()),
            ToWorker::Cancel(id) => {
                let before = self.jobs.len();
                self.jobs.retain(|work| work.id != id);
                if self.jobs.len() < before {
                    let failed = ToPage::Final(id, Err(Failure::Cancelled), Spent::default());
                    self.post(&failed, Vec::new());
                }
            }
            ToWorker::Do(id, bytes) => {
                let job = match codec::unpack(Parcel { bytes, files }) {
                    Ok(request) => self.place.job(request),
                    Err(error) => return self.post(&not_understood(error), Vec::new()),
                };
                let work = Work { id, job, spent: Spent::default(), told: 0.0 };
                // What nobody waits for goes last.
                let at = match W::is_background(&work.job) {
                    true => self.jobs.len(),
                    false => self.waited_for(),
                };
                self.jobs.insert(at, work);
                self.next_turn();
            }
        }
    }

    /// Jobs that somebody waits for; they come first.
    fn waited_for(&self) -> usize {
        self.jobs.iter().filter(|work| !W::is_background(&work.job)).count()
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
            self.post(&ToPage::At(work.id), Vec::new());
        }
        let clock = self.scope.performance();
        let start = now(clock.as_ref());
        let over = || now(clock.as_ref()) - start >= SLICE_MS;
        let slice = self.place.slice(&mut work.job, &over);
        let end = now(clock.as_ref());
        let read = self.place.take_read();
        work.spent.bytes += read.bytes;
        work.spent.reads += read.reads;
        work.spent.ms += end - start;
        match slice {
            Slice::Done(result) => {
                let (result, files) = match result.map(|reply| codec::pack(&reply)) {
                    Ok(Ok(parcel)) => (Ok(Packed(parcel.bytes)), parcel.files),
                    Ok(Err(said)) => (Err(Failure::WorkerDied { said }), Vec::new()),
                    Err(failure) => (Err(failure), Vec::new()),
                };
                self.post(&ToPage::Final(work.id, result, work.spent), files);
            }
            Slice::More(reply) => {
                if let Some(reply) = reply.filter(|_| end - work.told >= TELL_MS)
                    && let Ok(parcel) = codec::pack(&reply)
                {
                    work.told = end;
                    self.post(&ToPage::Partial(work.id, parcel.bytes), parcel.files);
                }
                // To the front of its kind: work that was begun is finished first.
                let at = match W::is_background(&work.job) {
                    true => self.waited_for(),
                    false => 0,
                };
                self.jobs.insert(at, work);
            }
        }
        self.next_turn();
    }

    fn post(&self, message: &ToPage, files: Vec<OpenFile>) {
        post(&self.scope, message, files);
    }
}

fn now(clock: Option<&Performance>) -> f64 {
    clock.map_or(0.0, Performance::now)
}
