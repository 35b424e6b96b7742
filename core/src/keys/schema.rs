//! The columns of a partition key: from typed text to the serialized key and back.

use super::{Partitioner, Token};
use crate::cql::{self, CqlType, LiteralError, Scanner, after_0x, hex, push_hex, wire};
use crate::limits;

/// The columns of a partition key. Without Statistics.db they are unknown, and keys are written in hexadecimal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeySchema {
    columns: Vec<CqlType>,
}

/// What a person asks for in the key box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyInput {
    /// A key, serialized.
    Key(Vec<u8>),
    /// The partitions from a token on.
    Token(Token),
}

impl KeySchema {
    /// A key whose columns are not known.
    pub const UNKNOWN: &'static Self = &Self { columns: Vec::new() };

    /// A key of these columns; none means that they are unknown.
    pub fn new(columns: Vec<CqlType>) -> Self {
        Self { columns }
    }

    /// From the key type of Statistics.db: `CompositeType(…)` for several columns.
    pub fn from_class(class: &str) -> Self {
        Self { columns: cql::key_columns(class) }
    }

    /// The types of the columns in order; empty when they are unknown.
    pub fn columns(&self) -> &[CqlType] {
        &self.columns
    }

    /// Whether the columns are known.
    pub fn is_known(&self) -> bool {
        !self.columns.is_empty()
    }

    /// What is typed in the key box: literals of the columns (`42`, `'user:7'`, `user:7`, `(1, 'a')`, `1:'a'`), a
    /// serialized key as `0x…`, or a token as `token:…`.
    ///
    /// # Errors
    /// [`LiteralError`] says in a sentence what was expected.
    pub fn parse(&self, partitioner: &Partitioner, text: &str) -> Result<KeyInput, LiteralError> {
        let text = text.trim();
        if let Some(token) = text.strip_prefix("token:") {
            return parse_token(partitioner, token.trim()).map(KeyInput::Token);
        }
        let key = self.parse_key(text)?;
        if key.len() > limits::KEY_BYTES {
            let expected = format!("it has {} bytes, and at most 65535 fit", key.len());
            return Err(LiteralError::new(text, "partition key", expected));
        }
        Ok(KeyInput::Key(key))
    }

    fn parse_key(&self, text: &str) -> Result<Vec<u8>, LiteralError> {
        if text.len() > limits::LITERAL_BYTES {
            let expected = format!("at most {} characters", limits::LITERAL_BYTES);
            return Err(LiteralError::new(text, "partition key", expected));
        }
        // Bytes of the whole key; in a key of several columns `0xca:1` begins with a blob instead.
        if let Some(digits) = after_0x(text) {
            match (hex(digits), self.columns.as_slice()) {
                (Some(key), _) => return Ok(key),
                (None, [] | [_]) => {
                    let expected = "0x and an even number of hexadecimal digits";
                    return Err(LiteralError::new(text, "key in bytes", expected));
                }
                (None, _) => {}
            }
        }
        match self.columns.as_slice() {
            [] => {
                let expected = "the types are not known here, so only its bytes are understood, \
                                as 0x and hexadecimal digits";
                Err(LiteralError::new(text, "partition key", expected))
            }
            [one] => {
                let values = values(text, &[one], "partition key")?;
                let value = values.into_iter().next().flatten();
                value.ok_or_else(|| LiteralError::new(text, "partition key", "keys are never null"))
            }
            all => {
                let types: Vec<_> = all.iter().collect();
                let values = values(text, &types, "partition key")?;
                let values: Option<Vec<_>> = values.into_iter().collect();
                match values {
                    Some(values) if values.len() == all.len() => {
                        let parts: Vec<_> = values.iter().map(Vec::as_slice).collect();
                        self.pack(&parts).ok_or_else(|| {
                            let expected = "each of its columns has at most 65535 bytes";
                            LiteralError::new(text, "partition key", expected)
                        })
                    }
                    Some(values) => Err(wrong_count(text, "partition key", &types, values.len())),
                    None => {
                        let expected = "none of its columns is ever null";
                        Err(LiteralError::new(text, "partition key", expected))
                    }
                }
            }
        }
    }

