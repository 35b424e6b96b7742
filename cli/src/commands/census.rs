//! `triescope census`: where the bytes of an SSTable go.

use crate::args::One;
use crate::failure::{Failure, Outcome, Verdict, complain};
use crate::files;
use crate::json::Sstables;
use crate::out::{Cell, Column, Look, Out, count, number, row};
use crate::progress::Progress;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write as _};
use triescope_core::census::{
    Census, CensusJob, IndexCensus, PartitionSizes, PartitionsCensus, RowsCensus, SummaryCensus,
    TrieCensus,
};

/// Bytes looked at between two looks at the clock.
const BUDGET: u64 = 4 << 20;

#[derive(Serialize)]
struct CensusJson {
    partitions: u64,
    components: Vec<ComponentJson>,
    partition_sizes: SizesJson,
    trie: Option<PartitionsJson>,
    rows: Option<RowsJson>,
    index: Option<IndexJson>,
    summary: Option<SummaryJson>,
    problems: Vec<String>,
}

#[derive(Serialize)]
struct ComponentJson {
    name: String,
    size: u64,
    per_partition: Option<f64>,
}

#[derive(Serialize)]
struct SizesJson {
    known: u64,
    unknown: u64,
    bytes: u64,
    min: u64,
    max: u64,
    largest_pos: Option<u64>,
    /// Partitions by the least power of two above their size.
    below: BTreeMap<u64, u64>,
}

#[derive(Serialize)]
struct PartitionsJson {
    bytes: u64,
    nodes: TrieJson,
    key_bytes: u64,
    footer_bytes: u64,
    unclaimed_bytes: u64,
}

#[derive(Serialize)]
struct RowsJson {
    bytes: u64,
    nodes: TrieJson,
    entries: u64,
    entry_bytes: u64,
    entry_key_bytes: u64,
    blocks: u64,
    filler_bytes: u64,
    unclaimed_bytes: u64,
}

#[derive(Serialize)]
struct TrieJson {
    nodes: u64,
    bytes: u64,
    header_bytes: u64,
    transition_bytes: u64,
    pointer_bytes: u64,
    payload_bytes: u64,
    kinds: Vec<KindJson>,
    payloads: u64,
    pointers: u64,
    crossing_pointers: u64,
    empty_slots: u64,
    max_depth: u64,
    depths: Vec<u64>,
    pages_of_lookups: Vec<u64>,
    padding_bytes: u64,
    padded_pages: u64,
    fill: [u64; 10],
}

