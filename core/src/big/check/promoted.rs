//! The blocks of one promoted index, read one after the other beside the table of their offsets.

use super::bounds::{self, Place};
use super::facts::{EndMarker, PromotedFacts, Widths};
use super::quantiles::Quantiles;
use crate::big::promoted::Rest;
use crate::big::{BoundKind, EntryHead, PromotedHead, parse};
use crate::check::catalog::index::{
    BLOCK, BLOCK_END, BLOCK_OFFSETS, BLOCK_ORDER, BLOCKS_CONTIGUOUS, ONE_BLOCK, OPEN_MARKER,
    PROMOTED_HEAD, PROMOTED_SIZE,
};
use crate::check::{Finding, Findings};
use crate::error::{Error, Miss, ReadError};
use crate::keys::ClusteringSchema;
use crate::pos::{DataPos, FilePos, len64};
use crate::source::{Pages, Source};
use crate::table::{IndexFormat, Part, Version};
use serde_bytes::ByteBuf;
use std::cmp::Ordering;
use std::mem::swap;

/// Bytes announced to the source at once, of blocks and of offsets.
const AHEAD: u64 = 128 << 10;

/// What the walk needs to know of the table.
#[derive(Clone, Copy)]
pub(super) struct Shape<'a> {
    pub(super) version: Version,
    /// The clustering columns; blocks cannot be read without them.
    pub(super) schema: Option<&'a ClusteringSchema>,
    /// The fixed lengths of their values.
    pub(super) lengths: &'a [Option<u32>],
}

impl Shape<'_> {
    /// Whether blocks are bounded by names of cells and have no table of offsets, as before `ma`.
    fn is_fixed(self) -> bool {
        self.version.formats().index == IndexFormat::Fixed
    }
}

/// Where findings about one partition go.
struct Sink<'a> {
    key: &'a [u8],
    findings: &'a mut Findings,
}

impl Sink<'_> {
    fn add(&mut self, finding: Finding) {
        self.findings.add(finding.key(self.key));
    }
}

/// A walk over the blocks of one entry. It is used again for the next entry, for its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct PromotedWalk {
    entry: FilePos,
    data: DataPos,
    at: FilePos,
    size: u64,
    head: Option<PromotedHead>,
    /// Number of the next block, and where it must begin.
    next: u64,
    block_at: FilePos,
    /// End of the block before, from the partition's start; and where it would be had that block begun where it must.
    end: u64,
    end_else: u64,
    /// Whether all blocks were read.
    whole: bool,
    /// Bytes that mark the end of a partition: an empty cell name before `ma`, one since.
    end_marker_bytes: u64,
    /// The block before: its position, its last bound, whether it leaves a deletion open.
    before: FilePos,
    last: Place,
    open: bool,
    /// The block that is read.
    read_first: Place,
    read_last: Place,
    opens: u64,
    widths: Quantiles,
    last_width: u64,
    buffer: Vec<u8>,
    announced: (FilePos, FilePos),
}

impl PromotedWalk {
    /// Begins with another entry, which has a promoted index.
    pub(super) fn begin(&mut self, head: &EntryHead) {
        (self.entry, self.data) = (head.at, head.data);
        self.at = head.promoted_at();
        self.size = head.promoted_size;
        self.head = None;
        (self.next, self.end, self.opens, self.last_width) = (0, 0, 0, 0);
        (self.whole, self.open) = (false, false);
        self.widths = Quantiles::default();
        self.announced = (FilePos(0), FilePos(0));
    }

