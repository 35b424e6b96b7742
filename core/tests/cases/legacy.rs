//! Cases about the legacy index. Those about one promoted index are in `promoted.rs`.

use crate::common::{InMemory, cassandra, upstream};
use crate::made::{checked, deep, facts, int, named, report, said};
use triescope_core::big::check::{PerPartition, per_partition};
use triescope_core::big::{Progress, SampleRule, Sampled, Sampler, Samples};
use triescope_core::check::{Cost, Severity};
use triescope_core::keys::{Partitioner, murmur3};
use triescope_core::lookup::{
    FilterMode, LegacyFound, LegacyIndex, Query, Record, Recorder, Step, WindowStep, find_legacy,
};
use triescope_core::pos::{FilePos, PageNo};
use triescope_core::race::LegacyReader::{self, Cassandra, Scylla};
use triescope_core::table::Part;

/// The table of a folder whose name begins so.
fn table(folder: &str, name: &str) -> Option<InMemory> {
    let all = InMemory::folder(&upstream(folder)?);
    Some(all.into_iter().find(|files| files.set.name().starts_with(name)).unwrap())
}

/// A lookup of a key in the index alone.
fn find(files: &InMemory, reader: LegacyReader, key: &[u8]) -> (LegacyFound, Record) {
    let table = files.table();
    let (index, source) = (files.part(Part::Index), files.part(Part::Summary));
    let partitioner = table.partitioner();
    let legacy = LegacyIndex {
        index: &index,
        samples: Samples::File { summary: table.summary.as_ref().unwrap(), source: &source },
        partitioner: &partitioner,
        version: table.version(),
        clustering: table.clustering_schema().unwrap(),
        exact_widths: table.has_exact_block_widths(),
    };
    let token = partitioner.token(key);
    let query = Query {
        key,
        token: &token,
        hash: murmur3(key),
        comparable: &[],
        row: None,
        filter: FilterMode::Off,
        clustering: None,
    };
    let mut recorder = Recorder::new();
    let found = find_legacy(&legacy, reader, &query, &mut recorder).unwrap();
    (found, recorder.into_record())
}

fn pages(record: &Record) -> Vec<u64> {
    let mut pages: Vec<u64> = record.requests(Part::Index).map(|PageNo(page)| page).collect();
    pages.dedup();
    pages
}

fn windows(record: &Record) -> Vec<WindowStep> {
    let windows = record.steps.iter().filter_map(|step| match step {
        Step::Window(window) => Some(window.clone()),
        _ => None,
    });
    windows.collect()
}

#[test]
fn f12_a_summary_of_a_big_endian_machine_is_named_and_read_anyway() {
    for version in ["mc", "me", "na", "nb", "oa"] {
        let folder = format!("kopens-lsb/legacy_{version}_clust_be_index_summary");
        let Some(files) = table(&folder, version) else { return };
        assert_eq!(files.part(Part::Summary)[24..28], [0, 0, 0, 4]);
        let lines = said(&files, "summary/big-endian");
        assert_eq!(lines.len(), 1, "{version}");
        let sentence = "offsets are big-endian; Cassandra 5 discards and rebuilds this summary";
        assert!(lines[0].ends_with(sentence), "{}", lines[0]);
        // It is read anyway: one sample, key "0" at 0, and all its entries agree with it.
        let (opened, facts) = (files.table(), facts(&files));
        let summary = opened.summary.as_ref().unwrap();
        assert_eq!((&summary.first[..], &summary.last[..]), (&b"0"[..], &b"4"[..]));
        let spread = facts.spread.unwrap();
        assert_eq!((spread.windows, spread.partitions), (1, 5));
        assert_eq!((&spread.largest.first_key[..], spread.largest.from), (&b"0"[..], FilePos(0)));
    }
    for version in ["mc", "me", "nb", "oa"] {
        let Some(files) = table(&format!("kopens-lsb/legacy_{version}_clust"), version) else {
            return;
        };
        assert_eq!(said(&files, "summary/big-endian"), [""; 0], "{version}");
    }
}

