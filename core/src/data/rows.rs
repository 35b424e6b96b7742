//! The rows of a partition in Data.db, as far as a lookup needs them: where each begins, its clustering values, where the
//! next one begins (`docs/format/data.md`). Cells are skipped.

use super::clustering::each_value;
use super::raw::{self, HeadKind};
use super::{DataReader, Deletion};
use crate::cursor::Cursor;
use crate::error::{Error, Kind, ReadError};
use crate::limits;
use crate::lookup::RowConfirmation;
use crate::meta::SerializationHeader;
use crate::pos::{DataPos, FilePos};
use crate::source::Source;
use crate::table::{Part, Version};
use std::cmp::Ordering;

/// What of version and types is needed to pass over rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFormat {
    /// Deletion times of 1 or 12 bytes, else always 12.
    pub(super) compact_deletion: bool,
    /// Lengths of the clustering columns' values that are stored without one.
    pub(super) lengths: Vec<Option<u32>>,
}

/// A row, a marker, or the end of the partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfiltered {
    /// Position of its first byte.
    pub at: DataPos,
    /// Position of the next one, or of the next partition behind the end.
    pub next: DataPos,
    /// What it is.
    pub kind: UnfilteredKind,
}

/// What lies in a partition behind its head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnfilteredKind {
    /// The static row, first in every partition of a table with static columns.
    Static,
    /// A row with its clustering values; a null one is `None`.
    Row(Vec<Option<Vec<u8>>>),
    /// Start, end or change of a range deletion.
    Marker,
    /// The end of the partition.
    End,
}

/// How far a walk over rows came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walked {
    /// Behind the end of the partition: the next partition begins here, or the data ends.
    End(DataPos),
    /// The budget is spent; the walk goes on from the row or marker here.
    At(DataPos),
}

/// Where to look for a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowRange {
    /// Position of the partition.
    pub partition: DataPos,
    /// Start of the block from there; `None` to begin with the partition's first row.
    pub start: Option<u64>,
    /// End of the block from there, exclusive, where the index tells it.
    pub end: Option<u64>,
}

impl RowFormat {
    /// From the version and the types in Statistics.db.
    pub fn new(version: Version, header: &SerializationHeader) -> Self {
        Self {
            compact_deletion: version.has_compact_deletion(),
            lengths: header.clustering_lengths(),
        }
    }

    /// Without clustering columns.
    pub(super) fn without_types(version: Version) -> Self {
        Self { compact_deletion: version.has_compact_deletion(), lengths: Vec::new() }
    }

    /// Lengths of the clustering columns' values that are stored without one.
    pub(crate) fn lengths(&self) -> &[Option<u32>] {
        &self.lengths
    }
}

