//! Damaged and incomplete SSTables: each damage is named with its component, the rest stays usable, and nothing panics.

use crate::common::{InMemory, cassandra, unhex};
use triescope_core::error::ReadError;
use triescope_core::keys::murmur3;
use triescope_core::lookup::{
    Confirmation, FilterAnswer, FilterMode, NotConfirmed, Query, ask_filter, confirm,
};
use triescope_core::meta::{Checksum, Statistics};
use triescope_core::pos::DataPos;
use triescope_core::table::{IndexKind, Part, Problem, Table};

/// The damage reported for a component.
fn damage<'t>(table: &'t Table<&[u8]>, part: Part) -> Option<&'t ReadError> {
    table.facts.problems.iter().find_map(|problem| match problem {
        Problem::Damaged(error) if error.part == part => Some(error),
        _ => None,
    })
}

fn key_at(table: &Table<&[u8]>, key: &[u8], at: u64) -> Confirmation {
    let token = table.partitioner().token(key);
    let (hash, filter) = (murmur3(key), FilterMode::Ask);
    let query =
        Query { key, token: &token, hash, comparable: &[], row: None, filter, clustering: None };
    ask_filter(table, &query, &mut ()).unwrap();
    confirm(table, &query, DataPos(at), None, &mut ()).unwrap().key
}

/// Keys and positions of the partitions that expected.json lists.
fn places(table: &str, version: &str) -> Vec<(Vec<u8>, u64)> {
    let json = cassandra(table, version, 1).json;
    let partitions = json["partitions"].as_array().unwrap().iter();
    partitions
        .map(|place| (unhex(&place["key"]).unwrap(), place["data_position"].as_u64().unwrap()))
        .collect()
}

#[test]
fn half_an_sstable_names_what_is_missing_and_opens() {
    for (version, index) in [("da", Part::Partitions), ("oa", Part::Index)] {
        let files = cassandra("wide_many", version, 1).files;
        let (key, at) = places("wide_many", version).remove(0);
        for part in files.bytes.keys() {
            let incomplete = files.without(*part);
            let table = incomplete.table();
            assert_eq!(table.facts.problems, [Problem::Missing(*part)], "{version} {part}");
            let component = table.facts.components.iter().find(|it| it.part == Some(*part));
            let listed = (*part != Part::Toc).then_some(true);
            assert_eq!(component.map(|it| (it.bytes, it.listed)), Some((None, listed)), "{part}");
            assert_eq!(table.readable_index().is_none(), *part == index, "{version} {part}");
            let confirmed = key_at(&table, &key, at) == Confirmation::Equal;
            assert_eq!(confirmed, !matches!(part, Part::Data | Part::CompressionInfo), "{part}");
        }
        let mut alone = files.clone();
        alone.bytes.retain(|part, _| *part == Part::Data);
        alone.set.files.retain(|file| file.part == Some(Part::Data));
        let table = alone.table();
        assert_eq!(table.readable_index(), None);
        assert!(table.facts.problems.contains(&Problem::Missing(index)), "{version}");
    }
}

#[test]
fn a_text_file_or_an_empty_file_under_any_name_is_reported_and_the_rest_is_usable() {
    for (name, version) in [("wide_many", "da"), ("wide_many", "oa"), ("wide_text", "nb")] {
        let files = cassandra(name, version, 1).files;
        let (key, at) = places(name, version).remove(0);
        let checked = |part: &&Part| {
            // The end of a text is not told from a row trie or from rows without a walk, and TOC.txt is a text.
            !matches!(part, Part::Rows | Part::Data | Part::Toc)
        };
        for part in files.bytes.keys().filter(checked) {
            for text in [&b"not an SSTable, but a text of more than thirty bytes"[..], b""] {
                let files = files.with(*part, text);
                let table = files.table();
                let error = damage(&table, *part).unwrap_or_else(|| panic!("{version} {part}"));
                assert!(error.at.0 <= text.len() as u64, "{error}");
                let readable = matches!(key_at(&table, &key, at), Confirmation::Equal);
                let needed = matches!(part, Part::CompressionInfo);
                assert_eq!(readable, !needed, "{version} {part}");
            }
        }
    }
}

