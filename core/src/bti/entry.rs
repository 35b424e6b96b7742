//! The entry of a wide partition in Rows.db. See `docs/format/rows.md`.

use crate::cursor::Cursor;
use crate::data::Deletion;
use crate::error::{Error, ReadError};
use crate::lookup::{Observer, RowEntryStep, Step};
use crate::pos::{DataPos, FilePos, len64};
use crate::source::{Pages, Source};
use crate::table::Part;
use serde_bytes::ByteBuf;

/// Fewest blocks of a partition with an entry: a partition of one block has none.
const LEAST_BLOCKS: u64 = 2;

/// The entry of a wide partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowEntry {
    /// Position of its first byte, the key length; the root node of the row trie ends here.
    pub at: FilePos,
    /// Bytes of the entry.
    pub size: u32,
    /// The partition key, serialized.
    pub key: Vec<u8>,
    /// Position after the key, from which the root is counted.
    pub base: FilePos,
    /// Position of the partition in Data.db.
    pub data: DataPos,
    /// Root of the row trie.
    pub root: FilePos,
    /// Number of row blocks.
    pub blocks: u64,
    /// Deletion of the whole partition.
    pub deletion: Option<Deletion>,
}

impl RowEntry {
    /// Reads the entry at `at`, which may span pages; only pages that hold bytes of it are requested.
    pub fn read<S: Source, O: Observer>(
        pages: &mut Pages<'_, S, O>,
        at: FilePos,
    ) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        pages.read(at, 2, "key length", &mut bytes)?;
        let key_len = Cursor::new(Part::Rows, at, &bytes).u16("key length")?;
        pages.read(after(at, &bytes), usize::from(key_len), "key", &mut bytes)?;
        let base = after(at, &bytes);
        for field in ["data position", "root distance", "number of blocks"] {
            let extra = usize::try_from(byte(pages, at, field, &mut bytes)?.leading_ones());
            pages.read(after(at, &bytes), extra.unwrap_or(8), field, &mut bytes)?;
        }
        let extra = match byte(pages, at, "deletion time", &mut bytes)? {
            0x00..=0x7f => 11,
            0xc0 => 12,
            _ => 0,
        };
        pages.read(after(at, &bytes), extra, "deletion time", &mut bytes)?;

        let mut cursor = Cursor::new(Part::Rows, at, &bytes);
        let key = cursor.short_bytes("key")?.to_vec();
        let data = DataPos(cursor.uvint("data position")?);
        let root_at = cursor.pos();
        let distance = cursor.svint("root distance")?;
        let root = match base.0.checked_add_signed(distance) {
            Some(root) if root < at.0 => FilePos(root),
            _ => return Err(root_outside(root_at, base, at, distance)),
        };
        let blocks_at = cursor.clone();
        let blocks = cursor.uvint("number of blocks")?;
        // Every block has a node of two bytes at least in the trie, which lies before the entry.
        if blocks < LEAST_BLOCKS || blocks > at.0 / 2 {
            let most = format!("{LEAST_BLOCKS}..={}", at.0 / 2);
            let at = blocks_at.pos();
            return Err(
                ReadError::out_of_range(Part::Rows, at, "number of blocks", most, blocks).into()
            );
        }
        let deletion = Deletion::read_compact(&mut cursor)?;
        let size = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        Ok(Self { at, size, key, base, data, root, blocks, deletion })
    }

    /// Reads the entry and tells the observer how the searched key compares.
    pub fn find<S: Source, O: Observer>(
        pages: &mut Pages<'_, S, O>,
        at: FilePos,
        key: &[u8],
    ) -> Result<Self, Error> {
        let entry = Self::read(pages, at)?;
        pages.observer().step(|| {
            Step::RowEntry(RowEntryStep {
                at,
                size: entry.size,
                key: ByteBuf::from(entry.key.clone()),
                equal: entry.key == key,
                data: entry.data,
                base: entry.base,
                root: entry.root,
                blocks: entry.blocks,
                deletion: entry.deletion,
            })
        });
        Ok(entry)
    }
}

/// Position after the bytes of the entry that have been read.
fn after(at: FilePos, bytes: &[u8]) -> FilePos {
    FilePos(at.0.saturating_add(len64(bytes.len())))
}

fn byte<S: Source, O: Observer>(
    pages: &mut Pages<'_, S, O>,
    at: FilePos,
    field: &'static str,
    bytes: &mut Vec<u8>,
) -> Result<u8, Error> {
    pages.read(after(at, bytes), 1, field, bytes)?;
    Ok(bytes.last().copied().unwrap_or(0))
}

#[cold]
fn root_outside(at: FilePos, base: FilePos, entry: FilePos, distance: i64) -> Error {
    // The root lies at `base` plus a negative distance, before the entry.
    let (least, most) = (base.0, base.0.saturating_sub(entry.0).saturating_add(1));
    let expected = format!("-{least}..=-{most}");
    ReadError::out_of_range(Part::Rows, at, "root distance", expected, distance).into()
}
