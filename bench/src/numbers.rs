//! A corpus larger than the files at hand: a Partitions.db packed as Cassandra packs it, in memory.

use triescope_core::bti::pack::{Flavour, PartitionTarget, PartitionsWriter};
use triescope_core::keys::{murmur3, murmur3_blob_into};
use triescope_core::pos::DataPos;
use triescope_core::write::WriteError;

/// A Partitions.db of the 4-byte big-endian numbers `0..n`; the partition of rank `r` lies at `100 r` in Data.db.
pub fn numbers(n: u32) -> Result<Vec<u8>, WriteError> {
    let mut keys: Vec<(Vec<u8>, [u8; 4])> =
        (0..n).map(u32::to_be_bytes).map(|key| (comparable(&key), key)).collect();
    keys.sort_unstable();
    let mut writer = PartitionsWriter::new(Flavour::CASSANDRA, Vec::new());
    for (rank, (comparable, key)) in (0..).zip(&keys) {
        let target = PartitionTarget::Data(DataPos(100 * rank));
        writer.add(key, comparable, murmur3(key).byte(), target)?;
    }
    writer.finish()
}

/// The byte-comparable form of a 4-byte key under Murmur3.
pub fn comparable(key: &[u8; 4]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(20);
    murmur3_blob_into(key, murmur3(key), &mut bytes);
    bytes
}
