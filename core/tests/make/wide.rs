//! Sizes and pages against those of the public files, which are known by size and page trace only; and that what is made
//! is a table with nothing wrong in it.

use crate::common::{InMemory, cassandra};
use triescope_core::big::{SampleMaker, SampleRule, Sampled};
use triescope_core::check::{CheckJob, CheckOptions, Severity};
use triescope_core::lookup::{Answer, FilterMode, Record, RowConfirmation, Step};
use triescope_core::make::{Progress, Wide, WideJob};
use triescope_core::meta::Histogram;
use triescope_core::pos::{FilePos, pages_of};
use triescope_core::race::{CacheModel, Contest, LegacyReader, Race, RaceRequest, run};
use triescope_core::table::{Part, Version, group};
use triescope_core::write::WriteError;

const MILLION: u32 = 1_000_000;

fn wide(letters: &[u8], rows: u32, block_bytes: u32) -> Wide {
    Wide { version: Version::new(letters).unwrap(), rows, block_bytes }
}

/// The table, made in slices.
fn make(wide: Wide) -> InMemory {
    let mut job = WideJob::new(wide, |_| Vec::new()).unwrap();
    while job.step(10_000).unwrap() != Progress::Finished {}
    let made = job.finish().unwrap();
    let names: Vec<_> =
        made.iter().map(|(part, bytes)| (wide.file_name(*part), bytes.len() as u64)).collect();
    let mut grouping = group(names.iter().map(|(name, bytes)| (name.as_str(), *bytes)));
    assert_eq!(grouping.sets.len(), 1);
    let set = grouping.sets.remove(0);
    InMemory { folder: "made".into(), set, bytes: made.into_iter().collect() }
}

/// The summary that ScyllaDB would make of Index.db of one partition.
fn sampled() -> Sampled {
    let mut maker = SampleMaker::new(SampleRule::Scylla);
    maker.add(&[0; 4], 0, FilePos(0));
    maker.into_sampled()
}

fn look_up(trie: &InMemory, legacy: &InMemory, row: u32) -> Race {
    let (trie, legacy, sampled) = (trie.table(), legacy.table(), sampled());
    let contest = Contest {
        trie: Some(&trie),
        legacy: Some(&legacy),
        scylla_samples: Some(&sampled),
        cassandra_samples: None,
    };
    let request = RaceRequest {
        key: "0".into(),
        row: Some(row.to_string()),
        reader: LegacyReader::Scylla,
        cache: CacheModel::Cold,
        filter: FilterMode::Ask,
        sample_large: false,
    };
    run(&contest, &request).unwrap()
}

fn finds(record: &Record) -> bool {
    let Some(Step::Answer(Answer::Present { row: Some(row), confirmed, .. })) = record.steps.last()
    else {
        panic!("no answer at the end: {:?}", record.steps.last())
    };
    *confirmed && matches!(row, RowConfirmation::Found { .. })
}

fn pages(record: &Record, part: Part) -> Vec<u64> {
    record.requests(part).map(|page| page.0).collect()
}

fn broken(files: &InMemory) -> Vec<String> {
    let table = files.table();
    let mut job = CheckJob::new(&table, CheckOptions { deep: true });
    while !job.step(&table, 16 << 20).unwrap().done {}
    let findings = job.into_report().findings;
    findings
        .iter()
        .filter(|finding| finding.check.severity != Severity::Note)
        .map(ToString::to_string)
        .collect()
}

/// The public traces name the pages and not the row. Row 654386 lies where they are at 1 KiB; at 64 KiB another row does.
#[test]
fn a_row_of_the_million_costs_the_pages_of_the_public_trace() {
    for (block_bytes, bytes, row, row_pages) in [
        (1 << 10, 2_001_223, 654_386, vec![488, 486, 285]),
        (64 << 10, 59_985, 671_360, vec![14, 2]),
    ] {
        // The public files end with 4 bytes that older writers added: 2,001,227 and 59,989.
        let (trie, legacy) =
            (make(wide(b"ms", MILLION, block_bytes)), make(wide(b"me", MILLION, block_bytes)));
        let rows = trie.part(Part::Rows).len() as u64;
        assert_eq!((rows, pages_of(rows)), (bytes, row_pages[0] + 1));
        assert!(trie.part(Part::Data) == legacy.part(Part::Data));
        let race = look_up(&trie, &legacy, row);
        let record = race.trie.unwrap().record;
        assert_eq!(pages(&record, Part::Partitions), [0]);
        assert_eq!(pages(&record, Part::Rows), row_pages);
        assert!(finds(&record));
        assert!(finds(&race.legacy.unwrap().lane.record));
    }
}

