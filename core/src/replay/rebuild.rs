//! The index of an open SSTable written again: a trie from its own leaves and blocks, a legacy index from its own entries.

use super::build::payload;
use super::entries::Fragments;
use super::error::EntriesError;
use super::run::Progress;
use super::shortest::Shortest;
use super::writer::Writer;
use crate::big::write::{SummaryOptions, write_summary};
use crate::big::{IndexWalk, SampleMaker, SampleRule};
use crate::bti::pack::{Payload, RowBlock, RowsWriter, TrieWriter};
use crate::bti::{BlocksPlace, Leaf, LeavesPlace, PartitionIndex, RowEntry, RowIndex};
use crate::error::{Error, Kind, ReadError};
use crate::limits;
use crate::lookup::LeafTarget;
use crate::pos::{DataPos, FilePos};
use crate::source::{Pages, Source};
use crate::table::{IndexFormat, Part, Table};
use crate::twin::{Target, TwinJob, TwinOptions, TwinPlan};
use crate::write::Sink;
use std::ops::ControlFlow;

/// What ScyllaDB's writers put behind the last entry of Rows.db for a year.
pub(super) const FILLER: [u8; 4] = [0x13, 0x37, 0x13, 0x37];

/// Writes an index again, step by step. After a miss it is called again.
#[derive(Debug)]
pub(super) enum Rebuild<W: Sink> {
    Trie(Box<TrieRebuild<W>>),
    Legacy(Box<TwinJob<W>>),
}

impl<W: Sink> Rebuild<W> {
    /// Of the index that the SSTable has; a trie in the way of `writer`.
    pub fn new<S: Source>(
        table: &Table<S>,
        writer: Writer,
        mut sink: impl FnMut(Part) -> W,
    ) -> Result<Self, EntriesError> {
        let footer = table.footer.as_ref().filter(|_| table.source(Part::Partitions).is_some());
        if let Some(footer) = footer {
            let (partitions, rows) = (sink(Part::Partitions), sink(Part::Rows));
            let flavour = writer.flavour();
            return Ok(Self::Trie(Box::new(TrieRebuild {
                is_own: writer == Writer::of(table.version()),
                place: Some(LeavesPlace::first(PartitionIndex::new(footer))),
                leaf: None,
                wide: None,
                ended: false,
                shortest: Shortest::default(),
                is_lone: footer.count == 1,
                partitions: TrieWriter::new(Part::Partitions, flavour, partitions),
                rows: RowsWriter::new(flavour, rows),
            })));
        }
        let format = table.version().formats().index;
        if table.source(Part::Index).is_none() || table.readable_index().is_none() {
            return Err(EntriesError::Nothing("there is no index here that can be read"));
        }
        let Some(target) = Target::new(table.version()).filter(|_| format == IndexFormat::Vints)
        else {
            return Err(EntriesError::Nothing("Triescope does not write an index of this version"));
        };
        let plan = TwinPlan::new(table, TwinOptions::new(target));
        let plan = plan.map_err(|refusal| EntriesError::Refused(Box::new(refusal)))?;
        Ok(Self::Legacy(Box::new(TwinJob::new(table, plan, sink))))
    }

    /// Goes on for about `budget` partitions and blocks; whether all is written.
    pub fn step<S: Source>(&mut self, table: &Table<S>, budget: u64) -> Result<bool, EntriesError> {
        match self {
            Self::Trie(rebuild) => rebuild.step(table, budget),
            Self::Legacy(job) => Ok(job.step(table, budget)?.is_finished),
        }
    }

    /// How far it is, in bytes of the index of the partitions.
    pub fn progress<S: Source>(&self, table: &Table<S>) -> Progress {
        match self {
            Self::Trie(rebuild) => {
                let of = table.footer.as_ref().map_or(0, |footer| footer.keys_at.0);
                Progress { done: rebuild.partitions.at().min(of), of }
            }
            Self::Legacy(job) => {
                let progress = job.progress(table);
                Progress { done: progress.done, of: progress.of }
            }
        }
    }

    /// The sinks, with everything in them.
    pub fn finish<S: Source>(self, table: &Table<S>) -> Result<Vec<(Part, W)>, EntriesError> {
        match self {
            Self::Trie(rebuild) => rebuild.finish(table),
            Self::Legacy(job) => {
                Ok(job.finish().map_or_else(Vec::new, |twin| twin.files.into_iter().collect()))
            }
        }
    }
}

