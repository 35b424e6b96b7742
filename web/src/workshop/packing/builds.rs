//! What the packing view has built: the entries of one trie, both writers' replays of them, and the verdict.

use super::board::{About, board};
use super::both;
use super::feed::{Feed, sentence};
use super::head::{Head, head};
use super::query::{Goto, Query, Show};
use super::text::plain;
use super::ticks::ticks;
use crate::board::{Board, BoardAsk, with};
use crate::model::Failure;
use crate::worker::world::World;
use crate::workshop::html::spans;
use crate::workshop::jobs::Slice;
use crate::workshop::protocol::Reply;
use std::rc::Rc;
use triescope_core::lookup::words::{Text, number};
use triescope_core::pos::{FilePos, PageNo};
use triescope_core::replay::{
    Entries, Frame, Judged, Judging, Nothing, PartingJob, Replay, Writer, words,
};
use triescope_core::source::Source;
use triescope_core::table::{Part, Table};

/// Entries that a slice of a replay takes.
const ENTRIES: u64 = 2_000;
/// Most steps that are written as text.
const TEXT_STEPS: u64 = 20_000;

/// What is built.
#[derive(Default)]
pub struct Builds {
    kept: Option<Kept>,
}

impl std::fmt::Debug for Builds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builds").field("holds", &self.kept.is_some()).finish()
    }
}

/// A trie.
struct Kept {
    /// What it was made of: tables, row trie, keys.
    id: String,
    feed: Option<Feed>,
    fed: Option<Rc<Entries>>,
    compare: Option<Part>,
    from: String,
    rows: Option<String>,
    replays: Vec<Replay>,
    parting: Option<PartingJob>,
    /// The index written again, while that is under way, and in whose way.
    judging: Option<(Writer, Judging<Nothing>)>,
    /// What came of that, for each writer that was asked for; in words where it could not be done.
    verdicts: [Option<Result<Vec<Judged>, String>>; 2],
}

impl Builds {
    /// The files are others now.
    pub fn clear(&mut self) {
        self.kept = None;
    }

    /// A board, once what it needs is built.
    pub fn board<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Slice {
        let query = Query::of(ask);
        match self.built(ask, &query, world, over) {
            // What is wrong with typed keys leaves the choice of others.
            Err(Failure::Text { why }) if ask.tables == (None, None) => {
                Slice::Done(Ok(Reply::Board(Box::new(nothing(ask, &query, &why)))))
            }
            Err(failure) => Slice::Done(Err(failure)),
            Ok(Some((done, of))) => Slice::More(Some(Reply::Progress(done, of))),
            Ok(None) => {
                let made =
                    self.kept.as_mut().and_then(|kept| kept.board(ask, &query, table(ask, world)));
                let none = || Failure::Text { why: "There is no such step.".to_owned() };
                Slice::Done(made.map(|board| Reply::Board(Box::new(board))).ok_or_else(none))
            }
        }
    }

    /// The decisions of a build as text, a line each.
    pub fn text<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Slice {
        let query = Query::of(ask);
        match self.built(ask, &query, world, over) {
            Err(failure) => Slice::Done(Err(failure)),
            Ok(Some((done, of))) => Slice::More(Some(Reply::Progress(done, of))),
            Ok(None) => {
                let text = self.kept.as_ref().map(|kept| kept.text(&query, ask, table(ask, world)));
                Slice::Done(text.map(Reply::Text).ok_or(Failure::Cancelled))
            }
        }
    }

