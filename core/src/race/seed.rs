//! Seeded numbers: the same everywhere, natively and in wasm32.

/// SplitMix64, with the draws that the experiments of this project use.
#[derive(Clone, Copy, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator in the state `seed`.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        // Wrapping is how the generator is defined.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = self.0;
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`: the high half of `draw * n`; 0 when `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        let wide = u128::from(self.draw()) * u128::from(n);
        u64::try_from(wide >> 64).unwrap_or(0)
    }

    /// `n` bytes.
    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(n.saturating_add(8));
        while bytes.len() < n {
            bytes.extend_from_slice(&self.draw().to_be_bytes());
        }
        bytes.truncate(n);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_draws_are_those_of_the_reference() {
        let mut random = SplitMix64::new(1_234_567);
        assert_eq!(random.draw(), 6_457_827_717_110_365_317);
        assert_eq!(random.draw(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn draws_below_a_bound_stay_below() {
        let mut random = SplitMix64::new(7);
        assert!((0..1000).all(|_| random.below(10) < 10));
        assert_eq!(random.below(0), 0);
    }
}
