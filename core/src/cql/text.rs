//! A serialized value as the CQL literal that stands for it. `docs/format/statistics.md`.

use super::types::{CqlType, UserType, write_name};
use super::{calendar, duration, number, scan, wire};
use std::fmt::Write;
use std::net::{Ipv4Addr, Ipv6Addr};
use uuid::Uuid;

/// A serialized value as CQL text.
///
/// What comes out reads back as the same bytes ([`super::parse_literal`]): bytes that do not fit the type, or that are
/// not the form a database would write for their value, are shown as `0x…`. A value of zero bytes is `''` or `0x` for
/// text and blobs and the word `empty` for all other types; null inside a value is `null`. Three things are read
/// back in their usual form instead: user types without their last fields, sets or maps out of order, and counters,
/// whose text is the sum of their shards.
pub fn to_text(cql: &CqlType, bytes: &[u8]) -> String {
    let mut out = String::new();
    if write(&mut out, cql, bytes).is_none() {
        out.clear();
        scan::push_hex(&mut out, bytes);
    }
    out
}

/// As [`to_text`], and `null` for `None`.
pub fn to_text_or_null(cql: &CqlType, value: Option<&[u8]>) -> String {
    match value {
        Some(bytes) => to_text(cql, bytes),
        None => "null".to_owned(),
    }
}

/// Appends a value; `None` when it does not fit, then `out` holds a part of it.
fn write(out: &mut String, cql: &CqlType, bytes: &[u8]) -> Option<()> {
    match cql {
        CqlType::Ascii => {
            return bytes.is_ascii().then_some(()).and_then(|()| write_quoted(out, bytes));
        }
        CqlType::Text => return write_quoted(out, bytes),
        CqlType::Blob | CqlType::Custom(_) => {
            scan::push_hex(out, bytes);
            return Some(());
        }
        CqlType::Frozen(inner) => return write(out, inner, bytes),
        _ => {}
    }
    if bytes.is_empty() {
        out.push_str("empty");
        return Some(());
    }
    match cql {
        CqlType::Boolean => out.push_str(match bytes {
            [0] => "false",
            [1] => "true",
            _ => return None,
        }),
        CqlType::Tinyint => write!(out, "{}", i8::from_be_bytes(array(bytes)?)).ok()?,
        CqlType::Smallint => write!(out, "{}", i16::from_be_bytes(array(bytes)?)).ok()?,
        CqlType::Int => write!(out, "{}", i32::from_be_bytes(array(bytes)?)).ok()?,
        CqlType::Bigint => write!(out, "{}", i64::from_be_bytes(array(bytes)?)).ok()?,
        CqlType::Float => {
            let value = f32::from_be_bytes(array(bytes)?);
            if value.is_nan() && value.to_bits() != NAN32 {
                return None;
            }
            write_float(out, &format!("{value:?}"));
        }
        CqlType::Double => {
            let value = f64::from_be_bytes(array(bytes)?);
            if value.is_nan() && value.to_bits() != NAN64 {
                return None;
            }
            write_float(out, &format!("{value:?}"));
        }
        CqlType::Varint => number::write_varint(out, bytes)?,
        CqlType::Decimal => number::write_decimal(out, bytes)?,
        CqlType::Timestamp | CqlType::OldTimestamp => {
            out.push('\'');
            calendar::write_timestamp(out, i64::from_be_bytes(array(bytes)?))?;
            out.push('\'');
        }
        CqlType::Date => {
            out.push('\'');
            calendar::write_date(out, i64::from(u32::from_be_bytes(array(bytes)?)) - (1 << 31))?;
            out.push('\'');
        }
        CqlType::Time => {
            out.push('\'');
            calendar::write_time(out, i64::from_be_bytes(array(bytes)?))?;
            out.push('\'');
        }
        CqlType::Uuid | CqlType::Timeuuid | CqlType::LexicalUuid => {
            let uuid = Uuid::from_bytes(array(bytes)?);
            if *cql == CqlType::Timeuuid && uuid.get_version_num() != 1 {
                return None;
            }
            write!(out, "{uuid}").ok()?;
        }
        CqlType::Inet => match bytes.len() {
            4 => write!(out, "'{}'", Ipv4Addr::from(array(bytes)?)).ok()?,
            _ => write!(out, "'{}'", Ipv6Addr::from(array::<16>(bytes)?)).ok()?,
        },
        CqlType::Duration => duration::write_duration(out, bytes)?,
        CqlType::Counter => write!(out, "{}", wire::counter(bytes)?).ok()?,
        CqlType::List(element) => {
            write_all(out, ['[', ']'], element, wire::collection(bytes, 1)?)?;
        }
        CqlType::Set(element) => write_all(out, ['{', '}'], element, wire::collection(bytes, 1)?)?,
        CqlType::Map(both) => write_map(out, &both.0, &both.1, bytes)?,
        CqlType::Tuple(types) => write_tuple(out, types, bytes)?,
        CqlType::User(user) => write_user(out, user, bytes)?,
        CqlType::Vector(element, n) => {
            let elements = wire::vector(bytes, element, *n)?;
            write_all(out, ['[', ']'], element, elements.into_iter().map(Some))?;
        }
        // All others are done above, and nothing but zero bytes fits `empty`.
        _ => return None,
    }
    Some(())
}

/// The bits of NaN as Java and `parse_literal` write it; any other NaN is shown as bytes.
pub(super) const NAN32: u32 = 0x7fc0_0000;
/// The same for `double`.
pub(super) const NAN64: u64 = 0x7ff8_0000_0000_0000;

fn array<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.try_into().ok()
}

fn write_float(out: &mut String, debug: &str) {
    out.push_str(match debug {
        "inf" => "Infinity",
        "-inf" => "-Infinity",
        number => number,
    });
}

fn write_quoted(out: &mut String, bytes: &[u8]) -> Option<()> {
    let text = std::str::from_utf8(bytes).ok()?;
    out.push('\'');
    for (i, part) in text.split('\'').enumerate() {
        if i > 0 {
            out.push_str("''");
        }
        out.push_str(part);
    }
    out.push('\'');
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

fn write_all<'a>(
    out: &mut String,
    [open, close]: [char; 2],
    element: &CqlType,
    values: impl IntoIterator<Item = Option<&'a [u8]>>,
) -> Option<()> {
    out.push(open);
    for (i, value) in values.into_iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        write_or_null(out, element, value)?;
    }
    out.push(close);
    Some(())
}

fn write_map(out: &mut String, key: &CqlType, value: &CqlType, bytes: &[u8]) -> Option<()> {
    out.push('{');
    let all = wire::collection(bytes, 2)?;
    let (pairs, _) = all.as_chunks::<2>();
    for (i, [k, v]) in pairs.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        write_or_null(out, key, *k)?;
        out.push_str(": ");
        write_or_null(out, value, *v)?;
    }
    out.push('}');
    Some(())
}

fn write_tuple(out: &mut String, types: &[CqlType], bytes: &[u8]) -> Option<()> {
    out.push('(');
    let values = wire::tuple(bytes, types.len())?;
    for (i, (value, cql)) in values.iter().zip(types).enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        write_or_null(out, cql, *value)?;
    }
    out.push(')');
    Some(())
}

fn write_user(out: &mut String, user: &UserType, bytes: &[u8]) -> Option<()> {
    out.push('{');
    let values = wire::tuple(bytes, user.fields.len())?;
    for (i, (value, (name, cql))) in values.iter().zip(&user.fields).enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        write_name(out, name).ok()?;
        out.push_str(": ");
        write_or_null(out, cql, *value)?;
    }
    out.push('}');
    Some(())
}
