//! Who points into a page of a trie from elsewhere: a walk from the root in slices, which keeps only what it is asked for.

use super::shown::Shown;
use std::collections::BTreeMap;
use triescope_core::bti::Node;
use triescope_core::pos::{FilePos, PageNo};
use triescope_core::source::Source;
use triescope_core::table::{Part, Table};

/// Nodes that are read for it at most: a page of a larger trie is shown without.
const MOST: u64 = 400_000;

/// A node of the page that a node in another page points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrance {
    /// The one that points.
    pub parent: FilePos,
    /// Bytes from the root to this node, the transition byte of the parent last.
    pub path: Vec<u8>,
}

/// The walk.
#[derive(Debug)]
pub struct Parents {
    page: PageNo,
    /// Nodes to visit: position, depth, transition byte, parent.
    stack: Vec<(FilePos, usize, Option<u8>, Option<FilePos>)>,
    path: Vec<u8>,
    read: u64,
    /// What was found, by position.
    pub found: BTreeMap<FilePos, Entrance>,
    /// Whether the walk was given up.
    pub given_up: bool,
}

impl Parents {
    /// A walk for a page of Partitions.db. Of Rows.db there are as many tries as partitions, which are not walked.
    pub fn new<S: Source>(table: &Table<S>, part: Part, page: PageNo) -> Option<Self> {
        let root = table.footer.as_ref().filter(|_| part == Part::Partitions)?.root;
        let stack = vec![(root, 0, None, None)];
        let (path, found) = (Vec::new(), BTreeMap::new());
        Some(Self { page, stack, path, read: 0, found, given_up: false })
    }

    /// Visits some nodes; whether it is over.
    pub fn step<S: Source>(&mut self, table: &Table<S>) -> bool {
        let Some(source) = table.source(Part::Partitions) else { return true };
        for _ in 0..2_000 {
            let Some((at, depth, byte, parent)) = self.stack.pop() else { return true };
            self.path.truncate(depth.saturating_sub(usize::from(byte.is_some())));
            self.path.extend(byte);
            if at.page() == self.page {
                let entrance = parent.filter(|parent| parent.page() != self.page);
                if let Some(parent) = entrance {
                    let path = self.path.clone();
                    self.found.entry(at).or_insert(Entrance { parent, path });
                }
            }
            self.read += 1;
            if self.read > MOST {
                self.given_up = true;
                return true;
            }
            let Ok(page) = source.page(at.page()) else { continue };
            let Ok(node) = Node::read(Part::Partitions, at, &page) else { continue };
            for child in node.children().flatten() {
                // Children lie before their parents: what lies before the page leads to nothing in it.
                if child.at >= self.page.start() {
                    self.stack.push((child.at, self.path.len() + 1, Some(child.byte), Some(at)));
                }
            }
        }
        false
    }
}

/// How a node of the page is reached: the bytes from the root, and the nodes of this page on the way, with the byte that
/// leads to each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// Bytes from the root.
    pub bytes: Vec<u8>,
    /// Parent, in this page or another.
    pub parent: Option<FilePos>,
}

/// The way to a node of the page; `None` where nobody knows it.
pub fn way<S: Source>(shown: &Shown<'_, S>, parents: &Parents, node: FilePos) -> Option<Way> {
    let root = shown.table.footer.as_ref()?.root;
    let mut inside = BTreeMap::new();
    for item in &shown.view.items {
        let Ok(read) = Node::read(shown.part, item.at, &shown.bytes) else { continue };
        for child in read.children().flatten() {
            inside.entry(child.at).or_insert((item.at, child.byte));
        }
    }
    let (mut at, mut tail) = (node, Vec::new());
    let mut parent = None;
    loop {
        if let Some(entrance) = parents.found.get(&at) {
            let mut bytes = entrance.path.clone();
            bytes.extend(tail.iter().rev());
            return Some(Way { bytes, parent: parent.or(Some(entrance.parent)) });
        }
        if at == root {
            tail.reverse();
            return Some(Way { bytes: tail, parent });
        }
        let (above, byte) = inside.get(&at)?;
        tail.push(*byte);
        parent = parent.or(Some(*above));
        at = *above;
    }
}
