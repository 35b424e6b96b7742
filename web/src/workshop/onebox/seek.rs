//! What takes more than a moment to find: bytes, a rank, the partition that holds a position.

use crate::worker::protocol::Which;
use crate::worker::world::World;
use triescope_core::error::Error;
use triescope_core::keys::{Partitioner, Token};
use triescope_core::lookup::words::number;
use triescope_core::pos::FilePos;
use triescope_core::scan::{FoundKey, Next, Order, Partition, Place, Scan};
use triescope_core::source::{Source, read_range};
use triescope_core::table::{Part, Table};

/// Bytes that are searched in one step.
const WINDOW: u64 = 256 * 1024;
/// Places that are listed.
const PLACES: usize = 8;
/// Partitions that are passed in one step on the way to a rank.
const STRIDE: u64 = 200;

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A partition: what it was found by, and its key as text.
    Key {
        /// `partition 17 of the table`.
        words: String,
        /// The key.
        key: String,
    },
    /// Nothing, a sentence.
    Nothing(String),
    /// Positions of bytes.
    Places {
        /// The component.
        part: Part,
        /// The bytes.
        bytes: Vec<u8>,
        /// Where they are: the first few.
        places: Vec<u64>,
        /// Whether the component was searched to its end.
        all: bool,
        /// How far it was searched.
        to: u64,
    },
}

/// A search, and how far it is.
#[derive(Clone, Debug)]
pub enum Seek {
    /// Bytes of a component.
    Bytes {
        /// The component.
        part: Part,
        /// The bytes.
        bytes: Vec<u8>,
        /// Where to go on.
        at: u64,
        /// What was found.
        places: Vec<u64>,
    },
    /// The partition with a rank.
    Rank {
        /// The rank that is wanted, counted from 1.
        wanted: u64,
        /// Partitions passed.
        passed: u64,
        /// The last of them.
        last: Option<Vec<u8>>,
    },
    /// The partition that holds a position of Data.db.
    Data {
        /// The position.
        at: u64,
        /// Tokens between which it lies; `None` before the first step.
        range: Option<(i64, i64)>,
        /// The last partition at or before the position that is known.
        best: Option<Vec<u8>>,
    },
}

impl Seek {
    /// A search for bytes.
    pub const fn bytes(part: Part, bytes: Vec<u8>) -> Self {
        Self::Bytes { part, bytes, at: 0, places: Vec::new() }
    }

    /// A search for a rank, counted from 1.
    pub const fn rank(wanted: u64) -> Self {
        Self::Rank { wanted, passed: 0, last: None }
    }

    /// A search for a position of Data.db.
    pub const fn data(at: u64) -> Self {
        Self::Data { at, range: None, best: None }
    }

    /// A piece of the work; what was found once it is over.
    ///
    /// # Errors
    /// A sentence where the files do not allow it.
    pub fn step<S: Source>(
        &mut self,
        world: &World<S>,
        tables: Which,
    ) -> Result<Option<Found>, String> {
        match self {
            Self::Bytes { part, bytes, at, places } => {
                let table = [tables.0, tables.1].into_iter().flatten();
                let source = table.filter_map(|id| world.table(id)?.source(*part)).next();
                let source = source.ok_or_else(|| format!("{} is not here.", part.file_name()))?;
                bytes_step(*part, source, bytes, at, places)
            }
            Self::Rank { wanted, passed, last } => {
                let table = indexed(world, tables)?;
                rank_step(table, *wanted, passed, last)
            }
            Self::Data { at, range, best } => {
                let table = indexed(world, tables)?;
                data_step(table, *at, range, best)
            }
        }
    }
}

/// The SSTable whose index names whole keys most cheaply: the legacy one, else the trie's.
fn indexed<S: Source>(world: &World<S>, tables: Which) -> Result<&Table<S>, String> {
    let tables = [tables.1, tables.0].into_iter().flatten();
    let mut tables = tables.filter_map(|id| world.table(id));
    tables
        .find(|it| it.readable_index().is_some())
        .ok_or_else(|| "There is no index here.".to_owned())
}

