//! The walk over Index.db, entry by entry, with the samples of Summary.db beside it.
//!
//! A sample tells where an entry must begin. Where the walk passes over one that has its key, the walk is out of step: an
//! entry before it has a wrong length. That is one fault, so what was found since the last sample is dropped for it, and
//! the walk goes on at the sample. Findings are held back from sample to sample for that.

use super::about::{About, reader, summary, summary_header};
use super::facts::LegacyFacts;
use super::layout;
use super::promoted::{PromotedWalk, Shape, found, missed};
use super::rule::Beside;
use super::samples::{File, SampleWalk};
use super::windows::Windows;
use super::words::{cut, lost, promise, to_hex};
use crate::big::sample::ByBytes;
use crate::big::{Ahead, EntryHead};
use crate::check::catalog::index::{BLOCKS_UNREAD, ENTRY, ORDER_UNKNOWN};
use crate::check::catalog::summary::LAST_KEY;
use crate::check::{Finding, Findings, Stage, Step};
use crate::error::{Miss, ReadError};
use crate::keys::{Partitioner, Token};
use crate::pos::{DataPos, FilePos, len64};
use crate::race::LegacyReader;
use crate::source::{Pages, Source};
use crate::table::{IndexKind, Part, Table};
use std::cmp::Ordering;

/// Entries between two samples where there is no summary: what Cassandra would make.
const USUAL_INTERVAL: u64 = 128;

/// The check of a legacy index. A resumable job: a miss loses nothing, and nothing is reported twice.
#[derive(Clone, Debug)]
pub struct LegacyCheck {
    phase: Phase,
    pub(super) about: About,
    /// Position of the next entry.
    pub(super) at: FilePos,
    /// The head that is read.
    pub(super) bytes: Vec<u8>,
    /// The entry before: its key, token and position in Data.db.
    pub(super) key: Vec<u8>,
    pub(super) token: Token,
    pub(super) data: Option<DataPos>,
    /// Whether `promoted` holds that of the entry before, whose end is not known yet.
    pub(super) promoted_open: bool,
    pub(super) promoted: PromotedWalk,
    pub(super) samples: SampleWalk,
    /// What the summary promises from the entry on that cannot be read.
    pub(super) promise: Option<String>,
    /// What was found since the last sample.
    pub(super) held: Findings,
    /// The entry that `held` began with.
    pub(super) held_from: FilePos,
    /// Promoted indexes that are large beside their partition.
    pub(super) wide: Findings,
    pub(super) windows: Windows,
    /// How the samples lie beside ScyllaDB's rule, by uncompressed and by stored bytes.
    pub(super) by_data: Beside,
    pub(super) by_stored: Option<Beside>,
    /// The chunk of the entry before, and where it is stored.
    pub(super) chunk: Option<(u64, u64)>,
    /// Where samples would lie, if there is no summary.
    pub(super) derived: ByBytes,
    pub(super) facts: LegacyFacts,
    pub(super) looked: u64,
}

/// Where the job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Start,
    Entries,
    Promoted,
    End,
    Done,
}

impl Default for LegacyCheck {
    fn default() -> Self {
        Self::new()
    }
}

impl LegacyCheck {
    /// A job that has read nothing.
    pub fn new() -> Self {
        Self {
            phase: Phase::Start,
            about: About::default(),
            at: FilePos(0),
            bytes: Vec::new(),
            key: Vec::new(),
            token: Token::Key,
            data: None,
            promoted_open: false,
            promoted: PromotedWalk::default(),
            samples: SampleWalk::default(),
            promise: None,
            held: Findings::default(),
            held_from: FilePos(0),
            wide: Findings::default(),
            windows: Windows::new(LegacyReader::Cassandra),
            by_data: Beside::default(),
            by_stored: None,
            chunk: None,
            derived: ByBytes::default(),
            facts: LegacyFacts { complete: true, ..LegacyFacts::default() },
            looked: 0,
        }
    }

