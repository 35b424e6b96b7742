//! Rows equal those of `sstabledump -t`, and those of the same table in another version.

use crate::common::{self, Expected};
use crate::items::{placeless, whole};
use std::fs;
use triescope_core::data::{Item, JsonDump, Life, ShardKind, counter_shards};

/// The moment at which the fixtures' `expired` was decided.
const NOW: i64 = 1_700_000_000;

/// The dump of the first partitions of an SSTable.
fn dump(expected: &Expected, partitions: usize) -> String {
    let table = expected.files.table();
    let (format, keys) = (table.data_format().unwrap(), table.key_schema());
    let mut dump = JsonDump::new(&format, keys, table.clustering_schema().unwrap(), NOW);
    let (mut out, mut ended) = ("[".to_owned(), 0);
    for item in whole(&expected.name, &expected.files) {
        dump.item(&mut out, &item);
        ended += usize::from(matches!(item, Item::End(_)));
        if ended == partitions {
            break;
        }
    }
    out.push(']');
    out
}

/// JSON without blanks between tokens, one token a line, for comparison by line.
fn tokens(json: &str) -> Vec<String> {
    let (mut tokens, mut token, mut in_string, mut escaped) =
        (Vec::new(), String::new(), false, false);
    for c in json.chars() {
        if in_string {
            token.push(c);
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if c == '"' {
            token.push(c);
            in_string = true;
        } else if !c.is_whitespace() {
            if "[]{},:".contains(c) {
                tokens.push(std::mem::take(&mut token));
                tokens.push(c.to_string());
            } else {
                token.push(c);
            }
        }
    }
    tokens.retain(|token| !token.is_empty());
    tokens
}

/// `sstabledump` shows a counter as the first eight bytes of its shards; this is what it says of any counter with one
/// shard. The sums are compared in `counters_are_the_sums_of_their_shards`.
const COUNTER_WITH_ONE_SHARD: &str = "422212465065984";

/// The least moment lies before year 1; the dump gives the year of the era, which has no sign.
const LEAST_MOMENT: (&str, &str) =
    ("\"+292275056-05-16 16:47:04.192Z\"", "\"-292275055-05-16 16:47:04.192Z\"");

/// Whether two tokens say the same. Java before 19 wrote some floating-point numbers with a digit more than is needed to
/// tell them from their neighbours, or with another last one.
fn same(theirs: &str, ours: &str, has_floats: bool) -> bool {
    let double = |token: &str| token.parse::<f64>().ok().filter(|_| token.contains('.'));
    let float = |token: &str| token.parse::<f32>().ok().filter(|_| has_floats);
    theirs == ours
        || (theirs, ours) == LEAST_MOMENT
        || double(theirs).is_some_and(|value| {
            double(ours) == Some(value) || float(theirs).is_some() && float(theirs) == float(ours)
        })
}

#[test]
fn rows_equal_those_of_sstabledump() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for version in ["da", "oa", "nb"] {
        for expected in common::all_cassandra(version) {
            let Some(said) = expected.json["rows_json"].as_str() else { continue };
            let mut words = said.split(' ');
            let partitions = match words.next().unwrap() {
                "all" => usize::MAX,
                "the" => words.nth(1).unwrap().parse().unwrap(),
                _ => continue,
            };
            let generation = expected.files.set.generation.to_string();
            let several = expected.files.folder.join(format!("rows-{generation}.json"));
            let file =
                if several.exists() { several } else { expected.files.folder.join("rows.json") };
            let theirs = tokens(&fs::read_to_string(file).unwrap());
            let ours = tokens(&dump(&expected, partitions));
            for (i, (theirs, ours)) in theirs.iter().zip(&ours).enumerate() {
                if theirs == COUNTER_WITH_ONE_SHARD && expected.name.starts_with("counters") {
                    continue;
                }
                let has_floats =
                    ["ck_float", "all_types_val"].iter().any(|t| expected.name.starts_with(t));
                if !same(theirs, ours, has_floats) {
                    wrong.push(format!("{}, token {i}: {theirs}, not {ours}", expected.name));
                }
            }
            assert_eq!(theirs.len(), ours.len(), "{}", expected.name);
            compared += 1;
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(compared, 43);
}

#[test]
fn other_versions_decode_to_the_rows_of_their_twin() {
    let mut compared = 0;
    for twin in common::all_cassandra("da").filter(|twin| !twin.is_index_only()) {
        let table = twin.files.folder.parent().unwrap().file_name().unwrap().to_owned();
        let table = table.to_str().unwrap();
        let generation = twin.files.set.generation.to_string().parse().unwrap();
        // Cell paths of lists and clocks of counters are the time at which they were written.
        if matches!(table, "all_types_val" | "counters") {
            continue;
        }
        let rows: Vec<_> = whole(&twin.name, &twin.files).into_iter().map(placeless).collect();
        for version in ["oa", "nb"] {
            if !common::testdata().join(table).join(version).is_dir() {
                continue;
            }
            let other = common::cassandra(table, version, generation);
            if other.is_index_only() {
                continue;
            }
            let others = whole(&other.name, &other.files).into_iter().map(placeless);
            assert!(rows.iter().cloned().eq(others), "{}", other.name);
            compared += 1;
        }
    }
    println!("{compared} sets compared with their twins");
    assert!(compared > 100, "{compared}");
}

#[test]
fn counters_are_the_sums_of_their_shards() {
    let mut sums = Vec::new();
    for version in ["da", "oa", "nb"] {
        let expected = common::cassandra("counters", version, 1);
        let items = whole(&expected.name, &expected.files);
        let rows = items.iter().filter_map(|item| match item {
            Item::Row(row) => Some(row),
            _ => None,
        });
        let cells = rows.flat_map(|row| &row.columns).flat_map(|column| &column.cells);
        let of_version: Vec<i64> = cells
            .filter(|cell| cell.life == Life::Live)
            .map(|cell| {
                let shards = counter_shards(&cell.value.bytes).unwrap();
                assert!(shards.iter().all(|shard| shard.kind == ShardKind::Global));
                shards.iter().map(|shard| shard.count).sum()
            })
            .collect();
        sums.push(of_version);
    }
    println!("{:?}", sums[0]);
    assert!(sums.iter().all(|of_version| *of_version == sums[0]));
}
