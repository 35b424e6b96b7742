//! A sketch of the partition keys, as Cassandra makes it (`docs/format/statistics.md`, compaction).

use crate::pos::{len64, mem};

/// Cassandra's precisions: 2^13 registers; of the sparse form only the number is written.
const PRECISION: u32 = 13;
const SPARSE_PRECISION: u32 = 25;
const REGISTERS_PER_WORD: usize = 6;

/// Gathers keys.
#[derive(Clone, Debug)]
pub struct SketchMaker {
    registers: Vec<u8>,
}

impl Default for SketchMaker {
    fn default() -> Self {
        Self { registers: vec![0; 1 << PRECISION] }
    }
}

impl SketchMaker {
    /// Takes in a serialized key.
    pub fn add(&mut self, key: &[u8]) {
        let hash = murmur2(key);
        let register = mem(hash >> (64 - PRECISION)).and_then(|at| self.registers.get_mut(at));
        if let Some(register) = register {
            // A bit below all that count keeps the run finite.
            let run = ((hash << PRECISION) | ((1 << (PRECISION - 1)) + 1)).leading_zeros() + 1;
            *register = (*register).max(u8::try_from(run.min(31)).unwrap_or(31));
        }
    }

    /// The sketch in its normal form, which Cassandra writes for many keys and reads for any number.
    pub fn finish(&self) -> Vec<u8> {
        let count = self.registers.len() / REGISTERS_PER_WORD;
        // The library has one word more than are full, unless their number divides by 32.
        let words = if count.is_multiple_of(32) { count } else { count + 1 };
        let mut out = (-2i32).to_be_bytes().to_vec();
        for number in [u64::from(PRECISION), u64::from(SPARSE_PRECISION), 0, len64(words) * 4] {
            groups(number, &mut out);
        }
        let mut registers = self.registers.chunks(REGISTERS_PER_WORD);
        for _ in 0..words {
            let word = registers.next().unwrap_or(&[]).iter().rev();
            let word = word.fold(0u32, |word, register| (word << 5) | u32::from(*register));
            out.extend(word.to_be_bytes());
        }
        out
    }
}

/// A number in groups of 7 bits, the lowest first.
fn groups(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(u8::try_from(number & 0x7f).unwrap_or(0) | 0x80);
        number >>= 7;
    }
    out.push(u8::try_from(number).unwrap_or(0));
}

/// Murmur2 of 64 bits with seed 0, which Cassandra uses for nothing else.
fn murmur2(key: &[u8]) -> u64 {
    const M: u64 = 0xc6a4_a793_5bd1_e995;
    let mut hash = len64(key.len()).wrapping_mul(M);
    let (words, tail) = key.as_chunks::<8>();
    for word in words {
        let mut k = u64::from_le_bytes(*word).wrapping_mul(M);
        k ^= k >> 47;
        hash = (hash ^ k.wrapping_mul(M)).wrapping_mul(M);
    }
    if !tail.is_empty() {
        // Bytes of the tail are extended with their sign, as in Cassandra's Murmur3.
        for (at, byte) in tail.iter().enumerate() {
            hash ^= i64::from(byte.cast_signed()).cast_unsigned() << (8 * at);
        }
        hash = hash.wrapping_mul(M);
    }
    hash ^= hash >> 47;
    hash = hash.wrapping_mul(M);
    hash ^ (hash >> 47)
}
