//! A view of one trie node: it borrows the page and decodes on demand. See `docs/format/trie.md`, "Nodes".
//!
//! Every pointer is checked when it is followed: children lie strictly before their parent, so no walk can loop, and a
//! node lies in one page with its payload, so it costs one page at most.

use super::kind::NodeKind;
use super::layout::{LAYOUTS, LEAF, Layout, payload_len};
use crate::error::{Error, ReadError};
use crate::pos::{FilePos, len64};
use crate::table::Part;
use std::fmt;

/// A node of a trie: `Copy`, borrowed from its page.
///
/// | types | bytes |
/// | --- | --- |
/// | 0 | type and payload bits, payload |
/// | 1 | type and distance, transition byte |
/// | 3 | type and high bits of the distance, low bits, transition byte |
/// | 2, 4 | type and payload bits, transition byte, distance, payload |
/// | 5 to 9 | type and payload bits, n, n transition bytes ascending, n distances, payload |
/// | 10 to 15 | type and payload bits, first byte, n - 1, n distances of which 0 is no child, payload |
///
/// Decoding is driven by a table, `LAYOUTS`: one decoder for all types.
#[derive(Clone, Copy)]
pub struct Node<'p> {
    part: Part,
    at: FilePos,
    first: u8,
    layout: Layout,
    /// The transition byte of types 1 to 4, the byte of the first slot of types 10 to 15.
    start: u8,
    /// Number of slots, each with a distance: children, and in dense nodes perhaps gaps.
    slots: usize,
    /// Bit at which the distances start, counted from the first byte.
    distances: usize,
    /// Bytes before the payload.
    head: usize,
    /// Bytes with the payload.
    size: usize,
    /// From the first byte to the end of the page.
    bytes: &'p [u8],
}

/// A child of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// Transition byte.
    pub byte: u8,
    /// Position of the child.
    pub at: FilePos,
}

/// Greatest limit of [`Node::below`]: above every transition byte.
const ABOVE_ALL: u16 = 256;

impl<'p> Node<'p> {
    /// The node at `at` of `part`, whose page is `page`. The whole node must lie in the page, and the page in the file.
    pub fn read(part: Part, at: FilePos, page: &'p [u8]) -> Result<Self, Error> {
        let node = Self::view(part, at, page);
        if node.is_sound() { Ok(node) } else { Err(node.unsound()) }
    }

    /// What [`Self::read`] reads, unchecked: for nodes that are known to be sound. Bytes past the page read as 0.
    #[inline(always)]
    pub(super) fn view(part: Part, at: FilePos, page: &'p [u8]) -> Self {
        let bytes = page.get(at.in_page()..).unwrap_or(&[]);
        let three = match bytes.first_chunk() {
            Some(three) => *three,
            None => [0, 1, 2].map(|i| bytes.get(i).copied().unwrap_or(0)),
        };
        let layout = LAYOUTS.get(usize::from(three[0] >> 4)).copied().unwrap_or(LEAF);
        Self::decode(layout, part, at, bytes, three)
    }

    /// The node at `at` if it is a sound one without children.
    #[inline(always)]
    pub(super) fn leaf(part: Part, at: FilePos, page: &'p [u8]) -> Option<Self> {
        let bytes = page.get(at.in_page()..)?;
        let first = *bytes.first()?;
        if first >= 0x10 {
            return None;
        }
        let node = Self::decode(LEAF, part, at, bytes, [first, 0, 0]);
        node.is_sound().then_some(node)
    }

    /// Position of the child for a transition byte of the node at `at` of Partitions.db, where that can be told fast.
    ///
    /// `None` where there is no child, and for everything else that [`Self::read`] and [`Self::child`] must tell: a leaf, a
    /// node at the very end of its page, damage. This is the step of an exact lookup.
    ///
    /// The decoder is compiled once for each common type, with its layout as a constant: the processor foresees the type,
    /// and loads the distance without waiting for the first byte. The walk of a lookup in `p20k` takes 42 ns so, and 55
    /// with the table alone. Not inlined, so that there is one copy of it all; inlined it takes 40.
    #[inline(never)]
    pub(super) fn step(at: FilePos, page: &'p [u8], byte: u8) -> Option<FilePos> {
        let bytes = page.get(at.in_page()..)?;
        let three = bytes.first_chunk()?;
        let code = usize::from(three[0] >> 4);
        let step = |layout| Self::decode(layout, Part::Partitions, at, bytes, *three).step_to(byte);
        match code {
            1 => step(LAYOUTS[1]),
            2 => step(LAYOUTS[2]),
            3 => step(LAYOUTS[3]),
            5 => step(LAYOUTS[5]),
            6 => step(LAYOUTS[6]),
            10 => step(LAYOUTS[10]),
            11 => step(LAYOUTS[11]),
            12 => step(LAYOUTS[12]),
            _ => step(LAYOUTS.get(code).copied()?),
        }
    }

