//! Partition keys as bytes in the order of the table: token, then the key. `docs/format/keys.md`.

use super::encode::{self, NEXT};
use super::{Hash, KeySchema, Partitioner, Token, numbers};
use crate::lookup::RowKind;
use crate::race::{ComparablePart, ComparableWhat};
use crate::table::Version;

/// What differs between the databases in byte-comparable keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dialect {
    /// How the part of a partition key after the token is written.
    pub key_style: KeyStyle,
    /// An empty element inside a tuple or collection is written as one (`3f`, ScyllaDB); else as null (`3e`, Cassandra).
    pub marks_empty_elements: bool,
    /// A tuple of zero bytes is the tuple of nulls (ScyllaDB); else it is an empty value (Cassandra).
    pub empty_tuple_is_nulls: bool,
}

/// How the part of a partition key after the token is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyStyle {
    /// The whole serialized key as one blob (Cassandra, ScyllaDB `mt`): the order of Data.db.
    Blob,
    /// Each column by its own type (ScyllaDB `ms`), which is another order for keys of one token.
    Columns,
    /// As [`Self::Blob`] in an older form, with another end (DSE `bb`).
    OldBlob,
}

impl Dialect {
    /// Cassandra 5.
    pub const CASSANDRA: Self = Self {
        key_style: KeyStyle::Blob,
        marks_empty_elements: false,
        empty_tuple_is_nulls: false,
    };

    /// The dialect of a version. Versions without a trie have Cassandra's: it orders their clusterings as well.
    pub const fn of(version: Version) -> Self {
        let scylla = matches!(version.product(), crate::table::Product::ScyllaDb);
        let dse = matches!(version.product(), crate::table::Product::Dse);
        let key_style = if version.has_column_wise_keys() {
            KeyStyle::Columns
        } else if dse {
            KeyStyle::OldBlob
        } else {
            KeyStyle::Blob
        };
        Self { key_style, marks_empty_elements: scylla, empty_tuple_is_nulls: scylla }
    }
}

/// Byte-comparable bytes and what they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComparableKey {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Their parts, in order and without gaps.
    pub parts: Vec<ComparablePart>,
}

impl ComparableKey {
    /// Appends a part that `write` writes.
    pub(super) fn part(&mut self, what: ComparableWhat, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len();
        write(&mut self.bytes);
        let bytes = u32::try_from(self.bytes.len().saturating_sub(start)).unwrap_or(u32::MAX);
        if bytes > 0 {
            self.parts.push(ComparablePart { bytes, what });
        }
    }

    /// Appends one byte.
    pub(super) fn byte(&mut self, what: ComparableWhat, byte: u8) {
        self.part(what, |out| out.push(byte));
    }
}

/// A side of everything that has a token, or a clustering prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// Just before it.
    Before,
    /// Just after it.
    After,
}

impl Bound {
    const fn byte(self) -> u8 {
        match self {
            Self::Before => terminator(RowKind::Before),
            Self::After => terminator(RowKind::After),
        }
    }
}

/// The last byte of a position: a key or a row, or a bound before or after all that begins with it.
pub(super) const fn terminator(kind: RowKind) -> u8 {
    match kind {
        RowKind::Before => 0x20,
        RowKind::Row => 0x38,
        RowKind::After => 0x60,
    }
}

/// The byte-comparable form of a serialized partition key.
///
/// With [`KeyStyle::Columns`] and a key that does not have the columns of the schema, or without a schema, the key is
/// written as one blob: no table holds such a key, and the token before it is right.
pub fn partition_key(
    partitioner: &Partitioner,
    style: KeyStyle,
    schema: &KeySchema,
    key: &[u8],
) -> ComparableKey {
    let mut comparable = ComparableKey::default();
    comparable.byte(ComparableWhat::Separator, NEXT);
    let token = partitioner.token(key);
    comparable.part(ComparableWhat::Token, |out| {
        if !put_token(out, &token) {
            encode::escape(out, key);
        }
    });
    let columns = match style {
        KeyStyle::Columns if schema.is_known() => schema.unpack(key),
        _ => None,
    };
    match columns {
        Some(values) => {
            for (cql, value) in schema.columns().iter().zip(values) {
                let dialect = Dialect {
                    key_style: KeyStyle::Columns,
                    marks_empty_elements: true,
                    empty_tuple_is_nulls: true,
                };
                encode::component(&mut comparable, cql, false, Some(value), dialect);
            }
        }
        None => {
            comparable.byte(ComparableWhat::Separator, NEXT);
            comparable.part(ComparableWhat::Key, |out| {
                encode::escape(out, key);
                // The older form closes a run of zero bytes twice.
                if style == KeyStyle::OldBlob && key.last() == Some(&0) {
                    out.push(0);
                }
            });
        }
    }
    if style != KeyStyle::OldBlob {
        comparable.byte(ComparableWhat::Terminator, terminator(RowKind::Row));
    }
    comparable
}

/// As [`partition_key`] for Murmur3 tokens and [`KeyStyle::Blob`] into a buffer that is cleared first: nothing is
/// allocated once it has grown. `hash` is [`super::murmur3`] of `key`.
#[inline]
pub fn murmur3_blob_into(key: &[u8], hash: Hash, out: &mut Vec<u8>) {
    let [a, b, c, d, e, f, g, h] = murmur3_bytes(Token::of_murmur3(key, hash));
    out.clear();
    // Few copies: hashing and translating a 4-byte key takes 10 ns so, and 13 with one for every part.
    out.extend_from_slice(&[NEXT, a, b, c, d, e, f, g, h, NEXT]);
    encode::escape(out, key);
    out.push(terminator(RowKind::Row));
}

