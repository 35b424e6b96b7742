//! What can be known without Data.db: entries, and the nodes of row tries.

use crate::common::{InMemory, cassandra};
use crate::twin::Nodes;
use crate::{ids, said};
use triescope_core::table::Part;

/// Two partitions of 14 blocks: a trie with its root at 189, its entry at 193 (base 201), a trie with its root at 398, its
/// entry at 402. The leaves of Partitions.db are at 0 and 4.
fn wide() -> InMemory {
    cassandra("wide_text", "da", 1).files
}

const FIRST: &[u8] = b"part-0";
const LAST: &[u8] = b"part-1";
/// Where the second partition starts, and where it ends.
const SECOND: u64 = 53_862;

fn end() -> u64 {
    wide().part(Part::Data).len() as u64
}

/// The same with other bytes at some positions of Rows.db.
fn with(changes: &[(usize, u8)]) -> InMemory {
    let mut bytes = wide().part(Part::Rows).to_vec();
    for (at, byte) in changes {
        assert_ne!(bytes[*at], *byte, "a change changes something");
        bytes[*at] = *byte;
    }
    wide().with(Part::Rows, &bytes)
}

/// The ids that fire where these bytes are changed.
fn fire(changes: &[(usize, u8)]) -> Vec<&'static str> {
    ids(&with(changes), false)
}

/// The same table with bytes put into Rows.db, and its second entry at another place.
fn spliced(at: usize, remove: usize, insert: &[u8], leaves: [u16; 2]) -> InMemory {
    let mut rows = wide().part(Part::Rows).to_vec();
    rows.splice(at..at + remove, insert.iter().copied());
    let mut index = wide().part(Part::Partitions).to_vec();
    index[2..4].copy_from_slice(&leaves[0].to_be_bytes());
    index[6..8].copy_from_slice(&leaves[1].to_be_bytes());
    wide().with(Part::Rows, &rows).with(Part::Partitions, &index)
}

/// The same table with two row tries made by hand, of two blocks each; `make` is given the first one's blocks and the
/// end marker, and gives the root.
fn made(make: impl Fn(&mut Nodes, [u64; 2]) -> u64) -> InMemory {
    let (mut rows, mut leaves) = (Nodes::default(), Nodes::default());
    let mut entries = Vec::new();
    for (key, data, end) in [(FIRST, 0, SECOND), (LAST, SECOND, end())] {
        let second = rows.block(4112);
        let marker = rows.block((end - data - 1) as u32);
        let root = if data == 0 {
            make(&mut rows, [second, marker])
        } else {
            rows.node(&[(0x41, second), (0x50, marker)], 1, &[9])
        };
        entries.push(rows.entry(key, data, root, 2));
    }
    let (first, last) = (leaves.indirect(FIRST, entries[0]), leaves.indirect(LAST, entries[1]));
    let fork = leaves.node(&[(0x0b, first), (0x89, last)], 0, &[]);
    let root = leaves.node(&[(0x40, fork)], 0, &[]);
    let partitions = leaves.partitions(root, FIRST, LAST, 2);
    wide().with(Part::Rows, &rows.0).with(Part::Partitions, &partitions)
}

#[test]
fn tries_made_by_hand_are_as_good_as_real_ones() {
    assert_eq!(ids(&wide(), false), [""; 0]);
    let files = made(|rows, [second, end]| rows.node(&[(0x41, second), (0x50, end)], 1, &[9]));
    assert_eq!(ids(&files, false), [""; 0]);
}

#[test]
fn an_entry_that_cannot_be_read_is_reported() {
    assert_eq!(fire(&[(204, 0x81)]), ["rows/entry"]);
    // One block needs no entry.
    assert_eq!(fire(&[(203, 1)]), ["rows/entry"]);
}

#[test]
fn a_leaf_that_points_past_rows_is_reported() {
    assert_eq!(ids(&spliced(0, 0, &[], [193, 0x300]), false), ["trie/target"]);
}

#[test]
fn two_leaves_with_one_entry_are_reported() {
    assert_eq!(ids(&spliced(0, 0, &[], [193, 193]), false), ["rows/order"]);
}

#[test]
fn an_entry_of_another_key_is_reported_by_its_leaf() {
    let files = with(&[(200, b'9')]);
    assert_eq!(ids(&files, false), ["rows/key"]);
    assert_eq!(
        said(&files, false, "rows/key"),
        ["Partitions.db, offset 0 (page 0 + 0), leaf 40 0b → Rows.db 193: expected prefix 40 0b, \
          found a key that encodes to 40 76 3c…"]
    );
}

#[test]
fn a_root_counted_from_another_place_is_reported() {
    let files = with(&[(202, 0x15)]);
    assert_eq!(ids(&files, false), ["rows/root"]);
    assert_eq!(
        said(&files, false, "rows/root"),
        [
            "Rows.db, offset 190 (page 0 + 190), root node: expected a node that ends at 193, where the entry starts, \
          found a node that ends at 194; root offset 190 is not a valid trie root"
        ]
    );
    // A root behind its entry is none either.
    assert_eq!(fire(&[(202, 0x16)]), ["rows/root"]);
}

#[test]
fn a_root_in_the_trie_of_another_partition_is_reported() {
    // -12 becomes -221, which leads to the root of the first trie and takes one byte more.
    assert_eq!(ids(&spliced(413, 1, &[0x81, 0xb9], [193, 402]), false), ["rows/region"]);
}

