//! The tables of the tab: windows, entries of one window, blocks of one promoted index; the text twins of its pictures.

use super::facts::{Facts, Promoted};
use super::promoted::shortened;
use crate::words::bytes;
use crate::workshop::html::escape;
use std::fmt::Write as _;
use triescope_core::big::Bound;
use triescope_core::lookup::words::number;
use triescope_core::pos::FilePos;
use triescope_core::scan::BlockRows;
use triescope_core::source::Source;

/// Rows of a table around what is chosen.
const AROUND: usize = 9;

/// A table, of which a row may lead to an address.
struct Rows(String);

impl Rows {
    fn new(caption: &str, head: &[&str]) -> Self {
        let heads = head.iter().enumerate().map(|(n, name)| {
            let class = if n == 0 { "" } else { " class=\"n\"" };
            format!("<th scope=\"col\"{class}>{}</th>", escape(name))
        });
        let heads: String = heads.collect();
        Self(format!(
            "<div class=\"leg-wide\"><table class=\"tbl\"><caption class=\"vh\">{}</caption><thead><tr>{heads}</tr></thead><tbody>",
            escape(caption)
        ))
    }

    fn row(&mut self, id: &str, to: &str, chosen: bool, cells: &[String]) {
        let mark = if chosen { " aria-selected=\"true\"" } else { "" };
        let here = if chosen { " aria-current=\"true\"" } else { "" };
        let _ = write!(self.0, "<tr{mark}>");
        for (n, cell) in cells.iter().enumerate() {
            let cell = escape(cell);
            let _ = match n {
                0 => write!(
                    self.0,
                    "<th scope=\"row\"><a id=\"{id}\" href=\"{}\"{here}>{cell}</a></th>",
                    escape(to)
                ),
                _ => write!(self.0, "<td class=\"n\">{cell}</td>"),
            };
        }
        self.0.push_str("</tr>");
    }

    fn end(self) -> String {
        self.0 + "</tbody></table></div>"
    }
}

/// `14` or `14–15`.
fn pages(from: u64, to: u64) -> String {
    let (first, last) = (FilePos(from).page().0, FilePos(to.saturating_sub(1).max(from)).page().0);
    if first == last { first.to_string() } else { format!("{first}–{last}") }
}

fn range(from: u64, to: u64) -> String {
    format!("{}–{}", number(from, ','), number(to.saturating_sub(1).max(from), ','))
}

/// The windows around the chosen one; `lead` gives the address of a sample.
pub fn windows<S: Source>(facts: &Facts<'_, S>, lead: &dyn Fn(u64) -> String) -> String {
    let chosen = facts.samples.as_ref().map(|samples| samples.chosen);
    let head = ["sample", "key", "Index.db", "bytes", "entries", "pages", "Data.db"];
    let mut rows = Rows::new("Windows of Index.db around the chosen sample", &head);
    for row in &facts.rows {
        let (id, to) = (format!("leg-w{}", row.sample), lead(row.sample));
        let here = chosen == Some(row.sample);
        let name = number(row.sample, ',');
        match &row.window {
            Ok((key, from, to_)) => {
                let cells = [
                    name,
                    shortened(&facts.keys.to_text(key)),
                    range(*from, *to_),
                    number(to_ - from, ','),
                    row.entries.map_or("not counted".to_owned(), |count| number(count, ',')),
                    pages(*from, *to_),
                    row.data.map_or("–".to_owned(), |(from, to)| range(from, to)),
                ];
                rows.row(&id, &to, here, &cells);
            }
            Err(error) => {
                let words = format!("{error}");
                let none = String::new;
                rows.row(&id, &to, here, &[name, words, none(), none(), none(), none(), none()]);
            }
        }
    }
    rows.end()
}

/// The entries around the chosen one; `lead` gives the address of an entry.
pub fn entries<S: Source>(facts: &Facts<'_, S>, lead: &dyn Fn(usize) -> String) -> String {
    let entries = &facts.window.entries;
    let first = facts.chosen.saturating_sub(AROUND / 2).min(entries.len().saturating_sub(AROUND));
    let head = ["entry", "key", "Index.db", "bytes", "Data.db", "promoted index"];
    let mut rows = Rows::new("Entries of the window around the chosen one", &head);
    for (n, entry) in entries.iter().enumerate().skip(first).take(AROUND) {
        let promoted = if entry.promoted == 0 { "none".to_owned() } else { bytes(entry.promoted) };
        let cells = [
            number(n as u64, ','),
            shortened(&facts.keys.to_text(&entry.key)),
            number(entry.at, ','),
            number(entry.bytes(), ','),
            number(entry.data, ','),
            promoted,
        ];
        rows.row(&format!("leg-e{n}"), &lead(n), n == facts.chosen, &cells);
    }
    rows.end()
}

/// The values of a bound as text.
pub fn bound<S: Source>(facts: &Facts<'_, S>, bound: &Bound) -> String {
    let values = bound.values.iter().map(|value| value.as_ref().map(|value| value.as_slice()));
    let text = match facts.clustering {
        Some(schema) if !schema.columns().is_empty() => schema.to_text(values),
        _ => {
            let hex = |value: Option<&[u8]>| match value {
                Some(value) => format!("0x{}", triescope_core::lookup::words::bytes(value)),
                None => "null".to_owned(),
            };
            values.map(hex).collect::<Vec<_>>().join(", ")
        }
    };
    use triescope_core::lookup::RowKind::{After, Before, Row};
    match bound.kind.side() {
        Row => text,
        Before if text.is_empty() => "before all".to_owned(),
        After if text.is_empty() => "after all".to_owned(),
        Before => format!("before {text}"),
        After => format!("after {text}"),
    }
}

/// The blocks around the chosen one; `lead` gives the address of a block.
pub fn blocks<S: Source>(
    facts: &Facts<'_, S>,
    promoted: &Promoted,
    lead: &dyn Fn(u64) -> String,
) -> String {
    let blocks = &promoted.blocks;
    let at = blocks.partition_point(|block| block.number < promoted.chosen);
    let first = at.saturating_sub(AROUND / 2).min(blocks.len().saturating_sub(AROUND));
    let head = ["block", "first", "last", "Index.db", "page", "offset", "bytes", "open at its end"];
    let mut rows = Rows::new("Blocks of the promoted index around the chosen one", &head);
    for block in blocks.iter().skip(first).take(AROUND) {
        let (from, to) = match &block.rows {
            BlockRows::Bounds(from, to) => (bound(facts, from), bound(facts, to)),
            BlockRows::Separator(_) | BlockRows::End(_) => (String::new(), String::new()),
        };
        let cells = [
            number(block.number, ','),
            shortened(&from),
            shortened(&to),
            number(block.at.0, ','),
            block.at.page().0.to_string(),
            number(block.start, ','),
            block.width.map_or(String::new(), |width| number(width, ',')),
            block.open.map_or("nothing".to_owned(), |open| format!("deletion {}", open.timestamp)),
        ];
        let id = format!("leg-b{}", block.number);
        rows.row(&id, &lead(block.number), block.number == promoted.chosen, &cells);
    }
    rows.end()
}
