//! `da`, `oa` and `nb` of the same rows: what is made of one is the other.

use crate::common::all_cassandra;
use crate::made::{No, make, opened, stream};
use std::collections::BTreeMap;
use triescope_core::meta::{StatisticsModel, Stats};
use triescope_core::set::{RowPlan, SetError};
use triescope_core::table::Part;

/// Tables whose rows were not the same in all three runs: counters have new shard names and list cells new paths.
const OTHER_ROWS: [&str; 2] = ["counters", "all_types_val"];

/// The fields that two models have different.
fn differences(made: &Stats, real: &Stats) -> Vec<&'static str> {
    let mut found = Vec::new();
    let mut compare = |name, same: bool| {
        if !same {
            found.push(name);
        }
    };
    compare("partition sizes", made.partition_sizes == real.partition_sizes);
    compare("cells", made.cells == real.cells);
    compare("commit log end", made.commit_log_end == real.commit_log_end);
    compare(
        "timestamps",
        (made.min_timestamp, made.max_timestamp) == (real.min_timestamp, real.max_timestamp),
    );
    compare(
        "min local deletion time",
        made.min_local_deletion_time == real.min_local_deletion_time,
    );
    compare(
        "max local deletion time",
        made.max_local_deletion_time == real.max_local_deletion_time,
    );
    compare("ttl", (made.min_ttl, made.max_ttl) == (real.min_ttl, real.max_ttl));
    compare(
        "compression ratio",
        made.compression_ratio.to_bits() == real.compression_ratio.to_bits(),
    );
    compare("tombstones", made.tombstones == real.tombstones);
    compare("tombstone bins", made.tombstone_bins == real.tombstone_bins);
    compare("level", made.level == real.level);
    compare("repaired at", made.repaired_at == real.repaired_at);
    compare("min clustering", made.min_clustering == real.min_clustering);
    compare("max clustering", made.max_clustering == real.max_clustering);
    compare("covered", made.covered == real.covered);
    compare("counter shards", made.legacy_counter_shards == real.legacy_counter_shards);
    compare("columns set", made.total_columns_set == real.total_columns_set);
    compare("rows", made.total_rows == real.total_rows);
    compare("commit log start", made.commit_log_start == real.commit_log_start);
    compare("commit log", made.commit_log == real.commit_log);
    compare("pending repair", made.pending_repair == real.pending_repair);
    compare("transient", made.transient == real.transient);
    compare("host", made.host_id == real.host_id);
    compare("partition deletions", made.has_partition_deletions == real.has_partition_deletions);
    compare("ends", made.ends == real.ends);
    compare("token space", made.token_space_coverage == real.token_space_coverage);
    found
}

#[test]
fn rows_filter_and_statistics_are_those_that_cassandra_wrote() {
    let (mut wrong, mut sets) = (Vec::new(), 0);
    let mut fields: BTreeMap<(String, &str), Vec<String>> = BTreeMap::new();
    for from in ["da", "oa", "nb"] {
        for source in all_cassandra(from) {
            let table_name = source.name.split('/').next().unwrap().to_owned();
            let table = source.files.table();
            for to in ["da", "oa", "nb"] {
                let name = format!("{} as {to}", source.name);
                let (files, report) = match make(&table, to, 100_000) {
                    Ok(made) => made,
                    Err(No::Failed(SetError::Rows(refusal))) if name.contains("after_2038") => {
                        assert!(refusal.to_string().contains("seconds since 1970"), "{refusal}");
                        continue;
                    }
                    Err(No::Refused(refusal)) if source.is_index_only() => {
                        assert!(refusal.to_string().contains("Data.db is not here"), "{refusal}");
                        continue;
                    }
                    Err(no) => panic!("{name}: {no:?}"),
                };
                sets += 1;
                let copied = (from == "nb") == (to == "nb");
                assert_eq!(report.rows == RowPlan::Copied, copied, "{name}");
                let made = opened(to, &files);
                let other = source.name.replacen(from, to, 1);
                let Some(real) = all_of(&other) else { continue };
                if OTHER_ROWS.contains(&table_name.as_str()) && from != to {
                    continue;
                }
                if real.files.bytes.contains_key(&Part::Data) {
                    let (ours, theirs) = (stream(&made.table()), stream(&real.files.table()));
                    if ours != theirs {
                        let at = ours.iter().zip(&theirs).position(|(a, b)| a != b);
                        wrong.push(format!(
                            "{name}: Data.db {} of {}, {at:?}",
                            ours.len(),
                            theirs.len()
                        ));
                    }
                }
                if made.bytes.get(&Part::Filter) != real.files.bytes.get(&Part::Filter) {
                    wrong.push(format!("{name}: Filter.db"));
                }
                let model = |files: &crate::common::InMemory| {
                    StatisticsModel::read(files.set.version, &files.part(Part::Statistics)).unwrap()
                };
                let (ours, theirs) = (model(&made), model(&real.files));
                assert_eq!(ours.validation, theirs.validation, "{name}");
                assert_eq!(ours.compaction, theirs.compaction, "{name}");
                if ours.header != theirs.header {
                    wrong.push(format!("{name}: header"));
                }
                for field in differences(&ours.stats.unwrap(), &theirs.stats.unwrap()) {
                    fields
                        .entry((format!("{from} as {to}"), field))
                        .or_default()
                        .push(table_name.clone());
                }
            }
        }
    }
    // What the source does not determine: where each run's commit log was, and how well a database's own compressor would
    // have compressed rows that are stored anew.
    let runs = ["commit log", "commit log end", "commit log start"];
    for ((direction, field), tables) in &fields {
        let stored_anew = direction.contains("nb") && *field == "compression ratio";
        assert!(runs.contains(field) || stored_anew, "{direction}: {field}: {tables:?}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(sets > 400, "{sets}");
}

/// The SSTable of a name such as `wide_int/oa`, if it is there.
fn all_of(name: &str) -> Option<crate::common::Expected> {
    let (table, rest) = name.split_once('/')?;
    let (version, generation) = match rest.split_once(" generation ") {
        Some((version, generation)) => (version, generation.parse().ok()?),
        None => (rest, 1),
    };
    let folder = crate::common::testdata().join(table).join(version);
    folder.is_dir().then(|| crate::common::cassandra(table, version, generation))
}
