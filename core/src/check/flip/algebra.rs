//! Which single bit of a message changes its checksum by a known difference.
//!
//! Both checksums are linear enough to be solved for the bit: nothing is summed up again. Of CRC32, the change that a bit
//! makes depends on its distance from the end alone, and going back a byte undoes one step of the sum; so the message is
//! not even read. Of Adler-32, the low half tells the bit in its byte, and the high half the distance.

/// The reflected polynomial of CRC32.
const POLYNOMIAL: u32 = 0xedb8_8320;
/// The modulus of Adler-32, a prime.
const MODULUS: u64 = 65_521;

/// What each byte adds to a CRC32.
const TABLE: [u32; 256] = table();
/// The byte whose addition leaves this highest byte: the highest bytes of [`TABLE`] are all different.
const BACK: [u8; 256] = back();

#[expect(clippy::cast_possible_truncation, reason = "the counter is below 256")]
#[expect(
    clippy::indexing_slicing,
    reason = "the counter is below 256, and this runs in the compiler"
)]
const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ POLYNOMIAL } else { sum >> 1 };
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
}

#[expect(clippy::cast_possible_truncation, reason = "the counter is below 256")]
#[expect(
    clippy::indexing_slicing,
    reason = "a highest byte is below 256, and this runs in the compiler"
)]
const fn back() -> [u8; 256] {
    let mut back = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        back[(TABLE[byte] >> 24) as usize] = byte as u8;
        byte += 1;
    }
    back
}

/// A bit of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bit {
    /// Its byte, from the start of the message.
    pub(super) byte: u64,
    /// Its place in the byte: 0 is the lowest.
    pub(super) bit: u8,
    /// What the bit must be now for the change to make this difference; `None` when either will do.
    pub(super) is_set: Option<bool>,
}

/// A search for the bits of a message whose change makes a difference to its CRC32, in pieces of bounded work.
#[derive(Clone, Debug)]
pub(super) struct CrcSearch {
    length: u64,
    /// Bytes from the end that were looked at.
    done: u64,
    /// The difference, taken back over these bytes.
    difference: u32,
}

impl CrcSearch {
    /// In a message of `length` bytes, where the right sum and the present one differ by these bits.
    pub(super) fn new(length: u64, difference: u32) -> Self {
        Self { length, done: 0, difference }
    }

    /// Looks at up to `bytes` more bytes, the last ones first, and gives the next bit found. `None` when there is none
    /// in them; [`Self::ended`] tells whether any are left.
    pub(super) fn next(&mut self, bytes: u64) -> Option<Bit> {
        let until = self.done.saturating_add(bytes).min(self.length);
        while self.done < until {
            let wanted = self.difference;
            let byte = self.length - 1 - self.done;
            self.done += 1;
            self.difference = before(wanted);
            // The eight sums of bytes with a single bit.
            for bit in 0..8u8 {
                if entry(1 << bit) == wanted {
                    return Some(Bit { byte, bit, is_set: None });
                }
            }
        }
        None
    }

    /// Bytes looked at so far.
    pub(super) fn done(&self) -> u64 {
        self.done
    }

    /// Whether all bytes were looked at.
    pub(super) fn ended(&self) -> bool {
        self.done >= self.length
    }
}

/// The change of a CRC32 that a bit makes with this many bytes behind its own.
pub(super) fn crc_change(bit: u8, behind: u64) -> u32 {
    // Adding a zero byte is linear in the sum: a matrix, a column for each bit, which is squared for each binary digit.
    let mut step = [0u32; 32];
    for (column, place) in step.iter_mut().zip(0..32u32) {
        let sum = 1u32 << place;
        *column = entry(low_byte(sum)) ^ sum >> 8;
    }
    let mut sum = entry(1u8.checked_shl(u32::from(bit)).unwrap_or(0));
    let mut left = behind;
    while left > 0 {
        if left & 1 == 1 {
            sum = apply(&step, sum);
        }
        step = step.map(|column| apply(&step, column));
        left >>= 1;
    }
    sum
}

fn apply(matrix: &[u32; 32], sum: u32) -> u32 {
    let columns = matrix.iter().zip(0..32u32).filter(|(_, place)| sum >> place & 1 == 1);
    columns.fold(0, |all, (column, _)| all ^ column)
}

/// The sum before a zero byte was added that led to this one.
fn before(sum: u32) -> u32 {
    let [high, ..] = sum.to_be_bytes();
    let byte = BACK.get(usize::from(high)).copied().unwrap_or(0);
    (sum ^ entry(byte)) << 8 | u32::from(byte)
}

fn entry(byte: u8) -> u32 {
    TABLE.get(usize::from(byte)).copied().unwrap_or(0)
}

fn low_byte(sum: u32) -> u8 {
    let [low, ..] = sum.to_le_bytes();
    low
}

