//! The index of versions before `ma`: fixed positions, and a promoted index of cell names without a table of offsets.

use crate::files::{Table, data, int, upstream};
use triescope_core::error::Error;
use triescope_core::lookup::{LegacyFound, RowKind, Step};
use triescope_core::race::LegacyReader::{self, Cassandra, Scylla};

const READERS: [LegacyReader; 2] = [Cassandra, Scylla];

fn large(version: &str) -> Option<Table> {
    let dir = upstream("scylladb/large_partition")?;
    let stem = if version == "ka" { "try1-data-ka-3" } else { "la-3-big" };
    Some(Table::read(&dir, stem).with_clustering(&["UTF8Type"]))
}

/// The block chosen for a row, its start in the partition and the blocks read.
fn block(table: &Table, reader: LegacyReader, kind: RowKind, row: &[u8]) -> (u64, u64, usize) {
    let (found, record) = table.find(reader, b"v1", Some(&table.place(kind, &[row])));
    let LegacyFound::Entry { block: Some(block), .. } = found.unwrap() else { panic!("a block") };
    let probes = record.steps.iter().filter(|step| matches!(step, Step::BlockProbe(_))).count();
    (block.block.unwrap(), block.start, probes)
}

#[test]
fn rows_are_found_in_the_blocks_of_cell_names_when_their_types_are_known() {
    for version in ["ka", "la"] {
        let Some(table) = large(version) else { return };
        for reader in READERS {
            let chosen = |row: &[u8]| {
                let (number, start, _) = block(&table, reader, RowKind::Row, row);
                (number, start)
            };
            assert_eq!(chosen(b"0"), (0, 16), "{reader:?}");
            // The first row of block 1, and the one that block 1 ends in.
            assert_eq!(chosen(b"10ve"), (1, 65_570), "{reader:?}");
            assert_eq!(chosen(b"12qI"), (1, 65_570), "{reader:?}");
            // A row that begins at the end of block 6; block 7 begins inside it.
            assert_eq!(chosen(b"2rK"), (6, 393_350), "{reader:?}");
            assert_eq!(chosen(b"9zZ"), (10, 655_528), "{reader:?}");
        }
        // Cassandra bisects what it has read whole, ScyllaDB reads block after block up to the first greater one.
        assert_eq!(block(&table, Cassandra, RowKind::Row, b"10ve").2, 4);
        assert_eq!(block(&table, Scylla, RowKind::Row, b"10ve").2, 3);
        assert_eq!(block(&table, Scylla, RowKind::Row, b"zz").2, 11);
    }
}

#[test]
fn composites_with_a_range_deletion_bound_blocks_too() {
    let Some(dir) = upstream("scylladb/promoted_index_read") else { return };
    let stem = "ks-promoted_index_read-ka-1";
    let table = Table::read(&dir, stem).with_clustering(&["Int32Type", "Int32Type"]);
    for reader in READERS {
        for (ck, start) in [(0, 18), (1, 180)] {
            let row = table.row(&[&int(0), &int(ck)]);
            let found = table.find(reader, &int(0), Some(&row)).0.unwrap();
            let LegacyFound::Entry { block: Some(block), .. } = &found else { panic!("{found:?}") };
            assert_eq!((block.start, data(&found)), (start, Some(0)), "{reader:?} {ck}");
        }
    }
}

#[test]
fn an_entry_cut_at_every_length_is_reported() {
    let Some(mut table) = large("la") else { return };
    let whole = table.index.clone();
    let row = table.row(&[b"9zZ"]);
    for cut in 1..whole.len() {
        table.index = whole[..cut].to_vec();
        for reader in READERS {
            let found = table.find(reader, b"v1", Some(&row)).0;
            assert!(matches!(found, Err(Error::Damage(_))), "{cut} {reader:?}: {found:?}");
        }
    }
}

#[test]
fn every_changed_byte_of_a_promoted_index_gives_an_answer_or_damage() {
    let Some(mut table) = large("la") else { return };
    let whole = table.index.clone();
    let row = table.row(&[b"2rK"]);
    for at in 0..whole.len() {
        for value in [0, 0x7f, 0xff] {
            table.index = whole.clone();
            table.index[at] = value;
            for reader in READERS {
                let _ = table.find(reader, b"v1", Some(&row));
            }
        }
    }
}
