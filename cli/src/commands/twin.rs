//! `triescope twin`: the same rows as a complete SSTable of another version.

use crate::args::Twin;
use crate::failure::{Failure, Outcome, Verdict};
use crate::files::{self, Opened};
use crate::json::Sstables;
use crate::out::{Cell, Column, Look, Out, count, number};
use crate::progress::Progress;
use crate::written::Written;
use serde::Serialize;
use std::io::Write as _;
use std::time::{Duration, Instant};
use triescope_core::set::{RowPlan, SetError, SetJob, SetPlan, SetReport};
use triescope_core::table::Part;
use triescope_core::twin::{BlockSize, Target, TwinJob, TwinOptions, TwinPlan, TwinReport};
use triescope_core::write::Sink;

/// Bytes of Data.db between two looks at the clock.
const BYTES: u64 = 4 << 20;
/// Partitions, blocks and rows between two looks at the clock.
const ROWS: u64 = 20_000;

#[derive(Serialize)]
struct TwinJson {
    version: String,
    twin: String,
    built_from: String,
    data: String,
    partitions: u64,
    wide: u64,
    blocks: u64,
    block_size: Option<u64>,
    files: Vec<FileJson>,
    assumed: Vec<String>,
    millis: u64,
}

#[derive(Serialize)]
struct FileJson {
    name: String,
    bytes: u64,
}

/// What became of it.
struct Made {
    index: TwinReport,
    set: SetReport,
    /// The block size of the source, where the blocks were formed again.
    blocks: Option<(BlockSize, u64)>,
    files: Vec<(String, u64)>,
    took: Duration,
}

/// Bytes that nobody wants.
struct Nowhere;

impl Sink for Nowhere {
    fn put(&mut self, _: &[u8]) {}
}

/// Runs the command.
pub fn run(args: &Twin, out: &mut Out) -> Outcome {
    let table = files::find(std::slice::from_ref(&args.one.path))?.only()?;
    let name = files::name(&table.set);
    let target = match &args.version {
        Some(version) => Target::new(*version),
        None => Target::for_table(&table),
    };
    let target = target.ok_or_else(|| {
        Failure::new(format!(
            "{name}: there is no other version to write it in; name one with --as"
        ))
    })?;
    let made = make(args, &table, target)?;
    if args.one.json {
        let mut json = Sstables::open(out)?;
        json.put(&name, &made.json())?;
        json.close()?;
    } else {
        made.print(&name, out)?;
    }
    Ok(Verdict::Clean)
}

fn make(args: &Twin, table: &Opened, target: Target) -> Result<Made, Failure> {
    #[expect(clippy::disallowed_methods, reason = "a duration is shown")]
    let started = Instant::now();
    let (name, to) = (files::name(&table.set), target.version());
    let refused = |why: &dyn std::fmt::Display| {
        Failure::new(format!("{name}: it cannot be written as {to}: {why}"))
    };
    let plan = SetPlan::new(table, target)?.map_err(|why| refused(&why))?;
    let kept = TwinOptions { block_bytes: args.block_size, ..TwinOptions::new(target) };
    // Whether the index can be built is known before anything is written.
    let kept = TwinPlan::new(table, kept).map_err(|why| refused(&why))?;
    let mut progress = Progress::new(format!("{name} as {to}"));
    let mut learnt = None;
    if plan.learns_blocks(table, args.block_size) {
        let report = index(table, kept, &mut progress, "row blocks", |_| Ok(Nowhere))?;
        learnt = report.block_size;
    }
    let options = plan.index(table, args.block_size, learnt);
    let moves = plan.moves_positions();
    let parts: Vec<Part> = plan.parts.iter().copied().chain(target.parts()).collect();
    let mut written = Written::new(&args.out, to, table.set.generation, &parts)?;
    for part in plan.parts.iter().copied() {
        written.create(part)?;
    }
    let mut job = SetJob::new(table, plan);
    loop {
        let step = job.step(table, BYTES, &mut written).map_err(|error| match error {
            SetError::Read(error) => Failure::from(error),
            other => refused(&other),
        })?;
        if step.is_finished {
            break;
        }
        progress.tick("Data.db", step.done, Some(step.of));
        written.flush()?;
    }
    written.flush()?;
    let set = job.report(table).ok_or_else(|| refused(&"it was not finished"))?;
    let index = if moves {
        // The index is that of the Data.db that was just written.
        let moved = files::find(&[written.folder().to_owned()])?.only()?;
        let plan = TwinPlan::new(&moved, options).map_err(|why| refused(&why))?;
        index(&moved, plan, &mut progress, "index", |part| written.create(part))?
    } else {
        let plan = TwinPlan::new(table, options).map_err(|why| refused(&why))?;
        index(table, plan, &mut progress, "index", |part| written.create(part))?
    };
    progress.clear();
    let files = written.finish()?;
    let blocks = learnt.map(|size| (size, size.likely()));
    Ok(Made { index, set, blocks, files, took: started.elapsed() })
}

