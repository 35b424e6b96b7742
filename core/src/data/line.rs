//! Items as lines of text for people: `row (1, 'a') @128 v = 'x'`. Values are CQL literals, times as they are stored.

use super::json::path_and_value;
use super::{
    AtomItem, AtomKind, Cell, Composite, DataFormat, Deletion, Expiry, Item, Life, Marker, Row,
    RowColumn, Value, counter_shards,
};
use crate::big::BoundKind;
use crate::cql::{self, CqlType};
use crate::keys::{ClusteringSchema, KeySchema};
use serde_bytes::ByteBuf;
use std::fmt::Write;

/// What is needed to write items as text.
#[derive(Clone, Copy, Debug)]
pub struct LineWriter<'t> {
    /// The columns that items number.
    pub format: &'t DataFormat,
    /// The columns of the partition key.
    pub keys: &'t KeySchema,
    /// The clustering columns.
    pub clustering: &'t ClusteringSchema,
}

impl LineWriter<'_> {
    /// An item in one line.
    pub fn line(&self, item: &Item) -> String {
        let mut out = String::new();
        match item {
            Item::Partition(head) => {
                _ = write!(out, "partition {} @{}", self.keys.to_text(&head.key), head.at);
                if let Some(deletion) = head.deletion {
                    write_deletion(&mut out, "deleted", deletion);
                }
            }
            Item::Row(row) => self.row(&mut out, row),
            Item::Marker(marker) => self.marker(&mut out, marker),
            Item::End(end) => _ = write!(out, "end @{}", end.at),
        }
        out
    }

    /// A cell in two texts: the name of its column, with its place in a collection; and its value, `None` where it is deleted
    /// or has none.
    pub fn cell(&self, row: &Row, of_row: &RowColumn, cell: &Cell) -> (String, Option<String>) {
        let Some(column) = self.format.columns(row.is_static).get(of_row.column) else {
            return (String::new(), None);
        };
        let mut name = String::from_utf8_lossy(&column.name).into_owned();
        let cql = match &cell.path {
            Some(path) => {
                let (place, cql) = path_and_value(&column.cql, path);
                _ = write!(name, "[{place}]");
                cql
            }
            None => column.cql.clone(),
        };
        let is_deleted = matches!(cell.life, Life::Deleted { .. });
        let value = (!is_deleted && cql != CqlType::Empty).then(|| value(&cell.value, &cql));
        (name, value)
    }

    fn row(&self, out: &mut String, row: &Row) {
        if row.is_static {
            out.push_str("static");
        } else {
            out.push_str("row");
            if !self.clustering.columns().is_empty() {
                out.push(' ');
                out.push_str(&self.values(&row.clustering));
            }
        }
        _ = write!(out, " @{}", row.at);
        if let Some(liveness) = row.liveness {
            _ = write!(out, " [{}", liveness.timestamp);
            if let Some(expiry) = liveness.expiry {
                write_expiry(out, expiry);
            }
            out.push(']');
        }
        if let Some(deletion) = row.deletion {
            let word = if deletion.is_shadowable { "shadowably deleted" } else { "deleted" };
            write_deletion(out, word, deletion.deletion);
        }
        if let Some(deletion) = row.shadowable {
            write_deletion(out, "shadowably deleted", deletion);
        }
        let mut written = 0;
        for column in &row.columns {
            self.column(out, row, column, &mut written);
        }
        if let Some(omitted) = row.omitted {
            let (cells, bytes) = (omitted.cells, omitted.bytes);
            _ = write!(out, ", and {cells} more cells of {bytes} bytes");
        }
    }

    fn column(&self, out: &mut String, row: &Row, of_row: &RowColumn, written: &mut usize) {
        let Some(column) = self.format.columns(row.is_static).get(of_row.column) else { return };
        let name = String::from_utf8_lossy(&column.name);
        let mut begin = |out: &mut String| {
            out.push_str(if *written == 0 { " " } else { ", " });
            *written += 1;
            out.push_str(&name);
        };
        if let Some(deletion) = of_row.deletion {
            begin(out);
            write_deletion(out, "deleted", deletion);
        }
        for cell in &of_row.cells {
            begin(out);
            let cql = match &cell.path {
                Some(path) => {
                    let (place, cql) = path_and_value(&column.cql, path);
                    _ = write!(out, "[{place}]");
                    cql
                }
                None => column.cql.clone(),
            };
            write_cell(out, row, cell, &cql);
        }
    }

    fn marker(&self, out: &mut String, marker: &Marker) {
        let place = self.values(&marker.clustering);
        let (ends, starts) = match marker.kind {
            BoundKind::ExclusiveEnd => (Some("before"), None),
            BoundKind::InclusiveStart => (None, Some("before")),
            BoundKind::ExclusiveEndInclusiveStart => (Some("before"), Some("before")),
            BoundKind::InclusiveEndExclusiveStart => (Some("after"), Some("after")),
            BoundKind::InclusiveEnd => (Some("after"), None),
            BoundKind::ExclusiveStart | BoundKind::Row => (None, Some("after")),
        };
        let (verb, side) = match (ends, starts) {
            (Some(side), Some(_)) => ("changes", side),
            (Some(side), None) => ("ends", side),
            (None, side) => ("begins", side.unwrap_or("after")),
        };
        _ = write!(out, "range deletion {verb} {side} {place} @{}", marker.at);
        if let Some(deletion) = marker.closes {
            write_deletion(out, "closes", deletion);
        }
        if let Some(deletion) = marker.opens {
            write_deletion(out, "opens", deletion);
        }
    }

    fn values(&self, values: &[Option<ByteBuf>]) -> String {
        self.clustering.to_text(values.iter().map(|value| value.as_deref().map(Vec::as_slice)))
    }
}

