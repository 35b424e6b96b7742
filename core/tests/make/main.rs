//! The table of one partition and a million rows, made and read.

#[path = "../common/mod.rs"]
mod common;
mod wide;
