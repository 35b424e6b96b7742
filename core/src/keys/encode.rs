//! Single values in byte-comparable form, type by type. `docs/format/keys.md`, "types".
//!
//! The form of a value has the order of its type, and no form begins with another one, once a separator or terminator
//! follows.

use super::comparable::{ComparableKey, Dialect};
use super::numbers;
use crate::cql::{CqlType, wire};
use crate::race::ComparableWhat;
use crate::write::append_few;

/// Separator before an ordinary component.
pub(super) const NEXT: u8 = 0x40;
/// Separator that stands for an empty value of a type for which that is special.
pub(super) const EMPTY: u8 = 0x3f;
/// The same in a descending column.
pub(super) const EMPTY_DESCENDING: u8 = 0x41;
/// Separator that stands for null.
pub(super) const NULL: u8 = 0x3e;
/// Ends a tuple or collection.
pub(super) const END: u8 = 0x38;

/// The byte-comparable form of a serialized value, without the separator before it. `None` for a value of zero bytes
/// of a type that has no bytes for one (the separator says so), and for bytes that do not fit the type.
pub fn comparable_value(
    cql: &CqlType,
    descending: bool,
    bytes: &[u8],
    dialect: Dialect,
) -> Option<Vec<u8>> {
    if is_empty_special(cql, bytes, dialect) {
        return None;
    }
    let mut out = Vec::new();
    put(&mut out, cql, bytes, dialect)?;
    if descending {
        invert(&mut out, 0);
    }
    Some(out)
}

/// Bytes whose order is the order of serialized values of a type, null and empty values first.
pub fn order_of(cql: &CqlType, value: Option<&[u8]>) -> Vec<u8> {
    let mut key = ComparableKey::default();
    component(&mut key, cql, false, value, Dialect::CASSANDRA);
    key.bytes
}

/// Appends a separator and a value. Bytes that do not fit the type are written as a blob.
pub(super) fn component(
    key: &mut ComparableKey,
    cql: &CqlType,
    descending: bool,
    value: Option<&[u8]>,
    dialect: Dialect,
) {
    let separator = match value {
        None => NULL,
        Some(bytes) if !is_empty_special(cql, bytes, dialect) => NEXT,
        Some(_) if descending => EMPTY_DESCENDING,
        Some(_) => EMPTY,
    };
    key.byte(ComparableWhat::Separator, separator);
    let Some(bytes) = value.filter(|_| separator == NEXT) else { return };
    key.part(ComparableWhat::Column(cql.name()), |out| {
        let start = out.len();
        if put(out, cql, bytes, dialect).is_none() {
            out.truncate(start);
            escape(out, bytes);
        }
        if descending {
            invert(out, start);
        }
    });
}

/// Whether the bytes are a value of the type.
pub(super) fn fits(cql: &CqlType, bytes: &[u8]) -> bool {
    is_empty_special(cql, bytes, Dialect::CASSANDRA)
        || put(&mut Vec::new(), cql, bytes, Dialect::CASSANDRA).is_some()
}

/// Appends bytes with runs of zero bytes escaped and an end: `00`, or `fe` after a run.
#[inline]
pub(super) fn escape(out: &mut Vec<u8>, bytes: &[u8]) {
    if bytes.len() <= SHORT { escape_short(out, bytes) } else { escape_long(out, bytes) }
}

/// Keys of at most this many bytes are escaped in one go: numbers and UUIDs.
const SHORT: usize = 16;

/// Each byte becomes one or two, in a buffer that holds the worst case, and these are copied once.
#[inline]
fn escape_short(out: &mut Vec<u8>, bytes: &[u8]) {
    // Of random UUIDs 15 in 16 have no zero byte.
    if !has_zero(bytes) {
        append_few(out, bytes);
        out.push(0);
        return;
    }
    let mut buffer = [0; 2 * SHORT + 1];
    let (mut len, mut after_zero) = (0, false);
    for byte in bytes {
        let leaves_zeros = after_zero && *byte != 0;
        let first = match (byte, after_zero) {
            (0, true) => 0xfe,
            (_, true) => 0xff,
            (byte, false) => *byte,
        };
        if let Some([one, two]) = buffer.get_mut(len..len + 2) {
            (*one, *two) = (first, *byte);
        }
        len += 1 + usize::from(leaves_zeros);
        after_zero = *byte == 0;
    }
    if let Some(end) = buffer.get_mut(len) {
        *end = if after_zero { 0xfe } else { 0 };
    }
    out.extend_from_slice(buffer.get(..=len).unwrap_or(&[]));
}

