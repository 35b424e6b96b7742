//! What a check calls sound is read as it should be: where an index file has one wrong byte, either a check that reads
//! Data.db too finds something, or every lookup answers as before.

use crate::bytes::others;
use crate::{INDEX, Subject, check, find};
use triescope_core::check::Severity;
use triescope_core::lookup::{Answer, RowConfirmation};
use triescope_core::pos::DataPos;
use triescope_core::source::Source;
use triescope_core::table::Table;

/// What an answer says of the data: where the partition is, and where the row. Which of several right blocks the index
/// chose on the way to it, and what showed that a key is absent, is its own matter.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    Present { data: DataPos, row: Option<DataPos> },
    Absent,
    Unknown,
}

impl Said {
    fn of(answer: Answer) -> Self {
        match answer {
            Answer::Present { data, row, .. } => match row {
                Some(RowConfirmation::Found { at, .. }) => Self::Present { data, row: Some(at) },
                Some(RowConfirmation::NotRead { error: Some(_) }) => Self::Unknown,
                _ => Self::Present { data, row: None },
            },
            Answer::Absent(_) => Self::Absent,
            Answer::Unknown(_) => Self::Unknown,
        }
    }
}

/// What all lookups say.
fn answers<S: Source>(subject: &Subject, table: &Table<S>) -> Vec<Said> {
    let rows = || std::iter::once(None).chain(subject.rows.iter().map(Some));
    let asked = subject.keys.iter().flat_map(|key| rows().map(move |row| (key, row)));
    let found = asked.flat_map(|(key, row)| find(table, key, row));
    found.map(|(answer, _)| answer.map_or(Said::Unknown, Said::of)).collect()
}

/// Tries each change; gives those that a check does not find although lookups answer otherwise, and the number of changes
/// that it does not find.
fn missed(subject: &Subject) -> (Vec<String>, usize) {
    let healthy = answers(subject, &subject.files.table());
    assert!(healthy.iter().any(|it| matches!(it, Said::Present { .. })));
    let (mut missed, mut quiet) = (Vec::new(), 0);
    let mut files = subject.files.clone();
    for part in INDEX {
        let Some(whole) = subject.files.bytes.get(&part) else { continue };
        for (at, byte) in whole.iter().copied().enumerate() {
            for other in others(byte).into_iter().filter(|other| *other != byte) {
                files.bytes.get_mut(&part).unwrap()[at] = other;
                let table = files.table();
                let is_quiet =
                    check(&table, true).all.worst().is_none_or(|it| it == Severity::Note);
                quiet += usize::from(is_quiet);
                if is_quiet && answers(subject, &table) != healthy {
                    let name = &subject.name;
                    missed.push(format!("{name} {part} byte {at}: {byte:#04x} as {other:#04x}"));
                }
            }
            files.bytes.get_mut(&part).unwrap()[at] = byte;
        }
    }
    (missed, quiet)
}

#[test]
fn a_wrong_byte_that_no_check_finds_changes_no_answer() {
    let mut all = Vec::new();
    for (table, version) in [
        ("two_partitions", "da"),
        ("ten_partitions", "da"),
        ("ck_boolean", "da"),
        ("ck_date", "da"),
        ("after_2038", "da"),
        ("two_partitions", "oa"),
        ("ten_partitions", "nb"),
        ("ck_boolean", "oa"),
        ("ck_date", "nb"),
        ("after_2038", "oa"),
    ] {
        let subject = Subject::new(table, version).with_all_keys();
        let (missed, quiet) = missed(&subject);
        println!("{}: {quiet} changes that change nothing", subject.name);
        all.extend(missed);
    }
    assert_eq!(all, [""; 0], "{} changes", all.len());
}
