//! Decimal text as a binary fraction, rounded as IEEE 754 asks: to the nearest, ties to the even one.
//!
//! The same answers as `str::parse`, whose table of powers costs the page 10 KB of its first load; whole numbers of any
//! length are there for `varint` and `decimal` anyway.

use num_bigint::BigUint;
use std::cmp::Ordering;

/// Digits beyond these decide nothing: the longest exact half between two neighbours has 767.
const DIGITS: usize = 800;
/// Powers of ten beyond which every number is infinite or zero.
const TENS: i64 = 400;

/// A format of IEEE 754.
#[derive(Clone, Copy)]
pub(super) struct Format {
    /// Bits of the fraction, the leading one included.
    precision: i64,
    /// Exponent of the least normal number.
    least: i64,
    /// Value of the exponent field that stands for infinity.
    infinite: u64,
}

/// Of `float`.
pub(super) const FLOAT: Format = Format { precision: 24, least: -126, infinite: 0xff };
/// Of `double`.
pub(super) const DOUBLE: Format = Format { precision: 53, least: -1022, infinite: 0x7ff };

/// The bits of a number without its sign: digits with a point and an exponent, `inf`, `infinity` or `nan`, in any case.
/// `None` when it is none.
pub(super) fn parse(text: &str, format: Format) -> Option<u64> {
    let infinity = format.infinite << (format.precision - 1);
    if ["inf", "infinity"].iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return Some(infinity);
    }
    if text.eq_ignore_ascii_case("nan") {
        return Some(infinity | 1 << (format.precision - 2));
    }
    let (digits, exponent) = decimal(text)?;
    // 10^(exponent + digits - 1) <= number < 10^(exponent + digits)
    let tens = exponent.saturating_add(i64::try_from(digits.len()).ok()?);
    match () {
        () if digits.is_empty() || tens < -TENS => Some(0),
        () if tens > TENS => Some(infinity),
        () => Some(round(&digits, exponent, format).min(infinity)),
    }
}

/// Digits without leading zeros, and the power of ten of the last one.
fn decimal(text: &str) -> Option<(Vec<u8>, i64)> {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => {
            let (mantissa, exponent) = text.split_at_checked(at)?;
            let (negative, exponent) = match exponent.get(1..)? {
                rest if rest.starts_with('-') => (true, rest.get(1..)?),
                rest => (false, rest.strip_prefix('+').unwrap_or(rest)),
            };
            if exponent.is_empty() || !exponent.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            let size = exponent.parse().unwrap_or(i64::MAX / 4);
            (mantissa, if negative { -size } else { size })
        }
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = || whole.bytes().chain(fraction.bytes());
    if all().next().is_none() || !all().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut digits: Vec<u8> =
        all().skip_while(|byte| *byte == b'0').map(|byte| byte - b'0').collect();
    let mut exponent = exponent.saturating_sub(i64::try_from(fraction.len()).ok()?);
    if digits.len() > DIGITS {
        // What is cut off only tells whether the number lies above what is left: one more digit says so.
        let cut = digits.split_off(DIGITS);
        exponent = exponent.saturating_add(i64::try_from(cut.len()).ok()?);
        if cut.iter().any(|digit| *digit != 0) {
            digits.push(1);
            exponent = exponent.saturating_sub(1);
        }
    }
    Some((digits, exponent))
}

