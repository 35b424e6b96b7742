//! Every `expected.json` of the trie format: what Cassandra's own readers answer on these files.

use crate::files::{Index, comparable, hex, pos, recorded, root};
use serde_json::Value;
use std::path::PathBuf;
use triescope_core::bti::{Block, Exact, RowEntry, RowIndex};
use triescope_core::data::Deletion;
use triescope_core::keys::murmur3;
use triescope_core::lookup::{LeafTarget, NodeOutcome, Record, Step};
use triescope_core::source::Pages;
use triescope_core::table::Part;

/// A set of files with its answers.
struct Set {
    index: Index,
    json: Value,
}

fn sets() -> Vec<Set> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for table in std::fs::read_dir(root().join("testdata/cassandra")).unwrap() {
        let Ok(files) = std::fs::read_dir(table.unwrap().path().join("da")) else { continue };
        let files = files.map(|file| file.unwrap().path());
        paths.extend(files.filter(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.starts_with("expected") && name.ends_with(".json")
        }));
    }
    paths.sort();
    assert_eq!(paths.len(), 60, "sets of the trie format");
    paths
        .into_iter()
        .map(|path| {
            let json: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            let stem = format!("da-{}-bti", json["generation"]);
            Set { index: Index::read(path.parent().unwrap(), &stem), json }
        })
        .collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn numbers(value: &Value) -> Vec<u64> {
    list(value).iter().map(|number| number.as_u64().unwrap()).collect()
}

fn deletion(value: &Value) -> Option<Deletion> {
    let time = value.as_object()?;
    Some(Deletion {
        timestamp: time["timestamp"].as_i64().unwrap(),
        local_time: time["local_deletion_time"].as_i64().unwrap(),
    })
}

fn requests(record: &Record, part: Part) -> Vec<u64> {
    record.requests(part).map(|page| page.0).collect()
}

fn entry(index: &Index, at: u64) -> RowEntry {
    recorded(Part::Rows, &index.rows, |pages| RowEntry::read(pages, pos(at))).0.unwrap()
}

#[test]
fn footers_equal_cassandras() {
    for Set { index, json } in sets() {
        let footer = index.footer();
        let expected = &json["partitions_db"];
        let found = (footer.root.0, footer.count, footer.keys_at.0);
        let number = |name: &str| expected[name].as_u64().unwrap();
        assert_eq!(found, (number("root"), number("key_count"), number("keys_position")));
        for (key, name) in [(&footer.first, "first_key"), (&footer.last, "last_key")] {
            // Long texts are cut and end in dots.
            let text = json[name].as_str().unwrap();
            match text.strip_suffix("...") {
                Some(start) => assert!(key.starts_with(&hex(start)), "{} {name}", index.name),
                None => assert_eq!(*key, hex(text), "{} {name}", index.name),
            }
        }
    }
}

