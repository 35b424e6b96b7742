//! `triescope blocks`: the row-index blocks of one partition.

use crate::args::OfKey;
use crate::failure::{Failure, Outcome, Verdict, complain};
use crate::files::{self, Opened};
use crate::json::{self, DeletionJson, Key};
use crate::out::{Look, Out, count, number};
use crate::source::FileSource;
use serde::Serialize;
use std::io::Write as _;
use triescope_core::big::{Bound, BoundKind};
use triescope_core::data::Deletion;
use triescope_core::scan::{
    BlockRows, BlockScan, FoundKey, Next, Order, Partition, Place, RowBlock, RowIndexed, Scan,
};
use triescope_core::table::{Part, words};

/// The partition, before its blocks.
#[derive(Serialize)]
struct Head {
    sstable: String,
    key: Key,
    token: Option<String>,
    pos: Option<u64>,
    deletion: Option<DeletionJson>,
    block_count: u64,
}

/// A block.
#[derive(Serialize)]
struct Line {
    block: u64,
    component: &'static str,
    pos: u64,
    offset: u64,
    width: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    separator: Option<Separator>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<Edge>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<Edge>,
    end_marker: bool,
    open: Option<DeletionJson>,
}

#[derive(Serialize)]
struct Separator {
    raw: String,
    value: String,
}

#[derive(Serialize)]
struct Edge {
    kind: &'static str,
    value: String,
}

/// Runs the command.
pub fn run(args: &OfKey, out: &mut Out) -> Outcome {
    let table = files::find(std::slice::from_ref(&args.one.path))?.only()?;
    files::index_of(&table)?;
    let partition = find(&table, &args.key)?;
    match BlockScan::new(&table, &partition)? {
        None if partition.rows != RowIndexed::No => {
            let part = if table.footer.is_some() { Part::Rows } else { Part::Statistics };
            Err(Failure::new(words::missing(part).what))
        }
        None if args.one.json => {
            put_head(&table, &partition, None, out)?;
            out.write_all(b"]}\n")?;
            Ok(Verdict::Clean)
        }
        None => {
            let text = format!(
                "{} has no row index: its rows are one block.",
                key_text(&table, &partition)
            );
            out.line(Look::Plain, &text)?;
            Ok(Verdict::Clean)
        }
        Some(blocks) if args.one.json => in_json(&table, &partition, blocks, out),
        Some(blocks) => in_text(&table, &partition, blocks, out),
    }
}

/// The partition that a key names; of a token, the first at or after it.
pub fn find(table: &Opened, text: &str) -> Result<Partition, Failure> {
    let place = Place::parse(table, text).map_err(|error| Failure::new(error.to_string()))?;
    let absent = || Failure::new(format!("{}: no partition {text}", files::name(&table.set)));
    let mut scan = Scan::new(table, Some(place.clone()), Order::Forward).ok_or_else(absent)?;
    loop {
        match scan.step()? {
            Next::Working { .. } => {}
            Next::Partition(partition) => {
                let fits = match &partition.key {
                    FoundKey::Whole(key) => place.names(key),
                    FoundKey::Prefix(_) => !partition.certain,
                };
                return if fits { Ok(partition) } else { Err(absent()) };
            }
            Next::End => return Err(absent()),
        }
    }
}

fn key_text(table: &Opened, partition: &Partition) -> String {
    match &partition.key {
        FoundKey::Whole(key) => table.key_schema().to_text(key),
        FoundKey::Prefix(bytes) => format!("The partition with the prefix {}…", json::hex(bytes)),
    }
}

fn put_head(
    table: &Opened,
    partition: &Partition,
    blocks: Option<&BlockScan<'_, FileSource>>,
    out: &mut Out,
) -> Result<(), Failure> {
    let (key, token) = match &partition.key {
        FoundKey::Whole(key) => {
            let token = json::token(&table.partitioner().token(key));
            (Key::whole(table.key_schema(), key), token)
        }
        FoundKey::Prefix(bytes) => (Key::prefix(bytes), None),
    };
    let head = serde_json::to_string(&Head {
        sstable: files::name(&table.set),
        key,
        token,
        pos: partition.data.map(|at| at.0),
        deletion: blocks.and_then(BlockScan::deletion).map(DeletionJson::from),
        block_count: blocks.map_or(0, BlockScan::count),
    })?;
    out.write_all(head.trim_end_matches('}').as_bytes())?;
    out.write_all(b",\"blocks\":[")?;
    Ok(())
}

