//! The reader ScyllaDB, step by step.

use crate::files::{Table, data, fetched, int, probed, sets};
use triescope_core::big::{SampleRule, Samples};
use triescope_core::lookup::{
    AbsentWhy, Cmp, EntryHow, LegacyFound, Record, RowKind, Step, SummarySource,
};
use triescope_core::race::LegacyReader::{Cassandra, Scylla};

/// The steps of a lookup in a short form.
fn steps(record: &Record) -> Vec<String> {
    let side = |cmp: &Cmp| match cmp {
        Cmp::Smaller => "<",
        Cmp::Equal => "=",
        Cmp::Greater => ">",
    };
    let text = |step: &Step| match step {
        Step::SummaryProbe(probe) => {
            format!("sample {} of {} {}", probe.sample, probe.of, side(&probe.cmp))
        }
        Step::Window(window) => {
            assert_eq!(window.summary, SummarySource::Sampled);
            format!("window {:?} {}..{}", window.sample, window.from, window.to)
        }
        Step::Page(page) => format!("page {}", page.page),
        Step::Entries(entries) => format!("{} entries, {} B", entries.count, entries.head_bytes),
        Step::Entry(entry) => {
            let how = match entry.how {
                EntryHow::Probe { low, high } => {
                    assert!(low <= entry.index && entry.index < high);
                    "entry"
                }
                EntryHow::Check => "check",
                EntryHow::Scan | EntryHow::ScanOrdered => "scan",
            };
            format!("{how} {} {}", entry.index, side(&entry.cmp))
        }
        other => format!("{other:?}"),
    };
    record.steps.iter().map(text).collect()
}

fn board(key: i32) -> (LegacyFound, Record) {
    let table = Table::cassandra("p20k", "oa", &[]).sampled(SampleRule::Scylla);
    let (found, record) = table.find(Scylla, &int(key), None);
    (found.unwrap(), record)
}

#[test]
fn p20k_has_11_samples_and_216_bytes() {
    let table = Table::cassandra("p20k", "oa", &[]).sampled(SampleRule::Scylla);
    let sampled = table.sampled.as_ref().unwrap();
    assert_eq!((sampled.len(), sampled.bytes(), sampled.memory_bytes()), (11, 216, 176));
    assert_eq!(sampled.entries(), 20_000);
    // Nine windows of 18,670 bytes and more after the first, whose positions are shorter.
    assert_eq!(sampled.sample(3).unwrap().1.0, 54_908);
    assert_eq!(sampled.sample(4).unwrap().1.0, 73_578);
}

#[test]
fn a_present_key_equals_the_board() {
    let (found, record) = board(17_021);
    assert_eq!(data(&found), Some(92_505));
    assert_eq!(
        steps(&record),
        [
            "sample 5 of 11 <",
            "sample 2 of 11 >",
            "sample 4 of 11 <",
            "sample 3 of 11 >",
            "window Some(3) 54908..73578",
            "page 13",
            "page 14",
            "page 15",
            "page 16",
            "page 17",
            "1867 entries, 18670 B",
            "entry 933 <",
            "entry 466 >",
            "entry 700 <",
            "entry 583 <",
            "entry 525 >",
            "entry 554 >",
            "entry 569 <",
            "entry 562 >",
            "entry 566 =",
            "entry 564 >",
            "entry 565 >",
            "check 566 =",
        ]
    );
    let counts = record.total();
    assert_eq!((counts.fetches, counts.bytes_fetched, counts.entries), (5, 20_480, 1867));
    // 15 probes and the check; tokens of 8 bytes, and the key of 4 where they are equal, twice.
    assert_eq!((counts.keys_compared, counts.bytes_compared), (16, 16 * 8 + 2 * 4));
}

