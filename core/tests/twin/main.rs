//! The index that an SSTable does not have, built from the one it has, against the real one of the same rows.

#[path = "../common/mod.rs"]
mod common;

mod build;
mod checks;
mod damage;
mod lookups;
#[path = "../set/made.rs"]
#[expect(dead_code, reason = "of what makes a set only its files are needed here")]
mod made;
mod measured;
mod moved;
mod own;
mod pairs;
mod pieces;
mod plans;
mod scylla;
mod wide;
