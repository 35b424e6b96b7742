//! Lookups in versions before `ma`, alone and beside a newer SSTable of the same rows, and in DSE's `bb` without types.

use super::common::{InMemory, folders, upstream};
use super::{ask, sampled};
use std::ops::ControlFlow;
use triescope_core::big::{EntryHead, IndexWalk};
use triescope_core::lookup::{Answer, FilterMode, Record, RowConfirmation, Step, SummarySource};
use triescope_core::race::{Contest, LegacyReader, Race, RaceRequest, Stop, run};
use triescope_core::table::{DataForm, Part, Table, words};

fn one(folder: &str, name: &str) -> Option<InMemory> {
    let files = InMemory::folder(&upstream(folder)?);
    files.into_iter().find(|files| files.set.name() == name)
}

fn contest<'a>(
    trie: Option<&'a Table<&'a [u8]>>,
    legacy: Option<&'a Table<&'a [u8]>>,
) -> Contest<'a, &'a [u8]> {
    Contest { trie, legacy, scylla_samples: None, cassandra_samples: None }
}

fn keys_of(files: &InMemory) -> Vec<Vec<u8>> {
    let mut keys = Vec::new();
    let each = |head: &EntryHead, bytes: &[u8]| {
        keys.push(head.key(bytes).to_vec());
        ControlFlow::Continue(())
    };
    let format = files.set.version.formats().index;
    IndexWalk::new(format).run(&files.part(Part::Index), u64::MAX, each).unwrap();
    keys
}

fn answer(record: &Record) -> &Answer {
    let answer = record.steps.iter().rev().find_map(|step| match step {
        Step::Answer(answer) => Some(answer),
        _ => None,
    });
    answer.unwrap()
}

fn legacy(race: &Race) -> &Answer {
    answer(&race.legacy.as_ref().unwrap().lane.record)
}

#[test]
fn every_key_of_ka_and_la_is_found_by_both_readers_and_confirmed_in_data() {
    let (mut tables, mut keys) = (0, 0);
    for owner in ["kopens-lsb", "scylladb"] {
        let Some(owner) = upstream(owner) else { return };
        for files in folders(&owner).iter().flat_map(|folder| InMemory::folder(folder)) {
            let is_older = files.set.version.formats().data == DataForm::Cells;
            // One set has no summary: see below.
            if !is_older || !files.bytes.contains_key(&Part::Summary) {
                continue;
            }
            let table = files.table();
            let name = format!("{} {}", files.folder.display(), files.set.name());
            // Data.db of these was changed by hand, so that its checksum fails.
            let changed = ["bad_column_name", "broken_", "static_with_clustering"]
                .iter()
                .any(|it| name.contains(it));
            let contest = contest(None, Some(&table));
            for key in keys_of(&files) {
                for reader in [LegacyReader::Scylla, LegacyReader::Cassandra] {
                    let hex: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
                    let filter = FilterMode::Ask;
                    let request = RaceRequest { reader, filter, ..ask(&format!("0x{hex}")) };
                    let race = run(&contest, &request).unwrap();
                    assert_eq!(
                        race.legacy.as_ref().unwrap().summary,
                        SummarySource::File,
                        "{name}"
                    );
                    let Answer::Present { confirmed, .. } = legacy(&race) else {
                        panic!("{name} {hex}: {:?}", legacy(&race))
                    };
                    assert!(*confirmed || changed, "{name} {hex}");
                    keys += 1;
                }
            }
            tables += 1;
        }
    }
    assert!(tables > 45 && keys > 900, "{tables} tables, {keys} lookups");
}

#[test]
fn a_newer_sstable_of_the_same_rows_tells_the_types() {
    let Some(old) = one("scylladb/large_partition", "la-3-big") else { return };
    let new = one("scylladb/large_partition", "mt-3-big").unwrap();
    let (old, new) = (old.table(), new.table());
    let request = RaceRequest { row: Some("'2rK'".into()), ..ask("'v1'") };
    let race = run(&contest(Some(&new), Some(&old)), &request).unwrap();
    // The row begins at the end of block 6, at 393,350 of the cells; the newer SSTable has rows.
    let Answer::Present { block: Some(block), row, .. } = legacy(&race) else { panic!("{race:?}") };
    assert_eq!(block.0, 393_350);
    assert_eq!(row, &Some(RowConfirmation::NotRead { error: None }));
    let Answer::Present { row: Some(row), .. } = answer(&race.trie.as_ref().unwrap().record) else {
        panic!("{race:?}")
    };
    assert!(matches!(row, RowConfirmation::Found { .. }), "{row:?}");
}

#[test]
fn alone_a_row_is_not_looked_up_and_the_reason_is_said() {
    let Some(old) = one("scylladb/large_partition", "la-3-big") else { return };
    let old = old.table();
    let request = RaceRequest { row: Some("'2rK'".into()), ..ask("0x7631") };
    let stop = run(&contest(None, Some(&old)), &request).unwrap_err();
    assert_eq!(stop, Stop::Text { why: words::NO_ROW_TYPES.to_owned() });
}

#[test]
fn samples_are_made_from_fixed_entries_too() {
    let Some(files) = one("scylladb/summary_test", "la-1-big") else { return };
    let table = files.without(Part::Summary);
    let table = table.table();
    let made = sampled(&table);
    assert_eq!((made.len(), made.first()), (1, &[0, 0, 0, 0x17][..]));
    let contest = Contest { scylla_samples: Some(&made), ..contest(None, Some(&table)) };
    let race = run(&contest, &ask("0x00000003")).unwrap();
    assert!(matches!(legacy(&race), Answer::Present { .. }), "{:?}", legacy(&race));
    let race = run(&contest, &ask("0x00000103")).unwrap();
    assert!(matches!(legacy(&race), Answer::Absent(_)), "{:?}", legacy(&race));
}

#[test]
fn without_types_keys_of_dse_are_hex_and_found_by_hex() {
    let Some(files) = one("datastax/bb_keyvalue", "bb-1-bti") else { return };
    let files = files.with(Part::Statistics, b"not to be read");
    let table = files.table();
    let contest = contest(Some(&table), None);
    assert!(!contest.key_schema().is_known());
    let (first, _) = contest.ends().unwrap().unwrap();
    let hex: String = first.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(contest.key_schema().to_text(&first), format!("0x{hex}"));
    let race = run(&contest, &ask(&format!("0x{hex}"))).unwrap();
    assert!(matches!(answer(&race.trie.unwrap().record), Answer::Present { .. }));
}
