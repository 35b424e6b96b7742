//! Damage on the way of one lane leaves the other lane, and what does not meet it, as they were.

use super::{Opened, ask};
use triescope_core::lookup::words::{ENGLISH, NoNames, sentence};
use triescope_core::lookup::{Answer, Confirmation, Step};
use triescope_core::race::{Contest, LegacyReader, RaceRequest, Stop, run};
use triescope_core::table::Part;

#[test]
fn flipped_bytes_of_summary_db_leave_the_trie_lane_as_it_was() {
    let opened = Opened::new("p1000", 1);
    let whole = opened.race(&ask("5"));
    for at in 0..opened.legacy.part(Part::Summary).len() {
        let mut bytes = opened.legacy.part(Part::Summary).to_vec();
        bytes[at] ^= 0xff;
        let legacy = opened.legacy.with(Part::Summary, &bytes);
        let changed = Opened { trie: opened.trie.clone(), legacy };
        for key in ["5", "token:0"] {
            // Where opening finds the damage, Index.db is sampled: the host's matter.
            if changed.legacy.table().summary.is_none() {
                continue;
            }
            let request = RaceRequest { reader: LegacyReader::Cassandra, ..ask(key) };
            let race = changed.race(&request);
            let trie = race.trie.unwrap().record;
            assert!(matches!(trie.steps.last(), Some(Step::Answer(Answer::Present { .. }))));
            if key == "5" {
                assert_eq!(trie, whole.trie.as_ref().unwrap().record, "byte {at}");
            }
            let legacy = race.legacy.unwrap().lane.record;
            assert!(matches!(legacy.steps.last(), Some(Step::Answer(_))), "byte {at}");
        }
    }
}

#[test]
fn data_db_of_another_table_is_said_to_contradict_an_index_that_has_the_key() {
    let opened = Opened::new("ten_partitions", 1);
    let other = Opened::new("p1000", 1);
    let mut legacy = opened.legacy.clone();
    for part in [Part::Data, Part::CompressionInfo] {
        legacy = legacy.with(part, other.legacy.part(part));
    }
    let opened = Opened { trie: opened.trie, legacy };
    let mut differ = 0;
    for key in 0..10 {
        let race = opened.race(&ask(&key.to_string()));
        let record = race.legacy.unwrap().lane.record;
        let at = record.steps.iter().position(|step| matches!(step, Step::Data(_))).unwrap();
        let Step::Data(data) = &record.steps[at] else { unreachable!() };
        if !matches!(data.key, Confirmation::Differs { .. }) {
            continue;
        }
        differ += 1;
        assert!(matches!(record.steps.last(), Some(Step::Answer(Answer::Present { .. }))));
        let said = sentence(&ENGLISH, &NoNames, &record, at).plain();
        assert!(!said.contains("absent") && said.contains("not belong together"), "{said}");
    }
    assert!(differ > 0, "the positions of both tables begin alike");
}

/// Each component of one SSTable missing, empty, a text, or cut: the race is run all the same, and the lane of the other
/// one is as it was. A row is searched too, so that all parts are read.
#[test]
fn whatever_is_wrong_with_a_file_of_one_index_the_other_lane_is_as_it_was() {
    for (table, key, row) in [("wide_many", "23", "160"), ("p1000", "5", "")] {
        let opened = Opened::new(table, 1);
        for reader in [LegacyReader::Cassandra, LegacyReader::Scylla] {
            let request = RaceRequest { reader, row: Some(row.to_owned()), ..ask(key) };
            let whole = opened.race(&request);
            let check = |changed: &Opened, is_trie: bool, what: &str| {
                let race = changed.race_sampled(&request);
                let race = race.unwrap_or_else(|stop| panic!("{table} {what}: {stop:?}"));
                if is_trie {
                    assert_eq!(race.legacy, whole.legacy, "{table} {what}");
                } else {
                    assert_eq!(race.trie, whole.trie, "{table} {what}");
                }
                for record in race
                    .trie
                    .iter()
                    .map(|lane| &lane.record)
                    .chain(race.legacy.iter().map(|lane| &lane.lane.record))
                {
                    assert!(matches!(record.steps.last(), Some(Step::Answer(_))), "{what}");
                }
            };
            for is_trie in [true, false] {
                let files = if is_trie { &opened.trie } else { &opened.legacy };
                for part in files.bytes.keys().copied().collect::<Vec<Part>>() {
                    let whole = files.part(part);
                    let cuts =
                        [0, 1, whole.len() / 3, whole.len() / 2, whole.len().saturating_sub(1)];
                    let mut changes =
                        vec![files.without(part), files.with(part, b"Dear reader,\n")];
                    changes
                        .extend(cuts.map(|cut| files.with(part, &whole[..cut.min(whole.len())])));
                    for (i, files) in changes.into_iter().enumerate() {
                        let (trie, legacy) = if is_trie {
                            (files, opened.legacy.clone())
                        } else {
                            (opened.trie.clone(), files)
                        };
                        check(&Opened { trie, legacy }, is_trie, &format!("{part} {i}"));
                    }
                }
            }
        }
    }
}

#[test]
fn without_statistics_db_of_one_sstable_its_rows_are_found_by_the_types_of_the_other() {
    let opened = Opened::new("wide_many", 1);
    for reader in [LegacyReader::Cassandra, LegacyReader::Scylla] {
        let request = RaceRequest { reader, row: Some("160".to_owned()), ..ask("23") };
        let whole = opened.race(&request).legacy.unwrap().lane.record;
        let legacy = opened.legacy.without(Part::Statistics);
        let changed = Opened { trie: opened.trie.clone(), legacy };
        let record = changed.race_sampled(&request).unwrap().legacy.unwrap().lane.record;
        let index = |record: &triescope_core::lookup::Record| {
            let steps = record.steps.iter();
            let index = steps.filter(|step| !matches!(step, Step::Data(_) | Step::Answer(_)));
            index.cloned().collect::<Vec<Step>>()
        };
        assert_eq!(index(&record), index(&whole), "{reader:?}");
        let Some(Step::Answer(Answer::Present { block, .. })) = record.steps.last() else {
            panic!("{:?}", record.steps.last())
        };
        assert!(block.is_some());
    }
}

#[test]
fn a_token_is_not_called_absent_where_the_index_cannot_be_read() {
    let trie = Opened::new("p1000", 1).trie.with(Part::Partitions, b"Dear reader,\n");
    let table = trie.table();
    let contest =
        Contest { trie: Some(&table), legacy: None, scylla_samples: None, cassandra_samples: None };
    let Err(Stop::Text { why }) = run(&contest, &ask("token:0")) else { panic!("it was found") };
    assert!(why.starts_with("Partitions.db cannot be read"), "{why}");
}
