//! Each byte of each index file changed, to three other values.

use crate::common::{InMemory, upstream};
use crate::{INDEX, Subject, read_everything};
use triescope_core::table::Part;

/// What a byte becomes: its least and its greatest bit flipped, and all of them set, which makes numbers and lengths as
/// great as they can be.
pub fn others(byte: u8) -> [u8; 3] {
    let other = if byte == 0xff { 0x7f } else { 0xff };
    [byte ^ 0x01, byte ^ 0x80, other]
}

/// Changes each byte and reads everything; gives the number of changes.
fn change_each_byte(subject: &Subject, parts: &[Part]) -> usize {
    let mut changes = 0;
    let mut files = subject.files.clone();
    for part in parts {
        let Some(whole) = subject.files.bytes.get(part) else { continue };
        for (at, byte) in whole.iter().copied().enumerate() {
            for other in others(byte).into_iter().filter(|other| *other != byte) {
                files.bytes.get_mut(part).unwrap()[at] = other;
                let _place = Place { subject, part: *part, at, other };
                read_everything(subject, &files);
                changes += 1;
            }
            files.bytes.get_mut(part).unwrap()[at] = byte;
        }
    }
    changes
}

/// Says where the damage was when a panic passes by.
struct Place<'a> {
    subject: &'a Subject,
    part: Part,
    at: usize,
    other: u8,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Self { subject, part, at, other } = self;
            eprintln!("{}: {part}, byte {at} as {other:#04x}", subject.name);
        }
    }
}

#[test]
fn each_byte_of_small_tries_may_be_wrong() {
    let mut changes = 0;
    for table in [
        "one_partition",
        "two_partitions",
        "ten_partitions",
        "ck_boolean",
        "ck_decimal_desc",
        "ck_int",
        "ck_timeuuid",
        "after_2038",
        "wide_static",
        "lsm_two",
    ] {
        changes += change_each_byte(&Subject::new(table, "da"), &INDEX);
    }
    println!("{changes} changes");
    assert!(changes > 8_000, "{changes} changes");
}

#[test]
fn each_byte_of_small_legacy_indexes_may_be_wrong() {
    let mut changes = 0;
    for (table, version) in [
        ("one_partition", "oa"),
        ("two_partitions", "nb"),
        ("ten_partitions", "oa"),
        ("ck_boolean", "nb"),
        ("ck_decimal_desc", "oa"),
        ("ck_int", "nb"),
        ("ck_set_text", "oa"),
        ("after_2038", "oa"),
        ("lsm_two", "nb"),
    ] {
        changes += change_each_byte(&Subject::new(table, version), &INDEX);
    }
    println!("{changes} changes");
    assert!(changes > 10_000, "{changes} changes");
}

#[test]
fn each_byte_of_a_summary_of_many_samples_may_be_wrong() {
    for version in ["oa", "nb"] {
        let changes = change_each_byte(&Subject::new("p1000", version), &[Part::Summary]);
        assert!(changes > 400, "{changes} changes");
    }
}

/// Other people's files, of versions that the tables here do not have.
#[test]
fn each_byte_of_small_indexes_of_other_versions_may_be_wrong() {
    for folder in [
        "kopens-lsb/bloom-filter_ka",
        "kopens-lsb/bloom-filter_la",
        "kopens-lsb/legacy_mc_simple",
        "kopens-lsb/legacy_me_simple",
        "scylladb/broken_end_composite",
        "scylladb/partition_skipping",
        "datastax/bb_keyvalue",
    ] {
        let Some(found) = upstream(folder) else { continue };
        for files in InMemory::folder(&found) {
            let subject = Subject::of(format!("{folder} {}", files.set.name()), files);
            let changes = change_each_byte(&subject, &INDEX);
            assert!(changes > 50, "{}: {changes} changes", subject.name);
        }
    }
}
