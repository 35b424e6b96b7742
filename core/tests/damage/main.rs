//! Damage of every byte and at every length of the index files: whatever is wrong with them, everything that reads them ends,
//! soon, and without a panic. And files that arrive in pieces: everything said of them is as if they had been here.
//!
//! What each reader says of one damage stands beside it (`tests/bti`, `tests/big`, `tests/table`); here is all damage at once.

#[path = "../common/mod.rs"]
mod common;

mod bytes;
mod claims;
mod clean;
mod cuts;
mod pieces;

use common::{InMemory, cassandra};
use std::ops::ControlFlow;
use triescope_core::big::{IndexWalk, Samples};
use triescope_core::bti::{PartitionIndex, RowEntry, RowIndex};
use triescope_core::check::{CheckJob, CheckOptions, Report};
use triescope_core::data::{UnfilteredKind, Walked};
use triescope_core::error::Error;
use triescope_core::keys::{murmur3, partition_key};
use triescope_core::lookup::{
    self, Answer, FilterMode, LeafTarget, Query, Record, Recorder, RowKind, RowTarget,
};
use triescope_core::pos::DataPos;
use triescope_core::race::LegacyReader;
use triescope_core::source::{Pages, Source};
use triescope_core::table::{Part, Table};

/// The components whose damage is tried.
const INDEX: [Part; 4] = [Part::Partitions, Part::Rows, Part::Index, Part::Summary];
/// Most steps of a lookup beyond one for each byte of the index.
const MORE_STEPS: usize = 100;
/// Bytes of work in one step of a check, and most steps that these files need.
const BUDGET: u64 = 16 << 10;
const MOST_CALLS: usize = 400;

/// An SSTable, and what is looked up in it.
struct Subject {
    name: String,
    files: InMemory,
    /// The first and the last key, and one that is not there.
    keys: Vec<Vec<u8>>,
    /// Places among the rows: some that are there, and both ends.
    rows: Vec<RowTarget>,
}

impl Subject {
    fn new(table: &str, version: &str) -> Self {
        let set = cassandra(table, version, 1);
        Self::of(set.name, set.files)
    }

    /// Keys and rows are read from the healthy table.
    fn of(name: String, files: InMemory) -> Self {
        let table = files.table();
        let (first, last) = table.facts.ends.clone().unwrap_or_else(|| panic!("ends of {name}"));
        let absent = first.iter().map(|byte| byte ^ 0x55).collect();
        let keys = vec![first.into_vec(), last.into_vec(), absent];
        let rows = places(&table);
        Self { name, keys, rows, files }
    }

    /// With all keys of a small table.
    fn with_all_keys(mut self) -> Self {
        let table = self.files.table();
        let (format, mut reader) = (table.row_format().unwrap(), table.data_reader().unwrap());
        let mut at = DataPos(0);
        while at.0 < reader.len() {
            let (key, _, first) = reader.partition_head(&format, at).unwrap();
            self.keys.push(key);
            at = match reader.walk_rows(&format, first, u64::MAX).unwrap() {
                Walked::End(next) => next,
                Walked::At(_) => unreachable!("the walk has no end"),
            };
        }
        self
    }
}

/// Some places among the rows of the first partition.
fn places<S: Source>(table: &Table<S>) -> Vec<RowTarget> {
    let Some(schema) = table.clustering_schema().filter(|it| !it.columns().is_empty()) else {
        return Vec::new();
    };
    let place = |kind, values| schema.target(table.dialect(), kind, values);
    let mut places = vec![place(RowKind::Before, Vec::new()), place(RowKind::After, Vec::new())];
    let (Some(format), Ok(mut reader)) = (table.row_format(), table.data_reader()) else {
        return places;
    };
    let Ok((_, _, mut at)) = reader.partition_head(&format, DataPos(0)) else { return places };
    let mut values = Vec::new();
    for _ in 0..2000 {
        // Older versions have cells there, and no rows.
        let Ok(row) = reader.unfiltered(&format, at) else { return places };
        at = row.next;
        match row.kind {
            UnfilteredKind::Row(row) => values.push(row),
            UnfilteredKind::End => break,
            UnfilteredKind::Static | UnfilteredKind::Marker => {}
        }
    }
    let some = [0, values.len() / 2, values.len().saturating_sub(1)];
    let some = some.into_iter().filter_map(|row| values.get(row).cloned());
    places.extend(some.map(|values| place(RowKind::Row, values)));
    places
}

