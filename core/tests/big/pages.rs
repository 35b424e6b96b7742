//! Page counts worked out by hand: a page is fetched when it holds a byte that the reader uses, and not for bytes that are
//! skipped over.

use crate::files::{Table, data, fetched, int, list, probed, root, upstream};
use triescope_core::big::SampleRule;
use triescope_core::keys::{ClusteringSchema, Partitioner};
use triescope_core::lookup::{EntryHow, LegacyFound, PromotedUse, Record, Step};
use triescope_core::race::LegacyReader::{Cassandra, Scylla};
use triescope_core::table::Version;

fn promoted_uses(record: &Record) -> Vec<PromotedUse> {
    let uses = record.steps.iter().filter_map(|step| match step {
        Step::Entry(entry) if !matches!(entry.how, EntryHow::Probe { .. }) => Some(entry.promoted),
        _ => None,
    });
    uses.collect()
}

#[test]
fn f15_a_sampled_key_costs_one_page() {
    let Some(dir) = upstream("scylladb/summary_test") else { return };
    let table = Table::read(&dir, "me-1-big");
    // Key 3 is the second sample: the window holds the last two of 130 entries.
    let (found, record) = table.find(Scylla, &int(3), None);
    assert!(matches!(found, Ok(LegacyFound::Entry { .. })));
    let windows = record.steps.iter().filter_map(|step| match step {
        Step::Window(window) => Some((window.from.0, window.to.0)),
        _ => None,
    });
    assert_eq!(windows.collect::<Vec<_>>(), [(1146, 1164)]);
    assert_eq!((record.total().entries, fetched(&record)), (2, vec![0]));
    // Key 23 is the first one.
    let (found, record) = table.find(Scylla, &int(23), None);
    assert_eq!(data(&found.unwrap()), Some(0));
    assert_eq!((record.total().entries, fetched(&record)), (128, vec![0]));
}

#[test]
fn f17_skipped_promoted_indexes_are_not_fetched() {
    let Some(dir) = upstream("kopens-lsb/legacy_nb_clust") else { return };
    let mut table = Table::read(&dir, "nb-400-big").with_clustering(&["UTF8Type"]);
    table.partitioner = Partitioner::ByteOrdered;
    // Entries lie at 0, 31,509, 63,020, 94,531 and 126,042.
    let (found, record) = table.find(Cassandra, b"4", None);
    assert!(matches!(found, Ok(LegacyFound::Entry { .. })));
    assert_eq!(fetched(&record), [0, 7, 15, 23, 30]);
    assert_eq!(record.straight_pages(usize::MAX), Some(31));
    let skipped = PromotedUse::Skipped;
    assert_eq!(promoted_uses(&record), [skipped, skipped, skipped, skipped, PromotedUse::Probed]);
    // ScyllaDB parses all entry heads first: the same pages, and the same number beside them.
    let (_, record) = table.clone().sampled(SampleRule::Every(128)).find(Scylla, b"4", None);
    assert_eq!(
        (fetched(&record), record.straight_pages(usize::MAX)),
        (vec![0, 7, 15, 23, 30], Some(31))
    );
}

#[test]
fn a_scan_of_24_small_entries_stays_in_its_page() {
    // Sample 48 lies at 60,338, key 17021 in entry 23 after it at 60,568: page 14 is 57,344 to 61,440.
    let table = Table::cassandra("p20k", "oa", &[]);
    let (found, record) = table.find(Cassandra, &int(17_021), None);
    assert_eq!(data(&found.unwrap()), Some(92_505));
    assert_eq!((fetched(&record), record.straight_pages(usize::MAX)), (vec![14], Some(1)));
    assert_eq!((record.total().entries, record.total().bytes_used), (24, 240));
}

