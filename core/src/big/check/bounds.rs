//! Bounds of blocks in buffers that are used again, and their order.

use crate::big::BoundKind;
use crate::cql::{ColumnType, CqlType};
use crate::cursor::Cursor;
use crate::data::each_value;
use crate::error::Error;
use crate::keys::ClusteringSchema;
use crate::lookup::{RowKind, clustering_bytes};
use std::cmp::Ordering;
use std::ops::Range;

/// A bound of a block: its kind, and its values one behind the other.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) kind: BoundKind,
    bytes: Vec<u8>,
    values: Vec<Option<Range<usize>>>,
}

impl Default for Place {
    fn default() -> Self {
        Self { kind: BoundKind::Row, bytes: Vec::new(), values: Vec::new() }
    }
}

impl Place {
    /// Reads a bound in place of what was here.
    pub(super) fn read(
        &mut self,
        cursor: &mut Cursor<'_>,
        lengths: &[Option<u32>],
    ) -> Result<(), Error> {
        let Self { kind, bytes, values } = self;
        bytes.clear();
        values.clear();
        let count;
        (*kind, count) = BoundKind::read(cursor, lengths.len())?;
        each_value(cursor, lengths, count, |value| {
            values.push(value.map(|value| {
                let start = bytes.len();
                bytes.extend_from_slice(value);
                start..bytes.len()
            }));
        })
    }

    fn value(&self, column: usize) -> Option<&[u8]> {
        self.values.get(column)?.clone().and_then(|range| self.bytes.get(range))
    }

    fn all(&self) -> Vec<Option<&[u8]>> {
        (0..self.values.len()).map(|column| self.value(column)).collect()
    }

    /// Whether both are the same bytes.
    pub(super) fn same(&self, other: &Self) -> bool {
        self.kind == other.kind && self.all() == other.all()
    }

    /// As people write it, with what it is: `(5, 'x')`, `before (5)`.
    pub(super) fn words(&self, schema: &ClusteringSchema) -> String {
        let values = schema.to_text(self.all());
        let kind = match self.kind {
            BoundKind::Row => "the row ",
            BoundKind::ExclusiveEnd => "a deletion's end before ",
            BoundKind::InclusiveStart => "a deletion's start before ",
            BoundKind::ExclusiveEndInclusiveStart => "a deletion's end and start before ",
            BoundKind::InclusiveEndExclusiveStart => "a deletion's end and start behind ",
            BoundKind::InclusiveEnd => "a deletion's end behind ",
            BoundKind::ExclusiveStart => "a deletion's start behind ",
        };
        format!("{kind}{values}")
    }
}

/// The order of two bounds in the table; equal where a column decides whose order is not known.
pub(super) fn order(schema: &ClusteringSchema, a: &Place, b: &Place) -> Ordering {
    for (column, of) in schema.columns().iter().enumerate() {
        let ends = (column >= a.values.len(), column >= b.values.len());
        let ordering = match ends {
            (true, true) => return side(a).cmp(&side(b)),
            (true, false) => return if side(a) == 0 { Ordering::Less } else { Ordering::Greater },
            (false, true) => return if side(b) == 0 { Ordering::Greater } else { Ordering::Less },
            (false, false) => match (a.value(column), b.value(column)) {
                (left, right) if left == right => Ordering::Equal,
                _ if matches!(of.cql, CqlType::Custom(_)) => return Ordering::Equal,
                (Some(left), Some(right)) => match simple(of, left, right) {
                    Some(ordering) => ordering,
                    None => return whole(schema, a, b),
                },
                _ => return whole(schema, a, b),
            },
        };
        if ordering != Ordering::Equal {
            return ordering;
        }
    }
    side(a).cmp(&side(b))
}

/// Where a bound stands to the rows with its values.
fn side(place: &Place) -> u8 {
    match place.kind.side() {
        RowKind::Before => 0,
        RowKind::Row => 1,
        RowKind::After => 2,
    }
}

/// The order of values of the usual types, which needs no byte-comparable form: there are many blocks.
fn simple(column: &ColumnType, a: &[u8], b: &[u8]) -> Option<Ordering> {
    let ordering = match column.cql {
        CqlType::Ascii | CqlType::Text | CqlType::Blob if !(a.is_empty() || b.is_empty()) => {
            a.cmp(b)
        }
        CqlType::Int | CqlType::Bigint | CqlType::Timestamp
            if a.len() == b.len() && !a.is_empty() =>
        {
            signed(a).cmp(&signed(b))
        }
        CqlType::Date if a.len() == b.len() && !a.is_empty() => a.cmp(b),
        _ => return None,
    };
    Some(if column.descending { ordering.reverse() } else { ordering })
}

/// Big-endian two's complement, in an order that unsigned bytes have.
fn signed(bytes: &[u8]) -> (u8, &[u8]) {
    match bytes.split_first() {
        Some((first, rest)) => (first ^ 0x80, rest),
        None => (0, &[]),
    }
}

/// By the byte-comparable forms, which have the order of the table for every type.
#[cold]
fn whole(schema: &ClusteringSchema, a: &Place, b: &Place) -> Ordering {
    let form = |place: &Place| clustering_bytes(schema, place.kind.side(), &place.all());
    form(a).cmp(&form(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pos::FilePos;
    use crate::table::Part;

    /// A bound of two columns, as a promoted index has it.
    fn place(bytes: &[u8]) -> Place {
        let mut place = Place::default();
        let mut cursor = Cursor::new(Part::Index, FilePos(0), bytes);
        place.read(&mut cursor, &[Some(4), None]).unwrap();
        assert_eq!(cursor.left(), 0);
        place
    }

    fn row(n: i32, text: &str) -> Place {
        let mut bytes = vec![4, 0];
        bytes.extend(n.to_be_bytes());
        bytes.push(u8::try_from(text.len()).unwrap());
        bytes.extend(text.bytes());
        place(&bytes)
    }

    fn prefix(kind: u8, n: i32) -> Place {
        let mut bytes = vec![kind, 0, 1, 0];
        bytes.extend(n.to_be_bytes());
        place(&bytes)
    }

    #[test]
    fn places_have_the_order_of_their_byte_comparable_forms() {
        let mut places = vec![place(&[1, 0, 0]), place(&[6, 0, 0])];
        for n in [-7, -1, 0, 3, 256] {
            places.extend(["", "a", "ab", "b"].map(|text| row(n, text)));
            places.extend([0, 1, 2, 5, 6, 7].map(|kind| prefix(kind, n)));
        }
        for classes in [
            ["Int32Type", "UTF8Type"],
            ["ReversedType(Int32Type)", "ReversedType(UTF8Type)"],
            ["Int32Type", "ReversedType(BytesType)"],
        ] {
            let schema = ClusteringSchema::from_classes(classes);
            for a in &places {
                for b in &places {
                    assert_eq!(order(&schema, a, b), whole(&schema, a, b), "{a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn columns_without_a_known_order_decide_nothing() {
        let schema = ClusteringSchema::from_classes(["com.example.Odd", "UTF8Type"]);
        assert_eq!(order(&schema, &row(1, "b"), &row(2, "a")), Ordering::Equal);
        assert_eq!(order(&schema, &row(1, "b"), &row(1, "a")), Ordering::Greater);
    }
}
