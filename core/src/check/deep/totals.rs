//! Least and greatest times, numbers of rows and cells, ends of the clusterings: as they are in Data.db, against what
//! Statistics.db says of them.

use super::rows::{Context, text};
use crate::check::catalog::statistics;
use crate::check::{Check, Finding, Findings};
use crate::data::raw::{RawCell, RawRow, RawValues};
use crate::data::{Deletion, Expiry, Life};
use crate::meta::Stats;
use crate::pos::FilePos;
use crate::table::{Part, Version};
use std::cmp::Ordering;

/// What was met in Data.db.
#[derive(Debug)]
pub(super) struct Totals {
    timestamps: Span,
    local_times: Span,
    ttls: Span,
    /// Something neither is deleted nor expires.
    has_eternal: bool,
    partition_deletions: u64,
    rows: u64,
    columns: u64,
    /// Columns of the row that is read, and the last one of them.
    in_row: u64,
    column: Option<usize>,
    /// Bounds of the clusterings, where Statistics.db has some that can be trusted; and what lies outside.
    bounds: Option<Bounds>,
    outside: Option<Outside>,
}

#[derive(Clone, Copy, Debug)]
struct Span {
    least: i64,
    greatest: i64,
}

/// Clustering values, least and greatest; none are no bound.
type Bounds = (Vec<Option<Vec<u8>>>, Vec<Option<Vec<u8>>>);

/// The first clustering that lies outside of the bounds.
#[derive(Debug)]
struct Outside {
    field: &'static str,
    expected: String,
    found: String,
    key: Vec<u8>,
}

impl Default for Totals {
    fn default() -> Self {
        Self {
            timestamps: Span::NONE,
            local_times: Span::NONE,
            ttls: Span::NONE,
            has_eternal: false,
            partition_deletions: 0,
            rows: 0,
            columns: 0,
            in_row: 0,
            column: None,
            bounds: None,
            outside: None,
        }
    }
}

impl Span {
    const NONE: Self = Self { least: i64::MAX, greatest: i64::MIN };

    #[inline]
    fn add(&mut self, value: i64) {
        self.least = self.least.min(value);
        self.greatest = self.greatest.max(value);
    }

    fn is_empty(&self) -> bool {
        self.least > self.greatest
    }
}

impl Totals {
    /// With the bounds that clusterings are compared with.
    pub(super) fn new(version: Version, stats: Option<&Stats>) -> Self {
        let values = |values: &[Vec<u8>]| values.iter().cloned().map(Some).collect();
        let bounds =
            stats.filter(|_| version.has_true_clustering_bounds()).map(|stats| {
                match &stats.covered {
                    Some(slice) => (slice.start.values.clone(), slice.end.values.clone()),
                    None => (values(&stats.min_clustering), values(&stats.max_clustering)),
                }
            });
        Self { bounds, ..Self::default() }
    }

    pub(super) fn partition_deletion(&mut self) {
        self.partition_deletions += 1;
    }

    #[inline]
    pub(super) fn deletion(&mut self, deletion: Deletion) {
        self.timestamps.add(deletion.timestamp);
        self.local_times.add(deletion.local_time);
    }

    pub(super) fn row(&mut self, row: &RawRow<'_>) {
        if let Some(liveness) = row.liveness {
            self.timestamps.add(liveness.timestamp);
            self.expiry(liveness.expiry);
        }
        let deletion = row.deletion.map(|deletion| deletion.deletion);
        for deletion in [deletion, row.shadowable].into_iter().flatten() {
            self.deletion(deletion);
        }
    }

    pub(super) fn complex(&mut self, _: usize, deletion: Option<Deletion>) {
        if let Some(deletion) = deletion {
            self.deletion(deletion);
        }
    }

    #[inline]
    pub(super) fn cell(&mut self, cell: &RawCell<'_>) {
        self.timestamps.add(cell.timestamp);
        match cell.life {
            Life::Live => self.expiry(None),
            Life::Expiring(expiry) => self.expiry(Some(expiry)),
            Life::Deleted { at } => self.local_times.add(at),
        }
        if self.column != Some(cell.column) {
            self.column = Some(cell.column);
            self.in_row += 1;
        }
    }

    pub(super) fn row_end(&mut self, is_static: bool) {
        // An empty static row is written in every partition, and is no row.
        self.rows += u64::from(!is_static || self.in_row > 0);
        self.columns += self.in_row;
        (self.in_row, self.column) = (0, None);
    }

    #[inline]
    fn expiry(&mut self, expiry: Option<Expiry>) {
        match expiry {
            Some(expiry) => {
                self.local_times.add(expiry.at);
                self.ttls.add(expiry.ttl.into());
            }
            None => self.has_eternal = true,
        }
    }

    /// The first row or marker of a partition.
    pub(super) fn first(&mut self, context: &Context<'_>, values: RawValues<'_>, key: &[u8]) {
        self.bound(context, values, key, false);
    }