    /// Builds on what the question needs; how far that is, until it is done.
    fn built<S: Source>(
        &mut self,
        ask: &BoardAsk,
        query: &Query,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Result<Option<(u64, u64)>, Failure> {
        let id = format!("{:?} {:?} {:?}", ask.tables, query.rows, query.keys);
        let table = table(ask, world);
        if self.kept.as_ref().is_none_or(|kept| kept.id != id) {
            self.kept = None;
            let feed = match (ask.tables, table) {
                ((None, None), _) => Feed::of_keys(&query.keys)?,
                (_, Some(table)) => Feed::of_table(table, query.rows.as_deref())?,
                (_, None) => return Err(Failure::Cancelled),
            };
            self.kept = Some(Kept::new(id, feed));
        }
        let Some(kept) = &mut self.kept else { return Ok(None) };
        let writer = writer(query, table);
        loop {
            let told = kept.step(table, writer);
            match told {
                Ok(None) => return Ok(None),
                Ok(told) if over() => return Ok(told),
                Ok(_) => {}
                Err(failure) => {
                    self.kept = None;
                    return Err(failure);
                }
            }
        }
    }
}

/// A board without steps: the row above it, and why there are none.
fn nothing(ask: &BoardAsk, query: &Query, why: &str) -> Board {
    let title = ("How a writer packs these keys".to_owned(), "Packing keys".to_owned());
    let row =
        Head { title, verdict: plain(why), differs: true, shown: query.writer, ..Head::default() };
    let place = with(&ask.query, "step", None);
    Board {
        head: head(&row, query, &BoardAsk { query: place.clone(), ..ask.clone() }),
        query: place,
        at: 0,
        of: 0,
        ticks: (String::new(), String::new()),
        said: why.to_owned(),
        is_worth_saying: true,
        sentence: String::new(),
        main: Vec::new(),
        side: Vec::new(),
    }
}

/// The SSTable that is packed: the one with the trie, else the legacy one.
fn table<'a, S: Source>(ask: &BoardAsk, world: &'a World<S>) -> Option<&'a Table<S>> {
    let (trie, legacy) = ask.tables;
    world.table(trie.or(legacy)?)
}

/// The writer that a file claims; Cassandra's where there is none.
fn own<S: Source>(table: Option<&Table<S>>) -> Writer {
    table.map_or(Writer::Cassandra, |table| Writer::of(table.version()))
}

/// The writer that is shown.
fn writer<S: Source>(query: &Query, table: Option<&Table<S>>) -> Writer {
    match query.writer {
        Some(Show::Cassandra) => Writer::Cassandra,
        Some(Show::Scylla) => Writer::Scylla,
        Some(Show::Both) | None => own(table),
    }
}

impl Kept {
    fn new(id: String, feed: Feed) -> Self {
        Self {
            id,
            feed: Some(feed),
            fed: None,
            compare: None,
            from: String::new(),
            rows: None,
            replays: Vec::new(),
            parting: None,
            judging: None,
            verdicts: [None, None],
        }
    }

    /// A piece of work; how far it is, until there is nothing left to do.
    fn step<S: Source>(
        &mut self,
        table: Option<&Table<S>>,
        writer: Writer,
    ) -> Result<Option<(u64, u64)>, Failure> {
        if let Some(feed) = &mut self.feed {
            if let Some(told) = feed.step(table)? {
                return Ok(Some(told));
            }
            if let Some(feed) = self.feed.take() {
                (self.compare, self.from, self.rows) =
                    (feed.compare, feed.from.clone(), feed.rows.clone());
                let entries = Rc::new(feed.into_entries());
                let replays = Writer::BOTH.map(|writer| Replay::new(entries.clone(), writer));
                self.replays = replays.into();
                self.parting = Some(PartingJob::new(entries.clone()));
                self.fed = Some(entries);
            }
            return Ok(Some((0, 1)));
        }
        let refused = |why| Failure::Text { why: format!("The keys cannot be written: {why}.") };
        for (i, replay) in self.replays.iter_mut().enumerate() {
            if !replay.is_done() {
                let progress = replay.step(ENTRIES).map_err(refused)?;
                return Ok(Some((progress.done + i as u64 * progress.of, progress.of * 3)));
            }
        }
        if let Some(parting) = self.parting.as_mut().filter(|parting| parting.found().is_none()) {
            let progress = parting.step(ENTRIES).map_err(refused)?;
            return Ok(Some((progress.done + 2 * progress.of, progress.of * 3)));
        }
        Ok(table.and_then(|table| self.judge(table, writer)))
    }

    /// Writes the index of the file again, and compares: how far that is, until it is done.
    fn judge<S: Source>(&mut self, table: &Table<S>, writer: Writer) -> Option<(u64, u64)> {
        let slot = usize::from(writer == Writer::Scylla);
        if self.verdicts.get(slot)?.is_some() {
            return None;
        }
        let begun = self.judging.take().filter(|(whose, _)| *whose == writer);
        let judged = match begun
            .map_or_else(|| Judging::new(table, writer, |_| Nothing), |(_, judging)| Ok(judging))
        {
            Err(why) => Err(why),
            Ok(mut judging) => match judging.step(table, ENTRIES) {
                Err(why) => Err(why),
                Ok(true) => Ok(judging.finish().0),
                Ok(false) => {
                    let progress = judging.progress();
                    self.judging = Some((writer, judging));
                    return Some((progress.done, progress.of));
                }
            },
        };
        // Damage is no reason to show nothing: the replay is there.
        *self.verdicts.get_mut(slot)? = Some(judged.map_err(|why| why.to_string()));
        None
    }

