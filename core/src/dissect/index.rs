//! The items of Index.db: entries, and the head, blocks and offsets of a promoted index. `docs/format/index.md`.

use super::field::{Builder, Item, ItemKind, build, counted, hex};
use super::trie::{compact_deletion, key, legacy_deletion};
use crate::big::PromotedHead;
use crate::cql;
use crate::data::Deletion;
use crate::error::Error;
use crate::pos::FilePos;
use crate::source::Source;
use crate::table::{IndexFormat, Part, Table};

/// Values that one header of clustering values describes.
const VALUES_A_HEADER: usize = 32;
/// What is added to a stored width.
const WIDTH_BASE: i64 = 65_536;

/// An entry of Index.db, without its promoted index.
pub(super) fn entry_item<S: Source>(
    table: &Table<S>,
    source: &S,
    at: FilePos,
) -> Result<Item, Error> {
    let end = FilePos(source.len());
    build(source, (ItemKind::IndexEntry, Part::Index), at, end, "index.md#entry", |b| {
        let key = key(b, table, "key")?;
        let starts = |at: u64| format!("the partition starts at {at} of Data.db");
        let follows = |n: u64| match n {
            0 => "no promoted index follows: the partition is one block".to_owned(),
            n => format!("{} of promoted index follow", counted(n, "byte")),
        };
        let (data, size) = match table.version().formats().index {
            IndexFormat::Vints => {
                (b.uvint("data position", starts)?, b.uvint("promoted size", follows)?)
            }
            IndexFormat::Fixed => {
                let from = b.cursor.pos();
                let data = b.cursor.u64("data position")?;
                b.field("data position", from, data.to_string(), starts(data));
                let from = b.cursor.pos();
                let size = u64::from(b.cursor.u32("promoted size")?);
                b.field("promoted size", from, size.to_string(), follows(size));
                (data, size)
            }
        };
        b.summary = format!("entry of {key}, partition at {data} of Data.db");
        if size > 0 {
            b.summary.push_str(&format!(", {} of promoted index", counted(size, "byte")));
        }
        Ok(())
    })
}

/// The head of a promoted index of `size` bytes at `at`.
pub(super) fn head_item<S: Source>(
    table: &Table<S>,
    source: &S,
    at: FilePos,
    size: u64,
) -> Result<Item, Error> {
    let end = FilePos(at.0.saturating_add(size));
    let version = table.version();
    let what = (ItemKind::PromotedHead, Part::Index);
    build(source, what, at, end, "index.md#promoted-index", |b| {
        // The reader's own words for what it refuses.
        let head = PromotedHead::parse(&mut b.cursor.clone(), size, version);
        b.uvint("header length", |n| {
            format!(
                "the first row or marker lies {} after the partition's start",
                counted(n, "byte")
            )
        })?;
        b.page = "index.md#deletiontime";
        deletion(b, table, "of the whole partition")?;
        b.page = "index.md#promoted-index";
        let blocks =
            b.uvint("block count", |n| format!("{n} blocks follow, then {n} offsets of 4 bytes"))?;
        b.summary = format!("promoted index of {}", counted(blocks, "block"));
        head.map(|_| ())
    })
}

/// A block of a promoted index.
pub(super) fn block_item<S: Source>(
    table: &Table<S>,
    source: &S,
    at: FilePos,
    end: FilePos,
) -> Result<Item, Error> {
    let what = (ItemKind::Block, Part::Index);
    build(source, what, at, end, "index.md#block", |b| {
        let first = bound(b, table, "first")?;
        let last = bound(b, table, "last")?;
        let offset =
            b.uvint("block start", |at| format!("{at} bytes from the partition's start"))?;
        let from = b.cursor.pos();
        let stored = b.cursor.svint("block width")?;
        let width = stored.saturating_add(WIDTH_BASE);
        b.field("block width", from, stored.to_string(), format!("{width} bytes, less 65536"));
        let from = b.cursor.pos();
        let before = b.cursor.clone();
        let flag = b.cursor.u8("open marker flag")?;
        let meaning = match flag {
            0 => "no range deletion is open behind the block",
            1 => "a range deletion is still open behind the block",
            _ => return Err(before.error("open marker flag", "0 or 1", i128::from(flag))),
        };
        b.field("open marker flag", from, flag.to_string(), meaning);
        if flag == 1 {
            b.page = "index.md#deletiontime";
            deletion(b, table, "is open behind the block")?;
        }
        b.summary = format!("block at {offset}, {width} bytes: {first} to {last}");
        Ok(())
    })
}

