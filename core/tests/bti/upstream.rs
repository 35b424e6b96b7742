//! Files of other people, with the numbers of the field cases they come from. Skipped where `../shared` is absent.

use crate::files::{Index, comparable, hex, pos, recorded, upstream};
use triescope_core::bti::{Exact, Leaf, RowEntry, RowIndex};
use triescope_core::keys::murmur3;
use triescope_core::lookup::{LeafTarget, NodeOutcome, Record, Step};
use triescope_core::pos::DataPos;
use triescope_core::source::Pages;
use triescope_core::table::{IndexKind, Part, Version};

fn exact(index: &Index, key: &[u8]) -> (Exact, Record) {
    recorded(Part::Partitions, &index.partitions, |pages| {
        index.trie().exact(pages, &comparable(key), murmur3(key).byte()).unwrap()
    })
}

fn leaves(index: &Index) -> Vec<Leaf> {
    let file = index.partitions.as_slice();
    let mut nobody = ();
    let mut leaves = index.trie().leaves(Pages::new(Part::Partitions, &file, &mut nobody));
    let mut all = Vec::new();
    while let Some(found) = leaves.next().unwrap() {
        all.push(found.leaf);
    }
    all
}

fn data_positions(index: &Index) -> Vec<u64> {
    let targets = leaves(index).into_iter().map(|leaf| leaf.target());
    targets
        .map(|target| match target {
            LeafTarget::Data(at) => at.0,
            LeafTarget::Rows(at) => panic!("an entry at {at}"),
        })
        .collect()
}

fn entry(index: &Index, at: u64) -> RowEntry {
    recorded(Part::Rows, &index.rows, |pages| RowEntry::read(pages, pos(at)).unwrap()).0
}

fn separators(index: &Index, entry: &RowEntry) -> Vec<(Vec<u8>, u64)> {
    let file = index.rows.as_slice();
    let mut nobody = ();
    let mut blocks = RowIndex::new(entry).blocks(Pages::new(Part::Rows, &file, &mut nobody));
    let mut all = Vec::new();
    while let Some(block) = blocks.next().unwrap() {
        all.push((blocks.separator().to_vec(), block.offset));
    }
    all
}

#[test]
fn f01_the_root_of_a_row_trie_is_counted_from_the_end_of_the_key() {
    let Some(dir) = upstream("kopens-lsb/legacy_da_clust") else { return };
    let index = Index::read(&dir, "da-500-bti");
    for (key, (at, root)) in
        [(93, 89), (193, 189), (295, 291), (397, 393), (499, 495)].into_iter().enumerate()
    {
        let entry = entry(&index, at);
        assert_eq!(entry.key, key.to_string().into_bytes());
        assert_eq!(entry.root, pos(root));
        assert_eq!(entry.base, pos(at + 3));
        assert_eq!((entry.blocks, entry.deletion), (13, None));
        assert_eq!(leaves(&index)[key].target(), LeafTarget::Rows(pos(at)));
    }
    assert_eq!(entry(&index, 93).data, DataPos(0));

    // Counted from the start of the key length, as the reader of this case did, there is no root.
    let wrong = RowEntry { root: pos(87), ..entry(&index, 93) };
    let (result, _) =
        recorded(Part::Rows, &index.rows, |pages| RowIndex::new(&wrong).floor(pages, b"\x40"));
    let text = result.unwrap_err().to_string();
    assert!(text.contains("offset 87") && text.contains("ends at 93"), "{text}");
}

#[test]
fn f02_the_first_block_lies_under_the_empty_key() {
    let Some(dir) = upstream("kopens-lsb/legacy_da_clust") else { return };
    let index = Index::read(&dir, "da-500-bti");
    let entry = entry(&index, 93);
    let all = separators(&index, &entry);
    assert_eq!(all.len(), 14);
    let expected = [(0, "", 4), (1, "403132", 5373), (2, "403136", 10749), (3, "4032", 16125)];
    for (i, separator, offset) in expected.into_iter().chain([(12, "4038", 64497)]) {
        assert_eq!(all[i], (hex(separator), offset));
    }
    assert_eq!(all[13], (hex("403a"), 67181));
    for clustering in ["4030ff0038", "403131ff0038", "20"] {
        let (floor, _) = recorded(Part::Rows, &index.rows, |pages| {
            RowIndex::new(&entry).floor(pages, &hex(clustering)).unwrap()
        });
        assert_eq!((floor.block.offset, floor.end, floor.after_last), (4, Some(5373), false));
    }
}

#[test]
fn f02_a_row_trie_without_block_0_is_reported() {
    let Some(dir) = upstream("kopens-lsb/legacy_da_clust") else { return };
    let mut index = Index::read(&dir, "da-500-bti");
    let entry = entry(&index, 93);
    // Another tool's root: without payload one byte shorter, so the whole trie lies one byte higher.
    index.rows.remove(92);
    index.rows[89] &= 0xf0;
    index.rows.insert(0, 0);
    let moved = RowEntry { root: pos(90), ..entry };
    let floor = |key: &str| {
        let rows = RowIndex::new(&moved);
        recorded(Part::Rows, &index.rows, |pages| rows.floor(pages, &hex(key))).0
    };
    let text = floor("4030ff0038").unwrap_err().to_string();
    assert!(text.contains("expected a payload for block 0"), "{text}");
    assert_eq!(floor("40320038").unwrap().block.offset, 16125);
}

