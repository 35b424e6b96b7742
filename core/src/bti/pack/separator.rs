//! What stands between two row blocks in a row trie: cut from the clusterings at their ends. See `docs/format/rows.md`.

use super::writer::common;

/// The separator before a block whose first item has the comparable clustering `first`; the block before ends with `last`,
/// which sorts before it. Replaces what is in `out`.
pub fn separator(last: &[u8], first: &[u8], out: &mut Vec<u8>) {
    cut(last, common(last, first), out);
}

/// The separator behind the last block, whose last item has the comparable clustering `last`. `out` holds the separator
/// before that block, empty if it is the only one, and is replaced.
pub fn end_marker(last: &[u8], out: &mut Vec<u8>) {
    let mut at = common(last, out);
    while last.get(at) == Some(&0xff) {
        at += 1;
    }
    cut(last, at, out);
}

/// The bytes before `at` and the byte there plus one.
fn cut(last: &[u8], at: usize, out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(last.get(..at).unwrap_or(last));
    // The byte of `last` is smaller than that of what follows, so it can grow. A clustering that ends there sorts before
    // whatever goes on.
    out.push(last.get(at).map_or(0, |byte| byte.saturating_add(1)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_separator_is_the_shortest_cut_of_the_row_before() {
        let mut out = vec![7; 3];
        separator(b"\x40\x80\x00\x00\x05\x38", b"\x40\x80\x00\x00\x09\x38", &mut out);
        assert_eq!(out, b"\x40\x80\x00\x00\x06");
        separator(b"\x40\x80\x00\x00\xff\x38", b"\x40\x80\x00\x01\x00\x38", &mut out);
        assert_eq!(out, b"\x40\x80\x00\x01");
    }

    #[test]
    fn the_end_marker_passes_bytes_that_cannot_grow() {
        let mut out = b"\x40\x80\xff".to_vec();
        end_marker(b"\x40\x80\xff\xff\x07\x38", &mut out);
        assert_eq!(out, b"\x40\x80\xff\xff\x08");
        out.clear();
        end_marker(b"\x60", &mut out);
        assert_eq!(out, b"\x61");
    }
}
