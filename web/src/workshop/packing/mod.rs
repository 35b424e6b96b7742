//! The packing view's board: from a frame of the replay to sentences, pictures, tables and lists.

mod board;
mod both;
mod builds;
mod feed;
mod head;
mod query;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
pub(super) mod text;
mod ticks;

pub use builds::Builds;