    /// The last row or marker of a partition.
    pub(super) fn last(&mut self, context: &Context<'_>, values: RawValues<'_>, key: &[u8]) {
        self.bound(context, values, key, true);
    }

    fn bound(&mut self, context: &Context<'_>, values: RawValues<'_>, key: &[u8], is_last: bool) {
        let Some((least, greatest)) = &self.bounds else { return };
        if self.outside.is_some() || !context.order.is_known() {
            return;
        }
        let (bound, wrong, field, words) = if is_last {
            (greatest, Ordering::Greater, "greatest clustering", "at least")
        } else {
            (least, Ordering::Less, "least clustering", "at most")
        };
        let stored = || bound.iter().map(Option::as_deref);
        if context.order.compare_prefix(context.format, values, stored()) != wrong {
            return;
        }
        let expected = format!("{words} {}, as in Data.db", text(context, values));
        let found = context.clustering.to_text(stored());
        self.outside = Some(Outside { field, expected, found, key: key.to_vec() });
    }

    /// Compares with Statistics.db, at the end of a Data.db that could be read as a whole. `is_counted` says whether the
    /// writer counts rows and columns as they are counted here.
    pub(super) fn compare(&self, stats: &Stats, is_counted: bool, findings: &mut Findings) {
        let mut say = |check: &'static Check, field: &'static str, expected, found, at: u64| {
            let finding = Finding::new(check, field, expected, found);
            findings.add(finding.at(Part::Statistics, FilePos(at)));
        };
        let at = stats.at;
        if !self.timestamps.is_empty() {
            let Span { least, greatest } = self.timestamps;
            let check = statistics::TIMESTAMPS;
            if stats.min_timestamp > least {
                let (expected, found) = (at_most(least), stats.min_timestamp.to_string());
                say(check, "min timestamp", expected, found, at.timestamps.0);
            }
            if stats.max_timestamp < greatest {
                let (expected, found) = (at_least(greatest), stats.max_timestamp.to_string());
                say(check, "max timestamp", expected, found, at.timestamps.0 + 8);
            }
        }
        if stats.min_ttl.is_some() {
            self.compare_expiry(stats, &mut say);
        }
        if let (Some(has), true) = (stats.has_partition_deletions, self.partition_deletions > 0)
            && !has
        {
            let found = "none".to_owned();
            let expected = format!("some, as Data.db has {}", self.partition_deletions);
            let at = at.partition_deletions.0;
            say(statistics::PARTITION_DELETIONS, "partition deletions", expected, found, at);
        }
        if is_counted {
            for (field, said, count, at) in [
                ("total columns set", stats.total_columns_set, self.columns, at.totals.0),
                ("total rows", stats.total_rows, self.rows, at.totals.0 + 8),
            ] {
                if let Some(said) = said
                    && i128::from(said) != i128::from(count)
                {
                    let expected = format!("{count}, as in Data.db");
                    say(statistics::TOTALS, field, expected, said.to_string(), at);
                }
            }
        }
        if let Some(outside) = &self.outside {
            let Outside { field, expected, found, key } = outside;
            let check = statistics::CLUSTERING_BOUNDS;
            let finding = Finding::new(check, *field, expected.clone(), found.clone());
            findings.add(finding.at(Part::Statistics, at.clustering).key(key));
        }
    }

    fn compare_expiry(
        &self,
        stats: &Stats,
        say: &mut impl FnMut(&'static Check, &'static str, String, String, u64),
    ) {
        let never = || "none".to_owned();
        let at = stats.at.deletion_times.0;
        let times = statistics::DELETION_TIMES;
        if !self.local_times.is_empty() {
            let Span { least, greatest } = self.local_times;
            if stats.min_local_deletion_time.is_none_or(|said| said > least) {
                let found = stats.min_local_deletion_time.map_or_else(never, |it| it.to_string());
                say(times, "min local deletion time", at_most(least), found, at);
            }
            if let Some(said) = stats.max_local_deletion_time.filter(|said| *said < greatest) {
                let found = said.to_string();
                say(times, "max local deletion time", at_least(greatest), found, at + 4);
            }
        }
        if let Some(said) = stats.max_local_deletion_time.filter(|_| self.has_eternal) {
            let expected = "none, as something neither is deleted nor expires".to_owned();
            say(times, "max local deletion time", expected, said.to_string(), at + 4);
        }
        if !self.ttls.is_empty() {
            let Span { least, greatest } = self.ttls;
            let (min, max) = (stats.min_ttl.map(i64::from), stats.max_ttl.map(i64::from));
            if let Some(said) = min.filter(|said| *said > least) {
                say(statistics::TTLS, "min TTL", at_most(least), said.to_string(), at + 8);
            }
            if let Some(said) = max.filter(|said| *said < greatest) {
                say(statistics::TTLS, "max TTL", at_least(greatest), said.to_string(), at + 12);
            }
        }
    }
}

fn at_most(value: i64) -> String {
    format!("at most {value}, as in Data.db")
}

fn at_least(value: i64) -> String {
    format!("at least {value}, as in Data.db")
}