    #[inline(always)]
    fn step_to(self, byte: u8) -> Option<FilePos> {
        let slot = self.slot_of(byte);
        if !self.is_sound() || slot >= self.slots {
            return None;
        }
        let distance = self.cut(self.bytes_of(slot).first_chunk()?, slot);
        if distance == 0 { None } else { self.at.before(distance) }
    }

    #[inline(always)]
    fn decode(layout: Layout, part: Part, at: FilePos, bytes: &'p [u8], three: [u8; 3]) -> Self {
        let [first, second, third] = three;
        let listed = usize::from(second & layout.sparse);
        let slots = listed + usize::from(third & layout.dense) + usize::from(layout.slots);
        let start = second & layout.start | third & layout.late_start;
        let distances = usize::from(layout.distances) + 8 * listed;
        let end = (distances + slots * usize::from(layout.width)).div_ceil(8);
        let head = end + usize::from(layout.behind);
        let size = head + payload_len(part, first & layout.payload);
        Self { part, at, first, layout, start, slots, distances, head, size, bytes }
    }

    /// Whether the node lies in its page, is a leaf with a payload or has children, and these have bytes up to 255.
    #[inline(always)]
    pub(super) fn is_sound(&self) -> bool {
        self.size <= self.bytes.len()
            && (self.slots != 0 || (1..=15).contains(&self.first))
            && usize::from(self.start) + self.slots <= 256
    }

    /// What is wrong with a node that is not sound.
    #[cold]
    pub(super) fn unsound(self) -> Error {
        let (part, left) = (self.part, self.bytes.len());
        if self.size > left {
            let expected = format!("at most {left}, the bytes left in its page");
            let found = i128::from(len64(self.size));
            return ReadError::out_of_range(part, self.at, "node size", expected, found).into();
        }
        let (after, field, expected, found) = match (self.slots, self.first) {
            (0, 0..=15) => (0, "payload bits of a node without children", "1..=15", 0),
            (0, _) => (1, "number of children", "1..=255", 0),
            _ => (2, "last transition byte", "0..=255", usize::from(self.start) + self.slots - 1),
        };
        let at = FilePos(self.at.0.saturating_add(after));
        ReadError::out_of_range(part, at, field, expected, i128::from(len64(found))).into()
    }

    /// Position of the node's first byte.
    #[inline]
    pub fn at(&self) -> FilePos {
        self.at
    }

    /// Type.
    #[inline]
    pub fn kind(&self) -> NodeKind {
        NodeKind::of(self.first)
    }

    /// Low nibble of the first byte where that holds payload bits, else 0.
    #[inline]
    pub fn payload_bits(&self) -> u8 {
        self.first & self.layout.payload
    }