    /// Reads on until about `budget` bytes were looked at; the second answer is whether nothing is left.
    pub(super) fn step<S: Source>(
        &mut self,
        index: &S,
        shape: Shape<'_>,
        key: &[u8],
        budget: u64,
        findings: &mut Findings,
    ) -> Result<(u64, bool), Miss> {
        let (mut unheard, mut unheard_too) = ((), ());
        let mut blocks = Pages::new(Part::Index, index, &mut unheard);
        let mut offsets = Pages::new(Part::Index, index, &mut unheard_too);
        let Some(head) = self.head(&mut blocks, shape.version, key, findings)? else {
            return Ok((self.size, true));
        };
        self.end_marker_bytes = if shape.is_fixed() { 2 } else { 1 };
        if shape.schema.is_none() && !shape.is_fixed() {
            return Ok((self.size, true));
        }
        let start = self.block_at.0.saturating_add(self.next * 4);
        let mut looked = 0;
        while self.next < head.blocks && looked < budget {
            let mut sink = Sink { key, findings };
            if let Some(finding) = self.block(&mut blocks, &mut offsets, shape, &mut sink)? {
                // What follows can no longer be told apart from it.
                sink.add(finding);
                return Ok((self.size, true));
            }
            looked = self.block_at.0.saturating_add(self.next * 4).saturating_sub(start);
        }
        if self.next < head.blocks {
            return Ok((looked, false));
        }
        self.whole = true;
        if self.block_at != head.offsets_at {
            let expected = match shape.is_fixed() {
                true => format!("at {}, the end of the promoted index", head.offsets_at),
                false => format!("at {}, where the table of offsets begins", head.offsets_at),
            };
            let found = format!("at {}", self.block_at);
            let finding = Finding::new(PROMOTED_SIZE, "end of the last block", expected, found);
            findings.add(finding.at(Part::Index, self.block_at).key(key));
            self.whole = false;
        } else if self.open {
            let found = "one is open behind the last block";
            findings.add(self.marker_finding("no open deletion", found).key(key));
        }
        Ok((looked, true))
    }

    /// The head of the promoted index; `None` when it cannot be read, which is said once.
    fn head<S: Source>(
        &mut self,
        pages: &mut Pages<'_, S, ()>,
        version: Version,
        key: &[u8],
        findings: &mut Findings,
    ) -> Result<Option<PromotedHead>, Miss> {
        if let Some(head) = self.head {
            return Ok(Some(head));
        }
        match found(PromotedHead::read(pages, self.at, self.size, version))? {
            Ok(head) => {
                (self.head, self.block_at) = (Some(head), head.blocks_at);
                (self.end, self.end_else) = (head.header_length, head.header_length);
                if head.blocks == 1 {
                    let finding = Finding::new(ONE_BLOCK, "block count", "2 or more", "1");
                    findings.add(finding.at(Part::Index, self.at).key(key));
                }
                Ok(Some(head))
            }
            Err(error) => {
                findings.add(Finding::unreadable(PROMOTED_HEAD, &error).key(key));
                Ok(None)
            }
        }
    }

    /// Reads one block and compares it with its offset and with the block before. Returns a finding that ends the walk;
    /// others go to `findings`. Nothing changes before all bytes are here.
    fn block<S: Source>(
        &mut self,
        blocks: &mut Pages<'_, S, ()>,
        offsets: &mut Pages<'_, S, ()>,
        shape: Shape<'_>,
        findings: &mut Sink<'_>,
    ) -> Result<Option<Finding>, Miss> {
        let Some(head) = self.head else { return Ok(None) };
        let at = self.block_at;
        self.announce(blocks, &head)?;
        if let Some(finding) = self.offset(offsets, &head, shape)? {
            return Ok(Some(finding));
        }
        let Self { read_first, read_last, buffer, .. } = self;
        let read = parse(blocks, at, head.offsets_at, buffer, |cursor| {
            if shape.is_fixed() {
                return Rest::read_fixed(cursor);
            }
            read_first.read(cursor, shape.lengths)?;
            read_last.read(cursor, shape.lengths)?;
            Rest::read(cursor, shape.version)
        });
        let (rest, size) = match found(read)? {
            Ok((rest, size)) => (rest, len64(size)),
            Err(error) => return Ok(Some(Finding::unreadable(BLOCK, &error))),
        };
        self.contiguous(&rest, findings);
        // Before `ma` bounds are names of cells, which tell neither their types nor what is open behind them.
        if let Some(schema) = shape.schema.filter(|_| !shape.is_fixed()) {
            self.order(schema, findings);
            self.markers(rest.open.is_some(), findings);
        }
        if self.next > 0 {
            self.widths.add(self.last_width, 1);
        }
        self.last_width = rest.width;
        self.opens += u64::from(rest.open.is_some());
        self.open = rest.open.is_some();
        let must = if rest.offset == self.end_else { self.end_else } else { self.end };
        self.end = rest.offset.saturating_add(rest.width);
        self.end_else = must.saturating_add(rest.width);
        swap(&mut self.last, &mut self.read_last);
        self.before = at;
        self.next += 1;
        self.block_at = FilePos(at.0.saturating_add(size));
        Ok(None)
    }

