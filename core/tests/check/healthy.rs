//! Healthy tables: no finding is *broken*, and those of which only the index was kept miss what their TOC.txt names.

use crate::common::all_cassandra;
use crate::report;
use triescope_core::check::Severity;
use triescope_core::table::Part;

/// All findings of a table that are *broken*, with the table's name.
fn broken(version: &str, deep: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for table in all_cassandra(version) {
        for finding in report(&table.files, deep).findings {
            let absent = finding.check.id == "files/missing" && table.is_index_only();
            if finding.check.severity == Severity::Broken && !absent {
                lines.push(format!("{}: {}: {finding}", table.name, finding.check.id));
            }
        }
    }
    lines
}

#[test]
fn nothing_is_broken_in_healthy_tables() {
    for version in ["da", "oa", "nb"] {
        assert_eq!(broken(version, false), [""; 0], "{version}");
    }
}

#[test]
fn nothing_is_broken_in_healthy_tables_when_their_rows_are_read_too() {
    for version in ["da", "oa", "nb"] {
        assert_eq!(broken(version, true), [""; 0], "{version}");
    }
}

#[test]
fn a_table_of_which_only_the_index_was_kept_misses_four_components() {
    for version in ["da", "oa", "nb"] {
        for table in all_cassandra(version).filter(|table| table.is_index_only()) {
            let findings = report(&table.files, true).findings;
            let mut absent: Vec<String> = findings
                .iter()
                .map(|it| format!("{} {}", it.check.id, it.part.map_or("", Part::file_name)))
                .collect();
            absent.sort();
            assert_eq!(
                absent,
                [
                    "files/derivable Digest.crc32",
                    "files/derivable Filter.db",
                    "files/missing CompressionInfo.db",
                    "files/missing Data.db"
                ],
                "{}",
                table.name
            );
        }
    }
}
