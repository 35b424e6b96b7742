//! The page's side of the worker: starts it, feeds it, watches it, and hands answers to whoever asked.

use super::codec;
use super::protocol::{Reply, Request, ToPage, ToWorker};
use crate::model::Failure;
use crate::state::store::Spent;
use crate::state::supervisor::{Input, Output, RequestId, Supervisor};
use gloo_events::EventListener;
use gloo_timers::callback::Interval;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use triescope_core::few::Few;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use web_sys::{Blob, BlobPropertyBag, ErrorEvent, MessageEvent, Url, Worker};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(thread_local_v2, js_namespace = ["import", "meta"], js_name = url)]
    static GLUE: String;
}

/// What the page hears of a request.
#[derive(Debug)]
pub enum Heard {
    /// A partial answer.
    Partial(Reply),
    /// The final answer, and what it has cost.
    Final(Result<Reply, Failure>, Spent),
}

type Answer = Rc<dyn Fn(Heard)>;

/// The worker. Clones are handles of the same one.
#[derive(Clone)]
pub struct Client(Rc<Inner>);

struct Inner {
    supervisor: RefCell<Supervisor<Request>>,
    running: RefCell<Option<Running>>,
    answers: RefCell<Few<RequestId, Answer>>,
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

impl Client {
    /// No worker yet: the first request starts one. `lost` hears when files could not be opened again.
    pub fn new(lost: impl Fn(String) + 'static) -> Self {
        Self(Rc::new(Inner {
            supervisor: RefCell::new(Supervisor::new()),
            running: RefCell::new(None),
            answers: RefCell::default(),
            watch: RefCell::new(None),
            next: Cell::new(0),
            script: script(),
            said: RefCell::new(None),
            lost: Box::new(lost),
        }))
    }

    /// Asks for something.
    pub fn send(&self, request: Request, answer: impl Fn(Heard) + 'static) -> RequestId {
        let id = RequestId(self.0.next.get());
        self.0.next.set(id.0 + 1);
        self.0.answers.borrow_mut().insert(id, Rc::new(answer));
        self.handle(Input::Send(id, request));
        id
    }

    /// Takes a question back: its answer is not heard any more.
    pub fn cancel(&self, id: RequestId) {
        if self.0.answers.borrow_mut().remove(&id).is_some() {
            self.handle(Input::Cancel(id));
        }
    }

    fn handle(&self, input: Input<Request>) {
        let outputs = self.0.supervisor.borrow_mut().handle(now(), input);
        for output in outputs {
            self.perform(output);
        }
        let busy = self.0.supervisor.borrow().is_busy();
        let mut watch = self.0.watch.borrow_mut();
        if busy && watch.is_none() {
            let client = self.clone();
            *watch = Some(Interval::new(1_000, move || client.handle(Input::Tick)));
        } else if !busy {
            // Dropped a moment later: this may be the timer's own call.
            if let Some(timer) = watch.take() {
                gloo_timers::callback::Timeout::new(0, move || drop(timer)).forget();
            }
        }
    }

    fn perform(&self, output: Output<Request>) {
        match output {
            Output::Start => {
                if let Err(error) = self.start() {
                    let client = self.clone();
                    let said = format!("it cannot be started: {error:?}");
                    gloo_timers::callback::Timeout::new(0, move || {
                        client.handle(Input::Broke(said));
                    })
                    .forget();
                }
            }
            Output::Terminate => {
                if let Some(running) = self.0.running.borrow_mut().take() {
                    running.worker.terminate();
                }
            }
            Output::Post(id, request) => self.post(&ToWorker::Do(id, request)),
            Output::PostCancel(id) => self.post(&ToWorker::Cancel(id)),
            Output::Ping => self.post(&ToWorker::Ping),
            Output::Failed(id, said) => {
                let answer = self.0.answers.borrow_mut().remove(&id);
                if let Some(answer) = answer {
                    answer(Heard::Final(Err(Failure::WorkerDied { said }), Spent::default()));
                }
            }
            Output::Lost(said) => (self.0.lost)(said),
        }
    }

    fn start(&self) -> Result<(), JsValue> {
        let worker = Worker::new(&self.0.script)?;
        let client = self.clone();
        let message = EventListener::new(&worker, "message", move |event| {
            if let Some(event) = event.dyn_ref::<MessageEvent>() {
                client.hear(event.data());
            }
        });
        let client = self.clone();
        let error = EventListener::new(&worker, "error", move |event| {
            event.prevent_default();
            let text = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default();
            client.broke(text);
        });
        // The module is compiled already: it crosses over, and nothing is fetched or compiled again.
        worker.post_message(&wasm_bindgen::module())?;
        *self.0.running.borrow_mut() = Some(Running { worker, _listeners: [message, error] });
        Ok(())
    }

    fn broke(&self, text: String) {
        let said = self.0.said.borrow_mut().take();
        let text = said.unwrap_or(text);
        let text = text.strip_prefix("Uncaught RuntimeError: ").unwrap_or(&text).to_owned();
        self.handle(Input::Broke(text));
    }

    fn post(&self, message: &ToWorker) {
        let value = match codec::encode(message) {
            Ok(value) => value,
            Err(error) => return self.broke(format!("a request could not be posted: {error}")),
        };
        let posted = match &*self.0.running.borrow() {
            Some(running) => running.worker.post_message(&value),
            None => Ok(()),
        };
        if let Err(error) = posted {
            self.broke(format!("a request could not be posted: {error:?}"));
        }
    }

    fn hear(&self, value: JsValue) {
        // The lines that load the module say `{died: …}` when they cannot.
        if let Ok(died) = js_sys::Reflect::get(&value, &JsValue::from_str("died"))
            && let Some(text) = died.as_string()
        {
            return self.broke(format!("it could not load: {text}"));
        }
        match codec::decode(value) {
            Err(error) => self.broke(format!("an answer was not understood: {error}")),
            Ok(ToPage::Ready) => self.handle(Input::Ready),
            Ok(ToPage::Pong) => self.handle(Input::Sign),
            Ok(ToPage::At(id)) => self.handle(Input::At(id)),
            Ok(ToPage::Dying(said)) => *self.0.said.borrow_mut() = Some(said),
            Ok(ToPage::Partial(id, reply)) => {
                self.handle(Input::Sign);
                let answer = self.0.answers.borrow().get(&id).cloned();
                if let Some(answer) = answer {
                    answer(Heard::Partial(reply));
                }
            }
            Ok(ToPage::Final(id, result, spent)) => {
                let keep = matches!(result, Ok(Reply::Opened(_)));
                self.handle(Input::Final { id, keep });
                let answer = self.0.answers.borrow_mut().remove(&id);
                if let Some(answer) = answer {
                    answer(Heard::Final(result, spent));
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
    let glue = GLUE.with(String::clone);
    let lines = format!(
        "onmessage=async e=>{{onmessage=null;try{{const m=await import({glue:?});\
         await m.default({{module_or_path:e.data}})}}catch(x){{postMessage({{died:String(x)}})}}}}"
    );
    let parts = js_sys::Array::of1(&JsValue::from_str(&lines));
    let kind = BlobPropertyBag::new();
    kind.set_type("text/javascript");
    Blob::new_with_str_sequence_and_options(&parts, &kind)
        .and_then(|blob| Url::create_object_url_with_blob(&blob))
        .unwrap_or_default()
}
