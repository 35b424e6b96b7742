//! Cases about components, names and checksums.

use crate::common::{InMemory, cassandra, upstream};
use triescope_core::big::{IndexWalk, Progress, SampleRule, Sampler};
use triescope_core::check::{CheckJob, CheckOptions, Finding, Severity, flip};
use triescope_core::pos::{DataPos, FilePos};
use triescope_core::table::{FileSet, Part, group};

/// The SSTables in a folder of other people's files.
fn theirs(folder: &str) -> Option<Vec<InMemory>> {
    Some(InMemory::folder(&upstream(folder)?))
}

fn findings(files: &InMemory, deep: bool) -> Vec<Finding> {
    let table = files.table();
    let mut job = CheckJob::new(&table, CheckOptions { deep });
    while !job.step(&table, 1 << 20).unwrap().done {}
    job.into_report().findings
}

/// Ids and texts of the findings of some checks.
fn said(files: &InMemory, deep: bool, area: &str) -> Vec<String> {
    let all = findings(files, deep);
    let of = all.iter().filter(|it| it.check.id.starts_with(area));
    of.map(|it| format!("{}: {it}", it.check.id)).collect()
}

#[test]
fn f18_a_missing_summary_is_derivable_from_index_db_and_is_made_again() {
    let Some(mut all) = theirs("scylladb/3.x_uncompressed_read_missing_summary") else { return };
    let files = all.remove(0);
    assert_eq!(
        said(&files, true, "files/"),
        [
            "files/derivable: Summary.db, component: expected a file, listed in TOC.txt, found absent; derivable from Index.db"
        ]
    );
    let table = files.table();
    let index = files.part(Part::Index);
    let mut sampler = Sampler::new(SampleRule::Every(128), table.version().formats().index);
    assert_eq!(sampler.step(&index, 1000), Ok(Progress::Finished));
    let made = sampler.into_sampled();
    assert_eq!((made.interval(), made.len()), (Some(128), 1));
    assert_eq!(made.sample(0), Some((&b"hello"[..], FilePos(0))));
    assert_eq!((made.first(), made.last()), (&b"hello"[..], &b"hello"[..]));
    assert_eq!(table.key_schema().to_text(made.first()), "'hello'");

    // Without Statistics.db nothing else knows the types: keys are shown as hex.
    let files = files.without(Part::Statistics);
    assert!(said(&files, false, "files/missing")[0].contains("Statistics.db, component"));
    let table = files.table();
    assert!(!table.key_schema().is_known());
    assert_eq!(table.key_schema().to_text(b"hello"), "0x68656c6c6f");
}

#[test]
fn f20_the_first_two_bytes_of_an_entry_are_the_key_length_also_where_they_are_00_10() {
    // A uuid has 16 bytes: every entry begins with 00 10.
    let files = cassandra("p5k_uuid", "oa", 1).files;
    assert_eq!(files.part(Part::Index)[..2], [0, 0x10]);
    let mut entries = 0;
    for (key, data, promoted) in index(&files) {
        assert_eq!((key.len(), promoted), (16, 0));
        assert!(entries > 0 || data == DataPos(0));
        entries += 1;
    }
    assert_eq!(entries, 5000);
    assert_eq!(findings(&files, true), []);
    // A text of 16 characters, and an int, by hand.
    let text = [&[0, 16][..], b"sixteen letters!", &[0, 0]].concat();
    let hand = files.with(Part::Index, &text);
    assert_eq!(index(&hand), [(b"sixteen letters!".to_vec(), DataPos(0), 0)]);
    let int = files.with(Part::Index, &[0, 4, 0, 0, 0, 7, 0, 0]);
    assert_eq!(index(&int), [(vec![0, 0, 0, 7], DataPos(0), 0)]);
    // No partitions in a file with bytes are no success.
    let none = files.with(Part::Index, &[0, 16, 1]);
    let broken = findings(&none, false);
    assert!(broken.iter().any(|it| it.check.severity == Severity::Broken), "{broken:?}");
}

/// The entries of Index.db: key, position, bytes of the promoted index.
fn index(files: &InMemory) -> Vec<(Vec<u8>, DataPos, u64)> {
    let mut entries = Vec::new();
    let walk = IndexWalk::new(files.set.version.formats().index).run(
        &files.part(Part::Index),
        u64::MAX,
        |head, bytes| {
            entries.push((head.key(bytes).to_vec(), head.data, head.promoted_size));
            std::ops::ControlFlow::Continue(())
        },
    );
    walk.unwrap();
    entries
}

