//! `triescope flip`: which single flipped bit explains a checksum that is wrong.

use crate::args::One;
use crate::failure::{Failure, Outcome, Verdict};
use crate::files::{self, Opened};
use crate::json::{Key, hex};
use crate::out::{Cell, Column, Look, Out, count, number};
use crate::progress::Progress;
use serde::Serialize;
use std::io::Write as _;
use triescope_core::check::flip::{Candidate, Effect, Fault, FlipJob, FlipReport, Place, Summed};

/// Bytes looked at between two looks at the clock.
const BUDGET: u64 = 4 << 20;
/// Candidates of a fault that are printed.
const SHOWN: usize = 8;

#[derive(Serialize)]
struct FlipJson {
    sstable: String,
    faults: Vec<FaultJson>,
    more_chunks: u64,
}

#[derive(Serialize)]
struct FaultJson {
    of: &'static str,
    chunk: Option<u64>,
    pos: Option<u64>,
    size: Option<u64>,
    data_pos: Option<u64>,
    data_size: Option<u64>,
    stored: String,
    computed: String,
    candidates: Vec<CandidateJson>,
}

#[derive(Serialize)]
struct CandidateJson {
    component: &'static str,
    pos: u64,
    place: &'static str,
    bit: Option<u8>,
    before: String,
    after: String,
    digest_agrees: Option<bool>,
    effect: Option<EffectJson>,
}

#[derive(Serialize)]
struct EffectJson {
    error_before: Option<String>,
    error_after: Option<String>,
    differing_bytes: u64,
    key: Option<Key>,
    partition_pos: Option<u64>,
    field: Option<String>,
    before: Option<String>,
    after: Option<String>,
}

/// Runs the command.
pub fn run(args: &One, out: &mut Out) -> Outcome {
    let table = files::find(std::slice::from_ref(&args.path))?.only()?;
    let mut job = FlipJob::new(&table);
    let mut progress = Progress::new(files::name(&table.set));
    loop {
        let step = job.step(&table, BUDGET).map_err(|miss| {
            Failure::new(format!(
                "{}: a file did not answer at once: {miss:?}",
                files::name(&table.set)
            ))
        })?;
        if step.done {
            break;
        }
        progress.tick(step.stage, step.bytes, None);
    }
    progress.clear();
    let report = job.into_report();
    if let Some(note) = &report.note {
        return Err(Failure::new(format!("{}: {note}", files::name(&table.set))));
    }
    let verdict = if report.faults.is_empty() { Verdict::Clean } else { Verdict::Broken };
    if args.json {
        serde_json::to_writer(&mut *out, &json(&table, &report))?;
        out.write_all(b"\n")?;
    } else {
        show(&table, &report, out)?;
    }
    Ok(verdict)
}

fn show(table: &Opened, report: &FlipReport, out: &mut Out) -> std::io::Result<()> {
    let name = files::name(&table.set);
    if report.faults.is_empty() {
        let clean = out.paint(Look::Good, "every checksum of Data.db is right");
        return writeln!(out, "{name}  {clean}");
    }
    out.line(Look::Head, &name)?;
    for fault in &report.faults {
        out.write_all(b"\n")?;
        out.paragraph(0, Look::Bad, &fault.to_string())?;
        if let Summed::Chunk { at, stored_bytes, start, bytes, .. } = fault.of {
            let text = format!(
                "{} bytes at {} of the file, which are {} to {} of the rows",
                number(stored_bytes),
                number(at.0),
                number(start.0),
                number((start.0 + bytes).saturating_sub(1))
            );
            out.paragraph(2, Look::Dim, &text)?;
        }
        match fault.candidates.len() {
            0 => {
                let text = "No single bit makes it right: more than one is wrong.";
                out.paragraph(2, Look::Plain, text)?;
            }
            n => {
                let text = format!("{} would make it right:", count(n as u64, "single-bit change"));
                out.paragraph(2, Look::Plain, &text)?;
            }
        }
        for candidate in fault.candidates.iter().take(SHOWN) {
            out.paragraph(2, Look::Head, &format!("- {candidate}"))?;
            if let Some(effect) = &candidate.effect {
                out.table(4, &[Column::Left, Column::Left], &effect_rows(table, effect))?;
            }
        }
        let more = fault.candidates.len().saturating_sub(SHOWN);
        if more > 0 {
            out.line(Look::Dim, &format!("  and {more} more (--json has them all)"))?;
        }
    }
    if report.more > 0 {
        let text =
            format!("{} more chunks are damaged, and were not looked into.", number(report.more));
        out.paragraph(0, Look::Bad, &text)?;
    }
    Ok(())
}

