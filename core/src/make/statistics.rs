//! Statistics.db of the made table: what a writer would have gathered on the way.

use super::wide::{BASE, FILTER_CHANCE, WRITTEN, WRITTEN_FIRST, Wide, value};
use crate::data::Chunks;
use crate::meta::{
    Column, Compaction, Histogram, SerializationHeader, StatisticsModel, Stats, StatsPlaces,
    Validation,
};
use crate::write::WriteError;

/// Where ScyllaDB finds its classes.
const MARSHAL: &str = "org.apache.cassandra.db.marshal.";
/// Buckets of both histograms, the last one not counted.
const BUCKETS: [usize; 2] = [150, 114];
/// Most bins that the databases keep of tombstones.
const TOMBSTONE_BINS: u32 = 100;
/// What local deletion times are relative to where there are none: 2015-09-22, in seconds.
const NO_DELETIONS: i32 = 1_442_880_000;

/// The file. The sketch of the keys is left empty: ScyllaDB reads none.
pub(super) fn write(wide: &Wide, chunks: &Chunks) -> Result<Vec<u8>, WriteError> {
    let rows = u64::from(wide.rows);
    let total = i64::from(wide.rows);
    let after = |micros: u64| BASE.saturating_add_unsigned(micros);
    let [sizes, cells] = BUCKETS;
    let stats = Stats {
        partition_sizes: Histogram::of(sizes, [chunks.data_length]),
        cells: Histogram::of(cells, [rows]),
        commit_log_end: None,
        min_timestamp: after(if rows > 1 { WRITTEN } else { WRITTEN_FIRST }),
        max_timestamp: after(WRITTEN_FIRST),
        min_local_deletion_time: None,
        max_local_deletion_time: None,
        min_ttl: None,
        max_ttl: None,
        compression_ratio: share(chunks.file_length, chunks.data_length),
        tombstones: Vec::new(),
        tombstone_bins: TOMBSTONE_BINS,
        level: 0,
        repaired_at: 0,
        min_clustering: vec![value(0).to_vec()],
        max_clustering: vec![value(rows.saturating_sub(1)).to_vec()],
        covered: None,
        legacy_counter_shards: false,
        total_columns_set: Some(total),
        total_rows: Some(total),
        commit_log_start: None,
        commit_log: Vec::new(),
        pending_repair: None,
        transient: None,
        host_id: None,
        has_partition_deletions: None,
        ends: None,
        token_space_coverage: None,
        at: StatsPlaces::default(),
    };
    let header = SerializationHeader {
        min_timestamp: BASE,
        min_local_deletion_time: NO_DELETIONS,
        min_ttl: 0,
        key_type: format!("{MARSHAL}Int32Type"),
        clustering_types: vec![format!("{MARSHAL}Int32Type")],
        static_columns: Vec::new(),
        regular_columns: vec![Column { name: b"v".to_vec(), class: format!("{MARSHAL}BytesType") }],
    };
    let compaction = Compaction {
        ancestors: None,
        cardinality: Vec::new(),
        sketch: None,
        problem: None,
        left_over: Vec::new(),
    };
    let partitioner = "org.apache.cassandra.dht.Murmur3Partitioner".to_owned();
    let model = StatisticsModel {
        validation: Some(Validation { partitioner, filter_chance: FILTER_CHANCE }),
        compaction: Some(compaction),
        stats: Some(stats),
        header: Some(header),
        listed: Vec::new(),
        stored_bases: [0; 2],
    };
    model.write(wide.version)
}

#[expect(clippy::cast_precision_loss, reason = "a ratio for people, of lengths far below 2^53")]
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}
