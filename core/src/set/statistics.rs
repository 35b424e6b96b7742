//! Statistics.db of one version as that of another: what one lacks is filled or left out, and named.

use super::{Note, SketchMaker};
use crate::big::BoundKind;
use crate::cql::CqlType;
use crate::meta::{Compaction, CoveredSlice, Histogram, SliceBound, StatisticsModel, Stats};
use crate::pos::len64;
use crate::table::{ClusteringForm, Product, StatisticsFormat, Version};

/// What was found out while Data.db was rewritten.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// First and last partition key, serialized.
    pub ends: Option<(Vec<u8>, Vec<u8>)>,
    /// Whether partitions are deleted as a whole.
    pub has_partition_deletions: Option<bool>,
    /// Partitions by their size in bytes, with the buckets of the source.
    pub partition_sizes: Option<Histogram>,
    /// Compressed by uncompressed length, −1 where it is not compressed.
    pub compression_ratio: Option<f64>,
    /// All keys.
    pub sketch: Option<SketchMaker>,
}

/// The model for another version, and what had to be assumed or left out. What `known` knows replaces what the source says.
pub fn convert(
    model: &StatisticsModel,
    from: Version,
    to: Version,
    known: &Known,
) -> (StatisticsModel, Vec<Note>) {
    let (mut model, mut notes) = (model.clone(), Vec::new());
    let (source, target) = (&from.formats().statistics, &to.formats().statistics);
    if from == to {
        return (model, notes);
    }
    // Two habits of early ScyllaDB that Cassandra takes for damage: a table of contents in another order than the
    // components, and bases of 64 bits. What they say stays.
    model.listed.sort_unstable();
    model.stored_bases = [0, 0];
    if from.product() != Product::Cassandra && to.product() == Product::Cassandra {
        notes.push(Note::Totals);
    }
    if let Some(compaction) = &mut model.compaction {
        sketch(compaction, to, known, &mut notes);
    }
    let types = model.header.as_ref().map(|header| header.clustering_types.clone());
    if let Some(stats) = &mut model.stats {
        fields(stats, source, target, known, &mut notes);
        bounds(stats, (source, target), &types.unwrap_or_default(), &mut notes);
    }
    (model, notes)
}

fn sketch(compaction: &mut Compaction, to: Version, known: &Known, notes: &mut Vec<Note>) {
    if compaction.ancestors.take().is_some_and(|ancestors| !ancestors.is_empty()) {
        notes.push(Note::AncestorsLost);
    }
    if !compaction.left_over.is_empty() {
        compaction.left_over.clear();
        notes.push(Note::LeftOver);
    }
    let is_read = compaction.sketch.is_some();
    if let Some(made) = known.sketch.as_ref().filter(|_| !is_read)
        && to.product() == Product::Cassandra
    {
        compaction.cardinality = made.finish();
        notes.push(Note::SketchMade);
    }
}

/// Fields that stand alone.
fn fields(
    stats: &mut Stats,
    source: &StatisticsFormat,
    target: &StatisticsFormat,
    known: &Known,
    notes: &mut Vec<Note>,
) {
    let mut note = |is_so: bool, note: Note| {
        if is_so {
            notes.push(note);
        }
    };
    if let Some(sizes) = &known.partition_sizes {
        stats.partition_sizes = sizes.clone();
    }
    if let Some(ratio) = known.compression_ratio {
        stats.compression_ratio = ratio;
    }
    note(target.has_host_id && !source.has_host_id, Note::NoHost);
    note(!target.has_host_id && stats.host_id.is_some(), Note::HostLost);
    note(target.has_checksums && stats.transient.is_none(), Note::NoRepair);
    if target.has_checksums {
        stats.transient = Some(stats.transient.unwrap_or(false));
    }
    note(!target.has_checksums && stats.pending_repair.is_some(), Note::RepairLost);
    note(target.has_token_space && !source.has_token_space, Note::NoTokenSpace);
    note(!target.has_token_space && stats.token_space_coverage.is_some(), Note::TokenSpaceLost);
    note(target.has_key_range && !source.has_key_range, Note::KeyRange);
    note(!target.has_key_range && source.has_key_range, Note::KeyRangeLost);
    if let Some(ends) = &known.ends {
        stats.ends = Some(ends.clone());
    }
    if let Some(deletions) = known.has_partition_deletions {
        stats.has_partition_deletions = Some(deletions);
    }
}

/// Lists of values, or a slice with types.
fn bounds(
    stats: &mut Stats,
    (source, target): (&StatisticsFormat, &StatisticsFormat),
    types: &[String],
    notes: &mut Vec<Note>,
) {
    let needs_slice = target.clustering != ClusteringForm::Values;
    let needs_lists = target.clustering != ClusteringForm::Slice;
    let is_trusted = source.has_true_bounds;
    if !is_trusted && target.has_true_bounds && !types.is_empty() {
        notes.push(Note::NoBounds);
        stats.min_clustering.clear();
        stats.max_clustering.clear();
    }
    if needs_slice && stats.covered.is_none() {
        let lists = [&stats.min_clustering, &stats.max_clustering];
        let fits = lists.iter().all(|values| fits(values, types));
        if !fits {
            notes.push(Note::NoBounds);
        } else if lists.iter().any(|values| !values.is_empty()) {
            notes.push(Note::InclusiveBounds);
        }
        let bound = |kind, values: &[Vec<u8>]| {
            let values = if fits { values } else { &[] };
            SliceBound { kind, values: values.iter().cloned().map(Some).collect() }
        };
        stats.covered = Some(CoveredSlice {
            types: types.to_vec(),
            start: bound(BoundKind::InclusiveStart, &stats.min_clustering),
            end: bound(BoundKind::InclusiveEnd, &stats.max_clustering),
        });
    }
    if needs_lists && source.clustering == ClusteringForm::Slice {
        let Some(covered) = &stats.covered else { return };
        let exclusive = covered.start.kind != BoundKind::InclusiveStart
            || covered.end.kind != BoundKind::InclusiveEnd;
        if exclusive && !types.is_empty() {
            notes.push(Note::KindsLost);
        }
        let has_null = [&covered.start, &covered.end]
            .into_iter()
            .any(|bound| bound.values.iter().any(Option::is_none));
        if has_null {
            notes.push(Note::NoBounds);
        }
        let list = |bound: &SliceBound| {
            let values = bound.values.iter().flatten().filter(|_| !has_null);
            values.cloned().collect::<Vec<_>>()
        };
        (stats.min_clustering, stats.max_clustering) = (list(&covered.start), list(&covered.end));
    }
}

/// Whether values can be written with these types: no more of them, and of the lengths that the types ask for.
fn fits(values: &[Vec<u8>], types: &[String]) -> bool {
    let lengths = types.iter().map(|class| CqlType::from_class(class).fixed_len());
    values.len() <= types.len()
        && values.iter().zip(lengths).all(|(value, length)| {
            let length = length.map(u64::from);
            value.is_empty() || length.is_none_or(|length| length == len64(value.len()))
        })
}
