//! Summary.db: which entries of Index.db are kept in memory, with the first and the last key.

use crate::big::summary::{BASE_LEVEL, kept_of_128};
use crate::big::{SampleRule, Sampled};
use crate::pos::{FilePos, len64};
use crate::write::WriteError;

/// Bytes of the header.
const HEADER_BYTES: u64 = 24;

/// What the samples alone do not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SummaryOptions {
    /// The table's `min_index_interval`.
    pub min_index_interval: u32,
    /// Of 128 samples, how many are kept: 1 to 128. ScyllaDB always keeps all.
    pub sampling_level: u32,
    /// Who chooses the samples, and so how their number at full sampling is told.
    pub rule: SampleRule,
    /// Offsets and positions with their highest byte first, as on a big-endian machine.
    pub big_endian: bool,
}

/// The file: header, offsets, samples, first and last key. `sampled` holds the samples at full sampling.
pub fn write_summary(sampled: &Sampled, options: SummaryOptions) -> Result<Vec<u8>, WriteError> {
    if !(1..=BASE_LEVEL).contains(&options.sampling_level) {
        let (field, expected) = ("sampling level", "1 to 128");
        return Err(WriteError::Number { field, expected, got: options.sampling_level.into() });
    }
    let level = kept_of_128(options.sampling_level);
    let is_kept =
        |sample: u64| level.iter().any(|kept| u64::from(*kept) == sample % u64::from(BASE_LEVEL));
    let kept: Vec<(&[u8], FilePos)> = (0..sampled.len())
        .filter(|sample| is_kept(*sample))
        .filter_map(|sample| sampled.sample(sample))
        .collect();
    let count = short("samples", len64(kept.len()))?;
    let interval = u64::from(options.min_index_interval.max(1));
    let full = match options.rule {
        SampleRule::Every(_) => sampled.entries().div_ceil(interval),
        // ScyllaDB divides in single precision, rounds up and takes one less.
        SampleRule::Scylla => scylla_full(sampled.entries(), interval),
    };
    let mut offsets = Vec::new();
    let mut entries = Vec::new();
    for (key, at) in &kept {
        let offset = short("bytes of the samples", 4 * u64::from(count) + len64(entries.len()))?;
        let position = at.0;
        entries.extend_from_slice(key);
        if options.big_endian {
            offsets.extend(offset.to_be_bytes());
            entries.extend(position.to_be_bytes());
        } else {
            offsets.extend(offset.to_le_bytes());
            entries.extend(position.to_le_bytes());
        }
    }
    let memory = len64(offsets.len()) + len64(entries.len());
    let mut file = Vec::with_capacity(offsets.len() + entries.len());
    file.extend(options.min_index_interval.to_be_bytes());
    file.extend(count.to_be_bytes());
    file.extend(memory.to_be_bytes());
    file.extend(options.sampling_level.to_be_bytes());
    file.extend(short("samples at full sampling", full)?.to_be_bytes());
    debug_assert_eq!(len64(file.len()), HEADER_BYTES);
    file.extend(offsets);
    file.extend(entries);
    for key in [sampled.first(), sampled.last()] {
        file.extend(short("bytes of a key", len64(key.len()))?.to_be_bytes());
        file.extend_from_slice(key);
    }
    Ok(file)
}

/// `ceil(entries / interval) - 1`, with the division in single precision.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the loss is the rule: ScyllaDB divides in single precision"
)]
fn scylla_full(entries: u64, interval: u64) -> u64 {
    ((entries as f32 / interval as f32).ceil() as u64).saturating_sub(1)
}

fn short(field: &'static str, got: u64) -> Result<u32, WriteError> {
    u32::try_from(got).map_err(|_| WriteError::Number {
        field,
        expected: "at most 4294967295",
        got,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scylladb_tells_one_less_than_the_samples_at_full_sampling() {
        assert_eq!([1, 128, 129, 256, 257].map(|n| scylla_full(n, 128)), [0, 0, 1, 1, 2]);
    }
}
