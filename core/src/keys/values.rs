//! Byte-comparable values back to serialized ones, type by type: what `encode` does, turned round. `docs/format/keys.md`,
//! "reading back".

use super::encode::{EMPTY, END, NEXT, NULL};
use super::numbers;
use crate::cql::{CqlType, wire};

/// A value and the number of bytes that its code has. `None` when it is cut, or no code of the type.
pub(super) fn take(cql: &CqlType, bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
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
            let (number, used) = numbers::take_bigint(bytes)?;
            Some((number.to_be_bytes().to_vec(), used))
        }
        CqlType::Varint => numbers::take_varint(bytes),
        CqlType::Decimal => numbers::take_decimal(bytes),
        CqlType::Uuid | CqlType::Timeuuid => {
            let (code, _) = bytes.split_first_chunk::<16>()?;
            Some((uuid(*code, *cql == CqlType::Timeuuid), 16))
        }
        CqlType::LexicalUuid => {
            let (mut value, used) = signed(16)?;
            *value.get_mut(8)? ^= 0x80;
            Some((value, used))
        }
        CqlType::Ascii | CqlType::Text | CqlType::Blob | CqlType::Inet | CqlType::Duration => {
            unescape(bytes)
        }
        CqlType::Counter | CqlType::Custom(_) => unescape(bytes),
        // Its one value has no bytes, and the separator says so.
        CqlType::Empty => None,
        CqlType::List(element) | CqlType::Set(element) => {
            let (values, used) = elements(bytes, &|_| Some(element))?;
            Some((counted(values.len(), &values)?, used))
        }
        CqlType::Map(both) => {
            let of = |i| Some(if i % 2 == 0 { &both.0 } else { &both.1 });
            let (values, used) = elements(bytes, &of)?;
            if values.len() % 2 != 0 {
                return None;
            }
            Some((counted(values.len() / 2, &values)?, used))
        }
        CqlType::Tuple(types) => fields(bytes, types.len(), &|i| types.get(i)),
        CqlType::User(user) => {
            fields(bytes, user.fields.len(), &|i| user.fields.get(i).map(|(_, cql)| cql))
        }
        CqlType::Vector(element, n) => vector(bytes, element, *n),
        CqlType::Frozen(inner) => take(inner, bytes),
    }
}

/// Escaped bytes and the number of bytes that they had. Something must follow that ends them.
pub(super) fn unescape(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
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

type Elements = (Vec<Option<Vec<u8>>>, usize);

/// Elements up to the end of a tuple or collection.
fn elements<'a>(bytes: &[u8], of: &dyn Fn(usize) -> Option<&'a CqlType>) -> Option<Elements> {
    let mut values = Vec::new();
    let mut rest = bytes;
    loop {
        let (separator, after) = rest.split_first()?;
        rest = after;
        let value = match *separator {
            END => return Some((values, bytes.len().checked_sub(rest.len())?)),
            NULL => None,
            EMPTY => Some(Vec::new()),
            NEXT => {
                let (value, used) = take(of(values.len())?, rest)?;
                rest = rest.get(used..)?;
                Some(value)
            }
            _ => return None,
        };
        of(values.len())?;
        values.push(value);
    }
}

/// A count, then the elements. There is no null in a collection: what is written like one is Cassandra's empty element.
fn counted(count: usize, values: &[Option<Vec<u8>>]) -> Option<Vec<u8>> {
    let mut out = i32::try_from(count).ok()?.to_be_bytes().to_vec();
    for value in values {
        wire::put_nullable(&mut out, Some(value.as_deref().unwrap_or_default()))?;
    }
    Some(out)
}

/// A tuple or user type with all its fields: those not written are null. Nulls at the end are not written, so that one
/// there is Cassandra's empty element.
fn fields<'a>(
    bytes: &[u8],
    count: usize,
    of: &dyn Fn(usize) -> Option<&'a CqlType>,
) -> Option<(Vec<u8>, usize)> {
    let (mut values, used) = elements(bytes, of)?;
    if let Some(last) = values.last_mut() {
        last.get_or_insert_default();
    }
    let mut out = Vec::new();
    for i in 0..count {
        wire::put_nullable(&mut out, values.get(i).and_then(Option::as_deref))?;
    }
    Some((out, used))
}

fn vector(bytes: &[u8], element: &CqlType, n: u32) -> Option<(Vec<u8>, usize)> {
    let (values, used) = elements(bytes, &|_| Some(element))?;
    if u32::try_from(values.len()) != Ok(n) {
        return None;
    }
    let mut out = Vec::new();
    for value in values {
        let value = value.unwrap_or_default();
        let length = crate::pos::len64(value.len());
        match element.fixed_len() {
            Some(fixed) if u64::from(fixed) != length => return None,
            Some(_) => {}
            None => wire::put_uvint(&mut out, length),
        }
        out.extend(value);
    }
    Some((out, used))
}
