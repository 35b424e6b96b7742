//! The items of the components that are a head and a table of numbers, or a text: Filter.db, CompressionInfo.db, CRC.db,
//! Statistics.db, Scylla.db, digests, TOC.txt. `docs/format/filter.md`, `data.md`, `statistics.md`, `scylla.md`, `files.md`.

use super::field::{Builder, Field, Item, ItemKind, build, counted, cut, hex};
use super::trie_page::{ends, overlaps};
use crate::error::Error;
use crate::meta::{Compression, FilterHeader, ScyllaMetadata, text};
use crate::pos::{FilePos, PageNo, len64, mem};
use crate::source::{Source, read_range};
use crate::table::{Part, Table};
use std::borrow::Cow;

/// A table of numbers of one width, which ends a component.
struct Numbers {
    kind: ItemKind,
    at: FilePos,
    width: u64,
    count: u64,
}

/// The items of a page, in order.
pub(super) fn plain_page<S: Source>(
    table: &Table<S>,
    source: &S,
    (part, no): (Part, PageNo),
) -> Result<Vec<Item>, Error> {
    let (start, end) = ends(source, no);
    match part {
        Part::Digest | Part::Toc => return Ok(vec![text_item(source, part)?]),
        Part::Scylla => return records(source, start, end),
        _ => {}
    }
    let mut items = Vec::new();
    let head = head_item(table, source, part)?;
    if overlaps(head.at, head.end(), start, end) {
        items.push(head);
    }
    if part == Part::Statistics {
        for found in table.statistics.iter().flat_map(|statistics| &statistics.parts) {
            let to = FilePos(found.at.0.saturating_add(found.bytes));
            if overlaps(found.at, to, start, end) {
                items.push(statistics_part(table, found.at, found.bytes));
            }
            let behind = checksum_of(table, to);
            items.extend(behind.filter(|sum| overlaps(sum.at, sum.end(), start, end)));
        }
    } else if let Some(numbers) = numbers(table, source, part) {
        let from = start.0.saturating_sub(numbers.at.0) / numbers.width;
        let to = end.0.saturating_sub(numbers.at.0).div_ceil(numbers.width).min(numbers.count);
        if from < to {
            let place = |n: u64| FilePos(numbers.at.0.saturating_add(n * numbers.width));
            items.push(numbers_item(table, source, part, place(from), place(to))?);
        }
    }
    Ok(items)
}

/// The head of a component.
pub(super) fn head_item<S: Source>(
    table: &Table<S>,
    source: &S,
    part: Part,
) -> Result<Item, Error> {
    let end = FilePos(source.len());
    let what = (ItemKind::Head, part);
    let version = table.data_version();
    let (item, read) = match part {
        Part::Filter => {
            let item = build(source, what, FilePos(0), end, "filter.md#filterdb", |b| {
                let hashes = b.u32("hash count", "bits that are tested for a key")?;
                let words = b.u32("word count", "words of 64 bits that follow")?;
                let bits = u64::from(words) * 64;
                b.summary = format!("head: {hashes} hash functions, {bits} bits");
                Ok(())
            })?;
            (item, FilterHeader::read(version, source).map(|_| ()))
        }
        Part::Crc => {
            let item = build(source, what, FilePos(0), end, "data.md#crcdb-and-digest", |b| {
                let bytes = b.u32("chunk size", "bytes of Data.db that each checksum covers")?;
                b.summary = format!("head: chunks of {bytes} bytes");
                Ok(())
            })?;
            (item, Ok(()))
        }
        Part::CompressionInfo => {
            let checksums = version.formats().has_max_compressed_length;
            let page = "data.md#compressioninfodb";
            let item = build(source, what, FilePos(0), end, page, |b| compression(b, checksums))?;
            (item, Compression::read(version, source).map(|_| ()))
        }
        _ => {
            let checksums = version.formats().statistics.has_checksums;
            let page = "statistics.md#statisticsdb";
            let item = build(source, what, FilePos(0), end, page, |b| contents(b, checksums))?;
            (item, Ok(()))
        }
    };
    match read {
        Err(Error::Damage(problem)) => {
            let problem = item.problem.clone().or(Some(*problem));
            Ok(Item { problem, ..item })
        }
        Err(miss) => Err(miss),
        Ok(()) => Ok(item),
    }
}

/// The head of CompressionInfo.db.
fn compression(b: &mut Builder<'_, '_>, has_most: bool) -> Result<(), Error> {
    let compressor = short_text(b, "compressor", "its class")?;
    let options = b.u32("option count", "options that follow")?;
    for _ in 0..options {
        short_text(b, "option name", "of an option of the compressor")?;
        short_text(b, "option value", "its value")?;
    }
    let length = b.u32("chunk length", "bytes of a chunk before compression")?;
    if has_most {
        b.u32("max compressed length", "chunks of so many bytes or more are stored as they are")?;
    }
    b.u64("data length", "bytes of Data.db before compression")?;
    let chunks = b.u32("chunk count", "chunk offsets that follow")?;
    let chunks = counted(chunks.into(), "chunk");
    b.summary = format!("head: {compressor}, {chunks} of {length} bytes");
    Ok(())
}

