//! The entries of Index.db in order. Entries can only be read forwards, so a scan backwards takes window after window
//! and notes where the entries of each begin.

use super::place::Place;
use super::{FoundKey, Next, Order, Partition, RowIndexed};
use crate::big::{EntryHead, IndexWalk, Samples};
use crate::error::Error;
use crate::pos::{DataPos, FilePos};
use crate::source::{Pages, Source};
use crate::table::{IndexFormat, Part, Table};
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// Entries read at once.
const BATCH: u64 = 256;
/// Entries passed before the caller is told how far the scan is.
const WORKING: u64 = 16_384;
/// Most positions noted in a window. In a longer one every second, fourth … entry is noted, and these begin windows.
const MOST_NOTED: usize = 1 << 16;

/// A walk over entries.
pub(super) enum Entries {
    /// Forwards.
    Forward(Forward),
    /// Backwards.
    Reverse(Reverse),
}

/// Where a walk forwards stands, and the entries read ahead.
pub(super) struct Forward {
    walk: IndexWalk,
    ready: VecDeque<(EntryHead, Vec<u8>)>,
    /// The place to start at has not been looked for in Summary.db.
    seeking: bool,
}

/// Where a walk backwards stands.
pub(super) struct Reverse {
    /// Samples of Summary.db that begin windows still to come; `None` before the place was looked for.
    samples: Option<u64>,
    /// Noted positions that begin windows still to come, before those of the samples.
    marks: Vec<FilePos>,
    /// Entries from here on are done.
    end: FilePos,
    /// The entries of the last window that are still to come.
    left: Vec<FilePos>,
    noting: Option<Noting>,
}

/// Notes where the entries of a window begin.
struct Noting {
    from: FilePos,
    walk: IndexWalk,
    noted: Vec<FilePos>,
    /// Entries from one that is noted to the next.
    stride: u64,
    seen: u64,
}

impl Entries {
    pub(super) fn new(order: Order, format: IndexFormat, index_len: u64) -> Self {
        match order {
            Order::Forward => Self::Forward(Forward {
                walk: IndexWalk::new(format),
                ready: VecDeque::new(),
                seeking: true,
            }),
            Order::Reverse => Self::Reverse(Reverse {
                samples: None,
                marks: Vec::new(),
                end: FilePos(index_len),
                left: Vec::new(),
                noting: None,
            }),
        }
    }

    pub(super) fn next<S: Source>(
        &mut self,
        table: &Table<S>,
        place: Option<&Place>,
    ) -> Result<Next, Error> {
        let Some(index) = table.source(Part::Index) else { return Ok(Next::End) };
        let partitioner = table.partitioner();
        let lies = |key: &[u8], side: Ordering| {
            place.is_some_and(|place| place.order(&partitioner.token(key), key) == side)
        };
        match self {
            Self::Forward(forward) => {
                if std::mem::take(&mut forward.seeking) && place.is_some() {
                    let below = samples_below(table, place, Ordering::Less);
                    // After a miss it is looked for again.
                    forward.seeking = below.is_err();
                    if let Some(from) = below?.and_then(|below| below.last) {
                        forward.walk = IndexWalk::from(table.version().formats().index, from);
                    }
                }
                forward.next(index, |key| lies(key, Ordering::Less))
            }
            Self::Reverse(reverse) => {
                reverse.next(table, index, place, |key| lies(key, Ordering::Greater))
            }
        }
    }
}

impl Forward {
    fn next<S: Source>(
        &mut self,
        index: &S,
        is_before: impl Fn(&[u8]) -> bool,
    ) -> Result<Next, Error> {
        let mut passed = 0;
        loop {
            while let Some((head, key)) = self.ready.pop_front() {
                if !is_before(&key) {
                    return Ok(Next::Partition(partition(&head, key)));
                }
                passed += 1;
            }
            if self.walk.ended(index) {
                return Ok(Next::End);
            }
            if passed >= WORKING {
                return Ok(Next::Working { done: self.walk.at().0, of: index.len() });
            }
            let read = self.walk.run(index, BATCH, |head, bytes| {
                self.ready.push_back((*head, head.key(bytes).to_vec()));
                ControlFlow::Continue(())
            });
            // Entries before one that cannot be read are handed out first; then the error is met again.
            if self.ready.is_empty() {
                read?;
            }
        }
    }
}

impl Reverse {
    fn next<S: Source>(
        &mut self,
        table: &Table<S>,
        index: &S,
        place: Option<&Place>,
        is_after: impl Fn(&[u8]) -> bool,
    ) -> Result<Next, Error> {
        loop {
            while let Some(at) = self.left.last().copied() {
                let (mut unheard, mut bytes) = ((), Vec::new());
                let mut pages = Pages::new(Part::Index, index, &mut unheard);
                let head =
                    EntryHead::read(&mut pages, table.version().formats().index, at, &mut bytes)?;
                self.left.pop();
                let key = head.key(&bytes);
                if !is_after(key) {
                    return Ok(Next::Partition(partition(&head, key.to_vec())));
                }
            }
            if let Some(noting) = &mut self.noting {
                if !noting.run(index, self.end)? {
                    let done = noting.walk.at().0.saturating_sub(noting.from.0);
                    return Ok(Next::Working { done, of: index.len() });
                }
                let noted = std::mem::take(&mut noting.noted);
                if noting.stride == 1 {
                    (self.left, self.end) = (noted, noting.from);
                } else {
                    self.marks.extend(noted);
                }
                self.noting = None;
                continue;
            }
            match self.window(table, place)? {
                Some(from) => {
                    self.noting = Some(Noting::new(table.version().formats().index, from))
                }
                None => return Ok(Next::End),
            }
        }
    }