#[test]
fn f14_a_page_with_nearly_all_partitions_is_named() {
    // The text counts three pages; samples at the entries 0 and 10 and none behind them make two.
    let files = cassandra("p5k_uuid", "nb", 1).files;
    let opened = files.table();
    let summary = opened.summary.as_ref().unwrap();
    let mut sampler = Sampler::new(SampleRule::Every(10), opened.version().formats().index);
    while sampler.step(&files.part(Part::Index), 1000).unwrap() != Progress::Finished {}
    let sampled: Sampled = sampler.into_sampled();
    let samples: Vec<(Vec<u8>, u64)> =
        (0..2).map(|i| sampled.sample(i).map(|(key, at)| (key.to_vec(), at.0)).unwrap()).collect();
    let twin =
        files.with(Part::Summary, &crate::made::summary(&samples, &summary.first, &summary.last));
    let spread = facts(&twin).spread.unwrap();
    assert_eq!(spread.to_string(), "page 2 of 2 holds 4990 of 5000 partitions");
    assert_eq!((spread.least, spread.median, spread.largest.partitions), (10, 10, 4990));
    assert_eq!(spread.largest.first_key, samples[1].0);
    let lines = said(&twin, "layout/summary-pages");
    assert!(lines[0].ends_with("found page 2 of 2 holds 4990 of 5000 partitions"), "{lines:?}");
    let cost = report(&twin).findings.into_iter().find_map(|finding| finding.cost).unwrap();
    // Index.db has 5000 entries of about 22 bytes in 27 pages, of which a scan passes half.
    assert_eq!(cost, Cost { median: 14, worst: 27 });

    // A fixed interval is never flagged, and the ratio of data to summary is told.
    for (name, interval) in [("p5k_uuid", 32), ("p1000", 128), ("p20k", 128)] {
        let files = cassandra(name, "nb", 1).files;
        let spread = facts(&files).spread.unwrap();
        assert!(spread.as_declared && !spread.is_uneven());
        assert_eq!((spread.median, spread.largest.partitions), (interval, interval), "{name}");
        assert_eq!(said(&files, "layout/summary-pages"), [""; 0]);
        assert!(spread.data_per_summary_byte() > Some(30), "{:?}", spread.data_per_summary_byte());
    }
}

#[test]
fn f15_a_sampled_key_costs_one_page() {
    let Some(files) = table("scylladb/summary_test", "me-1") else { return };
    for reader in [Scylla, Cassandra] {
        // Key 3 is the second sample: its window, not the one before.
        let (found, record) = find(&files, reader, &int(3));
        assert!(matches!(found, LegacyFound::Entry { at: FilePos(1146), .. }), "{found:?}");
        let seen = windows(&record);
        assert_eq!((seen[0].from.0, seen[0].to.0), (1146, 1164), "{reader:?}");
        assert_eq!((seen.len(), pages(&record)), (1, vec![0]));
        // Key 23 is the first one.
        let (found, record) = find(&files, reader, &int(0x17));
        assert!(matches!(found, LegacyFound::Entry { at: FilePos(0), .. }), "{found:?}");
        let seen = windows(&record);
        assert_eq!((seen[0].from.0, seen[0].to.0), (0, 1146), "{reader:?}");
        assert_eq!((seen.len(), pages(&record)), (1, vec![0]));
    }
    let (_, record) = find(&files, Scylla, &int(3));
    let entries = record.steps.iter().find_map(|step| match step {
        Step::Entries(entries) => Some(entries.count),
        _ => None,
    });
    assert_eq!(entries, Some(2));

    // A key behind the last entry of its page and before the next sample is absent without a second page.
    let keys = crate::made::keys(&files);
    let token = |key: &[u8]| Partitioner::Murmur3.token(key);
    let (before, sample) = (token(&keys[127].0), token(&int(3)));
    let absent = (1000..).map(int).find(|key| (&before..&sample).contains(&&token(key))).unwrap();
    for reader in [Scylla, Cassandra] {
        let (found, record) = find(&files, reader, &absent);
        assert!(matches!(found, LegacyFound::Absent(_)));
        assert_eq!((windows(&record).len(), pages(&record)), (1, vec![0]), "{reader:?}");
    }
}

#[test]
fn f16_an_index_larger_than_the_data_is_explained_by_its_keys() {
    // 1000 partitions keyed by two ints, each 26 bytes of Data.db before compression and 12.6 after it.
    let mut keys: Vec<Vec<u8>> = (0..1000)
        .map(|i: i32| [&[0, 4][..], &int(i), &[0, 0, 4], &int(i / 7), &[0]].concat())
        .collect();
    keys.sort_by_key(|key| Partitioner::Murmur3.token(key));
    let mut index = Vec::new();
    for (key, data) in keys.iter().zip((0u64..).step_by(26)) {
        index.extend((key.len() as u16).to_be_bytes());
        index.extend(key);
        triescope_core::vint::uvint(data, &mut index);
        index.push(0);
    }
    let files = named("nb-1-big", &[(Part::Index, index), (Part::Data, vec![0; 12_600])]);
    let (opened, facts) = (files.table(), facts(&files));
    assert_eq!((facts.entries, facts.index.keys), (1000, 14_000));
    let bytes: Vec<String> =
        per_partition(&opened.facts, facts.entries).iter().map(PerPartition::to_string).collect();
    assert_eq!(bytes, ["Index.db 19.3 bytes a partition", "Data.db 12.6 bytes a partition"]);
    let lines = said(&files, "layout/index-larger-than-data");
    // 70 % in the text are 14 of 20 bytes; positions of a million partitions are longer.
    let sentence = "found Index.db is 1.5 × Data.db: key bytes 72 %, positions 12 %, key lengths 10 %, promoted sizes 5 %";
    assert!(lines[0].ends_with(sentence), "{lines:?}");
    assert_eq!(said(&files, "layout/promoted-dominates"), [""; 0]);
}

