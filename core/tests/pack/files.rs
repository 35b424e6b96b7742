//! Real files written again from keys, positions, separators and deletions alone: the same bytes.

use crate::common::{Expected, InMemory, all_cassandra, cassandra, folders, testdata, upstream};
use serde_json::Value;
use std::fs;
use std::ops::ControlFlow;
use triescope_core::big::IndexWalk;
use triescope_core::bti::pack::{Flavour, PartitionTarget, PartitionsWriter, RowBlock, RowsWriter};
use triescope_core::bti::{PartitionIndex, RowEntry, RowIndex};
use triescope_core::data::Deletion;
use triescope_core::keys::{murmur3, partition_key};
use triescope_core::lookup::LeafTarget;
use triescope_core::pos::{DataPos, FilePos};
use triescope_core::source::Pages;
use triescope_core::table::{IndexKind, Part, Table};

/// Ends of the pieces in which ScyllaDB holds a clustering of up to 3,512 bytes; no longer one is in these files.
const FRAGMENTS: [usize; 3] = [488, 1488, 3512];

/// A partition with a row index, as the writer is told of it.
struct Wide {
    data: DataPos,
    deletion: Option<Deletion>,
    /// Separator, offset, open deletion; the end marker last.
    blocks: Vec<(Vec<u8>, u64, Option<Deletion>)>,
}

/// What an index says, without where it says it.
struct Content {
    keys: Vec<(Vec<u8>, Result<DataPos, Wide>)>,
}

/// Reads a trie index; `keys` are the serialized keys in order.
fn content(files: &InMemory, keys: &[Vec<u8>]) -> Content {
    let (partitions, rows) = (files.part(Part::Partitions), files.part(Part::Rows));
    let table = files.table();
    let index = PartitionIndex::new(table.footer.as_ref().unwrap());
    let mut nobody = ();
    let mut leaves = index.leaves(Pages::new(Part::Partitions, &partitions, &mut nobody));
    let mut content = Content { keys: Vec::new() };
    for key in keys {
        let leaf = leaves.next().unwrap().expect("a leaf a key").leaf;
        let target = match leaf.target() {
            LeafTarget::Data(at) => Ok(at),
            LeafTarget::Rows(at) => Err(wide(&rows, at)),
        };
        content.keys.push((key.clone(), target));
    }
    assert!(leaves.next().unwrap().is_none());
    content
}

fn wide(rows: &&[u8], at: FilePos) -> Wide {
    let (mut nobody, mut nobody2) = ((), ());
    let entry = RowEntry::read(&mut Pages::new(Part::Rows, rows, &mut nobody), at).unwrap();
    let mut walk = RowIndex::new(&entry).blocks(Pages::new(Part::Rows, rows, &mut nobody2));
    let mut blocks = Vec::new();
    while let Some(block) = walk.next().unwrap() {
        blocks.push((walk.separator().to_vec(), block.offset, block.open));
    }
    Wide { data: entry.data, deletion: entry.deletion, blocks }
}

/// Partitions.db, Rows.db, the positions of the entries in Rows.db, the roots of their tries.
struct Written {
    partitions: Vec<u8>,
    rows: Vec<u8>,
    entries: Vec<u64>,
}

fn write(table: &Table<&[u8]>, content: &Content, flavour: Flavour) -> Written {
    let mut rows = RowsWriter::new(flavour, Vec::new());
    let mut partitions = PartitionsWriter::new(flavour, Vec::new());
    let mut entries = Vec::new();
    for (key, target) in &content.keys {
        let target = match target {
            Ok(at) => PartitionTarget::Data(*at),
            Err(wide) => {
                for (separator, offset, open) in &wide.blocks {
                    let block = RowBlock { separator, offset: *offset, open: *open };
                    rows.add(block, FRAGMENTS).unwrap();
                }
                let at = rows.end_partition(key, wide.data, wide.deletion).unwrap();
                entries.push(at.0);
                PartitionTarget::Rows(at)
            }
        };
        let style = table.dialect().key_style;
        let comparable = partition_key(&table.partitioner(), style, table.key_schema(), key);
        partitions.add(key, &comparable.bytes, murmur3(key).byte(), target).unwrap();
    }
    Written { partitions: partitions.finish().unwrap(), rows: rows.into_sink(), entries }
}

