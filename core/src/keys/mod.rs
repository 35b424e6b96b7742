//! Partition keys as the indexes order them: tokens, hashes, and byte-comparable form.

mod murmur3;
mod partitioner;

pub use murmur3::{Hash, murmur3};
pub use partitioner::{Decorated, Partitioner, Token};
