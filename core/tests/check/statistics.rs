//! Damaged twins of the checks of Statistics.db. The checksum of the changed component is made right again: only what the
//! bytes say is wrong.

use crate::common::{InMemory, cassandra};
use crate::{ids, said};
use triescope_core::table::Part;

/// The table with a component of its Statistics.db changed: 2 stats, 3 the serialization header.
pub fn edited(files: &InMemory, component: u32, edit: impl FnOnce(&mut [u8])) -> InMemory {
    let mut bytes = files.part(Part::Statistics).to_vec();
    let word = |bytes: &[u8], at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    let count = word(&bytes, 0) as usize;
    let mut starts: Vec<(usize, u32)> =
        (0..count).map(|i| (word(&bytes, 12 + 8 * i) as usize, word(&bytes, 8 + 8 * i))).collect();
    starts.sort_unstable();
    let at = starts.iter().position(|(_, kind)| *kind == component).unwrap();
    let end = starts.get(at + 1).map_or(bytes.len(), |(from, _)| *from) - 4;
    let body = &mut bytes[starts[at].0..end];
    edit(body);
    let checksum = crc32fast::hash(body).to_be_bytes();
    bytes[end..end + 4].copy_from_slice(&checksum);
    files.with(Part::Statistics, &bytes)
}

/// Position in the stats of the field `skip` bytes behind the two histograms.
fn behind_histograms(stats: &[u8], skip: usize) -> usize {
    let word = |at: usize| u32::from_be_bytes(stats[at..at + 4].try_into().unwrap()) as usize;
    let first = 4 + 16 * word(0);
    first + 4 + 16 * word(first) + skip
}

/// Position of the count of the bucket of the first histogram that has the most.
fn fullest(stats: &[u8]) -> usize {
    let count = |at: usize| u64::from_be_bytes(stats[at..at + 8].try_into().unwrap());
    let buckets = u32::from_be_bytes(stats[..4].try_into().unwrap()) as usize;
    (0..buckets).map(|i| 12 + 16 * i).max_by_key(|at| count(*at)).unwrap()
}

fn add(bytes: &mut [u8], at: usize, more: u64) {
    let sum = u64::from_be_bytes(bytes[at..at + 8].try_into().unwrap()).wrapping_add(more);
    bytes[at..at + 8].copy_from_slice(&sum.to_be_bytes());
}

#[test]
fn a_partition_more_in_the_histogram_than_in_the_index_is_found() {
    for version in ["da", "oa", "nb"] {
        let files = cassandra("p1000", version, 1).files;
        let files = edited(&files, 2, |stats| {
            let at = fullest(stats);
            add(stats, at, 1);
        });
        assert_eq!(ids(&files, false), ["statistics/partition-count"], "{version}");
        let index = if version == "da" { "Partitions.db" } else { "Index.db" };
        let said = said(&files, false, "statistics/partition-count").remove(0);
        let text = format!(
            "partition sizes: expected 1000 partitions, as {index} has, found 1001, summed up"
        );
        assert!(said.ends_with(&text), "{said}");
    }
}

#[test]
fn partition_sizes_that_do_not_add_up_to_the_data_are_found() {
    let files = cassandra("p1000", "da", 1).files;
    let files = edited(&files, 2, |stats| {
        // Two hundred partitions move up by ten buckets: each is then some six times as large.
        let at = fullest(stats);
        add(stats, at, 200u64.wrapping_neg());
        add(stats, at + 160, 200);
    });
    assert_eq!(ids(&files, false), ["statistics/partition-sizes"]);
}

#[test]
fn a_first_key_that_is_not_the_one_of_the_index_is_found() {
    for version in ["da", "oa"] {
        let files = cassandra("p1000", version, 1).files;
        let first = files.table().facts.ends.unwrap().0.into_vec();
        let files = edited(&files, 2, |stats| {
            let field = [&[4], first.as_slice()].concat();
            let at = stats.windows(5).rposition(|window| window == field).unwrap();
            stats[at + 4] ^= 1;
        });
        assert_eq!(ids(&files, false), ["statistics/key-range"], "{version}");
    }
}

#[test]
fn keys_that_are_too_long_for_their_type_are_found() {
    for version in ["da", "oa", "nb"] {
        let files = cassandra("p1000", version, 1).files;
        let files = edited(&files, 3, |header| {
            let at = header.windows(9).position(|window| window == b"Int32Type").unwrap();
            header[at..at + 9].copy_from_slice(b"ShortType");
        });
        assert_eq!(ids(&files, false), ["statistics/key-types"], "{version}");
        let said = said(&files, false, "statistics/key-types").remove(0);
        let text = "expected 2 bytes of smallint, as Statistics.db says, found 4 bytes";
        assert!(said.ends_with(text), "{said}");
    }
}

#[test]
fn f29_a_negative_deletion_time_is_an_overflow_before_oa_and_legal_after() {
    let negative = |table: &str, version: &str| {
        edited(&cassandra(table, version, 1).files, 2, |stats| {
            // Behind the position in the commit log and two timestamps.
            let at = behind_histograms(stats, 12 + 16);
            stats[at..at + 4].copy_from_slice(&(-2_146_700_401i32).to_be_bytes());
        })
    };
    assert_eq!(ids(&negative("p1000", "nb"), false), ["statistics/deletion-overflow"]);
    // 2038-01-28 is a time like any other where the number has no sign; the greatest one there is later still.
    for version in ["oa", "da"] {
        assert_eq!(ids(&negative("after_2038", version), false), [""; 0], "{version}");
    }
}

#[test]
fn a_least_timestamp_above_the_greatest_is_found() {
    // With `--deep` the bounds are narrower than the data as well.
    let files = edited(&cassandra("p1000", "da", 1).files, 2, |stats| {
        let at = behind_histograms(stats, 12);
        let greatest = stats[at + 8..at + 16].to_vec();
        stats[at..at + 8].copy_from_slice(&greatest);
        add(stats, at, 1);
    });
    assert_eq!(ids(&files, false), ["statistics/order"]);
}
