//! The stats component of Statistics.db (`docs/format/statistics.md`, stats).

use crate::big::BoundKind;
use crate::cql::CqlType;
use crate::cursor::Cursor;
use crate::data::read_values;
use crate::error::Error;
use crate::meta::text;
use crate::pos::FilePos;
use crate::table::{ClusteringForm, CommitLogForm, DeletionForm, StatisticsFormat, Version};

/// A local deletion time that means "nothing is deleted and nothing expires".
const NEVER_SIGNED: i64 = i32::MAX as i64;
const NEVER_UNSIGNED: i64 = u32::MAX as i64;

/// Bounds, counts and histograms that the writer gathered. What a version does not store is `None` or empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// Partitions by their size in bytes; the counts sum up to the number of partitions.
    pub partition_sizes: Histogram,
    /// Partitions by their number of cells.
    pub cells: Histogram,
    /// Up to where the commit log is contained in it; `None` when nothing is.
    pub commit_log_end: Option<CommitLogPosition>,
    /// Least write timestamp, microseconds.
    pub min_timestamp: i64,
    /// Greatest write timestamp, microseconds.
    pub max_timestamp: i64,
    /// Least local deletion time in seconds since 1970, `None` when nothing is deleted or expires, or in `ka` and `la`.
    pub min_local_deletion_time: Option<i64>,
    /// Greatest local deletion time in seconds since 1970, `None` when something neither is deleted nor expires.
    pub max_local_deletion_time: Option<i64>,
    /// Least time to live in seconds; 0 when something does not expire.
    pub min_ttl: Option<i32>,
    /// Greatest time to live in seconds.
    pub max_ttl: Option<i32>,
    /// Compressed by uncompressed length. −1 when not compressed, NaN in one-chunk files of ScyllaDB.
    pub compression_ratio: f64,
    /// Tombstones by local deletion time in seconds, rounded up to minutes.
    pub tombstones: Vec<(i64, i64)>,
    /// Greatest number of entries that the writer kept in [`Self::tombstones`].
    pub tombstone_bins: u32,
    /// Compaction level.
    pub level: u32,
    /// When it was repaired, milliseconds since 1970; 0 for never.
    pub repaired_at: i64,
    /// Least clustering values, column by column; none are no bound. To be trusted from `md` on. In versions without rows
    /// (`ka`, `la`) these are the components of cell names.
    pub min_clustering: Vec<Vec<u8>>,
    /// Greatest clustering values, as [`Self::min_clustering`].
    pub max_clustering: Vec<Vec<u8>>,
    /// The clusterings that its rows and range deletions cover.
    pub covered: Option<CoveredSlice>,
    /// Whether counters have local or remote shards, as Cassandra before 2.1 wrote them.
    pub legacy_counter_shards: bool,
    /// Cells, or for collections columns, that were set.
    pub total_columns_set: Option<i64>,
    /// Rows. ScyllaDB counts static rows and range tombstones as well.
    pub total_rows: Option<i64>,
    /// From where on the commit log is contained in it.
    pub commit_log_start: Option<CommitLogPosition>,
    /// The pieces of the commit log that it contains, each from and to.
    pub commit_log: Vec<(CommitLogPosition, CommitLogPosition)>,
    /// The repair that it is part of, not yet finished.
    pub pending_repair: Option<[u8; 16]>,
    /// Whether it holds data of a transient replica.
    pub transient: Option<bool>,
    /// Host that wrote it.
    pub host_id: Option<[u8; 16]>,
    /// Whether some partition is deleted as a whole; `None` in versions that do not say.
    pub has_partition_deletions: Option<bool>,
    /// First and last partition key, serialized; `None` in versions that do not say.
    pub ends: Option<(Vec<u8>, Vec<u8>)>,
    /// Share of the token space that its tokens span; `None` where unknown.
    pub token_space_coverage: Option<f64>,
    /// Where the fields lie.
    pub at: StatsPlaces,
}

/// Positions in Statistics.db of fields that are compared with other files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatsPlaces {
    /// [`Stats::partition_sizes`].
    pub partition_sizes: FilePos,
    /// [`Stats::min_timestamp`]; the greatest one follows, 8 bytes later.
    pub timestamps: FilePos,
    /// The first local deletion time; then 4 bytes each, the two times to live behind them.
    pub deletion_times: FilePos,
    /// [`Stats::compression_ratio`].
    pub compression_ratio: FilePos,
    /// The tombstone histogram.
    pub tombstones: FilePos,
    /// [`Stats::min_clustering`] or [`Stats::covered`], whichever is first.
    pub clustering: FilePos,
    /// [`Stats::total_columns_set`]; the rows follow, 8 bytes later.
    pub totals: FilePos,
    /// [`Stats::has_partition_deletions`].
    pub partition_deletions: FilePos,
    /// [`Stats::ends`].
    pub ends: FilePos,
}