/// The position just before or just after all keys of a token; `None` where tokens are the keys themselves.
pub fn token_bound(token: &Token, bound: Bound) -> Option<Vec<u8>> {
    let mut out = vec![NEXT];
    if !put_token(&mut out, token) {
        return None;
    }
    out.push(bound.byte());
    Some(out)
}

#[inline]
fn murmur3_bytes(token: i64) -> [u8; 8] {
    // The sign flipped, so that unsigned bytes have the order of signed numbers.
    (token.cast_unsigned() ^ 1 << 63).to_be_bytes()
}

fn put_token(out: &mut Vec<u8>, token: &Token) -> bool {
    match token {
        Token::Murmur3(token) => out.extend_from_slice(&murmur3_bytes(*token)),
        Token::Random(token) => {
            let mut bytes = vec![0];
            bytes.extend_from_slice(&token.to_be_bytes());
            numbers::put_varint(out, &bytes);
        }
        Token::Key => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cql::CqlType;
    use crate::keys::murmur3;

    fn hex(text: &str) -> Vec<u8> {
        crate::cql::hex(&text.replace(' ', "")).unwrap()
    }

    fn check(types: &[CqlType], key: &str, blob: &str, columns: &str) {
        let schema = KeySchema::new(types.to_vec());
        let key = hex(key);
        let of = |style| partition_key(&Partitioner::Murmur3, style, &schema, &key);
        assert_eq!(of(KeyStyle::Blob).bytes, hex(blob));
        assert_eq!(of(KeyStyle::Columns).bytes, hex(columns));
        for style in [KeyStyle::Blob, KeyStyle::Columns, KeyStyle::OldBlob] {
            let comparable = of(style);
            let sum: u32 = comparable.parts.iter().map(|part| part.bytes).sum();
            assert_eq!(sum as usize, comparable.bytes.len());
        }
        let mut out = vec![9; 3];
        murmur3_blob_into(&key, murmur3(&key), &mut out);
        assert_eq!(out, hex(blob));
    }

    #[test]
    fn partition_keys_equal_the_table_of_the_format_text() {
        check(
            &[CqlType::Int],
            "01020304",
            "40 8a0090a9da040fe3 40 0102030400 38",
            "40 8a0090a9da040fe3 40 81020304 38",
        );
        check(
            &[CqlType::Bigint],
            "0123456789abcdef",
            "40 ef24ac460b9c0027 40 0123456789abcdef00 38",
            "40 ef24ac460b9c0027 40 ff8123456789abcdef 38",
        );
        check(
            &[CqlType::Blob],
            "00000000",
            "40 4fa0f7ddd84c76bc 40 00fefefefe 38",
            "40 4fa0f7ddd84c76bc 40 00fefefefe 38",
        );
        check(
            &[CqlType::Bigint, CqlType::Blob],
            "0008 0123456789abcdef 00 0005 0100020003 00",
            "40 f9086c2c2e019e3e 40 00ff080123456789abcdef00feff050100ff0200ff0300fe 38",
            "40 f9086c2c2e019e3e 40 ff8123456789abcdef 40 0100ff0200ff0300 38",
        );
        check(
            &[CqlType::Int, CqlType::Text],
            "0004 00000007 00 0002 6162 00",
            "40 7973b522363f94ff 40 00ff0400fefeff0700feff02616200fe 38",
            "40 7973b522363f94ff 40 80000007 40 616200 38",
        );
    }

    #[test]
    fn other_partitioners_put_their_token_first() {
        let schema = KeySchema::new(vec![CqlType::Text]);
        let ordered = partition_key(&Partitioner::ByteOrdered, KeyStyle::Blob, &schema, b"a");
        assert_eq!(ordered.bytes, hex("40 6100 40 6100 38"));
        let random = partition_key(&Partitioner::Random, KeyStyle::Blob, &schema, &[0, 0, 0, 1]);
        // 19580090105725936846312850328329299579 has 16 bytes: ff, 16 - 7 = 9, then the number.
        let expected = "40 ff090ebafcf9ae89db5a815044071266a67b 40 00fefeff0100 38";
        assert_eq!(random.bytes, hex(expected));
    }

    #[test]
    fn a_token_bound_lies_around_the_keys_of_the_token() {
        let key = [0, 0, 0, 1];
        let token = Partitioner::Murmur3.token(&key);
        let schema = KeySchema::default();
        let at = partition_key(&Partitioner::Murmur3, KeyStyle::Blob, &schema, &key).bytes;
        let before = token_bound(&token, Bound::Before).unwrap();
        let after = token_bound(&token, Bound::After).unwrap();
        assert_eq!(before, hex("40 478499982ae4e0cf 20"));
        assert_eq!(after, hex("40 478499982ae4e0cf 60"));
        assert!(before < at && at < after);
        assert_eq!(token_bound(&Token::Key, Bound::After), None);
    }

    #[test]
    fn the_dialect_follows_the_version() {
        let of = |version: &[u8]| Dialect::of(Version::new(version).unwrap());
        assert_eq!(of(b"da"), Dialect::CASSANDRA);
        assert_eq!(of(b"oa"), Dialect::CASSANDRA);
        assert_eq!(of(b"me"), Dialect::CASSANDRA);
        assert_eq!(of(b"ms").key_style, KeyStyle::Columns);
        assert_eq!(of(b"mt").key_style, KeyStyle::Blob);
        assert!(of(b"mt").marks_empty_elements);
        assert_eq!(of(b"bb").key_style, KeyStyle::OldBlob);
    }
}