/// The bits of `digits * 10^exponent`, which is not zero; perhaps above those of infinity.
fn round(digits: &[u8], exponent: i64, format: Format) -> u64 {
    let mut over = BigUint::from_radix_be(digits, 10).unwrap_or_default();
    let mut under = BigUint::from(1u8);
    let power = BigUint::from(10u8).pow(u32::try_from(exponent.unsigned_abs()).unwrap_or(0));
    match exponent.cmp(&0) {
        Ordering::Less => under = power,
        _ => over *= power,
    }
    // A quotient of two bits more than the format holds; what is left of the division only says "a little more".
    let bits = |number: &BigUint| i64::try_from(number.bits()).unwrap_or(0);
    let shift = format.precision + 2 - (bits(&over) - bits(&under));
    let by = shift.unsigned_abs();
    if shift < 0 {
        under <<= by
    } else {
        over <<= by
    }
    let quotient = &over / &under;
    let more = &quotient * &under != over;
    let quotient = quotient.iter_u64_digits().next().unwrap_or(0);
    let top = i64::from(63 - quotient.leading_zeros());
    let exponent = top - shift;
    // Below the least normal number the format holds fewer bits.
    let kept = format.precision - (format.least - exponent).max(0);
    let drop = top + 1 - kept;
    let fraction = match u32::try_from(drop) {
        Ok(drop @ 0..=63) => {
            let (fraction, rest) = (quotient >> drop, quotient & ((1 << drop) - 1));
            let half = (1u64 << drop) >> 1;
            let up = rest > half || (rest == half && drop > 0 && (more || fraction & 1 == 1));
            fraction + u64::from(up)
        }
        _ => 0,
    };
    if exponent < format.least {
        return fraction;
    }
    // The leading one of the fraction adds one to the exponent field, and so does a carry.
    let field = u64::try_from(exponent - format.least).unwrap_or(0);
    (field << (format.precision - 1)) + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) {
        let double = text.parse::<f64>().ok().map(f64::to_bits);
        assert_eq!(parse(text, DOUBLE), double, "{text} as a double");
        let float = text.parse::<f32>().ok().map(|number| u64::from(number.to_bits()));
        assert_eq!(parse(text, FLOAT), float, "{text} as a float");
    }

    #[test]
    fn numbers_equal_those_of_the_standard_library() {
        for text in [
            "0",
            "0.0",
            "000",
            "1",
            "1.",
            ".5",
            "0.1",
            "0.3",
            "123456789",
            "9007199254740993",
            "9007199254740992.5",
            "9007199254740993.00000000000000000001",
            "16777217",
            "16777219",
            "1e22",
            "1e23",
            "1E+23",
            "1e-23",
            "4.9e-324",
            "2.4e-324",
            "2.5e-324",
            "5e-324",
            "2.2250738585072011e-308",
            "2.2250738585072014e-308",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "1e309",
            "1e-400",
            "1e99999999999",
            "0e99999999999",
            "1e-99999999999",
            "3.4028235e38",
            "3.4028236e38",
            "1.4e-45",
            "7e-46",
            "1.17549435e-38",
            "inf",
            "Infinity",
            "NaN",
            "nan",
        ] {
            check(text);
        }
        for text in ["", ".", "e5", "1e", "1e+", "0x10", "1_000", "1.2.3", " 1", "1 ", "in", "+-1"]
        {
            assert_eq!(parse(text, DOUBLE), None, "{text}");
        }
    }

    #[test]
    fn numbers_drawn_at_random_and_halves_between_neighbours_are_rounded_alike() {
        let mut state = 1u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state ^ (state >> 29)
        };
        for _ in 0..3000 {
            let (digits, exponent) = (random(), random() % 660);
            check(&format!("{digits}e{}", i64::try_from(exponent).unwrap() - 340));
            check(&format!("{}.{:03}", digits % 100_000, exponent));
            let double = f64::from_bits(random() >> 1);
            if double.is_finite() {
                check(&format!("{double:e}"));
                // All digits of a double and half of its last place: a tie.
                let next = f64::from_bits(double.to_bits() + 1);
                if double > 1e-200 && next < 1e200 {
                    check(&format!("{double:.900}"));
                    check(&format!("{:.900}", f64::from(double as f32)));
                }
            }
        }
        check("9007199254740993");
        check(&format!("9007199254740993.{}", "0".repeat(900)));
        check(&format!("9007199254740993.{}1", "0".repeat(900)));
        check(&format!("9007199254740992.{}", "9".repeat(900)));
    }
}
