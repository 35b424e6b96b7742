//! Damaged twins of the checks that compare the index with Data.db.

use crate::common::{InMemory, cassandra};
use crate::deep::{add, changed, items, rows, with_another_key};
use crate::{ids, said};
use triescope_core::big::{Block as LegacyBlock, BlockLayout, EntryHead, IndexWalk, PromotedHead};
use triescope_core::bti::{Block, Leaf, Node, PartitionIndex, RowEntry, RowIndex};
use triescope_core::cursor::Cursor;
use triescope_core::keys::{murmur3, partition_key};
use triescope_core::lookup::LeafTarget;
use triescope_core::pos::FilePos;
use triescope_core::source::Pages;
use triescope_core::table::Part;

fn mem(at: u64) -> usize {
    usize::try_from(at).unwrap()
}

/// The leaves of the trie, each with the bytes that lead to it.
fn leaves(files: &InMemory) -> Vec<(Leaf, Vec<u8>)> {
    let table = files.table();
    let mut unheard = ();
    let source = table.source(Part::Partitions).unwrap();
    let index = PartitionIndex::new(table.footer.as_ref().unwrap());
    let mut leaves = index.leaves(Pages::new(Part::Partitions, source, &mut unheard));
    let mut found = Vec::new();
    while let Some(next) = leaves.next().unwrap() {
        found.push((next.leaf, leaves.prefix()));
    }
    found
}

/// Position and length of the payload of a node.
fn payload(files: &InMemory, part: Part, at: FilePos) -> (usize, u8) {
    let bytes = files.part(part);
    let page = mem(at.page().start().0);
    let node = Node::read(part, at, &bytes[page..bytes.len().min(page + 4096)]).unwrap();
    (mem(node.payload_at().0), node.payload_bits())
}

fn entries(files: &InMemory) -> Vec<RowEntry> {
    let rows = files.part(Part::Rows);
    leaves(files)
        .iter()
        .filter_map(|(leaf, _)| match leaf.target() {
            LeafTarget::Rows(at) => {
                Some(RowEntry::read(&mut Pages::new(Part::Rows, &rows, &mut ()), at).unwrap())
            }
            LeafTarget::Data(_) => None,
        })
        .collect()
}

fn blocks(files: &InMemory, entry: &RowEntry) -> Vec<Block> {
    let (rows, mut unheard) = (files.part(Part::Rows), ());
    let mut blocks = RowIndex::new(entry).blocks(Pages::new(Part::Rows, &rows, &mut unheard));
    std::iter::from_fn(|| blocks.next().unwrap()).collect()
}

/// The table with one byte of a component changed.
fn with_byte(files: &InMemory, part: Part, at: usize, edit: impl FnOnce(u8) -> u8) -> InMemory {
    let mut bytes = files.part(part).to_vec();
    bytes[at] = edit(bytes[at]);
    files.with(part, &bytes)
}

#[test]
fn a_leaf_that_points_beside_its_partition_is_found() {
    let files = cassandra("two_partitions", "da", 1).files;
    let (leaf, _) = leaves(&files).remove(1);
    let (at, bits) = payload(&files, Part::Partitions, leaf.at);
    // A hash byte, then the position with its bits inverted.
    let last = at + usize::from(bits & 7) + 1;
    let files = with_byte(&files, Part::Partitions, last, |byte| byte - 1);
    assert_eq!(ids(&files, true), ["trie/data-position"]);
    let at = items(&files).iter().filter(|item| item.bytes() > 1).nth(2).unwrap().at();
    let said = said(&files, true, "trie/data-position").remove(0);
    let text = format!(
        "position in Data.db: expected {at}, where the partition begins, found {}",
        at.0 + 1
    );
    assert!(said.ends_with(&text), "{said}");
}

#[test]
fn a_key_in_the_data_that_is_not_that_of_its_leaf_is_found() {
    assert_eq!(ids(&with_another_key("da"), true), ["trie/data-key"]);
}

#[test]
fn a_hash_byte_in_the_middle_of_the_trie_is_compared_with_the_key_in_the_data() {
    let files = cassandra("ten_partitions", "da", 1).files;
    let (leaf, _) = leaves(&files).remove(4);
    let (at, _) = payload(&files, Part::Partitions, leaf.at);
    let files = with_byte(&files, Part::Partitions, at, |byte| byte ^ 1);
    assert_eq!(ids(&files, false), [""; 0]);
    assert_eq!(ids(&files, true), ["trie/hash"]);
}

#[test]
fn an_entry_of_rows_db_with_another_key_of_the_same_beginning_is_found() {
    let files = cassandra("wide_int", "da", 1).files;
    let (table, entry) = (files.table(), entries(&files).remove(1));
    let (_, path) = leaves(&files).into_iter().nth(1).unwrap();
    let (style, schema) = (table.dialect().key_style, table.key_schema());
    let other = (0i32..)
        .map(i32::to_be_bytes)
        .find(|key| {
            key.as_slice() != entry.key
                && murmur3(key).byte() == murmur3(&entry.key).byte()
                && partition_key(&table.partitioner(), style, schema, key).bytes.starts_with(&path)
        })
        .unwrap();
    let mut rows = files.part(Part::Rows).to_vec();
    let at = mem(entry.at.0) + 2;
    rows[at..at + 4].copy_from_slice(&other);
    let files = files.with(Part::Rows, &rows);
    assert_eq!(ids(&files, true), ["rows/data-key"]);
}