    /// The payload; empty when the payload bits are 0.
    #[inline]
    pub fn payload(&self) -> &'p [u8] {
        self.bytes.get(self.head..self.size).unwrap_or(&[])
    }

    /// The signed big-endian number in some bytes of the payload, at most 8 of them; none is 0.
    #[inline]
    pub(super) fn signed(&self, from: usize, len: usize) -> i64 {
        // Eight bytes are loaded at once, whatever follows the number.
        let word = word(self.bytes.get(self.head + from..).unwrap_or(&[]));
        match len.min(8) {
            0 => 0,
            len => i64::from_be_bytes(word) >> (64 - 8 * len),
        }
    }

    /// Position of the payload's first byte.
    pub fn payload_at(&self) -> FilePos {
        FilePos(self.at.0.saturating_add(len64(self.head)))
    }

    /// Bytes of the node with its payload.
    #[inline]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Position after the node and its payload.
    #[inline]
    pub fn end(&self) -> FilePos {
        // A node lies in a page of the file, so this is at most the file's length.
        FilePos(self.at.0.saturating_add(len64(self.size)))
    }

    /// Whether the node has no children.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.slots == 0
    }

    /// The component that holds the node.
    #[inline]
    pub fn part(&self) -> Part {
        self.part
    }

    /// The child for this transition byte.
    pub fn child(&self, byte: u8) -> Result<Option<FilePos>, Error> {
        let slot = self.slot_of(byte);
        if slot < self.slots {
            return self.child_in(slot);
        }
        // "Absent" is only true of bytes in order; a child that was found needs no such check.
        self.check_order()?;
        Ok(None)
    }

    /// The child with the greatest transition byte below `limit` (0..=256).
    pub fn below(&self, limit: u16) -> Result<Option<Child>, Error> {
        self.check_order()?;
        for slot in (0..self.rank(limit)).rev() {
            if let Some(at) = self.child_in(slot)? {
                return Ok(Some(Child { byte: self.byte_of(slot), at }));
            }
        }
        Ok(None)
    }

    /// The child with the smallest transition byte that is at least `from` (0..=256).
    pub fn at_or_above(&self, from: u16) -> Result<Option<Child>, Error> {
        self.check_order()?;
        for slot in self.rank(from)..self.slots {
            if let Some(at) = self.child_in(slot)? {
                return Ok(Some(Child { byte: self.byte_of(slot), at }));
            }
        }
        Ok(None)
    }

    /// The child with the smallest transition byte above `byte`.
    pub fn above(&self, byte: u8) -> Result<Option<Child>, Error> {
        self.at_or_above(u16::from(byte) + 1)
    }

    /// The child with the smallest transition byte.
    pub fn first_child(&self) -> Result<Option<Child>, Error> {
        self.at_or_above(0)
    }

    /// The child with the greatest transition byte.
    pub fn last_child(&self) -> Result<Option<Child>, Error> {
        self.below(ABOVE_ALL)
    }

    /// The children in ascending order; empty slots are passed over.
    pub fn children(self) -> impl Iterator<Item = Result<Child, Error>> + 'p {
        (0..self.slots).filter_map(move |slot| {
            let byte = self.byte_of(slot);
            self.child_in(slot).map(|at| at.map(|at| Child { byte, at })).transpose()
        })
    }

    /// The transition bytes that have a child, ascending. Nothing is followed, so damaged distances do not matter.
    pub fn transitions(self) -> impl Iterator<Item = u8> + 'p {
        let gaps = self.layout.dense != 0;
        (0..self.slots)
            .filter(move |slot| !gaps || self.distance(*slot) != 0)
            .map(move |slot| self.byte_of(slot))
    }

    /// Transition byte and distance of each slot in order; the distance is 0 where a dense node has no child. Nothing is followed.
    pub fn distances(self) -> impl Iterator<Item = (u8, u64)> + 'p {
        (0..self.slots).map(move |slot| (self.byte_of(slot), self.distance(slot)))
    }

    /// The slot for a transition byte; none when it is not less than the number of slots.
    #[inline(always)]
    fn slot_of(&self, byte: u8) -> usize {
        if self.layout.sparse == 0 {
            // Types 1 to 4 are ranges of one byte here, and a leaf is an empty one.
            return usize::from(byte.wrapping_sub(self.start));
        }
        find(self.bytes.get(2..).unwrap_or(&[]), self.slots, byte)
    }

    /// Transition bytes of a sparse node ascend: finding one relies on it.
    pub(super) fn check_order(&self) -> Result<(), Error> {
        let bytes = self.listed();
        match bytes.iter().zip(bytes.iter().skip(1)).find(|(byte, next)| byte >= next) {
            None => Ok(()),
            Some((byte, next)) => {
                let (field, expected) = ("transition bytes", "ascending bytes");
                let found = format!("0x{next:02x} after 0x{byte:02x}");
                Err(ReadError::unexpected(self.part, self.at, field, expected, found).into())
            }
        }
    }

    /// Number of slots with a transition byte below `limit`.
    fn rank(&self, limit: u16) -> usize {
        if self.layout.sparse == 0 {
            return usize::from(limit.saturating_sub(u16::from(self.start))).min(self.slots);
        }
        self.listed().iter().filter(|byte| u16::from(**byte) < limit).count()
    }

    /// The transition bytes of a sparse node.
    fn listed(&self) -> &'p [u8] {
        let listed = if self.layout.sparse == 0 { 0 } else { self.slots };
        self.bytes.get(2..2 + listed).unwrap_or(&[])
    }

    /// Number of slots, each with a distance; only dense nodes have empty ones.
    #[inline]
    pub(super) fn slots(&self) -> usize {
        self.slots
    }

    /// Whether a distance of 0 is an empty slot.
    #[inline]
    pub(super) fn is_dense(&self) -> bool {
        self.layout.dense != 0
    }

    /// Whether the transition bytes of a sparse node ascend; true for the others.
    #[inline]
    pub(super) fn is_ascending(&self) -> bool {
        let bytes = self.listed();
        bytes.iter().zip(bytes.iter().skip(1)).all(|(byte, next)| byte < next)
    }

    /// Transition byte of a slot, which exists.
    #[inline]
    pub(super) fn byte_of(&self, slot: usize) -> u8 {
        if self.layout.sparse == 0 {
            // `read` has checked that the last slot's byte is at most 255.
            return self.start.wrapping_add(u8::try_from(slot).unwrap_or(u8::MAX));
        }
        self.bytes.get(2 + slot).copied().unwrap_or(0)
    }

    /// Position of the child in a slot; an empty slot, which only dense nodes have, is `None`.
    fn child_in(&self, slot: usize) -> Result<Option<FilePos>, Error> {
        let distance = self.distance(slot);
        match self.at.before(distance) {
            Some(child) if distance != 0 => Ok(Some(child)),
            Some(_) if self.layout.dense != 0 => Ok(None),
            _ => {
                let field = format!("child distance for byte 0x{:02x}", self.byte_of(slot));
                let expected = format!("1..={}", self.at);
                Err(ReadError::out_of_range(self.part, self.at, field, expected, distance).into())
            }
        }
    }

    /// Distances are one bit string, most significant bit first, so 8 bytes from the byte with the first bit hold one.
    #[inline]
    pub(super) fn distance(&self, slot: usize) -> u64 {
        self.cut(&word(self.bytes_of(slot)), slot)
    }

    /// The bytes from the one on in which the distance of a slot starts.
    #[inline(always)]
    fn bytes_of(&self, slot: usize) -> &'p [u8] {
        let bit = self.distances + slot * usize::from(self.layout.width);
        self.bytes.get(bit / 8..).unwrap_or(&[])
    }

    /// Cuts the distance of a slot out of 8 bytes. Only distances of 4 and 12 bits start inside a byte, so they fit.
    #[inline(always)]
    fn cut(&self, bytes: &[u8; 8], slot: usize) -> u64 {
        let width = usize::from(self.layout.width);
        let skip = (self.distances + slot * width) % 8;
        u64::from_be_bytes(*bytes) << skip >> (64 - width)
    }
}

