//! Real indexes again from their own SSTable: from the index itself, and from Data.db alone, with the blocks formed again.

use crate::build::{build, difference, file, target, try_build};
use crate::common::{InMemory, all_cassandra, folders, upstream};
use triescope_core::big::SampleRule;
use triescope_core::table::{Problem, Table};
use triescope_core::twin::{Target, TwinOptions};

/// Rebuilds the index of an SSTable from it, and says what differs.
fn again(files: &InMemory, options: TwinOptions, wrong: &mut Vec<String>, name: &str) -> usize {
    let table = files.table();
    let samples = table.summary.as_ref().map(|summary| match table.is_written_by_scylla() {
        true => SampleRule::Scylla,
        false => SampleRule::Every(summary.header.min_index_interval),
    });
    let twin = build(&table, TwinOptions { samples, ..options });
    let mut compared = 0;
    for part in options.target.parts() {
        compared += usize::from(files.bytes.contains_key(&part));
        if let Some(difference) = difference(file(&twin, part), files, part) {
            wrong.push(format!("{name}: {difference}, {}", twin.report.from));
        }
    }
    compared
}

fn own(table: &Table<&[u8]>) -> Option<TwinOptions> {
    Target::new(table.version()).map(TwinOptions::new)
}

#[test]
fn an_index_of_cassandra_comes_out_of_itself() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for version in ["da", "oa", "nb"] {
        for expected in all_cassandra(version) {
            if expected.is_index_only() && version == "da" {
                continue;
            }
            let options = TwinOptions::new(target(version));
            compared += again(&expected.files, options, &mut wrong, &expected.name);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared >= 350, "{compared} files");
}

#[test]
fn an_index_of_cassandra_comes_out_of_data_db_at_its_block_size() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for version in ["da", "oa", "nb"] {
        for expected in all_cassandra(version) {
            if expected.is_index_only() {
                continue;
            }
            let bytes = expected.json["column_index_size"].as_u64();
            let block_bytes = Some(bytes.unwrap_or_else(|| panic!("{}", expected.name)));
            let options = TwinOptions { block_bytes, ..TwinOptions::new(target(version)) };
            compared += again(&expected.files, options, &mut wrong, &expected.name);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared >= 350, "{compared} files");
}

/// SSTables of other people that can be read: all but those that are damaged on purpose.
fn others(origin: &str, versions: &[&str]) -> Vec<(String, InMemory)> {
    let Some(all) = upstream(origin) else { return Vec::new() };
    let mut found = Vec::new();
    for folder in folders(&all) {
        for files in InMemory::folder(&folder) {
            let table = files.table();
            let damaged = |problem: &Problem| matches!(problem, Problem::Damaged(_));
            let known = versions.contains(&files.set.version.as_str());
            if known && !table.facts.problems.iter().any(damaged) {
                found.push((format!("{} {}", folder.display(), files.set.name()), files));
            }
        }
    }
    found
}

#[test]
fn an_index_of_scylladb_comes_out_of_itself_and_out_of_data_db() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for (name, files) in others("scylladb", &["ms", "mt"]) {
        let options = TwinOptions { filler: true, ..own(&files.table()).unwrap() };
        compared += again(&files, options, &mut wrong, &name);
        let block_bytes = Some(64 << 10);
        compared += again(&files, TwinOptions { block_bytes, ..options }, &mut wrong, &name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared >= 60 || upstream("scylladb").is_none(), "{compared} files");
}

/// Damaged on purpose, so that the rows cannot be read; each with the field that says so.
const DAMAGED: [(&str, &str); 5] = [
    ("3.x_lz4_integrity_check_invalid_checksums", "checksum of stored chunk 2"),
    ("3.x_uncompressed_integrity_check_invalid_checksums", "checksum of stored chunk 1"),
    ("broken_non_compound_pi_and_range_tombstone", "row body size: expected 12, found 0"),
    ("broken_non_compound_pi_and_range_tombstone", "row body size: expected 12, found 0"),
    ("mismatched_timestamp", "checksum of stored chunk 0"),
];

/// Summary.db says its byte order, and by the number of samples at full sampling who wrote it: neither is told elsewhere in
/// these SSTables. Written by ScyllaDB before it marked its tables, and on machines that have the highest byte first.
const OTHER_SUMMARY: [&str; 7] = [
    "3.x_uncompressed_complex_column_zero_subcolumns",
    "wrong_range_tombstone_order",
    "legacy_mc_clust_be_index_summary",
    "legacy_me_clust_be_index_summary",
    "legacy_na_clust_be_index_summary",
    "legacy_nb_clust_be_index_summary",
    "legacy_oa_clust_be_index_summary",
];

#[test]
fn other_peoples_indexes_come_out_of_data_db() {
    let (mut compared, mut wrong, mut refused) = (0, Vec::new(), Vec::new());
    let folders = [("scylladb", 64 << 10), ("kopens-lsb", 4 << 10), ("datastax", 64 << 10)];
    for (origin, bytes) in folders {
        for (name, files) in others(origin, &["mc", "md", "me", "na", "nb", "oa", "da"]) {
            let table = files.table();
            if table.data_reader().is_err() || table.data_format().is_none() {
                continue;
            }
            let block_bytes = Some(bytes);
            let options = TwinOptions { block_bytes, ..own(&table).unwrap() };
            match try_build(&table, options, 1 << 20) {
                Ok(_) => compared += again(&files, options, &mut wrong, &name),
                Err(error) => refused.push((name, error)),
            }
        }
    }
    if compared == 0 {
        return;
    }
    assert_eq!(refused.len(), DAMAGED.len(), "{refused:?}");
    for ((name, error), (folder, field)) in refused.iter().zip(DAMAGED) {
        assert!(name.contains(folder) && error.contains(field), "{name}: {error}");
    }
    assert_eq!(wrong.len(), OTHER_SUMMARY.len(), "{}", wrong.join("\n"));
    for (wrong, folder) in wrong.iter().zip(OTHER_SUMMARY) {
        assert!(wrong.contains(folder) && wrong.contains("Summary.db: "), "{wrong}");
    }
    assert!(compared >= 320, "{compared} files");
}
