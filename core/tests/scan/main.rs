//! Scans over real SSTables: the partitions of Cassandra's own answers, forwards, backwards and from each of them.

#[path = "../common/mod.rs"]
mod common;

mod blocks;
mod orders;
mod pieces;

use common::Expected;
use serde_json::Value;
use triescope_core::error::Error;
use triescope_core::scan::{FoundKey, Next, Order, Partition, Place, Scan};
use triescope_core::source::Source;
use triescope_core::table::Table;

/// All partitions of a scan.
pub fn all<S: Source>(table: &Table<S>, from: Option<Place>, order: Order) -> Vec<Partition> {
    some(table, from, order, usize::MAX).unwrap()
}

/// The first partitions of a scan.
pub fn some<S: Source>(
    table: &Table<S>,
    from: Option<Place>,
    order: Order,
    most: usize,
) -> Result<Vec<Partition>, Error> {
    let mut scan = Scan::new(table, from, order).expect("an index");
    let mut found = Vec::new();
    while found.len() < most {
        match scan.step()? {
            Next::Partition(partition) => found.push(partition),
            Next::Working { done, of } => assert!(done <= of),
            Next::End => break,
        }
    }
    Ok(found)
}

/// The key of a partition, where the scan has it whole.
pub fn key(partition: &Partition) -> Option<&[u8]> {
    match &partition.key {
        FoundKey::Whole(key) => Some(key),
        FoundKey::Prefix(_) => None,
    }
}

/// The partitions that expected.json names, with their rank.
pub fn expected(files: &Expected) -> Vec<(usize, &Value)> {
    let listed = files.json["partitions"].as_array().unwrap();
    listed.iter().map(|it| (it["i"].as_u64().unwrap() as usize, it)).collect()
}
