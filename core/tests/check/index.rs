//! Damaged twins of the checks of Index.db and its promoted index.

use crate::common::{InMemory, cassandra, upstream};
use crate::pieces::{changed, entries, promoted};
use crate::{fires, ids, said};
use triescope_core::big::BoundKind;
use triescope_core::table::Part;

/// 1000 partitions, 8 samples, no promoted index.
fn narrow() -> InMemory {
    cassandra("p1000", "oa", 1).files
}

/// Wide partitions, one clustering column.
fn wide() -> InMemory {
    cassandra("wide_int", "nb", 1).files
}

/// Bytes of Index.db put over those at a place.
fn put(files: &InMemory, at: usize, bytes: &[u8]) -> InMemory {
    changed(files, Part::Index, |index| index[at..at + bytes.len()].copy_from_slice(bytes))
}

#[test]
fn an_entry_with_a_wrong_length_is_one_fault() {
    let files = narrow();
    let entry = &entries(&files)[200];
    let twin = put(&files, entry.at, &[0, 6]);
    // Who reads the entries without the samples takes other bytes for keys, and counts other ones.
    let said = "Index.db, offset 1793 (page 0 + 1793), end of an entry: expected 2297, where the next sample of Summary.db finds its key, found none there; before it, Index.db, offset 1793 (page 0 + 1793), key: expected behind 000000fd (token -5210156887280488927), that of the entry before, found 000002d39031 (token -9137058326546829896)";
    fires(
        &twin,
        &["filter/denies-key", "statistics/key-types", "statistics/partition-count"],
        "index/entry",
        &[said],
    );
}

#[test]
fn an_index_that_was_cut_off_says_what_is_lost() {
    let files = narrow();
    let twin = changed(&files, Part::Index, |index| index.truncate(index.len() - 401));
    let said = "Index.db, offset 8792 (page 2 + 600), promoted size: expected a whole entry, found file ends inside the promoted size at offset 8801; 959 complete entries; Data.db has up to 872 bytes behind 19854, where the last one's partition begins, that no index entry covers";
    fires(&twin, &[], "index/entry", &[said]);
}

#[test]
fn keys_that_changed_places_are_out_of_order() {
    let files = narrow();
    let all = entries(&files);
    let (one, other) = (&all[300], &all[301]);
    let twin = put(&put(&files, one.at + 2, &other.key), other.at + 2, &one.key);
    let said = "Index.db, offset 2702 (page 0 + 2702), key: expected behind 0000007a (token -3423022024443421810), that of the entry before, found 000001ed (token -3425833647189845937)";
    fires(&twin, &[], "index/order", &[said]);
}

#[test]
fn a_first_partition_that_is_not_at_0_is_found() {
    let files = narrow();
    let twin = put(&files, entries(&files)[0].position_at, &[1]);
    let said = "Index.db, offset 0 (page 0 + 0), data position: expected 0, found 1";
    fires(&twin, &[], "index/first-position", &[said]);
}

#[test]
fn a_position_that_is_that_of_the_entry_before_is_found() {
    let files = narrow();
    let all = entries(&files);
    let before = &all[299];
    let bytes = files.part(Part::Index)[before.position_at..][..before.position_bytes].to_vec();
    let twin = put(&files, all[300].position_at, &bytes);
    let said = "Index.db, offset 2693 (page 0 + 2693), data position: expected above 6189, that of the entry before, found 6189";
    fires(&twin, &[], "index/positions-ascend", &[said]);
}

#[test]
fn a_position_behind_the_data_is_found() {
    let files = narrow();
    let last = entries(&files).pop().unwrap();
    let twin = put(&files, last.position_at, &[0xdf, 0xff, 0xff][..last.position_bytes]);
    let said = "Index.db, offset 9192 (page 2 + 1000), data position: expected below 20726, the length of Data.db, found 2097151";
    fires(&twin, &[], "index/position-in-data", &[said]);
}

#[test]
fn a_promoted_index_whose_blocks_do_not_fit_is_found() {
    let files = wide();
    let entry = &entries(&files)[0];
    let (head, _) = promoted(&files, entry);
    let count_at = head.blocks_at.0 as usize - 2;
    let twin = put(&files, count_at, &[0x80, 0]);
    let said = "Index.db, offset 22 (page 0 + 22), block count: expected 1..=1275, as many as the promoted index can hold, found 0";
    fires(&twin, &[], "index/promoted-head", &[said]);
}

#[test]
fn bytes_between_blocks_and_offsets_are_found() {
    let files = wide();
    let last = entries(&files).pop().unwrap();
    let (head, _) = promoted(&files, &last);
    let twin = changed(&files, Part::Index, |index| {
        let at = head.offsets_at.0 as usize;
        index.splice(at..at, [0; 3]);
        let size = last.promoted_size + 3;
        let vint = last.position_at + last.position_bytes;
        let bytes = last.promoted_at - vint;
        assert_eq!(bytes, 2);
        index[vint] = 0x80 | (size >> 8) as u8;
        index[vint + 1] = size as u8;
    });
    let said = "Index.db, offset 32525 (page 7 + 3853), end of the last block: expected at 32528, where the table of offsets begins, found at 32525";
    fires(&twin, &[], "index/promoted-size", &[said]);
}

