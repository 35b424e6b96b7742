//! The trie index: Partitions.db and Rows.db (`da`, `ms`, `mt`, and `bb`).

mod kind;

pub use kind::{Family, NodeKind};