/// Both files of a trie.
#[derive(Debug)]
pub(super) struct TrieRebuild<W: Sink> {
    /// The writer is the one that the version names: then leaves point where they pointed, so that a difference in Rows.db
    /// is none in Partitions.db.
    is_own: bool,
    place: Option<LeavesPlace>,
    /// A leaf that points at Rows.db and has not been written: its prefix, its hash byte, what it says.
    leaf: Option<(Vec<u8>, Leaf)>,
    wide: Option<(RowEntry, Option<BlocksPlace>)>,
    /// No leaf is left.
    ended: bool,
    shortest: Shortest,
    is_lone: bool,
    partitions: TrieWriter<W>,
    rows: RowsWriter<W>,
}

impl<W: Sink> TrieRebuild<W> {
    fn step<S: Source>(&mut self, table: &Table<S>, budget: u64) -> Result<bool, EntriesError> {
        let mut left = budget.max(1);
        while left > 0 && !self.ended {
            left -= 1;
            if self.wide.is_some() {
                self.block(table)?;
            } else if let Some((_, leaf)) = &self.leaf {
                let LeafTarget::Rows(at) = leaf.target() else { continue };
                let Some(source) = table.source(Part::Rows) else {
                    // Without Rows.db the leaves are written as they are.
                    let Some((prefix, leaf)) = self.leaf.take() else { continue };
                    self.add(&prefix, payload(&leaf))?;
                    continue;
                };
                let mut unheard = ();
                let mut pages = Pages::new(Part::Rows, source, &mut unheard);
                let entry = RowEntry::read(&mut pages, at)?;
                let place = BlocksPlace::first(RowIndex::new(&entry));
                self.wide = Some((entry, Some(place)));
            } else {
                self.next(table)?;
            }
        }
        Ok(self.ended)
    }

    /// The next leaf: written at once, unless it points at Rows.db.
    fn next<S: Source>(&mut self, table: &Table<S>) -> Result<(), EntriesError> {
        let (Some(source), Some(place)) = (table.source(Part::Partitions), self.place.take())
        else {
            return Ok(());
        };
        let mut unheard = ();
        let mut leaves = place.resume(Pages::new(Part::Partitions, source, &mut unheard));
        let next = leaves.next();
        let prefix = leaves.prefix();
        self.place = Some(leaves.suspend());
        match next? {
            None => self.ended = true,
            Some(found) if matches!(found.leaf.target(), LeafTarget::Rows(_)) => {
                self.leaf = Some((prefix, found.leaf));
            }
            Some(found) => self.add(&prefix, payload(&found.leaf))?,
        }
        Ok(())
    }

    fn add(&mut self, prefix: &[u8], payload: Payload) -> Result<(), EntriesError> {
        let partitions = &mut self.partitions;
        self.shortest.add(prefix, payload, |key, payload| {
            Ok(partitions.add(key, *payload, Fragments::Partition.ends())?)
        })
    }

    fn block<S: Source>(&mut self, table: &Table<S>) -> Result<(), EntriesError> {
        let Some((entry, place)) = &mut self.wide else { return Ok(()) };
        let (Some(source), Some(here)) = (table.source(Part::Rows), place.take()) else {
            return Ok(());
        };
        let mut unheard = ();
        let mut blocks = here.resume(Pages::new(Part::Rows, source, &mut unheard));
        let next = blocks.next();
        let separator = blocks.separator().to_vec();
        *place = Some(blocks.suspend());
        if let Some(block) = next? {
            let (separator, offset, open) = (separator.as_slice(), block.offset, block.open);
            let block = RowBlock { separator, offset, open };
            self.rows.add(block, Fragments::Clustering.ends())?;
            return Ok(());
        }
        let at = self.rows.end_partition(&entry.key, entry.data, entry.deletion)?;
        self.wide = None;
        let Some((prefix, leaf)) = self.leaf.take() else { return Ok(()) };
        let raw = if self.is_own { leaf.raw } else { at.0.cast_signed() };
        self.add(&prefix, payload(&Leaf { raw, ..leaf }))
    }

    fn finish<S: Source>(mut self, table: &Table<S>) -> Result<Vec<(Part, W)>, EntriesError> {
        let none = EntriesError::Nothing("this SSTable has no Partitions.db that can be read");
        let Some(footer) = &table.footer else { return Err(none) };
        let (partitions, is_lone) = (&mut self.partitions, self.is_lone);
        self.shortest.finish(|key, payload| {
            let most = if is_lone { partitions.flavour().lone_key_bytes } else { usize::MAX };
            let key = key.get(..most.min(key.len())).unwrap_or(&[]);
            Ok(partitions.add(key, *payload, Fragments::Partition.ends())?)
        })?;
        let root = self.partitions.finish().ok_or(none)?;
        let keys_at = self.partitions.at();
        for key in [&footer.first, &footer.last] {
            let bytes = u16::try_from(key.len()).unwrap_or(u16::MAX);
            self.partitions.put(&bytes.to_be_bytes());
            self.partitions.put(key);
        }
        for number in [keys_at, self.shortest.count(), root] {
            self.partitions.put(&number.to_be_bytes());
        }
        let partitions = (Part::Partitions, self.partitions.into_sink());
        Ok(vec![partitions, (Part::Rows, self.rows.into_sink())])
    }
}

