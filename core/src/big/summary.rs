//! Summary.db: a sample of Index.db that the databases keep in memory (`docs/format/summary.md`).
//!
//! It is never read whole here: the header when it is opened, then single samples through the offset table.

use crate::cursor::Cursor;
use crate::error::{Error, ReadError};
use crate::pos::{FilePos, len64, mem};
use crate::source::{Pages, Source, read_range};
use crate::table::{Part, SummaryFacts};

/// Bytes of the header; the offset table follows.
const HEADER: u64 = 24;
/// Bytes of an offset.
const OFFSET: u64 = 4;
/// Bytes of the position at the end of an entry.
const POSITION: u64 = 8;
/// Of this many samples at full sampling, [`SummaryHeader::sampling_level`] are kept.
pub(super) const BASE_LEVEL: u32 = 128;
/// Greatest partition key of both databases: its length is a `u16` in Index.db.
const MAX_KEY: u64 = 65_535;

/// The first 24 bytes, and what the first offset tells of the byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SummaryHeader {
    /// Entries of Index.db between two samples at full sampling, at least 1. ScyllaDB writes the table's option and does
    /// not use it.
    pub min_index_interval: u32,
    /// Samples, at least 1.
    pub samples: u64,
    /// Bytes of the offsets and entries.
    pub memory_bytes: u64,
    /// Of 128 samples, how many are kept: 1 to 128.
    pub sampling_level: u32,
    /// Samples at full sampling, as the writer counts them.
    pub size_at_full_sampling: u32,
    /// Whether offsets and positions are big-endian. Written on a big-endian machine by Cassandra before 5;
    /// Cassandra 5 discards such a summary and makes another one.
    pub big_endian: bool,
}

impl SummaryHeader {
    /// Reads the header of Summary.db, and the first offset. Damage is a count, size or level that cannot be, or a first
    /// offset that is 4 times the count in neither byte order.
    pub fn read<S: Source>(source: &S) -> Result<Self, Error> {
        let bytes = read_range(Part::Summary, source, FilePos(0), HEADER, "header")?;
        let mut cursor = Cursor::new(Part::Summary, FilePos(0), &bytes);
        let min_index_interval = cursor.u32("min index interval")?;
        let samples = u64::from(cursor.u32("entry count")?);
        let memory_bytes = cursor.u64("memory size")?;
        let sampling_level = cursor.u32("sampling level")?;
        let size_at_full_sampling = cursor.u32("size at full sampling")?;

        let wrong = |at: u64, field: &'static str, expected: String, found: u64| -> Error {
            ReadError::out_of_range(Part::Summary, FilePos(at), field, expected, found).into()
        };
        if min_index_interval == 0 {
            return Err(wrong(0, "min index interval", "at least 1".into(), 0));
        }
        let left = source.len().saturating_sub(HEADER);
        let most = left / (OFFSET + POSITION);
        if samples == 0 || samples > most {
            let expected = format!("1..={most}, as many as the file can hold");
            return Err(wrong(4, "entry count", expected, samples));
        }
        let least = samples * (OFFSET + POSITION);
        if memory_bytes < least || memory_bytes > left {
            return Err(wrong(8, "memory size", format!("{least}..={left}"), memory_bytes));
        }
        if !(1..=BASE_LEVEL).contains(&sampling_level) {
            return Err(wrong(16, "sampling level", "1..=128".into(), u64::from(sampling_level)));
        }

