//! Damaged twins of the checks of Filter.db.

use crate::common::{InMemory, cassandra};
use crate::{ids, said};
use std::ops::ControlFlow;
use triescope_core::big::IndexWalk;
use triescope_core::keys::murmur3;
use triescope_core::meta::FilterHeader;
use triescope_core::table::Part;

/// All keys of the table, from Index.db of its twin.
fn keys(table: &str) -> Vec<Vec<u8>> {
    let mut keys = Vec::new();
    let files = cassandra(table, "oa", 1).files;
    let walk = IndexWalk::new(files.set.version.formats().index).run(
        &files.part(Part::Index),
        u64::MAX,
        |head, bytes| {
            keys.push(head.key(bytes).to_vec());
            ControlFlow::Continue(())
        },
    );
    walk.unwrap();
    keys
}

/// The bits of a key.
fn bits(files: &InMemory, key: &[u8]) -> Vec<u64> {
    let filter = FilterHeader::read(files.set.version, &files.part(Part::Filter)).unwrap();
    filter.indexes(murmur3(key)).collect()
}

/// The table with a bit of its filter cleared; bit 0 of a byte is the first, as in `na` and later.
fn cleared(files: &InMemory, bit: u64) -> InMemory {
    let mut bytes = files.part(Part::Filter).to_vec();
    let byte = &mut bytes[8 + usize::try_from(bit / 8).unwrap()];
    assert!(*byte >> (bit % 8) & 1 == 1);
    *byte &= !(1 << (bit % 8));
    files.with(Part::Filter, &bytes)
}

#[test]
fn a_bit_that_is_cleared_denies_a_key_of_the_index() {
    let key = keys("p1000").swap_remove(500);
    for version in ["oa", "nb"] {
        let files = cassandra("p1000", version, 1).files;
        let bit = bits(&files, &key)[2];
        let files = cleared(&files, bit);
        assert_eq!(ids(&files, false), ["filter/denies-key"], "{version}");
        let said = said(&files, false, "filter/denies-key").join("\n");
        assert!(
            said.contains(&format!("bit {bit} of a key: expected set, found not set")),
            "{said}"
        );
    }
}

#[test]
fn a_bit_that_is_cleared_denies_a_key_that_only_data_db_has() {
    let key = keys("p1000").swap_remove(500);
    let files = cassandra("p1000", "da", 1).files;
    let files = cleared(&files, bits(&files, &key)[4]);
    assert_eq!(ids(&files, false), [""; 0]);
    assert_eq!(ids(&files, true), ["filter/denies-key"]);
}

#[test]
fn the_ends_of_a_trie_are_looked_for_in_the_filter_without_data() {
    let keys = keys("p1000");
    let files = cassandra("p1000", "da", 1).files;
    for key in [&keys[0], &keys[999]] {
        let files = cleared(&files, bits(&files, key)[0]);
        assert_eq!(ids(&files, false), ["filter/denies-key"]);
    }
}

#[test]
fn a_filter_of_eight_times_the_size_is_oversized() {
    let files = cassandra("p1000", "oa", 1).files;
    let words = files.table().filter.unwrap().words * 8;
    let mut bytes = files.part(Part::Filter)[..4].to_vec();
    bytes.extend(u32::try_from(words).unwrap().to_be_bytes());
    bytes.resize(8 + usize::try_from(words * 8).unwrap(), 0);
    let files = files.with(Part::Filter, &bytes);
    for bit in keys("p1000").iter().flat_map(|key| bits(&files, key)) {
        bytes[8 + usize::try_from(bit / 8).unwrap()] |= 1 << (bit % 8);
    }
    let files = files.with(Part::Filter, &bytes);
    assert_eq!(ids(&files, true), ["filter/oversized"]);
    assert_eq!(
        said(&files, false, "filter/oversized"),
        [
            "Filter.db, size per key: expected about 10.0 bits for a chance of 0.01, found 80.4 bits: about 8 × oversized (partition estimate was wrong)"
        ]
    );
}

#[test]
fn a_filter_of_ones_lets_everything_pass() {
    let files = cassandra("p1000", "oa", 1).files;
    let mut bytes = files.part(Part::Filter).to_vec();
    bytes[8..].fill(0xff);
    let files = files.with(Part::Filter, &bytes);
    assert_eq!(ids(&files, true), ["filter/false-positives"]);
}