/// The keys in order: from Data.db, else from the Index.db of the same rows in another format.
fn keys(files: &InMemory, twin: Option<&InMemory>) -> Vec<Vec<u8>> {
    let mut keys = Vec::new();
    if let Some(twin) = twin {
        let index = twin.part(Part::Index);
        let each = |head: &triescope_core::big::EntryHead, bytes: &[u8]| {
            keys.push(head.key(bytes).to_vec());
            ControlFlow::Continue(())
        };
        IndexWalk::new(twin.set.version.formats().index).run(&index, u64::MAX, each).unwrap();
        return keys;
    }
    let table = files.table();
    let (partitions, rows) = (files.part(Part::Partitions), files.part(Part::Rows));
    let mut nobody = ();
    let mut leaves = PartitionIndex::new(table.footer.as_ref().unwrap()).leaves(Pages::new(
        Part::Partitions,
        &partitions,
        &mut nobody,
    ));
    let mut data = table.data_reader().unwrap();
    while let Some(found) = leaves.next().unwrap() {
        keys.push(match found.leaf.target() {
            LeafTarget::Data(at) => data.key(at).unwrap().0,
            LeafTarget::Rows(at) => {
                let mut nobody = ();
                RowEntry::read(&mut Pages::new(Part::Rows, &rows, &mut nobody), at).unwrap().key
            }
        });
    }
    keys
}

fn twin(expected: &Expected) -> Option<InMemory> {
    let (table, _) = expected.name.split_once('/').unwrap();
    let generation = expected.files.set.generation.to_string().parse().unwrap();
    testdata().join(table).join("oa").is_dir().then(|| cassandra(table, "oa", generation).files)
}

/// The first byte that differs, for a message.
fn difference(found: &[u8], real: &[u8]) -> String {
    let at = found.iter().zip(real).position(|(a, b)| a != b);
    format!("{} bytes of {}, first difference {at:?}", found.len(), real.len())
}

#[test]
fn files_of_cassandra_come_out_byte_for_byte() {
    let (mut wrong, mut files) = (Vec::new(), 0);
    for expected in all_cassandra("da") {
        let keys = keys(&expected.files, twin(&expected).as_ref());
        let content = content(&expected.files, &keys);
        let written = write(&expected.files.table(), &content, Flavour::CASSANDRA);
        for (part, found) in [(Part::Partitions, &written.partitions), (Part::Rows, &written.rows)]
        {
            let real = expected.files.part(part);
            if found != real {
                wrong.push(format!("{} {part}: {}", expected.name, difference(found, real)));
            }
            files += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(files >= 118, "{files} files");
}

#[test]
fn the_same_keys_come_out_as_scylladbs_writer_makes_them() {
    let (mut wrong, mut sets) = (Vec::new(), 0);
    for expected in all_cassandra("da") {
        let (table, _) = expected.name.split_once('/').unwrap();
        let generation = expected.files.set.generation.to_string();
        let folder = testdata().join(table);
        let several = folder.join(format!("scylla-index-{generation}.json"));
        let answers = if several.exists() { several } else { folder.join("scylla-index.json") };
        let answers: Value = serde_json::from_str(&fs::read_to_string(answers).unwrap()).unwrap();
        let keys = keys(&expected.files, twin(&expected).as_ref());
        let content = content(&expected.files, &keys);
        let written = write(&expected.files.table(), &content, Flavour::SCYLLA);
        for (name, found) in [("Partitions.db", &written.partitions), ("Rows.db", &written.rows)] {
            let answer = &answers[name];
            let crc = format!("{:08x}", crc32fast::hash(found));
            if answer["size"] != found.len() || answer["crc32"] != crc.as_str() {
                wrong.push(format!("{} {name}: {} {crc}, {answer}", expected.name, found.len()));
            }
        }
        if let Some(entries) = answers["Rows.db"]["entries"].as_array() {
            let entries: Vec<u64> = entries.iter().map(|at| at.as_u64().unwrap()).collect();
            if entries != written.entries {
                wrong.push(format!("{}: entries", expected.name));
            }
        }
        sets += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(sets >= 59, "{sets} sets");
}

#[test]
fn files_of_scylladb_come_out_byte_for_byte() {
    let Some(all) = upstream("scylladb") else { return };
    let (mut wrong, mut sets) = (Vec::new(), 0);
    for folder in folders(&all) {
        for files in InMemory::folder(&folder) {
            let scylla = ["ms", "mt"].contains(&files.set.version.as_str());
            if files.set.index().kind != Some(IndexKind::Trie) || !scylla {
                continue;
            }
            let written =
                write(&files.table(), &content(&files, &keys(&files, None)), Flavour::SCYLLA);
            // The writers of these files ended Rows.db with four bytes of filler.
            let rows = [&written.rows[..], &[0x13, 0x37, 0x13, 0x37]].concat();
            for (part, found) in [(Part::Partitions, &written.partitions), (Part::Rows, &rows)] {
                let real = files.part(part);
                if found != real {
                    let name = format!("{} {}", folder.display(), files.set.name());
                    wrong.push(format!("{name} {part}: {}", difference(found, real)));
                }
            }
            sets += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(sets >= 15, "{sets} sets");
}
