//! The pieces in which ScyllaDB holds a byte-comparable clustering: where they end shows in its tries
//! (`docs/format/packing.md`, "Pieces of a key").
//!
//! It writes the clustering into a buffer that grows by pieces of 488, 1000, 2024, … bytes: 512, 1024, 2048, … and
//! 24 less. A write that does not fit takes what is left of the piece, and the rest goes into the next one, which is
//! made as large as the rest wants. So the ends follow from the sizes of the writes, and these from the types.

use super::ClusteringSchema;
use super::comparable::Dialect;
use super::encode;
use crate::cql::{CqlType, wire};
use crate::lookup::RowKind;

/// What ScyllaDB's allocator keeps of each piece.
const PIECE_HEAD: usize = 24;
/// Bytes of the first piece, with its head.
const FIRST_PIECE: usize = 512;
/// Greatest piece that is made larger only because the last one was full.
const GREATEST_PIECE: usize = 128 << 10;
/// Text and blobs are written in pieces of so many bytes, before zeros are escaped; inverted bytes likewise.
const WRITTEN_AT_ONCE: usize = 1024;
/// Digits of a decimal are gathered in so many bytes.
const DIGITS_AT_ONCE: usize = 512;
/// Bytes are inverted eight at a time; what is left of a piece is a write of its own.
const WORD: usize = 8;
/// A `varint` of so many bytes is written with its length.
const LONG_NUMBER: usize = 7;

/// The buffer, as far as its pieces go.
#[derive(Clone, Debug, Default)]
struct Buffer {
    len: usize,
    /// Size of the piece that is filled, with its head.
    piece: usize,
    left: usize,
    /// Ends of the pieces that are full.
    ends: Vec<usize>,
}

impl Buffer {
    /// Writes so many bytes.
    fn write(&mut self, bytes: usize) {
        let here = bytes.min(self.left);
        self.left -= here;
        self.len += here;
        let mut rest = bytes - here;
        while rest > 0 {
            let now = rest.min(GREATEST_PIECE - PIECE_HEAD);
            let next = if self.piece == 0 { FIRST_PIECE } else { self.piece * 2 };
            let least = next.min(GREATEST_PIECE).max(now + PIECE_HEAD);
            if self.piece > 0 {
                self.ends.push(self.len);
            }
            self.piece = least.next_power_of_two();
            self.left = self.piece - PIECE_HEAD - now;
            self.len += now;
            rest -= now;
        }
    }

    /// Lengths of the pieces.
    fn pieces(&self) -> impl Iterator<Item = usize> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ends = self.ends.iter().copied().chain([self.len]);
        starts.zip(ends).map(|(start, end)| end - start)
    }
}

impl ClusteringSchema {
    /// Ends of the pieces but the last one in which ScyllaDB holds the byte-comparable form of a place, ascending, in bytes
    /// from its start: what [`crate::bti::pack::RowsWriter::add`] wants. None for a form of up to 488 bytes.
    pub fn scylla_pieces<'a>(
        &self,
        dialect: Dialect,
        kind: RowKind,
        values: impl IntoIterator<Item = Option<&'a [u8]>> + Clone,
    ) -> Vec<usize> {
        let form = self.comparable(dialect, kind, values.clone()).bytes;
        if form.len() <= FIRST_PIECE - PIECE_HEAD {
            return Vec::new();
        }
        let mut buffer = Buffer::default();
        for (column, value) in self.columns().iter().zip(values) {
            buffer.write(1);
            let Some(bytes) = value else { continue };
            if encode::is_empty_special(&column.cql, bytes, dialect) {
                continue;
            }
            // Bytes that do not fit the type are written as a blob.
            let fits = encode::comparable_value(&column.cql, false, bytes, dialect).is_some();
            let cql = if fits { &column.cql } else { &CqlType::Blob };
            if !column.descending {
                put(&mut buffer, cql, bytes, dialect);
                continue;
            }
            let mut upright = Buffer::default();
            put(&mut upright, cql, bytes, dialect);
            for piece in upright.pieces() {
                let words = piece / WORD * WORD;
                each_of(words, WRITTEN_AT_ONCE, |bytes| buffer.write(bytes));
                buffer.write(piece - words);
            }
        }
        // The terminator.
        buffer.write(1);
        debug_assert_eq!(buffer.len, form.len());
        buffer.ends
    }
}

