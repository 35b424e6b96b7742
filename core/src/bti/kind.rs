//! Node types of the trie, from the high nibble of a node's first byte. See `docs/format/trie.md`.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Type of a trie node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum NodeKind {
    /// 0: no children, a payload.
    PayloadOnly = 0,
    /// 1: one child, distance of 4 bits, no payload.
    SingleNoPayload4 = 1,
    /// 2: one child, distance of 8 bits.
    Single8 = 2,
    /// 3: one child, distance of 12 bits, no payload.
    SingleNoPayload12 = 3,
    /// 4: one child, distance of 16 bits.
    Single16 = 4,
    /// 5: transition bytes listed, distances of 8 bits.
    Sparse8 = 5,
    /// 6: transition bytes listed, distances of 12 bits, packed.
    Sparse12 = 6,
    /// 7: transition bytes listed, distances of 16 bits.
    Sparse16 = 7,
    /// 8: transition bytes listed, distances of 24 bits.
    Sparse24 = 8,
    /// 9: transition bytes listed, distances of 40 bits.
    Sparse40 = 9,
    /// 10: a slot for each byte of a range, distances of 12 bits, packed.
    Dense12 = 10,
    /// 11: a slot for each byte of a range, distances of 16 bits.
    Dense16 = 11,
    /// 12: a slot for each byte of a range, distances of 24 bits.
    Dense24 = 12,
    /// 13: a slot for each byte of a range, distances of 32 bits.
    Dense32 = 13,
    /// 14: a slot for each byte of a range, distances of 40 bits.
    Dense40 = 14,
    /// 15: a slot for each byte of a range, distances of 64 bits.
    LongDense = 15,
}

/// Types that are drawn alike: the more children, the more ink.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Family {
    /// PAYLOAD_ONLY.
    Leaf,
    /// SINGLE_*.
    Single,
    /// SPARSE_*.
    Sparse,
    /// DENSE_*.
    Dense,
    /// LONG_DENSE.
    Long,
}

impl NodeKind {
    /// All types, by code.
    pub const ALL: [Self; 16] = [
        Self::PayloadOnly,
        Self::SingleNoPayload4,
        Self::Single8,
        Self::SingleNoPayload12,
        Self::Single16,
        Self::Sparse8,
        Self::Sparse12,
        Self::Sparse16,
        Self::Sparse24,
        Self::Sparse40,
        Self::Dense12,
        Self::Dense16,
        Self::Dense24,
        Self::Dense32,
        Self::Dense40,
        Self::LongDense,
    ];

    /// The type in a node's first byte.
    #[inline]
    pub const fn of(first: u8) -> Self {
        match first >> 4 {
            0 => Self::PayloadOnly,
            1 => Self::SingleNoPayload4,
            2 => Self::Single8,
            3 => Self::SingleNoPayload12,
            4 => Self::Single16,
            5 => Self::Sparse8,
            6 => Self::Sparse12,
            7 => Self::Sparse16,
            8 => Self::Sparse24,
            9 => Self::Sparse40,
            10 => Self::Dense12,
            11 => Self::Dense16,
            12 => Self::Dense24,
            13 => Self::Dense32,
            14 => Self::Dense40,
            _ => Self::LongDense,
        }
    }

    /// The name that both databases use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PayloadOnly => "PAYLOAD_ONLY",
            Self::SingleNoPayload4 => "SINGLE_NOPAYLOAD_4",
            Self::Single8 => "SINGLE_8",
            Self::SingleNoPayload12 => "SINGLE_NOPAYLOAD_12",
            Self::Single16 => "SINGLE_16",
            Self::Sparse8 => "SPARSE_8",
            Self::Sparse12 => "SPARSE_12",
            Self::Sparse16 => "SPARSE_16",
            Self::Sparse24 => "SPARSE_24",
            Self::Sparse40 => "SPARSE_40",
            Self::Dense12 => "DENSE_12",
            Self::Dense16 => "DENSE_16",
            Self::Dense24 => "DENSE_24",
            Self::Dense32 => "DENSE_32",
            Self::Dense40 => "DENSE_40",
            Self::LongDense => "LONG_DENSE",
        }
    }

    /// Bits of each distance; a type without children has none.
    pub const fn distance_bits(self) -> u32 {
        match self {
            Self::PayloadOnly => 0,
            Self::SingleNoPayload4 => 4,
            Self::Single8 | Self::Sparse8 => 8,
            Self::SingleNoPayload12 | Self::Sparse12 | Self::Dense12 => 12,
            Self::Single16 | Self::Sparse16 | Self::Dense16 => 16,
            Self::Sparse24 | Self::Dense24 => 24,
            Self::Dense32 => 32,
            Self::Sparse40 | Self::Dense40 => 40,
            Self::LongDense => 64,
        }
    }

    /// Types that are drawn alike.
    pub const fn family(self) -> Family {
        match self {
            Self::PayloadOnly => Family::Leaf,
            Self::SingleNoPayload4 | Self::Single8 | Self::SingleNoPayload12 | Self::Single16 => {
                Family::Single
            }
            Self::Sparse8 | Self::Sparse12 | Self::Sparse16 | Self::Sparse24 | Self::Sparse40 => {
                Family::Sparse
            }
            Self::Dense12 | Self::Dense16 | Self::Dense24 | Self::Dense32 | Self::Dense40 => {
                Family::Dense
            }
            Self::LongDense => Family::Long,
        }
    }
}

impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
