//! Other windows on the page's worker: a script that wraps `Worker` before the page starts, so that a test can end the
//! page's worker, silence it, or start one of the same kind.

/// Source for [`crate::page::Page::add_script`]. It puts `window.workers` beside the page:
///
/// - `all`: the workers the page has started, the last one in use;
/// - `fail()`: ends the last one as a trap in wasm does, with an error event;
/// - `silence()`: no message reaches the last one or comes from it any more;
/// - `sibling(body)`: starts a worker from a blob, as the page does, runs the body of an async function in it, and gives
///   what it returns.
pub const WORKERS: &str = include_str!("workers.js");