#[test]
fn f17_promoted_indexes_are_named_as_what_lookups_read() {
    let Some(files) = table("kopens-lsb/legacy_nb_clust", "nb") else { return };
    assert_eq!((files.part(Part::Index).len(), files.part(Part::Data).len()), (157_553, 8_749));
    let facts = facts(&files);
    let largest = facts.largest.as_ref().unwrap();
    assert_eq!((facts.entries, facts.promoted.partitions, facts.promoted.blocks), (5, 5, 65));
    assert_eq!(
        (largest.bytes, largest.blocks, largest.partition_bytes),
        (31_502, 13, Some(67_196))
    );
    assert_eq!(largest.permille(), Some(469));
    let lookup = facts.lookup.unwrap();
    assert_eq!((lookup.median, lookup.worst, lookup.worst_straight), (3, 5, 31));
    let lines = said(&files, "layout/promoted-dominates");
    assert_eq!(lines.len(), 1);
    for words in [
        "18.0 × Data.db",
        "31502 bytes of promoted index for a partition of 67196 bytes (46.9 %): 13 blocks",
        "the worst lookup fetches 5 pages where promoted indexes are skipped, 31 read straight through",
    ] {
        assert!(lines[0].contains(words), "{words}: {lines:?}");
    }
    // Once for the table, not once for each partition.
    assert_eq!(checked(&files, "layout/"), ["layout/promoted-dominates"]);
    let at: Vec<u64> = crate::made::keys(&files).into_iter().map(|(_, at)| at).collect();
    assert_eq!(at, [0, 31_509, 63_020, 94_531, 126_042]);
    let (_, record) = find(&files, Cassandra, b"4");
    assert_eq!(pages(&record), [0, 7, 15, 23, 30]);
    assert_eq!(record.straight_pages(usize::MAX), Some(31));
    // The same rows with a trie.
    let Some(trie) = table("kopens-lsb/legacy_da_clust", "da") else { return };
    assert_eq!((trie.part(Part::Partitions).len(), trie.part(Part::Rows).len()), (62, 508));
}

#[test]
fn f19_an_index_without_entries_is_no_empty_success() {
    let Some(files) = table("scylladb/empty_index", "mc-36") else { return };
    assert_eq!(files.part(Part::Index), [0x0a]);
    let finding = report(&files).findings.remove(0);
    assert_eq!((finding.check.id, finding.at), ("index/entry", Some(FilePos(0))));
    assert_eq!(
        finding.found,
        "file ends inside the 2-byte key length at offset 0; 0 complete entries; Summary.db promises key 0000002a at Index.db 0; Data.db has 33 bytes that no index entry covers"
    );
    assert_eq!(checked(&files, ""), ["index/entry"]);
    // Nor is a file without a byte.
    let lines = said(&files.with(Part::Index, &[]), "index/entry");
    assert!(lines[0].contains("0 complete entries; Summary.db promises key 0000002a"), "{lines:?}");
}

#[test]
fn f21_an_index_that_belongs_to_other_data_is_named_by_partition_and_both_positions() {
    let folder = "scylladb/sliced_mutation_reads";
    let (Some(index), Some(data)) = (table(folder, "mc-1"), table(folder, "me-1")) else { return };
    let mixed = data.with(Part::Index, index.part(Part::Index));
    let positions = |files: &InMemory| crate::made::positions(files);
    assert_eq!((positions(&index), positions(&data)), (vec![0, 73], vec![0, 67]));
    let findings = deep(&mixed).findings;
    let named: Vec<_> = findings.iter().filter(|it| it.check.id == "index/data-position").collect();
    assert_eq!(named.len(), 1, "{findings:#?}");
    assert_eq!(named[0].key.as_ref().map(|key| key.to_vec()), Some(int(0).to_vec()));
    assert_eq!(
        (named[0].expected.as_ref(), named[0].found.as_ref()),
        ("67, where the partition begins", "73")
    );
    // Nothing is said of the same data with its own index.
    let broken = |files: &InMemory| deep(files).all.worst() == Some(Severity::Broken);
    assert!(broken(&mixed) && !broken(&data));
}
