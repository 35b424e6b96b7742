//! Data.db of any bytes, uncompressed and without checksums, so that damage reaches the rows: it is read by the types of a
//! real table, from partition to partition, and checked.

use super::input::{Input, Once};
use super::set::checked;
use crate::common::pieces::{Pieces, until_here};
use crate::common::{InMemory, cassandra, testdata};
use std::cmp::Ordering;
use triescope_core::data::{Items, JsonDump, LineWriter, RowRange, Walked};
use triescope_core::pos::{DataPos, mem};
use triescope_core::source::Source;
use triescope_core::table::{Part, Table};

/// Tables by whose types the bytes are read.
const TABLES: [&str; 9] = [
    "counters",
    "all_types_val",
    "wide_static",
    "range_tombstones",
    "ck_udt",
    "ck_boolean",
    "after_2038",
    "ten_partitions",
    "wide_mixed",
];
const VERSIONS: [&str; 3] = ["da", "oa", "nb"];

/// The tables without checksums and compression, each with the first bytes of its rows.
static OPENED: Once<Vec<(InMemory, Vec<u8>)>> = Once::new(|| {
    let tables = TABLES.iter().flat_map(|table| VERSIONS.map(|version| (*table, version)));
    let tables = tables.filter(|(table, version)| testdata().join(table).join(version).is_dir());
    tables.map(|(table, version)| plain(table, version)).collect()
});

/// Bytes of rows in a seed.
const SEED_BYTES: u64 = 1200;

fn plain(table: &str, version: &str) -> (InMemory, Vec<u8>) {
    let files = cassandra(table, version, 1).files;
    let opened = files.table();
    let mut reader = opened.data_reader().unwrap();
    let len = mem(reader.len().min(SEED_BYTES)).unwrap();
    let rows = reader.parse(DataPos(0), "rows", |cursor| Ok(cursor.take(len, "rows")?.to_vec()));
    let rows = rows.unwrap().0;
    let toc = String::from_utf8(files.part(Part::Toc).to_vec()).unwrap();
    let toc = toc.replace("CompressionInfo.db\n", "").replace("CRC.db\n", "");
    let files = files.with(Part::Toc, toc.as_bytes());
    let files = files.without(Part::CompressionInfo).without(Part::Crc).without(Part::Digest);
    (files.with(Part::Data, &rows), rows)
}

/// The table, then Data.db.
pub fn data(data: &[u8]) {
    let mut input = Input::new(data);
    let (files, _) = &OPENED[input.below(OPENED.len())];
    let seed = input.seed();
    let files = files.with(Part::Data, input.rest());
    let whole = read(&files.table(), &[]);
    let held: Vec<_> =
        files.bytes.iter().map(|(part, bytes)| Pieces::new(*part, bytes, seed)).collect();
    let held: Vec<&Pieces<'_>> = held.iter().collect();
    let sources = || held.iter().map(|piece| (piece.part(), *piece));
    let table = until_here(&held, || Ok(Table::open(files.set.clone(), sources())?)).unwrap();
    assert_eq!(read(&table, &held), whole, "in pieces and whole");
    assert_eq!(decoded(&table, &held), decoded(&files.table(), &[]), "in pieces and whole");
    if seed.is_multiple_of(4) {
        checked(&files, seed, true);
    }
}

/// Reads all partitions one after the other, as far as they can be read.
fn read<S: Source>(table: &Table<S>, pieces: &[&Pieces<'_>]) -> Vec<String> {
    let mut said = Vec::new();
    let format = table.row_format().expect("Statistics.db is whole");
    let mut reader = table.data_reader().expect("Data.db is here");
    let mut at = DataPos(0);
    while at.0 < reader.len() && said.len() < 3000 {
        let head = until_here(pieces, || reader.partition_head(&format, at));
        said.push(format!("{head:?}"));
        let Ok((_, _, first)) = head else { break };
        assert!(first > at && first.0 <= reader.len(), "{first:?}");
        let range = RowRange { partition: at, start: None, end: Some(reader.len()) };
        let order = [Ordering::Less, Ordering::Equal, Ordering::Greater][said.len() % 3];
        let found = until_here(pieces, || reader.find_row(&format, range, |_| order));
        said.push(format!("{found:?}"));
        match until_here(pieces, || reader.walk_rows(&format, first, 10_000)) {
            Ok(Walked::End(next)) => {
                assert!(next > at && next.0 <= reader.len(), "{next:?}");
                at = next;
            }
            other => {
                said.push(format!("{other:?}"));
                break;
            }
        }
    }
    said
}

/// Decodes everything up to the first damage, as text and as JSON.
fn decoded<S: Source>(table: &Table<S>, pieces: &[&Pieces<'_>]) -> Vec<String> {
    let format = table.data_format().expect("Statistics.db is whole");
    let (keys, clustering) = (table.key_schema(), table.clustering_schema().expect("a header"));
    let mut dump = JsonDump::new(&format, keys, clustering, 1_800_000_000);
    let lines = LineWriter { format: &format, keys, clustering };
    let mut items = Items::new(format.clone(), DataPos(0));
    let mut reader = table.data_reader().expect("Data.db is here");
    let (mut said, mut json, mut at) = (Vec::new(), String::new(), items.at());
    loop {
        match until_here(pieces, || items.next(&mut reader)) {
            Ok(Some(item)) => {
                said.push(lines.line(&item));
                dump.item(&mut json, &item);
                assert!(items.at() > at && items.at().0 <= reader.len(), "{at:?} {item:?}");
                at = items.at();
            }
            Ok(None) => {
                assert_eq!(items.at().0, reader.len(), "the data ends");
                break;
            }
            Err(error) => {
                said.push(error.to_string());
                break;
            }
        }
    }
    // A byte of Data.db is a few bytes of text: names of columns and times are repeated.
    let most = 2_000 * (usize::try_from(reader.len()).unwrap() + 10);
    assert!(json.len() < most, "{} bytes of JSON", json.len());
    said.push(json);
    said
}

/// The first rows of each table in each version.
pub fn data_seeds() -> Vec<Vec<u8>> {
    let seeds =
        OPENED.iter().zip(0..).map(|((_, rows), table)| [&[table], rows.as_slice()].concat());
    seeds.collect()
}
