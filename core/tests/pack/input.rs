//! What the writers refuse, and that what they write is what a map of the same keys holds.

use crate::common::Random;
use std::collections::BTreeMap;
use triescope_core::bti::pack::{
    Flavour, PartitionTarget, PartitionsWriter, Payload, RowBlock, RowsWriter, TrieWriter,
};
use triescope_core::bti::{Exact, Footer, Node, PartitionIndex, RowEntry, RowIndex};
use triescope_core::keys::{murmur3, murmur3_blob_into};
use triescope_core::pos::{DataPos, FilePos, PAGE_BYTES};
use triescope_core::source::Pages;
use triescope_core::table::Part;
use triescope_core::write::WriteError;

const BOTH: [Flavour; 2] = [Flavour::CASSANDRA, Flavour::SCYLLA];

fn comparable(key: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    murmur3_blob_into(key, murmur3(key), &mut bytes);
    bytes
}

fn partitions(flavour: Flavour, map: &BTreeMap<Vec<u8>, (Vec<u8>, u64)>) -> Vec<u8> {
    let mut writer = PartitionsWriter::new(flavour, Vec::new());
    for (comparable, (key, at)) in map {
        let target = PartitionTarget::Data(DataPos(*at));
        writer.add(key, comparable, murmur3(key).byte(), target).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn what_is_written_is_what_a_map_holds_in_both_flavours() {
    let mut random = Random::new(7);
    for round in 0..40 {
        let mut map = BTreeMap::new();
        for rank in 0..1 + random.below(3000) {
            let bytes = random.below(20) as usize;
            let key: Vec<u8> = (0..bytes).map(|_| random.below(256) as u8).collect();
            map.insert(comparable(&key), (key, rank * 1000));
        }
        let files = BOTH.map(|flavour| partitions(flavour, &map));
        for file in &files {
            let file = file.as_slice();
            let footer = Footer::read(&file).unwrap();
            assert_eq!(footer.count, map.len() as u64);
            let index = PartitionIndex::new(&footer);
            let mut nobody = ();
            let mut pages = Pages::new(Part::Partitions, &file, &mut nobody);
            for (comparable, (key, at)) in &map {
                let found = index.exact(&mut pages, comparable, murmur3(key).byte()).unwrap();
                let Exact::Candidate(leaf) = found else { panic!("round {round}: {found:?}") };
                assert_eq!(leaf.raw, !i64::try_from(*at).unwrap());
            }
            let mut leaves = index.leaves(Pages::new(Part::Partitions, &file, &mut nobody));
            let mut count = 0;
            while let Some(found) = leaves.next().unwrap() {
                let at = found.leaf.at;
                let page = &file[at.page().0 as usize * PAGE_BYTES..];
                let page = &page[..page.len().min(PAGE_BYTES)];
                assert!(
                    Node::read(Part::Partitions, at, page).unwrap().end().0 <= footer.keys_at.0
                );
                count += 1;
            }
            assert_eq!(count, map.len());
        }
    }
}

#[test]
fn row_tries_give_back_their_separators_in_both_flavours() {
    let mut random = Random::new(8);
    for flavour in BOTH {
        let mut writer = RowsWriter::new(flavour, Vec::new());
        let mut written = Vec::new();
        for partition in 0..20u64 {
            let mut separators: Vec<Vec<u8>> = (0..2 + random.below(400))
                .map(|_| (0..1 + random.below(60)).map(|_| random.below(4) as u8).collect())
                .collect();
            separators.push(Vec::new());
            separators.sort_unstable();
            separators.dedup();
            separators.resize_with(separators.len().max(3), || vec![9]);
            for (separator, offset) in separators.iter().zip(10..) {
                let block = RowBlock { separator, offset, open: None };
                writer.add(block, []).unwrap();
            }
            let at = writer.end_partition(&[7; 40], DataPos(partition << 33), None).unwrap();
            written.push((at, separators));
        }
        let file = writer.into_sink();
        for (partition, (at, separators)) in written.into_iter().enumerate() {
            let (file, mut nobody) = (file.as_slice(), ());
            let mut pages = Pages::new(Part::Rows, &file, &mut nobody);
            let entry = RowEntry::read(&mut pages, at).unwrap();
            assert_eq!(entry.data, DataPos((partition as u64) << 33));
            assert_eq!(entry.blocks, separators.len() as u64 - 1);
            let mut blocks = RowIndex::new(&entry).blocks(pages);
            for (separator, offset) in separators.iter().zip(10..) {
                let block = blocks.next().unwrap().unwrap();
                assert_eq!((blocks.separator(), block.offset), (separator.as_slice(), offset));
            }
            assert!(blocks.next().unwrap().is_none());
        }
    }
}

#[test]
fn keys_out_of_order_twice_or_too_long_are_refused_with_both_keys() {
    let mut trie = TrieWriter::new(Part::Rows, Flavour::SCYLLA, Vec::new());
    let payload = Payload::block(1, None);
    trie.add(b"\x40b", payload, []).unwrap();
    let (previous, got) = (b"\x40b".to_vec(), b"\x40a".to_vec());
    let error = trie.add(b"\x40a", payload, []).unwrap_err();
    assert_eq!(error, WriteError::OutOfOrder { previous, got });
    assert_eq!(error.to_string(), "key 4061 came after 4062, but sorts before it");
    let error = trie.add(b"\x40b", payload, []).unwrap_err();
    assert_eq!(error, WriteError::Duplicate { key: b"\x40b".to_vec() });
    let error = trie.add(&vec![0x41; 1 << 19], payload, []).unwrap_err();
    let (previous, got) = (Some(b"\x40b".to_vec()), vec![0x41; 1 << 19]);
    assert_eq!(error, WriteError::TooLong { previous, got, limit: 1 << 18 });
    let forty = "41".repeat(40);
    let said = format!(
        "key {forty}… (524288 bytes) is too long: the format holds at most 262144 bytes; it came after 4062"
    );
    assert_eq!(error.to_string(), said);
    // What was refused left no trace.
    trie.add(b"\x40c", payload, []).unwrap();
    trie.finish().unwrap();
    assert_eq!(trie.into_sink(), two_leaves());

    let mut writer = PartitionsWriter::new(Flavour::CASSANDRA, Vec::new());
    let target = PartitionTarget::Rows(FilePos(0));
    let [small, great] = {
        let mut keys = [comparable(b"a"), comparable(b"b")];
        keys.sort();
        keys
    };
    writer.add(b"1", &great, 0, target).unwrap();
    let error = writer.add(b"2", &small, 0, target).unwrap_err();
    assert_eq!(error, WriteError::OutOfOrder { previous: b"1".to_vec(), got: b"2".to_vec() });
    let error = writer.add(b"1", &great, 0, target).unwrap_err();
    assert_eq!(error, WriteError::Duplicate { key: b"1".to_vec() });
    let error = writer.add(&vec![0; 70_000], &[0x7f], 0, target).unwrap_err();
    let (previous, got) = (Some(b"1".to_vec()), vec![0; 70_000]);
    assert_eq!(error, WriteError::TooLong { previous, got, limit: 65_535 });
    for (past, said) in [
        (PartitionTarget::Data(DataPos(1 << 63)), "position in Data.db"),
        (PartitionTarget::Rows(FilePos(u64::MAX)), "position in Rows.db"),
    ] {
        let error = writer.add(b"3", &[0x7f], 0, past).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{said}: expected at most 2^63 - 1, got ")), "{error}");
    }
    assert_eq!(Footer::read(&writer.finish().unwrap().as_slice()).unwrap().count, 1);
    let none = PartitionsWriter::new(Flavour::CASSANDRA, Vec::new()).finish().unwrap_err();
    assert_eq!(none.to_string(), "partitions: expected at least 1, got 0");
}

/// The trie of `40 b` and `40 c`, each with the offset 1, by hand.
fn two_leaves() -> Vec<u8> {
    vec![
        0x01, 1, // leaf b: payload of one byte
        0x01, 1, // leaf c
        0x50, 2, b'b', b'c', 4, 2, // sparse, two children at distances 4 and 2
        0x16, 0x40, // root: one child at distance 6
    ]
}

#[test]
fn offsets_that_do_not_ascend_and_partitions_of_one_block_are_refused() {
    let mut rows = RowsWriter::new(Flavour::CASSANDRA, Vec::new());
    let block = |separator, offset| RowBlock { separator, offset, open: None };
    rows.add(block(b"", 10), []).unwrap();
    let said = rows.add(block(b"\x40", 10), []).unwrap_err().to_string();
    assert_eq!(
        said,
        "block offset: expected more than the one before, and at most 7 bytes, got 10"
    );
    // A block with no room: 7 bytes have a sign.
    let said = rows.add(block(b"\x40", 1 << 55), []).unwrap_err().to_string();
    assert_eq!(
        said,
        "block offset: expected more than the one before, and at most 7 bytes, got 36028797018963968"
    );
    rows.add(block(b"\x40", 11), []).unwrap();
    let said = rows.end_partition(b"k", DataPos(0), None).unwrap_err().to_string();
    assert_eq!(said, "separators: expected 3 or more: two blocks and the end, got 2");
}

/// Keys of one token that have thousands of bytes in common: ScyllaDB holds them in pieces, and a node ends at each.
#[test]
fn long_partition_keys_have_nodes_at_the_ends_of_their_pieces() {
    let keys: Vec<Vec<u8>> =
        [b'a', b'b', b'c'].map(|last| [vec![0x40; 9], vec![7; 5000], vec![last]].concat()).into();
    let file = |pieces: &[usize]| {
        let mut trie = TrieWriter::new(Part::Partitions, Flavour::SCYLLA, Vec::new());
        for (key, rank) in keys.iter().zip(0..) {
            let payload = Payload::partition(1, !(100 * rank));
            trie.add(key, payload, pieces.iter().copied()).unwrap();
        }
        trie.finish().unwrap();
        trie.into_sink()
    };
    let mut writer = PartitionsWriter::new(Flavour::SCYLLA, Vec::new());
    for (key, rank) in keys.iter().zip(0..) {
        let target = PartitionTarget::Data(DataPos(100 * rank));
        writer.add(b"key", key, 1, target).unwrap();
    }
    let written = writer.finish().unwrap();
    // 9, and then 488, 1000, 2024, 4072 bytes.
    let pieces = file(&[9, 497, 1497, 3521]);
    assert_eq!(written[..pieces.len()], pieces);
    assert_ne!(file(&[9]), pieces);
}
