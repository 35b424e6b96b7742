//! What a person types as a value, serialized: CQL literals. `docs/format/statistics.md`.

use super::scan::{Scanner, after_0x, hex};
use super::types::{CqlType, UserType};
use super::{calendar, duration, float, number, text, wire};
use crate::{keys, limits};
use std::fmt;
use std::net::IpAddr;
use uuid::Uuid;

/// A literal that does not fit; its text is a sentence that says what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralError {
    given: String,
    wanted: String,
    expected: String,
}

impl LiteralError {
    /// "`given` is no `wanted`: `expected`".
    pub(crate) fn new(given: &str, wanted: impl Into<String>, expected: impl Into<String>) -> Self {
        const LONGEST: usize = 60;
        let given = given.trim();
        let given = match given.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", given.get(..end).unwrap_or_default()),
            None => given.to_owned(),
        };
        Self { given, wanted: wanted.into(), expected: expected.into() }
    }

    /// The type of what was given, and what its literals look like.
    pub(crate) fn of(cql: &CqlType, given: &str) -> Self {
        Self::new(given, cql.name(), expected(cql))
    }
}

impl fmt::Display for LiteralError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.given.is_empty() {
            return write!(f, "{} is missing: {}", self.wanted, self.expected);
        }
        write!(f, "`{}` is no {}: {}", self.given, self.wanted, self.expected)
    }
}

impl std::error::Error for LiteralError {}

/// Serializes a CQL literal of a type.
///
/// Beyond what CQL takes: `0x…` gives the serialized bytes of any type as they are, `empty` the value of zero bytes,
/// moments and addresses need no quotes when they stand alone, and `−` (as this program writes it) counts as `-`. A
/// counter, which CQL does not write by value, becomes one shard of that count.
///
/// # Errors
/// [`LiteralError`] says what was expected.
pub fn parse_literal(cql: &CqlType, text: &str) -> Result<Vec<u8>, LiteralError> {
    let text = text.trim();
    if text.len() > limits::LITERAL_BYTES {
        let expected = format!("at most {} characters", limits::LITERAL_BYTES);
        return Err(LiteralError::new(text, cql.name(), expected));
    }
    let mut scanner = Scanner::new(text);
    let value = term(&mut scanner, cql, &[])?;
    match value {
        Some(bytes) if scanner.is_done() => Ok(bytes),
        _ => Err(LiteralError::of(cql, text)),
    }
}

const IN_LIST: [char; 4] = [',', ')', ']', '}'];
const IN_MAP_KEY: [char; 5] = [',', ')', ']', '}', ':'];

/// One literal, ended by one of `stops` or by the end; `None` is null.
pub(crate) fn term(
    scanner: &mut Scanner<'_>,
    cql: &CqlType,
    stops: &[char],
) -> Result<Option<Vec<u8>>, LiteralError> {
    let start = scanner.rest;
    let mut ahead = scanner.clone();
    let word = ahead.word(stops);
    if let Some(bytes) = any_type(word) {
        *scanner = ahead;
        // The bracket of `blob_as_int(0x)` may be one of the stops.
        if word.contains('(') && !word.ends_with(')') && !scanner.eat(')') {
            return Err(LiteralError::of(cql, start));
        }
        return Ok(bytes);
    }
    let compound = match cql.unfrozen() {
        CqlType::List(element) => list(scanner, cql, element)?,
        CqlType::Vector(element, n) => vector(scanner, cql, element, *n)?,
        CqlType::Set(element) => set(scanner, cql, element)?,
        CqlType::Map(both) => map(scanner, cql, &both.0, &both.1)?,
        CqlType::Tuple(types) => tuple(scanner, cql, types)?,
        CqlType::User(user) => user_type(scanner, cql, user)?,
        _ => None,
    };
    if compound.is_some() {
        return Ok(compound);
    }
    let quoted = scanner.quoted();
    let word = match &quoted {
        Some(inner) => inner.as_str(),
        None => scanner.word(stops),
    };
    match scalar(cql.unfrozen(), word, quoted.is_some()) {
        Some(bytes) => Ok(Some(bytes)),
        None if quoted.is_some() => Err(LiteralError::of(cql, start)),
        None => Err(LiteralError::of(cql, word)),
    }
}

