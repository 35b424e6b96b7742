//! The finder as a resumable job: all of Data.db is summed up once, then each fault is solved, then each candidate is
//! tried on the data.
//!
//! Memory: one chunk as stored and twice as it is decompressed ([`crate::limits::CHUNK_BYTES`]), and a row of each of two reads
//! ([`crate::limits::ROW_KEPT_BYTES`]).

use super::effect::{ItemSearch, compare};
use super::faults::{Faults, Suspect, mask};
use super::{Candidate, Effect, FlipReport, Place, Summed};
use crate::check::Progress;
use crate::check::stored::ChunkScan;
use crate::check::within::Within;
use crate::error::{Error, Miss};
use crate::pos::{DataPos, FilePos};
use crate::source::Source;
use crate::table::{Part, Table};
use serde_bytes::ByteBuf;

/// What trying a candidate counts as, beside the bytes that it reads: so small a budget ends with it.
const TRY_BYTES: u64 = 64 << 10;

/// The job.
#[derive(Debug)]
pub struct FlipJob {
    phase: Phase,
    report: FlipReport,
    bytes: u64,
    faults: Faults,
    /// Candidates that change the data, in the order of their positions.
    spots: Vec<Spot>,
}

#[derive(Debug)]
enum Phase {
    /// Sums up Data.db.
    Sum(Box<ChunkScan>),
    /// Searches the bits of faults.
    Solve,
    /// Tries bits on the chunk that they are in.
    Try,
    /// Looks up which partitions they are in.
    Locate(Within),
    /// Reads the row at a spot, with the change and then without.
    Read {
        spot: usize,
        is_changed: bool,
        search: Option<Box<ItemSearch>>,
    },
    Done,
}

/// A candidate that changes the data at a position.
#[derive(Clone, Copy, Debug)]
struct Spot {
    fault: usize,
    candidate: usize,
    at: DataPos,
}

impl FlipJob {
    /// For one table.
    pub fn new<S: Source>(table: &Table<S>) -> Self {
        let (phase, note) = match ChunkScan::new(table) {
            Some(scan) => (Phase::Sum(Box::new(scan)), None),
            None if table.source(Part::Data).is_none() => {
                (Phase::Done, Some("Data.db is not here: there is nothing to sum up".to_owned()))
            }
            None => (Phase::Done, Some(format!("version {} is not read", table.version()))),
        };
        let report = FlipReport { note, ..FlipReport::default() };
        Self { phase, report, bytes: 0, faults: Faults::default(), spots: Vec::new() }
    }

    /// Works on until about `budget` bytes have been looked at.
    pub fn step<S: Source>(&mut self, table: &Table<S>, budget: u64) -> Result<Progress, Miss> {
        let until = self.bytes.saturating_add(budget.max(1));
        while self.bytes < until && !matches!(self.phase, Phase::Done) {
            let budget = until.saturating_sub(self.bytes);
            if let Some(next) = self.advance(table, budget)? {
                self.phase = next;
            }
        }
        let stage = match &self.phase {
            Phase::Sum(_) => "Data.db, checksum by checksum",
            Phase::Solve => "the bits of damaged chunks",
            Phase::Try => "damaged chunks with a bit changed",
            Phase::Locate(_) => "the partitions of damaged chunks",
            Phase::Read { .. } => "the rows of damaged chunks",
            Phase::Done => "",
        };
        Ok(Progress { done: matches!(self.phase, Phase::Done), stage, bytes: self.bytes })
    }

    /// What was found so far; complete when the job is done.
    pub fn report(&self) -> &FlipReport {
        &self.report
    }

    /// What was found.
    pub fn into_report(self) -> FlipReport {
        self.report
    }

