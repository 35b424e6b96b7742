//! The stats component of Statistics.db (`docs/format/statistics.md`, stats).

use crate::cql::CqlType;
use crate::cursor::Cursor;
use crate::data::read_values;
use crate::error::Error;
use crate::meta::text;
use crate::table::{Product, Version};

/// A local deletion time that means "nothing is deleted and nothing expires".
const NEVER_SIGNED: i64 = i32::MAX as i64;
const NEVER_UNSIGNED: i64 = u32::MAX as i64;

/// Bounds, counts and histograms that the writer gathered.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// Partitions by their size in bytes; the counts sum up to the number of partitions.
    pub partition_sizes: Histogram,
    /// Partitions by their number of cells.
    pub cells: Histogram,
    /// Least write timestamp, microseconds.
    pub min_timestamp: i64,
    /// Greatest write timestamp, microseconds.
    pub max_timestamp: i64,
    /// Least local deletion time in seconds since 1970, `None` when nothing is deleted or expires.
    pub min_local_deletion_time: Option<i64>,
    /// Greatest local deletion time in seconds since 1970, `None` when something neither is deleted nor expires.
    pub max_local_deletion_time: Option<i64>,
    /// Least time to live in seconds.
    pub min_ttl: i32,
    /// Greatest time to live in seconds.
    pub max_ttl: i32,
    /// Compressed by uncompressed length. −1 when not compressed, NaN in one-chunk files of ScyllaDB.
    pub compression_ratio: f64,
    /// Tombstones by local deletion time in seconds, rounded up to minutes.
    pub tombstones: Vec<(i64, i64)>,
    /// Compaction level.
    pub level: u32,
    /// When it was repaired, milliseconds since 1970; 0 for never.
    pub repaired_at: i64,
    /// Cells, or for collections columns, that were set.
    pub total_columns_set: i64,
    /// Rows. ScyllaDB counts static rows and range tombstones as well.
    pub total_rows: i64,
    /// Host that wrote it.
    pub host_id: Option<[u8; 16]>,
    /// Whether some partition is deleted as a whole; `None` in versions that do not say.
    pub has_partition_deletions: Option<bool>,
    /// First and last partition key, serialized; `None` in versions that do not say.
    pub ends: Option<(Vec<u8>, Vec<u8>)>,
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
        let compact = version.has_compact_deletion();
        let partition_sizes = Histogram::read(cursor, "partition sizes")?;
        let cells = Histogram::read(cursor, "cells per partition")?;
        cursor.take(12, "commit log upper bound")?;
        let (min_timestamp, max_timestamp) =
            (cursor.i64("min timestamp")?, cursor.i64("max timestamp")?);
        let min_local_deletion_time = local_time(compact, cursor, "min local deletion time")?;
        let max_local_deletion_time = local_time(compact, cursor, "max local deletion time")?;
        let (min_ttl, max_ttl) = (cursor.i32("min ttl")?, cursor.i32("max ttl")?);
        let compression_ratio = cursor.f64("compression ratio")?;
        let tombstones = tombstones(compact, cursor)?;
        let level = cursor.u32("level")?;
        let repaired_at = cursor.i64("repaired at")?;
        if version.has_covered_slice() {
            covered_slice(cursor)?;
        } else {
            for field in ["min clustering values", "max clustering values"] {
                for _ in 0..cursor.count(2, field)? {
                    cursor.short_bytes(field)?;
                }
            }
        }
        cursor.u8("legacy counter shards")?;
        let total_columns_set = cursor.i64("total columns set")?;
        let total_rows = cursor.i64("total rows")?;
        let mut stats = Self {
            partition_sizes,
            cells,
            min_timestamp,
            max_timestamp,
            min_local_deletion_time,
            max_local_deletion_time,
            min_ttl,
            max_ttl,
            compression_ratio,
            tombstones,
            level,
            repaired_at,
            total_columns_set,
            total_rows,
            host_id: None,
            has_partition_deletions: None,
            ends: None,
        };
        stats.read_added(version, cursor)?;
        Ok(stats)
    }

    /// The fields that later versions added behind the first ones.
    fn read_added(&mut self, version: Version, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        if version.has_commit_log_lower_bound() {
            cursor.take(12, "commit log lower bound")?;
        }
        if version.has_commit_log_intervals() {
            let count = cursor.count(24, "commit log intervals")?;
            cursor.take(count.saturating_mul(24), "commit log intervals")?;
        }
        if version.has_checksums() {
            optional_uuid(cursor, "pending repair")?;
            // Files of `na` that 4.0 pre-releases wrote end here: the transient flag came later under the same letters.
            if version.as_str() == "na" && cursor.left() == 0 {
                return Ok(());
            }
            cursor.u8("transient flag")?;
        }
        // What DSE added behind these fields is not known, and not needed.
        if version.product() == Product::Dse {
            return Ok(());
        }
        if version.has_host_id() {
            self.host_id = optional_uuid(cursor, "originating host")?;
        }
        if version.has_key_range() {
            self.has_partition_deletions = Some(cursor.u8("partition deletions flag")? != 0);
            if !version.has_compact_deletion() {
                covered_slice(cursor)?;
            }
            let first = cursor.vint_bytes("first key")?.to_vec();
            let last = cursor.vint_bytes("last key")?.to_vec();
            self.ends = Some((first, last));
        }
        if version.has_compact_deletion() {
            cursor.f64("token space coverage")?;
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
        } else if cursor.left() != 0 {
            let left = i128::try_from(cursor.left()).unwrap_or(i128::MAX);
            return Err(cursor.error("end of the component", "no bytes left", left));
        }
        Ok(())
    }
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
    cursor.u32("tombstone histogram bins")?;
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

/// Skips the slice of clusterings that the rows cover: types, then start and end with values of those types.
fn covered_slice(cursor: &mut Cursor<'_>) -> Result<(), Error> {
    const FIELD: &str = "covered slice";
    let count = cursor.uvint(FIELD)?;
    let mut lengths = Vec::new();
    for _ in 0..count {
        lengths.push(CqlType::from_class(&text(cursor.vint_bytes(FIELD)?)).fixed_len());
    }
    for _ in 0..2 {
        cursor.u8(FIELD)?;
        let size = usize::from(cursor.u16(FIELD)?);
        read_values(cursor, &lengths, size)?;
    }
    Ok(())
}