#[test]
fn nodes_that_cannot_be_walked_are_reported() {
    // At 161 lies the only child of the root, a SPARSE_8 of 13 children.
    assert_eq!(fire(&[(162, 0)]), ["rows/node"]);
    assert_eq!(fire(&[(162, 0xff)]), ["rows/page"]);
    assert_eq!(fire(&[(177, 0x98)]), ["rows/overlap"]);
    assert_eq!(fire(&[(163, 0x66), (164, 0x63)]), ["rows/transitions"]);
    assert_eq!(fire(&[(0, 0)]), ["rows/leaf-payload"]);
}

#[test]
fn a_child_outside_of_the_trie_is_reported() {
    let files = with(&[(400, 0xff)]);
    assert_eq!(ids(&files, false), ["rows/child"]);
    assert_eq!(
        said(&files, false, "rows/child"),
        [
            "Rows.db, offset 398 (page 0 + 398), distance to the child for byte 0x40: expected 1..=193, found 255"
        ]
    );
}

#[test]
fn an_empty_slot_at_the_end_of_a_dense_node_is_reported() {
    let files = made(|rows, [second, end]| {
        let fork = rows.dense(0x40, &[None, Some(second), Some(end)]);
        rows.node(&[(0x40, fork)], 1, &[9])
    });
    assert_eq!(ids(&files, false), ["rows/dense-ends"]);
}

#[test]
fn a_payload_that_is_no_offset_is_reported() {
    assert_eq!(fire(&[(1, 0x90)]), ["rows/payload"]);
}

#[test]
fn more_or_fewer_payloads_than_blocks_are_reported() {
    assert_eq!(fire(&[(203, 15)]), ["rows/count"]);
    assert_eq!(fire(&[(203, 13)]), ["rows/count"]);
}

#[test]
fn a_root_without_payload_is_reported() {
    let mut files = spliced(189, 4, &[0x20, 0x40, 0x1c], [192, 401]);
    let mut rows = files.part(Part::Rows).to_vec();
    rows[201] = 0x15;
    files = files.with(Part::Rows, &rows);
    assert_eq!(ids(&files, false), ["rows/block-0"]);
    assert_eq!(
        said(&files, false, "rows/block-0"),
        [
            "Rows.db, offset 189 (page 0 + 189), payload of the root: expected an entry for block 0, under the empty separator, \
          found row index has no entry for block 0; keys below 40 63 6f 6d 75 6f are unreachable"
        ]
    );
}

#[test]
fn offsets_that_do_not_ascend_are_reported() {
    assert_eq!(fire(&[(1, 0x30)]), ["rows/offsets"]);
}

#[test]
fn an_end_marker_elsewhere_is_reported() {
    let files = with(&[(152, 0x64)]);
    assert_eq!(ids(&files, false), ["rows/end-marker"]);
    assert_eq!(
        said(&files, false, "rows/end-marker"),
        ["Rows.db, offset 149 (page 0 + 149), position in Data.db of the end marker: \
          expected 53861, before the next partition, found 53860"]
    );
    // So is that of the last partition, whose end is that of Data.db.
    let last = wide().part(Part::Rows).windows(4).rposition(|it| it == [3, 0, 0xd2, 0xba]).unwrap();
    assert_eq!(fire(&[(last + 3, 0xbb)]), ["rows/end-marker"]);
}

#[test]
fn an_end_marker_with_an_open_deletion_is_reported() {
    let files = made(|rows, [second, _]| {
        let offset = (SECOND as u32 - 1).to_be_bytes();
        let open = [&[12][..], &offset, &[0; 12]].concat();
        let end = rows.put(&open);
        rows.node(&[(0x41, second), (0x50, end)], 1, &[9])
    });
    // The end marker that is replaced belongs to nothing now.
    assert_eq!(ids(&files, false), ["rows/end-marker", "rows/unreachable"]);
}

#[test]
fn bytes_between_tries_are_reported_by_what_they_look_like() {
    for (bytes, id) in [
        (&[0, 0, 0][..], "rows/padding"),
        (&[2, 0x10, 0x10], "rows/unreachable"),
        (&[0xff, 0xff, 0xff], "rows/unclaimed"),
    ] {
        assert_eq!(ids(&spliced(205, 0, bytes, [193, 405]), false), [id]);
    }
}

#[test]
fn only_the_filler_may_follow_the_last_entry() {
    let rows = wide().part(Part::Rows).to_vec();
    let end = |bytes: &[u8]| wide().with(Part::Rows, &[&rows, bytes].concat());
    assert_eq!(ids(&end(&[0x13, 0x37, 0x13, 0x37]), false), [""; 0]);
    assert_eq!(ids(&end(&[0x13, 0x37, 0x13]), false), ["rows/filler"]);
    assert_eq!(ids(&end(&[0x13, 0x37, 0x13, 0x38]), false), ["rows/filler"]);
    assert_eq!(ids(&end(&[0; 4]), false), ["rows/filler"]);
}

#[test]
fn a_path_longer_than_any_clustering_is_reported() {
    let files = made(|rows, [second, end]| {
        // Nodes of two bytes never cross a page where they start at an even position.
        rows.put(&[3, 0, 0x20, 0, 0x14, 7]);
        let mut child = rows.at() - 2;
        for _ in 0..300_000 {
            child = rows.put(&[0x12, 7]);
        }
        rows.node(&[(0x41, second), (0x45, child), (0x50, end)], 1, &[9])
    });
    assert_eq!(ids(&files, false), ["rows/limit"]);
}