    /// Works on until about `budget` bytes have been looked at; true when nothing is left. A table without a legacy index
    /// has nothing to do.
    pub fn step<S: Source>(
        &mut self,
        table: &Table<S>,
        budget: u64,
        findings: &mut Findings,
    ) -> Result<bool, Miss> {
        let until = self.looked.saturating_add(budget.max(1));
        while self.looked < until && self.phase != Phase::Done {
            match self.phase {
                Phase::Start => self.start(table, findings),
                Phase::Entries => self.entries(table, until, findings)?,
                Phase::Promoted => self.blocks(table, until)?,
                Phase::End => self.end(table, findings)?,
                Phase::Done => {}
            }
        }
        Ok(self.phase == Phase::Done)
    }

    /// Bytes of Index.db and Summary.db looked at so far.
    pub fn looked(&self) -> u64 {
        self.looked
    }

    /// What the index came to: whole when the job is done.
    pub fn facts(&self) -> &LegacyFacts {
        &self.facts
    }

    fn start<S: Source>(&mut self, table: &Table<S>, findings: &mut Findings) {
        let legacy = table.readable_index() == Some(IndexKind::Legacy);
        if !legacy || table.source(Part::Index).is_none() {
            self.phase = Phase::Done;
            return;
        }
        self.phase = Phase::Entries;
        self.about = About::of(table);
        self.windows = Windows::new(reader(table));
        self.by_stored = table.compression.as_ref().map(|_| Beside::default());
        summary_header(table, findings);
        if self.about.order.is_none() {
            let found = match &table.facts.partitioner {
                Some(Partitioner::Unknown(class)) => class.clone(),
                _ => "none, for there is no Statistics.db that says it".to_owned(),
            };
            let finding = Finding::new(ORDER_UNKNOWN, "partitioner", "one that is known", found);
            findings.add(finding.part(Part::Index));
        }
    }

    /// Reads entries up to the next promoted index, the end, or the budget's.
    fn entries<S: Source>(
        &mut self,
        table: &Table<S>,
        until: u64,
        findings: &mut Findings,
    ) -> Result<(), Miss> {
        let Some(index) = table.source(Part::Index) else { return Ok(()) };
        let mut unheard = ();
        let mut pages = Pages::new(Part::Index, index, &mut unheard);
        let end = FilePos(index.len());
        let mut ahead = Ahead::new(end);
        let summary = summary(table);
        if end.0 == 0 {
            let error = ReadError::truncated(Part::Index, FilePos(0), "first entry", 1, 0);
            return self.unreadable(table, &error, findings);
        }
        while self.at < end && self.looked < until {
            missed(ahead.come(&mut pages, self.at))?;
            self.bytes.clear();
            let head = match found(EntryHead::read(
                &mut pages,
                table.version().formats().index,
                self.at,
                &mut self.bytes,
            ))? {
                Ok(head) => head,
                Err(error) => return self.unreadable(table, &error, findings),
            };
            let sampled = match self.sample_at(table, summary, &head, findings)? {
                At::Sample(number) => Some(number),
                At::Nothing => None,
                At::OutOfStep => return Ok(()),
                At::Again => {
                    self.looked += 1;
                    return Ok(());
                }
            };
            let stored = self.stored(table, head.data)?;
            self.entry(table, &head, sampled, stored, findings);
            self.looked += u64::from(head.bytes);
            self.at = head.end();
            if head.promoted_size > 0 {
                self.promoted.begin(&head);
                self.promoted_open = true;
                self.phase = Phase::Promoted;
                return Ok(());
            }
        }
        if self.at >= end {
            self.phase = Phase::End;
        }
        Ok(())
    }

    /// Reads blocks of the promoted index of the entry before.
    fn blocks<S: Source>(&mut self, table: &Table<S>, until: u64) -> Result<(), Miss> {
        let Some(index) = table.source(Part::Index) else { return Ok(()) };
        let schema = table.clustering_schema();
        let shape = Shape { version: table.version(), schema, lengths: &self.about.lengths };
        let budget = until.saturating_sub(self.looked);
        let (looked, done) = self.promoted.step(index, shape, &self.key, budget, &mut self.held)?;
        self.looked = self.looked.saturating_add(looked.max(1));
        if done {
            self.phase = Phase::Entries;
            if self.at.0 >= index.len() {
                self.phase = Phase::End;
            }
        }
        Ok(())
    }