fn in_json(
    table: &Opened,
    partition: &Partition,
    mut blocks: BlockScan<'_, FileSource>,
    out: &mut Out,
) -> Outcome {
    put_head(table, partition, Some(&blocks), out)?;
    let component = if table.footer.is_some() { Part::Rows } else { Part::Index }.file_name();
    let mut first = true;
    let verdict = each(table, &mut blocks, &mut |block| {
        out.write_all(if std::mem::take(&mut first) { b"\n" } else { b",\n" })?;
        let (separator, bounds) = match &block.rows {
            BlockRows::Separator(bytes) | BlockRows::End(bytes) => {
                (Some(Separator { raw: json::hex(bytes), value: describe(table, bytes) }), None)
            }
            BlockRows::Bounds(first, last) => (None, Some((edge(table, first), edge(table, last)))),
        };
        let (first, last) = bounds.unzip();
        let line = Line {
            block: block.number,
            component,
            pos: block.at.0,
            offset: block.start,
            width: block.width,
            separator,
            first,
            last,
            end_marker: matches!(block.rows, BlockRows::End(_)),
            open: block.open.map(DeletionJson::from),
        };
        serde_json::to_writer(&mut *out, &line)?;
        Ok(())
    })?;
    out.write_all(b"\n]}\n")?;
    Ok(verdict)
}

fn in_text(
    table: &Opened,
    partition: &Partition,
    mut blocks: BlockScan<'_, FileSource>,
    out: &mut Out,
) -> Outcome {
    let at =
        partition.data.map_or_else(String::new, |at| format!(" at {} of Data.db", number(at.0)));
    let text = format!("{}, {}{at}", key_text(table, partition), count(blocks.count(), "block"));
    out.line(Look::Head, &text)?;
    if let Some(deletion) = blocks.deletion() {
        out.line(Look::Odd, &format!("deleted as a whole, {}", deleted(deletion)))?;
    }
    let what = match table.footer {
        Some(_) => "BEGINS AT THIS SEPARATOR",
        None => "FIRST .. LAST ROW",
    };
    out.line(Look::Dim, &format!("{:>6}  {:>12}  {:>10}  {what}", "BLOCK", "FROM", "BYTES"))?;
    each(table, &mut blocks, &mut |block| {
        let rows = match &block.rows {
            BlockRows::Separator(bytes) if bytes.is_empty() => {
                "(empty: before all rows)".to_owned()
            }
            BlockRows::Separator(bytes) => describe(table, bytes),
            BlockRows::End(bytes) => format!("{} (end marker)", describe(table, bytes)),
            BlockRows::Bounds(first, last) => {
                let (first, last) = (edge(table, first), edge(table, last));
                format!("{} .. {}", first.text(), last.text())
            }
        };
        let width = block.width.map_or_else(String::new, number);
        let block_no = match block.rows {
            BlockRows::End(_) => "end".to_owned(),
            _ => block.number.to_string(),
        };
        writeln!(out, "{block_no:>6}  {:>12}  {width:>10}  {rows}", number(block.start))?;
        if let Some(open) = block.open {
            let side = if table.footer.is_some() { "at its start" } else { "behind it" };
            let text = format!("        a range deletion is open {side}, {}", deleted(open));
            out.line(Look::Odd, &text)?;
        }
        Ok(())
    })
}

fn each(
    table: &Opened,
    blocks: &mut BlockScan<'_, FileSource>,
    show: &mut dyn FnMut(&RowBlock) -> Result<(), Failure>,
) -> Outcome {
    loop {
        match blocks.step() {
            Ok(Some(block)) => show(&block)?,
            Ok(None) => return Ok(Verdict::Clean),
            Err(error) => {
                complain(&format!("{}: {error}", files::name(&table.set)));
                return Ok(Verdict::Broken);
            }
        }
    }
}

fn deleted(deletion: Deletion) -> String {
    format!("written {}", crate::time::micros(deletion.timestamp))
}

fn describe(table: &Opened, bytes: &[u8]) -> String {
    match table.clustering_schema() {
        Some(schema) => schema.describe(bytes),
        None => format!("0x{}", json::hex(bytes)),
    }
}

fn edge(table: &Opened, bound: &Bound) -> Edge {
    let values = bound.values.iter().map(|value| value.as_ref().map(|bytes| bytes.as_slice()));
    let value = match table.clustering_schema() {
        Some(schema) => schema.to_text(values),
        None => String::new(),
    };
    let kind = match bound.kind {
        BoundKind::Row => "row",
        BoundKind::ExclusiveEnd => "excl_end",
        BoundKind::InclusiveStart => "incl_start",
        BoundKind::ExclusiveEndInclusiveStart => "excl_end_incl_start",
        BoundKind::InclusiveEndExclusiveStart => "incl_end_excl_start",
        BoundKind::InclusiveEnd => "incl_end",
        BoundKind::ExclusiveStart => "excl_start",
    };
    Edge { kind, value }
}

impl Edge {
    fn text(&self) -> String {
        match self.kind {
            "row" => self.value.clone(),
            kind => format!("{} ({})", self.value, kind.replace('_', " ")),
        }
    }
}
