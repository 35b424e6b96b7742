//! The rows and markers of a partition as an index sees them: where each lies, its clustering, and what it opens or
//! closes. The cells of rows are passed over by the size of the row.

use super::raw::{self, HeadKind, RawUnfiltered};
use super::{DataFormat, DataReader, Deletion};
use crate::big::{Bound, BoundKind};
use crate::error::{Error, ReadError};
use crate::pos::{DataPos, FilePos};
use crate::source::Source;
use crate::table::Part;

/// What lies behind the head of a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The static row.
    Static,
    /// A row or marker.
    Item {
        /// Which, and on which side of its values a marker lies.
        kind: BoundKind,
        /// Values it has.
        count: usize,
        /// Of a marker: the deletion in force behind it.
        opens: Option<Option<Deletion>>,
    },
    /// The byte that ends the partition.
    End,
}

impl<S: Source> DataReader<'_, S> {
    /// What lies at `at`, and where the next one begins. The clustering values, with their headers, replace `values`.
    pub(crate) fn place(
        &mut self,
        format: &DataFormat,
        at: DataPos,
        values: &mut Vec<u8>,
    ) -> Result<(Place, DataPos), Error> {
        let length = self.len();
        let ((place, body), after) = self.parse(at, "row position", |cursor| {
            let before = cursor.clone();
            let head = raw::head(&format.rows, cursor)?;
            values.clear();
            values.extend_from_slice(head.values.bytes);
            let count = head.values.count;
            Ok(match head.kind {
                HeadKind::End => (Place::End, 0),
                HeadKind::Static => (Place::Static, head.body),
                HeadKind::Row => {
                    (Place::Item { kind: BoundKind::Row, count, opens: None }, head.body)
                }
                HeadKind::Marker(kind) => {
                    *cursor = before;
                    let opens = match raw::unfiltered(format, cursor, length)? {
                        RawUnfiltered::Marker(marker) => Some(marker.opens),
                        _ => None,
                    };
                    (Place::Item { kind, count, opens }, 0)
                }
            })
        })?;
        match after.0.checked_add(body).filter(|next| *next <= length) {
            Some(next) => Ok((place, DataPos(next))),
            None => {
                let most = format!("at most {}, the bytes left", length.saturating_sub(after.0));
                let at = FilePos(after.0);
                Err(ReadError::out_of_range(Part::Data, at, "row body size", most, body).into())
            }
        }
    }
}

impl DataFormat {
    /// The bound of a row or marker with these values, as [`DataReader::place`] gives them.
    pub(crate) fn bound(&self, kind: BoundKind, count: usize, values: &[u8]) -> Bound {
        let values = raw::RawValues { bytes: values, count };
        Bound { kind, values: values.to_vec(self) }
    }
}
