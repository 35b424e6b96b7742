//! Reads what a board shows: one window, one entry, one promoted index, and little of everything else. No part grows with
//! the file.

use super::facts::{Entry, Facts, Found, Note, Promoted, Row, SampleFacts, Window};
use super::query::{LegacyBy, Query};
use crate::board::BoardAsk;
use crate::state::address::Address;
use crate::words::bytes;
use crate::workshop::selection::Selection;
use std::ops::ControlFlow;
use triescope_core::big::{EntryHead, IndexWalk, PromotedHead, Samples};
use triescope_core::error::{Error, ReadError};
use triescope_core::lookup::{Cmp, FilterMode, PageState, Step, SummarySource};
use triescope_core::pos::{DataPos, FilePos};
use triescope_core::race::{self, CacheModel, Contest, RaceRequest, Stop};
use triescope_core::scan::{BlockScan, FoundKey, Partition, RowIndexed};
use triescope_core::source::{Pages, Source};
use triescope_core::table::{Part, Problem, Table};

/// Entries of a window that are kept.
const ENTRIES: u64 = 20_000;
/// Samples whose place is drawn.
const TICKS: u64 = 4_000;
/// Places where Index.db is joined to Data.db.
const JOINS: u64 = 20;
/// Blocks of a promoted index that are read one after the other.
const BLOCKS: u64 = 4_000;
/// Blocks that are read where there are more.
const SPREAD: u64 = 400;
/// Rows of the table of windows.
pub const ROWS: u64 = 9;
/// Entries that the table of windows counts in all.
const COUNTED: u64 = 40_000;

/// Damage becomes a value, a miss stays an error.
fn damage<T>(read: Result<T, Error>) -> Result<Result<T, Box<ReadError>>, Stop> {
    match read {
        Ok(value) => Ok(Ok(value)),
        Err(Error::Damage(error)) => Ok(Err(error)),
        Err(miss) => Err(miss.into()),
    }
}

/// What a board shows. `large` are the bytes of an Index.db that nobody wanted to sample yet.
pub fn facts<'a, S: Source>(
    contest: &Contest<'a, S>,
    ask: &BoardAsk,
    query: &Query,
    large: Option<u64>,
) -> Result<Facts<'a, S>, Stop> {
    let table = contest.legacy.ok_or_else(nothing)?;
    let index = table.source(Part::Index).ok_or_else(nothing)?;
    let mut notes = Vec::new();
    let samples = usable(contest, table, index, query, large, &mut notes)?;
    let found = found(contest, ask, query, samples.is_some(), &mut notes)?;
    let selected = selected(ask, index.len());
    let sample = match samples {
        None => 0,
        Some(samples) => {
            let last = samples.len().saturating_sub(1);
            let named = || query.sample.or(found.as_ref().and_then(|found| found.sample));
            match (query.goto, selected) {
                (Some(sample), _) => sample,
                (None, Some(at)) => sample_at(&samples, at)?,
                (None, None) => named().unwrap_or(0),
            }
            .min(last)
        }
    };
    let window = window(table, index, samples, sample)?;
    let chosen = chosen(&window, query, selected, found.as_ref());
    let promoted = promoted(table, &window, chosen, query, found.as_ref())?;
    let (samples, joins, rows) = match samples {
        None => (None, Vec::new(), Vec::new()),
        Some(samples) => (
            Some(sample_facts(&samples, sample)?),
            joins(table, index, &samples)?,
            rows(table, index, &samples, sample)?,
        ),
    };
    Ok(Facts {
        table,
        keys: contest.key_schema(),
        clustering: contest.tables().find_map(Table::clustering_schema),
        index: index.len(),
        data: data_length(table),
        chunk: table.compression.as_ref().map(|it| u64::from(it.chunk_length.max(1))),
        samples,
        notes,
        joins,
        window,
        chosen,
        promoted,
        found,
        rows,
    })
}

fn nothing() -> Stop {
    Stop::Text { why: "No Index.db is open.".to_owned() }
}

fn data_length<S: Source>(table: &Table<S>) -> u64 {
    let plain =
        || table.source(Part::Data).map(Source::len).filter(|_| table.compression.is_none());
    table.facts.data_length.or_else(plain).unwrap_or(0)
}

