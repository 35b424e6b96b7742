//! Data.db of one version written as that of another, as a stream (`docs/format/data.md`, versions).
//!
//! What differs is the head of a partition, the meaning of a local deletion time's highest bit, and the local time of a
//! collection that is not deleted. As heads grow or shrink, so do the previous sizes behind them, and with these the sizes
//! of bodies. All else is passed on byte for byte. Memory is bounded by the head of a row, or by one cell.

use super::raw::{
    self, Cells, Head, HeadKind, RawCell, RawCells, RawMarker, RawRow, RawUnfiltered,
};
use super::walk::{end_of_need, static_row};
use super::{DataFormat, DataReader, Deletion, Life};
use crate::cursor::Cursor;
use crate::error::Error;
use crate::pos::{DataPos, FilePos, len64, mem};
use crate::source::Source;
use crate::table::{DeletionForm, Part, Product, Version};
use crate::vint::uvint;
use crate::write::Sink;
use std::fmt;

/// What a version cannot hold, found in Data.db. Positions are those of the uncompressed source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowRefusal {
    /// A local deletion time or an expiry, in seconds since 1970, that the target cannot store.
    Time {
        /// Whose it is.
        of: &'static str,
        /// Where the row, marker, cell or partition begins.
        at: DataPos,
        /// The time.
        found: i64,
        /// The greatest time that the target stores; the least is 0.
        most: i64,
    },
    /// A deletion with a negative timestamp: the compact form begins with it and takes its sign for something else.
    NegativeTimestamp {
        /// Where the partition or marker begins.
        at: DataPos,
        /// The timestamp, microseconds.
        found: i64,
    },
    /// The second deletion of a row, which only ScyllaDB writes.
    SecondDeletion {
        /// Where the row begins.
        at: DataPos,
    },
    /// A shadowable deletion as Cassandra marks it, which ScyllaDB refuses.
    Shadowable {
        /// Where the row begins.
        at: DataPos,
    },
}

/// Why a stretch of Data.db was not rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RewriteError {
    /// It cannot be read; a miss is answered by going on.
    Read(Error),
    /// It can be read and not be written.
    Refused(RowRefusal),
}

impl From<Error> for RewriteError {
    fn from(error: Error) -> Self {
        Self::Read(error)
    }
}

/// What passed by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// Partitions.
    pub partitions: u64,
    /// Serialized key of the first one.
    pub first: Vec<u8>,
    /// Serialized key of the last one.
    pub last: Vec<u8>,
    /// Whether one of them is deleted as a whole.
    pub has_partition_deletions: bool,
    /// Deletions of collections whose "not deleted" was written with another local time.
    pub live_pairs: u64,
    /// Bytes written.
    pub bytes: u64,
}

/// Rewrites from the first partition to the end.
#[derive(Clone, Debug)]
pub struct Rewriter {
    format: DataFormat,
    rules: Rules,
    at: u64,
    state: State,
    /// What live pairs make the row at a position longer, once counted.
    growth: Option<(u64, i64)>,
    done: Rewritten,
    scratch: Vec<u8>,
}

/// What the target holds.
#[derive(Clone, Copy, Debug)]
struct Rules {
    compact: bool,
    /// The local time of a collection that is not deleted, as it is stored, where it is to be replaced.
    live_time: Option<u32>,
    /// The greatest local deletion time; `None` where times are passed on as they are.
    most: Option<i64>,
    second_deletion: bool,
    shadowable: bool,
}

#[derive(Clone, Debug)]
enum State {
    Partition,
    Unfiltered(Place),
    Cells(Place, Row),
    /// In a value of which the rest, up to a position, is passed on as it is.
    Value(Place, Row, u64),
}

/// Where the next row or marker stands in what is written.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Start of the partition in what is written.
    partition: u64,
    /// Start of what comes before: of a row or marker, or of the partition.
    before: u64,
    is_first: bool,
}

#[derive(Clone, Debug)]
struct Row {
    cells: Cells,
    has_deletions: bool,
}