    /// The serialized key with these column values: one value as it is, of several each a `u16` length, the bytes, a
    /// zero byte. `None` when the number of columns is another or a value is too long.
    pub fn pack(&self, values: &[&[u8]]) -> Option<Vec<u8>> {
        if let ([_], [value]) = (self.columns.as_slice(), values) {
            return Some(value.to_vec());
        }
        if values.len() != self.columns.len() {
            return None;
        }
        let mut key = Vec::new();
        for value in values {
            key.extend_from_slice(&u16::try_from(value.len()).ok()?.to_be_bytes());
            key.extend_from_slice(value);
            key.push(0);
        }
        Some(key)
    }

    /// The column values of a serialized key; `None` when it does not have these columns.
    pub fn unpack<'a>(&self, key: &'a [u8]) -> Option<Vec<&'a [u8]>> {
        match self.columns.len() {
            0 => None,
            1 => Some(vec![key]),
            n => wire::composite(key, n),
        }
    }

    /// A serialized key as CQL text, `(1, 'a')` when it has several columns, `0x…` when it does not have the form.
    pub fn to_text(&self, key: &[u8]) -> String {
        if let [one] = self.columns.as_slice() {
            return cql::to_text(one, key);
        }
        match self.unpack(key) {
            Some(values) => {
                let texts: Vec<_> = self
                    .columns
                    .iter()
                    .zip(values)
                    .map(|(cql, value)| cql::to_text(cql, value))
                    .collect();
                format!("({})", texts.join(", "))
            }
            None => {
                let mut text = String::new();
                push_hex(&mut text, key);
                text
            }
        }
    }
}

fn parse_token(partitioner: &Partitioner, text: &str) -> Result<Token, LiteralError> {
    let digits = text.replacen('−', "-", 1);
    let token = match partitioner {
        Partitioner::Murmur3 => digits.parse().ok().map(Token::Murmur3),
        Partitioner::Random => {
            digits.parse().ok().filter(|token| *token <= 1 << 127).map(Token::Random)
        }
        _ => None,
    };
    token.ok_or_else(|| {
        let expected = match partitioner {
            Partitioner::Murmur3 => "a number from −9223372036854775808 to 9223372036854775807",
            Partitioner::Random => "a number from 0 to 170141183460469231731687303715884105728",
            _ => "the partitioner of this table orders the keys themselves, so type a key",
        };
        LiteralError::new(text, "token", expected)
    })
}

/// Values of the first columns, as typed: `1, 'a'`, `(1, 'a')` or `1:'a'`, text without quotes where nothing else can
/// be meant. There is at least one, and never more than columns.
pub(super) fn values(
    text: &str,
    types: &[&CqlType],
    wanted: &str,
) -> Result<Vec<Option<Vec<u8>>>, LiteralError> {
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let mut first_error = None;
    let mut found: Vec<Vec<Option<Vec<u8>>>> = Vec::new();
    // The colon is tried first only where there is no comma, so that the error speaks of what was meant.
    let separators = if text.contains(',') { [',', ':'] } else { [':', ','] };
    for text in inner.into_iter().chain([text]) {
        for separator in separators {
            match separated(text, types, separator, wanted) {
                Ok(values) if found.contains(&values) => {}
                Ok(values) => found.push(values),
                Err(error) => {
                    first_error.get_or_insert(error);
                }
            }
        }
    }
    // The reading with most columns is meant; two of the same length are two meanings.
    found.sort_by_key(|values| std::cmp::Reverse(values.len()));
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some(values), Some(other)) if values.len() == other.len() => {
            Err(LiteralError::new(text, wanted, "it can be read in two ways: put text in quotes"))
        }
        (Some(values), _) => Ok(values),
        (None, _) => Err(first_error.unwrap_or_else(|| wrong_count(text, wanted, types, 0))),
    }
}

