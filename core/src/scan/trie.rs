//! The leaves of the partition trie in order, forwards or backwards.

use super::Order;
use crate::bti::{Child, Footer, Leaf, Node};
use crate::error::{Error, Kind, ReadError};
use crate::limits;
use crate::pos::{FilePos, len64};
use crate::source::Source;
use crate::table::Part;

/// Above every transition byte.
const ABOVE_ALL: u16 = 256;

/// A walk over the leaves. It stands at a leaf until that is taken, so that whoever reads its key may miss and ask again.
pub(crate) struct LeafWalk {
    root: FilePos,
    keys_at: FilePos,
    order: Order,
    /// What is still to be followed of the place to start at; `None` when the walk stands.
    seek: Option<Vec<u8>>,
    /// Nodes on the way. Forwards each has the least transition byte that is still to come; backwards the byte below
    /// which children are still to come.
    stack: Vec<(FilePos, u16)>,
    /// Whether the leaf on the stack was reached by following the place.
    uncertain: bool,
    visited: u64,
    here: Option<FoundLeaf>,
}

/// A leaf with the bytes that lead to it.
pub(crate) struct FoundLeaf {
    pub(crate) leaf: Leaf,
    pub(super) prefix: Vec<u8>,
    /// Whether it certainly lies on the wanted side of the place.
    pub(super) certain: bool,
}

impl LeafWalk {
    pub(crate) fn new(footer: &Footer, order: Order, seek: Option<Vec<u8>>) -> Self {
        Self {
            root: footer.root,
            keys_at: footer.keys_at,
            order,
            seek,
            stack: vec![(footer.root, first_turn(order))],
            uncertain: false,
            visited: 0,
            here: None,
        }
    }

    /// The leaf that the walk stands at, after going on to the next one where the last was taken.
    pub(crate) fn peek<S: Source>(&mut self, source: &S) -> Result<Option<&FoundLeaf>, Error> {
        if let Some(key) = self.seek.clone() {
            self.seek(source, &key)?;
            self.seek = None;
        }
        if self.here.is_none() {
            self.here = self.next(source)?;
        }
        Ok(self.here.as_ref())
    }

    /// Goes on from the leaf that the walk stands at.
    pub(crate) fn take(&mut self) {
        self.here = None;
    }

    fn next<S: Source>(&mut self, source: &S) -> Result<Option<FoundLeaf>, Error> {
        while let Some((at, turn)) = self.stack.last().copied() {
            let page = source.page(at.page())?;
            let node = self.node(at, &page)?;
            self.spend(source.len())?;
            if node.is_leaf() {
                self.stack.pop();
                let certain = !std::mem::take(&mut self.uncertain);
                if let Some(leaf) = Leaf::of(&node, self.stack.len()) {
                    return Ok(Some(FoundLeaf { leaf, prefix: self.prefix(), certain }));
                }
                continue;
            }
            let child = match self.order {
                Order::Forward => node.at_or_above(turn)?,
                Order::Reverse => node.below(turn)?,
            };
            match child {
                Some(child) => self.push(child)?,
                None => {
                    self.stack.pop();
                }
            }
        }
        Ok(None)
    }

    /// Follows the place as far as there are nodes. Run again from the root after a miss.
    fn seek<S: Source>(&mut self, source: &S, key: &[u8]) -> Result<(), Error> {
        self.stack = vec![(self.root, first_turn(self.order))];
        for byte in key {
            let Some((at, _)) = self.stack.last().copied() else { return Ok(()) };
            let page = source.page(at.page())?;
            let node = self.node(at, &page)?;
            if node.is_leaf() {
                self.uncertain = true;
                return Ok(());
            }
            match node.child(*byte)? {
                Some(at) => self.push(Child { byte: *byte, at })?,
                None => {
                    if let Some(top) = self.stack.last_mut() {
                        top.1 = self.order.after(*byte);
                    }
                    return Ok(());
                }
            }
        }
        // The place ends at a node: what lies below has it as a prefix and sorts after it.
        let Some((at, _)) = self.stack.last().copied() else { return Ok(()) };
        let page = source.page(at.page())?;
        if self.node(at, &page)?.is_leaf() {
            self.uncertain = true;
        } else if self.order == Order::Reverse {
            self.stack.pop();
        }
        Ok(())
    }

    /// The bytes that lead to the node that was taken from the stack last.
    fn prefix(&self) -> Vec<u8> {
        let taken = self.stack.iter().map(|(_, turn)| match self.order {
            Order::Forward => turn.saturating_sub(1).to_le_bytes(),
            Order::Reverse => turn.to_le_bytes(),
        });
        taken.map(|[byte, _]| byte).collect()
    }

    fn node<'p>(&self, at: FilePos, page: &'p [u8]) -> Result<Node<'p>, Error> {
        let node = Node::read(Part::Partitions, at, page)?;
        if at == self.root && node.end() != self.keys_at {
            let expected = format!("a node that ends at {}, where the keys start", self.keys_at);
            let found = format!("one that ends at {}", node.end());
            return Err(
                ReadError::unexpected(Part::Partitions, at, "root node", expected, found).into()
            );
        }
        Ok(node)
    }

    /// Remembers what follows the child in its parent, and goes down.
    fn push(&mut self, child: Child) -> Result<(), Error> {
        if let Some(top) = self.stack.last_mut() {
            top.1 = self.order.after(child.byte);
        }
        if len64(self.stack.len()) >= limits::PATH_NODES {
            let found = limits::PATH_NODES + 1;
            let kind = Kind::OverLimit { limit: limits::PATH_NODES, found };
            return Err(
                ReadError::new(Part::Partitions, child.at, "nodes on one path", kind).into()
            );
        }
        self.stack.push((child.at, first_turn(self.order)));
        Ok(())
    }

    /// A trie has no more nodes than bytes, and a node is visited once and once more after each child. A damaged one
    /// whose branches share nodes could be walked for ever.
    fn spend(&mut self, bytes: u64) -> Result<(), Error> {
        self.visited += 1;
        let limit = bytes.saturating_mul(2);
        if self.visited <= limit {
            return Ok(());
        }
        let kind = Kind::OverLimit { limit, found: self.visited };
        let field = "visits of nodes below the root";
        Err(ReadError::new(Part::Partitions, self.root, field, kind).into())
    }
}

impl Order {
    /// What is remembered at a node whose child of this byte was followed.
    fn after(self, byte: u8) -> u16 {
        match self {
            Self::Forward => u16::from(byte) + 1,
            Self::Reverse => byte.into(),
        }
    }
}

const fn first_turn(order: Order) -> u16 {
    match order {
        Order::Forward => 0,
        Order::Reverse => ABOVE_ALL,
    }
}
