//! Walks against brute force over the keys of the same files.

use crate::files::{Index, pos, recorded};
use triescope_core::bti::{Exact, RowEntry, RowIndex};
use triescope_core::lookup::LeafTarget;
use triescope_core::source::Pages;
use triescope_core::table::Part;

/// Sets with row tries of every shape: inner payloads, several pages, long chains, open markers, DESC order.
const WIDE: [&str; 9] = [
    "wide_int",
    "wide_deep",
    "wide_longck",
    "wide_longsep",
    "wide_mixed",
    "wide_text",
    "range_tombstones",
    "ck_date",
    "ck_boolean",
];

/// All entries of a set.
fn entries(index: &Index) -> Vec<RowEntry> {
    let file = index.partitions.as_slice();
    let mut nobody = ();
    let mut leaves = index.trie().leaves(Pages::new(Part::Partitions, &file, &mut nobody));
    let mut entries = Vec::new();
    while let Some(found) = leaves.next().unwrap() {
        if let LeafTarget::Rows(at) = found.leaf.target() {
            let entry = recorded(Part::Rows, &index.rows, |pages| RowEntry::read(pages, at)).0;
            entries.push(entry.unwrap());
        }
    }
    entries
}

/// All separators of a row trie with their offsets.
fn separators(index: &Index, rows: &RowIndex) -> Vec<(Vec<u8>, u64)> {
    let file = index.rows.as_slice();
    let mut nobody = ();
    let mut blocks = rows.blocks(Pages::new(Part::Rows, &file, &mut nobody));
    let mut all = Vec::new();
    while let Some(block) = blocks.next().unwrap() {
        all.push((blocks.separator().to_vec(), block.offset));
    }
    all
}

/// Positions around a separator: itself, cut, longer, and with a byte changed by one.
fn around(separator: &[u8]) -> Vec<Vec<u8>> {
    let mut probes =
        vec![separator.to_vec(), [separator, &[0]].concat(), [separator, &[255]].concat()];
    for cut in [separator.len() / 2, separator.len().saturating_sub(1)] {
        probes.push(separator[..cut].to_vec());
        for change in [1u8, 255] {
            let mut probe = separator.to_vec();
            if let Some(byte) = probe.get_mut(cut) {
                *byte = byte.wrapping_add(change);
            }
            probes.push(probe);
        }
    }
    probes
}

#[test]
fn floor_higher_and_reverse_equal_a_search_in_the_list_of_separators() {
    let mut ends = 0;
    for table in WIDE {
        let index = Index::cassandra(table);
        for entry in entries(&index) {
            let rows = RowIndex::new(&entry);
            let all = separators(&index, &rows);
            assert!(all.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1), "{table}");
            assert_eq!(all[0].0, b"");
            for probe in all.iter().step_by(1 + all.len() / 50).flat_map(|(s, _)| around(s)) {
                let after = all.partition_point(|(separator, _)| *separator <= probe);
                let higher = all.get(after).map(|(_, offset)| *offset);
                let floor = all[after - 1].1;
                let file = &index.rows;
                let found = recorded(Part::Rows, file, |p| rows.floor(p, &probe).unwrap()).0;
                assert_eq!(found.block.offset, floor, "{table} {probe:x?}");
                assert_eq!(found.after_last, higher.is_none());
                if found.end.is_some() {
                    assert_eq!(found.end, higher);
                    ends += 1;
                }
                let found = recorded(Part::Rows, file, |p| rows.higher(p, &probe).unwrap()).0;
                assert_eq!(found.map(|block| block.offset), higher);
                let found = recorded(Part::Rows, file, |p| rows.reverse(p, &probe).unwrap()).0;
                assert_eq!(found.unwrap().offset, floor);
            }
        }
    }
    assert!(ends > 1000, "{ends} ends known");
}

#[test]
fn the_end_of_a_block_is_told_without_another_request() {
    let index = Index::cassandra("wide_deep");
    let entry = &entries(&index)[0];
    let rows = RowIndex::new(entry);
    let mut known = [0, 0];
    for (separator, _) in separators(&index, &rows) {
        let (floor, record) =
            recorded(Part::Rows, &index.rows, |pages| rows.floor(pages, &separator).unwrap());
        let (block, again) =
            recorded(Part::Rows, &index.rows, |pages| rows.floor(pages, &separator).unwrap().block);
        assert_eq!((floor.block, &record), (block, &again));
        assert!(record.total().requests <= 3);
        known[usize::from(floor.end.is_some())] += 1;
    }
    // A few separators are followed by one in a page that the walk does not touch, and the last one by none.
    assert!(known[0] > 1 && known[1] > 11_000, "{known:?}");
}

#[test]
fn partitions_from_any_position_are_the_rest_of_all_partitions() {
    for table in ["one_partition", "two_partitions", "token_edges", "p5k_uuid", "long_keys"] {
        let index = Index::cassandra(table);
        let file = index.partitions.as_slice();
        let mut nobody = ();
        let mut leaves = index.trie().leaves(Pages::new(Part::Partitions, &file, &mut nobody));
        let mut all = Vec::new();
        while let Some(found) = leaves.next().unwrap() {
            all.push(found.leaf);
        }
        for step in 0..=64u64 {
            let token = (u64::MAX / 64).saturating_mul(step);
            let key = [&[0x40][..], &token.to_be_bytes(), &[0x20]].concat();
            let mut nobody = ();
            let pages = Pages::new(Part::Partitions, &file, &mut nobody);
            let mut leaves = index.trie().leaves_from(pages, &key).unwrap();
            let mut rest = Vec::new();
            while let Some(found) = leaves.next().unwrap() {
                assert!(found.certain || rest.is_empty());
                rest.push(found.leaf);
            }
            assert!(all.ends_with(&rest), "{table} token {token:x}");
            let (found, _) = recorded(Part::Partitions, file, |pages| {
                index.trie().exact(pages, &key, 0).unwrap()
            });
            if let Exact::OtherHash(leaf) | Exact::Candidate(leaf) = found {
                assert_eq!(rest[0], leaf, "the leaf that the key leads to comes first");
            }
        }
    }
}

#[test]
fn an_entry_that_spans_pages_is_read_with_one_request_for_each() {
    let index = Index::cassandra("wide_many");
    let spanning: Vec<_> = entries(&index)
        .into_iter()
        .filter(|entry| entry.at.page() != pos(entry.at.0 + u64::from(entry.size) - 1).page())
        .collect();
    assert!(!spanning.is_empty());
    for entry in spanning {
        let (again, record) =
            recorded(Part::Rows, &index.rows, |pages| RowEntry::read(pages, entry.at).unwrap());
        assert_eq!(again, entry);
        let page = entry.at.page().0;
        assert!(record.requests(Part::Rows).map(|no| no.0).eq([page, page + 1]));
    }
}
