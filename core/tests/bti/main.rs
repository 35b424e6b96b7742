//! The trie index against the answers of Cassandra's own readers, other people's files, and damage.

mod damage;
mod expected;
mod files;
mod nodes;
mod upstream;
mod walks;
