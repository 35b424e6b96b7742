//! The commands, a file each.

pub mod blocks;
pub mod census;
pub mod check;
pub mod flip;
pub mod info;
pub mod keys;
pub mod lookup;
pub mod pack;
pub mod page;
pub mod rows;
mod scylla;
pub mod shell;
mod steps;
pub mod twin;
