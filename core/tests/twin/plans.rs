//! What is known before a twin is built: what from, what it costs, what stands against it.

use crate::build::{build, target, try_build};
use crate::common::{all_cassandra, cassandra, folders, upstream};
use std::ops::ControlFlow;
use triescope_core::big::{EntryHead, IndexWalk};
use triescope_core::keys::{murmur3, partition_key};
use triescope_core::lookup::{Answer, FilterMode, Query, trie};
use triescope_core::table::{Part, Problem, Table, Version};
use triescope_core::twin::{Assumption, BlockSize, BuiltFrom, Target, Twin, TwinOptions, TwinPlan};

#[test]
fn the_default_target_is_the_other_index_of_the_same_database() {
    let of = |version: &str| {
        let version = Version::new(version.as_bytes()).unwrap();
        Target::of(version).map(|target| target.version().as_str().to_owned())
    };
    for (version, twin) in [
        ("da", "oa"),
        ("oa", "da"),
        ("nb", "da"),
        ("na", "da"),
        ("ma", "da"),
        ("mc", "mt"),
        ("md", "mt"),
        ("me", "mt"),
        ("la", "mt"),
        ("ms", "me"),
        ("mt", "me"),
    ] {
        assert_eq!(of(version).as_deref(), Some(twin), "{version}");
    }
    assert_eq!(of("zz"), None);
    // All that is read has one, and every one can be written.
    for version in Version::KNOWN {
        let twin = Target::of(version).unwrap();
        assert_eq!(Target::new(twin.version()), Some(twin));
        assert_ne!(Some(twin.kind()), version.index(), "{version}");
    }
}

#[test]
fn the_estimate_is_more_than_the_twin_and_not_much_more() {
    let (mut most, mut twins) = (0.0f64, 0);
    for version in ["da", "oa", "nb"] {
        for expected in all_cassandra(version) {
            for to in ["da", "oa", "mt", "me"] {
                let table = expected.files.table();
                let options = TwinOptions::new(target(to));
                let Ok(plan) = TwinPlan::new(&table, options) else { continue };
                let report = build(&table, options).report;
                assert_eq!(report.from, plan.estimate.from);
                let ratio = plan.estimate.result as f64 / report.bytes() as f64;
                assert!(ratio >= 1.0, "{} {to}: {:?} {report:?}", expected.name, plan.estimate);
                if report.bytes() > 100_000 {
                    most = most.max(ratio);
                }
                twins += 1;
            }
        }
    }
    assert!(most < 6.0, "{most}");
    assert!(twins > 700, "{twins}");
}

#[test]
fn a_twin_that_does_not_fit_is_refused_with_both_numbers() {
    let files = cassandra("p20k", "oa", 1).files;
    let plan = TwinPlan::new(&files.table(), TwinOptions::new(target("da"))).unwrap();
    assert_eq!(plan.estimate.partitions, Some(20_000));
    assert_eq!(plan.estimate.read, files.part(Part::Index).len() as u64);
    plan.estimate.fits(64 << 20).unwrap();
    let said = plan.estimate.fits(1 << 20).unwrap_err().to_string();
    assert!(said.ends_with("and there is room for 1048576"), "{said}");
}

#[test]
fn samples_count_for_the_estimate_as_they_are_chosen() {
    use triescope_core::big::SampleRule;
    let files = cassandra("p20k", "oa", 1).files;
    let table = files.table();
    for samples in [SampleRule::Every(1), SampleRule::Every(1000), SampleRule::Scylla] {
        let samples = Some(samples);
        let options = TwinOptions { samples, ..TwinOptions::new(target("nb")) };
        let estimate = TwinPlan::new(&table, options).unwrap().estimate;
        let report = build(&table, options).report;
        let ratio = estimate.result as f64 / report.bytes() as f64;
        assert!((1.0..2.5).contains(&ratio), "{samples:?}: {estimate:?} {report:?}");
    }
}

#[test]
fn what_cannot_be_built_is_refused_with_the_reason() {
    let da = cassandra("wide_many", "da", 1).files;
    let refused = |files: &crate::common::InMemory, options| {
        TwinPlan::new(&files.table(), options).unwrap_err().to_string()
    };
    let oa = TwinOptions::new(target("oa"));
    assert_eq!(
        refused(&da.without(Part::Data), oa),
        "a trie holds prefixes of keys only, so Data.db is needed for them, but it is not here"
    );
    assert_eq!(
        refused(&da.without(Part::CompressionInfo), oa),
        "a trie holds prefixes of keys only, so Data.db is needed for them, but it is compressed and CompressionInfo.db is not here"
    );
    assert_eq!(
        refused(&da.without(Part::Statistics).without(Part::Toc), oa),
        "rows are needed, and Statistics.db, which tells their form, cannot be read"
    );
    let blocks = TwinOptions { block_bytes: Some(4096), ..oa };
    assert_eq!(
        refused(&cassandra("wide_many", "oa", 1).files.without(Part::Data), blocks),
        "row blocks are formed from the rows in Data.db, but it is not here"
    );
    let nothing = TwinOptions { block_bytes: Some(0), ..oa };
    assert_eq!(refused(&da, nothing), "a row block has at least one byte");
    let bare = da.without(Part::Data).without(Part::Partitions).without(Part::Rows);
    assert_eq!(refused(&bare, oa), "neither an index that can be read nor Data.db is here");
}

