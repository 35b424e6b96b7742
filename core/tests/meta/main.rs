//! The metadata components of real files: Statistics.db, Scylla.db, CompressionInfo.db, Digest.

#[path = "../common/mod.rs"]
mod common;
mod digest;
mod filter;
mod scylla;
mod statistics;
mod written;
