//! All of other people's SSTables, opened, walked and checked, with the results kept as a table in `upstream.snapshot`.
//!
//! `BLESS=1 cargo test` rewrites the table. It holds result lines only, no bytes of the files.

use crate::common::{InMemory, folders, root, upstream};
use crate::report;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use triescope_core::big::IndexWalk;
use triescope_core::bti::PartitionIndex;
use triescope_core::check::{Findings, Severity};
use triescope_core::source::Pages;
use triescope_core::table::{IndexKind, Part};

/// SSTables that are known to be damaged or unfinished, by their folder or their whole name, and why. All others have no
/// broken finding.
const DAMAGED: &[(&str, &str)] = &[
    ("kopens-lsb/negative-local-expiration-test_table1", "expiry past 2038"),
    ("kopens-lsb/negative-local-expiration-test_table2", "expiry past 2038"),
    ("kopens-lsb/negative-local-expiration-test_table3", "expiry past 2038"),
    ("kopens-lsb/negative-local-expiration-test_table4", "expiry past 2038"),
    ("scylladb/3.x_uncompressed_read_rows_only_index", "Data.db was left out"),
    ("scylladb/3.x_uncompressed_write_wide_partitions", "Data.db was left out"),
    ("scylladb/3.x_lz4_integrity_check_invalid_checksums", "chunk 2 fails"),
    ("scylladb/3.x_lz4_integrity_check_invalid_digest", "the digest is one too high"),
    ("scylladb/3.x_uncompressed_integrity_check_invalid_checksums", "chunk 1 fails"),
    ("scylladb/3.x_uncompressed_integrity_check_invalid_digest", "the digest is one too high"),
    ("scylladb/mismatched_timestamp", "Data.db was changed by hand"),
    ("scylladb/badcompression", "nothing but TOC.txt and a damaged CompressionInfo.db"),
    ("scylladb/badtoc", "nothing but TOC.txt, of which three are damaged"),
    ("scylladb/empty_index", "Index.db is one byte"),
    ("kopens-lsb/invalid-legacy-sstables_cf_with_duplicates_3_0", "a row is there twice"),
    ("scylladb/broken_non_compound_pi_and_range_tombstone mc-1-big", "bounds of another length"),
    ("scylladb/broken_non_compound_pi_and_range_tombstone md-1-big", "bounds of another length"),
    // An early ScyllaDB wrote both, and forgot range deletions, or rows without cells, in its bounds.
    ("scylladb/3.x_uncompressed_read_range_tombstones_only_index", "no least deletion time"),
    ("scylladb/3.x_uncompressed_write_regular_and_shadowable_deletion", "a greatest deletion time"),
    ("scylladb/bad_column_name", "Data.db was changed by hand"),
    ("scylladb/broken_end_composite", "Data.db was changed by hand"),
    ("scylladb/broken_ranges", "CRC.db is that of other data"),
    ("scylladb/broken_start_composite", "Data.db was changed by hand"),
    ("scylladb/static_with_clustering", "Data.db was changed by hand"),
    ("scylladb/zero_sized_histogram", "a histogram without buckets"),
];

/// Partitions counted by a walk over the index, or why it ends early.
fn walked(files: &InMemory) -> String {
    let table = files.table();
    let mut count = 0u64;
    match table.readable_index() {
        None => "no index".to_owned(),
        Some(IndexKind::Trie) => {
            let (Some(footer), source) = (&table.footer, files.part(Part::Partitions)) else {
                return "no footer".to_owned();
            };
            let mut unheard = ();
            let pages = Pages::new(Part::Partitions, &source, &mut unheard);
            let mut leaves = PartitionIndex::new(footer).leaves(pages);
            loop {
                match leaves.next() {
                    Ok(Some(_)) => count += 1,
                    Ok(None) => return format!("{count} keys"),
                    Err(error) => return format!("{count} keys, then {error}"),
                }
            }
        }
        Some(IndexKind::Legacy) => {
            let source = files.part(Part::Index);
            match IndexWalk::new(files.set.version.formats().index).run(
                &source,
                u64::MAX,
                |_, _| {
                    count += 1;
                    std::ops::ControlFlow::Continue(())
                },
            ) {
                Ok(_) => format!("{count} keys"),
                Err(error) => format!("{count} keys, then {error}"),
            }
        }
    }
}

fn counts(findings: &Findings) -> BTreeMap<&'static str, u64> {
    findings.counts().iter().map(|(check, count)| (check.id, *count)).collect()
}

fn said(counts: &BTreeMap<&'static str, u64>) -> String {
    let words: Vec<String> = counts
        .iter()
        .map(|(id, count)| if *count == 1 { (*id).to_owned() } else { format!("{count} {id}") })
        .collect();
    if words.is_empty() { "clean".to_owned() } else { words.join(", ") }
}

#[test]
fn all_of_them_are_opened_walked_and_checked() {
    let Some(all) = upstream("") else { return };
    let (mut table, mut wrong) = (String::new(), String::new());
    let (mut sets, mut with_data) = (0, 0);
    for owner in folders(&all) {
        for folder in folders(&owner) {
            for files in InMemory::folder(&folder) {
                sets += 1;
                with_data += usize::from(files.set.has(Part::Data));
                let place = folder.strip_prefix(&all).unwrap().to_str().unwrap().to_owned();
                let name = format!("{place} {}", files.set.name());
                let (shallow, deep) = (report(&files, false), report(&files, true));
                let mut rest = counts(&deep.all);
                let first = counts(&shallow.all);
                for (id, count) in &first {
                    assert!(rest.get(id).is_some_and(|all| all >= count), "{name}: {id}");
                    if rest.get(id) == Some(count) {
                        rest.remove(id);
                    }
                }
                write!(table, "{name} | {} | {}", walked(&files), said(&first)).unwrap();
                if !rest.is_empty() {
                    write!(table, " | deep: {}", said(&rest)).unwrap();
                }
                table.push('\n');
                let known = DAMAGED.iter().any(|(it, _)| *it == place || *it == name);
                let broken = deep.all.worst() == Some(Severity::Broken);
                if known != broken {
                    let what = if known { "damage was not found" } else { "is healthy" };
                    writeln!(wrong, "{name}: {what}").unwrap();
                    for finding in deep.findings {
                        writeln!(wrong, "    {} {finding}", finding.check.id).unwrap();
                    }
                }
            }
        }
    }
    assert_eq!((sets, with_data), (274, 266));
    let path = root().join("core/tests/check/upstream.snapshot");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &table).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    for (line, (is, was)) in (1..).zip(table.lines().zip(kept.lines())) {
        assert_eq!(is, was, "upstream.snapshot, line {line}: BLESS=1 rewrites it");
    }
    assert_eq!(table.lines().count(), kept.lines().count(), "upstream.snapshot");
    assert!(wrong.is_empty(), "{wrong}");
}
