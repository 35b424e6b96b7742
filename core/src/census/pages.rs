//! What lies in each page of an index, and in each chunk of Data.db: for maps of all of them. Each file is walked once,
//! however many pages it has, and a page takes a few bytes of memory.

use super::job::keep;
use super::sparse::Sparse;
use crate::big::IndexWalk;
use crate::bti::TriePages;
use crate::check::Progress;
use crate::error::{Error, Miss, ReadError};
use crate::pos::{DataPos, FilePos, PAGE_SIZE, len64, pages_of};
use crate::source::Source;
use crate::table::{IndexKind, Part, Table};
use std::ops::ControlFlow;

/// Chunks that are looked at between two looks at the budget count as so many bytes each.
const CHUNK_COST: u64 = 64;
/// Bytes of a chunk of Data.db that is not compressed.
const PLAIN_CHUNK: u64 = 65_536;
/// Pages of one window of Index.db that are told apart; a longer window counts for its first ones.
const WINDOW_PAGES: usize = 4096;

/// What lies in a page. All but the counts are bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageCount {
    /// By what is coloured apart, see [`shares`].
    pub shares: [u16; 5],
    /// Of nodes: headers, transition bytes, distances, payload.
    pub roles: [u16; 4],
    /// What belongs to no share: entries of Rows.db; keys and footer of Partitions.db.
    pub other: u16,
    /// Nodes and entries of Index.db that begin here, and samples of Summary.db that end here.
    pub nodes: u16,
    /// Nodes with a payload: partitions, or row blocks. Entries of Index.db with a promoted index.
    pub payloads: u16,
    /// Entries of Rows.db that begin here.
    pub entries: u16,
    /// Nodes whose parent lies in another page, and roots.
    pub roots: u16,
    /// Transition bytes on the way to the node that is nearest to its root.
    pub depth: u8,
    /// Most pages of a trie on the way to a node here, this one counted.
    pub turns: u8,
    /// Places that could not be read.
    pub faults: u8,
    /// The parent of the last such node; 0 where that is a root.
    pub parent: u64,
    /// How many lookups read the page, one for each key or row block: in a legacy index as Cassandra scans a window.
    pub lookups: u32,
}

impl PageCount {
    /// Bytes that belong to something.
    pub fn used(&self) -> u64 {
        let shares: u64 = self.shares.iter().map(|bytes| u64::from(*bytes)).sum();
        shares + u64::from(self.other)
    }
}

/// What the shares of a page of a component are.
pub const fn shares(part: Part) -> [&'static str; 5] {
    match part {
        Part::Index => ["keys", "positions", "promoted sizes", "promoted indexes", ""],
        Part::Summary => ["header", "offsets", "samples", "first and last key", ""],
        _ => ["payload only", "single", "sparse", "dense", "long dense"],
    }
}

/// A chunk of Data.db.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkCount {
    /// Bytes in the file, checksum counted.
    pub stored: u32,
    /// Bytes after decompression.
    pub bytes: u32,
    /// Whether its place is damaged.
    pub fault: bool,
}

/// How many partitions start in each chunk of Data.db.
#[derive(Clone, Debug, Default)]
pub struct DataStarts {
    chunk_bytes: u64,
    counts: Sparse<u32>,
}

impl DataStarts {
    fn new<S: Source>(table: &Table<S>) -> Self {
        let plain = || table.source(Part::Data).map(Source::len);
        let (chunk_bytes, len) = match &table.compression {
            Some(info) => (u64::from(info.chunk_length).max(1), Some(info.data_length)),
            None => (PLAIN_CHUNK, table.facts.data_length.or_else(plain)),
        };
        Self { chunk_bytes, counts: Sparse::new(len.unwrap_or(0).div_ceil(chunk_bytes)) }
    }

    /// A partition starts here.
    pub(crate) fn next(&mut self, at: DataPos) {
        if let Some(count) = self.counts.touch(at.0 / self.chunk_bytes.max(1)) {
            *count = count.saturating_add(1);
        }
    }

    /// Partitions that start in a chunk.
    pub fn of(&self, chunk: u64) -> u32 {
        self.counts.get(chunk)
    }

    /// Bytes of a chunk, decompressed.
    pub const fn chunk_bytes(&self) -> u64 {
        self.chunk_bytes
    }
}

