//! Dropping files anywhere on the window.

use super::files::{Dropped, dropped};
use gloo_events::{EventListener, EventListenerOptions};
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsCast as _;
use web_sys::DragEvent;
use yew::{Callback, hook, use_effect_with, use_mut_ref, use_state_eq};

/// Whether files are being dragged over the window; what is dropped goes to `on`.
#[hook]
pub fn use_drop(on: Callback<Rc<Cell<Option<Dropped>>>>) -> bool {
    let dragging = use_state_eq(|| false);
    let now = use_mut_ref(|| None);
    *now.borrow_mut() = Some(on);
    let set = dragging.setter();
    use_effect_with((), move |()| {
        let listeners = web_sys::window().map(|window| {
            // Entering a child comes before leaving its parent, so enters are counted.
            let depth = Rc::new(Cell::new(0_i32));
            let listen = |name: &'static str, act: Box<dyn Fn(&DragEvent)>| {
                let options = EventListenerOptions::enable_prevent_default();
                EventListener::new_with_options(&window, name, options, move |event| {
                    if let Some(event) = event.dyn_ref::<DragEvent>()
                        && has_files(event)
                    {
                        event.prevent_default();
                        act(event);
                    }
                })
            };
            let (enter, leave, end) = (Rc::clone(&depth), Rc::clone(&depth), depth);
            let (shown, hidden, done) = (set.clone(), set.clone(), set.clone());
            [
                listen(
                    "dragenter",
                    Box::new(move |_| {
                        enter.set(enter.get() + 1);
                        shown.set(true);
                    }),
                ),
                listen("dragover", Box::new(|_| {})),
                listen(
                    "dragleave",
                    Box::new(move |_| {
                        leave.set((leave.get() - 1).max(0));
                        if leave.get() == 0 {
                            hidden.set(false);
                        }
                    }),
                ),
                listen(
                    "drop",
                    Box::new(move |event| {
                        end.set(0);
                        done.set(false);
                        let on = now.borrow().clone();
                        if let (Some(data), Some(on)) = (event.data_transfer(), on) {
                            let on: Callback<_> = on;
                            on.emit(Rc::new(Cell::new(Some(dropped(&data)))));
                        }
                    }),
                ),
            ]
        });
        move || drop(listeners)
    });
    *dragging
}

fn has_files(event: &DragEvent) -> bool {
    let types = event.data_transfer().map(|data| data.types());
    types.is_some_and(|types| types.iter().any(|kind| kind.as_string().as_deref() == Some("Files")))
}
