//! The generation in a file name: a number, or a time UUID in base 36 (`docs/format/files.md`, generations).

use super::NameError;
use serde::{Deserialize, Serialize};
use std::fmt;

/// 100-nanosecond ticks in a second.
const TICKS: u64 = 10_000_000;
/// Seconds in a day.
const DAY: u64 = 86_400;
/// Ticks from 1582-10-15, where time UUIDs count from, to 1970-01-01.
const TICKS_TO_1970: u64 = 0x01b2_1dd2_1381_4000;

/// Which of several SSTables of one table. Ordered as the databases order them: a UUID counts as 0 against a number,
/// numbers by value, UUIDs by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Generation {
    /// A time UUID: `3gsm_0lob_1zdg02we44my8dy25w`.
    Uuid {
        /// Time of creation in 100-nanosecond ticks since 1582-10-15 00:00 UTC, 60 bits.
        ticks: u64,
        /// Low half of the UUID: clock sequence and node.
        low: u64,
    },
    /// A counted generation: `3`.
    Number(u64),
}

impl Generation {
    /// Reads a generation as it stands in a file name.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if number && let Ok(number) = text.parse() {
            return Ok(Self::Number(number));
        }
        Self::parse_uuid(text).ok_or_else(|| {
            NameError::new(
                "generation",
                "a number or a UUID such as 3gsm_0lob_1zdg02we44my8dy25w",
                text,
            )
        })
    }

    fn parse_uuid(text: &str) -> Option<Self> {
        let mut groups = text.split('_');
        let (days, seconds, rest) = (groups.next()?, groups.next()?, groups.next()?);
        if groups.next().is_some() || !rest.is_ascii() || rest.len() != 18 {
            return None;
        }
        let (ticks, low) = rest.split_at(5);
        let (days, seconds) = (base36(days, 4)?, base36(seconds, 4)?);
        let (sub, low) = (base36(ticks, 5)?, base36(low, 13)?);
        if seconds >= DAY || sub >= TICKS {
            return None;
        }
        let ticks = (days * DAY + seconds) * TICKS + sub;
        (ticks < 1 << 60).then_some(Self::Uuid { ticks, low })
    }

    /// The UUID in its usual form, `ddc7bf50-7362-11f0-beaf-3829db282c74`; `None` for a number.
    pub fn uuid(&self) -> Option<String> {
        let Self::Uuid { ticks, low } = self else { return None };
        let (time_low, time_mid) = (ticks & 0xffff_ffff, (ticks >> 32) & 0xffff);
        let time_high = 0x1000 | (ticks >> 48);
        let (clock, node) = (low >> 48, low & 0xffff_ffff_ffff);
        Some(format!("{time_low:08x}-{time_mid:04x}-{time_high:04x}-{clock:04x}-{node:012x}"))
    }

    /// When a UUID generation was made, in milliseconds since 1970-01-01 UTC; `None` for a number.
    pub fn unix_millis(&self) -> Option<i64> {
        let Self::Uuid { ticks, .. } = self else { return None };
        Some((ticks.cast_signed() - TICKS_TO_1970.cast_signed()).div_euclid(10_000))
    }
}

impl fmt::Display for Generation {
    /// As in the file name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Uuid { ticks, low } => {
                let (seconds, sub) = (ticks / TICKS, ticks % TICKS);
                digits(f, seconds / DAY, 4)?;
                f.write_str("_")?;
                digits(f, seconds % DAY, 4)?;
                f.write_str("_")?;
                digits(f, sub, 5)?;
                digits(f, *low, 13)
            }
        }
    }
}

/// A number of exactly `len` digits `0-9a-z`.
fn base36(text: &str, len: usize) -> Option<u64> {
    if text.len() != len {
        return None;
    }
    text.bytes().try_fold(0u64, |value, byte| {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'z' => byte - b'a' + 10,
            _ => return None,
        };
        value.checked_mul(36)?.checked_add(u64::from(digit))
    })
}

fn digits(f: &mut fmt::Formatter<'_>, value: u64, len: u32) -> fmt::Result {
    for place in (0..len).rev() {
        let digit = value / 36u64.pow(place) % 36;
        let digit = u32::try_from(digit).ok().and_then(|digit| char::from_digit(digit, 36));
        write!(f, "{}", digit.unwrap_or('?'))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uuid(text: &str) -> (String, i64) {
        let generation = Generation::parse(text).unwrap();
        assert_eq!(generation.to_string(), text);
        (generation.uuid().unwrap(), generation.unix_millis().unwrap())
    }

    #[test]
    fn f32_uuid_names_are_decoded_to_uuid_and_time() {
        assert_eq!(
            uuid("3gbp_1glu_4e6g020ns4px173el0"),
            ("4e2a9120-9532-11ee-84b9-20c53109c794".into(), 1_701_975_378_738)
        );
        assert_eq!(
            uuid("3gll_1kke_3qdyo2i4kzfpt3cqcy"),
            ("3c11af30-acfd-11ef-a4a0-cf1eaefbd772".into(), 1_732_738_910_627)
        );
        assert_eq!(
            uuid("3gsm_0lob_1zdg02we44my8dy25w"),
            ("ddc7bf50-7362-11f0-beaf-3829db282c74".into(), 1_754_552_891_333)
        );
    }

    #[test]
    fn what_is_neither_number_nor_uuid_is_refused() {
        for text in [
            "",
            "-1",
            "1.5",
            "99999999999999999999",          // above 64 bits
            "3gbp_1glu_4e6g020ns4px173el",   // a digit short
            "3gbp_1glu_4e6g0zzzzzzzzzzzzz",  // low half above 64 bits
            "3gbp_zzzz_4e6g020ns4px173el0",  // more seconds than a day has
            "3gbp_1glu_zzzzz20ns4px173el0",  // more ticks than a second has
            "zzzz_1glu_4e6g020ns4px173el0",  // more than 60 bits of ticks
            "3gbp_1glu_4e6g020ns4px173el0_", // a group more
            "3GBP_1GLU_4E6G020NS4PX173EL0",
        ] {
            assert!(Generation::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_uuid_counts_as_zero_against_a_number() {
        let [early, late] = ["3gbp_1glu_4e6g020ns4px173el0", "3gsm_0lob_1zdg02we44my8dy25w"]
            .map(|text| Generation::parse(text).unwrap());
        assert!(early < late && late < Generation::Number(1));
        assert!(Generation::Number(9) < Generation::Number(10));
    }
}