#[test]
fn f28_bits_per_key_are_held_against_the_chance_and_the_least_size() {
    // Bytes of bits, bits per key, and what is said.
    let cases: [(&str, &str, u64, f64, &[&str]); 4] = [
        (
            "partition_skipping",
            "me",
            168,
            134.4,
            &[
                "filter/oversized: Filter.db, size per key: expected about 12.8 bits for a chance of 0.01, found 134.4 bits: about 10 × oversized (partition estimate was wrong)",
            ],
        ),
        ("partition_skipping", "mt", 16, 12.8, &[]),
        ("summary_test", "me", 328, 20.2, &[]),
        ("summary_test", "ms", 168, 10.3, &[]),
    ];
    for (folder, version, bytes, per_key, expected) in cases {
        let Some(all) = theirs(&format!("scylladb/{folder}")) else { return };
        let files = all.iter().find(|it| it.set.version.as_str() == version).unwrap();
        let filter = files.table().filter.unwrap();
        let keys = if folder == "summary_test" { 130.0 } else { 10.0 };
        assert_eq!(filter.bits(), 8 * bytes, "{folder} {version}");
        let found = filter.bits() as f64 / keys;
        assert!((found - per_key).abs() < 0.06, "{folder} {version}: {found}");
        assert_eq!(said(files, true, "filter/"), expected, "{folder} {version}");
    }
    // Below about ten keys whole words decide, whatever they come to for a key: here 64 bits for one.
    let one = cassandra("one_partition", "oa", 1).files;
    assert_eq!(one.table().filter.unwrap().bits(), 64);
    assert_eq!(said(&one, true, "filter/"), [""; 0]);
}

#[test]
fn f29_an_expiry_after_2038_that_overflowed_is_told_with_the_intended_time() {
    let Some(mut all) = theirs("kopens-lsb/negative-local-expiration-test_table1") else { return };
    let files = all.remove(0);
    let statistics = files.table().statistics.unwrap();
    let (stats, header) = (statistics.stats.unwrap(), statistics.header.unwrap());
    assert_eq!(stats.min_local_deletion_time, Some(-2_146_700_401));
    assert_eq!(stats.max_local_deletion_time, Some(-2_146_700_401));
    assert_eq!((stats.min_timestamp, stats.max_ttl), (1_517_546_895_664_000, Some(630_720_000)));
    assert_eq!(i64::from(header.min_local_deletion_time) + (1 << 32), 2_148_266_895);
    assert_eq!(
        said(&files, false, "statistics/"),
        [
            "statistics/deletion-overflow: Statistics.db, offset 4401 (page 1 + 305), min local deletion time: expected 0 to 2147483647, found -2146700401: overflowed 32-bit expiry: intended 2038-01-28T04:48:15Z; rows appear expired and are lost on compaction; back up before compacting"
        ]
    );
    // The same seconds without a sign are legal until 2106.
    for version in ["oa", "da"] {
        let files = cassandra("after_2038", version, 1).files;
        let stats = files.table().statistics.unwrap().stats.unwrap();
        let late = |time: Option<i64>| time.is_some_and(|time| time > i64::from(i32::MAX));
        let tombstones = stats.tombstones.iter().map(|(time, _)| Some(*time));
        let times = [stats.min_local_deletion_time, stats.max_local_deletion_time];
        assert!(times.into_iter().chain(tombstones).any(late), "{stats:?}");
        assert_eq!(said(&files, true, "statistics/"), [""; 0]);
    }
}

#[test]
fn f31_each_generation_says_what_is_listed_present_needed_and_derivable() {
    let Some(all) = theirs("scylladb/badtoc") else { return };
    let of = |generation: &str| all.iter().find(|it| it.set.generation.to_string() == generation);
    let toc = |generation: &str| {
        let mut lines = said(of(generation).unwrap(), true, "files/un");
        lines.retain(|line| line.contains("TOC.txt"));
        lines
    };
    assert_eq!(
        toc("1"),
        [
            "files/unreadable: TOC.txt, offset 0 (page 0 + 0), list: expected a component name a line, found no names"
        ]
    );
    assert_eq!(
        toc("2"),
        [
            "files/unknown-listed: TOC.txt, list: expected names of components, found UNRECOGNIZED.txt, and no such file"
        ]
    );
    assert_eq!(
        toc("3"),
        [
            "files/unknown-listed: TOC.txt, list: expected names of components, found Statis, and no such file"
        ]
    );
    // What is needed cannot be had from anything else; the rest can be rebuilt.
    let lost = said(of("2").unwrap(), true, "files/missing");
    assert_eq!(lost.len(), 2, "{lost:?}");
    assert!(lost[0].contains("Data.db") && lost[1].contains("Statistics.db"));
    let derivable = said(of("2").unwrap(), true, "files/derivable");
    for part in ["Summary.db", "Filter.db", "CRC.db", "Digest."] {
        assert!(derivable.iter().any(|line| line.contains(part)), "{part}");
    }

    // UNKNOWN.txt is listed, and there: nothing is wrong with it.
    let files = theirs("scylladb/unknown_component").unwrap().remove(0);
    assert!(files.set.files.iter().any(|file| file.component == "UNKNOWN.txt"));
    assert_eq!(said(&files, false, "files/un"), [""; 0]);
}

