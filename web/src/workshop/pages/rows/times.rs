//! Times as people read them: timestamps count microseconds since 1970 by convention, and nobody enforces it.

use triescope_core::cql::{self, CqlType};
use triescope_core::lookup::words::number;

/// Timestamps that are taken for moments: 2001 to 2286, in microseconds.
const MOMENTS: std::ops::Range<i64> = 1_000_000_000_000_000..10_000_000_000_000_000;

/// Date and time of a timestamp; `None` where it is no plausible moment.
pub fn moment(timestamp: i64) -> Option<(String, String)> {
    if !MOMENTS.contains(&timestamp) {
        return None;
    }
    let text = cql::to_text(&CqlType::Timestamp, &(timestamp / 1_000).to_be_bytes());
    let text = text.trim_matches('\'');
    let (date, time) = text.split_once(['T', ' '])?;
    let time = time.get(..8)?;
    let micros = timestamp % 1_000_000;
    let time = if micros == 0 { time.to_owned() } else { format!("{time}.{micros:06}") };
    Some((date.to_owned(), time))
}

/// A timestamp where only times are shown, or with its date where that is not the one that is known.
pub fn written(timestamp: i64, date: Option<&str>) -> String {
    match moment(timestamp) {
        Some((here, time)) if Some(here.as_str()) == date => time,
        Some((here, time)) => format!("{here} {time}"),
        None => signed(timestamp),
    }
}

/// A number with its sign and groups.
pub fn signed(value: i64) -> String {
    let digits = number(value.unsigned_abs(), ',');
    if value < 0 { format!("−{digits}") } else { digits }
}

/// Seconds since 1970 as date and time.
pub fn local(seconds: i64) -> String {
    match seconds.checked_mul(1_000_000).and_then(moment) {
        Some((date, time)) => format!("{date} {time}"),
        None => signed(seconds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_moments_where_they_can_be() {
        let at = 1_700_000_501_000_000;
        assert_eq!(moment(at), Some(("2023-11-14".into(), "22:21:41".into())));
        assert_eq!(written(at, Some("2023-11-14")), "22:21:41");
        assert_eq!(written(at + 7, None), "2023-11-14 22:21:41.000007");
        assert_eq!(written(-5_000, None), "−5,000");
        assert_eq!(local(1_700_000_501), "2023-11-14 22:21:41");
        assert_eq!(local(i64::MAX), "9,223,372,036,854,775,807");
    }
}
