//! What the views say: sentences and cells of tables, made from plain data. No browser here, so all of it is tested
//! natively. Words for SSTables and for steps of a lookup are in `triescope_core`.

pub mod failure;
pub mod overview;
pub mod start;
pub mod twin;

use triescope_core::lookup::words::number;

/// `162,365 B`.
pub fn bytes(n: u64) -> String {
    format!("{} B", number(n, ','))
}

/// A size at a glance, for lists: `39 B`, `162 kB`, `1.0 MB`.
pub fn about(n: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match UNITS.into_iter().find(|(unit, _)| n >= *unit) {
        None => format!("{n} B"),
        Some((unit, name)) if n / unit >= 10 => format!("{} {name}", (n + unit / 2) / unit),
        Some((unit, name)) => {
            // From 9.95 on the rounded number has two digits before the point.
            let tenths = (n * 10 + unit / 2) / unit;
            match (tenths >= 100, unit) {
                (true, _) => format!("{} {name}", tenths / 10),
                (false, 1_000) => format!("{} {name}", (n + unit / 2) / unit),
                (false, _) => format!("{}.{} {name}", tenths / 10, tenths % 10),
            }
        }
    }
}

/// `5.40`: a mean with so many decimals, rounded; a sum of no keys has none. Made of integers, since printing
/// floating-point numbers would cost the page 20 KB.
pub fn mean(sum: u64, of: u64, decimals: u32) -> Option<String> {
    let unit = 10_u128.pow(decimals);
    let of = u128::from(of);
    let scaled = (u128::from(sum) * unit * 2 + of).checked_div(of * 2)?;
    let whole = number(u64::try_from(scaled / unit).unwrap_or(u64::MAX), ',');
    let width = usize::try_from(decimals).unwrap_or(0);
    Some(match decimals {
        0 => whole,
        _ => format!("{whole}.{:0width$}", scaled % unit),
    })
}

/// `1 page`, `2 pages`.
pub fn count(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(n, ','), if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_at_a_glance() {
        for (n, text) in [
            (39, "39 B"),
            (999, "999 B"),
            (1_666, "2 kB"),
            (10_282, "10 kB"),
            (162_365, "162 kB"),
            (1_048_062, "1.0 MB"),
            (9_960_000, "10 MB"),
            (44_000_000_000, "44 GB"),
        ] {
            assert_eq!(about(n), text);
        }
    }

    #[test]
    fn a_mean_of_nothing_is_no_number() {
        assert_eq!(mean(39_800, 20_000, 2).as_deref(), Some("1.99"));
        assert_eq!(mean(36_620_000, 20_000, 1).as_deref(), Some("1,831.0"));
        assert_eq!(mean(2, 3, 2).as_deref(), Some("0.67"));
        assert_eq!(mean(101, 100, 1).as_deref(), Some("1.0"));
        assert_eq!(mean(0, 0, 2), None);
    }
}
