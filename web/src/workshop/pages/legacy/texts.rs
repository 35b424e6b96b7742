//! The tables of the tab as text: CSV or JSON of windows, entries and blocks.

use super::facts::Facts;
use super::list::bound;
use super::query::Query;
use crate::model::Failure;
use std::fmt::Write as _;
use triescope_core::scan::BlockRows;
use triescope_core::source::Source;

/// The text of a form: `windows.csv`, `entries.json`, `blocks.csv`, …
pub fn text<S: Source>(facts: &Facts<'_, S>, query: &Query) -> Result<String, Failure> {
    let (what, form) = query.text.split_once('.').unwrap_or((&query.text, "csv"));
    let (head, rows) = match what {
        "windows" => windows(facts),
        "blocks" => blocks(facts),
        _ => entries(facts),
    };
    match form {
        "json" => json(&head, &rows),
        _ => Ok(csv(&head, &rows)),
    }
}

/// A table: names of its columns, and its rows; numbers as they are.
type Table = (Vec<&'static str>, Vec<Vec<Cell>>);

enum Cell {
    Number(u64),
    Text(String),
    None,
}

fn windows<S: Source>(facts: &Facts<'_, S>) -> Table {
    let head = vec!["sample", "key", "from", "to", "entries", "data"];
    let row = |row: &super::facts::Row| {
        let (key, from, to) = match &row.window {
            Ok((key, from, to)) => {
                (Cell::Text(facts.keys.to_text(key)), Cell::Number(*from), Cell::Number(*to))
            }
            Err(error) => (Cell::Text(error.to_string()), Cell::None, Cell::None),
        };
        let entries = row.entries.map_or(Cell::None, Cell::Number);
        let data = row.data.map_or(Cell::None, |(from, _)| Cell::Number(from));
        vec![Cell::Number(row.sample), key, from, to, entries, data]
    };
    (head, facts.rows.iter().map(row).collect())
}

fn entries<S: Source>(facts: &Facts<'_, S>) -> Table {
    let head = vec!["entry", "key", "at", "bytes", "data", "promoted"];
    let row = |(n, entry): (usize, &super::facts::Entry)| {
        vec![
            Cell::Number(n as u64),
            Cell::Text(facts.keys.to_text(&entry.key)),
            Cell::Number(entry.at),
            Cell::Number(entry.bytes()),
            Cell::Number(entry.data),
            Cell::Number(entry.promoted),
        ]
    };
    (head, facts.window.entries.iter().enumerate().map(row).collect())
}

fn blocks<S: Source>(facts: &Facts<'_, S>) -> Table {
    let head = vec!["block", "first", "last", "at", "offset", "bytes"];
    let Some(Ok(promoted)) = &facts.promoted else { return (head, Vec::new()) };
    let row = |block: &triescope_core::scan::RowBlock| {
        let (first, last) = match &block.rows {
            BlockRows::Bounds(first, last) => {
                (Cell::Text(bound(facts, first)), Cell::Text(bound(facts, last)))
            }
            BlockRows::Separator(_) | BlockRows::End(_) => (Cell::None, Cell::None),
        };
        let width = block.width.map_or(Cell::None, Cell::Number);
        let (number, at) = (Cell::Number(block.number), Cell::Number(block.at.0));
        vec![number, first, last, at, Cell::Number(block.start), width]
    };
    (head, promoted.blocks.iter().map(row).collect())
}

fn csv(head: &[&str], rows: &[Vec<Cell>]) -> String {
    let mut out = head.join(",") + "\r\n";
    for row in rows {
        for (n, cell) in row.iter().enumerate() {
            let comma = if n == 0 { "" } else { "," };
            let _ = match cell {
                Cell::Number(number) => write!(out, "{comma}{number}"),
                Cell::Text(text) => write!(out, "{comma}\"{}\"", text.replace('"', "\"\"")),
                Cell::None => write!(out, "{comma}"),
            };
        }
        out.push_str("\r\n");
    }
    out
}

fn json(head: &[&str], rows: &[Vec<Cell>]) -> Result<String, Failure> {
    let died = |error: serde_json::Error| Failure::WorkerDied { said: error.to_string() };
    let mut lines = Vec::new();
    for row in rows {
        let mut pairs = Vec::new();
        for (name, cell) in head.iter().zip(row) {
            let value = match cell {
                Cell::Number(number) => number.to_string(),
                Cell::Text(text) => serde_json::to_string(text).map_err(died)?,
                Cell::None => "null".to_owned(),
            };
            pairs.push(format!("\"{name}\":{value}"));
        }
        lines.push(format!("{{{}}}", pairs.join(",")));
    }
    Ok(format!("[{}]\n", lines.join(",\n")))
}
