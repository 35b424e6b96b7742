//! A serialized value as JSON, in the form that Cassandra's own tools write (`docs/format/types.md`).
//!
//! Numbers are numbers, whatever their length; NaN and the infinities are `null`; what has no other form is a string;
//! bytes that do not fit their type are `"0x…"`.

use super::types::{CqlType, UserType};
use super::{text, wire};
use std::fmt::Write;

/// Appends a value as JSON.
pub fn write_json(out: &mut String, cql: &CqlType, bytes: &[u8]) {
    let start = out.len();
    if write(out, cql, bytes).is_none() {
        out.truncate(start);
        write_json_string(out, &bytes_as_text(bytes));
    }
}

/// A value as bare text, as it stands in keys and paths: `5`, `user:1`, `cafe` for bytes, nothing for an empty value.
pub fn to_bare(cql: &CqlType, bytes: &[u8]) -> String {
    match cql.unfrozen() {
        CqlType::Blob | CqlType::Custom(_) => bytes_as_text(bytes).split_off(2),
        _ if bytes.is_empty() => String::new(),
        CqlType::Inet if bytes.len() == 16 => long_address(bytes),
        cql => unquoted(cql, &text::to_text(cql, bytes)),
    }
}

/// Appends a string in quotes, with escapes where JSON needs them.
pub fn write_json_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if u32::from(c) < 0x20 => _ = write!(out, "\\u{:04X}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn bytes_as_text(bytes: &[u8]) -> String {
    let mut text = String::new();
    super::push_hex(&mut text, bytes);
    text
}

/// `None` when the bytes do not fit; then a part of the value was appended.
fn write(out: &mut String, cql: &CqlType, bytes: &[u8]) -> Option<()> {
    let cql = cql.unfrozen();
    if bytes.is_empty() && !has_empty_form(cql) {
        out.push_str("\"\"");
        return Some(());
    }
    match cql {
        CqlType::Float => {
            let value = f32::from_be_bytes(bytes.try_into().ok()?);
            write_float(out, &format!("{value:e}"), value.is_finite());
        }
        CqlType::Double => {
            let value = f64::from_be_bytes(bytes.try_into().ok()?);
            write_float(out, &format!("{value:e}"), value.is_finite());
        }
        CqlType::List(element) | CqlType::Set(element) => {
            write_all(out, element, wire::collection(bytes, 1)?)?;
        }
        CqlType::Vector(element, n) => {
            write_all(out, element, wire::vector(bytes, element, *n)?.into_iter().map(Some))?;
        }
        CqlType::Map(both) => {
            let all = wire::collection(bytes, 2)?;
            let (pairs, _) = all.as_chunks::<2>();
            out.push('{');
            for (i, [key, value]) in pairs.iter().enumerate() {
                comma(out, i);
                let mut name = String::new();
                write_or_null(&mut name, &both.0, *key)?;
                if name.starts_with('"') {
                    out.push_str(&name)
                } else {
                    write_json_string(out, &name)
                }
                out.push_str(": ");
                write_or_null(out, &both.1, *value)?;
            }
            out.push('}');
        }
        CqlType::Tuple(types) => {
            let values = wire::tuple(bytes, types.len())?;
            let missing = types.len().saturating_sub(values.len());
            let values = values.into_iter().chain(std::iter::repeat_n(None, missing));
            out.push('[');
            for (i, (cql, value)) in types.iter().zip(values).enumerate() {
                comma(out, i);
                write_or_null(out, cql, value)?;
            }
            out.push(']');
        }
        CqlType::User(user) => write_user(out, user, bytes)?,
        CqlType::Inet if bytes.len() == 16 => write_json_string(out, &long_address(bytes)),
        _ => {
            let text = text::to_text(cql, bytes);
            if is_bare(cql) && !text.starts_with("0x") {
                out.push_str(&text);
            } else {
                write_json_string(out, &unquoted(cql, &text));
            }
        }
    }
    Some(())
}

fn write_user(out: &mut String, user: &UserType, bytes: &[u8]) -> Option<()> {
    let values = wire::tuple(bytes, user.fields.len())?;
    let missing = user.fields.len().saturating_sub(values.len());
    let values = values.into_iter().chain(std::iter::repeat_n(None, missing));
    out.push('{');
    for (i, ((name, cql), value)) in user.fields.iter().zip(values).enumerate() {
        comma(out, i);
        write_json_string(out, name);
        out.push_str(": ");
        write_or_null(out, cql, value)?;
    }
    out.push('}');
    Some(())
}

fn write_all<'a>(
    out: &mut String,
    element: &CqlType,
    values: impl IntoIterator<Item = Option<&'a [u8]>>,
) -> Option<()> {
    out.push('[');
    for (i, value) in values.into_iter().enumerate() {
        comma(out, i);
        write_or_null(out, element, value)?;
    }
    out.push(']');
    Some(())
}

fn write_or_null(out: &mut String, cql: &CqlType, value: Option<&[u8]>) -> Option<()> {
    match value {
        Some(bytes) => write(out, cql, bytes),
        None => {
            out.push_str("null");
            Some(())
        }
    }
}

