//! The bit-flip finder: bits flipped in real files are found, exactly they, and what they change in the rows.

use crate::common::{InMemory, cassandra, upstream};
use triescope_core::check::flip::{Candidate, FlipJob, FlipReport, Place, Summed};
use triescope_core::pos::FilePos;
use triescope_core::table::Part;

/// What the finder comes to.
pub fn flips(files: &InMemory) -> FlipReport {
    let table = files.table();
    let mut job = FlipJob::new(&table);
    while !job.step(&table, 20_000).unwrap().done {}
    job.into_report()
}

fn flipped(files: &InMemory, part: Part, at: usize, bit: usize) -> InMemory {
    let mut bytes = files.part(part).to_vec();
    bytes[at] ^= 1 << bit;
    files.with(part, &bytes)
}

/// The only candidate of the only fault.
fn only(report: &FlipReport) -> &Candidate {
    assert_eq!((report.faults.len(), report.more, &report.note), (1, 0, &None), "{report:#?}");
    assert_eq!(report.faults[0].candidates.len(), 1, "{report:#?}");
    &report.faults[0].candidates[0]
}

#[test]
fn each_of_many_bits_of_compressed_and_plain_data_is_found() {
    // LZ4, Snappy, Deflate, Zstd, raw chunks among LZ4, and no compression.
    for (table, step) in [
        ("p5k_uuid", 40_009),
        ("p1000", 7_001),
        ("composite_pk", 5_003),
        ("ck_int", 301),
        ("long_keys", 60_013),
        ("two_partitions", 7),
        ("all_types_val", 1_009),
    ] {
        let files = cassandra(table, "da", 1).files;
        let data = files.part(Part::Data).to_vec();
        for (at, byte) in data.iter().enumerate().step_by(step) {
            for bit in [0, 5] {
                let report = flips(&flipped(&files, Part::Data, at, bit));
                let found = only(&report);
                assert_eq!((found.part, found.at), (Part::Data, FilePos(at as u64)), "{table}");
                assert_eq!(found.bit, Some(u8::try_from(bit).unwrap()));
                assert_eq!((found.before, found.after), (byte ^ 1 << bit, *byte), "{table} {at}");
                assert_eq!(found.digest_agrees, Some(true), "{table} {at}");
                let is_effect = found.effect.is_some();
                assert_eq!(is_effect, found.place == Place::Data, "{table} {at}");
            }
        }
    }
}

#[test]
fn a_bit_of_a_cell_is_shown_as_the_row_with_it_and_without() {
    for version in ["da", "oa"] {
        cell_is_shown(&cassandra("two_partitions", version, 1).files);
    }
}

fn cell_is_shown(files: &InMemory) {
    let table = files.table();
    let length = table.source(Part::Data).unwrap().len();
    // The last cell's value ends before the byte that ends the partition.
    let report = flips(&flipped(files, Part::Data, length - 2, 2));
    let effect = only(&report).effect.as_ref().unwrap();
    assert_eq!(effect.field.as_deref(), Some("cell of column v"));
    assert_eq!((effect.differing, effect.bytes.len()), (1, 1));
    assert_eq!(effect.bytes[0].at.0, length as u64 - 2);
    let (before, after) = (effect.before.as_deref().unwrap(), effect.after.as_deref().unwrap());
    assert!(before.starts_with("row ") && after.starts_with("row ") && before != after);
    let last = table.facts.ends.clone().unwrap().1.into_vec();
    assert_eq!(effect.key.as_ref().map(|key| key.to_vec()), Some(last));
}

#[test]
fn a_bit_of_a_compressed_chunk_tells_whether_it_decompresses_and_what_differs() {
    let files = cassandra("p1000", "oa", 1).files;
    let (mut broken, mut other) = (0, 0);
    for at in (10..4000).step_by(397) {
        let report = flips(&flipped(&files, Part::Data, at, 4));
        let effect = only(&report).effect.as_ref().unwrap();
        assert_eq!(effect.error_after, None);
        let after = effect.after.as_deref().unwrap();
        assert!(after.starts_with("partition ") || after.starts_with("row "), "{after}");
        match &effect.error_before {
            Some(error) => {
                assert!(error.contains("contents of stored chunk 0"), "{error}");
                broken += 1;
            }
            None => {
                assert!(effect.differing > 0 && effect.key.is_some());
                other += 1;
            }
        }
    }
    assert!(broken > 0 && other > 0, "{broken} {other}");
}

