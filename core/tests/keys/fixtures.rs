//! Every `expected.json` of the trie format: what Cassandra makes of keys, clusterings and values of these tables.

use serde_json::Value;
use std::path::Path;
use triescope_core::cql::{CqlType, parse_literal, to_text};
use triescope_core::keys::{
    ClusteringSchema, Dialect, KeyInput, KeySchema, KeyStyle, Partitioner, Token, comparable_value,
    murmur3, murmur3_blob_into, partition_key,
};
use triescope_core::lookup::RowKind;

struct Table {
    name: String,
    json: Value,
    keys: KeySchema,
    clustering: ClusteringSchema,
}

fn tables() -> Vec<Table> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("testdata/cassandra");
    let mut tables = Vec::new();
    for table in std::fs::read_dir(root).unwrap() {
        let table = table.unwrap();
        let Ok(files) = std::fs::read_dir(table.path().join("da")) else { continue };
        for file in files {
            let file = file.unwrap();
            let name = file.file_name().into_string().unwrap();
            if !name.starts_with("expected") || !name.ends_with(".json") {
                continue;
            }
            let json: Value = serde_json::from_slice(&std::fs::read(file.path()).unwrap()).unwrap();
            let classes = list(&json["clustering_types"]).iter().map(text);
            tables.push(Table {
                name: format!("{} {name}", table.file_name().display()),
                keys: KeySchema::from_class(text(&json["key_validator"])),
                clustering: ClusteringSchema::from_classes(classes),
                json,
            });
        }
    }
    assert_eq!(tables.len(), 60, "tables in the trie format");
    tables
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn hex(value: &Value) -> Vec<u8> {
    parse_literal(&CqlType::Blob, &format!("0x{}", text(value))).unwrap()
}

/// Whether Cassandra's text of a value can be read back: it cuts long ones, writes empty elements as null, and the
/// first millisecond as a year of our era.
fn is_literal(cql: &str) -> bool {
    !cql.ends_with("...") && !cql.contains("null") && !cql.contains("+292275056")
}

#[test]
fn partition_keys_are_translated_as_cassandra_does() {
    let mut typed = 0;
    for Table { name, json, keys, .. } in tables() {
        let mut buffer = Vec::new();
        for case in list(&json["byte_comparable"]["partition_keys"]) {
            let key = hex(&case["serialized"]);
            let comparable = partition_key(&Partitioner::Murmur3, KeyStyle::Blob, &keys, &key);
            assert_eq!(comparable.bytes, hex(&case["comparable"]), "{name} {case}");
            murmur3_blob_into(&key, murmur3(&key), &mut buffer);
            assert_eq!(buffer, comparable.bytes, "{name} {case}");
            let token = Token::Murmur3(case["token"].as_i64().unwrap());
            assert_eq!(Partitioner::Murmur3.token(&key), token, "{name} {case}");

            let parse = |text: &str| keys.parse(&Partitioner::Murmur3, text).unwrap();
            assert_eq!(parse(&keys.to_text(&key)), KeyInput::Key(key.clone()), "{name} {case}");
            if is_literal(text(&case["cql"])) {
                assert_eq!(parse(text(&case["cql"])), KeyInput::Key(key), "{name} {case}");
                typed += 1;
            }
        }
    }
    assert!(typed > 400, "{typed} keys were typed");
}

#[test]
fn all_keys_of_the_tables_are_read_back_from_their_text() {
    for Table { name, json, keys, .. } in tables() {
        for case in list(&json["partitions"]).iter().chain(list(&json["lookups"])) {
            let Some(key) = case["key"].as_str() else { continue };
            let key = hex(&key.into());
            let parsed = keys.parse(&Partitioner::Murmur3, &keys.to_text(&key)).unwrap();
            assert_eq!(parsed, KeyInput::Key(key), "{name} {case}");
        }
    }
}

fn kind(case: &Value) -> RowKind {
    match text(&case["kind"]) {
        "row" | "clustering" => RowKind::Row,
        "bottom" | "incl_start_bound" | "excl_end_bound" | "excl_end_incl_start_boundary" => {
            RowKind::Before
        }
        "top" | "incl_end_bound" | "excl_start_bound" | "incl_end_excl_start_boundary" => {
            RowKind::After
        }
        other => panic!("kind {other}"),
    }
}