enum Stretch {
    Passed,
    /// A row has deletions of collections: how it grows must be counted before its head is written.
    Count(u64, Row, u64),
    End,
}

impl Rewriter {
    /// From the data of `from`, decoded as `format` says, to that of `to`. Both must have rows.
    pub fn new(format: DataFormat, from: Version, to: Version) -> Self {
        let (source, target) = (from.formats(), to.formats());
        let compact = target.deletion == DeletionForm::Compact;
        let product = to.product();
        let changes_sign = target.deletion != source.deletion;
        // The last number of each range means "none".
        let most = if compact { i64::from(u32::MAX) - 1 } else { i64::from(i32::MAX) - 1 };
        let written = target.live_times.first().copied();
        let known = source.live_times.iter().all(|time| target.live_times.contains(time));
        let rules = Rules {
            compact,
            live_time: written.filter(|_| !known),
            most: changes_sign.then_some(most),
            second_deletion: matches!(product, Product::ScyllaDb | Product::Either),
            shadowable: !matches!(product, Product::ScyllaDb),
        };
        let (state, done, scratch) = (State::Partition, Rewritten::default(), Vec::new());
        Self { format, rules, at: 0, state, growth: None, done, scratch }
    }

    /// Position in the source of what comes next.
    pub fn at(&self) -> DataPos {
        DataPos(self.at)
    }

    /// What passed by so far.
    pub fn done(&self) -> &Rewritten {
        &self.done
    }

    /// Goes on until at least `budget` bytes of the source are passed (`false`) or it ends (`true`). `each` hears the key and the size
    /// of each partition in bytes as it is written.
    ///
    /// # Errors
    /// A miss: call again, it goes on where it was. Damage and refusals: there is no going on.
    pub fn run<S: Source>(
        &mut self,
        reader: &mut DataReader<'_, S>,
        budget: u64,
        out: &mut impl Sink,
        mut each: impl FnMut(&[u8], u64),
    ) -> Result<bool, RewriteError> {
        let length = reader.len();
        let until = self.at.saturating_add(budget);
        while self.at < until {
            let bytes = reader.window(DataPos(self.at))?;
            match self.stretch(bytes, length, until, out, &mut each) {
                Ok(Stretch::Passed) => {}
                Ok(Stretch::End) => return Ok(true),
                Ok(Stretch::Count(row_at, row, cells_at)) => {
                    let growth = self.count(reader, row, cells_at, length)?;
                    self.growth = Some((row_at, growth));
                }
                Err(RewriteError::Read(Error::Damage(error))) => {
                    let end = end_of_need(*error, self.at, length)?;
                    reader.extend_to(end)?;
                }
                Err(other) => return Err(other),
            }
        }
        Ok(false)
    }

