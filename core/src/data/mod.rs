//! Data.db: chunks, the key at a position, the rows of a block; and deletion times, which the indexes repeat.

mod deletion;

pub use deletion::Deletion;
