//! The chosen entry in its fields, and what the windows cost both readers.

use super::facts::{Entry, Facts, Promoted};
use crate::words::{bytes, count, mean};
use crate::workshop::html::escape;
use std::fmt::Write as _;
use triescope_core::lookup::words::{bytes as hex, number};
use triescope_core::source::Source;
use triescope_core::table::{Count, IndexFormat};

/// A row of a field table.
fn field(out: &mut String, name: &str, raw: &str, value: &str) {
    let _ = write!(
        out,
        "<tr><th scope=\"row\">{}</th><td class=\"m\">{}</td><td>{}</td></tr>",
        escape(name),
        escape(raw),
        escape(value)
    );
}

/// The entry: field, bytes, value; and links to its bytes and rows.
pub fn entry<S: Source>(
    facts: &Facts<'_, S>,
    entry: &Entry,
    page_link: &str,
    rows_link: Option<&str>,
) -> String {
    let mut out = format!(
        "<h2>Entry {} <span class=\"c\">at Index.db {}, {}</span></h2><div class=\"leg-wide\"><table class=\"tbl\"><caption class=\"vh\">Fields of the entry</caption><tbody>",
        number(facts.chosen as u64, ','),
        number(entry.at, ','),
        bytes(entry.bytes())
    );
    field(
        &mut out,
        "key length",
        &hex(entry.head.get(..2).unwrap_or(&[])),
        &bytes(entry.key.len() as u64),
    );
    field(&mut out, "whole key", &hex(&entry.key), &facts.keys.to_text(&entry.key));
    field(
        &mut out,
        "position",
        &hex(&entry.position),
        &format!("Data.db {}", number(entry.data, ',')),
    );
    let size = match entry.promoted {
        0 => "no promoted index".to_owned(),
        size => format!("promoted index of {}", bytes(size)),
    };
    field(&mut out, "promoted size", &hex(&entry.size), &size);
    match &facts.promoted {
        Some(Ok(promoted)) => of_promoted(facts, &mut out, promoted),
        Some(Err(error)) => {
            let _ = write!(
                out,
                "<tr class=\"leg-wrong\"><th scope=\"row\">promoted index</th><td></td><td><span class=\"jd bad\" aria-hidden=\"true\">✗</span> {}</td></tr>",
                escape(&error.to_string())
            );
        }
        None => {}
    }
    out += "</tbody></table></div>";
    let _ = write!(
        out,
        "<p class=\"leg-links\"><a id=\"leg-bytes\" href=\"{}\">its bytes</a>",
        escape(page_link)
    );
    if let Some(rows) = rows_link {
        let _ = write!(out, " <a id=\"leg-rows\" href=\"{}\">its rows</a>", escape(rows));
    }
    let copy = number(entry.at, ',').replace(',', "");
    let _ = write!(
        out,
        " <button id=\"leg-copy\" class=\"lnk\" data-copy=\"{copy}\">copy its position</button></p>"
    );
    out
}

fn of_promoted<S: Source>(facts: &Facts<'_, S>, out: &mut String, promoted: &Promoted) {
    let head = &promoted.head;
    let to = match facts.table.version().formats().index {
        IndexFormat::Fixed => "to the first cell",
        IndexFormat::Vints => "to the first row or marker",
    };
    field(out, "header length", "", &format!("{} {to}", bytes(head.header_length)));
    let deletion = match head.deletion {
        None => "live".to_owned(),
        Some(it) => format!("deleted up to timestamp {}, at {} s", it.timestamp, it.local_time),
    };
    field(out, "deletion time", "", &deletion);
    let size = head.offsets_at.0.saturating_sub(head.blocks_at.0);
    let blocks = format!("{}, {}", count(head.blocks, "block", "blocks"), bytes(size));
    field(out, "blocks", "", &blocks);
    let offsets = match head.end.0.saturating_sub(head.offsets_at.0) {
        0 => "no table of offsets: this version has none".to_owned(),
        size => format!("{} × 4 B = {}", number(head.blocks, ','), bytes(size)),
    };
    field(out, "offsets", "", &offsets);
}

/// What the windows cost.
pub fn costs<S: Source>(facts: &Facts<'_, S>) -> String {
    let mut out = "<h2>What this costs</h2>".to_owned();
    if let Some(samples) = &facts.samples {
        let per = mean(facts.index, samples.count, 0).unwrap_or_default();
        let partitions = match facts.table.facts.partitions {
            Some(Count::Exact(count)) => Some((count, "")),
            Some(Count::FromStatistics(count)) => Some((count, " by Statistics.db")),
            None => None,
        };
        let entries = partitions.and_then(|(count, by)| {
            Some(format!(" and {} entries{by}", mean(count, samples.count, 1)?))
        });
        let _ = write!(
            out,
            "<p class=\"q sm\">A window has {per} B{} on average.</p>",
            entries.unwrap_or_default()
        );
    }
    let interval = facts.table.summary.as_ref().map_or(128, |it| it.header.min_index_interval);
    let _ = write!(
        out,
        "<p class=\"q sm\">Cassandra samples one of every {interval} entries and parses them one after the other until the \
         key is equal: half a window on average. ScyllaDB samples by bytes of Data.db, 2,000 for a byte of summary, and \
         parses all entries of the window before it bisects them.</p>"
    );
    let keys: u64 = facts.window.entries.iter().map(|entry| entry.key.len() as u64).sum();
    let span: u64 = facts.window.entries.iter().map(Entry::bytes).sum();
    let _ = write!(
        out,
        "<p class=\"q sm\">Each entry repeats its whole key: {} of the {} of entries shown here.</p>",
        bytes(keys),
        bytes(span)
    );
    out
}