fn bytes_step<S: Source>(
    part: Part,
    source: &S,
    bytes: &[u8],
    at: &mut u64,
    places: &mut Vec<u64>,
) -> Result<Option<Found>, String> {
    let (len, wanted) = (source.len(), bytes.len() as u64);
    let over = |places: &mut Vec<u64>, all, to| {
        let (bytes, places) = (bytes.to_vec(), std::mem::take(places));
        Ok(Some(Found::Places { part, bytes, places, all, to }))
    };
    if wanted > len.saturating_sub(*at) {
        return over(places, true, len);
    }
    let window = (WINDOW + wanted).min(len - *at);
    let read =
        read_range(part, source, FilePos(*at), window, "bytes").map_err(|it| it.to_string())?;
    for (n, found) in read.windows(bytes.len()).enumerate() {
        if found == bytes {
            places.push(*at + n as u64);
            if places.len() == PLACES {
                return over(places, false, *at);
            }
        }
    }
    *at += window - wanted + 1;
    Ok(None)
}

fn rank_step<S: Source>(
    table: &Table<S>,
    wanted: u64,
    passed: &mut u64,
    last: &mut Option<Vec<u8>>,
) -> Result<Option<Found>, String> {
    let from = last.clone().map(|key| Place::key(table, key));
    let mut scan = Scan::new(table, from, Order::Forward).ok_or("There is no index here.")?;
    if last.is_some() {
        // The one that it goes on from.
        next(&mut scan)?;
    }
    for _ in 0..STRIDE {
        let Some(partition) = next(&mut scan)? else {
            return Ok(Some(Found::Nothing(format!(
                "There are {} partitions.",
                number(*passed, ',')
            ))));
        };
        let key = whole(partition)?;
        *passed += 1;
        if *passed == wanted {
            let words = format!("partition {}", number(wanted, ','));
            return Ok(Some(Found::Key { words, key: table.key_schema().to_text(&key) }));
        }
        *last = Some(key);
    }
    Ok(None)
}

/// Positions in Data.db ascend with the tokens, so the tokens are bisected.
fn data_step<S: Source>(
    table: &Table<S>,
    at: u64,
    range: &mut Option<(i64, i64)>,
    best: &mut Option<Vec<u8>>,
) -> Result<Option<Found>, String> {
    if table.partitioner() != Partitioner::Murmur3 {
        return Err("Positions are searched by Murmur3 tokens, and this table has none.".to_owned());
    }
    if let Some(len) = table.facts.data_length.filter(|len| at >= *len) {
        return Ok(Some(Found::Nothing(format!("Data.db ends at {}.", number(len, ',')))));
    }
    let Some((low, high)) = *range else {
        *range = Some((i64::MIN, i64::MAX));
        return Ok(None);
    };
    if low >= high {
        return Ok(Some(match best.take() {
            Some(key) => Found::Key {
                words: format!("the partition that holds Data.db {}", number(at, ',')),
                key: table.key_schema().to_text(&key),
            },
            None => Found::Nothing("No partition lies there.".to_owned()),
        }));
    }
    let middle = low.wrapping_add_unsigned(high.abs_diff(low) / 2);
    let from = Some(Place::token(Token::Murmur3(middle)));
    let mut scan = Scan::new(table, from, Order::Forward).ok_or("There is no index here.")?;
    let found = next(&mut scan)?;
    *range = Some(match found {
        Some(partition) if partition.data.is_some_and(|data| data.0 <= at) => {
            let key = whole(partition)?;
            let Token::Murmur3(token) = table.partitioner().token(&key) else { return Ok(None) };
            *best = Some(key);
            (token.saturating_add(1), high)
        }
        _ => (low, middle),
    });
    Ok(None)
}

fn next<S: Source>(scan: &mut Scan<'_, S>) -> Result<Option<Partition>, String> {
    loop {
        match scan.step() {
            Ok(Next::Partition(partition)) => return Ok(Some(partition)),
            Ok(Next::Working { .. }) => {}
            Ok(Next::End) => return Ok(None),
            Err(Error::Damage(error)) => return Err(error.to_string()),
            Err(Error::Miss(_)) => return Err("Its bytes are not here.".to_owned()),
        }
    }
}

fn whole(partition: Partition) -> Result<Vec<u8>, String> {
    match partition.key {
        FoundKey::Whole(key) => Ok(key),
        FoundKey::Prefix(_) => {
            Err("The trie has prefixes of keys only, and Data.db, which has them whole, cannot be read.".to_owned())
        }
    }
}
