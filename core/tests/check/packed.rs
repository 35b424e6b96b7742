//! Every table of the trie format, packed again as ScyllaDB packs it: another layout of the same keys, and as healthy.

use crate::common::{Expected, InMemory, all_cassandra};
use crate::report;
use std::path::PathBuf;
use triescope_core::bti::pack::{Flavour, PartitionTarget, PartitionsWriter, RowBlock, RowsWriter};
use triescope_core::bti::{PartitionIndex, RowEntry, RowIndex};
use triescope_core::keys::{murmur3, murmur3_blob_into};
use triescope_core::lookup::LeafTarget;
use triescope_core::pos::{DataPos, FilePos};
use triescope_core::source::Pages;
use triescope_core::table::{Part, group};

/// Puts the row trie and the entry at `at` into another Rows.db, and says where the entry is then.
fn repack(rows: &[u8], at: FilePos, writer: &mut RowsWriter<Vec<u8>>) -> FilePos {
    let entry = RowEntry::read(&mut Pages::new(Part::Rows, &rows, &mut ()), at).unwrap();
    let mut unheard = ();
    let mut blocks = RowIndex::new(&entry).blocks(Pages::new(Part::Rows, &rows, &mut unheard));
    while let Some(block) = blocks.next().unwrap() {
        let separator = blocks.separator();
        writer.add(RowBlock { separator, offset: block.offset, open: block.open }, []).unwrap();
    }
    writer.end_partition(&entry.key, entry.data, entry.deletion).unwrap()
}

/// A table packed again; the prefixes in the trie stand for the keys, which are cut at the same places.
fn packed(files: &InMemory, flavour: Flavour) -> InMemory {
    let table = files.table();
    let footer = table.footer.as_ref().unwrap();
    let (index, rows) = (files.part(Part::Partitions), files.part(Part::Rows));
    let mut unheard = ();
    let pages = Pages::new(Part::Partitions, &index, &mut unheard);
    let mut leaves = PartitionIndex::new(footer).leaves(pages);
    let mut entries = RowsWriter::new(flavour, Vec::new());
    let mut writer = PartitionsWriter::new(flavour, Vec::new());
    let mut number = 0;
    while let Some(found) = leaves.next().unwrap() {
        number += 1;
        let key = if number == footer.count { &footer.last } else { &footer.first };
        let target = match found.leaf.target() {
            LeafTarget::Data(data) => PartitionTarget::Data(data),
            LeafTarget::Rows(at) => PartitionTarget::Rows(repack(rows, at, &mut entries)),
        };
        // One partition alone may have no prefix, and then ScyllaDB has one byte.
        let prefix = Some(leaves.prefix()).filter(|prefix| !prefix.is_empty());
        let prefix = prefix.unwrap_or_else(|| vec![0x40]);
        writer.add(key, &prefix, found.leaf.hash.unwrap(), target).unwrap();
    }
    let rows = entries.into_sink();
    files.with(Part::Partitions, &writer.finish().unwrap()).with(Part::Rows, &rows)
}

#[test]
fn tables_packed_by_either_database_have_no_finding_in_the_trie_index() {
    let mut changed = 0;
    for Expected { name, files, .. } in all_cassandra("da") {
        let same = packed(&files, Flavour::CASSANDRA);
        assert_eq!(same.part(Part::Rows), files.part(Part::Rows), "{name}");
        let other = packed(&files, Flavour::SCYLLA);
        let [ours, theirs] =
            [&files, &other].map(|it| (it.part(Part::Partitions), it.part(Part::Rows)));
        changed += usize::from(ours != theirs);
        for files in [same, other] {
            let findings = report(&files, false).findings;
            let of_trie =
                |id: &str| ["trie/", "rows/", "layout/"].iter().any(|a| id.starts_with(a));
            let lines: Vec<_> = findings
                .iter()
                .filter(|it| of_trie(it.check.id))
                .map(|it| format!("{name}: {}: {it}", it.check.id))
                .collect();
            assert_eq!(lines, [""; 0]);
        }
    }
    assert!(changed > 30, "{changed}");
}

/// Partitions.db of the numbers from 0, one partition every hundred bytes.
fn numbers(n: u32, flavour: Flavour) -> Vec<u8> {
    let mut keys: Vec<_> = (0..n)
        .map(|key| {
            let (key, mut comparable) = (key.to_be_bytes(), Vec::new());
            murmur3_blob_into(&key, murmur3(&key), &mut comparable);
            (comparable, key)
        })
        .collect();
    keys.sort_unstable();
    let mut writer = PartitionsWriter::new(flavour, Vec::new());
    for (rank, (comparable, key)) in (0..).zip(&keys) {
        let target = PartitionTarget::Data(DataPos(100 * rank));
        writer.add(key, comparable, murmur3(key).byte(), target).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn tries_of_every_size_have_no_finding() {
    // From one leaf to pages of every fill: with 40,000 to 70,000 keys, branches are about half a page.
    for n in [1, 2, 3, 10, 257, 1000, 8000, 30_000, 40_000, 55_000, 70_000, 120_000] {
        for flavour in [Flavour::CASSANDRA, Flavour::SCYLLA] {
            let bytes = numbers(n, flavour);
            let set = group([("da-1-bti-Partitions.db", bytes.len() as u64)]).sets.remove(0);
            let bytes = [(Part::Partitions, bytes)].into();
            let files = InMemory { folder: PathBuf::new(), set, bytes };
            let findings = report(&files, false).findings;
            let strange: Vec<_> = findings
                .iter()
                .filter(|it| !it.check.id.starts_with("files/"))
                .map(|it| format!("{n} {flavour:?}: {}: {it}", it.check.id))
                .collect();
            assert_eq!(strange, [""; 0]);
        }
    }
}
