//! Walks over the row trie of a wide partition: the block for a row, forwards and backwards, and all blocks in order.
//! See `docs/format/rows.md`.
//!
//! A row trie maps separators to block starts. A separator sorts after the last row of the block before it and not after
//! the first row of its own; the first one is empty, so the root carries block 0. Inner nodes may carry payloads: a
//! node's own payload sorts before everything below it.

use super::entry::RowEntry;
use super::node::{Child, Node};
use super::partitions::path_too_long;
use super::payload::Block;
use super::steps::{edge, node_step, payload_bytes};
use crate::error::{Error, ReadError};
use crate::limits;
use crate::lookup::{BlockPayload, NodeOutcome, Observer};
use crate::pos::{FilePos, PageNo, len64};
use crate::source::{Pages, Source};
use crate::table::Part;

/// The row trie of one partition.
#[derive(Clone, Copy, Debug)]
pub struct RowIndex {
    root: FilePos,
    end: FilePos,
}

/// Where reading starts for a position among the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Floor {
    /// The block of the greatest separator at or below the position.
    pub block: Block,
    /// Start of the next block, where a node in pages that the walk has touched tells it.
    pub end: Option<u64>,
    /// Whether that separator is the end marker: the position lies after the last block.
    pub after_last: bool,
}

/// Pages of Rows.db that a lookup keeps, so that the end of the block can be looked up without another request.
struct Touched<P> {
    pages: Vec<(PageNo, P)>,
}

/// Most pages that [`Touched`] keeps: real walks touch two or three, chains longer than a page a few more.
const MOST_TOUCHED: usize = 64;

impl<P: std::ops::Deref<Target = [u8]> + Clone> Touched<P> {
    fn open<S: Source<Page = P>, O: Observer>(
        &mut self,
        pages: &mut Pages<'_, S, O>,
        at: FilePos,
    ) -> Result<P, Error> {
        let page = pages.page(at.page())?.clone();
        let known = self.pages.last().is_some_and(|(no, _)| *no == at.page());
        if !known && self.pages.len() < MOST_TOUCHED {
            self.pages.push((at.page(), page.clone()));
        }
        Ok(page)
    }

    /// The first separator at or below a node, if all nodes on the way lie in these pages.
    fn first_below(&self, mut at: FilePos) -> Option<Block> {
        loop {
            let (_, page) = self.pages.iter().find(|(no, _)| *no == at.page())?;
            let node = Node::read(Part::Rows, at, page).ok()?;
            match Block::of(&node).ok()? {
                Some(block) => return Some(block),
                // Children lie before their parents, so this ends.
                None => at = node.first_child().ok()??.at,
            }
        }
    }
}

/// The floor so far: what a later candidate replaces.
enum Candidate {
    /// Payload of a node that was passed.
    Passed(Block),
    /// Everything below a node, which `depth` key bytes lead to.
    Below(FilePos, usize),
}

impl Candidate {
    fn at(&self) -> FilePos {
        match self {
            Self::Passed(block) => block.node,
            Self::Below(at, _) => *at,
        }
    }
}

impl RowIndex {
    /// The row trie that an entry describes.
    pub fn new(entry: &RowEntry) -> Self {
        Self { root: entry.root, end: entry.at }
    }

