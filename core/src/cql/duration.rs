//! `duration`: months, days and nanoseconds, all of one sign. Text as Cassandra writes it (`1y2mo3d4h5m6s`), and the
//! ISO form (`P1Y2M3DT4H5M6S`) when typed.

use super::wire;
use std::fmt::Write;

const SECOND: u64 = 1_000_000_000;

const UNITS: [(&str, Of, u64); 11] = [
    ("y", Of::Months, 12),
    ("mo", Of::Months, 1),
    ("w", Of::Days, 7),
    ("d", Of::Days, 1),
    ("h", Of::Nanos, 3600 * SECOND),
    ("m", Of::Nanos, 60 * SECOND),
    ("s", Of::Nanos, SECOND),
    ("ms", Of::Nanos, 1_000_000),
    ("us", Of::Nanos, 1000),
    ("µs", Of::Nanos, 1000),
    ("ns", Of::Nanos, 1),
];

#[derive(Clone, Copy, PartialEq)]
enum Of {
    Months,
    Days,
    Nanos,
}

/// Appends a serialized duration. `None` when signs are mixed or the bytes are not the shortest form.
pub(super) fn write_duration(out: &mut String, bytes: &[u8]) -> Option<()> {
    let (months, days, nanos) = wire::duration(bytes)?;
    let negative = months < 0 || days < 0 || nanos < 0;
    if negative && (months > 0 || days > 0 || nanos > 0) || serialized(months, days, nanos) != bytes
    {
        return None;
    }
    if (months, days, nanos) == (0, 0, 0) {
        out.push_str("0ns");
        return Some(());
    }
    if negative {
        out.push('-');
    }
    let sums = [
        (Of::Months, u64::from(months.unsigned_abs())),
        (Of::Days, u64::from(days.unsigned_abs())),
        (Of::Nanos, nanos.unsigned_abs()),
    ];
    for (of, mut left) in sums {
        // Cassandra writes days without weeks, and microseconds with a plain u.
        let used = |unit: &str| !matches!(unit, "w" | "µs");
        for (unit, _, size) in UNITS.iter().filter(|u| u.1 == of && used(u.0)) {
            if left >= *size {
                write!(out, "{}{unit}", left / size).ok()?;
                left %= size;
            }
        }
    }
    Some(())
}

/// A typed duration, serialized.
pub(super) fn parse_duration(text: &str) -> Option<Vec<u8>> {
    let (negative, body) = match text.strip_prefix('-') {
        Some(body) => (true, body),
        None => (false, text),
    };
    let mut sums = [0i128; 3];
    let mut add = |of: Of, n: u64, size: u64| {
        let [months, days, nanos] = &mut sums;
        let sum = match of {
            Of::Months => months,
            Of::Days => days,
            Of::Nanos => nanos,
        };
        *sum = sum.saturating_add(i128::from(n) * i128::from(size));
    };
    match body.strip_prefix(['P', 'p']) {
        Some(iso) => {
            let (date, time) = iso.split_once(['T', 't']).unwrap_or((iso, ""));
            for (n, unit) in pieces(date)? {
                let (of, size) = match unit {
                    "Y" | "y" => (Of::Months, 12),
                    "M" | "m" => (Of::Months, 1),
                    "W" | "w" => (Of::Days, 7),
                    "D" | "d" => (Of::Days, 1),
                    _ => return None,
                };
                add(of, n, size);
            }
            for (n, unit) in pieces(time)? {
                let size = match unit {
                    "H" | "h" => 3600 * SECOND,
                    "M" | "m" => 60 * SECOND,
                    "S" | "s" => SECOND,
                    _ => return None,
                };
                add(Of::Nanos, n, size);
            }
        }
        None => {
            for (n, unit) in pieces(body)? {
                let unit = unit.to_ascii_lowercase();
                let (_, of, size) = UNITS.iter().find(|(name, ..)| *name == unit)?;
                add(*of, n, *size);
            }
        }
    }
    if matches!(body, "" | "P" | "p") {
        return None;
    }
    let [months, days, nanos] = sums.map(|sum| if negative { -sum } else { sum });
    let small = |n: i128| i32::try_from(n).ok();
    Some(serialized(small(months)?, small(days)?, i64::try_from(nanos).ok()?))
}

fn serialized(months: i32, days: i32, nanos: i64) -> Vec<u8> {
    let mut bytes = Vec::new();
    wire::put_svint(&mut bytes, months.into());
    wire::put_svint(&mut bytes, days.into());
    wire::put_svint(&mut bytes, nanos);
    bytes
}

/// Numbers, each with the letters after it.
fn pieces(text: &str) -> Option<Vec<(u64, &str)>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, after) = rest.split_at_checked(digits)?;
        // The only letter beyond ASCII is that of microseconds.
        let is_letter = |c: char| c.is_ascii_alphabetic() || !c.is_ascii();
        let letters = after.find(|c: char| !is_letter(c)).unwrap_or(after.len());
        let (unit, after) = after.split_at_checked(letters)?;
        pieces.push((number.parse().ok()?, unit));
        rest = after;
    }
    Some(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_equal_those_of_a_real_table() {
        let check = |text: &str, hex: &str| {
            let bytes = parse_duration(text).unwrap();
            let mut out = String::new();
            write_duration(&mut out, &bytes).unwrap();
            assert_eq!(out, text);
            let mut shown = String::new();
            super::super::scan::push_hex(&mut shown, &bytes);
            assert_eq!(shown, hex);
        };
        check("1mo2d3ns", "0x020406");
        check("0ns", "0x000000");
        check("-1mo2d", "0x010300");
        check("1y1mo", "0x1a0000");
    }

    #[test]
    fn other_forms_are_read() {
        let same = |a, b| assert_eq!(parse_duration(a).unwrap(), parse_duration(b).unwrap());
        same("P1Y2M3DT4H5M6S", "1y2mo3d4h5m6s");
        same("2w", "14d");
        same("5µs", "5us");
        same("5US", "5us");
        for text in ["", "-", "5", "5x", "y", "1y-2d", "99999999999y", "P5"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }

    #[test]
    fn the_longest_durations_are_read_back() {
        for sign in [i64::MIN, i64::MAX] {
            let months = if sign < 0 { i32::MIN } else { i32::MAX };
            let bytes = serialized(months, months, sign);
            let mut text = String::new();
            write_duration(&mut text, &bytes).unwrap();
            assert_eq!(parse_duration(&text), Some(bytes), "{text}");
        }
    }
}
