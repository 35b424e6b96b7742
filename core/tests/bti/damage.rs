//! Damaged index files: each test is named by the damage. Whatever the bytes, nothing panics and nothing runs on.

use crate::files::{Index, comparable, hex, pos, recorded};
use triescope_core::bti::{Exact, Footer, Node, PartitionIndex, RowEntry, RowIndex};
use triescope_core::error::Error;
use triescope_core::keys::murmur3;
use triescope_core::lookup::LeafTarget;
use triescope_core::pos::FilePos;
use triescope_core::source::Pages;
use triescope_core::table::Part;

/// Text of the error with which the node at `at` or one of its pointers is refused.
fn refused(part: Part, at: u64, page: &[u8]) -> String {
    let node = match Node::read(part, pos(at), page) {
        Ok(node) => node,
        Err(error) => return error.to_string(),
    };
    let error = node.children().find_map(Result::err).expect("nothing is refused");
    error.to_string()
}

fn page(at: usize, node: &str) -> Vec<u8> {
    let mut page = vec![0; at];
    page.extend(hex(node));
    page
}

#[track_caller]
fn check(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "expected {part:?} in: {text}");
    }
}

#[test]
fn child_points_at_its_parent_is_reported() {
    let text = refused(Part::Partitions, 40, &page(40, "10 40"));
    check(&text, &["Partitions.db, offset 40", "child distance", "1..=40", "found 0"]);
    let text = refused(Part::Rows, 40, &page(40, "50 02 4041 0500"));
    check(&text, &["Rows.db, offset 40", "byte 0x41", "found 0"]);
}

#[test]
fn child_before_the_start_of_the_file_is_reported() {
    let text = refused(Part::Partitions, 15, &page(15, "20 40 10"));
    check(&text, &["offset 15", "child distance for byte 0x40", "1..=15", "found 16"]);
    let text = refused(Part::Partitions, 15, &page(15, "a0 40 00 0110"));
    check(&text, &["found 17"]);
}

#[test]
fn child_points_forward_is_reported() {
    // A distance with its top bit set is what a writer of signed numbers makes of a forward pointer.
    let text = refused(Part::Rows, 100, &page(100, "f0 40 00 fffffffffffffff0"));
    check(&text, &["Rows.db, offset 100", "child distance", "found 18446744073709551600"]);
}

#[test]
fn node_that_crosses_its_page_is_reported() {
    let mut full = page(4094, "50 03");
    let text = refused(Part::Partitions, 4094, &full);
    check(&text, &["offset 4094", "node size", "at most 2", "found 8"]);
    full.truncate(4095);
    check(&refused(Part::Partitions, 4094, &full), &["node size", "at most 1", "found 2"]);
    // A payload belongs to its node.
    check(&refused(Part::Partitions, 4093, &page(4093, "0f 01 ff")), &["found 10"]);
    check(&refused(Part::Rows, 4093, &page(4093, "0f 01 ff")), &["found 20"]);
    check(&refused(Part::Rows, 8192, &[]), &["offset 8192", "at most 0", "found 1"]);
}

#[test]
fn dense_node_past_byte_255_is_reported() {
    let text = refused(Part::Partitions, 9, &page(9, "a0 fe 02 001000 0010"));
    check(&text, &["offset 11", "last transition byte", "0..=255", "found 256"]);
}

#[test]
fn sparse_node_with_0_children_is_reported() {
    let text = refused(Part::Partitions, 9, &page(9, "50 00 0000"));
    check(&text, &["offset 10", "number of children", "1..=255", "found 0"]);
}

#[test]
fn node_without_children_and_payload_is_reported() {
    check(&refused(Part::Partitions, 9, &page(9, "00")), &["payload bits", "found 0"]);
}

