//! The page's side of a worker: starts it, feeds it, watches it, and hands answers to whoever asked.
//!
//! The lookup worker runs the module of the page, the workshop one of its own, which is fetched when it is first needed.

use super::codec;
use super::frames::{OpenFile, Packed, Parcel, Protocol, ToPage, ToWorker};
use crate::model::Failure;
use crate::state::store::Spent;
use crate::state::supervisor::{Input, Keep, Output, RequestId, Supervisor};
use gloo_events::EventListener;
use gloo_timers::callback::{Interval, Timeout};
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::rc::Rc;
use triescope_core::few::Few;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use web_sys::{Blob, BlobPropertyBag, ErrorEvent, MessageEvent, Url, Worker, WorkerOptions};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(thread_local_v2, js_namespace = ["import", "meta"], js_name = url)]
    static GLUE: String;
}

/// What a worker does; both have one module, which is not part of the first load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It looks keys up.
    Lookups,
    /// It builds indexes and makes boards.
    Workshop,
}

/// Number of the first request to the workshop, so that no two workers have one of the same number.
const WORKSHOP_FIRST: u32 = 1 << 31;

impl Role {
    const fn first(self) -> u32 {
        match self {
            Self::Lookups => 0,
            Self::Workshop => WORKSHOP_FIRST,
        }
    }

    /// The name of the worker, by which it knows its role.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lookups => "lookups",
            Self::Workshop => "workshop",
        }
    }
}

/// What the page hears of a request.
#[derive(Debug)]
pub enum Heard<R> {
    /// A partial answer.
    Partial(R),
    /// The final answer, and what it has cost.
    Final(Result<R, Failure>, Spent),
}

/// A worker that speaks `P`. Clones are handles of the same one.
pub struct Client<P> {
    inner: Rc<Inner>,
    speaks: PhantomData<P>,
}

impl<P> Clone for Client<P> {
    fn clone(&self) -> Self {
        Self { inner: Rc::clone(&self.inner), speaks: PhantomData }
    }
}

impl<P: Protocol> Client<P> {
    /// No worker yet: the first request starts one. `lost` hears when files could not be opened again.
    pub fn new(role: Role, lost: impl Fn(String) + 'static) -> Self {
        let inner = Inner {
            role,
            supervisor: RefCell::new(Supervisor::new()),
            running: RefCell::new(None),
            answers: RefCell::default(),
            keeps: RefCell::default(),
            watch: RefCell::new(None),
            next: Cell::new(role.first()),
            script: script(),
            said: RefCell::new(None),
            lost: Box::new(lost),
        };
        Self { inner: Rc::new(inner), speaks: PhantomData }
    }

    /// Asks for something.
    pub fn send(
        &self,
        request: &P::Request,
        answer: impl Fn(Heard<P::Reply>) + 'static,
    ) -> RequestId {
        let parcel = codec::pack(request);
        let unpacked = |parcel| {
            codec::unpack(parcel).map_err(|error| Failure::WorkerDied {
                said: format!("an answer was not understood: {error}"),
            })
        };
        let answer = move |heard: Heard<Parcel>| match heard {
            Heard::Partial(parcel) => {
                if let Ok(reply) = unpacked(parcel) {
                    answer(Heard::Partial(reply));
                }
            }
            Heard::Final(result, spent) => answer(Heard::Final(result.and_then(unpacked), spent)),
        };
        self.inner.send(parcel, P::keeps(request), Rc::new(answer))
    }

    /// Takes a question back: its answer is not heard any more.
    pub fn cancel(&self, id: RequestId) {
        self.inner.cancel(id);
    }
}

type Answer = Rc<dyn Fn(Heard<Parcel>)>;

