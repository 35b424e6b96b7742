//! What both lanes cost and say.

use super::{Opened, ask};
use triescope_core::lookup::{
    AbsentWhy, Answer, FilterMode, Record, RowConfirmation, Step, SummarySource,
};
use triescope_core::pos::DataPos;
use triescope_core::race::{CacheModel, LegacyReader, RaceRequest};
use triescope_core::table::Part;

fn pages(record: &Record, part: Part) -> Vec<u64> {
    record.requests(part).map(|page| page.0).collect()
}

fn answer(record: &Record) -> &Answer {
    match record.steps.last() {
        Some(Step::Answer(answer)) => answer,
        other => panic!("no answer at the end: {other:?}"),
    }
}

#[test]
fn key_17021_of_p20k_costs_two_pages_and_five_as_scylla_reads() {
    let race = Opened::new("p20k", 1).race(&ask("17021"));
    let (trie, legacy) = (race.trie.unwrap().record, race.legacy.unwrap());
    assert_eq!(pages(&trie, Part::Partitions), [39, 30]);
    let counts = trie.total();
    assert_eq!((counts.fetches, counts.bytes_fetched, counts.nodes), (2, 6717, 5));
    assert_eq!((counts.bytes_compared, counts.keys_compared), (5, 0));
    assert_eq!(
        (legacy.summary, legacy.samples, legacy.resident),
        (SummarySource::Sampled, 11, 216)
    );
    assert_eq!(legacy.own_samples, Some(157));
    let record = legacy.lane.record;
    assert_eq!(pages(&record, Part::Index), [13, 14, 15, 16, 17]);
    let counts = record.total();
    assert_eq!((counts.fetches, counts.bytes_fetched, counts.entries), (5, 20_480, 1867));
    assert_eq!(counts.keys_compared, 16);
    for record in [&trie, &record] {
        assert!(
            matches!(
                answer(record),
                Answer::Present { data: DataPos(92_505), confirmed: true, .. }
            ),
            "{:?}",
            answer(record)
        );
    }
}

#[test]
fn cassandra_scans_from_its_own_sample() {
    let request = RaceRequest { reader: LegacyReader::Cassandra, ..ask("17021") };
    let race = Opened::new("p20k", 1).race(&request);
    let legacy = race.legacy.unwrap();
    assert_eq!(
        (legacy.summary, legacy.samples, legacy.own_samples),
        (SummarySource::File, 157, None)
    );
    assert!(legacy.lane.record.total().fetches <= 2);
}

#[test]
fn the_filter_ends_a_lookup_or_only_says_that_it_would() {
    let opened = Opened::new("p20k", 1);
    let asked = opened.race(&RaceRequest { filter: FilterMode::Ask, ..ask("1000000") });
    for record in [asked.trie.unwrap().record, asked.legacy.unwrap().lane.record] {
        assert_eq!(record.steps.len(), 2, "{:?}", record.steps);
        assert_eq!(answer(&record), &Answer::Absent(AbsentWhy::Filter));
        assert_eq!(record.total().fetches, 0);
    }
    let off = opened.race(&ask("1000000"));
    let record = off.trie.unwrap().record;
    assert!(matches!(&record.steps[0], Step::Filter(filter) if !filter.tested.last().unwrap().set));
    assert!(record.total().fetches > 0);
}

#[test]
fn a_row_is_found_in_its_block_and_an_absent_one_is_not() {
    let opened = Opened::new("wide_int", 1);
    let row = |row: &str| opened.race(&RaceRequest { row: Some(row.to_owned()), ..ask("1") });
    for (text, found) in
        [("-5000", true), ("0", true), ("4998", true), ("-4999", false), ("100000", false)]
    {
        let race = row(text);
        let lanes = [race.trie.unwrap().record, race.legacy.unwrap().lane.record];
        for record in lanes {
            let Answer::Present { row: Some(row), .. } = answer(&record) else {
                panic!("{text}: {:?}", answer(&record))
            };
            assert_eq!(matches!(row, RowConfirmation::Found { .. }), found, "{text}: {row:?}");
        }
    }
}

#[test]
fn a_warm_cache_holds_what_the_keys_before_have_touched() {
    let opened = Opened::new("p20k", 1);
    let cache = CacheModel::Warm { bytes: 65_536, keys: vec!["17021".into()] };
    let race = opened.race(&RaceRequest { cache, ..ask("17021") });
    let (trie, legacy) =
        (race.trie.unwrap().record.total(), race.legacy.unwrap().lane.record.total());
    assert_eq!((trie.fetches, trie.warm), (0, 2));
    assert_eq!((legacy.fetches, legacy.warm), (0, 5));
}

#[test]
fn a_token_leads_to_the_partition_at_or_after_it() {
    let opened = Opened::new("p20k", 1);
    assert_eq!(opened.race(&ask("token:-9223372036854775808")).key.text, "4317");
    assert_eq!(opened.race(&ask("token:-3495019013798960315")).key.text, "17021");
    assert_ne!(opened.race(&ask("token:-3495019013798960314")).key.text, "17021");
}

#[test]
fn without_data_the_key_in_the_trie_is_not_confirmed() {
    let race = Opened::new("p100k_text", 1).race(&ask("'user:000017'"));
    let record = race.trie.unwrap().record;
    assert!(matches!(answer(&record), Answer::Present { confirmed: false, .. }));
    assert_eq!(record.total().fetches, 2);
    // Index.db holds the whole key.
    let legacy = race.legacy.unwrap().lane.record;
    assert!(matches!(answer(&legacy), Answer::Present { confirmed: true, .. }));
}

#[test]
fn keys_of_one_token_are_told_apart() {
    let expected = super::common::cassandra("token_edges", "da", 1);
    let opened = Opened::new("token_edges", 1);
    for partition in expected.json["partitions"].as_array().unwrap().iter().take(60) {
        let key = format!("0x{}", partition["key"].as_str().unwrap());
        let wanted = partition["data_position"].as_u64().unwrap();
        let race = opened.race(&ask(&key));
        for record in [race.trie.unwrap().record, race.legacy.unwrap().lane.record] {
            let Answer::Present { data, .. } = answer(&record) else { panic!("{key}") };
            assert_eq!(data.0, wanted, "{key}");
        }
    }
}
