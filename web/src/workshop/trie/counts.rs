//! What lies below a node, counted once and kept in bounded room: the great subtrees one by one, and for the small ones
//! which family has most of each column of each row.

use super::descent::{Descent, Place, Visitor};
use crate::workshop::family::FAMILIES;
use std::collections::BTreeMap;
use triescope_core::bti::{Family, Node};
use triescope_core::pos::{FilePos, PAGE_SIZE, PageNo, pages_of};
use triescope_core::source::Source;
use triescope_core::table::Part;

/// Columns of a profile at most; half as many at least once they have been folded.
const COLUMNS: usize = 2048;
/// Rows of a profile: deeper nodes are counted and not drawn.
pub const ROWS: usize = 48;
/// Pages that are kept one by one; more are put together.
const PAGES: u64 = 2048;
/// Faults that are kept.
const FAULTS: usize = 50;

/// A node with all below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subtree {
    /// Bytes from where the count began.
    pub depth: usize,
    /// The last of them.
    pub byte: u8,
    /// Its position.
    pub at: FilePos,
    /// Family of the node.
    pub family: Family,
    /// Children of the node.
    pub children: usize,
    /// Whether its parent lies in another page.
    pub turned: bool,
    /// What comes before it: partitions or blocks, bytes.
    pub start: [u64; 2],
    /// What is in it.
    pub sum: [u64; 2],
}

/// One of the two measures.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// How much a column holds.
    pub unit: u64,
    /// For each depth, for each column, how much of it lies below nodes of each family.
    pub rows: Vec<Vec<[u32; 5]>>,
}

/// Bytes of the families in a page, or in several.
pub type Fill = [u64; 5];

/// The sums.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    /// Nodes.
    pub nodes: u64,
    /// Nodes of each family.
    pub families: [u64; 5],
    /// Partitions or blocks.
    pub ends: u64,
    /// Bytes of the nodes.
    pub bytes: u64,
    /// Bytes of the paths of all partitions or blocks.
    pub stored: u64,
    /// The longest of these paths.
    pub deepest: usize,
}

#[derive(Debug)]
struct Tally {
    sums: Sums,
    kept: Vec<Subtree>,
    above: Vec<Subtree>,
    profiles: [Profile; 2],
    fills: Vec<Fill>,
    first: Vec<Option<(Vec<u8>, FilePos)>>,
    per_fill: u64,
    faults: BTreeMap<FilePos, String>,
    more_faults: u64,
    /// The path of the node visited last.
    path: Vec<u8>,
}

/// The counting.
#[derive(Debug)]
pub struct Counts {
    /// The trie and where the count begins.
    pub of: (Part, FilePos),
    walk: Descent,
    tally: Tally,
    done: bool,
    /// Bytes of nodes that are expected at most.
    bytes: u64,
}

impl Counts {
    /// Before the first node. `len` is the length of the file.
    pub fn new(part: Part, root: FilePos, len: u64) -> Self {
        let pages = pages_of(len);
        let per_fill = pages.div_ceil(PAGES).max(1);
        let fills = usize::try_from(pages.div_ceil(per_fill)).unwrap_or(0);
        let tally = Tally {
            sums: Sums::default(),
            kept: Vec::new(),
            above: Vec::new(),
            profiles: [0, 1].map(|_| Profile { unit: 1, rows: Vec::new() }),
            fills: vec![Fill::default(); fills],
            first: vec![None; fills],
            per_fill,
            faults: BTreeMap::new(),
            more_faults: 0,
            path: Vec::new(),
        };
        let bytes = root.0.saturating_add(PAGE_SIZE).min(len);
        Self { of: (part, root), walk: Descent::new(part, root), tally, done: false, bytes }
    }

