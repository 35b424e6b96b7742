//! Where the pieces of Index.db and Summary.db lie, so that a test can change exactly one.

use crate::common::InMemory;
use std::ops::ControlFlow;
use triescope_core::big::{Block, BlockLayout, IndexWalk, PromotedHead};
use triescope_core::cursor::Cursor;
use triescope_core::pos::FilePos;
use triescope_core::source::Pages;
use triescope_core::table::Part;

/// An entry of Index.db.
#[derive(Clone, Debug)]
pub struct Entry {
    pub at: usize,
    pub key: Vec<u8>,
    pub data: u64,
    /// Where the position lies, and its bytes.
    pub position_at: usize,
    pub position_bytes: usize,
    pub promoted_at: usize,
    pub promoted_size: usize,
}

/// All entries of a table's Index.db.
pub fn entries(files: &InMemory) -> Vec<Entry> {
    let mut entries = Vec::new();
    let each = |head: &triescope_core::big::EntryHead, bytes: &[u8]| {
        let at = head.at.0 as usize;
        let key = head.key(bytes).to_vec();
        entries.push(Entry {
            at,
            position_at: at + 2 + key.len(),
            position_bytes: head.vints(bytes).0.len(),
            key,
            data: head.data.0,
            promoted_at: head.promoted_at().0 as usize,
            promoted_size: head.promoted_size as usize,
        });
        ControlFlow::Continue(())
    };
    IndexWalk::new(files.set.version.formats().index)
        .run(&files.part(Part::Index), u64::MAX, each)
        .unwrap();
    entries
}

/// The promoted index of an entry, and its blocks.
pub fn promoted(files: &InMemory, entry: &Entry) -> (PromotedHead, Vec<Block>) {
    let (index, mut nobody) = (files.part(Part::Index), ());
    let table = files.table();
    let mut pages = Pages::new(Part::Index, &index, &mut nobody);
    let (at, size) = (FilePos(entry.promoted_at as u64), entry.promoted_size as u64);
    let head = PromotedHead::read(&mut pages, at, size, table.version()).unwrap();
    let columns = table.clustering_schema().unwrap().columns().iter();
    let lengths: Vec<_> = columns.map(|column| column.cql.fixed_len()).collect();
    let layout = BlockLayout { version: table.version(), lengths: &lengths };
    let bytes = &index[head.blocks_at.0 as usize..head.offsets_at.0 as usize];
    let mut cursor = Cursor::new(Part::Index, head.blocks_at, bytes);
    let blocks = (0..head.blocks).map(|_| Block::read(&mut cursor, layout).unwrap()).collect();
    (head, blocks)
}

/// A copy with changed bytes of a component.
pub fn changed(files: &InMemory, part: Part, change: impl FnOnce(&mut Vec<u8>)) -> InMemory {
    let mut bytes = files.part(part).to_vec();
    change(&mut bytes);
    files.with(part, &bytes)
}

/// A Summary.db in pieces.
#[derive(Clone)]
pub struct SummaryPieces {
    pub interval: u32,
    pub level: u32,
    pub full: u32,
    pub samples: Vec<(Vec<u8>, u64)>,
    pub first: Vec<u8>,
    pub last: Vec<u8>,
}

impl SummaryPieces {
    /// Of a table whose Summary.db is little-endian.
    pub fn of(files: &InMemory) -> Self {
        let bytes = files.part(Part::Summary);
        let table = files.table();
        let summary = table.summary.as_ref().unwrap();
        let samples = (0..summary.header.samples).map(|sample| {
            let mut key = Vec::new();
            let at = summary.sample(&bytes, sample, &mut key).unwrap();
            (key, at.0)
        });
        Self {
            interval: summary.header.min_index_interval,
            level: summary.header.sampling_level,
            full: summary.header.size_at_full_sampling,
            samples: samples.collect(),
            first: summary.first.clone(),
            last: summary.last.clone(),
        }
    }

    /// The file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut entries = Vec::new();
        let mut offsets = Vec::new();
        for (key, at) in &self.samples {
            offsets.extend(((4 * self.samples.len() + entries.len()) as u32).to_le_bytes());
            entries.extend(key);
            entries.extend(at.to_le_bytes());
        }
        let mut file = self.interval.to_be_bytes().to_vec();
        file.extend((self.samples.len() as u32).to_be_bytes());
        file.extend(((offsets.len() + entries.len()) as u64).to_be_bytes());
        file.extend(self.level.to_be_bytes());
        file.extend(self.full.to_be_bytes());
        file.extend(offsets);
        file.extend(entries);
        for key in [&self.first, &self.last] {
            file.extend((key.len() as u32).to_be_bytes());
            file.extend(key);
        }
        file
    }

    /// A copy of a table with a changed summary.
    pub fn changed(files: &InMemory, change: impl FnOnce(&mut Self)) -> InMemory {
        let mut pieces = Self::of(files);
        change(&mut pieces);
        files.with(Part::Summary, &pieces.bytes())
    }
}