/// The first 8 bytes; what is missing reads as 0.
#[inline]
fn word(bytes: &[u8]) -> [u8; 8] {
    match bytes.first_chunk() {
        Some(word) => *word,
        None => {
            let mut word = [0; 8];
            word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            word
        }
    }
}

/// Place of a byte among the first `n`, which ascend; `n` or more when it is not there.
///
/// 16 bytes around the place where it would be if they were spread evenly are compared at once: tokens are random, so that
/// is nearly always right, and the processor foresees it. The walk of a lookup in `p20k` takes 42 ns so, 51 with a
/// bisection, whose turns nobody foresees, and 72 when all smaller bytes are counted. What lies behind the `n` bytes may be
/// compared too: it comes after them, so that the first match counts.
#[inline]
fn find(bytes: &[u8], n: usize, byte: u8) -> usize {
    let guess = (usize::from(byte) * n) >> 8;
    let from = guess.saturating_sub(8).min(n.saturating_sub(16));
    if let Some(window) = bytes.get(from..).and_then(|bytes| bytes.first_chunk()) {
        let place = from + first_equal(*window, byte);
        if place < from + 16 {
            return place;
        }
        if n <= 16 {
            return n;
        }
    }
    find_far(bytes, n, byte)
}

#[cold]
fn find_far(bytes: &[u8], n: usize, byte: u8) -> usize {
    bytes.iter().take(n).position(|other| *other == byte).unwrap_or(n)
}

