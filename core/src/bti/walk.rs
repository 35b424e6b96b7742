//! Every node of a trie once, depth first in key order: what the checks and the census are made of.
//!
//! The walk itself sees to what keeps it safe on damaged files: a node lies in one page, a child before its parent, and
//! no byte belongs to two nodes, so that it visits no more nodes than the file has bytes.

use super::cover::{Claim, Coverage};
use super::node::Node;
use crate::error::{Error, Miss, ReadError};
use crate::limits;
use crate::pos::{FilePos, PAGE_SIZE, len64};
use crate::source::Source;
use crate::table::Part;

/// Bytes that the walk announces to the source at once, from a multiple of it on.
const AHEAD: u64 = 128 << 10;

/// Whoever looks at the nodes.
pub(super) trait Visitor {
    /// A node without children.
    fn leaf(&mut self, node: &Node<'_>, place: Place) -> Flow;
    /// A node with children, before them.
    fn inner(&mut self, node: &Node<'_>, place: Place);
    /// The same after them.
    fn leave(&mut self, _left: Below) {}
    /// Something that ends the walk of a branch; `path` leads to it.
    fn fault(&mut self, fault: Fault);
}

/// Whether to go on at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// Go on.
    On,
    /// End this step.
    Pause,
}

/// Where a node lies in its trie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Transition bytes on the way.
    pub depth: usize,
    /// Pages on the way.
    pub pages: u32,
    /// Whether its parent lies in another page.
    pub turned: bool,
    /// Slots of its parent; 0 for the root.
    pub siblings: usize,
}

/// A node with everything below it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Below {
    /// Its position.
    pub at: FilePos,
    /// The lowest position of a node in it.
    pub low: FilePos,
    /// Bytes of its nodes.
    pub bytes: u64,
}

/// Why a branch is not walked.
#[derive(Debug)]
pub(super) enum Fault {
    /// Its page cannot be read.
    Page(ReadError),
    /// Its first node is none.
    Node { at: FilePos, error: ReadError },
    /// It would not lie before its parent, or outside of the bytes that belong to the trie.
    Child { parent: FilePos, byte: u8, distance: u64, most: u64 },
    /// Its first node has bytes of another node. `first`: nothing was said of this page yet.
    Overlap { at: FilePos, size: usize, first: bool },
    /// A limit of this program.
    Limit { at: FilePos, field: &'static str, limit: u64 },
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// The budget is spent.
    Spent,
    /// The visitor wants to look at something else first.
    Paused,
    /// All nodes have been visited.
    Done,
}

#[derive(Clone, Copy)]
struct Frame {
    at: u64,
    low: u64,
    bytes: u64,
    next: u16,
    pages: u32,
    /// Transition byte that leads to it.
    byte: u8,
}

/// A walk over one trie after the other in a file.
pub(super) struct Walk {
    part: Part,
    /// The root, until it has been visited.
    root: Option<FilePos>,
    /// Start of the bytes that belong to the trie.
    floor: u64,
    stack: Vec<Frame>,
    /// Transition byte that leads to the node visited last.
    byte: u8,
    /// Stretches that were announced to the source, the last ones.
    announced: [u64; 4],
    /// What belongs to the nodes so far.
    pub cover: Coverage,
}

/// What became of a child.
enum Entered {
    Leaf(Flow, usize),
    Inner,
    Not,
}

impl Walk {
    /// A walk in `part`, of which the first `limit` bytes belong to tries.
    pub fn new(part: Part, limit: FilePos) -> Self {
        let cover = Coverage::new(limit);
        let announced = [u64::MAX; 4];
        Self { part, root: None, floor: 0, stack: Vec::new(), byte: 0, announced, cover }
    }

    /// Starts with a trie whose nodes lie from `floor` to the end of the root.
    pub fn begin(&mut self, root: FilePos, floor: FilePos) {
        self.stack.clear();
        (self.root, self.floor, self.byte) = (Some(root), floor.0, 0);
    }

    /// The transition bytes that lead to the leaf visited last.
    pub fn path(&self) -> Vec<u8> {
        let mut path: Vec<u8> = self.stack.iter().skip(1).map(|frame| frame.byte).collect();
        if !self.stack.is_empty() {
            path.push(self.byte);
        }
        path
    }

    /// Visits nodes until about `budget` bytes of them have been seen, and says how many it were.
    pub fn step<S: Source, V: Visitor>(
        &mut self,
        source: &S,
        budget: u64,
        visitor: &mut V,
    ) -> Result<(u64, Turn), Miss> {
        let mut seen = 0;
        if let Some(root) = self.root {
            let place = Place { depth: 0, pages: 1, turned: false, siblings: 0 };
            if let Some(page) = self.open(source, root.0, visitor)? {
                let entered = self.enter(root.0, &page, place, visitor, &mut seen);
                if let Entered::Leaf(Flow::Pause, _) = entered {
                    self.root = None;
                    return Ok((seen, Turn::Paused));
                }
            }
            self.root = None;
        }
        while let Some(top) = self.stack.last().copied() {
            if seen >= budget {
                return Ok((seen, Turn::Spent));
            }
            let Some(page) = self.open(source, top.at, visitor)? else {
                self.stack.pop();
                continue;
            };
            let paused = self.children(source, top, &page, visitor, &mut seen)?;
            if paused == Flow::Pause {
                return Ok((seen, Turn::Paused));
            }
        }
        Ok((seen, Turn::Done))
    }