        let first = read_range(Part::Summary, source, FilePos(HEADER), OFFSET, "first offset")?;
        let expected = samples * OFFSET;
        let first: [u8; 4] = first.try_into().unwrap_or_default();
        let big_endian = if u64::from(u32::from_le_bytes(first)) == expected {
            false
        } else if u64::from(u32::from_be_bytes(first)) == expected {
            true
        } else {
            let found = u64::from(u32::from_le_bytes(first));
            return Err(wrong(HEADER, "first offset", format!("{expected}"), found));
        };
        Ok(Self {
            min_index_interval,
            samples,
            memory_bytes,
            sampling_level,
            size_at_full_sampling,
            big_endian,
        })
    }

    /// Position of the first key's length, behind the entries.
    pub fn keys_at(&self) -> FilePos {
        FilePos(HEADER.saturating_add(self.memory_bytes))
    }

    /// What a page about the table says of the summary.
    pub fn facts(&self) -> SummaryFacts {
        SummaryFacts {
            samples: self.samples,
            memory_bytes: self.memory_bytes,
            min_index_interval: self.min_index_interval,
            sampling_level: self.sampling_level,
            big_endian: self.big_endian,
        }
    }

    /// Entries of Index.db from sample `sample` to the one after it, by Cassandra's rule for summaries that were thinned
    /// out: of 128 samples, [`Self::sampling_level`] were kept, in an order in which the others left.
    pub fn interval_after(&self, sample: u64) -> u64 {
        let interval = u64::from(self.min_index_interval);
        if self.sampling_level == BASE_LEVEL {
            return interval;
        }
        let kept = kept_of_128(self.sampling_level);
        let level = u64::from(self.sampling_level).max(1);
        let rank = mem(sample % level).unwrap_or(0);
        let here = kept.get(rank).copied().unwrap_or(0);
        let next = kept.get(rank + 1).copied().unwrap_or(BASE_LEVEL);
        u64::from(next.saturating_sub(here)) * interval
    }
}

/// Which of 128 samples are left at a level, ascending. They leave in the order P(128), where P(1) = 0 and P(2n) is
/// 2x + 1 for all x of P(n), then 2x for all x of P(n).
pub(super) fn kept_of_128(level: u32) -> Vec<u32> {
    let mut order = vec![0u32];
    while order.len() < 128 {
        let odd = order.iter().map(|x| 2 * x + 1);
        order = odd.chain(order.iter().map(|x| 2 * x)).collect();
    }
    let gone = mem(u64::from(BASE_LEVEL.saturating_sub(level))).unwrap_or(0);
    let mut kept: Vec<u32> = order.into_iter().skip(gone).collect();
    kept.sort_unstable();
    kept
}

/// An opened Summary.db: header, first key and last key. Samples are read when they are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The header.
    pub header: SummaryHeader,
    /// First partition key of the SSTable, serialized.
    pub first: Vec<u8>,
    /// Last partition key, serialized.
    pub last: Vec<u8>,
    /// Bytes of the file: what a database keeps in memory.
    pub bytes: u64,
}

impl Summary {
    /// Reads the header and the two keys behind the entries. Bytes after the last key are left alone.
    pub fn open<S: Source>(source: &S) -> Result<Self, Error> {
        let header = SummaryHeader::read(source)?;
        let (first, after) = end_key(source, HEADER + header.memory_bytes, "first key")?;
        let (last, _) = end_key(source, after, "last key")?;
        Ok(Self { header, first, last, bytes: source.len() })
    }

    /// Position of the first key's length.
    pub fn first_at(&self) -> FilePos {
        FilePos(HEADER.saturating_add(self.header.memory_bytes))
    }

    /// Position of the last key's length.
    pub fn last_at(&self) -> FilePos {
        FilePos(self.first_at().0.saturating_add(4).saturating_add(len64(self.first.len())))
    }

    /// The sample `sample`, which must be below [`SummaryHeader::samples`]: its key into `key`, replacing what was there,
    /// and the position in Index.db as a number of the file, which the caller compares with the length of Index.db.
    pub fn sample<S: Source>(
        &self,
        source: &S,
        sample: u64,
        key: &mut Vec<u8>,
    ) -> Result<FilePos, Error> {
        let mut unheard = ();
        let mut pages = Pages::new(Part::Summary, source, &mut unheard);
        let (at, bytes) = self.place(&mut pages, sample, key)?;
        key.clear();
        pages.read(at, bytes, "entry", key)?;
        let split = key.len().saturating_sub(8);
        let position = key.get(split..).and_then(|tail| <[u8; 8]>::try_from(tail).ok());
        let position = position.unwrap_or_default();
        key.truncate(split);
        let big = self.header.big_endian;
        Ok(FilePos(if big { u64::from_be_bytes(position) } else { u64::from_le_bytes(position) }))
    }

