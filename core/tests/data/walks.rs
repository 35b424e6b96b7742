//! How a walk goes on after a miss, after damage, and past what is too large to be kept.

use crate::common::pieces::Pieces;
use crate::common::{self, InMemory};
use crate::items::whole;
use triescope_core::data::{DataReader, Item, Items, Layout};
use triescope_core::error::Error;
use triescope_core::limits;
use triescope_core::pos::DataPos;
use triescope_core::table::Part;

#[test]
fn in_pieces_a_walk_comes_to_the_same_items() {
    for (table, seed) in [("all_types_val", 1), ("range_tombstones", 2), ("wide_text", 3)] {
        let expected = common::cassandra(table, "da", 1);
        let data = Pieces::new(Part::Data, expected.files.part(Part::Data), seed);
        let format = expected.files.table().data_format().unwrap();
        let (mut items, mut found) = (Items::new(format, DataPos(0)), Vec::new());
        loop {
            // A host makes a reader for each piece of work.
            let mut reader = DataReader::new(&data, Layout::Plain { crc: None }).streaming();
            match items.next(&mut reader) {
                Ok(Some(item)) => found.push(item),
                Ok(None) => break,
                Err(Error::Miss(miss)) => data.bring(miss),
                Err(damage) => panic!("{damage}"),
            }
        }
        assert!(found == whole(&expected.name, &expected.files), "{table}");
        assert!(data.misses() > 0);
    }
}

#[test]
fn a_walk_can_begin_at_any_partition() {
    let expected = common::cassandra("wide_many", "da", 1);
    let all = whole(&expected.name, &expected.files);
    let starts: Vec<_> = (0..all.len()).filter(|i| matches!(all[*i], Item::Partition(_))).collect();
    assert_eq!(starts.len(), 250);
    let table = expected.files.table();
    let mut reader = table.data_reader().unwrap();
    let mut items = Items::new(table.data_format().unwrap(), DataPos(0));
    for start in starts.into_iter().rev().step_by(40) {
        items.seek(all[start].at());
        for item in &all[start..] {
            assert_eq!(items.next(&mut reader).unwrap().as_ref(), Some(item));
        }
        assert_eq!(items.next(&mut reader), Ok(None));
    }
}

/// The items of other bytes read as Data.db of a table.
fn items_of(files: &InMemory, data: &[u8]) -> (Vec<Item>, Option<Error>) {
    let mut reader = DataReader::new(&data, Layout::Plain { crc: None }).streaming();
    let mut items = Items::new(files.table().data_format().unwrap(), DataPos(0));
    let mut found = Vec::new();
    loop {
        match items.next(&mut reader) {
            Ok(Some(item)) => found.push(item),
            Ok(None) => return (found, None),
            Err(error) => return (found, Some(error)),
        }
    }
}

fn vint(value: u64) -> Vec<u8> {
    // Nine bytes hold any value.
    [&[0xff][..], &value.to_be_bytes()].concat()
}

#[test]
fn a_huge_value_is_cut_and_a_row_of_too_many_cells_is_counted() {
    // One int clustering column and one column of text.
    let files = common::cassandra("wide_static", "da", 1).files;
    let huge = usize::try_from(limits::VALUE_BYTES).unwrap() + 5;
    let cell = [&[0x08][..], &vint(huge as u64), &vec![b'v'; huge]].concat();
    let body = [&[0, 0][..], &cell].concat();
    let head = [0, 4, 0, 0, 0, 1, 0x80];
    let row = [&[0x24, 0, 0, 0, 0, 7][..], &vint(body.len() as u64), &body].concat();
    let next = [0x24, 0, 0, 0, 0, 8, 5, 0, 0, 8, 1, b'w'];
    let data = [&head[..], &row, &next, &[1]].concat();
    let (items, error) = items_of(&files, &data);
    assert_eq!(error, None);
    let [Item::Partition(_), Item::Row(first), Item::Row(second), Item::End(end)] = &items[..]
    else {
        panic!("{} items", items.len());
    };
    let value = &first.columns[0].cells[0].value;
    assert_eq!((value.bytes.len() + 5, value.cut), (huge, 5));
    assert_eq!(second.columns[0].cells[0].value.bytes.as_slice(), b"w");
    assert_eq!(end.at.0 + 1, data.len() as u64);
}

