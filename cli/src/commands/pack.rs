//! `triescope pack`: whether an index is what its database's writer makes, and how that packs it, step by step.

use crate::args::Pack;
use crate::failure::{Failure, Outcome, Verdict};
use crate::files::{self, Opened};
use crate::json::{Sstables, hex};
use crate::out::{Cell, Column, Look, Out, number};
use crate::progress::Progress;
use crate::written::{FileSink, Written};
use serde::Serialize;
use std::io::Write as _;
use std::ops::ControlFlow;
use triescope_core::limits::REPLAY_ENTRY_BYTES;
use triescope_core::pos::PAGE_SIZE;
use triescope_core::replay::words::{self, Told};
use triescope_core::replay::{
    Difference, Entries, EntriesError, EntriesJob, Judged, Judging, Structure, Writer, line, trace,
};
use triescope_core::scan::RowIndexed;
use triescope_core::table::{IndexKind, Part};
use triescope_core::write::Sink;

/// Partitions, blocks and pages between two looks at the clock.
const BUDGET: u64 = 20_000;

#[derive(Serialize)]
struct PackJson {
    writer: &'static str,
    files: Vec<JudgedJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    written: Vec<FileJson>,
}

#[derive(Serialize)]
struct JudgedJson {
    component: &'static str,
    bytes: u64,
    rebuilt: u64,
    same: bool,
    filler: bool,
    difference: Option<DifferenceJson>,
}

#[derive(Serialize)]
struct DifferenceJson {
    pos: u64,
    page: u64,
    offset_in_page: u64,
    file: Option<StructureJson>,
    writer: Option<StructureJson>,
}

#[derive(Serialize)]
struct StructureJson {
    pos: u64,
    what: String,
    bytes: String,
}

#[derive(Serialize)]
struct FileJson {
    name: String,
    bytes: u64,
}

#[derive(Serialize)]
struct StepJson {
    step: u64,
    line: u8,
    text: String,
}

/// Where what is written again goes, if anywhere.
struct Behind(Option<FileSink>);

impl Sink for Behind {
    fn put(&mut self, bytes: &[u8]) {
        if let Some(file) = &mut self.0 {
            file.put(bytes);
        }
    }
}

/// Runs the command.
pub fn run(args: &Pack, out: &mut Out) -> Outcome {
    let table = files::find(std::slice::from_ref(&args.one.path))?.only()?;
    files::index_of(&table)?;
    if args.trace { steps(args, &table, out) } else { judge(args, &table, out) }
}

/// A sentence for what stands against it, and the exit code for it.
fn failed(table: &Opened, error: &EntriesError) -> Failure {
    let text = format!("{}: {error}", files::name(&table.set));
    match error {
        EntriesError::Damage(damage) => {
            Failure::from(triescope_core::error::Error::Damage(damage.clone()))
        }
        EntriesError::Write(_) => Failure::Damaged(text),
        _ => Failure::new(text),
    }
}

fn judge(args: &Pack, table: &Opened, out: &mut Out) -> Outcome {
    let name = files::name(&table.set);
    let is_legacy = table.readable_index() == Some(IndexKind::Legacy);
    if is_legacy && args.flavour.is_some() {
        return Err(Failure::new(format!(
            "{name}: Index.db is not packed into pages, so --flavour is for --trace alone here"
        )));
    }
    let writer = args.flavour.map_or_else(|| Writer::of_table(table), Writer::from);
    let parts = match is_legacy {
        true => [Part::Index, Part::Summary],
        false => [Part::Partitions, Part::Rows],
    };
    let (version, generation) = (table.version(), table.set.generation);
    let written = args.out.as_ref().map(|to| Written::new(to, version, generation, &parts));
    let mut written = written.transpose()?;
    let mut sinks = Vec::new();
    if let Some(written) = &mut written {
        for part in parts {
            sinks.push((part, written.create(part)?));
        }
    }
    let take = |part: Part| {
        let at = sinks.iter().position(|(other, _)| *other == part);
        Behind(at.map(|at| sinks.swap_remove(at).1))
    };
    let mut judging = Judging::new(table, writer, take).map_err(|error| failed(table, &error))?;
    let mut progress = Progress::new(&name);
    while !judging.step(table, BUDGET).map_err(|error| failed(table, &error))? {
        let far = judging.progress();
        progress.tick("written again", far.done, Some(far.of));
        if let Some(written) = &written {
            written.flush()?;
        }
    }
    progress.clear();
    let (judged, _) = judging.finish();
    let files = written.map(Written::finish).transpose()?.unwrap_or_default();
    let is_same = judged.iter().all(Judged::is_same);
    if args.one.json {
        let files = files.into_iter().map(|(name, bytes)| FileJson { name, bytes });
        let judged = judged.iter().map(judged_json).collect();
        let value = PackJson { writer: writer.name(), files: judged, written: files.collect() };
        let mut json = Sstables::open(out)?;
        json.put(&name, &value)?;
        json.close()?;
    } else {
        out.line(Look::Head, &name)?;
        for it in &judged {
            let look = if it.is_same() { Look::Good } else { Look::Bad };
            out.paragraph(2, look, &words::verdict(it, writer))?;
        }
        let files = files.iter().map(|(name, bytes)| {
            let size = format!("{} bytes", number(*bytes));
            vec![Cell::new(Look::Plain, name.clone()), Cell::new(Look::Plain, size)]
        });
        let files: Vec<Vec<Cell>> = files.collect();
        out.table(2, &[Column::Left, Column::Right], &files)?;
    }
    Ok(if is_same { Verdict::Clean } else { Verdict::Broken })
}