#[test]
fn statistics_cut_at_every_length_are_reported_and_keys_become_hex() {
    for (name, version) in [("wide_mixed", "da"), ("wide_mixed", "nb")] {
        let files = cassandra(name, version, 1).files;
        let whole = files.part(Part::Statistics);
        let letters = files.set.version;
        for cut in 0..whole.len() {
            match Statistics::parse(letters, &whole[..cut]) {
                Ok(read) => assert!(!read.problems.is_empty(), "{version} {cut}"),
                Err(error) => assert!(cut < 48, "{version} {cut}: {error}"),
            }
        }
        // The serialization header comes last: without it there are no types, with the rest there is a partitioner.
        for cut in [0, 20, 100, 200, whole.len() - 1] {
            let files = files.with(Part::Statistics, &whole[..cut]);
            let table = files.table();
            assert!(damage(&table, Part::Statistics).is_some());
            assert!(!table.key_schema().is_known(), "{version} {cut}");
            assert_eq!(table.row_format(), None);
            assert_eq!(table.facts.partitioner.is_some(), cut >= 200, "{version} {cut}");
            let (key, at) = places(name, version).remove(0);
            assert_eq!(key_at(&table, &key, at), Confirmation::Equal, "{version} {cut}");
        }
    }
}

#[test]
fn every_flipped_byte_of_statistics_with_checksums_is_noticed() {
    let files = cassandra("wide_many", "oa", 1).files;
    let whole = files.part(Part::Statistics);
    for at in 0..whole.len() {
        let mut bytes = whole.to_vec();
        bytes[at] ^= 0x10;
        if let Ok(read) = Statistics::parse(files.set.version, &bytes) {
            let holds = read.checksums.iter().all(Checksum::holds);
            assert!(!read.problems.is_empty() || !holds, "{at}");
        }
    }
}

#[test]
fn compression_info_cut_at_every_length_leaves_the_chunks_usable_that_it_still_lists() {
    let files = cassandra("p1000", "da", 1).files;
    let whole = files.part(Part::CompressionInfo).to_vec();
    let places = places("p1000", "da");
    for cut in 0..whole.len() {
        let files = files.with(Part::CompressionInfo, &whole[..cut]);
        let table = files.table();
        let error = damage(&table, Part::CompressionInfo);
        assert!(error.is_some(), "{cut}: {:?}", table.facts.problems);
        for (key, at) in [places.first().unwrap(), places.last().unwrap()] {
            match key_at(&table, key, *at) {
                Confirmation::Equal => assert!(cut > 16 && table.compression.is_some(), "{cut}"),
                Confirmation::NotConfirmed(NotConfirmed::Damaged(error)) => {
                    assert_eq!(error.part, Part::CompressionInfo, "{cut}: {error}");
                }
                other => panic!("{cut}: {other:?}"),
            }
        }
    }
}

#[test]
fn a_wrong_chunk_is_reported_for_its_keys_and_no_others() {
    for name in ["p1000", "p5k_uuid", "composite_pk", "long_keys", "wide_mixed"] {
        let files = cassandra(name, "nb", 1).files;
        let table = files.table();
        let info = table.compression.as_ref().unwrap();
        let source = table.source(Part::CompressionInfo).unwrap();
        let data = files.part(Part::Data);
        let chunk = info.chunk(source, 0, data.len() as u64).unwrap();
        let end = (chunk.at.0 + chunk.stored_bytes) as usize;
        let places: Vec<_> = places_that_are_listed(name);
        for at in [0, end / 3, end - 1, end, end + 3] {
            let mut bytes = data.to_vec();
            bytes[at] ^= 1;
            let files = files.with(Part::Data, &bytes);
            let table = files.table();
            for (key, at) in &places {
                let chunk = at / u64::from(info.chunk_length);
                match key_at(&table, key, *at) {
                    Confirmation::Equal => assert!(chunk > 0, "{name}"),
                    Confirmation::NotConfirmed(NotConfirmed::Damaged(error)) => {
                        assert_eq!(error.field, "checksum of stored chunk 0", "{name}");
                        assert_eq!(error.at.0 as usize, end, "{name}");
                        assert_eq!(chunk, 0, "{name}");
                    }
                    other => panic!("{name}: {other:?}"),
                }
            }
        }
    }
}

fn places_that_are_listed(name: &str) -> Vec<(Vec<u8>, u64)> {
    let json = cassandra(name, "nb", 1).json;
    let partitions = json["partitions"].as_array().unwrap().iter();
    let place =
        |place: &serde_json::Value| Some((unhex(&place["key"])?, place["data_position"].as_u64()?));
    partitions.filter_map(place).collect()
}

