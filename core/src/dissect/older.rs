//! What `ka` and `la` have in other forms: the promoted index of cell names, and the records behind the keys of
//! Summary.db. `docs/format/index.md`, "before ma", and `docs/format/summary.md`, "segment bounds".

use super::field::{Builder, Item, ItemKind, build, counted, cut, hex};
use super::trie::legacy_deletion;
use super::trie_page::overlaps;
use crate::big::{Block, BlockLayout, Bound, PromotedHead, Summary};
use crate::cql;
use crate::error::Error;
use crate::pos::{FilePos, mem};
use crate::source::Source;
use crate::table::{Part, Table};

const PAGE: &str = "index.md#before-ma";

/// The pieces of a promoted index that have bytes in a page. There are no offsets, so blocks are read from the first one on.
pub(super) fn promoted<S: Source>(
    table: &Table<S>,
    source: &S,
    head: &PromotedHead,
    (start, end): (FilePos, FilePos),
    items: &mut Vec<Item>,
) -> Result<(), Error> {
    if overlaps(head.at, head.blocks_at, start, end) {
        items.push(head_item(table, source, head.at, head.end)?);
    }
    let mut at = head.blocks_at;
    for _ in 0..head.blocks {
        if at >= end {
            break;
        }
        let block = block_item(table, source, at, head.end)?;
        at = block.end();
        let is_whole = block.problem.is_none();
        if overlaps(block.at, at.max(FilePos(block.at.0.saturating_add(1))), start, end) {
            items.push(block);
        }
        if !is_whole {
            break;
        }
    }
    Ok(())
}

/// The head: deletion and number of blocks.
pub(super) fn head_item<S: Source>(
    table: &Table<S>,
    source: &S,
    at: FilePos,
    end: FilePos,
) -> Result<Item, Error> {
    let size = end.0.saturating_sub(at.0);
    let version = table.version();
    build(source, (ItemKind::PromotedHead, Part::Index), at, end, PAGE, |b| {
        // It reads the first block too, for the bytes before it.
        let head = PromotedHead::parse(&mut b.cursor.clone(), size, version);
        legacy_deletion(b, "of the whole partition")?;
        let blocks = b.u32("block count", "blocks that follow, without a table of offsets")?;
        b.summary = format!("promoted index of {}", counted(blocks.into(), "block"));
        head.map(|_| ())
    })
}

/// A block: two cell names, offset and width.
pub(super) fn block_item<S: Source>(
    table: &Table<S>,
    source: &S,
    at: FilePos,
    end: FilePos,
) -> Result<Item, Error> {
    let columns = table.clustering_schema().map(|schema| schema.columns()).unwrap_or_default();
    let lengths: Vec<_> = columns.iter().map(|column| column.cql.fixed_len()).collect();
    let layout = BlockLayout { version: table.version(), lengths: &lengths };
    build(source, (ItemKind::Block, Part::Index), at, end, PAGE, |b| {
        let block = Block::read(&mut b.cursor.clone(), layout)?;
        let text = |bound: &Bound| {
            let texts = bound.values.iter().enumerate().map(|(i, value)| {
                let bytes = value.as_ref().map_or(&[][..], |value| value.as_slice());
                match columns.get(i) {
                    Some(column) => cql::to_text(&column.cql, bytes),
                    None => hex(bytes),
                }
            });
            cut(format!("({})", texts.collect::<Vec<_>>().join(", ")))
        };
        let (first, last) = (text(&block.first), text(&block.last));
        name(b, "first cell name", &first)?;
        name(b, "last cell name", &last)?;
        let offset = b.u64("block start", "from the start of the partition")?;
        let width = b.u64("block width", "bytes of the block")?;
        b.summary = format!("block at {offset}, {width} bytes: {first} to {last}");
        Ok(())
    })
}

fn name(b: &mut Builder<'_, '_>, what: &'static str, text: &str) -> Result<(), Error> {
    let from = b.cursor.pos();
    let length = b.cursor.u16("cell name length")?;
    b.field("cell name length", from, length.to_string(), format!("bytes of the {what}"));
    b.bytes(what, usize::from(length), format!("clustering values, then the column: {text}"))
}

/// What lies behind the last key of Summary.db; `None` where nothing does.
pub(super) fn segments_item<S: Source>(
    source: &S,
    summary: &Summary,
) -> Result<Option<Item>, Error> {
    let (at, end) = (summary.end(), FilePos(source.len()));
    if at >= end {
        return Ok(None);
    }
    let what = (ItemKind::Segments, Part::Summary);
    let item = build(source, what, at, end, "summary.md#segment-bounds", |b| {
        // All of it is here before anything is taken for missing.
        let all = mem(end.0.saturating_sub(at.0)).unwrap_or(usize::MAX);
        b.cursor.clone().take(all, "segment bounds")?;
        let mut records = 0;
        while b.cursor.pos() < end {
            let mut ahead = b.cursor.clone();
            let is_mode =
                ahead.short_bytes("mode").is_ok_and(|mode| mode.is_ascii() && !mode.is_empty());
            if !is_mode {
                break;
            }
            records += 1;
            let from = b.cursor.pos();
            let length = b.cursor.u16("mode length")?;
            b.field("mode length", from, length.to_string(), "bytes of the name that follows");
            let from = b.cursor.pos();
            let mode = String::from_utf8_lossy(b.cursor.take(usize::from(length), "mode")?);
            let meaning = "how Cassandra 2 read the file";
            b.field("mode", from, mode.into_owned(), meaning);
            // A compressed Data.db has no list: then other bytes follow, or none.
            let Ok(count) = b.cursor.clone().count(8, "segments") else { continue };
            b.u32("count", "positions that follow")?;
            for _ in 0..count {
                b.u64("position", "where a piece of the file begins")?;
            }
        }
        let rest = mem(end.0.saturating_sub(b.cursor.pos().0)).unwrap_or(usize::MAX);
        b.summary = counted(records, "record of segment bounds");
        b.bytes("bytes behind", rest, "their meaning is not known")
    })?;
    Ok(Some(item))
}
