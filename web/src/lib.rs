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

/// Starts the page, or the lookup worker when there is no window.
#[cfg(target_arch = "wasm32")]
pub fn start() {
    use wasm_bindgen::JsCast as _;
    if web_sys::window().is_some() {
        console_error_panic_hook::set_once();
        yew::Renderer::<components::app::App>::new().render();
    } else if let Ok(scope) = js_sys::global().dyn_into() {
        worker::serve::serve(scope, worker::desk::Desk::default());
    }
}

/// Starts the workshop, which is a worker.
#[cfg(target_arch = "wasm32")]
pub fn start_workshop() {
    use wasm_bindgen::JsCast as _;
    if let Ok(scope) = js_sys::global().dyn_into() {
        worker::serve::serve(scope, workshop::place::Workshop::default());
    }
}

/// There is no page outside a browser.
#[cfg(not(target_arch = "wasm32"))]
pub fn start() {}

/// There is no workshop outside a browser.
#[cfg(not(target_arch = "wasm32"))]
pub fn start_workshop() {}
