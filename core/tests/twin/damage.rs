//! Damaged and hostile sources: a sentence that names the file, the place and both keys, and never a twin that is wrong
//! without a word.

use crate::build::{build, difference, file, target, try_build};
use crate::common::{InMemory, Random, cassandra};
use std::ops::ControlFlow;
use triescope_core::big::{EntryHead, IndexWalk};
use triescope_core::table::Part;
use triescope_core::twin::{Assumption, TwinOptions, TwinPlan};

fn said(files: &InMemory, options: TwinOptions) -> String {
    try_build(&files.table(), options, 1 << 20).map(|twin| twin.report).unwrap_err()
}

fn to(version: &str) -> TwinOptions {
    TwinOptions::new(target(version))
}

/// The entries of an Index.db without promoted indexes: key and all bytes.
fn entries(files: &InMemory) -> Vec<(Vec<u8>, Vec<u8>)> {
    let index = files.part(Part::Index);
    let mut entries = Vec::new();
    let each = |head: &EntryHead, bytes: &[u8]| {
        let whole = index[head.at.0 as usize..head.end().0 as usize].to_vec();
        entries.push((head.key(bytes).to_vec(), whole));
        ControlFlow::Continue(())
    };
    IndexWalk::new(files.set.version.formats().index).run(&index, u64::MAX, each).unwrap();
    entries
}

/// Index.db of other entries.
fn of_entries(files: &InMemory, entries: &[(Vec<u8>, Vec<u8>)]) -> InMemory {
    let bytes: Vec<u8> = entries.iter().flat_map(|(_, whole)| whole.clone()).collect();
    files.with(Part::Index, &bytes)
}

/// The keys of two entries of the same length change places: their positions stay.
fn keys_swapped(entries: &mut [(Vec<u8>, Vec<u8>)], a: usize, b: usize) {
    let (key_a, key_b) = (entries[a].0.clone(), entries[b].0.clone());
    entries[a].1[2..2 + key_a.len()].copy_from_slice(&key_b);
    entries[b].1[2..2 + key_b.len()].copy_from_slice(&key_a);
    entries[a].0 = key_b;
    entries[b].0 = key_a;
}

#[test]
fn unsorted_keys_in_index_db_are_named_with_the_place() {
    let files = cassandra("p1000", "oa", 1).files;
    let mut entries = entries(&files);
    keys_swapped(&mut entries, 10, 11);
    let at: usize = entries[..11].iter().map(|(_, whole)| whole.len()).sum();
    let hex = |key: &[u8]| key.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let expected = format!(
        "Index.db, offset {at} (page 0 + {at}), partition key: expected one that sorts after {}, the one before, found {}",
        hex(&entries[10].0),
        hex(&entries[11].0)
    );
    let damaged = of_entries(&files, &entries);
    assert_eq!(said(&damaged, to("da")), expected);
    assert_eq!(said(&damaged, to("me")), expected);
}

#[test]
fn a_key_that_comes_twice_is_named() {
    let files = cassandra("p1000", "oa", 1).files;
    let mut entries = entries(&files);
    let key = entries[20].0.clone();
    entries[21].1[2..2 + key.len()].copy_from_slice(&key);
    let damaged = of_entries(&files, &entries);
    for version in ["da", "nb"] {
        let said = said(&damaged, to(version));
        assert!(said.starts_with("Index.db, offset ") && said.contains("partition key"), "{said}");
        assert!(said.contains("expected another than the one before"), "{said}");
        assert!(said.ends_with("a second time"), "{said}");
    }
}

#[test]
fn positions_beyond_2_to_the_63_and_those_that_go_back_are_named() {
    let files = cassandra("p1000", "oa", 1).files;
    let mut all = entries(&files);
    let key = all[999].0.clone();
    let mut whole = [&4u16.to_be_bytes()[..], &key, &[0xff]].concat();
    whole.extend((1u64 << 63).to_be_bytes());
    whole.push(0);
    all[999].1 = whole;
    let said_of = said(&of_entries(&files, &all), to("da"));
    assert!(
        said_of
            .ends_with("position in Data.db: expected at most 2^63 - 1, found 9223372036854775808"),
        "{said_of}"
    );
    let mut all = entries(&files);
    let key = all[500].0.clone();
    all[500].1 = [&4u16.to_be_bytes()[..], &key, &[0, 0]].concat();
    let said_of = said(&of_entries(&files, &all), to("nb"));
    assert!(
        said_of.ends_with("position in Data.db: expected more than the one before, found 0"),
        "{said_of}"
    );
}

