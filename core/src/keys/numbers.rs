//! Byte-comparable numbers of any length: `bigint`, `varint`, `decimal`. `docs/format/keys.md`.

use crate::cql::wire;
use crate::limits;
use num_bigint::BigInt;

/// Appends a `bigint`: leading ones of the first byte count the bytes that follow, all inverted when it is negative.
pub(super) fn put_bigint(out: &mut Vec<u8>, value: i64) {
    let invert = if value < 0 { 0xff } else { 0 };
    let magnitude = (value ^ (value >> 63)).cast_unsigned();
    let bits = (u64::BITS - magnitude.leading_zeros()).max(1);
    let bytes = magnitude.to_be_bytes();
    // One sign bit, as many ones as bytes, and the number: n bytes hold 7n - 1 bits.
    let length = bits / 7 + 1;
    if length >= 9 {
        out.push(0xff ^ invert);
        out.extend(bytes.iter().enumerate().map(|(i, b)| {
            let top = if i == 0 { 0x80 } else { 0 };
            (b | top) ^ invert
        }));
        return;
    }
    let ones = !(0xffffu16 >> length).to_be_bytes()[0];
    let more = !(0xffffu16 >> length).to_be_bytes()[1];
    let skip = usize::try_from(8 - length).unwrap_or(0);
    for (i, byte) in bytes.iter().skip(skip).enumerate() {
        // With eight bytes the first is all ones, and the zero that ends them is the top of the second.
        let mark = match i {
            0 => ones,
            1 => more,
            _ => 0,
        };
        out.push((byte | mark) ^ invert);
    }
}

/// A `bigint` and the number of bytes of its code; `None` when it is cut.
pub(super) fn take_bigint(bytes: &[u8]) -> Option<(i64, usize)> {
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

/// Appends a serialized `varint`; sign bytes that it does not need are dropped.
pub(super) fn put_varint(out: &mut Vec<u8>, bytes: &[u8]) {
    let negative = bytes.first().is_some_and(|byte| *byte >= 0x80);
    let invert = if negative { 0xff } else { 0 };
    // The bytes of the number, or of its complement when it is negative.
    let start = bytes.iter().position(|byte| byte ^ invert != 0).unwrap_or(bytes.len());
    let number = bytes.get(start..).unwrap_or_default();
    if number.len() < 7 {
        let magnitude = number.iter().fold(0i64, |n, byte| n << 8 | i64::from(byte ^ invert));
        put_bigint(out, if negative { !magnitude } else { magnitude });
        return;
    }
    out.push(!invert);
    let length = out.len();
    wire::put_uvint(out, crate::pos::len64(number.len() - 7));
    for byte in out.iter_mut().skip(length) {
        *byte ^= invert;
    }
    out.extend_from_slice(number);
}

/// A serialized `varint` and the number of bytes of its code; `None` when it is cut.
pub(super) fn take_varint(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let (first, rest) = bytes.split_first()?;
    if !matches!(first, 0 | 0xff) {
        let (number, used) = take_bigint(bytes)?;
        return Some((BigInt::from(number).to_signed_bytes_be(), used));
    }
    let invert = !first;
    let mut head = [0; 9];
    let at_most = rest.len().min(head.len());
    for (to, from) in head.iter_mut().zip(rest) {
        *to = from ^ invert;
    }
    let (more, after) = wire::uvint(head.get(..at_most)?)?;
    let at = 1 + at_most - after.len();
    let end = usize::try_from(more).ok()?.checked_add(at + 7)?;
    let number = bytes.get(at..end)?;
    let mut value = Vec::with_capacity(number.len() + 1);
    if number.first()? & 0x80 != invert & 0x80 {
        value.push(invert);
    }
    value.extend_from_slice(number);
    Some((value, end))
}

/// Appends a serialized `decimal`: exponent to the base 100, then the digits to the base 100. `None` when the bytes are
/// no decimal.
pub(super) fn put_decimal(out: &mut Vec<u8>, bytes: &[u8]) -> Option<()> {
    let (scale, unscaled) = bytes.split_first_chunk::<4>()?;
    if unscaled.is_empty() || unscaled.len() > limits::KEY_BYTES {
        return None;
    }
    let scale = i64::from(i32::from_be_bytes(*scale));
    let unscaled = BigInt::from_signed_bytes_be(unscaled);
    let negative = unscaled.sign() == num_bigint::Sign::Minus;
    let digits = unscaled.magnitude().to_string();
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        out.push(0x80);
        return Some(());
    }
    // The value is 0.DIGITS * 10^power. To the base 100 an odd power takes a zero in front.
    let power = i64::try_from(digits.len()).ok()? - scale;
    let odd = power.rem_euclid(2) == 1;
    let exponent = power.div_euclid(2) + i64::from(odd);
    let exponent = if negative { -exponent } else { exponent };
    let exponent_bytes = exponent.unsigned_abs().to_be_bytes();
    let skip = exponent_bytes.iter().position(|byte| *byte != 0).unwrap_or(8);
    let length = u8::try_from(8 - skip).ok()?;
    let middle: u8 = if negative { 0x40 } else { 0xc0 };
    out.push(if exponent < 0 { middle - length } else { middle + length });
    out.extend(exponent.to_be_bytes().iter().skip(skip));

    let zero = odd.then_some(b'0');
    let mut pending = zero.into_iter().chain(significant.bytes()).map(|digit| digit - b'0');
    let mut pairs = std::iter::from_fn(|| {
        let high = pending.next()?;
        Some(high * 10 + pending.next().unwrap_or(0))
    })
    .peekable();
    let mut first = true;
    while let Some(pair) = pairs.next() {
        let last = pairs.peek().is_none();
        // A negative number is written as its floor and non-negative digits: the complement to 100 of what follows,
        // borrowed from the first digit.
        let digit = match (negative, first, last) {
            (false, ..) => 0x80 + pair,
            (true, true, true) => 0x80 - pair,
            (true, true, false) => 0x80 - pair - 1,
            (true, false, true) => 0x80 + 100 - pair,
            (true, false, false) => 0x80 + 99 - pair,
        };
        out.push(digit);
        first = false;
    }
    out.push(0);
    Some(())
}