#[test]
fn a_single_block_is_suspicious() {
    let files = wide();
    let last = entries(&files).pop().unwrap();
    let (head, blocks) = promoted(&files, &last);
    let length = files.table().facts.data_length.unwrap() - last.data;
    let twin = changed(&files, Part::Index, |index| {
        let block = index[head.blocks_at.0 as usize..][..blocks[0].size as usize].to_vec();
        let bounds = &block[..12]; // two rows of an int column: kind, header, value
        let mut promoted = index[last.promoted_at..head.blocks_at.0 as usize - 2].to_vec();
        promoted.push(1);
        promoted.extend(bounds);
        promoted.push(head.header_length as u8);
        let width = (length - head.header_length) as i64 - 65_536;
        triescope_core::vint::svint(width, &mut promoted);
        promoted.extend([0, 0, 0, 0, 0]); // no open marker, the offset
        index.truncate(last.position_at + last.position_bytes);
        triescope_core::vint::uvint(promoted.len() as u64, index);
        index.extend(promoted);
    });
    let said = "Index.db, offset 23026 (page 5 + 2546), block count: expected 2 or more, found 1";
    fires(&twin, &[], "index/one-block", &[said]);
}

#[test]
fn a_block_with_an_unknown_kind_is_found() {
    let files = wide();
    let (_, blocks) = promoted(&files, &entries(&files)[0]);
    let twin = put(&files, blocks[1].at.0 as usize, &[3]);
    let said =
        "Index.db, offset 41 (page 0 + 41), bound kind: expected 0, 1, 2, 4, 5, 6 or 7, found 3";
    fires(&twin, &[], "index/block", &[said]);
}

#[test]
fn an_offset_that_names_no_block_is_found() {
    let files = wide();
    let (head, _) = promoted(&files, &entries(&files)[0]);
    let twin = changed(&files, Part::Index, |index| index[head.offset_at(1).0 as usize + 3] += 1);
    let said = "Index.db, offset 9511 (page 2 + 1319), offset of block 1: expected 17, found 18";
    fires(&twin, &[], "index/block-offsets", &[said]);
}

#[test]
fn a_block_that_begins_elsewhere_than_the_one_before_ends_is_one_fault() {
    let files = wide();
    let (_, blocks) = promoted(&files, &entries(&files)[0]);
    // Behind the two rows of an int column: the last byte of the start.
    let start = blocks[1].at.0 as usize + 12;
    let twin = changed(&files, Part::Index, |index| index[start + 1] ^= 1);
    let said = "Index.db, offset 41 (page 0 + 41), start of block 1: expected 1088, where the block before ends, found 1089";
    fires(&twin, &[], "index/blocks-contiguous", &[said]);
}

#[test]
fn a_last_block_that_does_not_end_with_the_partition_is_found() {
    let files = wide();
    let (_, blocks) = promoted(&files, &entries(&files)[0]);
    let last = blocks.last().unwrap();
    // The width ends before the flag of the open marker.
    let width = last.at.0 as usize + last.size as usize - 2;
    let twin = changed(&files, Part::Index, |index| index[width] ^= 4);
    let said = "Index.db, offset 9488 (page 2 + 1296), end of block 499: expected 548909, the end of the partition, or 548908, found 548910";
    fires(&twin, &[], "index/block-end", &[said]);
}

#[test]
fn a_block_whose_last_row_lies_before_its_first_is_found() {
    let files = wide();
    let (_, blocks) = promoted(&files, &entries(&files)[0]);
    let twin = changed(&files, Part::Index, |index| {
        let at = blocks[1].at.0 as usize;
        index.copy_within(at..at + 6, at + 6);
        index[at + 6 + 5] -= 1;
    });
    let said = "Index.db, offset 41 (page 0 + 41), last clustering of block 1: expected at or behind the row -4980, the first one, found the row -4981";
    fires(&twin, &[], "index/block-order", &[said]);
}

#[test]
fn a_marker_that_ends_no_deletion_is_found() {
    let files = cassandra("range_tombstones", "oa", 1).files;
    let mut twins = 0;
    for entry in entries(&files).iter().filter(|entry| entry.promoted_size > 0) {
        let (_, blocks) = promoted(&files, entry);
        for pair in blocks.windows(2) {
            let other = match pair[1].first.kind {
                BoundKind::InclusiveStart => 0,
                BoundKind::ExclusiveStart => 6,
                _ => continue,
            };
            let twin = put(&files, pair[1].at.0 as usize, &[other]);
            assert_eq!(ids(&twin, false), ["index/open-marker"]);
            twins += 1;
        }
    }
    assert_eq!(twins, 12);
}

#[test]
fn a_last_block_of_la_that_does_not_end_with_the_partition_is_found() {
    let Some(folder) = upstream("scylladb/large_partition") else { return };
    let all = InMemory::folder(&folder);
    let files = all.iter().find(|files| files.set.name().starts_with("la-")).unwrap();
    let twin = changed(files, Part::Index, |index| *index.last_mut().unwrap() ^= 1);
    let said = said(&twin, false, "index/block-end").remove(0);
    assert!(said.contains("the end of the partition, or "), "{said}");
    fires(&twin, &ids(files, false), "index/block-end", &[&said]);
}

#[test]
fn without_types_and_partitioner_less_is_checked_and_that_is_said() {
    let twin = wide().without(Part::Statistics);
    let others = ["files/missing", "index/blocks-unread"];
    let said = "Index.db, partitioner: expected one that is known, found none, for there is no Statistics.db that says it";
    fires(&twin, &others, "index/order-unknown", &[said]);
    let others = ["files/missing", "index/order-unknown"];
    let said =
        "Index.db, clustering columns: expected their types, found not known without Statistics.db";
    fires(&twin, &others, "index/blocks-unread", &[said]);
}
