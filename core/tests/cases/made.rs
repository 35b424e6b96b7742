//! Tables that tests make themselves, and what the checks say of tables.

use crate::common::{InMemory, cassandra};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use triescope_core::big::check::{LegacyCheck, LegacyFacts};
use triescope_core::big::write::{IndexWriter, Promoted};
use triescope_core::big::{Block, BlockLayout, Bound, BoundKind, IndexWalk};
use triescope_core::check::{CheckJob, CheckOptions, Findings, Report};
use triescope_core::keys::Partitioner;
use triescope_core::pos::{DataPos, FilePos};
use triescope_core::table::{Part, group};

pub fn int(value: i32) -> [u8; 4] {
    value.to_be_bytes()
}

/// All checks that do not read Data.db.
pub fn report(files: &InMemory) -> Report {
    run(files, CheckOptions { deep: false })
}

/// All checks.
pub fn deep(files: &InMemory) -> Report {
    run(files, CheckOptions { deep: true })
}

fn run(files: &InMemory, options: CheckOptions) -> Report {
    let table = files.table();
    let mut job = CheckJob::new(&table, options);
    while !job.step(&table, 1 << 20).unwrap().done {}
    job.into_report()
}

/// The findings of one check, as lines.
pub fn said(files: &InMemory, id: &str) -> Vec<String> {
    let findings = report(files).findings;
    findings.iter().filter(|it| it.check.id == id).map(ToString::to_string).collect()
}

/// The checks that fire whose ids begin so.
pub fn checked(files: &InMemory, area: &str) -> Vec<&'static str> {
    let report = report(files);
    let ids = report.all.counts().iter().map(|(check, _)| check.id);
    ids.filter(|id| id.starts_with(area)).collect()
}

/// The legacy index in numbers, from a walk in small steps.
pub fn facts(files: &InMemory) -> LegacyFacts {
    let (table, mut job) = (files.table(), LegacyCheck::new());
    while !job.step(&table, 1000, &mut Findings::default()).unwrap() {}
    job.facts().clone()
}

/// All keys with the positions of their entries in Index.db.
pub fn keys(files: &InMemory) -> Vec<(Vec<u8>, u64)> {
    let mut keys = Vec::new();
    let each = |head: &triescope_core::big::EntryHead, bytes: &[u8]| {
        keys.push((head.key(bytes).to_vec(), head.at.0));
        ControlFlow::Continue(())
    };
    IndexWalk::new(files.set.version.formats().index)
        .run(&files.part(Part::Index), u64::MAX, each)
        .unwrap();
    keys
}

/// The positions in Data.db that Index.db has.
pub fn positions(files: &InMemory) -> Vec<u64> {
    let mut positions = Vec::new();
    let each = |head: &triescope_core::big::EntryHead, _: &[u8]| {
        positions.push(head.data.0);
        ControlFlow::Continue(())
    };
    IndexWalk::new(files.set.version.formats().index)
        .run(&files.part(Part::Index), u64::MAX, each)
        .unwrap();
    positions
}

/// A table of these components only.
pub fn named(stem: &str, parts: &[(Part, Vec<u8>)]) -> InMemory {
    let names: Vec<(String, u64)> = parts
        .iter()
        .map(|(part, bytes)| (format!("{stem}-{}", part.file_name()), bytes.len() as u64))
        .collect();
    let set = group(names.iter().map(|(name, bytes)| (name.as_str(), *bytes))).sets.remove(0);
    let bytes: BTreeMap<Part, Vec<u8>> = parts.iter().cloned().collect();
    InMemory { folder: PathBuf::new(), set, bytes }
}

/// A little-endian Summary.db with the usual interval.
pub fn summary(samples: &[(Vec<u8>, u64)], first: &[u8], last: &[u8]) -> Vec<u8> {
    let (mut offsets, mut entries) = (Vec::new(), Vec::new());
    for (key, at) in samples {
        offsets.extend(((4 * samples.len() + entries.len()) as u32).to_le_bytes());
        entries.extend(key);
        entries.extend(at.to_le_bytes());
    }
    let mut file = 128u32.to_be_bytes().to_vec();
    file.extend((samples.len() as u32).to_be_bytes());
    file.extend(((offsets.len() + entries.len()) as u64).to_be_bytes());
    file.extend([128u32, samples.len() as u32].map(u32::to_be_bytes).concat());
    file.extend([offsets, entries].concat());
    for key in [first, last] {
        file.extend((key.len() as u32).to_be_bytes());
        file.extend(key);
    }
    file
}

/// A row or a marker of one int clustering column.
pub fn bound(kind: BoundKind, value: i32) -> Bound {
    Bound { kind, values: vec![Some(int(value).to_vec().into())] }
}

/// A block of a promoted index without a position in a file.
pub fn block(first: Bound, last: Bound, offset: u64, width: u64) -> Block {
    Block { at: FilePos(0), size: 0, first, last, offset, width, open: None }
}

/// A table of version `nb` with an int key and an int clustering column: keys with the blocks of their promoted index, in
/// any order. Partitions without blocks have 100 bytes. There is no Data.db, and nothing that would tell its length.
pub fn made(partitions: &[(i32, &[Block])]) -> InMemory {
    let base = cassandra("wide_int", "nb", 1).files;
    let table = base.table();
    let layout = BlockLayout { version: table.version(), lengths: &[Some(4)] };
    let mut partitions = partitions.to_vec();
    partitions.sort_by_key(|(key, _)| Partitioner::Murmur3.token(&int(*key)));
    let partitioner = Partitioner::Murmur3;
    let mut writer = IndexWriter::new(&partitioner, layout, Vec::new());
    let mut data = 0;
    for (key, blocks) in &partitions {
        let promoted = blocks.first().map(|first| Promoted {
            header_length: first.offset,
            deletion: None,
            blocks,
        });
        writer.add(&int(*key), DataPos(data), promoted).unwrap();
        // The byte that marks the end belongs to the last block.
        data += blocks.last().map_or(100, Block::end);
    }
    let index = writer.into_sink();
    let ends = [partitions.first(), partitions.last()].map(|it| int(it.unwrap().0).to_vec());
    let samples = [(ends[0].clone(), 0)];
    let summary = summary(&samples, &ends[0], &ends[1]);
    let statistics = base.part(Part::Statistics).to_vec();
    let parts = [(Part::Index, index), (Part::Summary, summary), (Part::Statistics, statistics)];
    named("nb-1-big", &parts)
}
