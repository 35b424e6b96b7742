//! Damage, named by what is damaged: each gives a place, or an answer, and never a panic or an endless walk.

use crate::files::{Table, data, int};
use triescope_core::big::{Progress, SampleRule, Sampler, Summary, SummaryHeader};
use triescope_core::error::Error;
use triescope_core::lookup::RowKind;
use triescope_core::race::LegacyReader::{Cassandra, Scylla};

/// 20,000 small partitions with 157 samples; 3 wide ones; 8 with small promoted indexes.
fn tables() -> Vec<Table> {
    vec![
        Table::cassandra("p1000", "oa", &[]),
        Table::cassandra("wide_text", "nb", &["UTF8Type"]),
        Table::cassandra("range_tombstones", "oa", &["Int32Type", "Int32Type"]),
    ]
}

/// Looks keys and rows up as both readers do, and walks the index; only ends and panics matter.
fn exercise(table: &Table, keys: &[Vec<u8>]) {
    let columns = table.clustering.columns().len();
    let value = if table.name.contains("wide_text") { b"m".to_vec() } else { int(5).to_vec() };
    let values: Vec<&[u8]> = (0..columns).map(|_| value.as_slice()).collect();
    let row = table.place(RowKind::Row, &values);
    let row = (columns > 0).then_some(&row);
    for key in keys {
        for reader in [Cassandra, Scylla] {
            let (_, record) = table.find(reader, key, row);
            let _ = (record.total(), record.straight_pages(usize::MAX));
        }
    }
    let _ = table.with_index(|index| {
        let token = table.partitioner.token(&keys[0]);
        let _ = index.samples.lower_bound(
            index.index,
            table.version.formats().index,
            &table.partitioner,
            &token,
        );
    });
    let mut sampler = Sampler::new(SampleRule::Scylla, triescope_core::table::IndexFormat::Vints);
    while let Ok(Progress::Working { .. }) = sampler.step(&table.index.as_slice(), 1000) {}
}

fn some_keys(table: &Table) -> Vec<Vec<u8>> {
    let keys = table.keys();
    let some = [0, keys.len() / 2, keys.len() - 1].map(|i| keys[i].0.clone());
    some.into_iter().chain([int(1_000_003).to_vec(), vec![]]).collect()
}

/// The message of opening a damaged copy of the summary of `p1000`, or of a lookup with it.
fn summary_damage(change: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut table = Table::cassandra("p1000", "oa", &[]);
    let (last, _) = table.keys().pop().unwrap();
    change(&mut table.summary);
    table.find(Scylla, &last, None).0.unwrap_err().to_string()
}

fn put(file: &mut [u8], at: usize, bytes: &[u8]) {
    file[at..at + bytes.len()].copy_from_slice(bytes);
}

#[test]
fn a_summary_with_an_impossible_header_is_reported() {
    let cases: [(usize, &[u8], &str); 6] = [
        (0, &[0; 4], "offset 0 (page 0 + 0), min index interval: expected at least 1, found 0"),
        (
            4,
            &[0; 4],
            "offset 4 (page 0 + 4), entry count: expected 1..=12, as many as the file can hold, found 0",
        ),
        (
            4,
            &[1, 0, 0, 0],
            "entry count: expected 1..=12, as many as the file can hold, found 16777216",
        ),
        (
            8,
            &[0xff; 8],
            "offset 8 (page 0 + 8), memory size: expected 96..=144, found 18446744073709551615",
        ),
        (16, &[0; 4], "offset 16 (page 0 + 16), sampling level: expected 1..=128, found 0"),
        (24, &[1, 2, 3, 4], "offset 24 (page 0 + 24), first offset: expected 32, found 67305985"),
    ];
    for (at, bytes, expected) in cases {
        let found = summary_damage(|file| put(file, at, bytes));
        assert!(found.starts_with("Summary.db, ") && found.ends_with(expected), "{found}");
    }
}

#[test]
fn summary_offsets_that_do_not_ascend_or_lie_outside_are_reported() {
    // 8 samples; the last key is looked up, so sample 4 is probed first: offsets 4 and 5 lie at 40 and 44.
    let found = summary_damage(|file| put(file, 44, &[40, 0, 0, 0]));
    assert_eq!(
        found,
        "Summary.db, offset 44 (page 0 + 44), entry offset: expected 88..=128, found 40"
    );
    let found = summary_damage(|file| put(file, 40, &[0xff, 0xff, 0, 0]));
    assert_eq!(
        found,
        "Summary.db, offset 40 (page 0 + 40), entry offset: expected 32..=120, found 65535"
    );
    // Into the offset table itself.
    let found = summary_damage(|file| put(file, 40, &[4, 0, 0, 0]));
    assert!(found.contains("entry offset: expected 32..=120, found 4"), "{found}");
}