fn comma(out: &mut String, i: usize) {
    if i > 0 {
        out.push_str(", ");
    }
}

/// Types in which zero bytes are a value like any other: bytes, and tuples without their trailing fields.
fn has_empty_form(cql: &CqlType) -> bool {
    matches!(cql, CqlType::Blob | CqlType::Custom(_) | CqlType::Tuple(_) | CqlType::User(_))
}

/// Types whose text stands without quotes, where it is no bytes.
fn is_bare(cql: &CqlType) -> bool {
    matches!(
        cql,
        CqlType::Boolean
            | CqlType::Tinyint
            | CqlType::Smallint
            | CqlType::Int
            | CqlType::Bigint
            | CqlType::Varint
            | CqlType::Decimal
            | CqlType::Counter
    )
}

/// A CQL literal without its quotes; moments with a blank between date and time.
fn unquoted(cql: &CqlType, literal: &str) -> String {
    match literal.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inner) if matches!(cql, CqlType::Timestamp | CqlType::OldTimestamp) => {
            inner.replacen('T', " ", 1)
        }
        Some(inner) => inner.replace("''", "'"),
        None => literal.to_owned(),
    }
}

/// An address of 16 bytes in eight groups, none left out.
fn long_address(bytes: &[u8]) -> String {
    let (groups, _) = bytes.as_chunks::<2>();
    let groups: Vec<_> =
        groups.iter().map(|group| format!("{:x}", u16::from_be_bytes(*group))).collect();
    groups.join(":")
}

/// From `1.5e-7`, the shortest digits that read back, to the form of Java: `1.5E-7`, and `0.0025` from a thousandth up
/// to ten millions.
fn write_float(out: &mut String, scientific: &str, is_finite: bool) {
    let Some((digits, exponent)) = scientific.split_once('e').filter(|_| is_finite) else {
        return out.push_str("null");
    };
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", digits),
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (first, rest) = digits.split_once('.').unwrap_or((digits, ""));
    out.push_str(sign);
    if !(-3..7).contains(&exponent) {
        let rest = if rest.is_empty() { "0" } else { rest };
        _ = write!(out, "{first}.{rest}E{exponent}");
        return;
    }
    let all = format!("{first}{rest}");
    if exponent < 0 {
        let zeros = usize::try_from(-1 - exponent).unwrap_or(0);
        _ = write!(out, "0.{}{all}", "0".repeat(zeros));
        return;
    }
    let whole = usize::try_from(exponent).unwrap_or(0) + 1;
    let padded = format!("{all:0<whole$}");
    let (whole, fraction) = padded.split_at_checked(whole).unwrap_or((&padded, ""));
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    _ = write!(out, "{whole}.{fraction}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(cql: &CqlType, bytes: &[u8]) -> String {
        let mut out = String::new();
        write_json(&mut out, cql, bytes);
        out
    }

    #[test]
    fn floating_point_numbers_are_written_as_java_writes_them() {
        let double = |value: f64| json(&CqlType::Double, &value.to_be_bytes());
        for (value, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (0.0025, "0.0025"),
            (0.001, "0.001"),
            (0.0001, "1.0E-4"),
            (100.0, "100.0"),
            (1_234_567.5, "1234567.5"),
            (9_999_999.0, "9999999.0"),
            (1e7, "1.0E7"),
            (-3.532_648_994_235_013e7, "-3.532648994235013E7"),
            (f64::MAX, "1.7976931348623157E308"),
            (f64::NAN, "null"),
            (f64::NEG_INFINITY, "null"),
        ] {
            assert_eq!(double(value), expected);
        }
    }

    #[test]
    fn bytes_that_do_not_fit_are_a_string() {
        assert_eq!(json(&CqlType::Int, &[1, 2]), "\"0x0102\"");
        assert_eq!(json(&CqlType::Boolean, &[1, 2]), "\"0x0102\"");
        assert_eq!(json(&CqlType::Int, &[]), "\"\"");
        assert_eq!(json(&CqlType::Text, &[0xff]), "\"0xff\"");
        assert_eq!(json(&CqlType::List(Box::new(CqlType::Int)), &[0, 0, 0, 9]), "\"0x00000009\"");
    }

    #[test]
    fn strings_are_escaped() {
        assert_eq!(json(&CqlType::Text, "a\"\\\n\u{1}'ü".as_bytes()), "\"a\\\"\\\\\\n\\u0001'ü\"");
        let map = CqlType::Map(Box::new((CqlType::Int, CqlType::Text)));
        let bytes = [0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 7, 0xff, 0xff, 0xff, 0xff];
        assert_eq!(json(&map, &bytes), "{\"7\": null}");
    }

    #[test]
    fn keys_and_paths_are_bare() {
        assert_eq!(to_bare(&CqlType::Text, b"it's"), "it's");
        assert_eq!(to_bare(&CqlType::Blob, &[0xca, 0xfe]), "cafe");
        assert_eq!(to_bare(&CqlType::Int, &[]), "");
        assert_eq!(to_bare(&CqlType::Inet, &[0; 16]), "0:0:0:0:0:0:0:0");
    }
}
