//! The keys that the samples of the gallery offer end as their names say.

use super::{Opened, ask};
use std::fs;
use triescope_core::lookup::{AbsentWhy, Answer, RowConfirmation, Step};
use triescope_core::race::RaceRequest;
use triescope_core::table::Part;

/// The text behind `name = "` in a line of the manifest.
fn field<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = line.split_once(&format!("{name} = \""))?;
    rest.split_once('"').map(|(text, _)| text)
}

/// The number behind `name = ` in a line.
fn number(line: &str, name: &str) -> Option<usize> {
    let (_, rest) = line.split_once(&format!(" {name} = "))?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// A pair, with the damage of a line.
fn opened(table: &str, damage: &str) -> Opened {
    let mut pair = Opened::new(table, 1);
    let Some(file) = field(damage, "file") else { return pair };
    let part = file.rsplit('-').next().and_then(Part::from_file_name).unwrap();
    let side = if file.starts_with("da-") { &mut pair.trie } else { &mut pair.legacy };
    let mut bytes = side.part(part).to_vec();
    match (number(damage, "keep"), number(damage, "at"), number(damage, "bit")) {
        (Some(keep), ..) => bytes.truncate(keep),
        (_, Some(at), Some(bit)) => bytes[at] ^= 1 << bit,
        _ => panic!("{damage}"),
    }
    *side = side.with(part, &bytes);
    pair
}

#[test]
fn keys_of_the_samples_end_as_they_are_named() {
    let manifest = super::common::testdata().join("../../static/samples/manifest.toml");
    let manifest = fs::read_to_string(manifest).unwrap();
    let (mut table, mut damage, mut checked) = ("", "", 0);
    for line in manifest.lines() {
        if line == "[[sample]]" {
            (table, damage) = ("", "");
        }
        // A sample that is made in the tab has no table here: the tests in the browser look its keys up.
        table = field(line, "table").unwrap_or(table);
        damage = line.strip_prefix("damage = ").unwrap_or(damage);
        if table.is_empty() {
            continue;
        }
        let (Some(name), Some(key)) = (field(line, "name"), field(line, "key")) else { continue };
        let row = field(line, "row").map(str::to_owned);
        let race = opened(table, damage).race(&RaceRequest { row, ..ask(key) });
        let records = [race.trie.unwrap().record, race.legacy.unwrap().lane.record];
        for (i, record) in records.iter().enumerate() {
            let Some(Step::Answer(answer)) = record.steps.last() else { panic!("{table} {key}") };
            let as_named = match (name, answer) {
                ("present", Answer::Present { .. }) => true,
                ("row", Answer::Present { row, .. }) => {
                    matches!(row, Some(RowConfirmation::Found { .. }))
                }
                ("absent", Answer::Absent(why)) => i == 1 || *why == AbsentWhy::HashByte,
                ("dead end", Answer::Absent(why)) => i == 1 || *why == AbsentWhy::DeadEnd,
                _ => false,
            };
            assert!(as_named, "{table}, {name} {key}: {answer:?}");
            checked += 1;
        }
    }
    assert!(checked >= 70, "{checked}");
}
