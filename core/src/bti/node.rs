//! A view of one trie node: it borrows the page and decodes on demand. See `docs/format/trie.md`, "Nodes".
//!
//! Every pointer is checked when it is followed: children lie strictly before their parent, so no walk can loop, and a
//! node lies in one page with its payload, so it costs one page at most.

use super::kind::{Family, NodeKind};
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
#[derive(Clone, Copy)]
pub struct Node<'p> {
    part: Part,
    at: FilePos,
    kind: NodeKind,
    bits: u8,
    /// The transition byte of types 1 to 4, the byte of the first slot of types 10 to 15.
    byte: u8,
    slots: usize,
    head: usize,
    /// From the first byte to the last one of the payload.
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
    #[inline]
    pub fn read(part: Part, at: FilePos, page: &'p [u8]) -> Result<Self, Error> {
        let from = page.get(at.in_page()..).unwrap_or(&[]);
        let byte = |i: usize| match from.get(i) {
            Some(byte) => Ok(*byte),
            None => Err(crossing(part, at, i + 1, from.len())),
        };
        let first = byte(0)?;
        let (kind, low) = (NodeKind::of(first), first & 0x0f);
        let sparse = |bits: usize| -> Result<_, Error> {
            let n = usize::from(byte(1)?);
            if n == 0 {
                return Err(out_of_range(part, at, 1, "number of children", "1..=255", 0));
            }
            Ok((2 + n + (bits * n).div_ceil(8), n, 0, low))
        };
        let dense = |bits: usize| -> Result<_, Error> {
            let (start, last) = (byte(1)?, byte(2)?);
            if start.checked_add(last).is_none() {
                let found = i128::from(start) + i128::from(last);
                return Err(out_of_range(part, at, 2, "last transition byte", "0..=255", found));
            }
            let n = usize::from(last) + 1;
            Ok((3 + (bits * n).div_ceil(8), n, start, low))
        };
        let (head, slots, byte, bits) = match kind {
            NodeKind::PayloadOnly if low == 0 => {
                let field = "payload bits of a node without children";
                return Err(out_of_range(part, at, 0, field, "1..=15", 0));
            }
            NodeKind::PayloadOnly => (1, 0, 0, low),
            NodeKind::SingleNoPayload4 => (2, 1, byte(1)?, 0),
            NodeKind::Single8 => (3, 1, byte(1)?, low),
            NodeKind::SingleNoPayload12 => (3, 1, byte(2)?, 0),
            NodeKind::Single16 => (4, 1, byte(1)?, low),
            NodeKind::Sparse8 => sparse(8)?,
            NodeKind::Sparse12 => sparse(12)?,
            NodeKind::Sparse16 => sparse(16)?,
            NodeKind::Sparse24 => sparse(24)?,
            NodeKind::Sparse40 => sparse(40)?,
            NodeKind::Dense12 => dense(12)?,
            NodeKind::Dense16 => dense(16)?,
            NodeKind::Dense24 => dense(24)?,
            NodeKind::Dense32 => dense(32)?,
            NodeKind::Dense40 => dense(40)?,
            NodeKind::LongDense => dense(64)?,
        };
        let size = head + payload_len(part, bits);
        match from.get(..size) {
            Some(bytes) => Ok(Self { part, at, kind, bits, byte, slots, head, bytes }),
            None => Err(crossing(part, at, size, from.len())),
        }
    }

    /// Position of the node's first byte.
    #[inline]
    pub fn at(&self) -> FilePos {
        self.at
    }

    /// Type.
    #[inline]
    pub fn kind(&self) -> NodeKind {
        self.kind
    }

    /// Low nibble of the first byte where that holds payload bits, else 0.
    #[inline]
    pub fn payload_bits(&self) -> u8 {
        self.bits
    }

    /// The payload; empty when the payload bits are 0.
    #[inline]
    pub fn payload(&self) -> &'p [u8] {
        self.bytes.get(self.head..).unwrap_or(&[])
    }

    /// Position of the payload's first byte.
    pub fn payload_at(&self) -> FilePos {
        FilePos(self.at.0.saturating_add(len64(self.head)))
    }

    /// Bytes of the node with its payload.
    #[inline]
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Position after the node and its payload.
    #[inline]
    pub fn end(&self) -> FilePos {
        // A node lies in a page of the file, so this is at most the file's length.
        FilePos(self.at.0.saturating_add(len64(self.bytes.len())))
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
    #[inline]
    pub fn child(&self, byte: u8) -> Result<Option<FilePos>, Error> {
        let slot = self.rank(u16::from(byte));
        if slot < self.slots && self.byte_of(slot) == byte {
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
        let dense = self.is_dense();
        (0..self.slots)
            .filter(move |slot| !dense || self.distance(*slot) != 0)
            .map(move |slot| self.byte_of(slot))
    }

    /// Number of slots with a transition byte below `limit`.
    #[inline]
    fn rank(&self, limit: u16) -> usize {
        match self.kind {
            NodeKind::PayloadOnly => 0,
            NodeKind::SingleNoPayload4
            | NodeKind::Single8
            | NodeKind::SingleNoPayload12
            | NodeKind::Single16 => usize::from(u16::from(self.byte) < limit),
            NodeKind::Sparse8
            | NodeKind::Sparse12
            | NodeKind::Sparse16
            | NodeKind::Sparse24
            | NodeKind::Sparse40 => match u8::try_from(limit) {
                Ok(limit) => smaller(self.sparse_bytes(), limit),
                Err(_) => self.slots,
            },
            NodeKind::Dense12
            | NodeKind::Dense16
            | NodeKind::Dense24
            | NodeKind::Dense32
            | NodeKind::Dense40
            | NodeKind::LongDense => {
                usize::from(limit.saturating_sub(u16::from(self.byte))).min(self.slots)
            }
        }
    }

    /// Transition bytes of a sparse node ascend: [`Self::rank`] relies on it.
    #[inline]
    fn check_order(&self) -> Result<(), Error> {
        if self.kind.family() != Family::Sparse {
            return Ok(());
        }
        let bytes = self.sparse_bytes();
        match bytes.iter().zip(bytes.iter().skip(1)).position(|(byte, next)| byte >= next) {
            None => Ok(()),
            Some(slot) => Err(self.unsorted(slot + 1)),
        }
    }

    #[inline]
    fn sparse_bytes(&self) -> &'p [u8] {
        self.bytes.get(2..2 + self.slots).unwrap_or(&[])
    }

    #[inline]
    fn is_dense(&self) -> bool {
        matches!(self.kind.family(), Family::Dense | Family::Long)
    }

    /// Transition byte of a slot, which exists.
    #[inline]
    fn byte_of(&self, slot: usize) -> u8 {
        match self.kind.family() {
            Family::Leaf | Family::Single => self.byte,
            Family::Sparse => self.bytes.get(2 + slot).copied().unwrap_or(0),
            // `read` has checked that the last slot's byte is at most 255.
            Family::Dense | Family::Long => {
                self.byte.wrapping_add(u8::try_from(slot).unwrap_or(u8::MAX))
            }
        }
    }

    /// Position of the child in a slot; an empty slot, which only dense nodes have, is `None`.
    #[inline]
    fn child_in(&self, slot: usize) -> Result<Option<FilePos>, Error> {
        let distance = self.distance(slot);
        match self.at.before(distance) {
            Some(_) if distance == 0 && self.is_dense() => Ok(None),
            Some(child) if distance != 0 => Ok(Some(child)),
            _ => Err(self.bad_distance(slot, distance)),
        }
    }

    #[inline]
    fn distance(&self, slot: usize) -> u64 {
        let sparse = 2 + self.slots;
        let dense = 3;
        match self.kind {
            NodeKind::PayloadOnly => 0,
            NodeKind::SingleNoPayload4 => self.be::<1>(0) & 0x0f,
            NodeKind::Single8 => self.be::<1>(2),
            NodeKind::SingleNoPayload12 => self.be::<2>(0) & 0x0fff,
            NodeKind::Single16 => self.be::<2>(2),
            NodeKind::Sparse8 => self.be::<1>(sparse + slot),
            NodeKind::Sparse12 => self.packed12(sparse, slot),
            NodeKind::Sparse16 => self.be::<2>(sparse + 2 * slot),
            NodeKind::Sparse24 => self.be::<3>(sparse + 3 * slot),
            NodeKind::Sparse40 => self.be::<5>(sparse + 5 * slot),
            NodeKind::Dense12 => self.packed12(dense, slot),
            NodeKind::Dense16 => self.be::<2>(dense + 2 * slot),
            NodeKind::Dense24 => self.be::<3>(dense + 3 * slot),
            NodeKind::Dense32 => self.be::<4>(dense + 4 * slot),
            NodeKind::Dense40 => self.be::<5>(dense + 5 * slot),
            NodeKind::LongDense => self.be::<8>(dense + 8 * slot),
        }
    }

    /// Big-endian number of `N` bytes; `read` has checked that they are there.
    #[inline]
    fn be<const N: usize>(&self, at: usize) -> u64 {
        let bytes = self.bytes.get(at..).and_then(|bytes| bytes.first_chunk::<N>());
        bytes.unwrap_or(&[0; N]).iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
    }

    /// Entry of a packed array of 12-bit numbers: one bit string, most significant bit first.
    #[inline]
    fn packed12(&self, base: usize, slot: usize) -> u64 {
        let two = self.be::<2>(base + slot * 3 / 2);
        if slot.is_multiple_of(2) { two >> 4 } else { two & 0x0fff }
    }

    #[cold]
    fn bad_distance(&self, slot: usize, distance: u64) -> Error {
        let byte = self.byte_of(slot);
        ReadError::out_of_range(
            self.part,
            self.at,
            format!("child distance for byte 0x{byte:02x}"),
            format!("1..={}", self.at),
            distance,
        )
        .into()
    }

    #[cold]
    fn unsorted(&self, slot: usize) -> Error {
        let at = FilePos(self.at.0.saturating_add(len64(2 + slot)));
        let found = format!("0x{:02x} out of order", self.byte_of(slot));
        ReadError::unexpected(self.part, at, "transition byte", "ascending bytes", found).into()
    }
}