#[test]
fn an_entry_of_rows_db_with_another_deletion_is_found() {
    let files = cassandra("wide_static", "da", 1).files;
    let entry = entries(&files).into_iter().find(|entry| entry.deletion.is_some()).unwrap();
    let last = mem(entry.at.0) + usize::try_from(entry.size).unwrap() - 1;
    let files = with_byte(&files, Part::Rows, last, |byte| byte ^ 1);
    assert_eq!(ids(&files, true), ["rows/deletion"]);
}

#[test]
fn a_block_that_begins_inside_a_row_is_found() {
    let files = cassandra("wide_int", "da", 1).files;
    let block = blocks(&files, &entries(&files)[1])[7];
    let (at, bits) = payload(&files, Part::Rows, block.node);
    let last = at + usize::from(bits & 7) - 1;
    let files = with_byte(&files, Part::Rows, last, |byte| byte ^ 1);
    assert_eq!(ids(&files, true), ["rows/block-start"]);
}

#[test]
fn a_row_on_the_wrong_side_of_a_separator_is_found() {
    let files = cassandra("range_tombstones", "da", 1).files;
    let all = rows(&files);
    let first = entries(&files)[0].clone();
    // A block that begins with a row behind another row, with the next value of the first column.
    let value = |row: &triescope_core::data::Row, column: usize| {
        let bytes = row.clustering[column].as_ref().unwrap();
        i32::from_be_bytes(bytes.as_slice().try_into().unwrap())
    };
    let starts: Vec<_> =
        blocks(&files, &first).iter().map(|block| first.data.0 + block.offset).collect();
    let before = all
        .windows(2)
        .find(|pair| {
            let [a, b] = pair else { return false };
            starts.contains(&b.at.0) && a.at.0 + a.len == b.at.0 && value(a, 0) < value(b, 0)
        })
        .map(|pair| pair[0].clone())
        .unwrap();
    let next = value(&before, 0) + 1;
    // It moves to the side of the separator where the next block's rows are, before the first of them.
    let files = changed(&files, |data| {
        let at = mem(before.at.0) + 2;
        data[at..at + 4].copy_from_slice(&next.to_be_bytes());
        data[at + 4..at + 8].copy_from_slice(&i32::MIN.to_be_bytes());
    });
    assert_eq!(ids(&files, true), ["rows/separator"]);
}

#[test]
fn an_end_marker_that_is_not_behind_the_last_row_is_found() {
    let files = cassandra("ck_boolean", "da", 1).files;
    // The end marker is the last row's place with its last byte made one more: 40 01 39.
    let files = with_byte(&files, Part::Rows, 4, |byte| {
        assert_eq!(byte, 0x39);
        0x38
    });
    assert_eq!(ids(&files, true), ["rows/separator"]);
}

#[test]
fn an_open_deletion_of_a_block_other_than_that_in_force_is_found() {
    let files = cassandra("range_tombstones", "da", 1).files;
    let all: Vec<_> = entries(&files).iter().flat_map(|entry| blocks(&files, entry)).collect();
    let block = all.into_iter().find(|block| block.open.is_some()).unwrap();
    let (at, bits) = payload(&files, Part::Rows, block.node);
    let last_of_timestamp = at + usize::from(bits & 7) + 7;
    let files = with_byte(&files, Part::Rows, last_of_timestamp, |byte| byte ^ 1);
    assert_eq!(ids(&files, true), ["rows/open-deletion"]);
}

fn heads(files: &InMemory) -> Vec<EntryHead> {
    let (index, mut heads) = (files.part(Part::Index), Vec::new());
    let all = IndexWalk::new(files.set.version.formats().index).run(&index, u64::MAX, |head, _| {
        heads.push(*head);
        std::ops::ControlFlow::Continue(())
    });
    all.unwrap();
    heads
}

/// The promoted index of the first entry that has one: head, blocks.
fn promoted(files: &InMemory, entry: &EntryHead) -> (PromotedHead, Vec<LegacyBlock>) {
    let (index, version) = (files.part(Part::Index), files.set.version);
    let mut unheard = ();
    let mut pages = Pages::new(Part::Index, &index, &mut unheard);
    let (at, size) = (entry.promoted_at(), entry.promoted_size);
    let head = PromotedHead::read(&mut pages, at, size, version).unwrap();
    let table = files.table();
    let lengths = table.statistics.as_ref().unwrap().header.as_ref().unwrap().clustering_lengths();
    let layout = BlockLayout { version, lengths: &lengths };
    let bytes = &index[mem(head.blocks_at.0)..mem(head.offsets_at.0)];
    let mut cursor = Cursor::new(Part::Index, head.blocks_at, bytes);
    let blocks =
        (0..head.blocks).map(|_| LegacyBlock::read(&mut cursor, layout).unwrap()).collect();
    (head, blocks)
}