/// The samples, with what there is to say about them.
fn usable<'a, S: Source>(
    contest: &Contest<'a, S>,
    table: &Table<S>,
    index: &S,
    query: &Query,
    large: Option<u64>,
    notes: &mut Vec<Note>,
) -> Result<Option<Samples<'a, S>>, Stop> {
    let mut note = |words: String, bad: bool, offer: bool| notes.push(Note { words, bad, offer });
    let damaged = table.facts.problems.iter().find_map(|problem| match problem {
        Problem::Damaged(error) if error.part == Part::Summary => Some(error),
        _ => None,
    });
    match damaged {
        Some(error) => note(format!("{error}."), true, false),
        None if table.source(Part::Summary).is_none() => {
            note("Summary.db is missing.".to_owned(), false, false);
        }
        None => {}
    }
    if let Some(large) = large {
        let words = format!(
            "Samples have to be made in memory from all {} of Index.db; until then its entries stand here from the first one on.",
            bytes(large)
        );
        note(words, false, true);
        return Ok(None);
    }
    let samples = match contest.samples(query.by.reader()) {
        Ok(Some(samples)) => samples,
        Ok(None) | Err(Stop::Sample(_)) => return Ok(None),
        Err(stop) => return Err(stop),
    };
    match damage(samples.usable(index))? {
        Err(error) => {
            note(format!("{error}."), true, false);
            return Ok(None);
        }
        Ok(()) if samples.source() == SummarySource::Sampled => {
            let rule = match query.by {
                LegacyBy::Own => "one of every 128 entries, as Cassandra does".to_owned(),
                LegacyBy::Scylla => {
                    "by bytes of Data.db, as ScyllaDB does: 2,000 of them for a byte of summary"
                        .to_owned()
                }
            };
            note(format!("These samples were made in memory: {rule}."), false, false);
        }
        Ok(()) => {}
    }
    Ok(Some(samples))
}

/// The position in Index.db that the shared selection names.
fn selected(ask: &BoardAsk, length: u64) -> Option<u64> {
    let selection = Selection::of(ask);
    let is_index = selection.part == Some(Part::Index);
    let at = selection.node.or(selection.byte).or(selection.page.map(|page| page.start()))?;
    Some(at.0).filter(|at| is_index && *at < length)
}

/// The last sample whose entry does not lie behind a position.
fn sample_at<S: Source>(samples: &Samples<'_, S>, at: u64) -> Result<u64, Stop> {
    let (mut low, mut high, mut key) = (0, samples.len(), Vec::new());
    while low < high {
        let middle = low + (high - low) / 2;
        match damage(samples.sample(middle, &mut key))? {
            Ok(found) if found.0 > at => high = middle,
            _ => low = middle + 1,
        }
    }
    Ok(low.saturating_sub(1))
}

/// The lookup of the key that the address names, as the reader does it.
fn found<S: Source>(
    contest: &Contest<'_, S>,
    ask: &BoardAsk,
    query: &Query,
    has_samples: bool,
    notes: &mut Vec<Note>,
) -> Result<Option<Found>, Stop> {
    let asked = Address::parse(&ask.place).ask;
    let Some(key) = asked.key.filter(|_| has_samples) else { return Ok(None) };
    let request = RaceRequest {
        key,
        row: asked.row,
        reader: query.by.reader(),
        cache: CacheModel::Cold,
        filter: FilterMode::Off,
        sample_large: true,
    };
    let race = match race::run(contest, &request) {
        Ok(race) => race,
        Err(Stop::Miss(miss)) => return Err(Stop::Miss(miss)),
        Err(Stop::Text { why }) => {
            notes.push(Note { words: why, bad: false, offer: false });
            return Ok(None);
        }
        Err(Stop::Damage(error)) => {
            notes.push(Note { words: format!("{error}."), bad: true, offer: false });
            return Ok(None);
        }
        Err(Stop::Sample(_)) => return Ok(None),
    };
    let mut found =
        Found { key: race.key.text, row: race.row.map(|row| row.text), ..Found::default() };
    let steps = race.legacy.map(|lane| lane.lane.record.steps).unwrap_or_default();
    for step in steps {
        match step {
            Step::Window(window) if !window.for_next_partition => found.sample = window.sample,
            Step::Entries(entries) if found.entry.is_none() => found.parsed = entries.count,
            Step::Entry(entry) => {
                if entry.of.is_none() {
                    found.parsed += 1;
                }
                if entry.cmp == Cmp::Equal {
                    found.entry = Some(entry.at.0);
                }
            }
            Step::BlockProbe(probe) => found.probes.push(probe),
            Step::Block(block) => found.block = block.block,
            Step::Page(page) if page.part == Part::Index => {
                if matches!(page.state, PageState::Fetched(_)) {
                    found.pages.push(page.page.0);
                }
            }
            _ => {}
        }
    }
    Ok(Some(found))
}

