//! Cases about promoted indexes.

use crate::common::{InMemory, cassandra, upstream};
use crate::made::{block, bound, checked, facts, int, made, report};
use triescope_core::big::check::{EndMarker, reach};
use triescope_core::big::{
    Block, BlockLayout, BoundKind, EntryHead, Progress, PromotedHead, SampleRule, Sampler, Samples,
};
use triescope_core::cursor::Cursor;
use triescope_core::data::Deletion;
use triescope_core::keys::{Dialect, Partitioner, murmur3};
use triescope_core::lookup::{FilterMode, LegacyFound, LegacyIndex, Query, RowKind, find_legacy};
use triescope_core::pos::FilePos;
use triescope_core::race::LegacyReader::{Cassandra, Scylla};
use triescope_core::source::Pages;
use triescope_core::table::Part;

/// The blocks of the entry at a position.
fn blocks(files: &InMemory, at: u64) -> Vec<Block> {
    let (table, index, mut nobody) = (files.table(), files.part(Part::Index), ());
    let mut pages = Pages::new(Part::Index, &index, &mut nobody);
    let entry =
        EntryHead::read(&mut pages, table.version().formats().index, FilePos(at), &mut Vec::new())
            .unwrap();
    let (from, size) = (entry.promoted_at(), entry.promoted_size);
    let head = PromotedHead::read(&mut pages, from, size, table.version()).unwrap();
    let columns = table.clustering_schema().unwrap().columns().iter();
    let lengths: Vec<_> = columns.map(|column| column.cql.fixed_len()).collect();
    let layout = BlockLayout { version: table.version(), lengths: &lengths };
    let bytes = &index[head.blocks_at.0 as usize..head.offsets_at.0 as usize];
    let mut cursor = Cursor::new(Part::Index, head.blocks_at, bytes);
    (0..head.blocks).map(|_| Block::read(&mut cursor, layout).unwrap()).collect()
}

#[test]
fn f22_a_deletion_in_the_gap_between_blocks_belongs_to_the_first() {
    // Block 0: rows 1 and 2, then a deletion of 2 to 3. Block 1: rows 4 and 5.
    let row = |value| bound(BoundKind::Row, value);
    let two = [
        block(row(1), bound(BoundKind::InclusiveEnd, 3), 20, 300),
        block(row(4), row(5), 320, 301),
    ];
    let files = made(&[(1, &two), (2, &[])]);
    assert_eq!(checked(&files, "index/"), [""; 0]);
    let table = files.table();
    let (index, partitioner) = (files.part(Part::Index), Partitioner::Murmur3);
    let mut sampler = Sampler::new(SampleRule::Every(128), table.version().formats().index);
    while sampler.step(&index, 100).unwrap() != Progress::Finished {}
    let sampled = sampler.into_sampled();
    let clustering = table.clustering_schema().unwrap();
    let legacy = LegacyIndex {
        index: &index,
        samples: Samples::Memory(&sampled),
        partitioner: &partitioner,
        version: table.version(),
        clustering,
        exact_widths: false,
    };
    let (key, token) = (int(1), partitioner.token(&int(1)));
    // From 3 on, 3 included.
    let from = clustering.target(Dialect::CASSANDRA, RowKind::Before, vec![Some(int(3).to_vec())]);
    for reader in [Scylla, Cassandra] {
        let query = Query {
            key: &key,
            token: &token,
            hash: murmur3(&key),
            comparable: &[],
            row: Some(&from),
            filter: FilterMode::Off,
            clustering: None,
        };
        let found = find_legacy(&legacy, reader, &query, &mut ()).unwrap();
        let LegacyFound::Entry { block: Some(block), .. } = found else { panic!("{found:?}") };
        assert_eq!((block.block, block.start), (Some(0), 20), "{reader:?}");
    }
    assert_eq!(reach(0, 2), "block 0 (open until the start of block 1)");
    assert_eq!(reach(1, 2), "block 1 (open until the end of the partition)");
    // Markers of every kind are bounds, not rows with empty values.
    for kind in [0, 1, 2, 5, 6, 7] {
        assert!(BoundKind::from_byte(kind).is_some_and(|kind| kind.side() != RowKind::Row));
    }
}

