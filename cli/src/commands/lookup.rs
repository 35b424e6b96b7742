//! `triescope lookup`: a key in both indexes, step by step and page by page.

use super::steps::{StepJson, pages, shown};
use crate::args::{Index, Lookup, Reader};
use crate::failure::{Failure, Outcome, Verdict};
use crate::files::{self, Opened, Race};
use crate::json::{self, Key};
use crate::out::{Cell, Column, Look, Out, count, number};
use crate::parse;
use crate::progress::Progress;
use crate::source::FileSource;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write as _;
use triescope_core::big::{Progress as Sampling, SampleRule, Sampled, Sampler};
use triescope_core::error::Error;
use triescope_core::lookup::words::{self, ENGLISH, Runner};
use triescope_core::lookup::{Answer, FilterMode, Record, RowConfirmation, Step, SummarySource};
use triescope_core::race::{
    self, CacheModel, Contest, LegacyReader, RaceRequest, SampleWanted, Stop, TableNames, WARM_KEYS,
};
use triescope_core::table::{Part, words as table_words};

/// A lookup in one SSTable or a pair of the same rows.
#[derive(Serialize)]
struct Looked {
    key: Key,
    token: Option<String>,
    comparable: String,
    row: Option<RowJson>,
    /// What the indexes say; `null` where damage hides it.
    found: Option<bool>,
    data_position: Option<u64>,
    steps: Vec<StepJson>,
    requests: BTreeMap<&'static str, Vec<u64>>,
    fetches: BTreeMap<&'static str, Vec<u64>>,
    indexes: Vec<LaneJson>,
}

#[derive(Serialize)]
struct RowJson {
    value: String,
    comparable: String,
}

/// One index.
#[derive(Serialize)]
struct LaneJson {
    index: &'static str,
    sstable: String,
    found: Option<bool>,
    data_position: Option<u64>,
    confirmed: bool,
    row_found: Option<bool>,
    block_position: Option<u64>,
    answer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reader: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'static str>,
    page_fetches: u64,
    page_requests: u64,
    warm_pages: u64,
    bytes_fetched: u64,
    bytes_used: u64,
    nodes: u64,
    entries: u64,
    blocks: u64,
    keys_compared: u64,
    bytes_compared: u64,
    chunks: u64,
}

/// What one index answered.
struct Lane {
    index: &'static str,
    sstable: String,
    record: Record,
    reader: Option<&'static str>,
    summary: Option<SummarySource>,
}

/// Both indexes.
struct Ran {
    facts: race::KeyFacts,
    row: Option<race::RowFacts>,
    lanes: Vec<Lane>,
}

/// Runs the command.
pub fn run(args: &Lookup, out: &mut Out) -> Outcome {
    let found = files::find(std::slice::from_ref(&args.path))?;
    let mut races = found.races(&args.path)?;
    for race in &mut races {
        match args.index {
            Index::Trie => race.legacy = None,
            Index::Legacy => race.trie = None,
            Index::Both => {}
        }
    }
    races.retain(|race| race.tables().next().is_some());
    if races.is_empty() {
        for set in &found.sets {
            let table = found.open(set)?;
            files::refuse_unread(&table)?;
            files::index_of(&table)?;
        }
        return Err(Failure::new(format!(
            "{}: no SSTable here has that index",
            args.path.display()
        )));
    }
    let several = races.len() > 1;
    let mut verdict = Verdict::Clean;
    for race in &races {
        for table in race.tables() {
            files::refuse_unread(table)?;
        }
        let ran = look_up(args, race)?;
        if ran.lanes.iter().any(|lane| matches!(lane.answer(), Some(Answer::Unknown(_)) | None)) {
            verdict = Verdict::Broken;
        }
        if args.json {
            let looked = looked(race, &ran);
            serde_json::to_writer(&mut *out, &looked)?;
            out.write_all(b"\n")?;
        } else {
            show(race, &ran, several, out)?;
        }
    }
    Ok(verdict)
}

fn look_up(args: &Lookup, race: &Race) -> Result<Ran, Failure> {
    let reader = reader(args, race);
    let cache = match args.cache {
        None => CacheModel::Cold,
        Some(bytes) => {
            let keys = args.warm.as_deref().map_or_else(Vec::new, parse::keys);
            if keys.len() > WARM_KEYS {
                return Err(Failure::new(format!("--warm takes at most {WARM_KEYS} keys")));
            }
            CacheModel::Warm { bytes, keys }
        }
    };
    let filter = if args.no_filter { FilterMode::Off } else { FilterMode::Ask };
    let request = RaceRequest {
        key: args.key.clone(),
        row: args.row.clone(),
        reader,
        cache,
        filter,
        sample_large: true,
    };
    let (mut scylla, mut cassandra): (Option<Sampled>, Option<Sampled>) = (None, None);
    loop {
        let contest = Contest {
            trie: race.trie.as_ref(),
            legacy: race.legacy.as_ref(),
            scylla_samples: scylla.as_ref(),
            cassandra_samples: cassandra.as_ref(),
        };
        match race::run(&contest, &request) {
            Ok(ran) => return Ok(lanes(race, ran, reader)),
            Err(Stop::Sample(wanted)) => {
                let made = sample(race, wanted)?;
                match wanted.rule {
                    SampleRule::Scylla => scylla = Some(made),
                    SampleRule::Every(_) => cassandra = Some(made),
                }
            }
            Err(Stop::Text { why }) => return Err(Failure::new(why)),
            Err(Stop::Damage(error)) => return Err(Error::Damage(error).into()),
            Err(Stop::Miss(miss)) => {
                return Err(Failure::new(format!("a file did not answer at once: {miss:?}")));
            }
        }
    }
}

