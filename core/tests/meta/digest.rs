//! Digest files and chunk checksums of real files.

use crate::common::{InMemory, folders, upstream};
use triescope_core::meta::DigestKind;
use triescope_core::table::{ChunkChecksum, Part, Table};

/// Bytes of Data.db without the checksums behind the chunks, when it is compressed.
fn payloads(table: &Table<&[u8]>, data: &[u8]) -> Option<Vec<u8>> {
    let (info, source) = (table.compression.as_ref()?, table.source(Part::CompressionInfo)?);
    let mut payloads = Vec::new();
    for chunk in 0..info.chunks {
        let stored = info.chunk(source, chunk, data.len() as u64).ok()?;
        let from = usize::try_from(stored.at.0).unwrap();
        let to = from + usize::try_from(stored.stored_bytes).unwrap();
        payloads.extend(&data[from..to]);
    }
    Some(payloads)
}

#[test]
fn digests_equal_the_checksum_of_data_db_but_where_one_of_them_is_wrong() {
    let (mut whole, mut without, mut wrong) = (0, 0, Vec::new());
    for owner in ["datastax", "kopens-lsb", "samueldlightfoot", "scylladb"] {
        let Some(owner) = upstream(owner) else { return };
        for files in folders(&owner).iter().flat_map(|folder| InMemory::folder(folder)) {
            let table = files.table();
            let (Some(digest), Some(data)) = (&table.digest, files.bytes.get(&Part::Data)) else {
                continue;
            };
            let sum = match digest.kind {
                DigestKind::Crc32 => ChunkChecksum::Crc32,
                DigestKind::Adler32 => ChunkChecksum::Adler32,
                DigestKind::Sha1 => panic!("only versions that are not read have it"),
            };
            if digest.value() == Some(sum.of(data)) {
                whole += 1;
                continue;
            }
            let payloads = payloads(&table, data).filter(|_| digest.kind == DigestKind::Adler32);
            if payloads.is_some_and(|payloads| digest.value() == Some(sum.of(&payloads))) {
                without += 1;
                continue;
            }
            let folder = files.folder.file_name().unwrap().to_str().unwrap().to_owned();
            wrong.push(format!("{folder} {}", files.set.version));
        }
    }
    let expected = [
        "3.x_lz4_integrity_check_invalid_checksums me",
        "3.x_lz4_integrity_check_invalid_digest me",
        "3.x_uncompressed_integrity_check_invalid_checksums me",
        "3.x_uncompressed_integrity_check_invalid_digest me",
        "bad_column_name la",
        "broken_end_composite la",
        "broken_start_composite la",
        "mismatched_timestamp mc",
        "static_with_clustering la",
    ];
    assert_eq!(wrong, expected);
    // Without the checksums of the chunks: written by ScyllaDB, and by Cassandra 2.1 before it changed its mind.
    assert_eq!((whole, without), (244, 11));
}