/// Place of the first byte that is equal, 16 if none is.
#[inline]
fn first_equal(bytes: [u8; 16], byte: u8) -> usize {
    const LOW: u128 = u128::from_le_bytes([0x01; 16]);
    const HIGH: u128 = u128::from_le_bytes([0x80; 16]);
    // Equal bytes become 0. Subtracting 1 from each sets the high bit of the first 0, and perhaps of bytes after it.
    let differs = u128::from_le_bytes(bytes) ^ u128::from_le_bytes([byte; 16]);
    let zeros = differs.wrapping_sub(LOW) & !differs & HIGH;
    usize::try_from(zeros.trailing_zeros() / 8).unwrap_or(16)
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (page, in_page) = (self.at.page(), self.at.in_page());
        write!(f, "{:?}@p{page}+0x{in_page:x}", self.kind().family())?;
        match self.transitions().count() {
            0 => {}
            1 => write!(f, " 1 child")?,
            n => write!(f, " {n} children")?,
        }
        match self.payload().len() {
            0 => Ok(()),
            1 => write!(f, " payload 1 byte"),
            n => write!(f, " payload {n} bytes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A node of each type at the end of a page, with `n` children and a payload where that is possible.
    fn nodes(code: u8, n: u8) -> Vec<u8> {
        let width = usize::from(LAYOUTS[usize::from(code)].width);
        let low = if matches!(code, 1 | 3) { 7 } else { 9 };
        let mut bytes = vec![code << 4 | low];
        // Random enough: every byte is some distance, and no distance reaches before the file.
        let distances = |count: usize| {
            let mut bits = vec![0u8; (count * width).div_ceil(8)];
            for (i, byte) in bits.iter_mut().enumerate() {
                let is_low = width <= 16 || i % (width / 8) >= width / 8 - 2;
                *byte = if is_low { (i * 37 % 251) as u8 + 1 } else { 0 };
            }
            bits
        };
        match code {
            0 => {}
            1 => bytes.push(n),
            2 | 4 => bytes.extend([vec![n], distances(1)].concat()),
            3 => bytes.extend([0x21, n]),
            5..=9 => {
                bytes.push(n);
                bytes.extend((0..n).map(|i| (usize::from(i) * 256 / usize::from(n)) as u8));
                bytes.extend(distances(n.into()));
            }
            _ => bytes.extend([vec![255 - n, n], distances(usize::from(n) + 1)].concat()),
        }
        bytes.extend([1, 2, 3]);
        bytes
    }

    #[test]
    fn the_fast_step_is_the_child_or_leaves_it_to_the_view() {
        let mut fast = 0;
        for code in 0..16 {
            for n in [1, 2, 7, 15, 16, 17, 40, 100, 254, 255] {
                let bytes = nodes(code, n);
                for behind in [0, 1, 5, 40] {
                    let start = 4096 - bytes.len() - behind;
                    let page = [vec![0; start], bytes.clone(), vec![0xab; behind]].concat();
                    let at = FilePos((1 << 20) + len64(start));
                    let node = Node::read(Part::Partitions, at, &page).unwrap();
                    for byte in 0..=255 {
                        let child = node.child(byte).unwrap();
                        if let Some(found) = Node::step(at, &page, byte) {
                            assert_eq!(Some(found), child, "{node:?} byte {byte}");
                            fast += 1;
                        } else if behind > 20 && code > 0 {
                            assert_eq!(child, None, "{node:?} byte {byte}");
                        }
                    }
                }
            }
        }
        assert!(fast > 10_000, "{fast}");
    }

    #[test]
    fn a_byte_is_found_however_the_bytes_are_spread() {
        for n in 0..=256usize {
            for spread in [256 / n.max(1), 1] {
                let bytes: Vec<u8> = (0..n).map(|i| (i * spread) as u8).collect();
                for behind in [0, 16, 300] {
                    let page = [bytes.clone(), vec![0xff; behind]].concat();
                    for byte in 0..=255 {
                        let place = bytes.binary_search(&byte).ok();
                        let found = find(&page, n, byte);
                        assert_eq!((found < n).then_some(found), place, "{n} {spread} {byte}");
                    }
                }
            }
        }
    }
}
