//! Filter.db of real files, written again from their keys.

use crate::common::{all_cassandra, folders, upstream};
use std::ops::ControlFlow;
use triescope_core::big::IndexWalk;
use triescope_core::keys::murmur3;
use triescope_core::meta::{FilterWriter, Statistics};
use triescope_core::table::{Part, Version};

/// The keys of an Index.db.
fn keys(version: Version, index: &[u8]) -> Vec<Vec<u8>> {
    let mut keys = Vec::new();
    let each = |head: &triescope_core::big::EntryHead, bytes: &[u8]| {
        keys.push(head.key(bytes).to_vec());
        ControlFlow::Continue(())
    };
    IndexWalk::new(version.formats().index).run(&index, u64::MAX, each).unwrap();
    keys
}

#[test]
fn filters_of_cassandra_come_out_byte_for_byte() {
    let mut equal = 0;
    for version in ["oa", "nb"] {
        for expected in all_cassandra(version) {
            let files = &expected.files;
            let Some(real) = files.bytes.get(&Part::Filter) else { continue };
            let statistics =
                Statistics::read(files.set.version, &files.part(Part::Statistics)).unwrap();
            let chance = statistics.validation.unwrap().filter_chance;
            let keys = keys(files.set.version, files.part(Part::Index));
            let mut writer = FilterWriter::new(files.set.version, keys.len() as u64, chance);
            keys.iter().for_each(|key| writer.add(murmur3(key)));
            assert!(writer.finish() == *real, "{}", expected.name);
            equal += 1;
        }
    }
    assert!(equal > 50, "only {equal} filters were compared");
}

#[test]
fn filters_of_scylladb_have_the_same_bits() {
    let Some(scylladb) = upstream("scylladb") else { return };
    let mut equal = 0;
    for folder in folders(&scylladb) {
        for files in crate::common::InMemory::folder(&folder) {
            let (Some(real), Some(index)) =
                (files.bytes.get(&Part::Filter), files.bytes.get(&Part::Index))
            else {
                continue;
            };
            if files.set.version.as_str() != "me" {
                continue;
            }
            let keys = keys(files.set.version, index);
            let mut writer = FilterWriter::new(files.set.version, keys.len() as u64, 0.01);
            keys.iter().for_each(|key| writer.add(murmur3(key)));
            let written = writer.finish();
            // Others were sized for more keys than there are.
            if written.len() == real.len() {
                assert!(written == *real, "{}", folder.display());
                equal += 1;
            }
        }
    }
    assert!(equal > 3, "only {equal} filters were compared");
}
