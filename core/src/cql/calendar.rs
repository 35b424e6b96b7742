//! Dates and times in UTC, in the proleptic Gregorian calendar: as much as literals of `date`, `time` and `timestamp`
//! need. Every value of these types has a text.

use std::fmt::Write;

const DAY_MILLIS: i64 = 86_400_000;
const DAY_NANOS: u64 = 86_400_000_000_000;

/// Appends `2024-02-29` for days since 1970-01-01; years beyond 9999 with a sign.
pub(super) fn write_date(out: &mut String, days: i64) -> Option<()> {
    let (year, month, day) = civil(days);
    let sign = if year < 0 { "-" } else { "" };
    let sign = if year > 9999 { "+" } else { sign };
    write!(out, "{sign}{:04}-{month:02}-{day:02}", year.unsigned_abs()).ok()
}

/// Appends `08:30:00.123456789`; `None` beyond a day.
pub(super) fn write_time(out: &mut String, nanos: i64) -> Option<()> {
    let nanos = u64::try_from(nanos).ok().filter(|n| *n < DAY_NANOS)?;
    let seconds = nanos / 1_000_000_000;
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    write!(out, "{h:02}:{m:02}:{s:02}.{:09}", nanos % 1_000_000_000).ok()
}

/// Appends `2024-02-29T08:30:00.123Z` for milliseconds since 1970.
pub(super) fn write_timestamp(out: &mut String, millis: i64) -> Option<()> {
    write_date(out, millis.div_euclid(DAY_MILLIS))?;
    let rest = millis.rem_euclid(DAY_MILLIS);
    let seconds = rest / 1000;
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    write!(out, "T{h:02}:{m:02}:{s:02}.{:03}Z", rest % 1000).ok()
}

/// Days since 1970-01-01 of `2024-02-29`.
pub(super) fn parse_date(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (year, rest) = digits.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    let year = i64::from(number(year, 4, 9)?);
    let year = if negative { -year } else { year };
    let (month, day) = (number(month, 1, 2)?, number(day, 1, 2)?);
    if !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
        return None;
    }
    Some(days_since_1970(year, month, day))
}

/// Nanoseconds since midnight of `08:30`, `08:30:00` or `08:30:00.123456789`.
pub(super) fn parse_time(text: &str) -> Option<i64> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = clock.split(':');
    let (hours, minutes) = (number(parts.next()?, 1, 2)?, number(parts.next()?, 2, 2)?);
    let seconds = match parts.next() {
        Some(seconds) => number(seconds, 2, 2)?,
        None if fraction.is_empty() => 0,
        None => return None,
    };
    if parts.next().is_some() || hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    let nanos = if fraction.is_empty() && !text.ends_with('.') {
        0
    } else {
        number(&format!("{fraction:0<9}"), 9, 9).filter(|_| !fraction.is_empty())?
    };
    let whole = i64::from((hours * 60 + minutes) * 60 + seconds);
    Some(whole * 1_000_000_000 + i64::from(nanos))
}

/// Milliseconds since 1970 of a date, perhaps with a time (after `T` or a blank), perhaps with a zone (`Z`, `+02:00`,
/// `+0200`, `+02`); without one it is UTC. Digits below a millisecond must be 0.
pub(super) fn parse_timestamp(text: &str) -> Option<i64> {
    let Some(at) = text.find(['T', 't', ' ']) else {
        return parse_date(text)?.checked_mul(DAY_MILLIS);
    };
    let days = parse_date(text.get(..at)?)?;
    let rest = text.get(at + 1..)?.trim_start();
    let zone_at = rest.find(['Z', 'z', '+', '-', ' ']).unwrap_or(rest.len());
    let (time, zone) = rest.split_at_checked(zone_at)?;
    let nanos = parse_time(time)?;
    if nanos % 1_000_000 != 0 {
        return None;
    }
    let offset = zone_millis(zone.trim())?;
    // In 128 bits, so that the first and last representable moment pass whatever the order of the sum.
    let millis = i128::from(days) * i128::from(DAY_MILLIS) + i128::from(nanos / 1_000_000)
        - i128::from(offset);
    i64::try_from(millis).ok()
}