    fn stretch(
        &mut self,
        bytes: &[u8],
        length: u64,
        until: u64,
        out: &mut impl Sink,
        each: &mut impl FnMut(&[u8], u64),
    ) -> Result<Stretch, RewriteError> {
        let base = self.at;
        let piece = |from: u64, to: u64| {
            let place = |at: u64| mem(at.saturating_sub(base)).unwrap_or(usize::MAX);
            bytes.get(place(from)..place(to)).unwrap_or(&[])
        };
        let mut cursor = Cursor::new(Part::Data, FilePos(base), bytes);
        // An element that the bytes cut off is an error before anything of it is written.
        while self.at < until {
            match &mut self.state {
                State::Partition => {
                    if self.at == length {
                        return Ok(Stretch::End);
                    }
                    let head = raw::partition(&self.format.rows, &mut cursor)?;
                    self.rules.partition(head.at, head.deletion)?;
                    self.scratch.clear();
                    self.scratch.extend(piece(head.at, head.at + 2));
                    self.scratch.extend_from_slice(head.key);
                    if self.rules.compact {
                        Deletion::write_compact(head.deletion, &mut self.scratch);
                    } else {
                        Deletion::write_legacy(head.deletion, &mut self.scratch);
                    }
                    if self.done.partitions == 0 {
                        self.done.first = head.key.to_vec();
                    }
                    self.done.last.clear();
                    self.done.last.extend_from_slice(head.key);
                    self.done.partitions += 1;
                    self.done.has_partition_deletions |= head.deletion.is_some();
                    let partition = self.done.bytes;
                    let place = Place { partition, before: partition, is_first: true };
                    self.state = State::Unfiltered(place);
                    put(&self.scratch, &mut self.done, out);
                }
                State::Unfiltered(place) => {
                    let place = *place;
                    let mut probe = cursor.clone();
                    let head = raw::head(&self.format.rows, &mut probe)?;
                    let (mut rest_at, mut previous) = (probe.pos().0, 0);
                    if head.kind != HeadKind::End {
                        previous = probe.uvint("previous size")?;
                        rest_at = probe.pos().0;
                    }
                    let start = self.done.bytes;
                    let unfiltered = raw::unfiltered(&self.format, &mut cursor, length)?;
                    let (end, next) = match unfiltered {
                        RawUnfiltered::End(at) => {
                            put(piece(at, at + 1), &mut self.done, out);
                            each(&self.done.last, self.done.bytes - place.partition);
                            self.state = State::Partition;
                            self.at = cursor.pos().0;
                            continue;
                        }
                        RawUnfiltered::Marker(marker) => {
                            self.rules.marker(&marker)?;
                            let next = Place { before: start, is_first: false, ..place };
                            (marker.end, State::Unfiltered(next))
                        }
                        RawUnfiltered::Row(row, cells) => {
                            if row.is_static && !place.is_first {
                                return Err(static_row(row.at).into());
                            }
                            self.rules.row(&row)?;
                            let has_deletions = head.flags & raw::HAS_COMPLEX_DELETION != 0;
                            let inside = Row { cells, has_deletions };
                            let is_counted = self.growth.is_some_and(|(at, _)| at == row.at);
                            if has_deletions && self.rules.live_time.is_some() && !is_counted {
                                return Ok(Stretch::Count(row.at, inside, cursor.pos().0));
                            }
                            // A static row is not counted as what lies before the next one.
                            let before = if row.is_static { place.before } else { start };
                            let next = Place { before, is_first: false, ..place };
                            (row.end, State::Cells(next, inside))
                        }
                    };
                    let growth = match self.growth.take() {
                        Some((_, growth)) => growth,
                        None => 0,
                    };
                    let is_static = head.kind == HeadKind::Static;
                    let previous = if is_static { previous } else { start - place.before };
                    let rest = end.saturating_sub(rest_at).saturating_add_signed(growth);
                    write_head(&head, rest, previous, &mut self.scratch);
                    self.scratch.extend_from_slice(piece(rest_at, cursor.pos().0));
                    put(&self.scratch, &mut self.done, out);
                    self.state = next;
                }
                State::Cells(place, row) => {
                    let before = cursor.clone();
                    match row.cells.next(&self.format, &mut cursor)? {
                        None => self.state = State::Unfiltered(*place),
                        Some(RawCells::Complex { deletion, .. }) => {
                            self.rules.complex(self.at, deletion)?;
                            let written = match self.rules.live_time.filter(|_| row.has_deletions) {
                                Some(live) => live_pair(&self.format, &before, live)?,
                                None => None,
                            };
                            match written {
                                Some((pair, end)) => {
                                    put(&pair, &mut self.done, out);
                                    put(piece(end, cursor.pos().0), &mut self.done, out);
                                    self.done.live_pairs += 1;
                                }
                                None => {
                                    put(piece(self.at, cursor.pos().0), &mut self.done, out);
                                }
                            }
                        }
                        Some(RawCells::Cell(cell)) => {
                            self.rules.cell(&cell)?;
                            put(piece(self.at, cursor.pos().0), &mut self.done, out);
                            if cell.cut > 0 {
                                let (place, row, to) = (*place, row.clone(), cell.end);
                                self.at = cursor.pos().0;
                                self.state = State::Value(place, row, to);
                                continue;
                            }
                        }
                    }
                }
                State::Value(place, row, to) => {
                    let here = base.saturating_add(len64(bytes.len())).min(*to);
                    put(piece(self.at, here), &mut self.done, out);
                    let is_over = here == *to;
                    self.at = here;
                    if is_over {
                        self.state = State::Cells(*place, row.clone());
                    }
                    // The cursor stands where the kept part of the value ended.
                    return Ok(Stretch::Passed);
                }
            }
            self.at = cursor.pos().0;
        }
        Ok(Stretch::Passed)
    }