    /// The block in which reading starts for rows at or after `key`, a clustering in byte-comparable form.
    pub fn floor<S: Source, O: Observer>(
        &self,
        pages: &mut Pages<'_, S, O>,
        key: &[u8],
    ) -> Result<Floor, Error> {
        let mut touched = Touched { pages: Vec::new() };
        let mut candidate: Option<Candidate> = None;
        let mut higher: Option<FilePos> = None;
        let (mut at, mut depth) = (self.root, 0);
        let found = loop {
            let page = touched.open(pages, at)?;
            let node = Node::read(Part::Rows, at, &page)?;
            if depth == 0 {
                self.check_root(&node)?;
            }
            let own = Block::of(&node)?;
            let wanted = key.get(depth).copied();
            let mut smaller = None;
            let mut child = None;
            if let Some(byte) = wanted {
                if own.is_some() {
                    candidate = own.map(Candidate::Passed);
                }
                smaller = node.below(byte.into())?;
                child = node.child(byte)?;
            }
            let greater = node.at_or_above(wanted.map_or(0, |byte| u16::from(byte) + 1))?;
            higher = greater.map(|child| child.at).or(higher);
            if let (Some(byte), Some(at_child)) = (wanted, child) {
                if let Some(smaller) = smaller {
                    candidate = Some(Candidate::Below(smaller.at, depth + 1));
                }
                let child = Child { byte, at: at_child };
                pages
                    .observer()
                    .step(|| node_step(&node, depth, NodeOutcome::Follow(edge(&node, child))));
                (at, depth) = (at_child, depth + 1);
                continue;
            }
            if let (Some(wanted), Some(child)) = (wanted, smaller) {
                pages.observer().step(|| {
                    let edge = edge(&node, child);
                    node_step(&node, depth, NodeOutcome::Floor { wanted, edge })
                });
                break self.last_below(pages, &mut touched, child.at, depth + 1)?;
            }
            if let Some(block) = own {
                pages.observer().step(|| node_step(&node, depth, block_outcome(&node, &block)));
                break block;
            }
            let Some(candidate) = candidate else { return Err(self.no_block_0()) };
            let to = candidate.at();
            pages.observer().step(|| node_step(&node, depth, NodeOutcome::Back { wanted, to }));
            break match candidate {
                Candidate::Passed(block) => block,
                Candidate::Below(at, depth) => self.last_below(pages, &mut touched, at, depth)?,
            };
        };
        let end = higher.and_then(|at| touched.first_below(at)).map(|block| block.offset);
        Ok(Floor { block: found, end, after_last: higher.is_none() })
    }

    /// The block of the smallest separator above `key`: reading up to `key` ends where it starts. `None` after the end
    /// marker.
    pub fn higher<S: Source, O: Observer>(
        &self,
        pages: &mut Pages<'_, S, O>,
        key: &[u8],
    ) -> Result<Option<Block>, Error> {
        let mut candidate = None;
        let (mut at, mut depth) = (self.root, 0);
        loop {
            let page = pages.page(at.page())?.clone();
            let node = Node::read(Part::Rows, at, &page)?;
            if depth == 0 {
                self.check_root(&node)?;
            }
            let byte = key.get(depth).copied();
            let greater = node.at_or_above(byte.map_or(0, |byte| u16::from(byte) + 1))?;
            candidate = greater.map(|child| child.at).or(candidate);
            match byte.map(|byte| node.child(byte)).transpose()?.flatten() {
                Some(child) => (at, depth) = (child, depth + 1),
                None => break,
            }
        }
        match candidate {
            Some(at) => self.first_below(pages, at).map(Some),
            None => Ok(None),
        }
    }

    /// Where reading backwards from `key` starts: the same block as [`Self::floor`], found with the requests of
    /// Cassandra's reverse iterator, which goes back through the nodes of the way down, and which looks for the block
    /// after the next before it returns the next.
    pub fn reverse<S: Source, O: Observer>(
        &self,
        pages: &mut Pages<'_, S, O>,
        key: &[u8],
    ) -> Result<Option<Block>, Error> {
        let mut stack: Vec<(FilePos, u16)> = Vec::new();
        let mut at = self.root;
        let mut bytes = key.iter();
        loop {
            let page = pages.page(at.page())?.clone();
            let node = Node::read(Part::Rows, at, &page)?;
            if stack.is_empty() {
                self.check_root(&node)?;
            }
            let byte = bytes.next().copied();
            stack.push((at, byte.map_or(0, u16::from)));
            match byte.map(|byte| node.child(byte)).transpose()?.flatten() {
                Some(child) => at = child,
                None => break,
            }
        }
        let Some(block) = self.step_back(pages, &mut stack)? else { return Ok(None) };
        self.step_back(pages, &mut stack)?;
        pages.page(block.node.page())?;
        Ok(Some(block))
    }

