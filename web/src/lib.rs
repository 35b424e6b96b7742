//! The page and the worker of Triescope.
//!
//! `model`, `state` and `layout` know no browser: they compile and are tested natively. Everything else is wasm only.

pub mod model;

/// Starts the page, or the worker when there is no window.
pub fn start() {}
