//! The census against Cassandra's own counts, and against the files it counts.

#[path = "../common/mod.rs"]
mod common;
mod pages;

use common::{Expected, InMemory, all_cassandra, cassandra};
use serde_json::Value;
use std::collections::BTreeMap;
use triescope_core::census::{Census, CensusJob, TrieCensus};
use triescope_core::table::Part;

/// Bytes a job counts in one call.
const BUDGET: u64 = 10_000;

fn census(files: &InMemory, budget: u64) -> Census {
    let table = files.table();
    let mut job = CensusJob::new(&table);
    while !job.step(&table, budget).unwrap().done {}
    job.into_census()
}

/// The counts of a trie that expected.json has too.
fn compare(name: &str, found: &TrieCensus, expected: &Value) {
    let number = |field: &str| expected[field].as_u64().unwrap();
    let counted = (found.nodes, found.crossing_pointers, found.max_depth);
    let told = (number("nodes"), number("pointers_to_another_page"), number("max_depth"));
    assert_eq!(counted, told, "{name}");
    let kinds: BTreeMap<&str, u64> =
        found.kinds.iter().map(|kind| (kind.kind.name(), kind.nodes)).collect();
    let told: BTreeMap<&str, u64> = expected["node_types"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(kind, nodes)| (kind.as_str(), nodes.as_u64().unwrap()))
        .collect();
    assert_eq!(kinds, told, "{name}");
    check_sums(name, found);
}

/// What is counted in several ways is the same.
fn check_sums(name: &str, found: &TrieCensus) {
    let parts =
        found.header_bytes + found.transition_bytes + found.pointer_bytes + found.payload_bytes;
    assert_eq!(parts, found.bytes, "{name}");
    assert_eq!(found.kinds.iter().map(|kind| kind.nodes).sum::<u64>(), found.nodes);
    assert_eq!(found.kinds.iter().map(|kind| kind.bytes).sum::<u64>(), found.bytes);
    assert_eq!(found.depths.iter().sum::<u64>(), found.payloads);
    assert_eq!(found.pages_of_lookups.iter().sum::<u64>(), found.payloads);
}

#[test]
fn nodes_equal_cassandras_counts_and_no_byte_is_left() {
    let mut tables = 0;
    for Expected { name, files, json, .. } in all_cassandra("da") {
        let census = census(&files, BUDGET);
        assert_eq!(census.problems, [], "{name}");
        let trie = census.trie.unwrap();
        compare(&name, &trie.nodes, &json["partitions_db"]);
        assert_eq!(trie.nodes.payloads, census.partitions);
        assert_eq!(census.partitions, json["partition_count"].as_u64().unwrap());
        let used = trie.nodes.bytes + trie.nodes.padding_bytes + trie.key_bytes + trie.footer_bytes;
        assert_eq!((used, trie.unclaimed_bytes), (trie.bytes, 0), "{name}");
        match census.rows {
            None => assert_eq!(json["rows_db"]["nodes"], 0),
            Some(rows) => {
                compare(&name, &rows.nodes, &json["rows_db"]);
                assert_eq!(rows.entries.entries, json["rows_db"]["entries"].as_u64().unwrap());
                assert_eq!(rows.nodes.payloads, rows.entries.blocks + rows.entries.entries);
                let used = rows.nodes.bytes + rows.nodes.padding_bytes + rows.entries.bytes;
                assert_eq!((used, rows.unclaimed_bytes, rows.filler_bytes), (rows.bytes, 0, 0));
            }
        }
        tables += 1;
    }
    assert_eq!(tables, 60);
}

