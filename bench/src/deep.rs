//! `check/deep`: Data.db in step with its index, row by row, on one thread. Checksums are compared by another stage, which
//! is not timed here.

use crate::report::{Report, Speed};
use crate::{ROUNDS, corpus, median};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::time::Instant;
use triescope_core::check::{CheckJob, CheckOptions};
use triescope_core::data::{Item, Items};
use triescope_core::pos::DataPos;
use triescope_core::table::{Part, Table, group};

const QUESTION: &str = "check/deep";
/// The stage that is timed.
const STAGE: &str = "Data.db, row by row";
/// Bytes that the job looks at in one call.
const BUDGET: u64 = 64 << 10;
/// Times a table is checked in a round.
const TIMES: usize = 20;

/// Measures it on real tables that are not compressed: long rows, with the trie and with the legacy index, and short ones.
pub fn measure(report: &mut Report) -> Result<()> {
    for (name, folder) in [
        ("range_tombstones/da, 109-byte rows", "range_tombstones/da"),
        ("range_tombstones/oa, 109-byte rows", "range_tombstones/oa"),
        ("wide_text/da, 20-byte rows", "wide_text/da"),
    ] {
        let files = read(&corpus::p20k_folder().join("../..").join(folder))?;
        let data = files.iter().find(|(part, _)| *part == Part::Data).context("Data.db")?;
        let (mut ours, mut copies, mut buffer) = (Vec::new(), Vec::new(), vec![0; data.1.len()]);
        let mut rows = 0;
        for _ in 0..ROUNDS * TIMES {
            let table = open(&files)?;
            ours.push(check(&table)?);
            let start = now();
            std::hint::black_box(&mut buffer).copy_from_slice(std::hint::black_box(&data.1));
            copies.push(since(start));
            if rows == 0 {
                rows = count(&table)?;
            }
        }
        let (seconds, copy) = (median(ours) * data.1.len() as f64, median(copies));
        report.speeds.push(Speed {
            question: QUESTION,
            corpus: name,
            mb_per_s: data.1.len() as f64 / seconds / 1e6,
            mb_goal: 200.0,
            items: "rows",
            nodes_per_s: rows as f64 / seconds,
            nodes_goal: 0.0,
            memcpy_share: copy / seconds,
        });
    }
    Ok(())
}

type Files = Vec<(Part, Vec<u8>)>;

fn read(folder: &Path) -> Result<Files> {
    let mut files = Files::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let component = name.splitn(4, '-').nth(3).unwrap_or_default();
        if let Some(part) = Part::from_file_name(component) {
            files.push((part, std::fs::read(&path)?));
        }
    }
    Ok(files)
}

fn open(files: &Files) -> Result<Table<&[u8]>> {
    let is_trie = files.iter().any(|(part, _)| *part == Part::Partitions);
    let prefix = if is_trie { "da-1-bti" } else { "oa-1-big" };
    let names = files
        .iter()
        .map(|(part, bytes)| (format!("{prefix}-{}", part.file_name()), bytes.len() as u64));
    let set = group(names).sets.remove(0);
    let sources = files.iter().map(|(part, bytes)| (*part, bytes.as_slice()));
    Table::open(set, sources).ok().context("open")
}

/// Seconds a byte of the calls that began in the stage.
fn check(table: &Table<&[u8]>) -> Result<f64> {
    let mut job = CheckJob::new(table, CheckOptions { deep: true });
    let (mut seconds, mut bytes, mut before, mut stage) = (0.0, 0, 0, "");
    loop {
        let start = now();
        let progress = job.step(table, BUDGET).ok().context("check")?;
        if stage == STAGE {
            seconds += since(start);
            bytes += progress.bytes - before;
        }
        before = progress.bytes;
        stage = progress.stage;
        if progress.done {
            break;
        }
    }
    let broken = job.into_report().findings.into_iter().find(|it| it.check.id.starts_with("data/"));
    ensure!(broken.is_none(), "{broken:?}");
    ensure!(bytes > 0, "the stage was not met");
    Ok(seconds / bytes as f64)
}

/// Rows and markers.
fn count(table: &Table<&[u8]>) -> Result<u64> {
    let mut reader = table.data_reader().ok().context("Data.db")?;
    let mut items = Items::new(table.data_format().context("types")?, DataPos(0));
    let mut rows = 0;
    while let Some(item) = items.next(&mut reader)? {
        rows += u64::from(matches!(item, Item::Row(_) | Item::Marker(_)));
    }
    Ok(rows)
}

#[expect(clippy::disallowed_methods, reason = "the clock is what a benchmark is for")]
fn now() -> Instant {
    Instant::now()
}

fn since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64()
}