    /// What the samples say of an entry.
    fn sample_at<S: Source>(
        &mut self,
        table: &Table<S>,
        summary: Option<File<'_, S>>,
        head: &EntryHead,
        findings: &mut Findings,
    ) -> Result<At, Miss> {
        let Some(summary) = summary else {
            let key = len64(head.key(&self.bytes).len());
            let due = match reader(table) {
                LegacyReader::Scylla => self.derived.next(key, head.data.0),
                LegacyReader::Cassandra => self.facts.entries.is_multiple_of(USUAL_INTERVAL),
            };
            return Ok(if due { At::Sample(self.facts.entries) } else { At::Nothing });
        };
        loop {
            let Some(sample) = self.samples.here() else {
                if self.samples.ended(summary.0) {
                    return Ok(At::Nothing);
                }
                if !self.samples.load(summary, self.about.order.as_ref(), findings)? {
                    return Ok(At::Again);
                }
                continue;
            };
            match sample.at.cmp(&head.at) {
                Ordering::Less => self.samples.pass(),
                Ordering::Equal => {
                    let key = head.key(&self.bytes);
                    let known = self.samples.key() == key;
                    self.samples.meet(key, findings);
                    if known {
                        // In step with the summary: what was held back is not the trace of a wrong length.
                        findings.absorb(std::mem::take(&mut self.held));
                    }
                    return Ok(At::Sample(sample.number));
                }
                Ordering::Greater if sample.at >= head.end() => return Ok(At::Nothing),
                Ordering::Greater => {
                    if self.begins_entry(table, sample.at)? {
                        let end = head.end();
                        self.out_of_step(head.at, sample.at, &format!("{end}"), findings);
                        return Ok(At::OutOfStep);
                    }
                    let why = format!("inside the entry at {}", head.at);
                    self.samples.astray(why, findings);
                }
            }
        }
    }

    /// Whether an entry with the key of the sample that is held begins at a position.
    fn begins_entry<S: Source>(&self, table: &Table<S>, at: FilePos) -> Result<bool, Miss> {
        let Some(index) = table.source(Part::Index) else { return Ok(false) };
        let (mut unheard, mut bytes) = ((), Vec::new());
        let mut pages = Pages::new(Part::Index, index, &mut unheard);
        let head =
            found(EntryHead::read(&mut pages, table.version().formats().index, at, &mut bytes))?;
        Ok(head.is_ok_and(|head| head.key(&bytes) == self.samples.key()))
    }

    /// An entry has a wrong length: the walk goes on at a sample, and what was held back is dropped for this one fault.
    fn out_of_step(&mut self, entry: FilePos, to: FilePos, end: &str, findings: &mut Findings) {
        let held = std::mem::take(&mut self.held);
        let expected = format!("{to}, where the next sample of Summary.db finds its key");
        let (at, found) = match held.kept().first() {
            Some(first) => (self.held_from, format!("none there; before it, {first}")),
            None => (entry, end.to_owned()),
        };
        findings.add(Finding::new(ENTRY, "end of an entry", expected, found).at(Part::Index, at));
        self.gap(to);
    }

    /// The walk goes on elsewhere: what follows is not compared with what lies before.
    fn gap(&mut self, to: FilePos) {
        self.at = to;
        self.promise = None;
        self.facts.complete = false;
        self.close_promoted(None);
    }

    /// An entry that cannot be read: the walk goes on at the next sample that finds its key, or ends.
    fn unreadable<S: Source>(
        &mut self,
        table: &Table<S>,
        error: &ReadError,
        findings: &mut Findings,
    ) -> Result<(), Miss> {
        let (entry, length) = (self.at, table.source(Part::Index).map_or(0, Source::len));
        if let Some(file) = summary(table)
            && !self.samples.ended(file.0)
        {
            let Some(sample) = self.samples.here() else {
                self.samples.load(file, self.about.order.as_ref(), findings)?;
                self.looked += 1;
                return Ok(());
            };
            if sample.at >= entry && self.promise.is_none() {
                let more = self.samples.left(file.0);
                self.promise = Some(promise(sample, self.samples.key(), more));
            }
            if sample.at.0 < length {
                if sample.at > entry && self.begins_entry(table, sample.at)? {
                    self.out_of_step(entry, sample.at, &cut(error), findings);
                    return Ok(());
                }
                // Here again for the next one: there may be many.
                self.samples.pass();
                self.looked += 12;
                return Ok(());
            }
        }
        let held = std::mem::take(&mut self.held);
        if let Some(first) = held.kept().first() {
            findings.add(first.clone());
        }
        let data = self.about.data_length.map(|length| (length, self.data.map(|data| data.0)));
        let lost = lost(self.facts.entries, self.promise.as_deref(), data);
        let found = format!("{}; {lost}", cut(error));
        let finding = Finding::new(ENTRY, error.field.clone(), "a whole entry", found);
        findings.add(finding.at(Part::Index, entry));
        self.facts.complete = false;
        self.phase = Phase::End;
        Ok(())
    }