fn zone_millis(zone: &str) -> Option<i64> {
    if zone.is_empty() || zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, digits) = match zone.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, zone.strip_prefix('+')?),
    };
    let digits = digits.replacen(':', "", 1);
    let (hours, minutes) = digits.split_at_checked(2)?;
    let hours = number(hours, 2, 2).filter(|h| *h <= 18)?;
    let minutes = if minutes.is_empty() { 0 } else { number(minutes, 2, 2)? };
    if minutes > 59 {
        return None;
    }
    Some(sign * i64::from(hours * 60 + minutes) * 60_000)
}

fn number(digits: &str, least: usize, most: usize) -> Option<u32> {
    let fits = (least..=most).contains(&digits.len());
    if !fits || !digits.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

fn days_in(year: i64, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

// Both directions count in eras of 400 years = 146,097 days, with years that begin in March, so that the leap day is
// the last of its year.

fn days_since_1970(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let march_month = i64::from((month + 9) % 12);
    let of_year = (153 * march_month + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn civil(days: i64) -> (i64, i64, i64) {
    let days = days.saturating_add(719_468);
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_six_thousand_years_is_read_back() {
        let mut text = String::new();
        let mut before = String::new();
        for days in -1_100_000..1_100_000 {
            text.clear();
            write_date(&mut text, days).unwrap();
            assert_eq!(parse_date(&text), Some(days), "{text}");
            assert_ne!(text, before);
            std::mem::swap(&mut before, &mut text);
        }
    }

    #[test]
    fn known_days() {
        assert_eq!(parse_date("1970-01-01"), Some(0));
        assert_eq!(parse_date("2000-02-29"), Some(11_016));
        assert_eq!(parse_date("1900-02-29"), None);
        assert_eq!(parse_date("-5877641-06-23"), Some(-(1 << 31)));
        assert_eq!(parse_date("2024-13-01"), None);
        assert_eq!(parse_date("2024-00-01"), None);
        assert_eq!(parse_date("24-01-01"), None);
    }

    #[test]
    fn moments_may_name_a_zone() {
        let check = |text, millis| assert_eq!(parse_timestamp(text), millis, "{text}");
        check("2023-11-14T22:13:20.123Z", Some(1_700_000_000_123));
        check("2023-11-14 22:13:20+0000", Some(1_700_000_000_000));
        check("2023-11-15T00:13:20+02:00", Some(1_700_000_000_000));
        check("2023-11-14T20:13-02", Some(1_699_999_980_000));
        check("2023-11-14", Some(1_699_920_000_000));
        check("2023-11-14T22:13:20.123456Z", None);
        check("2023-11-14T22:13:20.Z", None);
        check("2023-11-14T24:13:20Z", None);
        check("0001-01-01T00:00:00.000Z", Some(-62_135_596_800_000));
    }

    #[test]
    fn the_first_and_the_last_moment_are_read_back() {
        for millis in [i64::MIN, i64::MAX, -1, 0, 1] {
            let mut text = String::new();
            write_timestamp(&mut text, millis).unwrap();
            assert_eq!(parse_timestamp(&text), Some(millis), "{text}");
        }
    }

    #[test]
    fn times_of_day_end_at_midnight() {
        assert_eq!(parse_time("23:59:59.999999999"), Some(86_399_999_999_999));
        assert_eq!(parse_time("08:30"), Some(30_600_000_000_000));
        assert_eq!(parse_time("08:30:00.5"), Some(30_600_500_000_000));
        assert_eq!(parse_time("24:00:00"), None);
        assert_eq!(parse_time("08:30.5"), None);
        assert_eq!(write_time(&mut String::new(), 86_400_000_000_000), None);
    }
}
