//! A walk over the nodes below one, depth first in the order of the keys, that can stop after each node and go on later.
//!
//! A damaged trie ends no walk: what cannot be read is told and passed over, and since a trie has no more nodes than
//! bytes, one that leads to the same nodes again and again is given up.

use triescope_core::bti::Node;
use triescope_core::limits;
use triescope_core::pos::{FilePos, len64};
use triescope_core::source::Source;
use triescope_core::table::Part;

/// Whoever looks at the nodes.
pub trait Visitor {
    /// A node, before those below it; says whether to go below it.
    fn enter(&mut self, node: &Node<'_>, place: Place) -> bool;
    /// A node that was gone below, after those below it.
    fn leave(&mut self) {}
    /// Something that cannot be read.
    fn fault(&mut self, _at: FilePos, _why: String) {}
}

/// Where a node stands.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Bytes on the way from where the walk began.
    pub depth: usize,
    /// The last of them; 0 where it began.
    pub byte: u8,
    /// Whether its parent lies in another page.
    pub turned: bool,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    at: FilePos,
    /// Least transition byte that is still to come.
    next: u16,
    byte: u8,
}

/// The walk.
#[derive(Clone, Debug)]
pub struct Descent {
    part: Part,
    begin: Option<FilePos>,
    frames: Vec<Frame>,
    /// Transition byte of the node that was entered last.
    byte: u8,
    visited: u64,
}

impl Descent {
    /// Before the first node.
    pub fn new(part: Part, root: FilePos) -> Self {
        Self { part, begin: Some(root), frames: Vec::new(), byte: 0, visited: 0 }
    }

    /// Bytes from where the walk began to the node that was entered last, which the visitor did not go below.
    pub fn path(&self) -> Vec<u8> {
        let mut path: Vec<u8> = self.frames.iter().skip(1).map(|frame| frame.byte).collect();
        if !self.frames.is_empty() {
            path.push(self.byte);
        }
        path
    }

    /// Goes on by a node or so; `false` at the end.
    pub fn step<S: Source>(&mut self, source: &S, visitor: &mut impl Visitor) -> bool {
        if let Some(root) = self.begin.take() {
            self.enter(source, root, Place { depth: 0, byte: 0, turned: false }, visitor);
            return true;
        }
        let Some(top) = self.frames.last().copied() else { return false };
        let Ok(page) = source.page(top.at.page()) else { return self.up(visitor) };
        let Ok(node) = Node::read(self.part, top.at, &page) else { return self.up(visitor) };
        match node.at_or_above(top.next) {
            Ok(Some(child)) => {
                self.go_on_from(u16::from(child.byte) + 1);
                let depth = self.frames.len();
                let turned = child.at.page() != top.at.page();
                self.enter(source, child.at, Place { depth, byte: child.byte, turned }, visitor);
                true
            }
            Ok(None) => self.up(visitor),
            Err(error) => {
                visitor.fault(top.at, error.to_string());
                // The first child that cannot be followed is passed over; where there is none, the bytes are out of order.
                let bad = |(byte, distance): &(u8, u64)| {
                    u16::from(*byte) >= top.next && *distance > top.at.0
                };
                match node.distances().find(bad) {
                    Some((byte, _)) => {
                        self.go_on_from(u16::from(byte) + 1);
                        true
                    }
                    None => self.up(visitor),
                }
            }
        }
    }

    fn go_on_from(&mut self, next: u16) {
        if let Some(top) = self.frames.last_mut() {
            top.next = next;
        }
    }

    fn up(&mut self, visitor: &mut impl Visitor) -> bool {
        self.frames.pop();
        visitor.leave();
        true
    }

    fn enter<S: Source>(
        &mut self,
        source: &S,
        at: FilePos,
        place: Place,
        visitor: &mut impl Visitor,
    ) {
        self.byte = place.byte;
        self.visited += 1;
        if self.visited > source.len() {
            visitor.fault(at, "more nodes are reached than the file has bytes".to_owned());
            self.frames.clear();
            return;
        }
        if at.0 >= source.len() {
            visitor.fault(at, "the node lies behind the end of the file".to_owned());
            return;
        }
        let page = match source.page(at.page()) {
            Ok(page) => page,
            Err(error) => return visitor.fault(at, error.to_string()),
        };
        let node = match Node::read(self.part, at, &page) {
            Ok(node) => node,
            Err(error) => return visitor.fault(at, error.to_string()),
        };
        if visitor.enter(&node, place) && !node.is_leaf() {
            if len64(self.frames.len()) >= limits::PATH_NODES {
                visitor.leave();
                return visitor.fault(at, "its path has more nodes than are followed".to_owned());
            }
            self.frames.push(Frame { at, next: 0, byte: place.byte });
        }
    }
}
