//! Whole lookups in opened tables, filter to answer: what the record says of them equals Cassandra's answers.

use crate::common::{Expected, InMemory, all_cassandra, cassandra, unhex};
use crate::files::hex;
use serde_json::Value;
use triescope_core::error::Kind;
use triescope_core::keys::{Token, murmur3, partition_key};
use triescope_core::lookup::{
    AbsentWhy, Answer, FilterMode, NodeOutcome, Query, Record, Recorder, RowKind, RowTarget, Step,
    trie,
};
use triescope_core::pos::DataPos;
use triescope_core::table::{Part, Problem, Table};

/// A lookup with the filter off.
fn look_up(table: &Table<&[u8]>, key: &[u8], row: Option<&RowTarget>) -> (Answer, Record) {
    let partitioner = table.partitioner();
    let token: Token = partitioner.token(key);
    let style = table.dialect().key_style;
    let comparable = partition_key(&partitioner, style, table.key_schema(), key).bytes;
    let hash = murmur3(key);
    let filter = FilterMode::Off;
    let query =
        Query { key, token: &token, hash, comparable: &comparable, row, filter, clustering: None };
    let mut recorder = Recorder::new();
    let answer = trie(table, &query, &mut recorder).unwrap();
    assert_eq!(trie(table, &query, &mut ()).unwrap(), answer, "recording changes nothing");
    let record = recorder.into_record();
    assert_eq!(record.steps.last(), Some(&Step::Answer(answer.clone())));
    (answer, record)
}

