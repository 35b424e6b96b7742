//! Real pairs: the same rows, written by Cassandra in several formats. What the inputs do not determine is listed in
//! `docs/twin.md`; nothing else may differ.

use crate::build::{build, difference, file, target};
use crate::common::{all_cassandra, cassandra};
use triescope_core::big::SampleRule;
use triescope_core::bti::{PartitionIndex, RowEntry, RowIndex};
use triescope_core::data::Deletion;
use triescope_core::lookup::LeafTarget;
use triescope_core::source::Pages;
use triescope_core::table::Part;
use triescope_core::twin::{Assumption, BuiltFrom, TwinOptions, TwinPlan};

/// Twins of all files of one version in another one's index, against the real ones: how many files were compared, and what
/// differs or is refused.
fn compare(from: &str, to: &str) -> (usize, Vec<String>) {
    let (mut files, mut wrong) = (0, Vec::new());
    for expected in all_cassandra(from) {
        let (name, _) = expected.name.split_once('/').unwrap();
        let generation = expected.files.set.generation.to_string().parse().unwrap();
        let real = cassandra(name, to, generation).files;
        let table = expected.files.table();
        let options = TwinOptions::new(target(to));
        if let Err(refusal) = TwinPlan::new(&table, options) {
            wrong.push(format!("{name}: {refusal}"));
            continue;
        }
        let twin = build(&table, options);
        for (part, bytes) in twin.report.files {
            assert_eq!(file(&twin, part).len() as u64, bytes);
            files += 1;
            let Some(difference) = difference(file(&twin, part), &real, part) else { continue };
            wrong.push(format!("{name} {difference}; {:?}", twin.report.assumptions));
        }
    }
    (files, wrong)
}

#[test]
fn the_twin_of_da_is_the_real_oa_byte_for_byte() {
    let (files, wrong) = compare("da", "oa");
    assert_eq!(files, 118);
    assert_eq!(
        wrong,
        [
            // Not in the input: the keys, which only Data.db has.
            "p100k_text: a trie holds prefixes of keys only, so Data.db is needed for them, but it is not here",
            // Not in the input: the table's `min_index_interval`, where it is not 128.
            "p5k_uuid Summary.db: 1184 bytes of 4460, first difference Some(3); [Interval { keys: 128 }]",
        ]
    );
}

#[test]
fn with_the_interval_of_the_table_the_summary_is_the_real_one_too() {
    let table = cassandra("p5k_uuid", "da", 1).files;
    let real = cassandra("p5k_uuid", "oa", 1).files;
    let samples = Some(SampleRule::Every(32));
    let twin = build(&table.table(), TwinOptions { samples, ..TwinOptions::new(target("oa")) });
    assert_eq!(file(&twin, Part::Summary), real.part(Part::Summary));
    assert_eq!(twin.report.assumptions, []);
}

#[test]
fn the_twin_of_oa_is_the_real_da_byte_for_byte() {
    let (files, wrong) = compare("oa", "da");
    assert_eq!((files, wrong), (120, vec![]));
}

#[test]
fn a_legacy_index_alone_gives_its_trie() {
    for name in ["p20k", "wide_many", "range_tombstones", "wide_static", "lsm_two"] {
        let files = cassandra(name, "oa", 1).files;
        // Statistics.db tells the types, and CompressionInfo.db the end of the last partition.
        let mut bare = files.clone();
        for part in [Part::Data, Part::Summary, Part::Filter, Part::Digest, Part::Toc] {
            bare = bare.without(part);
        }
        let real = cassandra(name, "da", 1).files;
        if bare.bytes.contains_key(&Part::CompressionInfo) {
            let twin = build(&bare.table(), TwinOptions::new(target("da")));
            assert_eq!(twin.report.from, BuiltFrom::Legacy);
            for part in [Part::Partitions, Part::Rows] {
                assert_eq!(difference(file(&twin, part), &real, part), None, "{name}");
            }
            assert_eq!(twin.report.assumptions, [], "{name}");
        }
    }
}

#[test]
fn without_the_length_of_the_data_the_end_of_the_last_partition_is_assumed() {
    let files = cassandra("wide_many", "oa", 1).files;
    let bare = files.without(Part::Data).without(Part::CompressionInfo).without(Part::Toc);
    let twin = build(&bare.table(), TwinOptions::new(target("da")));
    let real = cassandra("wide_many", "da", 1).files;
    // Its last partition is narrow, so nothing depends on it.
    assert_eq!(difference(file(&twin, Part::Rows), &real, Part::Rows), None);
    let files = cassandra("wide_int", "oa", 1).files;
    let bare = files.without(Part::Data).without(Part::CompressionInfo).without(Part::Toc);
    let twin = build(&bare.table(), TwinOptions::new(target("da")));
    assert_eq!(twin.report.assumptions, [Assumption::EndOfLast]);
    let real = cassandra("wide_int", "da", 1).files;
    assert_eq!(difference(file(&twin, Part::Rows), &real, Part::Rows), None);
}

