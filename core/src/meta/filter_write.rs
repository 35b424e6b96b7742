//! Filter.db, written from the hashes of the keys (`docs/format/filter.md`).

use crate::keys::Hash;
use crate::meta::FilterHeader;
use crate::pos::{len64, mem};
use crate::table::Version;

/// Most bits a key.
const MOST_BITS: u32 = 20;
/// Bits that every filter has beside those of its keys.
const EXCESS_BITS: u64 = 20;

/// A Bloom filter that is being filled. Memory: the filter, 1.25 bytes a key at a chance of 0.01.
#[derive(Clone, Debug)]
pub struct FilterWriter {
    header: FilterHeader,
    bits: Vec<u8>,
}

impl FilterWriter {
    /// An empty filter for so many keys and a chance of a false positive between 0 and 1, as the databases size it.
    pub fn new(version: Version, keys: u64, chance: f64) -> Self {
        let (bits_a_key, hashes) = sizes(chance);
        let bits = keys.saturating_mul(u64::from(bits_a_key)).saturating_add(EXCESS_BITS);
        let words = bits.div_ceil(64).min(u64::from(u32::MAX));
        let header = FilterHeader::new(version, hashes, words);
        Self { header, bits: vec![0; mem(words * 8).unwrap_or(0)] }
    }

    /// Adds a key.
    pub fn add(&mut self, hash: Hash) {
        for bit in self.header.indexes(hash) {
            let byte = self.header.byte_of(bit).and_then(|byte| self.bits.get_mut(mem(byte)?));
            if let Some(byte) = byte {
                *byte |= 1 << (bit % 8);
            }
        }
    }

    /// The file.
    pub fn finish(self) -> Vec<u8> {
        let words = u32::try_from(self.header.words).unwrap_or(u32::MAX);
        debug_assert_eq!(len64(self.bits.len()), u64::from(words) * 8);
        let mut file = Vec::with_capacity(8 + self.bits.len());
        file.extend(self.header.hashes.to_be_bytes());
        file.extend(words.to_be_bytes());
        file.extend(self.bits);
        file
    }
}

/// Bits a key, and the fewest hash functions that still keep the chance.
fn sizes(chance: f64) -> (u32, u32) {
    let passes = |bits: u32, hashes: u32| {
        let (bits, hashes) = (f64::from(bits), f64::from(hashes));
        (1.0 - (-hashes / bits).exp()).powf(hashes)
    };
    let best = |bits: u32| {
        (1..=MOST_BITS).min_by(|a, b| passes(bits, *a).total_cmp(&passes(bits, *b))).unwrap_or(1)
    };
    let bits = (2..MOST_BITS).find(|bits| passes(*bits, best(*bits)) <= chance);
    let bits = bits.unwrap_or(MOST_BITS);
    let best = best(bits);
    let hashes = (1..best).find(|hashes| passes(bits, *hashes) <= chance).unwrap_or(best);
    (bits, hashes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::murmur3;

    #[test]
    fn filters_have_the_sizes_of_the_databases() {
        assert_eq!(sizes(0.01), (10, 5));
        assert_eq!(sizes(0.1), (5, 3));
        assert_eq!(sizes(0.001), (15, 8));
        assert_eq!(sizes(1e-9).0, 20);
    }

    #[test]
    fn a_filter_knows_its_keys_and_hardly_any_other() {
        for letters in [b"me", b"nb", b"la"] {
            let version = Version::new(letters).unwrap();
            let mut writer = FilterWriter::new(version, 1000, 0.01);
            (0..1000u32).for_each(|key| writer.add(murmur3(&key.to_be_bytes())));
            let file = writer.finish();
            let header = FilterHeader::read(version, &file.as_slice()).unwrap();
            let passes = |key: u32| {
                let key = murmur3(&key.to_be_bytes());
                header.denying(&file.as_slice(), key).unwrap().is_none()
            };
            assert!((0..1000).all(passes));
            assert!((1000..11_000).filter(|key| passes(*key)).count() < 200);
        }
    }
}
