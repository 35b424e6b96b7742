//! The writers against files that Cassandra's and ScyllaDB's own writers made.

#[path = "../common/mod.rs"]
mod common;
mod files;
mod input;
mod legacy;
mod steps;
mod vectors;
