//! The records of Scylla.db, for `triescope info`.

use crate::files::Opened;
use crate::json::hex;
use crate::out::{count, number};
use serde::Serialize;
use triescope_core::meta::{ScyllaBody, ScyllaMetadata, ScyllaRecord};
use triescope_core::table::Part;

/// Bytes of an unknown record that are shown.
const BYTES_SHOWN: usize = 32;

/// A record.
#[derive(Serialize)]
pub struct Record {
    pub tag: u32,
    pub name: &'static str,
    pub size: u32,
    pub text: String,
}

/// The records; none without Scylla.db. What cannot be read of it is a problem of the table and said there.
pub fn records(table: &Opened) -> Vec<Record> {
    let read = table.source(Part::Scylla).and_then(|source| ScyllaMetadata::read(source).ok());
    read.iter().flat_map(|it| &it.records).map(record).collect()
}

fn record(record: &ScyllaRecord) -> Record {
    Record { tag: record.tag, name: record.name(), size: record.size, text: text(&record.body) }
}

fn text(body: &ScyllaBody) -> String {
    match body {
        ScyllaBody::Sharding(ranges) => {
            let token =
                |token: Option<i64>| token.map_or_else(|| "?".to_owned(), |it| it.to_string());
            let ends = ranges.first().zip(ranges.last()).map(|(first, last)| {
                format!(", {} to {}", token(first.left.number()), token(last.right.number()))
            });
            format!("{}{}", count(ranges.len() as u64, "range"), ends.unwrap_or_default())
        }
        ScyllaBody::Features(features) => {
            let mut names: Vec<String> = features.names().map(str::to_owned).collect();
            if features.unnamed() != 0 {
                names.push(format!("unknown bits {:#x}", features.unnamed()));
            }
            format!("{:#x}: {}", features.0, names.join(", "))
        }
        ScyllaBody::Extensions(all) => {
            let each = all.iter().map(|(name, value)| {
                format!("{}: {}", String::from_utf8_lossy(name), count(value.len() as u64, "byte"))
            });
            joined(each)
        }
        ScyllaBody::Run(id) | ScyllaBody::Sstable(id) => uuid(id),
        ScyllaBody::Origin(text) | ScyllaBody::Build(text) | ScyllaBody::Version(text) => {
            text.clone()
        }
        ScyllaBody::LargeDataStats(all) => joined(all.iter().map(|it| {
            let what = it.name().map_or_else(|| format!("kind {}", it.kind), str::to_owned);
            let (max, threshold) = (number(it.max), number(it.threshold));
            match it.threshold {
                u64::MAX => format!("{what} at most {max}"),
                _ => format!("{what} at most {max}, {} above {threshold}", it.above),
            }
        })),
        ScyllaBody::Timestamps(all) => joined(all.iter().map(|it| {
            let what = it.name().map_or_else(|| format!("kind {}", it.kind), str::to_owned);
            format!("{what} {}", crate::time::micros(it.timestamp))
        })),
        ScyllaBody::Schema(schema) => {
            let columns = count(schema.columns.len() as u64, "column");
            format!(
                "{}.{}, {columns}, id {}",
                schema.keyspace,
                schema.table,
                uuid(&schema.table_id)
            )
        }
        ScyllaBody::Digests(all) => joined(all.iter().map(|it| {
            let part =
                it.part.map_or_else(|| format!("component {}", it.component), |it| it.to_string());
            format!("{part} {:08x}", it.crc32)
        })),
        ScyllaBody::LargeDataRecords(all) => count(all.len() as u64, "record"),
        ScyllaBody::Unknown(bytes) => {
            let shown = bytes.get(..BYTES_SHOWN).unwrap_or(bytes);
            let more = if bytes.len() > shown.len() { "…" } else { "" };
            format!("0x{}{more}", hex(shown))
        }
    }
}

fn joined(each: impl Iterator<Item = String>) -> String {
    each.collect::<Vec<_>>().join("; ")
}

fn uuid(bytes: &[u8; 16]) -> String {
    let hex = hex(bytes);
    let parts =
        [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| hex.get(range).unwrap_or_default());
    parts.join("-")
}
