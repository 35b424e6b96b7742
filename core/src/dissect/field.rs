//! What dissecting gives: an item of a component and its fields, as data; and what they are built with.

use crate::big::parse;
use crate::cursor::Cursor;
use crate::error::{Error, ReadError};
use crate::pos::{FilePos, len64};
use crate::source::{Pages, Source};
use crate::table::Part;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A field: some bytes of an item, what they say, and what that means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// A noun of the format: `transition byte`, `key length`.
    pub name: Cow<'static, str>,
    /// Position of its first byte.
    pub at: FilePos,
    /// Bytes that it lies in.
    pub len: u64,
    /// Which bits of these bytes; `None` for all.
    pub bits: Option<Bits>,
    /// Its value as text: a number, a CQL literal, `0x…`.
    pub value: String,
    /// What the value means here, in words.
    pub meaning: String,
    /// The page of `docs/format` with the heading's anchor: `trie.md#nodes`.
    pub page: Cow<'static, str>,
}

/// Some bits of a field's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bits {
    /// The first one, 0 for the most significant of the first byte.
    pub first: u8,
    /// Their number.
    pub count: u8,
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemKind {
    /// A node of a trie, with its payload.
    Node,
    /// An entry of Rows.db.
    RowsEntry,
    /// The first and last key in Partitions.db or Summary.db.
    Keys,
    /// The three numbers at the end of Partitions.db.
    Footer,
    /// Zero bytes before a page boundary.
    Padding,
    /// The four bytes at the end of Rows.db that older ScyllaDB writes.
    Filler,
    /// An entry of Index.db without its promoted index.
    IndexEntry,
    /// The head of a promoted index.
    PromotedHead,
    /// A block of a promoted index.
    Block,
    /// Offsets of the blocks of a promoted index.
    BlockOffsets,
    /// The head of a component: numbers that say what follows.
    Head,
    /// Offsets of the samples of Summary.db.
    SampleOffsets,
    /// A sample of Summary.db.
    Sample,
    /// What `ka` and `la` have behind the keys of Summary.db.
    Segments,
    /// Words of Filter.db.
    FilterWords,
    /// Chunk offsets in CompressionInfo.db.
    ChunkOffsets,
    /// Checksums of chunks in CRC.db.
    Checksums,
    /// A part of Statistics.db.
    StatisticsPart,
    /// The text of a digest or of TOC.txt.
    Text,
    /// Bytes that belong to nothing.
    Unclaimed,
    /// Bytes that could not be read as what should be there.
    Unreadable,
    /// Bytes of a component that is not taken apart here.
    Bytes,
}

/// An item, taken apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// The component.
    pub part: Part,
    /// Position of its first byte.
    pub at: FilePos,
    /// Its bytes, as far as they could be read.
    pub len: u64,
    /// The item in a line: `SPARSE_8, 10 children`.
    pub summary: String,
    /// Its fields in order. Those of an undamaged item cover it bit for bit, without gap or overlap.
    pub fields: Vec<Field>,
    /// Where reading ended, and why, when the item is damaged.
    pub problem: Option<ReadError>,
    /// Whether the component says that an item of this kind begins here; else it was read as one because the position was
    /// named.
    pub known: bool,
}

impl Item {
    /// An item without fields.
    pub(super) fn plain(
        kind: ItemKind,
        part: Part,
        at: FilePos,
        len: u64,
        summary: impl Into<String>,
    ) -> Self {
        let summary = summary.into();
        Self { kind, part, at, len, summary, fields: Vec::new(), problem: None, known: true }
    }

    /// Position after its last byte.
    pub fn end(&self) -> FilePos {
        FilePos(self.at.0.saturating_add(self.len))
    }
}

/// Reads an item field by field.
pub(super) struct Builder<'c, 'a> {
    /// Where the next field starts.
    pub cursor: &'c mut Cursor<'a>,
    /// The page of `docs/format` for the fields to come.
    pub page: &'static str,
    /// The item in a line.
    pub summary: String,
    fields: Vec<Field>,
}