fn separated(
    text: &str,
    types: &[&CqlType],
    separator: char,
    wanted: &str,
) -> Result<Vec<Option<Vec<u8>>>, LiteralError> {
    let mut scanner = Scanner::new(text);
    let mut values = Vec::new();
    for (i, cql) in types.iter().enumerate() {
        let stops: &[char] = if i + 1 == types.len() { &[] } else { &[separator] };
        values.push(column(&mut scanner, cql, stops)?);
        if scanner.is_done() {
            return Ok(values);
        }
        if !scanner.eat(separator) {
            return Err(wrong_count(text, wanted, types, values.len()));
        }
    }
    Err(wrong_count(text, wanted, types, values.len() + 1))
}

fn column(
    scanner: &mut Scanner<'_>,
    cql: &CqlType,
    stops: &[char],
) -> Result<Option<Vec<u8>>, LiteralError> {
    let is_bare = cql.is_text()
        && scanner.peek().is_some_and(|first| !"'\"([{".contains(first))
        && !scanner.rest.trim_start().starts_with("$$")
        && after_0x(scanner.rest.trim_start()).is_none();
    if !is_bare {
        return cql::term(scanner, cql, stops);
    }
    let word = scanner.word(stops);
    if word.is_empty() || *cql == CqlType::Ascii && !word.is_ascii() {
        return Err(LiteralError::of(cql, word));
    }
    Ok(Some(word.as_bytes().to_vec()))
}

