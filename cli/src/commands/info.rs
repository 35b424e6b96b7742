//! `triescope info`: what an SSTable is.

use super::scylla;
use crate::args::Paths;
use crate::failure::{Outcome, Verdict};
use crate::files::{self, Opened};
use crate::json::{self, Key, Sstables};
use crate::out::{Cell, Column, Look, Out, count, number, row};
use serde::Serialize;
use std::io::Write as _;
use triescope_core::keys::KeyStyle;
use triescope_core::table::words::{self, Weight};
use triescope_core::table::{Count, IndexKind, Problem, remarks};

/// An SSTable.
#[derive(Serialize)]
struct Info {
    version: String,
    generation: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_uuid: Option<String>,
    table: Option<String>,
    written_by: &'static str,
    index: Option<&'static str>,
    dialect: &'static str,
    partitioner: Option<String>,
    pk_type_name: Option<String>,
    partition_key: Vec<String>,
    clustering_key: Option<Vec<Clustering>>,
    partitions: Option<Partitions>,
    first_key: Option<TokenKey>,
    last_key: Option<TokenKey>,
    has_row_index: bool,
    compression: Option<Compression>,
    data_len: Option<u64>,
    bytes: u64,
    stats: Option<Stats>,
    summary: Option<Summary>,
    components: Vec<Component>,
    scylla: Vec<scylla::Record>,
    remarks: Vec<String>,
    problems: Vec<ProblemJson>,
}

#[derive(Serialize)]
struct Clustering {
    #[serde(rename = "type")]
    cql: String,
    descending: bool,
}

#[derive(Serialize)]
struct Partitions {
    count: u64,
    exact: bool,
}

#[derive(Serialize)]
struct TokenKey {
    token: Option<String>,
    #[serde(flatten)]
    key: Key,
}

#[derive(Serialize)]
struct Compression {
    name: String,
    chunk_len: u32,
    chunks: u64,
}

#[derive(Serialize)]
struct Stats {
    min_timestamp: i64,
    max_timestamp: i64,
    min_local_deletion_time: Option<i64>,
    max_local_deletion_time: Option<i64>,
    min_ttl: Option<i32>,
    max_ttl: Option<i32>,
    sstable_level: u32,
    repaired_at: i64,
    rows_count: Option<i64>,
    columns_count: Option<i64>,
    filter_chance: Option<f64>,
}

#[derive(Serialize)]
struct Summary {
    min_index_interval: u32,
    size: u64,
    memory_size: u64,
    sampling_level: u32,
}

#[derive(Serialize)]
struct Component {
    name: String,
    size: Option<u64>,
    listed: Option<bool>,
    needed: bool,
    role: String,
}

#[derive(Serialize)]
struct ProblemJson {
    weight: &'static str,
    what: String,
    then: String,
}

/// Runs the command.
pub fn run(args: &Paths, out: &mut Out) -> Outcome {
    let found = files::find(&args.paths)?;
    let mut verdict = Verdict::Clean;
    if args.json {
        let mut json = Sstables::open(out)?;
        for set in &found.sets {
            let table = found.open(set)?;
            verdict = verdict.max(judge(&table));
            json.put(&files::name(set), &info(&table))?;
        }
        json.close()?;
        return Ok(verdict);
    }
    for (at, set) in found.sets.iter().enumerate() {
        let table = found.open(set)?;
        verdict = verdict.max(judge(&table));
        if at > 0 {
            out.write_all(b"\n")?;
        }
        show(&table, out)?;
    }
    Ok(verdict)
}

/// A version that is not read ends with 2, damage with 1. What is missing is told, and no fault of the bytes.
fn judge(table: &Opened) -> Verdict {
    let problems = || table.facts.problems.iter();
    if problems().any(|it| matches!(it, Problem::Version(_))) {
        Verdict::NotRun
    } else if problems().any(|it| matches!(it, Problem::Damaged(_))) {
        Verdict::Broken
    } else {
        Verdict::Clean
    }
}