#[derive(Serialize)]
struct KindJson {
    kind: String,
    nodes: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct IndexJson {
    bytes: u64,
    key_bytes: u64,
    position_bytes: u64,
    promoted_size_bytes: u64,
    promoted_bytes: u64,
    entries: u64,
    promoted_entries: u64,
    greatest_promoted_bytes: u64,
}

#[derive(Serialize)]
struct SummaryJson {
    bytes: u64,
    header_bytes: u64,
    offset_bytes: u64,
    key_bytes: u64,
    position_bytes: u64,
    end_bytes: u64,
    samples: u64,
}

/// Runs the command.
pub fn run(args: &One, out: &mut Out) -> Outcome {
    let table = files::find(std::slice::from_ref(&args.path))?.only()?;
    files::index_of(&table)?;
    let name = files::name(&table.set);
    let mut job = CensusJob::new(&table);
    let mut progress = Progress::new(name.clone());
    loop {
        let step = job.step(&table, BUDGET).map_err(|miss| {
            Failure::new(format!("{name}: a file did not answer at once: {miss:?}"))
        })?;
        if step.done {
            break;
        }
        progress.tick(step.stage, step.bytes, None);
    }
    progress.clear();
    let census = job.into_census();
    let broken = !census.problems.is_empty();
    if args.json {
        let mut json = Sstables::open(out)?;
        json.put(&name, &CensusJson::from(&census))?;
        json.close()?;
    } else {
        out.line(Look::Head, &format!("{name}, {}", count(census.partitions, "partition")))?;
        show(&census, out)?;
        out.flush()?;
        for problem in &census.problems {
            complain(&format!("{name}: {problem}"));
        }
    }
    Ok(if broken { Verdict::Broken } else { Verdict::Clean })
}

fn show(census: &Census, out: &mut Out) -> io::Result<()> {
    let mut rows = vec![head(["COMPONENT", "BYTES", "A PARTITION"])];
    for component in &census.components {
        let each = component.per_partition.map_or_else(String::new, |it| format!("{it:.1}"));
        rows.push(row([&component.name, &number(component.bytes), &each]));
    }
    out.table(2, &[Column::Left, Column::Right, Column::Right], &rows)?;
    sizes(&census.sizes, out)?;
    if let Some(trie) = &census.trie {
        partitions(trie, out)?;
    }
    if let Some(rows) = &census.rows {
        row_tries(rows, out)?;
    }
    if let Some(index) = &census.index {
        legacy(index, out)?;
    }
    if let Some(summary) = &census.summary {
        samples(summary, out)?;
    }
    Ok(())
}

fn head<const N: usize>(names: [&str; N]) -> Vec<Cell> {
    names.map(|name| Cell::new(Look::Dim, name)).into()
}

fn sizes(sizes: &PartitionSizes, out: &mut Out) -> io::Result<()> {
    if sizes.known == 0 {
        return Ok(());
    }
    let mean = sizes.bytes / sizes.known;
    let text = format!(
        "Partitions in Data.db: {} to {} bytes, {} in the mean",
        number(sizes.min),
        number(sizes.max),
        number(mean)
    );
    section(out, &text)?;
    let mut rows = vec![head(["BELOW", "PARTITIONS", "SHARE", ""])];
    for (bits, n) in sizes.bits.iter().enumerate().filter(|(_, n)| **n > 0) {
        let below = u32::try_from(bits).ok().and_then(|bits| 1u64.checked_shl(bits));
        let below = below.map_or_else(|| "any".to_owned(), number);
        rows.push(share_row(&below, *n, sizes.known));
    }
    out.table(2, &SHARES, &rows)
}

const SHARES: [Column; 4] = [Column::Right, Column::Right, Column::Right, Column::Left];
const PARTS: [Column; 4] = [Column::Left, Column::Right, Column::Right, Column::Left];

fn section(out: &mut Out, title: &str) -> io::Result<()> {
    out.write_all(b"\n")?;
    out.paragraph(0, Look::Head, title)
}

/// A number with its share of a whole, and a bar.
fn share_row(name: &str, n: u64, of: u64) -> Vec<Cell> {
    let tenths = u128::from(n) * 1000 / u128::from(of.max(1));
    let bar = usize::try_from(tenths / 40).unwrap_or(0);
    row([name, &number(n), &format!("{}.{} %", tenths / 10, tenths % 10), &"#".repeat(bar)])
}

/// What a file consists of; parts without a byte are left out.
fn parts(out: &mut Out, bytes: u64, parts: &[(&str, u64)]) -> io::Result<()> {
    let mut rows = vec![head(["PART", "BYTES", "SHARE", ""])];
    let parts = parts.iter().filter(|(_, n)| *n > 0);
    rows.extend(parts.map(|(name, n)| share_row(name, *n, bytes)));
    out.table(2, &PARTS, &rows)
}

fn partitions(trie: &PartitionsCensus, out: &mut Out) -> io::Result<()> {
    section(out, &format!("Partitions.db, {} bytes", number(trie.bytes)))?;
    let nodes = &trie.nodes;
    let all = [
        ("payloads", nodes.payload_bytes),
        ("pointers", nodes.pointer_bytes),
        ("transitions", nodes.transition_bytes),
        ("node headers", nodes.header_bytes),
        ("padding", nodes.padding_bytes),
        ("first and last key", trie.key_bytes),
        ("footer", trie.footer_bytes),
        ("nothing", trie.unclaimed_bytes),
    ];
    parts(out, trie.bytes, &all)?;
    shape(nodes, out)
}

fn row_tries(rows: &RowsCensus, out: &mut Out) -> io::Result<()> {
    let title = format!(
        "Rows.db, {} bytes: {} with {}",
        number(rows.bytes),
        count(rows.entries.entries, "partition"),
        count(rows.entries.blocks, "block")
    );
    section(out, &title)?;
    let nodes = &rows.nodes;
    let all = [
        ("payloads", nodes.payload_bytes),
        ("pointers", nodes.pointer_bytes),
        ("transitions", nodes.transition_bytes),
        ("node headers", nodes.header_bytes),
        ("keys of entries", rows.entries.key_bytes),
        ("rest of entries", rows.entries.bytes.saturating_sub(rows.entries.key_bytes)),
        ("padding", nodes.padding_bytes),
        ("filler", rows.filler_bytes),
        ("nothing", rows.unclaimed_bytes),
    ];
    parts(out, rows.bytes, &all)?;
    shape(nodes, out)
}

/// Node types, depth, pages of a lookup, fill.
fn shape(nodes: &TrieCensus, out: &mut Out) -> io::Result<()> {
    out.write_all(b"\n")?;
    let mut rows = vec![head(["NODE TYPE", "NODES", "SHARE", ""])];
    rows.extend(
        nodes.kinds.iter().map(|it| share_row(&it.kind.to_string(), it.nodes, nodes.nodes)),
    );
    out.table(2, &PARTS, &rows)?;
    out.write_all(b"\n")?;
    let mut facts = vec![
        row(["nodes", &number(nodes.nodes)]),
        row([
            "crossing a page",
            &format!("{} of {}", number(nodes.crossing_pointers), count(nodes.pointers, "pointer")),
        ]),
        row(["empty slots", &format!("{} of dense nodes", number(nodes.empty_slots))]),
        row([
            "bytes to a payload",
            &format!("{}, at most {}", mean(&nodes.depths), nodes.max_depth),
        ]),
    ];
    let lookups: Vec<String> = nodes
        .pages_of_lookups
        .iter()
        .enumerate()
        .filter(|(_, n)| **n > 0)
        .map(|(pages, n)| format!("{pages} for {}", number(*n)))
        .collect();
    facts.push(row(["pages to a payload", &lookups.join(", ")]));
    let full: u64 = nodes.fill.iter().sum();
    if full > 0 {
        let low: u64 = nodes.fill.iter().take(5).sum();
        let high = nodes.fill.last().copied().unwrap_or(0);
        let text = format!(
            "{} of {} hold 90 % and more, {} less than half",
            number(high),
            count(full, "whole page"),
            number(low)
        );
        facts.push(row(["fill", &text]));
    }
    out.table(2, &[Column::Left, Column::Left], &facts)
}

/// The mean of a histogram of small numbers, with one decimal.
fn mean(counts: &[u64]) -> String {
    let n: u128 = counts.iter().map(|n| u128::from(*n)).sum();
    let sum: u128 = (0u128..).zip(counts).map(|(value, n)| value * u128::from(*n)).sum();
    let tenths = sum * 10 / n.max(1);
    format!("{}.{} in the mean", tenths / 10, tenths % 10)
}

fn legacy(index: &IndexCensus, out: &mut Out) -> io::Result<()> {
    let wide = match index.promoted_entries {
        0 => "none with a promoted index".to_owned(),
        n => format!(
            "{} with a promoted index, the greatest of {} bytes",
            number(n),
            number(index.greatest_promoted_bytes)
        ),
    };
    let entries =
        if index.entries == 1 { "1 entry".to_owned() } else { count(index.entries, "entry") };
    section(out, &format!("Index.db, {} bytes: {entries}, {wide}", number(index.bytes)))?;
    let all = [
        ("keys", index.key_bytes),
        ("positions", index.position_bytes),
        ("sizes of promoted indexes", index.promoted_size_bytes),
        ("promoted indexes", index.promoted_bytes),
    ];
    parts(out, index.bytes, &all)
}

fn samples(summary: &SummaryCensus, out: &mut Out) -> io::Result<()> {
    let samples = count(summary.samples, "sample");
    section(out, &format!("Summary.db, {} bytes: {samples}", number(summary.bytes)))?;
    let all = [
        ("keys", summary.key_bytes),
        ("positions", summary.position_bytes),
        ("offsets", summary.offset_bytes),
        ("header", summary.header_bytes),
        ("first and last key", summary.end_bytes),
    ];
    parts(out, summary.bytes, &all)
}

impl From<&Census> for CensusJson {
    fn from(it: &Census) -> Self {
        Self {
            partitions: it.partitions,
            components: it
                .components
                .iter()
                .map(|it| ComponentJson {
                    name: it.name.clone(),
                    size: it.bytes,
                    per_partition: it.per_partition,
                })
                .collect(),
            partition_sizes: SizesJson {
                known: it.sizes.known,
                unknown: it.sizes.unknown,
                bytes: it.sizes.bytes,
                min: it.sizes.min,
                max: it.sizes.max,
                largest_pos: it.sizes.largest.map(|at| at.0),
                below: (0u32..)
                    .zip(&it.sizes.bits)
                    .filter(|(_, n)| **n > 0)
                    .map(|(bits, n)| (1u64.checked_shl(bits).unwrap_or(u64::MAX), *n))
                    .collect(),
            },
            trie: it.trie.as_ref().map(|it| PartitionsJson {
                bytes: it.bytes,
                nodes: trie(&it.nodes),
                key_bytes: it.key_bytes,
                footer_bytes: it.footer_bytes,
                unclaimed_bytes: it.unclaimed_bytes,
            }),
            rows: it.rows.as_ref().map(|it| RowsJson {
                bytes: it.bytes,
                nodes: trie(&it.nodes),
                entries: it.entries.entries,
                entry_bytes: it.entries.bytes,
                entry_key_bytes: it.entries.key_bytes,
                blocks: it.entries.blocks,
                filler_bytes: it.filler_bytes,
                unclaimed_bytes: it.unclaimed_bytes,
            }),
            index: it.index.map(|it| IndexJson {
                bytes: it.bytes,
                key_bytes: it.key_bytes,
                position_bytes: it.position_bytes,
                promoted_size_bytes: it.promoted_size_bytes,
                promoted_bytes: it.promoted_bytes,
                entries: it.entries,
                promoted_entries: it.promoted_entries,
                greatest_promoted_bytes: it.greatest_promoted_bytes,
            }),
            summary: it.summary.map(|it| SummaryJson {
                bytes: it.bytes,
                header_bytes: it.header_bytes,
                offset_bytes: it.offset_bytes,
                key_bytes: it.key_bytes,
                position_bytes: it.position_bytes,
                end_bytes: it.end_bytes,
                samples: it.samples,
            }),
            problems: it.problems.iter().map(ToString::to_string).collect(),
        }
    }
}

fn trie(it: &TrieCensus) -> TrieJson {
    let kinds = it.kinds.iter();
    TrieJson {
        nodes: it.nodes,
        bytes: it.bytes,
        header_bytes: it.header_bytes,
        transition_bytes: it.transition_bytes,
        pointer_bytes: it.pointer_bytes,
        payload_bytes: it.payload_bytes,
        kinds: kinds
            .map(|it| KindJson { kind: it.kind.to_string(), nodes: it.nodes, bytes: it.bytes })
            .collect(),
        payloads: it.payloads,
        pointers: it.pointers,
        crossing_pointers: it.crossing_pointers,
        empty_slots: it.empty_slots,
        max_depth: it.max_depth,
        depths: it.depths.clone(),
        pages_of_lookups: it.pages_of_lookups.clone(),
        padding_bytes: it.padding_bytes,
        padded_pages: it.padded_pages,
        fill: it.fill,
    }
}
