//! Keys with random tokens in their order, and the index of them: what is measured natively and in a browser.
//!
//! The tokens are those of the oracle's `bench-build`: the same generator with the same seed, and the 16-byte keys that
//! have them, since every step of the hash of one block can be undone. So any number of keys comes in order without being
//! sorted.

use triescope_core::bti::pack::{Flavour, PartitionTarget, PartitionsWriter};
use triescope_core::keys::{murmur3, murmur3_blob_into};
use triescope_core::pos::DataPos;
use triescope_core::write::{Sink, WriteError};

/// Keys that are prepared together, outside of what is timed.
pub const BATCH: usize = 100_000;

/// Java's `SplittableRandom`.
pub struct Random(u64);

impl Random {
    /// With its seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number of 64 bits.
    pub fn next(&mut self) -> u64 {
        let z = self.step();
        let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// The next number below a bound that is no power of two.
    pub fn below(&mut self, bound: u32) -> u32 {
        loop {
            let half = self.next_word() >> 1;
            let below = half % bound;
            // The last numbers would be met more rarely than the others.
            if (half - below).checked_add(bound - 1).is_some_and(|top| top <= i32::MAX as u32) {
                return below;
            }
        }
    }

    fn next_word(&mut self) -> u32 {
        let z = self.step();
        let z = (z ^ z >> 33).wrapping_mul(0x62a9_d9ed_7997_05f5);
        ((z ^ z >> 28).wrapping_mul(0xcb24_d0a5_c88c_35b3) >> 32) as u32
    }

    fn step(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.0
    }
}

/// So many random tokens in their order.
pub fn tokens(n: usize) -> Vec<i64> {
    let mut random = Random::new(n as u64);
    let mut tokens: Vec<i64> = (0..n).map(|_| random.next().cast_signed()).collect();
    tokens.sort_unstable();
    tokens
}

/// Builds Partitions.db of these tokens; the partition of rank `r` lies at `100 r`. `clock` tells nanoseconds. Gives the
/// nanoseconds spent in the writer, hashing and translating the keys included, and the sink.
pub fn build<W: Sink>(
    tokens: &[i64],
    flavour: Flavour,
    sink: W,
    clock: impl Fn() -> f64,
) -> Result<(f64, W), WriteError> {
    let mut writer = PartitionsWriter::new(flavour, sink);
    let mut seconds = Random::new(7);
    let (mut spent, mut at, mut comparable) = (0.0, 0, Vec::new());
    let mut batch = Vec::with_capacity(BATCH);
    for tokens in tokens.chunks(BATCH) {
        batch.clear();
        batch.extend(tokens.iter().map(|token| key(token.cast_unsigned(), seconds.next())));
        let start = clock();
        for key in &batch {
            let hash = murmur3(key);
            murmur3_blob_into(key, hash, &mut comparable);
            writer.add(key, &comparable, hash.byte(), PartitionTarget::Data(DataPos(at)))?;
            at += 100;
        }
        spent += clock() - start;
    }
    let start = clock();
    let sink = writer.finish()?;
    Ok((spent + clock() - start, sink))
}

/// The 16-byte key with this hash.
pub fn key(h1: u64, h2: u64) -> [u8; 16] {
    const C1: u64 = 0x87c3_7b91_1142_53d5;
    const C2: u64 = 0x4cf5_ad43_2745_937f;
    let apart = |h1: u64, h2: u64| {
        let h2 = h2.wrapping_sub(h1);
        (h1.wrapping_sub(h2), h2)
    };
    let (h1, h2) = apart(h1, h2);
    let (h1, h2) = apart(unmix(h1), unmix(h2));
    let (h1, h2) = (h1 ^ 16, h2 ^ 16);
    let fifth = inverse(5);
    let k2 = h2.wrapping_sub(0x3849_5ab5).wrapping_mul(fifth).wrapping_sub(h1).rotate_right(31);
    let k2 = k2.wrapping_mul(inverse(C1)).rotate_right(33).wrapping_mul(inverse(C2));
    let k1 = h1.wrapping_sub(0x52dc_e729).wrapping_mul(fifth).rotate_right(27);
    let k1 = k1.wrapping_mul(inverse(C2)).rotate_right(31).wrapping_mul(inverse(C1));
    let mut key = [0; 16];
    key[..8].copy_from_slice(&k1.to_le_bytes());
    key[8..].copy_from_slice(&k2.to_le_bytes());
    key
}

fn unmix(mut k: u64) -> u64 {
    k ^= k >> 33;
    k = k.wrapping_mul(inverse(0xc4ce_b9fe_1a85_ec53));
    k ^= k >> 33;
    k = k.wrapping_mul(inverse(0xff51_afd7_ed55_8ccd));
    k ^ k >> 33
}

/// The number by which an odd one gives 1, by Newton's method.
const fn inverse(a: u64) -> u64 {
    let mut x = a;
    let mut round = 0;
    while round < 6 {
        x = x.wrapping_mul(2u64.wrapping_sub(a.wrapping_mul(x)));
        round += 1;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_the_hashes_that_they_were_made_for() {
        let mut random = Random::new(1);
        for _ in 0..1000 {
            let (h1, h2) = (random.next(), random.next());
            let hash = murmur3(&key(h1, h2));
            assert_eq!((hash.h1, hash.h2), (h1, h2));
        }
    }
}
