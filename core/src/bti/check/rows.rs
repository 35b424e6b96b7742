//! Rows.db: the entries in the order of the leaves, each with its row trie.

use super::super::entry::RowEntry;
use super::super::node::Node;
use super::super::payload::{Block, Leaf};
use super::super::walk::{Below, Fault, Flow, Place, Turn, Visitor, Walk};
use super::leaves::{LeafState, key_of_leaf, past_end};
use super::rules::{ROWS, path_text};
use super::shape::Shape;
use crate::check::catalog::rows;
use crate::check::{Finding, Findings};
use crate::error::{Error, Miss, ReadError};
use crate::limits;
use crate::pos::{FilePos, PAGE_SIZE, len64, mem};
use crate::source::{Pages, Source};
use crate::table::{Part, Table};

/// What may lie behind the last entry: ScyllaDB wrote it so that the file is never empty.
const FILLER: [u8; 4] = [0x13, 0x37, 0x13, 0x37];

/// The check of Rows.db, which goes on as the leaves of Partitions.db ask for entries.
pub(super) struct Rows {
    pub walk: Walk,
    pub shape: Shape,
    /// End of the last entry that was read.
    end: FilePos,
    /// From where on an entry or a trie was lost: what lies from there to the next entry is unknown.
    unknown: Option<FilePos>,
    /// Whether an entry or a trie was lost.
    pub broken: bool,
    trie: Option<Trie>,
}

/// The row trie that is being walked.
struct Trie {
    entry: RowEntry,
    /// End of the entry before.
    floor: FilePos,
    blocks: Blocks,
}

/// What is known of its payloads.
#[derive(Default)]
struct Blocks {
    payloads: u64,
    last: Option<Block>,
    at_root: bool,
    broken: bool,
}

impl Rows {
    /// Nothing is read yet of a file of `len` bytes.
    pub fn new(len: u64) -> Self {
        Self {
            walk: Walk::new(Part::Rows, FilePos(len)),
            shape: Shape::default(),
            end: FilePos(0),
            unknown: None,
            broken: false,
            trie: None,
        }
    }

    /// Whether an entry is being looked at.
    pub fn is_busy(&self) -> bool {
        self.trie.is_some()
    }

    /// An entry is lost.
    fn lost(&mut self, state: &mut LeafState) {
        self.unknown.get_or_insert(self.end);
        self.broken = true;
        state.expected_next = None;
    }

    /// Looks at the entry of a leaf; its trie is walked by [`Self::step`].
    pub fn begin<S: Source>(
        &mut self,
        table: &Table<S>,
        (leaf, path): (&Leaf, &[u8]),
        state: &mut LeafState,
        findings: &mut Findings,
    ) -> Result<(), Miss> {
        let Some(source) = table.source(Part::Rows) else { return Ok(()) };
        let at = FilePos(u64::try_from(leaf.raw).unwrap_or(0));
        if at.0 >= source.len() {
            findings.add(past_end(leaf.at, Part::Rows, at.0, source.len()));
            self.lost(state);
            return Ok(());
        }
        if at < self.end {
            let expected = format!("at least {}, where the entry before it ends", self.end);
            let field = "position in Rows.db";
            let finding = Finding::new(rows::ORDER, field, expected, at.to_string());
            findings.add(finding.at(Part::Partitions, leaf.at));
            self.lost(state);
            return Ok(());
        }
        let entry = match RowEntry::read(&mut Pages::new(Part::Rows, source, &mut ()), at) {
            Ok(entry) => entry,
            Err(Error::Miss(miss)) => return Err(miss),
            Err(Error::Damage(error)) => {
                self.lost(state);
                findings.add(unreadable(at, &error));
                return Ok(());
            }
        };
        let end = FilePos(at.0.saturating_add(entry.size.into()));
        // Everything that may miss comes before everything that is remembered.
        let root = match source.page(entry.root.page()) {
            Ok(page) => Ok(page),
            Err(Error::Miss(miss)) => return Err(miss),
            Err(Error::Damage(error)) => Err(*error),
        };
        self.fill_up(source, at, end)?;

        let place = format!("Rows.db {at}");
        key_of_leaf(table, (leaf, path), &entry.key, (rows::KEY, &place), findings);
        let length = table.facts.data_length.unwrap_or(u64::MAX);
        state.position(leaf.at, entry.data, length, findings);
        let floor = std::mem::replace(&mut self.end, end);
        let good = match root {
            Err(error) => {
                findings.add(ROWS.node(entry.root, &error));
                false
            }
            Ok(_) if entry.root < floor => {
                let expected = format!("{floor}..={}", at.0.saturating_sub(1));
                let finding =
                    Finding::new(rows::REGION, "root position", expected, entry.root.to_string());
                findings.add(finding.at(Part::Rows, at).key(&entry.key));
                false
            }
            Ok(page) => match root_of(&entry, &page) {
                Ok(()) => true,
                Err(finding) => {
                    findings.add(*finding);
                    false
                }
            },
        };
        if good {
            self.walk.begin(entry.root, floor);
            self.trie = Some(Trie { entry, floor, blocks: Blocks::default() });
        } else {
            self.unknown.get_or_insert(floor);
            self.broken = true;
        }
        Ok(())
    }

