//! Keys to try: the first and the last one, one at random, and absent ones whose walk ends in a certain way.

use super::{Contest, LegacyReader, SplitMix64, Stop, vary};
use crate::bti::{Exact, PartitionIndex};
use crate::keys::{Partitioner, Token};
use crate::lookup::{FilterMode, Indexed, walk_legacy};
use crate::source::{Pages, Source};
use crate::table::Part;

/// Variations of a key that are tried before the search is given up.
const TRIES: u32 = 5_000;

/// Which key is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The first key of the table.
    First,
    /// The last one.
    Last,
    /// The partition at or after a token drawn from the seed.
    Random {
        /// The seed.
        seed: u64,
    },
    /// An absent key that comes as far as a leaf of the trie, whose hash byte differs.
    Absent {
        /// The seed.
        seed: u64,
    },
    /// An absent key at which the trie has no child.
    DeadEnd {
        /// The seed.
        seed: u64,
    },
}

/// A key as text for the key box; `None` when the table has none of the kind, or none was found in 5,000 tries.
pub fn pick<S: Source>(contest: &Contest<'_, S>, wanted: Wanted) -> Result<Option<String>, Stop> {
    let ends = contest.ends()?;
    let key = match wanted {
        Wanted::First => ends.map(|(first, _)| first),
        Wanted::Last => ends.map(|(_, last)| last),
        Wanted::Random { seed } => {
            let mut random = SplitMix64::new(seed);
            let token = random_token(&contest.partitioner(), &mut random);
            let found = match token {
                Some(token) => contest.first_at(&token)?,
                None => random_sample(contest, &mut random)?,
            };
            // Past the last token the ring begins again.
            found.or(ends.map(|(first, _)| first))
        }
        Wanted::Absent { seed } | Wanted::DeadEnd { seed } => {
            let Some((first, _)) = ends else { return Ok(None) };
            search(contest, &first, seed, matches!(wanted, Wanted::DeadEnd { .. }))?
        }
    };
    Ok(key.map(|key| contest.key_schema().to_text(&key)))
}

/// A token drawn evenly; `None` where tokens are the keys themselves.
pub(super) fn random_token(partitioner: &Partitioner, random: &mut SplitMix64) -> Option<Token> {
    match partitioner {
        Partitioner::Murmur3 => Some(Token::Murmur3(random.draw().cast_signed())),
        Partitioner::Random => {
            let wide = u128::from(random.draw()) << 64 | u128::from(random.draw());
            Some(Token::Random(wide >> 1))
        }
        _ => None,
    }
}

/// Where tokens are the keys themselves none can be drawn: the key of a sample of Index.db is. `None` without one.
fn random_sample<S: Source>(
    contest: &Contest<'_, S>,
    random: &mut SplitMix64,
) -> Result<Option<Vec<u8>>, Stop> {
    let Some((_, samples)) = contest.entered()? else { return Ok(None) };
    let mut key = Vec::new();
    samples.sample(random.below(samples.len()), &mut key)?;
    Ok(Some(key))
}

/// How the walk for an absent key ends.
#[derive(PartialEq)]
enum Walk {
    NoChild,
    Leaf,
    MaybePresent,
}

fn search<S: Source>(
    contest: &Contest<'_, S>,
    like: &[u8],
    seed: u64,
    dead_end: bool,
) -> Result<Option<Vec<u8>>, Stop> {
    let schema = contest.key_schema();
    let mut random = SplitMix64::new(seed);
    let mut second_best = None;
    for _ in 0..TRIES {
        let key = vary(schema, like, &mut random);
        match (end_of(contest, &key)?, dead_end) {
            (Walk::NoChild, true) | (Walk::Leaf, false) => return Ok(Some(key)),
            (Walk::MaybePresent, _) => {}
            (_, true) => {}
            (Walk::NoChild, false) => second_best = second_best.or(Some(key)),
        }
    }
    Ok(second_best)
}

fn end_of<S: Source>(contest: &Contest<'_, S>, key: &[u8]) -> Result<Walk, Stop> {
    let prepared = contest.prepare(key.to_vec());
    if let Some(table) = contest.trie
        && let (Some(footer), Some(source)) = (&table.footer, table.source(Part::Partitions))
    {
        let mut unheard = ();
        let mut pages = Pages::new(Part::Partitions, source, &mut unheard);
        let comparable = &prepared.comparable.bytes;
        let end =
            PartitionIndex::new(footer).exact(&mut pages, comparable, prepared.hash.byte())?;
        return Ok(match end {
            Exact::DeadEnd => Walk::NoChild,
            Exact::OtherHash(_) => Walk::Leaf,
            Exact::Candidate(_) => Walk::MaybePresent,
        });
    }
    if let (Some(table), Some((_, samples))) = (contest.legacy, contest.entered()?) {
        let query = prepared.query(None, FilterMode::Off);
        let found = walk_legacy(table, samples, LegacyReader::Scylla, &query, &mut ())?;
        return Ok(match found {
            Indexed::Absent(_) => Walk::Leaf,
            Indexed::At { .. } => Walk::MaybePresent,
        });
    }
    Ok(Walk::MaybePresent)
}
