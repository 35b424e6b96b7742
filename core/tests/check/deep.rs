//! Damaged twins of the checks that read Data.db, by what is wrong with the data or with what Statistics.db says of it.
//!
//! Checksum and digest of the changed Data.db are made right again: only what the bytes say is wrong.

use crate::common::{InMemory, all_cassandra, cassandra, upstream};
use crate::statistics::edited;
use crate::{ids, report, said};
use triescope_core::data::{Item, Items, Marker, Row};
use triescope_core::keys::{Decorated, Partitioner};
use triescope_core::pos::DataPos;
use triescope_core::table::Part;

/// Checks of the shape of a layout, and of sizes: no fault.
fn is_layout(id: &str) -> bool {
    id.starts_with("layout/")
}

/// The table with another uncompressed Data.db.
pub fn with_data(files: &InMemory, data: &[u8]) -> InMemory {
    let chunk = u32::from_be_bytes(files.part(Part::Crc)[..4].try_into().unwrap());
    let mut crc = chunk.to_be_bytes().to_vec();
    for bytes in data.chunks(chunk as usize) {
        crc.extend(crc32fast::hash(bytes).to_be_bytes());
    }
    let digest = crc32fast::hash(data).to_string();
    files.with(Part::Data, data).with(Part::Crc, &crc).with(Part::Digest, digest.as_bytes())
}

/// The table with some bytes of its Data.db changed.
pub fn changed(files: &InMemory, edit: impl FnOnce(&mut Vec<u8>)) -> InMemory {
    let mut data = files.part(Part::Data).to_vec();
    edit(&mut data);
    with_data(files, &data)
}

/// `two_partitions` with another key in its first partition, which is in order too.
pub fn with_another_key(version: &str) -> InMemory {
    let files = cassandra("two_partitions", version, 1).files;
    let mut keys = items(&files).into_iter().filter_map(|item| match item {
        Item::Partition(head) => Some(head.key),
        _ => None,
    });
    let second = Partitioner::Murmur3.token(&keys.next_back().unwrap());
    let other = (100i32..)
        .map(i32::to_be_bytes)
        .find(|key| Partitioner::Murmur3.token(key) < second)
        .unwrap();
    changed(&files, |data| data[2..6].copy_from_slice(&other))
}

/// All items of Data.db.
pub fn items(files: &InMemory) -> Vec<Item> {
    let table = files.table();
    let mut reader = table.data_reader().unwrap();
    let mut items = Items::new(table.data_format().unwrap(), DataPos(0));
    std::iter::from_fn(|| items.next(&mut reader).unwrap()).collect()
}

pub fn rows(files: &InMemory) -> Vec<Row> {
    let row = |item| match item {
        Item::Row(row) => Some(row),
        _ => None,
    };
    items(files).into_iter().filter_map(row).collect()
}

pub fn markers(files: &InMemory) -> Vec<Marker> {
    let marker = |item| match item {
        Item::Marker(marker) => Some(marker),
        _ => None,
    };
    items(files).into_iter().filter_map(marker).collect()
}

fn place(at: DataPos) -> usize {
    usize::try_from(at.0).unwrap()
}

#[test]
fn healthy_tables_say_nothing_when_their_rows_are_read() {
    let mut lines = Vec::new();
    for version in ["da", "oa", "nb"] {
        for table in all_cassandra(version).filter(|table| !table.is_index_only()) {
            for finding in report(&table.files, true).findings {
                if !is_layout(finding.check.id) {
                    lines.push(format!("{}: {}: {finding}", table.name, finding.check.id));
                }
            }
        }
    }
    assert_eq!(lines, [""; 0]);
}

#[test]
fn impossible_cell_flags_make_a_partition_unreadable() {
    for version in ["da", "oa", "nb"] {
        let files = cassandra("two_partitions", version, 1).files;
        let cell = rows(&files)[0].columns[0].cells[0].at;
        let files = changed(&files, |data| data[place(cell)] = 0xff);
        assert_eq!(ids(&files, true), ["data/unreadable"], "{version}");
        assert_eq!(ids(&files, false), [""; 0]);
        let said = said(&files, true, "data/unreadable").remove(0);
        let text = "cell flags: expected bits 0x01 to 0x10, and not 0x01 with 0x02, found 255";
        assert!(said.ends_with(text), "{said}");
    }
}

