//! Byte-comparable places back to values, as far as they go: separators of row tries are cut after the byte that tells
//! two blocks apart. `docs/format/keys.md`.

use super::encode::{EMPTY, EMPTY_DESCENDING, NEXT, NULL};
use super::{
    ClusteringSchema, KeySchema, KeyStyle, Partitioner, Token, comparable, numbers, values,
};
use crate::cql::{self, ColumnType};
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
    /// The values of a place. Bytes that are cut, or are no code of the type, end it early: then the rest is in
    /// [`Decoded::cut`].
    ///
    /// Some values have one code together, and one of them comes back: a `decimal` without needless zeros, `varint`s in
    /// their shortest form, tuples and user types with all their fields. Of Cassandra's files also null where a field
    /// before the last one of a tuple is empty.
    pub fn decode(&self, bytes: &[u8]) -> Decoded {
        let mut values = Vec::new();
        let mut rest = bytes;
        for column in self.columns() {
            let Some((value, after)) = component(column, rest) else { break };
            values.push(value);
            rest = after;
        }
        let kind = end(rest);
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

/// What a byte-comparable partition key, or the beginning of one, says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecodedKey {
    /// The token, when its bytes are whole.
    pub token: Option<Token>,
    /// Least and greatest Murmur3 token that begin with these bytes: one number twice when all are there.
    pub tokens: Option<(i64, i64)>,
    /// The columns that are whole, serialized; only where each is written by its own type.
    pub values: Vec<Option<Vec<u8>>>,
    /// The serialized key, when its bytes are whole.
    pub key: Option<Vec<u8>>,
    /// What the place is, when the bytes have an end. Keys of DSE have none.
    pub kind: Option<RowKind>,
    /// The bytes after what is whole, when there is no end.
    pub cut: Vec<u8>,
}

/// The token, columns and key of a byte-comparable partition key. Leaves of Partitions.db have only as many of its bytes
/// as tell the keys apart, so it is mostly cut: then the rest is in [`DecodedKey::cut`].
///
/// With [`KeyStyle::OldBlob`] a key that is cut after a zero byte looks whole, since nothing ends one.
pub fn decode_partition_key(
    partitioner: &Partitioner,
    style: KeyStyle,
    schema: &KeySchema,
    bytes: &[u8],
) -> DecodedKey {
    let mut decoded = DecodedKey::default();
    let mut rest = bytes;
    if *partitioner == Partitioner::Murmur3 {
        let known = bytes.strip_prefix(&[NEXT]).unwrap_or_default();
        decoded.tokens = bytes.first().is_none_or(|first| *first == NEXT).then(|| {
            let of = |fill: u8| {
                let mut token = [fill; 8];
                token.iter_mut().zip(known).for_each(|(to, from)| *to = *from);
                i64::from_be_bytes(token) ^ i64::MIN
            };
            (of(0), of(0xff))
        });
    }
    if let Some((token, after)) = bytes.strip_prefix(&[NEXT]).and_then(|b| token(partitioner, b)) {
        decoded.token = Some(token);
        rest = after;
        let columns = match style {
            KeyStyle::Columns => schema.columns(),
            KeyStyle::Blob | KeyStyle::OldBlob => &[],
        };
        for cql in columns {
            let column = ColumnType { cql: cql.clone(), descending: false };
            let Some((value, after)) = component(&column, rest) else { break };
            decoded.values.push(value);
            rest = after;
        }
        if columns.is_empty() {
            if let Some((key, after)) = rest.strip_prefix(&[NEXT]).and_then(|b| blob(style, b)) {
                decoded.key = Some(key);
                rest = after;
            }
        } else {
            let values: Option<Vec<_>> = decoded.values.iter().map(Option::as_deref).collect();
            decoded.key = values.and_then(|values| schema.pack(&values));
        }
    }
    decoded.kind = end(rest);
    if decoded.kind.is_none() {
        decoded.cut = rest.to_vec();
    }
    decoded
}

/// A token, and what follows it.
fn token<'a>(partitioner: &Partitioner, bytes: &'a [u8]) -> Option<(Token, &'a [u8])> {
    let (token, used) = match partitioner {
        Partitioner::Murmur3 => {
            let (token, _) = bytes.split_first_chunk::<8>()?;
            (Token::Murmur3(i64::from_be_bytes(*token) ^ i64::MIN), 8)
        }
        Partitioner::Random => {
            let (number, used) = numbers::take_varint(bytes)?;
            // 2^127 has 16 bytes and a zero before them for the sign.
            let number = number
                .iter()
                .try_fold(0u128, |n, byte| (n >> 120 == 0).then_some(n << 8 | u128::from(*byte)))?;
            (Token::Random(number), used)
        }
        // The key itself, which follows once more.
        Partitioner::ByteOrdered | Partitioner::OrderPreserving | Partitioner::Unknown(_) => {
            let (_, used) = values::unescape(bytes)?;
            (Token::Key, used)
        }
    };
    Some((token, bytes.get(used..)?))
}

/// A key that is written as one blob, and what follows it.
fn blob(style: KeyStyle, bytes: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    if style != KeyStyle::OldBlob {
        let (key, used) = values::unescape(bytes)?;
        return Some((key, bytes.get(used..)?));
    }
    // Nothing follows it but a second end after a run of zero bytes, so one is added.
    let mut ended = bytes.to_vec();
    ended.push(comparable::terminator(RowKind::Row));
    let (key, used) = values::unescape(&ended)?;
    matches!(bytes.get(used..)?, [] | [0]).then_some((key, &[]))
}

fn end(rest: &[u8]) -> Option<RowKind> {
    let [end] = rest else { return None };
    [RowKind::Row, RowKind::Before, RowKind::After]
        .into_iter()
        .find(|kind| comparable::terminator(*kind) == *end)
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
    let (value, used) = values::take(&column.cql, plain)?;
    let after = rest.get(used..).filter(|after| !after.is_empty())?;
    Some((Some(value), after))
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
        check(&["DecimalType"], "40 c101818a00 38", "1.1");
        check(&["DecimalType"], "40 c101818a", "0xc101818a…");
        check(&["TupleType(Int32Type,UTF8Type)"], "40 40 80000001 40 61", "0x40800000014061…");
        check(&["ReversedType(ListType(Int32Type))"], "40 bf7ffffffe c7 38", "[1]");
        check(&["UTF8Type"], "40 4100feff4200 38", "'A\0\0B'");
    }
}
