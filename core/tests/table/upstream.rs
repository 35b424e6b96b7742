//! Other people's files, of all versions: each set opens, and the field cases that opening answers.

use crate::common::{InMemory, folders, upstream};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use triescope_core::big::IndexWalk;
use triescope_core::data::Walked;
use triescope_core::keys::{Partitioner, Token, murmur3};
use triescope_core::lookup::{Confirmation, FilterMode, NotConfirmed, Query, confirm};
use triescope_core::pos::DataPos;
use triescope_core::table::{Count, DataForm, IndexKind, Part, Problem, Table};

/// Calls `check` with every SSTable of every folder.
fn each(mut check: impl FnMut(&InMemory, &Table<&[u8]>)) {
    for owner in ["datastax", "kopens-lsb", "samueldlightfoot", "scylladb"] {
        let Some(owner) = upstream(owner) else { return };
        for folder in folders(&owner) {
            for files in InMemory::folder(&folder) {
                check(&files, &files.table());
            }
        }
    }
}

/// Folders with a component that is broken on purpose.
const BROKEN: [&str; 4] = ["badcompression", "badtoc", "empty_index", "zero_sized_histogram"];

/// The SSTable of a folder whose name begins so: `one("scylladb/counter_test", "ms-5")`.
fn one(folder: &str, name: &str) -> Option<InMemory> {
    let files = InMemory::folder(&upstream(folder)?);
    let found = files.into_iter().find(|files| files.set.name().starts_with(name));
    Some(found.unwrap_or_else(|| panic!("{folder} has no {name}")))
}

#[test]
fn every_set_of_every_version_that_is_read_opens_without_damage() {
    let mut opened: BTreeMap<String, u32> = BTreeMap::new();
    each(|files, table| {
        let name = format!("{} {}", files.folder.display(), files.set.name());
        *opened.entry(files.set.version.to_string()).or_default() += 1;
        let version = Problem::Version(files.set.version);
        assert_eq!(table.facts.problems.contains(&version), !files.set.version.is_read(), "{name}");
        for problem in &table.facts.problems {
            let damaged = matches!(problem, Problem::Damaged(_));
            let broken = BROKEN.iter().any(|it| files.folder.ends_with(it));
            assert!(!damaged || broken, "{name}: {problem:?}");
        }
        let statistics = table.statistics.as_ref().filter(|_| table.version().is_read());
        if table.version().formats().data == DataForm::Cells {
            let partitions = statistics.and_then(|statistics| statistics.partitions());
            let known = BROKEN.iter().any(|it| files.folder.ends_with(it));
            assert!(partitions > Some(0) || known, "{name}");
            assert!(statistics.is_none_or(|statistics| statistics.header.is_none()), "{name}");
        } else if let Some(statistics) = statistics {
            let header = statistics.header.as_ref().unwrap();
            assert_eq!(
                header.clustering_types.len(),
                table.facts.clustering.as_ref().unwrap().len()
            );
            assert!(statistics.partitions().unwrap() > 0, "{name}");
            assert_eq!(table.readable_index(), files.set.version.index(), "{name}");
        }
    });
    let versions =
        ["bb", "da", "ka", "la", "ma", "mb", "mc", "md", "me", "ms", "mt", "na", "nb", "nc", "oa"];
    for version in versions.into_iter().filter(|_| !opened.is_empty()) {
        assert!(opened[version] >= 3, "{version}: {opened:?}");
    }
}

#[test]
fn f10_the_kind_of_index_does_not_follow_from_the_word_big() {
    for (folder, name, kind) in [
        ("scylladb/counter_test", "ms-5-big", IndexKind::Trie),
        ("scylladb/counter_test", "me-5-big", IndexKind::Legacy),
        ("kopens-lsb/legacy_da_simple", "da-", IndexKind::Trie),
        ("kopens-lsb/legacy_oa_simple", "oa-", IndexKind::Legacy),
        ("kopens-lsb/legacy_me_clust", "me-", IndexKind::Legacy),
    ] {
        let Some(files) = one(folder, name) else { return };
        assert_eq!(files.table().facts.index, Some(kind), "{folder} {name}");
    }
    let Some(dse) = one("datastax/bb_keyvalue", "bb-1-bti") else { return };
    let facts = dse.table().facts;
    assert_eq!((facts.index, facts.partitions), (Some(IndexKind::Trie), Some(Count::Exact(27))));
    assert_eq!((facts.root.unwrap().0, facts.key_types), (168, vec!["bigint".to_owned()]));
}