fn requests(record: &Record, part: Part) -> Vec<u64> {
    record.requests(part).map(|page| page.0).collect()
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

#[test]
fn partitions_are_answered_as_cassandra_answers() {
    let mut kinds = [0; 5];
    for expected in all_cassandra("da") {
        let table = expected.files.table();
        for lookup in expected.json["lookups"].as_array().unwrap() {
            let key = unhex(&lookup["key"]).unwrap();
            let (answer, record) = look_up(&table, &key, None);
            let position = lookup["position"].as_u64();
            let candidate = lookup["candidate"].as_i64();
            // Without Data.db only a key that Rows.db repeats can be compared.
            let compared = !expected.is_index_only() || candidate.is_some_and(|raw| raw >= 0);
            let kind = match (&answer, lookup["end"].as_str().unwrap()) {
                (Answer::Absent(AbsentWhy::DeadEnd), "dead end") => 0,
                (Answer::Absent(AbsentWhy::HashByte), "hash byte") => 1,
                (Answer::Absent(AbsentWhy::OtherKey), "candidate") if position.is_none() => 2,
                (Answer::Present { data, confirmed: true, .. }, "candidate") => {
                    assert_eq!((Some(data.0), compared), (position, true), "{}", expected.name);
                    3
                }
                (Answer::Present { data, confirmed: false, .. }, "candidate") if !compared => {
                    // Nothing tells an absent key with an equal hash byte from a present one here.
                    assert_eq!(candidate, Some(!data.0.cast_signed()));
                    4
                }
                (answer, end) => panic!("{}: {answer:?}, Cassandra: {end}", expected.name),
            };
            kinds[kind] += 1;
            assert_eq!(requests(&record, Part::Partitions), numbers(&lookup["pages"]));
            let fetches = record.total().fetches as usize;
            let mut pages = [record.requests(Part::Partitions), record.requests(Part::Rows)]
                .map(|requests| requests.collect::<Vec<_>>());
            pages.iter_mut().for_each(|pages| pages.sort());
            pages.iter_mut().for_each(|pages| pages.dedup());
            assert_eq!(fetches, pages[0].len() + pages[1].len(), "fetches are distinct pages");
        }
    }
    assert_eq!(kinds.iter().sum::<u32>(), 3673);
    assert!(kinds.iter().all(|kind| *kind > 20), "{kinds:?}");
}

#[test]
fn rows_are_answered_as_cassandra_answers() {
    let (mut compared, mut passed) = (0, 0);
    for expected in all_cassandra("da") {
        let table = expected.files.table();
        for partition in expected.json["row_lookups"].as_array().unwrap() {
            let key = unhex(&partition["key"]).unwrap();
            for lookup in partition["lookups"].as_array().unwrap() {
                let comparable = hex(lookup["comparable"].as_str().unwrap());
                let kind = if lookup["kind"] == "row" { RowKind::Row } else { RowKind::Before };
                let row = RowTarget { kind, values: Vec::new(), comparable };
                let (answer, record) = look_up(&table, &key, Some(&row));
                passed += u32::from(check_row(&expected, lookup, &answer, &record));
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 1800);
    assert!(passed > 0, "no walk went back to a payload that it had passed");
}

/// Whether the walk went back to the payload of a node that it had passed.
fn check_row(expected: &Expected, lookup: &Value, answer: &Answer, record: &Record) -> bool {
    let name = &expected.name;
    let entry = record.steps.iter().position(|step| matches!(step, Step::RowEntry(_))).unwrap();
    let block = record.steps.iter().position(|step| matches!(step, Step::Block(_))).unwrap();
    let (Step::RowEntry(entry_step), Step::Block(block_step)) =
        (&record.steps[entry], &record.steps[block])
    else {
        unreachable!()
    };
    assert!(entry_step.equal);
    assert_eq!(Some(block_step.start), lookup["floor"].as_u64(), "{name}");
    assert_eq!(block_step.open.map(|open| open.timestamp), lookup["open"]["timestamp"].as_i64());
    assert_eq!(block_step.of, entry_step.blocks);
    assert!(block_step.end.is_none_or(|end| end > block_step.start && !block_step.after_last));

    // From the root on; the entry may have left the walk in the root's page already.
    let walk = &record.steps[entry + 1..block];
    let mut pages = vec![entry_step.root.page().0];
    pages.extend(walk.iter().filter_map(|step| match step {
        Step::Page(page) => Some(page.page.0),
        _ => None,
    }));
    if matches!(walk[0], Step::Page(_)) {
        pages.remove(0);
    }
    assert_eq!(pages, numbers(&lookup["pages"]), "{name}");

    let Answer::Present { data, confirmed: true, block, .. } = answer else {
        panic!("{name}: {answer:?}")
    };
    let start = DataPos(data.0 + block_step.start);
    assert_eq!(*block, (!block_step.after_last).then_some(start));
    let nodes = walk.iter().filter_map(|step| match step {
        Step::Node(node) => Some(&node.outcome),
        _ => None,
    });
    matches!(nodes.collect::<Vec<_>>().last(), Some(NodeOutcome::Back { .. }))
}

#[test]
fn a_damaged_trie_ends_the_lookup_with_what_is_wrong() {
    let expected = cassandra("p20k", "da", 1);
    let key = hex("000010dd");
    let answer = |bytes: Vec<u8>| {
        let files = expected.files.with(Part::Partitions, &bytes);
        look_up(&files.table(), &key, None)
    };
    let whole = expected.files.part(Part::Partitions).to_vec();
    // The node of 256 slots below the root becomes a leaf type without payload.
    let mut damaged = whole.clone();
    damaged[161_555] = 0;
    let (found, record) = answer(damaged);
    let Answer::Unknown(error) = &found else { panic!("{found:?}") };
    assert_eq!((error.part, error.at.0), (Part::Partitions, 161_555));
    let damage = record.steps.iter().rev().nth(1);
    assert_eq!(damage, Some(&Step::Damage(error.clone())));
    assert_eq!(requests(&record, Part::Partitions), [39], "what was read before is counted");

    // A distance that leads elsewhere may end anywhere, but no other partition is confirmed to be the searched one.
    for bit in 0..8 * 3 {
        let mut damaged = whole.clone();
        damaged[162_326 + bit / 8] ^= 1 << (bit % 8);
        match answer(damaged).0 {
            Answer::Present { data, confirmed: true, .. } => assert_eq!(data, DataPos(0)),
            Answer::Present { .. } | Answer::Absent(_) | Answer::Unknown(_) => {}
        }
    }
}

#[test]
fn a_row_index_that_is_not_here_is_named() {
    let expected = cassandra("wide_int", "da", 1);
    let json = &expected.json["partitions"][0];
    let key = unhex(&json["key"]).unwrap();
    let check = |files: InMemory| {
        let (answer, record) = look_up(&files.table(), &key, None);
        let Answer::Unknown(error) = answer else { panic!("{answer:?}") };
        assert_eq!(error.part, Part::Rows, "{error}");
        assert_eq!(requests(&record, Part::Partitions), [0]);
        error
    };
    let error = check(expected.files.without(Part::Rows));
    assert!(matches!(error.kind, Kind::Unexpected { .. }), "{error}");
    let error = check(expected.files.with(Part::Rows, &[]));
    assert!(matches!(error.kind, Kind::Truncated { needed: 2, left: 0 }), "{error}");
}

#[test]
fn end_keys_out_of_order_are_a_problem() {
    let files = cassandra("ten_partitions", "da", 1).files;
    let problems = |files: &InMemory| {
        let problems = files.table().facts.problems;
        problems.into_iter().filter(|problem| matches!(problem, Problem::Damaged(_))).count()
    };
    assert_eq!(problems(&files), 0);
    let mut bytes = files.part(Part::Partitions).to_vec();
    let keys = bytes.len() - 24 - 12;
    bytes[keys..keys + 12].rotate_left(6);
    assert_eq!(problems(&files.with(Part::Partitions, &bytes)), 1);
}
