//! Variable integers as they are written; [`crate::cursor::Cursor`] reads them. See `docs/format/README.md`, conventions.

use crate::pos::len64;

/// An unsigned variable integer: as many leading one bits as bytes follow the first.
pub fn uvint(number: u64, out: &mut Vec<u8>) {
    let bits = 64 - u64::from(number.leading_zeros());
    // Seven bits a byte, and 8 more bytes where 7 would not do.
    let extra = if bits <= 7 { 0 } else { (bits - 1) / 7 };
    let bytes = number.to_be_bytes();
    if extra >= 8 {
        out.push(0xff);
        out.extend(bytes);
        return;
    }
    let kept = len64(bytes.len()) - extra - 1;
    let ones = !(0xffu16 >> extra) & 0xff;
    let mut rest = bytes.iter().skip(usize::try_from(kept).unwrap_or(0));
    if let Some(first) = rest.next() {
        out.push(first | u8::try_from(ones).unwrap_or(0));
    }
    out.extend(rest);
}

/// A signed one: zig-zag, then unsigned.
pub fn svint(number: i64, out: &mut Vec<u8>) {
    uvint(((number << 1) ^ (number >> 63)).cast_unsigned(), out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursor::Cursor;
    use crate::pos::FilePos;
    use crate::table::Part;

    #[test]
    fn numbers_of_every_width_are_read_back() {
        for shift in 0..64 {
            for number in [1u64 << shift, (1 << shift) - 1, u64::MAX >> shift] {
                let mut bytes = Vec::new();
                uvint(number, &mut bytes);
                svint(number.cast_signed(), &mut bytes);
                svint(number.cast_signed().wrapping_neg(), &mut bytes);
                let mut cursor = Cursor::new(Part::Index, FilePos(0), &bytes);
                assert_eq!(cursor.uvint("a"), Ok(number));
                assert_eq!(cursor.svint("b"), Ok(number.cast_signed()));
                assert_eq!(cursor.svint("c"), Ok(number.cast_signed().wrapping_neg()));
                assert_eq!(cursor.left(), 0);
            }
        }
    }

    #[test]
    fn the_shortest_form_is_written() {
        let written = |number| {
            let mut bytes = Vec::new();
            uvint(number, &mut bytes);
            bytes
        };
        assert_eq!(written(127), [0x7f]);
        assert_eq!(written(128), [0x80, 0x80]);
        assert_eq!(written(16_384), [0xc0, 0x40, 0x00]);
        assert_eq!(written((1 << 56) - 1), [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
        let mut bytes = Vec::new();
        svint(-10, &mut bytes);
        assert_eq!(bytes, [0x13]);
    }
}
