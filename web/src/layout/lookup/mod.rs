//! The pictures of the lookup: both lanes as functions from a race and a width to a scene.
//!
//! A scene holds all steps of its lane; each mark knows the step that lights it up, so going a step on lays nothing out
//! again. Marks of the class `dim` stand faintly in their place before that, the others are absent.

mod chain;
mod column;
mod entry;
mod files;
mod filter;
mod ladder;
mod legacy;
mod pen;
mod promoted;
mod result;
mod ribbon;
mod rows;
#[cfg(test)]
mod sample;
mod score;
mod spectrum;
mod stops;
mod strip;
mod strips;
mod summary;
#[cfg(test)]
mod tests;
mod trie;
mod window;

pub use files::{Files, size};
pub use legacy::legacy;
pub use score::{Listed, Main, Row, fetch, listed, score};
pub use strips::phone_strips;
pub use trie::{NARROW, trie};