fn short_text(
    b: &mut Builder<'_, '_>,
    name: &'static str,
    meaning: &'static str,
) -> Result<String, Error> {
    let from = b.cursor.pos();
    let length = b.cursor.u16(name)?;
    b.field(format!("{name} length"), from, length.to_string(), "bytes that follow");
    let from = b.cursor.pos();
    let bytes = b.cursor.take(usize::from(length), name)?;
    let shown = std::str::from_utf8(bytes).map_or_else(|_| hex(bytes), |t| cut(t.to_owned()));
    b.field(name, from, shown.clone(), meaning);
    Ok(shown)
}

/// The table of contents of Statistics.db.
fn contents(b: &mut Builder<'_, '_>, checksums: bool) -> Result<(), Error> {
    let count = b.u32("component count", "parts that follow the table")?;
    if checksums {
        b.bytes("checksum of the count", 4, "CRC32 of the four bytes before it")?;
    }
    for _ in 0..count {
        let from = b.cursor.pos();
        let kind = b.cursor.u32("component type")?;
        b.field("component type", from, kind.to_string(), statistics_name(kind));
        b.u32("component offset", "where it starts in this file")?;
    }
    if checksums {
        b.bytes("checksum of the table", 4, "CRC32 of count and table")?;
    }
    b.summary = format!("table of contents: {}", counted(count.into(), "part"));
    Ok(())
}

fn statistics_name(kind: u32) -> &'static str {
    match kind {
        0 => "validation: partitioner and chance of the filter",
        1 => "compaction: a sketch of the keys",
        2 => "stats: histograms, bounds and counts",
        3 => "serialization header: types, and bases of the times",
        _ => "a part that is not known",
    }
}

/// A part of Statistics.db, as one field.
fn statistics_part<S: Source>(table: &Table<S>, at: FilePos, bytes: u64) -> Item {
    let parts = table.statistics.as_ref().map_or(&[][..], |s| &s.parts);
    let kind = parts.iter().find(|part| part.at == at).map_or(u32::MAX, |part| part.kind);
    let page = match kind {
        2 => "statistics.md#stats-in-order",
        3 => "statistics.md#serialization-header",
        _ => "statistics.md#statisticsdb",
    };
    let what = (ItemKind::StatisticsPart, Part::Statistics);
    opaque(what, at, bytes, statistics_name(kind), "part", page)
}

/// The checksum behind a part of Statistics.db that ends at `at`.
fn checksum_of<S: Source>(table: &Table<S>, at: FilePos) -> Option<Item> {
    let what = (ItemKind::Checksums, Part::Statistics);
    table.data_version().formats().statistics.has_checksums.then(|| {
        let text = "CRC32 of the part before it";
        opaque(what, at, 4, text, "checksum", "statistics.md#statisticsdb")
    })
}

/// The numbers behind the head of a component.
fn numbers<S: Source>(table: &Table<S>, source: &S, part: Part) -> Option<Numbers> {
    let numbers = |kind, at, width, count| Some(Numbers { kind, at: FilePos(at), width, count });
    match part {
        Part::Filter => numbers(ItemKind::FilterWords, 8, 8, table.filter?.words),
        Part::Crc => numbers(ItemKind::Checksums, 4, 4, source.len().saturating_sub(4) / 4),
        Part::CompressionInfo => {
            let info = table.compression.as_ref()?;
            numbers(ItemKind::ChunkOffsets, info.offsets_at.0, 8, info.chunks)
        }
        _ => None,
    }
}

/// Numbers of a table from `at` to `end`.
pub(super) fn numbers_item<S: Source>(
    table: &Table<S>,
    source: &S,
    part: Part,
    at: FilePos,
    end: FilePos,
) -> Result<Item, Error> {
    let found = numbers(table, source, part);
    let Some(Numbers { kind, at: start, width, .. }) = found else {
        return Ok(Item::plain(ItemKind::Bytes, part, at, end.0.saturating_sub(at.0), ""));
    };
    let first = at.0.saturating_sub(start.0) / width;
    let (name, page) = match kind {
        ItemKind::FilterWords => ("word", "filter.md#filterdb"),
        ItemKind::ChunkOffsets => ("chunk offset", "data.md#compressioninfodb"),
        _ => ("chunk checksum", "data.md#crcdb-and-digest"),
    };
    build(source, (kind, part), at, end, page, |b| {
        let mut n = first;
        while b.cursor.left() > 0 {
            let from = b.cursor.pos();
            let bytes = b.cursor.take(mem(width).unwrap_or(8), name)?;
            let value = bytes.iter().fold(0u64, |n, byte| n << 8 | u64::from(*byte));
            let (shown, meaning) = match kind {
                ItemKind::FilterWords => {
                    let bits = n.saturating_mul(64);
                    let set = bytes.iter().map(|byte| byte.count_ones()).sum::<u32>();
                    let last = bits.saturating_add(63);
                    (hex(bytes), format!("bits {bits} to {last}, of which {set} are set"))
                }
                ItemKind::ChunkOffsets => {
                    (value.to_string(), format!("chunk {n} starts at {value} of Data.db as stored"))
                }
                _ => (format!("{value:08x}"), format!("CRC32 of chunk {n} of Data.db")),
            };
            b.field(name, from, shown, meaning);
            n = n.saturating_add(1);
        }
        b.summary = format!("{name}s {first} to {}", n.saturating_sub(1));
        Ok(())
    })
}

