//! Counts of numbers in fixed memory: least, greatest and sum are exact, the median is within one in 128.

use crate::pos::{len64, mem};

/// Numbers below twice this many have a bucket each; greater ones share this many buckets for every power of two.
const STEPS: u64 = 128;

/// How often which number occurred.
#[derive(Clone, Debug, Default)]
pub(super) struct Quantiles {
    count: u64,
    least: u64,
    greatest: u64,
    sum: u64,
    /// Grows to the bucket of the greatest number: at most 7,424.
    buckets: Vec<u64>,
}

impl Quantiles {
    /// Counts a number so many times.
    #[inline]
    pub(super) fn add(&mut self, value: u64, times: u64) {
        if times == 0 {
            return;
        }
        self.least = if self.count == 0 { value } else { self.least.min(value) };
        self.greatest = self.greatest.max(value);
        self.count = self.count.saturating_add(times);
        self.sum = self.sum.saturating_add(value.saturating_mul(times));
        let bucket = mem(bucket(value)).unwrap_or(usize::MAX);
        if bucket >= self.buckets.len() {
            self.buckets.resize(bucket + 1, 0);
        }
        if let Some(count) = self.buckets.get_mut(bucket) {
            *count = count.saturating_add(times);
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn least(&self) -> u64 {
        self.least
    }

    pub(super) fn greatest(&self) -> u64 {
        self.greatest
    }

    pub(super) fn sum(&self) -> u64 {
        self.sum
    }

    /// The number in the middle, of an even count the lower one; 0 when there is none.
    pub(super) fn median(&self) -> u64 {
        let rank = self.count.div_ceil(2);
        let mut seen = 0;
        for (bucket, count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen >= rank && *count > 0 {
                return least_of(len64(bucket)).clamp(self.least, self.greatest);
            }
        }
        0
    }
}

/// The bucket of a number: its place while numbers have one each, then its power of two and the seven bits below the first.
#[inline]
fn bucket(value: u64) -> u64 {
    if value < 2 * STEPS {
        return value;
    }
    // At least 256, so that 56 leading zeros are the most.
    let shift = u64::from(56u32.saturating_sub(value.leading_zeros()));
    STEPS * shift + (value >> shift)
}

/// The least number of a bucket.
fn least_of(bucket: u64) -> u64 {
    if bucket < 2 * STEPS {
        return bucket;
    }
    let shift = bucket / STEPS - 1;
    (bucket - STEPS * shift) << shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_hold_what_they_say() {
        for value in (0..100_000).chain([u64::MAX, u64::MAX / 2, 1 << 40]) {
            let least = least_of(bucket(value));
            assert!(least <= value && value - least <= value / 128, "{value} {least}");
            assert!(bucket(least) == bucket(value));
            assert!(value == 0 || bucket(value - 1) <= bucket(value));
        }
        assert_eq!(bucket(u64::MAX), 7423);
    }

    #[test]
    fn the_median_of_an_even_count_is_the_lower_one() {
        let mut numbers = Quantiles::default();
        numbers.add(10, 1);
        numbers.add(4990, 1);
        assert_eq!((numbers.median(), numbers.least(), numbers.greatest()), (10, 10, 4990));
        numbers.add(4990, 2);
        assert_eq!((numbers.median(), numbers.sum()), (4960, 14_980));
        assert_eq!(Quantiles::default().median(), 0);
    }
}