    /// Walks on in the row trie. Says how many bytes of nodes it has seen.
    pub fn step<S: Source>(
        &mut self,
        table: &Table<S>,
        budget: u64,
        state: &mut LeafState,
        findings: &mut Findings,
    ) -> Result<u64, Miss> {
        let (Some(source), Some(trie)) = (table.source(Part::Rows), &mut self.trie) else {
            self.trie = None;
            return Ok(0);
        };
        // Requests for the entry itself: it ends the page of the root, or lies behind it.
        let entry_end = trie.entry.at.0.saturating_add(trie.entry.size.into()).saturating_sub(1);
        let above = FilePos(entry_end).page().0.saturating_sub(trie.entry.root.page().0);
        let mut visitor =
            RowNodes { blocks: &mut trie.blocks, shape: &mut self.shape, above, findings };
        let (bytes, turn) = self.walk.step(source, budget, &mut visitor)?;
        if turn == Turn::Done {
            self.close(source, state, findings)?;
        }
        Ok(bytes)
    }

    /// What is to be said of a row trie as a whole.
    fn close<S: Source>(
        &mut self,
        source: &S,
        state: &mut LeafState,
        findings: &mut Findings,
    ) -> Result<(), Miss> {
        let Some(trie) = &self.trie else { return Ok(()) };
        let (entry, floor) = (&trie.entry, trie.floor);
        let (at, broken) = (entry.at, trie.blocks.broken);
        // Reads pages, so it may miss; nothing has been reported yet.
        let first =
            if trie.blocks.at_root || broken { None } else { first_separator(source, entry.root)? };
        // Where leaves were lost, so were perhaps the entries before this one.
        let lost = (broken || state.broken).then_some(floor);
        if let Some(from) = self.unknown.or(lost) {
            self.fill_up(source, from, at)?;
            self.unknown = None;
        }
        let Some(Trie { entry, blocks, .. }) = self.trie.take() else { return Ok(()) };
        if blocks.broken {
            self.broken = true;
            return Ok(());
        }
        if let Some(first) = first {
            let first = path_text(&first);
            let expected = "an entry for block 0, under the empty separator";
            let found =
                format!("row index has no entry for block 0; keys below {first} are unreachable");
            let finding = Finding::new(rows::BLOCK_0, "payload of the root", expected, found);
            findings.add(finding.at(Part::Rows, entry.root).key(&entry.key));
            return Ok(());
        }
        let expected = entry.blocks.saturating_add(1);
        if blocks.payloads != expected {
            let expected = format!("{expected} for {} blocks and the end marker", entry.blocks);
            let field = "payloads of the row trie";
            let finding = Finding::new(rows::COUNT, field, expected, blocks.payloads.to_string());
            findings.add(finding.at(Part::Rows, entry.at).key(&entry.key));
            return Ok(());
        }
        let Some(last) = blocks.last else { return Ok(()) };
        if last.open.is_some() {
            let field = "open deletion of the end marker";
            let finding = Finding::new(rows::END_MARKER, field, "none", "one");
            findings.add(finding.at(Part::Rows, last.node).key(&entry.key));
        }
        let end = entry.data.0.saturating_add(last.offset).saturating_add(1);
        state.expected_next = Some((last.node, end));
        Ok(())
    }

    /// What lies behind the last entry.
    pub fn finish<S: Source>(
        &mut self,
        table: &Table<S>,
        state: &mut LeafState,
        findings: &mut Findings,
    ) -> Result<(), Miss> {
        let Some(source) = table.source(Part::Rows) else { return Ok(()) };
        let (end, len) = (self.end, FilePos(source.len()));
        let lost = state.broken.then_some(end);
        if let Some(from) = self.unknown.or(lost) {
            return self.fill_up(source, from, len);
        }
        let left = len.0.saturating_sub(end.0);
        let mut bytes = Vec::new();
        if left > 0 {
            let mut observer = ();
            let mut pages = Pages::new(Part::Rows, source, &mut observer);
            let most = mem(left).unwrap_or(usize::MAX).min(FILLER.len());
            match pages.read(end, most, "end of the file", &mut bytes) {
                Err(Error::Miss(miss)) => return Err(miss),
                // The host cannot read the end of the file; nothing can be said of it.
                Err(Error::Damage(_)) => return Ok(()),
                Ok(()) => {}
            }
        }
        self.fill_up(source, end, len)?;
        if let Some(length) = table.facts.data_length {
            state.next_partition(length, findings);
        }
        if left > 0 && (left != len64(FILLER.len()) || bytes != FILLER) {
            let found = format!("{left} bytes");
            let field = "bytes after the last entry";
            let finding = Finding::new(rows::FILLER, field, "none, or 13371337", found);
            findings.add(finding.at(Part::Rows, end).len(left));
        }
        Ok(())
    }

