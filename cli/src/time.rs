//! Times as text: the CQL literal of a timestamp, without its quotes.

use std::time::{SystemTime, UNIX_EPOCH};
use triescope_core::cql::{CqlType, to_text};

/// Milliseconds since 1970: `2023-11-14 22:13:20.000Z`.
pub fn millis(millis: i64) -> String {
    to_text(&CqlType::Timestamp, &millis.to_be_bytes()).trim_matches('\'').to_owned()
}

/// Microseconds since 1970.
pub fn micros(micros: i64) -> String {
    millis(micros.div_euclid(1000))
}

/// Seconds since 1970.
pub fn seconds(seconds: i64) -> String {
    millis(seconds.saturating_mul(1000))
}

/// Seconds since 1970 now: what is expired.
#[expect(clippy::disallowed_methods, reason = "`sstabledump` says so too")]
pub fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.ok().and_then(|since| i64::try_from(since.as_secs()).ok()).unwrap_or(0)
}
