//! Data.db: chunks, the key at a position, the rows of a block; and deletion times, which the indexes repeat.

mod chunk;
mod clustering;
mod deletion;
mod reader;
mod rows;

pub use clustering::{read_values, write_values};
pub use deletion::Deletion;
pub use reader::{DataReader, Layout};
pub use rows::{RowFormat, RowRange, Unfiltered, UnfilteredKind, Walked};
