//! The workshop: a worker that writes indexes, in a module of its own that is fetched when it is first needed.
//!
//! It opens the same files as the lookup worker, under the same numbers. How to teach it something: a variant of
//! [`protocol::Request`] and one of [`protocol::Reply`], a variant of [`jobs::Job`] that does it in slices, and the line
//! that makes the job of the request in `place.rs`. What it answers is data: pictures are laid out here, as a
//! [`crate::layout::scene::Scene`], and only painted by the page.

pub mod boards;
pub mod family;
pub mod findings;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod fixture;
pub mod html;
pub mod jobs;
pub mod links;
pub mod making;
pub mod onebox;
pub mod packing;
pub mod pages;
pub mod protocol;
pub mod selection;
pub mod shelf;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
pub mod trie;
pub mod twins;

#[cfg(target_arch = "wasm32")]
pub mod place;
