//! Real Index.db and Summary.db written again from keys, positions, blocks and deletions: the same bytes.

use crate::common::{InMemory, all_cassandra, folders, upstream};
use std::ops::ControlFlow;
use triescope_core::big::write::{IndexWriter, Promoted, SummaryOptions, write_summary};
use triescope_core::big::{
    Block, BlockLayout, EntryHead, IndexWalk, PromotedHead, SampleMaker, SampleRule, Sampled,
};
use triescope_core::cursor::Cursor;
use triescope_core::data::Deletion;
use triescope_core::pos::{DataPos, FilePos};
use triescope_core::source::Pages;
use triescope_core::table::{IndexKind, Part, Table};
use triescope_core::write::WriteError;

/// A partition, as the writer is told of it.
struct Entry {
    key: Vec<u8>,
    data: DataPos,
    promoted: Option<(u64, Option<Deletion>, Vec<Block>)>,
}

fn read(index: &[u8], layout: BlockLayout<'_>) -> Vec<Entry> {
    let mut entries = Vec::new();
    let each = |head: &EntryHead, bytes: &[u8]| {
        let promoted = (head.promoted_size > 0).then(|| promoted(index, head, layout));
        entries.push(Entry { key: head.key(bytes).to_vec(), data: head.data, promoted });
        ControlFlow::Continue(())
    };
    IndexWalk::new(layout.version.formats().index).run(&index, u64::MAX, each).unwrap();
    entries
}

fn promoted(
    index: &[u8],
    head: &EntryHead,
    layout: BlockLayout<'_>,
) -> (u64, Option<Deletion>, Vec<Block>) {
    let mut nobody = ();
    let mut pages = Pages::new(Part::Index, &index, &mut nobody);
    let (at, size) = (head.promoted_at(), head.promoted_size);
    let promoted = PromotedHead::read(&mut pages, at, size, layout.version).unwrap();
    let bytes = &index[promoted.blocks_at.0 as usize..promoted.offsets_at.0 as usize];
    let mut cursor = Cursor::new(Part::Index, promoted.blocks_at, bytes);
    let blocks = (0..promoted.blocks).map(|_| Block::read(&mut cursor, layout).unwrap()).collect();
    assert_eq!(cursor.left(), 0);
    (promoted.header_length, promoted.deletion, blocks)
}

/// Index.db, and where each entry begins.
fn write(
    table: &Table<&[u8]>,
    entries: &[Entry],
    lengths: &[Option<u32>],
) -> (Vec<u8>, Vec<FilePos>) {
    let layout = BlockLayout { version: table.version(), lengths };
    let partitioner = table.partitioner();
    let mut writer = IndexWriter::new(&partitioner, layout, Vec::new());
    let mut places = Vec::new();
    for Entry { key, data, promoted } in entries {
        let promoted = promoted.as_ref().map(|(header_length, deletion, blocks)| Promoted {
            header_length: *header_length,
            deletion: *deletion,
            blocks,
        });
        places.push(writer.add(key, *data, promoted).unwrap());
    }
    (writer.into_sink(), places)
}

fn sampled(
    entries: &[Entry],
    places: &[FilePos],
    rule: SampleRule,
    data: impl Fn(DataPos) -> u64,
) -> Sampled {
    let mut maker = SampleMaker::new(rule);
    for (entry, at) in entries.iter().zip(places) {
        maker.add(&entry.key, data(entry.data), *at);
    }
    maker.into_sampled()
}

/// What differs, in words; and whether there was a Summary.db.
fn differences(files: &InMemory, name: &str, wrong: &mut Vec<String>) -> bool {
    let table = files.table();
    let lengths = table.clustering_schema().map_or_else(Vec::new, |schema| {
        schema.columns().iter().map(|column| column.cql.fixed_len()).collect::<Vec<_>>()
    });
    let layout = BlockLayout { version: table.version(), lengths: &lengths };
    let real = files.part(Part::Index);
    let entries = read(real, layout);
    let (index, places) = write(&table, &entries, &lengths);
    if index != real {
        let at = index.iter().zip(real).position(|(a, b)| a != b);
        wrong.push(format!("{name} Index.db: {} of {}, {at:?}", index.len(), real.len()));
    }
    let (Some(summary), Some(real)) = (&table.summary, files.bytes.get(&Part::Summary)) else {
        return false;
    };
    let header = summary.header;
    // Who wrote it is told by the number at full sampling; while writing, ScyllaDB counts the chunks already stored.
    let chunks = |at: DataPos| match &table.compression {
        Some(info) => {
            let offsets = table.source(Part::CompressionInfo).unwrap();
            let data = table.source(Part::Data).unwrap().len() as u64;
            info.chunk(offsets, info.chunk_of(at), data).unwrap().at.0
        }
        None => at.0,
    };
    let rules = [SampleRule::Every(header.min_index_interval), SampleRule::Scylla];
    let made = rules.map(|rule| {
        let options = SummaryOptions {
            min_index_interval: header.min_index_interval,
            sampling_level: header.sampling_level,
            rule,
            big_endian: header.big_endian,
        };
        let sampled = match rule {
            SampleRule::Every(_) => sampled(&entries, &places, rule, |at| at.0),
            SampleRule::Scylla => sampled(&entries, &places, rule, chunks),
        };
        write_summary(&sampled, options).unwrap()
    });
    if !made.contains(real) {
        let sizes = made.map(|made| made.len());
        wrong.push(format!("{name} Summary.db: {sizes:?} of {}", real.len()));
    }
    true
}

