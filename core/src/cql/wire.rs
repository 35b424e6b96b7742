//! The serialized forms of compound values: what lies in a collection, a tuple, a vector, a composite key.
//! `docs/format/statistics.md`, "value encodings".
//!
//! All of these return `None` when the bytes do not have the form; nothing is allocated beyond the bytes given.

use super::types::CqlType;

/// The elements of a frozen list or set (`per_item` 1) or map (2: key, value, key, value…); `None` in it is null.
pub(crate) fn collection(bytes: &[u8], per_item: u32) -> Option<Vec<Option<&[u8]>>> {
    let (count, mut rest) = int(bytes)?;
    let count = usize::try_from(count).ok()?.checked_mul(usize::try_from(per_item).ok()?)?;
    // Each element has a length of four bytes at least.
    if count > rest.len() / 4 {
        return None;
    }
    let mut elements = Vec::with_capacity(count);
    for _ in 0..count {
        let (element, after) = nullable(rest)?;
        elements.push(element);
        rest = after;
    }
    rest.is_empty().then_some(elements)
}

/// The fields of a tuple or user type of `fields` fields; trailing ones may be missing.
pub(crate) fn tuple(bytes: &[u8], fields: usize) -> Option<Vec<Option<&[u8]>>> {
    let mut rest = bytes;
    let mut values = Vec::with_capacity(fields.min(bytes.len() / 4));
    while !rest.is_empty() {
        if values.len() == fields {
            return None;
        }
        let (value, after) = nullable(rest)?;
        values.push(value);
        rest = after;
    }
    Some(values)
}

/// The elements of a vector.
pub(crate) fn vector<'a>(bytes: &'a [u8], element: &CqlType, n: u32) -> Option<Vec<&'a [u8]>> {
    let n = usize::try_from(n).ok()?;
    let mut rest = bytes;
    let fixed = match element.fixed_len() {
        Some(length) => Some(usize::try_from(length).ok()?),
        None => None,
    };
    // An element without bytes would let the count run free.
    if fixed == Some(0) || n > bytes.len() {
        return None;
    }
    let mut elements = Vec::with_capacity(n);
    for _ in 0..n {
        let length = match fixed {
            Some(length) => length,
            None => {
                let (length, after) = uvint(rest)?;
                rest = after;
                usize::try_from(length).ok()?
            }
        };
        let (value, after) = rest.split_at_checked(length)?;
        elements.push(value);
        rest = after;
    }
    rest.is_empty().then_some(elements)
}

/// The columns of a composite partition key: each a `u16` length, the bytes, `00`.
pub(crate) fn composite(bytes: &[u8], columns: usize) -> Option<Vec<&[u8]>> {
    let mut rest = bytes;
    let mut values = Vec::with_capacity(columns);
    for _ in 0..columns {
        let (length, after) = rest.split_first_chunk::<2>()?;
        let (value, after) = after.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        rest = after.strip_prefix(&[0])?;
        values.push(value);
    }
    rest.is_empty().then_some(values)
}

/// Months, days and nanoseconds of a duration.
pub(crate) fn duration(bytes: &[u8]) -> Option<(i32, i32, i64)> {
    let (months, rest) = svint(bytes)?;
    let (days, rest) = svint(rest)?;
    let (nanos, rest) = svint(rest)?;
    let small = |n: i64| i32::try_from(n).ok();
    rest.is_empty().then_some((small(months)?, small(days)?, nanos))
}

/// Value of a counter: the sum of its shards, wrapping as the databases add them.
pub(crate) fn counter(bytes: &[u8]) -> Option<i64> {
    let (count, rest) = bytes.split_first_chunk::<2>()?;
    let header = usize::from(u16::try_from(i16::from_be_bytes(*count)).ok()?) * 2;
    let (shards, tail) = rest.get(header..)?.as_chunks::<32>();
    let value = |shard: &[u8; 32]| {
        let (_, count) = shard.split_last_chunk::<8>()?;
        Some(i64::from_be_bytes(*count))
    };
    let sum = shards.iter().filter_map(value).fold(0i64, i64::wrapping_add);
    tail.is_empty().then_some(sum)
}

