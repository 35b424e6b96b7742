//! Walks over the partition trie: the exact lookup, and the partitions in order from anywhere.
//! See `docs/format/trie.md`.

use super::footer::Footer;
use super::node::{Child, Node};
use super::payload::Leaf;
use super::steps::{edge, node_step};
use crate::error::{Error, ReadError};
use crate::limits;
use crate::lookup::{LeafPayload, NodeOutcome, Observer, Step};
use crate::pos::FilePos;
use crate::source::{Pages, Source};
use crate::table::Part;
use serde_bytes::ByteBuf;

/// The trie in Partitions.db.
#[derive(Clone, Copy, Debug)]
pub struct PartitionIndex {
    root: FilePos,
    end: FilePos,
}

/// How the walk for one key ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exact {
    /// A node has no child for the key's byte, or the key ends inside the trie: the key is absent.
    DeadEnd,
    /// A leaf with another hash byte: the key is absent.
    OtherHash(Leaf),
    /// A leaf whose hash byte is equal, or that has none. The key at its target must still be compared.
    Candidate(Leaf),
}

impl PartitionIndex {
    /// The trie that a footer describes.
    pub fn new(footer: &Footer) -> Self {
        Self { root: footer.root, end: footer.keys_at }
    }

    /// Looks up one key: `key` is its byte-comparable form, `hash` the low byte of its second hash word.
    #[inline]
    pub fn exact<S: Source, O: Observer>(
        &self,
        pages: &mut Pages<'_, S, O>,
        key: &[u8],
        hash: u8,
    ) -> Result<Exact, Error> {
        let part = Part::Partitions;
        let (mut at, mut depth) = (self.root, 0);
        // One round for each page, an inner one for each node in it: a turn is rarer than a step.
        loop {
            let no = at.page();
            let page = pages.page(no)?.clone();
            if depth == 0 {
                self.check_root(&Node::view(part, at, &page))?;
            }
            while at.page() == no {
                if let Some(leaf) = Leaf::read(part, at, &page, depth) {
                    pages.observer().step(|| leaf_step(&Node::view(part, at, &page), &leaf, hash));
                    return Ok(match leaf.hash {
                        Some(found) if found != hash => Exact::OtherHash(leaf),
                        _ => Exact::Candidate(leaf),
                    });
                }
                let byte = key.get(depth).copied();
                let child = match byte.and_then(|byte| Node::step(at, &page, byte)) {
                    Some(child) => Some(child),
                    None => look_closer(at, &page, byte)?,
                };
                let (Some(byte), Some(child)) = (byte, child) else {
                    pages.observer().step(|| dead_end(&Node::view(part, at, &page), depth, byte));
                    return Ok(Exact::DeadEnd);
                };
                pages.observer().step(|| {
                    let node = Node::view(part, at, &page);
                    let edge = edge(&node, Child { byte, at: child });
                    node_step(&node, depth, NodeOutcome::Follow(edge))
                });
                at = child;
                depth += 1;
            }
        }
    }

    /// All partitions in order. `pages` must be of Partitions.db.
    pub fn leaves<'a, S: Source, O: Observer>(&self, pages: Pages<'a, S, O>) -> Leaves<'a, S, O> {
        Leaves { index: *self, pages, stack: vec![(self.root, 0)], uncertain: false, visited: 0 }
    }

    /// The partitions at or after a position among the keys, `key` in byte-comparable form.
    ///
    /// Leaves hold prefixes only: the first partition may sort before `key` and is then marked as uncertain
    /// ([`Found::certain`]). Its key must be read and compared; all later ones certainly sort after `key`.
    pub fn leaves_from<'a, S: Source, O: Observer>(
        &self,
        pages: Pages<'a, S, O>,
        key: &[u8],
    ) -> Result<Leaves<'a, S, O>, Error> {
        let mut leaves = self.leaves(pages);
        leaves.seek(key)?;
        Ok(leaves)
    }

    /// The root is the last node before the keys; anything else is no trie.
    #[inline]
    fn check_root(&self, root: &Node<'_>) -> Result<(), Error> {
        let end = root.end();
        if end == self.end { Ok(()) } else { Err(bad_root(self.root, self.end, end)) }
    }
}

/// Where a walk over the leaves stands between two pieces of work.
#[derive(Clone, Debug)]
pub(crate) struct LeavesPlace {
    index: PartitionIndex,
    stack: Vec<(FilePos, u16)>,
    uncertain: bool,
    visited: u64,
}

impl LeavesPlace {
    /// Before the first leaf.
    pub(crate) fn first(index: PartitionIndex) -> Self {
        Self { index, stack: vec![(index.root, 0)], uncertain: false, visited: 0 }
    }

    /// Goes on from here. `pages` must be of Partitions.db.
    pub(crate) fn resume<'a, S: Source, O: Observer>(
        self,
        pages: Pages<'a, S, O>,
    ) -> Leaves<'a, S, O> {
        let Self { index, stack, uncertain, visited } = self;
        Leaves { index, pages, stack, uncertain, visited }
    }
}

/// A partition found by [`Leaves`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its leaf.
    pub leaf: Leaf,
    /// Whether it certainly sorts at or after the position from which the walk started.
    pub certain: bool,
}

/// The partitions in order, from [`PartitionIndex::leaves`] or [`PartitionIndex::leaves_from`].
///
/// After a miss, [`Leaves::next`] can be called again once the range is here: nothing is lost or repeated.
pub struct Leaves<'a, S: Source, O: Observer> {
    index: PartitionIndex,
    pages: Pages<'a, S, O>,
    /// Nodes on the way, each with the least transition byte that is still to come (256: none).
    stack: Vec<(FilePos, u16)>,
    /// Whether the leaf on the stack was reached by following the key.
    uncertain: bool,
    visited: u64,
}

