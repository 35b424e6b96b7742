//! Damaged twins of the checks of Summary.db.

use crate::common::{InMemory, cassandra, upstream};
use crate::pieces::{SummaryPieces, changed, entries};
use crate::{fires, ids};
use triescope_core::table::Part;

/// 1000 partitions, 8 samples, one each 128 entries.
fn narrow() -> InMemory {
    cassandra("p1000", "oa", 1).files
}

fn twin(change: impl FnOnce(&mut SummaryPieces)) -> InMemory {
    SummaryPieces::changed(&narrow(), change)
}

#[test]
fn a_summary_put_together_from_its_pieces_is_the_same_and_clean() {
    let (files, same) = (narrow(), twin(|_| {}));
    assert_eq!(files.part(Part::Summary), same.part(Part::Summary));
    assert_eq!(ids(&same, false), [""; 0]);
}

#[test]
fn a_memory_size_that_leaves_no_room_is_found() {
    let twin = changed(&narrow(), Part::Summary, |summary| summary[15] -= 96);
    let said = "Summary.db, offset 8 (page 0 + 8), memory size: expected 96..=144, found 32";
    fires(&twin, &[], "summary/header", &[said]);
}

#[test]
fn offsets_of_a_big_endian_machine_are_named() {
    let twin = changed(&narrow(), Part::Summary, |summary| {
        for offset in 0..8 {
            summary[24 + 4 * offset..28 + 4 * offset].reverse();
        }
        for entry in 0..8 {
            // A key of 4 bytes, then the position.
            let position = 24 + 32 + 12 * entry + 4;
            summary[position..position + 8].reverse();
        }
    });
    let said = "Summary.db, offset 24 (page 0 + 24), offsets: expected little-endian, found offsets are big-endian; Cassandra 5 discards and rebuilds this summary";
    fires(&twin, &[], "summary/big-endian", &[said]);
}

#[test]
fn an_offset_behind_the_entries_spoils_two_of_them_and_is_one_fault() {
    let twin = changed(&narrow(), Part::Summary, |summary| summary[24 + 4 * 3 + 1] = 1);
    let said = "Summary.db, offset 36 (page 0 + 36), entry offset: expected 64..=128, found 324";
    fires(&twin, &[], "summary/sample", &[said]);
}

#[test]
fn samples_that_changed_keys_are_out_of_order() {
    let twin = twin(|summary| {
        let key = summary.samples[3].0.clone();
        summary.samples[3].0 = summary.samples[4].0.clone();
        summary.samples[4].0 = key;
    });
    let said = "Summary.db, offset 104 (page 0 + 104), key of sample 4: expected behind 00000203, that of the sample before, found 000003b0";
    // The first of the two has a key that is not its entry's either.
    fires(&twin, &["summary/key"], "summary/order", &[said]);
}

#[test]
fn a_sample_at_the_position_of_the_one_before_is_found() {
    let twin = twin(|summary| summary.samples[3].1 = summary.samples[2].1);
    let said = "Summary.db, offset 96 (page 0 + 96), position of sample 3: expected above 2297, that of the sample before, found 2297";
    fires(&twin, &[], "summary/positions-ascend", &[said]);
}

#[test]
fn a_first_sample_behind_the_first_entry_is_found() {
    let second = entries(&narrow())[1].clone();
    let twin = twin(|summary| summary.samples[0] = (second.key, second.at as u64));
    let said = "Summary.db, offset 60 (page 0 + 60), position of sample 0: expected 0, found 8";
    fires(&twin, &[], "summary/first-sample", &[said]);
}

#[test]
fn a_sample_inside_an_entry_is_found() {
    let twin = twin(|summary| summary.samples[3].1 += 1);
    let said = "Summary.db, offset 96 (page 0 + 96), position of sample 3: expected the start of an entry of Index.db, found 3450, inside the entry at 3449";
    fires(&twin, &[], "summary/position", &[said]);
}

#[test]
fn a_sample_with_the_key_of_another_entry_is_found() {
    let key = entries(&narrow())[3 * 128 + 1].key.clone();
    let twin = twin(|summary| summary.samples[3].0 = key);
    let said = "Summary.db, offset 92 (page 0 + 92), key of sample 3: expected 000003b0, that of the entry at 3449, found 00000167";
    fires(&twin, &[], "summary/key", &[said]);
}

#[test]
fn ends_that_are_not_those_of_the_index_are_found() {
    let all = entries(&narrow());
    let first = twin(|summary| summary.first = all[1].key.clone());
    let said = "Summary.db, offset 152 (page 0 + 152), first key: expected 00000301, the first of Index.db, found 00000017";
    fires(&first, &[], "summary/first-key", &[said]);
    let last = twin(|summary| summary.last = all[998].key.clone());
    let said = "Summary.db, offset 160 (page 0 + 160), last key: expected 000003b1, the last of Index.db, found 000003da";
    fires(&last, &[], "summary/last-key", &[said]);
}

#[test]
fn a_sample_that_is_left_out_breaks_the_declared_interval() {
    let twin = twin(|summary| _ = summary.samples.remove(3));
    let said = "Index.db, offset 2297 (page 0 + 2297), entries from sample 2 to the next: expected 128, by interval 128 and level 128, found 256";
    fires(&twin, &[], "summary/interval", &[said]);
}

#[test]
fn a_level_is_honoured() {
    // Of 128 samples 64 are kept: each second one.
    let twin = twin(|summary| {
        summary.level = 64;
        let kept = summary.samples.iter().step_by(2).cloned().collect();
        summary.samples = kept;
    });
    assert_eq!(ids(&twin, false), [""; 0]);
}

#[test]
fn a_sample_more_than_scylladb_would_take_is_noted() {
    let Some(folder) = upstream("scylladb/alternator_scylla4.0.rc1") else { return };
    let files = InMemory::folder(&folder).remove(0);
    let others = ids(&files, false);
    assert!(!others.contains(&"summary/rule"), "{others:?}");
    let entry = entries(&files)[5].clone();
    let twin = SummaryPieces::changed(&files, |summary| {
        summary.samples.push((entry.key, entry.at as u64));
    });
    let said = "Index.db, offset 52 (page 0 + 52), entry 5: expected no sample, found a sample";
    fires(&twin, &others, "summary/rule", &[said]);
}