struct Inner {
    role: Role,
    supervisor: RefCell<Supervisor<Parcel>>,
    running: RefCell<Option<Running>>,
    answers: RefCell<Few<RequestId, Answer>>,
    /// What a worker that takes the place of another needs again, as far as it is not answered.
    keeps: RefCell<Few<RequestId, Keep>>,
    watch: RefCell<Option<Interval>>,
    next: Cell<u32>,
    /// Address of the few lines that load the module in a worker; kept for the life of the page, for each restart.
    script: String,
    /// What a dying worker said of itself.
    said: RefCell<Option<String>>,
    /// Called when the files could not be given to a new worker.
    lost: Box<dyn Fn(String)>,
}

struct Running {
    worker: Worker,
    _listeners: [EventListener; 2],
}

impl Inner {
    fn send(
        self: &Rc<Self>,
        parcel: Result<Parcel, String>,
        keep: Keep,
        answer: Answer,
    ) -> RequestId {
        let id = RequestId(self.next.get());
        self.next.set(id.0 + 1);
        match parcel {
            Ok(parcel) => {
                self.answers.borrow_mut().insert(id, answer);
                self.keeps.borrow_mut().insert(id, keep);
                self.handle(Input::Send(id, parcel));
            }
            Err(error) => {
                let said = format!("a request could not be posted: {error}");
                Timeout::new(0, move || {
                    answer(Heard::Final(Err(Failure::WorkerDied { said }), Spent::default()));
                })
                .forget();
            }
        }
        id
    }

    fn cancel(self: &Rc<Self>, id: RequestId) {
        if self.answers.borrow_mut().remove(&id).is_some() {
            self.handle(Input::Cancel(id));
        }
    }

    fn handle(self: &Rc<Self>, input: Input<Parcel>) {
        let outputs = self.supervisor.borrow_mut().handle(now(), input);
        for output in outputs {
            self.perform(output);
        }
        let busy = self.supervisor.borrow().is_busy();
        let mut watch = self.watch.borrow_mut();
        if busy && watch.is_none() {
            let client = Rc::clone(self);
            *watch = Some(Interval::new(1_000, move || client.handle(Input::Tick)));
        } else if !busy {
            // Dropped a moment later: this may be the timer's own call.
            if let Some(timer) = watch.take() {
                Timeout::new(0, move || drop(timer)).forget();
            }
        }
    }

    fn perform(self: &Rc<Self>, output: Output<Parcel>) {
        match output {
            Output::Start => {
                if let Err(error) = self.start() {
                    let client = Rc::clone(self);
                    let said = format!("it cannot be started: {error:?}");
                    Timeout::new(0, move || {
                        client.handle(Input::Broke(said));
                    })
                    .forget();
                }
            }
            Output::Terminate => {
                if let Some(running) = self.running.borrow_mut().take() {
                    running.worker.terminate();
                }
            }
            Output::Post(id, parcel) => self.post(&ToWorker::Do(id, parcel.bytes), parcel.files),
            Output::PostCancel(id) => self.post(&ToWorker::Cancel(id), Vec::new()),
            Output::Ping => self.post(&ToWorker::Ping, Vec::new()),
            Output::Failed(id, said) => {
                self.keeps.borrow_mut().remove(&id);
                let answer = self.answers.borrow_mut().remove(&id);
                if let Some(answer) = answer {
                    answer(Heard::Final(Err(Failure::WorkerDied { said }), Spent::default()));
                }
            }
            Output::Lost(said) => (self.lost)(said),
        }
    }

    fn start(self: &Rc<Self>) -> Result<(), JsValue> {
        let options = WorkerOptions::new();
        options.set_name(self.role.name());
        let worker = Worker::new_with_options(&self.script, &options)?;
        let client = Rc::clone(self);
        let message = EventListener::new(&worker, "message", move |event| {
            if let Some(event) = event.dyn_ref::<MessageEvent>() {
                client.hear(event.data());
            }
        });
        let client = Rc::clone(self);
        let error = EventListener::new(&worker, "error", move |event| {
            event.prevent_default();
            let text = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default();
            client.broke(text);
        });
        *self.running.borrow_mut() = Some(Running { worker, _listeners: [message, error] });
        Ok(())
    }

