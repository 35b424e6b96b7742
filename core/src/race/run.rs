//! A race: one key looked up in both indexes, each lookup recorded.

use super::contest::own_samples;
use super::{
    CacheModel, Contest, KeyFacts, Lane, LegacyLane, LegacyReader, Prepared, Race, RaceRequest,
    RowFacts, Stop,
};
use crate::big::Samples;
use crate::error::Error;
use crate::lookup::{self, PageCache, Query, Record, Recorder, RowTarget};
use crate::source::Source;
use crate::table::Table;
use serde_bytes::ByteBuf;

/// Keys looked up before, at most, in a warm race.
pub const WARM_KEYS: usize = 16;
/// Positions of samples handed out for the picture, at most.
const SAMPLE_POSITIONS: u64 = 4096;

/// Runs both lanes. Where bytes are missing ([`Stop::Miss`]) the host fetches them and calls again.
pub fn run<S: Source>(contest: &Contest<'_, S>, request: &RaceRequest) -> Result<Race, Stop> {
    let samples = contest.samples(request.reader)?;
    let key = contest.prepare(contest.resolve(&request.key)?);
    let row = match &request.row {
        Some(text) if !text.trim().is_empty() => Some(contest.resolve_row(text)?),
        _ => None,
    };
    let (mut trie_cache, mut legacy_cache) = (None, None);
    if let CacheModel::Warm { bytes, keys } = &request.cache {
        let (mut trie, mut legacy) = (PageCache::new(*bytes), PageCache::new(*bytes));
        for text in keys.iter().skip(keys.len().saturating_sub(WARM_KEYS)) {
            let before = contest.prepare(contest.resolve(text)?);
            let query = before.query(None, request.filter);
            if let Some(table) = contest.trie {
                trie_record(table, &query)?.apply_cache(&mut trie);
            }
            if let (Some(table), Some(samples)) = (contest.legacy, &samples) {
                legacy_record(table, samples, request.reader, &query)?.apply_cache(&mut legacy);
            }
        }
        (trie_cache, legacy_cache) = (Some(trie), Some(legacy));
    }
    let mut query = key.query(row.as_ref(), request.filter);
    query.clustering = contest.tables().find_map(Table::clustering_schema);
    let trie = match contest.trie {
        Some(table) => {
            let mut record = trie_record(table, &query)?;
            if let Some(cache) = &mut trie_cache {
                record.apply_cache(cache);
            }
            Some(Lane { record })
        }
        None => None,
    };
    let legacy = match (contest.legacy, &samples) {
        (Some(table), Some(samples)) => {
            let mut record = legacy_record(table, samples, request.reader, &query)?;
            if let Some(cache) = &mut legacy_cache {
                record.apply_cache(cache);
            }
            Some(legacy_lane(table, samples, request.reader, record)?)
        }
        _ => None,
    };
    Ok(Race { key: key_facts(contest, &key), row: row_facts(contest, row.as_ref()), trie, legacy })
}

/// What a key is, for the picture: text, token, byte-comparable form.
pub fn key_facts<S: Source>(contest: &Contest<'_, S>, key: &Prepared) -> KeyFacts {
    KeyFacts {
        text: contest.key_schema().to_text(&key.key),
        bytes: ByteBuf::from(key.key.clone()),
        token: key.token.clone(),
        comparable: ByteBuf::from(key.comparable.bytes.clone()),
        parts: key.comparable.parts.clone(),
    }
}

/// What a place among the rows is, for the picture.
pub fn row_facts<S: Source>(contest: &Contest<'_, S>, row: Option<&RowTarget>) -> Option<RowFacts> {
    let row = row?;
    let schema = contest.tables().find_map(Table::clustering_schema)?;
    let values = || row.values.iter().map(Option::as_deref);
    let comparable = schema.comparable(contest.dialect(), row.kind, values());
    Some(RowFacts {
        text: schema.to_text(values()),
        comparable: ByteBuf::from(comparable.bytes),
        parts: comparable.parts,
    })
}

fn trie_record<S: Source>(table: &Table<S>, query: &Query<'_>) -> Result<Record, Stop> {
    let mut recorder = Recorder::new();
    let answer = lookup::trie(table, query, &mut recorder);
    finish(recorder, answer.map(|_| ()))
}

fn legacy_record<S: Source>(
    table: &Table<S>,
    samples: &Samples<'_, S>,
    reader: LegacyReader,
    query: &Query<'_>,
) -> Result<Record, Stop> {
    let mut recorder = Recorder::new();
    let answer = lookup::legacy(table, *samples, reader, query, &mut recorder);
    finish(recorder, answer.map(|_| ()))
}

/// Damage is part of a record; what is left over here is a miss, or damage that no step could name.
fn finish(recorder: Recorder, end: Result<(), Error>) -> Result<Record, Stop> {
    end?;
    Ok(recorder.into_record())
}

fn legacy_lane<S: Source>(
    table: &Table<S>,
    samples: &Samples<'_, S>,
    reader: LegacyReader,
    record: Record,
) -> Result<LegacyLane, Stop> {
    let of = samples.len();
    let shown = of.min(SAMPLE_POSITIONS);
    let mut positions = Vec::new();
    let mut key = Vec::new();
    for i in 0..shown {
        // Spread evenly: the numbers stay below 4096 * 2^63, so a wider type is enough.
        let sample = u128::from(i) * u128::from(of) / u128::from(shown);
        match samples.sample(u64::try_from(sample).unwrap_or(0), &mut key) {
            Ok(at) => positions.push(at.0),
            // The lookup names the damage where it meets it; the picture does without this sample.
            Err(Error::Damage(_)) => {}
            Err(miss) => return Err(miss.into()),
        }
    }
    let own = own_samples(table).map(|own| own.len());
    let uses_own = matches!(samples, Samples::File { .. });
    Ok(LegacyLane {
        lane: Lane { record },
        reader,
        summary: samples.source(),
        samples: of,
        sample_positions: positions,
        resident: samples.bytes(),
        own_samples: own.filter(|_| !uses_own),
    })
}