    /// How many bytes longer a row gets by its live pairs; negative where it gets shorter.
    fn count<S: Source>(
        &self,
        reader: &mut DataReader<'_, S>,
        mut row: Row,
        cells_at: u64,
        length: u64,
    ) -> Result<i64, RewriteError> {
        let Some(live) = self.rules.live_time else { return Ok(0) };
        let (mut at, mut growth) = (cells_at, 0i64);
        loop {
            let bytes = reader.window(DataPos(at))?;
            let mut cursor = Cursor::new(Part::Data, FilePos(at), bytes);
            let missing = loop {
                let before = cursor.clone();
                match row.cells.next(&self.format, &mut cursor) {
                    Ok(None) => return Ok(growth),
                    Ok(Some(RawCells::Complex { .. })) => {
                        if let Some((pair, end)) = live_pair(&self.format, &before, live)? {
                            let was = end.saturating_sub(before.pos().0);
                            growth += len64(pair.len()).cast_signed() - was.cast_signed();
                        }
                    }
                    Ok(Some(RawCells::Cell(cell))) if cell.cut > 0 => {
                        at = cell.end;
                        break None;
                    }
                    Ok(Some(RawCells::Cell(_))) => {}
                    Err(Error::Damage(error)) => break Some(error),
                    Err(miss) => return Err(miss.into()),
                }
                at = cursor.pos().0;
            };
            if let Some(error) = missing {
                let end = end_of_need(*error, at, length)?;
                reader.extend_to(end)?;
            }
        }
    }
}

impl Rules {
    fn time(&self, of: &'static str, at: u64, found: i64) -> Result<(), RewriteError> {
        match self.most {
            Some(most) if !(0..=most).contains(&found) => {
                let at = DataPos(at);
                Err(RewriteError::Refused(RowRefusal::Time { of, at, found, most }))
            }
            _ => Ok(()),
        }
    }

    fn deletion(
        &self,
        of: &'static str,
        at: u64,
        deletion: Option<Deletion>,
    ) -> Result<(), RewriteError> {
        deletion.map_or(Ok(()), |deletion| self.time(of, at, deletion.local_time))
    }

    /// Deletions that the index repeats: in the compact form, a negative timestamp has no room.
    fn repeated(&self, at: u64, deletion: Option<Deletion>) -> Result<(), RewriteError> {
        match deletion.filter(|deletion| self.compact && deletion.timestamp < 0) {
            Some(Deletion { timestamp: found, .. }) => {
                let at = DataPos(at);
                Err(RewriteError::Refused(RowRefusal::NegativeTimestamp { at, found }))
            }
            None => Ok(()),
        }
    }

    fn partition(&self, at: u64, deletion: Option<Deletion>) -> Result<(), RewriteError> {
        self.repeated(at, deletion)?;
        self.deletion("the deletion of a partition", at, deletion)
    }

    fn marker(&self, marker: &RawMarker<'_>) -> Result<(), RewriteError> {
        for deletion in [marker.closes, marker.opens] {
            self.repeated(marker.at, deletion)?;
            self.deletion("a range deletion", marker.at, deletion)?;
        }
        Ok(())
    }