/// Whether one of a few bytes is zero: eight at a time, since browsers compile no wide instructions here.
#[inline]
fn has_zero(bytes: &[u8]) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (words, rest) = bytes.as_chunks::<8>();
    // Taking one from each byte borrows where it is zero, and nowhere before the first such byte.
    let zero = |word: &[u8; 8]| {
        let word = u64::from_le_bytes(*word);
        word.wrapping_sub(ONES) & !word & (ONES << 7) != 0
    };
    words.iter().any(zero) || rest.contains(&0)
}

fn escape_long(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut rest = bytes;
    loop {
        let plain = before_zero(rest);
        let (before, zeros) = rest.split_at_checked(plain).unwrap_or((rest, &[]));
        out.extend_from_slice(before);
        out.push(0);
        if zeros.is_empty() {
            return;
        }
        let run = zeros.iter().position(|byte| *byte != 0).unwrap_or(zeros.len());
        out.extend(std::iter::repeat_n(0xfe, run - 1));
        rest = zeros.get(run..).unwrap_or_default();
        if rest.is_empty() {
            out.push(0xfe);
            return;
        }
        out.push(0xff);
    }
}

/// Bytes before the first zero byte, all if there is none.
fn before_zero(bytes: &[u8]) -> usize {
    // In steps, which the compiler turns into wide instructions: of 2 KB it took 0.7 µs byte by byte.
    const STEP: usize = 64;
    let (steps, _) = bytes.as_chunks::<STEP>();
    let has_zero = |step: &[u8; STEP]| step.iter().fold(false, |zero, byte| zero | (*byte == 0));
    let whole = steps.iter().take_while(|step| !has_zero(step)).count() * STEP;
    let rest = bytes.get(whole..).unwrap_or(&[]);
    whole + rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len())
}

fn invert(out: &mut [u8], start: usize) {
    for byte in out.iter_mut().skip(start) {
        *byte = !*byte;
    }
}

pub(super) fn is_empty_special(cql: &CqlType, bytes: &[u8], dialect: Dialect) -> bool {
    let as_nulls = dialect.empty_tuple_is_nulls
        && matches!(cql.unfrozen(), CqlType::Tuple(_) | CqlType::User(_));
    bytes.is_empty() && !cql.has_ordinary_empty() && !as_nulls
}

fn array<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.try_into().ok()
}

fn put_array<const N: usize>(out: &mut Vec<u8>, bytes: &[u8]) -> Option<()> {
    out.extend_from_slice(&array::<N>(bytes)?);
    Some(())
}

/// A number of fixed length: the sign flipped.
fn put_signed<const N: usize>(out: &mut Vec<u8>, bytes: &[u8]) -> Option<()> {
    let mut number = array::<N>(bytes)?;
    *number.first_mut()? ^= 0x80;
    out.extend_from_slice(&number);
    Some(())
}

fn put_float<const N: usize>(out: &mut Vec<u8>, bytes: &[u8]) -> Option<()> {
    let number = array::<N>(bytes)?;
    if number.first()? & 0x80 == 0 {
        return put_signed::<N>(out, bytes);
    }
    out.extend(number.iter().map(|byte| !byte));
    Some(())
}

/// Whether values are written byte by byte, each by itself and the ones before it.
pub(super) const fn is_escaped(cql: &CqlType) -> bool {
    matches!(
        cql,
        CqlType::Ascii
            | CqlType::Text
            | CqlType::Blob
            | CqlType::Inet
            | CqlType::Duration
            | CqlType::Counter
            | CqlType::Custom(_)
    )
}