#[test]
fn an_index_db_that_is_cut_off_ends_the_job_or_is_counted() {
    let files = cassandra("wide_many", "oa", 1).files;
    let whole = files.part(Part::Index);
    let (mut errors, mut counted) = (0, 0);
    for cut in (1..whole.len()).step_by(97) {
        let damaged = files.with(Part::Index, &whole[..cut]);
        match try_build(&damaged.table(), to("da"), 1 << 20) {
            Err(error) => {
                assert!(error.starts_with("Index.db, offset "), "{error}");
                errors += 1;
            }
            // Cut between two entries: Statistics.db knows how many there were.
            Ok(twin) => {
                let found = twin.report.partitions;
                let short = Assumption::OtherCount { found, counted: 250 };
                assert!(twin.report.assumptions.contains(&short), "{:?}", twin.report);
                counted += 1;
            }
        }
    }
    assert!(errors > 100, "{errors} and {counted}");
    let first = IndexWalk::new(files.set.version.formats().index);
    let mut ends = Vec::new();
    let mut walk = first;
    walk.run(&whole, 3, |head, _| {
        ends.push(head.end());
        ControlFlow::Continue(())
    })
    .unwrap();
    let damaged = files.with(Part::Index, &whole[..ends[2].0 as usize]);
    let twin = build(&damaged.table(), to("da"));
    assert_eq!(twin.report.assumptions, [Assumption::OtherCount { found: 3, counted: 250 }]);
}

/// A flipped bit in a chunk of Data.db fails its checksum; where the keys and blocks are elsewhere, nothing is read of it.
#[test]
fn a_flipped_bit_in_data_db_is_met_where_it_is_read() {
    for (name, from) in [("wide_many", "da"), ("range_tombstones", "da"), ("p1000", "oa")] {
        let files = cassandra(name, from, 1).files;
        let mut bytes = files.part(Part::Data).to_vec();
        let at = bytes.len() / 2;
        bytes[at] ^= 4;
        let damaged = files.with(Part::Data, &bytes);
        if from == "da" {
            let said = said(&damaged, to("oa"));
            assert!(said.starts_with("Data.db, offset ") && said.contains("checksum"), "{said}");
        } else {
            let real = cassandra(name, "da", 1).files;
            let twin = build(&damaged.table(), to("da"));
            assert_eq!(difference(file(&twin, Part::Partitions), &real, Part::Partitions), None);
        }
        let blocks = TwinOptions { block_bytes: Some(2000), ..to("oa") };
        let said = said(&damaged, blocks);
        assert!(said.starts_with("Data.db, offset ") && said.contains("checksum"), "{said}");
    }
}

/// Without checksums a key that is damaged is told from the trie's byte of its hash, from Rows.db, or from its order.
#[test]
fn damaged_keys_in_data_db_without_checksums_are_met() {
    let files = cassandra("two_partitions", "da", 1).files.without(Part::Crc);
    let data = files.part(Part::Data);
    let mut bytes = data.to_vec();
    bytes[3] ^= 1;
    let said_of = said(&files.with(Part::Data, &bytes), to("oa"));
    assert!(
        said_of.starts_with(
            "Data.db, offset 0 (page 0 + 0), partition key: expected one with hash byte"
        ),
        "{said_of}"
    );
    let files = cassandra("range_tombstones", "da", 1).files.without(Part::Crc);
    let mut bytes = files.part(Part::Data).to_vec();
    // The key of the first partition, which is wide.
    bytes[5] ^= 1;
    let said_of = said(&files.with(Part::Data, &bytes), to("oa"));
    assert!(said_of.contains("partition key: expected"), "{said_of}");
    assert!(said_of.contains("as Rows.db has it, found"), "{said_of}");
}

