//! What is remembered while Data.db is read from end to end, and what is wrong with partitions, rows and markers by
//! themselves.

use super::blocks::{Blocks, deletion};
use super::order::{Place, RowOrder};
use super::totals::Totals;
use crate::big::BoundKind;
use crate::check::Finding;
use crate::check::catalog::data;
use crate::data::raw::{RawCell, RawMarker, RawPartition, RawRow, RawValues};
use crate::data::walk::Sink;
use crate::data::{DataFormat, Deletion};
use crate::keys::{
    ClusteringSchema, Decorated, Dialect, Hash, KeySchema, Partitioner, Token, murmur3,
};
use crate::pos::FilePos;
use crate::table::Part;
use std::cmp::Ordering;

/// Findings after which the walk pauses, so that they are handed on.
const MOST_PENDING: usize = 16;

/// What of the table is needed to compare.
pub(super) struct Context<'t> {
    pub format: &'t DataFormat,
    pub order: &'t RowOrder,
    pub partitioner: &'t Partitioner,
    pub keys: &'t KeySchema,
    pub clustering: &'t ClusteringSchema,
    pub dialect: Dialect,
}

/// Findings that are still to be handed on, each with the position in Data.db that it rests on.
#[derive(Debug, Default)]
pub(super) struct Pending(pub Vec<(u64, Finding)>);

/// A row or marker that is met.
pub(super) struct Met<'a> {
    pub partition: u64,
    pub at: u64,
    pub kind: BoundKind,
    pub values: RawValues<'a>,
    /// What was met before it in the partition.
    pub previous: Option<(BoundKind, RawValues<'a>)>,
    /// The range deletion that is open before it.
    pub open: Option<Deletion>,
}

/// What is known of the partition that is read, and of all before it.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// Position of the partition, its key, its hash and its deletion.
    pub partition: u64,
    pub key: Vec<u8>,
    pub hash: Option<Hash>,
    pub deletion: Option<Deletion>,
    /// The partition is still to be found in the index.
    pub is_unmatched: bool,
    pub blocks: Blocks,
    pub totals: Totals,
    pub pending: Pending,
    /// Position behind what was met last.
    pub at: u64,
    token: Option<Token>,
    key_before: Vec<u8>,
    /// Clustering values of what was met last in the partition.
    values: Vec<u8>,
    count: usize,
    kind: Option<BoundKind>,
    last_start: u64,
    open: Option<Deletion>,
    /// The row that is read is the static one.
    is_static_row: bool,
}

/// Listens to the walk.
pub(super) struct Listener<'a, 't> {
    pub context: &'a Context<'t>,
    pub reading: &'a mut Reading,
    /// Where to pause.
    pub until: u64,
}

impl Pending {
    pub(super) fn push(&mut self, at: u64, finding: Finding) {
        self.0.push((at, finding));
    }

    fn is_full(&self) -> bool {
        self.0.len() >= MOST_PENDING
    }
}

impl Reading {
    pub(super) fn new(totals: Totals) -> Self {
        Self { totals, ..Self::default() }
    }

    /// Forgets the partition, of which the rest could not be read.
    pub(super) fn lose(&mut self) {
        (self.is_unmatched, self.blocks, self.kind, self.open) = (false, Blocks::None, None, None);
    }

    /// A partition begins.
    pub(super) fn begin(&mut self, context: &Context<'_>, head: &RawPartition<'_>) {
        std::mem::swap(&mut self.key, &mut self.key_before);
        self.key.clear();
        self.key.extend_from_slice(head.key);
        let hash = murmur3(head.key);
        let token = match context.partitioner {
            Partitioner::Murmur3 => Token::Murmur3(Token::of_murmur3(head.key, hash)),
            other => other.token(head.key),
        };
        if let Some(before) = &self.token
            && !matches!(context.partitioner, Partitioner::Unknown(_))
        {
            let before = Decorated { token: before, key: &self.key_before };
            if before.order(&Decorated { token: &token, key: &self.key }) != Ordering::Less {
                let expected = format!("a key behind {}", context.keys.to_text(&self.key_before));
                let found = context.keys.to_text(head.key);
                let finding = Finding::new(data::KEY_ORDER, "partition key", expected, found);
                self.pending.push(head.at, finding.at(Part::Data, FilePos(head.at)).key(head.key));
            }
        }
        (self.token, self.hash) = (Some(token), Some(hash));
        (self.partition, self.deletion, self.last_start) = (head.at, head.deletion, head.at);
        (self.kind, self.open, self.at) = (None, None, head.end);
        self.is_unmatched = true;
        if let Some(deletion) = head.deletion {
            self.totals.partition_deletion();
            self.totals.deletion(deletion);
        }
    }