impl Builder<'_, '_> {
    /// A field from `from` to where the cursor stands.
    pub fn field(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        from: FilePos,
        value: impl Into<String>,
        meaning: impl Into<String>,
    ) {
        let len = self.cursor.pos().0.saturating_sub(from.0);
        // A key or value of no bytes is no field: the length before it says so.
        if len > 0 {
            self.fields.push(Field {
                name: name.into(),
                at: from,
                len,
                bits: None,
                value: value.into(),
                meaning: meaning.into(),
                page: Cow::Borrowed(self.page),
            });
        }
    }

    /// Bytes shown as they are.
    pub fn bytes(
        &mut self,
        name: &'static str,
        len: usize,
        meaning: impl Into<String>,
    ) -> Result<(), Error> {
        let from = self.cursor.pos();
        let bytes = self.cursor.take(len, name)?;
        self.field(name, from, hex(bytes), meaning);
        Ok(())
    }

    /// A big-endian `u32`.
    pub fn u32(&mut self, name: &'static str, meaning: impl Into<String>) -> Result<u32, Error> {
        let from = self.cursor.pos();
        let value = self.cursor.u32(name)?;
        self.field(name, from, value.to_string(), meaning);
        Ok(value)
    }

    /// A big-endian `u64`.
    pub fn u64(&mut self, name: &'static str, meaning: impl Into<String>) -> Result<u64, Error> {
        let from = self.cursor.pos();
        let value = self.cursor.u64(name)?;
        self.field(name, from, value.to_string(), meaning);
        Ok(value)
    }

    /// An unsigned vint, and where it starts.
    pub fn uvint(
        &mut self,
        name: &'static str,
        meaning: impl FnOnce(u64) -> String,
    ) -> Result<u64, Error> {
        let from = self.cursor.pos();
        let value = self.cursor.uvint(name)?;
        self.field(name, from, value.to_string(), meaning(value));
        Ok(value)
    }
}

/// Reads an item at `at`, which must not pass `end`. Damage ends it, and is in it.
pub(super) fn build<S: Source>(
    source: &S,
    (kind, part): (ItemKind, Part),
    at: FilePos,
    end: FilePos,
    page: &'static str,
    make: impl Fn(&mut Builder<'_, '_>) -> Result<(), Error>,
) -> Result<Item, Error> {
    let mut unheard = ();
    let mut pages = Pages::new(part, source, &mut unheard);
    let mut item = Item::plain(kind, part, at, 0, "");
    let read = parse(&mut pages, at, end, &mut Vec::new(), |cursor: &mut Cursor<'_>| {
        let mut builder = Builder { cursor, page, summary: String::new(), fields: Vec::new() };
        let made = make(&mut builder);
        // A record that goes on in another page is read again with more bytes.
        item.len = len64(builder.cursor.used());
        (item.summary, item.fields) = (builder.summary, builder.fields);
        made
    });
    match read {
        Ok(_) => {}
        Err(miss @ Error::Miss(_)) => return Err(miss),
        Err(Error::Damage(problem)) => {
            item.len = item.fields.last().map_or(0, |f| f.at.0.saturating_add(f.len) - at.0);
            item.problem = Some(*problem);
        }
    }
    Ok(item)
}

/// Bytes as `0x…`, long ones cut.
pub(super) fn hex(bytes: &[u8]) -> String {
    const MOST: usize = 64;
    let mut text = String::new();
    crate::cql::push_hex(&mut text, bytes.get(..MOST).unwrap_or(bytes));
    if bytes.len() > MOST {
        text.push('…');
    }
    text
}

/// A text of at most 200 characters.
pub(super) fn cut(text: String) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// `1 block`, `2 blocks`.
pub(super) fn counted(n: u64, noun: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{n} {noun}{s}")
}

/// Milliseconds since 1970 as a moment.
pub(super) fn moment(millis: i64) -> String {
    let text = crate::cql::to_text(&crate::cql::CqlType::Timestamp, &millis.to_be_bytes());
    text.trim_matches('\'').to_owned()
}