    /// Where the next window begins; `None` when nothing is left before the entries that are done.
    fn window<S: Source>(
        &mut self,
        table: &Table<S>,
        place: Option<&Place>,
    ) -> Result<Option<FilePos>, Error> {
        if let Some(from) = self.marks.pop() {
            return Ok(Some(from));
        }
        let samples = match self.samples {
            Some(samples) => samples,
            None => match samples_below(table, place, Ordering::Equal)? {
                Some(below) => {
                    self.end = below.next.unwrap_or(self.end);
                    below.count
                }
                None => 0,
            },
        };
        self.samples = Some(samples);
        if self.end.0 == 0 {
            return Ok(None);
        }
        let Some(sample) = samples.checked_sub(1) else { return Ok(Some(FilePos(0))) };
        let from = match position(table, sample)? {
            Some(from) if from < self.end => from,
            // A sample that does not lie before the next one begins nothing: the rest is one window.
            _ => FilePos(0),
        };
        self.samples = Some(if from.0 == 0 { 0 } else { sample });
        Ok(Some(from))
    }
}

impl Noting {
    fn new(format: IndexFormat, from: FilePos) -> Self {
        Self { from, walk: IndexWalk::from(format, from), noted: Vec::new(), stride: 1, seen: 0 }
    }

    /// Goes on for some entries; `true` at the end of the window.
    fn run<S: Source>(&mut self, index: &S, end: FilePos) -> Result<bool, Error> {
        let Self { walk, noted, stride, seen, .. } = self;
        walk.run(index, WORKING, |head, _| {
            if head.at >= end {
                return ControlFlow::Break(());
            }
            if seen.is_multiple_of(*stride) {
                noted.push(head.at);
            }
            *seen += 1;
            if noted.len() >= MOST_NOTED {
                let mut keep = false;
                noted.retain(|_| {
                    keep = !keep;
                    keep
                });
                *stride = stride.saturating_mul(2);
            }
            if head.end() >= end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(walk.at() >= end)
    }
}

/// The samples of the file's own Summary.db, where there are some.
fn samples<S: Source>(table: &Table<S>) -> Option<Samples<'_, S>> {
    let (summary, source) = (table.summary.as_ref()?, table.source(Part::Summary)?);
    (summary.header.samples > 0).then_some(Samples::File { summary, source })
}

/// Position of a sample; `None` where it cannot be read.
fn position<S: Source>(table: &Table<S>, sample: u64) -> Result<Option<FilePos>, Error> {
    let Some(samples) = samples(table) else { return Ok(None) };
    readable(samples.sample(sample, &mut Vec::new()))
}

/// Where a place lies among the samples.
struct Below {
    /// Samples that lie below it.
    count: u64,
    /// Position of the last of them.
    last: Option<FilePos>,
    /// Position of the first other one.
    next: Option<FilePos>,
}

/// The samples that stand to the place as `most` or below it; all of them without a place. `None` without samples, or
/// where one that is asked for is damaged: the scan does without them.
fn samples_below<S: Source>(
    table: &Table<S>,
    place: Option<&Place>,
    most: Ordering,
) -> Result<Option<Below>, Error> {
    let Some(samples) = samples(table) else { return Ok(None) };
    let partitioner = table.partitioner();
    let (mut low, mut high) = (0, samples.len());
    if let Some(place) = place {
        let mut key = Vec::new();
        while low < high {
            let middle = low + (high - low) / 2;
            if readable(samples.sample(middle, &mut key))?.is_none() {
                return Ok(None);
            }
            let order = place.order(&partitioner.token(&key), &key);
            if order <= most { low = middle + 1 } else { high = middle }
        }
    } else {
        low = high;
    }
    let next = if low < samples.len() { position(table, low)? } else { None };
    let last = match low.checked_sub(1) {
        Some(last) => position(table, last)?,
        None => None,
    };
    Ok(Some(Below { count: low, last, next }))
}

/// Damage becomes `None`; a miss stays one.
fn readable<T>(read: Result<T, Error>) -> Result<Option<T>, Error> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(Error::Damage(_)) => Ok(None),
        Err(miss) => Err(miss),
    }
}

fn partition(head: &EntryHead, key: Vec<u8>) -> Partition {
    let rows = match head.promoted_size {
        0 => RowIndexed::No,
        bytes => RowIndexed::Promoted(bytes),
    };
    Partition {
        key: FoundKey::Whole(key),
        data: Some(DataPos(head.data.0)),
        at: head.at,
        rows,
        certain: true,
        problem: None,
    }
}