    fn replay(&self, writer: Writer) -> Option<&Replay> {
        self.replays.iter().find(|replay| replay.writer() == writer)
    }

    fn board<S: Source>(
        &mut self,
        ask: &BoardAsk,
        query: &Query,
        table: Option<&Table<S>>,
    ) -> Option<Board> {
        let (own, writer) = (own(table), writer(query, table));
        let replay = self.replay(writer)?;
        let totals = replay.totals();
        let of = if query.every { totals.steps } else { totals.decisions };
        let (at, note) = place(replay, query, of);
        let frame = frame(replay, query.every, at)?;
        let pages: Vec<u64> = replay
            .pages()
            .iter()
            .map(|page| if query.every { page.first + 1 } else { page.decision + 1 })
            .collect();
        let asked = BoardAsk {
            query: with(&with(&ask.query, "goto", None), "step", Some(&at.to_string())),
            ..ask.clone()
        };
        let said = frame.sentence();
        let other = self.replay(writer.other())?;
        let both = both::differences(
            self.replay(Writer::Cassandra)?,
            self.replay(Writer::Scylla)?,
            self.parting.as_ref()?.found()?,
            writer,
            &asked,
        );
        let about = About { end: totals.end.0, pages: pages.clone(), note, both };
        let layed = match query.writer {
            Some(Show::Both) => {
                let beside = frame_near(other, query.every, at)?;
                both::board(&frame, &beside, query.every, &asked, &about, (totals, other.totals()))
            }
            _ => board(&frame, query.every, &asked, &about),
        };
        let part = replay.entries().part().file_name();
        let (verdict, is_difference) = self.words(writer, own);
        let row = Head {
            title: match table {
                Some(_) => (format!("How the writer packed {part}"), format!("Packing {part}")),
                None => ("How a writer packs these keys".to_owned(), "Packing keys".to_owned()),
            },
            verdict,
            differs: is_difference,
            shown: Some(query.writer.unwrap_or(match own {
                Writer::Cassandra => Show::Cassandra,
                Writer::Scylla => Show::Scylla,
            })),
            has_rows: table.is_some_and(|table| {
                table.facts.has_row_index && table.source(Part::Rows).is_some()
            }),
            rows: self.rows.clone(),
        };
        let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        let plain_note = about.note.as_ref().map(|note| format!("{note} ")).unwrap_or_default();
        Some(Board {
            at: small(at),
            of: small(of),
            ticks: ticks(of, &pages, ask.width),
            said: plain_note + &said.plain(),
            is_worth_saying: pages.contains(&at),
            sentence: spans(&said),
            head: head(
                &row,
                query,
                &BoardAsk { query: with(&asked.query, "step", None), ..asked.clone() },
            ),
            query: asked.query,
            main: layed.main,
            side: layed.side,
        })
    }

    /// The verdict in words, and whether it is a difference that should not be.
    fn words(&self, writer: Writer, own: Writer) -> (Text, bool) {
        let verdict = self.verdicts.get(usize::from(writer == Writer::Scylla));
        let said = match (verdict.and_then(Option::as_ref), self.compare) {
            (Some(Ok(judged)), Some(part)) => judged.iter().find(|it| it.part == part),
            // A legacy index has no trie to compare, but a writer of its own.
            (Some(Ok(judged)), None) => {
                let files = judged.iter().map(|judged| words::verdict(judged, own));
                let files: Vec<String> = files.collect();
                let differs = judged.iter().any(|judged| !judged.is_same());
                return (plain(format!("{} {}", self.from, files.join(" "))), differs);
            }
            (Some(Err(why)), Some(part)) => {
                let why = sentence(why);
                return (plain(format!("{} {part} cannot be compared: {why}", self.from)), true);
            }
            _ => None,
        };
        let Some(judged) = said else { return (plain(self.from.clone()), false) };
        let bytes = number(judged.bytes, ',');
        let words = match (judged.difference(), writer == own) {
            (None, true) => {
                let filler =
                    if judged.has_filler() { ", with 4 B of filler at its end" } else { "" };
                format!("{} Result: the same {bytes} bytes, no difference{filler}.", self.from)
            }
            (None, false) => format!(
                "The file’s own keys, as {} packs them: the same {bytes} bytes.",
                writer.name()
            ),
            (Some(_), true) => format!("{} {}", self.from, words::verdict(judged, writer)),
            (Some(_), false) => format!(
                "The file’s own keys, as {} would pack them: {} bytes of {bytes}. {}",
                writer.name(),
                number(judged.rebuilt, ','),
                words::verdict(judged, writer)
            ),
        };
        (plain(words), judged.difference().is_some() && writer == own)
    }

