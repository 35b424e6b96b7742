//! From the samples to the entry: ScyllaDB's bisected window and Cassandra's scan.

use super::{LegacyIndex, compare, equal_bytes};
use crate::big::{Ahead, EntryHead, Heads, too_many_entries};
use crate::error::{Error, Kind, ReadError};
use crate::keys::Decorated;
use crate::limits;
use crate::lookup::{
    AbsentWhy, BoundsStep, Cmp, EntriesStep, EntryHow, EntryStep, Observer, PromotedUse, Query,
    Step, SummaryProbeStep, WindowStep,
};
use crate::pos::FilePos;
use crate::source::{Pages, Source};
use crate::table::{IndexFormat, Part, Version};
use std::cmp::Ordering;

/// Cassandra reads a promoted index of up to this many bytes whole with its entry (`column_index_cache_size`).
const WHOLE_PROMOTED_BYTES: u64 = 2048;
/// An [`EntriesStep`] keeps the position of each so-manyth entry.
const TICK: usize = 50;

/// How Cassandra reads the promoted index of an entry that was found: before `ma`, always whole.
pub(super) fn cassandra_use(version: Version, promoted_size: u64) -> PromotedUse {
    match (promoted_size, version.formats().index) {
        (..=WHOLE_PROMOTED_BYTES, _) | (_, IndexFormat::Fixed) => PromotedUse::Whole,
        (_, IndexFormat::Vints) => PromotedUse::Probed,
    }
}

/// Where an entry was found.
pub(super) struct Hit {
    pub(super) head: EntryHead,
    pub(super) promoted: PromotedUse,
    /// ScyllaDB: the sample of the next window, where the entry is the last one of its own.
    pub(super) next_window: Option<u64>,
}

