//! The view *Trie*: the nodes of a trie in their pages, an icicle of all that lies below one of them, and the way along a
//! key; of the partitions, and of the rows of one of them.
//!
//! What takes a walk over many nodes is counted or searched in slices and kept between two questions; the rest of a board
//! reads the nodes of one path and of one page.

mod counts;
mod descent;
mod draw;
mod icicle;
mod model;
mod nodes;
mod open;
mod opened;
mod query;
mod search;
mod side;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod text;
mod top;

use crate::board::{BoardAsk, value};
use crate::model::Failure;
use crate::state::address::Address;
use crate::worker::protocol::Which;
use crate::worker::world::World;
use crate::workshop::jobs::Slice;
use crate::workshop::protocol::Reply;
use counts::Counts;
use model::Model;
use open::Open;
use query::Query;
use search::{Search, Wanted};
use triescope_core::bti::RowIndex;
use triescope_core::keys::{Bound, KeyInput, token_bound};
use triescope_core::lookup::LeafTarget;
use triescope_core::pos::FilePos;
use triescope_core::source::{Pages, Source};
use triescope_core::table::{Part, Table};

/// Pages of a component whose nodes are counted without being asked to: 8 MiB.
const COUNTED: u64 = 2048;
/// Counts that are kept.
const KEPT: usize = 3;
/// Partitions with a row trie that are listed at once.
pub const LISTED: usize = 20;

/// What is kept between two questions.
#[derive(Debug, Default)]
pub struct Trie {
    tables: Which,
    counts: Vec<Counts>,
    searches: Vec<Search>,
}

/// What a question needs before it can be answered.
enum Gathered {
    /// More time.
    More(u64, u64),
    /// Nothing.
    Ready(Box<Model>),
}

impl Trie {
    /// A slice of the work on a board.
    pub fn board<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Slice {
        self.slice(ask, world, over, |model, ask| Reply::Board(Box::new(top::board(model, ask))))
    }

    /// A slice of the work on what is shown as text.
    pub fn text<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Slice {
        self.slice(ask, world, over, |model, ask| {
            let form = value(&ask.query, "text").unwrap_or_default();
            Reply::Text(text::text(model, &form))
        })
    }