pub(super) fn wrong_count(
    text: &str,
    wanted: &str,
    types: &[&CqlType],
    found: usize,
) -> LiteralError {
    let names: Vec<_> = types.iter().map(|cql| cql.name()).collect();
    let names = names.join(", ");
    let expected = match types.len() {
        0 => "this table has no such columns".to_owned(),
        1 => format!("it has one column, {names}"),
        n if found > n => format!("it has {n} columns only, ({names})"),
        n => format!("it has {n} columns, ({names}), with commas or colons between them"),
    };
    LiteralError::new(text, wanted, expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(types: &[CqlType]) -> KeySchema {
        KeySchema::new(types.to_vec())
    }

    fn check(types: &[CqlType], text: &str, expected: &[u8]) {
        let parsed = schema(types).parse(&Partitioner::Murmur3, text);
        assert_eq!(parsed, Ok(KeyInput::Key(expected.to_vec())), "{text}");
    }

    fn refused(types: &[CqlType], text: &str, sentence: &str) {
        let error = schema(types).parse(&Partitioner::Murmur3, text).unwrap_err();
        assert_eq!(error.to_string(), sentence);
    }

    #[test]
    fn keys_of_one_column() {
        check(&[CqlType::Int], "42", &[0, 0, 0, 42]);
        check(&[CqlType::Int], " (42) ", &[0, 0, 0, 42]);
        check(&[CqlType::Int], "−1", &[0xff; 4]);
        check(&[CqlType::Int], "0x2a", &[42]);
        check(&[CqlType::Text], "'user:7'", b"user:7");
        check(&[CqlType::Text], "user:7", b"user:7");
        check(&[CqlType::Text], "('it''s')", b"it's");
        check(&[CqlType::Text], "a, b", b"a, b");
        check(&[CqlType::Text], "0xcafe", &[0xca, 0xfe]);
        check(&[CqlType::Text], "null", b"null");
        check(&[CqlType::Blob], "0xcafe", &[0xca, 0xfe]);
        check(&[CqlType::Blob], "0x", &[]);
        check(&[CqlType::Inet], "::1", &1u128.to_be_bytes());
        check(&[CqlType::Time], "08:30", &30_600_000_000_000i64.to_be_bytes());
        check(
            &[CqlType::Uuid],
            "3b7f587e-2521-4444-baef-66a887fcbeff",
            &0x3b7f_587e_2521_4444_baef_66a8_87fc_beff_u128.to_be_bytes(),
        );
    }

    #[test]
    fn keys_of_several_columns() {
        let both = [CqlType::Int, CqlType::Text];
        let key = [0, 4, 0, 0, 0, 1, 0, 0, 1, b'a', 0];
        for text in ["(1, 'a')", "1:'a'", "1, 'a'", "1:a", "( 1,a )", "0x000400000001000001 6100"] {
            let text = if text.starts_with("0x") { &text.replace(' ', "") } else { text };
            check(&both, text, &key);
        }
        let text = schema(&both).to_text(&key);
        assert_eq!(text, "(1, 'a')");
        check(&[CqlType::Blob, CqlType::Int], "0xca:1", &[0, 1, 0xca, 0, 0, 4, 0, 0, 0, 1, 0]);
        check(&both, "1:a:b", &[0, 4, 0, 0, 0, 1, 0, 0, 3, b'a', b':', b'b', 0]);
        let tuple = CqlType::Tuple(vec![CqlType::Int]);
        let one = [0, 0, 0, 4, 0, 0, 0, 1];
        let key = [&[0, 8][..], &one, &[0, 0, 8], &one, &[0]].concat();
        check(&[tuple.clone(), tuple], "(1):(1)", &key);
    }

    #[test]
    fn what_does_not_fit_is_explained() {
        refused(
            &[CqlType::Int],
            "17x21",
            "`17x21` is no int: a number from −2147483648 to 2147483647",
        );
        refused(&[CqlType::Int], "", "int is missing: a number from −2147483648 to 2147483647");
        refused(
            &[CqlType::Int],
            "1, 2",
            "`1, 2` is no int: a number from −2147483648 to 2147483647",
        );
        refused(
            &[CqlType::Int, CqlType::Text],
            "(1)",
            "`(1)` is no partition key: it has 2 columns, (int, text), with commas or colons between them",
        );
        refused(
            &[CqlType::Int, CqlType::Int],
            "1:2:3",
            "`2:3` is no int: a number from −2147483648 to 2147483647",
        );
        refused(
            &[CqlType::Text, CqlType::Text],
            "a:b,c",
            "`a:b,c` is no partition key: it can be read in two ways: put text in quotes",
        );
        refused(
            &[],
            "42",
            "`42` is no partition key: the types are not known here, so only its bytes are \
             understood, as 0x and hexadecimal digits",
        );
        refused(
            &[CqlType::Blob],
            "0xcaf",
            "`0xcaf` is no key in bytes: 0x and an even number of hexadecimal digits",
        );
    }

    #[test]
    fn tokens_are_those_of_the_partitioner() {
        let token = |partitioner: Partitioner, text: &str| {
            KeySchema::default().parse(&partitioner, text).map_err(|error| error.to_string())
        };
        let murmur3 = |text| token(Partitioner::Murmur3, text);
        assert_eq!(murmur3("token:-123"), Ok(KeyInput::Token(Token::Murmur3(-123))));
        assert_eq!(murmur3("token: −123"), Ok(KeyInput::Token(Token::Murmur3(-123))));
        assert_eq!(
            murmur3("token:x"),
            Err("`x` is no token: a number from −9223372036854775808 to 9223372036854775807"
                .to_owned())
        );
        let random = token(Partitioner::Random, "token:170141183460469231731687303715884105728");
        assert_eq!(random, Ok(KeyInput::Token(Token::Random(1 << 127))));
        assert!(token(Partitioner::Random, "token:-1").is_err());
        assert!(token(Partitioner::ByteOrdered, "token:1").is_err());
    }

    #[test]
    fn a_key_that_is_not_composite_is_shown_in_bytes() {
        let both = schema(&[CqlType::Int, CqlType::Text]);
        assert_eq!(both.to_text(&[0, 9, 1]), "0x000901");
        assert_eq!(schema(&[]).to_text(&[0, 9, 1]), "0x000901");
        assert_eq!(schema(&[CqlType::Int]).to_text(&[]), "empty");
    }
}
