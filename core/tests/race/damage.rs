//! Damage on the way of one lane leaves the other lane, and what does not meet it, as they were.

use super::{Opened, ask};
use triescope_core::lookup::{Answer, Step};
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
