//! Which nodes and entries the tries reach in a page: where listing goes on after bytes that cannot be read.
//!
//! Children lie before their parents, so only subtrees whose root lies at or above a position can reach it.

use crate::bti::{Node, PartitionIndex, RowEntry};
use crate::error::Error;
use crate::limits;
use crate::lookup::LeafTarget;
use crate::pos::FilePos;
use crate::source::{Pages, Source};
use crate::table::{Part, Table};
use std::collections::BTreeSet;

/// Nodes and entries in a stretch of a file that something points to.
#[derive(Debug, Default)]
pub(super) struct Reached {
    /// Starts of nodes.
    nodes: BTreeSet<FilePos>,
    /// Starts of entries of Rows.db.
    entries: BTreeSet<FilePos>,
}

impl Reached {
    /// What the trie of Partitions.db reaches from `from` to `to`, as far as `limits::REACHED_NODES` lead.
    pub fn partitions<S: Source>(
        table: &Table<S>,
        source: &S,
        from: FilePos,
        to: FilePos,
    ) -> Result<Self, Error> {
        let mut reached = Self::default();
        if let Some(footer) = &table.footer {
            reached.below(Part::Partitions, source, footer.root, (from, to))?;
        }
        Ok(reached)
    }

    /// The same of Rows.db: the entries that leaves of Partitions.db point to, and the tries in front of them.
    pub fn rows<S: Source>(
        table: &Table<S>,
        source: &S,
        from: FilePos,
        to: FilePos,
    ) -> Result<Self, Error> {
        let mut reached = Self::default();
        let (Some(footer), Some(partitions)) = (&table.footer, table.source(Part::Partitions))
        else {
            return Ok(reached);
        };
        let (mut unheard, mut nobody) = ((), ());
        let pages = Pages::new(Part::Partitions, partitions, &mut unheard);
        let mut rows = Pages::new(Part::Rows, source, &mut nobody);
        let mut leaves = PartitionIndex::new(footer).leaves(pages);
        for _ in 0..limits::REACHED_NODES {
            let found = match leaves.next() {
                Ok(Some(found)) => found,
                Ok(None) | Err(Error::Damage(_)) => break,
                Err(miss) => return Err(miss),
            };
            let LeafTarget::Rows(at) = found.leaf.target() else { continue };
            if at < from {
                continue;
            }
            if at < to {
                reached.entries.insert(at);
            }
            match RowEntry::read(&mut rows, at) {
                Ok(entry) => reached.below(Part::Rows, source, entry.root, (from, to))?,
                Err(Error::Damage(_)) => {}
                Err(miss) => return Err(miss),
            }
            // Entries ascend: the trie of the first one behind the page is the last that lies in it.
            if at >= to {
                break;
            }
        }
        Ok(reached)
    }

    /// The first node or entry behind a position.
    pub fn next(&self, at: FilePos) -> Option<FilePos> {
        let behind = |starts: &BTreeSet<FilePos>| {
            starts.range(FilePos(at.0.saturating_add(1))..).next().copied()
        };
        let (node, entry) = (behind(&self.nodes), behind(&self.entries));
        node.into_iter().chain(entry).min()
    }

    /// Whether a leaf points to an entry at a position.
    pub fn has_entry(&self, at: FilePos) -> bool {
        self.entries.contains(&at)
    }

    fn below<S: Source>(
        &mut self,
        part: Part,
        source: &S,
        root: FilePos,
        (from, to): (FilePos, FilePos),
    ) -> Result<(), Error> {
        let mut stack = vec![root];
        let mut left = limits::REACHED_NODES;
        while let Some(at) = stack.pop() {
            if at < from || at.0 >= source.len() {
                continue;
            }
            // A node that is damaged has been reached all the same.
            if at < to {
                self.nodes.insert(at);
            }
            let page = source.page(at.page())?;
            let Ok(node) = Node::read(part, at, &page) else { continue };
            for child in node.children().flatten().filter(|child| child.at >= from) {
                let Some(less) = left.checked_sub(1) else { return Ok(()) };
                left = less;
                stack.push(child.at);
            }
        }
        Ok(())
    }
}
