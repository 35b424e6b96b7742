//! Which type a node gets, how large that is, and its bytes. See `docs/format/packing.md`, "Choice of the type".

use super::branch::Child;
use super::flavour::Flavour;
use super::payload::Payload;
use crate::pos::len64;

/// Widths of distances in bits, the least first, with the types that hold them: one child, sparse, dense.
const WIDTHS: [(u32, u8, u8, u8); 8] = [
    (4, 1, 5, 10),
    (8, 2, 5, 10),
    (12, 3, 6, 10),
    (16, 4, 7, 11),
    (24, 12, 8, 12),
    (32, 13, 9, 13),
    (40, 14, 9, 14),
    (64, 15, 15, 15),
];

/// The type of a node and its bytes without payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Type code, the high half of the first byte.
    pub kind: u8,
    /// Bytes before the payload.
    pub head: u64,
}

/// Bits of a distance in types with several children.
const fn bits(kind: u8) -> u32 {
    match kind {
        5 => 8,
        6 | 10 => 12,
        7 | 11 => 16,
        8 | 12 => 24,
        13 => 32,
        9 | 14 => 40,
        _ => 64,
    }
}

impl Shape {
    /// Of a node with these children whose first byte will lie at `at`.
    #[inline]
    pub fn of(flavour: Flavour, children: &[Child], has_payload: bool, at: u64) -> Self {
        let (first, last) = match children {
            [] => return Self { kind: 0, head: 1 },
            [only] => (only.edge, only.edge),
            [first, .., last] => (first.edge, last.edge),
        };
        // The nearest position is that of the least distance, so only the farthest counts.
        let farthest = distances(children, at).map(|(_, distance)| distance).max().unwrap_or(0);
        let needed = 64 - farthest.leading_zeros();
        let index = WIDTHS.iter().position(|(bits, ..)| *bits >= needed).unwrap_or(7);
        let (_, single, sparse, dense) = WIDTHS.get(index).copied().unwrap_or((64, 15, 15, 15));
        if children.len() == 1 {
            // Types 1 and 3 have no room for payload bits; the next wider ones do.
            let kind = if has_payload && matches!(single, 1 | 3) { single + 1 } else { single };
            return Self { kind, head: single_bytes(kind) };
        }
        let slots = u64::from(last.saturating_sub(first)) + 1;
        let dense = Self { kind: dense, head: dense_bytes(slots, dense) };
        if sparse == 15 {
            return dense;
        }
        let n = len64(children.len());
        let sparse = Self { kind: sparse, head: sparse_bytes(n, sparse) };
        if sparse.head < dense.head + flavour.sparse_bias { sparse } else { dense }
    }
}

/// Bytes by which a node with this head is larger than the smallest type that would hold it.
pub(super) fn surplus(head: u64, children: &[Child], has_payload: bool, at: u64) -> u16 {
    // Cassandra takes the smaller one.
    let least = Shape::of(Flavour::CASSANDRA, children, has_payload, at).head;
    u16::try_from(head.saturating_sub(least)).unwrap_or(u16::MAX)
}

const fn single_bytes(kind: u8) -> u64 {
    match kind {
        1 => 2,
        2 | 3 => 3,
        4 => 4,
        _ => dense_bytes(1, kind),
    }
}

const fn sparse_bytes(n: u64, kind: u8) -> u64 {
    2 + n + (n * bits(kind) as u64).div_ceil(8)
}

const fn dense_bytes(slots: u64, kind: u8) -> u64 {
    3 + (slots * bits(kind) as u64).div_ceil(8)
}

/// The distance to every child of a node at `at`, in order. Children that are not written yet will lie directly before the
/// node, each behind its own branch.
#[inline]
pub(super) fn distances(children: &[Child], at: u64) -> impl Iterator<Item = (u8, u64)> {
    let mut behind: u64 = children.iter().map(Child::total).sum();
    children.iter().map(move |child| {
        behind -= child.total();
        let distance = match child.written_at() {
            Some(child) => at.saturating_sub(child),
            None => behind + child.entry(),
        };
        (child.edge, distance)
    })
}

