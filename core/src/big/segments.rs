//! What follows the last key of Summary.db before `ma`: where Cassandra cut Index.db and Data.db into pieces that it mapped
//! into memory (`docs/format/summary.md`, segment bounds). Nothing needs it; it is read so that no byte is unexplained.

use super::Summary;
use crate::cursor::Cursor;
use crate::error::{Error, Kind, ReadError};
use crate::limits;
use crate::pos::{FilePos, len64};
use crate::source::{Source, read_range};
use crate::table::Part;

/// The bytes behind the last key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SegmentBounds {
    /// The records: first that of Index.db, then that of Data.db.
    pub records: Vec<Segments>,
    /// Bytes that are no record. Cassandra 2.2 wrote four of them for a compressed Data.db, whose meaning is not known.
    pub rest: Vec<u8>,
}

/// A record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segments {
    /// How the file was read, `mmap`.
    pub mode: String,
    /// Where pieces begin. A compressed Data.db has no list.
    pub positions: Option<Vec<u64>>,
}

impl SegmentBounds {
    /// Reads the bytes behind the last key, at most `limits::SEGMENT_BOUNDS_BYTES`. Files of `ma` and later have none.
    pub fn read<S: Source>(summary: &Summary, source: &S) -> Result<Self, Error> {
        let from = summary.end();
        let left = source.len().saturating_sub(from.0);
        if left > limits::SEGMENT_BOUNDS_BYTES {
            let kind = Kind::OverLimit { limit: limits::SEGMENT_BOUNDS_BYTES, found: left };
            return Err(ReadError::new(Part::Summary, from, "segment bounds", kind).into());
        }
        let bytes = read_range(Part::Summary, source, from, left, "segment bounds")?;
        Ok(Self::parse(from, &bytes))
    }

    fn parse(from: FilePos, bytes: &[u8]) -> Self {
        let mut cursor = Cursor::new(Part::Summary, from, bytes);
        let mut read = Self::default();
        while cursor.left() > 0 {
            let before = cursor.clone();
            match Segments::read(&mut cursor) {
                Ok(record) => read.records.push(record),
                Err(_) => {
                    read.rest = bytes.get(before.used()..).unwrap_or(&[]).to_vec();
                    break;
                }
            }
        }
        read
    }
}

impl Segments {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        let name = cursor.short_bytes("mode")?;
        if !name.is_ascii() || name.is_empty() {
            return Err(cursor.error("mode", "the name of a mode", 0));
        }
        let mode = String::from_utf8_lossy(name).into_owned();
        let mut list = cursor.clone();
        let Ok(count) = list.count(8, "segments") else {
            return Ok(Self { mode, positions: None });
        };
        let mut positions = Vec::with_capacity(count);
        for _ in 0..count {
            positions.push(list.u64("segment")?);
        }
        *cursor = list;
        Ok(Self { mode, positions: Some(positions) })
    }
}

impl Summary {
    /// Position behind the last key: the end of the file from `ma` on.
    pub fn end(&self) -> FilePos {
        let keys = len64(self.first.len()).saturating_add(len64(self.last.len()));
        FilePos(self.header.keys_at().0.saturating_add(keys).saturating_add(8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mmap(positions: Option<&[u64]>) -> Segments {
        Segments { mode: "mmap".into(), positions: positions.map(<[u64]>::to_vec) }
    }

    #[test]
    fn a_record_has_a_name_and_perhaps_positions() {
        let bytes = [
            0, 4, b'm', b'm', b'a', b'p', // mode
            0, 0, 0, 2, // two pieces
            0, 0, 0, 0, 0, 0, 0, 0, //
            0, 0, 0, 0, 0, 0, 0, 0x12, //
            0, 4, b'm', b'm', b'a', b'p', // mode, without a list
        ];
        let read = SegmentBounds::parse(FilePos(100), &bytes);
        assert_eq!(read.records, [mmap(Some(&[0, 0x12])), mmap(None)]);
        assert!(read.rest.is_empty());
        // Four bytes that are no count of so many positions.
        let odd = [&bytes[..], &[0x0e, 0xd6, 0x45, 0x42]].concat();
        let read = SegmentBounds::parse(FilePos(100), &odd);
        assert_eq!((read.records.len(), read.rest.as_slice()), (2, &[0x0e, 0xd6, 0x45, 0x42][..]));
    }
}