#[test]
fn f23_a_last_block_may_include_the_end_marker_or_not() {
    let Some(folder) = upstream("scylladb/large_partition") else { return };
    let all = InMemory::folder(&folder);
    let files = all.iter().find(|files| files.set.name().starts_with("me-")).unwrap();
    let widths: Vec<(u64, u64)> =
        blocks(files, 0).iter().map(|block| (block.offset, block.width)).collect();
    assert_eq!(widths, [(16, 65_546), (65_562, 65_543), (131_105, 65_536), (196_641, 26_306)]);
    let largest = facts(files).largest.unwrap();
    assert_eq!(largest.partition_bytes, Some(222_947));
    assert_eq!((largest.end_marker, largest.doublings()), (EndMarker::Included, Some(0)));
    assert!(largest.to_string().ends_with("; the last one includes the end marker"));
    // As newer ScyllaDB writes it: one byte less, in the width behind the two bounds of the last block.
    let last = blocks(files, 0).pop().unwrap();
    let mut index = files.part(Part::Index).to_vec();
    let width = last.at.0 as usize + last.size as usize - 2;
    index[width] -= 2; // zig-zag of a negative number: two more away from zero
    index[width] = index[width].wrapping_add(4);
    let newer = files.with(Part::Index, &index);
    assert_eq!(blocks(&newer, 0).pop().unwrap().width, 26_305);
    let largest = facts(&newer).largest.unwrap();
    assert_eq!(largest.end_marker, EndMarker::Excluded);
    assert!(largest.to_string().ends_with("; the last one leaves out the end marker"));
    assert_eq!((checked(files, "index/"), checked(&newer, "index/")), (vec![], vec![]));

    // Starts count from the partition's start, not from the file's.
    let Some(folder) = upstream("kopens-lsb/legacy_nb_clust") else { return };
    let files = InMemory::folder(&folder).remove(0);
    let second: Vec<u64> =
        blocks(&files, 31_509).iter().map(|block| block.offset).take(3).collect();
    assert_eq!(second, [15, 5388, 10_764]);
    assert_eq!(facts(&files).promoted.with_end_marker, 5);
}

#[test]
fn f24_open_deletions_at_the_ends_of_blocks() {
    let Some(folder) = upstream("scylladb/3.x_uncompressed_read_range_tombstone_boundaries_index")
    else {
        return;
    };
    let files = InMemory::folder(&folder).remove(0);
    let (facts, blocks) = (facts(&files), blocks(&files, 0));
    let largest = facts.largest.unwrap();
    assert_eq!((largest.blocks, largest.bytes, largest.header_length), (17, 35_488, 18));
    assert_eq!(largest.open, 16);
    let open: Vec<bool> = blocks.iter().map(|block| block.open.is_some()).collect();
    assert_eq!(open, [vec![true; 16], vec![false]].concat());
    assert_eq!((blocks[0].offset, blocks[0].width), (18, 65_658));
    let deletion = Deletion { timestamp: 1_525_385_507_816_699, local_time: 1_530_821_499 };
    assert_eq!(blocks[0].open, Some(deletion));
    assert_eq!(blocks[1].first.kind, BoundKind::InclusiveEndExclusiveStart);
    let sum = largest.widths.unwrap().sum;
    assert_eq!((sum, largest.partition_bytes), (1_066_837, Some(1_066_855)));
    assert_eq!(sum, 1_066_855 - 18);
    assert_eq!(checked(&files, "index/"), [""; 0]);
}

/// So many blocks of rows, all of one width.
fn even(count: i32, width: u64) -> Vec<Block> {
    let row = |value| bound(BoundKind::Row, value);
    (0..count).map(|i| block(row(10 * i), row(10 * i + 9), 20 + width * i as u64, width)).collect()
}

#[test]
fn f25_doubled_blocks_are_no_damage_and_promoted_indexes_above_10_mb_are_named() {
    let files = made(&[(1, &even(40, 131_072)), (2, &even(39, 65_536)), (3, &[])]);
    assert_eq!(checked(&files, "index/"), [""; 0]);
    assert_eq!(checked(&files, "layout/"), [""; 0]);
    let facts = facts(&files);
    assert_eq!((facts.promoted.partitions, facts.promoted.blocks), (2, 79));
    let largest = facts.largest.unwrap();
    assert_eq!((&largest.key[..], largest.blocks), (&int(1)[..], 40));
    let widths = largest.widths.unwrap();
    assert_eq!((widths.least, widths.median, widths.greatest), (131_072, 131_072, 131_072));
    assert_eq!(largest.doublings(), Some(1));
    assert!(largest.to_string().contains("40 blocks of 131072 to 131072 bytes"));

    let files = made(&[(1, &even(500_000, 65_536)), (3, &[])]);
    let report = report(&files);
    let named = report.findings.iter().find(|it| it.check.id == "layout/promoted-size").unwrap();
    assert!(named.found.contains("500000 blocks of 65536 to 65536 bytes"), "{named}");
    assert_eq!(named.key.as_ref().map(|key| key.to_vec()), Some(int(1).to_vec()));
    // 19 probes of offsets and blocks, of which the last ones fall on pages that were fetched before.
    let cost = named.cost.unwrap();
    assert!((20..=36).contains(&cost.median) && cost.worst <= 38, "{cost:?}");
}

#[test]
fn f25_a_promoted_index_above_a_tenth_of_its_partition_is_named() {
    let files = cassandra("wide_longsep", "nb", 1).files;
    assert_eq!(checked(&files, "layout/"), ["layout/promoted-size"]);
    let largest = facts(&files).largest.unwrap();
    assert_eq!((largest.permille(), largest.blocks), (Some(1996), 48));
}
