//! The tab *Map* of Pages: all pages of a component, and what lies in them.

mod board;
mod boxes;
mod cells;
mod query;
mod side;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod text;
mod tile;

use crate::board::BoardAsk;
use crate::model::{Failure, TableId};
use crate::worker::protocol::Which;
use crate::worker::world::{World, failure};
use crate::workshop::jobs::Slice;
use crate::workshop::protocol::Reply;
use crate::workshop::selection::table_with;
use board::{Seen, board, none};
use query::{PARTS, Query};
use tile::{Of, Tiles};
use triescope_core::census::PagesJob;
use triescope_core::race::Stop;
use triescope_core::source::Source;
use triescope_core::table::{Part, Table};

/// Bytes of an index that are counted between two looks at the clock.
const BUDGET: u64 = 16 << 10;
/// An index of more bytes is counted when a person asks for it.
const ASK_BYTES: u64 = 256 << 20;
/// Boards that are shown while it is counted.
const PARTIAL: u64 = 16;

/// What is kept between two questions.
#[derive(Default)]
pub struct Map {
    tables: Which,
    /// One for each SSTable that was asked about.
    jobs: Vec<(TableId, Kept)>,
}

/// Pages of an SSTable, while they are counted and after.
struct Kept {
    job: PagesJob,
    /// Bytes seen.
    seen: u64,
    done: bool,
    /// Boards shown on the way.
    shown: u64,
}

impl std::fmt::Debug for Map {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Map").field("tables", &self.tables).field("jobs", &self.jobs.len()).finish()
    }
}

impl Map {
    /// A slice of the work on a board.
    pub fn board<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Slice {
        let query = Query::of(ask);
        let Some(part) = part(&query, ask, world) else {
            return Slice::Done(Ok(Reply::Board(Box::new(none(ask, world)))));
        };
        let (kept, table, progress) = match self.counted(ask, &query, part, world, over) {
            Ok(counted) => counted,
            Err(failure) => return Slice::Done(Err(failure)),
        };
        let seen =
            Seen { done: progress.is_none(), waits: waits(&query, kept, table), pages: progress };
        let shown =
            || Reply::Board(Box::new(board(ask, query, world, &tiles(part, kept, table), &seen)));
        match progress {
            Some((done, of)) if !seen.waits => {
                let step = done.saturating_mul(PARTIAL) / of.max(1);
                let is_next = step > kept.shown;
                let reply = if is_next { shown() } else { Reply::Progress(done, of) };
                kept.shown = kept.shown.max(step);
                Slice::More(Some(reply))
            }
            _ => Slice::Done(Ok(shown())),
        }
    }

    /// A slice of the work on what is shown as text.
    pub fn text<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Slice {
        let query = Query::of(ask);
        let Some(part) = part(&query, ask, world) else {
            return Slice::Done(Err(Failure::Cancelled));
        };
        match self.counted(ask, &query, part, world, over) {
            Err(failure) => Slice::Done(Err(failure)),
            Ok((_, _, Some((done, of)))) => Slice::More(Some(Reply::Progress(done, of))),
            Ok((kept, table, None)) => {
                let tiles = tiles(part, kept, table);
                Slice::Done(Ok(Reply::Text(text::text(ask, &tiles))))
            }
        }
    }

    /// Counts on; how many pages of how many that is, until it is done.
    #[expect(clippy::type_complexity, reason = "what a board is made of, used twice")]
    fn counted<'s, 'w, S: Source>(
        &'s mut self,
        ask: &BoardAsk,
        query: &Query,
        part: Part,
        world: &'w World<S>,
        over: &dyn Fn() -> bool,
    ) -> Result<(&'s mut Kept, &'w Table<S>, Option<(u64, u64)>), Failure> {
        if self.tables != ask.tables {
            *self = Self { tables: ask.tables, jobs: Vec::new() };
        }
        let (id, table) = of(ask, world, part).ok_or(Failure::Cancelled)?;
        let place = match self.jobs.iter().position(|(known, _)| *known == id) {
            Some(place) => place,
            None => {
                let job = PagesJob::new(table);
                self.jobs.push((id, Kept { job, seen: 0, done: false, shown: 0 }));
                self.jobs.len() - 1
            }
        };
        let Some((_, kept)) = self.jobs.get_mut(place) else { return Err(Failure::Cancelled) };
        while !kept.done && !waits(query, kept, table) {
            let progress = kept.job.step(table, BUDGET);
            let progress = progress.map_err(|miss| failure(Stop::Miss(miss)))?;
            (kept.seen, kept.done) = (progress.bytes, progress.done);
            if over() {
                break;
            }
        }
        let of = index_bytes(table).div_ceil(4096).max(1);
        let done = (!kept.done).then(|| ((kept.seen / 4096).min(of), of));
        Ok((kept, table, done))
    }
}

/// Whether a person has to ask for it: it is not begun, and there is much to read.
fn waits<S: Source>(query: &Query, kept: &Kept, table: &Table<S>) -> bool {
    kept.seen == 0 && !query.all && index_bytes(table) > ASK_BYTES
}

fn index_bytes<S: Source>(table: &Table<S>) -> u64 {
    let parts = [Part::Partitions, Part::Rows, Part::Index, Part::Summary];
    parts.iter().filter_map(|part| table.source(*part)).map(Source::len).sum()
}

/// The component that is shown: the one asked for, where it is here.
fn part<S: Source>(query: &Query, ask: &BoardAsk, world: &World<S>) -> Option<Part> {
    let is_here = |part: &Part| of(ask, world, *part).is_some();
    query.part.filter(is_here).or_else(|| PARTS.into_iter().find(is_here))
}

/// The SSTable with a component, and its number.
fn of<'w, S: Source>(
    ask: &BoardAsk,
    world: &'w World<S>,
    part: Part,
) -> Option<(TableId, &'w Table<S>)> {
    let table = table_with(world, ask.tables, part)?;
    let ids = [ask.tables.0, ask.tables.1].into_iter().flatten();
    let mut found = ids.filter(|id| world.table(*id).is_some_and(|it| std::ptr::eq(it, table)));
    found.next().map(|id| (id, table))
}

fn tiles<'k, S: Source>(part: Part, kept: &'k Kept, table: &Table<S>) -> Tiles<'k> {
    let bytes = table.source(part).map_or(0, Source::len);
    let of = match kept.job.pages(part) {
        Some(pages) => Of::Pages(pages),
        None => Of::Chunks(kept.job.chunk_counts(), kept.job.starts()),
    };
    Tiles { part, bytes, of }
}