/// The writes of a value.
fn put(buffer: &mut Buffer, cql: &CqlType, bytes: &[u8], dialect: Dialect) {
    let length = || encode::comparable_value(cql, false, bytes, dialect).map_or(0, |it| it.len());
    match cql {
        CqlType::Ascii | CqlType::Text | CqlType::Blob | CqlType::Inet | CqlType::Duration => {
            escaped(buffer, bytes);
        }
        CqlType::Counter | CqlType::Custom(_) => escaped(buffer, bytes),
        CqlType::Frozen(inner) => put(buffer, inner, bytes, dialect),
        CqlType::Varint => {
            let sign = if bytes.first().is_some_and(|byte| *byte >= 0x80) { 0xff } else { 0 };
            let number = bytes.iter().skip_while(|byte| **byte == sign).count();
            let length = length();
            if number < LONG_NUMBER {
                buffer.write(length);
            } else {
                // The sign, the length of the number, the number.
                buffer.write(1);
                buffer.write(length.saturating_sub(1 + number));
                buffer.write(number);
            }
        }
        CqlType::Decimal => each_of(length(), DIGITS_AT_ONCE, |bytes| buffer.write(bytes)),
        CqlType::List(element) | CqlType::Set(element) => {
            let values = wire::collection(bytes, 1).unwrap_or_default();
            elements(buffer, values.into_iter().map(|value| (&**element, value)), dialect);
        }
        CqlType::Map(both) => {
            let values = wire::collection(bytes, 2).unwrap_or_default();
            let types = [&both.0, &both.1].into_iter().cycle();
            elements(buffer, types.zip(values), dialect);
        }
        CqlType::Tuple(types) => {
            let values = wire::tuple(bytes, types.len()).unwrap_or_default();
            elements(buffer, types.iter().zip(present(&values)), dialect);
        }
        CqlType::User(user) => {
            let values = wire::tuple(bytes, user.fields.len()).unwrap_or_default();
            let types = user.fields.iter().map(|(_, cql)| cql);
            elements(buffer, types.zip(present(&values)), dialect);
        }
        CqlType::Vector(element, n) => {
            let values = wire::vector(bytes, element, *n).unwrap_or_default();
            elements(buffer, values.into_iter().map(|value| (&**element, Some(value))), dialect);
        }
        _ => buffer.write(length()),
    }
}

/// The elements up to the last that is not null.
fn present<'a>(values: &[Option<&'a [u8]>]) -> impl Iterator<Item = Option<&'a [u8]>> {
    let present = values.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    values.iter().copied().take(present)
}

fn elements<'a>(
    buffer: &mut Buffer,
    elements: impl Iterator<Item = (&'a CqlType, Option<&'a [u8]>)>,
    dialect: Dialect,
) {
    for (cql, value) in elements {
        buffer.write(1);
        if let Some(bytes) = value
            && !encode::is_empty_special(cql, bytes, dialect)
        {
            put(buffer, cql, bytes, dialect);
        }
    }
    buffer.write(1);
}

/// Text or a blob, with zeros escaped: a write for each 1024 bytes before that, and one for the end.
fn escaped(buffer: &mut Buffer, bytes: &[u8]) {
    let mut in_zeros = false;
    for piece in bytes.chunks(WRITTEN_AT_ONCE) {
        if !piece.contains(&0) {
            // The end of the zeros before is a write of its own.
            buffer.write(usize::from(std::mem::take(&mut in_zeros)));
            buffer.write(piece.len());
            continue;
        }
        let mut length = piece.len();
        for byte in piece {
            length += usize::from(in_zeros && *byte != 0);
            in_zeros = *byte == 0;
        }
        buffer.write(length);
    }
    buffer.write(1);
}

/// `bytes` in pieces of at most `most`.
fn each_of(bytes: usize, most: usize, mut each: impl FnMut(usize)) {
    let mut left = bytes;
    while left > 0 {
        let now = left.min(most);
        each(now);
        left -= now;
    }
}
