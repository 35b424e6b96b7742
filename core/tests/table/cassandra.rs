//! The facts of every SSTable in testdata equal what Cassandra says of it in expected.json.

use crate::common::{Expected, all_cassandra, unhex};
use serde_json::Value;
use triescope_core::keys::Partitioner;
use triescope_core::meta::Checksum;
use triescope_core::table::{Count, IndexKind, Part, Problem};

fn each(check: impl Fn(&Expected)) {
    for version in ["da", "oa", "nb"] {
        for expected in all_cassandra(version) {
            check(&expected);
        }
    }
}

#[test]
fn statistics_equal_what_cassandra_reads() {
    each(|expected| {
        let (name, json) = (&expected.name, &expected.json);
        let table = expected.files.table();
        let statistics = table.statistics.as_ref().unwrap();
        assert!(statistics.problems.is_empty(), "{name}: {:?}", statistics.problems);
        // Of the count, the table of contents and the four components.
        let checksums: Vec<bool> = statistics.checksums.iter().map(Checksum::holds).collect();
        assert_eq!(checksums, [true; 6], "{name}");
        let header = statistics.header.as_ref().unwrap();
        assert_eq!(json["key_validator"], header.key_type, "{name}");
        let types: Vec<_> = json["clustering_types"].as_array().unwrap().iter().collect();
        assert_eq!(types, header.clustering_types.iter().collect::<Vec<_>>(), "{name}");
        assert_eq!(json["partitioner"], statistics.validation.as_ref().unwrap().partitioner);

        let (stats, said) = (statistics.stats.as_ref().unwrap(), &json["stats"]);
        let number = |field: &str| said[field].as_i64().unwrap();
        assert_eq!(stats.min_timestamp, number("min_timestamp"), "{name}");
        assert_eq!(stats.max_timestamp, number("max_timestamp"), "{name}");
        let time = |field: &str| Some(number(field)).filter(|time| *time != i64::MAX);
        assert_eq!(stats.min_local_deletion_time, time("min_local_deletion_time"), "{name}");
        assert_eq!(stats.max_local_deletion_time, time("max_local_deletion_time"), "{name}");
        assert_eq!(stats.min_ttl.map(i64::from), Some(number("min_ttl")), "{name}");
        assert_eq!(stats.max_ttl.map(i64::from), Some(number("max_ttl")), "{name}");
        assert_eq!(stats.total_rows, Some(number("total_rows")), "{name}");
        assert_eq!(stats.total_columns_set, Some(number("total_columns_set")), "{name}");
        let host: String = stats.host_id.unwrap().iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(said["originating_host_id"].as_str().unwrap().replace('-', ""), host);
        if let Some(deletions) = stats.has_partition_deletions {
            assert_eq!(said["has_partition_level_deletions"], deletions, "{name}");
        }
        if let Some((first, last)) = &stats.ends {
            let ends = [&json["first_key"], &json["last_key"]].map(unhex);
            for (said, found) in ends.iter().zip([first, last]) {
                assert!(said.as_ref().is_none_or(|said| said == found), "{name}");
            }
        }
        assert_eq!(
            Some(&json["partition_count"]),
            statistics.partitions().map(Value::from).as_ref()
        );
    });
}

#[test]
fn facts_equal_what_cassandra_reads() {
    each(|expected| {
        let (name, json) = (&expected.name, &expected.json);
        let facts = expected.files.table().facts;
        assert_eq!(json["version"], facts.version.as_str(), "{name}");
        assert_eq!(facts.partitioner, Some(Partitioner::Murmur3), "{name}");
        if expected.is_index_only() {
            assert_eq!((facts.compressor, facts.data_length), (None, None), "{name}");
        } else {
            assert_eq!(json["compressor"].as_str(), facts.compressor.as_deref(), "{name}");
            assert_eq!(json["uncompressed_length"].as_u64(), facts.data_length, "{name}");
        }
        let count = json["partition_count"].as_u64().unwrap();
        if facts.version.index() == Some(IndexKind::Trie) {
            assert_eq!(facts.index, Some(IndexKind::Trie), "{name}");
            assert_eq!(facts.partitions, Some(Count::Exact(count)), "{name}");
            assert_eq!(facts.root.unwrap().0, json["partitions_db"]["root"], "{name}");
        } else {
            assert_eq!(facts.index, Some(IndexKind::Legacy), "{name}");
            assert_eq!(facts.partitions, Some(Count::FromStatistics(count)), "{name}");
            let samples = facts.summary.unwrap().samples;
            assert_eq!(json["summary_db"]["entries"], samples, "{name}");
        }
        // Whether a partition has a row index, as far as expected.json lists the partitions.
        if json["partitions"].as_array().unwrap().len() as u64 == count {
            let mut partitions = json["partitions"].as_array().unwrap().iter();
            let wide = partitions.any(|partition| partition["blocks"].as_u64().unwrap_or(0) > 0);
            assert_eq!(facts.has_row_index, wide, "{name}");
        }
        let (first, last) = facts.ends.unwrap();
        assert!(unhex(&json["first_key"]).is_none_or(|key| key == *first), "{name}");
        assert!(unhex(&json["last_key"]).is_none_or(|key| key == *last), "{name}");
    });
}

#[test]
fn components_are_listed_and_only_those_of_index_only_sets_are_missing() {
    each(|expected| {
        let (name, json) = (&expected.name, &expected.json);
        let facts = expected.files.table().facts;
        for (component, said) in json["components"].as_object().unwrap() {
            let found = facts.components.iter().find(|found| found.name == *component);
            let found = found.unwrap_or_else(|| panic!("{name}: {component}"));
            assert_eq!(found.listed, Some(true), "{name}: {component}");
            if !expected.is_index_only() {
                assert_eq!(found.bytes, said["size"].as_u64(), "{name}: {component}");
            }
        }
        let missing: Vec<_> = facts.problems.clone();
        if expected.is_index_only() {
            let gone = [Part::Data, Part::CompressionInfo, Part::Filter, Part::Digest];
            assert_eq!(missing, gone.map(Problem::Missing), "{name}");
        } else {
            assert_eq!(missing, [], "{name}");
        }
    });
}
