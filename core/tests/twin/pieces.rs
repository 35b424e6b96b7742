//! A twin of files that arrive page by page is that of files that are here, in steps of any size.

use crate::build::{build, file, target};
use crate::common::cassandra;
use crate::common::pieces::{Pieces, bring, until_here};
use triescope_core::error::Error;
use triescope_core::table::{Part, Table};
use triescope_core::twin::{Target, TwinJob, TwinOptions, TwinPlan};

fn check(name: &str, from: &str, options: TwinOptions, budget: u64, seed: u64) {
    let files = cassandra(name, from, 1).files;
    let whole = build(&files.table(), options);
    let parts: Vec<Pieces<'_>> =
        files.bytes.iter().map(|(part, bytes)| Pieces::new(*part, bytes, seed)).collect();
    let pieces: Vec<&Pieces<'_>> = parts.iter().collect();
    let open = || {
        let sources = pieces.iter().map(|piece| (piece.part(), *piece));
        Table::open(files.set.clone(), sources).map_err(Error::from)
    };
    let table = until_here(&pieces, open).unwrap();
    let plan = TwinPlan::new(&table, options).unwrap();
    let mut job = TwinJob::new(&table, plan, |_| Vec::new());
    let mut last = 0;
    loop {
        match job.step(&table, budget) {
            Ok(progress) if progress.is_finished => break,
            Ok(progress) => {
                // A long promoted index is read twice; these are short, so it only goes forwards.
                assert!(progress.done >= last, "{name}: {progress:?} after {last}");
                last = progress.done;
            }
            Err(Error::Miss(wanted)) => bring(&pieces, wanted),
            Err(error) => panic!("{error}"),
        }
    }
    let twin = job.finish().unwrap();
    assert_eq!(twin.report, whole.report, "{name}");
    for part in options.target.parts() {
        assert_eq!(file(&twin, part), file(&whole, part), "{name} {part}");
    }
    assert!(pieces.iter().map(|piece| piece.misses()).sum::<u64>() > 5);
}

#[test]
fn in_pieces_equals_whole() {
    let of = |version| TwinOptions::new(target(version));
    for (seed, budget) in [(1, 1), (2, 7), (3, 1 << 20)] {
        check("p1000", "da", of("oa"), budget, seed);
        check("p1000", "oa", of("da"), budget, seed);
        check("wide_many", "da", of("oa"), budget, seed);
        check("wide_many", "nb", of("mt"), budget, seed);
        check("wide_many", "da", of("da"), budget, seed);
        check("wide_static", "oa", of("da"), budget, seed);
        check("wide_text", "da", of("me"), budget, seed);
        let block_bytes = Some(700);
        check("wide_many", "oa", TwinOptions { block_bytes, ..of("da") }, budget, seed);
        check("range_tombstones", "nb", TwinOptions { block_bytes, ..of("nb") }, budget, seed);
    }
}

#[test]
fn a_dropped_job_leaves_what_it_gave_to_its_sinks() {
    // Nothing but the sinks knows what was written: there is nothing to clean up.
    let files = cassandra("wide_many", "da", 1).files;
    let table = files.table();
    let plan = TwinPlan::new(&table, TwinOptions::new(target("oa"))).unwrap();
    let mut written: [Vec<u8>; 2] = Default::default();
    {
        let [a, b] = written.each_mut();
        let mut sinks = vec![b, a];
        let mut job = TwinJob::new(&table, plan, |_| sinks.pop().unwrap());
        for _ in 0..5 {
            assert!(!job.step(&table, 50).unwrap().is_finished);
        }
        assert!(job.finish().is_none());
    }
    let whole = build(&table, TwinOptions::new(target("oa")));
    let index = file(&whole, Part::Index);
    assert!(!written[0].is_empty() && index.starts_with(&written[0]));
    assert!(written[1].is_empty());
    assert_eq!(Target::all().count(), 9);
}
