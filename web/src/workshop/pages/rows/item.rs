//! The panel beside the rows: the chosen item in words, its bytes, its cells, and what the partition has.

use super::board::{Links2, Shown, n};
use super::find::hex;
use super::times::{local, written};
use super::window::Entry;
use crate::board::Part as Piece;
use crate::words::count;
use crate::workshop::html::escape;
use triescope_core::big::BoundKind;
use triescope_core::data::{Deletion, Expiry, Item, Life, LineWriter, Marker, Row};
use triescope_core::pos::DataPos;
use triescope_core::source::Source;

/// Bytes of an item that are shown.
const HEX_BYTES: usize = 256;
/// Cells that are listed.
const CELLS: usize = 200;

/// A piece of the panel.
fn piece(html: String) -> Piece {
    Piece { class: "rows".to_owned(), title: String::new(), html }
}

/// The pieces of the panel.
pub fn side<S: Source>(shown: &Shown<'_, S>, date: Option<&str>) -> Vec<Piece> {
    let mut side = Vec::new();
    if let Some(entry) = shown.chosen() {
        side.push(piece(chosen(shown, entry, date)));
    }
    side.push(piece(partition(shown)));
    side
}

/// What an item is, in a word or two.
pub fn title(entry: &Entry) -> &'static str {
    match &entry.item {
        Err(_) => "Bytes that cannot be read",
        Ok(Item::Partition(_)) => "Partition head",
        Ok(Item::Row(row)) if row.is_static => "Static row",
        Ok(Item::Row(_)) => "Row",
        Ok(Item::Marker(marker)) => match (marker.closes, marker.opens) {
            (Some(_), Some(_)) => "Range tombstone boundary",
            (Some(_), None) => "Range tombstone end",
            _ => "Range tombstone start",
        },
        Ok(Item::End(_)) => "End of the partition",
    }
}

/// A deletion by its time.
pub fn deletion_of(deletion: Deletion, date: Option<&str>) -> String {
    format!("deletion of {}", written(deletion.timestamp, date))
}

/// On which side of its values a marker ends a deletion, and on which it begins one.
pub fn sides(kind: BoundKind) -> (&'static str, &'static str) {
    match kind {
        BoundKind::ExclusiveEnd | BoundKind::ExclusiveEndInclusiveStart => ("before", "at"),
        BoundKind::InclusiveStart => ("before", "at"),
        BoundKind::InclusiveEndExclusiveStart | BoundKind::InclusiveEnd => ("after", "after"),
        BoundKind::ExclusiveStart | BoundKind::Row => ("after", "after"),
    }
}

/// What a marker says, for the list: `deletion of 22:21:41 ends after ck1 = 25, that of 22:21:42 begins`.
pub fn marker_words<S: Source>(
    shown: &Shown<'_, S>,
    marker: &Marker,
    date: Option<&str>,
) -> String {
    let place = shown.place(&marker.clustering);
    let (ends, begins) = sides(marker.kind);
    match (marker.closes, marker.opens) {
        (Some(closes), Some(opens)) => format!(
            "{} ends {ends} {place}, that of {} begins",
            deletion_of(closes, date),
            written(opens.timestamp, date)
        ),
        (Some(closes), None) => format!("{} ends {ends} {place}", deletion_of(closes, date)),
        (None, Some(opens)) => format!("{} begins {begins} {place}", deletion_of(opens, date)),
        (None, None) => format!("a marker {begins} {place}"),
    }
}

fn sentence<S: Source>(shown: &Shown<'_, S>, entry: &Entry, date: Option<&str>) -> String {
    match &entry.item {
        Err(why) => format!(
            "Reading stops here: {why}. It goes on with the next row block, where there is one."
        ),
        Ok(Item::Partition(head)) => match head.deletion {
            None => format!(
                "The partition begins: its key has {} B, and nothing deletes it as a whole.",
                n(head.key.len() as u64)
            ),
            Some(deletion) => format!(
                "The whole partition is deleted: what was written up to {} is gone, and the deletion was made {}.",
                written(deletion.timestamp, None),
                local(deletion.local_time)
            ),
        },
        Ok(Item::Row(row)) => row_sentence(entry, row, date),
        Ok(Item::Marker(marker)) => {
            let place = shown.place(&marker.clustering);
            let (ends, begins) = sides(marker.kind);
            match (marker.closes, marker.opens) {
                (Some(closes), Some(opens)) => format!(
                    "The {} ends {ends} {place}; the {} begins there. One marker says both.",
                    deletion_of(closes, date),
                    deletion_of(opens, date)
                ),
                (Some(closes), None) => {
                    format!("The {} ends {ends} {place}.", deletion_of(closes, date))
                }
                (None, Some(opens)) => format!(
                    "The {} begins {begins} {place}. Rows in it that were not written later are gone.",
                    deletion_of(opens, date)
                ),
                (None, None) => "A marker that opens and closes nothing.".to_owned(),
            }
        }
        Ok(Item::End(_)) => "One byte ends the partition.".to_owned(),
    }
}

