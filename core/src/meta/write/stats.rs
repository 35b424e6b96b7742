//! The stats component, field by field in the order of the file.

use super::parts::{number, short_bytes, vint_bytes};
use crate::cql::CqlType;
use crate::data::write_values;
use crate::meta::{CommitLogPosition, CoveredSlice, Histogram, SliceBound, Stats};
use crate::pos::len64;
use crate::table::{ClusteringForm, CommitLogForm, DeletionForm, Version};
use crate::vint::uvint;
use crate::write::WriteError;

pub(super) fn write(version: Version, stats: &Stats, out: &mut Vec<u8>) -> Result<(), WriteError> {
    let formats = version.formats();
    let format = &formats.statistics;
    let compact = formats.deletion == DeletionForm::Compact;
    histogram(&stats.partition_sizes, "buckets of partition sizes", out)?;
    histogram(&stats.cells, "buckets of cells", out)?;
    commit_log(stats.commit_log_end, out);
    out.extend(stats.min_timestamp.to_be_bytes());
    out.extend(stats.max_timestamp.to_be_bytes());
    if format.has_expiry_and_totals {
        local_time(compact, stats.min_local_deletion_time, out)?;
    }
    local_time(compact, stats.max_local_deletion_time, out)?;
    if format.has_expiry_and_totals {
        for ttl in [stats.min_ttl, stats.max_ttl] {
            out.extend(ttl.unwrap_or(0).to_be_bytes());
        }
    }
    out.extend(stats.compression_ratio.to_be_bytes());
    tombstones(compact, stats, out)?;
    out.extend(stats.level.to_be_bytes());
    out.extend(stats.repaired_at.to_be_bytes());
    if format.clustering == ClusteringForm::Slice {
        slice(stats.covered.as_ref(), out)?;
    } else {
        for values in [&stats.min_clustering, &stats.max_clustering] {
            out.extend(number("clustering values", len64(values.len()))?.to_be_bytes());
            for value in values {
                short_bytes("bytes of a clustering value", value, out)?;
            }
        }
    }
    out.push(u8::from(stats.legacy_counter_shards));
    if format.has_expiry_and_totals {
        for total in [stats.total_columns_set, stats.total_rows] {
            out.extend(total.unwrap_or(0).to_be_bytes());
        }
    }
    added(version, stats, out)
}

/// The fields that later versions added behind the first ones.
fn added(version: Version, stats: &Stats, out: &mut Vec<u8>) -> Result<(), WriteError> {
    let format = &version.formats().statistics;
    if format.commit_log >= CommitLogForm::Bounds {
        commit_log(stats.commit_log_start, out);
    }
    if format.commit_log == CommitLogForm::Intervals {
        out.extend(number("commit log intervals", len64(stats.commit_log.len()))?.to_be_bytes());
        for (from, to) in &stats.commit_log {
            commit_log(Some(*from), out);
            commit_log(Some(*to), out);
        }
    }
    if format.has_checksums {
        uuid(stats.pending_repair, out);
        match stats.transient {
            None if format.may_end_before_transient => return Ok(()),
            transient => out.push(u8::from(transient.unwrap_or(false))),
        }
    }
    if format.has_host_id {
        uuid(stats.host_id, out);
    }
    if format.has_key_range {
        const DELETIONS: &str = "whether partitions are deleted as a whole";
        let deletions =
            stats.has_partition_deletions.ok_or(WriteError::Lacks { field: DELETIONS })?;
        out.push(u8::from(deletions));
        if format.clustering == ClusteringForm::ValuesAndSlice {
            slice(stats.covered.as_ref(), out)?;
        }
        let ends = stats.ends.as_ref();
        let (first, last) = ends.ok_or(WriteError::Lacks { field: "first and last key" })?;
        vint_bytes(first, out);
        vint_bytes(last, out);
    }
    if format.has_token_space {
        out.extend(stats.token_space_coverage.unwrap_or(f64::NAN).to_be_bytes());
        // Cassandra 5 sizes the component as if a tombstone entry had 16 bytes, not 12: so many zeros follow.
        out.resize(out.len() + 4 * stats.tombstones.len(), 0);
    }
    Ok(())
}

