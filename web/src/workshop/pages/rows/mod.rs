//! The tab *Rows* of Pages: the decoded partition around a position of Data.db.

mod board;
mod find;
mod item;
mod query;
mod strip;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod times;
mod window;

use crate::board::{BoardAsk, value};
use crate::model::{Failure, TableId};
use crate::state::address::Address;
use crate::worker::world::World;
use crate::workshop::jobs::Slice;
use crate::workshop::protocol::Reply;
use crate::workshop::selection::table_with;
use board::{Shown, board, none};
use find::{Found, Wanted, find, key_of};
use query::{Goto, Query};
use triescope_core::data::{DataFormat, DataReader};
use triescope_core::lookup::NotConfirmed;
use triescope_core::source::Source;
use triescope_core::table::{Part, Table};
use window::{Decoding, Target, Window};

/// Items that are decoded between two looks at the clock.
const BATCH: usize = 64;

/// What is kept between two questions.
#[derive(Default)]
pub struct Rows {
    /// The partition that was found last, and what was asked for.
    found: Option<((TableId, Wanted), Found)>,
    /// Work on a window, and what it is of.
    decoding: Option<((TableId, u64, Target), Decoding)>,
    /// The window that was decoded last.
    window: Option<((TableId, u64, Target), Window)>,
    /// What is wrong with what was typed.
    note: Option<String>,
}

impl std::fmt::Debug for Rows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rows").field("found", &self.found.is_some()).finish()
    }
}

/// How far a window is.
enum Come {
    Working(u64, u64),
    Ready,
    /// There is none, and why.
    Not(String),
}

impl Rows {
    /// A slice of the work on a board.
    pub fn board<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Slice {
        match self.come(ask, world, over) {
            Come::Working(done, of) => Slice::More(Some(Reply::Progress(done, of))),
            Come::Not(why) => {
                let found = self.found.as_ref().map(|(_, found)| found);
                Slice::Done(Ok(Reply::Board(Box::new(none(ask, world, found, &why)))))
            }
            Come::Ready => match self.shown(ask, world) {
                Some(shown) => Slice::Done(Ok(Reply::Board(Box::new(board(&shown, world))))),
                None => Slice::Done(Err(Failure::Cancelled)),
            },
        }
    }

    /// A slice of the work on what is shown as text.
    pub fn text<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Slice {
        match self.come(ask, world, over) {
            Come::Working(done, of) => Slice::More(Some(Reply::Progress(done, of))),
            Come::Not(why) => Slice::Done(Err(Failure::Text { why })),
            Come::Ready => {
                let form = value(&ask.query, "text");
                let text = self.shown(ask, world).map(|shown| board::text(&shown, form.as_deref()));
                Slice::Done(text.map(Reply::Text).ok_or(Failure::Cancelled))
            }
        }
    }

