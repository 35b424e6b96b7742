//! The leaves of Partitions.db: payloads, prefixes, positions; and whether a known key belongs to its leaf.

use super::super::node::Node;
use super::super::payload::Leaf;
use super::super::walk::{Below, Fault, Flow, Place, Visitor};
use super::rules::{TRIE, path_text};
use super::shape::Shape;
use crate::check::catalog::{rows, trie};
use crate::check::{Check, Finding, Findings};
use crate::keys::{Partitioner, murmur3, partition_key};
use crate::lookup::LeafTarget;
use crate::pos::{DataPos, FilePos};
use crate::source::Source;
use crate::table::{Part, Table};

/// What the walk over Partitions.db has found out so far.
#[derive(Default)]
pub(super) struct LeafState {
    /// Leaves visited.
    pub leaves: u64,
    /// Whether a branch could not be walked, so that leaves and bytes are missing.
    pub broken: bool,
    /// A leaf that points to Rows.db and is still to be followed.
    pub pending: Option<Leaf>,
    pub shape: Shape,
    /// Position in Data.db of the partition before.
    previous: Option<u64>,
    /// Where the next partition starts according to the end marker of the last one, which is in this node of Rows.db.
    pub expected_next: Option<(FilePos, u64)>,
}

impl LeafState {
    /// The next position in Data.db, of this leaf.
    ///
    /// What is wrong is told elsewhere, so that this is small enough to be inlined: with the other work on a leaf inlined
    /// too, the check of a million keys passes 38 million nodes a second in place of 31.
    #[inline(always)]
    pub fn position(&mut self, leaf: FilePos, data: DataPos, length: u64, findings: &mut Findings) {
        let ascends = self.previous.is_none_or(|previous| previous < data.0);
        if !ascends || data.0 >= length || self.expected_next.is_some() {
            return self.odd_position(leaf, data, length, findings);
        }
        self.previous = Some(data.0);
    }

    #[inline(never)]
    fn odd_position(&mut self, leaf: FilePos, data: DataPos, length: u64, findings: &mut Findings) {
        if data.0 >= length {
            findings.add(past_end(leaf, Part::Data, data.0, length));
            self.expected_next = None;
            return;
        }
        if let Some(previous) = self.previous.filter(|previous| *previous >= data.0) {
            let expected = format!("more than {previous}, where the partition before it starts");
            let field = "position in Data.db";
            let finding = Finding::new(trie::POSITIONS, field, expected, data.to_string());
            findings.add(finding.at(Part::Partitions, leaf));
            self.expected_next = None;
        }
        self.next_partition(data.0, findings);
        // Also where it does not ascend: one wrong position is one finding.
        self.previous = Some(data.0);
    }

    /// A partition starts here in Data.db, or the file ends: there the one before it ends.
    pub fn next_partition(&mut self, data: u64, findings: &mut Findings) {
        if let Some((node, end)) = self.expected_next.take()
            && end != data
        {
            let expected = format!("{}, before the next partition", data.saturating_sub(1));
            let field = "position in Data.db of the end marker";
            let found = end.saturating_sub(1).to_string();
            let finding = Finding::new(rows::END_MARKER, field, expected, found);
            findings.add(finding.at(Part::Rows, node));
        }
    }
}

/// Looks at the nodes of Partitions.db.
pub(super) struct Leaves<'a> {
    pub state: &'a mut LeafState,
    pub findings: &'a mut Findings,
    /// Partitions that the footer counts.
    pub count: u64,
    /// Length of Data.db after decompression, the greatest number where it is not known.
    pub data_length: u64,
}

