//! Partition keys and clustering keys as the indexes order them: tokens, hashes, schemas, and byte-comparable form.
//! See `docs/format/keys.md`.

mod clustering;
mod comparable;
mod decode;
mod encode;
mod murmur3;
mod numbers;
mod partitioner;
mod pieces;
mod schema;
mod values;

pub use clustering::ClusteringSchema;
pub use comparable::{
    Bound, ComparableKey, Dialect, KeyStyle, murmur3_blob_into, partition_key, token_bound,
};
pub use decode::{Decoded, DecodedKey, decode_partition_key};
pub use encode::{comparable_value, order_of};
pub use murmur3::{Hash, murmur3};
pub use partitioner::{Decorated, Partitioner, Token};
pub use schema::{KeyInput, KeySchema};