    fn shown<'s, S: Source>(
        &'s self,
        ask: &'s BoardAsk,
        world: &'s World<S>,
    ) -> Option<Shown<'s, S>> {
        let (_, table) = of(ask, world)?;
        let (_, found) = self.found.as_ref()?;
        let (_, window) = self.window.as_ref()?;
        let note = self.note.as_deref();
        Some(Shown { ask, table, found, window, note, format: table.data_format()? })
    }

    /// Finds the partition, and decodes what lies around the chosen item.
    fn come<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Come {
        let Some((id, table)) = of(ask, world) else {
            self.found = None;
            return Come::Not("Data.db is not here: add the file to see rows.".to_owned());
        };
        let (mut reader, format) = match readable(table) {
            Ok(readable) => readable,
            Err(why) => {
                self.found = None;
                return Come::Not(why);
            }
        };
        let (query, mut note) = (Query::of(ask), None);
        let key = key_of(&ask.place);
        let chunk_at =
            query.chunk.map(|chunk| chunk.saturating_mul(chunk_bytes(table).unwrap_or(65_536)));
        let item = match &query.to {
            Some(Goto::At(at)) => Some(*at),
            _ => query.item.or(chunk_at.filter(|_| key.is_none())),
        };
        let wanted = match (&key, item) {
            (Some(key), _) => Wanted::Key(key.clone()),
            (None, Some(at)) => Wanted::At(at),
            (None, None) => Wanted::First,
        };
        // The partition that is known holds the next position too, most of the time.
        let is_known = self.found.as_ref().is_some_and(|((known, of), found)| {
            let holds = |at: &u64| (found.at..found.end).contains(at);
            *known == id && (*of == wanted || matches!(&wanted, Wanted::At(at) if holds(at)))
        });
        if !is_known {
            (self.found, self.decoding, self.window) = (None, None, None);
            match find(table, &wanted, reader.len()) {
                Ok(found) => self.found = Some(((id, wanted), found)),
                Err(why) => return Come::Not(why),
            }
        }
        let Some((_, found)) = &self.found else { return Come::Ready };
        let target = match self.target(ask, &query, table, found, item) {
            Ok(target) => target,
            Err(why) => {
                // What is typed wrong leaves the rows as they are.
                note = Some(why);
                let at = item.unwrap_or(found.at);
                Target::At(at.clamp(found.at, found.end.saturating_sub(1).max(found.at)))
            }
        };
        let what = (id, found.at, target.clone());
        self.note = note;
        if self.window.as_ref().is_some_and(|(known, _)| *known == what) {
            return Come::Ready;
        }
        let begun = self.decoding.take().filter(|(known, _)| *known == what);
        let mut decoding = begun.map_or_else(|| Decoding::new(format, found, target), |(_, it)| it);
        loop {
            for _ in 0..BATCH {
                if decoding.is_done() {
                    let (is_row, window) = (decoding.is_of_row(), decoding.into_window());
                    let Some(chosen) = window.entries.get(window.chosen).filter(|_| is_row) else {
                        self.window = Some((what, window));
                        return Come::Ready;
                    };
                    // A row that was looked for is shown as it is when its position is given.
                    let (target, format) = (Target::At(chosen.at), table.data_format());
                    let Some(format) = format else { return Come::Ready };
                    decoding = Decoding::new(format, found, target);
                    continue;
                }
                decoding.step(&mut reader, table.clustering_schema());
            }
            if over() {
                let (done, of) = decoding.progress();
                self.decoding = Some((what, decoding));
                return Come::Working(done, of);
            }
        }
    }

    /// The item that is meant: what was typed, else the chosen one, else the row of the address, else the first.
    fn target<S: Source>(
        &self,
        ask: &BoardAsk,
        query: &Query,
        table: &Table<S>,
        found: &Found,
        item: Option<u64>,
    ) -> Result<Target, String> {
        let row = |text: &str| {
            let schema =
                table.clustering_schema().ok_or("The clustering columns are not known.")?;
            let row = schema.parse(table.dialect(), text).map_err(|error| error.to_string())?;
            Ok(Target::Row(row))
        };
        let inside = |at: u64| at.clamp(found.at, found.end.saturating_sub(1).max(found.at));
        match (&query.to, item) {
            (Some(Goto::Block(block)), _) => {
                let block = found.blocks.iter().find(|it| it.number == *block);
                block.map(|block| Target::At(block.at)).ok_or_else(|| match found.count {
                    0 => "This partition has no row index: it is one block.".to_owned(),
                    count => format!("The partition has blocks 0 to {}.", count - 1),
                })
            }
            (Some(Goto::Row(text)), _) => row(text),
            (_, Some(at)) => Ok(Target::At(inside(at))),
            (_, None) => match Address::parse(&ask.place).ask.row.filter(|row| !row.is_empty()) {
                Some(text) => row(&text),
                None => Ok(Target::At(found.at)),
            },
        }
    }
}

/// The SSTable with Data.db, and its number.
fn of<'w, S: Source>(ask: &BoardAsk, world: &'w World<S>) -> Option<(TableId, &'w Table<S>)> {
    let table = table_with(world, ask.tables, Part::Data)?;
    let ids = [ask.tables.0, ask.tables.1].into_iter().flatten();
    let mut found = ids.filter(|id| world.table(*id).is_some_and(|it| std::ptr::eq(it, table)));
    found.next().map(|id| (id, table))
}

/// A reader of the rows, or a sentence that says why there is none.
fn readable<S: Source>(table: &Table<S>) -> Result<(DataReader<'_, S>, DataFormat), String> {
    let reader = table.data_reader().map_err(|why| match why {
        NotConfirmed::NoData => "Data.db is not here: add the file to see rows.".to_owned(),
        NotConfirmed::NoCompressionInfo => {
            "Without CompressionInfo.db, Data.db cannot be decompressed. All index views work.".to_owned()
        }
        NotConfirmed::UnknownCompressor { name } => {
            format!("The compressor {name} is not known here, so rows cannot be read. All index views work.")
        }
        NotConfirmed::Version => "Rows of this version are not decoded here.".to_owned(),
        NotConfirmed::Damaged(error) => format!("CompressionInfo.db cannot be read: {error}."),
    })?;
    let format = table.data_format().ok_or(
        "Without the types in Statistics.db, rows cannot be decoded. All index views work.",
    )?;
    Ok((reader.streaming(), format))
}

/// Bytes of a chunk, where Data.db is compressed.
fn chunk_bytes<S: Source>(table: &Table<S>) -> Option<u64> {
    table.compression.as_ref().map(|info| u64::from(info.chunk_length).max(1))
}
