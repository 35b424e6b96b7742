//! What hangs below a node that is still open: branches that are finished but not written, and what is written.

use super::flavour::Flavour;
use super::payload::Payload;
use super::shape::{Shape, chain_bytes, entry_bytes};
use crate::pos::len64;

/// A child of an open node.
#[derive(Clone, Debug)]
pub(super) struct Child {
    /// Transition byte.
    pub edge: u8,
    pub state: State,
}

/// Where a child is.
#[derive(Clone, Debug)]
pub(super) enum State {
    /// Finished, and nothing below it is written: its bytes no longer depend on where they will lie, so they wait as
    /// bytes.
    Solid {
        /// Bytes of the branch with its node.
        total: u16,
        /// From the node that the parent points at to the end of the branch.
        entry: u16,
    },
    /// Finished, but something below it is written already: its bytes depend on where they will lie.
    Soft(Box<Soft>),
    /// Written.
    Written {
        /// Position of the node that the parent points at.
        at: u64,
    },
}

/// A branch whose pointers lead to what is written already.
#[derive(Clone, Debug)]
pub(super) struct Soft {
    pub children: Vec<Child>,
    pub payload: Payload,
    /// Bytes of the edge behind the transition byte: written as a chain above the node.
    pub links: Vec<u8>,
    /// Bytes of what is below and not written yet.
    pub below: u64,
    /// Bytes of the node with its chain.
    pub size: u64,
    /// A child is written already.
    pub has_written_child: bool,
    /// That holds for a node below which is not written.
    pub has_written_below: bool,
    /// Bytes of it that wait among the solid ones.
    pub waiting: usize,
}

impl Child {
    /// Bytes that are still to be written.
    #[inline]
    pub fn total(&self) -> u64 {
        match &self.state {
            State::Solid { total, .. } => u64::from(*total),
            State::Soft(soft) => soft.below + soft.size,
            State::Written { .. } => 0,
        }
    }

    /// From the node that the parent points at to the end of the branch, once it is written.
    #[inline]
    pub fn entry(&self) -> u64 {
        match &self.state {
            State::Solid { entry, .. } => u64::from(*entry),
            State::Soft(soft) => entry_bytes(soft.links.len(), soft.body()),
            State::Written { .. } => 0,
        }
    }

    /// Where it is, once it is written.
    #[inline]
    pub fn written_at(&self) -> Option<u64> {
        match &self.state {
            State::Written { at } => Some(*at),
            _ => None,
        }
    }

    /// Bytes of it that wait among the solid ones.
    #[inline]
    pub fn waiting(&self) -> usize {
        match &self.state {
            State::Solid { total, .. } => usize::from(*total),
            State::Soft(soft) => soft.waiting,
            State::Written { .. } => 0,
        }
    }

    /// Bytes of memory behind it, about.
    pub fn held_bytes(&self) -> usize {
        match &self.state {
            State::Soft(soft) => {
                let children = soft.children.iter().map(Self::held_bytes).sum::<usize>();
                let own = size_of::<Soft>() + soft.links.len();
                own + children + soft.children.len() * size_of::<Self>()
            }
            _ => 0,
        }
    }

    /// The size it has if it is written at `at`.
    pub fn recalculate(&mut self, flavour: Flavour, at: u64) -> u64 {
        if let State::Soft(soft) = &mut self.state {
            soft.recalculate(flavour, at);
        }
        self.total()
    }
}

impl Soft {
    /// Bytes of the node without its chain.
    pub fn body(&self) -> u64 {
        let links = self.links.len();
        let chain = len64(links) * 2;
        // A chain has one byte more above a body of 16 bytes or more.
        match self.size.saturating_sub(chain) {
            body if links > 0 && body > 16 => body - 1,
            body => body,
        }
    }

    /// Sizes it for the position at which its branch would begin.
    pub fn recalculate(&mut self, flavour: Flavour, at: u64) {
        if self.has_written_below {
            let mut below = 0;
            for child in &mut self.children {
                below += child.recalculate(flavour, at + below);
            }
            self.below = below;
        }
        if self.has_written_child || self.has_written_below {
            self.size = self.size_at(flavour, at + self.below);
        }
    }

    /// Bytes of the node with its chain if its first byte lies at `at`.
    pub fn size_at(&self, flavour: Flavour, at: u64) -> u64 {
        let shape = Shape::of(flavour, &self.children, self.payload.bits() != 0, at);
        let body = shape.head + len64(self.payload.bytes().len());
        body + chain_bytes(self.links.len(), body)
    }
}