/// Reads a table with everything there is, and gives the answers of the lookups. Only the ends of it matter to most tests.
fn read_everything(subject: &Subject, files: &InMemory) -> Vec<Answer> {
    let table = files.table();
    check(&table, false);
    walk(&table);
    let bytes: usize = INDEX.iter().filter_map(|part| Some(files.bytes.get(part)?.len())).sum();
    let mut answers = Vec::new();
    for key in &subject.keys {
        for row in std::iter::once(None).chain(subject.rows.iter().map(Some)) {
            for (answer, record) in find(&table, key, row) {
                let steps = record.steps.len();
                assert!(steps <= bytes + MORE_STEPS, "{steps} steps in {bytes} bytes");
                answers.extend(answer.ok());
            }
        }
    }
    answers
}

/// All checks, in steps.
fn check<S: Source>(table: &Table<S>, deep: bool) -> Report {
    let mut job = CheckJob::new(table, CheckOptions { deep });
    for _ in 0..MOST_CALLS {
        if job.step(table, BUDGET).unwrap().done {
            return job.into_report();
        }
    }
    panic!("the check does not end: {:?}", job.step(table, BUDGET));
}

/// Looks a key up in the index that is there, as each of its readers does.
fn find<S: Source>(
    table: &Table<S>,
    key: &[u8],
    row: Option<&RowTarget>,
) -> Vec<(Result<Answer, Error>, Record)> {
    let partitioner = table.partitioner();
    let token = partitioner.token(key);
    let style = table.dialect().key_style;
    let comparable = partition_key(&partitioner, style, table.key_schema(), key).bytes;
    let query = Query {
        key,
        token: &token,
        hash: murmur3(key),
        comparable: &comparable,
        row,
        filter: FilterMode::Off,
        clustering: None,
    };
    let mut found = Vec::new();
    if table.footer.is_some() {
        let mut recorder = Recorder::new();
        let answer = lookup::trie(table, &query, &mut recorder);
        found.push((answer, recorder.into_record()));
    }
    if let (Some(summary), Some(source)) = (&table.summary, table.source(Part::Summary)) {
        for reader in [LegacyReader::Cassandra, LegacyReader::Scylla] {
            let samples = Samples::File { summary, source };
            let mut recorder = Recorder::new();
            let answer = lookup::legacy(table, samples, reader, &query, &mut recorder);
            found.push((answer, recorder.into_record()));
        }
    }
    found
}

/// Walks over the whole index: every partition, and every block of the wide ones.
fn walk<S: Source>(table: &Table<S>) {
    if let (Some(footer), Some(source)) = (&table.footer, table.source(Part::Partitions)) {
        let mut nobody = ();
        let pages = Pages::new(Part::Partitions, source, &mut nobody);
        let mut leaves = PartitionIndex::new(footer).leaves(pages);
        while let Ok(Some(found)) = leaves.next() {
            if let LeafTarget::Rows(at) = found.leaf.target()
                && let Some(rows) = table.source(Part::Rows)
            {
                walk_rows(rows, at);
            }
        }
    }
    if let Some(source) = table.source(Part::Index) {
        let mut entries = 0;
        let _ = IndexWalk::new(table.version().formats().index).run(source, u64::MAX, |_, _| {
            entries += 1;
            ControlFlow::Continue(())
        });
        assert!(entries <= source.len(), "{entries} entries");
    }
}

fn walk_rows<S: Source>(rows: &S, at: triescope_core::pos::FilePos) {
    let mut nobody = ();
    let Ok(entry) = RowEntry::read(&mut Pages::new(Part::Rows, rows, &mut nobody), at) else {
        return;
    };
    let mut nobody = ();
    let mut blocks = RowIndex::new(&entry).blocks(Pages::new(Part::Rows, rows, &mut nobody));
    while let Ok(Some(_)) = blocks.next() {}
}