#[test]
fn files_of_cassandra_come_out_byte_for_byte() {
    let (mut wrong, mut sets) = (Vec::new(), 0);
    for version in ["oa", "nb"] {
        for expected in all_cassandra(version) {
            sets += usize::from(differences(&expected.files, &expected.name, &mut wrong));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(sets >= 110, "{sets} sets");
}

#[test]
fn other_peoples_files_come_out_byte_for_byte() {
    let (mut wrong, mut sets) = (Vec::new(), 0);
    for origin in ["scylladb", "kopens-lsb", "datastax"] {
        let Some(all) = upstream(origin) else { return };
        for folder in folders(&all) {
            for files in InMemory::folder(&folder) {
                let written =
                    ["mc", "md", "me", "na", "nb", "oa"].contains(&files.set.version.as_str());
                // Its Index.db is damaged: a single byte.
                let damaged = folder.ends_with("empty_index");
                let legacy = files.set.index().kind == Some(IndexKind::Legacy);
                if !written || !legacy || damaged || files.table().summary.is_none() {
                    continue;
                }
                let name = format!("{} {}", folder.display(), files.set.name());
                sets += usize::from(differences(&files, &name, &mut wrong));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(sets >= 100, "{sets} sets");
}

#[test]
fn downsampled_summaries_are_read_back_with_their_intervals() {
    let files = crate::common::cassandra("p5k_uuid", "nb", 1).files;
    let table = files.table();
    let real = files.part(Part::Index);
    let entries = read(real, BlockLayout { version: table.version(), lengths: &[] });
    let (_, places) = write(&table, &entries, &[]);
    let full = sampled(&entries, &places, SampleRule::Every(8), |at| at.0);
    for level in [1, 5, 64, 127, 128] {
        let options = SummaryOptions {
            min_index_interval: 8,
            sampling_level: level,
            rule: SampleRule::Every(8),
            big_endian: level == 5,
        };
        let file = write_summary(&full, options).unwrap();
        let files = files.with(Part::Summary, &file);
        let table = files.table();
        let summary = table.summary.as_ref().unwrap();
        let source = table.source(Part::Summary).unwrap();
        let mut entry = 0;
        for sample in 0..summary.header.samples {
            let mut key = Vec::new();
            let at = summary.sample(source, sample, &mut key).unwrap();
            assert_eq!((&key, at), (&entries[entry].key, places[entry]), "level {level}");
            entry += summary.header.interval_after(sample) as usize;
        }
        assert!(entry >= entries.len(), "level {level}");
    }
    let options = SummaryOptions {
        min_index_interval: 8,
        sampling_level: 129,
        rule: SampleRule::Every(8),
        big_endian: false,
    };
    let said = write_summary(&full, options).unwrap_err().to_string();
    assert_eq!(said, "sampling level: expected 1 to 128, got 129");
}

#[test]
fn entries_out_of_order_are_refused_with_both_keys() {
    let files = crate::common::cassandra("p1000", "oa", 1).files;
    let table = files.table();
    let partitioner = table.partitioner();
    let layout = BlockLayout { version: table.version(), lengths: &[] };
    let entries = read(files.part(Part::Index), layout);
    let (a, b) = (&entries[0], &entries[1]);
    let mut writer = IndexWriter::new(&partitioner, layout, Vec::new());
    writer.add(&b.key, DataPos(0), None).unwrap();
    let (previous, got) = (b.key.clone(), a.key.clone());
    let error = writer.add(&a.key, DataPos(9), None).unwrap_err();
    assert_eq!(error, WriteError::OutOfOrder { previous, got });
    let error = writer.add(&b.key, DataPos(9), None).unwrap_err();
    assert_eq!(error, WriteError::Duplicate { key: b.key.clone() });
    let said = writer.add(&entries[2].key, DataPos(0), None).unwrap_err().to_string();
    assert_eq!(said, "position in Data.db: expected more than the one before, got 0");
    let one = Promoted { header_length: 1, deletion: None, blocks: &[] };
    assert!(writer.add(&entries[2].key, DataPos(1), Some(one)).is_err());
    let error = writer.add(&vec![0; 70_000], DataPos(1), None).unwrap_err();
    let (previous, got) = (Some(b.key.clone()), vec![0; 70_000]);
    assert_eq!(error, WriteError::TooLong { previous, got, limit: 65_535 });
}
