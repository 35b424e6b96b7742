//! Where the node types keep what: one table, by which all of them are decoded. See `docs/format/trie.md`, "Nodes".

use crate::table::Part;

/// Where a node type keeps what. A mask is 0xff where the byte that it is for exists, else 0.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    /// Bits of a distance.
    pub width: u8,
    /// Bit at which the distances start, before transition bytes are counted.
    pub distances: u8,
    /// Payload bits in the first byte.
    pub payload: u8,
    /// Slots that need no counting.
    pub slots: u8,
    /// Whether the second byte counts children and their transition bytes follow.
    pub sparse: u8,
    /// Whether the third byte is the number of further slots.
    pub dense: u8,
    /// Whether the first slot's byte is the second byte of the node.
    pub start: u8,
    /// Whether it is the third one.
    pub late_start: u8,
    /// Bytes between distances and payload: types 1 and 3 have their transition byte there.
    pub behind: u8,
}

/// Of PAYLOAD_ONLY.
pub(super) const LEAF: Layout = Layout {
    width: 8,
    distances: 8,
    payload: 0x0f,
    slots: 0,
    sparse: 0,
    dense: 0,
    start: 0,
    late_start: 0,
    behind: 0,
};

const fn single(width: u8) -> Layout {
    Layout { width, distances: 16, slots: 1, start: 0xff, ..LEAF }
}

const fn sparse(width: u8) -> Layout {
    Layout { width, distances: 16, sparse: 0xff, ..LEAF }
}

const fn dense(width: u8) -> Layout {
    Layout { width, distances: 24, slots: 1, dense: 0xff, start: 0xff, ..LEAF }
}

/// The layouts of all types, by code.
pub(super) const LAYOUTS: [Layout; 16] = [
    LEAF,
    Layout { distances: 4, payload: 0, behind: 1, ..single(4) },
    single(8),
    Layout { distances: 4, payload: 0, behind: 1, start: 0, late_start: 0xff, ..single(12) },
    single(16),
    sparse(8),
    sparse(12),
    sparse(16),
    sparse(24),
    sparse(40),
    dense(12),
    dense(16),
    dense(24),
    dense(32),
    dense(40),
    dense(64),
];

/// Bytes of a payload with these payload bits: in Partitions.db a hash byte and a position, in Rows.db an offset and
/// perhaps an open deletion.
#[inline]
pub(super) const fn payload_len(part: Part, bits: u8) -> usize {
    let bits = bits as usize;
    match part {
        Part::Rows => (bits & 7) + if bits & 8 == 0 { 0 } else { 12 },
        _ if bits < 8 => bits,
        _ => bits - 6,
    }
}