#[test]
fn partitions_in_order_equal_cassandras() {
    let mut compared = 0;
    for Set { index, json } in sets() {
        let file = index.partitions.as_slice();
        let mut nobody = ();
        let mut leaves = index.trie().leaves(Pages::new(Part::Partitions, &file, &mut nobody));
        let mut found = Vec::new();
        while let Some(leaf) = leaves.next().unwrap() {
            assert!(leaf.certain);
            found.push(leaf.leaf);
        }
        assert_eq!(found.len() as u64, index.footer().count, "{}", index.name);
        for expected in list(&json["partitions"]) {
            let leaf = found[expected["i"].as_u64().unwrap() as usize];
            assert_eq!(leaf.at.0, expected["leaf"].as_u64().unwrap());
            assert_eq!(leaf.hash.map(u64::from), expected["hash"].as_u64());
            assert_eq!(leaf.raw, expected["raw_position"].as_i64().unwrap());
            let prefix = hex(expected["prefix"].as_str().unwrap());
            assert_eq!(leaf.depth as usize, prefix.len());
            if let Some(key) = expected["key"].as_str() {
                assert!(comparable(&hex(key)).starts_with(&prefix));
            }
            let data = expected["data_position"].as_u64().unwrap();
            match leaf.target() {
                LeafTarget::Data(at) => {
                    assert_eq!(at.0, data);
                    assert!(expected.get("rows_entry").is_none());
                }
                LeafTarget::Rows(at) => {
                    assert_eq!(at.0, expected["rows_entry"].as_u64().unwrap());
                    let entry = entry(&index, at.0);
                    assert_eq!(entry.key, hex(expected["key"].as_str().unwrap()));
                    assert_eq!(entry.data.0, data);
                    assert_eq!(entry.root.0, expected["trie_root"].as_u64().unwrap());
                    assert_eq!(entry.blocks, expected["blocks"].as_u64().unwrap());
                    assert_eq!(entry.deletion, deletion(&expected["deletion"]));
                }
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 1735, "partitions compared");
}

#[test]
fn lookups_equal_cassandras_answers_nodes_and_page_requests() {
    let mut compared = 0;
    for Set { index, json } in sets() {
        let trie = index.trie();
        for expected in list(&json["lookups"]) {
            let key = hex(expected["key"].as_str().unwrap());
            let hash = murmur3(&key).byte();
            let (found, record) = recorded(Part::Partitions, &index.partitions, |pages| {
                trie.exact(pages, &comparable(&key), hash).unwrap()
            });
            let (end, candidate) = match found {
                Exact::DeadEnd => ("dead end", None),
                Exact::OtherHash(_) => ("hash byte", None),
                Exact::Candidate(leaf) => ("candidate", Some(leaf.raw)),
            };
            assert_eq!(end, expected["end"].as_str().unwrap(), "{} {key:x?}", index.name);
            assert_eq!(candidate, expected["candidate"].as_i64());
            assert_eq!(requests(&record, Part::Partitions), numbers(&expected["pages"]));
            let nodes = record.steps.iter().filter_map(|step| match step {
                Step::Node(node) => Some(node.at.0),
                _ => None,
            });
            assert_eq!(nodes.collect::<Vec<_>>(), numbers(&expected["nodes"]));
            assert_eq!(record.total().nodes as usize, list(&expected["nodes"]).len());
            compared += 1;
        }
    }
    assert_eq!(compared, 3673, "lookups compared");
}

#[test]
fn an_absent_key_is_followed_by_the_partition_that_cassandra_names() {
    let mut compared = 0;
    for Set { index, json } in sets() {
        let file = index.partitions.as_slice();
        let data_position = |target| match target {
            LeafTarget::Data(at) => at.0,
            LeafTarget::Rows(at) => entry(&index, at.0).data.0,
        };
        let known = |data| {
            let mut partitions = list(&json["partitions"]).iter();
            let found = partitions.find(|partition| partition["data_position"] == data)?;
            Some(hex(found["key"].as_str()?))
        };
        for expected in list(&json["lookups"]).iter().filter(|e| e["present"] == false) {
            let key = comparable(&hex(expected["key"].as_str().unwrap()));
            let mut nobody = ();
            let pages = Pages::new(Part::Partitions, &file, &mut nobody);
            let mut leaves = index.trie().leaves_from(pages, &key).unwrap();
            let mut next = leaves.next().unwrap();
            if let Some(found) = next.filter(|found| !found.certain) {
                // The key at an uncertain leaf must be compared; here that needs one of the listed partitions.
                match known(data_position(found.leaf.target())) {
                    Some(there) if comparable(&there) < key => next = leaves.next().unwrap(),
                    Some(_) => {}
                    None => continue,
                }
            }
            let found = next.map(|found| data_position(found.leaf.target()));
            assert_eq!(found, expected["next_position"].as_u64(), "{}", index.name);
            compared += 1;
        }
    }
    assert!(compared > 1500, "{compared} compared");
}

#[test]
fn blocks_in_order_equal_cassandras() {
    let mut compared = 0;
    for Set { index, json } in sets() {
        for partition in list(&json["blocks"]) {
            let entry = entry(&index, partition["rows_entry"].as_u64().unwrap());
            let file = index.rows.as_slice();
            let mut nobody = ();
            let pages = Pages::new(Part::Rows, &file, &mut nobody);
            let mut blocks = RowIndex::new(&entry).blocks(pages);
            let mut found: Vec<(Vec<u8>, Block)> = Vec::new();
            while let Some(block) = blocks.next().unwrap() {
                found.push((blocks.separator().to_vec(), block));
            }
            assert_eq!(found.len() as u64, entry.blocks + 1, "{}", index.name);
            for expected in list(&partition["separators"]) {
                let (separator, block) = &found[expected["i"].as_u64().unwrap() as usize];
                match expected["separator"].as_str() {
                    Some(text) => assert_eq!(*separator, hex(text)),
                    None => {
                        let crc = format!("{:08x}", crc32fast::hash(separator));
                        let tail = hex(expected["separator_tail"].as_str().unwrap());
                        assert_eq!(separator.len() as u64, expected["separator_len"]);
                        assert_eq!(crc, expected["separator_crc32"].as_str().unwrap());
                        assert!(separator.ends_with(&tail));
                    }
                }
                assert_eq!(block.node.0, expected["node"].as_u64().unwrap());
                assert_eq!(block.offset, expected["offset"].as_u64().unwrap());
                assert_eq!(block.open, deletion(&expected["open"]));
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 3775, "separators compared");
}

#[test]
fn row_lookups_equal_cassandras_blocks_and_page_requests_in_both_directions() {
    let mut compared = 0;
    for Set { index, json } in sets() {
        for partition in list(&json["row_lookups"]) {
            let entry = entry(&index, partition["rows_entry"].as_u64().unwrap());
            let rows = RowIndex::new(&entry);
            for expected in list(&partition["lookups"]) {
                let key = hex(expected["comparable"].as_str().unwrap());
                let (floor, record) =
                    recorded(Part::Rows, &index.rows, |pages| rows.floor(pages, &key).unwrap());
                assert_eq!(floor.block.offset, expected["floor"].as_u64().unwrap());
                assert_eq!(floor.block.open, deletion(&expected["open"]));
                assert_eq!(requests(&record, Part::Rows), numbers(&expected["pages"]));
                check_outcomes(&record, &floor.block);

                let (higher, _) =
                    recorded(Part::Rows, &index.rows, |pages| rows.higher(pages, &key).unwrap());
                assert_eq!(floor.after_last, higher.is_none());
                if let Some(end) = floor.end {
                    assert_eq!(Some(end), higher.map(|block| block.offset));
                }

                let (reverse, record) =
                    recorded(Part::Rows, &index.rows, |pages| rows.reverse(pages, &key).unwrap());
                assert_eq!(reverse.unwrap().offset, expected["reverse"].as_u64().unwrap());
                assert_eq!(requests(&record, Part::Rows), numbers(&expected["reverse_pages"]));
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 1800, "row lookups compared");
}

/// The steps of a row lookup lead from node to node and end at the block.
fn check_outcomes(record: &Record, block: &Block) {
    let nodes: Vec<_> = record
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::Node(node) => Some(node),
            _ => None,
        })
        .collect();
    for pair in nodes.windows(2) {
        match &pair[0].outcome {
            NodeOutcome::Follow(edge)
            | NodeOutcome::Last(edge)
            | NodeOutcome::Floor { edge, .. } => {
                assert_eq!(edge.to, pair[1].at);
                assert_eq!(edge.to.0, pair[0].at.0 - edge.distance);
                assert_eq!(pair[0].children[edge.child as usize], edge.byte);
                assert_eq!(pair[1].depth, pair[0].depth + 1);
            }
            NodeOutcome::Back { to, .. } => assert_eq!(*to, pair[1].at),
            other => panic!("{other:?} is followed by another node"),
        }
    }
    match nodes.last().map(|node| (node.at, &node.outcome)) {
        Some((at, NodeOutcome::Block(payload))) => {
            assert_eq!((at, payload.offset, payload.open), (block.node, block.offset, block.open));
        }
        Some((_, NodeOutcome::Back { to, .. })) => assert_eq!(*to, block.node),
        other => panic!("the walk ends with {other:?}"),
    }
}