/// An unsigned vint and what follows it.
pub(crate) fn uvint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (first, rest) = bytes.split_first()?;
    let extra = usize::try_from(first.leading_ones()).ok()?;
    let (more, rest) = rest.split_at_checked(extra)?;
    let mask = 0x7fu8.checked_shr(first.leading_ones()).unwrap_or(0);
    let value = more.iter().fold(u64::from(first & mask), |v, byte| v << 8 | u64::from(*byte));
    Some((value, rest))
}

/// A counter of one shard with this count: what a counter is when it is typed. Its id and clock are zero.
pub(crate) fn one_shard(count: i64) -> Vec<u8> {
    // One header element, of the global shard 0; then id, clock and count.
    let mut bytes = vec![0, 1, 0x80, 0];
    bytes.extend([0; 24]);
    bytes.extend(count.to_be_bytes());
    bytes
}

/// Appends a nullable element: `i32` length, −1 for null, then the bytes. `None` when it is too long to be written.
pub(crate) fn put_nullable(out: &mut Vec<u8>, value: Option<&[u8]>) -> Option<()> {
    match value {
        None => out.extend_from_slice(&(-1i32).to_be_bytes()),
        Some(bytes) => {
            out.extend_from_slice(&i32::try_from(bytes.len()).ok()?.to_be_bytes());
            out.extend_from_slice(bytes);
        }
    }
    Some(())
}

/// Appends an unsigned vint: as many leading ones as bytes follow the first.
pub(crate) fn put_uvint(out: &mut Vec<u8>, value: u64) {
    let bits = u64::BITS - (value | 1).leading_zeros();
    let bytes = value.to_be_bytes();
    // n bytes hold 7n bits; nine hold 64.
    let length = usize::try_from(bits.div_ceil(7)).unwrap_or(9);
    if length >= 9 {
        out.push(0xff);
        out.extend_from_slice(&bytes);
        return;
    }
    let start = out.len();
    out.extend(bytes.iter().skip(8 - length));
    if let Some(first) = out.get_mut(start) {
        *first |= !(0xffu8 >> (length - 1));
    }
}

/// Appends a signed vint: zig-zag, then [`put_uvint`].
pub(crate) fn put_svint(out: &mut Vec<u8>, value: i64) {
    put_uvint(out, (value.wrapping_shl(1) ^ (value >> 63)).cast_unsigned());
}

fn int(bytes: &[u8]) -> Option<(i32, &[u8])> {
    let (first, rest) = bytes.split_first_chunk::<4>()?;
    Some((i32::from_be_bytes(*first), rest))
}

fn nullable(bytes: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let (length, rest) = int(bytes)?;
    if length < 0 {
        return Some((None, rest));
    }
    let (value, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    Some((Some(value), rest))
}

fn svint(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let (raw, rest) = uvint(bytes)?;
    Some(((raw >> 1).cast_signed() ^ -((raw & 1).cast_signed()), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vints_read_back_what_was_written() {
        let mut values = vec![0, u64::MAX];
        for shift in 0..64 {
            values.extend([1u64 << shift, (1 << shift) - 1]);
        }
        for value in values {
            let mut bytes = Vec::new();
            put_uvint(&mut bytes, value);
            assert_eq!(uvint(&bytes), Some((value, &[][..])), "{value}");
            let signed = value.cast_signed();
            bytes.clear();
            put_svint(&mut bytes, signed);
            assert_eq!(svint(&bytes), Some((signed, &[][..])), "{signed}");
        }
    }

    #[test]
    fn vints_equal_the_vectors_of_the_format_text() {
        let check = |value, expected: &[u8]| {
            let mut bytes = Vec::new();
            put_uvint(&mut bytes, value);
            assert_eq!(bytes, expected);
        };
        check(127, &[0x7f]);
        check(128, &[0x80, 0x80]);
        check(16384, &[0xc0, 0x40, 0x00]);
        check((1 << 56) - 1, &[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
        check(1 << 56, &[0xff, 0x01, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_count_beyond_the_bytes_is_refused() {
        assert_eq!(collection(&[0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0], 1), None);
        assert_eq!(collection(&[0xff, 0xff, 0xff, 0xff], 1), None);
        assert_eq!(vector(&[0, 0], &CqlType::Text, u32::MAX), None);
        assert_eq!(vector(&[], &CqlType::Empty, u32::MAX), None);
    }
}
