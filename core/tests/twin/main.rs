//! The index that an SSTable does not have, built from the one it has, against the real one of the same rows.

#[path = "../common/mod.rs"]
mod common;

mod build;
mod damage;
mod lookups;
mod measured;
mod own;
mod pairs;
mod pieces;
mod plans;
mod scylla;