#[test]
fn a_small_promoted_index_is_read_whole_with_its_entry() {
    // Entries: key 5 at 0 (promoted index of 735 bytes), 1 at 744 (1,623), 0 at 2,378 (1,892 from 2,389 on), 2 at 4,281.
    let table = Table::cassandra("range_tombstones", "oa", &["Int32Type", "Int32Type"]);
    let (_, record) = table.find(Cassandra, &int(1), None);
    assert_eq!(fetched(&record), [0]);
    assert_eq!(promoted_uses(&record), [PromotedUse::Skipped, PromotedUse::Whole]);
    // That of key 0 ends at 4,281, so reading it whole takes page 1 as well.
    let (_, record) = table.find(Cassandra, &int(0), None);
    assert_eq!((fetched(&record), record.straight_pages(usize::MAX)), (vec![0, 1], Some(1)));
    let heads = [9, 11, 11].iter().sum::<u64>();
    assert_eq!(record.total().bytes_used, heads + 1892);
    // A row is then found in memory: no page more, no offset read.
    let row = table.row(&[&int(100), &int(-100)]);
    let (_, record) = table.find(Cassandra, &int(0), Some(&row));
    assert_eq!(fetched(&record), [0, 1]);
    let offsets = record.steps.iter().filter_map(|step| match step {
        Step::BlockProbe(probe) => Some(probe.offset_at),
        _ => None,
    });
    assert!(offsets.clone().count() > 3 && offsets.flatten().count() == 0);
}

#[test]
fn scylladb_probes_even_small_promoted_indexes() {
    // By ScyllaDB's rule (28,000 bytes of data) keys 5, 0, 2 and 4 are samples: key 0 is alone in its window, and where the
    // partition's end is asked for, the head at 4,281 in page 1 tells it.
    let table = Table::cassandra("range_tombstones", "oa", &["Int32Type", "Int32Type"])
        .sampled(SampleRule::Scylla);
    let (_, record) = table.find(Scylla, &int(0), None);
    assert_eq!(fetched(&record), [0, 1]);
    assert_eq!((record.total().entries, record.total().blocks), (2, 0));
    // 50 offsets fill 4,081 to 4,281: that of block 25 lies in page 1, those of blocks 0 to 2 in page 0. The third block
    // starts the slice's end, so the next window is not read.
    let row = table.row(&[&int(5), &int(-5)]);
    let (_, record) = table.find(Scylla, &int(0), Some(&row));
    assert_eq!(probed(&record)[0], 25);
    assert_eq!((fetched(&record), record.total().entries), (vec![0, 1], 1));
}

#[test]
fn row_1234_takes_four_pages_as_scylladb_reads_and_one_more_as_cassandra_scans() {
    // Entries of 11,496, 11,498 and 11,498 bytes; that of key 0 starts at 11,496 (page 2), its 500 offsets end at 22,994.
    let table = Table::cassandra("wide_int", "oa", &["Int32Type"]);
    let row = table.row(&[&int(1234)]);
    let scylla = table.clone().sampled(SampleRule::Scylla);
    let (found, record) = scylla.find(Scylla, &int(0), Some(&row));
    let LegacyFound::Entry { block: Some(block), .. } = found.unwrap() else { panic!() };
    assert_eq!((block.block, block.start, block.end), (Some(311), 340_723, Some(341_823)));
    assert_eq!(block.partition.0 + block.start, 889_621);
    assert_eq!(probed(&record), [250, 375, 313, 282, 298, 306, 310, 312, 311]);
    assert_eq!((fetched(&record), record.total().blocks), (vec![2, 5, 3, 4], 9));
    // Cassandra reads the entry of key 1 first, in page 0.
    let (found, record) = table.find(Cassandra, &int(0), Some(&row));
    let LegacyFound::Entry { block: Some(block), .. } = found.unwrap() else { panic!() };
    assert_eq!(block.block, Some(311));
    assert_eq!(probed(&record), [249, 374, 311, 280, 295, 303, 307, 309, 310]);
    assert_eq!(
        (fetched(&record), record.straight_pages(usize::MAX)),
        (vec![0, 2, 5, 3, 4], Some(3))
    );
}

