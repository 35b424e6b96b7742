//! Byte-comparable places back to values, as far as they go: separators of row tries are cut after the byte that tells
//! two blocks apart. `docs/format/keys.md`.

use super::encode::{EMPTY, EMPTY_DESCENDING, NEXT, NULL};
use super::{ClusteringSchema, comparable};
use crate::cql::{self, ColumnType, CqlType};
use crate::lookup::RowKind;

/// What a byte-comparable place says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The values that are whole, serialized; `None` is null.
    pub values: Vec<Option<Vec<u8>>>,
    /// What the place is, when the bytes have an end.
    pub kind: Option<RowKind>,
    /// The bytes after the whole values, when there is no end: the beginning of another value.
    pub cut: Vec<u8>,
}

impl ClusteringSchema {
    /// The values of a place. Bytes that are cut, or a type that is not translated back (`decimal`, long `varint`,
    /// collections, tuples, vectors), end it early: then the rest is in [`Decoded::cut`].
    pub fn decode(&self, bytes: &[u8]) -> Decoded {
        let mut values = Vec::new();
        let mut rest = bytes;
        for column in self.columns() {
            let Some((value, after)) = component(column, rest) else { break };
            values.push(value);
            rest = after;
        }
        let kind = match rest {
            [end] => [RowKind::Row, RowKind::Before, RowKind::After]
                .into_iter()
                .find(|kind| comparable::terminator(*kind) == *end),
            _ => None,
        };
        let cut = if kind.is_some() { Vec::new() } else { rest.to_vec() };
        Decoded { values, kind, cut }
    }

    /// A place as text, for people: its values, a word for a bound, an ellipsis where the bytes are cut:
    /// `5, 'ab'`, `before 5`, `5, 'a…`, `5, 0x7f…`.
    pub fn describe(&self, bytes: &[u8]) -> String {
        let Decoded { values, kind, cut } = self.decode(bytes);
        let mut texts: Vec<_> = self
            .columns()
            .iter()
            .zip(&values)
            .map(|(column, value)| cql::to_text_or_null(&column.cql, value.as_deref()))
            .collect();
        let next = self.columns().get(values.len());
        if kind.is_none() {
            texts.push(begun(next, &cut));
        }
        let text = texts.join(", ");
        match (kind, texts.is_empty()) {
            (Some(RowKind::Before), true) => "before all rows".to_owned(),
            (Some(RowKind::After), true) => "after all rows".to_owned(),
            (Some(RowKind::Before), false) => format!("before {text}"),
            (Some(RowKind::After), false) => format!("after {text}"),
            _ => text,
        }
    }
}

/// The beginning of a value: as text where it is one, else in bytes.
fn begun(column: Option<&ColumnType>, cut: &[u8]) -> String {
    let Some((_, body)) = cut.split_first() else { return "…".to_owned() };
    let is_text = column.is_some_and(|column| column.cql.is_text() && !column.descending);
    if is_text
        && !body.contains(&0)
        && let Ok(text) = std::str::from_utf8(body)
    {
        return format!("'{text}…");
    }
    let mut text = String::new();
    cql::push_hex(&mut text, body);
    text.push('…');
    text
}

type Taken<'a> = (Option<Vec<u8>>, &'a [u8]);

/// A separator and the value after it; `None` when it is cut. Something must follow a value, so that it is whole.
fn component<'a>(column: &ColumnType, bytes: &'a [u8]) -> Option<Taken<'a>> {
    let (separator, rest) = bytes.split_first()?;
    match *separator {
        NULL => return Some((None, rest)),
        EMPTY | EMPTY_DESCENDING => return Some((Some(Vec::new()), rest)),
        NEXT => {}
        _ => return None,
    }
    let inverted: Vec<u8>;
    let plain = if column.descending {
        inverted = rest.iter().map(|byte| !byte).collect();
        &inverted
    } else {
        rest
    };
    let (value, used) = take(column.cql.unfrozen(), plain)?;
    let after = rest.get(used..).filter(|after| !after.is_empty())?;
    Some((Some(value), after))
}

/// A value and the number of bytes it had.
fn take(cql: &CqlType, bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let signed = |n| fixed(bytes, n, |first| first ^ 0x80);
    let same = |n| fixed(bytes, n, |first| first);
    match cql {
        CqlType::Boolean => same(1),
        CqlType::Tinyint => signed(1),
        CqlType::Smallint => signed(2),
        CqlType::Int => signed(4),
        CqlType::Timestamp => signed(8),
        CqlType::Date => same(4),
        CqlType::Time | CqlType::OldTimestamp => same(8),
        CqlType::Float => float(bytes, 4),
        CqlType::Double => float(bytes, 8),
        CqlType::Bigint => {
            let (number, used) = number(bytes)?;
            Some((number.to_be_bytes().to_vec(), used))
        }
        CqlType::Varint => {
            // From ff and 00 on the code has another form.
            let short = bytes.first().is_some_and(|first| !matches!(first, 0 | 1 | 0xfe | 0xff));
            let (number, used) = number(bytes).filter(|_| short)?;
            Some((minimal(number), used))
        }
        CqlType::Uuid | CqlType::Timeuuid => {
            let (code, _) = bytes.split_first_chunk::<16>()?;
            Some((uuid(*code, *cql == CqlType::Timeuuid), 16))
        }
        CqlType::Ascii | CqlType::Text | CqlType::Blob | CqlType::Inet | CqlType::Duration => {
            unescape(bytes)
        }
        _ => None,
    }
}

