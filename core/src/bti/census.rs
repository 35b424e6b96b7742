//! Counts the nodes of the trie index: what the census says of Partitions.db and Rows.db.

use super::cover::Coverage;
use super::entry::RowEntry;
use super::footer::FOOTER_BYTES;
use super::node::Node;
use super::payload::{Block, Leaf};
use super::walk::{Fault, Flow, Place, Turn, Visitor, Walk};
use super::{Footer, NodeKind};
use crate::census::{
    Census, EntryCensus, KindCensus, PartitionSizes, PartitionsCensus, RowsCensus, TrieCensus, keep,
};
use crate::error::{Error, Kind, Miss, ReadError};
use crate::lookup::LeafTarget;
use crate::pos::{FilePos, len64, mem};
use crate::source::{Pages, Source};
use crate::table::{Part, Table};

/// Depths and pages that are told from greater ones.
const MOST_COUNTED: usize = 255;

/// Walks Partitions.db, and the row tries in Rows.db as its leaves lead to them.
pub(crate) struct TrieCount {
    partitions: Walk,
    nodes: Counted,
    rows: Walk,
    row_nodes: Counted,
    entries: EntryCensus,
    /// End of the last entry.
    entries_end: FilePos,
    pending: Option<Leaf>,
    in_rows: bool,
    begun: bool,
    leaves: u64,
    problems: Vec<ReadError>,
}

impl TrieCount {
    /// Nothing is counted yet.
    pub fn new<S: Source>(table: &Table<S>) -> Self {
        let keys_at = table.footer.as_ref().map_or(FilePos(0), |footer| footer.keys_at);
        let rows = table.source(Part::Rows).map_or(0, Source::len);
        Self {
            partitions: Walk::new(Part::Partitions, keys_at),
            nodes: Counted::default(),
            rows: Walk::new(Part::Rows, FilePos(rows)),
            row_nodes: Counted::default(),
            entries: EntryCensus::default(),
            entries_end: FilePos(0),
            pending: None,
            in_rows: false,
            begun: false,
            leaves: 0,
            problems: Vec::new(),
        }
    }

    /// Counts until about `budget` bytes of nodes have been seen: how many it were, and whether that was all.
    pub fn step<S: Source>(
        &mut self,
        table: &Table<S>,
        budget: u64,
        sizes: &mut PartitionSizes,
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
                let mut visitor =
                    RowNodes { counted: &mut self.row_nodes, problems: &mut self.problems };
                let (bytes, turn) = self.rows.step(rows, left, &mut visitor)?;
                seen = seen.saturating_add(bytes);
                self.in_rows = turn != Turn::Done;
                continue;
            }
            if let Some(leaf) = self.pending {
                self.entry(table, leaf, sizes)?;
                self.pending = None;
                continue;
            }
            let mut visitor = LeafNodes {
                counted: &mut self.nodes,
                leaves: &mut self.leaves,
                pending: &mut self.pending,
                sizes,
                problems: &mut self.problems,
            };
            let (bytes, turn) = self.partitions.step(source, left, &mut visitor)?;
            seen = seen.saturating_add(bytes);
            if turn == Turn::Done {
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
        sizes: &mut PartitionSizes,
    ) -> Result<(), Miss> {
        let (LeafTarget::Rows(at), Some(rows)) = (leaf.target(), table.source(Part::Rows)) else {
            return Ok(());
        };
        let entry = match RowEntry::read(&mut Pages::new(Part::Rows, rows, &mut ()), at) {
            Ok(entry) => entry,
            Err(Error::Miss(miss)) => return Err(miss),
            Err(Error::Damage(error)) => {
                keep(&mut self.problems, *error);
                return Ok(());
            }
        };
        let end = FilePos(at.0.saturating_add(entry.size.into()));
        claim(&mut self.rows.cover, rows, at, end)?;
        self.rows.begin(entry.root, self.entries_end.min(entry.root));
        self.in_rows = true;
        self.entries_end = self.entries_end.max(end);
        self.entries.entries += 1;
        self.entries.bytes = self.entries.bytes.saturating_add(entry.size.into());
        self.entries.key_bytes = self.entries.key_bytes.saturating_add(2 + len64(entry.key.len()));
        self.entries.blocks = self.entries.blocks.saturating_add(entry.blocks);
        sizes.next(entry.data);
        Ok(())
    }

