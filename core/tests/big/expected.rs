//! Every `expected.json` of `oa` and `nb`: what Cassandra's own readers answer on these files.

use crate::files::{Table, data, hex, list, sets};
use serde_json::Value;
use triescope_core::big::{Block, BlockLayout, EntryHead, PromotedHead};
use triescope_core::cursor::Cursor;
use triescope_core::data::Deletion;
use triescope_core::lookup::{Cmp, LegacyFound, Record, RowKind, Step, find_reverse_block};
use triescope_core::pos::FilePos;
use triescope_core::race::LegacyReader;
use triescope_core::source::Pages;
use triescope_core::table::Part;

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

/// Whether a key is the one in the answers, where long ones are cut, or given by length and checksum.
fn is_key(expected: &Value, key: &[u8]) -> bool {
    match expected["key"].as_str().or(expected.as_str()) {
        Some(text) => match text.strip_suffix("...") {
            Some(start) => key.starts_with(&hex(&start[..start.len() / 2 * 2])),
            None => key == hex(text),
        },
        None => {
            number(&expected["key_len"]) == key.len() as u64
                && expected["key_crc32"] == format!("{:08x}", crc32fast::hash(key))
        }
    }
}

fn deletion(value: &Value) -> Option<Deletion> {
    let time = value.as_object()?;
    Some(Deletion {
        timestamp: time["timestamp"].as_i64().unwrap(),
        local_time: time["local_deletion_time"].as_i64().unwrap(),
    })
}

fn head(table: &Table, at: u64) -> (EntryHead, Vec<u8>) {
    let (index, mut unheard, mut bytes) = (table.index.as_slice(), (), Vec::new());
    let mut pages = Pages::new(Part::Index, &index, &mut unheard);
    (
        EntryHead::read(&mut pages, table.version.formats().index, FilePos(at), &mut bytes)
            .unwrap(),
        bytes,
    )
}

fn promoted(table: &Table, head: &EntryHead) -> Option<PromotedHead> {
    let (index, mut unheard) = (table.index.as_slice(), ());
    let mut pages = Pages::new(Part::Index, &index, &mut unheard);
    let (at, size) = (head.promoted_at(), head.promoted_size);
    (size > 0).then(|| PromotedHead::read(&mut pages, at, size, table.version).unwrap())
}

/// All blocks in order; they fill the promoted index up to the offsets, which point at them.
fn blocks(table: &Table, head: &PromotedHead) -> Vec<Block> {
    let columns = table.clustering.columns().iter();
    let lengths: Vec<_> = columns.map(|column| column.cql.fixed_len()).collect();
    let layout = BlockLayout { version: table.version, lengths: &lengths };
    let range = head.blocks_at.0 as usize..head.offsets_at.0 as usize;
    let mut cursor = Cursor::new(Part::Index, head.blocks_at, &table.index[range]);
    let mut found = Vec::new();
    while cursor.left() > 0 {
        let block = Block::read(&mut cursor, layout).unwrap();
        let offset = head.offset_at(found.len() as u64).0 as usize;
        let offset = u32::from_be_bytes(table.index[offset..offset + 4].try_into().unwrap());
        assert_eq!(head.block_at(found.len() as u64, offset).unwrap(), block.at);
        found.push(block);
    }
    assert_eq!(found.len() as u64, head.blocks, "{}", table.name);
    assert_eq!(found[0].offset, head.header_length);
    assert!(found.windows(2).all(|pair| pair[0].end() == pair[1].offset));
    found
}

#[test]
fn summaries_equal_cassandras() {
    let mut compared = 0;
    for (table, json) in sets() {
        let summary = table.summary();
        let expected = &json["summary_db"];
        let header = summary.header;
        assert_eq!(header.samples, number(&expected["entries"]), "{}", table.name);
        assert_eq!(u64::from(header.min_index_interval), number(&expected["min_index_interval"]));
        assert_eq!(u64::from(header.sampling_level), number(&expected["sampling_level"]));
        assert!(!header.big_endian);
        assert_eq!(summary.bytes, number(&json["components"]["Summary.db"]["size"]));
        assert!(is_key(&json["first_key"], &summary.first));
        assert!(is_key(&json["last_key"], &summary.last));
        for sample in list(&expected["samples"]) {
            let mut key = Vec::new();
            let i = number(&sample["i"]);
            let at = summary.sample(&table.summary.as_slice(), i, &mut key).unwrap();
            assert_eq!(at.0, number(&sample["index_position"]), "{} {i}", table.name);
            assert!(is_key(sample, &key), "{} {i}", table.name);
            compared += 1;
        }
    }
    assert!(compared > 300, "{compared} samples compared");
}

