//! Every step of every kind of race has words, and they are those of the screens.

use super::{Opened, ask};
use triescope_core::lookup::Record;
use triescope_core::lookup::words::{ENGLISH, Runner, sentence, short, verdict};
use triescope_core::race::{LegacyReader, RaceRequest, TableNames};

fn texts(opened: &Opened, record: &Record) -> (Vec<String>, Vec<String>) {
    let names = TableNames::of(&opened.trie.table().facts);
    let all = 0..record.steps.len();
    let say = all.clone().map(|i| sentence(&ENGLISH, &names, record, i).plain()).collect();
    (say, all.map(|i| short(&ENGLISH, &names, record, i).plain()).collect())
}

#[test]
fn the_trie_lane_of_key_17021_reads_as_on_the_screen() {
    let opened = Opened::new("p20k", 1);
    let race = opened.race(&ask("17021"));
    let record = race.trie.unwrap().record;
    let (say, list) = texts(&opened, &record);
    let steps = [
        "Fetch page 39",
        "SINGLE_NOPAYLOAD_12: byte 0x40, the only child, to 161,555",
        "DENSE_24: byte 0x4f, child 80 of 256, to 124,446",
        "Fetch page 30",
        "SPARSE_12: byte 0x7f, child 29 of 65, to 124,214",
        "SPARSE_8: byte 0x32, child 2 of 3, to 124,204",
        "PAYLOAD_ONLY: hash 0x96 equal, Data.db 92,505",
    ];
    assert_eq!(list[1..8], steps);
    assert_eq!(say[1], "Fetch page 39 of Partitions.db, where the root lies");
    assert_eq!(say[7], "Leaf: hash byte 0x96 equals the key’s, so follow it to Data.db 92,505");
    assert_eq!(say.last().unwrap(), "The partition is at Data.db 92,505");
}

#[test]
fn the_legacy_lane_of_key_17021_reads_as_on_the_screen() {
    let opened = Opened::new("p20k", 1);
    let race = opened.race(&ask("17021"));
    let record = race.legacy.unwrap().lane.record;
    let (say, list) = texts(&opened, &record);
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    let steps = [
        "Summary.db: sample 5, go left",
        "Summary.db: sample 2, go right",
        "Summary.db: sample 4, go left",
        "Summary.db: sample 3, go right",
        "Sample 3: window 54,908–73,578",
        "Fetch page 13",
        "Fetch page 14",
        "Fetch page 15",
        "Fetch page 16",
        "Fetch page 17",
        "Parse 1,867 entries, 18,670 B",
        "Entry 933, go left",
        "Entry 466, go right",
        "Entry 700, go left",
        "Entry 583, go left",
        "Entry 525, go right",
        "Entry 554, go right",
        "Entry 569, go left",
        "Entry 562, go right",
        "Entry 566, go left",
        "Entry 564, go right",
        "Entry 565, go right",
        "Entry 566: key equal, Data.db 92,505",
    ];
    assert_eq!(list[1..24], steps);
    assert_eq!(say[6], "Fetch page 13 of Index.db: page 1 of 5 of the window 54,908–73,578");
}

#[test]
fn the_verdict_has_no_favourite() {
    let opened = Opened::new("p20k", 1);
    let of = |request: &RaceRequest| {
        let race = opened.race(request);
        let (trie, legacy) = (race.trie.unwrap().record, race.legacy.unwrap().lane.record);
        let runner = |record| Some(Runner { record, done: usize::MAX });
        verdict(&ENGLISH, runner(&trie), runner(&legacy)).plain()
    };
    assert_eq!(of(&ask("17021")), "The trie fetches 2 pages, the legacy index 5.");
    let cassandra = RaceRequest { reader: LegacyReader::Cassandra, ..ask("17021") };
    assert_eq!(of(&cassandra), "This key costs the trie 2 pages and the legacy index 1.");
}

#[test]
fn no_step_of_any_race_is_without_words() {
    let tables = [
        "one_partition",
        "composite_pk",
        "wide_desc",
        "wide_mixed",
        "range_tombstones",
        "p5k_uuid",
    ];
    for table in tables {
        let opened = Opened::new(table, 1);
        let expected = super::common::cassandra(table, "da", 1);
        for lookup in expected.json["lookups"].as_array().unwrap() {
            let key = format!("0x{}", lookup["key"].as_str().unwrap());
            for reader in [LegacyReader::Scylla, LegacyReader::Cassandra] {
                let race = opened.race(&RaceRequest { reader, ..ask(&key) });
                for record in [race.trie.unwrap().record, race.legacy.unwrap().lane.record] {
                    let (say, list) = texts(&opened, &record);
                    assert!(say.iter().chain(&list).all(|text| !text.is_empty()), "{table} {key}");
                }
            }
        }
    }
}