#[test]
fn an_absent_key_equals_the_board() {
    let (found, record) = board(22_300);
    assert_eq!(found, LegacyFound::Absent(AbsentWhy::BetweenEntries));
    let steps = steps(&record);
    assert_eq!(steps[..3], ["sample 5 of 11 <", "sample 2 of 11 >", "sample 4 of 11 >"]);
    assert_eq!(steps[3], "window Some(4) 73578..92248");
    assert_eq!(fetched(&record), [17, 18, 19, 20, 21, 22]);
    let entries = [933, 1400, 1634, 1517, 1576, 1547, 1532, 1540, 1536, 1538, 1537];
    let sides = [">", ">", "<", ">", "<", "<", ">", "<", ">", "<", ">"];
    let expected = entries.iter().zip(sides).map(|(entry, side)| format!("entry {entry} {side}"));
    assert_eq!(steps[11..22], expected.collect::<Vec<_>>());
    assert_eq!(steps[22], "check 1538 <");
    assert_eq!((record.total().fetches, record.total().keys_compared), (6, 15));
}

#[test]
fn the_dead_end_of_the_board_is_an_absent_key_here() {
    let (found, record) = board(20_000);
    assert_eq!(found, LegacyFound::Absent(AbsentWhy::BetweenEntries));
    let steps = steps(&record);
    let samples = ["sample 5 of 11 >", "sample 8 of 11 >", "sample 10 of 11 <", "sample 9 of 11 <"];
    assert_eq!(steps[..4], samples);
    assert_eq!(steps[4], "window Some(8) 148258..166928");
    assert_eq!(fetched(&record), [36, 37, 38, 39, 40]);
    assert_eq!(steps[steps.len() - 1], "check 666 <");
    assert_eq!((record.total().fetches, record.total().keys_compared), (5, 16));
}

#[test]
fn the_last_key_of_a_window_takes_the_next_window_too_but_for_the_last_one() {
    let table = Table::cassandra("p20k", "oa", &[]).sampled(SampleRule::Scylla);
    let sampled = table.sampled.as_ref().unwrap();
    let keys = table.keys();
    let windows = |record: &Record| {
        let windows = record.steps.iter().filter_map(|step| match step {
            Step::Window(window) => Some((window.from.0, window.to.0, window.for_next_partition)),
            _ => None,
        });
        windows.collect::<Vec<_>>()
    };
    let at = |sample: u64| sampled.sample(sample).unwrap().1.0;
    // Key 1,866 is the last one of the first window.
    let (found, record) = table.find(Scylla, &keys[1866].0, None);
    assert_eq!(data(&found.unwrap()), Some(keys[1866].1));
    assert_eq!(windows(&record), [(0, at(1), false), (at(1), at(2), true)]);
    assert_eq!(record.total().entries, 2 * 1867);
    let pages: Vec<u64> = (0..=(at(2) - 1) / 4096).collect();
    assert_eq!(
        (fetched(&record), record.straight_pages(usize::MAX)),
        (pages.clone(), Some(pages.len() as u64))
    );
    // Its neighbours cost one window.
    for key in [&keys[1865].0, &keys[1867].0] {
        assert_eq!(windows(&table.find(Scylla, key, None).1).len(), 1);
    }
    // After the last window nothing comes.
    let (found, record) = table.find(Scylla, &keys[19_999].0, None);
    assert_eq!(data(&found.unwrap()), Some(299_985));
    assert_eq!(windows(&record), [(at(10), table.index.len() as u64, false)]);
}

