//! Steps of the trie index: nodes of both tries, and the entries of wide partitions.

use super::NodeKind;
use crate::data::Deletion;
use crate::pos::{DataPos, FilePos};
use crate::table::Part;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// A trie node was entered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeStep {
    /// Partitions or Rows.
    pub part: Part,
    /// Position of its first byte.
    pub at: FilePos,
    /// Type, from the high nibble of the first byte.
    pub kind: NodeKind,
    /// Bytes of the node with its payload.
    pub size: u32,
    /// Low nibble of the first byte where that holds payload bits, else 0.
    pub payload_bits: u8,
    /// Edges from the root: the index of the key byte that is compared here.
    pub depth: u32,
    /// Transition bytes that have a child, ascending.
    pub children: ByteBuf,
    /// What was done.
    pub outcome: NodeOutcome,
}

/// What was done at a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeOutcome {
    /// The key's byte has a child, which is followed. In a row trie the node's own payload, and what lies below the
    /// next smaller child, become the candidate for the floor.
    Follow(Edge),
    /// The key's byte has no child: in the partition trie the key is absent.
    NoTransition {
        /// The key's byte.
        byte: u8,
        /// Nearest smaller transition byte.
        below: Option<u8>,
        /// Nearest greater transition byte.
        above: Option<u8>,
    },
    /// The key ends at a node with children: it is absent.
    KeyEnds,
    /// A leaf of the partition trie.
    Leaf(LeafPayload),
    /// Row trie: the key's byte has no child; the floor lies below the greatest smaller one, which is followed.
    Floor {
        /// The key's byte.
        wanted: u8,
        /// The child that is followed instead.
        edge: Edge,
    },
    /// Row trie, on the way to a floor: the greatest child is followed.
    Last(Edge),
    /// Row trie: this node's own payload is the floor.
    Block(BlockPayload),
    /// Row trie: neither payload nor smaller child here; the walk goes back to the last candidate, named here.
    Back {
        /// Key byte that had no child, if the key had one left.
        wanted: Option<u8>,
        /// Position of the node with the candidate.
        to: FilePos,
    },
}

/// A transition that was followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// Transition byte.
    pub byte: u8,
    /// Index of the child among [`NodeStep::children`], from 0.
    pub child: u32,
    /// Bytes from the child's position to the node's: children lie before their parents.
    pub distance: u64,
    /// Position of the child.
    pub to: FilePos,
}

/// Payload of a leaf of the partition trie.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeafPayload {
    /// The payload bytes.
    pub bytes: ByteBuf,
    /// Hash byte in the leaf; files without one (payload bits 1 to 7) have none.
    pub hash: Option<u8>,
    /// Low byte of the searched key's second hash word.
    pub expected_hash: u8,
    /// Where the leaf points.
    pub target: LeafTarget,
}

impl LeafPayload {
    /// Whether the lookup goes on: the hash byte is equal, or there is none.
    pub fn hash_matches(&self) -> bool {
        self.hash.is_none_or(|hash| hash == self.expected_hash)
    }
}

/// Where a leaf of the partition trie points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LeafTarget {
    /// The partition in Data.db: a negative payload `~position`.
    Data(DataPos),
    /// The partition's entry in Rows.db.
    Rows(FilePos),
}

/// Payload of a node of a row trie.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockPayload {
    /// The payload bytes.
    pub bytes: ByteBuf,
    /// Block start, from the start of the partition in Data.db.
    pub offset: u64,
    /// Range deletion in force at the block's start.
    pub open: Option<Deletion>,
}

/// The entry of a wide partition in Rows.db.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowEntryStep {
    /// Position of the entry's first byte, the key length.
    pub at: FilePos,
    /// Bytes of the entry.
    pub size: u32,
    /// The partition key stored there.
    pub key: ByteBuf,
    /// Whether it is the searched key.
    pub equal: bool,
    /// Position of the partition in Data.db.
    pub data: DataPos,
    /// Position after the key, from which the root is counted.
    pub base: FilePos,
    /// Root of the row trie.
    pub root: FilePos,
    /// Number of row blocks.
    pub blocks: u64,
    /// Deletion of the whole partition.
    pub deletion: Option<Deletion>,
}