/// A position in a commit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommitLogPosition {
    /// Segment.
    pub segment: i64,
    /// Bytes from its start.
    pub position: i32,
}

/// A range of clusterings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoveredSlice {
    /// Classes of the clustering columns.
    pub types: Vec<String>,
    /// Where it begins; no values are no bound.
    pub start: SliceBound,
    /// Where it ends; no values are no bound.
    pub end: SliceBound,
}

/// A bound of a [`CoveredSlice`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceBound {
    /// Whether rows with these values are inside.
    pub kind: BoundKind,
    /// Clustering values, perhaps fewer than there are columns; `None` is null.
    pub values: Vec<Option<Vec<u8>>>,
}

/// A histogram with buckets that grow by a fifth.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Upper bound (inclusive) of each bucket and its count; the last bucket has no upper bound and repeats the one before.
    pub buckets: Vec<(i64, i64)>,
}

impl Histogram {
    fn read(cursor: &mut Cursor<'_>, field: &'static str) -> Result<Self, Error> {
        let before = cursor.clone();
        let count = cursor.count(16, field)?;
        if count == 0 {
            return Err(before.error(field, "at least one bucket", 0));
        }
        let mut pairs = Vec::with_capacity(count);
        for _ in 0..count {
            pairs.push((cursor.i64(field)?, cursor.i64(field)?));
        }
        // Each pair stores the offset of the bucket before it, so that the first offset stands there twice.
        let last = pairs.last().map_or(0, |pair| pair.0);
        let bounds = pairs.iter().skip(1).map(|pair| pair.0).chain([last]);
        let buckets = bounds.zip(pairs.iter().map(|pair| pair.1)).collect();
        Ok(Self { buckets })
    }

    /// A histogram of `bounds` buckets with a bound and one without, as both databases make them, that counts these values.
    pub fn of(bounds: usize, values: impl IntoIterator<Item = u64>) -> Self {
        let mut next = 1i64;
        let mut buckets = Vec::with_capacity(bounds + 1);
        for _ in 0..bounds {
            buckets.push((next, 0));
            // A fifth more, rounded to the nearest, and at least one more.
            let grown = next.saturating_mul(12).saturating_add(5) / 10;
            next = grown.max(next.saturating_add(1));
        }
        buckets.push((buckets.last().map_or(0, |last| last.0), 0));
        for value in values {
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            let place = buckets.iter().take(bounds).position(|(bound, _)| *bound >= value);
            if let Some((_, count)) = buckets.get_mut(place.unwrap_or(bounds)) {
                *count += 1;
            }
        }
        Self { buckets }
    }

    /// Each bucket that counts something: above which value it begins, up to which one it goes (`None` for the last one,
    /// which has no end), and its count.
    pub fn filled(&self) -> impl Iterator<Item = (i64, Option<i64>, i64)> {
        let last = self.buckets.len().saturating_sub(1);
        let above = [0].into_iter().chain(self.buckets.iter().map(|(bound, _)| *bound));
        let ranges = above.zip(&self.buckets).enumerate();
        let ranges =
            ranges.map(move |(n, (above, (to, count)))| (above, (n < last).then_some(*to), *count));
        ranges.filter(|(.., count)| *count != 0)
    }

    /// Sum of all counts. Negative counts, which only damage can make, count as none.
    pub fn total(&self) -> u64 {
        self.buckets
            .iter()
            .fold(0u64, |sum, (_, count)| sum.saturating_add(u64::try_from(*count).unwrap_or(0)))
    }
}