    /// All separators in order. `pages` must be of Rows.db.
    pub fn blocks<'a, S: Source, O: Observer>(&self, pages: Pages<'a, S, O>) -> Blocks<'a, S, O> {
        let stack = vec![(self.root, Visit::New)];
        Blocks { index: *self, pages, stack, separator: Vec::new(), visited: 0 }
    }

    /// The last separator before those already passed; each stack item holds a node and the transition byte below which
    /// children are still to come.
    fn step_back<S: Source, O: Observer>(
        &self,
        pages: &mut Pages<'_, S, O>,
        stack: &mut Vec<(FilePos, u16)>,
    ) -> Result<Option<Block>, Error> {
        let mut budget = Budget::new(pages.len());
        while let Some((at, limit)) = stack.last().copied() {
            budget.spend(self.root)?;
            let page = pages.page(at.page())?.clone();
            let node = Node::read(Part::Rows, at, &page)?;
            if let Some(child) = node.below(limit)? {
                if let Some(top) = stack.last_mut() {
                    top.1 = child.byte.into();
                }
                push(stack, child.at, ABOVE_ALL)?;
                continue;
            }
            stack.pop();
            if let Some(block) = Block::of(&node)? {
                return Ok(Some(block));
            }
        }
        Ok(None)
    }

    /// The greatest separator at or below a node.
    fn last_below<S: Source, O: Observer>(
        &self,
        pages: &mut Pages<'_, S, O>,
        touched: &mut Touched<S::Page>,
        mut at: FilePos,
        mut depth: usize,
    ) -> Result<Block, Error> {
        loop {
            if len64(depth) >= limits::PATH_NODES {
                return Err(path_too_long(Part::Rows, at));
            }
            let page = touched.open(pages, at)?;
            let node = Node::read(Part::Rows, at, &page)?;
            if let Some(child) = node.last_child()? {
                pages
                    .observer()
                    .step(|| node_step(&node, depth, NodeOutcome::Last(edge(&node, child))));
                (at, depth) = (child.at, depth + 1);
                continue;
            }
            let Some(block) = Block::of(&node)? else { return Err(no_payload(at)) };
            pages.observer().step(|| node_step(&node, depth, block_outcome(&node, &block)));
            return Ok(block);
        }
    }

    /// The smallest separator at or below a node.
    fn first_below<S: Source, O: Observer>(
        &self,
        pages: &mut Pages<'_, S, O>,
        mut at: FilePos,
    ) -> Result<Block, Error> {
        for _ in 0..limits::PATH_NODES {
            let page = pages.page(at.page())?.clone();
            let node = Node::read(Part::Rows, at, &page)?;
            if let Some(block) = Block::of(&node)? {
                return Ok(block);
            }
            let Some(child) = node.first_child()? else { return Err(no_payload(at)) };
            at = child.at;
        }
        Err(path_too_long(Part::Rows, at))
    }

    /// The root is the last node before the entry. A root counted from another place than the end of the key lies two
    /// bytes lower and may still decode.
    fn check_root(&self, root: &Node<'_>) -> Result<(), Error> {
        if root.end() == self.end {
            return Ok(());
        }
        let expected = format!("a node that ends at {}, where the entry starts", self.end);
        let found = format!("one that ends at {}", root.end());
        Err(ReadError::unexpected(Part::Rows, self.root, "root node", expected, found).into())
    }

    #[cold]
    fn no_block_0(&self) -> Error {
        let expected = "a payload for block 0";
        let found = "none; rows below the first separator cannot be reached";
        ReadError::unexpected(Part::Rows, self.root, "payload of the root", expected, found).into()
    }
}

/// The separators of a row trie in order, from [`RowIndex::blocks`]; the last one is the end marker.
///
/// After a miss, [`Blocks::next`] can be called again once the range is here: nothing is lost or repeated.
pub struct Blocks<'a, S: Source, O: Observer> {
    index: RowIndex,
    pages: Pages<'a, S, O>,
    stack: Vec<(FilePos, Visit)>,
    separator: Vec<u8>,
    visited: u64,
}

/// Where a walk over separators stands between two pieces of work.
#[derive(Clone, Debug)]
pub(crate) struct BlocksPlace {
    index: RowIndex,
    stack: Vec<(FilePos, Visit)>,
    separator: Vec<u8>,
    visited: u64,
}

