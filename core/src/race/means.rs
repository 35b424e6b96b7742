//! Means over keys: the same walks as in a race, one after the other, counted.
//!
//! A resumable job. All keys of a table are looked up where it has at most 100,000 partitions, else the partitions at
//! 10,000 seeded random tokens. Only the indexes are read: keys come from Index.db where there is one, else the trie's
//! own prefixes serve, since they lead along the same nodes as the keys they stand for.

use super::contest::Prepared;
use super::pick::random_token;
use super::{Contest, LegacyReader, MeanCosts, Means, SplitMix64, Stop, SummaryUsed};
use crate::big::{IndexWalk, Samples};
use crate::bti::{Leaves, PartitionIndex};
use crate::error::Error;
use crate::keys::{Bound, Token, token_bound};
use crate::lookup::{Counts, FilterMode, LeafTarget, Recorder, walk_legacy, walk_trie};
use crate::pos::FilePos;
use crate::source::{Pages, Source};
use crate::table::{Count, Part, Table};
use std::ops::ControlFlow;

/// Partitions up to which all keys are looked up.
const ALL_UP_TO: u64 = 100_000;
/// Random tokens otherwise.
const RANDOM_TOKENS: u64 = 10_000;
/// Seed of the random tokens.
const SEED: u64 = 0x5eed;

/// The job. It holds no bytes, only where it is.
#[derive(Clone, Debug)]
pub struct MeansJob {
    reader: LegacyReader,
    means: Means,
    keys: Keys,
    over: bool,
}

/// Where the next key comes from.
#[derive(Clone, Debug)]
enum Keys {
    /// The entries of Index.db in order.
    Index(IndexWalk),
    /// The leaves of the trie in order, after the one at this position that these bytes lead to.
    Leaves(Option<(FilePos, Vec<u8>)>),
    /// Random tokens.
    Tokens(SplitMix64),
}

/// A key to look up.
enum Key {
    Whole(Vec<u8>),
    /// A prefix, and the hash byte of its leaf.
    Prefix(Vec<u8>, u8),
}

impl MeansJob {
    /// A job for a pair of tables, with the legacy index as `reader` reads it and, where that needs no other samples, as
    /// the other one does.
    pub fn new<S: Source>(contest: &Contest<'_, S>, reader: LegacyReader) -> Self {
        let partitions = contest.tables().find_map(|table| table.facts.partitions);
        let (known, partitions) = match partitions {
            Some(Count::Exact(n)) => (true, n),
            Some(Count::FromStatistics(n)) => (false, n),
            None => (false, ALL_UP_TO),
        };
        let murmur_or_random =
            random_token(&contest.partitioner(), &mut SplitMix64::new(0)).is_some();
        let all_keys = partitions <= ALL_UP_TO || !murmur_or_random;
        let keys = match (all_keys, index_of(contest)) {
            (false, _) => Keys::Tokens(SplitMix64::new(SEED)),
            (true, Some(_)) => Keys::Index(IndexWalk::new(contest.index_format())),
            (true, None) => Keys::Leaves(None),
        };
        let of = if all_keys { partitions } else { RANDOM_TOKENS };
        let means = Means {
            of: if known || !all_keys { of } else { of.max(1) },
            all_keys,
            trie: contest.trie.map(|_| MeanCosts::default()),
            legacy: contest.legacy.map(|_| MeanCosts::default()),
            ..Means::default()
        };
        Self { reader, means, keys, over: contest.tables().next().is_none() }
    }

    /// The means so far.
    pub fn means(&self) -> &Means {
        &self.means
    }

