//! What the tab shows, read: plain data, and the table to name keys by.

use triescope_core::big::PromotedHead;
use triescope_core::error::ReadError;
use triescope_core::keys::{ClusteringSchema, KeySchema};
use triescope_core::lookup::BlockProbeStep;
use triescope_core::lookup::SummarySource;
use triescope_core::scan::RowBlock;
use triescope_core::table::Table;

/// Everything that one board shows.
#[derive(Debug)]
pub struct Facts<'a, S> {
    /// The table with the legacy index.
    pub table: &'a Table<S>,
    /// How keys are written.
    pub keys: &'a KeySchema,
    /// How clustering keys are written.
    pub clustering: Option<&'a ClusteringSchema>,
    /// Bytes of Index.db.
    pub index: u64,
    /// Bytes of Data.db after decompression; 0 where that is not known.
    pub data: u64,
    /// Bytes of a chunk; `None` where Data.db is not compressed.
    pub chunk: Option<u64>,
    /// The samples; `None` where there are none, and then the window is Index.db from its first entry on.
    pub samples: Option<SampleFacts>,
    /// Why there are none, or not those of the file.
    pub notes: Vec<Note>,
    /// Positions in Index.db and what begins there in Data.db, spread over the file.
    pub joins: Vec<(u64, u64)>,
    /// The window.
    pub window: Window,
    /// The chosen entry, where the window has one.
    pub chosen: usize,
    /// Its promoted index.
    pub promoted: Option<Result<Promoted, Box<ReadError>>>,
    /// Where the lookup of the key in the address ended.
    pub found: Option<Found>,
    /// The rows of the table of windows.
    pub rows: Vec<Row>,
}

/// Something that has to be noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The sentence.
    pub words: String,
    /// Whether it is damage.
    pub bad: bool,
    /// Whether a press makes the samples.
    pub offer: bool,
}

/// The samples.
#[derive(Clone, Debug)]
pub struct SampleFacts {
    /// Where they come from.
    pub source: SummarySource,
    /// How many.
    pub count: u64,
    /// Bytes kept in memory.
    pub bytes: u64,
    /// Positions in Index.db of some, spread evenly; `None` where a sample cannot be read.
    pub ticks: Vec<(u64, Option<u64>)>,
    /// The one chosen.
    pub chosen: u64,
}

/// A part of Index.db from one sample to the next one.
#[derive(Clone, Debug, Default)]
pub struct Window {
    /// First byte.
    pub from: u64,
    /// End, exclusive.
    pub to: u64,
    /// The entries, as far as they were read.
    pub entries: Vec<Entry>,
    /// Whether there are more than were read.
    pub more: bool,
    /// The error that ended it.
    pub broken: Option<Box<ReadError>>,
    /// The range of Data.db that it covers.
    pub data: (u64, u64),
}

/// An entry of Index.db.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its first byte.
    pub at: u64,
    /// Bytes of its head.
    pub head: Vec<u8>,
    /// Its key.
    pub key: Vec<u8>,
    /// Bytes of the position.
    pub position: Vec<u8>,
    /// Bytes of the promoted index's size.
    pub size: Vec<u8>,
    /// Position of the partition in Data.db.
    pub data: u64,
    /// Bytes of the promoted index.
    pub promoted: u64,
}

impl Entry {
    /// End, exclusive.
    pub fn end(&self) -> u64 {
        self.at.saturating_add(self.head.len() as u64).saturating_add(self.promoted)
    }

    /// Its bytes.
    pub fn bytes(&self) -> u64 {
        self.end() - self.at
    }
}

/// A promoted index.
#[derive(Clone, Debug)]
pub struct Promoted {
    /// Its head.
    pub head: PromotedHead,
    /// Blocks: all of them, or some spread evenly and those around the chosen one.
    pub blocks: Vec<RowBlock>,
    /// Whether these are all.
    pub whole: bool,
    /// The chosen block.
    pub chosen: u64,
    /// The error that ended the reading.
    pub broken: Option<Box<ReadError>>,
    /// The partition in Data.db: first byte, end.
    pub data: (u64, u64),
}

/// Where a lookup ended.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The key as text.
    pub key: String,
    /// The clustering key as text.
    pub row: Option<String>,
    /// Sample at the start of its window.
    pub sample: Option<u64>,
    /// Position of the entry whose key is equal.
    pub entry: Option<u64>,
    /// Entries that were parsed.
    pub parsed: u64,
    /// The block that the promoted index chose.
    pub block: Option<u64>,
    /// The blocks that were probed.
    pub probes: Vec<BlockProbeStep>,
    /// Pages of Index.db that were fetched, in their order.
    pub pages: Vec<u64>,
}

/// A row of the table of windows.
#[derive(Clone, Debug)]
pub struct Row {
    /// The sample.
    pub sample: u64,
    /// Its key and window, or why they cannot be read.
    pub window: Result<(Vec<u8>, u64, u64), Box<ReadError>>,
    /// Its entries; `None` where they were not counted.
    pub entries: Option<u64>,
    /// Where its first entry lies in Data.db, and where the next window's does.
    pub data: Option<(u64, u64)>,
}