/// A partition as a trie has it: positions from its start, so that tables whose heads differ in length can be compared.
#[derive(Debug, PartialEq)]
struct Wide {
    key: Vec<u8>,
    deletion: Option<Deletion>,
    /// Separator, offset from the first block, open deletion.
    blocks: Vec<(Vec<u8>, u64, Option<Deletion>)>,
}

/// The wide partitions of a trie, by the number of their leaf; and how many leaves there are.
fn wide(partitions: &[u8], rows: &[u8]) -> (usize, Vec<(usize, Wide)>) {
    let footer = triescope_core::bti::Footer::read(&partitions).unwrap();
    let (mut nobody, mut nobody2) = ((), ());
    let mut leaves =
        PartitionIndex::new(&footer).leaves(Pages::new(Part::Partitions, &partitions, &mut nobody));
    let (mut count, mut found) = (0, Vec::new());
    while let Some(leaf) = leaves.next().unwrap() {
        if let LeafTarget::Rows(at) = leaf.leaf.target() {
            let mut pages = Pages::new(Part::Rows, &rows, &mut nobody2);
            let entry = RowEntry::read(&mut pages, at).unwrap();
            let mut walk = RowIndex::new(&entry).blocks(pages);
            let (mut blocks, mut first) = (Vec::new(), None);
            while let Some(block) = walk.next().unwrap() {
                let first = *first.get_or_insert(block.offset);
                blocks.push((walk.separator().to_vec(), block.offset - first, block.open));
            }
            found.push((count, Wide { key: entry.key, deletion: entry.deletion, blocks }));
        }
        count += 1;
    }
    (count, found)
}

/// Data.db of `nb` has 12 bytes for the deletion of a partition that `da` has 1 byte for, or 12, so all positions differ.
/// Everything else is the same: which partitions are wide, their keys and deletions, and their blocks, counted from the
/// first one.
#[test]
fn the_twin_of_nb_is_the_real_da_but_for_positions() {
    let (mut tables, mut blocks, mut wrong) = (0, 0, Vec::new());
    for expected in all_cassandra("nb") {
        let (name, _) = expected.name.split_once('/').unwrap();
        let generation = expected.files.set.generation.to_string().parse().unwrap();
        let real = cassandra(name, "da", generation).files;
        let twin = build(&expected.files.table(), TwinOptions::new(target("da")));
        let twin = wide(file(&twin, Part::Partitions), file(&twin, Part::Rows));
        let real = wide(real.part(Part::Partitions), real.part(Part::Rows));
        tables += 1;
        blocks += real.1.iter().map(|(_, wide)| wide.blocks.len()).sum::<usize>();
        if twin != real {
            wrong.push(name.to_owned());
        }
    }
    assert_eq!((wrong, tables), (Vec::<String>::new(), 57));
    assert!(blocks > 4000, "{blocks} blocks");
}

/// The same files, as a trie over the data of another version: every twin of a twin is what it was made from.
#[test]
fn the_twin_of_a_twin_is_the_index_it_came_from() {
    let (mut tables, mut wrong) = (0, Vec::new());
    for (from, by) in [("nb", "da"), ("oa", "da"), ("da", "oa"), ("nb", "mt"), ("da", "me")] {
        for name in
            ["p1000", "wide_many", "wide_static", "range_tombstones", "wide_text", "lsm_two"]
        {
            let files = cassandra(name, from, 1).files;
            let table = files.table();
            let twin = build(&table, TwinOptions::new(target(by)));
            let parts = twin.files.each_ref().map(|(part, bytes)| (*part, bytes.as_slice()));
            let opened = table.with_index(target(by).version(), parts).unwrap();
            assert_eq!(opened.facts.problems, [], "{name}/{from} by {by}");
            let samples = table.summary.as_ref().map(|it| it.header.min_index_interval);
            let samples = samples.map(SampleRule::Every);
            let back = build(&opened, TwinOptions { samples, ..TwinOptions::new(target(from)) });
            for part in target(from).parts() {
                tables += 1;
                if let Some(difference) = difference(file(&back, part), &files, part) {
                    wrong.push(format!("{name}/{from} by {by}: {difference} {:?}", back.report));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {tables}:\n{}", wrong.len(), wrong.join("\n"));
}
