//! Building a twin: planned, perhaps refused, done in slices, and told in words.

use super::jobs::Slice;
use super::protocol::Reply;
use super::shelf::Shelf;
use crate::model::{Failure, TwinWords};
use crate::state::intent::Side;
use crate::state::store::TwinCall;
use crate::worker::frames::OpenFile;
use crate::worker::world::World;
use triescope_core::error::Error;
use triescope_core::limits::{TWIN_ROOM_BYTES, TWIN_WITHOUT_ASKING_BYTES};
use triescope_core::lookup::words::number;
use triescope_core::source::Source;
use triescope_core::table::{IndexKind, Table};
use triescope_core::twin::{
    BlockSize, Estimate, Refusal, Target, Twin, TwinJob, TwinOptions, TwinPlan, TwinReport,
};

/// Partitions, blocks and rows between two looks at the clock.
const BUDGET: u64 = 1_000;

/// A twin that is being built. Dropped, it leaves nothing behind.
#[derive(Debug)]
pub struct Twinning<W: Shelf> {
    call: TwinCall,
    job: Option<Box<TwinJob<W>>>,
}

impl<W: Shelf> Twinning<W> {
    /// Nothing is read yet.
    pub const fn new(call: TwinCall) -> Self {
        Self { call, job: None }
    }

    /// Works until `over` says that the slice is over, or until it is done.
    pub fn slice<S: Source>(&mut self, world: &World<S>, over: &dyn Fn() -> bool) -> Slice {
        let Some(table) = world.table(self.call.of) else {
            return Slice::Done(Err(Failure::Cancelled));
        };
        let mut job = match self.job.take() {
            Some(job) => job,
            None => match plan(table, self.call) {
                Ok(plan) => Box::new(TwinJob::new(table, plan, |_| W::default())),
                Err(no) => return Slice::Done(Ok(*no)),
            },
        };
        loop {
            let progress = match job.step(table, BUDGET) {
                Ok(progress) => progress,
                Err(Error::Damage(error)) => return Slice::Done(Ok(refused(self.call, &error))),
                // The worker's sources read at once and never miss.
                Err(miss @ Error::Miss(_)) => return Slice::Done(Err(miss.into())),
            };
            if progress.is_finished {
                let Some(twin) = job.finish() else {
                    return Slice::Done(Err(Failure::Cancelled));
                };
                return Slice::Done(Ok(made(self.call, twin)));
            }
            if over() {
                self.job = Some(job);
                return Slice::More(Some(Reply::Progress(progress.done, progress.of)));
            }
        }
    }
}

/// What will be built, or why not.
fn plan<S: Source>(table: &Table<S>, call: TwinCall) -> Result<TwinPlan, Box<Reply>> {
    let wanted = match call.side {
        Side::Trie => IndexKind::Trie,
        Side::Legacy => IndexKind::Legacy,
    };
    // The same index with other blocks is that of the SSTable's own version.
    let target = match table.readable_index() {
        Some(own) if own == wanted => Target::new(table.version()),
        _ => Target::for_table(table),
    };
    let Some(target) = target.filter(|target| target.kind() == wanted) else {
        return Err(refused(call, &"this version of it is not written here").into());
    };
    let options = TwinOptions { block_bytes: call.block, ..TwinOptions::new(target) };
    let plan = TwinPlan::new(table, options).map_err(|why| Box::new(refused(call, &why)))?;
    plan.estimate.fits(TWIN_ROOM_BYTES).map_err(|why| Box::new(too_large(call, &why)))?;
    if plan.estimate.read > TWIN_WITHOUT_ASKING_BYTES && !call.large {
        return Err(ask(call, &plan.estimate).into());
    }
    Ok(plan)
}

fn made<W: Shelf>(call: TwinCall, twin: Twin<W>) -> Reply {
    let mut files = Vec::new();
    for (part, shelf) in twin.files {
        match shelf.file() {
            Ok(handle) => files.push(OpenFile { path: part.file_name().to_owned(), handle }),
            Err(why) => return refused(call, &why),
        }
    }
    let version = twin.report.target.version().to_string();
    Reply::Twin { version, words: words(call, &twin.report), files }
}

fn words(call: TwinCall, report: &TwinReport) -> TwinWords {
    // Where they were formed again, the first words say so.
    let size = report.block_size.filter(|_| report.blocks > 0 && call.block.is_none());
    TwinWords {
        from: report.from.to_string(),
        blocks: size.map(blocks),
        assumed: report.assumptions.iter().map(ToString::to_string).collect(),
        millis: 0,
    }
}

/// `blocks of 16 KiB`, or of about so much where the blocks allow several sizes.
fn blocks(size: BlockSize) -> String {
    let about = if size.least == size.most { "" } else { "about " };
    format!("blocks of {about}{}", kib(size.likely()))
}

fn kib(bytes: u64) -> String {
    match bytes % 1024 {
        0 => format!("{} KiB", number(bytes / 1024, ',')),
        _ => format!("{} B", number(bytes, ',')),
    }
}

const fn name(side: Side) -> &'static str {
    match side {
        Side::Trie => "trie index",
        Side::Legacy => "legacy index",
    }
}

fn refused(call: TwinCall, why: &dyn std::fmt::Display) -> Reply {
    let why = format!("The {} of this table cannot be built: {why}.", name(call.side));
    Reply::Not { why, ask: false }
}

fn too_large(call: TwinCall, why: &Refusal) -> Reply {
    let room = match why {
        Refusal::TooLarge { estimate, room } => format!(
            "it would take about {} B and {} B of memory while it is built, and this page has room for {} B",
            number(estimate.result, ','),
            number(estimate.memory, ','),
            number(*room, ',')
        ),
        other => other.to_string(),
    };
    refused(call, &room)
}

fn ask(call: TwinCall, estimate: &Estimate) -> Reply {
    let why = format!(
        "Building the {} of this table reads {} B from {}, and makes about {} B. More than {} B are read only when you say so.",
        name(call.side),
        number(estimate.read, ','),
        estimate.from,
        number(estimate.result, ','),
        number(TWIN_WITHOUT_ASKING_BYTES, ',')
    );
    Reply::Not { why, ask: true }
}
