//! Types, literals, hashes and byte-comparable keys against Cassandra's own answers, and against damage.

mod fixtures;
mod hashes;
mod literals;
