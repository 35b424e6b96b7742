//! The value of a counter cell: its shards, whose sum it is (`docs/format/data.md`, counters).

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Bytes of a shard: id, clock, count.
const SHARD_BYTES: usize = 32;

/// The share of one replica in a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Id of the counter of that replica.
    pub id: [u8; 16],
    /// Number of updates: of two values of a shard the one with the greater clock counts.
    pub clock: i64,
    /// Its share of the sum.
    pub count: i64,
    /// How it is to be merged.
    pub kind: ShardKind,
}

/// Kind of a shard. Databases of today write global ones only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShardKind {
    /// The same everywhere.
    Global,
    /// Counted by this replica (Cassandra before 2.1).
    Local,
    /// Counted by another replica (Cassandra before 2.1).
    Remote,
}

/// The shards of a counter's value, in the order of the file; none for a value without bytes. `None` when the bytes do
/// not have the form.
pub fn counter_shards(value: &[u8]) -> Option<Vec<Shard>> {
    if value.is_empty() {
        return Some(Vec::new());
    }
    let (count, rest) = value.split_first_chunk::<2>()?;
    let count = usize::try_from(i16::from_be_bytes(*count)).ok()?;
    let (header, body) = rest.split_at_checked(count.checked_mul(2)?)?;
    let (shards, tail) = body.as_chunks::<SHARD_BYTES>();
    if !tail.is_empty() {
        return None;
    }
    let (elements, _) = header.as_chunks::<2>();
    let mut kinds = BTreeMap::new();
    for element in elements {
        let element = i16::from_be_bytes(*element);
        // A negative element is the number of a global shard plus the least i16.
        let (number, kind) = match element {
            ..0 => (element.wrapping_sub(i16::MIN), ShardKind::Global),
            _ => (element, ShardKind::Local),
        };
        kinds.insert(usize::try_from(number).ok()?, kind);
    }
    if kinds.keys().any(|number| *number >= shards.len()) {
        return None;
    }
    let shard = |(number, bytes): (usize, &[u8; SHARD_BYTES])| {
        let (id, rest) = bytes.split_first_chunk::<16>()?;
        let (clock, count) = rest.split_first_chunk::<8>()?;
        Some(Shard {
            id: *id,
            clock: i64::from_be_bytes(*clock),
            count: i64::from_be_bytes(count.try_into().ok()?),
            kind: kinds.get(&number).copied().unwrap_or(ShardKind::Remote),
        })
    };
    shards.iter().enumerate().map(shard).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(id: u8, clock: i64, count: i64) -> Vec<u8> {
        [&[id; 16][..], &clock.to_be_bytes(), &count.to_be_bytes()].concat()
    }

    #[test]
    fn header_elements_say_what_a_shard_is() {
        let header = [0, 2, 0x80, 0x00, 0, 2];
        let value = [&header[..], &shard(1, 5, 7), &shard(2, 6, -1), &shard(3, 1, 1)].concat();
        let shards = counter_shards(&value).unwrap();
        let kinds: Vec<_> = shards.iter().map(|shard| (shard.id[0], shard.kind)).collect();
        assert_eq!(kinds, [(1, ShardKind::Global), (2, ShardKind::Remote), (3, ShardKind::Local)]);
        assert_eq!((shards[1].clock, shards[1].count), (6, -1));
    }

    #[test]
    fn an_empty_counter_has_no_shards_and_damage_has_no_form() {
        assert_eq!(counter_shards(&[]), Some(vec![]));
        assert_eq!(counter_shards(&[0, 0]), Some(vec![]));
        assert_eq!(counter_shards(&[0]), None);
        assert_eq!(counter_shards(&[0, 1, 0x80, 0]), None);
        assert_eq!(counter_shards(&[0xff, 0xff]), None);
        let cut = [&[0, 1, 0x80, 0][..], &shard(1, 1, 1)[..31]].concat();
        assert_eq!(counter_shards(&cut), None);
    }
}