impl Stats {
    /// Reads the component; the cursor ends where it does.
    pub(super) fn read(version: Version, cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        let format = &version.formats().statistics;
        let compact = version.formats().deletion == DeletionForm::Compact;
        let mut at = StatsPlaces { partition_sizes: cursor.pos(), ..StatsPlaces::default() };
        let partition_sizes = Histogram::read(cursor, "partition sizes")?;
        let cells = Histogram::read(cursor, "cells per partition")?;
        let commit_log_end = CommitLogPosition::read(cursor, "commit log upper bound")?;
        at.timestamps = cursor.pos();
        let (min_timestamp, max_timestamp) =
            (cursor.i64("min timestamp")?, cursor.i64("max timestamp")?);
        at.deletion_times = cursor.pos();
        let (mut min_local_deletion_time, mut min_ttl, mut max_ttl) = (None, None, None);
        if format.has_expiry_and_totals {
            min_local_deletion_time = local_time(compact, cursor, "min local deletion time")?;
        }
        let max_local_deletion_time = local_time(compact, cursor, "max local deletion time")?;
        if format.has_expiry_and_totals {
            min_ttl = Some(cursor.i32("min ttl")?);
            max_ttl = Some(cursor.i32("max ttl")?);
        }
        at.compression_ratio = cursor.pos();
        let compression_ratio = cursor.f64("compression ratio")?;
        at.tombstones = cursor.pos();
        let tombstone_bins = cursor.u32("tombstone histogram bins")?;
        let tombstones = tombstones(compact, cursor)?;
        let level = cursor.u32("level")?;
        let repaired_at = cursor.i64("repaired at")?;
        at.clustering = cursor.pos();
        let (mut min_clustering, mut max_clustering, mut covered) = (Vec::new(), Vec::new(), None);
        if format.clustering == ClusteringForm::Slice {
            covered = Some(CoveredSlice::read(cursor)?);
        } else {
            min_clustering = clustering_values(cursor, "min clustering values")?;
            max_clustering = clustering_values(cursor, "max clustering values")?;
        }
        let legacy_counter_shards = flag(cursor, "legacy counter shards")?;
        at.totals = cursor.pos();
        let (mut total_columns_set, mut total_rows) = (None, None);
        if format.has_expiry_and_totals {
            total_columns_set = Some(cursor.i64("total columns set")?);
            total_rows = Some(cursor.i64("total rows")?);
        }
        let mut stats = Self {
            partition_sizes,
            cells,
            commit_log_end,
            min_timestamp,
            max_timestamp,
            min_local_deletion_time,
            max_local_deletion_time,
            min_ttl,
            max_ttl,
            compression_ratio,
            tombstones,
            tombstone_bins,
            level,
            repaired_at,
            min_clustering,
            max_clustering,
            covered,
            legacy_counter_shards,
            total_columns_set,
            total_rows,
            commit_log_start: None,
            commit_log: Vec::new(),
            pending_repair: None,
            transient: None,
            host_id: None,
            has_partition_deletions: None,
            ends: None,
            token_space_coverage: None,
            at,
        };
        stats.read_added(format, cursor)?;
        Ok(stats)
    }

    /// The fields that later versions added behind the first ones.
    fn read_added(
        &mut self,
        format: &StatisticsFormat,
        cursor: &mut Cursor<'_>,
    ) -> Result<(), Error> {
        if format.commit_log >= CommitLogForm::Bounds {
            self.commit_log_start = CommitLogPosition::read(cursor, "commit log lower bound")?;
        }
        if format.commit_log == CommitLogForm::Intervals {
            const FIELD: &str = "commit log intervals";
            for _ in 0..cursor.count(24, FIELD)? {
                let from = CommitLogPosition::raw(cursor, FIELD)?;
                self.commit_log.push((from, CommitLogPosition::raw(cursor, FIELD)?));
            }
        }
        if format.has_checksums {
            self.pending_repair = optional_uuid(cursor, "pending repair")?;
            if format.may_end_before_transient && cursor.left() == 0 {
                return Ok(());
            }
            self.transient = Some(flag(cursor, "transient flag")?);
        }
        if format.has_host_id {
            self.host_id = optional_uuid(cursor, "originating host")?;
        }
        if format.has_key_range {
            self.at.partition_deletions = cursor.pos();
            self.has_partition_deletions = Some(flag(cursor, "partition deletions flag")?);
            if format.clustering == ClusteringForm::ValuesAndSlice {
                self.covered = Some(CoveredSlice::read(cursor)?);
            }
            self.at.ends = cursor.pos();
            let first = cursor.vint_bytes("first key")?.to_vec();
            let last = cursor.vint_bytes("last key")?.to_vec();
            self.ends = Some((first, last));
        }
        if format.has_token_space {
            let coverage = cursor.f64("token space coverage")?;
            self.token_space_coverage = (!coverage.is_nan()).then_some(coverage);
            // Cassandra 5 sizes the component as if a tombstone entry had 16 bytes, not 12: so many zeros follow.
            let before = cursor.clone();
            let rest = cursor.take(cursor.left(), "end of the component")?;
            if rest.len() != 4 * self.tombstones.len() || rest.iter().any(|byte| *byte != 0) {
                return Err(before.error(
                    "end of the component",
                    "4 zero bytes an entry of the tombstone histogram",
                    i128::try_from(rest.len()).unwrap_or(i128::MAX),
                ));
            }
        } else if cursor.left() != 0 && !format.has_unknown_end {
            let left = i128::try_from(cursor.left()).unwrap_or(i128::MAX);
            return Err(cursor.error("end of the component", "no bytes left", left));
        }
        Ok(())
    }
}

