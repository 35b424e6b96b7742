//! What takes a walk to find: the node at a position, the partition with a rank, the partitions that have a row trie.

use super::descent::{Descent, Place, Visitor};
use super::query::PATH_BYTES;
use triescope_core::bti::{Leaf, Node};
use triescope_core::lookup::LeafTarget;
use triescope_core::pos::FilePos;
use triescope_core::source::Source;
use triescope_core::table::Part;

/// What is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The node that begins here.
    At(FilePos),
    /// The partition or block with this rank, counted from 1.
    Rank(u64),
    /// Entries of Rows.db: so many are passed, and so many are listed.
    Entries(u64, usize),
}

/// A search, and how far it is.
#[derive(Debug)]
pub struct Search {
    /// The trie, its root, and what is wanted.
    pub of: (Part, FilePos, Wanted),
    walk: Descent,
    eye: Eye,
    done: bool,
    len: u64,
}

#[derive(Debug)]
struct Eye {
    wanted: Wanted,
    passed: u64,
    hit: bool,
    entries: Vec<FilePos>,
    more: bool,
    bytes: u64,
}

impl Search {
    /// Before the first node.
    pub fn new(part: Part, root: FilePos, wanted: Wanted, len: u64) -> Self {
        let eye = Eye { wanted, passed: 0, hit: false, entries: Vec::new(), more: false, bytes: 0 };
        Self { of: (part, root, wanted), walk: Descent::new(part, root), eye, done: false, len }
    }

    /// Searches on until it is done, which it says, or until the slice is over.
    pub fn go_on<S: Source>(&mut self, source: &S, over: &dyn Fn() -> bool) -> bool {
        while !self.done {
            for _ in 0..512 {
                let more = self.walk.step(source, &mut self.eye);
                if self.eye.hit || !more {
                    self.done = true;
                    break;
                }
            }
            if over() {
                break;
            }
        }
        self.done
    }

    /// How far it is, of how much at most, in bytes.
    pub fn progress(&self) -> (u64, u64) {
        (self.eye.bytes.min(self.len), self.len)
    }

    /// The path to what was found; `None` where it is not there.
    pub fn path(&self) -> Option<Vec<u8>> {
        let path = self.walk.path();
        (self.eye.hit && path.len() <= PATH_BYTES).then_some(path)
    }

    /// Partitions or blocks that were passed.
    pub fn passed(&self) -> u64 {
        self.eye.passed
    }

    /// Entries of Rows.db, and whether there are others.
    pub fn entries(&self) -> (&[FilePos], bool) {
        (&self.eye.entries, self.eye.more)
    }
}

impl Visitor for Eye {
    fn enter(&mut self, node: &Node<'_>, place: Place) -> bool {
        if self.hit {
            return false;
        }
        self.bytes += node.size() as u64;
        match self.wanted {
            Wanted::At(at) => {
                self.hit = node.at() == at;
                // What lies below a node lies before it.
                !self.hit && node.at() > at
            }
            Wanted::Rank(rank) => {
                self.passed += u64::from(!node.payload().is_empty());
                self.hit = self.passed >= rank && !node.payload().is_empty();
                !self.hit
            }
            Wanted::Entries(before, most) => {
                let target = Leaf::of(node, place.depth).map(|leaf| leaf.target());
                if let Some(LeafTarget::Rows(at)) = target {
                    self.passed += 1;
                    if self.entries.len() == most {
                        (self.more, self.hit) = (true, true);
                    } else if self.passed > before {
                        self.entries.push(at);
                    }
                }
                true
            }
        }
    }
}
