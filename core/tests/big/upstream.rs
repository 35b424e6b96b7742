//! Other people's files: every legacy version, and the field cases that touch reading.

use crate::files::{Table, data, hex, int, upstream};
use std::path::{Path, PathBuf};
use triescope_core::big::{Block, BlockLayout, BoundKind, SampleRule};
use triescope_core::cursor::Cursor;
use triescope_core::data::Deletion;
use triescope_core::error::Error;
use triescope_core::keys::Partitioner;
use triescope_core::lookup::{LegacyFound, RowKind, Step};
use triescope_core::race::LegacyReader::{Cassandra, Scylla};
use triescope_core::table::Part;

/// The versions that are read.
const VERSIONS: [&str; 11] = ["ka", "la", "ma", "mb", "mc", "md", "me", "na", "nb", "nc", "oa"];

/// The stems of the legacy SSTables in a folder, `me-1-big`.
fn stems(dir: &Path) -> Vec<String> {
    let mut stems: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .filter_map(|file| file.unwrap().file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix("-Index.db").map(str::to_owned))
        .filter(|stem| VERSIONS.contains(&crate::files::letters(stem)))
        .collect();
    stems.sort();
    stems
}

/// The partitioner by its class name, which lies in Statistics.db as text.
fn partitioner(dir: &Path, stem: &str) -> Partitioner {
    let bytes = std::fs::read(dir.join(format!("{stem}-Statistics.db"))).unwrap_or_default();
    let prefix = b"org.apache.cassandra.dht.";
    let Some(at) = bytes.windows(prefix.len()).position(|window| window == prefix) else {
        return Partitioner::Murmur3;
    };
    let rest = &bytes[at..];
    let end = rest.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'.').unwrap();
    Partitioner::from_class(std::str::from_utf8(&rest[..end]).unwrap())
}

fn folders(owner: &str) -> Vec<PathBuf> {
    let Some(dir) = upstream(owner) else { return Vec::new() };
    let mut dirs: Vec<PathBuf> =
        std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    dirs.retain(|dir| dir.is_dir());
    dirs.sort();
    dirs
}

#[test]
fn both_readers_find_all_keys_of_all_versions() {
    let (mut tables, mut found, mut versions) = (0, 0, std::collections::BTreeSet::new());
    let owners = ["kopens-lsb", "samueldlightfoot", "scylladb"];
    for dir in owners.into_iter().flat_map(folders) {
        for stem in stems(&dir) {
            // This Index.db is one byte: see F19.
            if dir.ends_with("empty_index") {
                continue;
            }
            let mut table = Table::read(&dir, &stem);
            table.partitioner = partitioner(&dir, &stem);
            let tables_read = if table.summary.is_empty() {
                vec![table.clone().sampled(SampleRule::Scylla)]
            } else {
                vec![table.clone(), table.clone().sampled(SampleRule::Scylla)]
            };
            let keys = table.keys();
            for (i, (key, at)) in keys.iter().enumerate().step_by(keys.len() / 300 + 1) {
                for table in &tables_read {
                    for reader in [Cassandra, Scylla] {
                        let answer = table.find(reader, key, None).0.unwrap();
                        assert_eq!(data(&answer), Some(*at), "{} {reader:?} {i}", table.name);
                        let mut absent = key.clone();
                        absent.push(0x5a);
                        let answer = table.find(reader, &absent, None).0.unwrap();
                        let is_here = keys.iter().any(|(key, _)| *key == absent);
                        assert_eq!(data(&answer).is_some(), is_here, "{} {i}", table.name);
                    }
                }
                found += 1;
            }
            versions.insert(crate::files::letters(&stem).to_owned());
            tables += 1;
        }
    }
    if tables > 0 {
        assert_eq!(versions.into_iter().collect::<Vec<_>>(), VERSIONS);
        assert!(tables > 160 && found > 1400, "{tables} tables, {found} keys");
    }
}

