//! A deep check of files that arrive page by page says what it says of files that are here, once each.

use crate::common::pieces::Pieces;
use crate::common::{InMemory, cassandra};
use crate::deep::{changed, rows};
use crate::report;
use std::collections::BTreeMap;
use triescope_core::check::{CheckJob, CheckOptions};
use triescope_core::table::{Part, Table};

/// Bytes that are looked at in one call.
const BUDGET: u64 = 10_000;

fn lines(files: &InMemory) -> Vec<String> {
    report(files, true).findings.iter().map(|it| format!("{}: {it}", it.check.id)).collect()
}

fn in_pieces(files: &InMemory, seed: u64) -> Vec<String> {
    let pieces: BTreeMap<Part, Pieces<'_>> =
        files.bytes.iter().map(|(part, bytes)| (*part, Pieces::new(*part, bytes, seed))).collect();
    let table = loop {
        match Table::open(files.set.clone(), pieces.iter().map(|(part, it)| (*part, it))) {
            Ok(table) => break table,
            Err(miss) => pieces[&miss.part].bring(miss),
        }
    };
    let mut job = CheckJob::new(&table, CheckOptions { deep: true });
    loop {
        match job.step(&table, BUDGET) {
            Ok(progress) if progress.done => break,
            Ok(_) => {}
            Err(miss) => pieces[&miss.part].bring(miss),
        }
    }
    job.into_report().findings.iter().map(|it| format!("{}: {it}", it.check.id)).collect()
}

#[test]
fn in_pieces_a_deep_check_says_the_same() {
    for version in ["da", "oa", "nb"] {
        for (table, seed) in [("range_tombstones", 1), ("wide_mixed", 2), ("p1000", 3)] {
            let files = cassandra(table, version, 1).files;
            assert_eq!(in_pieces(&files, seed), lines(&files), "{table}/{version}");
        }
        let files = cassandra("range_tombstones", version, 1).files;
        let all = rows(&files);
        let cell = all.iter().rfind(|row| !row.columns.is_empty()).unwrap().columns[0].cells[0].at;
        let files = changed(&files, |data| {
            // A row out of order, a block with other bounds, and a partition that cannot be read to its end.
            data[usize::try_from(all[500].at.0).unwrap() + 2] ^= 0x40;
            data[usize::try_from(cell.0).unwrap()] = 0xff;
        });
        let said = lines(&files);
        assert!(said.len() > 1, "{said:?}");
        assert_eq!(in_pieces(&files, 7), said, "{version}");
    }
}