    /// What was counted.
    pub fn finish<S: Source>(&mut self, table: &Table<S>, census: &mut Census) {
        census.partitions = self.leaves;
        census.problems.append(&mut self.problems);
        let Some(Footer { keys_at, .. }) = &table.footer else { return };
        let bytes = table.source(Part::Partitions).map_or(0, Source::len);
        let nodes = self.nodes.finish(&self.partitions.cover);
        let used = nodes.bytes.saturating_add(nodes.padding_bytes);
        census.trie = Some(PartitionsCensus {
            bytes,
            key_bytes: bytes.saturating_sub(FOOTER_BYTES).saturating_sub(keys_at.0),
            footer_bytes: FOOTER_BYTES,
            unclaimed_bytes: keys_at.0.saturating_sub(used),
            nodes,
        });
        let Some(rows) = table.source(Part::Rows) else { return };
        if self.entries.entries == 0 && rows.is_empty() {
            return;
        }
        let nodes = self.row_nodes.finish(&self.rows.cover);
        let filler_bytes = rows.len().saturating_sub(self.entries_end.0);
        let used = nodes.bytes + nodes.padding_bytes + self.entries.bytes + filler_bytes;
        census.rows = Some(RowsCensus {
            bytes: rows.len(),
            entries: self.entries,
            filler_bytes,
            unclaimed_bytes: rows.len().saturating_sub(used),
            nodes,
        });
    }
}

/// Claims an entry; it can be run again after a miss.
pub(super) fn claim<S: Source>(
    cover: &mut Coverage,
    source: &S,
    from: FilePos,
    to: FilePos,
) -> Result<(), Miss> {
    let mut at = from;
    while at < to {
        let end = FilePos(to.0.min(at.page().start().0.saturating_add(crate::pos::PAGE_SIZE)));
        match source.page(at.page()) {
            Err(Error::Miss(miss)) => return Err(miss),
            Err(Error::Damage(_)) => {}
            Ok(page) => {
                if cover.turn(at.page().0, &page) {
                    cover.fill_up(at.in_page(), mem(end.0.saturating_sub(at.0)).unwrap_or(0));
                }
            }
        }
        at = end;
    }
    Ok(())
}

/// Nodes counted so far.
struct Counted {
    census: TrieCensus,
    kinds: [(u64, u64); 16],
}

impl Default for Counted {
    fn default() -> Self {
        let counts = || vec![0; MOST_COUNTED + 1];
        let census =
            TrieCensus { depths: counts(), pages_of_lookups: counts(), ..TrieCensus::default() };
        Self { census, kinds: [(0, 0); 16] }
    }
}

impl Counted {
    fn node(&mut self, node: &Node<'_>, place: Place) {
        let (size, payload) = (len64(node.size()), len64(node.payload().len()));
        let census = &mut self.census;
        let children = node.slots();
        let (header, transitions) = match node.kind() {
            NodeKind::PayloadOnly => (1, 0),
            NodeKind::SingleNoPayload4
            | NodeKind::Single8
            | NodeKind::SingleNoPayload12
            | NodeKind::Single16 => (1, 1),
            _ if node.is_dense() => (3, 0),
            _ => (2, len64(children)),
        };
        census.nodes += 1;
        census.bytes += size;
        census.header_bytes += header;
        census.transition_bytes += transitions;
        census.payload_bytes += payload;
        census.pointer_bytes += size.saturating_sub(header + transitions + payload);
        if let Some((nodes, bytes)) = self.kinds.get_mut(usize::from(node.kind() as u8)) {
            *nodes += 1;
            *bytes += size;
        }
        if node.is_dense() {
            let empty = (0..children).filter(|slot| node.distance(*slot) == 0).count();
            census.empty_slots += len64(empty);
        }
        if place.depth > 0 {
            census.pointers += 1;
            census.crossing_pointers += u64::from(place.turned);
        }
        census.max_depth = census.max_depth.max(len64(place.depth));
        if node.payload_bits() != 0 {
            census.payloads += 1;
            let pages = usize::try_from(place.pages).unwrap_or(MOST_COUNTED);
            for (counts, n) in
                [(&mut census.depths, place.depth), (&mut census.pages_of_lookups, pages)]
            {
                if let Some(count) = counts.get_mut(n.min(MOST_COUNTED)) {
                    *count += 1;
                }
            }
        }
    }