/// The bits of a message of `length` bytes whose change turns the Adler-32 `present` into `wanted`, at most `most`.
pub(super) fn adler_flips(length: u64, present: u32, wanted: u32, most: usize) -> Vec<Bit> {
    let half = |sum: u32, shift: u32| u64::from(sum >> shift & 0xffff) % MODULUS;
    let difference = |shift| (half(wanted, shift) + MODULUS - half(present, shift)) % MODULUS;
    let (low, high) = (difference(0), difference(16));
    let mut found = Vec::new();
    for bit in 0..8u8 {
        for is_set in [false, true] {
            // A bit that is set takes its value away when it changes.
            let value = 1u64 << bit;
            let change = if is_set { MODULUS - value } else { value };
            if change != low {
                continue;
            }
            // Each byte counts in the high half as often as there are bytes from it to the end.
            let often = high * power(change, MODULUS - 2) % MODULUS;
            let mut times = if often == 0 { MODULUS } else { often };
            while times <= length && found.len() < most {
                found.push(Bit { byte: length - times, bit, is_set: Some(is_set) });
                times += MODULUS;
            }
        }
    }
    found
}

/// A power modulo [`MODULUS`]; of a prime, that of two less is the inverse.
fn power(base: u64, exponent: u64) -> u64 {
    let (mut result, mut base, mut left) = (1, base % MODULUS, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result = result * base % MODULUS;
        }
        base = base * base % MODULUS;
        left >>= 1;
    }
    result
}

/// The bit of a stored 32-bit sum, big-endian, whose change makes it the computed one: its byte and its place in it.
pub(super) fn field_flip(stored: u32, computed: u32) -> Option<(u64, u8)> {
    let difference = stored ^ computed;
    if difference.count_ones() != 1 {
        return None;
    }
    let place = difference.trailing_zeros();
    let bit = u8::try_from(place % 8).unwrap_or(0);
    Some((u64::from(3 - place / 8), bit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(length: u64) -> Vec<u8> {
        (0..length).map(|n| (n.wrapping_mul(n) >> 3).to_le_bytes()[0] ^ 0x5a).collect()
    }

    #[test]
    fn each_bit_of_a_message_is_found_from_its_crc() {
        for length in [1u64, 2, 7, 300] {
            let good = message(length);
            let right = crc32fast::hash(&good);
            for byte in 0..length {
                for bit in 0..8 {
                    let mut bad = good.clone();
                    bad[usize::try_from(byte).unwrap()] ^= 1 << bit;
                    let difference = right ^ crc32fast::hash(&bad);
                    let mut search = CrcSearch::new(length, difference);
                    let found = search.next(u64::MAX);
                    assert_eq!(found, Some(Bit { byte, bit, is_set: None }));
                    // No other bit makes the same difference.
                    assert_eq!((search.next(u64::MAX), search.ended()), (None, true));
                    assert_eq!(crc_change(bit, length - 1 - byte), difference);
                }
            }
        }
    }

    #[test]
    fn a_search_in_pieces_finds_the_same() {
        let mut search = CrcSearch::new(100_000, crc_change(5, 70_000));
        let mut found = Vec::new();
        while !search.ended() {
            found.extend(search.next(777));
        }
        assert_eq!(found, [Bit { byte: 29_999, bit: 5, is_set: None }]);
    }

    #[test]
    fn bits_above_4_gib_have_a_change_too() {
        let change = crc_change(2, 5 << 30);
        assert_ne!(change, 0);
        // Undone a byte at a time over a stretch that can be walked, it is the change nearer to the end.
        let near = (0..1000).fold(crc_change(2, (5 << 30) + 1000), |sum, _| before(sum));
        assert_eq!(near, change);
    }

    #[test]
    fn each_bit_of_a_message_is_found_from_its_adler_sum() {
        let adler = |bytes: &[u8]| {
            let mut sum = adler2::Adler32::new();
            sum.write_slice(bytes);
            sum.checksum()
        };
        for length in [1u64, 2, 300, 70_000] {
            let good = message(length);
            let right = adler(&good);
            for byte in (0..length).step_by(if length > 1000 { 911 } else { 1 }) {
                for bit in 0..8 {
                    let mut bad = good.clone();
                    let place = usize::try_from(byte).unwrap();
                    bad[place] ^= 1 << bit;
                    let found = adler_flips(length, adler(&bad), right, 100);
                    let is_set = Some(bad[place] >> bit & 1 == 1);
                    assert!(found.contains(&Bit { byte, bit, is_set }), "{length} {byte} {bit}");
                    // What repeats after the modulus looks alike; nothing else does.
                    let alike = found.iter().filter(|it| it.bit == bit && it.is_set == is_set);
                    assert!(alike.count() == found.len() && found.len() <= 2);
                }
            }
        }
    }

    #[test]
    fn a_bit_of_the_sum_itself_is_found() {
        assert_eq!(field_flip(0x0100_0000, 0), Some((0, 0)));
        assert_eq!(field_flip(0x8000_0001, 0x8000_0000), Some((3, 0)));
        assert_eq!(field_flip(0x0000_8000, 0), Some((2, 7)));
        assert_eq!(field_flip(3, 0), None);
        assert_eq!(field_flip(7, 7), None);
    }
}
