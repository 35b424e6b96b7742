//! Checked reading of the fields of a byte slice that knows its place in the file.

use crate::error::{Error, ReadError};
use crate::pos::{FilePos, len64};
use crate::table::Part;

/// Reads fields one after the other; every error carries part, position and field name.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    part: Part,
    start: FilePos,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// A cursor over `bytes`, which lie at `start` of `part`.
    #[inline]
    pub fn new(part: Part, start: FilePos, bytes: &'a [u8]) -> Self {
        Self { part, start, bytes, at: 0 }
    }

    /// Position in the file of the next byte.
    #[inline]
    pub fn pos(&self) -> FilePos {
        FilePos(self.start.0.saturating_add(len64(self.at)))
    }

    /// Bytes that are left.
    #[inline]
    pub fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    /// Bytes consumed so far.
    #[inline]
    pub fn used(&self) -> usize {
        self.at
    }

    /// An error at the next byte.
    #[cold]
    pub fn error(&self, field: &'static str, expected: &'static str, found: i128) -> Error {
        ReadError::out_of_range(self.part, self.pos(), field, expected, found).into()
    }

    /// The next `n` bytes.
    #[inline]
    pub fn take(&mut self, n: usize, field: &'static str) -> Result<&'a [u8], Error> {
        let end = self.at.checked_add(n);
        match end.and_then(|end| self.bytes.get(self.at..end)) {
            Some(bytes) => {
                self.at += n;
                Ok(bytes)
            }
            None => Err(self.short(n, field)),
        }
    }

    #[cold]
    fn short(&self, n: usize, field: &'static str) -> Error {
        ReadError::truncated(self.part, self.pos(), field, len64(n), len64(self.left())).into()
    }

    fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], Error> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, field)?);
        Ok(array)
    }

    /// One byte.
    #[inline]
    pub fn u8(&mut self, field: &'static str) -> Result<u8, Error> {
        Ok(u8::from_be_bytes(self.array(field)?))
    }

    /// Big-endian `u16`.
    #[inline]
    pub fn u16(&mut self, field: &'static str) -> Result<u16, Error> {
        Ok(u16::from_be_bytes(self.array(field)?))
    }

    /// Big-endian `u32`.
    #[inline]
    pub fn u32(&mut self, field: &'static str) -> Result<u32, Error> {
        Ok(u32::from_be_bytes(self.array(field)?))
    }

    /// Big-endian `i32`.
    #[inline]
    pub fn i32(&mut self, field: &'static str) -> Result<i32, Error> {
        Ok(i32::from_be_bytes(self.array(field)?))
    }

    /// Big-endian `u64`.
    #[inline]
    pub fn u64(&mut self, field: &'static str) -> Result<u64, Error> {
        Ok(u64::from_be_bytes(self.array(field)?))
    }

    /// Big-endian `i64`.
    #[inline]
    pub fn i64(&mut self, field: &'static str) -> Result<i64, Error> {
        Ok(i64::from_be_bytes(self.array(field)?))
    }

    /// Big-endian IEEE double.
    #[inline]
    pub fn f64(&mut self, field: &'static str) -> Result<f64, Error> {
        Ok(f64::from_be_bytes(self.array(field)?))
    }

    /// Unsigned vint: the leading ones of the first byte count the bytes that follow.
    #[inline]
    pub fn uvint(&mut self, field: &'static str) -> Result<u64, Error> {
        let first = self.u8(field)?;
        if first < 0x80 {
            return Ok(u64::from(first));
        }
        let extra = first.leading_ones();
        let mut value = if extra >= 8 { 0 } else { u64::from(first & (0x7f >> extra)) };
        // At most eight rounds, and after eight the bits of the first byte are gone: nothing is lost by shifting.
        let rest = self.take(usize::try_from(extra).unwrap_or(8), field)?;
        for byte in rest {
            value = value << 8 | u64::from(*byte);
        }
        Ok(value)
    }

    /// Signed vint: zig-zag, then [`Self::uvint`].
    #[inline]
    pub fn svint(&mut self, field: &'static str) -> Result<i64, Error> {
        let raw = self.uvint(field)?;
        Ok(i64::from_be_bytes((raw >> 1).to_be_bytes()) ^ -i64::from(raw & 1 == 1))
    }

    /// `u16` length, then the bytes.
    #[inline]
    pub fn short_bytes(&mut self, field: &'static str) -> Result<&'a [u8], Error> {
        let n = self.u16(field)?;
        self.take(usize::from(n), field)
    }

    /// `u32` length, then the bytes.
    pub fn int_bytes(&mut self, field: &'static str) -> Result<&'a [u8], Error> {
        let n = self.u32(field)?;
        self.take(usize::try_from(n).unwrap_or(usize::MAX), field)
    }

    /// Unsigned vint length, then the bytes.
    pub fn vint_bytes(&mut self, field: &'static str) -> Result<&'a [u8], Error> {
        let n = self.uvint(field)?;
        self.take(usize::try_from(n).unwrap_or(usize::MAX), field)
    }

    /// A count of items of at least `item_bytes` each: refused when the bytes left cannot hold them, so that nothing is
    /// allocated for a claim.
    pub fn count(&mut self, item_bytes: usize, field: &'static str) -> Result<usize, Error> {
        let at = self.pos();
        let n = self.u32(field)?;
        let n = usize::try_from(n).unwrap_or(usize::MAX);
        if n.checked_mul(item_bytes).is_none_or(|all| all > self.left()) {
            let needed = len64(n).saturating_mul(len64(item_bytes));
            return Err(
                ReadError::truncated(self.part, at, field, needed, len64(self.left())).into()
            );
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uvint(bytes: &[u8]) -> u64 {
        Cursor::new(Part::Index, FilePos(0), bytes).uvint("x").unwrap()
    }

    #[test]
    fn vints_equal_the_vectors_of_the_format_text() {
        assert_eq!(uvint(&[0x7f]), 127);
        assert_eq!(uvint(&[0x80, 0x80]), 128);
        assert_eq!(uvint(&[0xbf, 0xff]), 16383);
        assert_eq!(uvint(&[0xc0, 0x40, 0x00]), 16384);
        assert_eq!(uvint(&[0xf0, 0x10, 0, 0, 0]), 1 << 28);
        assert_eq!(uvint(&[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), (1 << 56) - 1);
        assert_eq!(uvint(&[0xff, 0x01, 0, 0, 0, 0, 0, 0, 0]), 1 << 56);
        assert_eq!(uvint(&[0xff; 9]), u64::MAX);
    }

    #[test]
    fn signed_vints_are_zig_zag() {
        let signed = |bytes: &[u8]| Cursor::new(Part::Rows, FilePos(0), bytes).svint("x").unwrap();
        assert_eq!(signed(&[0x01]), -1);
        assert_eq!(signed(&[0x13]), -10);
        assert_eq!(signed(&[0x7e]), 63);
        assert_eq!(signed(&[0xc1, 0xff, 0xfd]), -65535);
    }

    #[test]
    fn a_cut_field_says_what_is_missing() {
        let mut cursor = Cursor::new(Part::Index, FilePos(100), &[0, 9, 1]);
        let error = cursor.short_bytes("key").unwrap_err();
        assert_eq!(
            error.to_string(),
            "Index.db, offset 102 (page 0 + 102), key: expected 9 more bytes, found 1"
        );
    }
}