    /// Compares the place of the block with its offset in the table, where there is a table.
    fn offset<S: Source>(
        &mut self,
        offsets: &mut Pages<'_, S, ()>,
        head: &PromotedHead,
        shape: Shape<'_>,
    ) -> Result<Option<Finding>, Miss> {
        if shape.is_fixed() {
            return Ok(None);
        }
        let (at, number) = (self.block_at, self.next);
        let offset_at = head.offset_at(number);
        let offset = parse(offsets, offset_at, head.end, &mut self.buffer, |cursor| {
            cursor.u32("block offset")
        });
        let offset = match found(offset)? {
            Ok((offset, _)) => u64::from(offset),
            Err(error) => return Ok(Some(Finding::unreadable(BLOCK_OFFSETS, &error))),
        };
        let starts = at.0.saturating_sub(head.blocks_at.0);
        if offset != starts {
            let (expected, found) = (starts.to_string(), offset.to_string());
            let field = format!("offset of block {number}");
            let finding = Finding::new(BLOCK_OFFSETS, field, expected, found);
            return Ok(Some(finding.at(Part::Index, offset_at).len(4)));
        }
        Ok(None)
    }

    /// Says which blocks and which offsets come next.
    fn announce<S: Source>(
        &mut self,
        pages: &mut Pages<'_, S, ()>,
        head: &PromotedHead,
    ) -> Result<(), Miss> {
        let offset_at = head.offset_at(self.next);
        let (blocks, offsets) = &mut self.announced;
        for (until, at) in [(blocks, self.block_at), (offsets, offset_at)] {
            // Without a table of offsets there is nothing to announce of it.
            if at >= *until && at < head.end {
                let to = FilePos(at.0.saturating_add(AHEAD).min(head.end.0));
                missed(pages.expect(at, to))?;
                *until = to;
            }
        }
        Ok(())
    }

    fn contiguous(&self, rest: &Rest, findings: &mut Sink<'_>) {
        // A block with a wrong start is one fault: the next one may follow either.
        if rest.offset == self.end || rest.offset == self.end_else {
            return;
        }
        let expected = match self.next {
            0 => format!("{}, the length of the partition's head", self.end),
            _ => format!("{}, where the block before ends", self.end),
        };
        let field = format!("start of block {}", self.next);
        let finding = Finding::new(BLOCKS_CONTIGUOUS, field, expected, rest.offset.to_string());
        findings.add(self.about(finding));
    }

    fn order(&self, schema: &ClusteringSchema, findings: &mut Sink<'_>) {
        let number = self.next;
        let (first, last) = (&self.read_first, &self.read_last);
        if bounds::order(schema, first, last) == Ordering::Greater {
            let expected = format!("at or behind {}, the first one", first.words(schema));
            let field = format!("last clustering of block {number}");
            let finding = Finding::new(BLOCK_ORDER, field, expected, last.words(schema));
            findings.add(self.about(finding));
            return;
        }
        if number == 0 {
            return;
        }
        let rows = self.last.kind == BoundKind::Row && first.kind == BoundKind::Row;
        let wrong = match bounds::order(schema, &self.last, first) {
            Ordering::Less => false,
            // A row is in one block. Equal columns of an unknown order are not told apart.
            Ordering::Equal => rows && self.last.same(first),
            Ordering::Greater => true,
        };
        if wrong {
            let last = self.last.words(schema);
            let expected = format!("behind {last}, the last one of the block before");
            let field = format!("first clustering of block {number}");
            let finding = Finding::new(BLOCK_ORDER, field, expected, first.words(schema));
            findings.add(self.about(finding));
        }
    }

    /// What kinds of bounds tell of the deletions between them.
    fn markers(&self, open: bool, findings: &mut Sink<'_>) {
        if self.next > 0 && ends_one(self.read_first.kind) == Some(!self.open) {
            let (expected, found) = if self.open {
                ("no open deletion, for the next block begins with the start of one", "one")
            } else {
                ("an open deletion, for the next block begins with the end of one", "none")
            };
            let finding = self.marker_finding(expected, found);
            findings.add(finding);
        } else if starts_one(self.read_last.kind) == Some(!open) {
            let (expected, found) = if open {
                ("no open deletion, for the block ends with the end of one", "one")
            } else {
                ("an open deletion, for the block ends with the start of one", "none")
            };
            let field = format!("open marker of block {}", self.next);
            findings.add(self.about(Finding::new(OPEN_MARKER, field, expected, found)));
        }
    }