impl BlocksPlace {
    /// Before the first separator.
    pub(crate) fn first(index: RowIndex) -> Self {
        Self { index, stack: vec![(index.root, Visit::New)], separator: Vec::new(), visited: 0 }
    }

    /// Goes on from here. `pages` must be of Rows.db.
    pub(crate) fn resume<'a, S: Source, O: Observer>(
        self,
        pages: Pages<'a, S, O>,
    ) -> Blocks<'a, S, O> {
        let Self { index, stack, separator, visited } = self;
        Blocks { index, pages, stack, separator, visited }
    }
}

/// What is still to come of a node.
#[derive(Clone, Copy, Debug)]
enum Visit {
    /// Its payload and all children.
    New,
    /// Its children from this transition byte on.
    From(u16),
}

impl<S: Source, O: Observer> Blocks<'_, S, O> {
    /// The next block, `None` after the end marker.
    #[expect(clippy::should_implement_trait, reason = "errors come first: `?` on each call")]
    pub fn next(&mut self) -> Result<Option<Block>, Error> {
        let mut budget = Budget { left: self.pages.len().saturating_mul(2), spent: self.visited };
        while let Some((at, visit)) = self.stack.last().copied() {
            let page = self.pages.page(at.page())?.clone();
            let node = Node::read(Part::Rows, at, &page)?;
            budget.spend(self.index.root)?;
            self.visited = budget.spent;
            let from = match visit {
                Visit::New => {
                    if self.stack.len() == 1 {
                        self.index.check_root(&node)?;
                    }
                    let block = Block::of(&node)?;
                    self.set_top(Visit::From(0));
                    if block.is_some() {
                        return Ok(block);
                    }
                    0
                }
                Visit::From(from) => from,
            };
            match node.at_or_above(from)? {
                Some(child) => {
                    self.set_top(Visit::From(u16::from(child.byte) + 1));
                    push(&mut self.stack, child.at, Visit::New)?;
                    self.separator.push(child.byte);
                }
                None => {
                    self.stack.pop();
                    self.separator.pop();
                }
            }
        }
        Ok(None)
    }

    /// The separator of the block that [`Self::next`] returned last: the bytes on the way to its node.
    pub fn separator(&self) -> &[u8] {
        &self.separator
    }

    /// Ends this piece of work.
    pub(crate) fn suspend(self) -> BlocksPlace {
        let Self { index, stack, separator, visited, .. } = self;
        BlocksPlace { index, stack, separator, visited }
    }

    fn set_top(&mut self, visit: Visit) {
        if let Some(top) = self.stack.last_mut() {
            top.1 = visit;
        }
    }
}

/// A trie has no more nodes than bytes, and a walk visits a node once and once more after each child. A damaged one whose
/// branches share nodes could be walked for ever.
struct Budget {
    left: u64,
    spent: u64,
}

impl Budget {
    fn new(file_bytes: u64) -> Self {
        Self { left: file_bytes.saturating_mul(2), spent: 0 }
    }

    fn spend(&mut self, root: FilePos) -> Result<(), Error> {
        self.spent += 1;
        if self.spent <= self.left {
            return Ok(());
        }
        let kind = crate::error::Kind::OverLimit { limit: self.left, found: self.spent };
        Err(ReadError::new(Part::Rows, root, "visits of nodes below the root", kind).into())
    }
}

/// Greatest limit of [`Node::below`]: above every transition byte.
const ABOVE_ALL: u16 = 256;

fn push<T>(stack: &mut Vec<(FilePos, T)>, at: FilePos, visit: T) -> Result<(), Error> {
    if len64(stack.len()) >= limits::PATH_NODES {
        return Err(path_too_long(Part::Rows, at));
    }
    stack.push((at, visit));
    Ok(())
}

fn block_outcome(node: &Node<'_>, block: &Block) -> NodeOutcome {
    let bytes = payload_bytes(node);
    NodeOutcome::Block(BlockPayload { bytes, offset: block.offset, open: block.open })
}

#[cold]
fn no_payload(at: FilePos) -> Error {
    ReadError::unexpected(Part::Rows, at, "node without children", "a payload", "none").into()
}
