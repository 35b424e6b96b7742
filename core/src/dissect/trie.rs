//! The items of Partitions.db and Rows.db that are no nodes: first and last key, footer, entries.
//! `docs/format/trie.md`, `docs/format/rows.md`.

use super::field::{Builder, Item, ItemKind, build, counted, cut, hex};
use super::node::{deleted_up_to, made_at};
use crate::bti::{FOOTER_BYTES, RowEntry};
use crate::data::Deletion;
use crate::error::Error;
use crate::keys::{Token, murmur3};
use crate::pos::{FilePos, len64, mem};
use crate::source::{Pages, Source};
use crate::table::{Part, Table};

/// The first and the last key of Partitions.db, from their position to the footer.
pub(super) fn keys_item<S: Source>(
    table: &Table<S>,
    source: &S,
    keys_at: FilePos,
) -> Result<Item, Error> {
    let end = FilePos(source.len().saturating_sub(FOOTER_BYTES));
    let what = (ItemKind::Keys, Part::Partitions);
    build(source, what, keys_at, end, "trie.md#partitionsdb", |b| {
        let first = key(b, table, "first key")?;
        let last = key(b, table, "last key")?;
        b.summary = format!("first key {first}, last key {last}");
        let left = mem(end.0.saturating_sub(b.cursor.pos().0)).unwrap_or(usize::MAX);
        b.bytes("bytes before the footer", left, "belong to nothing")
    })
}

/// The footer of Partitions.db.
pub(super) fn footer_item<S: Source>(source: &S) -> Result<Item, Error> {
    let at = FilePos(source.len().saturating_sub(FOOTER_BYTES));
    let what = (ItemKind::Footer, Part::Partitions);
    build(source, what, at, FilePos(source.len()), "trie.md#partitionsdb", |b| {
        b.u64("keys position", "where the first key starts and the root node ends")?;
        let count = b.u64("key count", "partitions, which is also the number of leaves")?;
        let root = b.u64("root position", "where every lookup starts")?;
        b.summary = format!("{}, root at {root}", counted(count, "partition"));
        Ok(())
    })
}

/// An entry of Rows.db.
pub(super) fn entry_item<S: Source>(
    table: &Table<S>,
    source: &S,
    at: FilePos,
) -> Result<Item, Error> {
    let what = (ItemKind::RowsEntry, Part::Rows);
    let end = FilePos(source.len());
    let mut item = build(source, what, at, end, "rows.md#entry", |b| {
        let key = key(b, table, "key")?;
        let base = b.cursor.pos();
        b.uvint("data position", |data| format!("the partition starts at {data} of Data.db"))?;
        let from = b.cursor.pos();
        let distance = b.cursor.svint("root distance")?;
        let meaning = match base.0.checked_add_signed(distance) {
            Some(root) => format!(
                "the root of the row trie lies at {base} - {} = {root}",
                -i128::from(distance)
            ),
            None => "the root would lie outside the file".to_owned(),
        };
        b.field("root distance", from, distance.to_string(), meaning);
        let blocks = b.uvint("number of blocks", |n| counted(n, "row block"))?;
        b.summary = format!("entry of {key}, {}", counted(blocks, "block"));
        compact_deletion(b, "of the whole partition").map(|_| ())
    })?;
    // What the reader would refuse in the numbers: a root after the entry, too many blocks.
    if item.problem.is_none() {
        let mut unheard = ();
        match RowEntry::read(&mut Pages::new(Part::Rows, source, &mut unheard), at) {
            Err(miss @ Error::Miss(_)) => return Err(miss),
            Err(Error::Damage(problem)) => item.problem = Some(*problem),
            Ok(_) => {}
        }
    }
    Ok(item)
}

/// A `u16` length and a key; the key as text.
pub(super) fn key<S: Source>(
    b: &mut Builder<'_, '_>,
    table: &Table<S>,
    name: &'static str,
) -> Result<String, Error> {
    let from = b.cursor.pos();
    let length = b.cursor.u16("key length")?;
    b.field("key length", from, length.to_string(), format!("bytes of the {name}"));
    let from = b.cursor.pos();
    let key = b.cursor.take(usize::from(length), name)?;
    let (text, meaning) = key_texts(table, key);
    b.field(name, from, text.clone(), meaning);
    Ok(text)
}

/// A key as CQL text; its bytes, token and hash byte.
pub(super) fn key_texts<S: Source>(table: &Table<S>, key: &[u8]) -> (String, String) {
    let text = cut(table.key_schema().to_text(key));
    let bytes = hex(key);
    let shown = if text == bytes { String::new() } else { format!("{bytes}, ") };
    let hash = murmur3(key).byte();
    let token = match table.partitioner().token(key) {
        Token::Murmur3(token) => format!("token {token}, hash byte 0x{hash:02x}"),
        Token::Random(token) => format!("token {token}, hash byte 0x{hash:02x}"),
        Token::Key => format!("ordered by its bytes, hash byte 0x{hash:02x}"),
    };
    (text, format!("{shown}{token}"))
}

/// A deletion of 1, 12 or 13 bytes.
pub(super) fn compact_deletion(
    b: &mut Builder<'_, '_>,
    of: &str,
) -> Result<Option<Deletion>, Error> {
    // What cannot be one is refused by the reader itself, with its words.
    let deletion = Deletion::read_compact(&mut b.cursor.clone())?;
    let from = b.cursor.pos();
    let first = b.cursor.clone().u8("deletion time")?;
    let Some(deletion) = deletion else {
        b.cursor.u8("deletion time")?;
        b.field("deletion", from, "live", format!("no deletion {of}"));
        return Ok(None);
    };
    if first == 0xc0 {
        b.cursor.u8("deletion time")?;
        b.field("deletion form", from, "0xc0", "a negative timestamp follows");
    }
    let from = b.cursor.pos();
    b.cursor.i64("deletion timestamp")?;
    let meaning = deleted_up_to(deletion.timestamp);
    b.field("deletion timestamp", from, deletion.timestamp.to_string(), meaning);
    let from = b.cursor.pos();
    b.cursor.u32("local deletion time")?;
    let meaning = made_at(deletion.local_time);
    b.field("local deletion time", from, deletion.local_time.to_string(), meaning);
    Ok(Some(deletion))
}

/// A deletion of 12 bytes, local time first.
pub(super) fn legacy_deletion(
    b: &mut Builder<'_, '_>,
    of: &str,
) -> Result<Option<Deletion>, Error> {
    let deletion = Deletion::read_legacy(&mut b.cursor.clone())?;
    let from = b.cursor.pos();
    let seconds = b.cursor.i32("local deletion time")?;
    let meaning = match deletion {
        Some(_) => made_at(seconds.into()),
        None => format!("no deletion {of}"),
    };
    b.field("local deletion time", from, seconds.to_string(), meaning);
    let from = b.cursor.pos();
    let micros = b.cursor.i64("deletion timestamp")?;
    let meaning = match deletion {
        Some(_) => deleted_up_to(micros),
        None => format!("no deletion {of}"),
    };
    b.field("deletion timestamp", from, micros.to_string(), meaning);
    Ok(deletion)
}

/// Bytes of a run of zeros at the start.
pub(super) fn zeros(bytes: &[u8]) -> u64 {
    len64(bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len()))
}