    /// A finding about the marker of the block before.
    fn marker_finding(&self, expected: &'static str, found: &'static str) -> Finding {
        let field = format!("open marker of block {}", self.next.saturating_sub(1));
        Finding::new(OPEN_MARKER, field, expected, found).at(Part::Index, self.before)
    }

    /// At the block that is read.
    fn about(&self, finding: Finding) -> Finding {
        finding.at(Part::Index, self.block_at)
    }

    /// What the promoted index came to; `partition` is the size of the partition where it is known. Says when the last
    /// block ends elsewhere than the partition.
    pub(super) fn close(
        &self,
        key: &[u8],
        partition: Option<u64>,
        findings: &mut Findings,
    ) -> PromotedFacts {
        let end_marker = match partition {
            Some(bytes) if self.whole && self.end == bytes => EndMarker::Included,
            Some(bytes)
                if self.whole && self.end.checked_add(self.end_marker_bytes) == Some(bytes) =>
            {
                EndMarker::Excluded
            }
            Some(bytes) if self.whole => {
                let before = bytes.saturating_sub(self.end_marker_bytes);
                let expected = format!("{bytes}, the end of the partition, or {before}");
                let field = format!("end of block {}", self.next.saturating_sub(1));
                let finding = Finding::new(BLOCK_END, field, expected, self.end.to_string());
                findings.add(finding.at(Part::Index, self.before).key(key));
                EndMarker::Unknown
            }
            _ => EndMarker::Unknown,
        };
        let widths = self.whole.then(|| match self.widths.count() {
            0 => Widths {
                least: self.last_width,
                median: self.last_width,
                greatest: self.last_width,
                sum: self.last_width,
            },
            _ => Widths {
                least: self.widths.least(),
                median: self.widths.median(),
                greatest: self.widths.greatest().max(self.last_width),
                sum: self.widths.sum().saturating_add(self.last_width),
            },
        });
        PromotedFacts {
            key: ByteBuf::from(key),
            entry: self.entry,
            data: self.data,
            partition_bytes: partition,
            bytes: self.size,
            header_length: self.head.map_or(0, |head| head.header_length),
            deletion: self.head.and_then(|head| head.deletion),
            blocks: self.head.map_or(0, |head| head.blocks),
            open: self.opens,
            widths,
            end_marker,
        }
    }

    /// Position of the partition in Data.db.
    pub(super) fn data(&self) -> DataPos {
        self.data
    }

    /// The head, where it could be read.
    pub(super) fn known_head(&self) -> Option<&PromotedHead> {
        self.head.as_ref()
    }
}

/// Whether a deletion is open behind a marker; rows do not tell.
fn starts_one(kind: BoundKind) -> Option<bool> {
    match kind {
        BoundKind::Row => None,
        BoundKind::ExclusiveEnd | BoundKind::InclusiveEnd => Some(false),
        BoundKind::InclusiveStart
        | BoundKind::ExclusiveStart
        | BoundKind::ExclusiveEndInclusiveStart
        | BoundKind::InclusiveEndExclusiveStart => Some(true),
    }
}

/// Whether a deletion is open before a marker; rows do not tell.
fn ends_one(kind: BoundKind) -> Option<bool> {
    match kind {
        BoundKind::Row => None,
        BoundKind::InclusiveStart | BoundKind::ExclusiveStart => Some(false),
        BoundKind::ExclusiveEnd
        | BoundKind::InclusiveEnd
        | BoundKind::ExclusiveEndInclusiveStart
        | BoundKind::InclusiveEndExclusiveStart => Some(true),
    }
}

/// Damage as a value; a miss ends the step.
pub(super) fn found<T>(result: Result<T, Error>) -> Result<Result<T, Box<ReadError>>, Miss> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(Error::Miss(miss)) => Err(miss),
        Err(Error::Damage(error)) => Ok(Err(error)),
    }
}

/// A source that announces nothing new but damage is asked for the page itself, which says what is wrong.
pub(super) fn missed(result: Result<(), Error>) -> Result<(), Miss> {
    found(result).map(|_| ())
}
