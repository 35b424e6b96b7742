//! The view *Findings*: every check with what came of it, and of one finding where it lies, what it says and what it
//! means.

mod checked;
mod detail;
mod draw;
mod explain;
mod flip;
mod list;
mod place;
mod query;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod text;

use self::checked::Run;
use self::flip::Looked;
use self::place::Place;
use self::query::Query;
use crate::board::{Board, BoardAsk};
use crate::model::{Failure, TableId};
use crate::worker::world::World;
use crate::workshop::jobs::Slice;
use crate::workshop::protocol::Reply;
use crate::workshop::selection::Selection;
use triescope_core::check::Finding;
use triescope_core::source::Source;

/// From this width on the list stands beside the finding.
const WIDE: u32 = 1200;
/// Below this width there is one column.
const PHONE: u32 = 720;
/// The list, where it stands beside.
const LIST: u32 = 424;

/// What is kept between two questions.
#[derive(Debug, Default)]
pub struct Findings {
    /// The checks without and with the rows.
    runs: Vec<Run>,
    looked: Looked,
}

/// What is shown: everything that words and pictures are made from.
struct Shown<'a> {
    ask: &'a BoardAsk,
    query: Query,
    run: &'a Run,
    looked: &'a Looked,
    /// The check that is chosen: its place in the list.
    chosen: Option<usize>,
    /// Where the finding lies.
    place: Option<Place>,
    selection: Selection,
    /// The partition of the finding, as text.
    key: Option<String>,
}

impl Findings {
    /// A slice of the work on a board.
    pub fn board<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Slice {
        self.answer(ask, world, over, |shown| Reply::Board(Box::new(board(shown, world))))
    }

    /// A slice of the work on what is shown as text.
    pub fn text<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Slice {
        self.answer(ask, world, over, |shown| Reply::Text(text::text(shown, world)))
    }

    fn answer<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
        reply: impl Fn(&Shown<'_>) -> Reply,
    ) -> Slice {
        let query = Query::of(ask);
        match self.work(ask, &query, world, over) {
            Err(failure) => Slice::Done(Err(failure)),
            Ok(Some((done, of))) => Slice::More(Some(Reply::Progress(done, of))),
            Ok(None) => {
                let run = self.runs.iter().find(|run| run.is_deep == query.is_deep);
                let shown = run.map(|run| Shown::new(ask, query, (run, &self.looked), world));
                Slice::Done(shown.map(|shown| reply(&shown)).ok_or(Failure::Cancelled))
            }
        }
    }

    /// Works on what the question needs; how far that is, until it is done.
    fn work<S: Source>(
        &mut self,
        ask: &BoardAsk,
        query: &Query,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Result<Option<(u64, u64)>, Failure> {
        self.runs.retain(|run| run.tables == ask.tables);
        if self.runs.is_empty() {
            self.looked = Looked::default();
        }
        if !self.runs.iter().any(|run| run.is_deep == query.is_deep) {
            self.runs.push(Run::new(ask, query.is_deep, world)?);
        }
        let run = self.runs.iter_mut().find(|run| run.is_deep == query.is_deep);
        let Some(run) = run else { return Ok(None) };
        if let Some(come) = run.step(world, over)? {
            return Ok(Some(come));
        }
        // What is looked into belongs to the finding that is shown.
        let (run, nothing) = (&*run, Looked::default());
        let shown = Shown::new(ask, query.clone(), (run, &nothing), world);
        let (query, finding) = (shown.query.clone(), shown.finding());
        match finding {
            Some((id, finding)) => {
                let at = (id, query.n, finding);
                self.looked.step(&query, run, at, world, over)
            }
            None => Ok(None),
        }
    }
}

impl<'a> Shown<'a> {
    fn new<S: Source>(
        ask: &'a BoardAsk,
        query: Query,
        (run, looked): (&'a Run, &'a Looked),
        world: &World<S>,
    ) -> Self {
        let asked = Selection::of(ask);
        let by_id = run.listed.iter().position(|it| query.check.as_deref() == Some(it.check.id));
        let here = || {
            let byte = asked.byte.or(asked.node)?;
            run.listed.iter().enumerate().find_map(|(at, it)| {
                let n = it.found.iter().position(|(_, finding)| holds(finding, asked, byte.0))?;
                Some((at, n))
            })
        };
        let (chosen, n) = match by_id {
            Some(at) => (Some(at), query.n),
            None => here().map_or((run.listed.first().map(|_| 0), 0), |(at, n)| (Some(at), n)),
        };
        let listed = chosen.and_then(|at| run.listed.get(at));
        let n = n.min(listed.map_or(0, |it| it.found.len().saturating_sub(1)));
        let mut shown = Self {
            ask,
            query: Query { check: listed.map(|it| it.check.id.to_owned()), n, ..query },
            run,
            looked,
            chosen,
            place: None,
            selection: asked,
            key: None,
        };
        shown.key = shown.finding().and_then(|(id, finding)| {
            Some(world.table(id)?.key_schema().to_text(finding.key.as_ref()?))
        });
        shown.place =
            shown.finding().and_then(|(id, finding)| Place::of(world.table(id)?, finding));
        if let Some(place) = &shown.place {
            shown.selection = place.selection();
        }
        shown
    }

    fn listed(&self) -> Option<&'a checked::Listed> {
        self.run.listed.get(self.chosen?)
    }

    fn finding(&self) -> Option<(TableId, &'a Finding)> {
        self.listed()?.found.get(self.query.n).map(|(id, finding)| (*id, finding))
    }

    /// Room for the finding.
    fn room(&self) -> f64 {
        f64::from(match self.ask.width {
            WIDE.. => self.ask.width - LIST - 48,
            PHONE.. => self.ask.width - 48,
            width => width.saturating_sub(32).max(288),
        })
    }
}

fn holds(finding: &Finding, asked: Selection, byte: u64) -> bool {
    let at = finding.at.map_or(u64::MAX, |at| at.0);
    finding.part.is_some()
        && finding.part == asked.part
        && byte >= at
        && byte - at < finding.len.unwrap_or(1).max(1)
}

fn board<S: Source>(shown: &Shown<'_>, world: &World<S>) -> Board {
    let said = list::said(shown);
    let (main, side) = match shown.ask.width {
        WIDE.. => (list::whole(shown), detail::parts(shown, world)),
        _ => (list::failed(shown), [detail::parts(shown, world), list::others(shown)].concat()),
    };
    Board {
        query: shown.query.print(shown.selection),
        at: 0,
        of: 0,
        ticks: Default::default(),
        said,
        is_worth_saying: false,
        sentence: String::new(),
        head: list::head(shown),
        main,
        side,
    }
}
