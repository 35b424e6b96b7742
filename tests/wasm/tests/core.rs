//! The core in wasm32: the same answers as Cassandra's own readers, with 32-bit memory and positions above 4 GiB.
#![cfg(target_arch = "wasm32")]

use serde_json::Value;
use std::ops::ControlFlow;
use triescope_core::big::IndexWalk;
use triescope_core::bti::{Exact, Footer, PartitionIndex, RowEntry, RowIndex};
use triescope_core::keys::{KeySchema, KeyStyle, Partitioner, murmur3, partition_key};
use triescope_core::lookup::{FilterMode, Record, Recorder, Step};
use triescope_core::pos::{FilePos, PAGE_SIZE};
use triescope_core::race::{self, CacheModel, Contest, LegacyReader, RaceRequest};
use triescope_core::source::{Pages, Source};
use triescope_core::table::{Part, Table, group};
use triescope_wasm::Lifted;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Above 4 GiB, and not a multiple of it: cut to 32 bits it would be another position, not 0.
const FAR: FilePos = FilePos((5 << 32) + 3 * PAGE_SIZE);

macro_rules! fixture {
    ($path:literal) => {
        include_bytes!(concat!("../../../testdata/cassandra/", $path)).as_slice()
    };
}

fn expected(json: &[u8]) -> Value {
    serde_json::from_slice(json).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn hex(value: &Value) -> Vec<u8> {
    let text = value.as_str().unwrap();
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

fn pages_of(record: &Record, part: Part, base: FilePos) -> Vec<u64> {
    record.requests(part).map(|page| page.0 - base.0 / PAGE_SIZE).collect()
}

/// Every lookup that Cassandra answered, on a file that starts at `base`.
fn exact_lookups<S: Source>(source: &S, base: FilePos, footer: &Footer, json: &Value) -> usize {
    let trie = PartitionIndex::new(footer);
    let schema = KeySchema::from_class(json["key_validator"].as_str().unwrap());
    for lookup in list(&json["lookups"]) {
        let key = hex(&lookup["key"]);
        let comparable = partition_key(&Partitioner::Murmur3, KeyStyle::Blob, &schema, &key);
        let mut recorder = Recorder::new();
        let mut pages = Pages::new(Part::Partitions, source, &mut recorder);
        let end = trie.exact(&mut pages, &comparable.bytes, murmur3(&key).byte()).unwrap();
        let (name, candidate) = match end {
            Exact::DeadEnd => ("dead end", None),
            Exact::OtherHash(_) => ("hash byte", None),
            Exact::Candidate(leaf) => ("candidate", Some(leaf.raw)),
        };
        assert_eq!(
            (Some(name), candidate),
            (lookup["end"].as_str(), lookup["candidate"].as_i64()),
            "{lookup}"
        );
        let requested: Vec<u64> = list(&lookup["pages"]).iter().filter_map(Value::as_u64).collect();
        assert_eq!(pages_of(recorder.record(), Part::Partitions, base), requested, "{lookup}");
    }
    list(&json["lookups"]).len()
}

/// Every row lookup that Cassandra answered, on a Rows.db that starts at `base`.
fn row_lookups(rows: &[u8], base: FilePos, json: &Value) -> usize {
    let source = Lifted { base, bytes: rows };
    let mut compared = 0;
    for partition in list(&json["row_lookups"]) {
        let at = FilePos(base.0 + partition["rows_entry"].as_u64().unwrap());
        let entry = RowEntry::read(&mut Pages::new(Part::Rows, &source, &mut ()), at).unwrap();
        assert_eq!((&entry.key, entry.at), (&hex(&partition["key"]), at));
        for lookup in list(&partition["lookups"]) {
            let mut recorder = Recorder::new();
            let mut pages = Pages::new(Part::Rows, &source, &mut recorder);
            let floor =
                RowIndex::new(&entry).floor(&mut pages, &hex(&lookup["comparable"])).unwrap();
            assert_eq!(Some(floor.block.offset), lookup["floor"].as_u64(), "{lookup}");
            let requested: Vec<u64> =
                list(&lookup["pages"]).iter().filter_map(Value::as_u64).collect();
            assert_eq!(pages_of(recorder.record(), Part::Rows, base), requested, "{lookup}");
            compared += 1;
        }
    }
    compared
}

#[wasm_bindgen_test]
fn keys_become_the_same_tokens_and_bytes() {
    let sets = [
        (fixture!("token_edges/da/expected.json"), 50),
        (fixture!("composite_pk/da/expected.json"), 50),
        (fixture!("p5k_uuid/da/expected.json"), 50),
    ];
    for (json, least) in sets {
        let json = expected(json);
        let schema = KeySchema::from_class(json["key_validator"].as_str().unwrap());
        let cases = list(&json["byte_comparable"]["partition_keys"]);
        assert!(cases.len() >= least, "{} cases", cases.len());
        for case in cases {
            let found = partition_key(
                &Partitioner::Murmur3,
                KeyStyle::Blob,
                &schema,
                &hex(&case["serialized"]),
            );
            assert_eq!(found.bytes, hex(&case["comparable"]), "{case}");
        }
    }
}

#[wasm_bindgen_test]
fn trie_lookups_equal_cassandras() {
    let file = fixture!("p20k/da/da-1-bti-Partitions.db");
    let json = expected(fixture!("p20k/da/expected.json"));
    let footer = Footer::read(&file).unwrap();
    assert!(exact_lookups(&file, FilePos(0), &footer, &json) >= 100);
}

#[wasm_bindgen_test]
fn trie_lookups_above_4_gib_turn_to_the_same_pages() {
    let file = fixture!("p20k/da/da-1-bti-Partitions.db");
    let json = expected(fixture!("p20k/da/expected.json"));
    let mut footer = Footer::read(&file).unwrap();
    // Distances between nodes are relative; only the footer names places in the file.
    footer.root = FilePos(footer.root.0 + FAR.0);
    footer.keys_at = FilePos(footer.keys_at.0 + FAR.0);
    assert!(exact_lookups(&Lifted { base: FAR, bytes: file }, FAR, &footer, &json) >= 100);
}

#[wasm_bindgen_test]
fn a_footer_above_4_gib_is_read_as_it_is_written() {
    let file = fixture!("ten_partitions/da/da-1-bti-Partitions.db");
    let near = Footer::read(&file).unwrap();
    let mut bytes = file.to_vec();
    let footer_at = bytes.len() - 24;
    for (field, value) in [(0, near.keys_at.0 + FAR.0), (16, near.root.0 + FAR.0)] {
        bytes[footer_at + field..footer_at + field + 8].copy_from_slice(&value.to_be_bytes());
    }
    let far = Footer::read(&Lifted { base: FAR, bytes: &bytes }).unwrap();
    assert_eq!(far.root.0, near.root.0 + FAR.0);
    assert_eq!((far.first, far.last, far.count), (near.first, near.last, near.count));
}

#[wasm_bindgen_test]
fn row_lookups_equal_cassandras_near_and_far() {
    let rows = fixture!("wide_deep/da/da-1-bti-Rows.db");
    let json = expected(fixture!("wide_deep/da/expected.json"));
    for base in [FilePos(0), FAR] {
        assert!(row_lookups(rows, base, &json) >= 30);
    }
}

/// The legacy set of `p20k`, as the page opens it.
fn legacy() -> Table<&'static [u8]> {
    let files = [
        (Part::Index, "oa-1-big-Index.db", fixture!("p20k/oa/oa-1-big-Index.db")),
        (Part::Summary, "oa-1-big-Summary.db", fixture!("p20k/oa/oa-1-big-Summary.db")),
        (Part::Statistics, "oa-1-big-Statistics.db", fixture!("p20k/oa/oa-1-big-Statistics.db")),
    ];
    let set = group(files.map(|(_, name, bytes)| (name, bytes.len() as u64))).sets.remove(0);
    Table::open(set, files.map(|(part, _, bytes)| (part, bytes))).unwrap()
}

#[wasm_bindgen_test]
fn legacy_lookups_equal_cassandras() {
    let table = legacy();
    let contest =
        Contest { trie: None, legacy: Some(&table), scylla_samples: None, cassandra_samples: None };
    let json = expected(fixture!("p20k/oa/expected.json"));
    let mut compared = 0;
    for lookup in list(&json["lookups"]) {
        let Some(entries) = lookup["entries_read"].as_u64() else { continue };
        let request = RaceRequest {
            key: format!("0x{}", lookup["key"].as_str().unwrap()),
            row: None,
            reader: LegacyReader::Cassandra,
            cache: CacheModel::Cold,
            filter: FilterMode::Off,
            sample_large: false,
        };
        let record = race::run(&contest, &request).unwrap().legacy.unwrap().lane.record;
        let window = record.steps.iter().find_map(|step| match step {
            Step::Window(window) => Some(window.from.0),
            _ => None,
        });
        assert_eq!(window, lookup["scan_from"].as_u64(), "{lookup}");
        assert_eq!(record.total().entries, entries, "{lookup}");
        compared += 1;
    }
    assert!(compared >= 90, "{compared} lookups");
}

#[wasm_bindgen_test]
fn entries_of_an_index_above_4_gib_are_those_below() {
    let file = fixture!("p20k/oa/oa-1-big-Index.db");
    let near = read_all(FilePos(0), &file);
    let far = read_all(FAR, &Lifted { base: FAR, bytes: file });
    assert_eq!(near.len(), 20_000);
    let lifted: Vec<_> = near.into_iter().map(|(at, data, key)| (at + FAR.0, data, key)).collect();
    assert!(lifted == far, "entries above 4 GiB differ");
}

/// Position, data position and key of every entry.
fn read_all<S: Source>(from: FilePos, source: &S) -> Vec<(u64, u64, Vec<u8>)> {
    let mut found = Vec::new();
    IndexWalk::from(triescope_core::table::IndexFormat::Vints, from)
        .run(source, u64::MAX, |head, bytes| {
            found.push((head.at.0, head.data.0, head.key(bytes).to_vec()));
            ControlFlow::Continue(())
        })
        .unwrap();
    found
}