    fn broke(self: &Rc<Self>, text: String) {
        let said = self.said.borrow_mut().take();
        let text = said.unwrap_or(text);
        let text = text.strip_prefix("Uncaught RuntimeError: ").unwrap_or(&text).to_owned();
        self.handle(Input::Broke(text));
    }

    fn post(self: &Rc<Self>, message: &ToWorker, files: Vec<OpenFile>) {
        let value = match codec::encode(message, files) {
            Ok(value) => value,
            Err(error) => return self.broke(format!("a request could not be posted: {error}")),
        };
        let posted = match &*self.running.borrow() {
            Some(running) => running.worker.post_message(&value),
            None => Ok(()),
        };
        if let Err(error) = posted {
            self.broke(format!("a request could not be posted: {error:?}"));
        }
    }

    fn hear(self: &Rc<Self>, value: JsValue) {
        // The lines that load the module say `{died: …}` when they cannot.
        if let Ok(died) = js_sys::Reflect::get(&value, &JsValue::from_str("died"))
            && let Some(text) = died.as_string()
        {
            return self.broke(format!("it could not load: {text}"));
        }
        let (frame, files) = match codec::decode(value) {
            Ok(heard) => heard,
            Err(error) => return self.broke(format!("an answer was not understood: {error}")),
        };
        match frame {
            ToPage::Ready => self.handle(Input::Ready),
            ToPage::Pong => self.handle(Input::Sign),
            ToPage::At(id) => self.handle(Input::At(id)),
            ToPage::Dying(said) => *self.said.borrow_mut() = Some(said),
            ToPage::Partial(id, bytes) => {
                self.handle(Input::Sign);
                let answer = self.answers.borrow().get(&id).cloned();
                if let Some(answer) = answer {
                    answer(Heard::Partial(Parcel { bytes, files }));
                }
            }
            ToPage::Final(id, result, spent) => {
                let answer = self.answers.borrow_mut().remove(&id);
                let keep = self.keeps.borrow_mut().remove(&id).filter(|_| result.is_ok());
                self.handle(Input::Final { id, keep: keep.unwrap_or_default() });
                if let Some(answer) = answer {
                    let parcel = |Packed(bytes)| Parcel { bytes, files };
                    answer(Heard::Final(result.map(parcel), spent));
                }
            }
        }
    }
}

/// Milliseconds since the page was opened.
pub fn now() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |clock| clock.now())
}

/// A blob with the lines that load the module. It is a blob so that the worker inherits the policy of the page, and the
/// import is a dynamic one since a static one would count as a worker's source, which the policy keeps to blobs.
fn script() -> String {
    let glue = GLUE.with(|page| workshop(page));
    let lines = format!(
        "(async()=>{{try{{await(await import({glue:?})).default()}}\
         catch(x){{postMessage({{died:String(x)}})}}}})()"
    );
    let parts = js_sys::Array::of1(&JsValue::from_str(&lines));
    let kind = BlobPropertyBag::new();
    kind.set_type("text/javascript");
    Blob::new_with_str_sequence_and_options(&parts, &kind)
        .and_then(|blob| Url::create_object_url_with_blob(&blob))
        .unwrap_or_default()
}

/// Address of the glue of the workshop: it lies beside that of the page, and the build writes its name into the page,
/// since it changes with what is in it.
fn workshop(page: &str) -> String {
    Url::new_with_base(&named_file("workshop").unwrap_or_default(), page)
        .map(|url| url.href())
        .unwrap_or_default()
}

/// The name of a file that the page loads when it is first needed, which the build puts into a tag of the page.
pub fn named_file(tag: &str) -> Option<String> {
    let document = web_sys::window()?.document()?;
    document.query_selector(&format!("meta[name={tag}]")).ok()??.get_attribute("content")
}