impl<S: Source> DataReader<'_, S> {
    /// The head of a partition: its key, its deletion, and the position of what follows.
    pub fn partition_head(
        &mut self,
        format: &RowFormat,
        at: DataPos,
    ) -> Result<(Vec<u8>, Option<Deletion>, DataPos), Error> {
        let ((key, deletion), after) = self.parse(at, "partition position", |cursor| {
            let head = raw::partition(format, cursor)?;
            Ok((head.key.to_vec(), head.deletion))
        })?;
        Ok((key, deletion, after))
    }

    /// The row, marker or end of partition at a position.
    pub fn unfiltered(&mut self, format: &RowFormat, at: DataPos) -> Result<Unfiltered, Error> {
        let ((kind, body), after) =
            self.parse(at, "row position", |cursor| head(format, cursor))?;
        let Some(next) = after.0.checked_add(body).filter(|next| *next <= self.len()) else {
            let expected =
                format!("at most {}, the bytes left", self.len().saturating_sub(after.0));
            let at = FilePos(after.0);
            return Err(
                ReadError::out_of_range(Part::Data, at, "row body size", expected, body).into()
            );
        };
        Ok(Unfiltered { at, next: DataPos(next), kind })
    }

    /// Passes over at most `most` rows and markers from the one at `from`: to the end of the partition, or until then.
    pub fn walk_rows(
        &mut self,
        format: &RowFormat,
        from: DataPos,
        most: u64,
    ) -> Result<Walked, Error> {
        let mut at = from;
        for _ in 0..most {
            let row = self.unfiltered(format, at)?;
            at = row.next;
            if row.kind == UnfilteredKind::End {
                return Ok(Walked::End(at));
            }
        }
        Ok(Walked::At(at))
    }

    /// Looks for a row. `order` says how the clustering values found stand to the searched ones; rows lie in ascending
    /// order, so the search ends at the first greater one.
    pub fn find_row(
        &mut self,
        format: &RowFormat,
        range: RowRange,
        mut order: impl FnMut(&[Option<Vec<u8>>]) -> Ordering,
    ) -> Result<RowConfirmation, Error> {
        let place = |offset: u64| DataPos(range.partition.0.saturating_add(offset));
        let mut at = match range.start {
            Some(start) => place(start),
            None => self.partition_head(format, range.partition)?.2,
        };
        let (first, end) = (at, range.end.map(place));
        let mut passed = 0;
        while end.is_none_or(|end| at < end) {
            budget("rows passed in search of one", first, limits::ROWS_PASSED, passed)?;
            let stretch = at.0.saturating_sub(first.0);
            budget("bytes passed in search of a row", first, limits::ROW_SEARCH_BYTES, stretch)?;
            let row = self.unfiltered(format, at)?;
            match &row.kind {
                UnfilteredKind::End => break,
                UnfilteredKind::Static => {}
                UnfilteredKind::Marker => passed += 1,
                UnfilteredKind::Row(values) => match order(values) {
                    Ordering::Less => passed += 1,
                    Ordering::Equal => return Ok(RowConfirmation::Found { at, passed }),
                    Ordering::Greater => {
                        passed += 1;
                        break;
                    }
                },
            }
            at = row.next;
        }
        Ok(RowConfirmation::Absent { passed })
    }
}

/// Running out of a budget is reported at the place where the search began.
fn budget(field: &'static str, first: DataPos, limit: u64, found: u64) -> Result<(), Error> {
    if found <= limit {
        return Ok(());
    }
    let kind = Kind::OverLimit { limit, found };
    Err(ReadError::new(Part::Data, FilePos(first.0), field, kind).into())
}