#[test]
fn behind_a_partition_that_is_unreadable_the_next_one_is_read() {
    let files = cassandra("range_tombstones", "da", 1).files;
    let before = report(&files, true).findings.len();
    let cells: Vec<_> =
        rows(&files).iter().filter_map(|row| Some(row.columns.first()?.cells[0].at)).collect();
    let partitions: Vec<_> = items(&files)
        .into_iter()
        .filter(|item| matches!(item, Item::Partition(_)))
        .map(|item| item.at())
        .collect();
    let first_of = |n: usize| *cells.iter().find(|cell| **cell > partitions[n]).unwrap();
    let files = changed(&files, |data| {
        data[place(first_of(0))] = 0xff;
        data[place(first_of(3))] = 0xff;
    });
    assert_eq!(said(&files, true, "data/unreadable").len(), 2);
    assert_eq!(report(&files, true).findings.len(), before + 2);
}

#[test]
fn a_partition_that_the_index_does_not_have_is_found() {
    let files = cassandra("two_partitions", "da", 1).files;
    let data = files.part(Part::Data).to_vec();
    let second = items(&files)
        .iter()
        .filter_map(|item| match item {
            Item::Partition(head) => Some(head.clone()),
            _ => None,
        })
        .next_back()
        .unwrap();
    let partitioner = Partitioner::Murmur3;
    let after = (0i32..)
        .map(i32::to_be_bytes)
        .find(|key| {
            let (token, last) = (partitioner.token(key), partitioner.token(&second.key));
            let last = Decorated { token: &last, key: &second.key };
            last.order(&Decorated { token: &token, key }).is_lt()
        })
        .unwrap();
    let mut third = data[place(second.at)..].to_vec();
    third[2..6].copy_from_slice(&after);
    let files = with_data(&files, &[data, third].concat());
    // Statistics.db has the sizes and the rows of two partitions.
    assert_eq!(
        ids(&files, true),
        ["data/unindexed", "statistics/partition-sizes", "statistics/totals"]
    );
}

#[test]
fn partitions_out_of_order_are_found() {
    let files = cassandra("two_partitions", "da", 1).files;
    let second = items(&files).iter().rfind(|it| matches!(it, Item::Partition(_))).unwrap().at();
    let files = changed(&files, |data| {
        let (first, second) = data.split_at_mut(place(second));
        first[2..6].swap_with_slice(&mut second[2..6]);
    });
    // The leaves still lead to the positions, where the other key lies now.
    assert_eq!(ids(&files, true), ["data/key-order", "trie/data-key"]);
}

#[test]
fn a_row_before_the_one_before_it_is_found() {
    let files = cassandra("wide_text", "da", 1).files;
    let all = rows(&files);
    // The middle of a block, as it is not the least row of the partition that is changed.
    let row = &all[100];
    let text = row.clustering[0].as_ref().unwrap();
    let from = place(row.at) + 3;
    assert_eq!(&files.part(Part::Data)[from..from + text.len()], text.as_slice());
    let files = changed(&files, |data| data[from] = 1);
    assert_eq!(ids(&files, true), ["data/row-order"]);
}

#[test]
fn a_range_that_is_closed_by_another_deletion_is_found() {
    for version in ["da", "oa", "nb"] {
        let files = cassandra("range_tombstones", version, 1).files;
        let marker = markers(&files).into_iter().find(|it| it.opens.is_none()).unwrap();
        // The deletion ends the marker: its timestamp is the vint before the local time, which has one byte.
        let timestamp = place(marker.at) + usize::try_from(marker.len).unwrap() - 2;
        let files = changed(&files, |data| data[timestamp] ^= 1);
        assert_eq!(ids(&files, true), ["data/markers"], "{version}");
    }
}

#[test]
fn a_range_that_is_never_closed_is_found() {
    let files = cassandra("range_tombstones", "da", 1).files;
    let marker = markers(&files).into_iter().find(|it| it.opens.is_none()).unwrap();
    // The end becomes a start on the same side of its place: one opens while another is open, and none closes it.
    let files = changed(&files, |data| data[place(marker.at) + 1] ^= 1);
    // Blocks behind it do not say that a range is open.
    assert_eq!(ids(&files, true), ["data/markers", "rows/open-deletion"]);
    assert_eq!(said(&files, true, "data/markers").len(), 2);
}

#[test]
fn a_wrong_previous_size_is_found() {
    let files = cassandra("wide_text", "da", 1).files;
    let row = &rows(&files)[100];
    let text = row.clustering[0].as_ref().unwrap().len();
    // Flags, header, length, text, body size, previous size.
    let previous = place(row.at) + 3 + text + 1;
    assert_eq!(u64::from(files.part(Part::Data)[previous]), row.previous);
    let files = changed(&files, |data| data[previous] ^= 1);
    assert_eq!(ids(&files, true), ["data/previous-size"]);
}

/// Position in the stats component of a field of Statistics.db.
fn field(files: &InMemory, of: impl Fn(&triescope_core::meta::Stats) -> u64) -> usize {
    let table = files.table();
    let stats = table.statistics.as_ref().unwrap().stats.as_ref().unwrap();
    // The component begins with the histogram of partition sizes.
    usize::try_from(of(stats) - stats.at.partition_sizes.0).unwrap()
}