fn entry(head: &EntryHead, bytes: &[u8]) -> Entry {
    let (position, size) = head.vints(bytes);
    Entry {
        at: head.at.0,
        head: bytes.to_vec(),
        key: head.key(bytes).to_vec(),
        position: position.to_vec(),
        size: size.to_vec(),
        data: head.data.0,
        promoted: head.promoted_size,
    }
}

fn window<S: Source>(
    table: &Table<S>,
    index: &S,
    samples: Option<Samples<'_, S>>,
    sample: u64,
) -> Result<Window, Stop> {
    let length = index.len();
    let mut window = Window { to: length, data: (0, data_length(table)), ..Window::default() };
    if let Some(samples) = samples {
        match damage(samples.window(sample, length))? {
            Ok((from, to)) => (window.from, window.to) = (from.0, to.0),
            Err(error) => {
                let at = damage(samples.sample(sample, &mut Vec::new()))?;
                let at = at.map_or(length, |at| at.0.min(length));
                (window.from, window.to, window.broken) = (at, length, Some(error));
            }
        }
    }
    let format = table.version().formats().index;
    let mut walk = IndexWalk::from(format, FilePos(window.from));
    let (entries, to) = (&mut window.entries, window.to);
    // Entries of a window of which nobody knows the end would be those of the whole file.
    let most = if window.broken.is_some() { 128 } else { ENTRIES };
    let read = walk.run(index, most, |head, bytes| {
        if head.at.0 >= to {
            return ControlFlow::Break(());
        }
        entries.push(entry(head, bytes));
        if head.end().0 >= to { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if let Err(error) = damage(read)? {
        window.broken = window.broken.or(Some(error));
    }
    window.more = window.broken.is_none() && walk.at().0 < to;
    if window.more {
        window.to = walk.at().0;
    }
    let end = data_at(table, index, window.to)?.unwrap_or(window.data.1);
    let first = window.entries.first().map_or(0, |entry| entry.data);
    window.data = (first, end.max(first));
    Ok(window)
}

/// Where the partition of the entry at a position lies; `None` at the end of Index.db and where that is damaged.
fn data_at<S: Source>(table: &Table<S>, index: &S, at: u64) -> Result<Option<u64>, Stop> {
    let mut data = None;
    let mut walk = IndexWalk::from(table.version().formats().index, FilePos(at));
    let read = walk.run(index, 1, |head, _| {
        data = Some(head.data.0);
        ControlFlow::Break(())
    });
    damage(read)?.ok();
    Ok(data)
}

/// The entry that is chosen, by its place in the window.
fn chosen(window: &Window, query: &Query, selected: Option<u64>, found: Option<&Found>) -> usize {
    let entries = &window.entries;
    let at = |at: u64| entries.partition_point(|entry| entry.at <= at).saturating_sub(1);
    let named = query.entry.and_then(|entry| usize::try_from(entry).ok());
    let found = found.and_then(|found| found.entry).filter(|_| query.sample.is_none());
    let chosen = match (query.goto, selected, named) {
        (Some(_), ..) => 0,
        (None, Some(selected), _) => at(selected),
        (None, None, Some(named)) => named,
        (None, None, None) => found.map_or(0, at),
    };
    chosen.min(entries.len().saturating_sub(1))
}

fn promoted<S: Source>(
    table: &Table<S>,
    window: &Window,
    chosen: usize,
    query: &Query,
    found: Option<&Found>,
) -> Result<Option<Result<Promoted, Box<ReadError>>>, Stop> {
    let Some(entry) = window.entries.get(chosen).filter(|entry| entry.promoted > 0) else {
        return Ok(None);
    };
    let Some(index) = table.source(Part::Index) else { return Ok(None) };
    let at = FilePos(entry.at.saturating_add(entry.head.len() as u64));
    let mut unheard = ();
    let mut pages = Pages::new(Part::Index, index, &mut unheard);
    let head = match damage(PromotedHead::read(&mut pages, at, entry.promoted, table.version()))? {
        Ok(head) => head,
        Err(error) => return Ok(Some(Err(error))),
    };
    let next = window.entries.get(chosen + 1).map_or(window.data.1, |next| next.data);
    let of_key = found.filter(|found| found.entry == Some(entry.at)).and_then(|it| it.block);
    let block = query.promoted.or(of_key).unwrap_or(0).min(head.blocks.saturating_sub(1));
    let mut promoted = Promoted {
        head,
        blocks: Vec::new(),
        whole: head.blocks <= BLOCKS,
        chosen: block,
        broken: None,
        data: (entry.data, next.max(entry.data)),
    };
    let partition = Partition {
        key: FoundKey::Whole(entry.key.clone()),
        data: Some(DataPos(entry.data)),
        at: FilePos(entry.at),
        rows: RowIndexed::Promoted(entry.promoted),
        certain: true,
        problem: None,
    };
    let read = blocks(table, &partition, &mut promoted);
    if let Err(error) = damage(read)? {
        promoted.broken = Some(error);
    }
    Ok(Some(Ok(promoted)))
}

fn blocks<S: Source>(
    table: &Table<S>,
    partition: &Partition,
    into: &mut Promoted,
) -> Result<(), Error> {
    let Some(mut scan) = BlockScan::new(table, partition)? else { return Ok(()) };
    let count = scan.count();
    let mut wanted: Vec<u64> = if into.whole {
        Vec::new()
    } else {
        let near = into.chosen.saturating_sub(8)..=into.chosen.saturating_add(8);
        let spread = (0..SPREAD).map(|i| {
            u64::try_from(u128::from(i) * u128::from(count) / u128::from(SPREAD)).unwrap_or(0)
        });
        spread.chain(near).filter(|number| *number < count).collect()
    };
    wanted.sort_unstable();
    wanted.dedup();
    let mut wanted = wanted.into_iter();
    for _ in 0..BLOCKS {
        if !into.whole {
            let Some(number) = wanted.next() else { break };
            // Without a table of offsets they are read one after the other, as far as that goes.
            scan.go_to(number)?;
        }
        let Some(block) = scan.step()? else { break };
        into.blocks.push(block);
    }
    Ok(())
}

fn sample_facts<S: Source>(samples: &Samples<'_, S>, chosen: u64) -> Result<SampleFacts, Stop> {
    let count = samples.len();
    let mut ticks = Vec::new();
    let mut key = Vec::new();
    for sample in spread(count, TICKS) {
        let at = damage(samples.sample(sample, &mut key))?.ok();
        ticks.push((sample, at.map(|at| at.0)));
    }
    Ok(SampleFacts { source: samples.source(), count, bytes: samples.bytes(), ticks, chosen })
}

/// Some of `count`, spread evenly.
fn spread(count: u64, most: u64) -> impl Iterator<Item = u64> {
    let shown = count.min(most);
    let number = move |i: u64| u128::from(i) * u128::from(count) / u128::from(shown.max(1));
    (0..shown).map(move |i| u64::try_from(number(i)).unwrap_or(0))
}

fn joins<S: Source>(
    table: &Table<S>,
    index: &S,
    samples: &Samples<'_, S>,
) -> Result<Vec<(u64, u64)>, Stop> {
    let (mut joins, mut key) = (Vec::new(), Vec::new());
    for sample in spread(samples.len(), JOINS) {
        let Ok(at) = damage(samples.sample(sample, &mut key))? else { continue };
        if at.0 < index.len()
            && let Some(data) = data_at(table, index, at.0)?
        {
            joins.push((at.0, data));
        }
    }
    Ok(joins)
}

fn rows<S: Source>(
    table: &Table<S>,
    index: &S,
    samples: &Samples<'_, S>,
    chosen: u64,
) -> Result<Vec<Row>, Stop> {
    let last = samples.len().saturating_sub(ROWS);
    let first = chosen.saturating_sub(ROWS / 2).min(last);
    let mut left = COUNTED;
    let mut rows = Vec::new();
    for sample in first..samples.len().min(first.saturating_add(ROWS)) {
        let mut key = Vec::new();
        let window = match damage(samples.sample(sample, &mut key))? {
            Ok(_) => damage(samples.window(sample, index.len()))?,
            Err(error) => Err(error),
        };
        let row = match window {
            Err(error) => Row { sample, window: Err(error), entries: None, data: None },
            Ok((from, to)) => {
                let entries = counted(table, index, (from.0, to.0), &mut left)?;
                let begins = data_at(table, index, from.0)?;
                let ends = data_at(table, index, to.0)?.or(Some(data_length(table)));
                let data = begins.zip(ends).filter(|(from, to)| from <= to);
                Row { sample, window: Ok((key, from.0, to.0)), entries, data }
            }
        };
        rows.push(row);
    }
    Ok(rows)
}

/// The entries of a window, while there are some left to be counted.
fn counted<S: Source>(
    table: &Table<S>,
    index: &S,
    (from, to): (u64, u64),
    left: &mut u64,
) -> Result<Option<u64>, Stop> {
    let mut walk = IndexWalk::from(table.version().formats().index, FilePos(from));
    let most = *left;
    let mut count = 0;
    let read = walk.run(index, most, |head, _| {
        if head.at.0 < to {
            count += 1;
        }
        if head.end().0 >= to { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    *left = left.saturating_sub(count);
    Ok(damage(read)?.ok().filter(|_| walk.at().0 == to).map(|_| count))
}