fn show(table: &Opened, out: &mut Out) -> std::io::Result<()> {
    let facts = &table.facts;
    out.line(Look::Head, &files::name(&table.set))?;
    out.paragraph(2, Look::Plain, &words::description(facts).plain())?;
    out.write_all(b"\n")?;
    out.table(2, &[Column::Left, Column::Left], &facts_of(table))?;
    out.write_all(b"\n")?;
    let mut rows = vec![vec![
        Cell::new(Look::Dim, "COMPONENT"),
        Cell::new(Look::Dim, "BYTES"),
        Cell::new(Look::Dim, "WHAT"),
    ]];
    for component in &facts.components {
        let look = if component.bytes.is_some() { Look::Plain } else { Look::Odd };
        let bytes = component.bytes.map_or_else(|| "missing".to_owned(), number);
        rows.push(vec![
            Cell::new(look, &component.name),
            Cell::new(look, bytes),
            Cell::new(look, words::role(component, facts)),
        ]);
    }
    rows.push(row(["all", &number(facts.bytes), ""]));
    out.table(2, &[Column::Left, Column::Right, Column::Left], &rows)?;
    let records = scylla::records(table);
    if !records.is_empty() {
        out.write_all(b"\n")?;
        out.line(Look::Dim, "  SCYLLA.DB")?;
        let rows = records.into_iter().map(|it| row([it.name, &it.text]));
        out.table(2, &[Column::Left, Column::Left], &rows.collect::<Vec<_>>())?;
    }
    let remarks = remarks::of_table(facts, table.compression.as_ref());
    if !remarks.is_empty() {
        out.write_all(b"\n")?;
    }
    for remark in remarks {
        out.paragraph(2, Look::Plain, &remark)?;
    }
    let costs = words::costs(facts);
    if !costs.is_empty() {
        out.write_all(b"\n")?;
    }
    for cost in costs {
        let look = match cost.weight {
            Weight::Bad => Look::Bad,
            Weight::Warning => Look::Odd,
            Weight::Note => Look::Plain,
        };
        out.paragraph(2, look, &cost.what)?;
        out.paragraph(4, Look::Plain, &cost.then)?;
    }
    Ok(())
}

/// What does not fit into the sentence above it.
fn facts_of(table: &Opened) -> Vec<Vec<Cell>> {
    let facts = &table.facts;
    let mut rows = Vec::new();
    let mut put = |name: &str, text: String| {
        rows.push(vec![Cell::new(Look::Dim, name), Cell::from(text)]);
    };
    if let Some(table) = &facts.table {
        put("table", table.clone());
    }
    put("version", format!("{}, {}", facts.version, words::written_by(facts)));
    if let (Some(uuid), Some(made)) =
        (table.set.generation.uuid(), table.set.generation.unix_millis())
    {
        put("generation", format!("{uuid}, made {}", crate::time::millis(made)));
    }
    put("index", format!("{}, {}", words::index_name(facts.index), words::told_from(facts)));
    put("keys in it", dialect(table).1.to_owned());
    if let Some((first, last)) = &facts.ends {
        for (name, key) in [("first key", first), ("last key", last)] {
            let token = json::token(&table.partitioner().token(key));
            let token = token.map_or_else(String::new, |token| format!(", token {token}"));
            put(name, format!("{}{token}", table.key_schema().to_text(key)));
        }
    }
    if let (Some(data), Some(info)) = (facts.data_length, &table.compression) {
        let chunks = count(info.chunks, "chunk");
        let text = format!(
            "{} bytes of rows, {} in {chunks} of {} bytes",
            number(data),
            info.compressor.name(),
            number(u64::from(info.chunk_length))
        );
        put("data", text);
    }
    if let Some(stats) = table.statistics.as_ref().and_then(|it| it.stats.as_ref()) {
        let (min, max) = (stats.min_timestamp, stats.max_timestamp);
        put("written", format!("{} to {}", crate::time::micros(min), crate::time::micros(max)));
        if let Some(rows) = stats.total_rows.and_then(|rows| u64::try_from(rows).ok()) {
            put("rows", number(rows));
        }
        if let Some(time) = stats.min_local_deletion_time {
            put("deletions", format!("from {}", crate::time::seconds(time)));
        }
        put("level", stats.level.to_string());
    }
    rows
}

