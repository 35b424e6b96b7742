//! The flipped bit that explains a finding: searched by the checks of an index or by the checksums of Data.db, and tried on
//! a copy in memory.

use super::checked::{BUDGET, Run, bytes_of};
use super::query::{Bit, Query};
use crate::model::{Failure, TableId};
use crate::worker::world::{World, failure};
use triescope_core::check::flip::{FlipJob, FlipReport, Place, Repair, TrialJob, suspects};
use triescope_core::check::{CheckJob, CheckOptions, Finding, Report};
use triescope_core::race::Stop;
use triescope_core::source::Source;
use triescope_core::table::{Part, Table};

/// What is looked into, and what came of it. One of each is kept.
#[derive(Debug, Default)]
pub struct Looked {
    search: Option<(Of, Search)>,
    attempt: Option<((TableId, bool, Bit), Attempt)>,
}

/// What is searched for: the table, with its rows or without, and the finding of a check.
type Of = (TableId, bool, &'static str, usize);

#[derive(Debug)]
enum Search {
    Nothing,
    Trial(Box<TrialJob>, bool),
    Flip(Box<FlipJob>, bool),
}

/// A table with a bit changed.
#[derive(Debug)]
struct Attempt {
    job: Option<CheckJob>,
    report: Option<Report>,
    of: u64,
}

/// A change that explains a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The bit; `None` for a digit of a digest that differs in more.
    pub bit: Option<Bit>,
    /// The byte as it is, and as it would be.
    pub bytes: (u8, u8),
    /// What it is, beside a byte of the component: a checksum, a digit.
    pub is: &'static str,
    /// What it does, in words.
    pub does: String,
}

/// What the search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// Bits that were tried; 0 where they were solved for.
    pub tried: u64,
    /// What explains it, the best first.
    pub found: Vec<Found>,
    /// Why nothing can be said, a sentence.
    pub note: Option<String>,
}

/// What can be tried at a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tryable {
    /// So many bits, each with all checks, which look at about so many bytes.
    Bits(u64, u64),
    /// The checksums of Data.db are solved for the bit.
    Sums,
}

/// What can be tried at a finding; `None` where nothing can.
pub fn tryable<S: Source>(table: &Table<S>, finding: &Finding, is_deep: bool) -> Option<Tryable> {
    if is_summed(finding) {
        return Some(Tryable::Sums);
    }
    let stretches = suspects(table, finding).ok()?;
    let bytes: u64 = stretches.iter().map(|(_, len)| *len).sum();
    (bytes > 0).then(|| Tryable::Bits(bytes.saturating_mul(8), bytes_of(table, is_deep)))
}

fn is_summed(finding: &Finding) -> bool {
    matches!(finding.check.id, "data/chunk-checksum" | "files/digest")
}

impl Looked {
    /// Works on what the query asks for at a finding; how far that is, until it is done.
    ///
    /// # Errors
    /// When the bytes are not here.
    pub fn step<S: Source>(
        &mut self,
        query: &Query,
        run: &Run,
        (id, n, finding): (TableId, usize, &Finding),
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Result<Option<(u64, u64)>, Failure> {
        let table = world.table(id).ok_or(Failure::Cancelled)?;
        if query.is_flip {
            let of = (id, query.is_deep, finding.check.id, n);
            if self.search.as_ref().is_none_or(|(known, _)| *known != of) {
                self.search = Some((of, Search::new(table, finding, query, run, id)?));
            }
            if let Some((_, search)) = &mut self.search
                && let Some(come) = search.run(table, over)?
            {
                return Ok(Some(come));
            }
        }
        if let Some(bit) = query.attempt {
            let of = (id, query.is_deep, bit);
            if self.attempt.as_ref().is_none_or(|(known, _)| *known != of) {
                self.attempt = Some((of, Attempt::new(table, bit, query.is_deep)?));
            }
            if let Some((_, attempt)) = &mut self.attempt {
                return attempt.run(table, bit, over);
            }
        }
        Ok(None)
    }

    /// What the search came to.
    pub fn explained<S: Source>(&self, table: &Table<S>) -> Option<Explained> {
        let (_, search) = self.search.as_ref()?;
        Some(match search {
            Search::Nothing => Explained { tried: 0, found: Vec::new(), note: None },
            Search::Trial(job, _) => {
                let least = job.repairs().first().map(|it| (it.broken, it.left));
                let best = job.repairs().iter().filter(|it| Some((it.broken, it.left)) == least);
                Explained { tried: job.tried().0, found: best.map(of_repair).collect(), note: None }
            }
            Search::Flip(job, _) => of_report(table, job.report()),
        })
    }

    /// What the checks say with the bit changed.
    pub fn attempted(&self) -> Option<&Report> {
        self.attempt.as_ref()?.1.report.as_ref()
    }
}

impl Search {
    fn new<S: Source>(
        table: &Table<S>,
        finding: &Finding,
        query: &Query,
        run: &Run,
        id: TableId,
    ) -> Result<Self, Failure> {
        if is_summed(finding) {
            return Ok(Self::Flip(Box::new(FlipJob::new(table)), false));
        }
        let Some(report) = run.report(id) else { return Ok(Self::Nothing) };
        let options = CheckOptions { deep: query.is_deep };
        let job = TrialJob::new(table, finding, &report.all, options);
        let job = job.map_err(|miss| failure(Stop::Miss(miss)))?;
        Ok(job.map_or(Self::Nothing, |job| Self::Trial(Box::new(job), false)))
    }