#[test]
fn f30_another_partitioner_is_read_from_statistics() {
    let Some(random) = one("scylladb/3.x_uncompressed_random_partitioner", "mc-1") else { return };
    let table = random.table();
    assert_eq!(table.facts.partitioner, Some(Partitioner::Random));
    let (first, last) = table.facts.ends.clone().unwrap();
    let token = |key: &[u8]| table.partitioner().token(key);
    assert_eq!(token(&first), Token::Random(19_580_090_105_725_936_846_312_850_328_329_299_579));
    assert_eq!(token(&last), Token::Random(117_356_732_921_465_116_845_890_410_746_976_120_467));
    let Some(ordered) = one("kopens-lsb/legacy_da_simple", "da-") else { return };
    let table = ordered.table();
    assert_eq!(table.facts.partitioner, Some(Partitioner::ByteOrdered));
    assert_eq!(table.partitioner().token(b"0"), Token::Key);
}

#[test]
fn f32_numbers_and_uuids_in_one_folder_are_two_sstables() {
    let Some(folder) = upstream("kopens-lsb/legacy_nb_simple") else { return };
    let sets = InMemory::folder(&folder);
    let names: Vec<_> = sets.iter().map(|files| files.set.name()).collect();
    assert_eq!(names, ["nb-3gll_1kke_3qdyo2i4kzfpt3cqcy-big", "nb-400-big"]);
    let uuid = sets[0].set.generation.uuid().unwrap();
    assert_eq!(uuid, "3c11af30-acfd-11ef-a4a0-cf1eaefbd772");
    assert!(sets.iter().all(|files| files.table().facts.problems.is_empty()));
}

#[test]
fn f18_a_missing_summary_is_named_and_the_rest_is_usable() {
    let Some(files) = one("scylladb/3.x_uncompressed_read_missing_summary", "mc-1") else { return };
    let table = files.table();
    assert_eq!(table.facts.problems, [Problem::Missing(Part::Summary)]);
    assert_eq!(table.readable_index(), Some(IndexKind::Legacy));
}

