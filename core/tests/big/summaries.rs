//! Summaries that the real files here do not have: thinned out, and written on a big-endian machine.

use crate::files::{Table, data, int};
use triescope_core::lookup::{AbsentWhy, LegacyFound, Step};
use triescope_core::race::LegacyReader::{Cassandra, Scylla};

/// A Summary.db of these samples, at a sampling level, in one byte order.
fn summary(
    samples: &[(Vec<u8>, u64)],
    ends: [&[u8]; 2],
    level: u32,
    full: u32,
    big_endian: bool,
) -> Vec<u8> {
    let n = u32::try_from(samples.len()).unwrap();
    let (mut offsets, mut entries) = (Vec::new(), Vec::new());
    for (key, position) in samples {
        let offset = 4 * n + u32::try_from(entries.len()).unwrap();
        entries.extend(key);
        if big_endian {
            offsets.extend(offset.to_be_bytes());
            entries.extend(position.to_be_bytes());
        } else {
            offsets.extend(offset.to_le_bytes());
            entries.extend(position.to_le_bytes());
        }
    }
    let mut file = Vec::new();
    file.extend(128u32.to_be_bytes());
    file.extend(n.to_be_bytes());
    file.extend((offsets.len() as u64 + entries.len() as u64).to_be_bytes());
    file.extend(level.to_be_bytes());
    file.extend(full.to_be_bytes());
    file.extend(offsets);
    file.extend(entries);
    for key in ends {
        file.extend(u32::try_from(key.len()).unwrap().to_be_bytes());
        file.extend(key);
    }
    file
}

/// The samples of a table's own summary.
fn samples(table: &Table) -> Vec<(Vec<u8>, u64)> {
    let own = table.summary();
    (0..own.header.samples)
        .map(|i| {
            let mut key = Vec::new();
            let at = own.sample(&table.summary.as_slice(), i, &mut key).unwrap();
            (key, at.0)
        })
        .collect()
}

#[test]
fn the_writer_of_these_tests_makes_cassandras_own_bytes() {
    let table = Table::cassandra("p20k", "oa", &[]);
    let own = table.summary();
    let again = summary(&samples(&table), [&own.first, &own.last], 128, 157, false);
    assert_eq!(again, table.summary);
}

#[test]
fn positions_are_big_endian_where_the_offsets_are() {
    let mut table = Table::cassandra("p1000", "nb", &[]);
    let own = table.summary();
    table.summary = summary(&samples(&table), [&own.first, &own.last], 128, 8, true);
    assert!(table.summary().header.big_endian);
    for (key, at) in table.keys() {
        for reader in [Cassandra, Scylla] {
            assert_eq!(data(&table.find(reader, &key, None).0.unwrap()), Some(at));
        }
    }
}

#[test]
fn a_summary_thinned_out_to_a_half_doubles_the_scan() {
    let mut table = Table::cassandra("p20k", "oa", &[]);
    let own = table.summary();
    let half: Vec<_> = samples(&table).into_iter().step_by(2).collect();
    table.summary = summary(&half, [&own.first, &own.last], 64, 157, false);
    let keys = table.keys();
    for i in (0..20_000).step_by(97) {
        let (found, record) = table.find(Cassandra, &keys[i].0, None);
        assert_eq!(data(&found.unwrap()), Some(keys[i].1));
        assert_eq!(record.total().entries, i as u64 % 256 + 1);
    }
    // An absent key: 256 entries tested for equality, and one that is greater. Without the right interval the keys of the
    // second half would not be tested by equality alone.
    let (found, record) = table.find(Cassandra, &int(22_300), None);
    assert_eq!(found.unwrap(), LegacyFound::Absent(AbsentWhy::BetweenEntries));
    assert_eq!(record.total().entries, 257);
    let window = record.steps.iter().find_map(|step| match step {
        Step::Window(window) => window.entries,
        _ => None,
    });
    assert_eq!(window, Some(256));
}

#[test]
fn a_summary_with_one_sample_of_128_missing_has_one_longer_interval() {
    // At level 127, sample 127 of each 128 is gone.
    let mut table = Table::cassandra("p20k", "oa", &[]);
    let own = table.summary();
    let mut left = samples(&table);
    left.remove(127);
    table.summary = summary(&left, [&own.first, &own.last], 127, 157, false);
    let keys = table.keys();
    for i in (126 * 128..129 * 128).step_by(11) {
        let (found, record) = table.find(Cassandra, &keys[i].0, None);
        assert_eq!(data(&found.unwrap()), Some(keys[i].1));
        let from = if i < 128 * 128 { 126 * 128 } else { 128 * 128 };
        assert_eq!(record.total().entries, (i - from) as u64 + 1);
        let expected = if i < 128 * 128 { 256 } else { 128 };
        assert!(record.steps.iter().any(|step| matches!(
            step,
            Step::Window(window) if window.entries == Some(expected)
        )));
    }
}
