//! One partition of many rows, made as ScyllaDB writes it: its index in one format is the twin of that in the other. Maker and
//! twin have nothing in common but the writers.

use crate::build::{build, difference, file, target};
use crate::common::InMemory;
use triescope_core::make::{Progress, Wide, WideJob};
use triescope_core::table::{Version, group};
use triescope_core::twin::{BuiltFrom, TwinOptions};

fn make(version: &str, rows: u32, block_bytes: u32) -> InMemory {
    let wide = Wide { version: Version::new(version.as_bytes()).unwrap(), rows, block_bytes };
    let mut job = WideJob::new(wide, |_| Vec::new()).unwrap();
    while job.step(10_000).unwrap() != Progress::Finished {}
    let made = job.finish().unwrap();
    let names: Vec<_> =
        made.iter().map(|(part, bytes)| (wide.file_name(*part), bytes.len() as u64)).collect();
    let set = group(names.iter().map(|(name, bytes)| (name.as_str(), *bytes))).sets.remove(0);
    InMemory { folder: "made".into(), set, bytes: made.into_iter().collect() }
}

#[test]
fn the_twin_of_a_made_table_is_the_other_made_table() {
    // The last one has 50,000 blocks, whose promoted index is too long to wait.
    for (rows, block_bytes) in [(5, 1 << 10), (3000, 1 << 10), (3000, 64 << 10), (200_000, 1 << 10)]
    {
        let [ms, mt, me] = ["ms", "mt", "me"].map(|version| make(version, rows, block_bytes));
        for (source, to, real) in
            [(&ms, "me", &me), (&mt, "me", &me), (&me, "mt", &mt), (&me, "ms", &ms)]
        {
            let table = source.table();
            let options = TwinOptions::new(target(to));
            let twin = build(&table, options);
            // With blocks formed again of the rows alone, too.
            let block_bytes = Some(block_bytes.into());
            let formed = build(&table, TwinOptions { block_bytes, ..options });
            assert!(matches!(formed.report.from, BuiltFrom::Data { .. }));
            for part in target(to).parts() {
                let name = format!("{rows} rows, {block_bytes:?}, {to} {:?}", twin.report);
                assert_eq!(difference(file(&twin, part), real, part), None, "{name}");
                assert_eq!(difference(file(&formed, part), real, part), None, "{name}");
            }
            assert_eq!(twin.report.partitions, 1);
        }
    }
}
