//! Data.db: chunks, the key at a position, the rows of a block, every row and cell decoded; and deletion times, which the
//! indexes repeat.

mod atoms;
mod chunk;
mod clustering;
mod compress;
mod counter;
mod deletion;
mod format;
mod items;
mod json;
mod line;
mod model;
mod places;
pub(crate) mod raw;
mod reader;
mod rewrite;
mod rows;
mod store;
pub(crate) mod walk;

pub use atoms::{Atom, AtomItem, AtomKind, Atoms, Composite};
pub(crate) use clustering::each_value;
pub use clustering::{read_values, write_values};
pub use compress::{ChunkWriter, Chunks};
pub use counter::{Shard, ShardKind, counter_shards};
pub use deletion::Deletion;
pub use format::{Columns, DataColumn, DataFormat};
pub use items::Items;
pub use json::JsonDump;
pub use line::{LineWriter, atom_line};
pub use model::*;
pub(crate) use places::Place;
pub use reader::{DataReader, Layout};
pub use rewrite::{RewriteError, Rewriter, Rewritten, RowRefusal};
pub use rows::{RowFormat, RowRange, Unfiltered, UnfilteredKind, Walked};
pub(crate) use store::compression_head;
pub use store::{DataStore, PartSink, StoreSink, Stored, Storing};
