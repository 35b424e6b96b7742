//! The steps that both lanes share, against Cassandra's answers: the filter, the key in Data.db, the rows of a block.

use crate::common::{Expected, all_cassandra, cassandra, unhex};
use serde_json::Value;
use triescope_core::keys::{Token, murmur3};
use triescope_core::lookup::{
    BlockStep, Confirmation, FilterAnswer, FilterMode, NotConfirmed, Query, Recorder,
    RowConfirmation, RowKind, RowTarget, Step, ask_filter, confirm,
};
use triescope_core::pos::DataPos;
use triescope_core::table::{Part, Table};

fn each(mut check: impl FnMut(&Expected)) {
    for version in ["da", "oa", "nb"] {
        for expected in all_cassandra(version) {
            check(&expected);
        }
    }
}

fn query<'a>(key: &'a [u8], token: &'a Token, row: Option<&'a RowTarget>) -> Query<'a> {
    let filter = FilterMode::Ask;
    Query { key, token, hash: murmur3(key), comparable: &[], row, filter, clustering: None }
}

fn confirmed(table: &Table<&[u8]>, key: &[u8], at: u64) -> Confirmation {
    let token = table.partitioner().token(key);
    confirm(table, &query(key, &token, None), DataPos(at), None, &mut ()).unwrap().key
}

#[test]
fn the_filter_answers_as_cassandra_does() {
    let (mut yes, mut no) = (0, 0);
    each(|expected| {
        let table = expected.files.table();
        for lookup in expected.json["lookups"].as_array().unwrap() {
            let Some(key) = unhex(&lookup["key"]) else { continue };
            let token = table.partitioner().token(&key);
            let mut recorder = Recorder::new();
            let step = ask_filter(&table, &query(&key, &token, None), &mut recorder).unwrap();
            assert_eq!(recorder.into_record().steps, [Step::Filter(step.clone())]);
            if expected.is_index_only() || !expected.files.set.has(Part::Filter) {
                assert_eq!(step.answer, FilterAnswer::NoFilter, "{}", expected.name);
                continue;
            }
            let maybe = step.answer == FilterAnswer::Maybe;
            assert_eq!(lookup["bloom"], maybe, "{} {}", expected.name, lookup["key"]);
            assert_eq!(step.ends_lookup(), !maybe);
            *(if maybe { &mut yes } else { &mut no }) += 1;
        }
    });
    assert!(yes > 1000 && no > 1000, "{yes} {no}");
}

#[test]
fn the_key_at_every_position_equals_and_at_another_position_differs() {
    let mut compared = 0;
    each(|expected| {
        let (table, name) = (expected.files.table(), &expected.name);
        let partitions = expected.json["partitions"].as_array().unwrap();
        let mut other: Option<Vec<u8>> = None;
        for partition in partitions {
            let Some(key) = unhex(&partition["key"]) else { continue };
            let at = partition["data_position"].as_u64().unwrap();
            let found = confirmed(&table, &key, at);
            if expected.is_index_only() {
                assert_eq!(found, Confirmation::NotConfirmed(NotConfirmed::NoData), "{name}");
                continue;
            }
            assert_eq!(found, Confirmation::Equal, "{name} {}", partition["key"]);
            if let Some(other) = other.replace(key.clone()) {
                let said = Confirmation::Differs { found: key.into() };
                assert_eq!(confirmed(&table, &other, at), said, "{name}");
            }
            compared += 1;
        }
    });
    assert!(compared > 3000, "{compared}");
}