#[test]
fn a_sample_that_points_past_the_index_is_reported() {
    // The last of 8 entries of 12 bytes lies at 24 + 116; its position is the last 8 of them.
    let found = summary_damage(|file| put(file, 24 + 116 + 4, &[0xff; 8]));
    assert!(
        found.starts_with("Summary.db, offset 144 (page 0 + 144), position in Index.db: expected above that of the sample before and at most "),
        "{found}"
    );
    assert!(found.ends_with("found 18446744073709551615"), "{found}");
}

#[test]
fn a_sample_that_points_into_an_entry_is_reported() {
    // Sample 1 one byte too low: the window of sample 0 then ends inside its last entry.
    let mut table = Table::cassandra("p1000", "oa", &[]);
    let (first, _) = table.keys().swap_remove(0);
    let at = 24 + 32 + 12 + 4;
    table.summary[at] -= 1;
    let found = table.find(Scylla, &first, None).0.unwrap_err().to_string();
    assert!(found.contains("end of the entry: expected at most "), "{found}");
    assert!(found.contains("where the next sample of the summary points"), "{found}");
    // Cassandra reads on past it, as long as it finds the key.
    assert_eq!(data(&table.find(Cassandra, &first, None).0.unwrap()), Some(0));
}

#[test]
fn an_end_key_that_passes_the_end_of_the_summary_is_reported() {
    let found = summary_damage(|file| put(file, 24 + 128, &[0, 0, 0xff, 0xff]));
    assert_eq!(
        found,
        "Summary.db, offset 156 (page 0 + 156), first key: expected 65535 more bytes, found 12"
    );
    let found = summary_damage(|file| put(file, 24 + 128, &[0xff; 4]));
    assert!(found.contains("first key: expected a key length of at most 65535"), "{found}");
}

#[test]
fn an_entry_whose_length_passes_the_end_is_reported() {
    let mut table = Table::cassandra("p1000", "oa", &[]);
    let keys = table.keys();
    let last = table.index.len() - 10;
    assert_eq!(table.index[last..last + 2], [0, 4]);
    put(&mut table.index, last, &[0xff, 0xff]);
    for reader in [Cassandra, Scylla] {
        let found = table.find(reader, &keys[999].0, None).0.unwrap_err().to_string();
        let expected = format!(
            "Index.db, offset {} (page {} + {}), key: expected 65535 more bytes, found 8",
            last + 2,
            (last + 2) / 4096,
            (last + 2) % 4096
        );
        assert_eq!(found, expected, "{reader:?}");
    }
    // What lies before it stays readable.
    assert_eq!(data(&table.find(Cassandra, &keys[998].0, None).0.unwrap()), Some(keys[998].1));
}

#[test]
fn a_promoted_size_that_passes_the_end_is_reported() {
    let mut table = Table::cassandra("p1000", "oa", &[]);
    let (key, _) = table.keys().pop().unwrap();
    let last = table.index.len() - 1;
    table.index[last] = 0x7f;
    for reader in [Cassandra, Scylla] {
        let found = table.find(reader, &key, None).0.unwrap_err().to_string();
        assert!(
            found.ends_with("promoted index: expected 127 more bytes, found 0"),
            "{reader:?} {found}"
        );
    }
}

#[test]
fn a_block_count_or_offset_that_leads_outside_is_reported() {
    // The entry of key 1: key length, key, position 00, promoted size ac df, header length, 80, block count.
    let table = Table::cassandra("wide_int", "oa", &["Int32Type"]);
    let (key, row) = (int(1), table.row(&[&int(0)]));
    let head = 2 + 4 + 1 + 2;
    assert_eq!(table.index[head..head + 4], [7, 0x80, 0x81, 0xf4]);
    let mut damaged = table.clone();
    put(&mut damaged.index, head + 2, &[0xbf, 0xff]);
    for reader in [Cassandra, Scylla] {
        let found = damaged.find(reader, &key, None).0.unwrap_err().to_string();
        assert!(found.contains("block count: expected 1..=1275, as many"), "{found}");
        assert!(found.ends_with("found 16383"), "{found}");
    }
    // The offsets fill 9,496 to 11,496. Cassandra probes block 249 first and ScyllaDB block 250.
    let mut damaged = table.clone();
    put(&mut damaged.index, 9496 + 4 * 249, &[0xff, 0, 0, 0, 0xff, 0, 0, 0]);
    for (reader, at) in [(Cassandra, 10_492), (Scylla, 10_496)] {
        let found = damaged.find(reader, &key, Some(&row)).0.unwrap_err().to_string();
        assert!(found.starts_with(&format!("Index.db, offset {at} ")), "{found}");
        assert!(found.contains("block offset: expected at most "), "{found}");
    }
}

