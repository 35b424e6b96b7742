//! The items of Summary.db: head, offsets, samples, first and last key. `docs/format/summary.md`.

use super::field::{Item, ItemKind, build, counted};
use super::older;
use super::trie::key_texts;
use super::trie_page::{ends, overlaps};
use crate::big::SummaryHeader;
use crate::error::Error;
use crate::pos::{FilePos, PageNo, mem};
use crate::source::{Source, read_range};
use crate::table::{Part, Table};

const PAGE: &str = "summary.md#summarydb";
/// Bytes of the head.
const HEAD: u64 = 24;
/// Bytes of an offset.
const OFFSET: u64 = 4;
/// Bytes of the position at the end of a sample.
const POSITION: u64 = 8;

/// The items of a page, in order.
pub(super) fn summary_page<S: Source>(
    table: &Table<S>,
    source: &S,
    no: PageNo,
) -> Result<Vec<Item>, Error> {
    let (start, end) = ends(source, no);
    let mut items = Vec::new();
    if start.0 < HEAD {
        items.push(head_item(source)?);
    }
    let Some(summary) = &table.summary else { return Ok(items) };
    let header = summary.header;
    let samples_at = HEAD.saturating_add(header.samples.saturating_mul(OFFSET));
    if overlaps(FilePos(HEAD), FilePos(samples_at), start, end) {
        let last = end.0.saturating_sub(HEAD).div_ceil(OFFSET).min(header.samples);
        let first = start.0.saturating_sub(HEAD) / OFFSET;
        let from = FilePos(HEAD.saturating_add(first.saturating_mul(OFFSET)));
        let to = FilePos(HEAD.saturating_add(last.saturating_mul(OFFSET)));
        if from < to {
            items.push(offsets_item(source, header, from, to)?);
        }
    }
    let keys_at = FilePos(HEAD.saturating_add(header.memory_bytes));
    if overlaps(FilePos(samples_at), keys_at, start, end) {
        // Samples lie in their order, so the first one in the page is bisected for.
        let (mut low, mut high) = (0, header.samples);
        while high - low > 1 {
            let mid = low + (high - low) / 2;
            if place(source, header, mid)? <= start { low = mid } else { high = mid }
        }
        for sample in low..header.samples {
            let (at, to) = (place(source, header, sample)?, place(source, header, sample + 1)?);
            if at >= end {
                break;
            }
            if at < to && overlaps(at, to, start, end) {
                items.push(sample_item(table, source, header, (at, to), sample)?);
            }
        }
    }
    if keys_at < end {
        let keys = keys_item(table, source, keys_at)?;
        if overlaps(keys.at, keys.end(), start, end) {
            items.push(keys);
        }
        if let Some(item) = older::segments_item(source, summary)?
            && overlaps(item.at, item.end(), start, end)
        {
            items.push(item);
        }
    }
    Ok(items)
}

/// The head.
pub(super) fn head_item<S: Source>(source: &S) -> Result<Item, Error> {
    let end = FilePos(source.len());
    let mut item = build(source, (ItemKind::Head, Part::Summary), FilePos(0), end, PAGE, |b| {
        b.u32("min index interval", "partitions from one sample to the next at full sampling")?;
        let entries = b.u32("entries", "samples")?;
        b.u64("memory size", "bytes of offsets and samples: what a database keeps in memory")?;
        b.u32("sampling level", "of 128 samples, so many are kept")?;
        b.u32("size at full sampling", "samples before any were dropped")?;
        b.summary = format!("head: {}", counted(entries.into(), "sample"));
        Ok(())
    })?;
    if item.problem.is_none() {
        match SummaryHeader::read(source) {
            Err(Error::Damage(problem)) => item.problem = Some(*problem),
            Err(miss) => return Err(miss),
            Ok(_) => {}
        }
    }
    Ok(item)
}

