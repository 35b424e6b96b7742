//! Damaged twins of the checks of Partitions.db.

use crate::common::{InMemory, all_cassandra, cassandra};
use crate::twin::Nodes;
use crate::{ids, report, said};
use triescope_core::keys::Partitioner;
use triescope_core::table::Part;

/// Two partitions: leaves at 0 and 3, a SPARSE_8 at 6 for 47 and 4f, the root at 12, keys 1 and 0 at 14, the footer at 26.
fn two() -> InMemory {
    cassandra("two_partitions", "da", 1).files
}

const FIRST: [u8; 4] = [0, 0, 0, 1];
const LAST: [u8; 4] = [0, 0, 0, 0];
/// Where the second partition starts.
const SECOND: u64 = 19;

/// The same with other bytes at some positions of Partitions.db.
fn with(changes: &[(usize, u8)]) -> InMemory {
    let files = two();
    let mut bytes = files.part(Part::Partitions).to_vec();
    for (at, byte) in changes {
        assert_ne!(bytes[*at], *byte, "a change changes something");
        bytes[*at] = *byte;
    }
    files.with(Part::Partitions, &bytes)
}

/// The ids that fire where these bytes are changed.
fn fire(changes: &[(usize, u8)]) -> Vec<&'static str> {
    ids(&with(changes), false)
}

/// The same table with a trie made by hand, whose root is made of the two leaves.
fn made(make: impl FnOnce(&mut Nodes, u64, u64) -> u64) -> InMemory {
    let mut nodes = Nodes::default();
    let (first, last) = (nodes.direct(&FIRST, 0), nodes.direct(&LAST, SECOND));
    let root = make(&mut nodes, first, last);
    two().with(Part::Partitions, &nodes.partitions(root, &FIRST, &LAST, 2))
}

#[test]
fn healthy_tables_have_no_finding_in_the_trie_index() {
    for table in all_cassandra("da") {
        let findings = report(&table.files, false).findings;
        let lines: Vec<_> = findings
            .iter()
            .filter(|it| !it.check.id.starts_with("files/"))
            .map(|it| format!("{}: {}: {it}", table.name, it.check.id))
            .collect();
        assert_eq!(lines, [""; 0]);
    }
}

#[test]
fn a_trie_made_by_hand_is_as_good_as_a_real_one() {
    let files = made(|nodes, first, last| {
        let fork = nodes.node(&[(0x47, first), (0x4f, last)], 0, &[]);
        nodes.node(&[(0x40, fork)], 0, &[])
    });
    assert_eq!(ids(&files, false), [""; 0]);
}

#[test]
fn a_footer_out_of_range_is_reported() {
    assert_eq!(fire(&[(34, 0xff)]), ["trie/footer"]);
}

#[test]
fn a_file_shorter_than_a_footer_is_reported() {
    let files = two().with(Part::Partitions, &[0; 23]);
    assert_eq!(ids(&files, false), ["trie/footer"]);
}

#[test]
fn keys_that_do_not_fill_their_place_are_reported() {
    assert_eq!(fire(&[(15, 5)]), ["trie/keys"]);
    assert_eq!(fire(&[(21, 3)]), ["trie/keys"]);
}

#[test]
fn swapped_end_keys_are_reported() {
    // Each of them is the key of the other leaf, and Statistics.db tells the right ones.
    assert_eq!(
        fire(&[(19, 0), (25, 1)]),
        ["statistics/key-range", "trie/first-key", "trie/key-order", "trie/last-key"]
    );
}

#[test]
fn a_root_that_does_not_end_at_the_keys_is_reported() {
    let files = with(&[(49, 6)]);
    assert_eq!(ids(&files, false), ["trie/root"]);
    assert_eq!(
        said(&files, false, "trie/root"),
        [
            "Partitions.db, offset 6 (page 0 + 6), root node: expected one that ends at 14, where the keys start, \
          found one that ends at 12; root offset 6 is not a valid trie root"
        ]
    );
}

#[test]
fn a_node_of_no_children_is_reported() {
    assert_eq!(fire(&[(7, 0)]), ["trie/node"]);
}

#[test]
fn a_node_that_leaves_its_page_is_reported() {
    assert_eq!(fire(&[(7, 0xff)]), ["trie/page"]);
}

#[test]
fn a_child_before_the_file_is_reported() {
    let files = with(&[(10, 7)]);
    assert_eq!(ids(&files, false), ["trie/child"]);
    assert_eq!(
        said(&files, false, "trie/child"),
        [
            "Partitions.db, offset 6 (page 0 + 6), distance to the child for byte 0x47: expected 1..=6, found 7"
        ]
    );
}

#[test]
fn a_child_at_its_parent_is_reported() {
    assert_eq!(fire(&[(11, 0)]), ["trie/child"]);
}

#[test]
fn two_pointers_to_one_node_are_reported() {
    assert_eq!(fire(&[(10, 3)]), ["trie/overlap"]);
}

#[test]
fn transition_bytes_out_of_order_are_reported() {
    assert_eq!(fire(&[(8, 0x4f), (9, 0x47)]), ["trie/transitions"]);
}

