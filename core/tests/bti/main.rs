//! The trie index against the answers of Cassandra's own readers, other people's files, and damage.

#[path = "../common/mod.rs"]
mod common;

mod damage;
mod expected;
mod files;
mod lookups;
mod nodes;
mod pieces;
mod upstream;
mod walks;