/// The row lookups of a set: key, position of the partition, target, block of the index, whether the row exists.
fn row_lookups(
    expected: &Expected,
    table: &Table<&[u8]>,
    mut check: impl FnMut(&[u8], u64, &RowTarget, Option<u64>, bool),
) {
    let json = &expected.json;
    let schema = table.clustering_schema().unwrap();
    for partition in json["row_lookups"].as_array().into_iter().flatten() {
        let Some(key) = unhex(&partition["key"]) else { continue };
        let places = json["partitions"].as_array().unwrap();
        let place = places.iter().find(|place| place["key"] == partition["key"]).unwrap();
        let at = place["data_position"].as_u64().unwrap();
        let blocks = json["blocks"].as_array().unwrap();
        let blocks = blocks.iter().find(|blocks| blocks["key"] == partition["key"]);
        for lookup in partition["lookups"].as_array().unwrap() {
            if lookup["kind"] != "row" {
                continue;
            }
            let one =
                |value: &Value| if value.is_null() { Some(None) } else { unhex(value).map(Some) };
            let values =
                lookup["values"].as_array().and_then(|values| values.iter().map(one).collect());
            let target = match (values, unhex(&lookup["comparable"])) {
                (Some(values), _) => schema.target(table.dialect(), RowKind::Row, values),
                // Long clusterings are listed in their byte-comparable form only.
                (None, Some(comparable)) => {
                    RowTarget { kind: RowKind::Row, values: Vec::new(), comparable }
                }
                (None, None) => continue,
            };
            // Of the trie the floor's offset; of the legacy index a number, whose offset stands with the blocks.
            let start = lookup["floor"].as_u64().or_else(|| {
                let number = &lookup["block"];
                let list = blocks?["blocks"].as_array()?;
                list.iter().find(|block| block["i"] == *number)?["offset"].as_u64()
            });
            check(&key, at, &target, start, lookup["exists"] == true);
        }
    }
}

#[test]
fn rows_exist_where_cassandra_finds_them_in_the_block_and_in_the_whole_partition() {
    let (mut found, mut absent) = (0, 0);
    each(|expected| {
        if expected.is_index_only() {
            return;
        }
        let (table, name) = (expected.files.table(), &expected.name);
        row_lookups(expected, &table, |key, at, target, start, exists| {
            let token = table.partitioner().token(key);
            let query = query(key, &token, Some(target));
            let block = start.map(|start| BlockStep {
                block: None,
                of: 1,
                parsed: 0,
                parsed_bytes: 0,
                start,
                end: None,
                open: None,
                partition: DataPos(at),
                after_last: false,
            });
            let mut answers = Vec::new();
            for block in [None, block.as_ref()] {
                let step = confirm(&table, &query, DataPos(at), block, &mut ()).unwrap();
                answers.push(match step.row.unwrap() {
                    RowConfirmation::Found { at, .. } => Some(at),
                    RowConfirmation::Absent { .. } => None,
                    other => panic!("{name} {target:?}: {other:?}"),
                });
            }
            assert_eq!(answers[0].is_some(), exists, "{name} {target:?}");
            assert_eq!(answers[0], answers[1], "{name} {target:?}");
            *(if exists { &mut found } else { &mut absent }) += 1;
        });
    });
    assert!(found > 1000 && absent > 500, "{found} {absent}");
}

#[test]
fn walking_the_rows_leads_from_every_partition_to_the_next() {
    let mut walked = 0;
    each(|expected| {
        if expected.is_index_only() {
            return;
        }
        let (table, name) = (expected.files.table(), &expected.name);
        let format = table.row_format().unwrap();
        let mut reader = table.data_reader().unwrap();
        let (mut at, mut partitions) = (DataPos(0), 0u64);
        while at.0 < reader.len() {
            let (_, _, rows) = reader.partition_head(&format, at).unwrap();
            let end = reader.walk_rows(&format, rows, u64::MAX).unwrap();
            let triescope_core::data::Walked::End(next) = end else { panic!("{name}") };
            at = next;
            partitions += 1;
        }
        assert_eq!(at.0, reader.len(), "{name}");
        assert_eq!(expected.json["partition_count"], partitions, "{name}");
        walked += partitions;
    });
    assert!(walked > 80_000, "{walked}");
}

#[test]
fn a_missing_companion_of_data_db_is_named() {
    let files = cassandra("p1000", "da", 1).files;
    let key = unhex(&cassandra("p1000", "da", 1).json["partitions"][0]["key"]).unwrap();
    let said = |files: &crate::common::InMemory| confirmed(&files.table(), &key, 0);
    assert_eq!(said(&files), Confirmation::Equal);
    let not = Confirmation::NotConfirmed;
    assert_eq!(said(&files.without(Part::Data)), not(NotConfirmed::NoData));
    let without = files.without(Part::CompressionInfo);
    assert_eq!(said(&without), not(NotConfirmed::NoCompressionInfo));
    assert_eq!(said(&without.without(Part::Toc)), not(NotConfirmed::NoCompressionInfo));
    assert_eq!(said(&files.without(Part::Statistics)), Confirmation::Equal);
}
