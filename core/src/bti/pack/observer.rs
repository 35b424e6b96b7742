//! What a writer does, step by step, for those who listen.

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// Listens to a writer. Every method does nothing by default, and for `()` all of it compiles to nothing.
pub trait PackObserver {
    /// Something that the writer did. `make` is only called by observers that keep steps.
    #[inline]
    fn step(&mut self, _make: impl FnOnce() -> PackStep) {}
}

impl PackObserver for () {}

impl<T: PackObserver> PackObserver for &mut T {
    #[inline]
    fn step(&mut self, make: impl FnOnce() -> PackStep) {
        (**self).step(make);
    }
}

impl PackObserver for Vec<PackStep> {
    fn step(&mut self, make: impl FnOnce() -> PackStep) {
        self.push(make());
    }
}

/// A step of a writer. Sizes and positions are in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PackStep {
    /// The rest of a new key is opened: a node for each edge.
    Push {
        /// Bytes that the key shares with the one before.
        shared: u32,
        /// Its bytes behind them.
        tail: ByteBuf,
        /// Nodes opened.
        nodes: u32,
        /// Where the tail is cut into edges, in bytes of the key: the ends of all but the last. Empty where each byte has
        /// a node of its own.
        cuts: Vec<u32>,
        /// Bytes that the node at its end carries.
        payload: u8,
    },
    /// A node is complete: nothing more comes below it.
    Complete {
        /// The bytes that lead to it from its parent: the first one.
        edge: u8,
        /// How many there are; none for the root.
        edge_bytes: u32,
        /// Bytes of the key down to the node.
        depth: u32,
        /// Its size where it would lie now.
        own: u32,
        /// Of these, bytes of the chain above it, which holds the edge behind its first byte.
        chain: u32,
        /// What is finished below it and not written.
        below: u64,
        /// Its children.
        children: u16,
        /// Those of them that are written already.
        written: u16,
        /// The code of its type.
        kind: u8,
        /// Bytes that it carries.
        payload: u8,
        /// Bytes by which it is larger than the smallest type that would hold it.
        surplus: u16,
        /// Whether type and size are final: nothing below it is written, so they do not depend on where it will lie.
        settled: bool,
        /// Whether all of it fits one page, and so waits for its parent.
        keeps: bool,
    },
    /// What does not fit a page with its node is laid out: all children of the node are written, one after the other.
    LayOut {
        /// The first byte that leads to the node.
        edge: u8,
        /// Bytes of the key down to it.
        depth: u32,
        /// Its size.
        own: u64,
        /// What is finished below it and not written.
        below: u64,
        /// Whether it waited for this: a branch that has outgrown a page since it was estimated.
        grown: bool,
        /// Its children in order, with their sizes; 0 for those written already.
        children: Vec<ChildSize>,
    },
    /// Of the children that wait, the greatest that fits is taken.
    Choose {
        /// Its first byte.
        edge: u8,
        /// Its size as it was estimated.
        size: u64,
        /// Bytes left in the page.
        left: u32,
        /// Children that wait, this one included.
        waiting: u16,
        /// Those of them that fit.
        fitting: u16,
    },
    /// A branch that points at something written is sized anew for its place.
    Recalculate {
        /// Its first byte.
        edge: u8,
        /// The estimate.
        was: u64,
        /// Its size here.
        now: u64,
    },
    /// Zeros to the end of the page.
    Pad {
        /// Where they begin.
        at: u64,
        /// How many.
        bytes: u32,
        /// The least of what waits and does not fit.
        least: u64,
    },
    /// A branch that has outgrown a page will be written node by node.
    TakeApart {
        /// Its first byte; 0 for the root.
        edge: u8,
        /// Its size.
        size: u64,
    },
    /// A branch whose nodes were settled is taken apart: they will be told again, each as a `Node`.
    Melt {
        /// Its nodes.
        nodes: u32,
        /// Of these, those that are larger than the smallest type that would hold them.
        larger: u32,
        /// Bytes by which they are larger.
        surplus: u32,
        /// Bytes of edges in chains.
        links: u32,
        /// Bytes of chains.
        chain: u32,
        /// Nodes with one child and no payload.
        single: u32,
        /// Their bytes without chains.
        single_bytes: u32,
    },
    /// A node that was not settled is written; that of a branch comes before the branch's `Write`.
    Node {
        /// The first byte that leads to it; 0 for the root.
        edge: u8,
        /// Position of its first byte.
        at: u64,
        /// Its size with its chain.
        size: u32,
        /// Of these, bytes of the chain.
        chain: u32,
        /// Bytes of the edge in the chain.
        links: u32,
        /// The code of its type.
        kind: u8,
        /// Its children.
        children: u16,
        /// Bytes that it carries.
        payload: u8,
        /// Bytes by which it is larger than the smallest type that would hold it.
        surplus: u16,
        /// Its greatest distance to a child.
        farthest: u64,
    },
    /// A branch is written, its node last.
    Write {
        /// Its first byte; 0 for the root.
        edge: u8,
        /// Where it begins.
        at: u64,
        /// Its size; with padding between its nodes where it was taken apart.
        size: u64,
        /// Where the parent points.
        entry: u64,
        /// What it is.
        what: Written,
    },
    /// All children of a node are written, and the node alone waits for its parent.
    Alone {
        /// The first byte that leads to it.
        edge: u8,
        /// Bytes of the key down to it.
        depth: u32,
        /// Its size, as it is estimated now.
        own: u64,
    },
}

/// A child of a node that is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildSize {
    /// Its first byte.
    pub edge: u8,
    /// Bytes that are still to be written.
    pub size: u64,
}

/// What a [`PackStep::Write`] has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Written {
    /// A branch, whole and in one page.
    Branch,
    /// A node or a part of a branch that is taken apart.
    Piece,
    /// The last piece of a branch that was taken apart: all pieces have been told.
    Apart,
    /// The root, with what had not been written below it.
    Root,
    /// The same, taken apart: all pieces have been told.
    RootApart,
}

impl Written {
    /// Whether the trie ends with it.
    pub const fn is_root(self) -> bool {
        matches!(self, Self::Root | Self::RootApart)
    }

    /// Whether its bytes have been told in pieces already.
    pub const fn is_sum(self) -> bool {
        matches!(self, Self::Apart | Self::RootApart)
    }
}
