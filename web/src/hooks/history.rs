//! The address in the browser: view, key and selection push an entry, steps replace it, at most four times a second.

use super::Dispatch;
use crate::state::address::Address;
use crate::state::store::Action;
use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::Timeout;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use yew::{hook, use_effect_with, use_mut_ref};

/// Milliseconds between two replacements of the entry.
const REPLACE_MS: u32 = 250;

/// The address that the page was opened with.
pub fn current() -> Address {
    Address::parse(&fragment())
}

/// The whole address of a place on this page.
pub fn link(address: &Address) -> String {
    let here = here();
    let page = here.split_once('#').map_or(here.as_str(), |(page, _)| page);
    format!("{page}{}", address.print())
}

/// Goes back to the previous place.
pub fn back() {
    if let Some(history) = web_sys::window().and_then(|window| window.history().ok()) {
        let _ = history.back();
    }
}

#[derive(Default)]
struct Sync {
    /// What the browser shows.
    shown: Address,
    /// What it should show once the timer is over.
    next: Option<String>,
    timer: Option<Timeout>,
}

impl Sync {
    /// Writes what waits.
    fn replace(&mut self) {
        self.timer = None;
        if let Some(fragment) = self.next.take() {
            write(&fragment, false);
        }
    }
}

/// Keeps the browser's address and the state's the same.
#[hook]
pub fn use_history(address: &Address, is_settled: bool, dispatch: &Dispatch) {
    let sync: Rc<RefCell<Sync>> = use_mut_ref(|| Sync { shown: current(), ..Sync::default() });
    {
        let (sync, dispatch) = (Rc::clone(&sync), dispatch.clone());
        use_effect_with((), move |()| {
            let listeners = web_sys::window().map(|window| {
                let left = {
                    let sync = Rc::clone(&sync);
                    // A link leaves the entry at once: what waits belongs to it.
                    let before = EventListenerOptions::run_in_capture_phase();
                    EventListener::new_with_options(&window, "click", before, move |_| {
                        sync.borrow_mut().replace();
                    })
                };
                let came = EventListener::new(&window, "popstate", move |_| {
                    let address = current();
                    let mut sync = sync.borrow_mut();
                    sync.next = None;
                    sync.shown = address.clone();
                    drop(sync);
                    dispatch.dispatch(Action::Navigate(address));
                });
                (left, came)
            });
            move || drop(listeners)
        });
    }
    use_effect_with(address.clone(), move |address| {
        let mut state = sync.borrow_mut();
        if state.shown == *address {
            return;
        }
        let same_place = is_settled || state.shown.same_place(address);
        state.shown = address.clone();
        if same_place {
            state.next = Some(address.print());
            if state.timer.is_none() {
                let sync = Rc::clone(&sync);
                state.timer = Some(Timeout::new(REPLACE_MS, move || sync.borrow_mut().replace()));
            }
        } else {
            // What waits belongs to the entry that is left.
            state.replace();
            write(&address.print(), true);
        }
    });
}

fn write(fragment: &str, push: bool) {
    let Some(history) = web_sys::window().and_then(|window| window.history().ok()) else { return };
    let _ = if push {
        history.push_state_with_url(&JsValue::NULL, "", Some(fragment))
    } else {
        history.replace_state_with_url(&JsValue::NULL, "", Some(fragment))
    };
}

fn here() -> String {
    web_sys::window().and_then(|window| window.location().href().ok()).unwrap_or_default()
}

fn fragment() -> String {
    // Not `hash`: some browsers have decoded that.
    here().split_once('#').map(|(_, fragment)| fragment.to_owned()).unwrap_or_default()
}