/// Appends the node.
pub(super) fn write(
    shape: Shape,
    children: &[Child],
    payload: &Payload,
    at: u64,
    out: &mut Vec<u8>,
) {
    let first = (shape.kind << 4) | payload.bits();
    let mut distances = distances(children, at);
    match shape.kind {
        0 => out.push(first),
        1..=4 => {
            let (byte, distance) = distances.next().unwrap_or_default();
            let [.., high, low] = distance.to_be_bytes();
            match shape.kind {
                1 => out.extend([first | low, byte]),
                2 => out.extend([first, byte, low]),
                3 => out.extend([first | high, low, byte]),
                _ => out.extend([first, byte, high, low]),
            }
        }
        5..=9 => {
            out.extend([first, u8::try_from(children.len()).unwrap_or(u8::MAX)]);
            out.extend(children.iter().map(|child| child.edge));
            let mut packed = Packed::new(out, bits(shape.kind));
            distances.for_each(|(_, distance)| packed.push(distance));
            packed.end();
        }
        _ => {
            let start = children.first().map_or(0, |child| child.edge);
            let end = children.last().map_or(0, |child| child.edge);
            out.extend([first, start, end.saturating_sub(start)]);
            let mut packed = Packed::new(out, bits(shape.kind));
            let mut next = u16::from(start);
            for (byte, distance) in distances {
                while next < u16::from(byte) {
                    packed.push(0);
                    next += 1;
                }
                packed.push(distance);
                next += 1;
            }
            packed.end();
        }
    }
    out.extend_from_slice(payload.bytes());
}

/// Numbers of some bits each as one bit string, the most significant bit first.
struct Packed<'a> {
    out: &'a mut Vec<u8>,
    bits: u32,
    /// The half byte that waits for its other half, where a number has 12 bits.
    half: Option<u8>,
}

impl<'a> Packed<'a> {
    fn new(out: &'a mut Vec<u8>, bits: u32) -> Self {
        Self { out, bits, half: None }
    }

    #[inline]
    fn push(&mut self, number: u64) {
        let bytes = number.to_be_bytes();
        if self.bits == 12 {
            let [.., high, low] = bytes;
            match self.half.take() {
                None => {
                    self.out.push((high << 4) | (low >> 4));
                    self.half = Some(low << 4);
                }
                Some(half) => self.out.extend([half | (high & 0x0f), low]),
            }
        } else {
            let width = (self.bits / 8) as usize;
            self.out.extend_from_slice(bytes.get(8 - width..).unwrap_or(&bytes));
        }
    }

    /// A half byte left over is filled with zeros.
    fn end(self) {
        self.out.extend(self.half);
    }
}

/// Bytes of a chain of `links` bytes above a body of `body` bytes.
#[inline]
pub(super) fn chain_bytes(links: usize, body: u64) -> u64 {
    match links {
        0 => 0,
        _ => len64(links) * 2 + u64::from(body >= 16),
    }
}

/// From the node that the parent points at to the end of the unit: the last link written, or the body.
#[inline]
pub(super) const fn entry_bytes(links: usize, body: u64) -> u64 {
    match links {
        0 => body,
        1 if body >= 16 => 3,
        _ => 2,
    }
}

/// Appends the links above a body: the deepest first, each pointing at what was written just before.
pub(super) fn write_chain(links: &[u8], body: u64, out: &mut Vec<u8>) {
    let [.., high, low] = body.to_be_bytes();
    let mut previous = None;
    for byte in links.iter().rev() {
        match previous {
            // Type 3 even where type 2 would hold the distance, as ScyllaDB writes it.
            None if body >= 16 => {
                out.extend([0x30 | high, low, *byte]);
                previous = Some(3);
            }
            None => {
                out.extend([0x10 | low, *byte]);
                previous = Some(2);
            }
            Some(size) => {
                out.extend([0x10 | size, *byte]);
                previous = Some(2);
            }
        }
    }
}
