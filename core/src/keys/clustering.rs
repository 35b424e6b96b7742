//! The clustering columns of a table: from typed text to a place among the rows, and the order of places.

use super::comparable::{ComparableKey, Dialect, terminator};
use super::{encode, schema};
use crate::bti::pack::common;
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

    /// As [`Self::comparable`], the bytes alone, into a buffer that is cleared first.
    pub fn comparable_into<'a>(
        &self,
        dialect: Dialect,
        kind: RowKind,
        values: impl IntoIterator<Item = Option<&'a [u8]>>,
        out: &mut Vec<u8>,
    ) {
        let mut key = ComparableKey { bytes: std::mem::take(out), parts: Vec::new() };
        key.bytes.clear();
        for (column, value) in self.columns.iter().zip(values) {
            encode::component(&mut key, &column.cql, column.descending, value, dialect);
        }
        key.byte(ComparableWhat::Terminator, terminator(kind));
        *out = key.bytes;
    }

    /// The byte-comparable forms of two places, each as far as it takes to tell them apart, into buffers that are cleared
    /// first. What lies behind that is not looked at: of long values that part early hardly anything is read.
    pub fn parting<'a, 'b>(
        &self,
        dialect: Dialect,
        (a_kind, a): (RowKind, impl IntoIterator<Item = Option<&'a [u8]>>),
        (b_kind, b): (RowKind, impl IntoIterator<Item = Option<&'b [u8]>>),
        [a_out, b_out]: [&mut Vec<u8>; 2],
    ) {
        let [mut x, mut y] = [&mut *a_out, &mut *b_out].map(|out| {
            let mut key = ComparableKey { bytes: std::mem::take(out), parts: Vec::new() };
            key.bytes.clear();
            key
        });
        let (mut a, mut b) = (a.into_iter(), b.into_iter());
        let mut shared = 0;
        for column in &self.columns {
            let (cql, descending) = (&column.cql, column.descending);
            let ends = |key: &mut ComparableKey, kind| {
                key.byte(ComparableWhat::Terminator, terminator(kind));
            };
            match (a.next(), b.next()) {
                (Some(mut left), Some(mut right)) => {
                    if let (Some(left), Some(right)) = (&mut left, &mut right)
                        && encode::is_escaped(cql)
                    {
                        // Each byte is written by itself and the ones before it, but a zero byte begins as the end of a
                        // value does: so two behind the common ones will do.
                        let parted = common(left, right) + 2;
                        *left = left.get(..parted).unwrap_or(left);
                        *right = right.get(..parted).unwrap_or(right);
                    }
                    encode::component(&mut x, cql, descending, left, dialect);
                    encode::component(&mut y, cql, descending, right, dialect);
                }
                (Some(left), None) => {
                    encode::component(&mut x, cql, descending, left, dialect);
                    ends(&mut y, b_kind);
                }
                (None, Some(right)) => {
                    ends(&mut x, a_kind);
                    encode::component(&mut y, cql, descending, right, dialect);
                }
                (None, None) => break,
            }
            let [left, right] = [&x, &y].map(|key| key.bytes.get(shared..).unwrap_or(&[]));
            shared += common(left, right);
            if shared < x.bytes.len().min(y.bytes.len()) {
                (*a_out, *b_out) = (x.bytes, y.bytes);
                return;
            }
        }
        x.byte(ComparableWhat::Terminator, terminator(a_kind));
        y.byte(ComparableWhat::Terminator, terminator(b_kind));
        (*a_out, *b_out) = (x.bytes, y.bytes);
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

    /// Forms as far as they part are beginnings of the whole ones, and part where those do.
    #[test]
    fn places_part_where_their_whole_forms_do() {
        let schema = |classes: &[&str]| ClusteringSchema::from_classes(classes.iter().copied());
        let schemas = [
            schema(&["UTF8Type", "Int32Type"]),
            schema(&["ReversedType(BytesType)", "UTF8Type"]),
            schema(&["InetAddressType", "ReversedType(UTF8Type)"]),
        ];
        let mut texts: Vec<Vec<u8>> = vec![Vec::new()];
        for length in 1..5u32 {
            // Zeros are written in other ways than other bytes.
            let letters = [0, 1, 0xff];
            texts
                .extend((0..3usize.pow(length)).map(|n| {
                    (0..length).map(|place| letters[n / 3usize.pow(place) % 3]).collect()
                }));
        }
        let seconds: [Option<&[u8]>; 3] = [None, Some(&[0, 0, 0, 1]), Some(&[0, 0, 1, 0])];
        let kinds = [RowKind::Row, RowKind::Before, RowKind::After];
        let [mut x, mut y, mut whole] = [(); 3].map(|()| Vec::new());
        for (n, (a, b)) in texts.iter().flat_map(|a| texts.iter().map(move |b| (a, b))).enumerate()
        {
            for schema in &schemas {
                let left = [Some(a.as_slice()), seconds[n % 3]];
                let right = [Some(b.as_slice()), seconds[n / 3 % 3]];
                let (left, right) = (&left[..1 + n % 2], &right[..1 + n / 2 % 2]);
                let kind = |values: &[Option<&[u8]>], n: usize| {
                    if values.len() == 2 { RowKind::Row } else { kinds[1 + n % 2] }
                };
                let (a_kind, b_kind) = (kind(left, n), kind(right, n / 5));
                let places = ((a_kind, left.iter().copied()), (b_kind, right.iter().copied()));
                schema.parting(Dialect::CASSANDRA, places.0, places.1, [&mut x, &mut y]);
                let form = |kind, values: &[Option<&[u8]>]| {
                    schema.comparable(Dialect::CASSANDRA, kind, values.iter().copied()).bytes
                };
                let (p, q) = (form(a_kind, left), form(b_kind, right));
                let shared = common(&p, &q);
                assert_eq!(common(&x, &y), shared, "{left:?} {right:?}");
                assert_eq!(x.get(..=shared), p.get(..=shared), "{left:?} {right:?}");
                assert_eq!(y.get(..=shared), q.get(..=shared), "{left:?} {right:?}");
                schema.comparable_into(
                    Dialect::CASSANDRA,
                    a_kind,
                    left.iter().copied(),
                    &mut whole,
                );
                assert_eq!(whole, p);
            }
        }
    }
}
