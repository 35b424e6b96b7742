//! Which partition is meant, where it lies in Data.db, and the row blocks that an index cuts it into.

use crate::state::address::Address;
use triescope_core::data::Deletion;
use triescope_core::error::Error;
use triescope_core::keys::Token;
use triescope_core::scan::{BlockRows, BlockScan, FoundKey, Next, Order, Partition, Place, Scan};
use triescope_core::source::Source;
use triescope_core::table::{Count, Table};

/// Blocks that are read of a partition.
const MOST_BLOCKS: usize = 20_000;
/// Partitions that are listed by name.
pub const FEW: u64 = 64;
/// Partitions that are passed where positions cannot be bisected.
const MOST_PASSED: u32 = 200_000;

/// A partition and its neighbours.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its key as text.
    pub key: String,
    /// Its token as text.
    pub token: String,
    /// Its first byte in the uncompressed Data.db, and the one behind its last.
    pub at: u64,
    pub end: u64,
    /// Keys of the partitions before it and behind it.
    pub before: Option<String>,
    pub behind: Option<String>,
    /// Its row blocks, those of them that were read.
    pub blocks: Vec<Block>,
    /// Row blocks in all.
    pub count: u64,
    /// Why there are fewer.
    pub problem: Option<String>,
    /// All partitions where they are few: key and position.
    pub all: Vec<(String, u64)>,
}

/// A row block.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its number.
    pub number: u64,
    /// Its first byte in the uncompressed Data.db.
    pub at: u64,
    /// What the index says of its rows.
    pub rows: Said,
    /// The deletion in force at its start.
    pub open: Option<Deletion>,
}

/// What an index says of the rows of a block.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// A separator, in bytes.
    Separator(String),
    /// Its first and last row or marker.
    Bounds(String, String),
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The partition of a key as typed.
    Key(String),
    /// The one that holds a position.
    At(u64),
    /// The first one.
    First,
}

/// The partition that is meant; a sentence where there is none.
pub fn find<S: Source>(table: &Table<S>, wanted: &Wanted, length: u64) -> Result<Found, String> {
    let partition = match wanted {
        Wanted::First => begin(table)?,
        Wanted::At(at) => holding(table, *at)?,
        Wanted::Key(text) => {
            let place = Place::parse(table, text).map_err(|error| error.to_string())?;
            let absent = || format!("The partition {text} is not in this table.");
            let found = first(table, Some(place.clone()))?.ok_or_else(absent)?;
            match &found.key {
                FoundKey::Whole(key) if !place.names(key) => return Err(absent()),
                _ => found,
            }
        }
    };
    let Some(data) = partition.data else {
        return Err("The index does not tell where this partition lies in Data.db.".to_owned());
    };
    let (before, _) = neighbour(table, &partition, Order::Reverse);
    let (behind, end) = neighbour(table, &partition, Order::Forward);
    let (blocks, count, problem) = blocks(table, &partition, data.0);
    let partitions = match table.facts.partitions {
        Some(Count::Exact(partitions) | Count::FromStatistics(partitions)) => partitions,
        None => u64::MAX,
    };
    let token = match &partition.key {
        FoundKey::Whole(key) => token_text(&table.partitioner().token(key)),
        FoundKey::Prefix(_) => String::new(),
    };
    Ok(Found {
        key: key_text(table, &partition),
        token,
        at: data.0,
        end: end.filter(|end| *end > data.0).unwrap_or(length).max(data.0),
        before,
        behind,
        blocks,
        count,
        problem,
        all: if partitions <= FEW { all(table) } else { Vec::new() },
    })
}

fn token_text(token: &Token) -> String {
    match token {
        Token::Murmur3(token) => token.to_string().replace('-', "−"),
        Token::Random(token) => token.to_string(),
        Token::Key => String::new(),
    }
}

fn key_text<S: Source>(table: &Table<S>, partition: &Partition) -> String {
    match &partition.key {
        FoundKey::Whole(key) => table.key_schema().to_text(key),
        FoundKey::Prefix(_) => String::new(),
    }
}

fn step<S: Source>(scan: &mut Scan<'_, S>) -> Result<Option<Partition>, Error> {
    loop {
        match scan.step()? {
            Next::Partition(found) => return Ok(Some(found)),
            Next::Working { .. } => {}
            Next::End => return Ok(None),
        }
    }
}

fn first<S: Source>(table: &Table<S>, place: Option<Place>) -> Result<Option<Partition>, String> {
    let scan = Scan::new(table, place, Order::Forward);
    let mut scan = scan.ok_or("Without an index it is not known where partitions begin.")?;
    step(&mut scan).map_err(|error| format!("The index cannot be read there: {error}."))
}