fn fixed(bytes: &[u8], n: usize, first: impl Fn(u8) -> u8) -> Option<(Vec<u8>, usize)> {
    let mut value = bytes.get(..n)?.to_vec();
    let head = value.first_mut()?;
    *head = first(*head);
    Some((value, n))
}

fn float(bytes: &[u8], n: usize) -> Option<(Vec<u8>, usize)> {
    let code = bytes.get(..n)?;
    if code.first()? & 0x80 != 0 {
        return fixed(bytes, n, |first| first ^ 0x80);
    }
    Some((code.iter().map(|byte| !byte).collect(), n))
}

/// A `bigint` of variable length.
fn number(bytes: &[u8]) -> Option<(i64, usize)> {
    let invert = if bytes.first()? & 0x80 == 0 { 0xff } else { 0 };
    let first = bytes.first()? ^ invert;
    let mut length = usize::try_from(first.leading_ones()).ok()?;
    let is_long = |byte: &u8| (byte ^ invert) & 0x80 != 0;
    if length == 8 && is_long(bytes.get(1)?) {
        length = 9;
    }
    let code = bytes.get(..length)?;
    // Of nine bytes the first is a mark alone, and the top bit of the second belongs to it.
    let value = code.iter().fold(0u64, |n, byte| n << 8 | u64::from(byte ^ invert));
    let magnitude = match length {
        9 => value & (u64::MAX >> 1),
        n => value & ((1u64 << (7 * n - 1)) - 1),
    };
    let magnitude = magnitude.cast_signed();
    Some((if invert == 0 { magnitude } else { !magnitude }, length))
}

fn minimal(number: i64) -> Vec<u8> {
    num_bigint::BigInt::from(number).to_signed_bytes_be()
}

fn uuid(code: [u8; 16], time: bool) -> Vec<u8> {
    let both = u128::from_be_bytes(code);
    let code = both >> 64;
    let version = code >> 60;
    let high = if version == 1 {
        (code & 0xffff_ffff) << 32 | (code >> 32 & 0xffff) << 16 | code >> 48
    } else {
        (code >> 12 & 0xffff_ffff_ffff) << 16 | version << 12 | code & 0xfff
    };
    let flip = if time { 0x8080_8080_8080_8080 } else { 0 };
    let low = both & u128::from(u64::MAX) ^ flip;
    (high << 64 | low).to_be_bytes().to_vec()
}

fn unescape(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut value = Vec::new();
    let mut in_run = false;
    for (at, byte) in bytes.iter().enumerate() {
        match (in_run, *byte) {
            (false, 0) => in_run = true,
            (false, plain) => value.push(plain),
            (true, 0xfe) => value.push(0),
            (true, 0xff) => {
                value.push(0);
                in_run = false;
            }
            (true, _) => return Some((value, at)),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Dialect;

    fn hex(text: &str) -> Vec<u8> {
        cql::hex(&text.replace(' ', "")).unwrap()
    }

    #[test]
    fn numbers_are_read_back_from_every_length() {
        let schema = ClusteringSchema::from_classes(["LongType"]);
        for shift in 0..64 {
            for number in [1i64 << shift, (1i64 << shift).wrapping_sub(1), -1i64 << shift] {
                for number in [number, !number] {
                    let value = Some(number.to_be_bytes().to_vec());
                    let place =
                        schema.target(Dialect::CASSANDRA, RowKind::Row, vec![value.clone()]);
                    let decoded = schema.decode(&place.comparable);
                    assert_eq!(decoded.values, [value], "{number}");
                    assert_eq!(decoded.kind, Some(RowKind::Row));
                }
            }
        }
    }

    #[test]
    fn places_are_described_as_far_as_they_go() {
        let check = |classes: &[&str], bytes: &str, text: &str| {
            let schema = ClusteringSchema::from_classes(classes.iter().copied());
            assert_eq!(schema.describe(&hex(bytes)), text, "{bytes}");
        };
        let both = ["Int32Type", "UTF8Type"];
        check(&both, "40 80000005 40 616200 38", "5, 'ab'");
        check(&both, "40 80000005 20", "before 5");
        check(&both, "40 80000005 60", "after 5");
        check(&both, "20", "before all rows");
        check(&both, "60", "after all rows");
        check(&both, "3f 3e 38", "empty, null");
        check(&both, "40 80000005 40 6162", "5, 'ab…");
        check(&both, "40 80000005 40", "5, '…");
        check(&both, "40 8000", "0x8000…");
        check(&both, "40", "0x…");
        check(&both, "", "…");
        check(&["ReversedType(UTF8Type)"], "40 9e9dff 38", "'ab'");
        check(&["ReversedType(UTF8Type)"], "40 9e9d", "0x9e9d…");
        check(&["DecimalType"], "40 c101818a00 38", "0xc101818a0038…");
        check(&["UTF8Type"], "40 4100feff4200 38", "'A\0\0B'");
    }
}