fn judged_json(judged: &Judged) -> JudgedJson {
    JudgedJson {
        component: judged.part.file_name(),
        bytes: judged.bytes,
        rebuilt: judged.rebuilt,
        same: judged.is_same(),
        filler: judged.has_filler(),
        difference: judged.difference().map(difference_json),
    }
}

fn difference_json(difference: &Difference) -> DifferenceJson {
    let structure = |it: &Structure| StructureJson {
        pos: it.at.0,
        what: it.what.clone(),
        bytes: hex(&it.bytes),
    };
    DifferenceJson {
        pos: difference.at.0,
        page: difference.at.0 / PAGE_SIZE,
        offset_in_page: difference.at.0 % PAGE_SIZE,
        file: difference.file.as_ref().map(structure),
        writer: difference.rebuilt.as_ref().map(structure),
    }
}

/// The steps in words, one a line.
fn steps(args: &Pack, table: &Opened, out: &mut Out) -> Outcome {
    let name = files::name(&table.set);
    if args.out.is_some() {
        return Err(Failure::new("--trace tells the steps and writes nothing: leave --out out"));
    }
    let entries = entries(args, table)?;
    let writer = args.flavour.map_or_else(|| Writer::of_table(table), Writer::from);
    let mut failure = None;
    let mut stop = |result: Result<(), Failure>| match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            failure = Some(error);
            ControlFlow::Break(())
        }
    };
    let traced = if args.one.json {
        let mut json = Sstables::open(out)?;
        json.begin(&name)?;
        let traced = trace(&entries, writer, |told| {
            let text = words::sentence(told).plain();
            stop(json.element(&StepJson { step: told.number + 1, line: line(told.step), text }))
        });
        if failure.is_none() {
            json.end()?;
            json.close()?;
        }
        traced
    } else {
        trace(&entries, writer, |told| stop(step(told, out)))
    };
    if let Some(failure) = failure {
        return Err(failure);
    }
    traced.map_err(|error| failed(table, &EntriesError::Write(error)))?;
    Ok(Verdict::Clean)
}

fn step(told: Told<'_>, out: &mut Out) -> Result<(), Failure> {
    let text = words::sentence(told).plain();
    writeln!(out, "{:>8}  {text}", told.number + 1)?;
    Ok(())
}

fn entries(args: &Pack, table: &Opened) -> Result<Entries, Failure> {
    let mut job = match &args.rows {
        Some(key) => {
            let partition = super::blocks::find(table, key)?;
            let RowIndexed::Entry(at) = partition.rows else {
                let name = files::name(&table.set);
                return Err(Failure::new(format!("{name}: {key} has no row trie in Rows.db")));
            };
            EntriesJob::rows(table, at, REPLAY_ENTRY_BYTES)
        }
        None if table.readable_index() == Some(IndexKind::Legacy) => {
            EntriesJob::index(table, REPLAY_ENTRY_BYTES)
        }
        None => EntriesJob::partitions(table, REPLAY_ENTRY_BYTES),
    }
    .map_err(|error| failed(table, &error))?;
    while !job.is_done() {
        job.step(table, BUDGET).map_err(|error| failed(table, &error))?;
    }
    Ok(job.into_entries())
}