    /// Counts on until it is done, which it says, or until the slice is over.
    pub fn go_on<S: Source>(&mut self, source: &S, over: &dyn Fn() -> bool) -> bool {
        while !self.done {
            for _ in 0..512 {
                if !self.walk.step(source, &mut self.tally) {
                    self.done = true;
                    self.tally.kept.shrink_to_fit();
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
        (self.tally.sums.bytes.min(self.bytes), self.bytes)
    }

    /// The sums.
    pub fn sums(&self) -> &Sums {
        &self.tally.sums
    }

    /// The great subtrees, each after those below it.
    pub fn kept(&self) -> &[Subtree] {
        &self.tally.kept
    }

    /// What the small ones come to: by partitions or blocks, by bytes.
    pub fn profile(&self, by_bytes: bool) -> &Profile {
        let [ends, bytes] = &self.tally.profiles;
        if by_bytes { bytes } else { ends }
    }

    /// Bytes of the families in the pages, and how many pages go into each.
    pub fn fills(&self) -> (&[Fill], u64) {
        (&self.tally.fills, self.tally.per_fill)
    }

    /// The first node that was reached in a page or in those counted with it.
    pub fn first_in(&self, page: PageNo) -> Option<(&[u8], FilePos)> {
        let at = usize::try_from(page.0 / self.tally.per_fill).ok()?;
        let (path, at) = self.tally.first.get(at)?.as_ref()?;
        Some((path, *at))
    }

    /// What cannot be read: the first few, and how many others.
    pub fn faults(&self) -> (impl Iterator<Item = (&FilePos, &String)>, u64) {
        (self.tally.faults.iter(), self.tally.more_faults)
    }
}

impl Visitor for Tally {
    fn enter(&mut self, node: &Node<'_>, place: Place) -> bool {
        let family = node.kind().family();
        let slot = FAMILIES.iter().position(|known| *known == family).unwrap_or(0);
        self.path.truncate(place.depth.saturating_sub(1));
        if place.depth > 0 {
            self.path.push(place.byte);
        }
        let sums = &mut self.sums;
        let start = [sums.ends, sums.bytes];
        let size = node.size() as u64;
        sums.nodes += 1;
        sums.bytes += size;
        if let Some(count) = sums.families.get_mut(slot) {
            *count += 1;
        }
        let carries = !node.payload().is_empty();
        if carries {
            sums.ends += 1;
            sums.stored += place.depth as u64;
            sums.deepest = sums.deepest.max(place.depth);
        }
        let page = node.at().page();
        let bucket = usize::try_from(page.0 / self.per_fill).unwrap_or(usize::MAX);
        if let Some(bytes) = self.fills.get_mut(bucket).and_then(|fill| fill.get_mut(slot)) {
            *bytes += size;
        }
        if let Some(first @ None) = self.first.get_mut(bucket)
            && self.path.len() <= super::query::PATH_BYTES
        {
            *first = Some((self.path.clone(), node.at()));
        }
        let own = Subtree {
            depth: place.depth,
            byte: place.byte,
            at: node.at(),
            family,
            children: node.transitions().count(),
            turned: place.turned,
            start,
            sum: [u64::from(carries), size],
        };
        // What it carries and its bytes lie below each node of its path, and in its own row.
        for (depth, family) in
            self.above.iter().map(|it| it.family).chain([family]).take(ROWS).enumerate()
        {
            let slot = FAMILIES.iter().position(|known| *known == family).unwrap_or(0);
            let [ends, bytes] = &mut self.profiles;
            ends.add(depth, slot, start[0], u64::from(carries));
            bytes.add(depth, slot, start[1], size);
        }
        match node.is_leaf() {
            true => self.keep(own),
            false => self.above.push(own),
        }
        true
    }

    fn leave(&mut self) {
        let Some(mut top) = self.above.pop() else { return };
        top.sum = [self.sums.ends - top.start[0], self.sums.bytes - top.start[1]];
        self.keep(top);
    }

    fn fault(&mut self, at: FilePos, why: String) {
        match self.faults.len() < FAULTS {
            true => {
                self.faults.insert(at, why);
            }
            false => self.more_faults += 1,
        }
    }
}

impl Tally {
    /// Keeps a subtree as long as it would be as wide as a column of either measure.
    fn keep(&mut self, subtree: Subtree) {
        let units = [self.profiles[0].unit, self.profiles[1].unit];
        let is_great = |it: &Subtree| {
            it.depth < ROWS && (it.sum[0] >= units[0] && it.sum[0] > 0 || it.sum[1] >= units[1] * 8)
        };
        if is_great(&subtree) {
            self.kept.push(subtree);
        }
        // Units grow as more is counted: what has become small is let go once there is much of it.
        if self.kept.len() >= 64 * COLUMNS {
            self.kept.retain(is_great);
            if self.kept.len() >= 48 * COLUMNS {
                let deep = self.kept.iter().map(|it| it.depth).max().unwrap_or(0);
                self.kept.retain(|it| it.depth < deep);
            }
        }
    }
}

impl Profile {
    fn add(&mut self, depth: usize, slot: usize, at: u64, much: u64) {
        if much == 0 {
            return;
        }
        while at / self.unit >= COLUMNS as u64 {
            self.unit *= 2;
            for row in &mut self.rows {
                *row = row.chunks(2).map(sum).collect();
            }
        }
        while self.rows.len() <= depth {
            self.rows.push(Vec::new());
        }
        let column = usize::try_from(at / self.unit).unwrap_or(0);
        let Some(row) = self.rows.get_mut(depth) else { return };
        if row.len() <= column {
            row.resize(column + 1, [0; 5]);
        }
        if let Some(count) = row.get_mut(column).and_then(|column| column.get_mut(slot)) {
            *count = count.saturating_add(u32::try_from(much).unwrap_or(u32::MAX));
        }
    }
}

fn sum(columns: &[[u32; 5]]) -> [u32; 5] {
    columns.iter().fold([0; 5], |mut sum, column| {
        for (to, from) in sum.iter_mut().zip(column) {
            *to = to.saturating_add(*from);
        }
        sum
    })
}
