//! The trie index: Partitions.db and Rows.db (`da`, `ms`, `mt`, and `bb`).
//!
//! [`Footer`] and [`PartitionIndex`] lead from a partition key to a [`Leaf`], which points into Data.db or at a
//! [`RowEntry`] in Rows.db; that one and [`RowIndex`] lead from a row to its [`Block`].

mod census;
pub(crate) mod check;
mod cover;
mod entry;
mod footer;
mod kind;
mod layout;
mod node;
pub mod pack;
mod pages;
mod partitions;
mod payload;
mod rows;
mod steps;
mod walk;

pub(crate) use census::TrieCount;
pub use entry::RowEntry;
pub use footer::{FOOTER_BYTES, Footer};
pub use kind::{Family, NodeKind};
pub use node::{Child, Node};
pub(crate) use pages::TriePages;
pub(crate) use partitions::LeavesPlace;
pub use partitions::{Exact, Found, Leaves, PartitionIndex};
pub use payload::{Block, Leaf};
pub(crate) use rows::BlocksPlace;
pub use rows::{Blocks, Floor, RowIndex};
