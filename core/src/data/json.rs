//! Items as JSON in the shape of `sstabledump -t`: one object a partition, its rows and markers in an array.
//!
//! Three things differ on purpose: a counter's value is its sum (`sstabledump` shows the first eight bytes of its
//! shards), a moment before year 1 keeps the sign of its year, and what is too long is cut and says so.

use super::{
    Cell, DataColumn, DataFormat, Deletion, Expiry, Item, Life, Marker, PartitionHead, Row,
    RowColumn,
};
use crate::big::BoundKind;
use crate::cql::{CqlType, to_bare, write_json, write_json_string};
use crate::keys::{ClusteringSchema, KeySchema};
use serde_bytes::ByteBuf;
use std::fmt::Write;

/// Writes items as JSON, one after the other. Partitions are separated by commas; the brackets around all of them are
/// the caller's.
#[derive(Clone, Debug)]
pub struct JsonDump<'t> {
    format: &'t DataFormat,
    keys: &'t KeySchema,
    clustering: &'t ClusteringSchema,
    /// Seconds since 1970: what is expired.
    now: i64,
    /// A partition of which nothing is written yet: its position is that of its first row.
    head: Option<PartitionHead>,
    partitions: u64,
    rows: u64,
}

impl<'t> JsonDump<'t> {
    /// For a table with these columns; `now` in seconds since 1970 decides what is expired.
    pub fn new(
        format: &'t DataFormat,
        keys: &'t KeySchema,
        clustering: &'t ClusteringSchema,
        now: i64,
    ) -> Self {
        Self { format, keys, clustering, now, head: None, partitions: 0, rows: 0 }
    }

    /// Appends what is known of an item.
    pub fn item(&mut self, out: &mut String, item: &Item) {
        match item {
            Item::Partition(head) => self.head = Some(head.clone()),
            Item::Row(row) => {
                // The dump gives as position of a partition that of its first row behind the static one.
                let first = if row.is_static { row.at.0.saturating_add(row.len) } else { row.at.0 };
                self.begin(out, first);
                let is_empty = row.columns.is_empty() && row.omitted.is_none();
                if !row.is_static || !is_empty {
                    self.separate(out);
                    self.row(out, row, if row.is_static { first } else { row.at.0 });
                }
            }
            Item::Marker(marker) => {
                self.begin(out, marker.at.0);
                self.separate(out);
                self.marker(out, marker);
            }
            Item::End(end) => {
                self.begin(out, end.at.0);
                out.push_str("]}");
            }
        }
    }

    fn begin(&mut self, out: &mut String, first: u64) {
        let Some(head) = self.head.take() else { return };
        if self.partitions > 0 {
            out.push_str(",\n");
        }
        self.partitions += 1;
        self.rows = 0;
        out.push_str("{\"table kind\": \"REGULAR\", \"partition\": {\"key\": [");
        self.key(out, &head.key);
        _ = write!(out, "], \"position\": {first}");
        if let Some(deletion) = head.deletion {
            write_deletion(out, deletion);
        }
        out.push_str("}, \"rows\": [");
    }

    fn separate(&mut self, out: &mut String) {
        out.push_str(if self.rows == 0 { "\n" } else { ",\n" });
        self.rows += 1;
    }

    fn key(&self, out: &mut String, key: &[u8]) {
        match self.keys.unpack(key) {
            Some(values) => {
                for (i, (cql, value)) in self.keys.columns().iter().zip(values).enumerate() {
                    comma(out, i);
                    write_json_string(out, &to_bare(cql, value));
                }
            }
            None => write_json_string(out, &to_bare(&CqlType::Blob, key)),
        }
    }

    fn row(&self, out: &mut String, row: &Row, position: u64) {
        let kind = if row.is_static { "static_block" } else { "row" };
        _ = write!(out, "{{\"type\": \"{kind}\", \"position\": {position}");
        if !row.is_static {
            self.values(out, &row.clustering);
        }
        if let Some(liveness) = row.liveness {
            _ = write!(out, ", \"liveness_info\": {{\"tstamp\": \"{}\"", liveness.timestamp);
            if let Some(expiry) = liveness.expiry {
                self.expiry(out, expiry);
            }
            out.push('}');
        }
        if let Some(deletion) = row.deletion {
            write_deletion(out, deletion.deletion);
        }
        if let Some(Deletion { timestamp, local_time }) = row.shadowable {
            _ = write!(
                out,
                ", \"shadowable_deletion_info\": {{\"marked_deleted\": \"{timestamp}\", \"local_delete_time\": \"{local_time}\"}}"
            );
        }
        out.push_str(", \"cells\": [");
        let mut written = 0;
        let columns = self.format.columns(row.is_static);
        for of_row in &row.columns {
            let Some(column) = columns.get(of_row.column) else { continue };
            self.column(out, row, of_row, column, &mut written);
        }
        out.push(']');
        if let Some(omitted) = row.omitted {
            _ = write!(out, ", \"cells_omitted\": {}", omitted.cells);
        }
        out.push('}');
    }