/// Adds to a number of the length of `bytes`.
pub fn add(bytes: &mut [u8], more: i64) {
    let (from, mut wide) = (8 - bytes.len(), [0; 8]);
    wide[from..].copy_from_slice(bytes);
    let sum = i64::from_be_bytes(wide).wrapping_add(more);
    bytes.copy_from_slice(&sum.to_be_bytes()[from..]);
}

#[test]
fn bounds_of_times_narrower_than_the_data_are_found() {
    for version in ["da", "oa", "nb"] {
        let files = cassandra("all_types_val", version, 1).files;
        let at = field(&files, |stats| stats.at.timestamps.0);
        let later = edited(&files, 2, |stats| add(&mut stats[at..at + 8], 1));
        assert_eq!(ids(&later, true), ["statistics/timestamps"], "{version}");
        let earlier = edited(&files, 2, |stats| add(&mut stats[at + 8..at + 16], -1));
        assert_eq!(ids(&earlier, true), ["statistics/timestamps"], "{version}");

        let at = field(&files, |stats| stats.at.deletion_times.0);
        let later = edited(&files, 2, |stats| add(&mut stats[at..at + 4], 1));
        assert_eq!(ids(&later, true), ["statistics/deletion-times"], "{version}");
        // Something lives on, so there is no greatest time.
        let some = edited(&files, 2, |stats| add(&mut stats[at + 4..at + 8], -1));
        assert_eq!(ids(&some, true), ["statistics/deletion-times"], "{version}");

        let less = edited(&files, 2, |stats| add(&mut stats[at + 12..at + 16], -1));
        assert_eq!(ids(&less, true), ["statistics/ttls"], "{version}");
    }
}

#[test]
fn a_flag_without_the_partition_deletions_of_the_data_is_found() {
    let files = cassandra("all_types_val", "da", 1).files;
    let at = field(&files, |stats| stats.at.partition_deletions.0);
    let files = edited(&files, 2, |stats| stats[at] = 0);
    assert_eq!(ids(&files, true), ["statistics/partition-deletions"]);
}

#[test]
fn other_numbers_of_rows_and_columns_than_in_the_data_are_found() {
    let files = cassandra("all_types_val", "oa", 1).files;
    let at = field(&files, |stats| stats.at.totals.0);
    for last in [7, 15] {
        let files = edited(&files, 2, |stats| stats[at + last] += 1);
        assert_eq!(ids(&files, true), ["statistics/totals"]);
    }
}

#[test]
fn clustering_bounds_narrower_than_the_data_are_found() {
    for version in ["da", "oa", "nb"] {
        let files = cassandra("wide_int", version, 1).files;
        let at = field(&files, |stats| stats.at.clustering.0);
        let skip = match version {
            // One type of 41 bytes with its length, a bound's kind, its count, the header of its values.
            "da" | "oa" => 1 + 1 + 41 + 1 + 2 + 1,
            // A count and a length.
            _ => 4 + 2,
        };
        let files = edited(&files, 2, |stats| add(&mut stats[at + skip..at + skip + 4], 1));
        assert_eq!(ids(&files, true), ["statistics/clustering-bounds"], "{version}");
    }
}

#[test]
fn partitions_of_cells_are_compared_with_their_index() {
    let Some(folder) = upstream("scylladb/uncompressed") else { return };
    let files = InMemory::folder(&folder).remove(0);
    let before = ids(&files, true);
    let more = |files: &InMemory| {
        let mut ids = ids(files, true);
        ids.retain(|id| !before.contains(id));
        ids
    };
    // Key length, key, deletion; then the length of the first name, the name, the flags.
    let data = files.part(Part::Data);
    let first = 2 + usize::from(data[1]) + 12;
    let flags = first + 2 + usize::from(data[first + 1]);
    let chunk = files.part(Part::Crc)[..4].to_vec();
    let with = |at: usize, to: u8| {
        let mut data = data.to_vec();
        data[at] = to;
        // Checksums of this version are Adler-32, one for the only chunk; there is no digest that counts.
        let crc = [chunk.clone(), adler2::adler32_slice(&data).to_be_bytes().to_vec()].concat();
        let digest = adler2::adler32_slice(&data).to_string();
        files.with(Part::Data, &data).with(Part::Crc, &crc).with(Part::Digest, digest.as_bytes())
    };
    assert_eq!(more(&with(flags, 0xff)), ["data/unreadable"]);
    assert_eq!(more(&with(2, data[2] ^ 1)), ["index/data-key"]);
}