#[test]
fn without_an_index_the_blocks_are_those_of_the_target() {
    let files = cassandra("wide_many", "oa", 1).files;
    let bare = files.without(Part::Index).without(Part::Summary);
    let twin = build(&bare.table(), TwinOptions::new(target("da")));
    assert_eq!(twin.report.from, BuiltFrom::Data { block_bytes: 16 << 10 });
    assert_eq!(twin.report.assumptions, [Assumption::DefaultBlocks { bytes: 16 << 10 }]);
    let table = bare.table();
    let own = Target::for_table(&table).unwrap();
    assert_eq!(own.version().as_str(), "oa");
}

#[test]
fn without_rows_db_the_twin_comes_from_data_db() {
    let files = cassandra("wide_many", "da", 1).files.without(Part::Rows).without(Part::Toc);
    let twin = build(&files.table(), TwinOptions::new(target("oa")));
    assert_eq!(twin.report.from, BuiltFrom::Data { block_bytes: 64 << 10 });
    assert_eq!((twin.report.partitions, twin.report.wide), (250, 0));
    let bare = files.without(Part::Data);
    let refused = TwinPlan::new(&bare.table(), TwinOptions::new(target("oa"))).unwrap_err();
    assert_eq!(refused.to_string(), "neither an index that can be read nor Data.db is here");
}

#[test]
fn the_blocks_of_a_file_tell_the_size_they_were_formed_with() {
    for (name, bytes) in [("wide_many", 1024), ("wide_text", 4096), ("wide_longck", 8192)] {
        let files = cassandra(name, "da", 1).files;
        // With the rows both bounds are known, so the size lies between them.
        let report = build(&files.table(), TwinOptions::new(target("oa"))).report;
        assert_eq!(report.from, BuiltFrom::Trie { with_rows: true });
        let BlockSize { least, most } = report.block_size.unwrap();
        assert!(least <= bytes && bytes <= most, "{name}: {least} to {most}");
        assert_eq!(report.block_size.unwrap().likely(), bytes, "{name}");
        // Without them only the narrowest full block is.
        let report = build(&files.table(), TwinOptions::new(target("da"))).report;
        assert_eq!(report.block_size.unwrap().likely(), bytes, "{name}");
        let report =
            build(&cassandra(name, "oa", 1).files.table(), TwinOptions::new(target("da"))).report;
        assert_eq!(report.block_size.unwrap().likely(), bytes, "{name}");
    }
}

/// Each key of Index.db is found by the twin's trie, and confirmed in the cells of Data.db.
fn opens_and_finds(table: &Table<&[u8]>, twin: &Twin<Vec<u8>>, name: &str) {
    let index = twin.files.each_ref().map(|(part, bytes)| (*part, bytes.as_slice()));
    let opened = table.with_index(twin.report.target.version(), index).unwrap();
    let damaged = |table: &Table<&[u8]>| -> Vec<Problem> {
        let problems = table.facts.problems.iter();
        problems.filter(|it| matches!(it, Problem::Damaged(_))).cloned().collect()
    };
    assert_eq!(damaged(&opened), damaged(table), "{name}");
    let partitioner = opened.partitioner();
    let format = table.version().formats().index;
    let each = |head: &EntryHead, bytes: &[u8]| {
        let key = head.key(bytes);
        let (token, style) = (partitioner.token(key), opened.dialect().key_style);
        let comparable = partition_key(&partitioner, style, opened.key_schema(), key).bytes;
        let (hash, filter) = (murmur3(key), FilterMode::Ask);
        let (row, clustering, comparable) = (None, None, comparable.as_slice());
        let query = Query { key, token: &token, hash, comparable, row, filter, clustering };
        let found = trie(&opened, &query, &mut ()).unwrap();
        // Some of these files are damaged on purpose.
        let confirmed = table.data_reader().is_ok_and(|mut data| data.key(head.data).is_ok());
        match found {
            Answer::Present { data, confirmed: is, .. } => {
                assert_eq!((data, is), (head.data, confirmed), "{name}");
            }
            other => panic!("{name}: {other:?}"),
        }
        ControlFlow::Continue(())
    };
    IndexWalk::new(format).run(table.source(Part::Index).unwrap(), u64::MAX, each).unwrap();
}

/// Versions before `ma` have no types for clusterings: their partitions are indexed without rows.
#[test]
fn older_versions_are_indexed_without_their_rows() {
    let Some(all) = upstream("scylladb") else { return };
    let mut wide = 0;
    for folder in folders(&all) {
        for files in crate::common::InMemory::folder(&folder) {
            if !["ka", "la"].contains(&files.set.version.as_str()) {
                continue;
            }
            let table = files.table();
            let Some(to) = Target::for_table(&table) else { continue };
            let name = format!("{} {}", folder.display(), files.set.name());
            assert_eq!(to.version().as_str(), "mt", "{name}");
            match try_build(&table, TwinOptions::new(to), 1 << 20) {
                Ok(twin) => {
                    opens_and_finds(&table, &twin, &name);
                    assert_eq!(twin.report.wide, 0);
                    let left_out = |it: &Assumption| matches!(it, Assumption::RowsLeftOut { .. });
                    wide += usize::from(twin.report.assumptions.iter().any(left_out));
                }
                // Test files of which only one component was kept.
                Err(error) => {
                    let said = "neither an index that can be read nor Data.db is here";
                    let bad = ["badcompression", "badtoc"].iter().any(|it| name.contains(it));
                    assert!(bad && error == said, "{name}: {error}");
                }
            }
        }
    }
    assert!(wide >= 1, "{wide} tables with wide partitions");
}
