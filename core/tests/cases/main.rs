//! The field cases: what people brought to an SSTable, each a test with the id of its case in its name, that gives the
//! right answer.

#[path = "../common/mod.rs"]
mod common;

mod files;
mod legacy;
mod made;
mod meta;
mod promoted;
mod trie;