    fn column(
        &self,
        out: &mut String,
        row: &Row,
        of_row: &RowColumn,
        column: &DataColumn,
        written: &mut usize,
    ) {
        let name = String::from_utf8_lossy(&column.name);
        let mut begin = |out: &mut String| {
            comma(out, *written);
            *written += 1;
            out.push_str("{\"name\": ");
            write_json_string(out, &name);
        };
        if let Some(deletion) = of_row.deletion {
            begin(out);
            write_deletion(out, deletion);
            out.push('}');
        }
        for cell in &of_row.cells {
            begin(out);
            let value = match &cell.path {
                Some(path) => write_path(out, &column.cql, path),
                None => column.cql.clone(),
            };
            self.cell(out, row, cell, &value);
        }
    }

    fn cell(&self, out: &mut String, row: &Row, cell: &Cell, cql: &CqlType) {
        match cell.life {
            Life::Deleted { at } => {
                _ = write!(out, ", \"deletion_info\": {{\"local_delete_time\": \"{at}\"}}");
            }
            Life::Live | Life::Expiring(_) => {
                out.push_str(", \"value\": ");
                if cell.value.cut == 0 {
                    write_json(out, cql, &cell.value.bytes);
                } else {
                    write_json(out, &CqlType::Blob, &cell.value.bytes);
                    _ = write!(out, ", \"value_bytes_omitted\": {}", cell.value.cut);
                }
            }
        }
        let liveness = row.liveness;
        if liveness.is_none_or(|liveness| liveness.timestamp != cell.timestamp) {
            _ = write!(out, ", \"tstamp\": \"{}\"", cell.timestamp);
        }
        let row_ttl = liveness.and_then(|liveness| liveness.expiry).map(|expiry| expiry.ttl);
        if let Life::Expiring(expiry) = cell.life
            && row_ttl != Some(expiry.ttl)
        {
            self.expiry(out, expiry);
        }
        out.push('}');
    }

    fn marker(&self, out: &mut String, marker: &Marker) {
        let kind = match (marker.closes, marker.opens) {
            (Some(_), Some(_)) => "boundary",
            _ => "bound",
        };
        _ = write!(out, "{{\"type\": \"range_tombstone_{kind}\"");
        let (start, end) = match marker.kind {
            BoundKind::ExclusiveEnd | BoundKind::ExclusiveEndInclusiveStart => {
                ("inclusive", "exclusive")
            }
            BoundKind::InclusiveStart => ("inclusive", ""),
            BoundKind::InclusiveEnd | BoundKind::InclusiveEndExclusiveStart => {
                ("exclusive", "inclusive")
            }
            BoundKind::ExclusiveStart | BoundKind::Row => ("exclusive", ""),
        };
        for (name, bound, deletion) in [("start", start, marker.opens), ("end", end, marker.closes)]
        {
            let Some(deletion) = deletion else { continue };
            _ = write!(out, ", \"{name}\": {{\"type\": \"{bound}\"");
            if !marker.clustering.is_empty() {
                self.values(out, &marker.clustering);
            }
            write_deletion(out, deletion);
            out.push('}');
        }
        out.push('}');
    }

    /// Clustering values; those that a bound does not have are stars.
    fn values(&self, out: &mut String, values: &[Option<ByteBuf>]) {
        if self.clustering.columns().is_empty() {
            return;
        }
        out.push_str(", \"clustering\": [");
        for (i, column) in self.clustering.columns().iter().enumerate() {
            comma(out, i);
            match values.get(i) {
                None => out.push_str("\"*\""),
                Some(None) => out.push_str("null"),
                Some(Some(value)) => write_json(out, &column.cql, value),
            }
        }
        out.push(']');
    }

    fn expiry(&self, out: &mut String, expiry: Expiry) {
        let Expiry { ttl, at } = expiry;
        let expired = at < self.now;
        _ = write!(out, ", \"ttl\": {ttl}, \"expires_at\": \"{at}\", \"expired\": {expired}");
    }
}

/// The path of a cell in its column; returns the type of the value.
fn write_path(out: &mut String, cql: &CqlType, path: &[u8]) -> CqlType {
    let (name, value) = path_and_value(cql, path);
    out.push_str(", \"path\": [");
    write_json_string(out, &name);
    out.push(']');
    value
}

/// The path of a cell as bare text, and the type of its value.
pub(super) fn path_and_value(cql: &CqlType, path: &[u8]) -> (String, CqlType) {
    match cql {
        CqlType::List(element) => (to_bare(&CqlType::Timeuuid, path), element.as_ref().clone()),
        CqlType::Set(element) => (to_bare(element, path), CqlType::Empty),
        CqlType::Map(both) => (to_bare(&both.0, path), both.1.clone()),
        CqlType::User(user) => {
            let number = <[u8; 2]>::try_from(path).map(u16::from_be_bytes);
            let field = number.ok().and_then(|number| user.fields.get(usize::from(number)));
            match field {
                Some((name, cql)) => (name.clone(), cql.clone()),
                None => (to_bare(&CqlType::Blob, path), CqlType::Blob),
            }
        }
        other => (to_bare(&CqlType::Blob, path), other.clone()),
    }
}

fn write_deletion(out: &mut String, deletion: Deletion) {
    let Deletion { timestamp, local_time } = deletion;
    _ = write!(
        out,
        ", \"deletion_info\": {{\"marked_deleted\": \"{timestamp}\", \"local_delete_time\": \"{local_time}\"}}"
    );
}

fn comma(out: &mut String, i: usize) {
    if i > 0 {
        out.push_str(", ");
    }
}
