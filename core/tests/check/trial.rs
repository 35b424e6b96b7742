//! Bits of an index tried one by one: a flipped one is found, and what is left with it is what the whole file has.

use crate::common::{InMemory, cassandra, root};
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

/// A damaged sample of the gallery.
#[derive(Debug)]
struct Damaged {
    table: String,
    file: String,
    /// A byte and its bit, or the bytes that are kept.
    harm: Result<(usize, u8), usize>,
    finds: String,
    is_deep: bool,
}

/// Those that `static/samples/manifest.toml` lists.
fn damaged_samples() -> Vec<Damaged> {
    let manifest = std::fs::read_to_string(root().join("static/samples/manifest.toml")).unwrap();
    let text = |of: &str, name: &str| {
        let (_, rest) = of.split_once(&format!("{name} = \""))?;
        rest.split_once('"').map(|(text, _)| text.to_owned())
    };
    let number = |of: &str, name: &str| -> Option<usize> {
        let (_, rest) = of.split_once(&format!(" {name} = "))?;
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    let samples = manifest.split("[[sample]]").skip(1).filter(|it| it.contains("\ndamage = "));
    let one = |of: &str| Damaged {
        table: text(of, "\ntable").unwrap(),
        file: text(of, "file").unwrap(),
        harm: match number(of, "keep") {
            Some(keep) => Err(keep),
            None => Ok((number(of, "at").unwrap(), number(of, "bit").unwrap() as u8)),
        },
        finds: text(of, "\nfinds").unwrap(),
        is_deep: of.contains("\ndeep = true"),
    };
    samples.map(one).collect()
}

#[test]
fn every_damaged_sample_is_found_by_its_check_and_its_bit_is_named() {
    let samples = damaged_samples();
    assert!(samples.len() >= 4, "{samples:#?}");
    for sample in samples {
        let Damaged { table, file, harm, finds, is_deep } = &sample;
        let part = Part::from_file_name(file.rsplit('-').next().unwrap()).unwrap();
        let whole = cassandra(table, &file[..2], 1).files;
        let files = match *harm {
            Ok((at, bit)) => flipped(&whole, part, at, bit),
            Err(keep) => whole.with(part, &whole.part(part)[..keep]),
        };
        assert!(crate::ids(&files, *is_deep).contains(&finds.as_str()), "{sample:?}");
        assert!(!crate::ids(&whole, *is_deep).contains(&finds.as_str()), "{sample:?}");
        let Ok((at, bit)) = *harm else { continue };
        if part == Part::Data {
            let found = super::flip::flips(&files);
            let named = found.faults.iter().flat_map(|fault| &fault.candidates);
            let named: Vec<_> = named.map(|it| (it.part, it.at.0 as usize, it.bit)).collect();
            assert_eq!(named, [(part, at, Some(bit))], "{sample:?}");
            continue;
        }
        let left: u64 = report(&whole).all.counts().iter().map(|(_, total)| total).sum();
        let (found, tried) = repairs(&files, finds);
        assert_eq!(found[0].left, left, "{sample:?}: {found:#?} of {tried}");
        let best: Vec<_> = found.iter().filter(|it| it.left == left).collect();
        let named = best.iter().find(|it| (it.part, it.at.0 as usize, it.bit) == (part, at, bit));
        let named = named.unwrap_or_else(|| panic!("{sample:?}: {found:#?} of {tried}"));
        assert_eq!(named.after, whole.part(part)[at], "{sample:?}");
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