/// Builds an index into sinks.
fn index<W: Sink>(
    table: &Opened,
    plan: TwinPlan,
    progress: &mut Progress,
    stage: &str,
    mut sink: impl FnMut(Part) -> Result<W, Failure>,
) -> Result<TwinReport, Failure> {
    let mut sinks = Vec::new();
    for part in plan.options.target.parts() {
        sinks.push((part, sink(part)?));
    }
    let take = |part: Part| {
        let at = sinks.iter().position(|(other, _)| *other == part).unwrap_or(0);
        sinks.swap_remove(at).1
    };
    let mut job = TwinJob::new(table, plan, take);
    loop {
        let step = job.step(table, ROWS)?;
        if step.is_finished {
            break;
        }
        progress.tick(stage, step.done, Some(step.of));
    }
    job.finish().map(|twin| twin.report).ok_or_else(|| Failure::new("the index was not finished"))
}

impl Made {
    fn data(&self) -> String {
        match &self.set.rows {
            RowPlan::Copied => "copied".to_owned(),
            RowPlan::Rewritten(storing) => format!("written anew, {storing}"),
        }
    }

    fn built_from(&self) -> String {
        match &self.set.rows {
            RowPlan::Copied => self.index.from.to_string(),
            RowPlan::Rewritten(_) => format!("the new {}", self.index.from),
        }
    }

    /// What had to be assumed or left out, in sentences.
    fn assumed(&self) -> Vec<String> {
        let mut said: Vec<String> = self.set.notes.iter().map(ToString::to_string).collect();
        if let Some((BlockSize { least, most }, taken)) = self.blocks
            && least < most
        {
            said.push(format!(
                "row blocks of the source are closed by {} to {} bytes, and {} was taken",
                number(least),
                number(most),
                number(taken)
            ));
        }
        said.extend(self.index.assumptions.iter().map(ToString::to_string));
        said
    }

    fn json(&self) -> TwinJson {
        let file = |(name, bytes): &(String, u64)| FileJson { name: name.clone(), bytes: *bytes };
        TwinJson {
            version: self.set.from.to_string(),
            twin: self.set.to.to_string(),
            built_from: self.built_from(),
            data: self.data(),
            partitions: self.index.partitions,
            wide: self.index.wide,
            blocks: self.index.blocks,
            block_size: self.blocks.map(|(_, taken)| taken),
            files: self.files.iter().map(file).collect(),
            assumed: self.assumed(),
            millis: u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
        }
    }

    fn print(&self, name: &str, out: &mut Out) -> Result<(), Failure> {
        let head = out.paint(Look::Head, name);
        writeln!(out, "{head}  as {}", self.set.to)?;
        let rows = format!(
            "{}, {} with a row index, {}",
            count(self.index.partitions, "partition"),
            number(self.index.wide),
            count(self.index.blocks, "row block")
        );
        let mut facts = vec![
            fact("index", format!("built from {}", self.built_from())),
            fact("", rows),
            fact("Data.db", self.data()),
        ];
        for (at, said) in self.assumed().into_iter().enumerate() {
            facts.push(fact(if at == 0 { "assumed" } else { "" }, said));
        }
        let millis = self.took.as_millis();
        facts.push(fact("took", format!("{}.{:03} s", millis / 1000, millis % 1000)));
        out.table(2, &[Column::Left, Column::Left], &facts)?;
        let files = self.files.iter().map(|(name, bytes)| {
            vec![
                Cell::new(Look::Plain, name.clone()),
                Cell::new(Look::Plain, format!("{} bytes", number(*bytes))),
            ]
        });
        let files: Vec<Vec<Cell>> = files.collect();
        out.table(2, &[Column::Left, Column::Right], &files)?;
        Ok(())
    }
}

fn fact(name: &str, text: String) -> Vec<Cell> {
    vec![Cell::new(Look::Dim, name), Cell::new(Look::Plain, text)]
}
