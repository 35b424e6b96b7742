//! Types, literals, hashes and byte-comparable keys against Cassandra's own answers, and against damage.

#[path = "../common/mod.rs"]
mod common;
mod fixtures;
mod hashes;
mod literals;
#[cfg(not(target_family = "wasm"))]
mod properties;
mod upstream;
mod values;