    fn row(&self, row: &RawRow<'_>) -> Result<(), RewriteError> {
        if let Some(expiry) = row.liveness.and_then(|liveness| liveness.expiry) {
            self.time("the expiry of a row", row.at, expiry.at)?;
        }
        let at = DataPos(row.at);
        if row.shadowable.is_some() && !self.second_deletion {
            return Err(RewriteError::Refused(RowRefusal::SecondDeletion { at }));
        }
        if row.deletion.is_some_and(|deletion| deletion.is_shadowable) && !self.shadowable {
            return Err(RewriteError::Refused(RowRefusal::Shadowable { at }));
        }
        let deletion = row.deletion.map(|deletion| deletion.deletion);
        for deletion in [deletion, row.shadowable] {
            self.deletion("the deletion of a row", row.at, deletion)?;
        }
        Ok(())
    }

    fn complex(&self, at: u64, deletion: Option<Deletion>) -> Result<(), RewriteError> {
        self.deletion("the deletion of a collection", at, deletion)
    }

    fn cell(&self, cell: &RawCell<'_>) -> Result<(), RewriteError> {
        match cell.life {
            Life::Live => Ok(()),
            Life::Expiring(expiry) => self.time("the expiry of a cell", cell.at, expiry.at),
            Life::Deleted { at } => self.time("the deletion of a cell", cell.at, at),
        }
    }
}

fn put(bytes: &[u8], done: &mut Rewritten, out: &mut impl Sink) {
    out.put(bytes);
    done.bytes = done.bytes.saturating_add(len64(bytes.len()));
}

/// Up to the previous size, inclusive; `rest` bytes of the body follow it.
fn write_head(head: &Head<'_>, rest: u64, previous: u64, out: &mut Vec<u8>) {
    out.clear();
    out.push(head.flags);
    if head.flags & raw::EXTENDED != 0 {
        out.push(head.extended);
    }
    if let HeadKind::Marker(kind) = head.kind {
        out.push(kind.byte());
        out.extend(u16::try_from(head.values.count).unwrap_or(u16::MAX).to_be_bytes());
    }
    out.extend_from_slice(head.values.bytes);
    // The body's size counts the previous size, which lies in it.
    let mut size = Vec::with_capacity(9);
    uvint(previous, &mut size);
    uvint(rest.saturating_add(len64(size.len())), out);
    out.extend(size);
}

/// The "not deleted" of a collection at the cursor with the local time `live`, and where the stored one ends; `None` where
/// the collection is deleted or the stored one has this time.
fn live_pair(
    format: &DataFormat,
    at: &Cursor<'_>,
    live: u32,
) -> Result<Option<(Vec<u8>, u64)>, Error> {
    let mut cursor = at.clone();
    let mut bytes = cursor.clone();
    if format.timestamp(&mut cursor)? != i64::MIN {
        return Ok(None);
    }
    let timestamp = bytes.take(cursor.used() - at.used(), "timestamp")?;
    let (stored, delta) = format.stored_local_time(&mut cursor, live)?;
    if stored == live {
        return Ok(None);
    }
    let mut pair = timestamp.to_vec();
    uvint(delta, &mut pair);
    Ok(Some((pair, cursor.pos().0)))
}

impl fmt::Display for RowRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time { of, at, found, most } => write!(
                f,
                "Data.db, offset {}: {of} is at {found} seconds since 1970, and the version holds 0 to {most}",
                at.0
            ),
            Self::NegativeTimestamp { at, found } => write!(
                f,
                "Data.db, offset {}: a deletion has the timestamp {found}, and the version holds none below 0",
                at.0
            ),
            Self::SecondDeletion { at } => write!(
                f,
                "Data.db, offset {}: a row has a second deletion, which only ScyllaDB reads",
                at.0
            ),
            Self::Shadowable { at } => write!(
                f,
                "Data.db, offset {}: a row has a shadowable deletion in the form of Cassandra, which ScyllaDB refuses",
                at.0
            ),
        }
    }
}

impl fmt::Display for RewriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Refused(refusal) => refusal.fmt(f),
        }
    }
}