#[test]
fn f31_data_alone_costs_a_scan_and_temporary_files_were_never_finished() {
    let files = cassandra("two_partitions", "nb", 1).files;
    let data = files.part(Part::Data).len();
    let alone = Part::ALL.into_iter().filter(|part| *part != Part::Data);
    let alone = alone.fold(files.clone(), |files, part| files.without(part));
    let lines = said(&alone, true, "files/index-missing");
    let text = format!("no index present: every lookup is a full scan of {data} bytes");
    assert!(lines.len() == 1 && lines[0].ends_with(&text), "{lines:?}");

    // Only what a rewrite of Statistics.db left behind.
    let set: FileSet = group([("ms-3-big-Statistics.db.tmp", 10)]).sets.remove(0);
    assert!(set.is_unfinished());
    let left = InMemory { set, ..alone.without(Part::Data) };
    let lines = said(&left, true, "files/");
    assert_eq!(
        lines,
        [
            "files/unfinished: TOC.txt, component: expected TOC.txt, found no TOC.txt, and temporary files: Statistics.db"
        ]
    );
}

#[test]
fn f33_only_the_chunk_that_fails_is_lost_and_its_partitions_are_named() {
    for (folder, chunk, start, end, partitions) in [
        ("3.x_lz4_integrity_check_invalid_checksums", 2, 8192, 12_288, "7 partitions, 22 to 38"),
        (
            "3.x_uncompressed_integrity_check_invalid_checksums",
            1,
            65_536,
            69_881,
            "6 partitions, 70 to 103",
        ),
    ] {
        let Some(mut all) = theirs(&format!("scylladb/{folder}")) else { return };
        let files = all.remove(0);
        let lines = said(&files, true, "data/");
        assert_eq!(lines.len(), 1, "{lines:#?}");
        let place = format!("checksum of stored chunk {chunk}: ");
        assert!(lines[0].contains(&place), "{}", lines[0]);
        assert!(lines[0].contains(&format!("{start} to {end} of the data")), "{}", lines[0]);
        assert!(lines[0].ends_with(&format!("it holds bytes of {partitions}")), "{}", lines[0]);
        assert!(lines[0].contains("the data is damaged"), "{}", lines[0]);
        // Partitions in other chunks stay readable.
        let table = files.table();
        let mut read = 0;
        for (key, at, _) in index(&files) {
            let found = table.data_reader().unwrap().key(at);
            let inside = (start..end).contains(&at.0);
            assert_eq!(found.is_err(), inside, "{at}");
            if let Ok((found, _)) = found {
                assert_eq!(found, key);
                read += 1;
            }
        }
        assert!(read > 10);
    }
    let Some(mut all) = theirs("scylladb/3.x_lz4_integrity_check_invalid_checksums") else {
        return;
    };
    let info = all.remove(0).table().compression.unwrap();
    assert_eq!((info.chunk_length, info.chunks, info.data_length), (4096, 6, 21_532));
}

#[test]
fn f35_a_wrong_digest_over_whole_chunks_is_told_from_damaged_data() {
    for (folder, stored, computed) in [
        ("3.x_uncompressed_integrity_check_invalid_digest", 2_974_575_252u32, 2_974_575_251u32),
        ("3.x_lz4_integrity_check_invalid_digest", 2_871_736_200, 2_871_736_199),
    ] {
        let Some(mut all) = theirs(&format!("scylladb/{folder}")) else { return };
        let files = all.remove(0);
        assert_eq!(
            said(&files, true, "files/digest"),
            [format!(
                "files/digest: Digest.crc32, offset 0 (page 0 + 0), digest: expected {computed}, that of Data.db, found {stored}: the digest file is wrong, the data is intact"
            )]
        );
        assert_eq!(said(&files, true, "data/"), [""; 0]);
        // No bit of the data explains it, since all chunks are whole.
        let table = files.table();
        let mut job = flip::FlipJob::new(&table);
        while !job.step(&table, 1 << 20).unwrap().done {}
        let candidates = &job.report().faults[0].candidates;
        assert!(candidates.iter().all(|it| it.place == flip::Place::Digest));
    }
    // When chunks fail as well, the data is what is damaged, and the digest is not reported apart.
    let Some(mut all) = theirs("scylladb/3.x_lz4_integrity_check_invalid_checksums") else {
        return;
    };
    let files = all.remove(0);
    assert_eq!(said(&files, true, "files/"), [""; 0]);
    assert!(said(&files, true, "data/")[0].contains("the data is damaged, the digest differs too"));
}