#[test]
fn sparse_node_out_of_order_is_reported() {
    let bytes = page(9, "50 03 412040 010203");
    let node = Node::read(Part::Partitions, pos(9), &bytes).unwrap();
    assert_eq!(node.child(0x30).unwrap_err(), node.below(0x41).unwrap_err());
    let text = node.at_or_above(0x41).unwrap_err().to_string();
    check(&text, &["offset 9", "transition bytes", "ascending", "0x20 after 0x41"]);
}

#[test]
fn block_payload_without_an_offset_is_reported() {
    let rows = page(0, "08 0000000000000001 00000001").repeat(2);
    let trie = RowIndex::new(&entry_of(pos(13), pos(26)));
    let text = recorded(Part::Rows, &rows, |p| trie.floor(p, b"\x40")).0.unwrap_err().to_string();
    check(&text, &["Rows.db, offset 14", "bytes of the block offset", "1..=7", "found 0"]);
    let trie = RowIndex::new(&entry_of(pos(0), pos(2)));
    let text = recorded(Part::Rows, &hex("01 ff"), |p| trie.floor(p, b"\x40")).0;
    check(&text.unwrap_err().to_string(), &["block offset", "at least 0", "found -1"]);
}

fn entry_of(root: FilePos, at: FilePos) -> RowEntry {
    let index = Index::cassandra("wide_int");
    let all = entries(&index);
    RowEntry { root, at, ..all[0].clone() }
}

fn entries(index: &Index) -> Vec<RowEntry> {
    let file = index.partitions.as_slice();
    let mut nobody = ();
    let mut leaves = index.trie().leaves(Pages::new(Part::Partitions, &file, &mut nobody));
    let mut entries = Vec::new();
    while let Some(found) = leaves.next().unwrap() {
        if let LeafTarget::Rows(at) = found.leaf.target() {
            let entry = recorded(Part::Rows, &index.rows, |pages| RowEntry::read(pages, at)).0;
            entries.push(entry.unwrap());
        }
    }
    entries
}

/// The footer of a file with some of its numbers replaced.
fn footer_with(file: &[u8], numbers: [Option<u64>; 3]) -> String {
    let mut file = file.to_vec();
    let at = file.len() - 24;
    for (i, number) in numbers.into_iter().enumerate() {
        if let Some(number) = number {
            file[at + 8 * i..at + 8 * i + 8].copy_from_slice(&number.to_be_bytes());
        }
    }
    Footer::read(&file.as_slice()).unwrap_err().to_string()
}

#[test]
fn root_outside_the_file_is_reported() {
    let index = Index::cassandra("ten_partitions");
    let keys_at = index.footer().keys_at.0;
    for root in [keys_at, 1 << 40, u64::MAX] {
        let text = footer_with(&index.partitions, [None, None, Some(root)]);
        check(&text, &["root position", &format!("0..={}", keys_at - 1), &root.to_string()]);
    }
}

#[test]
fn root_inside_the_trie_that_is_not_its_root_is_reported() {
    let mut index = Index::cassandra("ten_partitions");
    let at = index.partitions.len() - 1;
    index.partitions[at] = 0;
    let key = hex("00000005");
    let trie = index.trie();
    let (result, record) = recorded(Part::Partitions, &index.partitions, |pages| {
        trie.exact(pages, &comparable(&key), murmur3(&key).byte())
    });
    let text = result.unwrap_err().to_string();
    check(&text, &["offset 0 ", "root node", "where the keys start", "ends at 3"]);
    assert_eq!(record.total().fetches, 1, "the page with the false root is counted");
}

