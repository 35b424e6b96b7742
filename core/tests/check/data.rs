//! Damaged twins of the checks of Data.db and its chunks.
//!
//! A flipped bit in a chunk fires the chunk's checksum alone: the digest differs too, which the finding says, and what
//! cannot be read is not reported again.

use crate::common::{InMemory, cassandra};
use crate::{ids, said};
use triescope_core::table::Part;

/// The table with one bit of a component changed.
fn flipped(files: &InMemory, part: Part, at: usize, bit: u8) -> InMemory {
    let mut bytes = files.part(part).to_vec();
    bytes[at] ^= 1 << bit;
    files.with(part, &bytes)
}

/// Position in CompressionInfo.db of the offset of chunk 0, and the offset of a chunk.
fn offsets(files: &InMemory) -> usize {
    usize::try_from(files.table().compression.unwrap().offsets_at.0).unwrap()
}

fn offset(files: &InMemory, chunk: usize) -> usize {
    let at = offsets(files) + 8 * chunk;
    let bytes = &files.part(Part::CompressionInfo)[at..at + 8];
    usize::try_from(u64::from_be_bytes(bytes.try_into().unwrap())).unwrap()
}

#[test]
fn a_bit_of_a_compressed_chunk_fails_its_checksum_and_no_other() {
    // LZ4, Snappy, Deflate, Zstd, and chunks that are stored raw.
    for table in ["p5k_uuid", "p1000", "composite_pk", "ck_int", "long_keys"] {
        for version in ["da", "oa", "nb"] {
            let healthy = cassandra(table, version, 1).files;
            let at = offset(&healthy, 0) + 7;
            let files = flipped(&healthy, Part::Data, at, 3);
            // The index of `composite_pk` is larger than its data, damaged or not.
            let before = ids(&healthy, true);
            let mut fired = ids(&files, true);
            fired.retain(|id| !before.contains(id));
            assert_eq!(fired, ["data/chunk-checksum"], "{table} {version}");
            let said = said(&files, true, "data/chunk-checksum");
            assert_eq!(said.len(), 1);
            assert!(said[0].contains("checksum of stored chunk 0"), "{said:?}");
            assert!(said[0].contains("the data is damaged, the digest differs too"), "{said:?}");
            assert_eq!(ids(&files, false), before, "{table} {version}");
        }
    }
}

#[test]
fn a_bit_of_an_uncompressed_chunk_fails_its_checksum_in_crc_db() {
    for version in ["da", "oa", "nb"] {
        let files = cassandra("two_partitions", version, 1).files;
        let files = flipped(&files, Part::Data, 20, 0);
        assert_eq!(ids(&files, true), ["data/chunk-checksum"], "{version}");
    }
}

#[test]
fn a_bit_of_crc_db_is_told_from_damaged_data_by_the_digest() {
    let files = flipped(&cassandra("two_partitions", "da", 1).files, Part::Crc, 5, 6);
    assert_eq!(ids(&files, true), ["data/chunk-checksum"]);
    let said = said(&files, true, "data/chunk-checksum").remove(0);
    assert!(said.contains("CRC.db is wrong, the data is intact, as the digest says"), "{said}");
}

#[test]
fn the_partitions_of_a_damaged_chunk_are_named() {
    for version in ["da", "oa"] {
        let files = cassandra("p5k_uuid", version, 1).files;
        let at = offset(&files, 1) + 9;
        let said = said(&flipped(&files, Part::Data, at, 0), true, "data/chunk-checksum").remove(0);
        let (_, partitions) = said.split_once("it holds bytes of ").unwrap();
        let count: usize = partitions.split_once(' ').unwrap().0.parse().unwrap();
        assert!((100..200).contains(&count) && partitions.contains(" to "), "{said}");
    }
}

#[test]
fn a_digest_that_differs_while_all_chunks_are_whole_is_wrong_itself() {
    for (table, version) in [("p1000", "da"), ("two_partitions", "oa")] {
        let files = cassandra(table, version, 1).files;
        let mut text = files.part(Part::Digest).to_vec();
        text[0] = if text[0] == b'1' { b'2' } else { b'1' };
        let files = files.with(Part::Digest, &text);
        assert_eq!(ids(&files, true), ["files/digest"], "{table}");
        let said = said(&files, true, "files/digest").remove(0);
        assert!(said.ends_with("the digest file is wrong, the data is intact"), "{said}");
    }
}

#[test]
fn a_chunk_offset_that_goes_back_is_found_without_reading_the_data() {
    let files = cassandra("p5k_uuid", "da", 1).files;
    // The offset of chunk 2 becomes that of chunk 1: only chunks 1 and 2 cannot be found.
    let (at, one) = (offsets(&files), u64::try_from(offset(&files, 1)).unwrap());
    let mut info = files.part(Part::CompressionInfo).to_vec();
    info[at + 16..at + 24].copy_from_slice(&one.to_be_bytes());
    let files = files.with(Part::CompressionInfo, &info);
    assert_eq!(ids(&files, false), ["data/chunk-offsets"]);
    assert_eq!(said(&files, false, "data/chunk-offsets").len(), 1);
}

#[test]
fn data_that_ends_before_its_last_chunks_is_found_without_reading_it() {
    let files = cassandra("p5k_uuid", "da", 1).files;
    let cut = offset(&files, 10) + 100;
    let files = files.with(Part::Data, &files.part(Part::Data)[..cut]);
    assert_eq!(ids(&files, false), ["data/chunk-offsets"]);
    let said = said(&files, false, "data/chunk-offsets");
    assert!(said.len() == 1 && said[0].contains("Data.db ends before the last "), "{said:?}");
}

#[test]
fn bytes_behind_the_last_chunk_are_found() {
    let files = cassandra("one_partition", "da", 1).files;
    let longer = [files.part(Part::Data), &[0; 40_000]].concat();
    let files = files.with(Part::Data, &longer);
    assert_eq!(ids(&files, false), ["data/chunk-offsets"]);
}

#[test]
fn a_crc_db_of_another_table_has_another_number_of_checksums() {
    let files = cassandra("two_partitions", "da", 1).files;
    let crc = [files.part(Part::Crc), &[0; 12]].concat();
    let files = files.with(Part::Crc, &crc);
    assert_eq!(ids(&files, false), ["data/crc-count"]);
}