/// An item of `ka` or `la` in one line: names and values as text where they are printable, else as bytes.
pub fn atom_line(item: &AtomItem) -> String {
    match item {
        AtomItem::Partition(head) => {
            let mut out = format!("partition {} @{}", printable(&head.key), head.at);
            if let Some(deletion) = head.deletion {
                write_deletion(&mut out, "deleted", deletion);
            }
            out
        }
        AtomItem::End(end) => format!("end @{}", end.at),
        AtomItem::Atom(atom) => {
            let (name, at) = (name(&atom.name), atom.at);
            match &atom.kind {
                AtomKind::Cell { timestamp, value } => {
                    format!("cell {name} @{at} = {} [{timestamp}]", short(value))
                }
                AtomKind::Expiring { timestamp, ttl, expires_at, value } => {
                    let value = short(value);
                    format!("cell {name} @{at} = {value} [{timestamp}, ttl {ttl} to {expires_at}]")
                }
                AtomKind::Deleted { timestamp, local_time } => {
                    format!("cell {name} @{at} deleted at {local_time} [{timestamp}]")
                }
                AtomKind::Counter { timestamp, value, .. } => {
                    let sum = counter(&value.bytes);
                    format!("counter {name} @{at} = {sum} [{timestamp}]")
                }
                AtomKind::CounterUpdate { timestamp, value } => {
                    format!("counter update {name} @{at} = {} [{timestamp}]", short(value))
                }
                AtomKind::Range { end, deletion, is_shadowable } => {
                    let end = self::name(end);
                    let mut out = format!("range deletion {name} to {end} @{at}");
                    let word = if *is_shadowable { "shadowably deleted" } else { "deleted" };
                    write_deletion(&mut out, word, *deletion);
                    out
                }
            }
        }
    }
}

fn name(name: &[u8]) -> String {
    let Some(composite) = Composite::parse(name) else { return printable(name) };
    let parts = composite.parts.iter().map(|(bytes, end)| match end {
        0 => printable(bytes),
        ..0 => format!("before {}", printable(bytes)),
        _ => format!("after {}", printable(bytes)),
    });
    let parts = parts.collect::<Vec<_>>().join(":");
    if composite.is_static { format!("static:{parts}") } else { parts }
}

fn short(value: &Value) -> String {
    let text = printable(&value.bytes);
    match value.cut {
        0 => text,
        cut => format!("{text}… ({cut} bytes more)"),
    }
}

/// As text in quotes where all of it can be seen, else as bytes.
fn printable(bytes: &[u8]) -> String {
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.chars().any(char::is_control));
    match text {
        Some(_) => cql::to_text(&CqlType::Text, bytes),
        None => cql::to_text(&CqlType::Blob, bytes),
    }
}

fn write_cell(out: &mut String, row: &Row, cell: &Cell, cql: &CqlType) {
    if let Life::Deleted { at } = cell.life {
        _ = write!(out, " deleted at {at}");
    } else if *cql != CqlType::Empty {
        out.push_str(" = ");
        out.push_str(&value(&cell.value, cql));
    }
    let has_row_timestamp =
        row.liveness.is_some_and(|liveness| liveness.timestamp == cell.timestamp);
    let row_expiry = row.liveness.and_then(|liveness| liveness.expiry);
    let expiry = match cell.life {
        Life::Expiring(expiry) if row_expiry != Some(expiry) => Some(expiry),
        _ => None,
    };
    if has_row_timestamp && expiry.is_none() {
        return;
    }
    _ = write!(out, " [{}", cell.timestamp);
    if let Some(expiry) = expiry {
        write_expiry(out, expiry);
    }
    out.push(']');
}

fn value(value: &Value, cql: &CqlType) -> String {
    match value.cut {
        0 if *cql == CqlType::Counter => counter(&value.bytes),
        0 => cql::to_text(cql, &value.bytes),
        cut => {
            let text = cql::to_text(&CqlType::Blob, &value.bytes);
            format!("{text}… ({cut} bytes more)")
        }
    }
}

fn counter(value: &[u8]) -> String {
    match counter_shards(value) {
        Some(shards) => {
            let sum = shards.iter().fold(0i64, |sum, shard| sum.wrapping_add(shard.count));
            format!("{sum} ({} shards)", shards.len())
        }
        None => cql::to_text(&CqlType::Blob, value),
    }
}

fn write_expiry(out: &mut String, Expiry { ttl, at }: Expiry) {
    if ttl == i32::MAX {
        _ = write!(out, ", expired at {at}");
    } else {
        _ = write!(out, ", ttl {ttl} to {at}");
    }
}

fn write_deletion(out: &mut String, word: &str, deletion: Deletion) {
    let Deletion { timestamp, local_time } = deletion;
    _ = write!(out, " {word} [{timestamp}, at {local_time}]");
}