    /// Does a piece of the present phase. Gives the next phase when it is over; after a miss nothing has changed.
    fn advance<S: Source>(&mut self, table: &Table<S>, budget: u64) -> Result<Option<Phase>, Miss> {
        match &mut self.phase {
            Phase::Sum(scan) => {
                let step = scan.step(table, budget)?;
                self.bytes = self.bytes.saturating_add(step.bytes);
                if !step.done {
                    return Ok(None);
                }
                if let Some(error) = &scan.stopped {
                    self.report.note = Some(error.to_string());
                    return Ok(Some(Phase::Done));
                }
                self.faults = Faults::new(table, scan)?;
                if !scan.has_checksums() && scan.digests().is_empty() {
                    let note = "neither chunks nor the file have a checksum: nothing was compared";
                    self.report.note = Some(note.to_owned());
                }
                self.report.faults = std::mem::take(&mut self.faults.faults);
                self.report.more = self.faults.more;
                Ok(Some(Phase::Solve))
            }
            Phase::Solve => {
                let Some(search) = self.faults.searches.front_mut() else {
                    return Ok(Some(Phase::Try));
                };
                let (bytes, found) = search.step(budget);
                self.bytes = self.bytes.saturating_add(bytes);
                self.faults.bits.extend(found);
                if search.ended() {
                    self.faults.searches.pop_front();
                }
                Ok(None)
            }
            Phase::Try => {
                let Some(bit) = self.faults.bits.front().copied() else {
                    self.spots.sort_by_key(|spot| spot.at);
                    let ranges = self.spots.iter().map(|it| it.at.0..it.at.0.saturating_add(1));
                    return Ok(Some(Phase::Locate(Within::new(table, ranges))));
                };
                self.attempt(table, bit)?;
                self.faults.bits.pop_front();
                Ok(None)
            }
            Phase::Locate(within) => {
                let step = within.step(table, budget)?;
                self.bytes = self.bytes.saturating_add(step.bytes);
                if !step.done {
                    return Ok(None);
                }
                let found: Vec<_> = within.stretches().iter().map(|it| it.first.clone()).collect();
                for (spot, first) in self.spots.iter().zip(found) {
                    if let (Some(effect), Some(first)) = (effect(&mut self.report, *spot), first) {
                        effect.partition = Some(first.at);
                        effect.key = first.key.map(ByteBuf::from);
                    }
                }
                Ok(Some(Phase::Read { spot: 0, is_changed: true, search: None }))
            }
            Phase::Read { .. } => self.read(table, budget),
            Phase::Done => Ok(None),
        }
    }

    /// Tries a bit: what its byte is, and what the chunk holds with it changed.
    fn attempt<S: Source>(&mut self, table: &Table<S>, bit: Suspect) -> Result<(), Miss> {
        self.bytes = self.bytes.saturating_add(TRY_BYTES);
        let Some(byte) = byte_at(table, bit.at)? else { return Ok(()) };
        let change = mask(bit.bit);
        if bit.is_set.is_some_and(|is_set| is_set != (byte & change != 0)) {
            return Ok(());
        }
        let Some(fault) = self.report.faults.get_mut(bit.fault) else { return Ok(()) };
        let start = match fault.of {
            Summed::Chunk { start, .. } => start,
            Summed::File => DataPos(bit.at.0),
        };
        let effect = compare(table, (bit.at, change), start)?;
        if let Some(effect) = &effect {
            let at = effect.bytes.first().map_or(start, |first| first.at);
            let candidate = fault.candidates.len();
            self.spots.push(Spot { fault: bit.fault, candidate, at });
        }
        let found = self.faults.candidate(Part::Data, bit.at, Place::Data, bit.bit, byte);
        fault.candidates.push(Candidate { effect, ..found });
        Ok(())
    }

    /// Reads on at a spot.
    fn read<S: Source>(&mut self, table: &Table<S>, budget: u64) -> Result<Option<Phase>, Miss> {
        let Phase::Read { spot, is_changed, search } = &mut self.phase else { return Ok(None) };
        let Some(here) = self.spots.get(*spot).copied() else { return Ok(Some(Phase::Done)) };
        self.bytes = self.bytes.saturating_add(budget.min(TRY_BYTES));
        let next = Phase::Read { spot: *spot + 1, is_changed: true, search: None };
        let candidate = candidate(&mut self.report, here);
        let (Some(format), Some(candidate)) = (table.data_format(), candidate) else {
            return Ok(Some(next));
        };
        let change = candidate.bit.map(|bit| (candidate.at, mask(bit))).filter(|_| *is_changed);
        let Some(effect) = &mut candidate.effect else { return Ok(Some(next)) };
        let Some(partition) = effect.partition else { return Ok(Some(next)) };
        let search = search
            .get_or_insert_with(|| Box::new(ItemSearch::new(format, partition, here.at, change)));
        let Some(found) = search.step(table, budget)? else { return Ok(None) };
        if *is_changed {
            effect.key = search.key().cloned().or(effect.key.take());
            (effect.after, effect.field) = (Some(found.line), found.field);
            return Ok(Some(Phase::Read { spot: *spot, is_changed: false, search: None }));
        }
        effect.before = Some(found.line);
        effect.field = effect.field.take().or(found.field);
        Ok(Some(next))
    }
}

fn candidate(report: &mut FlipReport, spot: Spot) -> Option<&mut Candidate> {
    report.faults.get_mut(spot.fault)?.candidates.get_mut(spot.candidate)
}

fn effect(report: &mut FlipReport, spot: Spot) -> Option<&mut Effect> {
    candidate(report, spot)?.effect.as_mut()
}

/// A byte of Data.db.
fn byte_at<S: Source>(table: &Table<S>, at: FilePos) -> Result<Option<u8>, Miss> {
    let Some(source) = table.source(Part::Data) else { return Ok(None) };
    match source.page(at.page()) {
        Ok(page) => Ok(page.get(at.in_page()).copied()),
        Err(Error::Miss(miss)) => Err(miss),
        Err(Error::Damage(_)) => Ok(None),
    }
}