impl Visitor for Leaves<'_> {
    #[inline(always)]
    fn leaf(&mut self, node: &Node<'_>, place: Place) -> Flow {
        let Some(leaf) = Leaf::of(node, place.depth) else { return Flow::On };
        self.state.leaves += 1;
        self.state.shape.fetches.add(usize::try_from(place.pages).unwrap_or(usize::MAX));
        self.state.shape.depths.add(place.depth);
        if leaf.hash.is_none() {
            self.no_hash(node);
        }
        // One partition alone has no byte (Cassandra) or one (ScyllaDB).
        if place.siblings == 1 && (self.count != 1 || place.depth > 1) {
            self.long_prefix(node, place.depth);
        }
        match leaf.target() {
            LeafTarget::Data(data) => {
                self.state.position(leaf.at, data, self.data_length, self.findings);
                Flow::On
            }
            LeafTarget::Rows(_) => {
                self.state.pending = Some(leaf);
                Flow::Pause
            }
        }
    }

    #[inline(always)]
    fn inner(&mut self, node: &Node<'_>, _: Place) {
        if node.payload_bits() != 0 {
            self.inner_payload(node);
        }
        TRIE.inner(node, self.findings);
    }

    #[inline]
    fn leave(&mut self, below: Below) {
        self.state.shape.leave(below);
    }

    #[cold]
    fn fault(&mut self, fault: Fault) {
        self.state.broken = true;
        self.state.expected_next = None;
        TRIE.fault(fault, self.findings);
    }
}

impl Leaves<'_> {
    #[cold]
    fn inner_payload(&mut self, node: &Node<'_>) {
        let found = format!("one of {} bytes", node.payload().len());
        let field = "payload of a node with children";
        let finding = Finding::new(trie::INNER_PAYLOAD, field, "none", found);
        self.findings.add(finding.at(Part::Partitions, node.at()));
    }

    #[cold]
    fn no_hash(&mut self, node: &Node<'_>) {
        let found = node.payload_bits().to_string();
        let finding = Finding::new(trie::NO_HASH, "payload bits of a leaf", "8..=15", found);
        self.findings.add(finding.at(Part::Partitions, node.at()));
    }

    #[cold]
    fn long_prefix(&mut self, node: &Node<'_>, depth: usize) {
        let expected = "as many as tell the key from its neighbours";
        let found = format!("{depth}, of which the last one tells nothing");
        let finding = Finding::new(trie::PREFIX, "bytes to a leaf", expected, found);
        self.findings.add(finding.at(Part::Partitions, node.at()));
    }
}

/// A leaf that points past the end of a file.
#[cold]
pub(super) fn past_end(leaf: FilePos, part: Part, found: u64, length: u64) -> Finding {
    let expected = format!("less than {length}, the length of {part}");
    let field = format!("position in {part}");
    Finding::new(trie::TARGET, field, expected, found.to_string()).at(Part::Partitions, leaf)
}

/// A key that does not belong to the leaf that `path` leads to: `place` is where it was found, `comparable` its
/// byte-comparable form.
#[cold]
pub(crate) fn other_key(
    check: &'static Check,
    (path, place): (&[u8], &str),
    comparable: &[u8],
) -> Finding {
    let field = format!("leaf {} → {place}", path_text(path));
    let expected = format!("prefix {}", path_text(path));
    let shown = comparable.get(..path.len() + 1).unwrap_or(comparable);
    let found = format!("a key that encodes to {}…", path_text(shown));
    Finding::new(check, field, expected, found)
}

/// Whether a key belongs to the leaf that `path` leads to: its byte-comparable form begins with the path, and the hash
/// byte is its own. `check` is the rule for the path, `place` where the key was found.
pub(super) fn key_of_leaf<S: Source>(
    table: &Table<S>,
    (leaf, path): (&Leaf, &[u8]),
    key: &[u8],
    (check, place): (&'static Check, &str),
    findings: &mut Findings,
) {
    // The order of an unknown partitioner is unknown, and without Statistics.db so is the partitioner.
    let known = match &table.facts.partitioner {
        None | Some(Partitioner::Unknown(_)) => None,
        Some(partitioner) => {
            let (style, schema) = (table.dialect().key_style, table.key_schema());
            Some(partition_key(partitioner, style, schema, key).bytes)
        }
    };
    if let Some(bytes) = known.filter(|bytes| !bytes.starts_with(path)) {
        let finding = other_key(check, (path, place), &bytes);
        findings.add(finding.at(Part::Partitions, leaf.at).key(key));
        return;
    }
    let byte = murmur3(key).byte();
    if let Some(hash) = leaf.hash.filter(|hash| *hash != byte) {
        let (expected, found) = (format!("0x{byte:02x}"), format!("0x{hash:02x}"));
        let finding = Finding::new(trie::HASH, "hash byte", expected, found);
        findings.add(finding.at(Part::Partitions, leaf.at).key(key));
    }
}