/// Counts what lies in each page of a table's index, and in each chunk of its Data.db.
pub struct PagesJob {
    kind: Option<IndexKind>,
    trie: TriePages,
    walk: IndexWalk,
    index: Sparse<PageCount>,
    window: Window,
    summary: Sparse<PageCount>,
    /// Samples of Summary.db that were looked at.
    samples: u64,
    chunks: Sparse<ChunkCount>,
    next_chunk: u64,
    starts: DataStarts,
    problems: Vec<ReadError>,
    seen: u64,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Index,
    Summary,
    Chunks,
    Done,
}

impl PagesJob {
    /// Nothing is counted yet.
    pub fn new<S: Source>(table: &Table<S>) -> Self {
        let pages = |part| table.source(part).map_or(0, |source| pages_of(source.len()));
        let starts = DataStarts::new(table);
        let chunks = match table.source(Part::Data) {
            Some(_) => starts.counts.len(),
            None => 0,
        };
        Self {
            kind: table.readable_index(),
            trie: TriePages::new(table),
            walk: IndexWalk::new(table.version().formats().index),
            index: Sparse::new(pages(Part::Index)),
            window: Window::default(),
            summary: Sparse::new(pages(Part::Summary)),
            samples: 0,
            chunks: Sparse::new(chunks),
            next_chunk: 0,
            starts,
            problems: Vec::new(),
            seen: 0,
            stage: Stage::Index,
        }
    }

    /// Counts until about `budget` bytes have been seen. A miss is answered by fetching and calling again; nothing is
    /// counted twice. Damage is passed over and noted in [`Self::problems`].
    pub fn step<S: Source>(&mut self, table: &Table<S>, budget: u64) -> Result<Progress, Miss> {
        let (seen, ended) = match (self.stage, self.kind) {
            (Stage::Index, Some(IndexKind::Trie)) => {
                self.trie.step(table, budget, &mut self.starts, &mut self.problems)?
            }
            (Stage::Index, Some(IndexKind::Legacy)) => self.entries(table, budget)?,
            (Stage::Summary, Some(IndexKind::Legacy)) => self.samples(table, budget)?,
            (Stage::Chunks, _) => self.chunks(table, budget)?,
            _ => (0, true),
        };
        self.seen = self.seen.saturating_add(seen);
        if ended {
            self.stage = match self.stage {
                Stage::Index => Stage::Summary,
                Stage::Summary => Stage::Chunks,
                Stage::Chunks | Stage::Done => Stage::Done,
            };
        }
        let stage = match (self.stage, self.kind) {
            (Stage::Index, Some(IndexKind::Trie)) => "the trie index, node by node",
            (Stage::Index, _) => "Index.db, entry by entry",
            (Stage::Summary, _) => "Summary.db, sample by sample",
            _ => "Data.db, chunk by chunk",
        };
        Ok(Progress { done: self.stage == Stage::Done, stage, bytes: self.seen })
    }

    /// The pages of a component of the index as far as they were counted.
    pub fn pages(&self, part: Part) -> Option<&Sparse<PageCount>> {
        match (part, self.kind) {
            (Part::Partitions | Part::Rows, Some(IndexKind::Trie)) => self.trie.pages(part),
            (Part::Index, Some(IndexKind::Legacy)) => Some(&self.index),
            (Part::Summary, Some(IndexKind::Legacy)) => Some(&self.summary),
            _ => None,
        }
    }

    /// The chunks of Data.db.
    pub const fn chunk_counts(&self) -> &Sparse<ChunkCount> {
        &self.chunks
    }

    /// Partitions by the chunk that they start in.
    pub const fn starts(&self) -> &DataStarts {
        &self.starts
    }

    /// What could not be read: the first one hundred.
    pub fn problems(&self) -> &[ReadError] {
        &self.problems
    }