#[test]
fn f12_a_summary_of_a_big_endian_machine_is_recognised_and_read() {
    for version in ["mc", "me", "na", "nb", "oa"] {
        let set = format!("kopens-lsb/legacy_{version}_clust_be_index_summary");
        let Some(dir) = upstream(&set) else { return };
        for stem in stems(&dir) {
            let mut table = Table::read(&dir, &stem).with_clustering(&["UTF8Type"]);
            table.partitioner = Partitioner::ByteOrdered;
            let summary = table.summary();
            assert!(summary.header.big_endian, "{stem}");
            assert_eq!(table.summary[24..28], [0, 0, 0, 4]);
            assert_eq!((summary.header.samples, &summary.first[..]), (1, &b"0"[..]));
            assert_eq!(summary.last, b"4");
            let mut key = Vec::new();
            let at = summary.sample(&table.summary.as_slice(), 0, &mut key).unwrap();
            assert_eq!((at.0, key), (0, b"0".to_vec()));
            for reader in [Cassandra, Scylla] {
                let found = table.find(reader, b"3", None).0.unwrap();
                assert!(matches!(found, LegacyFound::Entry { .. }));
            }
        }
        let Some(dir) = upstream(&format!("kopens-lsb/legacy_{version}_clust")) else { return };
        for stem in stems(&dir) {
            assert!(!Table::read(&dir, &stem).summary().header.big_endian, "{stem}");
        }
    }
}

#[test]
fn f13_a_header_is_big_endian_and_what_follows_is_not() {
    let Some(dir) = upstream("scylladb/summary_test") else { return };
    let table = Table::read(&dir, "me-1-big");
    let summary = table.summary();
    let header = summary.header;
    assert_eq!((header.min_index_interval, header.samples, header.memory_bytes), (128, 2, 32));
    assert_eq!((header.sampling_level, header.size_at_full_sampling), (128, 2));
    let mut key = Vec::new();
    let mut sample = |i| {
        let at = summary.sample(&table.summary.as_slice(), i, &mut key).unwrap();
        (key.clone(), at.0)
    };
    assert_eq!(sample(0), (int(0x17).to_vec(), 0));
    assert_eq!(sample(1), (int(0x03).to_vec(), 1146));
    assert_eq!((summary.first, summary.last), (int(0x17).to_vec(), int(0x67).to_vec()));
}

#[test]
fn f18_a_missing_summary_is_made_from_the_index() {
    let Some(dir) = upstream("scylladb/3.x_uncompressed_read_missing_summary") else { return };
    let table = Table::read(&dir, "mc-1-big").sampled(SampleRule::Every(128));
    let sampled = table.sampled.as_ref().unwrap();
    assert_eq!((sampled.len(), sampled.interval()), (1, Some(128)));
    let (key, at) = sampled.sample(0).unwrap();
    assert_eq!((key, at.0), (&b"hello"[..], 0));
    assert_eq!((sampled.first(), sampled.last()), (&b"hello"[..], &b"hello"[..]));
    for reader in [Cassandra, Scylla] {
        let found = table.find(reader, b"hello", None).0.unwrap();
        assert!(matches!(found, LegacyFound::Entry { .. }));
    }
}

#[test]
fn f19_an_index_that_ends_inside_its_first_key_length_is_damage_not_success() {
    let Some(dir) = upstream("scylladb/empty_index") else { return };
    let table = Table::read(&dir, "mc-36-big");
    assert_eq!(table.index, [0x0a]);
    let expected = "Index.db, offset 0 (page 0 + 0), key length: expected 2 more bytes, found 1";
    for reader in [Cassandra, Scylla] {
        let (found, record) = table.find(reader, &hex("0000002a"), None);
        assert_eq!(found.unwrap_err().to_string(), expected, "{reader:?}");
        assert_eq!(record.total().fetches, 1);
    }
    let mut sampler = triescope_core::big::Sampler::new(
        SampleRule::Scylla,
        triescope_core::table::IndexFormat::Vints,
    );
    let error = sampler.step(&table.index.as_slice(), 10).unwrap_err();
    assert!(matches!(&error, Error::Damage(_)));
    assert_eq!(error.to_string(), expected);
}