    /// Claims what is still free of a range. Nothing is claimed twice, so that it can be run again after a miss.
    fn fill_up<S: Source>(&mut self, source: &S, from: FilePos, to: FilePos) -> Result<(), Miss> {
        let mut at = from;
        while at < to {
            let end = to.0.min(at.page().start().0.saturating_add(PAGE_SIZE));
            match source.page(at.page()) {
                Ok(page) => {
                    if self.walk.cover.turn(at.page().0, &page) {
                        let size = mem(end.saturating_sub(at.0)).unwrap_or(0);
                        self.walk.cover.fill_up(at.in_page(), size);
                    }
                }
                Err(Error::Miss(miss)) => return Err(miss),
                Err(Error::Damage(_)) => {}
            }
            at = FilePos(end);
        }
        Ok(())
    }
}

/// Looks at the nodes of a row trie.
struct RowNodes<'a> {
    blocks: &'a mut Blocks,
    shape: &'a mut Shape,
    /// Pages of the entry that the trie does not lie in.
    above: u64,
    findings: &'a mut Findings,
}

impl RowNodes<'_> {
    fn payload(&mut self, node: &Node<'_>, place: Place) {
        let block = match Block::of(node) {
            Ok(Some(block)) => block,
            Ok(None) => return,
            Err(error) => {
                self.blocks.broken = true;
                if let Error::Damage(error) = error {
                    self.findings.add(Finding::unreadable(rows::PAYLOAD, &error));
                }
                return;
            }
        };
        self.blocks.at_root |= place.depth == 0;
        self.blocks.payloads += 1;
        let pages = u64::from(place.pages).saturating_add(self.above);
        self.shape.fetches.add(mem(pages).unwrap_or(usize::MAX));
        if let Some(last) = self.blocks.last
            && last.offset >= block.offset
        {
            let expected = format!("more than {}, where the block before it starts", last.offset);
            let found = block.offset.to_string();
            let finding = Finding::new(rows::OFFSETS, "block offset", expected, found);
            self.findings.add(finding.at(Part::Rows, block.node));
        }
        self.blocks.last = Some(block);
    }
}

impl Visitor for RowNodes<'_> {
    fn leaf(&mut self, node: &Node<'_>, place: Place) -> Flow {
        self.payload(node, place);
        Flow::On
    }

    fn inner(&mut self, node: &Node<'_>, place: Place) {
        self.payload(node, place);
        ROWS.inner(node, self.findings);
    }

    fn leave(&mut self, below: Below) {
        self.shape.leave(below);
    }

    #[cold]
    fn fault(&mut self, fault: Fault) {
        self.blocks.broken = true;
        ROWS.fault(fault, self.findings);
    }
}

/// An entry that cannot be read. A root that is no position before it is a fault of the root.
#[cold]
fn unreadable(at: FilePos, error: &ReadError) -> Finding {
    let check = if error.field == "root distance" { rows::ROOT } else { rows::ENTRY };
    let finding = Finding::unreadable(check, error);
    if error.at == at { finding } else { finding.at(Part::Rows, error.at) }
}

/// Whether the root of an entry is the node before it.
fn root_of(entry: &RowEntry, page: &[u8]) -> Result<(), Box<Finding>> {
    let root = entry.root;
    let found = match Node::read(Part::Rows, root, page) {
        Ok(node) if node.end() == entry.at => return Ok(()),
        Ok(node) => format!("a node that ends at {}", node.end()),
        Err(Error::Damage(error)) => format!("no node: {}", error.kind),
        Err(Error::Miss(_)) => "no node".to_owned(),
    };
    let expected = format!("a node that ends at {}, where the entry starts", entry.at);
    let found = format!("{found}; root offset {root} is not a valid trie root");
    let finding = Finding::new(rows::ROOT, "root node", expected, found);
    Err(Box::new(finding.at(Part::Rows, root).key(&entry.key)))
}

/// The first separator of a trie whose root has no payload.
fn first_separator<S: Source>(source: &S, root: FilePos) -> Result<Option<Vec<u8>>, Miss> {
    let (mut at, mut path) = (root, Vec::new());
    while len64(path.len()) < limits::PATH_NODES {
        let page = match source.page(at.page()) {
            Ok(page) => page,
            Err(Error::Miss(miss)) => return Err(miss),
            Err(Error::Damage(_)) => return Ok(None),
        };
        let Ok(node) = Node::read(Part::Rows, at, &page) else { return Ok(None) };
        if node.payload_bits() != 0 {
            return Ok(Some(path));
        }
        let Ok(Some(child)) = node.first_child() else { return Ok(None) };
        path.push(child.byte);
        at = child.at;
    }
    Ok(None)
}
