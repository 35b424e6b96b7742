//! Every command on real SSTables, as text and as JSON, held against snapshots.

mod common;

use common::{data, expect, json, snapshot};

/// A run without findings, as text and as JSON: both become snapshots.
fn both(name: &str, args: &[&str]) {
    snapshot(&format!("{name}.txt"), &expect(0, args).out);
    let args = [args, &["--json"]].concat();
    let ran = expect(0, &args);
    for line in ran.out.lines().filter(|_| name.starts_with("lookup")) {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
    snapshot(&format!("{name}.json"), &ran.out);
}

#[test]
fn info() {
    both("info-p20k-da", &["info", &data("p20k/da")]);
    both("info-wide_desc-nb", &["info", &data("wide_desc/nb/nb-1-big-Index.db")]);
    both("info-p100k_text-oa", &["info", &data("p100k_text/oa")]);
}

#[test]
fn keys() {
    both("keys-wide_many-da", &["keys", &data("wide_many/da"), "--limit", "8"]);
    both("keys-wide_many-oa", &["keys", &data("wide_many/oa"), "--limit", "8"]);
    both("keys-composite_pk-da", &["keys", &data("composite_pk/da"), "--limit", "5", "--reverse"]);
    both("keys-from-token", &["keys", &data("p20k/nb"), "--from", "token:0", "--limit", "3"]);
    both(
        "keys-prefixes",
        &["keys", &data("p100k_text/da"), "--from", "user:000017", "--limit", "3"],
    );
}

#[test]
fn lookup() {
    both("lookup-p20k-da", &["lookup", &data("p20k/da"), "17021"]);
    both("lookup-absent", &["lookup", &data("p1000/oa"), "5000", "--no-filter"]);
    both("lookup-row", &["lookup", &data("wide_many/da"), "23", "--row", "100"]);
    let reader = ["lookup", &data("p20k/oa"), "17021", "--reader", "scylla"];
    both("lookup-scylla-reader", &reader);
    let warm = ["lookup", &data("p20k/da"), "17021", "--cache", "64K", "--warm", "5, 17021"];
    both("lookup-warm", &warm);
    both("lookup-several", &["lookup", &data("p20k"), "17021"]);
}

#[test]
fn blocks() {
    both("blocks-wide_many-da", &["blocks", &data("wide_many/da"), "23"]);
    both("blocks-wide_many-oa", &["blocks", &data("wide_many/oa"), "23"]);
    both("blocks-open-markers", &["blocks", &data("range_tombstones/oa"), "1"]);
    both("blocks-none", &["blocks", &data("p20k/da"), "17021"]);
}

#[test]
fn page() {
    both("page-trie", &["page", &data("wide_many/da"), "Partitions.db", "0"]);
    both("page-legacy", &["page", &data("ten_partitions/oa"), "index", "0"]);
}

#[test]
fn node() {
    both("node-rows-entry", &["node", &data("wide_many/da"), "Rows.db", "@37"]);
    both("node-trie", &["node", &data("wide_many/da"), "Partitions.db", "@0+3"]);
    both("node-sample", &["node", &data("p20k/nb"), "Summary.db", "0"]);
}

#[test]
fn census() {
    both("census-p20k-da", &["census", &data("p20k/da")]);
    both("census-wide_many-oa", &["census", &data("wide_many/oa")]);
    // The parts of a file make up the file.
    let counted = json(0, &["census", &data("wide_many/da"), "--json"]);
    let counted = counted["sstables"].as_object().unwrap().values().next().unwrap();
    let trie = &counted["trie"];
    let sum: u64 = ["key_bytes", "footer_bytes", "unclaimed_bytes"]
        .map(|it| trie[it].as_u64().unwrap())
        .iter()
        .sum();
    let nodes = ["bytes", "padding_bytes"].map(|it| trie["nodes"][it].as_u64().unwrap());
    assert_eq!(sum + nodes.iter().sum::<u64>(), trie["bytes"].as_u64().unwrap());
}

#[test]
fn rows() {
    both("rows-p20k-da", &["rows", &data("p20k/da"), "--limit", "3"]);
    both("rows-markers", &["rows", &data("range_tombstones/oa"), "1", "--limit", "6"]);
    both("rows-types", &["rows", &data("all_types_val/nb"), "--limit", "2"]);
}

#[test]
fn rows_are_those_of_sstabledump() {
    for table in ["wide_static/da", "composite_pk/da"] {
        let path = common::root().join(data(table)).join("rows.json");
        let dumped: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let printed = json(0, &["rows", &data(table), "--json"]);
        let printed = printed["sstables"].as_object().unwrap().values().next().unwrap();
        // The dump has the first partitions.
        for (dumped, printed) in dumped.as_array().unwrap().iter().zip(printed.as_array().unwrap())
        {
            assert_eq!(
                (&printed["partition"], &printed["rows"]),
                (&dumped["partition"], &dumped["rows"])
            );
        }
    }
}

#[test]
fn a_clean_check() {
    both("check-p20k-da", &["check", &data("p20k/da")]);
    both("check-several", &["check", &data("p20k"), &data("p1000/da")]);
}

#[test]
fn lookup_holds_pages_in_the_order_touched() {
    let looked = json(0, &["lookup", &data("p20k/da"), "17021", "--json"]);
    assert_eq!(looked["found"], true);
    assert_eq!(looked["data_position"], 92_505);
    assert_eq!(looked["requests"]["Partitions.db"], serde_json::json!([39, 30]));
    assert_eq!(looked["fetches"]["Partitions.db"], serde_json::json!([39, 30]));
    let absent = json(0, &["lookup", &data("p20k/da"), "20000000", "--json"]);
    assert_eq!((&absent["found"], &absent["data_position"]), (&false.into(), &().into()));
}

#[test]
fn lookups_agree_with_cassandra() {
    for (table, version) in
        [("p1000", "da"), ("wide_deep", "da"), ("composite_pk", "oa"), ("p5k_uuid", "nb")]
    {
        let path = common::root().join(data(table)).join(version).join("expected.json");
        let expected: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let all = expected["lookups"].as_array().unwrap();
        for looked in all.iter().step_by(all.len() / 12 + 1) {
            let key = format!("0x{}", looked["key"].as_str().unwrap());
            let folder = data(&format!("{table}/{version}"));
            let ran = json(0, &["lookup", &folder, &key, "--json", "--no-filter"]);
            assert_eq!(ran["found"], looked["present"], "{table}/{version} {key}");
            assert_eq!(ran["data_position"], looked["position"], "{table}/{version} {key}");
            if version == "da" {
                let pages = ran["requests"]["Partitions.db"].clone();
                assert_eq!(pages, looked["pages"], "{table} {key}");
            }
        }
    }
}
