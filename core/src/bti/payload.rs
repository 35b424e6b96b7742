//! What the payloads of the two tries say. See `docs/format/trie.md`, "Leaf payload", and `docs/format/rows.md`, "Row trie".

use super::node::Node;
use crate::cursor::Cursor;
use crate::data::Deletion;
use crate::error::{Error, ReadError};
use crate::lookup::LeafTarget;
use crate::pos::{DataPos, FilePos};
use crate::table::Part;

/// A leaf of the partition trie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Position of the leaf.
    pub at: FilePos,
    /// Number of key bytes that lead to it.
    pub depth: u32,
    /// Low byte of the second hash word of the key; `None` where the file stores none (payload bits 1 to 7).
    pub hash: Option<u8>,
    /// The signed position: `~position` in Data.db when negative, else a position in Rows.db.
    pub raw: i64,
}

/// A separator of a row trie: where the block that starts there lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Position of the node that carries it.
    pub node: FilePos,
    /// Start of the block, in bytes from the start of the partition in Data.db. For the end marker, the position of the
    /// partition's last byte.
    pub offset: u64,
    /// Range deletion in force at the start of the block.
    pub open: Option<Deletion>,
}

impl Leaf {
    /// The leaf at `at` of the partition trie; `None` for other nodes, and for a leaf that [`Node::read`] refuses.
    #[inline]
    pub(super) fn read(part: Part, at: FilePos, page: &[u8], depth: usize) -> Option<Self> {
        let node = Node::leaf(part, at, page)?;
        Self::of(&node, depth)
    }

    /// The payload of a node of the partition trie, `depth` bytes below the root; `None` when it has none.
    #[inline]
    pub fn of(node: &Node<'_>, depth: usize) -> Option<Self> {
        let bits = usize::from(node.payload_bits());
        let (hash, raw) = match node.payload() {
            [] => return None,
            [hash, ..] if bits >= 8 => (Some(*hash), node.signed(1, bits - 7)),
            _ => (None, node.signed(0, bits)),
        };
        let depth = u32::try_from(depth).unwrap_or(u32::MAX);
        Some(Self { at: node.at(), depth, hash, raw })
    }

    /// Where it points.
    #[inline]
    pub fn target(&self) -> LeafTarget {
        match u64::try_from(self.raw) {
            Ok(entry) => LeafTarget::Rows(FilePos(entry)),
            Err(_) => LeafTarget::Data(DataPos((!self.raw).cast_unsigned())),
        }
    }
}

impl Block {
    /// The payload of a node of a row trie; `None` when it has none.
    #[inline]
    pub fn of(node: &Node<'_>) -> Result<Option<Self>, Error> {
        let bits = node.payload_bits();
        if bits == 0 {
            return Ok(None);
        }
        let Some((number, marker)) = node.payload().split_at_checked(usize::from(bits & 7)) else {
            return Err(damage(node, "payload bits", "1..=15", bits.into()));
        };
        if number.is_empty() {
            return Err(damage(node, "bytes of the block offset", "1..=7", 0));
        }
        let raw = node.signed(0, number.len());
        let Ok(offset) = u64::try_from(raw) else {
            return Err(damage(node, "block offset", "at least 0", raw.into()));
        };
        let mut open = None;
        if bits & 8 != 0 {
            let start = FilePos(node.payload_at().0.saturating_add(u64::from(bits & 7)));
            open = Some(Deletion::read_open(&mut Cursor::new(node.part(), start, marker))?);
        }
        Ok(Some(Self { node: node.at(), offset, open }))
    }
}

#[cold]
fn damage(node: &Node<'_>, field: &'static str, expected: &'static str, found: i128) -> Error {
    ReadError::out_of_range(node.part(), node.payload_at(), field, expected, found).into()
}
