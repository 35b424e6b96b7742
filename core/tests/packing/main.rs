//! The replay of a writer against real files, the reader and itself.

#[path = "../common/mod.rs"]
mod common;
mod frames;
mod grown;
mod typed;
mod verdict;