    /// Position in Summary.db of the sample's 8 position bytes, for errors about them.
    pub fn position_field<S: Source>(&self, source: &S, sample: u64) -> Result<FilePos, Error> {
        let mut unheard = ();
        let mut pages = Pages::new(Part::Summary, source, &mut unheard);
        let (at, bytes) = self.place(&mut pages, sample, &mut Vec::new())?;
        let end = at.0.saturating_add(len64(bytes));
        Ok(FilePos(end.saturating_sub(POSITION)))
    }

    /// Where an entry lies, and its bytes: from its offset to the next one, or to the end of the entries.
    fn place<S: Source>(
        &self,
        pages: &mut Pages<'_, S, ()>,
        sample: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<(FilePos, usize), Error> {
        let SummaryHeader { samples, memory_bytes, big_endian, .. } = self.header;
        let wrong = |sample: u64, expected: String, found: u64| -> Error {
            let at = FilePos(HEADER.saturating_add(sample.saturating_mul(OFFSET)));
            ReadError::out_of_range(Part::Summary, at, "entry offset", expected, found).into()
        };
        if sample >= samples {
            let expected = format!("a sample below {samples}");
            return Err(wrong(sample, expected, sample));
        }
        let mut offset = |sample: u64| -> Result<u64, Error> {
            if sample == samples {
                return Ok(memory_bytes);
            }
            buffer.clear();
            pages.read(FilePos(HEADER + sample * OFFSET), 4, "entry offset", buffer)?;
            let raw = <[u8; 4]>::try_from(buffer.as_slice()).unwrap_or_default();
            Ok(u64::from(if big_endian {
                u32::from_be_bytes(raw)
            } else {
                u32::from_le_bytes(raw)
            }))
        };
        let (from, to) = (offset(sample)?, offset(sample + 1)?);
        let table = samples * OFFSET;
        if from < table || from > memory_bytes - POSITION {
            return Err(wrong(sample, format!("{table}..={}", memory_bytes - POSITION), from));
        }
        let range = from + POSITION..=(from + POSITION + MAX_KEY).min(memory_bytes);
        if !range.contains(&to) {
            let expected = format!("{}..={}", range.start(), range.end());
            return Err(wrong(sample + 1, expected, to));
        }
        Ok((FilePos(HEADER + from), mem(to - from).unwrap_or(usize::MAX)))
    }
}

/// A key with a `u32` length at `at`, and the position after it.
fn end_key<S: Source>(source: &S, at: u64, field: &'static str) -> Result<(Vec<u8>, u64), Error> {
    let raw = read_range(Part::Summary, source, FilePos(at), 4, field)?;
    let length = u64::from(Cursor::new(Part::Summary, FilePos(at), &raw).u32(field)?);
    if length > MAX_KEY {
        let expected = "a key length of at most 65535";
        let error = ReadError::out_of_range(Part::Summary, FilePos(at), field, expected, length);
        return Err(error.into());
    }
    let key = read_range(Part::Summary, source, FilePos(at + 4), length, field)?;
    Ok((key, at + 4 + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinned_out_summaries_have_uneven_intervals() {
        let header = |sampling_level| SummaryHeader {
            min_index_interval: 128,
            samples: 1,
            memory_bytes: 12,
            sampling_level,
            size_at_full_sampling: 1,
            big_endian: false,
        };
        assert_eq!(header(128).interval_after(77), 128);
        // At half, every second sample is left; at 127 only sample 127 of each 128 is gone.
        assert!((0..300).all(|sample| header(64).interval_after(sample) == 256));
        assert!((0..126).all(|sample| header(127).interval_after(sample) == 128));
        assert_eq!(header(127).interval_after(126), 256);
        assert_eq!(header(127).interval_after(127), 128);
        assert_eq!(header(1).interval_after(5), 128 * 128);
    }

    #[test]
    fn samples_leave_in_the_order_of_the_format_text() {
        let gone = |level| {
            let kept = kept_of_128(level);
            (0..128).filter(|x| !kept.contains(x)).collect::<Vec<u32>>()
        };
        assert_eq!(gone(127), [127]);
        assert_eq!(gone(124), [31, 63, 95, 127]);
        assert_eq!(gone(119), [15, 31, 47, 63, 79, 95, 111, 119, 127]);
        assert_eq!(kept_of_128(4), [0, 32, 64, 96]);
    }
}
