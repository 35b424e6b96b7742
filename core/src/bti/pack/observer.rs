//! What a writer does, step by step, for those who listen.

use serde::{Deserialize, Serialize};

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
        /// Its length.
        depth: u32,
        /// Nodes opened.
        nodes: u32,
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
        /// What is finished below it and not written.
        below: u64,
        /// Its children.
        children: u16,
        /// Those of them that are written already.
        written: u16,
        /// Whether all of it fits one page, and so waits for its parent.
        keeps: bool,
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
    /// A branch is written, its node last.
    Write {
        /// Its first byte; 0 for the root.
        edge: u8,
        /// Where it begins.
        at: u64,
        /// Its size.
        size: u64,
        /// Where the parent points.
        entry: u64,
        /// Whether it is the root.
        is_root: bool,
    },
}