#[test]
fn partitions_equal_cassandras() {
    let mut compared = 0;
    for (table, json) in sets() {
        assert_eq!(table.keys().len() as u64, number(&json["partition_count"]), "{}", table.name);
        for expected in list(&json["partitions"]) {
            let (head, bytes) = head(&table, number(&expected["index_position"]));
            assert!(is_key(expected, head.key(&bytes)), "{} {expected}", table.name);
            assert_eq!(head.data.0, number(&expected["data_position"]));
            let promoted = promoted(&table, &head);
            assert_eq!(promoted.map_or(0, |head| head.blocks), number(&expected["blocks"]));
            if let Some(promoted) = promoted {
                assert_eq!(promoted.deletion, deletion(&expected["deletion"]), "{}", table.name);
                blocks(&table, &promoted);
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 3267, "partitions compared");
}

#[test]
fn blocks_equal_cassandras() {
    let mut compared = 0;
    for (table, json) in sets() {
        for partition in list(&json["blocks"]) {
            let (head, bytes) = head(&table, number(&partition["index_position"]));
            assert!(is_key(partition, head.key(&bytes)));
            let found = blocks(&table, &promoted(&table, &head).unwrap());
            for expected in list(&partition["blocks"]) {
                let block = &found[number(&expected["i"]) as usize];
                assert_eq!(block.offset, number(&expected["offset"]));
                assert_eq!(block.width, number(&expected["width"]));
                assert_eq!(block.open, deletion(&expected["end_open"]), "{}", table.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 4000, "{compared} blocks compared");
}

/// Window start, end of the last entry read, and entries read, from the record of a scan.
fn scan(record: &Record) -> Option<(u64, u64, u64)> {
    let mut scan = None;
    for step in &record.steps {
        match step {
            Step::Window(window) => scan = Some((window.from.0, window.from.0, 0)),
            Step::Entry(entry) => {
                let (from, _, read) = scan.unwrap();
                let end = entry.at.0 + u64::from(entry.head) + entry.promoted_size;
                assert_eq!(entry.index, read);
                scan = Some((from, end, read + 1));
            }
            _ => {}
        }
    }
    scan
}

/// The number of the last sample that is not greater than the key, from the probes; -1 before the first.
fn sample(record: &Record) -> i64 {
    let probes = record.steps.iter().filter_map(|step| match step {
        Step::SummaryProbe(probe) => Some(probe),
        _ => None,
    });
    let up_to = probes.filter(|probe| probe.cmp != Cmp::Smaller).map(|probe| probe.sample as i64);
    up_to.max().unwrap_or(-1)
}

#[test]
fn lookups_equal_cassandras_samples_scans_and_positions() {
    let (mut compared, mut outside) = (0, 0);
    for (table, json) in sets() {
        for expected in list(&json["lookups"]) {
            let key = hex(expected["key"].as_str().unwrap());
            let (found, record) = table.find(LegacyReader::Cassandra, &key, None);
            let place = format!("{} {expected}", table.name);
            assert_eq!(data(&found.unwrap()), expected["position"].as_u64(), "{place}");
            let expected_scan = expected.get("scan_from").map(|from| {
                (number(from), number(&expected["scan_to"]), number(&expected["entries_read"]))
            });
            assert_eq!(scan(&record), expected_scan, "{place}");
            if expected_scan.is_some() {
                assert_eq!(sample(&record), expected["summary_index"].as_i64().unwrap(), "{place}");
                assert_eq!(record.total().entries, number(&expected["entries_read"]));
            } else {
                outside += 1;
                assert_eq!(record.total().fetches, 0, "{place}");
                // Cassandra stops at the ends of the SSTable; by ScyllaDB's probes the sample is the same one.
                let (_, record) = table.find(LegacyReader::Scylla, &key, None);
                assert_eq!(sample(&record), expected["summary_index"].as_i64().unwrap(), "{place}");
            }
            let (found, _) = table.find(LegacyReader::Scylla, &key, None);
            assert_eq!(data(&found.unwrap()), expected["position"].as_u64(), "{place}");
            compared += 1;
        }
    }
    assert_eq!((compared, outside), (6691, 4521), "lookups compared, and those outside");
}

#[test]
fn an_absent_key_is_followed_by_the_partition_that_cassandra_names() {
    let mut compared = 0;
    for (table, json) in sets() {
        for expected in list(&json["lookups"]).iter().filter(|e| e["present"] == false) {
            // Between equal tokens the bound by token is not the place of the key.
            if table.name.contains("token_edges") {
                continue;
            }
            let token = table.partitioner.token(&hex(expected["key"].as_str().unwrap()));
            let next = table.with_index(|index| {
                index
                    .samples
                    .lower_bound(
                        index.index,
                        table.version.formats().index,
                        &table.partitioner,
                        &token,
                    )
                    .unwrap()
            });
            let next = next.unwrap().map(|(head, _)| head.data.0);
            assert_eq!(next, expected["next_position"].as_u64(), "{} {expected}", table.name);
            compared += 1;
        }
    }
    assert!(compared > 3000, "{compared} compared");
}

#[test]
fn row_lookups_equal_cassandras_blocks_in_both_directions() {
    let mut compared = 0;
    for (table, json) in sets() {
        for partition in list(&json["row_lookups"]) {
            let key = hex(partition["key"].as_str().unwrap());
            for expected in list(&partition["lookups"]) {
                let values = list(&expected["values"]).iter();
                let values: Vec<_> = values.map(|v| v.as_str().map(hex)).collect();
                let kind = match expected["kind"].as_str().unwrap() {
                    "row" => RowKind::Row,
                    "bottom" | "incl_start_bound" | "excl_end_bound" => RowKind::Before,
                    "top" | "incl_end_bound" | "excl_start_bound" => RowKind::After,
                    other => panic!("{other}"),
                };
                let target =
                    table.clustering.target(triescope_core::keys::Dialect::CASSANDRA, kind, values);
                let place = format!("{} {expected}", table.name);
                let (found, record) = table.find(LegacyReader::Cassandra, &key, Some(&target));
                let LegacyFound::Entry { at, block: Some(block), .. } = found.unwrap() else {
                    panic!("{place}")
                };
                assert_eq!(block.block, expected["block"].as_u64(), "{place}");
                assert_eq!(block.after_last, block.block == Some(block.of), "{place}");
                assert!(record.steps.contains(&Step::Block(block.clone())));

                let (head, _) = head(&table, at.0);
                let all = blocks(&table, &promoted(&table, &head).unwrap());
                match all.get(block.block.unwrap() as usize) {
                    Some(chosen) => {
                        assert_eq!((block.start, block.end), (chosen.offset, Some(chosen.end())));
                        let before = block.block.unwrap().checked_sub(1);
                        let open = before.and_then(|before| all[before as usize].open);
                        assert_eq!(block.open, open, "{place}");
                    }
                    None => assert_eq!(block.start, all[all.len() - 1].end()),
                }

                let reverse = table
                    .with_index(|index| find_reverse_block(index, at, &target, &mut ()).unwrap());
                let reverse = reverse.unwrap().map_or(-1, |block| block as i64);
                assert_eq!(reverse, expected["reverse_block"].as_i64().unwrap(), "{place}");

                // ScyllaDB starts at the last block that does not start after the position.
                let (found, _) = table.find(LegacyReader::Scylla, &key, Some(&target));
                let LegacyFound::Entry { block: Some(block), .. } = found.unwrap() else {
                    panic!("{place}")
                };
                let chosen = &all[reverse.max(0) as usize];
                assert_eq!(
                    (block.block, block.start),
                    (Some(reverse.max(0) as u64), chosen.offset)
                );
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 3548, "row lookups compared");
}