    /// Entries of Index.db.
    fn entries<S: Source>(&mut self, table: &Table<S>, budget: u64) -> Result<(u64, bool), Miss> {
        let Some(source) = table.source(Part::Index) else { return Ok((0, true)) };
        if let Some((from, to)) = self.window.promoted {
            return Ok((self.promoted(from, to, budget), false));
        }
        let (index, window, starts) = (&mut self.index, &mut self.window, &mut self.starts);
        let mut seen = 0;
        // A summary that cannot be read is no reason to stop; without samples no window is known.
        let has_samples = table.summary.is_some() && table.source(Part::Summary).is_some();
        if has_samples && window.next.is_none() {
            window.next = Some(sample_at(table, window.samples)?);
        }
        let walked = self.walk.run(source, u64::MAX, |head, bytes| {
            let (position, promoted) = head.vints(bytes);
            let mut at = head.at;
            let key = 2 + len64(head.key(bytes).len());
            for (share, len) in [(0, key), (1, len64(position.len())), (2, len64(promoted.len()))] {
                let end = FilePos(at.0.saturating_add(len));
                spread(at, end, |page, bytes| add(index, page, share, bytes));
                at = end;
            }
            if let Some(count) = index.touch(head.at.page().0) {
                count.nodes = count.nodes.saturating_add(1);
                count.payloads = count.payloads.saturating_add(u16::from(head.promoted_size > 0));
            }
            starts.next(head.data);
            let starts_window =
                window.next.is_some_and(|next| next.is_some_and(|next| next <= head.at));
            if starts_window {
                window.close(index);
                window.samples += 1;
                // The next sample is looked up before the walk goes on.
                window.next = None;
            }
            if has_samples {
                window.entry(head.at.page().0, head.last_page());
            }
            seen += len64(bytes.len());
            if head.promoted_size > 0 {
                window.promoted = Some((head.promoted_at(), head.end()));
            }
            let goes_on = seen < budget && head.promoted_size == 0 && !starts_window;
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        match walked {
            Ok(_) => {
                let ended = self.walk.ended(source) && self.window.promoted.is_none();
                if ended {
                    self.window.close(&mut self.index);
                }
                Ok((seen.max(1), ended))
            }
            Err(Error::Miss(miss)) => Err(miss),
            Err(Error::Damage(error)) => {
                if let Some(count) = self.index.touch(error.at.page().0) {
                    count.faults = count.faults.saturating_add(1);
                }
                self.window.close(&mut self.index);
                keep(&mut self.problems, *error);
                Ok((seen, true))
            }
        }
    }

    /// A promoted index, page by page: it can fill a million of them.
    fn promoted(&mut self, from: FilePos, to: FilePos, budget: u64) -> u64 {
        let until = FilePos(to.0.min(from.0.saturating_add(budget.saturating_mul(16))));
        spread(from, until, |page, bytes| add(&mut self.index, page, 3, bytes));
        self.window.promoted = (until < to).then_some((until, to));
        until.0.saturating_sub(from.0)
    }

    /// Samples of Summary.db.
    fn samples<S: Source>(&mut self, table: &Table<S>, budget: u64) -> Result<(u64, bool), Miss> {
        let (Some(summary), Some(source)) = (&table.summary, table.source(Part::Summary)) else {
            return Ok((0, true));
        };
        let header = &summary.header;
        let pages = &mut self.summary;
        if self.samples == 0 {
            let ends_at = header.keys_at().0;
            let offsets_at = ends_at.saturating_sub(header.memory_bytes);
            let samples_at = offsets_at.saturating_add(header.samples.saturating_mul(4));
            let borders = [0, offsets_at, samples_at, ends_at, source.len()];
            for (share, (from, to)) in borders.iter().zip(borders.iter().skip(1)).enumerate() {
                let end = FilePos(*to.min(&source.len()));
                spread(FilePos(*from), end, |page, bytes| add(pages, page, share, bytes));
            }
        }
        let mut seen = 0;
        while self.samples < header.samples {
            match summary.position_field(source, self.samples) {
                Ok(at) => {
                    if let Some(count) = pages.touch(at.page().0) {
                        count.nodes = count.nodes.saturating_add(1);
                    }
                }
                Err(Error::Miss(miss)) => return Err(miss),
                Err(Error::Damage(error)) => {
                    if let Some(count) = pages.touch(error.at.page().0) {
                        count.faults = count.faults.saturating_add(1);
                    }
                    keep(&mut self.problems, *error);
                    return Ok((seen, true));
                }
            }
            self.samples += 1;
            seen += CHUNK_COST;
            if seen >= budget {
                return Ok((seen, false));
            }
        }
        Ok((seen, true))
    }

    /// Chunks of Data.db.
    fn chunks<S: Source>(&mut self, table: &Table<S>, budget: u64) -> Result<(u64, bool), Miss> {
        let Some(data) = table.source(Part::Data) else { return Ok((0, true)) };
        let mut seen = 0;
        while self.next_chunk < self.chunks.len() {
            let chunk = self.next_chunk;
            let count = match (&table.compression, table.source(Part::CompressionInfo)) {
                (Some(info), Some(offsets)) => match info.chunk(offsets, chunk, data.len()) {
                    Ok(place) => ChunkCount {
                        stored: small(place.stored_bytes.saturating_add(4)),
                        bytes: small(place.bytes),
                        fault: false,
                    },
                    Err(Error::Miss(miss)) => return Err(miss),
                    Err(Error::Damage(error)) => {
                        keep(&mut self.problems, *error);
                        ChunkCount { fault: true, ..ChunkCount::default() }
                    }
                },
                _ => {
                    let start = chunk.saturating_mul(PLAIN_CHUNK);
                    let bytes = small(PLAIN_CHUNK.min(data.len().saturating_sub(start)));
                    ChunkCount { stored: bytes, bytes, fault: false }
                }
            };
            if let Some(slot) = self.chunks.touch(chunk) {
                *slot = count;
            }
            self.next_chunk += 1;
            seen += CHUNK_COST;
            if seen >= budget {
                return Ok((seen, false));
            }
        }
        Ok((seen, true))
    }
}

/// The pages that one window of Index.db has heads in, and how many entries lie up to each.
#[derive(Debug, Default)]
struct Window {
    /// Samples passed.
    samples: u64,
    /// Where the next sample points to, once that was looked up; the inner one is none behind the last sample.
    next: Option<Option<FilePos>>,
    pages: Vec<(u64, u32)>,
    /// The rest of a promoted index that is not counted yet.
    promoted: Option<(FilePos, FilePos)>,
}

impl Window {
    /// An entry whose head lies in these pages.
    fn entry(&mut self, first: u64, last: u64) {
        for page in first..=last.min(first.saturating_add(16)) {
            let is_new = self.pages.last().is_none_or(|(known, _)| *known < page);
            if is_new && self.pages.len() < WINDOW_PAGES {
                self.pages.push((page, 0));
            }
        }
        if let Some((_, entries)) = self.pages.last_mut() {
            *entries = entries.saturating_add(1);
        }
    }

    /// The window ends: a reader that scans from its start has read each page for all entries in it and behind it.
    fn close(&mut self, index: &mut Sparse<PageCount>) {
        let mut entries = 0u32;
        for (page, here) in self.pages.drain(..).rev() {
            entries = entries.saturating_add(here);
            if let Some(count) = index.touch(page) {
                count.lookups = count.lookups.saturating_add(entries);
            }
        }
    }
}

/// Where a sample points to; none behind the last one, and where it is damaged.
fn sample_at<S: Source>(table: &Table<S>, sample: u64) -> Result<Option<FilePos>, Miss> {
    let (Some(summary), Some(source)) = (&table.summary, table.source(Part::Summary)) else {
        return Ok(None);
    };
    if sample >= summary.header.samples {
        return Ok(None);
    }
    match summary.sample(source, sample, &mut Vec::new()) {
        Ok(at) => Ok(Some(at)),
        Err(Error::Miss(miss)) => Err(miss),
        Err(Error::Damage(_)) => Ok(None),
    }
}

fn add(pages: &mut Sparse<PageCount>, page: u64, share: usize, bytes: u16) {
    if let Some(slot) = pages.touch(page).and_then(|count| count.shares.get_mut(share)) {
        *slot = slot.saturating_add(bytes);
    }
}

/// The pages from `from` to `to`, each with its bytes of that range.
pub(crate) fn spread(from: FilePos, to: FilePos, mut each: impl FnMut(u64, u16)) {
    let mut at = from;
    while at < to {
        let end = at.page().start().0.saturating_add(PAGE_SIZE).min(to.0);
        if end <= at.0 {
            return;
        }
        each(at.page().0, u16::try_from(end - at.0).unwrap_or(u16::MAX));
        at = FilePos(end);
    }
}

fn small(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