#[test]
fn clusterings_and_bounds_are_translated_as_cassandra_does() {
    let (mut rows, mut bounds, mut typed, mut exact, mut others) = (0, 0, 0, 0, [0, 0]);
    for Table { name, json, clustering, .. } in tables() {
        let lookups = list(&json["row_lookups"]).iter().flat_map(|of| list(&of["lookups"]));
        for case in list(&json["byte_comparable"]["clusterings"]).iter().chain(lookups) {
            // Long values are left out there.
            let Some(values) = case["values"].as_array() else { continue };
            let values: Vec<_> = values.iter().map(|v| Some(hex(v))).collect();
            let target = clustering.target(Dialect::CASSANDRA, kind(case), values.clone());
            assert_eq!(target.comparable, hex(&case["comparable"]), "{name} {case}");
            let decoded = clustering.decode(&target.comparable);
            assert_eq!(decoded.kind, Some(kind(case)), "{name} {case}");
            // Two kinds of values share a code with others: decimals that differ in zeros only, and tuples with an empty
            // value in place of a null before the last. What is read back then is the same place.
            let again = clustering.target(Dialect::CASSANDRA, kind(case), decoded.values.clone());
            assert_eq!(again.comparable, target.comparable, "{name} {case}");
            if decoded.values == values {
                exact += 1;
            } else {
                let tables = ["ck_decimal", "ck_tuple"];
                let table = tables.iter().position(|table| name.starts_with(table));
                others[table.unwrap_or_else(|| panic!("{name} {case}"))] += 1;
            }
            let key = clustering.comparable(
                Dialect::CASSANDRA,
                kind(case),
                values.iter().map(Option::as_deref),
            );
            let sum: u32 = key.parts.iter().map(|part| part.bytes).sum();
            assert_eq!(sum as usize, key.bytes.len(), "{name} {case}");
            if kind(case) != RowKind::Row {
                bounds += 1;
                continue;
            }
            rows += 1;
            // Absent rows are made up, a set with an element twice among them.
            if case["exists"] == false {
                continue;
            }
            let shown = clustering.to_text(values.iter().map(Option::as_deref));
            let parsed = clustering.parse(Dialect::CASSANDRA, &shown).unwrap();
            assert_eq!(parsed, target, "{name} {shown}");
            if let Some(cql) = case["cql"].as_str().filter(|cql| is_literal(cql)) {
                let parsed = clustering.parse(Dialect::CASSANDRA, cql).unwrap();
                assert_eq!(parsed, target, "{name} {cql}");
                typed += 1;
            }
        }
    }
    assert!(rows > 2000 && bounds > 400 && typed > 2000, "{rows} {bounds} {typed}");
    assert_eq!((exact, others), (3351, [13, 5]), "places read back");
}

#[test]
fn values_are_translated_as_cassandra_does() {
    let (mut all, mut empty, mut same) = (0, 0, 0);
    for Table { name, json, clustering, .. } in tables() {
        let columns = json["byte_comparable"].as_object().unwrap();
        let columns = columns.iter().filter(|(name, _)| name.starts_with("column_"));
        for ((column, cases), of) in columns.zip(clustering.columns()) {
            for case in list(cases) {
                let bytes = hex(&case["serialized"]);
                let ours = comparable_value(&of.cql, of.descending, &bytes, Dialect::CASSANDRA);
                let cassandras = case["comparable"].as_str().map(|c| hex(&c.into()));
                empty += usize::from(cassandras.is_none());
                all += 1;
                assert_eq!(ours, cassandras, "{name} {column} {case}");

                let shown = to_text(&of.cql, &bytes);
                assert_eq!(parse_literal(&of.cql, &shown), Ok(bytes.clone()), "{name} {shown}");
                let cql = text(&case["cql"]);
                if is_literal(cql) {
                    assert_eq!(parse_literal(&of.cql, cql), Ok(bytes), "{name} {cql}");
                }
                same += usize::from(shown == cql);
            }
        }
    }
    assert!(all > 1500 && empty > 10, "{all} {empty}");
    // The rest: empty values, floating point in Java's form, long texts, zeros in addresses.
    assert!(same * 10 > all * 8, "{same} of {all} texts are Cassandra's, letter by letter");
}

#[test]
fn the_order_of_places_is_the_order_of_the_file() {
    let mut pairs = 0;
    for Table { name, json, clustering, .. } in tables() {
        for of in list(&json["row_lookups"]) {
            // Rows are looked up in the order of the file, once the bounds and absent rows are left out.
            let rows: Vec<Vec<_>> = list(&of["lookups"])
                .iter()
                .filter(|case| case["kind"] == "row" && case["exists"] == true)
                .filter_map(|case| case["values"].as_array())
                .map(|values| values.iter().map(|v| Some(hex(v))).collect())
                .collect();
            for pair in rows.windows(2) {
                let [a, b] = pair else { unreachable!() };
                let borrow = |values: &[Option<Vec<u8>>]| -> Vec<_> {
                    values.iter().cloned().map(Option::unwrap).collect()
                };
                let (a, b) = (borrow(a), borrow(b));
                let a: Vec<_> = a.iter().map(|v| Some(v.as_slice())).collect();
                let b: Vec<_> = b.iter().map(|v| Some(v.as_slice())).collect();
                let order = clustering.order((RowKind::Row, &a), (RowKind::Row, &b));
                assert!(order.is_le(), "{name} {a:?} {b:?}");
                pairs += 1;
            }
        }
    }
    assert!(pairs > 500, "{pairs}");
}