#[test]
fn data_cut_at_many_lengths_never_panics_and_confirms_what_is_left() {
    for name in ["p1000", "wide_text"] {
        let files = cassandra(name, "da", 1).files;
        let whole = files.part(Part::Data).to_vec();
        let places = places(name, "da");
        for cut in (0..whole.len()).step_by(997).chain([whole.len() - 1]) {
            let files = files.with(Part::Data, &whole[..cut]);
            let table = files.table();
            for (key, at) in [places.first().unwrap(), places.last().unwrap()] {
                match key_at(&table, key, *at) {
                    Confirmation::Equal | Confirmation::NotConfirmed(NotConfirmed::Damaged(_)) => {}
                    other => panic!("{name} {cut}: {other:?}"),
                }
            }
        }
        assert_eq!(key_at(&files.table(), &places[0].0, places[0].1), Confirmation::Equal);
    }
}

#[test]
fn a_damaged_filter_is_said_and_the_lookup_goes_on() {
    let files = cassandra("p1000", "oa", 1).files;
    let whole = files.part(Part::Filter).to_vec();
    let (key, _) = places("p1000", "oa").remove(0);
    for cut in 0..whole.len() {
        let files = files.with(Part::Filter, &whole[..cut]);
        let table = files.table();
        let token = table.partitioner().token(&key);
        let (hash, filter) = (murmur3(&key), FilterMode::Ask);
        let query = Query {
            key: &key,
            token: &token,
            hash,
            comparable: &[],
            row: None,
            filter,
            clustering: None,
        };
        let step = ask_filter(&table, &query, &mut ()).unwrap();
        assert!(matches!(&step.answer, FilterAnswer::Damaged(_)), "{cut}: {step:?}");
        assert!(!step.ends_lookup());
    }
}

#[test]
fn two_files_for_one_component_and_an_unfinished_sstable_are_named() {
    let mut files = cassandra("p1000", "da", 1).files;
    files.set.twice.push(files.set.files[0].clone());
    let part = files.set.files[0].part.unwrap();
    assert_eq!(files.table().facts.problems, [Problem::Twice(part)]);
    let mut unfinished = cassandra("p1000", "da", 1).files.without(Part::Toc);
    unfinished.set.unfinished.push(files.set.files[0].clone());
    let problems = unfinished.table().facts.problems;
    assert_eq!(problems, [Problem::Missing(Part::Toc), Problem::Unfinished]);
}

#[test]
fn a_version_that_is_not_read_is_named_and_nothing_else_is_read_of_it() {
    for letters in ["ic", "hd", "zz", "jb"] {
        let mut files: InMemory = cassandra("p1000", "oa", 1).files;
        files.set.version = triescope_core::table::Version::new(letters.as_bytes()).unwrap();
        let table = files.table();
        assert_eq!(table.facts.problems, [Problem::Version(files.set.version)], "{letters}");
        assert_eq!(table.readable_index(), None);
        assert_eq!(table.facts.index, Some(IndexKind::Legacy));
        assert!(table.statistics.is_none() && table.filter.is_none());
    }
}

#[test]
fn the_identity_is_name_size_and_checksum_of_the_end_of_the_index() {
    let trie = cassandra("p20k", "da", 1).files;
    let end = &trie.part(Part::Partitions)[162_365 - 64..];
    let crc = crc32fast::hash(end);
    let identity = trie.table().facts.identity;
    assert_eq!(identity, format!("da-1-bti.162365.{:04x}", crc >> 16));
    let legacy = cassandra("p20k", "oa", 1).files;
    assert!(legacy.table().facts.identity.starts_with("oa-1-big."));
    let short = trie.with(Part::Partitions, b"abc");
    assert_eq!(short.table().facts.identity, "da-1-bti.3.3524");
    let none = trie.without(Part::Partitions);
    assert_eq!(none.table().facts.identity, "da-1-bti");
}

#[test]
fn flipped_bytes_among_the_rows_end_a_walk_and_never_panic() {
    for (name, version) in [("range_tombstones", "da"), ("all_types_val", "nb")] {
        // Without CRC.db the damage reaches the rows.
        let files = cassandra(name, version, 1).files.without(Part::Crc);
        let whole = files.part(Part::Data).to_vec();
        let (mut ended, mut reported) = (0, 0);
        for at in (0..whole.len().min(6_000)).step_by(3) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x81;
            let files = files.with(Part::Data, &bytes);
            let table = files.table();
            let format = table.row_format().unwrap();
            let mut reader = table.data_reader().unwrap();
            let head = reader.partition_head(&format, DataPos(0));
            match head.and_then(|head| reader.walk_rows(&format, head.2, 100_000)) {
                Ok(_) => ended += 1,
                Err(_) => reported += 1,
            }
        }
        assert!(ended > 0 && reported > 0, "{name}: {ended} {reported}");
    }
}