#[test]
fn keys_outside_the_table_are_told_from_those_between() {
    let table = Table::cassandra("p20k", "oa", &[]);
    let sampled = table.clone().sampled(SampleRule::Scylla);
    let keys = table.keys();
    let tokens: Vec<_> = keys.iter().map(|(key, _)| table.partitioner.token(key)).collect();
    let (mut before, mut after, mut between) = (0, 0, 0);
    for n in 20_000..400_000 {
        let token = table.partitioner.token(&int(n));
        let outside = token < tokens[0] || token > tokens[tokens.len() - 1];
        if !outside && n % 1999 != 0 {
            continue;
        }
        let expected = match token {
            token if token < tokens[0] => AbsentWhy::BeforeFirst,
            token if token > tokens[tokens.len() - 1] => AbsentWhy::AfterLast,
            _ => AbsentWhy::BetweenEntries,
        };
        match expected {
            AbsentWhy::BeforeFirst => before += 1,
            AbsentWhy::AfterLast => after += 1,
            _ => between += 1,
        }
        let (found, record) = table.find(Cassandra, &int(n), None);
        assert_eq!(found.unwrap(), LegacyFound::Absent(expected), "{n}");
        assert_eq!(record.total().fetches == 0, outside);
        let (found, record) = sampled.find(Scylla, &int(n), None);
        assert_eq!(found.unwrap(), LegacyFound::Absent(expected), "{n}");
        // ScyllaDB reads a window nevertheless; before the first key it then compares one entry.
        assert!(record.total().fetches >= 1);
        if expected == AbsentWhy::BeforeFirst {
            let checks: Vec<_> =
                steps(&record).into_iter().filter(|s| s.contains("check")).collect();
            assert_eq!(checks, ["check 0 <"]);
            assert!(
                steps(&record).contains(&"window None 0..17568".to_owned()),
                "{:?}",
                steps(&record)
            );
        }
    }
    assert!(before > 0 && after > 0 && between > 100, "{before} {after} {between}");
}

#[test]
fn f11_descending_rows_lie_in_file_order_and_are_found() {
    // ck int DESC: 2997 comes first, blocks of 16 rows.
    let table = Table::cassandra("wide_desc", "oa", &["ReversedType(Int32Type)"])
        .sampled(SampleRule::Scylla);
    let find = |ck: i32| {
        let (found, record) = table.find(Scylla, &int(1), Some(&table.row(&[&int(ck)])));
        let LegacyFound::Entry { block: Some(block), .. } = found.unwrap() else { panic!("{ck}") };
        (block, record)
    };
    for (ck, number, start, end) in [
        (2997, 0, 7, Some(1047)),
        (2952, 0, 7, Some(1047)),
        (2949, 1, 1047, Some(2087)),
        (2538, 9, 9367, Some(10_407)),
        // Between the blocks, after the last row of one: that one may hold it.
        (2951, 0, 7, Some(1047)),
    ] {
        let (block, record) = find(ck);
        assert_eq!((block.block, block.start, block.end), (Some(number), start, end), "{ck}");
        assert!(record.total().blocks >= 6, "125 blocks");
    }
    // Above the first row: no block starts before it, so the read starts with the first one, whose end was not asked for.
    let (block, _) = find(5000);
    assert_eq!((block.block, block.start, block.end), (Some(0), 7, None));
    // Below the last row: the last block is the last that starts before it.
    let (block, _) = find(-5000);
    assert_eq!((block.block, block.after_last), (Some(124), false));
}

#[test]
fn f20_keys_of_16_bytes_are_keys_and_no_marker() {
    let table = Table::cassandra("p5k_uuid", "oa", &[]);
    assert_eq!(table.index[..2], [0, 16]);
    let sampled = table.clone().sampled(SampleRule::Scylla);
    let keys = table.keys();
    assert_eq!(keys.len(), 5000);
    for (key, at) in keys.iter().step_by(37) {
        assert_eq!(key.len(), 16);
        for (table, reader) in [(&table, Cassandra), (&table, Scylla), (&sampled, Scylla)] {
            assert_eq!(data(&table.find(reader, key, None).0.unwrap()), Some(*at));
        }
    }
}