/// Reads up to the body size and returns that; the body is not read.
fn head(format: &RowFormat, cursor: &mut Cursor<'_>) -> Result<(UnfilteredKind, u64), Error> {
    let head = raw::head(format, cursor)?;
    let kind = match head.kind {
        HeadKind::End => UnfilteredKind::End,
        HeadKind::Marker(_) => UnfilteredKind::Marker,
        HeadKind::Static => UnfilteredKind::Static,
        HeadKind::Row => {
            let mut values = Vec::with_capacity(head.values.count);
            let mut cursor = Cursor::new(Part::Data, FilePos(0), head.values.bytes);
            let lengths = &format.lengths;
            each_value(&mut cursor, lengths, head.values.count, |value| {
                values.push(value.map(<[u8]>::to_vec));
            })?;
            UnfilteredKind::Row(values)
        }
    };
    Ok((kind, head.body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Layout;

    /// A partition of a table with one int clustering column and a static column, in the compact form of `da`.
    const PARTITION: &[u8] = &[
        0, 1, b'k', // key
        0x80, // not deleted
        0x80, 0x01, 1,
        0, // static row: flags, extended flags, body of one byte (previous size)
        0x24, 0, 0, 0, 0, 1, 3, 8, 9,
        9, // row 1: flags, clustering header, value, body of 3 bytes
        0x02, 1, 0, 1, 0, 0, 0, 0, 2, 2, 10, 5, // marker: inclusive start at 2
        0x24, 0, 0, 0, 0, 5, 1, 12,   // row 5
        0x01, // end
        0, 1, b'l', // the next partition
        0x80, 0x01,
    ];

    fn format() -> RowFormat {
        RowFormat { compact_deletion: true, lengths: vec![Some(4)] }
    }

    fn find(bytes: &[u8], range: RowRange, wanted: i32) -> Result<RowConfirmation, Error> {
        let mut reader = DataReader::new(&bytes, Layout::Plain { crc: None });
        reader.find_row(&format(), range, |values| {
            let value: [u8; 4] = values[0].as_deref().unwrap().try_into().unwrap();
            i32::from_be_bytes(value).cmp(&wanted)
        })
    }

    const WHOLE: RowRange = RowRange { partition: DataPos(0), start: None, end: None };

    #[test]
    fn rows_are_found_behind_head_static_row_and_markers() {
        let found = |at, passed| RowConfirmation::Found { at: DataPos(at), passed };
        assert_eq!(find(PARTITION, WHOLE, 1), Ok(found(8, 0)));
        assert_eq!(find(PARTITION, WHOLE, 5), Ok(found(30, 2)));
        let block = RowRange { start: Some(18), ..WHOLE };
        assert_eq!(find(PARTITION, block, 5), Ok(found(30, 1)));
    }

    #[test]
    fn an_absent_row_ends_at_the_first_greater_one_at_the_block_end_or_at_the_partition_end() {
        let absent = |passed| RowConfirmation::Absent { passed };
        assert_eq!(find(PARTITION, WHOLE, 0), Ok(absent(1)));
        assert_eq!(find(PARTITION, WHOLE, 9), Ok(absent(3)));
        assert_eq!(find(PARTITION, RowRange { end: Some(18), ..WHOLE }, 9), Ok(absent(1)));
    }

    #[test]
    fn the_next_partition_is_found_in_one_walk_or_in_pieces() {
        let mut reader = DataReader::new(&PARTITION, Layout::Plain { crc: None });
        let (key, deletion, rows) = reader.partition_head(&format(), DataPos(0)).unwrap();
        assert_eq!((key.as_slice(), deletion, rows), (&b"k"[..], None, DataPos(4)));
        let whole = reader.walk_rows(&format(), rows, 100).unwrap();
        assert_eq!(whole, Walked::End(DataPos(39)));
        let mut at = rows;
        let mut pieces = 0;
        let end = loop {
            pieces += 1;
            match reader.walk_rows(&format(), at, 2).unwrap() {
                Walked::At(next) => at = next,
                Walked::End(end) => break end,
            }
        };
        assert_eq!((end, pieces), (DataPos(39), 3));
        assert_eq!(reader.key(end).unwrap().0, b"l");
    }

    #[test]
    fn cut_at_every_length_a_search_ends_with_a_report() {
        for cut in 0..39 {
            let error = find(&PARTITION[..cut], WHOLE, 9).unwrap_err();
            assert!(matches!(error, Error::Damage(_)), "{cut}");
        }
    }

    #[test]
    fn a_marker_of_kind_3_is_reported() {
        let mut bytes = PARTITION.to_vec();
        bytes[19] = 3;
        assert_eq!(
            find(&bytes, WHOLE, 9).unwrap_err().to_string(),
            "Data.db, offset 19 (page 0 + 19), marker kind: expected 0, 1, 2, 5, 6 or 7, found 3"
        );
    }

    #[test]
    fn a_body_that_passes_the_end_is_reported() {
        let mut bytes = PARTITION.to_vec();
        bytes[14] = 100;
        assert_eq!(
            find(&bytes, WHOLE, 9).unwrap_err().to_string(),
            "Data.db, offset 15 (page 0 + 15), row body size: expected at most 29, the bytes left, found 100"
        );
    }

    #[test]
    fn a_search_over_endless_rows_runs_out_of_its_budget() {
        let mut bytes = PARTITION[..8].to_vec();
        for _ in 0..=limits::ROWS_PASSED {
            bytes.extend([0x24, 0, 0, 0, 0, 1, 0]);
        }
        let said = find(&bytes, WHOLE, 9).unwrap_err().to_string();
        assert!(said.contains("rows passed in search of one: expected at most 1000000"), "{said}");
    }

    #[test]
    fn impossible_flags_are_reported() {
        for flags in [0x03, 0x05, 0x82, 0x21] {
            let mut bytes = PARTITION.to_vec();
            bytes[8] = flags;
            assert!(find(&bytes, WHOLE, 9).unwrap_err().to_string().contains("row flags"));
        }
    }
}