    fn text<S: Source>(&self, query: &Query, ask: &BoardAsk, table: Option<&Table<S>>) -> String {
        let writer = writer(query, table);
        let Some(replay) = self.replay(writer) else { return String::new() };
        let of = if query.every { replay.totals().steps } else { replay.totals().decisions };
        let mut out = format!(
            "{} as {} packs it, {}\n{}\n",
            replay.entries().part().file_name(),
            writer.name(),
            crate::words::count(of, "step", "steps"),
            ask.place
        );
        for at in 1..=of.min(TEXT_STEPS) {
            if let Some(frame) = frame(replay, query.every, at) {
                out += &format!("{at}. {}\n", frame.sentence().plain());
            }
        }
        if of > TEXT_STEPS {
            out += &format!("and {} more\n", number(of - TEXT_STEPS, ','));
        }
        out
    }
}

/// The frame of a step as it is counted here.
fn frame(replay: &Replay, every: bool, at: u64) -> Option<Frame> {
    let step = if every { at.checked_sub(1)? } else { replay.decision(at)? };
    replay.frame(step)
}

/// A step, from 0, as it is counted here. One that decides nothing is shown at the decision after it.
pub fn counted_at(replay: &Replay, every: bool, step: u64) -> u64 {
    if every {
        return step + 1;
    }
    replay.frame(step).map_or(replay.totals().decisions, |frame| {
        let decides = frame.now.is_some_and(|now| now.what.is_counted());
        (frame.decision + u64::from(!decides)).min(frame.decisions)
    })
}

/// The same of a replay that may have fewer steps.
fn frame_near(replay: &Replay, every: bool, at: u64) -> Option<Frame> {
    let totals = replay.totals();
    frame(replay, every, at.min(if every { totals.steps } else { totals.decisions }))
}

/// Where a question leads, and why it leads nowhere.
fn place(replay: &Replay, query: &Query, of: u64) -> (u64, Option<String>) {
    let count = |step: u64| counted_at(replay, query.every, step);
    let stay = query.step.unwrap_or(of).clamp(1, of.max(1));
    let step = || match (query.every, stay) {
        (true, at) => at - 1,
        (false, at) => replay.decision(at).unwrap_or(0),
    };
    let none = |what: String| (stay, Some(what));
    let last = replay.pages().last().map_or(0, |page| page.page.0);
    let first = replay.pages().first().map_or(0, |page| page.page.0);
    let no_page = |page: u64| {
        format!("This trie has no page {}: expected {first} to {last}.", number(page, ','))
    };
    match &query.to {
        Goto::Last => (of, None),
        Goto::Step(at) => ((*at).clamp(1, of.max(1)), None),
        Goto::Next => (replay.next_page(step()).map_or(of, count), None),
        Goto::Previous => (replay.previous_page(step()).map_or(1, count), None),
        Goto::Page(page) => match replay.page(PageNo(*page)) {
            Some(mark) => (count(mark.first), None),
            None => none(no_page(*page)),
        },
        Goto::Byte(at) => match replay.wrote(FilePos(*at)) {
            Some(step) => (count(step), None),
            None => none(format!("This trie wrote no byte at {}.", number(*at, ','))),
        },
        Goto::Padding(page) => match replay.page(PageNo(*page)).map(|mark| mark.pad) {
            Some(Some((step, _))) => (count(step), None),
            Some(None) => none(format!("Page {} has no padding.", number(*page, ','))),
            None => none(no_page(*page)),
        },
        Goto::Unknown(typed) => {
            let why = format!(
                "“{typed}” leads nowhere: expected “page 7”, “@32118”, “step 52” or “padding 5”."
            );
            none(why)
        }
    }
}
