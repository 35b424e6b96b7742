//! Bits of an index tried one by one: a flipped one is found, and what is left with it is what the whole file has.

use crate::common::{InMemory, cassandra};
use triescope_core::check::flip::{Repair, TrialJob, suspects};
use triescope_core::check::{CheckJob, CheckOptions, Report};
use triescope_core::pos::FilePos;
use triescope_core::table::Part;

fn flipped(files: &InMemory, part: Part, at: usize, bit: u8) -> InMemory {
    let mut bytes = files.part(part).to_vec();
    bytes[at] ^= 1 << bit;
    files.with(part, &bytes)
}

fn report(files: &InMemory) -> Report {
    let table = files.table();
    let mut job = CheckJob::new(&table, CheckOptions::default());
    while !job.step(&table, 1 << 20).unwrap().done {}
    job.into_report()
}

/// The bits that explain the first finding of a check, and how many were tried.
fn repairs(files: &InMemory, check: &str) -> (Vec<Repair>, u64) {
    let (table, report) = (files.table(), report(files));
    let finding = report.findings.iter().find(|it| it.check.id == check);
    let finding = finding.unwrap_or_else(|| panic!("{check}: {:#?}", report.findings));
    let job = TrialJob::new(&table, finding, &report.all, CheckOptions::default()).unwrap();
    let mut job = job.unwrap();
    while !job.step(&table, 50_000).unwrap().done {}
    let (tried, of) = job.tried();
    assert_eq!(tried, of);
    (job.repairs().to_vec(), tried)
}

#[test]
fn the_flipped_bit_is_the_one_that_leaves_least() {
    let cases = [
        ("p20k", "da", Part::Partitions, 32_067, 3, "trie/overlap"),
        ("wide_int", "da", Part::Rows, 6_386, 6, "rows/transitions"),
        ("p1000", "oa", Part::Index, 1_073, 0, "index/entry"),
        ("p1000", "oa", Part::Summary, 120, 4, "summary/position"),
    ];
    for (table, version, part, at, bit, check) in cases {
        let whole = cassandra(table, version, 1).files;
        let left: u64 = report(&whole).all.counts().iter().map(|(_, total)| total).sum();
        let (found, tried) = repairs(&flipped(&whole, part, at, bit), check);
        let least: Vec<_> = found.iter().filter(|it| it.left == found[0].left).collect();
        let named = |it: &Repair| (it.part, it.at.0, it.bit) == (part, at as u64, bit);
        assert!(least.iter().any(|it| named(it)), "{table} {part}: {found:#?} of {tried}");
        assert_eq!(found[0].left, left, "{table} {part}: {found:#?}");
        let byte = whole.part(part)[at];
        assert!(least.iter().all(|it| !named(it) || it.after == byte));
    }
}

#[test]
fn of_a_node_that_is_reached_twice_its_parent_is_tried_and_one_bit_explains_it() {
    let whole = cassandra("p20k", "da", 1).files;
    let files = flipped(&whole, Part::Partitions, 32_067, 3);
    let (found, tried) = repairs(&files, "trie/overlap");
    assert_eq!(found.len(), 1, "{found:#?}");
    // The parent has 187 bytes; the leaf and the one before it have 5 each.
    assert_eq!(tried, 8 * (187 + 5 + 5));
}

#[test]
fn what_is_summed_up_or_lies_nowhere_has_no_suspects() {
    let files = cassandra("p20k", "da", 1).files.without(Part::Data);
    let (table, report) = (files.table(), report(&files));
    for finding in &report.findings {
        assert_eq!(suspects(&table, finding).unwrap(), [], "{finding}");
        let job = TrialJob::new(&table, finding, &report.all, CheckOptions::default());
        assert!(job.unwrap().is_none());
    }
    assert!(!report.findings.is_empty());
    let behind = report.findings[0].clone().at(Part::Partitions, FilePos(9_999_999));
    assert_eq!(suspects(&table, &behind).unwrap(), []);
}