    fn slice<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
        answer: impl Fn(&Model, &BoardAsk) -> Reply,
    ) -> Slice {
        if self.tables != ask.tables {
            *self = Self { tables: ask.tables, ..Self::default() };
        }
        let tables = [ask.tables.0, ask.tables.1].into_iter().flatten();
        let tables: Vec<&Table<S>> = tables.filter_map(|id| world.table(id)).collect();
        if tables.is_empty() {
            return Slice::Done(Err(Failure::Cancelled));
        }
        let with_trie = tables.iter().find(|it| it.source(Part::Partitions).is_some());
        let Some(table) = with_trie else {
            let model = Model::without(
                Query::of(ask),
                "There is no trie here: the index of this SSTable is Index.db.",
            );
            return Slice::Done(Ok(answer(&model, ask)));
        };
        match self.gather(ask, table, over) {
            Gathered::More(done, of) => Slice::More(Some(Reply::Progress(done, of))),
            Gathered::Ready(model) => Slice::Done(Ok(answer(&model, ask))),
        }
    }

    fn gather<S: Source>(
        &mut self,
        ask: &BoardAsk,
        table: &Table<S>,
        over: &dyn Fn() -> bool,
    ) -> Gathered {
        let mut query = Query::of(ask);
        let ready = |model: Model| Gathered::Ready(Box::new(model));
        let Some(partitions) = Open::partitions(table) else {
            let why = "The footer of Partitions.db cannot be read, so where its trie begins is not known.";
            return ready(Model::without(query, why));
        };
        let mut notes = Vec::new();
        let key = asked_key(ask, table, &mut notes);
        let mut listed = None;
        let mut row_trie = None;
        if query.part == Part::Rows {
            if table.source(Part::Rows).is_none_or(|rows| rows.len() == 0) {
                let why = "Rows.db is empty: no partition has a row index. Normal for this table.";
                let mut model = Model::without(query, why);
                model.has_partitions = true;
                return ready(model);
            }
            let wanted = Wanted::Entries(query.list, LISTED);
            let search = match self.search(&partitions, wanted, over) {
                Ok(search) => search,
                Err((done, of)) => return Gathered::More(done, of),
            };
            let (entries, more) = search.entries();
            listed = Some((entries.to_vec(), more));
            let at = match key.as_deref().map(|key| entry_of(&partitions, key)) {
                Some(Ok(at)) => Some(at),
                Some(Err(why)) => {
                    notes.push(why);
                    None
                }
                None => None,
            };
            match at.or_else(|| entries.first().copied()).map(|at| Open::rows(table, at)) {
                Some(Ok(open)) => row_trie = Some(open),
                Some(Err(why)) => return ready(Model::without(query, &why)),
                None => {
                    let why = "No partition with a row trie comes here.";
                    return ready(Model::without(query, why));
                }
            }
        }
        let open = row_trie.unwrap_or(partitions);

        // Which node.
        let wanted = match wanted_path(ask, &open, &mut query, key.as_deref()) {
            Ok(wanted) => wanted,
            Err(why) => {
                notes.push(why);
                Found::Path(None)
            }
        };
        let path = match wanted {
            Found::Path(path) => path,
            Found::Search(wanted) => match self.search(&open, wanted, over) {
                Err((done, of)) => return Gathered::More(done, of),
                Ok(search) => match (search.path(), wanted) {
                    (Some(path), _) => {
                        query.find = None;
                        Some(path)
                    }
                    (None, Wanted::Rank(_)) => {
                        notes.push(format!("There are {}.", open.things(search.passed())));
                        None
                    }
                    (None, _) => {
                        if let Some(node) = query.node.take() {
                            notes.push(format!("No node of this trie begins at {node}."));
                        }
                        None
                    }
                },
            },
        };

        // What lies below.
        let counted = query.count || open.pages() <= COUNTED;
        let mut all = None;
        let mut below = None;
        if counted {
            match self.count(&open, open.root, over) {
                Ok(at) => all = Some(at),
                Err((done, of)) => return Gathered::More(done, of),
            }
        }
        let steps = open.follow(&query.from);
        query.from = steps.last().map(|step| step.path.clone()).unwrap_or_default();
        if query.icicle && !query.from.is_empty() && counted {
            let from = steps.last().map_or(open.root, |step| step.at);
            match self.count(&open, from, over) {
                Ok(at) => below = Some(at),
                Err((done, of)) => return Gathered::More(done, of),
            }
        }
        let find = |at: Option<FilePos>| {
            let at = at?;
            self.counts.iter().find(|counts| counts.of == (open.part, at))
        };
        ready(Model::new(&open, query, path, notes, listed, (find(all), find(below))))
    }

    /// A search, done.
    fn search<S: Source>(
        &mut self,
        open: &Open<'_, S>,
        wanted: Wanted,
        over: &dyn Fn() -> bool,
    ) -> Result<&Search, (u64, u64)> {
        let of = (open.part, open.root, wanted);
        let at = self.searches.iter().position(|it| it.of == of);
        let mut search = match at {
            Some(at) => self.searches.remove(at),
            None => Search::new(open.part, open.root, wanted, open.source.len()),
        };
        let done = search.go_on(open.source, over);
        let progress = search.progress();
        self.searches.truncate(KEPT);
        self.searches.insert(0, search);
        match (done, self.searches.first()) {
            (true, Some(search)) => Ok(search),
            _ => Err(progress),
        }
    }

    /// The counts of what lies below a node, done; says where they begin.
    fn count<S: Source>(
        &mut self,
        open: &Open<'_, S>,
        from: FilePos,
        over: &dyn Fn() -> bool,
    ) -> Result<FilePos, (u64, u64)> {
        let of = (open.part, from);
        let mut counts = match self.counts.iter().position(|it| it.of == of) {
            Some(at) => self.counts.remove(at),
            None => Counts::new(open.part, from, open.source.len()),
        };
        let done = counts.go_on(open.source, over);
        let progress = counts.progress();
        self.counts.truncate(KEPT);
        self.counts.insert(0, counts);
        if done { Ok(from) } else { Err(progress) }
    }
}

/// What leads to the selected node.
enum Found {
    /// Its path; `None` is the first leaf.
    Path(Option<Vec<u8>>),
    /// A walk.
    Search(Wanted),
}

