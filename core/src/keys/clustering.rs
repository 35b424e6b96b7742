//! The clustering columns of a table: from typed text to a place among the rows, and the order of places.

use super::comparable::{ComparableKey, Dialect, terminator};
use super::{encode, schema};
use crate::cql::{self, ColumnType, LiteralError};
use crate::lookup::{RowKind, RowTarget};
use crate::race::ComparableWhat;
use std::cmp::Ordering;

/// The clustering columns of a table, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusteringSchema {
    columns: Vec<ColumnType>,
}

impl ClusteringSchema {
    /// These columns, none for a table whose partitions have one row.
    pub fn new(columns: Vec<ColumnType>) -> Self {
        Self { columns }
    }

    /// From the clustering types of Statistics.db, `ReversedType(…)` for descending columns.
    pub fn from_classes<'a>(classes: impl IntoIterator<Item = &'a str>) -> Self {
        Self { columns: classes.into_iter().map(ColumnType::from_class).collect() }
    }

    /// The columns.
    pub fn columns(&self) -> &[ColumnType] {
        &self.columns
    }

    /// A place as typed: `5`, `5, 'x'`, `('a', 3)`, `empty` for a value of zero bytes. With all columns it is a row,
    /// with fewer the place before all rows that begin so; `()` is the place before all rows.
    ///
    /// # Errors
    /// [`LiteralError`] says in a sentence what was expected.
    pub fn parse(&self, dialect: Dialect, text: &str) -> Result<RowTarget, LiteralError> {
        let text = text.trim();
        let types: Vec<_> = self.columns.iter().map(|column| &column.cql).collect();
        if text.len() > crate::limits::LITERAL_BYTES {
            let expected = format!("at most {} characters", crate::limits::LITERAL_BYTES);
            return Err(LiteralError::new(text, "clustering key", expected));
        }
        if types.is_empty() {
            return Err(schema::wrong_count(text, "clustering key", &types, 1));
        }
        let bare = text.split_whitespace().collect::<String>();
        let values = match bare.as_str() {
            "()" => Vec::new(),
            _ => schema::values(text, &types, "clustering key")?,
        };
        for (cql, value) in types.iter().zip(&values) {
            if let Some(bytes) = value
                && !encode::fits(cql, bytes)
            {
                return Err(LiteralError::of(cql, &cql::to_text(cql, bytes)));
            }
        }
        let kind = if values.len() == types.len() { RowKind::Row } else { RowKind::Before };
        Ok(self.target(dialect, kind, values))
    }

    /// A place among the rows by its serialized values; fewer than the table has columns for a prefix.
    pub fn target(
        &self,
        dialect: Dialect,
        kind: RowKind,
        values: Vec<Option<Vec<u8>>>,
    ) -> RowTarget {
        let comparable = self.comparable(dialect, kind, values.iter().map(Option::as_deref)).bytes;
        RowTarget { kind, values, comparable }
    }

    /// The byte-comparable form of a place, with its parts. Values beyond the columns of the table are left out.
    pub fn comparable<'a>(
        &self,
        dialect: Dialect,
        kind: RowKind,
        values: impl IntoIterator<Item = Option<&'a [u8]>>,
    ) -> ComparableKey {
        let mut key = ComparableKey::default();
        for (column, value) in self.columns.iter().zip(values) {
            encode::component(&mut key, &column.cql, column.descending, value, dialect);
        }
        key.byte(ComparableWhat::Terminator, terminator(kind));
        key
    }

    /// The order of two places in the table.
    pub fn order<'a>(
        &self,
        (a_kind, a): (RowKind, &[Option<&'a [u8]>]),
        (b_kind, b): (RowKind, &[Option<&'a [u8]>]),
    ) -> Ordering {
        let of = |kind, values: &[Option<&'a [u8]>]| {
            self.comparable(Dialect::CASSANDRA, kind, values.iter().copied()).bytes
        };
        of(a_kind, a).cmp(&of(b_kind, b))
    }

    /// The values of a place as CQL text, `(5, 'x')` when the table has several columns.
    pub fn to_text<'a>(&self, values: impl IntoIterator<Item = Option<&'a [u8]>>) -> String {
        let texts: Vec<_> = self
            .columns
            .iter()
            .zip(values)
            .map(|(column, value)| cql::to_text_or_null(&column.cql, value))
            .collect();
        match (self.columns.len(), texts.as_slice()) {
            (1, [one]) => one.clone(),
            _ => format!("({})", texts.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(text: &str) -> Vec<u8> {
        cql::hex(&text.replace(' ', "")).unwrap()
    }

    fn int_text() -> ClusteringSchema {
        ClusteringSchema::from_classes(["Int32Type", "UTF8Type"])
    }

    fn check(schema: &ClusteringSchema, text: &str, kind: RowKind, comparable: &str) {
        let target = schema.parse(Dialect::CASSANDRA, text).unwrap();
        assert_eq!((target.kind, target.comparable), (kind, hex(comparable)), "{text}");
    }

    #[test]
    fn places_equal_the_examples_of_the_format_text() {
        let up = int_text();
        check(&up, "5, 'ab'", RowKind::Row, "40 80000005 40 616200 38");
        check(&up, "(5, ab)", RowKind::Row, "40 80000005 40 616200 38");
        check(&up, "5", RowKind::Before, "40 80000005 20");
        check(&up, "()", RowKind::Before, "20");
        let after = up.target(Dialect::CASSANDRA, RowKind::After, vec![Some(vec![0, 0, 0, 5])]);
        assert_eq!(after.comparable, hex("40 80000005 60"));
        let down =
            ClusteringSchema::from_classes(["ReversedType(Int32Type)", "ReversedType(UTF8Type)"]);
        check(&down, "5:'ab'", RowKind::Row, "40 7ffffffa 40 9e9dff 38");
        let int = ClusteringSchema::from_classes(["Int32Type"]);
        check(&int, "8", RowKind::Row, "40 80000008 38");
        check(&int, "empty", RowKind::Row, "3f 38");
        check(&int, "(empty)", RowKind::Row, "3f 38");
        check(&int, "blob_as_int(0x)", RowKind::Row, "3f 38");
        let int = ClusteringSchema::from_classes(["ReversedType(Int32Type)"]);
        check(&int, "empty", RowKind::Row, "41 38");
        let text = ClusteringSchema::from_classes(["ReversedType(UTF8Type)"]);
        check(&text, "''", RowKind::Row, "40 ff 38");
    }

    #[test]
    fn the_samples_of_the_format_text() {
        let check = |class, bytes: &str, comparable: &str| {
            let schema = ClusteringSchema::from_classes([class]);
            let target = schema.target(Dialect::CASSANDRA, RowKind::Row, vec![Some(hex(bytes))]);
            assert_eq!(target.comparable, hex(comparable), "{class}");
        };
        check("TimestampType", "000001a3cf695ee9", "40 800001a3cf695ee9 38");
        check("InetAddressType", "6e80eefc", "40 6e80eefc00 38");
        check(
            "TimeUUIDType",
            "0000000000001d00b000000000000000",
            "40 1d00000000000000 3080808080808080 38",
        );
        check(
            "ListType(Int32Type)",
            "00000003 00000004 00000007 00000004 ffffffff 00000004 00000000",
            "40 40 80000007 40 7fffffff 40 80000000 38 38",
        );
        check("IntegerType", "1782", "40 d782 38");
        check("ReversedType(IntegerType)", "43639d", "40 0fbc9c62 38");
    }

    #[test]
    fn places_have_the_order_of_the_table() {
        let mixed = ClusteringSchema::from_classes(["UTF8Type", "ReversedType(Int32Type)"]);
        let two = 2i32.to_be_bytes();
        let three = 3i32.to_be_bytes();
        let order =
            |a: (RowKind, &[Option<&[u8]>]), b: (RowKind, &[Option<&[u8]>])| mixed.order(a, b);
        let row = |n| [Some(&b"a"[..]), Some(n)];
        assert_eq!(order((RowKind::Row, &row(&three)), (RowKind::Row, &row(&two))), Ordering::Less);
        let prefix = [Some(&b"a"[..])];
        assert_eq!(order((RowKind::Before, &prefix), (RowKind::Row, &row(&three))), Ordering::Less);
        assert_eq!(order((RowKind::After, &prefix), (RowKind::Row, &row(&two))), Ordering::Greater);
        assert_eq!(order((RowKind::After, &[]), (RowKind::After, &prefix)), Ordering::Greater);
    }

    #[test]
    fn what_does_not_fit_is_explained() {
        let refused = |text, sentence: &str| {
            let error = int_text().parse(Dialect::CASSANDRA, text).unwrap_err();
            assert_eq!(error.to_string(), sentence);
        };
        refused("x", "`x` is no int: a number from −2147483648 to 2147483647");
        refused("0x01", "`0x01` is no int: a number from −2147483648 to 2147483647");
        refused(
            "1, 'a', 3",
            "`1, 'a', 3` is no clustering key: it has 2 columns only, (int, text)",
        );
        let none = ClusteringSchema::default().parse(Dialect::CASSANDRA, "1").unwrap_err();
        assert_eq!(none.to_string(), "`1` is no clustering key: this table has no such columns");
    }

    #[test]
    fn places_are_shown_as_they_are_typed() {
        let five = 5i32.to_be_bytes();
        assert_eq!(int_text().to_text([Some(&five[..]), Some(&b"x"[..])]), "(5, 'x')");
        assert_eq!(int_text().to_text([Some(&five[..])]), "(5)");
        assert_eq!(int_text().to_text([Some(&b""[..]), None]), "(empty, null)");
        let int = ClusteringSchema::from_classes(["Int32Type"]);
        assert_eq!(int.to_text([Some(&five[..])]), "5");
    }
}