#[test]
fn f03_count_ends_and_positions_come_from_the_index_alone() {
    let Some(dir) = upstream("kopens-lsb/legacy_da_simple") else { return };
    let index = Index::read(&dir, "da-500-bti");
    let footer = index.footer();
    assert_eq!((footer.count, &footer.first[..], &footer.last[..]), (5, &b"0"[..], &b"4"[..]));
    assert_eq!(data_positions(&index), [0, 22, 46, 70, 94]);
    assert_eq!(index.rows, b"");
}

#[test]
fn f04_hash_byte_root_distance_block_count_and_signed_positions() {
    let Some(dir) = upstream("scylladb/partition_skipping") else { return };
    let index = Index::read(&dir, "mt-1-big");
    let footer = index.footer();
    assert_eq!((footer.root, footer.count), (pos(57), 10));
    let key = |n: i32| n.to_be_bytes();
    let (found, record) = exact(&index, &key(5));
    let leaf = leaves(&index)[0];
    assert_eq!(found, Exact::Candidate(leaf));
    assert_eq!((leaf.at, leaf.hash, leaf.depth), (pos(0), Some(193), 2));
    assert_eq!(comparable(&key(5))[..2], hex("4017"));
    assert_eq!(murmur3(&key(5)).h1.to_be_bytes()[7], 74);
    assert_eq!(record.total().fetches, 1);

    let (found, record) = exact(&index, &key(10));
    assert_eq!(found, Exact::DeadEnd);
    let last = record.steps.last().unwrap();
    let expected = NodeOutcome::NoTransition { byte: 0x22, below: Some(0x17), above: Some(0x47) };
    assert!(
        matches!(last, Step::Node(node) if node.at == pos(35) && node.outcome == expected),
        "{last:?}"
    );
    assert_eq!(record.total().fetches, 1);

    match exact(&index, &key(18)).0 {
        Exact::OtherHash(leaf) => {
            assert_eq!(leaf.target(), LeafTarget::Data(DataPos(152)));
            assert_eq!((leaf.hash, murmur3(&key(18)).byte()), (Some(2), 219));
        }
        other => panic!("{other:?}"),
    }
    match exact(&index, &key(788)).0 {
        Exact::Candidate(leaf) => {
            assert_eq!(leaf.target(), LeafTarget::Data(DataPos(31)));
            assert_eq!(leaf.hash, Some(230));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn f05_ms_and_mt_files_of_the_same_rows_are_byte_identical() {
    let sets = ["counter_test ms-5 mt-5", "large_partition ms-3 mt-3"].into_iter().chain([
        "multi_schema_test ms-1 mt-1",
        "partition_skipping ms-1 mt-1",
        "promoted_index_read ms-1 mt-1",
        "sliced_mutation_reads ms-1 mt-1",
        "wrong_range_tombstone_order ms-1 mt-1",
    ]);
    for set in sets {
        let mut words = set.split(' ');
        let Some(dir) = upstream(&format!("scylladb/{}", words.next().unwrap())) else { return };
        let [ms, mt] =
            [words.next(), words.next()].map(|v| Index::read(&dir, &format!("{}-big", v.unwrap())));
        assert_eq!((&ms.partitions, &ms.rows), (&mt.partitions, &mt.rows), "{set}");
        assert_eq!(leaves(&ms).len() as u64, ms.footer().count);
    }
}

#[test]
fn f06_the_filler_at_the_end_of_rows_is_no_part_of_the_index() {
    let Some(dir) = upstream("scylladb/counter_test") else { return };
    let index = Index::read(&dir, "ms-5-big");
    assert_eq!(index.rows, hex("13371337"));
    // The smallest file: a root with one child, and a leaf that points into Data.db.
    assert_eq!(data_positions(&index), [0]);
    let Some(dir) = upstream("scylladb/large_partition") else { return };
    let index = Index::read(&dir, "mt-3-big");
    assert_eq!((index.rows.len(), &index.rows[52..]), (56, &hex("13371337")[..]));
    assert_eq!(leaves(&index)[0].target(), LeafTarget::Rows(pos(44)));
    let entry = entry(&index, 44);
    assert_eq!((&entry.key[..], entry.root, entry.blocks), (&b"v1"[..], pos(40), 4));
    assert_eq!(entry.at.0 + u64::from(entry.size), 52);
    let expected = [("", 16), ("4031347459", 65562), ("40316e43", 131_105)];
    let rest = [("40376f54", 196_641), ("403a", 222_946)];
    let expected = expected.iter().chain(&rest).map(|(key, at)| (hex(key), *at));
    assert!(separators(&index, &entry).into_iter().eq(expected));
}

#[test]
fn f10_the_index_follows_from_the_version_and_bb_is_a_trie_too() {
    let kind = |letters: &[u8]| Version::new(letters).unwrap().index();
    for trie in [b"da", b"ms", b"mt", b"bb"] {
        assert_eq!(kind(trie), Some(IndexKind::Trie));
    }
    for legacy in [b"nb", b"oa", b"me"] {
        assert_eq!(kind(legacy), Some(IndexKind::Legacy));
    }
    let Some(dir) = upstream("datastax/bb_keyvalue") else { return };
    for stem in ["bb-1-bti", "bb-2-bti"] {
        let index = Index::read(&dir, stem);
        assert_eq!((index.footer().count, index.footer().root), (27, pos(168)));
        let positions = data_positions(&index);
        assert!(positions.len() == 27 && positions.is_sorted());
        for key in [index.footer().first, index.footer().last] {
            assert!(matches!(exact(&index, &key).0, Exact::Candidate(_)));
        }
    }
}
