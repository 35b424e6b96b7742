//! Data.db decoded, compared with what Cassandra's own dump says of the same files.

#[path = "../common/mod.rs"]
mod common;

mod items;
mod rows;
mod upstream;
mod walks;