#[test]
fn f23_widths_of_the_last_block_include_the_end_of_the_partition() {
    let Some(dir) = upstream("scylladb/large_partition") else { return };
    for version in ["mc", "md", "me"] {
        let table = Table::read(&dir, &format!("{version}-3-big")).with_clustering(&["UTF8Type"]);
        // Each block is found by its first row, which the probes tell: start from the ends.
        let mut seen = std::collections::BTreeMap::new();
        let rows: [&[u8]; 5] = [b"", b"r", b"r5", b"z", b"\xff"];
        for row in rows {
            let (found, _) = table.find(Cassandra, b"v1", Some(&table.row(&[row])));
            let LegacyFound::Entry { block: Some(block), .. } = found.unwrap() else { panic!() };
            assert_eq!(block.of, 4);
            if let Some(end) = block.end {
                seen.insert(block.block.unwrap(), (block.start, end - block.start));
            } else {
                // 196,641 + 26,306: the end-of-partition byte included.
                assert_eq!((block.block, block.start), (Some(4), 222_947));
            }
        }
        let widths = [(16, 65_546), (65_562, 65_543), (131_105, 65_536), (196_641, 26_306)];
        for (block, found) in seen {
            assert_eq!(found, widths[block as usize], "{version} block {block}");
        }
    }
}

#[test]
fn f24_open_deletions_of_blocks_are_told() {
    let set = "scylladb/3.x_uncompressed_read_range_tombstone_boundaries_index";
    let Some(dir) = upstream(set) else { return };
    let stem = stems(&dir).swap_remove(0);
    let table = Table::read(&dir, &stem).with_clustering(&["UTF8Type", "UTF8Type"]);
    let (key, _) = table.keys().swap_remove(0);
    // A place before all rows: block 0; and one after all of them: past the last block.
    let (_, record) = table.find(Cassandra, &key, Some(&table.place(RowKind::Before, &[])));
    let promoted = record.steps.iter().find_map(|step| match step {
        Step::Promoted(promoted) => Some(promoted.clone()),
        _ => None,
    });
    let promoted = promoted.unwrap();
    assert_eq!((promoted.blocks, promoted.header_length), (17, 18));
    assert_eq!(promoted.end.0 - promoted.at.0, 35_488);

    let lengths = [None, None];
    let layout = BlockLayout { version: table.version, lengths: &lengths };
    let bytes = &table.index[promoted.blocks_at.0 as usize..promoted.offsets_at.0 as usize];
    let mut cursor = Cursor::new(Part::Index, promoted.blocks_at, bytes);
    let blocks: Vec<_> = (0..17).map(|_| Block::read(&mut cursor, layout).unwrap()).collect();
    assert_eq!(cursor.left(), 0);
    assert_eq!((blocks[0].offset, blocks[0].width), (18, 65_658));
    let open = Deletion { timestamp: 1_525_385_507_816_699, local_time: 1_530_821_499 };
    assert_eq!(blocks[0].open, Some(open));
    assert!(blocks[..16].iter().all(|block| block.open.is_some()) && blocks[16].open.is_none());
    assert_eq!(blocks[1].first.kind, BoundKind::InclusiveEndExclusiveStart);
    assert_eq!(blocks.iter().map(|block| block.width).sum::<u64>(), 1_066_837);

    // Who starts reading at block 1 needs the deletion that block 0 leaves open.
    let first_of_1: Vec<&[u8]> = blocks[1].first.values.iter().flatten().map(|v| &v[..]).collect();
    let place = table.place(RowKind::After, &first_of_1);
    for (reader, number) in [(Cassandra, 1), (Scylla, 1)] {
        let (found, _) = table.find(reader, &key, Some(&place));
        let LegacyFound::Entry { block: Some(block), .. } = found.unwrap() else { panic!() };
        assert_eq!((block.block, block.open), (Some(number), Some(open)), "{reader:?}");
    }
}