#[test]
fn one_partition_of_12_000_blocks_takes_10_to_12_pages() {
    let table = Table::cassandra("wide_deep", "oa", &["Int32Type"]);
    let (key, _) = table.keys().swap_remove(0);
    for (ck, pages) in [(-100_000, 10), (50_000, 10), (122_000, 11), (343_963, 12)] {
        let (_, record) = table.find(Cassandra, &key, Some(&table.row(&[&int(ck)])));
        assert_eq!(fetched(&record).len(), pages, "ck {ck}");
    }
}

/// An Index.db of entries with these keys and promoted sizes, filled with zeros; each partition has 10 bytes.
fn index(entries: &[(&[u8], u64)]) -> Vec<u8> {
    let mut file = Vec::new();
    for (i, (key, promoted)) in entries.iter().enumerate() {
        file.extend(u16::try_from(key.len()).unwrap().to_be_bytes());
        file.extend(*key);
        file.extend([0x80, u8::try_from(10 * i).unwrap()]); // position, a vint of two bytes
        file.push(0xe0 | u8::try_from(promoted >> 24).unwrap()); // promoted size, a vint of four bytes
        file.extend(&u32::try_from(*promoted).unwrap().to_be_bytes()[1..]);
        file.resize(file.len() + usize::try_from(*promoted).unwrap(), 0);
    }
    file
}

fn in_byte_order(index: Vec<u8>) -> Table {
    Table {
        name: "made here".to_owned(),
        version: Version::new(b"oa").unwrap(),
        index,
        summary: Vec::new(),
        partitioner: Partitioner::ByteOrdered,
        clustering: ClusteringSchema::default(),
        sampled: None,
        exact_widths: false,
    }
    .sampled(SampleRule::Every(128))
}

#[test]
fn a_head_that_goes_on_in_the_next_page_takes_both() {
    // "a" has a head of 2 + 1 + 2 + 4 = 9 bytes. Its promoted index of 4,080 ends at 4,089, and the head of "b" lies at
    // 4,089 to 4,098: the last two bytes of its promoted size are in page 1.
    let table = in_byte_order(index(&[(b"a", 4080), (b"b", 0), (b"c", 9000), (b"d", 0)]));
    for (key, pages) in [("b", vec![0, 1]), ("c", vec![0, 1]), ("d", vec![0, 1, 3])] {
        let (found, record) = table.find(Cassandra, key.as_bytes(), None);
        assert_eq!(fetched(&record), pages, "{key}");
        // The promoted index of "c" is matched, not skipped, and its zeros have no blocks.
        assert_eq!(found.is_err(), key == "c", "{key}");
    }
    // "d" lies at 4,098 + 9 + 9,000 = 13,107, in page 3; page 2 is skipped over.
    let (_, record) = table.find(Cassandra, b"d", None);
    assert_eq!(record.straight_pages(usize::MAX), Some(4));
    // One byte less, and the head of "b" ends with page 0.
    let table = in_byte_order(index(&[(b"a", 4078), (b"b", 0)]));
    assert_eq!(fetched(&table.find(Cassandra, b"b", None).1), [0]);
}

#[test]
fn all_scans_fetch_the_pages_of_the_heads_they_read() {
    // On small entries without promoted indexes these are all pages from the sample to the end of the last entry.
    for name in ["p20k", "p5k_uuid", "composite_pk", "long_keys"] {
        let table = Table::cassandra(name, "oa", &[]);
        let path = root().join("testdata/cassandra").join(name).join("oa/expected.json");
        let json: serde_json::Value =
            serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        for expected in list(&json["lookups"]).iter().filter(|e| e.get("scan_from").is_some()) {
            let key = crate::files::hex(expected["key"].as_str().unwrap());
            let (_, record) = table.find(Cassandra, &key, None);
            let from = expected["scan_from"].as_u64().unwrap();
            let to = expected["scan_to"].as_u64().unwrap();
            let pages: Vec<u64> = (from / 4096..=(to - 1) / 4096).collect();
            assert_eq!(record.straight_pages(usize::MAX), Some(pages.len() as u64));
            assert_eq!(fetched(&record), pages, "{name} {expected}");
        }
    }
}