/// Offsets of samples from `at` to `end`.
pub(super) fn offsets_item<S: Source>(
    source: &S,
    header: SummaryHeader,
    at: FilePos,
    end: FilePos,
) -> Result<Item, Error> {
    let first = at.0.saturating_sub(HEAD) / OFFSET;
    build(source, (ItemKind::SampleOffsets, Part::Summary), at, end, PAGE, |b| {
        let mut sample = first;
        while b.cursor.left() > 0 {
            let from = b.cursor.pos();
            let bytes = b.cursor.take(4, "sample offset")?;
            let offset = number(bytes, header.big_endian);
            let place = HEAD.saturating_add(offset);
            let meaning = format!("sample {sample} lies at 24 + {offset} = {place}");
            b.field("sample offset", from, offset.to_string(), meaning);
            sample = sample.saturating_add(1);
        }
        let order = if header.big_endian { "big" } else { "little" };
        let last = sample.saturating_sub(1);
        b.summary = format!("offsets of the samples {first} to {last}, {order}-endian");
        Ok(())
    })
}

/// A sample: a key and a position in Index.db.
pub(super) fn sample_item<S: Source>(
    table: &Table<S>,
    source: &S,
    header: SummaryHeader,
    (at, end): (FilePos, FilePos),
    sample: u64,
) -> Result<Item, Error> {
    build(source, (ItemKind::Sample, Part::Summary), at, end, PAGE, |b| {
        let length = end.0.saturating_sub(at.0).saturating_sub(POSITION);
        let from = b.cursor.pos();
        let key = b.cursor.take(mem(length).unwrap_or(usize::MAX), "key")?;
        let (text, meaning) = key_texts(table, key);
        b.field("key", from, text.clone(), meaning);
        let from = b.cursor.pos();
        let position = number(b.cursor.take(8, "position in Index.db")?, header.big_endian);
        let meaning = format!("its entry starts at {position} of Index.db");
        b.field("position in Index.db", from, position.to_string(), meaning);
        b.summary = format!("sample {sample}: {text}, entry at {position} of Index.db");
        Ok(())
    })
}

/// The first and the last key behind the samples.
pub(super) fn keys_item<S: Source>(
    table: &Table<S>,
    source: &S,
    at: FilePos,
) -> Result<Item, Error> {
    let end = FilePos(source.len());
    build(source, (ItemKind::Keys, Part::Summary), at, end, PAGE, |b| {
        let mut texts = Vec::new();
        for name in ["first key", "last key"] {
            let from = b.cursor.pos();
            let length = b.cursor.u32("key length")?;
            b.field("key length", from, length.to_string(), format!("bytes of the {name}"));
            let from = b.cursor.pos();
            let key = b.cursor.take(mem(length.into()).unwrap_or(usize::MAX), name)?;
            let (text, meaning) = key_texts(table, key);
            b.field(name, from, text.clone(), meaning);
            texts.push(format!("{name} {text}"));
        }
        b.summary = texts.join(", ");
        Ok(())
    })
}

/// Number of the sample that lies at a position.
pub(super) fn sample_at<S: Source>(
    source: &S,
    header: SummaryHeader,
    wanted: FilePos,
) -> Result<Option<(u64, FilePos)>, Error> {
    let (mut low, mut high) = (0, header.samples);
    while low < high {
        let mid = low + (high - low) / 2;
        if place(source, header, mid)? < wanted { low = mid + 1 } else { high = mid }
    }
    if low == header.samples || place(source, header, low)? != wanted {
        return Ok(None);
    }
    Ok(Some((low, place(source, header, low + 1)?)))
}

/// Position of a sample, by its offset; where they end for the one after the last.
fn place<S: Source>(source: &S, header: SummaryHeader, sample: u64) -> Result<FilePos, Error> {
    let end = HEAD.saturating_add(header.memory_bytes);
    if sample >= header.samples {
        return Ok(FilePos(end));
    }
    let at = FilePos(HEAD.saturating_add(sample.saturating_mul(OFFSET)));
    let bytes = read_range(Part::Summary, source, at, OFFSET, "sample offset")?;
    Ok(FilePos(HEAD.saturating_add(number(&bytes, header.big_endian)).min(end)))
}

fn number(bytes: &[u8], big_endian: bool) -> u64 {
    let fold = |n: u64, byte: &u8| n << 8 | u64::from(*byte);
    if big_endian { bytes.iter().fold(0, fold) } else { bytes.iter().rev().fold(0, fold) }
}
