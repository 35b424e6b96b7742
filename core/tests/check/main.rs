//! Named checks: each has a damaged twin that fires it and exactly it, and healthy files fire nothing broken.
//!
//! A file an area. A twin is a real file with the smallest mutation that breaks the rule; the test asserts all ids that
//! fire, and a comment says why others necessarily do.

#[path = "../common/mod.rs"]
mod common;

mod data;
mod deep;
mod deep_index;
mod deep_pieces;
mod files;
mod filter;
mod flip;
mod healthy;
mod index;
mod layout;
mod layout_legacy;
mod packed;
mod pieces;
mod rows;
mod statistics;
mod summary;
mod trial;
mod trie;
mod twin;
mod upstream;

use common::{InMemory, root};
use std::path::Path;
use triescope_core::check::scope::{Scope, scope};
use triescope_core::check::{CheckJob, CheckOptions, Report, catalog};

/// Bytes a job looks at in one call: small enough that most tables need several.
const BUDGET: u64 = 64 << 10;

/// All checks of a table, run to the end. What fired is said to have been made.
fn report(files: &InMemory, deep: bool) -> Report {
    let table = files.table();
    let options = CheckOptions { deep };
    let mut job = CheckJob::new(&table, options);
    while !job.step(&table, BUDGET).unwrap().done {}
    let report = job.into_report();
    for (check, _) in report.all.counts() {
        assert_eq!(scope(&table, check, options), Scope::Made, "{}", check.id);
    }
    report
}

/// The ids of the checks that fire, sorted, each once.
fn ids(files: &InMemory, deep: bool) -> Vec<&'static str> {
    let report = report(files, deep);
    let mut ids: Vec<_> = report.all.counts().iter().map(|(check, _)| check.id).collect();
    ids.sort_unstable();
    ids
}

/// The findings of one check, as lines.
fn said(files: &InMemory, deep: bool, id: &str) -> Vec<String> {
    let report = report(files, deep);
    report.findings.iter().filter(|it| it.check.id == id).map(ToString::to_string).collect()
}

/// Asserts that this check fires with these lines, and beside it these others only.
fn fires(files: &InMemory, others: &[&str], id: &str, lines: &[&str]) {
    let mut expected = [others, &[id]].concat();
    expected.sort_unstable();
    assert_eq!(ids(files, false), expected, "{:#?}", report(files, false).findings);
    assert_eq!(said(files, false, id), lines);
}

/// The text of all test files here.
fn sources(folder: &Path) -> String {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| match path.extension().and_then(|ending| ending.to_str()) {
            None => sources(&path),
            Some("rs") => std::fs::read_to_string(&path).unwrap(),
            Some(_) => String::new(),
        })
        .collect()
}

#[test]
fn every_check_is_named_by_a_twin() {
    let tests = sources(&root().join("core/tests/check"));
    let ids = catalog::ALL.iter().flat_map(|(_, checks)| checks.iter()).map(|check| check.id);
    let without: Vec<_> = ids.filter(|id| !tests.contains(*id)).collect();
    assert!(without.is_empty(), "no twin in core/tests/check: {without:?}");
}