/// Bytes of a payload with these payload bits: in Partitions.db a hash byte and a position, in Rows.db an offset and
/// perhaps an open deletion.
#[inline]
const fn payload_len(part: Part, bits: u8) -> usize {
    let bits = bits as usize;
    match part {
        Part::Rows => (bits & 7) + if bits & 8 == 0 { 0 } else { 12 },
        _ if bits < 8 => bits,
        _ => bits - 6,
    }
}

/// How many of the bytes are smaller: their order makes that the place of `limit` among them.
///
/// Counting all of them needs no branch that depends on the key, so the compiler makes vector code of it.
#[inline]
fn smaller(bytes: &[u8], limit: u8) -> usize {
    bytes.iter().map(|byte| usize::from(*byte < limit)).sum()
}

#[cold]
fn crossing(part: Part, at: FilePos, size: usize, left: usize) -> Error {
    let expected = format!("at most {left}, the bytes left in its page");
    ReadError::out_of_range(part, at, "node size", expected, i128::from(len64(size))).into()
}

#[cold]
fn out_of_range(
    part: Part,
    node: FilePos,
    after: u64,
    field: &'static str,
    expected: &'static str,
    found: i128,
) -> Error {
    let at = FilePos(node.0.saturating_add(after));
    ReadError::out_of_range(part, at, field, expected, found).into()
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (page, in_page) = (self.at.page(), self.at.in_page());
        write!(f, "{:?}@p{page}+0x{in_page:x}", self.kind.family())?;
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
