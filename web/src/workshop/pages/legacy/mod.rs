//! The tab *Legacy* of Pages: samples of Summary.db over windows of Index.db over Data.db, the entries of one window, the
//! promoted index of one entry.

mod board;
mod detail;
mod draw;
mod facts;
mod list;
mod promoted;
mod query;
mod read;
mod sheet;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod texts;

use self::query::{LegacyBy, Query};
use super::{Tab, tabs};
use crate::board::BoardAsk;
use crate::model::Failure;
use crate::worker::protocol::Which;
use crate::worker::world::{World, failure};
use crate::workshop::jobs::Slice;
use crate::workshop::protocol::Reply;
use triescope_core::big::{Progress, Sampled, Sampler};
use triescope_core::error::Error;
use triescope_core::limits;
use triescope_core::race::{Contest, Stop};
use triescope_core::source::Source;
use triescope_core::table::Part;

/// Entries that a slice samples between two looks at the clock.
const ENTRIES: u64 = 4_000;

/// What is kept between two questions: the samples that were made, since that reads Index.db whole.
#[derive(Debug, Default)]
pub struct Legacy {
    tables: Which,
    made: [Option<Sampled>; 2],
    job: Option<(LegacyBy, Sampler)>,
}

/// The row of tabs of an address.
type TabsOf<'a> = &'a dyn Fn(&BoardAsk) -> String;

/// What is made of what was read.
type Give<S> = fn(&facts::Facts<'_, S>, &BoardAsk, &Query, TabsOf<'_>) -> Result<Reply, Failure>;

/// How samples stand.
enum Samples {
    /// They are here, or there are none to be had.
    Ready,
    /// They are being made: done, of.
    Making(u64, u64),
    /// Index.db is large: they are made when a person says so.
    Asking(u64),
}

impl Legacy {
    /// A slice of the work on a board.
    pub fn board<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Slice {
        self.answer(ask, world, over, |facts, ask, query, tabs| {
            Ok(Reply::Board(Box::new(board::board(facts, ask, query, tabs))))
        })
    }

    /// A slice of the work on what is shown as text.
    pub fn text<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Slice {
        self.answer(ask, world, over, |facts, _, query, _| {
            texts::text(facts, query).map(Reply::Text)
        })
    }

    fn answer<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
        give: Give<S>,
    ) -> Slice {
        if self.tables != ask.tables {
            *self = Self { tables: ask.tables, ..Self::default() };
        }
        let query = Query::of(ask);
        let contest = match world.contest(ask.tables) {
            Ok(contest) => contest,
            Err(failure) => return Slice::Done(Err(failure)),
        };
        let here = contest.legacy.is_some_and(|table| table.source(Part::Index).is_some());
        if !here {
            let why = "No Index.db is open: a trie index has none.".to_owned();
            return Slice::Done(Err(Failure::Text { why }));
        }
        let large = match self.samples(&contest, &query, over) {
            Samples::Making(done, of) => return Slice::More(Some(Reply::Progress(done, of))),
            Samples::Asking(bytes) => Some(bytes),
            Samples::Ready => None,
        };
        let contest = self.with_samples(contest);
        let facts = read::facts(&contest, ask, &query, large);
        Slice::Done(match facts {
            Ok(facts) => give(&facts, ask, &query, &|ask| tabs(ask, world, Tab::Legacy)),
            Err(stop) => Err(failure(stop)),
        })
    }

    fn with_samples<'a, S: Source>(&'a self, contest: Contest<'a, S>) -> Contest<'a, S> {
        let [own, scylla] = &self.made;
        Contest {
            cassandra_samples: contest.cassandra_samples.or(own.as_ref()),
            scylla_samples: contest.scylla_samples.or(scylla.as_ref()),
            ..contest
        }
    }

    /// Makes the samples that are asked for, where there are none.
    fn samples<S: Source>(
        &mut self,
        contest: &Contest<'_, S>,
        query: &Query,
        over: &dyn Fn() -> bool,
    ) -> Samples {
        let at = usize::from(query.by == LegacyBy::Scylla);
        if self.made.get(at).is_some_and(Option::is_some) {
            return Samples::Ready;
        }
        let Err(Stop::Sample(wanted)) = contest.samples(query.by.reader()) else {
            return Samples::Ready;
        };
        if wanted.bytes > limits::SAMPLE_WITHOUT_ASKING_BYTES && !query.make {
            return Samples::Asking(wanted.bytes);
        }
        let Some(index) = contest.legacy.and_then(|table| table.source(Part::Index)) else {
            return Samples::Ready;
        };
        let mut sampler = match self.job.take() {
            Some((by, sampler)) if by == query.by => sampler,
            _ => Sampler::new(wanted.rule, wanted.format),
        };
        let made = loop {
            match sampler.step(index, ENTRIES) {
                Ok(Progress::Finished) => break sampler.into_sampled(),
                Ok(Progress::Working { done, of }) if over() => {
                    self.job = Some((query.by, sampler));
                    return Samples::Making(done, of);
                }
                Ok(Progress::Working { .. }) => {}
                Err(Error::Damage(error)) => break Sampled::damaged(error),
                // The worker's sources read at once.
                Err(Error::Miss(_)) => return Samples::Ready,
            }
        };
        if let Some(room) = self.made.get_mut(at) {
            *room = Some(made);
        }
        Samples::Ready
    }
}
