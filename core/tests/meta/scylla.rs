//! Scylla.db of real files.

use crate::common::{InMemory, folders, upstream};
use std::collections::BTreeMap;
use triescope_core::meta::{ColumnKind, ScyllaBody, ScyllaFeatures, ScyllaMetadata, crc32};
use triescope_core::table::Part;

/// Every Scylla.db of the folder, with its SSTable.
fn each(mut check: impl FnMut(&InMemory, &ScyllaMetadata)) -> Option<usize> {
    let mut count = 0;
    for folder in folders(&upstream("scylladb")?) {
        for files in InMemory::folder(&folder) {
            let Some(bytes) = files.bytes.get(&Part::Scylla) else { continue };
            check(&files, &ScyllaMetadata::read(&bytes.as_slice()).unwrap());
            count += 1;
        }
    }
    Some(count)
}

#[test]
fn every_record_of_real_files_is_read_to_its_end() {
    let mut tags: BTreeMap<u32, u32> = BTreeMap::new();
    let Some(count) = each(|files, read| {
        let name = files.folder.display();
        assert_eq!(read.problems, [], "{name}");
        for record in &read.records {
            assert!(!matches!(record.body, ScyllaBody::Unknown(_)), "{name}: {}", record.tag);
            *tags.entry(record.tag).or_default() += 1;
        }
        let cheap = ScyllaFeatures::read(&files.part(Part::Scylla)).unwrap();
        assert_eq!(read.features(), cheap, "{name}");
    }) else {
        return;
    };
    assert_eq!(count, 34);
    let expected = [
        (1, 34),
        (2, 31),
        (4, 26),
        (5, 16),
        (6, 16),
        (7, 16),
        (8, 16),
        (9, 16),
        (10, 16),
        (11, 7),
        (12, 7),
    ];
    assert_eq!(tags.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn component_digests_are_the_crc32_of_the_whole_files() {
    let (mut compared, mut checksums) = (0, 0);
    let found = each(|files, read| {
        let name = files.folder.display();
        assert_eq!(read.checksum.is_some(), !read.digests().is_empty(), "{name}");
        if let Some(checksum) = &read.checksum {
            assert!(checksum.holds(), "{name}");
            checksums += 1;
        }
        for digest in read.digests() {
            let part = digest.part.unwrap();
            assert_eq!(digest.crc32, crc32(files.part(part)), "{name} {part}");
            compared += 1;
        }
    });
    if found.is_some() {
        assert_eq!((checksums, compared), (7, 49));
    }
}

#[test]
fn a_real_file_says_who_wrote_it_and_what_the_table_is() {
    let mut seen = false;
    let found = each(|files, read| {
        if files.set.name() != "mt-1-big" || !files.folder.ends_with("partition_skipping") {
            return;
        }
        seen = true;
        let texts: Vec<&str> = read
            .records
            .iter()
            .filter_map(|record| match &record.body {
                ScyllaBody::Origin(text) | ScyllaBody::Version(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(texts.len(), 2);
        let schema = read.schema().unwrap();
        let columns: Vec<_> = schema
            .columns
            .iter()
            .map(|column| (column.kind.unwrap(), column.name.as_slice(), column.class.as_str()))
            .collect();
        let int = "org.apache.cassandra.db.marshal.Int32Type";
        let expected =
            [(ColumnKind::PartitionKey, &b"$pk"[..], int), (ColumnKind::Regular, &b"v"[..], int)];
        assert_eq!(columns, expected);
    });
    assert_eq!(seen, found.is_some());
}

#[test]
fn every_changed_byte_gives_records_or_problems() {
    let Some(folder) = upstream("scylladb/partition_skipping") else { return };
    let files = InMemory::folder(&folder);
    let files = files.iter().find(|files| files.set.name() == "mt-1-big").unwrap();
    let whole = files.part(Part::Scylla);
    for at in 0..whole.len() {
        for value in [0, 0x7f, 0xff] {
            let mut bytes = whole.to_vec();
            if bytes[at] == value {
                continue;
            }
            bytes[at] = value;
            // The checksum at the end covers every byte but its own.
            if let Ok(read) = ScyllaMetadata::parse(&bytes) {
                let differs = read.checksum.as_ref().is_some_and(|it| !it.holds());
                assert!(differs || !read.problems.is_empty() || read.digests().is_empty(), "{at}");
            }
        }
    }
}
