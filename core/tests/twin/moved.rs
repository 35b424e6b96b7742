//! Between versions whose Data.db differs: the rows are written anew in the form of the other version, so that positions are
//! those of the real files, and the index is built over them. Then it is the real one, byte for byte.

use crate::build::{build, difference, file, target};
use crate::common::{InMemory, all_cassandra, cassandra};
use crate::made::{make, opened};
use triescope_core::big::SampleRule;
use triescope_core::table::IndexKind;
use triescope_core::twin::TwinOptions;

/// Their rows were not the same in all runs of Cassandra: counters have new shard names and list cells new paths.
const OTHER_ROWS: [&str; 2] = ["counters", "all_types_val"];

/// The size that the blocks of an SSTable were formed with, as they tell; where it has none, any will do.
fn block_bytes(files: &InMemory) -> u64 {
    let table = files.table();
    let to = match table.readable_index() {
        Some(IndexKind::Trie) => "oa",
        _ => "da",
    };
    let report = build(&table, TwinOptions::new(target(to))).report;
    report.block_size.map_or(64 << 10, |size| size.likely())
}

/// The index of a set in another version, against the real one: what differs, and how many files were compared.
fn compare(from: &str, to: &str) -> (usize, Vec<String>) {
    let (mut compared, mut wrong) = (0, Vec::new());
    for source in all_cassandra(from) {
        let (name, _) = source.name.split_once('/').unwrap();
        if OTHER_ROWS.contains(&name) || name == "after_2038" || source.is_index_only() {
            continue;
        }
        let generation = source.files.set.generation.to_string().parse().unwrap();
        let folder = crate::common::testdata().join(name).join(to);
        if !folder.is_dir() {
            continue;
        }
        let real = cassandra(name, to, generation).files;
        let (files, _) = make(&source.files.table(), to, 1 << 20).unwrap();
        let moved = opened(to, &files);
        // Of a trie this is in no input.
        let interval = if name == "p5k_uuid" { 32 } else { 128 };
        let options = TwinOptions {
            block_bytes: Some(block_bytes(&source.files)),
            samples: Some(SampleRule::Every(interval)),
            ..TwinOptions::new(target(to))
        };
        let twin = build(&moved.table(), options);
        for part in target(to).parts() {
            compared += usize::from(real.bytes.contains_key(&part));
            if let Some(difference) = difference(file(&twin, part), &real, part) {
                wrong.push(format!("{name}: {difference}"));
            }
        }
    }
    (compared, wrong)
}

#[test]
fn the_index_of_nb_rows_written_as_da_is_the_real_one() {
    let (compared, wrong) = compare("nb", "da");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(compared, 110);
}

#[test]
fn the_index_of_nb_rows_written_as_oa_is_the_real_one() {
    let (compared, wrong) = compare("nb", "oa");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(compared, 110);
}

#[test]
fn the_index_of_da_and_oa_rows_written_as_nb_is_the_real_one() {
    for from in ["da", "oa"] {
        let (compared, wrong) = compare(from, "nb");
        assert!(wrong.is_empty(), "{from}: {}", wrong.join("\n"));
        assert_eq!(compared, 110);
    }
}