    /// Whether all keys were looked up.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Looks up to `most` keys up. After a miss it goes on with the key that it missed at.
    pub fn step<S: Source>(&mut self, contest: &Contest<'_, S>, most: u64) -> Result<(), Stop> {
        let samples = contest.samples(self.reader)?;
        let other = match self.reader {
            LegacyReader::Scylla => LegacyReader::Cassandra,
            LegacyReader::Cassandra => LegacyReader::Scylla,
        };
        let other_samples = contest.samples(other).unwrap_or(None);
        self.means.summary = samples.as_ref().map(|samples| SummaryUsed {
            source: samples.source(),
            samples: samples.len(),
            resident: samples.bytes(),
        });
        if other_samples.is_some() && self.means.done == 0 && self.means.legacy.is_some() {
            self.means.other = Some(MeanCosts::default());
        }
        for _ in 0..most {
            let before = self.keys.clone();
            let counted = self.next_key(contest).and_then(|key| match key {
                None => Ok(None),
                Some(key) => Ok(Some((
                    contest.trie.map(|table| count_trie(contest, table, &key)).transpose()?,
                    count_legacy(contest, samples.as_ref(), self.reader, &key)?,
                    match self.means.other {
                        Some(_) => count_legacy(contest, other_samples.as_ref(), other, &key)?,
                        None => None,
                    },
                ))),
            });
            match counted {
                Err(stop) => {
                    self.keys = before;
                    return Err(stop);
                }
                Ok(None) => {
                    self.over = true;
                    // An estimate of the number of partitions gives way to the number found.
                    self.means.of = self.means.done;
                    return Ok(());
                }
                Ok(Some((trie, legacy, other))) => {
                    self.means.done += 1;
                    let first = self.means.done == 1;
                    add(&mut self.means.trie, trie, first);
                    add(&mut self.means.legacy, legacy, first);
                    add(&mut self.means.other, other, first);
                }
            }
            if !self.means.all_keys && self.means.done >= self.means.of {
                self.over = true;
                return Ok(());
            }
        }
        Ok(())
    }

    fn next_key<S: Source>(&mut self, contest: &Contest<'_, S>) -> Result<Option<Key>, Stop> {
        match &mut self.keys {
            Keys::Index(walk) => {
                let Some(index) = index_of(contest) else { return Ok(None) };
                let mut found = None;
                walk.run(index, 1, |head, bytes| {
                    found = Some(Key::Whole(head.key(bytes).to_vec()));
                    ControlFlow::Break(())
                })?;
                Ok(found)
            }
            Keys::Leaves(last) => {
                let found = leaf_after(contest, last.as_ref())?;
                Ok(found.map(|(at, prefix, hash)| {
                    *last = Some((at, prefix.clone()));
                    Key::Prefix(prefix, hash)
                }))
            }
            Keys::Tokens(random) => {
                let token = random_token(&contest.partitioner(), random);
                match token {
                    Some(token) => key_at_token(contest, &token),
                    None => Ok(None),
                }
            }
        }
    }
}

fn index_of<'a, S: Source>(contest: &Contest<'a, S>) -> Option<&'a S> {
    contest.legacy.and_then(|table| table.source(Part::Index))
}

/// The leaf after the one at `last`; its position, the bytes that lead to it, its hash byte.
fn leaf_after<S: Source>(
    contest: &Contest<'_, S>,
    last: Option<&(FilePos, Vec<u8>)>,
) -> Result<Option<(FilePos, Vec<u8>, u8)>, Stop> {
    let from = last.map_or(&[][..], |(_, prefix)| prefix);
    let mut unheard = ();
    let Some(mut leaves) = leaves_from(contest, from, &mut unheard)? else { return Ok(None) };
    while let Some(found) = leaves.next()? {
        if last.is_none_or(|(at, _)| *at != found.leaf.at) {
            let hash = found.leaf.hash.unwrap_or(0);
            return Ok(Some((found.leaf.at, leaves.prefix(), hash)));
        }
    }
    Ok(None)
}

fn leaves_from<'a, S: Source>(
    contest: &Contest<'a, S>,
    key: &[u8],
    unheard: &'a mut (),
) -> Result<Option<Leaves<'a, S, ()>>, Stop> {
    let Some(table) = contest.trie else { return Ok(None) };
    let (Some(footer), Some(source)) = (&table.footer, table.source(Part::Partitions)) else {
        return Ok(None);
    };
    let pages = Pages::new(Part::Partitions, source, unheard);
    Ok(Some(PartitionIndex::new(footer).leaves_from(pages, key)?))
}

