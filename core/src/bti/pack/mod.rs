//! The writer of both tries: keys that come in order become nodes, packed into pages as the databases pack them.
//!
//! Byte for byte what Cassandra's and ScyllaDB's writers make; where they differ is a [`Flavour`].
//! See `docs/format/packing.md`.

mod branch;
mod flavour;
mod layout;
mod melt;
mod observer;
mod out;
mod partitions;
mod payload;
mod rows;
mod separator;
mod shape;
mod writer;

pub use flavour::{Flavour, Grown};
pub use observer::{ChildSize, PackObserver, PackStep, Written};
pub(crate) use partitions::key_pieces;
pub use partitions::{PartitionTarget, PartitionsWriter};
pub use payload::Payload;
pub use rows::{RowBlock, RowsWriter};
pub use separator::{end_marker, separator};
pub use writer::TrieWriter;
pub(crate) use writer::common;