/// Appends a value that is not an empty special one; `None` when it does not fit, then `out` holds a part of it.
fn put(out: &mut Vec<u8>, cql: &CqlType, bytes: &[u8], dialect: Dialect) -> Option<()> {
    match cql {
        CqlType::Ascii | CqlType::Text | CqlType::Blob | CqlType::Inet => escape(out, bytes),
        CqlType::Duration | CqlType::Counter | CqlType::Custom(_) => escape(out, bytes),
        CqlType::Boolean => out.push(u8::from(array::<1>(bytes)? != [0])),
        CqlType::Tinyint => put_signed::<1>(out, bytes)?,
        CqlType::Smallint => put_signed::<2>(out, bytes)?,
        CqlType::Int => put_signed::<4>(out, bytes)?,
        CqlType::Bigint => numbers::put_bigint(out, i64::from_be_bytes(array(bytes)?)),
        CqlType::Timestamp => put_signed::<8>(out, bytes)?,
        CqlType::OldTimestamp | CqlType::Time => put_array::<8>(out, bytes)?,
        CqlType::Date => put_array::<4>(out, bytes)?,
        CqlType::Float => put_float::<4>(out, bytes)?,
        CqlType::Double => put_float::<8>(out, bytes)?,
        CqlType::Varint => {
            if bytes.is_empty() {
                return None;
            }
            numbers::put_varint(out, bytes);
        }
        CqlType::Decimal => numbers::put_decimal(out, bytes)?,
        CqlType::Uuid => put_uuid(out, array(bytes)?, false),
        CqlType::Timeuuid => put_uuid(out, array(bytes)?, true),
        CqlType::LexicalUuid => {
            let (high, low) = bytes.split_at_checked(8)?;
            put_signed::<8>(out, high)?;
            put_signed::<8>(out, low)?;
        }
        CqlType::Empty => return bytes.is_empty().then_some(()),
        CqlType::List(element) | CqlType::Set(element) => {
            let values = wire::collection(bytes, 1)?;
            put_all(out, values.into_iter().map(|value| (&**element, value)), dialect)?;
        }
        CqlType::Map(both) => {
            let values = wire::collection(bytes, 2)?;
            let types = [&both.0, &both.1].into_iter().cycle();
            put_all(out, types.zip(values), dialect)?;
        }
        CqlType::Tuple(types) => {
            let values = wire::tuple(bytes, types.len())?;
            put_tuple(out, types.iter(), &values, dialect)?;
        }
        CqlType::User(user) => {
            let values = wire::tuple(bytes, user.fields.len())?;
            put_tuple(out, user.fields.iter().map(|(_, cql)| cql), &values, dialect)?;
        }
        CqlType::Vector(element, n) => {
            let values = wire::vector(bytes, element, *n)?;
            put_all(out, values.into_iter().map(|value| (&**element, Some(value))), dialect)?;
        }
        CqlType::Frozen(inner) => put(out, inner, bytes, dialect)?,
    }
    Some(())
}

fn put_tuple<'a>(
    out: &mut Vec<u8>,
    types: impl Iterator<Item = &'a CqlType>,
    values: &[Option<&'a [u8]>],
    dialect: Dialect,
) -> Option<()> {
    let present = values.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    put_all(out, types.zip(values.iter().copied().take(present)), dialect)
}

/// Elements, each after a separator, and the end.
fn put_all<'a>(
    out: &mut Vec<u8>,
    elements: impl Iterator<Item = (&'a CqlType, Option<&'a [u8]>)>,
    dialect: Dialect,
) -> Option<()> {
    for (cql, value) in elements {
        match value {
            None => out.push(NULL),
            Some(bytes) if is_empty_special(cql, bytes, dialect) => {
                out.push(if dialect.marks_empty_elements { EMPTY } else { NULL });
            }
            Some(bytes) => {
                out.push(NEXT);
                put(out, cql, bytes, dialect)?;
            }
        }
    }
    out.push(END);
    Some(())
}

