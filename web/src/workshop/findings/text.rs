//! What is shown as text: words, JSON as `triescope check --json` prints it, CSV.

use super::Shown;
use super::checked::Listed;
use super::list::said;
use crate::board::value;
use crate::model::TableId;
use crate::worker::world::World;
use serde_json::{Value, json};
use triescope_core::check::{Check, Finding};
use triescope_core::pos::PAGE_SIZE;
use triescope_core::source::Source;

/// In the form that the query asks for.
pub fn text<S: Source>(shown: &Shown<'_>, world: &World<S>) -> String {
    match value(&shown.ask.query, "text").as_deref() {
        Some("json") => as_json(shown, world),
        Some("csv") => as_csv(shown, world),
        _ => as_words(shown, world),
    }
}

fn failed<'a>(shown: &Shown<'a>) -> impl Iterator<Item = &'a Listed> {
    shown.run.listed.iter().filter(|it| it.is_failed())
}

fn as_words<S: Source>(shown: &Shown<'_>, world: &World<S>) -> String {
    let mut out = format!("{}\n{}\n", shown.run.names_of().join(" and "), said(shown));
    for listed in failed(shown) {
        let check = listed.check;
        let times = match listed.total {
            1 => String::new(),
            n => format!(", {n} times"),
        };
        out += &format!(
            "\n{}  {}{times}\n    {} Otherwise: {}\n",
            check.severity, check.id, check.rule, check.meaning
        );
        for (id, finding) in &listed.found {
            let name = if shown.run.ids().len() > 1 {
                format!("{}: ", shown.run.name(*id))
            } else {
                String::new()
            };
            out += &format!("    {name}{finding}\n");
            if let Some(key) = key_text(world, *id, finding) {
                out += &format!("        partition {key}\n");
            }
        }
    }
    out
}

fn key_text<S: Source>(world: &World<S>, id: TableId, finding: &Finding) -> Option<String> {
    Some(world.table(id)?.key_schema().to_text(finding.key.as_ref()?))
}

fn as_json<S: Source>(shown: &Shown<'_>, world: &World<S>) -> String {
    let of_table = |id: TableId| {
        let report = shown.run.report(id);
        let counts = report.map(|it| it.all.counts()).unwrap_or_default();
        let counts: serde_json::Map<String, Value> =
            counts.iter().map(|(check, n)| (check.id.to_owned(), json!(n))).collect();
        let findings: Vec<Value> = report
            .map(|it| it.findings.as_slice())
            .unwrap_or_default()
            .iter()
            .map(|it| finding_json(world, id, it))
            .collect();
        let of = json!({
            "worst": report.and_then(|it| it.all.worst()),
            "counts": counts,
            "findings": findings,
        });
        (shown.run.name(id).to_owned(), of)
    };
    let tables: serde_json::Map<String, Value> =
        shown.run.ids().into_iter().map(of_table).collect();
    format!("{:#}", json!({ "sstables": tables }))
}

fn finding_json<S: Source>(world: &World<S>, id: TableId, finding: &Finding) -> Value {
    let Check { id: check, severity, rule, meaning, page } = *finding.check;
    let at = finding.at.map(|at| at.0);
    let key = finding.key.as_ref().map(|key| {
        json!({ "value": key_text(world, id, finding), "raw": super::detail::spaced(key).replace(' ', "") })
    });
    json!({
        "check": check,
        "severity": severity,
        "component": finding.part.map(|part| part.file_name()),
        "pos": at,
        "page": at.map(|at| at / PAGE_SIZE),
        "offset_in_page": at.map(|at| at % PAGE_SIZE),
        "len": finding.len,
        "field": finding.field,
        "expected": finding.expected,
        "found": finding.found,
        "key": key,
        "cost": finding.cost,
        "rule": rule,
        "meaning": meaning,
        "link": format!("docs/format/{page}"),
    })
}

fn as_csv<S: Source>(shown: &Shown<'_>, world: &World<S>) -> String {
    let head = "sstable,check,severity,component,pos,page,len,field,expected,found,key\n";
    let mut out = head.to_owned();
    let number = |n: Option<u64>| n.map_or(String::new(), |n| n.to_string());
    for listed in failed(shown) {
        for (id, it) in &listed.found {
            let at = it.at.map(|at| at.0);
            let cells = [
                shown.run.name(*id).to_owned(),
                listed.check.id.to_owned(),
                listed.check.severity.to_string(),
                it.part.map_or(String::new(), |part| part.to_string()),
                number(at),
                number(at.map(|at| at / PAGE_SIZE)),
                number(it.len),
                it.field.to_string(),
                it.expected.to_string(),
                it.found.to_string(),
                key_text(world, *id, it).unwrap_or_default(),
            ];
            out += &cells.map(|cell| quoted(&cell)).join(",");
            out.push('\n');
        }
    }
    out
}

/// A cell: in quotation marks where it holds what parts cells.
fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}
