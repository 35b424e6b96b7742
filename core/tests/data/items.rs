//! Walks for tests: all items of a Data.db, and items without what differs between versions.

use crate::common::InMemory;
use triescope_core::data::{Item, Items};
use triescope_core::error::Error;
use triescope_core::pos::DataPos;

/// All items of an SSTable, with the error that ended the walk.
pub fn all(files: &InMemory) -> (Vec<Item>, Result<(), Error>) {
    let table = files.table();
    let mut reader = table.data_reader().unwrap().streaming();
    let mut items = Items::new(table.data_format().unwrap(), DataPos(0));
    let mut found = Vec::new();
    loop {
        match items.next(&mut reader) {
            Ok(Some(item)) => found.push(item),
            Ok(None) => return (found, Ok(())),
            Err(error) => return (found, Err(error)),
        }
    }
}

/// All items of a healthy SSTable.
pub fn whole(name: &str, files: &InMemory) -> Vec<Item> {
    let (items, end) = all(files);
    assert_eq!(end, Ok(()), "{name}");
    items
}

/// The item without positions and sizes.
pub fn placeless(mut item: Item) -> Item {
    let nowhere = DataPos(0);
    match &mut item {
        Item::Partition(head) => (head.at, head.len) = (nowhere, 0),
        Item::Row(row) => {
            (row.at, row.len, row.previous) = (nowhere, 0, 0);
            for cell in row.columns.iter_mut().flat_map(|column| &mut column.cells) {
                (cell.at, cell.len) = (nowhere, 0);
            }
        }
        Item::Marker(marker) => (marker.at, marker.len, marker.previous) = (nowhere, 0, 0),
        Item::End(end) => (end.partition, end.at) = (nowhere, nowhere),
    }
    item
}