fn row_sentence(entry: &Entry, row: &Row, date: Option<&str>) -> String {
    let mut said = match row.liveness {
        Some(live) => {
            let mut said = format!("Inserted {}", written(live.timestamp, date));
            if let Some(expiry) = live.expiry {
                said += &format!(", {}", expires(expiry));
            }
            said + "."
        }
        None if row.columns.is_empty() && row.deletion.is_some() => String::new(),
        None => "Only updated: it lives as long as one of its cells does.".to_owned(),
    };
    if let Some(deletion) = row.deletion {
        let word = if deletion.is_shadowable { "Shadowably deleted" } else { "Deleted" };
        said += &format!(
            " {word} {}: what was written up to then is gone.",
            written(deletion.deletion.timestamp, date)
        );
    }
    if let Some(open) = entry.open {
        let newest = row.liveness.map(|live| live.timestamp);
        let cells = row.columns.iter().flat_map(|column| &column.cells).map(|cell| cell.timestamp);
        let newest = newest.into_iter().chain(cells).max();
        said += &match newest {
            Some(newest) if newest > open.timestamp => {
                format!(
                    " It lies in the {}, and was written later, so it lives.",
                    deletion_of(open, date)
                )
            }
            _ => format!(
                " It lies in the {}, and was not written later: it is gone.",
                deletion_of(open, date)
            ),
        };
    }
    if let Some(omitted) = row.omitted {
        said += &format!(
            " {} of {} B are not listed.",
            count(omitted.cells, "more cell", "more cells"),
            n(omitted.bytes)
        );
    }
    said.trim_start().to_owned()
}

fn expires(expiry: Expiry) -> String {
    match expiry.ttl {
        i32::MAX => format!("expired {}", local(expiry.at)),
        ttl => format!("lives {} s, until {}", n(ttl.unsigned_abs().into()), local(expiry.at)),
    }
}

fn chosen<S: Source>(shown: &Shown<'_, S>, entry: &Entry, date: Option<&str>) -> String {
    let block = shown.found.blocks.iter().rev().find(|block| block.at <= entry.at);
    let block = block.map_or(String::new(), |block| format!(" · block {}", n(block.number)));
    let links = Links2(shown);
    let button = |id: &str, words: &str, at: Option<u64>| match at {
        Some(at) => format!(
            "<a id=\"{id}\" class=\"btn sm\" href=\"{}\">{words}</a>",
            escape(&links.item(at))
        ),
        None => format!(
            "<span class=\"btn sm off\" aria-disabled=\"true\" role=\"link\">{words}</span>"
        ),
    };
    let (before, next) = shown.window.deletions;
    let mut out = format!(
        "<h2>{} at {}</h2><div class=\"rbar\"><span class=\"c\">{} B{block}</span>{}{}</div><p class=\"say\">{}</p>",
        title(entry),
        n(entry.at),
        n(entry.len),
        button("del-before", "Deletion before", before),
        button("del-next", "Next deletion", next),
        escape(&sentence(shown, entry, date))
    );
    out += &bytes(shown, entry);
    if let Ok(Item::Row(row)) = &entry.item {
        out += &cells(shown, row, date);
    }
    out += &pairs(shown, entry);
    out
}

/// The item's bytes, decompressed.
fn bytes<S: Source>(shown: &Shown<'_, S>, entry: &Entry) -> String {
    let len = usize::try_from(entry.len).unwrap_or(HEX_BYTES).min(HEX_BYTES);
    let Ok(mut reader) = shown.table.data_reader() else { return String::new() };
    let read =
        reader.parse(DataPos(entry.at), "item", |cursor| Ok(cursor.take(len, "item")?.to_vec()));
    let Ok((bytes, _)) = read else { return String::new() };
    if bytes.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = bytes.chunks(16).map(hex).collect();
    let copied: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let more = match entry.len.saturating_sub(len as u64) {
        0 => String::new(),
        more => format!("<span class=\"c\">and {} B more</span>", n(more)),
    };
    format!(
        "<pre class=\"hex\">{}</pre><p class=\"rbar\">{more}<button id=\"copy-hex\" class=\"lnk\" data-copy=\"{copied}\">copy bytes</button></p>",
        lines.join("\n")
    )
}