fn effect_rows(table: &Opened, effect: &Effect) -> Vec<Vec<Cell>> {
    let mut rows = Vec::new();
    let mut put = |name: &str, look: Look, text: String| {
        rows.push(vec![Cell::new(Look::Dim, name), Cell::new(look, text)]);
    };
    if let (Some(key), Some(at)) = (&effect.key, effect.partition) {
        let text = format!("{} at {}", table.key_schema().to_text(key), number(at.0));
        put("partition", Look::Plain, text);
    }
    let changes = match (&effect.error_before, &effect.error_after, &effect.field) {
        (Some(_), None, _) => "the chunk can be decompressed again".to_owned(),
        (None, Some(_), _) => "the chunk cannot be decompressed any more".to_owned(),
        (_, _, Some(field)) => format!("{field}, {}", count(effect.differing, "byte")),
        (_, _, None) => format!("{} of the rows", count(effect.differing, "byte")),
    };
    put("changes", Look::Plain, changes);
    if let Some(text) = effect.error_before.as_ref().or(effect.before.as_ref()) {
        put("now", Look::Bad, text.clone());
    }
    if let Some(text) = effect.error_after.as_ref().or(effect.after.as_ref()) {
        put("then", Look::Good, text.clone());
    }
    rows
}

fn json(table: &Opened, report: &FlipReport) -> FlipJson {
    FlipJson {
        sstable: files::name(&table.set),
        faults: report.faults.iter().map(|it| fault(table, it)).collect(),
        more_chunks: report.more,
    }
}

fn fault(table: &Opened, fault: &Fault) -> FaultJson {
    let (of, place) = match fault.of {
        Summed::File => ("digest", None),
        Summed::Chunk { chunk, at, stored_bytes, start, bytes } => {
            ("chunk", Some((chunk, at.0, stored_bytes, start.0, bytes)))
        }
    };
    FaultJson {
        of,
        chunk: place.map(|it| it.0),
        pos: place.map(|it| it.1),
        size: place.map(|it| it.2),
        data_pos: place.map(|it| it.3),
        data_size: place.map(|it| it.4),
        stored: fault.stored.clone(),
        computed: fault.computed.clone(),
        candidates: fault.candidates.iter().map(|it| candidate(table, it)).collect(),
    }
}

fn candidate(table: &Opened, it: &Candidate) -> CandidateJson {
    CandidateJson {
        component: it.part.file_name(),
        pos: it.at.0,
        place: match it.place {
            Place::Data => "data",
            Place::Checksum => "checksum",
            Place::Digest => "digest",
        },
        bit: it.bit,
        before: hex(&[it.before]),
        after: hex(&[it.after]),
        digest_agrees: it.digest_agrees,
        effect: it.effect.as_ref().map(|effect| EffectJson {
            error_before: effect.error_before.clone(),
            error_after: effect.error_after.clone(),
            differing_bytes: effect.differing,
            key: effect.key.as_ref().map(|key| Key::whole(table.key_schema(), key)),
            partition_pos: effect.partition.map(|at| at.0),
            field: effect.field.clone(),
            before: effect.before.clone(),
            after: effect.after.clone(),
        }),
    }
}