    fn finish(&mut self, cover: &Coverage) -> TrieCensus {
        let mut census = std::mem::take(&mut self.census);
        let all = NodeKind::ALL.iter().zip(self.kinds);
        let found = all.filter(|(_, (nodes, _))| *nodes > 0);
        census.kinds =
            found.map(|(kind, (nodes, bytes))| KindCensus { kind: *kind, nodes, bytes }).collect();
        for counts in [&mut census.depths, &mut census.pages_of_lookups] {
            let used = counts.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
            counts.truncate(used);
        }
        let fill = cover.fill();
        census.padding_bytes = fill.padding;
        census.padded_pages = fill.gaps;
        census.fill = fill.tenths;
        census
    }
}

struct LeafNodes<'a> {
    counted: &'a mut Counted,
    leaves: &'a mut u64,
    pending: &'a mut Option<Leaf>,
    sizes: &'a mut PartitionSizes,
    problems: &'a mut Vec<ReadError>,
}

impl Visitor for LeafNodes<'_> {
    fn leaf(&mut self, node: &Node<'_>, place: Place) -> Flow {
        self.counted.node(node, place);
        let Some(leaf) = Leaf::of(node, place.depth) else { return Flow::On };
        *self.leaves += 1;
        match leaf.target() {
            LeafTarget::Data(data) => {
                self.sizes.next(data);
                Flow::On
            }
            LeafTarget::Rows(_) => {
                *self.pending = Some(leaf);
                Flow::Pause
            }
        }
    }

    fn inner(&mut self, node: &Node<'_>, place: Place) {
        self.counted.node(node, place);
    }

    fn fault(&mut self, fault: Fault) {
        keep(self.problems, problem(Part::Partitions, fault));
    }
}

struct RowNodes<'a> {
    counted: &'a mut Counted,
    problems: &'a mut Vec<ReadError>,
}

impl Visitor for RowNodes<'_> {
    fn leaf(&mut self, node: &Node<'_>, place: Place) -> Flow {
        self.inner(node, place);
        Flow::On
    }

    fn inner(&mut self, node: &Node<'_>, place: Place) {
        self.counted.node(node, place);
        if let Err(Error::Damage(error)) = Block::of(node) {
            keep(self.problems, *error);
        }
    }

    fn fault(&mut self, fault: Fault) {
        keep(self.problems, problem(Part::Rows, fault));
    }
}

/// What ended the walk of a branch.
#[cold]
pub(super) fn problem(part: Part, fault: Fault) -> ReadError {
    match fault {
        Fault::Page(error) | Fault::Node { error, .. } => error,
        Fault::Child { parent, byte, distance, most } => {
            let field = format!("child distance for byte 0x{byte:02x}");
            ReadError::out_of_range(part, parent, field, format!("1..={most}"), distance)
        }
        Fault::Overlap { at, .. } => {
            let found = "some that belong to a node visited before";
            ReadError::unexpected(part, at, "bytes of a node", "its own", found)
        }
        Fault::Limit { at, field, limit } => {
            let found = limit.saturating_add(1);
            ReadError::new(part, at, field, Kind::OverLimit { limit, found })
        }
    }
}