/// The reader that was asked for, else the database that wrote the SSTable.
fn reader(args: &Lookup, race: &Race) -> LegacyReader {
    match args.reader {
        Some(Reader::Scylla) => LegacyReader::Scylla,
        Some(Reader::Cassandra) => LegacyReader::Cassandra,
        None => {
            let legacy = race.legacy.as_ref();
            match legacy.map(|table| table_words::written_by(&table.facts)) {
                Some("ScyllaDB") => LegacyReader::Scylla,
                _ => LegacyReader::Cassandra,
            }
        }
    }
}

fn lanes(race: &Race, ran: race::Race, reader: LegacyReader) -> Ran {
    let sstable = |table: &Option<Opened>| {
        table.as_ref().map(|table| files::name(&table.set)).unwrap_or_default()
    };
    let trie = ran.trie.map(|lane| Lane {
        index: "trie",
        sstable: sstable(&race.trie),
        record: lane.record,
        reader: None,
        summary: None,
    });
    let legacy = ran.legacy.map(|lane| Lane {
        index: "legacy",
        sstable: sstable(&race.legacy),
        record: lane.lane.record,
        reader: Some(match reader {
            LegacyReader::Scylla => "scylla",
            LegacyReader::Cassandra => "cassandra",
        }),
        summary: Some(lane.summary),
    });
    Ran { facts: ran.key, row: ran.row, lanes: [trie, legacy].into_iter().flatten().collect() }
}

/// Samples Index.db in memory, as a database does that finds no summary it can use.
fn sample(race: &Race, wanted: SampleWanted) -> Result<Sampled, Failure> {
    let index = race.legacy.as_ref().and_then(|table| table.source(Part::Index));
    let Some(index) = index else { return Err(Failure::new("Index.db cannot be read")) };
    let mut progress = Progress::new("sampling Index.db, since no summary can be used");
    let mut sampler = Sampler::new(wanted.rule, wanted.format);
    loop {
        match sampler.step::<FileSource>(index, 1 << 16) {
            Ok(Sampling::Working { done, of }) => progress.tick("", done, Some(of)),
            Ok(Sampling::Finished) => return Ok(sampler.into_sampled()),
            Err(Error::Damage(error)) => return Ok(Sampled::damaged(error)),
            Err(miss) => return Err(miss.into()),
        }
    }
}

impl Lane {
    fn answer(&self) -> Option<&Answer> {
        match self.record.steps.last() {
            Some(Step::Answer(answer)) => Some(answer),
            _ => None,
        }
    }

    fn found(&self) -> Option<bool> {
        match self.answer()? {
            Answer::Present { .. } => Some(true),
            Answer::Absent(_) => Some(false),
            Answer::Unknown(_) => None,
        }
    }

    fn data_position(&self) -> Option<u64> {
        match self.answer()? {
            Answer::Present { data, .. } => Some(data.0),
            _ => None,
        }
    }
}

/// How keys are written: by the types of the first table that knows them.
fn names(race: &Race) -> TableNames {
    let known = race.tables().find(|table| table.facts.classes.key.is_some());
    known.map_or_else(TableNames::default, |table| TableNames::of(&table.facts))
}

fn contest(race: &Race) -> Contest<'_, FileSource> {
    Contest {
        trie: race.trie.as_ref(),
        legacy: race.legacy.as_ref(),
        scylla_samples: None,
        cassandra_samples: None,
    }
}