#[test]
fn footer_numbers_that_cannot_be_are_reported() {
    let file = Index::cassandra("ten_partitions").partitions;
    let len = file.len() as u64;
    for (numbers, field) in [
        ([Some(0), None, None], "position of the keys"),
        ([Some(len - 23), None, None], "position of the keys"),
        ([Some(u64::MAX), None, None], "position of the keys"),
        ([Some(len - 24), None, None], "first key"),
        ([Some(len - 25), None, None], "first key"),
        ([Some(1), None, Some(0)], "number of partitions"),
        ([None, Some(0), None], "number of partitions"),
        ([None, Some(len), None], "number of partitions"),
        ([None, Some(u64::MAX), None], "number of partitions"),
    ] {
        check(&footer_with(&file, numbers), &["Partitions.db", field, "found"]);
    }
    let mut more = file.clone();
    more.insert(file.len() - 24, 7);
    let text = Footer::read(&more.as_slice()).unwrap_err().to_string();
    check(&text, &["bytes between the last key and the footer", "expected 0, found 1"]);
}

#[test]
fn partitions_file_cut_at_every_length_is_refused_at_its_footer() {
    let file = Index::cassandra("ten_partitions").partitions;
    for len in 0..file.len() {
        let error = Footer::read(&&file[..len]).unwrap_err();
        assert!(matches!(error, Error::Damage(_)), "{len}: {error}");
    }
    Footer::read(&file.as_slice()).unwrap();
}

#[test]
fn rows_file_cut_at_every_length_says_what_is_missing() {
    let index = Index::cassandra("wide_static");
    let all = entries(&index);
    for len in 0..index.rows.len() {
        let cut = &index.rows[..len];
        for entry in &all {
            let read = recorded(Part::Rows, cut, |pages| RowEntry::read(pages, entry.at)).0;
            let end = entry.at.0 + u64::from(entry.size);
            if end <= len as u64 {
                assert_eq!(read.unwrap(), *entry);
            } else {
                check(&read.unwrap_err().to_string(), &["Rows.db", "more bytes"]);
            }
            let floor = recorded(Part::Rows, cut, |pages| {
                RowIndex::new(entry).floor(pages, &hex("4080000050"))
            });
            assert_eq!(floor.0.is_ok(), entry.at.0 <= len as u64, "{len}");
        }
    }
}

#[test]
fn row_root_outside_its_trie_is_reported() {
    let index = Index::cassandra("wide_static");
    let entry = &entries(&index)[0];
    let at = entry.base.0 as usize + 1;
    assert_eq!((entry.data.0, index.rows[at]), (0, 0x13));
    // Zig-zag: 0x12 is 9 after the base, 0x0b -6 and so inside the entry, 0x15 -11 and so inside the root node.
    for (byte, field) in [(0x12, "root distance"), (0x0b, "root distance"), (0x15, "node")] {
        let mut rows = index.rows.clone();
        rows[at] = byte;
        let result = recorded(Part::Rows, &rows, |pages| {
            RowEntry::read(pages, entry.at)
                .and_then(|entry| RowIndex::new(&entry).floor(pages, &hex("4080000050")))
        });
        check(&result.0.unwrap_err().to_string(), &["Rows.db", field]);
    }
}

#[test]
fn entry_key_length_past_the_end_is_reported() {
    let index = Index::cassandra("wide_static");
    let entry = &entries(&index)[0];
    let mut rows = index.rows.clone();
    rows[entry.at.0 as usize] = 0xff;
    let read = recorded(Part::Rows, &rows, |pages| RowEntry::read(pages, entry.at)).0;
    let left = rows.len() as u64 - entry.at.0 - 2;
    let text = read.unwrap_err().to_string();
    check(&text, &["Rows.db, offset 75", "key: expected 65284 more bytes", &left.to_string()]);
}

#[test]
fn entry_numbers_that_cannot_be_are_reported() {
    let index = Index::cassandra("wide_static");
    let entry = &entries(&index)[0];
    let base = entry.base.0 as usize;
    for (at, byte, field) in [
        (base + 2, 1, "number of blocks"),
        (base + 2, 0x7f, "number of blocks"),
        (base + 3, 0x81, "deletion time"),
    ] {
        let mut rows = index.rows.clone();
        rows[at] = byte;
        let read = recorded(Part::Rows, &rows, |pages| RowEntry::read(pages, entry.at)).0;
        check(&read.unwrap_err().to_string(), &["Rows.db", field, "expected", "found"]);
    }
    for at in [index.rows.len() as u64, 1 << 40, i64::MAX as u64] {
        let read = recorded(Part::Rows, &index.rows, |pages| RowEntry::read(pages, pos(at))).0;
        check(&read.unwrap_err().to_string(), &["key length", "expected 2 more bytes, found 0"]);
    }
}