#[test]
fn exact_widths_let_the_reader_pass_over_a_block_that_ends_before_the_row() {
    let mut table = Table::cassandra("wide_desc", "oa", &["ReversedType(Int32Type)"])
        .sampled(SampleRule::Scylla);
    table.exact_widths = true;
    let find = |ck: i32| {
        let (found, record) = table.find(Scylla, &int(1), Some(&table.row(&[&int(ck)])));
        let LegacyFound::Entry { block: Some(block), .. } = found.unwrap() else { panic!("{ck}") };
        (block, record)
    };
    let (block, _) = find(2952);
    assert_eq!((block.block, block.end), (Some(0), Some(1047)));
    let (block, record) = find(2951);
    assert_eq!((block.block, block.start, block.end), (Some(1), 1047, None));
    // The bound that was compared once more is known: it is no block parsed again.
    assert_eq!(record.total().blocks, probed(&record).len() as u64 - 1);
    let (block, _) = find(-5000);
    assert_eq!((block.block, block.after_last), (Some(125), true));
}

#[test]
fn both_readers_find_every_partition_of_every_set() {
    let mut found_in_all = 0;
    for (table, _) in sets() {
        let sampled = table.clone().sampled(SampleRule::Scylla);
        let keys = table.keys();
        let step = keys.len() / 150 + 1;
        for (key, at) in keys.iter().step_by(step) {
            for (table, reader) in
                [(&table, Cassandra), (&table, Scylla), (&sampled, Scylla), (&sampled, Cassandra)]
            {
                let found = table.find(reader, key, None).0.unwrap();
                assert_eq!(data(&found), Some(*at), "{}", table.name);
            }
            found_in_all += 1;
        }
    }
    assert!(found_in_all > 2000, "{found_in_all}");
}

#[test]
fn places_before_and_after_all_rows_need_no_probe_in_cassandra() {
    let table = Table::cassandra("wide_int", "oa", &["Int32Type"]);
    let (found, record) = table.find(Cassandra, &int(1), Some(&table.place(RowKind::Before, &[])));
    let LegacyFound::Entry { block: Some(block), .. } = found.unwrap() else { panic!() };
    assert_eq!((block.block, block.start, probed(&record)), (Some(0), 7, vec![]));
    assert_eq!((block.parsed, record.total().blocks), (1, 1));
    let (found, record) = table.find(Cassandra, &int(1), Some(&table.place(RowKind::After, &[])));
    let LegacyFound::Entry { block: Some(block), .. } = found.unwrap() else { panic!() };
    assert_eq!((block.block, block.after_last, probed(&record)), (Some(500), true, vec![]));
    // The last block was full with the last row, so it leaves out the byte that ends the partition at 548,898.
    assert_eq!(block.start, 548_897);
}

#[test]
fn a_key_at_a_token_is_the_first_one_there_or_after() {
    let table = Table::cassandra("p20k", "oa", &[]);
    let sampled = table.clone().sampled(SampleRule::Scylla);
    let keys = table.keys();
    let token_of = |key: &[u8]| table.partitioner.token(key);
    for table in [&table, &sampled] {
        table
            .with_index(|index| {
                let bound = |token| {
                    let samples: &Samples<'_, _> = &index.samples;
                    let found = samples.lower_bound(
                        index.index,
                        table.version.formats().index,
                        &table.partitioner,
                        &token,
                    );
                    found.unwrap().map(|(head, key)| (key, head.data.0))
                };
                for i in (0..keys.len() - 1).step_by(331) {
                    assert_eq!(bound(token_of(&keys[i].0)), Some(keys[i].clone()));
                    let triescope_core::keys::Token::Murmur3(token) = token_of(&keys[i].0) else {
                        panic!()
                    };
                    let after = triescope_core::keys::Token::Murmur3(token + 1);
                    assert_eq!(bound(after), Some(keys[i + 1].clone()));
                }
                let most = triescope_core::keys::Token::Murmur3(i64::MAX);
                assert_eq!(bound(most), None);
                let least = triescope_core::keys::Token::Murmur3(i64::MIN);
                assert_eq!(bound(least), Some(keys[0].clone()));
            })
            .unwrap();
    }
}
