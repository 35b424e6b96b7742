//! The bodies of the fuzz targets, which live among the tests of the core: `cargo test` replays them on stable Rust.
#![forbid(unsafe_code)]

#[path = "../../core/tests/common/mod.rs"]
mod common;
#[path = "../../core/tests/fuzz/mod.rs"]
mod fuzz;

pub use fuzz::run;
