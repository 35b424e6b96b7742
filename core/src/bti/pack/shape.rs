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
        if children.is_empty() {
            return Self { kind: 0, head: 1 };
        }
        let farthest = distances(children, at).map(|(_, distance)| distance).max().unwrap_or(0);
        Self::with(flavour, children, has_payload, farthest)
    }

    /// Of a node whose children lie at most so far away: only that distance counts.
    #[inline]
    pub fn with(flavour: Flavour, children: &[Child], has_payload: bool, farthest: u64) -> Self {
        let (first, last) = match children {
            [] => return Self { kind: 0, head: 1 },
            [only] => (only.edge, only.edge),
            [first, .., last] => (first.edge, last.edge),
        };
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
    put(shape, children, payload, distances(children, at), out);
}

/// Appends the node; no child is written, and they have `below` bytes.
#[inline]
pub(super) fn write_before(
    shape: Shape,
    children: &[Child],
    payload: &Payload,
    below: u64,
    out: &mut Vec<u8>,
) {
    let mut behind = below;
    let distances = children.iter().map(|child| {
        behind -= child.total();
        (child.edge, behind + child.entry())
    });
    put(shape, children, payload, distances, out);
}

#[inline]
fn put(
    shape: Shape,
    children: &[Child],
    payload: &Payload,
    mut distances: impl Iterator<Item = (u8, u64)>,
    out: &mut Vec<u8>,
) {
    let first = (shape.kind << 4) | payload.bits();
    match shape.kind {
        0 => out.push(first),
        1..=4 => {
            let (byte, distance) = distances.next().unwrap_or_default();
            let [.., high, low] = distance.to_be_bytes();
            match shape.kind {
                1 => out.extend_from_slice(&[first | low, byte]),
                2 => out.extend_from_slice(&[first, byte, low]),
                3 => out.extend_from_slice(&[first | high, low, byte]),
                _ => out.extend_from_slice(&[first, byte, high, low]),
            }
        }
        5..=9 => {
            let count = u8::try_from(children.len()).unwrap_or(u8::MAX);
            out.extend_from_slice(&[first, count]);
            out.extend(children.iter().map(|child| child.edge));
            let distances = distances.enumerate().map(|(slot, (_, distance))| (slot, distance));
            pack(bits(shape.kind), children.len(), distances, out);
        }
        _ => {
            let start = children.first().map_or(0, |child| child.edge);
            let end = children.last().map_or(0, |child| child.edge);
            let last = end.saturating_sub(start);
            out.extend_from_slice(&[first, start, last]);
            let slot = |byte: u8| usize::from(byte.saturating_sub(start));
            let distances = distances.map(|(byte, distance)| (slot(byte), distance));
            pack(bits(shape.kind), usize::from(last) + 1, distances, out);
        }
    }
    payload.put(out);
}

/// Appends so many slots of some bits each as one bit string, the most significant bit first: numbers with their slots,
/// which ascend, and 0 in all others.
#[inline]
fn pack(bits: u32, slots: usize, numbers: impl Iterator<Item = (usize, u64)>, out: &mut Vec<u8>) {
    let from = out.len();
    let width = (bits / 8) as usize;
    let bytes = if bits == 12 { (slots * 3).div_ceil(2) } else { slots * width };
    out.resize(from + bytes, 0);
    let room = out.get_mut(from..).unwrap_or(&mut []);
    for (slot, number) in numbers {
        let bytes = number.to_be_bytes();
        let [.., high, low] = bytes;
        match bits {
            8 => {
                if let Some(byte) = room.get_mut(slot) {
                    *byte = low;
                }
            }
            // Two numbers are three bytes; of the last one of an odd count the second half byte stays 0.
            12 if slot % 2 == 0 => {
                if let Some([one, two]) = room.get_mut(slot / 2 * 3..slot / 2 * 3 + 2) {
                    (*one, *two) = ((high << 4) | (low >> 4), low << 4);
                }
            }
            12 => {
                if let Some([two, three]) = room.get_mut(slot / 2 * 3 + 1..slot / 2 * 3 + 3) {
                    (*two, *three) = (*two | (high & 0x0f), low);
                }
            }
            _ => {
                let place = room.get_mut(slot * width..(slot + 1) * width);
                if let (Some(place), Some(bytes)) = (place, bytes.get(8 - width..)) {
                    place.copy_from_slice(bytes);
                }
            }
        }
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
