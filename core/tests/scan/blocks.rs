//! Row blocks of wide partitions against Cassandra's own.

use super::common::{all_cassandra, unhex};
use super::{all, key};
use triescope_core::scan::{BlockRows, BlockScan, Order, RowBlock, RowIndexed};

#[test]
fn blocks_are_those_of_cassandra() {
    let mut compared = 0;
    for version in ["da", "oa", "nb"] {
        for files in all_cassandra(version) {
            let Some(listed) = files.json["blocks"].as_array() else { continue };
            let table = files.files.table();
            let wide = all(&table, None, Order::Forward)
                .into_iter()
                .filter(|it| it.rows != RowIndexed::No);
            for (partition, expected) in wide.zip(listed) {
                let mut scan = BlockScan::new(&table, &partition).unwrap().unwrap();
                let mut found: Vec<RowBlock> = Vec::new();
                while let Some(block) = scan.step().unwrap() {
                    found.push(block);
                }
                let ends = found.iter().filter(|it| matches!(it.rows, BlockRows::End(_))).count();
                assert_eq!(ends, usize::from(version == "da"), "{}", files.name);
                assert_eq!((found.len() - ends) as u64, scan.count(), "{}", files.name);
                assert!(key(&partition).is_some());
                let rows = expected["separators"].as_array().or(expected["blocks"].as_array());
                for wanted in rows.unwrap() {
                    let found = &found[wanted["i"].as_u64().unwrap() as usize];
                    let name = format!("{} block {}", files.name, found.number);
                    assert_eq!(Some(found.start), wanted["offset"].as_u64(), "{name}");
                    match &found.rows {
                        BlockRows::Separator(bytes) | BlockRows::End(bytes) => {
                            assert_eq!(Some(found.at.0), wanted["node"].as_u64(), "{name}");
                            // Long separators are given otherwise.
                            if let Some(wanted) = unhex(&wanted["separator"]) {
                                assert_eq!(*bytes, wanted, "{name}");
                            }
                        }
                        BlockRows::Bounds(..) => {
                            assert_eq!(found.width, wanted["width"].as_u64(), "{name}");
                        }
                    }
                    compared += 1;
                }
                let starts: Vec<u64> = found.iter().map(|block| block.start).collect();
                assert!(starts.is_sorted(), "{}", files.name);
                for pair in found.windows(2) {
                    if !matches!(pair[1].rows, BlockRows::End(_)) {
                        let end = pair[0].start + pair[0].width.unwrap();
                        assert_eq!(end, pair[1].start, "{}", files.name);
                    }
                }
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}