/// Offsets of blocks, from the one at `at` to `end`; `first` is the number of the block that it is for.
pub(super) fn offsets_item<S: Source>(
    source: &S,
    at: FilePos,
    end: FilePos,
    (first, blocks_at): (u64, FilePos),
) -> Result<Item, Error> {
    let what = (ItemKind::BlockOffsets, Part::Index);
    build(source, what, at, end, "index.md#promoted-index", |b| {
        let mut block = first;
        while b.cursor.left() > 0 {
            let from = b.cursor.pos();
            let offset = b.cursor.u32("block offset")?;
            let place = blocks_at.0.saturating_add(offset.into());
            b.field(
                "block offset",
                from,
                offset.to_string(),
                format!("block {block} lies at {place}"),
            );
            block = block.saturating_add(1);
        }
        b.summary = match block.saturating_sub(first) {
            1 => format!("offset of block {first}"),
            n => format!("offsets of blocks {first} to {}", first.saturating_add(n - 1)),
        };
        Ok(())
    })
}

fn deletion<S: Source>(
    b: &mut Builder<'_, '_>,
    table: &Table<S>,
    of: &str,
) -> Result<Option<Deletion>, Error> {
    if table.version().has_compact_deletion() {
        compact_deletion(b, of)
    } else {
        legacy_deletion(b, of)
    }
}

/// A bound: kind, number of values, headers, values. Returns it as text.
fn bound<S: Source>(
    b: &mut Builder<'_, '_>,
    table: &Table<S>,
    which: &'static str,
) -> Result<String, Error> {
    let columns = table.clustering_schema().map(|schema| schema.columns()).unwrap_or_default();
    let (from, before) = (b.cursor.pos(), b.cursor.clone());
    let kind = b.cursor.u8("bound kind")?;
    let meaning = match kind {
        0 => "end of a range deletion, before the rows with these values",
        1 => "start of a range deletion, before the rows with these values",
        2 => "one range deletion ends and another starts, before the rows with these values",
        4 => "a row",
        5 => "one range deletion ends and another starts, after the rows with these values",
        6 => "end of a range deletion, after the rows with these values",
        7 => "start of a range deletion, after the rows with these values",
        _ => return Err(before.error("bound kind", "0, 1, 2, 4, 5, 6 or 7", i128::from(kind))),
    };
    b.field(format!("{which}: kind"), from, kind.to_string(), meaning);
    let mut count = columns.len();
    if kind != 4 {
        let (from, before) = (b.cursor.pos(), b.cursor.clone());
        let values = b.cursor.u16("number of clustering values")?;
        b.field(
            format!("{which}: number of values"),
            from,
            values.to_string(),
            "of its clustering columns",
        );
        count = usize::from(values);
        if count > columns.len() {
            let expected = "at most one value a clustering column";
            return Err(before.error("clustering values", expected, i128::from(values)));
        }
    }
    let page = b.page;
    b.page = "data.md#clustering-values";
    let mut texts = Vec::new();
    for block in columns.get(..count).unwrap_or_default().chunks(VALUES_A_HEADER) {
        let mut header = b.uvint("header of clustering values", |bits| {
            format!("two bits a value, 0 normal, 1 empty, 2 null: 0b{bits:b}")
        })?;
        for column in block {
            texts.push(match header & 3 {
                0 => value(b, &column.cql, which)?,
                1 => "empty".to_owned(),
                2 => "null".to_owned(),
                bits => {
                    let expected = "bits 00, 01 or 10 a value";
                    return Err(b.cursor.error("clustering values header", expected, bits.into()));
                }
            });
            header >>= 2;
        }
    }
    b.page = page;
    let text = format!("({})", texts.join(", "));
    Ok(match kind {
        4 => text,
        0..=2 => format!("before {text}"),
        _ => format!("after {text}"),
    })
}

fn value(
    b: &mut Builder<'_, '_>,
    cql: &cql::CqlType,
    which: &'static str,
) -> Result<String, Error> {
    let length = match cql.fixed_len() {
        Some(length) => u64::from(length),
        None => b.uvint("value length", |n| counted(n, "byte"))?,
    };
    let from = b.cursor.pos();
    let bytes =
        b.cursor.take(crate::pos::mem(length).unwrap_or(usize::MAX), "clustering values")?;
    let text = super::field::cut(cql::to_text(cql, bytes));
    let shown = hex(bytes);
    let meaning = if shown == text { cql.name() } else { format!("{}, {shown}", cql.name()) };
    b.field(format!("{which}: value"), from, text.clone(), meaning);
    Ok(text)
}