fn wanted_path<S: Source>(
    ask: &BoardAsk,
    open: &Open<'_, S>,
    query: &mut Query,
    key: Option<&[u8]>,
) -> Result<Found, String> {
    if let Some(find) = query.find.clone() {
        let found = find_path(open, find.trim())?;
        if let Found::Path(_) = found {
            query.find = None;
            query.open = None;
        }
        return Ok(found);
    }
    if let Some(path) = &query.path {
        let ends_at = open.follow(path).last().map(|step| step.at);
        if query.node.is_none() || query.node == ends_at {
            return Ok(Found::Path(Some(path.clone())));
        }
    }
    if let Some(node) = query.node.filter(|node| node.0 < open.source.len()) {
        return Ok(Found::Search(Wanted::At(node)));
    }
    match (open.part, key) {
        (Part::Rows, _) => {
            let ck = Address::parse(&ask.place).ask.row;
            match ck {
                Some(ck) => find_path(open, &ck),
                None => Ok(Found::Path(None)),
            }
        }
        (_, Some(key)) => Ok(Found::Path(Some(open.comparable(key)))),
        _ => Ok(Found::Path(None)),
    }
}

/// What was typed: `#rank`, bytes of the path, a key, a token; of a row trie the clustering key.
fn find_path<S: Source>(open: &Open<'_, S>, text: &str) -> Result<Found, String> {
    if let Some(rank) = text.strip_prefix('#') {
        let rank = rank.replace(',', "");
        let rank: u64 =
            rank.parse().map_err(|_| format!("“{text}” is no rank: #1 is the first."))?;
        return Ok(Found::Search(Wanted::Rank(rank.max(1))));
    }
    if let Some(path) = text.strip_prefix("path:") {
        let path = query::unhex(&path.replace(' ', ""));
        let path = path.ok_or("A path is given in pairs of hexadecimal digits: path:404f7f32.")?;
        return Ok(Found::Path(Some(path)));
    }
    let table = open.table;
    if open.part == Part::Rows {
        let schema =
            table.clustering_schema().ok_or("The types of the clustering key are not known.")?;
        let target = schema.parse(table.dialect(), text).map_err(|error| error.to_string())?;
        let entry = open.entry.as_ref().ok_or("There is no entry of Rows.db.")?;
        let mut unheard = ();
        let mut pages = Pages::new(Part::Rows, open.source, &mut unheard);
        let floor = RowIndex::new(entry).floor(&mut pages, &target.comparable);
        let floor = floor.map_err(|error| error.to_string())?;
        return Ok(Found::Search(Wanted::At(floor.block.node)));
    }
    let input = table.key_schema().parse(&table.partitioner(), text);
    let path = match input.map_err(|error| error.to_string())? {
        KeyInput::Key(key) => open.comparable(&key),
        KeyInput::Token(token) => token_bound(&token, Bound::Before).unwrap_or_default(),
    };
    Ok(Found::Path(Some(path)))
}

/// The key of the address, serialized; what is wrong with it is noted.
fn asked_key<S: Source>(
    ask: &BoardAsk,
    table: &Table<S>,
    notes: &mut Vec<String>,
) -> Option<Vec<u8>> {
    let text = Address::parse(&ask.place).ask.key?;
    match table.key_schema().parse(&table.partitioner(), &text) {
        Ok(KeyInput::Key(key)) => Some(key),
        Ok(KeyInput::Token(_)) => None,
        Err(error) => {
            notes.push(error.to_string());
            None
        }
    }
}

/// Where the entry of a partition lies in Rows.db.
fn entry_of<S: Source>(partitions: &Open<'_, S>, key: &[u8]) -> Result<FilePos, String> {
    let steps = partitions.follow(&partitions.comparable(key));
    let leaf = steps.last().and_then(|step| step.seen.as_ref().ok()?.leaf);
    let text = partitions.table.key_schema().to_text(key);
    let none = || {
        format!("Partition {text} has no row trie: it has fewer than two blocks, or is not here.")
    };
    let Some(LeafTarget::Rows(at)) = leaf.map(|leaf| leaf.target()) else { return Err(none()) };
    let rows = partitions.table.source(Part::Rows).ok_or("Rows.db is not here.")?;
    if open::entry(rows, at)?.key == key { Ok(at) } else { Err(none()) }
}