#[test]
fn ms_and_mt_differ_in_nothing_but_their_names() {
    let [ms, mt] = [b"ms", b"mt"].map(|letters| make(wide(letters, 5000, 1 << 10)));
    assert!(ms.bytes == mt.bytes);
}

#[test]
fn nothing_is_wrong_with_it_however_long_it_is() {
    for letters in [b"ms", b"mt", b"me"] {
        // One row; one block with and without an end on its border; two; many.
        for rows in [1, 4, 5, 8, 30_000] {
            let files = make(wide(letters, rows, 1 << 10));
            assert_eq!(broken(&files), Vec::<String>::new(), "{rows} rows");
        }
        let files = make(wide(letters, 30_000, 64 << 10));
        assert_eq!(broken(&files), Vec::<String>::new(), "64 KiB");
    }
    let (trie, legacy) = (make(wide(b"mt", 30_000, 1 << 10)), make(wide(b"me", 30_000, 1 << 10)));
    for (row, is_there) in [(0, true), (3, true), (4, true), (29_999, true), (30_000, false)] {
        let race = look_up(&trie, &legacy, row);
        for record in [race.trie.unwrap().record, race.legacy.unwrap().lane.record] {
            assert_eq!(finds(&record), is_there, "{row}");
        }
    }
}

#[test]
fn nothing_is_wrong_with_the_million() {
    assert_eq!(broken(&make(wide(b"ms", MILLION, 1 << 10))), Vec::<String>::new());
}

#[test]
fn its_size_is_known_before() {
    for (letters, block_bytes) in [(b"ms", 1 << 10), (b"ms", 64 << 10), (b"me", 1 << 10)] {
        let wide = wide(letters, MILLION, block_bytes);
        let estimate = wide.estimate();
        assert_eq!(estimate.data_bytes, 318_000_019);
        assert_eq!(estimate.blocks, if block_bytes == 1 << 10 { 250_000 } else { 4831 });
        let files = make(wide);
        let bytes: u64 = files.bytes.values().map(|bytes| bytes.len() as u64).sum();
        let off = bytes.abs_diff(estimate.file_bytes);
        assert!(off * 10 < bytes, "{bytes}, not {}", estimate.file_bytes);
    }
}

#[test]
fn what_cannot_be_made_is_refused() {
    let said = |wide| WideJob::new(wide, |_| Vec::new()).unwrap_err();
    assert_eq!(said(wide(b"da", 1, 1)).to_string(), "version: expected ms, mt or me, got da");
    let none = said(wide(b"ms", 0, 1));
    assert_eq!(none.to_string(), "rows: expected 1 to 2147483647, got 0");
    assert!(matches!(said(wide(b"ms", u32::MAX, 1)), WriteError::Number { field: "rows", .. }));
}

#[test]
fn its_histograms_have_the_bounds_of_real_ones() {
    let files = cassandra("p20k", "oa", 1).files;
    let table = files.table();
    let stats = table.statistics.as_ref().unwrap().stats.as_ref().unwrap();
    for real in [&stats.partition_sizes, &stats.cells] {
        let made = Histogram::of(real.buckets.len() - 1, [1, 2, u64::MAX]);
        let bounds = |it: &Histogram| it.buckets.iter().map(|it| it.0).collect::<Vec<_>>();
        assert_eq!(bounds(&made), bounds(real));
        assert_eq!(made.total(), 3);
        assert_eq!(made.buckets.last().unwrap().1, 1);
    }
}