    fn run<S: Source>(
        &mut self,
        table: &Table<S>,
        over: &dyn Fn() -> bool,
    ) -> Result<Option<(u64, u64)>, Failure> {
        loop {
            let (step, come, is_done) = match self {
                Self::Nothing | Self::Trial(_, true) | Self::Flip(_, true) => return Ok(None),
                Self::Trial(job, done) => (job.step(table, BUDGET), job.tried(), done),
                Self::Flip(job, done) => {
                    let step = job.step(table, BUDGET);
                    let looked = step.as_ref().map_or(0, |step| step.bytes);
                    let of = table.source(Part::Data).map_or(0, Source::len);
                    (step, (looked, of.max(looked)), done)
                }
            };
            *is_done = step.map_err(|miss| failure(Stop::Miss(miss)))?.done;
            if !*is_done && over() {
                return Ok(Some(come));
            }
        }
    }
}

impl Attempt {
    fn new<S: Source>(table: &Table<S>, bit: Bit, is_deep: bool) -> Result<Self, Failure> {
        let patched = table.patched(bit.part, (bit.at, bit.mask()));
        let patched = patched.map_err(|miss| failure(Stop::Miss(miss)))?;
        let job = CheckJob::new(&patched, CheckOptions { deep: is_deep });
        Ok(Self { job: Some(job), report: None, of: bytes_of(table, is_deep) })
    }

    fn run<S: Source>(
        &mut self,
        table: &Table<S>,
        bit: Bit,
        over: &dyn Fn() -> bool,
    ) -> Result<Option<(u64, u64)>, Failure> {
        if self.job.is_none() {
            return Ok(None);
        }
        let patched = table.patched(bit.part, (bit.at, bit.mask()));
        let patched = patched.map_err(|miss| failure(Stop::Miss(miss)))?;
        while let Some(job) = &mut self.job {
            let step = job.step(&patched, BUDGET).map_err(|miss| failure(Stop::Miss(miss)))?;
            if step.done {
                self.report = self.job.take().map(CheckJob::into_report);
            } else if over() {
                return Ok(Some((step.bytes, self.of.max(step.bytes))));
            }
        }
        Ok(None)
    }
}

fn of_repair(repair: &Repair) -> Found {
    let bit = Bit { part: repair.part, at: repair.at, bit: repair.bit };
    let bytes = (repair.before, repair.after);
    Found { bit: Some(bit), bytes, is: "", does: left(repair.left) }
}

/// How many findings are left.
fn left(n: u64) -> String {
    match n {
        0 => "all checks pass".to_owned(),
        1 => "one finding is left".to_owned(),
        n => format!("{n} findings are left"),
    }
}

fn of_report<S: Source>(table: &Table<S>, report: &FlipReport) -> Explained {
    let mut found = Vec::new();
    for fault in &report.faults {
        for it in &fault.candidates {
            let bit = it.bit.map(|bit| Bit { part: it.part, at: it.at, bit });
            let is = match it.place {
                Place::Data => "",
                Place::Checksum => "the checksum’s ",
                Place::Digest => "the digest’s ",
            };
            let mut does = match it.digest_agrees {
                Some(true) => "the checksum is right, and the digest agrees".to_owned(),
                Some(false) => "the checksum is right, but the digest does not agree".to_owned(),
                None => "the checksum is right".to_owned(),
            };
            if let Some(effect) = &it.effect {
                let key = effect.key.as_ref().map(|key| table.key_schema().to_text(key));
                let place = key.map_or(String::new(), |key| format!(" in partition {key}"));
                let field = effect.field.as_deref().unwrap_or("bytes of the rows");
                does += &format!("; it changes {field}{place}");
                if let (Some(before), Some(after)) = (&effect.before, &effect.after) {
                    does += &format!(": {before} becomes {after}");
                }
            }
            found.push(Found { bit, bytes: (it.before, it.after), is, does });
        }
    }
    Explained { tried: 0, found, note: report.note.clone() }
}