/// The records of Scylla.db that have bytes in a page: each as one field.
fn records<S: Source>(source: &S, start: FilePos, end: FilePos) -> Result<Vec<Item>, Error> {
    let page = "scylla.md#scylladb";
    let mut items = Vec::new();
    let what = (ItemKind::Head, Part::Scylla);
    if start.0 == 0 {
        items.push(build(source, what, FilePos(0), FilePos(source.len()), page, |b| {
            let count = b.u32("record count", "records that follow")?;
            b.summary = format!("head: {}", counted(count.into(), "record"));
            Ok(())
        })?);
    }
    let read = match ScyllaMetadata::read(source) {
        Ok(read) => read,
        Err(Error::Damage(_)) => return Ok(items),
        Err(miss) => return Err(miss),
    };
    for record in &read.records {
        let item = record_item(source, record.at, u64::from(record.size).saturating_add(8))?;
        if overlaps(item.at, item.end(), start, end) {
            items.push(item);
        }
    }
    let checksum_at = FilePos(source.len().saturating_sub(4));
    if read.checksum.is_some() && overlaps(checksum_at, FilePos(source.len()), start, end) {
        let what = (ItemKind::Checksums, Part::Scylla);
        let text = "CRC32 of everything before it";
        items.push(opaque(what, checksum_at, 4, text, "checksum", page));
    }
    Ok(items)
}

/// A record of Scylla.db: tag, size and bytes.
pub(super) fn record_item<S: Source>(source: &S, at: FilePos, len: u64) -> Result<Item, Error> {
    let end = FilePos(at.0.saturating_add(len));
    let what = (ItemKind::StatisticsPart, Part::Scylla);
    build(source, what, at, end, "scylla.md#scylladb", |b| {
        let tag = b.u32("tag", "what the record holds")?;
        let size = b.u32("size", "bytes that follow")?;
        b.summary = format!("record {tag}, {}", counted(size.into(), "byte"));
        let size = mem(size.into()).unwrap_or(usize::MAX);
        b.bytes("record", size, "its bytes")
    })
}

/// A digest, or the lines of TOC.txt.
fn text_item<S: Source>(source: &S, part: Part) -> Result<Item, Error> {
    let what = (ItemKind::Text, part);
    let end = FilePos(source.len());
    let page = match part {
        Part::Toc => "files.md#components",
        _ => "data.md#crcdb-and-digest",
    };
    build(source, what, FilePos(0), end, page, |b| {
        let length = mem(source.len()).unwrap_or(usize::MAX);
        let bytes = b.cursor.clone().take(length, "text")?;
        let whole = text(bytes);
        b.summary = match part {
            Part::Toc => counted(len64(whole.lines().count()), "component"),
            _ => format!("digest {}", cut(whole.trim().to_owned())),
        };
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let from = b.cursor.pos();
            b.cursor.take(line.len(), "line")?;
            let (name, meaning) = match part {
                Part::Toc => ("component", "a component of this SSTable"),
                _ => ("digest", "checksum of Data.db as stored"),
            };
            b.field(name, from, cut(text(line).trim_end().to_owned()), meaning);
        }
        Ok(())
    })
}

/// An item of one field whose bytes are not taken apart.
pub(super) fn opaque(
    (kind, part): (ItemKind, Part),
    at: FilePos,
    len: u64,
    summary: &str,
    name: &'static str,
    page: &'static str,
) -> Item {
    let mut item = Item::plain(kind, part, at, len, summary);
    if len > 0 {
        item.fields.push(Field {
            name: Cow::Borrowed(name),
            at,
            len,
            bits: None,
            value: counted(len, "byte"),
            meaning: summary.to_owned(),
            page: Cow::Borrowed(page),
        });
    }
    item
}

/// The first bytes of a piece, as text.
pub(super) fn first_bytes<S: Source>(
    source: &S,
    part: Part,
    at: FilePos,
    len: u64,
) -> Result<String, Error> {
    const MOST: u64 = 65;
    Ok(hex(&read_range(part, source, at, len.min(MOST), "bytes")?))
}