/// What every type takes: null, `empty`, `0x…`, `blob_as_…(0x…)`.
fn any_type(word: &str) -> Option<Option<Vec<u8>>> {
    if word.eq_ignore_ascii_case("null") {
        return Some(None);
    }
    if word.eq_ignore_ascii_case("empty") {
        return Some(Some(Vec::new()));
    }
    let word = match word.split_once('(') {
        Some((function, argument))
            if function.starts_with("blob_as_") || function.starts_with("blobAs") =>
        {
            argument.trim_end_matches(')').trim()
        }
        _ => word,
    };
    Some(Some(hex(after_0x(word)?)?))
}

fn scalar(cql: &CqlType, word: &str, quoted: bool) -> Option<Vec<u8>> {
    let plain = word.strip_prefix('−').map(|digits| format!("-{digits}"));
    let word = plain.as_deref().unwrap_or(word);
    // Only what CQL writes in quotes may have them, and text must.
    let may_be_quoted = match cql {
        CqlType::Ascii | CqlType::Text => {
            if !quoted {
                return None;
            }
            true
        }
        CqlType::Timestamp | CqlType::OldTimestamp | CqlType::Date | CqlType::Time => true,
        CqlType::Inet | CqlType::Duration => true,
        CqlType::Uuid | CqlType::Timeuuid | CqlType::LexicalUuid => true,
        _ => false,
    };
    if quoted && !may_be_quoted {
        return None;
    }
    Some(match cql {
        CqlType::Ascii => word.is_ascii().then(|| word.as_bytes().to_vec())?,
        CqlType::Text => word.as_bytes().to_vec(),
        CqlType::Boolean if word.eq_ignore_ascii_case("true") => vec![1],
        CqlType::Boolean if word.eq_ignore_ascii_case("false") => vec![0],
        CqlType::Tinyint => word.parse::<i8>().ok()?.to_be_bytes().to_vec(),
        CqlType::Smallint => word.parse::<i16>().ok()?.to_be_bytes().to_vec(),
        CqlType::Int => word.parse::<i32>().ok()?.to_be_bytes().to_vec(),
        CqlType::Bigint => word.parse::<i64>().ok()?.to_be_bytes().to_vec(),
        CqlType::Float => {
            let bits = u32::try_from(magnitude(word, float::FLOAT)?).ok()?;
            let sign = u32::from(word.starts_with('-')) << 31;
            let is_nan = bits > f32::INFINITY.to_bits();
            (if is_nan { text::NAN32 } else { sign | bits }).to_be_bytes().to_vec()
        }
        CqlType::Double => {
            let bits = magnitude(word, float::DOUBLE)?;
            let sign = u64::from(word.starts_with('-')) << 63;
            let is_nan = bits > f64::INFINITY.to_bits();
            (if is_nan { text::NAN64 } else { sign | bits }).to_be_bytes().to_vec()
        }
        CqlType::Varint => number::parse_varint(word)?,
        CqlType::Decimal => number::parse_decimal(word)?,
        CqlType::Timestamp | CqlType::OldTimestamp => {
            let millis = word.parse().ok().or_else(|| calendar::parse_timestamp(word))?;
            millis.to_be_bytes().to_vec()
        }
        CqlType::Date => {
            let raw = match word.parse::<u32>() {
                Ok(raw) => raw,
                Err(_) => u32::try_from(calendar::parse_date(word)?.checked_add(1 << 31)?).ok()?,
            };
            raw.to_be_bytes().to_vec()
        }
        CqlType::Time => {
            let nanos = word.parse().ok().or_else(|| calendar::parse_time(word))?;
            (0..86_400_000_000_000i64).contains(&nanos).then(|| nanos.to_be_bytes().to_vec())?
        }
        CqlType::Uuid | CqlType::Timeuuid | CqlType::LexicalUuid => {
            let uuid = Uuid::try_parse(word).ok()?;
            if *cql == CqlType::Timeuuid && uuid.get_version_num() != 1 {
                return None;
            }
            uuid.into_bytes().to_vec()
        }
        CqlType::Inet => match word.parse::<IpAddr>().ok()? {
            IpAddr::V4(address) => address.octets().to_vec(),
            IpAddr::V6(address) => address.octets().to_vec(),
        },
        CqlType::Duration => duration::parse_duration(word)?,
        CqlType::Counter => wire::one_shard(word.parse().ok()?),
        _ => return None,
    })
}

type Value = Option<Vec<u8>>;

