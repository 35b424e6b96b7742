//! Damage: any position of any bytes gives an item, every page a list without gaps, and neither panics nor runs on.

use crate::common::{InMemory, cassandra};
use crate::{bits, end};
use std::collections::BTreeSet;
use triescope_core::dissect::{Item, ItemKind, item, page};
use triescope_core::pos::{FilePos, PageNo, pages_of};
use triescope_core::table::{Part, Table};

/// Fields ascend and stay in the file.
fn assert_sound(item: &Item, length: u64) {
    let mut at = 8 * item.at.0;
    for field in &item.fields {
        let (first, end) = bits(field);
        assert!(first >= at && end <= 8 * length, "{field:?} of {item:?}");
        at = end;
    }
    assert!(item.at.0 + item.len <= length, "{item:?}");
}

/// Lists all pages and takes apart what lies at each of `positions`.
fn look(files: &InMemory, part: Part, positions: impl Iterator<Item = u64>) {
    let table: Table<&[u8]> = files.table();
    let length = files.part(part).len() as u64;
    for no in 0..pages_of(length) {
        let view = page(&table, part, PageNo(no)).unwrap();
        let mut covered = view.at.0;
        for placed in &view.items {
            assert!(placed.at.0 <= covered, "{placed:?}");
            covered = covered.max(end(placed.at, placed.len));
        }
        assert!(covered >= view.at.0 + view.len, "{part} page {no}");
    }
    for at in positions {
        assert_sound(&item(&table, part, FilePos(at)).unwrap(), length);
    }
}

#[test]
fn every_position_of_a_healthy_file_gives_an_item() {
    for (name, version, parts) in [
        ("ck_date", "da", &[Part::Partitions, Part::Rows][..]),
        ("wide_static", "nb", &[Part::Index, Part::Filter, Part::CompressionInfo]),
        ("ten_partitions", "nb", &[Part::Index, Part::Summary, Part::Statistics]),
    ] {
        let files = cassandra(name, version, 1).files;
        for part in parts.iter().filter(|part| files.bytes.contains_key(part)) {
            let length = files.part(*part).len() as u64;
            look(&files, *part, (0..length.min(1500)).step_by(3));
        }
    }
}

#[test]
fn changed_bytes_are_taken_apart_as_far_as_they_can_be_read() {
    for (name, version, part) in [
        ("wide_static", "da", Part::Partitions),
        ("wide_static", "da", Part::Rows),
        ("range_tombstones", "da", Part::Rows),
        ("wide_static", "nb", Part::Index),
        ("range_tombstones", "oa", Part::Index),
        ("ten_partitions", "nb", Part::Summary),
        ("wide_static", "nb", Part::Filter),
        ("wide_static", "nb", Part::CompressionInfo),
        ("wide_static", "nb", Part::Statistics),
    ] {
        let files = cassandra(name, version, 1).files;
        let bytes = files.part(part).to_vec();
        let step = (bytes.len() / 60).max(1);
        for at in (0..bytes.len()).step_by(step) {
            for value in [0, 0xff, bytes[at] ^ 0x10] {
                let mut changed = bytes.clone();
                changed[at] = value;
                let near = [at.saturating_sub(3), at].map(|at| at as u64);
                look(&files.with(part, &changed), part, near.into_iter());
            }
        }
    }
}

#[test]
fn cut_files_are_taken_apart_as_far_as_they_go() {
    for (name, version, part) in [
        ("wide_static", "da", Part::Partitions),
        ("wide_static", "da", Part::Rows),
        ("wide_static", "nb", Part::Index),
        ("ten_partitions", "nb", Part::Summary),
    ] {
        let files = cassandra(name, version, 1).files;
        let bytes = files.part(part).to_vec();
        let step = (bytes.len() / 50).max(1);
        for length in (1..bytes.len()).step_by(step) {
            let last = length as u64 - 1;
            look(&files.with(part, &bytes[..length]), part, last..=last);
        }
    }
}

/// The starts of the nodes in all pages.
fn nodes(files: &InMemory, part: Part) -> BTreeSet<u64> {
    let table = files.table();
    let pages = (0..pages_of(files.part(part).len() as u64)).map(PageNo);
    let items = pages.flat_map(|no| page(&table, part, no).unwrap().items);
    items.filter(|item| item.kind == ItemKind::Node).map(|item| item.at.0).collect()
}

#[test]
fn the_nodes_behind_a_damaged_one_are_listed_where_the_trie_reaches_them() {
    for (name, part) in [("p1000", Part::Partitions), ("wide_deep", Part::Rows)] {
        let files = cassandra(name, "da", 1).files;
        let healthy = nodes(&files, part);
        let table = files.table();
        let leaf = |at: &&u64| item(&table, part, FilePos(**at)).unwrap().summary.contains("ONLY");
        let mut bytes = files.part(part).to_vec();
        for at in healthy.iter().filter(leaf).step_by(70).take(12) {
            let before = std::mem::replace(&mut bytes[*at as usize], 0);
            let mut expected = healthy.clone();
            expected.remove(at);
            assert_eq!(nodes(&files.with(part, &bytes), part), expected, "{name} {at}");
            bytes[*at as usize] = before;
        }
    }
}

#[test]
fn a_damaged_node_says_what_is_wrong() {
    let files = cassandra("ten_partitions", "da", 1).files;
    let mut bytes = files.part(Part::Partitions).to_vec();
    bytes[0] = 0;
    let files = files.with(Part::Partitions, &bytes);
    let table = files.table();
    let view = page(&table, Part::Partitions, PageNo(0)).unwrap();
    assert_eq!((view.items[0].kind, view.items[0].len), (ItemKind::Unreadable, 3));
    assert_eq!((view.items[1].kind, view.items[1].at.0), (ItemKind::Node, 3));
    let sentence = "Partitions.db, offset 0 (page 0 + 0), payload bits of a node without children: expected 1..=15, found 0";
    assert_eq!(view.items[0].problem.as_ref().unwrap().to_string(), sentence);
    let node = item(&table, Part::Partitions, FilePos(0)).unwrap();
    assert!(!node.known);
    assert_eq!(node.problem.unwrap().to_string(), sentence);
    assert_eq!(node.fields.len(), 2);
}
