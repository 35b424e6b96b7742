//! Windows of Index.db between two samples: how many partitions each holds, and which pages lookups turn there.

use super::facts::{LargestWindow, LookupPages, Spread};
use super::quantiles::Quantiles;
use super::rule::Uneven;
use crate::big::{EntryHead, SummaryHeader};
use crate::pos::FilePos;
use crate::race::LegacyReader;
use serde_bytes::ByteBuf;

/// Collects windows as the walk over Index.db comes to them.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    reader: LegacyReader,
    open: Option<Open>,
    sizes: Quantiles,
    partitions: u64,
    windows: u64,
    largest: LargestWindow,
    lookups: Quantiles,
    worst_straight: u64,
    /// ScyllaDB reads the next window too for the last key of one: pages of the window before, and its last page.
    waiting: Option<(u64, u64)>,
    /// The first window that does not have as many entries as the header declares.
    pub(super) uneven: Option<Uneven>,
}

/// The window that the walk stands in.
#[derive(Clone, Debug)]
struct Open {
    sample: u64,
    from: FilePos,
    key: Vec<u8>,
    data: u64,
    entries: u64,
    /// Pages that hold a head so far, and the last of them.
    pages: u64,
    last_page: u64,
}

impl Windows {
    pub(super) fn new(reader: LegacyReader) -> Self {
        Self {
            reader,
            open: None,
            sizes: Quantiles::default(),
            partitions: 0,
            windows: 0,
            largest: LargestWindow::default(),
            lookups: Quantiles::default(),
            worst_straight: 0,
            waiting: None,
            uneven: None,
        }
    }

    /// Who reads.
    pub(super) fn reader(&self) -> LegacyReader {
        self.reader
    }

    /// A window begins with this entry.
    pub(super) fn begin(&mut self, sample: u64, head: &EntryHead, key: &[u8]) {
        self.open = Some(Open {
            sample,
            from: head.at,
            key: key.to_vec(),
            data: head.data.0,
            entries: 0,
            pages: 0,
            last_page: 0,
        });
    }

    /// An entry of the window.
    #[inline]
    pub(super) fn entry(&mut self, head: &EntryHead) {
        let Some(open) = &mut self.open else { return };
        let (first, last) = (head.at.page().0, head.last_page());
        let new = match open.pages {
            0 => last.saturating_sub(first) + 1,
            _ => {
                last.saturating_sub(first.max(open.last_page + 1))
                    + u64::from(last > open.last_page)
            }
        };
        open.entries += 1;
        open.pages += new;
        open.last_page = last;
        self.worst_straight = self.worst_straight.max(last.saturating_sub(open.from.page().0) + 1);
        if self.reader == LegacyReader::Cassandra {
            self.lookups.add(open.pages, 1);
        }
    }

    /// The window ends before `to`, where Data.db is at `data`; `header` is that of a Summary.db, and `last` says that no
    /// window follows.
    pub(super) fn end(
        &mut self,
        to: FilePos,
        data: Option<u64>,
        header: Option<&SummaryHeader>,
        last: bool,
    ) {
        let Some(open) = self.open.take() else { return };
        if self.reader == LegacyReader::Scylla {
            if let Some((pages, page)) = self.waiting.take() {
                let shared = u64::from(page == open.from.page().0);
                self.lookups.add(pages + open.pages - shared, 1);
            }
            self.lookups.add(open.pages, open.entries.saturating_sub(u64::from(!last)));
            self.waiting = (!last).then_some((open.pages, open.last_page));
        }
        if let Some(header) = header {
            let declared = header.interval_after(open.sample);
            let differs = if last { open.entries > declared } else { open.entries != declared };
            if differs && self.uneven.is_none() {
                let (sample, at, found) = (open.sample, open.from, open.entries);
                self.uneven = Some(Uneven { sample, at, declared, found });
            }
        }
        self.windows += 1;
        self.partitions = self.partitions.saturating_add(open.entries);
        if !last || self.windows == 1 {
            self.sizes.add(open.entries, 1);
        }
        if open.entries > self.largest.partitions {
            self.largest = LargestWindow {
                window: open.sample,
                partitions: open.entries,
                first_key: ByteBuf::from(open.key),
                from: open.from,
                to,
                data_bytes: data.map(|data| data.saturating_sub(open.data)),
            };
        }
    }

    /// How even they were.
    pub(super) fn spread(&self, summary_bytes: u64, data_bytes: Option<u64>) -> Spread {
        Spread {
            windows: self.windows,
            partitions: self.partitions,
            least: self.sizes.least(),
            median: self.sizes.median(),
            largest: self.largest.clone(),
            summary_bytes,
            data_bytes,
            as_declared: self.uneven.is_none(),
        }
    }

    /// What lookups of keys cost; `None` when there was no entry.
    pub(super) fn lookup(&self) -> Option<LookupPages> {
        (self.lookups.count() > 0).then(|| LookupPages {
            reader: self.reader,
            median: self.lookups.median(),
            worst: self.lookups.greatest(),
            worst_straight: self.worst_straight,
        })
    }
}
