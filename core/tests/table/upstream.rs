//! Other people's files, of all versions: each set opens, and the field cases that opening answers.

use crate::common::{InMemory, folders, upstream};
use std::collections::BTreeMap;
use triescope_core::keys::{Partitioner, Token, murmur3};
use triescope_core::table::{Count, IndexKind, Part, Problem, Table};

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
            let broken = ["badtoc", "empty_index"].iter().any(|it| files.folder.ends_with(it));
            assert!(!damaged || broken, "{name}: {problem:?}");
        }
        if table.version().is_read() {
            let statistics = table.statistics.as_ref().unwrap();
            let header = statistics.header.as_ref().unwrap();
            assert_eq!(
                header.clustering_types.len(),
                table.facts.clustering.as_ref().unwrap().len()
            );
            assert!(statistics.partitions().unwrap() > 0, "{name}");
            assert_eq!(table.readable_index(), files.set.version.index(), "{name}");
        }
    });
    let versions = ["bb", "da", "ma", "mb", "mc", "md", "me", "ms", "mt", "na", "nb", "nc", "oa"];
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