#[test]
fn a_bit_of_the_checksum_itself_is_told_from_one_of_the_data() {
    let files = cassandra("ck_int", "da", 1).files;
    let end = files.part(Part::Data).len();
    let report = flips(&flipped(&files, Part::Data, end - 3, 6));
    let found = only(&report);
    assert_eq!((found.place, found.at.0, found.bit), (Place::Checksum, end as u64 - 3, Some(6)));
    assert_eq!((found.digest_agrees, &found.effect), (Some(true), &None));

    let files = cassandra("two_partitions", "da", 1).files;
    let report = flips(&flipped(&files, Part::Crc, 5, 0));
    let found = only(&report);
    assert_eq!((found.part, found.place, found.at.0), (Part::Crc, Place::Checksum, 5));
    assert_eq!(found.digest_agrees, Some(true));
}

#[test]
fn a_bit_or_a_digit_of_the_digest_is_found_although_it_may_be_no_number_any_more() {
    let files = cassandra("p1000", "da", 1).files;
    let text = files.part(Part::Digest).to_vec();
    for (at, byte) in text.iter().enumerate() {
        for bit in 0..7 {
            let report = flips(&flipped(&files, Part::Digest, at, bit));
            let found = only(&report);
            assert_eq!((found.place, found.at.0), (Place::Digest, at as u64));
            assert_eq!((found.bit, found.after), (Some(u8::try_from(bit).unwrap()), *byte));
        }
    }
    let mut other = text.clone();
    other[0] ^= 3;
    let report = flips(&files.with(Part::Digest, &other));
    let found = only(&report);
    assert_eq!((found.bit, found.after, report.faults[0].of), (None, text[0], Summed::File));
}

#[test]
fn without_chunk_checksums_the_digest_alone_finds_the_bit() {
    let files = cassandra("two_partitions", "nb", 1).files.without(Part::Crc);
    let report = flips(&flipped(&files, Part::Data, 33, 7));
    let found = only(&report);
    assert_eq!((found.part, found.at.0, found.bit), (Part::Data, 33, Some(7)));
    assert!(found.effect.as_ref().unwrap().after.is_some());
}

#[test]
fn two_bits_have_no_candidate_and_a_healthy_table_no_fault() {
    let files = cassandra("p1000", "da", 1).files;
    assert_eq!(flips(&files), FlipReport::default());
    let twice = flipped(&flipped(&files, Part::Data, 100, 1), Part::Data, 900, 2);
    let report = flips(&twice);
    assert_eq!((report.faults.len(), report.faults[0].candidates.len()), (1, 0));
    let note = flips(&files.without(Part::Data)).note.unwrap();
    assert_eq!(note, "Data.db is not here: there is nothing to sum up");
}

#[test]
fn f35_a_digest_that_is_one_too_high_differs_in_a_digit() {
    for (folder, at, digits) in [
        ("scylladb/3.x_uncompressed_integrity_check_invalid_digest", 9, (b'2', b'1')),
        ("scylladb/3.x_lz4_integrity_check_invalid_digest", 7, (b'2', b'1')),
    ] {
        let Some(folder) = upstream(folder) else { return };
        let report = flips(&InMemory::folder(&folder).remove(0));
        let fault = &report.faults[0];
        // 2871736200 and 2871736199 differ in three digits: no single change makes one of the other.
        if fault.stored == "2871736200" {
            assert_eq!((fault.computed.as_str(), fault.candidates.len()), ("2871736199", 0));
            continue;
        }
        let found = only(&report);
        assert_eq!(
            (found.place, found.at.0, (found.before, found.after)),
            (Place::Digest, at, digits)
        );
    }
}

#[test]
fn a_bit_of_a_chunk_with_an_adler_sum_is_found() {
    for folder in ["scylladb/compressed", "kopens-lsb/bloom-filter_la"] {
        let Some(folder) = upstream(folder) else { return };
        let files = InMemory::folder(&folder).into_iter().find(|it| it.set.has(Part::Data));
        let files = files.unwrap();
        let data = files.part(Part::Data).to_vec();
        for (at, byte) in data.iter().enumerate().step_by(5) {
            let report = flips(&flipped(&files, Part::Data, at, 3));
            assert_eq!(report.faults.len(), 1, "{folder:?} {at}");
            let found = report.faults[0].candidates.iter().find(|it| it.at.0 == at as u64);
            let found = found.unwrap_or_else(|| panic!("{folder:?} {at}: {report:#?}"));
            assert_eq!((found.bit, found.after), (Some(3), *byte), "{folder:?} {at}");
        }
    }
}