#[test]
fn branches_that_share_their_nodes_do_not_run_for_ever() {
    // Each node points twice at the one before it, so that a walk over all paths would take 2^600 steps.
    let mut file = hex("08 01 ff");
    for depth in 0..600 {
        let back = if depth == 0 { 3 } else { 6 };
        file.extend([0x50, 2, 0x40, 0x41, back, back]);
    }
    let keys_at = file.len() as u64;
    file.extend([0; 4]);
    for number in [keys_at, 100, keys_at - 6] {
        file.extend(number.to_be_bytes());
    }
    let source = file.as_slice();
    let trie = PartitionIndex::new(&Footer::read(&source).unwrap());
    let mut nobody = ();
    let mut leaves = trie.leaves(Pages::new(Part::Partitions, &source, &mut nobody));
    let error = loop {
        match leaves.next() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the walk came to an end"),
            Err(error) => break error,
        }
    };
    check(&error.to_string(), &["visits of nodes", "a limit of this program"]);
}

/// Everything that can be asked of an index, with whatever answers.
fn ask_everything(index: &Index, keys: &[Vec<u8>]) {
    let file = index.partitions.as_slice();
    let Ok(footer) = Footer::read(&file) else { return };
    let trie = PartitionIndex::new(&footer);
    let mut entries = Vec::new();
    let mut nobody = ();
    for key in keys {
        let mut pages = Pages::new(Part::Partitions, &file, &mut nobody);
        if let Ok(Exact::Candidate(leaf)) =
            trie.exact(&mut pages, &comparable(key), murmur3(key).byte())
            && let LeafTarget::Rows(at) = leaf.target()
        {
            entries.push(at);
        }
    }
    let mut leaves = trie.leaves(Pages::new(Part::Partitions, &file, &mut nobody));
    while let Ok(Some(found)) = leaves.next() {
        if let LeafTarget::Rows(at) = found.leaf.target() {
            entries.push(at);
        }
    }
    for at in entries.into_iter().take(20) {
        let rows = &index.rows;
        let Ok(entry) = recorded(Part::Rows, rows, |p| RowEntry::read(p, at)).0 else { continue };
        let trie = RowIndex::new(&entry);
        for key in ["", "20", "4080000050", "408000005038", "60"].map(hex) {
            let _ = recorded(Part::Rows, rows, |p| trie.floor(p, &key));
            let _ = recorded(Part::Rows, rows, |p| trie.higher(p, &key));
            let _ = recorded(Part::Rows, rows, |p| trie.reverse(p, &key));
        }
        let source = rows.as_slice();
        let mut nobody = ();
        let mut blocks = trie.blocks(Pages::new(Part::Rows, &source, &mut nobody));
        while let Ok(Some(_)) = blocks.next() {}
    }
}

#[test]
fn random_bytes_never_panic_or_loop() {
    let whole = Index::cassandra("wide_static");
    let keys: Vec<Vec<u8>> = (0..16).map(|n: i32| n.to_be_bytes().to_vec()).collect();
    let mut state = 3u64;
    let mut random = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    for _ in 0..3000 {
        let mut index = whole.clone();
        let trie = index.footer().keys_at.0;
        for _ in 0..1 + random() % 8 {
            let at = (random() % trie) as usize;
            index.partitions[at] = random() as u8;
            let at = random() as usize % index.rows.len();
            index.rows[at] = random() as u8;
        }
        ask_everything(&index, &keys);
    }
}
