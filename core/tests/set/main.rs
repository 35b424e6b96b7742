//! Complete SSTables in another version, compared with those that Cassandra wrote of the same rows.

#[path = "../common/mod.rs"]
mod common;
mod made;
mod pairs;
mod rewrite;
mod whole;
