//! What lies in each page of Partitions.db and Rows.db: one walk over each trie counts for all pages at once.

use super::census::{claim, problem};
use super::cover::Coverage;
use super::entry::RowEntry;
use super::node::Node;
use super::payload::Leaf;
use super::walk::{Fault, Flow, Place, Turn, Visitor, Walk};
use super::{Family, NodeKind};
use crate::census::{DataStarts, PageCount, Sparse, keep, spread};
use crate::error::{Error, Miss, ReadError};
use crate::lookup::LeafTarget;
use crate::pos::{FilePos, pages_of};
use crate::source::{Pages, Source};
use crate::table::{Part, Table};

/// Walks Partitions.db, and the row tries in Rows.db as its leaves lead to them.
pub(crate) struct TriePages {
    partitions: Walk,
    rows: Walk,
    nodes: Counting,
    row_nodes: Counting,
    /// End of the last entry.
    entries_end: FilePos,
    pending: Option<Leaf>,
    in_rows: bool,
    begun: bool,
}

impl TriePages {
    /// Nothing is counted yet.
    pub fn new<S: Source>(table: &Table<S>) -> Self {
        let pages = |part| table.source(part).map_or(0, |source| pages_of(source.len()));
        let keys_at = table.footer.as_ref().map_or(FilePos(0), |footer| footer.keys_at);
        let rows = table.source(Part::Rows).map_or(0, Source::len);
        let mut nodes = Counting::new(Part::Partitions, pages(Part::Partitions));
        if let Some(partitions) = table.source(Part::Partitions) {
            spread(keys_at, FilePos(partitions.len()), |page, bytes| {
                if let Some(count) = nodes.pages.touch(page) {
                    count.other += bytes;
                }
            });
        }
        Self {
            partitions: Walk::new(Part::Partitions, keys_at),
            rows: Walk::new(Part::Rows, FilePos(rows)),
            nodes,
            row_nodes: Counting::new(Part::Rows, pages(Part::Rows)),
            entries_end: FilePos(0),
            pending: None,
            in_rows: false,
            begun: false,
        }
    }

    /// The pages of a component as they were counted so far.
    pub fn pages(&self, part: Part) -> Option<&Sparse<PageCount>> {
        match part {
            Part::Partitions => Some(&self.nodes.pages),
            Part::Rows => Some(&self.row_nodes.pages),
            _ => None,
        }
    }

    /// Counts until about `budget` bytes of nodes have been seen: how many it were, and whether that was all.
    pub fn step<S: Source>(
        &mut self,
        table: &Table<S>,
        budget: u64,
        starts: &mut DataStarts,
        problems: &mut Vec<ReadError>,
    ) -> Result<(u64, bool), Miss> {
        let (Some(source), Some(footer)) = (table.source(Part::Partitions), &table.footer) else {
            return Ok((0, true));
        };
        if !self.begun {
            self.partitions.begin(footer.root, FilePos(0));
            self.begun = true;
        }
        let mut seen = 0;
        while seen < budget {
            let left = budget.saturating_sub(seen);
            if let (true, Some(rows)) = (self.in_rows, table.source(Part::Rows)) {
                let mut visitor = Nodes {
                    counting: &mut self.row_nodes,
                    problems,
                    starts: None,
                    pending: &mut None,
                };
                let (bytes, turn) = self.rows.step(rows, left, &mut visitor)?;
                seen = seen.saturating_add(bytes);
                if turn == Turn::Done {
                    self.row_nodes.fold(0);
                    self.in_rows = false;
                }
                continue;
            }
            if let Some(leaf) = self.pending {
                self.entry(table, leaf, starts, problems)?;
                self.pending = None;
                continue;
            }
            let mut visitor = Nodes {
                counting: &mut self.nodes,
                problems,
                starts: Some(starts),
                pending: &mut self.pending,
            };
            let (bytes, turn) = self.partitions.step(source, left, &mut visitor)?;
            seen = seen.saturating_add(bytes);
            if turn == Turn::Done {
                self.nodes.fold(0);
                return Ok((seen, true));
            }
        }
        Ok((seen, false))
    }

    /// The entry that a leaf points to.
    fn entry<S: Source>(
        &mut self,
        table: &Table<S>,
        leaf: Leaf,
        starts: &mut DataStarts,
        problems: &mut Vec<ReadError>,
    ) -> Result<(), Miss> {
        let (LeafTarget::Rows(at), Some(rows)) = (leaf.target(), table.source(Part::Rows)) else {
            return Ok(());
        };
        let entry = match RowEntry::read(&mut Pages::new(Part::Rows, rows, &mut ()), at) {
            Ok(entry) => entry,
            Err(Error::Miss(miss)) => return Err(miss),
            Err(Error::Damage(error)) => {
                self.row_nodes.fault(error.at);
                keep(problems, *error);
                return Ok(());
            }
        };
        let end = FilePos(at.0.saturating_add(entry.size.into()));
        self.rows.claimed(rows, at, end)?;
        let pages = &mut self.row_nodes.pages;
        // Two leaves of a damaged file can lead to one entry.
        spread(at.max(self.entries_end), end, |page, bytes| {
            if let Some(count) = pages.touch(page) {
                count.other = count.other.saturating_add(bytes);
            }
        });
        if let Some(count) = pages.touch(at.page().0) {
            count.entries = count.entries.saturating_add(1);
        }
        self.rows.begin(entry.root, self.entries_end.min(entry.root));
        self.in_rows = true;
        self.entries_end = self.entries_end.max(end);
        starts.next(entry.data);
        Ok(())
    }
}

impl Walk {
    /// Claims bytes of an entry; it can be run again after a miss.
    fn claimed<S: Source>(&mut self, source: &S, from: FilePos, to: FilePos) -> Result<(), Miss> {
        let cover: &mut Coverage = &mut self.cover;
        claim(cover, source, from, to)
    }
}

