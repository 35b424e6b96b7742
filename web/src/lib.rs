//! The page and the worker of Triescope.
//!
//! `model`, `shared`, `state`, `layout` and `words` know no browser: they compile and are tested natively, and so is the
//! work of the worker. Everything else is wasm only.

pub mod board;
pub mod layout;
pub mod model;
pub mod shared;
pub mod state;
pub mod words;
pub mod worker;
pub mod workshop;

#[cfg(target_arch = "wasm32")]
pub mod components;
#[cfg(target_arch = "wasm32")]
pub mod hooks;
#[cfg(target_arch = "wasm32")]
pub mod views;

/// Starts the page.
#[cfg(target_arch = "wasm32")]
pub fn start() {
    console_error_panic_hook::set_once();
    yew::Renderer::<components::app::App>::new().render();
}

/// Starts a worker: by its name the one that looks keys up, or the workshop.
#[cfg(target_arch = "wasm32")]
pub fn start_worker() {
    use wasm_bindgen::JsCast as _;
    let Ok(scope) = js_sys::global().dyn_into::<web_sys::DedicatedWorkerGlobalScope>() else {
        return;
    };
    if scope.name() == worker::client::Role::Lookups.name() {
        worker::serve::serve(scope, worker::desk::Desk::default());
    } else {
        worker::serve::serve(scope, workshop::place::Workshop::default());
    }
}

/// There is no page outside a browser.
#[cfg(not(target_arch = "wasm32"))]
pub fn start() {}

/// There is no worker outside a browser.
#[cfg(not(target_arch = "wasm32"))]
pub fn start_worker() {}
