//! The order of rows and markers, compared without copying anything (`docs/format/data.md`, kinds).

use crate::cql::{ColumnType, CqlType};
use crate::data::DataFormat;
use crate::data::raw::RawValues;
use crate::keys::order_of;
use crate::lookup::RowKind;
use std::cmp::Ordering;

/// The clustering columns as far as their order goes.
#[derive(Clone, Debug, Default)]
pub(super) struct RowOrder {
    columns: Vec<(ColumnType, Values)>,
    is_known: bool,
}

/// How the serialized values of a type are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Values {
    /// As signed numbers, all of the same length but the empty one.
    Signed,
    /// As bytes.
    Bytes,
    /// By their byte-comparable form.
    Comparable,
}

/// A place among the rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub side: RowKind,
    pub values: RawValues<'a>,
}

impl RowOrder {
    pub(super) fn new(columns: &[ColumnType]) -> Self {
        let of = |column: &ColumnType| (column.clone(), Values::of(column.cql.unfrozen()));
        let is_known = !columns.iter().any(|column| has_unknown_order(&column.cql));
        Self { columns: columns.iter().map(of).collect(), is_known }
    }

    /// Whether the order of all types is known. Custom types are compared by a class that is not here.
    pub(super) fn is_known(&self) -> bool {
        self.is_known
    }

    /// The order of two places.
    pub(super) fn compare(&self, format: &DataFormat, a: Place<'_>, b: Place<'_>) -> Ordering {
        let (mut of_a, mut of_b) = (a.values.iter(format), b.values.iter(format));
        for column in &self.columns {
            match (of_a.next(), of_b.next()) {
                (Some(x), Some(y)) => match compare_values(column, x, y) {
                    Ordering::Equal => {}
                    other => return other,
                },
                // The shorter one lies before or after all that begin with its values.
                (None, Some(_)) => return side_of_prefix(a.side),
                (Some(_), None) => return side_of_prefix(b.side).reverse(),
                (None, None) => break,
            }
        }
        rank(a.side).cmp(&rank(b.side))
    }

    /// The order of a place to a bound of values, by as many values as both have.
    pub(super) fn compare_prefix<'a>(
        &self,
        format: &DataFormat,
        place: RawValues<'_>,
        bound: impl IntoIterator<Item = Option<&'a [u8]>>,
    ) -> Ordering {
        let both = place.iter(format).zip(bound);
        for (column, (x, y)) in self.columns.iter().zip(both) {
            match compare_values(column, x, y) {
                Ordering::Equal => {}
                other => return other,
            }
        }
        Ordering::Equal
    }
}

impl Values {
    fn of(cql: &CqlType) -> Self {
        match cql {
            CqlType::Tinyint
            | CqlType::Smallint
            | CqlType::Int
            | CqlType::Bigint
            | CqlType::Timestamp => Self::Signed,
            CqlType::Ascii
            | CqlType::Text
            | CqlType::Blob
            | CqlType::Boolean
            | CqlType::Date
            | CqlType::Time
            | CqlType::OldTimestamp => Self::Bytes,
            _ => Self::Comparable,
        }
    }
}

fn compare_values(
    (column, values): &(ColumnType, Values),
    a: Option<&[u8]>,
    b: Option<&[u8]>,
) -> Ordering {
    // Null is less than all, in either direction; the empty value is the least one of its type.
    let (Some(a), Some(b)) = (a, b) else { return a.is_some().cmp(&b.is_some()) };
    let order = match values {
        Values::Bytes => a.cmp(b),
        Values::Signed => match (a.split_first(), b.split_first()) {
            (Some((x, _)), Some((y, _))) => {
                x.cast_signed().cmp(&y.cast_signed()).then_with(|| a.cmp(b))
            }
            _ => a.len().cmp(&b.len()),
        },
        Values::Comparable if a == b => Ordering::Equal,
        Values::Comparable => order_of(&column.cql, Some(a)).cmp(&order_of(&column.cql, Some(b))),
    };
    if column.descending { order.reverse() } else { order }
}

fn rank(side: RowKind) -> u8 {
    match side {
        RowKind::Before => 0,
        RowKind::Row => 1,
        RowKind::After => 2,
    }
}

fn side_of_prefix(side: RowKind) -> Ordering {
    match side {
        RowKind::Before => Ordering::Less,
        RowKind::Row | RowKind::After => Ordering::Greater,
    }
}

fn has_unknown_order(cql: &CqlType) -> bool {
    match cql {
        CqlType::Custom(_) => true,
        CqlType::List(inner)
        | CqlType::Set(inner)
        | CqlType::Vector(inner, _)
        | CqlType::Frozen(inner) => has_unknown_order(inner),
        CqlType::Map(both) => has_unknown_order(&both.0) || has_unknown_order(&both.1),
        CqlType::Tuple(types) => types.iter().any(has_unknown_order),
        CqlType::User(user) => user.fields.iter().any(|(_, cql)| has_unknown_order(cql)),
        _ => false,
    }
}