    /// Visits children of the node on top until there is one with children, or in another page.
    fn children<S: Source, V: Visitor>(
        &mut self,
        source: &S,
        mut top: Frame,
        page: &[u8],
        visitor: &mut V,
        seen: &mut u64,
    ) -> Result<Flow, Miss> {
        let node = Node::view(self.part, FilePos(top.at), page);
        let (slots, no, depth) = (node.slots(), top.at / PAGE_SIZE, self.stack.len());
        let mut place = Place { depth, pages: top.pages, turned: false, siblings: slots };
        while usize::from(top.next) < slots {
            let slot = usize::from(top.next);
            let distance = node.distance(slot);
            top.next += 1;
            let child = match top.at.checked_sub(distance) {
                Some(child) if distance != 0 && child >= self.floor => child,
                _ if distance == 0 && node.is_dense() => continue,
                _ => {
                    let (parent, most) = (FilePos(top.at), top.at.saturating_sub(self.floor));
                    let byte = node.byte_of(slot);
                    visitor.fault(Fault::Child { parent, byte, distance, most });
                    continue;
                }
            };
            self.byte = node.byte_of(slot);
            if child / PAGE_SIZE == no {
                match self.enter(child, page, place, visitor, seen) {
                    Entered::Leaf(flow, size) => {
                        top.low = top.low.min(child);
                        top.bytes += len64(size);
                        if flow == Flow::Pause {
                            self.save(depth, top);
                            return Ok(flow);
                        }
                    }
                    Entered::Inner => {
                        self.save(depth, top);
                        return Ok(Flow::On);
                    }
                    Entered::Not => {}
                }
                continue;
            }
            // Turning the page may miss: until then the child is still to come.
            top.next -= 1;
            self.save(depth, top);
            let other = self.open(source, child, visitor)?;
            top.next += 1;
            place.turned = true;
            place.pages = place.pages.saturating_add(1);
            let mut flow = Flow::On;
            if let Some(other) = other {
                let entered = self.enter(child, &other, place, visitor, seen);
                if let Entered::Leaf(paused, size) = entered {
                    flow = paused;
                    top.low = top.low.min(child);
                    top.bytes += len64(size);
                }
            }
            self.save(depth, top);
            return Ok(flow);
        }
        self.stack.pop();
        visitor.leave(Below { at: FilePos(top.at), low: FilePos(top.low), bytes: top.bytes });
        if let Some(parent) = self.stack.last_mut() {
            parent.low = parent.low.min(top.low);
            parent.bytes += top.bytes;
        }
        Ok(Flow::On)
    }

    /// Writes the state of a node back; its children may lie above it by now.
    #[inline]
    fn save(&mut self, depth: usize, frame: Frame) {
        if let Some(top) = self.stack.get_mut(depth - 1) {
            *top = frame;
        }
    }

    /// Visits a node in a page that is open.
    #[inline(always)]
    fn enter<V: Visitor>(
        &mut self,
        at: u64,
        page: &[u8],
        place: Place,
        visitor: &mut V,
        seen: &mut u64,
    ) -> Entered {
        let pos = FilePos(at);
        let leaf = Node::leaf(self.part, pos, page);
        let node = match leaf {
            Some(leaf) => leaf,
            None => {
                let node = Node::view(self.part, pos, page);
                if !node.is_sound() {
                    visitor.fault(bad_node(node));
                    return Entered::Not;
                }
                node
            }
        };
        let size = node.size();
        if let Claim::Refused { first } = self.cover.claim(pos.in_page(), size) {
            visitor.fault(Fault::Overlap { at: pos, size, first });
            return Entered::Not;
        }
        *seen += len64(size);
        if node.is_leaf() {
            return Entered::Leaf(visitor.leaf(&node, place), size);
        }
        let field = "nodes on one path";
        if len64(self.stack.len()) >= limits::PATH_NODES {
            visitor.fault(Fault::Limit { at: pos, field, limit: limits::PATH_NODES });
            return Entered::Not;
        }
        visitor.inner(&node, place);
        let (byte, pages) = (self.byte, place.pages);
        self.stack.push(Frame { at, low: at, bytes: len64(size), next: 0, pages, byte });
        Entered::Inner
    }

    /// The page of a node; `None` where it cannot be read.
    #[inline]
    fn open<S: Source, V: Visitor>(
        &mut self,
        source: &S,
        at: u64,
        visitor: &mut V,
    ) -> Result<Option<S::Page>, Miss> {
        let pos = FilePos(at);
        let page = match self.fetch(source, pos) {
            Ok(page) => page,
            Err(Error::Miss(miss)) => return Err(miss),
            Err(Error::Damage(error)) => {
                visitor.fault(Fault::Page(*error));
                return Ok(None);
            }
        };
        if self.cover.turn(pos.page().0, &page) {
            return Ok(Some(page));
        }
        let limit = len64(limits::BEGUN_PAGES);
        visitor.fault(Fault::Limit { at: pos, field: "pages begun and not complete", limit });
        self.stack.clear();
        Ok(None)
    }

    #[inline]
    fn fetch<S: Source>(&mut self, source: &S, at: FilePos) -> Result<S::Page, Error> {
        let stretch = at.0 / AHEAD;
        if !self.announced.contains(&stretch) {
            let start = stretch * AHEAD;
            source
                .expect(FilePos(start), FilePos(start.saturating_add(AHEAD).min(source.len())))?;
            self.announced.rotate_right(1);
            self.announced[0] = stretch;
        }
        source.page(at.page())
    }
}

#[cold]
fn bad_node(node: Node<'_>) -> Fault {
    let at = node.at();
    match node.unsound() {
        Error::Damage(error) => Fault::Node { at, error: *error },
        // A view never asks for bytes.
        Error::Miss(miss) => {
            Fault::Node { at, error: ReadError::truncated(miss.part, at, "node", 1, 0) }
        }
    }
}
