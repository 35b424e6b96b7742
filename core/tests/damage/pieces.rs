//! Files of which nothing is here until it is missed, in an order that chance draws: a check finds the same, and lookups have
//! the same records, healthy or damaged.

use crate::common::pieces::{Pieces, bring, until_here};
use crate::common::{InMemory, testdata};
use crate::{Subject, check, find};
use triescope_core::check::{CheckJob, CheckOptions, Report};
use triescope_core::race::SplitMix64;
use triescope_core::table::{Part, Table};

/// Bytes of work in one step of a check: misses lie in the middle of steps as well as between them.
const BUDGET: u64 = 3000;

/// Hands the table over as one that arrives in pieces, with those pieces.
fn in_pieces<T>(
    files: &InMemory,
    seed: u64,
    run: impl FnOnce(&Table<&Pieces<'_>>, &[&Pieces<'_>]) -> T,
) -> T {
    let pieces: Vec<_> =
        files.bytes.iter().map(|(part, bytes)| Pieces::new(*part, bytes, seed)).collect();
    let pieces: Vec<&Pieces<'_>> = pieces.iter().collect();
    let sources = || pieces.iter().map(|piece| (piece.part(), *piece));
    let table = until_here(&pieces, || Ok(Table::open(files.set.clone(), sources())?)).unwrap();
    run(&table, &pieces)
}

/// The findings and their counts, as text.
fn said(report: &Report) -> Vec<String> {
    let findings = report.findings.iter().map(|it| format!("{}: {it} {:?}", it.check.id, it.key));
    let counts = report.all.counts().iter().map(|(check, count)| format!("{} {count}", check.id));
    findings.chain(counts).collect()
}

#[track_caller]
fn same_findings(name: &str, files: &InMemory, deep: bool, seed: u64) {
    let whole = said(&check(&files.table(), deep));
    let arrived = in_pieces(files, seed, |table, pieces| {
        let mut job = CheckJob::new(table, CheckOptions { deep });
        loop {
            match job.step(table, BUDGET) {
                Ok(progress) if progress.done => break job.into_report(),
                Ok(_) => {}
                Err(wanted) => bring(pieces, wanted),
            }
        }
    });
    assert_eq!(said(&arrived), whole, "{name}, deep: {deep}, seed {seed}");
}

/// Versions of a table of which the repository has files.
fn versions(table: &str) -> impl Iterator<Item = &'static str> {
    ["da", "oa", "nb"]
        .into_iter()
        .filter(move |version| testdata().join(table).join(version).is_dir())
}

const TABLES: [&str; 12] = [
    "p1000",
    "p5k_uuid",
    "wide_many",
    "wide_static",
    "wide_longsep",
    "range_tombstones",
    "composite_pk",
    "counters",
    "all_types_val",
    "ck_udt",
    "after_2038",
    "lsm_two",
];

#[test]
fn healthy_tables_in_pieces_are_checked_as_if_they_were_here() {
    for table in TABLES {
        for version in versions(table) {
            let subject = Subject::new(table, version);
            for deep in [false, true] {
                same_findings(&subject.name, &subject.files, deep, 7);
            }
        }
    }
}

#[test]
fn damaged_tables_in_pieces_are_checked_as_if_they_were_here() {
    let mut random = SplitMix64::new(20);
    for table in TABLES {
        for version in versions(table) {
            let subject = Subject::new(table, version);
            for seed in 0..6 {
                let mut files = subject.files.clone();
                for (part, bytes) in &mut files.bytes {
                    // Three components of four stay as they are, so that much is found out about the others.
                    if bytes.is_empty() || *part == Part::Toc || random.below(4) > 0 {
                        continue;
                    }
                    for _ in 0..=random.below(3) {
                        let at = usize::try_from(random.below(bytes.len() as u64)).unwrap();
                        bytes[at] ^= 1 << random.below(8);
                    }
                }
                same_findings(&subject.name, &files, seed % 2 == 0, seed);
            }
        }
    }
}

#[test]
fn lookups_in_pieces_have_the_records_of_files_that_are_here() {
    for table in TABLES {
        for version in versions(table) {
            let subject = Subject::new(table, version);
            for key in &subject.keys {
                for row in std::iter::once(None).chain(subject.rows.iter().map(Some)) {
                    let whole = find(&subject.files.table(), key, row);
                    let arrived = in_pieces(&subject.files, 3, |table, pieces| {
                        until_here(pieces, || {
                            let found = find(table, key, row);
                            match found.iter().find_map(|(answer, _)| answer.clone().err()) {
                                Some(error) => Err(error),
                                None => Ok(found),
                            }
                        })
                    });
                    assert_eq!(arrived.unwrap(), whole, "{} {key:x?} {row:?}", subject.name);
                }
            }
        }
    }
}
