//! `triescope check`: what is wrong with SSTables.

use crate::args::Check;
use crate::failure::{Failure, Outcome, Verdict, complain};
use crate::files::{self, Found, Opened};
use crate::json::{Key, Sstables};
use crate::out::{Cell, Column, Look, Out, count, number};
use crate::progress::Progress;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write as _;
use triescope_core::check::{CheckJob, CheckOptions, Finding, Report, Severity, split_names};
use triescope_core::pos::PAGE_SIZE;
use triescope_core::table::FileSet;

/// Bytes looked at between two looks at the clock.
const BUDGET: u64 = 4 << 20;
/// Findings of one check that are printed unless all are wanted.
const SHOWN: usize = 3;

/// What the check of an SSTable came to.
#[derive(Serialize)]
struct Checked {
    worst: Option<Severity>,
    counts: BTreeMap<&'static str, u64>,
    findings: Vec<FindingJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
struct FindingJson {
    check: &'static str,
    severity: Severity,
    component: Option<&'static str>,
    pos: Option<u64>,
    page: Option<u64>,
    offset_in_page: Option<u64>,
    len: Option<u64>,
    field: String,
    expected: String,
    found: String,
    key: Option<Key>,
    cost: Option<Cost>,
    rule: &'static str,
    meaning: &'static str,
    link: String,
}

#[derive(Serialize)]
struct Cost {
    median: u32,
    worst: u32,
}

/// All SSTables together.
#[derive(Default, Serialize)]
struct Total {
    sstables: u64,
    clean: u64,
    note: u64,
    suspicious: u64,
    broken: u64,
    not_checked: u64,
}

/// Runs the command.
pub fn run(args: &Check, out: &mut Out) -> Outcome {
    let found = files::find(&args.of.paths)?;
    if args.of.json { in_json(args, &found, out) } else { in_text(args, &found, out) }
}

fn in_json(args: &Check, found: &Found, out: &mut Out) -> Outcome {
    let mut total = Total::default();
    let mut json = Sstables::open(out)?;
    for set in &found.sets {
        let checked = match check(args, found, set) {
            Ok((table, report)) => {
                total.add(report.all.worst());
                Checked {
                    worst: report.all.worst(),
                    counts: report.all.counts().iter().map(|(it, n)| (it.id, *n)).collect(),
                    findings: report.findings.iter().map(|it| finding(&table, it)).collect(),
                    error: None,
                }
            }
            Err(Failure::Message(error)) => {
                total.not_checked += 1;
                let (counts, findings) = (BTreeMap::new(), Vec::new());
                Checked { worst: None, counts, findings, error: Some(error) }
            }
            Err(other) => return Err(other),
        };
        json.put(&files::name(set), &checked)?;
    }
    json.close_with("total", &total)?;
    Ok(total.verdict())
}

fn in_text(args: &Check, found: &Found, out: &mut Out) -> Outcome {
    let mut total = Total::default();
    let several = found.sets.len() > 1;
    let names: Vec<String> = found.sets.iter().map(files::name).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(52);
    for (set, name) in found.sets.iter().zip(&names) {
        match check(args, found, set) {
            Ok((table, report)) => {
                total.add(report.all.worst());
                let summary = summary(&report, out);
                writeln!(out, "{name:<width$}  {summary}")?;
                if args.all || !several {
                    show(args, &table, &report, out)?;
                }
            }
            Err(Failure::Message(error)) => {
                total.not_checked += 1;
                writeln!(out, "{name:<width$}  {}", out.paint(Look::Bad, "not checked"))?;
                out.flush()?;
                complain(&error);
            }
            Err(other) => return Err(other),
        }
        // A person who waits for the next one wants to see this one.
        out.flush()?;
    }
    if several {
        let text = total.text();
        let look = if total.broken + total.not_checked > 0 { Look::Bad } else { Look::Head };
        out.line(look, &text)?;
        if total.clean < total.sstables && !args.all {
            out.line(Look::Dim, "For the findings: --all, or name one of them.")?;
        }
    }
    Ok(total.verdict())
}

fn check(args: &Check, found: &Found, set: &FileSet) -> Result<(Opened, Report), Failure> {
    let table = found.open(set)?;
    files::refuse_unread(&table)?;
    let mut job = CheckJob::new(&table, CheckOptions { deep: args.deep });
    let beside = |it: &&FileSet| (&it.directory, it.generation) == (&set.directory, set.generation);
    let beside: Vec<FileSet> = found.sets.iter().filter(beside).cloned().collect();
    for (at, finding) in split_names(&beside) {
        if beside.get(at) == Some(set) {
            job.add(finding);
        }
    }
    let mut progress = Progress::new(files::name(set));
    loop {
        let step = job.step(&table, BUDGET).map_err(|miss| {
            Failure::new(format!("{}: a file did not answer at once: {miss:?}", files::name(set)))
        })?;
        if step.done {
            break;
        }
        progress.tick(step.stage, step.bytes, None);
    }
    let report = job.into_report();
    Ok((table, report))
}

/// One line on a report: `broken: 3 findings of 2 checks`.
fn summary(report: &Report, out: &Out) -> String {
    let Some(worst) = report.all.worst() else { return out.paint(Look::Good, "clean") };
    let of = |severity: Severity| {
        let counts = report.all.counts().iter().filter(move |(it, _)| it.severity == severity);
        counts.map(|(_, n)| n).sum::<u64>()
    };
    let parts: Vec<String> = [Severity::Broken, Severity::Suspicious, Severity::Note]
        .into_iter()
        .filter(|severity| of(*severity) > 0)
        .map(|severity| format!("{} {severity}", number(of(severity))))
        .collect();
    out.paint(look(worst), &parts.join(", "))
}

fn show(args: &Check, table: &Opened, report: &Report, out: &mut Out) -> Result<(), Failure> {
    let mut counts = report.all.counts().to_vec();
    counts.sort_by_key(|(check, _)| std::cmp::Reverse(check.severity));
    for (check, total) in counts {
        out.write_all(b"\n")?;
        let head = out.paint(look(check.severity), check.severity.name());
        let times = if total > 1 { format!(", {} times", number(total)) } else { String::new() };
        writeln!(out, "{head}  {}{times}", out.paint(Look::Head, check.id))?;
        out.paragraph(4, Look::Plain, &format!("{} Otherwise: {}", check.rule, check.meaning))?;
        let kept: Vec<&Finding> =
            report.findings.iter().filter(|it| it.check.id == check.id).collect();
        let shown = if args.all { kept.len() } else { SHOWN };
        let mut rows = Vec::new();
        for finding in kept.iter().take(shown) {
            rows.extend(lines(table, finding));
        }
        out.table(4, &[Column::Left, Column::Left], &rows)?;
        let more = total.saturating_sub(kept.len().min(shown) as u64);
        if more > 0 {
            let all = if args.all { "not kept" } else { "--all shows the first hundred" };
            out.line(Look::Dim, &format!("    and {} more ({all})", number(more)))?;
        }
        out.line(Look::Dim, &format!("    docs/format/{}", check.page))?;
    }
    Ok(())
}

fn lines(table: &Opened, finding: &Finding) -> Vec<Vec<Cell>> {
    let mut rows = Vec::new();
    let mut put = |name: &str, look: Look, text: String| {
        rows.push(vec![Cell::new(Look::Dim, name), Cell::new(look, text)]);
    };
    let place = match (finding.part, finding.at) {
        (Some(part), Some(at)) => {
            format!("{part} at {} (page {} + {})", at.0, at.0 / PAGE_SIZE, at.0 % PAGE_SIZE)
        }
        (Some(part), None) => part.to_string(),
        (None, _) => "the set of files".to_owned(),
    };
    put("where", Look::Plain, format!("{place}, {}", finding.field));
    put("expected", Look::Good, finding.expected.to_string());
    put("found", look(finding.check.severity), finding.found.to_string());
    if let Some(key) = &finding.key {
        put("key", Look::Plain, table.key_schema().to_text(key));
    }
    if let Some(cost) = finding.cost {
        let text = format!(
            "{} in the median lookup, {} in the worst",
            count(cost.median.into(), "page fetch"),
            count(cost.worst.into(), "page fetch")
        );
        put("cost", Look::Plain, text);
    }
    rows
}

const fn look(severity: Severity) -> Look {
    match severity {
        Severity::Broken => Look::Bad,
        Severity::Suspicious => Look::Odd,
        Severity::Note => Look::Plain,
    }
}

fn finding(table: &Opened, finding: &Finding) -> FindingJson {
    FindingJson {
        check: finding.check.id,
        severity: finding.check.severity,
        component: finding.part.map(|part| part.file_name()),
        pos: finding.at.map(|at| at.0),
        page: finding.at.map(|at| at.0 / PAGE_SIZE),
        offset_in_page: finding.at.map(|at| at.0 % PAGE_SIZE),
        len: finding.len,
        field: finding.field.to_string(),
        expected: finding.expected.to_string(),
        found: finding.found.to_string(),
        key: finding.key.as_ref().map(|key| Key::whole(table.key_schema(), key)),
        cost: finding.cost.map(|cost| Cost { median: cost.median, worst: cost.worst }),
        rule: finding.check.rule,
        meaning: finding.check.meaning,
        link: format!("docs/format/{}", finding.check.page),
    }
}

impl Total {
    fn add(&mut self, worst: Option<Severity>) {
        match worst {
            None => self.clean += 1,
            Some(Severity::Note) => self.note += 1,
            Some(Severity::Suspicious) => self.suspicious += 1,
            Some(Severity::Broken) => self.broken += 1,
        }
        self.sstables = self.clean + self.note + self.suspicious + self.broken;
    }

    fn verdict(&self) -> Verdict {
        match self {
            Self { not_checked: 1.., .. } => Verdict::NotRun,
            Self { broken: 1.., .. } => Verdict::Broken,
            _ => Verdict::Clean,
        }
    }

    fn text(&self) -> String {
        let kinds = [
            (self.clean, "clean"),
            (self.note, "with notes"),
            (self.suspicious, "suspicious"),
            (self.broken, "broken"),
            (self.not_checked, "not checked"),
        ];
        let kinds = kinds.into_iter().filter(|(n, _)| *n > 0);
        let kinds: Vec<String> = kinds.map(|(n, what)| format!("{} {what}", number(n))).collect();
        format!("{}: {}", count(self.sstables + self.not_checked, "SSTable"), kinds.join(", "))
    }
}