fn cells<S: Source>(shown: &Shown<'_, S>, row: &Row, date: Option<&str>) -> String {
    let Some(clustering) = shown.table.clustering_schema() else { return String::new() };
    let writer = LineWriter { format: &shown.format, keys: shown.table.key_schema(), clustering };
    let mut rows = Vec::new();
    for column in &row.columns {
        if let Some(deletion) = column.deletion {
            let name = shown.format.columns(row.is_static).get(column.column);
            let name =
                name.map_or(String::new(), |name| String::from_utf8_lossy(&name.name).into_owned());
            rows.push([
                String::new(),
                String::new(),
                name,
                "deleted as a whole".to_owned(),
                written(deletion.timestamp, date),
            ]);
        }
        for cell in &column.cells {
            let (name, value) = writer.cell(row, column, cell);
            let value = match cell.life {
                Life::Deleted { at } => format!("deleted {}", local(at)),
                Life::Expiring(expiry) => {
                    format!("{}, {}", value.unwrap_or_default(), expires(expiry))
                }
                Life::Live => value.unwrap_or_else(|| "element of a set".to_owned()),
            };
            rows.push([
                n(cell.at.0),
                n(cell.len),
                name,
                short(&value, 400),
                written(cell.timestamp, date),
            ]);
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    let more = rows.len().saturating_sub(CELLS);
    let body: String = rows
        .iter()
        .take(CELLS)
        .map(|[at, len, name, value, time]| {
            format!(
                "<tr><td class=\"n m\">{at}</td><td class=\"n\">{len}</td><th scope=\"row\">{}</th><td class=\"v\">{}</td><td class=\"n\">{time}</td></tr>",
                escape(name),
                escape(value)
            )
        })
        .collect();
    let more = if more > 0 {
        format!("<p class=\"c\">and {} more</p>", n(more as u64))
    } else {
        String::new()
    };
    format!(
        "<div class=\"wide\"><table class=\"tbl\"><caption class=\"vh\">Cells of the row</caption><thead><tr><th scope=\"col\" class=\"n\">offset</th><th scope=\"col\" class=\"n\">bytes</th><th scope=\"col\">cell</th><th scope=\"col\">value</th><th scope=\"col\" class=\"n\">written</th></tr></thead><tbody>{body}</tbody></table></div>{more}"
    )
}

/// A text that is cut where it is long; whoever needs all of it copies it.
pub fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn pairs<S: Source>(shown: &Shown<'_, S>, entry: &Entry) -> String {
    let mut pairs = vec![(
        "position",
        format!("{}–{}", n(entry.at), n((entry.at + entry.len).saturating_sub(1))),
    )];
    let previous = match &entry.item {
        Ok(Item::Row(row)) => Some(row.previous),
        Ok(Item::Marker(marker)) => Some(marker.previous),
        _ => None,
    };
    if let Some(previous) = previous {
        pairs.push(("size of what lies before", format!("{} B, as stored", n(previous))));
    }
    if let Some(chunk) = super::chunk_bytes(shown.table) {
        let chunk = entry.at / chunk;
        let to = Links2(shown).chunk(chunk);
        pairs.push((
            "chunk",
            format!("<a id=\"chunk\" href=\"{}\">{} of Data.db</a>", escape(&to), n(chunk)),
        ));
    }
    dl(pairs)
}

fn dl(pairs: Vec<(&str, String)>) -> String {
    let pairs: String =
        pairs.iter().map(|(name, value)| format!("<dt>{name}</dt><dd>{value}</dd>")).collect();
    format!("<dl class=\"kv\">{pairs}</dl>")
}

fn partition<S: Source>(shown: &Shown<'_, S>) -> String {
    let found = shown.found;
    let mut pairs = vec![
        ("key", escape(&short(&found.key, 200))),
        ("token", found.token.clone()),
        (
            "bytes",
            format!(
                "{}, from {} to {}",
                n(found.end.saturating_sub(found.at)),
                n(found.at),
                n(found.end.saturating_sub(1))
            ),
        ),
    ];
    pairs.retain(|(_, value)| !value.is_empty());
    let mut why = String::new();
    if found.count > 0 {
        pairs.push(("row blocks", n(found.count)));
        let inside = found.blocks.iter().filter(|block| block.open.is_some()).count() as u64;
        if inside > 0 {
            let of = n(found.blocks.len() as u64);
            pairs.push(("begin in a deletion", format!("{} of {of}", n(inside))));
            why = "<h3>Why blocks carry the open deletion</h3><p class=\"q sm\">A reader that starts at a block never saw the marker before it, so the index stores the deletion with the block.</p>".to_owned();
        }
    } else {
        pairs.push(("row blocks", "one: it has no row index".to_owned()));
    }
    if let Some(problem) = &found.problem {
        pairs.push(("row index", escape(problem)));
    }
    format!("<h2>The partition</h2>{}{why}", dl(pairs))
}