#[test]
fn unsorted_keys_in_data_db_are_named() {
    // From the rows alone nothing else tells.
    let files = cassandra("two_partitions", "da", 1).files.without(Part::Crc);
    let table = files.table();
    let (format, mut reader) = (table.row_format().unwrap(), table.data_reader().unwrap());
    let (first, ..) = reader.partition_head(&format, triescope_core::pos::DataPos(0)).unwrap();
    let data = files.part(Part::Data);
    let second = data.windows(6).skip(1).position(|at| at[..2] == [0, 4] && at[2..] != first[..]);
    let second = second.unwrap() + 1;
    let mut bytes = data.to_vec();
    let key = data[second + 2..second + 6].to_vec();
    bytes[2..6].copy_from_slice(&key);
    bytes[second + 2..second + 6].copy_from_slice(&first);
    let damaged = files.with(Part::Data, &bytes);
    let blocks = TwinOptions { block_bytes: Some(4096), ..to("oa") };
    let said_of = said(&damaged, blocks);
    let hex = |key: &[u8]| key.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(
        said_of,
        format!(
            "Data.db, offset {second} (page 0 + {second}), partition key: expected one that sorts after {}, the one before, found {}",
            hex(&key),
            hex(&first)
        )
    );
}

#[test]
fn blocks_that_do_not_lie_where_the_rows_do_are_named() {
    // The table's rows are those of another one with the same types.
    let files = cassandra("wide_int", "da", 1).files;
    let mut bytes = files.part(Part::Rows).to_vec();
    // The payload of some leaf: its offset.
    bytes[1] ^= 1;
    let said_of = said(&files.with(Part::Rows, &bytes), to("oa"));
    assert!(
        said_of.contains("start of a row block: expected the start of a row or marker")
            || said_of.contains("block offset"),
        "{said_of}"
    );
    // With the blocks of the same file nothing is read that could tell, but they still ascend.
    let twin = try_build(&files.with(Part::Rows, &bytes).table(), to("da"), 1 << 20);
    if let Err(error) = twin {
        assert!(error.contains("block offset"), "{error}");
    }
}

/// Whatever the bytes are, a job ends: with files, or with a sentence.
#[test]
fn random_damage_ends_every_job() {
    let mut random = Random::new(5);
    let (mut errors, mut files_made) = (0, 0);
    let subjects = [
        ("wide_many", "da", Part::Partitions),
        ("wide_many", "da", Part::Rows),
        ("wide_static", "oa", Part::Index),
        ("wide_text", "da", Part::Data),
        ("range_tombstones", "nb", Part::Data),
        ("range_tombstones", "oa", Part::Index),
        ("wide_many", "oa", Part::Statistics),
        ("p1000", "da", Part::CompressionInfo),
        ("token_edges", "da", Part::Partitions),
    ];
    for (name, from, part) in subjects {
        // Checksums would end most jobs before anything else is met.
        let files = cassandra(name, from, 1).files.without(Part::Crc);
        for round in 0..60 {
            let mut bytes = files.part(part).to_vec();
            for _ in 0..=random.below(4) {
                let at = random.below(bytes.len() as u64) as usize;
                bytes[at] ^= 1 << random.below(8);
            }
            if random.below(4) == 0 {
                bytes.truncate(random.below(bytes.len() as u64) as usize);
            }
            let damaged = files.with(part, &bytes);
            let table = damaged.table();
            for to in ["da", "oa", "mt"] {
                let block_bytes = (round % 3 == 0).then_some(1500);
                let options = TwinOptions { block_bytes, ..TwinOptions::new(target(to)) };
                if TwinPlan::new(&table, options).is_err() {
                    continue;
                }
                match try_build(&table, options, 1 << 20) {
                    Ok(_) => files_made += 1,
                    Err(error) => {
                        assert!(error.contains(", offset "), "{error}");
                        errors += 1;
                    }
                }
            }
        }
    }
    assert!(errors > 200 && files_made > 200, "{errors} errors, {files_made} twins");
}
