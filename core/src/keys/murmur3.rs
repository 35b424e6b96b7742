//! Murmur3 x64 128-bit, seed 0, as Cassandra and ScyllaDB compute it: tail bytes are sign-extended, so keys with tail
//! bytes of 0x80 and above give other values than standard Murmur3. See `docs/format/keys.md`.

/// The two words of a key's hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash {
    /// First word: the token, before normalisation.
    pub h1: u64,
    /// Second word: its low byte is the hash byte of the trie's leaf, and both words drive the Bloom filter.
    pub h2: u64,
}

impl Hash {
    /// The byte that a leaf of the partition trie stores.
    #[inline]
    pub const fn byte(self) -> u8 {
        self.h2.to_le_bytes()[0]
    }
}

const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;

// All arithmetic wraps: that is how the hash is defined.
#[inline]
fn mix1(k: u64) -> u64 {
    k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}

#[inline]
fn mix2(k: u64) -> u64 {
    k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}

#[inline]
fn finish(mut k: u64) -> u64 {
    k ^= k >> 33;
    k = k.wrapping_mul(0xff51_afd7_ed55_8ccd);
    k ^= k >> 33;
    k = k.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    k ^ k >> 33
}

/// Hashes a serialized partition key.
#[inline]
pub fn murmur3(key: &[u8]) -> Hash {
    let (mut h1, mut h2) = (0u64, 0u64);
    let (blocks, tail) = key.as_chunks::<16>();
    for block in blocks {
        let both = u128::from_le_bytes(*block).to_le_bytes();
        let [k1, k2] = words(&both);
        h1 ^= mix1(k1);
        h1 = h1.rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 ^= mix2(k2);
        h2 = h2.rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    let (mut k1, mut k2) = (0u64, 0u64);
    for (i, byte) in tail.iter().enumerate() {
        // The sign-extension of the reference implementation in Java.
        let extended = i64::from(i8::from_le_bytes([*byte])).cast_unsigned();
        if i < 8 {
            k1 ^= extended << (8 * i);
        } else {
            k2 ^= extended << (8 * (i - 8));
        }
    }
    if tail.len() > 8 {
        h2 ^= mix2(k2);
    }
    if !tail.is_empty() {
        h1 ^= mix1(k1);
    }
    let len = crate::pos::len64(key.len());
    h1 ^= len;
    h2 ^= len;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    h1 = finish(h1);
    h2 = finish(h2);
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    Hash { h1, h2 }
}

fn words(block: &[u8; 16]) -> [u64; 2] {
    let value = u128::from_le_bytes(*block);
    // Low and high half: the mask makes the first exact, the shift the second.
    let low = u64::try_from(value & u128::from(u64::MAX)).unwrap_or(0);
    let high = u64::try_from(value >> 64).unwrap_or(0);
    [low, high]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_equal_the_examples_of_the_format_text() {
        let hash = murmur3(&[0, 0, 0, 0]);
        assert_eq!((hash.h1, hash.h2), (0xcfa0_f7dd_d84c_76bc, 0x5896_2316_1cf5_26f1));
        let hash = murmur3(b"v1");
        assert_eq!((hash.h1, hash.h2), (0x53ff_b647_d532_ef69, 0xb14e_ab63_eba6_ec98));
        assert_eq!(murmur3(&[0, 0, 0, 1]).h1, 0xc784_9998_2ae4_e0cf);
        assert_eq!(murmur3(&[0, 0, 0, 1]).byte(), 0xe6);
    }
}