/// The partition at or after a token; past the last one the ring begins again.
fn key_at_token<S: Source>(contest: &Contest<'_, S>, token: &Token) -> Result<Option<Key>, Stop> {
    if index_of(contest).is_some() {
        let found = contest.first_at(token)?;
        let found = match found {
            Some(key) => Some(key),
            None => contest.first_at(&Token::Murmur3(i64::MIN))?,
        };
        return Ok(found.map(Key::Whole));
    }
    let bound = token_bound(token, Bound::Before).unwrap_or_default();
    for from in [bound.as_slice(), &[]] {
        let mut unheard = ();
        let Some(mut leaves) = leaves_from(contest, from, &mut unheard)? else { return Ok(None) };
        if let Some(found) = leaves.next()? {
            return Ok(Some(Key::Prefix(leaves.prefix(), found.leaf.hash.unwrap_or(0))));
        }
    }
    Ok(None)
}

fn count_trie<S: Source>(
    contest: &Contest<'_, S>,
    table: &Table<S>,
    key: &Key,
) -> Result<Counts, Stop> {
    let mut recorder = Recorder::new();
    let walked = match key {
        Key::Whole(key) => {
            let key = contest.prepare(key.clone());
            walk_trie(table, &key.query(None, FilterMode::Off), &mut recorder).map(|_| ())
        }
        Key::Prefix(prefix, hash) => walk_prefix(table, prefix, *hash, &mut recorder),
    };
    counted(recorder, walked)
}

/// Follows a prefix to its leaf, and on to the entry of a wide partition.
fn walk_prefix<S: Source>(
    table: &Table<S>,
    prefix: &[u8],
    hash: u8,
    recorder: &mut Recorder,
) -> Result<(), Error> {
    let (Some(footer), Some(source)) = (&table.footer, table.source(Part::Partitions)) else {
        return Ok(());
    };
    let mut pages = Pages::new(Part::Partitions, source, recorder);
    let found = PartitionIndex::new(footer).exact(&mut pages, prefix, hash)?;
    if let crate::bti::Exact::Candidate(leaf) = found
        && let LeafTarget::Rows(at) = leaf.target()
        && let Some(rows) = table.source(Part::Rows)
    {
        crate::bti::RowEntry::find(&mut Pages::new(Part::Rows, rows, recorder), at, &[])?;
    }
    Ok(())
}

fn count_legacy<S: Source>(
    contest: &Contest<'_, S>,
    samples: Option<&Samples<'_, S>>,
    reader: LegacyReader,
    key: &Key,
) -> Result<Option<Counts>, Stop> {
    let (Some(table), Some(samples), Key::Whole(key)) = (contest.legacy, samples, key) else {
        return Ok(None);
    };
    let key: Prepared = contest.prepare(key.clone());
    let mut recorder = Recorder::new();
    let query = key.query(None, FilterMode::Off);
    let walked = walk_legacy(table, *samples, reader, &query, &mut recorder).map(|_| ());
    counted(recorder, walked).map(Some)
}

/// Damage on the way of one key leaves what was counted up to it.
fn counted(recorder: Recorder, walked: Result<(), Error>) -> Result<Counts, Stop> {
    match walked {
        Err(Error::Miss(miss)) => Err(Stop::Miss(miss)),
        _ => Ok(recorder.record().total()),
    }
}

fn add(sum: &mut Option<MeanCosts>, counts: Option<Counts>, first: bool) {
    let (Some(sum), Some(counts)) = (sum, counts) else { return };
    sum.fetches += counts.fetches;
    sum.parsed += counts.nodes + counts.entries;
    let least = if first { u64::MAX } else { sum.least_bytes_compared };
    sum.least_bytes_compared = least.min(counts.bytes_compared);
    sum.most_bytes_compared = sum.most_bytes_compared.max(counts.bytes_compared);
}