#[test]
fn a_block_that_runs_into_the_offsets_is_reported() {
    let table = Table::cassandra("wide_text", "oa", &["UTF8Type"]);
    let (key, _) = table.keys().swap_remove(0);
    let row = table.row(&[b"zzzz"]);
    let (_, record) = table.find(Cassandra, &key, Some(&row));
    let last = record.steps.iter().rev().find_map(|step| match step {
        triescope_core::lookup::Step::BlockProbe(probe) => Some((probe.block, probe.at.0)),
        _ => None,
    });
    let (block, at) = last.unwrap();
    let mut damaged = table.clone();
    // Kind 4, header 00, then the length of the first value.
    let at = usize::try_from(at).unwrap();
    assert_eq!(damaged.index[at..at + 2], [4, 0]);
    damaged.index[at + 2] = 0x7f;
    put(&mut damaged.index, at + 3, &[0xff; 3]);
    let found = damaged.find(Cassandra, &key, Some(&row)).0;
    assert!(found.is_err(), "block {block}: {found:?}");
}

#[test]
fn a_summary_cut_at_any_length_is_an_error_or_loses_nothing() {
    for table in tables() {
        let whole = Summary::open(&table.summary.as_slice()).unwrap();
        for length in 0..table.summary.len() {
            let cut = &table.summary[..length];
            assert!(matches!(Summary::open(&cut), Err(Error::Damage(_))), "{length}");
            if let Ok(header) = SummaryHeader::read(&cut) {
                assert_eq!(header, whole.header);
            }
        }
    }
}

#[test]
fn an_index_cut_at_any_length_gives_the_right_answer_or_an_error() {
    for table in tables() {
        let keys = table.keys();
        let looked_up = some_keys(&table);
        // Each length near the ends and around entry starts, each 61st in between.
        let length = table.index.len();
        let cuts = (0..length).filter(|n| *n < 300 || n + 300 > length || n % 61 == 0);
        for cut in cuts {
            let mut damaged = table.clone();
            damaged.index.truncate(cut);
            exercise(&damaged, &looked_up);
            for (key, at) in [&keys[0], &keys[keys.len() - 1]] {
                for reader in [Cassandra, Scylla] {
                    if let Ok(found) = damaged.find(reader, key, None).0
                        && let Some(found) = data(&found)
                    {
                        assert_eq!(found, *at, "{} cut at {cut}", table.name);
                    }
                }
            }
        }
    }
}

#[test]
fn flipped_bits_never_panic_or_loop() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        usize::try_from(state >> 33).unwrap() % below
    };
    for table in tables() {
        let looked_up = some_keys(&table);
        for bit in 0..table.summary.len() * 8 {
            let mut damaged = table.clone();
            damaged.summary[bit / 8] ^= 1 << (bit % 8);
            exercise(&damaged, &looked_up[..2]);
        }
        for _ in 0..1500 {
            let mut damaged = table.clone();
            for _ in 0..=random(3) {
                let bit = random(damaged.index.len() * 8);
                damaged.index[bit / 8] ^= 1 << (bit % 8);
            }
            exercise(&damaged, &looked_up);
        }
    }
}

#[test]
fn an_empty_index_is_damage_where_a_summary_promises_entries() {
    let mut table = Table::cassandra("p1000", "oa", &[]);
    let (key, _) = table.keys().swap_remove(0);
    table.index.clear();
    for reader in [Cassandra, Scylla] {
        let found = table.find(reader, &key, None).0.unwrap_err().to_string();
        assert!(
            found.starts_with("Summary.db, ") && found.contains("position in Index.db"),
            "{found}"
        );
    }
    let sampled = table.sampled(SampleRule::Scylla);
    let found = sampled.find(Scylla, &key, None).0.unwrap_err().to_string();
    assert_eq!(
        found,
        "Index.db, offset 0 (page 0 + 0), first entry: expected 1 more bytes, found 0"
    );
}