/// How the database that reads this version writes byte-comparable keys.
fn dialect(table: &Opened) -> (&'static str, &'static str) {
    if table.facts.index == Some(IndexKind::Legacy) {
        return ("none", "whole, as the writer serialized them");
    }
    match table.dialect().key_style {
        KeyStyle::Blob => ("blob", "byte-comparable: token, then the whole key as one blob"),
        KeyStyle::Columns => ("columns", "byte-comparable: token, then column by column"),
        KeyStyle::OldBlob => {
            ("old_blob", "byte-comparable: token, then the whole key, DSE's older form")
        }
    }
}

fn info(table: &Opened) -> Info {
    let facts = &table.facts;
    let end = |key: &[u8]| TokenKey {
        token: json::token(&table.partitioner().token(key)),
        key: Key::whole(table.key_schema(), key),
    };
    let statistics = table.statistics.as_ref();
    let chance = statistics.and_then(|it| it.validation.as_ref()).map(|it| it.filter_chance);
    Info {
        version: facts.version.to_string(),
        generation: table.set.generation.to_string(),
        generation_uuid: table.set.generation.uuid(),
        table: facts.table.clone(),
        written_by: words::written_by(facts),
        index: facts.index.map(|index| match index {
            IndexKind::Trie => "trie",
            IndexKind::Legacy => "legacy",
        }),
        dialect: dialect(table).0,
        partitioner: facts.partitioner.as_ref().map(|it| words::partitioner_name(it).to_owned()),
        pk_type_name: facts.classes.key.clone(),
        partition_key: facts.key_types.clone(),
        clustering_key: facts.clustering.as_ref().map(|columns| {
            let each = columns.iter();
            each.map(|it| Clustering { cql: it.cql.clone(), descending: it.descending }).collect()
        }),
        partitions: facts.partitions.map(|count| match count {
            Count::Exact(count) => Partitions { count, exact: true },
            Count::FromStatistics(count) => Partitions { count, exact: false },
        }),
        first_key: facts.ends.as_ref().map(|(first, _)| end(first)),
        last_key: facts.ends.as_ref().map(|(_, last)| end(last)),
        has_row_index: facts.has_row_index,
        compression: table.compression.as_ref().map(|info| Compression {
            name: info.compressor.name().to_owned(),
            chunk_len: info.chunk_length,
            chunks: info.chunks,
        }),
        data_len: facts.data_length,
        bytes: facts.bytes,
        stats: statistics.and_then(|it| it.stats.as_ref()).map(|stats| Stats {
            min_timestamp: stats.min_timestamp,
            max_timestamp: stats.max_timestamp,
            min_local_deletion_time: stats.min_local_deletion_time,
            max_local_deletion_time: stats.max_local_deletion_time,
            min_ttl: stats.min_ttl,
            max_ttl: stats.max_ttl,
            sstable_level: stats.level,
            repaired_at: stats.repaired_at,
            rows_count: stats.total_rows,
            columns_count: stats.total_columns_set,
            filter_chance: chance,
        }),
        summary: facts.summary.map(|summary| Summary {
            min_index_interval: summary.min_index_interval,
            size: summary.samples,
            memory_size: summary.memory_bytes,
            sampling_level: summary.sampling_level,
        }),
        components: facts
            .components
            .iter()
            .map(|component| Component {
                name: component.name.clone(),
                size: component.bytes,
                listed: component.listed,
                needed: component.needed,
                role: words::role(component, facts),
            })
            .collect(),
        scylla: scylla::records(table),
        remarks: remarks::of_table(facts, table.compression.as_ref()),
        problems: words::costs(facts)
            .into_iter()
            .map(|cost| ProblemJson {
                weight: match cost.weight {
                    Weight::Bad => "bad",
                    Weight::Warning => "warning",
                    Weight::Note => "note",
                },
                what: cost.what,
                then: cost.then,
            })
            .collect(),
    }
}