#[test]
fn an_empty_slot_at_the_end_of_a_dense_node_is_reported() {
    for (start, slots) in [(0x46, [false, true].as_slice()), (0x47, &[true])] {
        let files = made(|nodes, first, last| {
            let mut all: Vec<_> = slots.iter().map(|is| is.then_some(first)).collect();
            all.resize(usize::from(0x4f - start), None);
            all.push(Some(last));
            if start == 0x47 {
                all.push(None);
            }
            let fork = nodes.dense(start, &all);
            nodes.node(&[(0x40, fork)], 0, &[])
        });
        assert_eq!(ids(&files, false), ["trie/dense-ends"]);
    }
}

#[test]
fn a_leaf_without_payload_is_reported() {
    assert_eq!(fire(&[(0, 0)]), ["trie/leaf-payload"]);
}

#[test]
fn a_payload_on_the_way_is_reported() {
    let files = made(|nodes, first, last| {
        let fork = nodes.node(&[(0x47, first), (0x4f, last)], 8, &[0xe6, 0xff]);
        nodes.node(&[(0x40, fork)], 0, &[])
    });
    assert_eq!(ids(&files, false), ["trie/inner-payload"]);
}

#[test]
fn a_count_that_is_not_that_of_the_leaves_is_reported() {
    // Statistics.db counts them too.
    assert_eq!(fire(&[(41, 3)]), ["statistics/partition-count", "trie/count"]);
}

#[test]
fn end_keys_of_other_leaves_are_reported() {
    let token = |key: i32| Partitioner::Murmur3.token(&key.to_be_bytes());
    // Tokens between those of the two keys, so that the order is right.
    let other = (2..).find(|key| token(*key) > token(1) && token(*key) < token(0)).unwrap();
    let bytes = other.to_be_bytes();
    let key = |at: usize| [(at + 2, bytes[2]), (at + 3, bytes[3])];
    let changed = |at: usize| {
        let original = two().part(Part::Partitions).to_vec();
        key(at).into_iter().filter(|(at, byte)| original[*at] != *byte).collect::<Vec<_>>()
    };
    // Another key is none of the table: its filter denies it, and Statistics.db tells the right one.
    let with = |id| ["filter/denies-key", "statistics/key-range", id];
    assert_eq!(fire(&changed(16)), with("trie/first-key"));
    assert_eq!(fire(&changed(22)), with("trie/last-key"));
}

#[test]
fn a_leaf_without_hash_byte_is_reported() {
    assert_eq!(fire(&[(0, 2), (1, 0xff)]), ["trie/no-hash"]);
}

#[test]
fn a_wrong_hash_byte_is_reported() {
    assert_eq!(fire(&[(1, 0xe7)]), ["trie/hash"]);
}

#[test]
fn a_prefix_longer_than_needed_is_reported() {
    let files = made(|nodes, first, last| {
        let chain = nodes.node(&[(0x84, first)], 0, &[]);
        let fork = nodes.node(&[(0x47, chain), (0x4f, last)], 0, &[]);
        nodes.node(&[(0x40, fork)], 0, &[])
    });
    assert_eq!(ids(&files, false), ["trie/prefix"]);
}

#[test]
fn a_position_past_the_end_of_data_is_reported() {
    assert_eq!(fire(&[(5, 0x80)]), ["trie/target"]);
}

#[test]
fn positions_that_do_not_ascend_are_reported() {
    assert_eq!(fire(&[(5, 0xff)]), ["trie/positions"]);
}

#[test]
fn padding_that_is_not_zero_is_reported() {
    let files = cassandra("p1000", "da", 1).files;
    let mut bytes = files.part(Part::Partitions).to_vec();
    assert_eq!(bytes[4094..4096], [0, 0], "the only padding of this file");
    bytes[4095] = 1;
    let files = files.with(Part::Partitions, &bytes);
    assert_eq!(ids(&files, false), ["trie/padding"]);
    assert_eq!(
        said(&files, false, "trie/padding"),
        ["Partitions.db, offset 4095 (page 0 + 4095), padding: expected zero bytes, found 0x01"]
    );
}

#[test]
fn bytes_between_nodes_are_reported_by_what_they_look_like() {
    for (bytes, id) in [
        (&[0, 0, 0][..], "trie/padding"),
        (&[8, 1, 0xff, 8, 2, 0xfe], "trie/unreachable"),
        (&[0xff, 0xff, 0xff], "trie/unclaimed"),
    ] {
        let files = made(|nodes, first, last| {
            nodes.put(bytes);
            let fork = nodes.node(&[(0x47, first), (0x4f, last)], 0, &[]);
            nodes.node(&[(0x40, fork)], 0, &[])
        });
        assert_eq!(ids(&files, false), [id]);
    }
}

#[test]
fn a_path_longer_than_any_key_is_reported() {
    let mut nodes = Nodes::default();
    // Nodes of two bytes never cross a page here: the leaf has four.
    nodes.put(&[9, 0xf1, 0xff, 0xff, 0x14, 7]);
    for _ in 0..300_000 {
        nodes.put(&[0x12, 7]);
    }
    let root = nodes.put(&[0x12, 0x40]);
    let files = two().with(Part::Partitions, &nodes.partitions(root, &FIRST, &LAST, 2));
    assert_eq!(ids(&files, false), ["trie/limit"]);
}