impl CommitLogPosition {
    fn raw(cursor: &mut Cursor<'_>, field: &'static str) -> Result<Self, Error> {
        Ok(Self { segment: cursor.i64(field)?, position: cursor.i32(field)? })
    }

    /// Reads a position; (-1, 0) is Cassandra's "none".
    fn read(cursor: &mut Cursor<'_>, field: &'static str) -> Result<Option<Self>, Error> {
        let read = Self::raw(cursor, field)?;
        Ok((read != Self { segment: -1, position: 0 }).then_some(read))
    }
}

impl CoveredSlice {
    /// Reads types, then start and end with values of those types.
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        const FIELD: &str = "covered slice";
        let count = cursor.uvint(FIELD)?;
        let (mut types, mut lengths) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let class = text(cursor.vint_bytes(FIELD)?);
            lengths.push(CqlType::from_class(&class).fixed_len());
            types.push(class);
        }
        let start = SliceBound::read(cursor, &lengths)?;
        Ok(Self { types, start, end: SliceBound::read(cursor, &lengths)? })
    }
}

impl SliceBound {
    fn read(cursor: &mut Cursor<'_>, lengths: &[Option<u32>]) -> Result<Self, Error> {
        const FIELD: &str = "covered slice bound";
        let before = cursor.clone();
        let byte = cursor.u8(FIELD)?;
        let Some(kind) = BoundKind::from_byte(byte) else {
            return Err(before.error(FIELD, "0, 1, 2, 4, 5, 6 or 7", i128::from(byte)));
        };
        let size = usize::from(cursor.u16(FIELD)?);
        let values = read_values(cursor, lengths, size)?;
        Ok(Self { kind, values: values.into_iter().map(|it| it.map(<[u8]>::to_vec)).collect() })
    }
}

fn clustering_values(cursor: &mut Cursor<'_>, field: &'static str) -> Result<Vec<Vec<u8>>, Error> {
    let mut values = Vec::new();
    for _ in 0..cursor.count(2, field)? {
        values.push(cursor.short_bytes(field)?.to_vec());
    }
    Ok(values)
}

fn flag(cursor: &mut Cursor<'_>, field: &'static str) -> Result<bool, Error> {
    Ok(cursor.u8(field)? != 0)
}

fn local_time(
    compact: bool,
    cursor: &mut Cursor<'_>,
    field: &'static str,
) -> Result<Option<i64>, Error> {
    let (time, never) = if compact {
        (i64::from(cursor.u32(field)?), NEVER_UNSIGNED)
    } else {
        (i64::from(cursor.i32(field)?), NEVER_SIGNED)
    };
    Ok((time != never).then_some(time))
}

fn tombstones(compact: bool, cursor: &mut Cursor<'_>) -> Result<Vec<(i64, i64)>, Error> {
    const FIELD: &str = "tombstone histogram";
    let count = cursor.count(if compact { 12 } else { 16 }, FIELD)?;
    let mut entries = Vec::with_capacity(count);
    for _ in 0..count {
        entries.push(if compact {
            (cursor.i64(FIELD)?, i64::from(cursor.i32(FIELD)?))
        } else {
            (whole_seconds(cursor.f64(FIELD)?), cursor.i64(FIELD)?)
        });
    }
    Ok(entries)
}

/// A time that older versions store as a double.
#[expect(clippy::cast_possible_truncation, reason = "saturates, and NaN becomes 0")]
fn whole_seconds(time: f64) -> i64 {
    time as i64
}

fn optional_uuid(cursor: &mut Cursor<'_>, field: &'static str) -> Result<Option<[u8; 16]>, Error> {
    let before = cursor.clone();
    match cursor.u8(field)? {
        0 => Ok(None),
        1 => Ok(cursor.take(16, field)?.first_chunk().copied()),
        other => Err(before.error(field, "a flag of 0 or 1", i128::from(other))),
    }
}