impl<S: Source, O: Observer> Leaves<'_, S, O> {
    /// The next partition, `None` after the last one.
    #[expect(clippy::should_implement_trait, reason = "errors come first: `?` on each call")]
    pub fn next(&mut self) -> Result<Option<Found>, Error> {
        while let Some((at, from)) = self.stack.last().copied() {
            let page = self.pages.page(at.page())?.clone();
            let node = Node::read(Part::Partitions, at, &page)?;
            if at == self.index.root {
                self.index.check_root(&node)?;
            }
            self.spend()?;
            let depth = self.stack.len() - 1;
            if node.is_leaf() {
                self.stack.pop();
                let certain = !std::mem::take(&mut self.uncertain);
                if let Some(leaf) = Leaf::of(&node, depth) {
                    return Ok(Some(Found { leaf, certain }));
                }
                continue;
            }
            match node.at_or_above(from)? {
                Some(child) => self.push(child, u16::from(child.byte) + 1)?,
                None => {
                    self.stack.pop();
                }
            }
        }
        Ok(None)
    }

    /// The bytes that lead to the leaf that [`Self::next`] has just returned: what the trie stores of its key.
    pub fn prefix(&self) -> Vec<u8> {
        let mut prefix = Vec::new();
        self.prefix_into(&mut prefix);
        prefix
    }

    /// Appends [`Self::prefix`].
    pub(crate) fn prefix_into(&self, out: &mut Vec<u8>) {
        let taken = self.stack.iter().map(|(_, next)| next.saturating_sub(1).to_le_bytes());
        out.extend(taken.map(|[byte, _]| byte));
    }

    /// Ends this piece of work.
    pub(crate) fn suspend(self) -> LeavesPlace {
        let Self { index, stack, uncertain, visited, .. } = self;
        LeavesPlace { index, stack, uncertain, visited }
    }

    fn seek(&mut self, key: &[u8]) -> Result<(), Error> {
        for byte in key {
            let Some((at, _)) = self.stack.last().copied() else { return Ok(()) };
            let page = self.pages.page(at.page())?.clone();
            let node = Node::read(Part::Partitions, at, &page)?;
            if at == self.index.root {
                self.index.check_root(&node)?;
            }
            if node.is_leaf() {
                self.uncertain = true;
                return Ok(());
            }
            let next = u16::from(*byte) + 1;
            match node.child(*byte)? {
                Some(at) => self.push(Child { byte: *byte, at }, next)?,
                None => {
                    if let Some(top) = self.stack.last_mut() {
                        top.1 = next;
                    }
                    return Ok(());
                }
            }
        }
        // The key ends: everything below has it as a prefix, so it sorts at or after it.
        Ok(())
    }

    /// Remembers what follows the child in its parent, and goes down.
    fn push(&mut self, child: Child, next: u16) -> Result<(), Error> {
        if let Some(top) = self.stack.last_mut() {
            top.1 = next;
        }
        if crate::pos::len64(self.stack.len()) >= limits::PATH_NODES {
            return Err(path_too_long(Part::Partitions, child.at));
        }
        self.stack.push((child.at, 0));
        Ok(())
    }

    /// A trie has no more nodes than bytes, and a node is visited once and once more after each child. A damaged one
    /// whose branches share nodes could be walked for ever.
    fn spend(&mut self) -> Result<(), Error> {
        self.visited += 1;
        let limit = self.pages.len().saturating_mul(2);
        if self.visited <= limit {
            return Ok(());
        }
        let kind = crate::error::Kind::OverLimit { limit, found: self.visited };
        let at = self.index.root;
        Err(ReadError::new(Part::Partitions, at, "visits of nodes below the root", kind).into())
    }
}

/// The child where [`Node::step`] has none: mostly there is none.
#[cold]
fn look_closer(at: FilePos, page: &[u8], byte: Option<u8>) -> Result<Option<FilePos>, Error> {
    let node = Node::read(Part::Partitions, at, page)?;
    byte.map_or(Ok(None), |byte| node.child(byte))
}

fn dead_end(node: &Node<'_>, depth: usize, byte: Option<u8>) -> Step {
    let outcome = match byte {
        None => NodeOutcome::KeyEnds,
        Some(byte) => NodeOutcome::NoTransition {
            byte,
            below: node.transitions().take_while(|other| *other < byte).last(),
            above: node.transitions().find(|other| *other > byte),
        },
    };
    node_step(node, depth, outcome)
}

fn leaf_step(node: &Node<'_>, leaf: &Leaf, hash: u8) -> Step {
    let payload = LeafPayload {
        bytes: ByteBuf::from(node.payload()),
        hash: leaf.hash,
        expected_hash: hash,
        target: leaf.target(),
    };
    let depth = usize::try_from(leaf.depth).unwrap_or(usize::MAX);
    node_step(node, depth, NodeOutcome::Leaf(payload))
}

#[cold]
fn bad_root(root: FilePos, keys_at: FilePos, end: FilePos) -> Error {
    let expected = format!("a node that ends at {keys_at}, where the keys start");
    let found = format!("one that ends at {end}");
    ReadError::unexpected(Part::Partitions, root, "root node", expected, found).into()
}

#[cold]
pub(super) fn path_too_long(part: Part, at: FilePos) -> Error {
    let kind =
        crate::error::Kind::OverLimit { limit: limits::PATH_NODES, found: limits::PATH_NODES + 1 };
    ReadError::new(part, at, "nodes on one path", kind).into()
}