/// The elements between two brackets; `None` when the first is not there.
fn elements(
    scanner: &mut Scanner<'_>,
    cql: &CqlType,
    [open, close]: [char; 2],
    mut one: impl FnMut(&mut Scanner<'_>, usize) -> Result<(), LiteralError>,
) -> Result<Option<usize>, LiteralError> {
    let start = scanner.rest;
    if !scanner.eat(open) {
        return Ok(None);
    }
    if scanner.eat(close) {
        return Ok(Some(0));
    }
    for i in 0.. {
        one(scanner, i)?;
        if scanner.eat(close) {
            return Ok(Some(i + 1));
        }
        if !scanner.eat(',') {
            break;
        }
    }
    let expected = format!("a `{close}` is missing, or a comma");
    Err(LiteralError::new(start, cql.name(), expected))
}

fn list(
    scanner: &mut Scanner<'_>,
    cql: &CqlType,
    element: &CqlType,
) -> Result<Value, LiteralError> {
    let mut values = Vec::new();
    let found = elements(scanner, cql, ['[', ']'], |scanner, _| {
        values.push(term(scanner, element, &IN_LIST)?);
        Ok(())
    })?;
    let all = values.iter().map(Option::as_deref);
    Ok(found.and_then(|count| counted(count, all)))
}

fn vector(
    scanner: &mut Scanner<'_>,
    cql: &CqlType,
    element: &CqlType,
    n: u32,
) -> Result<Value, LiteralError> {
    let start = scanner.rest;
    let mut bytes = Vec::new();
    let found = elements(scanner, cql, ['[', ']'], |scanner, _| {
        let at = scanner.rest;
        let value = term(scanner, element, &IN_LIST)?;
        let value = value.ok_or_else(|| LiteralError::of(element, at))?;
        let length = crate::pos::len64(value.len());
        match element.fixed_len() {
            Some(fixed) if u64::from(fixed) != length => return Err(LiteralError::of(element, at)),
            Some(_) => {}
            None => wire::put_uvint(&mut bytes, length),
        }
        bytes.extend(value);
        Ok(())
    })?;
    match found {
        Some(count) if u32::try_from(count) != Ok(n) => {
            let expected = format!("it has {n} elements, not {count}");
            Err(LiteralError::new(start, cql.name(), expected))
        }
        found => Ok(found.map(|_| bytes)),
    }
}

fn set(scanner: &mut Scanner<'_>, cql: &CqlType, element: &CqlType) -> Result<Value, LiteralError> {
    let mut values = Vec::new();
    let found = elements(scanner, cql, ['{', '}'], |scanner, _| {
        values.push(term(scanner, element, &IN_LIST)?);
        Ok(())
    })?;
    // A set is stored in the order of its elements, each once.
    values.sort_by_cached_key(|value| keys::order_of(element, value.as_deref()));
    values.dedup();
    let all = values.iter().map(Option::as_deref);
    Ok(found.and_then(|_| counted(values.len(), all)))
}

fn map(
    scanner: &mut Scanner<'_>,
    cql: &CqlType,
    key: &CqlType,
    value: &CqlType,
) -> Result<Value, LiteralError> {
    let start = scanner.rest;
    let mut pairs: Vec<(Value, Value)> = Vec::new();
    let found = elements(scanner, cql, ['{', '}'], |scanner, _| {
        let k = term(scanner, key, &IN_MAP_KEY)?;
        if !scanner.eat(':') {
            return Err(LiteralError::of(cql, start));
        }
        let v = term(scanner, value, &IN_LIST)?;
        pairs.push((k, v));
        Ok(())
    })?;
    // A map is stored in the order of its keys. Of two values for one key the last stays, as in CQL.
    pairs.reverse();
    pairs.sort_by_cached_key(|(k, _)| keys::order_of(key, k.as_deref()));
    pairs.dedup_by(|(a, _), (b, _)| a == b);
    let all = pairs.iter().flat_map(|(k, v)| [k.as_deref(), v.as_deref()]);
    Ok(found.and_then(|_| counted(pairs.len(), all)))
}

/// A count, then the elements: a frozen list, set or map.
fn counted<'a>(count: usize, all: impl Iterator<Item = Option<&'a [u8]>>) -> Value {
    let mut bytes = i32::try_from(count).ok()?.to_be_bytes().to_vec();
    for value in all {
        wire::put_nullable(&mut bytes, value)?;
    }
    Some(bytes)
}