fn histogram(from: &Histogram, field: &'static str, out: &mut Vec<u8>) -> Result<(), WriteError> {
    if from.buckets.is_empty() {
        return Err(WriteError::Number { field, expected: "at least 1", got: 0 });
    }
    out.extend(number(field, len64(from.buckets.len()))?.to_be_bytes());
    // Each pair stores the offset of the bucket before it, so that the first offset stands there twice.
    let first = from.buckets.first().map(|bucket| bucket.0);
    let offsets = first.into_iter().chain(from.buckets.iter().map(|bucket| bucket.0));
    for (offset, (_, count)) in offsets.zip(&from.buckets) {
        out.extend(offset.to_be_bytes());
        out.extend(count.to_be_bytes());
    }
    Ok(())
}

/// A position; "none" is Cassandra's (-1, 0).
fn commit_log(position: Option<CommitLogPosition>, out: &mut Vec<u8>) {
    let position = position.unwrap_or(CommitLogPosition { segment: -1, position: 0 });
    out.extend(position.segment.to_be_bytes());
    out.extend(position.position.to_be_bytes());
}

fn local_time(compact: bool, time: Option<i64>, out: &mut Vec<u8>) -> Result<(), WriteError> {
    let field = "local deletion time";
    if compact {
        let got = time.unwrap_or(u32::MAX.into());
        let expected = "0 to 4294967295";
        let time = u32::try_from(got).map_err(|_| WriteError::Signed { field, expected, got })?;
        out.extend(time.to_be_bytes());
    } else {
        let got = time.unwrap_or(i32::MAX.into());
        let expected = "-2147483648 to 2147483647";
        let time = i32::try_from(got).map_err(|_| WriteError::Signed { field, expected, got })?;
        out.extend(time.to_be_bytes());
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "times are whole seconds, far below 2^53")]
fn tombstones(compact: bool, stats: &Stats, out: &mut Vec<u8>) -> Result<(), WriteError> {
    out.extend(stats.tombstone_bins.to_be_bytes());
    out.extend(number("tombstones", len64(stats.tombstones.len()))?.to_be_bytes());
    for (time, count) in &stats.tombstones {
        if compact {
            let (field, expected) = ("tombstones at a time", "at most 2147483647");
            let count = i32::try_from(*count).map_err(|_| WriteError::Signed {
                field,
                expected,
                got: *count,
            })?;
            out.extend(time.to_be_bytes());
            out.extend(count.to_be_bytes());
        } else {
            out.extend((*time as f64).to_be_bytes());
            out.extend(count.to_be_bytes());
        }
    }
    Ok(())
}

fn slice(covered: Option<&CoveredSlice>, out: &mut Vec<u8>) -> Result<(), WriteError> {
    let covered = covered.ok_or(WriteError::Lacks { field: "covered slice" })?;
    uvint(len64(covered.types.len()), out);
    for class in &covered.types {
        vint_bytes(class.as_bytes(), out);
    }
    let lengths: Vec<Option<u32>> =
        covered.types.iter().map(|class| CqlType::from_class(class).fixed_len()).collect();
    for SliceBound { kind, values } in [&covered.start, &covered.end] {
        out.push(kind.byte());
        let got = len64(values.len());
        let (field, expected) = ("values of a bound", "at most one a clustering column");
        let count = u16::try_from(got).ok().filter(|_| values.len() <= lengths.len());
        let count = count.ok_or(WriteError::Number { field, expected, got })?;
        out.extend(count.to_be_bytes());
        write_values(values.iter().map(Option::as_deref), &lengths, out);
    }
    Ok(())
}

fn uuid(id: Option<[u8; 16]>, out: &mut Vec<u8>) {
    out.push(u8::from(id.is_some()));
    out.extend(id.iter().flatten());
}
