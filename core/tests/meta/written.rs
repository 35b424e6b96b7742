//! Statistics.db written back: byte for byte in its own version, and read back in any.

use crate::common::{InMemory, all_cassandra, folders, upstream};
use triescope_core::meta::{Statistics, StatisticsModel};
use triescope_core::table::{Part, Version};

fn version(letters: &str) -> Version {
    Version::new(letters.as_bytes()).unwrap()
}

/// What differs, in words.
fn differs(files: &InMemory, name: &str) -> Option<String> {
    let real = files.part(Part::Statistics);
    let model = StatisticsModel::read(files.set.version, &real).unwrap();
    let written = model.write(files.set.version).unwrap();
    let at = written.iter().zip(real).position(|(a, b)| a != b);
    (written != real).then(|| format!("{name}: {} of {} bytes, {at:?}", written.len(), real.len()))
}

#[test]
fn statistics_of_cassandra_come_out_byte_for_byte() {
    let (mut wrong, mut sets) = (Vec::new(), 0);
    for version in ["da", "oa", "nb"] {
        for expected in all_cassandra(version) {
            wrong.extend(differs(&expected.files, &expected.name));
            sets += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(sets, 177);
}

#[test]
fn other_peoples_statistics_come_out_byte_for_byte() {
    let Some(folder) = upstream("scylladb") else { return };
    let roots =
        [folder.clone(), folder.with_file_name("kopens-lsb"), folder.with_file_name("datastax")];
    let (mut wrong, mut sets) = (Vec::new(), 0);
    for folder in roots.iter().flat_map(|root| folders(root)) {
        for files in InMemory::folder(&folder) {
            let name = format!("{}/{}", folder.file_name().unwrap().display(), files.set.name());
            // DataStax adds fields of its own, which are passed over; in `la`, one histogram has no bucket and another
            // one halves of seconds.
            let lossy = ["zero_sized_histogram/la-5", "bad_tombstone_histogram/la-1"];
            let is_kept = files.set.version.as_str() != "bb"
                && !lossy.iter().any(|lossy| name.starts_with(lossy));
            if is_kept && files.set.version.is_read() && files.bytes.contains_key(&Part::Statistics)
            {
                wrong.extend(differs(&files, &name));
                sets += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {sets}\n{}", wrong.len(), wrong.join("\n"));
    assert!(sets >= 250, "{sets}");
}

#[test]
fn a_model_is_read_back_from_every_version_that_can_hold_it() {
    for expected in all_cassandra("oa") {
        let real = expected.files.part(Part::Statistics);
        let model = StatisticsModel::read(version("oa"), &real).unwrap();
        for letters in ["mc", "md", "me", "ms", "mt", "na", "nb", "nc", "oa", "da"] {
            let name = format!("{} as {letters}", expected.name);
            let Ok(written) = model.write(version(letters)) else {
                // Only a time after 2038 has no room.
                assert_eq!(expected.name, "after_2038/oa", "{name}");
                continue;
            };
            let read = Statistics::parse(version(letters), &written).unwrap();
            assert!(read.problems.is_empty(), "{name}: {:?}", read.problems);
            assert!(read.checksums.iter().all(|checksum| checksum.holds()), "{name}");
            assert_eq!(read.header, model.header, "{name}");
            let (read, was) = (read.stats.unwrap(), model.stats.clone().unwrap());
            assert_eq!(read.partition_sizes, was.partition_sizes, "{name}");
            assert_eq!(read.tombstones, was.tombstones, "{name}");
            assert_eq!(read.max_local_deletion_time, was.max_local_deletion_time, "{name}");
            assert_eq!(read.commit_log, was.commit_log, "{name}");
            assert_eq!(read.total_rows, was.total_rows, "{name}");
        }
    }
}

#[test]
fn what_a_version_needs_and_nobody_knows_is_named() {
    let expected = crate::common::cassandra("wide_int", "nb", 1);
    let real = expected.files.part(Part::Statistics);
    let model = StatisticsModel::read(version("nb"), &real).unwrap();
    let said = model.write(version("oa")).unwrap_err().to_string();
    assert_eq!(said, "the version needs what is not known: covered slice");
}
