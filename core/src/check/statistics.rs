//! Statistics.db by itself, and against the length of the data: what can be told without reading rows.

use super::catalog::statistics::{DELETION_OVERFLOW, ORDER, PARTITION_SIZES};
use super::{Finding, Findings, Stage, Step};
use crate::cql::{self, CqlType};
use crate::error::Miss;
use crate::meta::{Histogram, Stats};
use crate::pos::FilePos;
use crate::source::Source;
use crate::table::{Part, Table};

/// Looks at Statistics.db.
pub(super) struct StatisticsStage;

impl<S: Source> Stage<S> for StatisticsStage {
    fn name(&self) -> &'static str {
        "Statistics.db"
    }

    fn step(&mut self, table: &Table<S>, _: u64, findings: &mut Findings) -> Result<Step, Miss> {
        if let Some(stats) = table.statistics.as_ref().and_then(|it| it.stats.as_ref()) {
            overflow(stats, table.data_version().has_compact_deletion(), findings);
            order(stats, findings);
            if let Some(length) = table.facts.data_length {
                sizes(&stats.partition_sizes, stats.at.partition_sizes, length, findings);
            }
        }
        Ok(Step { bytes: 0, done: true })
    }
}

/// F29: seconds that went past a signed 32-bit number.
fn overflow(stats: &Stats, unsigned: bool, findings: &mut Findings) {
    let times = [
        ("min local deletion time", stats.min_local_deletion_time),
        ("max local deletion time", stats.max_local_deletion_time),
    ];
    let negative =
        times.into_iter().find_map(|(field, time)| Some((field, time.filter(|t| *t < 0)?)));
    let Some((field, time)) = negative.filter(|_| !unsigned) else { return };
    let intended = time.saturating_add(1 << 32);
    let found = format!(
        "{time}: overflowed 32-bit expiry: intended {}; rows appear expired and are lost on compaction; back up before compacting",
        date(intended)
    );
    let finding = Finding::new(DELETION_OVERFLOW, field, "0 to 2147483647", found);
    findings.add(finding.at(Part::Statistics, stats.at.deletion_times).len(8));
}

/// Seconds since 1970 as `2038-01-28T04:48:15Z`.
fn date(seconds: i64) -> String {
    let millis = seconds.saturating_mul(1000).to_be_bytes();
    let text = cql::to_text(&CqlType::Timestamp, &millis);
    text.trim_matches('\'').replace(".000Z", "Z")
}

fn order(stats: &Stats, findings: &mut Findings) {
    let places = &stats.at;
    let sides = [
        ("timestamp", Some(stats.min_timestamp), Some(stats.max_timestamp), places.timestamps),
        (
            "local deletion time",
            stats.min_local_deletion_time,
            stats.max_local_deletion_time,
            places.deletion_times,
        ),
        ("TTL", stats.min_ttl.map(i64::from), stats.max_ttl.map(i64::from), places.deletion_times),
    ];
    for (what, least, greatest, at) in sides {
        if let (Some(least), Some(greatest)) = (least, greatest)
            && least > greatest
        {
            let (field, expected) = (format!("min {what}"), format!("at most {greatest}, the max"));
            let finding = Finding::new(ORDER, field, expected, least.to_string());
            findings.add(finding.at(Part::Statistics, at));
        }
    }
}

/// Each partition's size lies in its bucket, so the sizes add up to the length of the data.
fn sizes(sizes: &Histogram, at: FilePos, length: u64, findings: &mut Findings) {
    let (mut least, mut most, mut before) = (0u64, 0u64, 0u64);
    for (place, (bound, count)) in sizes.buckets.iter().enumerate() {
        let (bound, count) =
            (u64::try_from(*bound).unwrap_or(0), u64::try_from(*count).unwrap_or(0));
        let is_last = place + 1 == sizes.buckets.len();
        least = least.saturating_add(count.saturating_mul(before.saturating_add(1)));
        let bound = if is_last && count > 0 { u64::MAX } else { bound };
        most = most.saturating_add(count.saturating_mul(bound));
        before = bound;
    }
    if !(least..=most).contains(&length) {
        let expected = format!("sizes that add up to {length}, the bytes of the data");
        let found = format!("sizes that add up to {least} to {most}");
        let finding = Finding::new(PARTITION_SIZES, "partition sizes", expected, found);
        findings.add(finding.at(Part::Statistics, at));
    }
}