    /// Where the chunk of a position is stored: ScyllaDB counts these bytes while it writes.
    fn stored<S: Source>(&mut self, table: &Table<S>, data: DataPos) -> Result<u64, Miss> {
        if self.by_stored.is_none() {
            return Ok(0);
        }
        let info = table.compression.as_ref().zip(table.source(Part::CompressionInfo));
        let Some((info, source)) = info else { return Ok(0) };
        let chunk = info.chunk_of(data);
        match self.chunk {
            Some((known, stored)) if known == chunk => return Ok(stored),
            _ => {}
        }
        let Some(stored) = found(info.stored_at(source, chunk))?.ok() else {
            self.by_stored = None;
            return Ok(0);
        };
        self.chunk = Some((chunk, stored.0));
        Ok(stored.0)
    }

    fn end<S: Source>(&mut self, table: &Table<S>, findings: &mut Findings) -> Result<(), Miss> {
        let summary = summary(table);
        let complete = self.facts.complete;
        let length = table.source(Part::Index).map_or(0, Source::len);
        if let Some(file) = summary
            && complete
            && !self.samples.ended(file.0)
        {
            if !self.samples.load(file, self.about.order.as_ref(), findings)? {
                self.looked += 1;
                return Ok(());
            }
            if self.samples.here().is_some() {
                let more = self.samples.left(file.0);
                let mut why = format!("behind the end of Index.db at {length}");
                if more > 0 {
                    why.push_str(&format!(", and {more} more samples behind it"));
                }
                self.samples.astray(why, findings);
            }
        }
        self.close_promoted(self.about.data_length.filter(|_| complete).map(DataPos));
        findings.absorb(std::mem::take(&mut self.held));
        let header = summary.map(|(summary, _)| &summary.header);
        self.windows.end(FilePos(length), self.about.data_length, header, true);
        self.facts.lookup = self.windows.lookup();
        if let Some((summary, _)) = summary {
            self.facts.spread = Some(self.windows.spread(summary.bytes, self.about.data_length));
            if complete && self.facts.entries > 0 && summary.last != self.key {
                let expected = format!("{}, the last of Index.db", to_hex(&self.key));
                let finding = Finding::new(LAST_KEY, "last key", expected, to_hex(&summary.last));
                findings.add(finding.at(Part::Summary, summary.last_at()).key(&self.key));
            }
        }
        if complete && !self.samples.faulty {
            layout::rule(table, &self.windows, &self.by_data, self.by_stored.as_ref(), findings);
        }
        if self.facts.promoted.partitions > 0 && table.clustering_schema().is_none() {
            let found = match table.statistics {
                Some(_) => "none, for Statistics.db of this version does not tell them",
                None => "not known without Statistics.db",
            };
            let finding = Finding::new(BLOCKS_UNREAD, "clustering columns", "their types", found);
            findings.add(finding.part(Part::Index));
        }
        if complete {
            let wide = std::mem::take(&mut self.wide);
            layout::table(table, &self.facts, !self.samples.faulty, wide, findings);
        }
        self.phase = Phase::Done;
        Ok(())
    }
}

/// What the samples say of an entry.
enum At {
    /// It is the sample with this number.
    Sample(u64),
    /// It is none.
    Nothing,
    /// The walk was out of step and goes on elsewhere.
    OutOfStep,
    /// Many samples were passed: to be asked again.
    Again,
}

impl<S: Source> Stage<S> for LegacyCheck {
    fn name(&self) -> &'static str {
        "Index.db and Summary.db, entry by entry"
    }

    fn step(
        &mut self,
        table: &Table<S>,
        budget: u64,
        findings: &mut Findings,
    ) -> Result<Step, Miss> {
        let before = self.looked;
        let done = Self::step(self, table, budget, findings)?;
        Ok(Step { bytes: self.looked - before, done })
    }
}
