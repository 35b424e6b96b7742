//! Opening real SSTables: what their metadata says, and that nothing in them makes the reader panic.

#[path = "../common/mod.rs"]
mod common;

mod cassandra;
mod damage;
mod lookups;
mod pieces;
mod upstream;