/// Integers of at most this many digits are read back without an exponent: `100`, not `1E+2`.
const PLAIN_DIGITS: usize = 40;

/// A serialized `decimal` and the number of bytes of its code; `None` when it is cut.
///
/// The code has the number, not its scale: 1 and 1.0 are one. What comes back has no needless zeros after the point, and
/// whole numbers have scale 0 while they have at most [`PLAIN_DIGITS`] digits.
pub(super) fn take_decimal(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let (head, rest) = bytes.split_first()?;
    if *head == 0x80 {
        return Some((vec![0; 5], 1));
    }
    let negative = *head < 0x80;
    let middle: u8 = if negative { 0x40 } else { 0xc0 };
    let length = usize::from(head.abs_diff(middle));
    // A scale has four bytes.
    let (code, rest) = rest.split_at_checked(length).filter(|_| length <= 5)?;
    let sign = if *head < middle { -1 } else { 0 };
    let exponent = code.iter().fold(sign, |n: i64, byte| n << 8 | i64::from(*byte));
    let exponent = if negative { -exponent } else { exponent };
    let end = rest.iter().position(|byte| *byte == 0)?;
    let mut text = String::with_capacity(2 * end + 1);
    if negative {
        text.push('-');
    }
    for (i, byte) in rest.iter().take(end).enumerate() {
        // As in `put_decimal`, turned round.
        let pair = match (negative, i == 0, i + 1 == end) {
            (false, ..) => byte.checked_sub(0x80),
            (true, true, true) => 0x80u8.checked_sub(*byte),
            (true, true, false) => 0x7fu8.checked_sub(*byte),
            (true, false, true) => (0x80u8 + 100).checked_sub(*byte),
            (true, false, false) => (0x80u8 + 99).checked_sub(*byte),
        };
        let pair = pair.filter(|pair| *pair < 100)?;
        text.push(char::from(b'0' + pair / 10));
        text.push(char::from(b'0' + pair % 10));
    }
    let mut scale = 2 * (i64::try_from(end).ok()? - exponent);
    match usize::try_from(-scale) {
        Ok(zeros) if zeros + 2 * end <= PLAIN_DIGITS => {
            text.extend(std::iter::repeat_n('0', zeros));
            scale = 0;
        }
        needless => {
            while text.ends_with('0') && (scale > 0 || needless.is_ok()) {
                text.pop();
                scale -= 1;
            }
        }
    }
    let unscaled: BigInt = text.parse().ok()?;
    let mut value = i32::try_from(scale).ok()?.to_be_bytes().to_vec();
    value.extend(unscaled.to_signed_bytes_be());
    Some((value, 1 + length + end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cql::{CqlType, parse_literal, to_text};

    fn hex(text: &str) -> Vec<u8> {
        crate::cql::hex(&text.replace(' ', "")).unwrap()
    }

    #[test]
    fn bigints_equal_the_examples_of_the_format_text() {
        let check = |value, expected: &str| {
            let mut out = Vec::new();
            put_bigint(&mut out, value);
            assert_eq!(out, hex(expected), "{value}");
            assert_eq!(take_bigint(&out), Some((value, out.len())));
            assert_eq!(take_bigint(&out[..out.len() - 1]), None, "{value}");
        };
        check(0, "80");
        check(1, "81");
        check(-1, "7f");
        check(63, "bf");
        check(64, "c040");
        check(-64, "40");
        check(-65, "3fbf");
        check((1 << 20) - 1, "efffff");
        check(1 << 20, "f0100000");
        check(-(1 << 20), "100000");
        check(i64::MAX, "ffffffffffffffffff");
        check(i64::MIN, "000000000000000000");
        check(0x0123_4567_89ab_cdef, "ff8123456789abcdef");
    }

    #[test]
    fn varints_equal_the_examples_of_the_format_text() {
        let check = |value: BigInt, expected: &str| {
            let mut out = Vec::new();
            put_varint(&mut out, &value.to_signed_bytes_be());
            assert_eq!(out, hex(expected), "{value}");
            assert_eq!(take_varint(&out), Some((value.to_signed_bytes_be(), out.len())));
            assert_eq!(take_varint(&out[..out.len() - 1]), None, "{value}");
        };
        let two_to = |n: u32| BigInt::from(1) << n;
        check(BigInt::from(0), "80");
        check(BigInt::from(-1), "7f");
        check(BigInt::from(127), "c07f");
        check(BigInt::from(255), "c0ff");
        check(two_to(32) - 1, "f8ffffffff");
        check(two_to(32), "f900000000");
        check(two_to(48) - 1, "feffffffffffff");
        check(two_to(48), "ff 00 01000000000000");
        check(-two_to(48), "01000000000000");
        check(-two_to(48) - 1, "00 ff feffffffffffff");
        check(two_to(56) - 1, "ff 00 ffffffffffffff");
        check(two_to(56), "ff 01 0100000000000000");
    }

    #[test]
    fn decimals_equal_the_examples_of_the_format_text() {
        let check = |text: &str, expected: &str, back: &str| {
            let bytes = parse_literal(&CqlType::Decimal, text).unwrap();
            let mut out = Vec::new();
            put_decimal(&mut out, &bytes).unwrap();
            assert_eq!(out, hex(expected), "{text}");
            let (value, used) = take_decimal(&out).unwrap();
            assert_eq!((to_text(&CqlType::Decimal, &value).as_str(), used), (back, out.len()));
            assert_eq!(take_decimal(&out[..out.len() - 1]), None, "{text}");
        };
        check("0", "80", "0");
        check("0.00", "80", "0");
        check("1.1", "c1 01 81 8a 00", "1.1");
        check("1", "c1 01 81 00", "1");
        check("1.0", "c1 01 81 00", "1");
        check("0.01", "c0 81 00", "0.01");
        check("-0.01", "40 7f 00", "-0.01");
        check("-1", "3f ff 7f 00", "-1");
        check("-1.1", "3f ff 7e da 00", "-1.1");
        check("-98.9", "3f ff 1d 8a 00", "-98.9");
        check("-99.9", "3f ff 1c 8a 00", "-99.9");
        check("8.1e2000", "c2 03e9 88 8a 00", "8.1E+2000");
        check("-8.1e2000", "3e fc17 77 da 00", "-8.1E+2000");
        check("8.1e-2000", "be fc19 88 8a 00", "8.1E-2000");
        check("100", "c1 02 81 00", "100");
        check("1E+2", "c1 02 81 00", "100");
        check("1E+38", "c1 14 81 00", &format!("1{}", "0".repeat(38)));
        check("1E+39", "c1 14 8a 00", &format!("1{}", "0".repeat(39)));
        check("1E+40", "c1 15 81 00", "1E+40");
    }
}