fn show(race: &Race, ran: &Ran, several: bool, out: &mut Out) -> std::io::Result<()> {
    let names = names(race);
    if several {
        for lane in &ran.lanes {
            let total = lane.record.total();
            let (look, text) = match (lane.found(), lane.data_position()) {
                (Some(true), at) => {
                    let at = at.map_or_else(String::new, |at| format!(" at {}", number(at)));
                    (Look::Good, format!("found{at}"))
                }
                (Some(false), _) => (Look::Dim, "absent".to_owned()),
                (None, _) => (Look::Bad, "damaged on the way".to_owned()),
            };
            let fetches = count(total.fetches, "page fetch");
            writeln!(out, "{}  {}, {fetches}", lane.sstable, out.paint(look, &text))?;
        }
        return Ok(());
    }
    let token = json::token(&ran.facts.token);
    let token = token.map_or_else(String::new, |token| format!(", token {token}"));
    out.line(Look::Head, &format!("{}{token}", ran.facts.text))?;
    if let Some(row) = &ran.row {
        out.line(Look::Head, &format!("row {}", row.text))?;
    }
    for lane in &ran.lanes {
        out.write_all(b"\n")?;
        let reader = match lane.reader {
            Some("scylla") => ", as ScyllaDB reads it",
            Some(_) => ", as Cassandra reads it",
            None => "",
        };
        out.line(Look::Head, &format!("{} index of {}{reader}", lane.index, lane.sstable))?;
        let mut rows = Vec::new();
        for line in shown(&lane.record) {
            rows.push(match line {
                Ok(step) => {
                    let look = match lane.record.steps.get(step) {
                        Some(Step::Damage(_) | Step::Answer(Answer::Unknown(_))) => Look::Bad,
                        Some(Step::Answer(Answer::Present { .. })) => Look::Good,
                        Some(Step::Answer(_)) => Look::Odd,
                        _ => Look::Plain,
                    };
                    let text = words::sentence(&ENGLISH, &names, &lane.record, step).plain();
                    vec![Cell::new(Look::Dim, (step + 1).to_string()), Cell::new(look, text)]
                }
                Err(left_out) => vec![
                    Cell::new(Look::Dim, "…"),
                    Cell::new(Look::Dim, format!("{} more of these", number(left_out))),
                ],
            });
        }
        out.table(2, &[Column::Right, Column::Left], &rows)?;
        let total = lane.record.total();
        let mut cost = format!(
            "{} ({} bytes), {}",
            count(total.fetches, "page fetch"),
            number(total.bytes_fetched),
            count(total.requests, "request"),
        );
        if total.warm > 0 {
            cost.push_str(&format!(", {} in the cache", count(total.warm, "page")));
        }
        for (part, pages) in pages(&lane.record, true) {
            let pages: Vec<String> = pages.iter().map(u64::to_string).collect();
            cost.push_str(&format!("; {part} {}", pages.join(" ")));
        }
        out.paragraph(2, Look::Dim, &cost)?;
    }
    if let [trie, legacy] = ran.lanes.as_slice() {
        let runner = |lane: &'_ Lane| lane.record.steps.len();
        let (a, b) = (runner(trie), runner(legacy));
        let verdict = words::verdict(
            &ENGLISH,
            Some(Runner { record: &trie.record, done: a }),
            Some(Runner { record: &legacy.record, done: b }),
        );
        out.write_all(b"\n")?;
        out.paragraph(0, Look::Head, &verdict.plain())?;
    }
    Ok(())
}

fn looked(race: &Race, ran: &Ran) -> Looked {
    let names = names(race);
    let schema = contest(race).key_schema();
    let mut looked = Looked {
        key: Key::whole(schema, &ran.facts.bytes),
        token: json::token(&ran.facts.token),
        comparable: json::hex(&ran.facts.comparable),
        row: ran
            .row
            .as_ref()
            .map(|row| RowJson { value: row.text.clone(), comparable: json::hex(&row.comparable) }),
        found: ran.lanes.iter().find_map(Lane::found),
        data_position: ran.lanes.iter().find_map(Lane::data_position),
        steps: Vec::new(),
        requests: BTreeMap::new(),
        fetches: BTreeMap::new(),
        indexes: Vec::new(),
    };
    for lane in &ran.lanes {
        looked.requests.extend(pages(&lane.record, false));
        looked.fetches.extend(pages(&lane.record, true));
        let steps = 0..lane.record.steps.len();
        looked.steps.extend(steps.map(|at| StepJson::new(lane.index, &names, &lane.record, at)));
        looked.indexes.push(lane_json(lane, &names));
    }
    looked
}

fn lane_json(lane: &Lane, names: &TableNames) -> LaneJson {
    let total = lane.record.total();
    let last = lane.record.steps.len().saturating_sub(1);
    let (confirmed, block, row) = match lane.answer() {
        Some(Answer::Present { confirmed, block, row, .. }) => (*confirmed, *block, row.as_ref()),
        _ => (false, None, None),
    };
    LaneJson {
        index: lane.index,
        sstable: lane.sstable.clone(),
        found: lane.found(),
        data_position: lane.data_position(),
        confirmed,
        row_found: match row {
            Some(RowConfirmation::Found { .. }) => Some(true),
            Some(RowConfirmation::Absent { .. }) => Some(false),
            _ => None,
        },
        block_position: block.map(|at| at.0),
        answer: words::sentence(&ENGLISH, names, &lane.record, last).plain(),
        reader: lane.reader,
        summary: lane.summary.map(|summary| match summary {
            SummarySource::File => "Summary.db",
            SummarySource::Sampled => "sampled in memory",
        }),
        page_fetches: total.fetches,
        page_requests: total.requests,
        warm_pages: total.warm,
        bytes_fetched: total.bytes_fetched,
        bytes_used: total.bytes_used,
        nodes: total.nodes,
        entries: total.entries,
        blocks: total.blocks,
        keys_compared: total.keys_compared,
        bytes_compared: total.bytes_compared,
        chunks: total.chunks,
    }
}