/// A node on the path, while what lies below it is walked.
struct Above {
    at: u64,
    /// Keys at it and below.
    keys: u64,
    /// Whether a path comes to its page with it.
    turned: bool,
}

/// The pages of a file while they are counted.
struct Counting {
    part: Part,
    pages: Sparse<PageCount>,
    path: Vec<Above>,
}

impl Counting {
    const fn new(part: Part, pages: u64) -> Self {
        Self { part, pages: Sparse::new(pages), path: Vec::new() }
    }

    fn node(&mut self, node: &Node<'_>, place: Place) {
        self.fold(place.depth);
        let (at, keys) = (node.at().0, u64::from(node.payload_bits() != 0));
        let turned = place.turned || place.depth == 0;
        let parent = self.path.last().map_or(0, |above| above.at);
        if let Some(count) = self.pages.touch(node.at().page().0) {
            count.node(node, place);
            if turned {
                count.roots = count.roots.saturating_add(1);
                count.parent = parent;
            }
        }
        match node.is_leaf() {
            true => self.keys(at, keys, turned),
            false => self.path.push(Above { at, keys, turned }),
        }
    }

    /// Paths of keys end, or pass: pages on a path never come twice, since children lie before their parents.
    fn keys(&mut self, at: u64, keys: u64, turned: bool) {
        if let (true, Some(count)) = (turned, self.pages.touch(FilePos(at).page().0)) {
            count.lookups = count.lookups.saturating_add(u32::try_from(keys).unwrap_or(u32::MAX));
        }
        if let Some(above) = self.path.last_mut() {
            above.keys = above.keys.saturating_add(keys);
        }
    }

    /// What lies below all but the first `depth` nodes of the path has been walked.
    fn fold(&mut self, depth: usize) {
        while self.path.len() > depth {
            let Some(Above { at, keys, turned }) = self.path.pop() else { return };
            self.keys(at, keys, turned);
        }
    }

    fn fault(&mut self, at: FilePos) {
        if let Some(count) = self.pages.touch(at.page().0) {
            count.faults = count.faults.saturating_add(1);
        }
    }
}

impl PageCount {
    fn node(&mut self, node: &Node<'_>, place: Place) {
        let small = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        let (size, payload) = (small(node.size()), small(node.payload().len()));
        let family = match node.kind().family() {
            Family::Leaf => 0,
            Family::Single => 1,
            Family::Sparse => 2,
            Family::Dense => 3,
            Family::Long => 4,
        };
        let (header, transitions) = match node.kind() {
            NodeKind::PayloadOnly => (1, 0),
            NodeKind::SingleNoPayload4
            | NodeKind::Single8
            | NodeKind::SingleNoPayload12
            | NodeKind::Single16 => (1, 1),
            _ if node.is_dense() => (3, 0),
            _ => (2, small(node.slots())),
        };
        let pointers = size.saturating_sub(header).saturating_sub(transitions);
        let roles = [header, transitions, pointers.saturating_sub(payload), payload];
        if let Some(share) = self.shares.get_mut(family) {
            *share = share.saturating_add(size);
        }
        for (role, bytes) in self.roles.iter_mut().zip(roles) {
            *role = role.saturating_add(bytes);
        }
        let depth = u8::try_from(place.depth).unwrap_or(u8::MAX);
        self.depth = if self.nodes == 0 { depth } else { self.depth.min(depth) };
        self.nodes = self.nodes.saturating_add(1);
        self.payloads = self.payloads.saturating_add(u16::from(node.payload_bits() != 0));
        self.turns = self.turns.max(u8::try_from(place.pages).unwrap_or(u8::MAX));
    }
}

struct Nodes<'a> {
    counting: &'a mut Counting,
    problems: &'a mut Vec<ReadError>,
    /// Of Partitions.db: where partitions start.
    starts: Option<&'a mut DataStarts>,
    pending: &'a mut Option<Leaf>,
}

impl Visitor for Nodes<'_> {
    fn leaf(&mut self, node: &Node<'_>, place: Place) -> Flow {
        self.counting.node(node, place);
        let Some(starts) = &mut self.starts else { return Flow::On };
        let Some(leaf) = Leaf::of(node, place.depth) else { return Flow::On };
        match leaf.target() {
            LeafTarget::Data(data) => {
                starts.next(data);
                Flow::On
            }
            LeafTarget::Rows(_) => {
                *self.pending = Some(leaf);
                Flow::Pause
            }
        }
    }

    fn inner(&mut self, node: &Node<'_>, place: Place) {
        self.counting.node(node, place);
    }

    fn fault(&mut self, fault: Fault) {
        let error = problem(self.counting.part, fault);
        self.counting.fault(error.at);
        keep(self.problems, error);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pos::PageNo;

    #[test]
    fn a_key_counts_once_for_each_page_of_its_path() {
        // Two nodes in page 3, one in page 1 with two keys, and a key in page 3.
        let mut counting = Counting::new(Part::Partitions, 4);
        counting.path.push(Above { at: 3 * 4096 + 9, keys: 0, turned: true });
        counting.path.push(Above { at: 3 * 4096 + 9, keys: 0, turned: false });
        counting.path.push(Above { at: 4100, keys: 0, turned: true });
        counting.keys(4099, 1, false);
        counting.keys(4099, 1, false);
        counting.fold(2);
        counting.keys(12_288, 1, false);
        counting.fold(0);
        let lookups: Vec<_> = (0..4).map(|page| counting.pages.get(page).lookups).collect();
        assert_eq!(lookups, [0, 2, 0, 3]);
        counting.fault(PageNo(2).start());
        assert_eq!(counting.pages.get(2).faults, 1);
    }
}