#[test]
fn f21_an_entry_that_points_beside_its_partition_is_found() {
    for version in ["oa", "nb"] {
        let files = cassandra("two_partitions", version, 1).files;
        let entry = heads(&files)[1];
        // The head ends with the position and a promoted size of 0.
        let position = mem(entry.promoted_at().0) - 2;
        let files = with_byte(&files, Part::Index, position, |byte| byte + 6);
        assert_eq!(ids(&files, true), ["index/data-position"], "{version}");
        let said = said(&files, true, "index/data-position").remove(0);
        let text = format!(
            "position in Data.db: expected {}, where the partition begins, found {}",
            entry.data,
            entry.data.0 + 6
        );
        assert!(said.ends_with(&text), "{said}");
    }
}

#[test]
fn a_key_in_the_data_that_is_not_that_of_its_entry_is_found() {
    for version in ["oa", "nb"] {
        assert_eq!(ids(&with_another_key(version), true), ["index/data-key"], "{version}");
    }
}

#[test]
fn a_deletion_in_the_promoted_index_other_than_that_of_the_partition_is_found() {
    for version in ["oa", "nb"] {
        let files = cassandra("wide_static", version, 1).files;
        let entry = heads(&files)
            .into_iter()
            .find(|head| head.promoted_size > 0 && promoted(&files, head).0.deletion.is_some());
        // A header length of two bytes, then the deletion: local time first in `nb`, timestamp first in `oa`.
        let at = mem(entry.unwrap().promoted_at().0);
        let length = if files.part(Part::Index)[at] < 0x80 { 1 } else { 2 };
        let files = with_byte(&files, Part::Index, at + length + 11, |byte| byte ^ 1);
        assert_eq!(ids(&files, true), ["index/deletion"], "{version}");
    }
}

#[test]
fn a_header_length_other_than_that_of_the_partition_is_found() {
    let files = cassandra("wide_text", "oa", 1).files;
    let at = mem(heads(&files)[0].promoted_at().0);
    let files = with_byte(&files, Part::Index, at, |byte| byte + 1);
    // The first block does not begin where the head says that the rows begin: that is known without Data.db.
    assert_eq!(ids(&files, false), ["index/blocks-contiguous"]);
    assert_eq!(ids(&files, true), ["index/blocks-contiguous", "index/header-length"]);
}

#[test]
fn a_block_of_the_promoted_index_that_begins_inside_a_row_is_found() {
    let files = cassandra("wide_text", "oa", 1).files;
    let (_, blocks) = promoted(&files, &heads(&files)[0]);
    // The width, three bytes, and the flag end a block; the start is a vint before them. Widths are zig-zag, so a byte more
    // is two less. The blocks remain contiguous.
    let end = |block: &LegacyBlock| mem(block.at.0) + usize::try_from(block.size).unwrap();
    let mut bytes = files.part(Part::Index).to_vec();
    let (before, of_block) = (end(&blocks[2]) - 1, end(&blocks[3]) - 1);
    add(&mut bytes[before - 3..before], -2);
    add(&mut bytes[of_block - 3..of_block], 2);
    bytes[of_block - 4] += 1;
    let files = files.with(Part::Index, &bytes);
    assert_eq!(ids(&files, false), [""; 0]);
    assert_eq!(ids(&files, true), ["index/block-start"]);
}

#[test]
fn a_bound_of_a_block_other_than_that_of_its_rows_is_found() {
    let files = cassandra("wide_text", "oa", 1).files;
    let (_, blocks) = promoted(&files, &heads(&files)[0]);
    let block = &blocks[3];
    let text = block.first.values[0].as_ref().unwrap().len();
    // Kind, header, length, text.
    let last = mem(block.at.0) + 2 + 1 + text;
    let files = with_byte(&files, Part::Index, last - 1, |byte| byte ^ 1);
    assert_eq!(ids(&files, true), ["index/block-bounds"]);
    assert!(said(&files, true, "index/block-bounds")[0].contains("first clustering"));
}

#[test]
fn an_open_deletion_in_the_promoted_index_other_than_that_in_force_is_found() {
    for version in ["oa", "nb"] {
        let files = cassandra("range_tombstones", version, 1).files;
        let wide: Vec<_> =
            heads(&files).into_iter().filter(|head| head.promoted_size > 0).collect();
        let all = wide.iter().flat_map(|head| promoted(&files, head).1);
        let block = all.into_iter().find(|block| block.open.is_some()).unwrap();
        let end = mem(block.at.0) + usize::try_from(block.size).unwrap();
        let files = with_byte(&files, Part::Index, end - 1, |byte| byte ^ 1);
        assert_eq!(ids(&files, true), ["index/open-deletion"], "{version}");
    }
}
