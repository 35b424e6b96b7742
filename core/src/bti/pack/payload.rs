//! What a node carries: payload bits and bytes.

use crate::data::Deletion;

/// Most bytes of a payload: an offset of 7 bytes with an open deletion, 19, rounded up.
const ROOM: usize = 20;

/// The payload of a node, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payload {
    bits: u8,
    len: u8,
    bytes: [u8; ROOM],
}

impl Payload {
    /// No payload.
    pub const NONE: Self = Self { bits: 0, len: 0, bytes: [0; ROOM] };

    /// Of a leaf in Partitions.db: the hash byte, then the shortest signed form of the position.
    #[inline]
    pub fn partition(hash: u8, position: i64) -> Self {
        let width = signed_bytes(position);
        let mut bytes = [0; ROOM];
        let [first, number @ .., _, _, _, _, _, _, _, _, _, _, _] = &mut bytes;
        *first = hash;
        *number = leading(position, width);
        Self { bits: 7 + width, len: 1 + width, bytes }
    }

    /// Of a leaf in Partitions.db without hash byte, as no writer of today makes it: the shortest signed form of the
    /// position.
    #[inline]
    pub fn position(position: i64) -> Self {
        // Bits 1 to 7 are the length, so a position of 8 bytes has no such form; no file is that large.
        let width = signed_bytes(position).min(7);
        Self::of_number(width, position, width)
    }

    /// Of a separator in Rows.db: the offset of the block, and the range deletion that is open at its start.
    #[inline]
    pub fn block(offset: i64, open: Option<Deletion>) -> Self {
        let width = signed_bytes(offset);
        let marker = if open.is_some() { 8 } else { 0 };
        let mut payload = Self::of_number(width | marker, offset, width);
        if let Some(open) = open {
            let [.., a, b, c, d] = open.local_time.to_be_bytes();
            payload.push(&open.timestamp.to_be_bytes());
            payload.push(&[a, b, c, d]);
        }
        payload
    }

    /// A number of so many bytes.
    #[inline]
    fn of_number(bits: u8, number: i64, width: u8) -> Self {
        let mut payload = Self { bits, len: width, ..Self::NONE };
        let [room @ .., _, _, _, _, _, _, _, _, _, _, _, _] = &mut payload.bytes;
        *room = leading(number, width);
        payload
    }

    /// From the payload bits of a node and the bytes that it carries: at most 20, what lies behind them is left out.
    pub fn raw(bits: u8, bytes: &[u8]) -> Self {
        let mut payload = Self { bits, ..Self::NONE };
        payload.push(bytes);
        payload
    }

    /// The low half of the node's first byte; 0 for none.
    #[inline]
    pub fn bits(&self) -> u8 {
        self.bits
    }

    /// Number of its bytes.
    #[inline]
    pub(super) fn len(&self) -> u8 {
        self.len
    }

    /// Appends the bytes.
    #[inline]
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        // All of the room at once: a copy of a fixed length is a few instructions.
        let end = out.len() + usize::from(self.len);
        out.extend_from_slice(&self.bytes);
        out.truncate(end);
    }

    /// How many bytes.
    #[inline]
    pub(super) fn size(&self) -> u64 {
        u64::from(self.len)
    }

    /// The bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or(&[])
    }

    fn push(&mut self, bytes: &[u8]) {
        let from = usize::from(self.len);
        for (slot, byte) in self.bytes.iter_mut().skip(from).zip(bytes) {
            *slot = *byte;
            self.len += 1;
        }
    }
}

/// The last `width` bytes of a number, 1 to 8, in front; zeros behind.
#[inline]
fn leading(number: i64, width: u8) -> [u8; 8] {
    let unused = 8 * (8 - u32::from(width.clamp(1, 8)));
    (number.cast_unsigned() << unused).to_be_bytes()
}

/// Bytes of the shortest two's complement form, 1 to 8.
#[inline]
fn signed_bytes(number: i64) -> u8 {
    let bits = 65 - (number ^ (number >> 63)).leading_zeros();
    u8::try_from(bits.div_ceil(8)).unwrap_or(8)
}