#[test]
fn an_index_of_one_byte_is_reported_and_the_rest_is_usable() {
    let Some(files) = one("scylladb/empty_index", "mc-36") else { return };
    let facts = files.table().facts;
    let said: Vec<_> = facts
        .problems
        .iter()
        .map(|problem| match problem {
            Problem::Damaged(error) => error.to_string(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        said,
        ["Index.db, offset 0 (page 0 + 0), key length: expected 2 more bytes, found 1"]
    );
    assert!(facts.ends.is_some() && !facts.key_types.is_empty());
}

#[test]
fn f06_rows_of_four_strange_bytes_are_no_row_index() {
    for (folder, name, rows) in [
        ("scylladb/counter_test", "ms-5", false),
        ("scylladb/large_partition", "mt-3", true),
        ("kopens-lsb/legacy_da_simple", "da-", false),
    ] {
        let Some(files) = one(folder, name) else { return };
        let facts = files.table().facts;
        assert_eq!(facts.has_row_index, rows, "{folder}");
        assert_eq!(facts.problems, [], "{folder}");
    }
}

#[test]
fn the_first_and_the_last_key_are_in_the_filter_of_every_set_also_of_pre_release_na() {
    let mut asked = 0;
    each(|files, table| {
        let (Some(filter), Some((first, last))) = (table.filter, &table.facts.ends) else { return };
        for key in [first, last] {
            let tested = filter.test(table.source(Part::Filter).unwrap(), murmur3(key)).unwrap();
            let name = format!("{} {}", files.folder.display(), files.set.name());
            assert!(tested.iter().all(|bit| bit.set), "{name}: {tested:?}");
            asked += 1;
        }
    });
    assert!(asked == 0 || asked > 200, "{asked}");
}

/// Walks all partitions of Data.db and counts them.
fn walk(table: &Table<&[u8]>) -> Result<u64, String> {
    let format = table.row_format().unwrap();
    let mut reader = table.data_reader().map_err(|why| format!("{why:?}"))?;
    let (mut at, mut partitions) = (DataPos(0), 0);
    while at.0 < reader.len() {
        let head = reader.partition_head(&format, at).map_err(|error| error.to_string())?;
        match reader.walk_rows(&format, head.2, 1 << 40).map_err(|error| error.to_string())? {
            Walked::End(next) => at = next,
            Walked::At(at) => return Err(format!("not at its end at {at}")),
        }
        partitions += 1;
    }
    Ok(partitions)
}

#[test]
fn all_rows_of_every_version_are_walked_to_the_end_and_damage_is_named() {
    let mut walked = 0;
    let mut damaged = Vec::new();
    each(|files, table| {
        let rows = table.version().formats().data == DataForm::Rows && table.version().is_read();
        if !rows || !files.set.has(Part::Data) {
            return;
        }
        let folder = files.folder.file_name().unwrap().to_str().unwrap();
        match walk(table) {
            Ok(partitions) => {
                walked += 1;
                let counted = table.statistics.as_ref().unwrap().partitions();
                assert_eq!(counted, Some(partitions), "{folder} {}", files.set.name());
            }
            Err(error) => damaged.push(format!("{folder} {}: {error}", files.set.name())),
        }
    });
    if walked == 0 {
        return;
    }
    assert!(walked > 170, "{walked}");
    let flags = "marker kind: expected 0, 1, 2, 5, 6 or 7, found 255";
    assert_eq!(
        damaged,
        [
            "3.x_lz4_integrity_check_invalid_checksums me-1-big: Data.db, offset 11842 (page 2 + 3650), checksum of stored chunk 2: expected 3ff90653, that of the chunk's bytes, found 23a2a1ff".to_owned(),
            "3.x_uncompressed_integrity_check_invalid_checksums me-1-big: Data.db, offset 65536 (page 16 + 0), checksum of stored chunk 1: expected bdd4bc26, as CRC.db says, found a32fcb73 from its bytes".to_owned(),
            // Markers with clustering values of another type than the table's: the next one begins at a wrong place.
            format!("broken_non_compound_pi_and_range_tombstone mc-1-big: Data.db, offset 43 (page 0 + 43), {flags}"),
            format!("broken_non_compound_pi_and_range_tombstone md-1-big: Data.db, offset 43 (page 0 + 43), {flags}"),
            "mismatched_timestamp mc-122-big: Data.db, offset 0 (page 0 + 0), checksum of stored chunk 0: expected f312bf50, as CRC.db says, found 06e746f4 from its bytes".to_owned(),
        ]
    );
}

/// Positions of the partitions in Data.db and whether the key there is confirmed.
fn confirmed(table: &Table<&[u8]>) -> Vec<(u64, Confirmation)> {
    let mut found = Vec::new();
    let index = table.source(Part::Index).unwrap();
    let mut walk = IndexWalk::new(table.version().formats().index);
    walk.run(index, u64::MAX, |head, bytes| {
        let key = head.key(bytes);
        let token = table.partitioner().token(key);
        let (hash, filter) = (murmur3(key), FilterMode::Ask);
        let query = Query {
            key,
            token: &token,
            hash,
            comparable: &[],
            row: None,
            filter,
            clustering: None,
        };
        let step = confirm(table, &query, head.data, None, &mut ()).unwrap();
        found.push((head.data.0, step.key));
        ControlFlow::Continue(())
    })
    .unwrap();
    found
}

#[test]
fn f33_only_the_keys_in_the_damaged_chunk_are_not_confirmed() {
    for (folder, length, damaged, keys) in [
        ("3.x_lz4_integrity_check_invalid_checksums", 21_532, 8_192..12_288, (6, 34)),
        ("3.x_uncompressed_integrity_check_invalid_checksums", 69_881, 65_536..131_072, (5, 115)),
    ] {
        let Some(files) = one(&format!("scylladb/{folder}"), "me-1") else { return };
        let table = files.table();
        assert_eq!(table.facts.data_length, Some(length), "{folder}");
        let (mut bad, mut good) = (0, 0);
        for (at, key) in confirmed(&table) {
            match key {
                Confirmation::Equal => good += 1,
                Confirmation::NotConfirmed(NotConfirmed::Damaged(error)) => {
                    assert!(damaged.contains(&at), "{folder} {at}: {error}");
                    assert!(error.field.starts_with("checksum of stored chunk"), "{error}");
                    bad += 1;
                }
                other => panic!("{folder} {at}: {other:?}"),
            }
        }
        assert_eq!((bad, good), keys, "{folder}");
    }
}

#[test]
fn data_of_dse_is_not_decoded_and_says_so() {
    let Some(files) = one("datastax/bb_keyvalue", "bb-1-bti") else { return };
    let table = files.table();
    let key = table.facts.ends.clone().unwrap().0.into_vec();
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
    let step = confirm(&table, &query, DataPos(0), None, &mut ()).unwrap();
    assert_eq!(step.key, Confirmation::NotConfirmed(NotConfirmed::Version));
}