/// Summary.db made again from Index.db, with the interval, the level and the byte order that it states.
#[derive(Debug)]
pub(super) struct SummaryRebuild {
    walk: IndexWalk,
    rules: [SampleRule; 2],
    makers: [SampleMaker; 2],
}

impl SummaryRebuild {
    /// `None` where there is no Summary.db that can be read, or its Index.db has another form.
    pub fn new<S: Source>(table: &Table<S>) -> Option<Self> {
        let format = table.version().formats().index;
        let header = table.summary.as_ref()?.header;
        table.source(Part::Summary)?;
        if format != IndexFormat::Vints {
            return None;
        }
        let every = SampleRule::Every(header.min_index_interval);
        // Who chose the samples is not told: both rules are tried, that of the likelier writer first.
        let rules = match table.is_written_by_scylla() {
            true => [SampleRule::Scylla, every],
            false => [every, SampleRule::Scylla],
        };
        Some(Self { walk: IndexWalk::new(format), rules, makers: rules.map(SampleMaker::new) })
    }

    /// Goes on for so many entries; whether all are read.
    pub fn step<S: Source>(&mut self, table: &Table<S>, budget: u64) -> Result<bool, EntriesError> {
        let none = EntriesError::Nothing("this SSTable has no Index.db");
        let source = table.source(Part::Index).ok_or(none)?;
        let mut failed = None;
        let (rules, makers) = (self.rules, &mut self.makers);
        self.walk.run(source, budget.max(1), |head, bytes| {
            // What may miss comes before anything is remembered.
            match counts(table, rules, head.data) {
                Ok(counts) => {
                    for (maker, data) in makers.iter_mut().zip(counts) {
                        maker.add(head.key(bytes), data, head.at);
                    }
                    ControlFlow::Continue(())
                }
                Err(error) => {
                    failed = Some((head.at, error));
                    ControlFlow::Break(())
                }
            }
        })?;
        match failed {
            Some((at, error)) => {
                self.walk = IndexWalk::from(table.version().formats().index, at);
                Err(error.into())
            }
            None => Ok(self.walk.ended(source)),
        }
    }

    /// The file by each rule, the likelier first.
    pub fn finish<S: Source>(self, table: &Table<S>) -> Result<Vec<Vec<u8>>, EntriesError> {
        let Some(summary) = &table.summary else { return Ok(Vec::new()) };
        let header = summary.header;
        let mut files = Vec::new();
        for (rule, maker) in self.rules.into_iter().zip(self.makers) {
            let sampled = maker.into_sampled();
            if sampled.bytes() > limits::SAMPLED_BYTES {
                let kind = Kind::OverLimit { limit: limits::SAMPLED_BYTES, found: sampled.bytes() };
                let error = ReadError::new(Part::Index, FilePos(0), "bytes of the samples", kind);
                return Err(Error::from(error).into());
            }
            let options = SummaryOptions {
                min_index_interval: header.min_index_interval,
                sampling_level: header.sampling_level,
                rule,
                big_endian: header.big_endian,
            };
            files.push(write_summary(&sampled, options)?);
        }
        Ok(files)
    }
}

fn counts<S: Source>(
    table: &Table<S>,
    rules: [SampleRule; 2],
    at: DataPos,
) -> Result<[u64; 2], Error> {
    let [first, second] = rules;
    Ok([counted(table, first, at)?, counted(table, second, at)?])
}

/// The bytes of Data.db before a partition, as a rule counts them: while writing, ScyllaDB counts the chunks stored.
fn counted<S: Source>(table: &Table<S>, rule: SampleRule, at: DataPos) -> Result<u64, Error> {
    let chunks = table.compression.as_ref().zip(table.source(Part::CompressionInfo));
    match (rule, chunks) {
        (SampleRule::Scylla, Some((info, offsets))) => {
            Ok(info.stored_at(offsets, info.chunk_of(at))?.0)
        }
        _ => Ok(at.0),
    }
}