#[test]
fn padding_and_fill_are_those_of_the_format_text() {
    let of = |table| census(&cassandra(table, "da", 1).files, BUDGET);
    let p20k = of("p20k").trie.unwrap().nodes;
    assert_eq!((p20k.padded_pages, p20k.padding_bytes, p20k.fill[9]), (33, 4730, 39));
    let text = of("p100k_text").trie.unwrap().nodes;
    assert_eq!((text.padded_pages, text.padding_bytes), (255, 233_687));
    assert_eq!(text.fill, [0, 0, 0, 0, 0, 0, 7, 184, 63, 1]);
    let deep = of("wide_deep").rows.unwrap().nodes;
    assert_eq!((deep.padded_pages, deep.padding_bytes), (19, 846));
    assert_eq!((deep.fill[8], deep.fill[9]), (1, 18));
    let long = of("wide_longck").rows.unwrap().nodes;
    assert_eq!((long.padded_pages, long.padding_bytes), (2, 3375));
    assert_eq!((long.fill[1], long.fill[9]), (1, 1));
}

#[test]
fn the_legacy_index_is_counted_to_the_last_byte() {
    for version in ["oa", "nb"] {
        for Expected { name, files, json, .. } in all_cassandra(version) {
            let census = census(&files, BUDGET);
            assert_eq!(census.problems, [], "{name}");
            let index = census.index.unwrap();
            let parts = index.key_bytes
                + index.position_bytes
                + index.promoted_size_bytes
                + index.promoted_bytes;
            assert_eq!(parts, index.bytes, "{name}");
            assert_eq!(index.entries, json["partition_count"].as_u64().unwrap());
            assert_eq!(index.bytes, files.part(Part::Index).len() as u64);
            let summary = census.summary.unwrap();
            let parts = summary.header_bytes
                + summary.offset_bytes
                + summary.key_bytes
                + summary.position_bytes
                + summary.end_bytes;
            assert_eq!(parts, summary.bytes, "{name}");
            let ends = json["first_key"].as_str().unwrap().len()
                + json["last_key"].as_str().unwrap().len();
            if !json.to_string().contains("...") {
                assert_eq!(summary.end_bytes, 8 + ends as u64 / 2, "{name}");
            }
        }
    }
}

#[test]
fn sizes_of_partitions_fill_data_in_both_indexes_alike() {
    for version in ["da", "oa"] {
        for Expected { name, files, json, .. } in all_cassandra(version) {
            let sizes = census(&files, BUDGET).sizes;
            let count = json["partition_count"].as_u64().unwrap();
            assert_eq!(sizes.bits.iter().sum::<u64>(), sizes.known);
            let length = json["uncompressed_length"].as_u64().unwrap();
            if files.table().facts.data_length.is_some() {
                assert_eq!((sizes.known, sizes.unknown, sizes.bytes), (count, 0, length), "{name}");
            } else {
                assert_eq!((sizes.known, sizes.unknown), (count - 1, 1), "{name}");
            }
            assert!(sizes.min <= sizes.max && sizes.min * sizes.known <= sizes.bytes);
        }
    }
}

#[test]
fn counting_in_pieces_counts_the_same() {
    for table in ["wide_deep", "wide_many", "p20k"] {
        for version in ["da", "oa"] {
            let files = cassandra(table, version, 1).files;
            let whole = census(&files, u64::MAX);
            for budget in [1, 777] {
                assert_eq!(census(&files, budget), whole, "{table} {budget}");
            }
        }
    }
}

#[test]
fn a_census_survives_as_json() {
    let whole = census(&cassandra("wide_many", "da", 1).files, BUDGET);
    let text = serde_json::to_string(&whole).unwrap();
    assert_eq!(serde_json::from_str::<Census>(&text).unwrap(), whole);
}

#[test]
fn damage_is_passed_over_and_named() {
    let files = cassandra("p20k", "da", 1).files;
    let mut bytes = files.part(Part::Partitions).to_vec();
    // The first leaf below the first fork: a byte without payload is no node.
    bytes[138_508] = 0;
    let census = census(&files.with(Part::Partitions, &bytes), BUDGET);
    assert_eq!(census.problems.len(), 1);
    let trie = census.trie.unwrap();
    assert_eq!((census.partitions, trie.unclaimed_bytes > 0), (19_999, true));
    check_sums("p20k", &trie.nodes);
}