/// The version first; a version 1 from its most significant time bits down, so that it sorts by time.
fn put_uuid(out: &mut Vec<u8>, bytes: [u8; 16], time: bool) {
    let both = u128::from_be_bytes(bytes);
    let version = both >> 76 & 0xf;
    let high = both >> 64;
    let high = if version == 1 {
        (high & 0xffff) << 48 | (high >> 16 & 0xffff) << 32 | high >> 32
    } else {
        version << 60 | high >> 16 << 12 | high & 0xfff
    };
    // The low half of a time UUID is compared as signed bytes.
    let flip = if time { 0x8080_8080_8080_8080 } else { 0 };
    let low = both & u128::from(u64::MAX) ^ flip;
    out.extend_from_slice(&(high << 64 | low).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cql::parse_literal;

    fn hex(text: &str) -> Vec<u8> {
        crate::cql::hex(&text.replace(' ', "")).unwrap()
    }

    fn value(cql: &CqlType, literal: &str) -> Vec<u8> {
        let bytes = parse_literal(cql, literal).unwrap();
        comparable_value(cql, false, &bytes, Dialect::CASSANDRA).unwrap()
    }

    fn check(class: &str, literal: &str, expected: &str) {
        let cql = CqlType::from_class(class);
        assert_eq!(value(&cql, literal), hex(expected), "{class} {literal}");
    }

    #[test]
    fn scalars_equal_the_table_of_the_format_text() {
        check("BooleanType", "true", "01");
        check("Int32Type", "1", "80000001");
        check("Int32Type", "-1", "7fffffff");
        check("ShortType", "-1", "7fff");
        check("ByteType", "0", "80");
        check("LongType", "64", "c040");
        check("TimestampType", "1700000000000", "8000018bcfe56800");
        check("SimpleDateType", "0x80004cdb", "80004cdb");
        check("TimeType", "'01:00'", "0000034630b8a000");
        check("FloatType", "1.0", "bf800000");
        check("FloatType", "0.0", "80000000");
        check("FloatType", "-0.0", "7fffffff");
        check("FloatType", "-1.0", "407fffff");
        check("DoubleType", "-Infinity", "000fffffffffffff");
        check("DoubleType", "NaN", "fff8000000000000");
        check("UTF8Type", "'A'", "4100");
        check("InetAddressType", "'127.0.0.1'", "7f00feff0100");
        check("DurationType", "1mo2d3ns", "02040600");
        check(
            "UUIDType",
            "cc520882-9507-44fb-8fc9-b349ecdee658",
            "4cc52088295074fb8fc9b349ecdee658",
        );
        let time = "2a92d750-d8dc-11e6-a2de-cf8ecd4cf053";
        check("UUIDType", time, "11e6d8dc2a92d750a2decf8ecd4cf053");
        check("TimeUUIDType", time, "11e6d8dc2a92d750225e4f0e4dcc70d3");
        check("IntegerType", "255", "c0ff");
        check("DecimalType", "1.1", "c101818a00");
    }

    #[test]
    fn compound_values_equal_the_table_of_the_format_text() {
        check("TupleType(Int32Type,UTF8Type)", "(1, 'a')", "40 80000001 40 6100 38");
        check("TupleType(Int32Type,UTF8Type)", "(null, 'a')", "3e 40 6100 38");
        check("TupleType(Int32Type,UTF8Type)", "(1, null)", "40 80000001 38");
        check("ListType(Int32Type)", "[7, -1]", "40 80000007 40 7fffffff 38");
        check("ListType(Int32Type)", "[]", "38");
        check("MapType(Int32Type,UTF8Type)", "{1: 'a'}", "40 80000001 40 6100 38");
        check(
            "VectorType(FloatType, 3)",
            "[1.5, -0.0, 2.0]",
            "40 bfc00000 40 7fffffff 40 c0000000 38",
        );
        check(
            "MapType(SetType(Int32Type),ListType(UTF8Type))",
            "{{1}: ['a', '']}",
            "40 40 80000001 38 40 40 6100 40 00 38 38",
        );
        check(
            "ListType(TupleType(Int32Type,UTF8Type))",
            "[(1, 'a'), (null, '')]",
            "40 40 80000001 40 6100 38 40 3e 40 00 38 38",
        );
        check("VectorType(UTF8Type, 2)", "['ab', 'c']", "40 616200 40 6300 38");
        check("ReversedType(VectorType(UTF8Type, 2))", "['ab', 'c']", "40 616200 40 6300 38");
    }

    #[test]
    fn zero_bytes_are_escaped_in_runs() {
        let check = |bytes: &str, expected: &str| {
            let mut out = Vec::new();
            escape(&mut out, &hex(bytes));
            assert_eq!(out, hex(expected), "{bytes}");
        };
        check("", "00");
        check("41", "4100");
        check("4100", "4100fe");
        check("41000042", "4100feff4200");
        check("41004200", "4100ff4200fe");
        check("00", "00fe");
        check("00000000", "00fefefefe");
    }

    #[test]
    fn descending_values_are_inverted_with_their_inner_separators() {
        let of = |class: &str, literal| {
            let cql = CqlType::from_class(class);
            let bytes = parse_literal(&cql, literal).unwrap();
            comparable_value(&cql, true, &bytes, Dialect::CASSANDRA).unwrap()
        };
        assert_eq!(of("UTF8Type", "'ab'"), hex("9e9dff"));
        assert_eq!(of("VectorType(UTF8Type, 2)", "['ab', 'c']"), hex("bf9e9dffbf9cffc7"));
        assert_eq!(of("IntegerType", "0x43639d"), hex("0fbc9c62"));
    }

    #[test]
    fn the_databases_differ_in_empty_elements_and_empty_tuples() {
        let scylla = Dialect {
            marks_empty_elements: true,
            empty_tuple_is_nulls: true,
            ..Dialect::CASSANDRA
        };
        let both = |class: &str, bytes: &str| {
            let cql = CqlType::from_class(class);
            let of = |dialect| comparable_value(&cql, false, &hex(bytes), dialect);
            (of(Dialect::CASSANDRA), of(scylla))
        };
        let list = both("ListType(Int32Type)", "00000001 00000000");
        assert_eq!(list, (Some(hex("3e38")), Some(hex("3f38"))));
        let tuple = both("TupleType(Int32Type,UTF8Type)", "00000000 00000001 65");
        assert_eq!(tuple, (Some(hex("3e40650038")), Some(hex("3f40650038"))));
        assert_eq!(both("TupleType(Int32Type,UTF8Type)", ""), (None, Some(hex("38"))));
        assert_eq!(both("Int32Type", ""), (None, None));
        assert_eq!(both("ListType(Int32Type)", "00000000"), (Some(hex("38")), Some(hex("38"))));
    }
}
