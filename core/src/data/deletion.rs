//! Deletion times: of a partition, and of a range tombstone that is open at a block's start.

use crate::cursor::Cursor;
use crate::error::Error;
use serde::{Deserialize, Serialize};

/// A deletion. "Live" is `None` wherever a deletion is optional.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Deletion {
    /// Write timestamp in microseconds: everything up to it is deleted.
    pub timestamp: i64,
    /// When the deletion was made, seconds since 1970 (unsigned 32 bits in the compact form, so up to 2106).
    pub local_time: i64,
}

impl Deletion {
    /// The form of `m*` and `n*`: always 12 bytes, local time first; live is `7fffffff 8000000000000000`.
    pub fn read_legacy(cursor: &mut Cursor<'_>) -> Result<Option<Self>, Error> {
        let local_time = i64::from(cursor.i32("local deletion time")?);
        let timestamp = cursor.i64("deletion timestamp")?;
        let live = local_time == i64::from(i32::MAX) && timestamp == i64::MIN;
        Ok((!live).then_some(Self { timestamp, local_time }))
    }

    /// The form of `oa`, `da` and of Rows.db in all versions: `80` for live, 12 bytes with the timestamp first, or
    /// (ScyllaDB, negative timestamps) `c0` and then those 12 bytes.
    pub fn read_compact(cursor: &mut Cursor<'_>) -> Result<Option<Self>, Error> {
        let before = cursor.clone();
        match cursor.u8("deletion time")? {
            0x80 => Ok(None),
            0xc0 => Self::read_open(cursor).map(Some),
            0x00..=0x7f => {
                *cursor = before;
                Self::read_open(cursor).map(Some)
            }
            other => {
                Err(before.error("deletion time", "0x80, 0xc0 or 0x00..=0x7f", i128::from(other)))
            }
        }
    }

    /// The bare 12 bytes, timestamp first: an open marker in a row trie.
    pub fn read_open(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        let timestamp = cursor.i64("deletion timestamp")?;
        let local_time = i64::from(cursor.u32("local deletion time")?);
        Ok(Self { timestamp, local_time })
    }

    /// Appends the form of [`Self::read_legacy`].
    pub fn write_legacy(deletion: Option<Self>, out: &mut Vec<u8>) {
        let live = Self { timestamp: i64::MIN, local_time: i64::from(i32::MAX) };
        let Self { timestamp, local_time } = deletion.unwrap_or(live);
        out.extend(low_half(local_time));
        out.extend(timestamp.to_be_bytes());
    }

    /// Appends the form of [`Self::read_compact`].
    pub fn write_compact(deletion: Option<Self>, out: &mut Vec<u8>) {
        let Some(Self { timestamp, local_time }) = deletion else { return out.push(0x80) };
        if timestamp < 0 {
            out.push(0xc0);
        }
        out.extend(timestamp.to_be_bytes());
        out.extend(low_half(local_time));
    }
}

/// Seconds in 32 bits: the upper half of what they were read from is the sign, or nothing.
fn low_half(local_time: i64) -> [u8; 4] {
    let [.., a, b, c, d] = local_time.to_be_bytes();
    [a, b, c, d]
}