impl<S: Source> LegacyIndex<'_, S> {
    /// Cassandra: the key against the SSTable's first and last key.
    pub(super) fn bounds<O: Observer>(
        &self,
        query: &Query<'_>,
        observer: &mut O,
    ) -> Option<AbsentWhy> {
        let (first, last) = self.samples.ends();
        let (against_first, mut bytes) = self.against(query, first);
        let against_last = (against_first != Ordering::Less).then(|| {
            let (ordering, more) = self.against(query, last);
            bytes += more;
            ordering
        });
        observer.step(|| {
            Step::Bounds(BoundsStep {
                first: first.to_vec().into(),
                last: last.to_vec().into(),
                against_first: against_first.into(),
                against_last: against_last.map(Cmp::from),
                bytes_compared: bytes,
            })
        });
        match against_last {
            None => Some(AbsentWhy::BeforeFirst),
            Some(Ordering::Greater) => Some(AbsentWhy::AfterLast),
            Some(Ordering::Less | Ordering::Equal) => None,
        }
    }

    /// Cassandra: the greatest sample that is not greater than the key; `None` before the first one.
    pub(super) fn sample_for_scan<O: Observer>(
        &self,
        query: &Query<'_>,
        observer: &mut O,
    ) -> Result<Option<u64>, Error> {
        let (mut low, mut high, mut key) = (0, self.samples.len(), Vec::new());
        while low < high {
            // Cassandra counts with an inclusive end: (low + high - 1) / 2.
            let mid = low + (high - low - 1) / 2;
            match self.probe_sample(query, mid, (low, high), &mut key, observer)? {
                Ordering::Less => high = mid,
                Ordering::Equal => return Ok(Some(mid)),
                Ordering::Greater => low = mid + 1,
            }
        }
        Ok(low.checked_sub(1))
    }

    /// ScyllaDB: the number of samples that are not greater than the key.
    pub(super) fn samples_up_to<O: Observer>(
        &self,
        query: &Query<'_>,
        observer: &mut O,
    ) -> Result<u64, Error> {
        let (mut low, mut high, mut key) = (0, self.samples.len(), Vec::new());
        while low < high {
            let mid = low + (high - low) / 2;
            match self.probe_sample(query, mid, (low, high), &mut key, observer)? {
                Ordering::Less => high = mid,
                Ordering::Equal | Ordering::Greater => low = mid + 1,
            }
        }
        Ok(low)
    }

    fn probe_sample<O: Observer>(
        &self,
        query: &Query<'_>,
        sample: u64,
        (low, high): (u64, u64),
        key: &mut Vec<u8>,
        observer: &mut O,
    ) -> Result<Ordering, Error> {
        self.samples.sample(sample, key)?;
        let (ordering, bytes_compared) = self.against(query, key);
        observer.step(|| {
            Step::SummaryProbe(SummaryProbeStep {
                sample,
                of: self.samples.len(),
                low,
                high,
                key: key.clone().into(),
                cmp: ordering.into(),
                bytes_compared,
            })
        });
        Ok(ordering)
    }

    /// Cassandra: reads entries from the sample on until one equals the key. As many as the summary leaves out are only
    /// tested for equality; of those that follow, a greater one ends the scan.
    pub(super) fn scan<O: Observer>(
        &self,
        query: &Query<'_>,
        sample: u64,
        pages: &mut Pages<'_, S, O>,
    ) -> Result<Result<Hit, AbsentWhy>, Error> {
        let (from, to) = self.samples.window(sample, pages.len())?;
        let interval = self.samples.interval_after(sample);
        pages.observer().step(|| {
            Step::Window(WindowStep {
                sample: Some(sample),
                of: self.samples.len(),
                from,
                to,
                summary: self.samples.source(),
                entries: Some(interval),
                for_next_partition: false,
            })
        });
        let (mut ahead, mut bytes) = (Ahead::new(to), Vec::new());
        let (mut at, mut index) = (from, 0);
        while at.0 < pages.len() {
            if index >= limits::WINDOW_ENTRIES {
                return Err(too_many_entries(at));
            }
            ahead.come(pages, at)?;
            bytes.clear();
            let head = EntryHead::read(pages, self.version.formats().index, at, &mut bytes)?;
            let key = head.key(&bytes);
            let ((cmp, bytes_compared), how) = if index < interval {
                let (equal, compared) = equal_bytes(query.key, key);
                let cmp = if equal { Cmp::Equal } else { Cmp::Greater };
                ((cmp, compared), EntryHow::Scan)
            } else {
                let (ordering, compared) = self.against(query, key);
                ((Cmp::from(ordering), compared), EntryHow::ScanOrdered)
            };
            let promoted = match (head.promoted_size, cmp) {
                (0, _) => PromotedUse::None,
                (size, Cmp::Equal) => cassandra_use(self.version, size),
                (_, Cmp::Smaller | Cmp::Greater) => PromotedUse::Skipped,
            };
            let place = Compared { index, of: None, cmp, how, promoted, bytes_compared };
            pages.observer().step(|| place.step(&head, &bytes));
            match cmp {
                Cmp::Equal => return Ok(Ok(Hit { head, promoted, next_window: None })),
                Cmp::Smaller => return Ok(Err(AbsentWhy::BetweenEntries)),
                Cmp::Greater => {}
            }
            at = head.end();
            index += 1;
        }
        Ok(Err(AbsentWhy::BetweenEntries))
    }

    /// ScyllaDB: reads the window that starts at a sample and bisects it. `up_to` is the number of samples that are not
    /// greater than the key.
    pub(super) fn bisect<O: Observer>(
        &self,
        query: &Query<'_>,
        up_to: u64,
        pages: &mut Pages<'_, S, O>,
    ) -> Result<Result<Hit, AbsentWhy>, Error> {
        let sample = up_to.checked_sub(1);
        let heads = self.window(sample.unwrap_or(0), sample, false, pages)?;
        let (mut low, mut high) = (0, heads.len());
        if sample.is_none() {
            // The key lies before the first sample: only the first entry is compared before the answer.
            high = 0;
        }
        while low < high {
            let mid = low + (high - low) / 2;
            let how = EntryHow::Probe { low, high };
            match self.compare_entry(query, &heads, mid, how, pages) {
                Some((Cmp::Greater, ..)) => low = mid + 1,
                Some((Cmp::Equal | Cmp::Smaller, ..)) => high = mid,
                None => break,
            }
        }
        let last_window = up_to.max(1) >= self.samples.len();
        match self.compare_entry(query, &heads, low, EntryHow::Check, pages) {
            Some((Cmp::Equal, head, promoted)) => {
                let last = low + 1 == heads.len() && !last_window;
                let next_window = last.then_some(up_to.max(1));
                Ok(Ok(Hit { head, promoted, next_window }))
            }
            Some(_) if sample.is_none() => Ok(Err(AbsentWhy::BeforeFirst)),
            None if last_window => Ok(Err(AbsentWhy::AfterLast)),
            Some(_) | None => Ok(Err(AbsentWhy::BetweenEntries)),
        }
    }

    /// Compares an entry of a window; `None` past its end.
    fn compare_entry<O: Observer>(
        &self,
        query: &Query<'_>,
        heads: &Heads,
        index: u64,
        how: EntryHow,
        pages: &mut Pages<'_, S, O>,
    ) -> Option<(Cmp, EntryHead, PromotedUse)> {
        let (head, bytes) = heads.get(index)?;
        let (ordering, bytes_compared) = self.against(query, head.key(bytes));
        let cmp = Cmp::from(ordering);
        let promoted = match (head.promoted_size, how, cmp) {
            (0, ..) => PromotedUse::None,
            (_, EntryHow::Check, Cmp::Equal) => PromotedUse::Probed,
            _ => PromotedUse::Skipped,
        };
        let of = Some(heads.len());
        let place = Compared { index, of, cmp, how, promoted, bytes_compared };
        pages.observer().step(|| place.step(&head, bytes));
        Some((cmp, head, promoted))
    }

    /// ScyllaDB: parses the heads of all entries of a window.
    pub(super) fn window<O: Observer>(
        &self,
        window: u64,
        sample: Option<u64>,
        for_next_partition: bool,
        pages: &mut Pages<'_, S, O>,
    ) -> Result<Heads, Error> {
        let (from, to) = self.samples.window(window, pages.len())?;
        pages.observer().step(|| {
            Step::Window(WindowStep {
                sample,
                of: self.samples.len(),
                from,
                to,
                summary: self.samples.source(),
                entries: None,
                for_next_partition,
            })
        });
        let (mut ahead, mut heads, mut at) =
            (Ahead::new(to), Heads::new(self.version.formats().index), from);
        let (mut skipped, mut last_page) = (0u64, from.page().0);
        while at < to {
            if heads.len() >= limits::WINDOW_ENTRIES || heads.bytes() > limits::WINDOW_BYTES {
                return Err(too_many_entries(at));
            }
            ahead.come(pages, at)?;
            let head = heads.push(pages, at)?;
            at = head.end();
            skipped = skipped.saturating_add(head.promoted_size);
            last_page = head.last_page();
            if at > to {
                return Err(passes_next_sample(&head, to));
            }
        }
        pages.observer().step(|| {
            Step::Entries(EntriesStep {
                from,
                to: at,
                count: heads.len(),
                head_bytes: heads.bytes(),
                skipped_bytes: skipped,
                ticks: heads.positions().step_by(TICK).collect(),
                straight_pages: last_page.saturating_sub(from.page().0) + 1,
            })
        });
        Ok(heads)
    }

    fn against(&self, query: &Query<'_>, key: &[u8]) -> (Ordering, u32) {
        let token = self.partitioner.token(key);
        compare(&query.decorated(), &Decorated { token: &token, key })
    }
}

/// What came of an entry.
struct Compared {
    index: u64,
    of: Option<u64>,
    cmp: Cmp,
    how: EntryHow,
    promoted: PromotedUse,
    bytes_compared: u32,
}

impl Compared {
    fn step(&self, head: &EntryHead, bytes: &[u8]) -> Step {
        let (data, size) = head.vints(bytes);
        Step::Entry(EntryStep {
            index: self.index,
            of: self.of,
            at: head.at,
            head: head.bytes,
            key: head.key(bytes).to_vec().into(),
            cmp: self.cmp,
            how: self.how,
            data: head.data,
            data_bytes: data.to_vec().into(),
            promoted_size: head.promoted_size,
            promoted_size_bytes: size.to_vec().into(),
            promoted: self.promoted,
            bytes_compared: self.bytes_compared,
        })
    }
}

/// A sample points into an entry: no window ends there.
#[cold]
fn passes_next_sample(head: &EntryHead, to: FilePos) -> Error {
    let expected = format!("at most {to}, where the next sample of the summary points");
    let kind = Kind::OutOfRange { expected: expected.into(), found: head.end().0.into() };
    ReadError::new(Part::Index, head.at, "end of the entry", kind).into()
}
