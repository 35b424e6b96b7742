//! `triescope keys`: the partitions of one SSTable in order.

use crate::args::Keys;
use crate::failure::{Failure, Outcome, Verdict, complain};
use crate::files::{self, Opened};
use crate::json::{self, Key, Sstables};
use crate::out::{Look, Out};
use crate::progress::Progress;
use serde::Serialize;
use std::io::Write as _;
use triescope_core::keys::Partitioner;
use triescope_core::scan::{FoundKey, Next, Order, Partition, Place, RowIndexed, Scan};

/// A partition.
#[derive(Serialize)]
struct Line {
    key: Key,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// Position in Data.db.
    pos: Option<u64>,
    /// Position of the entry in Index.db.
    #[serde(skip_serializing_if = "Option::is_none")]
    index_pos: Option<u64>,
    /// Position of the leaf in Partitions.db.
    #[serde(skip_serializing_if = "Option::is_none")]
    leaf_pos: Option<u64>,
    /// Position of the entry in Rows.db.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows_pos: Option<u64>,
    /// Bytes of the promoted index.
    #[serde(skip_serializing_if = "Option::is_none")]
    promoted_index_size: Option<u64>,
    /// Why the key is a prefix.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// Runs the command.
pub fn run(args: &Keys, out: &mut Out) -> Outcome {
    let table = files::find(std::slice::from_ref(&args.one.path))?.only()?;
    files::index_of(&table)?;
    let from = args.from.as_deref().map(|text| Place::parse(&table, text)).transpose();
    let from = from.map_err(|error| Failure::new(error.to_string()))?;
    let order = if args.reverse { Order::Reverse } else { Order::Forward };
    let Some(scan) = Scan::new(&table, from, order) else {
        let problem = table.facts.problems.first();
        let why = problem.map(|it| triescope_core::table::words::problem(it, &table.facts).what);
        let why = why.unwrap_or_else(|| "its index cannot be read".to_owned());
        return Err(Failure::new(format!("{}: {why}", files::name(&table.set))));
    };
    if args.one.json { in_json(args, &table, scan, out) } else { in_text(args, &table, scan, out) }
}

fn in_json(
    args: &Keys,
    table: &Opened,
    scan: Scan<'_, crate::source::FileSource>,
    out: &mut Out,
) -> Outcome {
    let mut json = Sstables::open(out)?;
    json.begin(&files::name(&table.set))?;
    let partitioner = table.partitioner();
    let verdict = each(args, table, scan, &mut |partition| {
        let legacy = !matches!(partition.rows, RowIndexed::Entry(_)) && table.footer.is_none();
        json.element(&Line {
            token: token(&partitioner, partition),
            key: key(table, partition),
            pos: partition.data.map(|at| at.0),
            index_pos: legacy.then_some(partition.at.0),
            leaf_pos: (!legacy).then_some(partition.at.0),
            rows_pos: match partition.rows {
                RowIndexed::Entry(at) => Some(at.0),
                _ => None,
            },
            promoted_index_size: match partition.rows {
                RowIndexed::Promoted(bytes) => Some(bytes),
                _ => None,
            },
            problem: partition.problem.as_ref().map(ToString::to_string),
        })
    })?;
    json.end()?;
    json.close()?;
    Ok(verdict)
}

fn in_text(
    args: &Keys,
    table: &Opened,
    scan: Scan<'_, crate::source::FileSource>,
    out: &mut Out,
) -> Outcome {
    let partitioner = table.partitioner();
    let (mut first, mut unread) = (true, 0u64);
    let verdict = each(args, table, scan, &mut |partition| {
        if std::mem::take(&mut first) {
            out.line(Look::Dim, &format!("{:>20}  {:>12}  {}", "TOKEN", "POSITION", "KEY"))?;
        }
        let text = match &partition.key {
            FoundKey::Whole(key) => table.key_schema().to_text(key),
            FoundKey::Prefix(bytes) => {
                unread += 1;
                out.paint(Look::Odd, &format!("prefix {}…", json::hex(bytes)))
            }
        };
        let token = token(&partitioner, partition).unwrap_or_default();
        let pos = partition.data.map_or_else(|| "?".to_owned(), |at| at.0.to_string());
        let wide = match partition.rows {
            RowIndexed::No => String::new(),
            RowIndexed::Entry(at) => format!("  row index at {at} in Rows.db"),
            RowIndexed::Promoted(bytes) => format!("  row index of {bytes} bytes"),
        };
        writeln!(out, "{token:>20}  {pos:>12}  {text}{}", out.paint(Look::Dim, &wide))?;
        Ok(())
    })?;
    if unread > 0 {
        let why = match table.data_reader() {
            Ok(_) => "Data.db cannot be read there",
            Err(_) => "Data.db is not here or not decoded",
        };
        out.paragraph(0, Look::Odd, &format!(
            "A trie has prefixes of keys, in byte-comparable form; the keys themselves are in Data.db. {unread} are shown as \
             prefixes: {why}."
        ))?;
    }
    Ok(verdict)
}

/// Calls `show` for each partition. Damage to the index ends it, and is said.
fn each(
    args: &Keys,
    table: &Opened,
    mut scan: Scan<'_, crate::source::FileSource>,
    show: &mut dyn FnMut(&Partition) -> Result<(), Failure>,
) -> Outcome {
    let mut progress = Progress::new("finding the first partition");
    let mut verdict = Verdict::Clean;
    let mut left = args.limit.unwrap_or(u64::MAX);
    while left > 0 {
        match scan.step() {
            Ok(Next::Partition(partition)) => {
                progress.clear();
                if let Some(problem) = &partition.problem {
                    verdict = Verdict::Broken;
                    complain(&format!("{}: {problem}", files::name(&table.set)));
                }
                show(&partition)?;
                left -= 1;
            }
            Ok(Next::Working { done, of }) => progress.tick("Index.db", done, Some(of)),
            Ok(Next::End) => break,
            Err(error) => {
                complain(&format!("{}: {error}", files::name(&table.set)));
                return Ok(Verdict::Broken);
            }
        }
    }
    Ok(verdict)
}

fn key(table: &Opened, partition: &Partition) -> Key {
    match &partition.key {
        FoundKey::Whole(key) => Key::whole(table.key_schema(), key),
        FoundKey::Prefix(bytes) => Key::prefix(bytes),
    }
}

fn token(partitioner: &Partitioner, partition: &Partition) -> Option<String> {
    match &partition.key {
        FoundKey::Whole(key) => json::token(&partitioner.token(key)),
        FoundKey::Prefix(_) => None,
    }
}
