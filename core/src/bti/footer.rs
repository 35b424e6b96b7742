//! The end of Partitions.db: first and last key, number of partitions, root. See `docs/format/trie.md`.

use crate::cursor::Cursor;
use crate::error::{Error, ReadError};
use crate::keys::{Decorated, Partitioner};
use crate::pos::{FilePos, len64};
use crate::source::{Source, read_range};
use crate::table::Part;

/// Bytes of the three numbers at the very end of the file.
pub const FOOTER_BYTES: u64 = 24;
/// Two lengths of two bytes and two keys of 65,535 bytes.
const MOST_KEY_BYTES: u64 = 2 * (2 + 65_535);
/// A leaf has a first byte and at least one byte of payload.
const LEAST_LEAF_BYTES: u64 = 2;

/// The footer of Partitions.db and the keys before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footer {
    /// First partition key, serialized.
    pub first: Vec<u8>,
    /// Last partition key, serialized.
    pub last: Vec<u8>,
    /// Position of the first key's length, where the root node ends.
    pub keys_at: FilePos,
    /// Number of partitions.
    pub count: u64,
    /// Position of the root node.
    pub root: FilePos,
}

impl Footer {
    /// Reads the footer and the keys; nothing is recorded, since opening is not counted.
    ///
    /// Whether there is a node at `root` that ends at `keys_at` is checked when a walk enters it.
    pub fn read<S: Source>(source: &S) -> Result<Self, Error> {
        let part = Part::Partitions;
        let len = source.len();
        let Some(end) = len.checked_sub(FOOTER_BYTES) else {
            return Err(ReadError::truncated(part, FilePos(0), "footer", FOOTER_BYTES, len).into());
        };
        let bytes = read_range(part, source, FilePos(end), FOOTER_BYTES, "footer")?;
        let mut cursor = Cursor::new(part, FilePos(end), &bytes);
        let (keys_at, count, root) = (
            cursor.u64("position of the keys")?,
            cursor.u64("number of partitions")?,
            cursor.u64("root position")?,
        );
        check(end, "position of the keys", 1, end, keys_at)?;
        check(end + 8, "number of partitions", 1, keys_at / LEAST_LEAF_BYTES, count)?;
        check(end + 16, "root position", 0, keys_at - 1, root)?;
        let bytes_of_keys = end - keys_at;
        if bytes_of_keys > MOST_KEY_BYTES {
            let expected = format!("at most {MOST_KEY_BYTES}");
            let field = "bytes of the first and last key";
            return Err(ReadError::out_of_range(
                part,
                FilePos(keys_at),
                field,
                expected,
                bytes_of_keys,
            )
            .into());
        }
        let bytes = read_range(part, source, FilePos(keys_at), bytes_of_keys, "first key")?;
        let mut cursor = Cursor::new(part, FilePos(keys_at), &bytes);
        let first = cursor.short_bytes("first key")?.to_vec();
        let last = cursor.short_bytes("last key")?.to_vec();
        if cursor.left() != 0 {
            let left = i128::from(len64(cursor.left()));
            return Err(cursor.error("bytes between the last key and the footer", "0", left));
        }
        Ok(Self { first, last, keys_at: FilePos(keys_at), count, root: FilePos(root) })
    }

    /// Whether the first key does not sort after the last one, in the order of a partitioner.
    pub fn check_order(&self, partitioner: &Partitioner) -> Result<(), Error> {
        let (first, last) = (partitioner.token(&self.first), partitioner.token(&self.last));
        let first = Decorated { token: &first, key: &self.first };
        if first.order(&Decorated { token: &last, key: &self.last }).is_le() {
            return Ok(());
        }
        let expected = "a key that does not sort before the first one";
        let found = "one that does";
        Err(ReadError::unexpected(Part::Partitions, self.keys_at, "last key", expected, found)
            .into())
    }
}

fn check(at: u64, field: &'static str, least: u64, most: u64, found: u64) -> Result<(), Error> {
    if (least..=most).contains(&found) {
        return Ok(());
    }
    let expected = format!("{least}..={most}");
    Err(ReadError::out_of_range(Part::Partitions, FilePos(at), field, expected, found).into())
}
