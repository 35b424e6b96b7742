//! Twins of damaged SSTables: whatever was changed, a job ends with files or with a sentence, and in pieces as in one.

use super::input::Input;
use super::set::{CHANGES, OPENED, change};
use crate::common::pieces::{Pieces, bring, until_here};
use std::fmt::Write as _;
use triescope_core::error::Error;
use triescope_core::source::Source;
use triescope_core::table::Table;
use triescope_core::twin::{Target, TwinJob, TwinOptions, TwinPlan};

/// Block sizes that inputs choose from, beside that of the source.
const BLOCKS: [u64; 3] = [1, 1000, 1 << 40];

/// The table and its version, the target, the block size, the size of a step, then the changes.
pub fn twin(data: &[u8]) {
    let mut input = Input::new(data);
    let which = input.below(OPENED.len());
    let mut files = OPENED[which][input.below(3)].clone();
    let target = Target::all().nth(input.below(Target::all().count())).expect("a target");
    let block_bytes = BLOCKS.get(input.below(BLOCKS.len() + 1)).copied();
    let budget = 1 + u64::from(input.byte());
    let seed = input.seed();
    for _ in 0..input.below(CHANGES + 1) {
        files = change(&files, &mut input);
    }
    let options = TwinOptions { block_bytes, ..TwinOptions::new(target) };
    let whole = built(&files.table(), options, 1 << 20, &[]);
    let held: Vec<_> =
        files.bytes.iter().map(|(part, bytes)| Pieces::new(*part, bytes, seed)).collect();
    let held: Vec<&Pieces<'_>> = held.iter().collect();
    let sources = || held.iter().map(|piece| (piece.part(), *piece));
    let table = until_here(&held, || Ok(Table::open(files.set.clone(), sources())?)).unwrap();
    assert_eq!(built(&table, options, budget, &held), whole, "in pieces and whole");
}

/// What comes of it: the refusal, the damage, or the report with the bytes of the files.
fn built<S: Source>(
    table: &Table<S>,
    options: TwinOptions,
    budget: u64,
    pieces: &[&Pieces<'_>],
) -> String {
    let plan = match TwinPlan::new(table, options) {
        Ok(plan) => plan,
        Err(refusal) => return refusal.to_string(),
    };
    let mut job = TwinJob::new(table, plan, |_| Vec::new());
    let mut steps = 0;
    loop {
        match job.step(table, budget) {
            Ok(progress) if progress.is_finished => break,
            Ok(progress) => {
                assert!(progress.done <= progress.of);
                steps += 1;
                assert!(steps < 500_000, "{progress:?}");
            }
            Err(Error::Miss(wanted)) => bring(pieces, wanted),
            Err(Error::Damage(error)) => return error.to_string(),
        }
    }
    let twin = job.finish().expect("a finished job");
    let mut said = format!("{:?}", twin.report);
    for ((part, bytes), (_, counted)) in twin.files.iter().zip(twin.report.files) {
        assert_eq!(bytes.len() as u64, counted);
        let _ = write!(said, " {part} {:08x}", triescope_core::meta::crc32(bytes));
    }
    said
}

/// Each table in each version, to some targets, as it is and with changes.
pub fn twin_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for table in 0..u8::try_from(OPENED.len()).unwrap() {
        for version in 0..3 {
            let (target, blocks) = ((table + 4 * version) % 9, (table + version) % 4);
            seeds.push(vec![table, version, target, blocks, 3, 0]);
            let change = [table % 8, 4, 0, 40 + table, 0xfe];
            seeds.push([&[table, version, target, blocks, 9, 1][..], &change].concat());
        }
    }
    seeds
}
