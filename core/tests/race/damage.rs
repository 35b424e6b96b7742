//! Damage on the way of one lane leaves the other lane, and what does not meet it, as they were.

use super::{Opened, ask};
use triescope_core::lookup::words::{ENGLISH, NoNames, sentence};
use triescope_core::lookup::{Answer, Confirmation, Step};
use triescope_core::race::{LegacyReader, RaceRequest};
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