#[test]
fn a_set_of_too_many_elements_is_kept_in_part_and_counted() {
    let files = common::cassandra("all_types_val", "da", 1).files;
    let format = files.table().data_format().unwrap();
    let columns = format.columns(false).all();
    let set = columns.iter().position(|column| column.name == b"s").unwrap();
    let missing = ((1u64 << columns.len()) - 1) & !(1 << set);
    let count = 100_000u64;
    let cells: Vec<u8> = (0..count)
        .flat_map(|i| [&[0x0c][..], &[4], &u32::try_from(i).unwrap().to_be_bytes()].concat())
        .collect();
    let body = [&[0, 0][..], &vint(missing), &vint(count), &cells].concat();
    let row = [&[0x04, 0, 0, 0, 0, 7][..], &vint(body.len() as u64), &body].concat();
    let data = [&[0, 4, 0, 0, 0, 1, 0x80][..], &row, &[1]].concat();
    let (items, error) = items_of(&files, &data);
    assert_eq!(error, None);
    let Item::Row(row) = &items[1] else { panic!() };
    let omitted = row.omitted.unwrap();
    assert_eq!(row.columns[0].cells.len() as u64 + omitted.cells, count);
    assert_eq!(omitted.bytes, omitted.cells * 6);
}

#[test]
fn each_cut_and_each_changed_byte_gives_items_or_a_report() {
    let files = common::cassandra("all_types_val", "da", 1).files;
    let data = files.part(Part::Data);
    let is_end = |item: &Item| matches!(item, Item::End(_)).then_some(item.at().0);
    let ends: Vec<_> = whole("all_types_val/da", &files).iter().filter_map(is_end).collect();
    for cut in 0..data.len() {
        let (_, error) = items_of(&files, &data[..cut]);
        assert_eq!(error.is_none(), cut == 0 || ends.contains(&(cut as u64 - 1)), "{cut}");
    }
    for at in 0..data.len() {
        for xor in [1, 0x80, 0xff] {
            let mut changed = data.to_vec();
            changed[at] ^= xor;
            // Whatever comes of it, it ends.
            items_of(&files, &changed);
        }
    }
}

#[test]
fn a_body_size_that_is_not_that_of_the_body_is_reported() {
    let files = common::cassandra("wide_static", "da", 1).files;
    let say = |body: u8| {
        let data =
            [&[0, 4, 0, 0, 0, 1, 0x80, 0x24, 0, 0, 0, 0, 8, body][..], &[0, 0, 8, 1, b'w', 1]]
                .concat();
        items_of(&files, &data).1.map(|error| error.to_string())
    };
    assert_eq!(say(5), None);
    assert_eq!(
        say(4).unwrap(),
        "Data.db, offset 18 (page 0 + 18), value: expected at most 0, the bytes left in the row, found 1"
    );
    assert_eq!(
        say(6).unwrap(),
        "Data.db, offset 14 (page 0 + 14), row body size: expected 5, found 6"
    );
}

#[test]
fn a_walk_from_a_block_gives_what_the_walk_from_the_start_gives() {
    use triescope_core::scan::{BlockRows, BlockScan, Next, Order, Scan};
    let mut blocks = 0;
    for name in ["range_tombstones", "wide_int", "wide_static"] {
        let files = common::cassandra(name, "da", 1).files;
        let table = files.table();
        let mut scan = Scan::new(&table, None, Order::Forward).unwrap();
        while let Next::Partition(partition) = scan.step().unwrap() {
            let start = partition.data.unwrap();
            let take = |mut items: Items, at: u64| {
                let mut reader = table.data_reader().unwrap();
                let mut found = Vec::new();
                loop {
                    let item = items.next(&mut reader).unwrap().unwrap();
                    let is_end = matches!(item, Item::End(_));
                    found.extend((item.at().0 >= at).then_some(item));
                    if is_end {
                        return found;
                    }
                }
            };
            let Some(mut rows) = BlockScan::new(&table, &partition).unwrap() else { continue };
            while let Some(block) = rows.step().unwrap() {
                if block.number % 9 != 1 || matches!(block.rows, BlockRows::End(_)) {
                    continue;
                }
                let (at, format) = (start.0 + block.start, table.data_format().unwrap());
                let within = Items::within(format.clone(), start, DataPos(at));
                assert!(take(within, 0) == take(Items::new(format, start), at), "{name} at {at}");
                blocks += 1;
            }
        }
    }
    assert!(blocks > 20, "{blocks}");
}
