//! `varint` and `decimal`: whole numbers of any length, and those with a power of ten.

use crate::limits;
use num_bigint::BigInt;
use std::fmt::Write;

/// Appends a serialized `varint` in decimal digits. `None` when it is empty, longer than it need be, or beyond
/// [`limits::NUMBER_BYTES`].
pub(super) fn write_varint(out: &mut String, bytes: &[u8]) -> Option<()> {
    write!(out, "{}", minimal(bytes)?).ok()
}

/// Appends a serialized `decimal` (`i32` scale, then a `varint`) as Java writes one: `0.01`, `1E+20`.
pub(super) fn write_decimal(out: &mut String, bytes: &[u8]) -> Option<()> {
    let (scale, unscaled) = bytes.split_first_chunk::<4>()?;
    let scale = i64::from(i32::from_be_bytes(*scale));
    let unscaled = minimal(unscaled)?;
    let digits = unscaled.magnitude().to_string();
    if unscaled.sign() == num_bigint::Sign::Minus {
        out.push('-');
    }
    let count = i64::try_from(digits.len()).ok()?;
    let exponent = count - 1 - scale;
    if scale >= 0 && exponent >= -6 {
        let zeros = usize::try_from(scale - count + 1).unwrap_or(0);
        let digits = format!("{}{digits}", "0".repeat(zeros));
        let point = digits.len().checked_sub(usize::try_from(scale).ok()?)?;
        let (whole, fraction) = digits.split_at_checked(point)?;
        out.push_str(whole);
        if !fraction.is_empty() {
            write!(out, ".{fraction}").ok()?;
        }
    } else {
        let (first, more) = digits.split_at_checked(1)?;
        out.push_str(first);
        if !more.is_empty() {
            write!(out, ".{more}").ok()?;
        }
        if exponent != 0 {
            write!(out, "E{exponent:+}").ok()?;
        }
    }
    Some(())
}

/// A typed `varint`, serialized.
pub(super) fn parse_varint(text: &str) -> Option<Vec<u8>> {
    let number = whole(text)?;
    let bytes = number.to_signed_bytes_be();
    Some(bytes)
}

/// A typed `decimal`, serialized: digits after the point count into the scale, `1.10` is not `1.1`.
pub(super) fn parse_decimal(text: &str) -> Option<Vec<u8>> {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => {
            let (mantissa, exponent) = text.split_at_checked(at)?;
            (mantissa, exponent.get(1..)?.parse::<i64>().ok()?)
        }
        None => (text, 0),
    };
    let (front, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if !fraction.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let unscaled = whole(&format!("{front}{fraction}"))?;
    let scale = i64::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
    let mut bytes = i32::try_from(scale).ok()?.to_be_bytes().to_vec();
    bytes.extend(unscaled.to_signed_bytes_be());
    Some(bytes)
}

/// A whole number with an optional sign; nothing else that a number parser would let pass.
fn whole(text: &str) -> Option<BigInt> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

fn minimal(bytes: &[u8]) -> Option<BigInt> {
    let redundant = match bytes {
        [0x00, second, ..] => *second < 0x80,
        [0xff, second, ..] => *second >= 0x80,
        _ => false,
    };
    if bytes.is_empty() || redundant || bytes.len() > limits::NUMBER_BYTES {
        return None;
    }
    Some(BigInt::from_signed_bytes_be(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, bytes: &[u8]) {
        assert_eq!(parse_decimal(text).as_deref(), Some(bytes), "{text}");
        let mut out = String::new();
        write_decimal(&mut out, bytes).unwrap();
        assert_eq!(out, text);
    }

    #[test]
    fn decimals_keep_their_scale() {
        check("0", &[0, 0, 0, 0, 0]);
        check("1.1", &[0, 0, 0, 1, 11]);
        check("1.10", &[0, 0, 0, 2, 110]);
        check("-0.01", &[0, 0, 0, 2, 0xff]);
        check("0.000001", &[0, 0, 0, 6, 1]);
        check("1E-7", &[0, 0, 0, 7, 1]);
        check("1E+20", &[0xff, 0xff, 0xff, 0xec, 1]);
        check("-8.1E+2000", &[0xff, 0xff, 0xf8, 0x31, 0xaf]);
        check("1E+2147483648", &[0x80, 0, 0, 0, 1]);
        check("0.00", &[0, 0, 0, 2, 0]);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "-", "1.", ".", "1.2.3", "1e", "e5", "0x1", "1_0", "1E+9999999999", "+-1"]
        {
            let parsed = parse_decimal(text);
            // A trailing point is taken: Java takes it too.
            assert_eq!(parsed.is_some(), text == "1.", "{text}");
        }
        assert_eq!(parse_varint("12a"), None);
        assert_eq!(parse_varint("-129"), Some(vec![0xff, 0x7f]));
    }
}