/// The first partition of all.
fn begin<S: Source>(table: &Table<S>) -> Result<Partition, String> {
    first(table, None)?.ok_or_else(|| "This table has no partitions.".to_owned())
}

/// The partition before or behind, as text, and where it begins.
fn neighbour<S: Source>(
    table: &Table<S>,
    of: &Partition,
    order: Order,
) -> (Option<String>, Option<u64>) {
    let FoundKey::Whole(key) = &of.key else { return (None, None) };
    let place = Place::key(table, key.clone());
    let Some(mut scan) = Scan::new(table, Some(place), order) else { return (None, None) };
    while let Ok(Some(found)) = step(&mut scan) {
        if found.key != of.key {
            return (Some(key_text(table, &found)), found.data.map(|data| data.0));
        }
    }
    (None, None)
}

/// The partition that holds a position: partitions lie in the order of their tokens, so these are bisected.
fn holding<S: Source>(table: &Table<S>, at: u64) -> Result<Partition, String> {
    let mut found = begin(table)?;
    let is_before = |it: &Partition| it.data.is_some_and(|data| data.0 <= at);
    if let FoundKey::Whole(key) = &found.key
        && matches!(table.partitioner().token(key), Token::Murmur3(_))
    {
        let (mut low, mut high) = (i128::from(i64::MIN), i128::from(i64::MAX) + 1);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            let token = Token::Murmur3(i64::try_from(middle).unwrap_or(i64::MAX));
            match first(table, Some(Place::token(token))) {
                Ok(Some(it)) if is_before(&it) => (low, found) = (middle, it),
                _ => high = middle,
            }
        }
    }
    // Several keys can have one token; other partitioners are passed one by one.
    let FoundKey::Whole(key) = &found.key else { return Ok(found) };
    let place = Place::key(table, key.clone());
    let Some(mut scan) = Scan::new(table, Some(place), Order::Forward) else { return Ok(found) };
    for _ in 0..MOST_PASSED {
        match step(&mut scan) {
            Ok(Some(it)) if is_before(&it) => found = it,
            _ => break,
        }
    }
    Ok(found)
}

fn all<S: Source>(table: &Table<S>) -> Vec<(String, u64)> {
    let mut all = Vec::new();
    let Some(mut scan) = Scan::new(table, None, Order::Forward) else { return all };
    while let Ok(Some(found)) = step(&mut scan) {
        if let Some(data) = found.data {
            all.push((key_text(table, &found), data.0));
        }
        if all.len() as u64 > FEW {
            break;
        }
    }
    all
}

/// The row blocks of a partition, how many there are, and why not all of them were read.
fn blocks<S: Source>(
    table: &Table<S>,
    partition: &Partition,
    data: u64,
) -> (Vec<Block>, u64, Option<String>) {
    let mut blocks = Vec::new();
    let said = |error: Error| format!("Its row index cannot be read: {error}.");
    let mut scan = match BlockScan::new(table, partition) {
        Ok(Some(scan)) => scan,
        Ok(None) => return (blocks, 0, None),
        Err(error) => return (blocks, 0, Some(said(error))),
    };
    let count = scan.count();
    let bound = |bound: &triescope_core::big::Bound| {
        let values = bound.values.iter().map(|value| value.as_deref().map(|bytes| &**bytes));
        table.clustering_schema().map_or_else(String::new, |schema| schema.to_text(values))
    };
    let mut open = None;
    while blocks.len() < MOST_BLOCKS {
        let block = match scan.step() {
            Ok(Some(block)) => block,
            Ok(None) => return (blocks, count, None),
            Err(error) => return (blocks, count, Some(said(error))),
        };
        let at = data.saturating_add(block.start);
        let (rows, at_start) = match &block.rows {
            BlockRows::End(_) => return (blocks, count, None),
            BlockRows::Separator(bytes) => (Said::Separator(hex(bytes)), block.open),
            // The legacy index names the deletion that is open behind a block.
            BlockRows::Bounds(first, last) => {
                (Said::Bounds(bound(first), bound(last)), std::mem::replace(&mut open, block.open))
            }
        };
        blocks.push(Block { number: block.number, at, rows, open: at_start });
    }
    (blocks, count, None)
}

/// Bytes as hex digits, the end left out where there are many.
pub fn hex(bytes: &[u8]) -> String {
    let shown: Vec<String> = bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    shown.join(" ") + if bytes.len() > 16 { " …" } else { "" }
}

/// The key in an address.
pub fn key_of(place: &str) -> Option<String> {
    Address::parse(place).ask.key.filter(|key| !key.trim().is_empty())
}