    /// A row or marker is met.
    fn meet(
        &mut self,
        context: &Context<'_>,
        (at, stored_previous): (u64, u64),
        kind: BoundKind,
        values: RawValues<'_>,
    ) {
        let distance = at.saturating_sub(self.last_start);
        if stored_previous != distance {
            let (expected, found) = (distance.to_string(), stored_previous.to_string());
            self.fault(Finding::new(data::PREVIOUS_SIZE, "previous size", expected, found), at);
        }
        self.last_start = at;
        let before = RawValues { bytes: &self.values, count: self.count };
        let previous = self.kind.map(|kind| (kind, before));
        if let Some((before_kind, before)) = previous
            && context.order.is_known()
        {
            let before = Place { side: before_kind.side(), values: before };
            let here = Place { side: kind.side(), values };
            if context.order.compare(context.format, before, here) != Ordering::Less {
                let found = text(context, values);
                let expected = format!("a place behind {}", text(context, before.values));
                let finding = Finding::new(data::ROW_ORDER, "clustering", expected, found);
                let finding = finding.at(Part::Data, FilePos(at)).key(&self.key);
                self.pending.push(at, finding);
            }
        }
        let met = Met { partition: self.partition, at, kind, values, previous, open: self.open };
        self.blocks.met(context, &met, &mut self.pending);
        if self.kind.is_none() {
            self.totals.first(context, values, &self.key);
        }
        self.values.clear();
        self.values.extend_from_slice(values.bytes);
        (self.count, self.kind) = (values.count, Some(kind));
    }

    /// The deletions of a marker, against the one that is open.
    fn range(&mut self, at: u64, closes: Option<Deletion>, opens: Option<Deletion>) {
        let wrong = match (self.open, closes) {
            (Some(open), Some(closes)) => open != closes,
            (None, None) => false,
            _ => true,
        };
        if wrong {
            let expected = match self.open {
                Some(_) => format!("one that closes {}", deletion(self.open)),
                None => "one that opens a range, as none is open".to_owned(),
            };
            let found = match closes {
                Some(_) => format!("one that closes {}", deletion(closes)),
                None => "one that opens another".to_owned(),
            };
            self.fault(Finding::new(data::MARKERS, "range tombstone marker", expected, found), at);
        }
        self.open = opens;
        for deletion in [closes, opens].into_iter().flatten() {
            self.totals.deletion(deletion);
        }
    }

    fn end(&mut self, context: &Context<'_>, at: u64) {
        if self.open.is_some() {
            let expected = "none, as the partition ends";
            let finding = Finding::new(data::MARKERS, "open range", expected, deletion(self.open));
            self.fault(finding, at);
        }
        let values = RawValues { bytes: &self.values, count: self.count };
        let last = self.kind.map(|kind| (kind, values));
        if let Some((_, values)) = last {
            self.totals.last(context, values, &self.key);
        }
        self.blocks.ended(context, (self.partition, at), last, &mut self.pending);
        self.at = at.saturating_add(1);
    }

    #[cold]
    fn fault(&mut self, finding: Finding, at: u64) {
        let finding = finding.at(Part::Data, FilePos(at)).key(&self.key);
        self.pending.push(at, finding);
    }
}

impl Listener<'_, '_> {
    /// Whether nothing is to be done before the walk goes on.
    pub(super) fn goes_on(&self) -> bool {
        let reading = &self.reading;
        !(reading.is_unmatched
            || reading.blocks.needs_more()
            || reading.pending.is_full()
            || reading.at >= self.until)
    }
}

impl Sink for Listener<'_, '_> {
    fn partition(&mut self, head: &RawPartition<'_>) -> bool {
        self.reading.begin(self.context, head);
        self.goes_on()
    }

    fn row(&mut self, _: &DataFormat, row: &RawRow<'_>) {
        let reading = &mut *self.reading;
        reading.at = row.end;
        reading.is_static_row = row.is_static;
        if !row.is_static {
            let at = (row.at, row.previous);
            reading.meet(self.context, at, BoundKind::Row, row.clustering);
        }
        reading.totals.row(row);
    }

    fn complex(&mut self, column: usize, deletion: Option<Deletion>) {
        self.reading.totals.complex(column, deletion);
    }

    #[inline]
    fn cell(&mut self, cell: &RawCell<'_>) {
        self.reading.totals.cell(cell);
    }

    fn row_end(&mut self) -> bool {
        self.reading.totals.row_end(self.reading.is_static_row);
        self.goes_on()
    }

    fn marker(&mut self, _: &DataFormat, marker: &RawMarker<'_>) -> bool {
        let reading = &mut *self.reading;
        reading.at = marker.end;
        let at = (marker.at, marker.previous);
        reading.meet(self.context, at, marker.kind, marker.clustering);
        reading.range(marker.at, marker.closes, marker.opens);
        self.goes_on()
    }

    fn partition_end(&mut self, _: u64, at: u64) -> bool {
        self.reading.end(self.context, at);
        self.goes_on()
    }
}

/// Whether two deletions are the same. The indexes store local times in 32 bits, with or without a sign.
pub(super) fn same_deletion(a: Option<Deletion>, b: Option<Deletion>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => {
            a.timestamp == b.timestamp && (a.local_time ^ b.local_time) & 0xffff_ffff == 0
        }
        _ => false,
    }
}

/// Clustering values as text.
pub(super) fn text(context: &Context<'_>, values: RawValues<'_>) -> String {
    context.clustering.to_text(values.iter(context.format))
}
