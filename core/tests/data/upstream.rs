//! Other people's Data.db decode to the end, but for those that were damaged on purpose.

use crate::common::{InMemory, folders, upstream};
use crate::items::all;
use std::path::{Path, PathBuf};
use triescope_core::data::{AtomItem, Atoms, Item, atom_line};
use triescope_core::error::Error;
use triescope_core::pos::DataPos;
use triescope_core::table::{DataForm, Part};

fn below(folder: &Path, found: &mut Vec<PathBuf>) {
    found.push(folder.to_owned());
    for inner in folders(folder) {
        below(&inner, found);
    }
}

/// Those that were damaged on purpose, and what is said of them.
const DAMAGED: [&str; 5] = [
    "scylladb/3.x_lz4_integrity_check_invalid_checksums/me-1-big: Data.db, offset 11842 (page 2 + 3650), checksum of stored chunk 2: expected 3ff90653, that of the chunk's bytes, found 23a2a1ff",
    "scylladb/3.x_uncompressed_integrity_check_invalid_checksums/me-1-big: Data.db, offset 65536 (page 16 + 0), checksum of stored chunk 1: expected bdd4bc26, as CRC.db says, found a32fcb73 from its bytes",
    "scylladb/broken_non_compound_pi_and_range_tombstone/mc-1-big: Data.db, offset 42 (page 0 + 42), row body size: expected 12, found 0",
    "scylladb/broken_non_compound_pi_and_range_tombstone/md-1-big: Data.db, offset 42 (page 0 + 42), row body size: expected 12, found 0",
    "scylladb/mismatched_timestamp/mc-122-big: Data.db, offset 0 (page 0 + 0), checksum of stored chunk 0: expected f312bf50, as CRC.db says, found 06e746f4 from its bytes",
];

#[test]
fn all_data_decodes_but_what_was_damaged_on_purpose() {
    let Some(root) = upstream("") else { return };
    let (mut decoded, mut failed, mut counts) = (0, Vec::new(), [0u64; 4]);
    let mut all_folders = Vec::new();
    below(&root, &mut all_folders);
    for folder in all_folders {
        for files in InMemory::folder(&folder) {
            // Cells are decoded by another test.
            if files.set.version.formats().data == DataForm::Cells {
                continue;
            }
            if !files.set.version.is_data_read() || !files.bytes.contains_key(&Part::Data) {
                continue;
            }
            let name =
                format!("{}/{}", folder.strip_prefix(&root).unwrap().display(), files.set.name());
            let table = files.table();
            if table.data_format().is_none() || table.data_reader().is_err() {
                failed.push(format!("{name}: no types or no reader"));
                continue;
            }
            let (items, end) = all(&files);
            match end {
                Ok(()) => decoded += 1,
                Err(error) => failed.push(format!("{name}: {error}")),
            }
            for item in items {
                counts[match item {
                    Item::Partition(_) => 0,
                    Item::Row(_) => 1,
                    Item::Marker(_) => 2,
                    Item::End(_) => 3,
                }] += 1;
            }
        }
    }
    println!("{decoded} decoded: partitions, rows, markers, ends {counts:?}");
    assert_eq!(failed, DAMAGED);
    assert_eq!(decoded, 207);
}

/// All items of a Data.db of `ka` or `la`.
fn atoms(files: &InMemory) -> Result<Vec<AtomItem>, Error> {
    let table = files.table();
    // Some were changed by hand, without their checksum.
    let mut reader = table.data_reader().unwrap().streaming_unverified();
    let (mut walk, mut found) = (Atoms::new(DataPos(0)), Vec::new());
    while let Some(item) = walk.next(&mut reader)? {
        found.push(item);
    }
    Ok(found)
}

#[test]
fn cells_of_ka_and_la_decode_to_the_end() {
    let Some(root) = upstream("") else { return };
    let (mut decoded, mut failed, mut counts) = (0, Vec::new(), [0u64; 3]);
    let mut all_folders = Vec::new();
    below(&root, &mut all_folders);
    for folder in all_folders {
        for files in InMemory::folder(&folder) {
            if !["ka", "la"].contains(&files.set.version.as_str())
                || !files.bytes.contains_key(&Part::Data)
            {
                continue;
            }
            match atoms(&files) {
                Ok(items) => {
                    decoded += 1;
                    for item in &items {
                        assert!(!atom_line(item).is_empty());
                        counts[match item {
                            AtomItem::Partition(_) => 0,
                            AtomItem::Atom(_) => 1,
                            AtomItem::End(_) => 2,
                        }] += 1;
                    }
                }
                Err(error) => failed.push(format!("{}: {error}", folder.display())),
            }
        }
    }
    assert_eq!(failed, [""; 0]);
    assert_eq!((decoded, counts), (50, [591, 54_832, 591]));
}