fn tuple(
    scanner: &mut Scanner<'_>,
    cql: &CqlType,
    types: &[CqlType],
) -> Result<Value, LiteralError> {
    let start = scanner.rest;
    let mut bytes = Vec::new();
    let found = elements(scanner, cql, ['(', ')'], |scanner, i| {
        let element = types.get(i).ok_or_else(|| LiteralError::of(cql, start))?;
        let value = term(scanner, element, &IN_LIST)?;
        wire::put_nullable(&mut bytes, value.as_deref()).ok_or_else(|| LiteralError::of(cql, start))
    })?;
    Ok(found.map(|_| bytes))
}

fn user_type(
    scanner: &mut Scanner<'_>,
    cql: &CqlType,
    user: &UserType,
) -> Result<Value, LiteralError> {
    let start = scanner.rest;
    let mut values: Vec<Value> = vec![None; user.fields.len()];
    let found = elements(scanner, cql, ['{', '}'], |scanner, _| {
        let name = scanner.name(&IN_MAP_KEY);
        let at = user.fields.iter().position(|(field, _)| *field == name);
        let field = at.and_then(|at| Some((user.fields.get(at)?, values.get_mut(at)?)));
        match field {
            Some(((_, element), value)) if scanner.eat(':') => {
                *value = term(scanner, element, &IN_LIST)?;
                Ok(())
            }
            _ => Err(LiteralError::of(cql, start)),
        }
    })?;
    // As CQL does, all fields are written, those not named as null.
    let mut bytes = Vec::new();
    for value in &values {
        if wire::put_nullable(&mut bytes, value.as_deref()).is_none() {
            return Err(LiteralError::of(cql, start));
        }
    }
    Ok(found.map(|_| bytes))
}

/// What a literal of the type looks like.
fn expected(cql: &CqlType) -> String {
    fn between(least: i128, most: i128) -> String {
        format!("a number from −{} to {most}", least.unsigned_abs())
    }
    let text = match cql.unfrozen() {
        CqlType::Tinyint => return between(i8::MIN.into(), i8::MAX.into()),
        CqlType::Smallint => return between(i16::MIN.into(), i16::MAX.into()),
        CqlType::Int => return between(i32::MIN.into(), i32::MAX.into()),
        CqlType::Bigint | CqlType::Counter => return between(i64::MIN.into(), i64::MAX.into()),
        CqlType::Ascii => "text in single quotes without accents or other special characters",
        CqlType::Text => "text in single quotes",
        CqlType::Blob => "0x and an even number of hexadecimal digits",
        CqlType::Boolean => "true or false",
        CqlType::Float | CqlType::Double => "a number like 1.5, or NaN or Infinity",
        CqlType::Varint => "a whole number",
        CqlType::Decimal => "a number like 12.50 or 1E+20",
        CqlType::Timestamp | CqlType::OldTimestamp => {
            "a moment like '2024-02-29T08:30:00.000Z', or milliseconds since 1970"
        }
        CqlType::Date => {
            "a day like '2024-02-29', or a count of days with 2147483648 for 1970-01-01"
        }
        CqlType::Time => "a time of day like '08:30:00.123456789', or nanoseconds since midnight",
        CqlType::Uuid | CqlType::LexicalUuid => {
            "32 hexadecimal digits in groups of 8-4-4-4-12, with hyphens between them"
        }
        CqlType::Timeuuid => {
            "32 hexadecimal digits in groups of 8-4-4-4-12, of which the third begins with 1"
        }
        CqlType::Inet => "an address like '127.0.0.1' or '::1'",
        CqlType::Duration => {
            "a duration like 1mo2d3h, of years y, months mo, days d, h, m, s, ms, us, ns"
        }
        CqlType::Empty => "the word empty",
        CqlType::Custom(_) => "of this class only bytes are known: 0x and hexadecimal digits",
        CqlType::List(_) | CqlType::Vector(..) => {
            "elements in square brackets, commas between them"
        }
        CqlType::Set(_) => "elements in braces, commas between them",
        CqlType::Map(_) => "pairs in braces, {key: value, key: value}",
        CqlType::Tuple(types) => {
            let s = if types.len() == 1 { "" } else { "s, commas between them," };
            return format!("{} value{s} in round brackets", types.len());
        }
        CqlType::User(user) => {
            let names: Vec<_> = user.fields.iter().map(|(name, _)| format!("{name}: …")).collect();
            return format!("fields in braces, {{{}}}", names.join(", "));
        }
        CqlType::Frozen(_) => "a value",
    };
    text.to_owned()
}
/// The bits of a number without its sign.
fn magnitude(word: &str, format: float::Format) -> Option<u64> {
    float::parse(word.strip_prefix(['+', '-']).unwrap_or(word), format)
}
