//! A walk over Data.db that tells a [`Sink`] what it comes to, without copying anything.
//!
//! It keeps its own place, cell by cell: after a miss it is called again and goes on there. It needs no more of the data
//! at once than one cell, the head of a row, or a marker.

use super::raw::{self, Cells, RawCell, RawCells, RawMarker, RawPartition, RawRow, RawUnfiltered};
use super::{DataFormat, DataReader, Deletion};
use crate::cursor::Cursor;
use crate::error::{Error, Kind, ReadError};
use crate::limits;
use crate::pos::{DataPos, FilePos};
use crate::source::Source;
use crate::table::Part;

/// Who listens to a walk. Those that return a `bool` say whether the walk is to go on at once.
pub(crate) trait Sink {
    /// A partition begins.
    fn partition(&mut self, head: &RawPartition<'_>) -> bool;
    /// A row begins.
    fn row(&mut self, format: &DataFormat, row: &RawRow<'_>);
    /// A collection or user type of the row begins.
    fn complex(&mut self, column: usize, deletion: Option<Deletion>);
    /// A cell of the row, or of the collection begun before.
    fn cell(&mut self, cell: &RawCell<'_>);
    /// The row is over.
    fn row_end(&mut self) -> bool;
    /// A marker.
    fn marker(&mut self, format: &DataFormat, marker: &RawMarker<'_>) -> bool;
    /// The partition that began at `partition` ends with the byte at `at`.
    fn partition_end(&mut self, partition: u64, at: u64) -> bool;
}

/// A walk from one partition to the end of the data.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    at: u64,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    /// Before a partition.
    Partition,
    /// Before a row, marker or end.
    Unfiltered { partition: u64, is_first: bool },
    /// In a row.
    Cells { partition: u64, cells: Cells },
}

/// Why a stretch ended.
enum Stretch {
    /// The sink has enough.
    Enough,
    /// What comes next may lie elsewhere.
    Passed,
    /// The data ends.
    End,
}

impl Walk {
    /// From the partition at `at`.
    pub(crate) fn new(at: DataPos) -> Self {
        Self { at: at.0, state: State::Partition }
    }

    /// From the row or marker at `at`, which is not the first thing in the partition.
    pub(crate) fn within(partition: DataPos, at: DataPos) -> Self {
        let state = State::Unfiltered { partition: partition.0, is_first: false };
        Self { at: at.0, state }
    }

    /// Position of what comes next.
    pub(crate) fn at(&self) -> DataPos {
        DataPos(self.at)
    }

    /// The partition that the walk is in; `None` between partitions.
    pub(crate) fn partition(&self) -> Option<DataPos> {
        match &self.state {
            State::Partition => None,
            State::Unfiltered { partition, .. } | State::Cells { partition, .. } => {
                Some(DataPos(*partition))
            }
        }
    }

    /// Goes on until the sink has enough (`false`) or the data ends (`true`). After an error other than a miss the walk
    /// stays where it is.
    pub(crate) fn run<S: Source>(
        &mut self,
        format: &DataFormat,
        reader: &mut DataReader<'_, S>,
        sink: &mut impl Sink,
    ) -> Result<bool, Error> {
        let length = reader.len();
        loop {
            let bytes = reader.window(DataPos(self.at))?;
            match self.stretch(format, bytes, length, sink) {
                Ok(Stretch::Enough) => return Ok(false),
                Ok(Stretch::End) => return Ok(true),
                Ok(Stretch::Passed) => {}
                Err(Error::Damage(error)) => {
                    let end = end_of_need(*error, self.at, length)?;
                    reader.extend_to(end)?;
                }
                Err(miss) => return Err(miss),
            }
        }
    }

    /// Goes on in the bytes at the walk's place.
    fn stretch(
        &mut self,
        format: &DataFormat,
        bytes: &[u8],
        length: u64,
        sink: &mut impl Sink,
    ) -> Result<Stretch, Error> {
        let mut cursor = Cursor::new(Part::Data, FilePos(self.at), bytes);
        loop {
            let go_on = match &mut self.state {
                State::Partition => {
                    if self.at == length {
                        return Ok(Stretch::End);
                    }
                    let head = raw::partition(&format.rows, &mut cursor)?;
                    let go_on = sink.partition(&head);
                    self.state = State::Unfiltered { partition: head.at, is_first: true };
                    go_on
                }
                State::Unfiltered { partition, is_first } => {
                    let partition = *partition;
                    match raw::unfiltered(format, &mut cursor, length)? {
                        RawUnfiltered::Row(row, _) if row.is_static && !*is_first => {
                            return Err(static_row(row.at));
                        }
                        RawUnfiltered::Row(row, cells) => {
                            sink.row(format, &row);
                            self.state = State::Cells { partition, cells };
                            true
                        }
                        RawUnfiltered::Marker(marker) => {
                            *is_first = false;
                            sink.marker(format, &marker)
                        }
                        RawUnfiltered::End(at) => {
                            self.state = State::Partition;
                            sink.partition_end(partition, at)
                        }
                    }
                }
                State::Cells { partition, cells } => match cells.next(format, &mut cursor)? {
                    Some(RawCells::Complex { column, deletion }) => {
                        sink.complex(column, deletion);
                        true
                    }
                    Some(RawCells::Cell(cell)) => {
                        sink.cell(&cell);
                        if cell.cut > 0 {
                            self.at = cell.end;
                            return Ok(Stretch::Passed);
                        }
                        true
                    }
                    None => {
                        let partition = *partition;
                        self.state = State::Unfiltered { partition, is_first: false };
                        sink.row_end()
                    }
                },
            };
            self.at = cursor.pos().0;
            if !go_on {
                return Ok(Stretch::Enough);
            }
        }
    }
}

/// How far bytes must be known, so that the element at `at`, which ended too early, can be read again. Other errors are
/// passed on.
pub(super) fn end_of_need(mut error: ReadError, at: u64, length: u64) -> Result<u64, Error> {
    let Kind::Truncated { needed, left } = &mut error.kind else {
        return Err(error.into());
    };
    match error.at.0.checked_add(*needed).filter(|end| *end <= length) {
        Some(end) if end.saturating_sub(at) <= limits::ROW_HEAD_BYTES => Ok(end),
        Some(end) => {
            let kind =
                Kind::OverLimit { limit: limits::ROW_HEAD_BYTES, found: end.saturating_sub(at) };
            Err(ReadError::new(Part::Data, FilePos(at), error.field, kind).into())
        }
        None => {
            *left = length.saturating_sub(error.at.0);
            Err(error.into())
        }
    }
}

#[cold]
pub(super) fn static_row(at: u64) -> Error {
    let (expected, found) = ("a static row as the first only", "one behind another row or marker");
    ReadError::unexpected(Part::Data, FilePos(at), "static row", expected, found).into()
}
