//! What stands where on the map: the row above, the sentence, the picture, what its colours mean, and the other colours
//! in little.

use super::boxes::{self, MOST_BOXES, boxes, classes};
use super::cells::{self, cells, little};
use super::query::{By, PARTS, Query};
use super::side;
use super::tile::{Facts, Tiles};
use crate::board::{Board, BoardAsk, Part as Piece};
use crate::layout::Scene;
use crate::words::{about, count, mean};
use crate::worker::world::World;
use crate::workshop::family::{FAMILIES, sign, words};
use crate::workshop::html::{Does, Key, escape, keys, picture, seg};
use crate::workshop::links::Links;
use crate::workshop::pages::{Tab, tabs};
use crate::workshop::selection::{table_with, word};
use triescope_core::census::shares;
use triescope_core::lookup::words::number;
use triescope_core::source::Source;
use triescope_core::table::Part;

/// From this width on the panel stands beside the picture, with this width of its own.
const WIDE: u32 = 1200;
const SIDE: u32 = 352;
/// Below this width there is one column.
pub const PHONE: u32 = 720;
/// What a scroll bar may take.
const BAR: u32 = 16;

/// How much of it is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// All of it.
    pub done: bool,
    /// Nothing, until a person asks for it.
    pub waits: bool,
    /// Pages of how many.
    pub pages: Option<(u64, u64)>,
}

/// Room for pictures in a view of this width.
pub fn room(width: u32) -> f64 {
    f64::from(match width {
        WIDE.. => width - SIDE - 48 - BAR,
        PHONE.. => width - 48 - BAR,
        _ => width.saturating_sub(32).max(280),
    })
}

/// A number with its groups.
pub fn n(number_of: u64) -> String {
    number(number_of, ',')
}

/// `67.7 %` of something.
pub fn percent(of: u64, all: u64) -> String {
    mean(of.saturating_mul(100), all, 1).map_or("–".to_owned(), |mean| format!("{mean} %"))
}

/// What is counted in a component.
pub fn noun(part: Part) -> (&'static str, &'static str) {
    match part {
        Part::Data => ("chunk", "chunks"),
        _ => ("page", "pages"),
    }
}

/// Where no component has a map.
pub fn none<S: Source>(ask: &BoardAsk, world: &World<S>) -> Board {
    let said = "No component with pages is open: neither an index nor Data.db.";
    let head = format!("{}<div class=\"what\"><h1>Map</h1></div>", tabs(ask, world, Tab::Map));
    let main = vec![piece("map", format!("<p class=\"say\">{said}</p>"))];
    let query = Query::of(ask).put(&ask.query);
    assemble(query, head, said.to_owned(), main, Vec::new())
}

fn assemble(
    query: String,
    head: String,
    said: String,
    main: Vec<Piece>,
    side: Vec<Piece>,
) -> Board {
    Board {
        query,
        at: 0,
        of: 0,
        ticks: (String::new(), String::new()),
        said,
        is_worth_saying: false,
        sentence: String::new(),
        head,
        main,
        side,
    }
}

/// A piece of the board.
pub fn piece(class: &str, html: String) -> Piece {
    Piece { class: class.to_owned(), title: String::new(), html }
}

/// How the pages that are shown lie.
enum Plan {
    Boxes(boxes::Plan),
    Cells(cells::Plan),
}

/// The board of what is counted so far.
pub fn board<S: Source>(
    ask: &BoardAsk,
    query: Query,
    world: &World<S>,
    tiles: &Tiles<'_>,
    seen: &Seen,
) -> Board {
    let (facts, len, part) = (Facts::of(tiles), tiles.len(), tiles.part);
    let mut query = Query { part: Some(part), ..query };
    if query.by.why_not(part).is_some() {
        query.by = By::Family;
    }
    query.span = query.span.filter(|span| *span < len);
    query.page = query.page.map(|page| page.min(len.saturating_sub(1))).filter(|_| len > 0);
    query.list = if query.list < len { query.list } else { 0 };
    if query.page.is_none() && seen.done {
        query.page = facts.ranked(tiles, 0, 1).first().copied();
    }
    let canonical = query.put(&ask.query);
    let shown = BoardAsk { query: canonical.clone(), ..ask.clone() };
    let map = MapOf { ask: &shown, query, tiles, facts: &facts, seen };
    let (picture, plan) = map.picture();
    let said = format!("{}{}", map.progress(), map.sentence());
    let mut sentence = escape(&said);
    if seen.waits {
        let to = map.to(Query { all: true, ..query });
        sentence += &format!(" <a id=\"count\" href=\"{}\">Count them</a>", escape(&to));
    }
    let sentence = format!("<p class=\"say\">{sentence}</p>");
    let mut main =
        vec![piece("map", format!("{sentence}{}{picture}{}", map.place(&plan), map.legend()))];
    if seen.done && len > 0 {
        main.push(piece("map little", map.littles()));
    }
    let head = format!("{}{}", map.head(world), keys(&map.keys(&plan)));
    let side = side::side(&map, world, room(ask.width));
    assemble(canonical, head, said, main, side)
}

/// A map that is put together.
pub struct MapOf<'a> {
    pub ask: &'a BoardAsk,
    pub query: Query,
    pub tiles: &'a Tiles<'a>,
    pub facts: &'a Facts,
    pub seen: &'a Seen,
}

impl MapOf<'_> {
    /// The address of another query.
    pub fn to(&self, query: Query) -> String {
        Links(self.ask).to(&query.put(&self.ask.query))
    }

    /// The address of the same map with another page chosen.
    pub fn page(&self, page: u64) -> String {
        self.to(Query { page: Some(page), ..self.query })
    }

    fn head<S: Source>(&self, world: &World<S>) -> String {
        let (part, len) = (self.tiles.part, self.tiles.len());
        let phone = self.ask.width < PHONE;
        let (one, many) = noun(part);
        let bytes =
            if phone { about(self.tiles.bytes) } else { format!("{} B", n(self.tiles.bytes)) };
        let title = format!(
            "<div class=\"what\"><h1>{} <span class=\"q\">of {}, {bytes}</span></h1></div>",
            escape(&count(len, one, many)),
            part.file_name()
        );
        let is_here = |part: &&Part| table_with(world, self.ask.tables, **part).is_some();
        let parts: Vec<_> = PARTS
            .iter()
            .filter(is_here)
            .map(|other| {
                let query =
                    Query { part: Some(*other), page: None, span: None, list: 0, ..self.query };
                let name = if phone { word(*other) } else { other.file_name() };
                (format!("part-{}", word(*other)), name, *other == part, self.to(query))
            })
            .collect();
        let parts = seg("Component", &parts);
        let by = By::ALL.map(|by| match by.why_not(part) {
            Some(why) => format!(
                "<span id=\"by-{}\" class=\"off\" role=\"link\" aria-disabled=\"true\" title=\"{why}\">{}<span class=\"vh\">: {why}</span></span>",
                by.word(),
                by.name(part)
            ),
            None => format!(
                "<a id=\"by-{}\" href=\"{}\"{}>{}</a>",
                by.word(),
                escape(&self.to(Query { by, ..self.query })),
                if by == self.query.by { " aria-current=\"true\"" } else { "" },
                by.name(part)
            ),
        });
        let by =
            format!("<nav class=\"seg map-by\" aria-label=\"Coloured by\">{}</nav>", by.concat());
        let options = match phone {
            true => format!(
                "<details class=\"opts\"><summary>Component, colour</summary>{parts}{by}</details>"
            ),
            false => format!("<div class=\"opts\">{parts}{by}</div>"),
        };
        format!("{}{title}{options}", tabs(self.ask, world, Tab::Map))
    }

    /// How far counting has come.
    fn progress(&self) -> String {
        match self.seen.pages {
            Some((_, of)) if self.seen.waits => {
                format!("Counting reads the whole index, {}.", about(of.saturating_mul(4096)))
            }
            Some((done, of)) => format!("{} of {} pages are read. ", n(done), n(of)),
            None => String::new(),
        }
    }

    fn sentence(&self) -> String {
        let (facts, tiles, part) = (self.facts, self.tiles, self.tiles.part);
        let len = tiles.len();
        if self.seen.waits {
            return String::new();
        }
        if len == 0 {
            let why = match part {
                Part::Rows => "no partition has a row index. Normal for this table",
                _ => "there is nothing in it",
            };
            return format!("{} is empty: {why}.", part.file_name());
        }
        let damage = match facts.faulty {
            0 => String::new(),
            1 => " One page cannot be read whole: what lies below it is not counted.".to_owned(),
            many => format!(
                " {} pages cannot be read whole: what lies below them is not counted.",
                n(many)
            ),
        };
        let said = match part {
            Part::Partitions | Part::Rows => self.fill(),
            Part::Index => {
                let each = mean(facts.nodes.0, len, 0).unwrap_or_default();
                let hot = facts.hottest.filter(|(_, lookups)| *lookups > 0);
                let hot = hot.map_or(String::new(), |(page, lookups)| {
                    format!(" Page {} is read most: by {} lookups, as Cassandra scans from a sample on.", n(page), n(lookups))
                });
                format!(
                    "{}, {each} a page, follow one another without padding.{hot}",
                    count(facts.nodes.0, "entry", "entries")
                )
            }
            Part::Summary => format!(
                "{}, {} a page. A database keeps all of it in memory, so no lookup reads a page of it.",
                count(facts.nodes.0, "sample", "samples"),
                mean(facts.nodes.0, len, 0).unwrap_or_default()
            ),
            _ => self.chunks(),
        };
        said + &damage
    }

    fn fill(&self) -> String {
        let (facts, part) = (self.facts, self.tiles.part);
        let Some((page, room)) = facts.emptiest else { return String::new() };
        if self.tiles.len() == 1 {
            let tile = self.tiles.get(0);
            return format!(
                "All of {} lies in one page, filled to {}.",
                part.file_name(),
                percent(tile.used(), tile.len)
            );
        }
        let mut said = format!(
            "Full pages are filled to {} on average; the emptiest is page {} with {} B of padding.",
            percent(facts.used, facts.full.saturating_mul(4096)),
            n(page),
            n(room)
        );
        if facts.single && self.seen.done && facts.full > 1 {
            said += &format!(" Each holds one of {}", count(facts.full, "subtree", "subtrees"));
            said += match facts.least[0].saturating_add(facts.least[1]) > 4096 {
                true => ": no two are small enough to share a page.",
                false => ".",
            };
        }
        said
    }

    fn chunks(&self) -> String {
        let facts = self.facts;
        let largest = facts.ranked(self.tiles, 0, 1).first().copied().unwrap_or(0);
        let tile = self.tiles.get(largest);
        if facts.bytes.0 <= facts.bytes.1 {
            return format!(
                "Data.db is not compressed: {} of 65,536 B, as far as one checksum reaches.",
                count(self.tiles.len(), "chunk", "chunks")
            );
        }
        format!(
            "Chunks are stored in {} of their bytes; the largest is chunk {} with {} B of {}.",
            percent(facts.bytes.1, facts.bytes.0),
            n(largest),
            n(tile.used()),
            n(tile.len)
        )
    }

    /// The pages that are shown: the first, and how many.
    fn range(&self) -> (u64, u64) {
        let len = self.tiles.len();
        match self.query.span {
            None => (0, len),
            Some(span) => {
                let first = self.query.page.unwrap_or(0) / span * span;
                (first, span.min(len.saturating_sub(first)))
            }
        }
    }

    fn picture(&self) -> (String, Plan) {
        let (first, pages) = self.range();
        let (width, by) = (room(self.ask.width), self.query.by);
        if pages <= MOST_BOXES {
            let plan = boxes::Plan::new(first, pages, width);
            let scene = boxes(self.tiles, self.facts, by, &plan, self.query.page, width);
            let leads = |hit: u32| self.page(first + u64::from(hit));
            return (self.scene(&scene, &leads), Plan::Boxes(plan));
        }
        let plan = cells::Plan::new(first, pages, width);
        let scene = cells(self.tiles, self.facts, by, &plan, self.query.page, width);
        let leads = |hit: u32| {
            let from = first + u64::from(hit) * plan.span;
            let pages = from..(from + plan.span).min(first + pages);
            let worst = pages.max_by_key(|no| {
                let tile = self.tiles.get(*no);
                (tile.faults, tile.worth(by), u64::MAX - no)
            });
            self.to(Query { page: worst, span: Some(plan.span), ..self.query })
        };
        (self.scene(&scene, &leads), Plan::Cells(plan))
    }

    fn scene(&self, scene: &Scene, leads: &dyn Fn(u32) -> String) -> String {
        picture(scene, leads)
    }

    /// Which pages are shown, where that are not all, and what a cell is.
    fn place(&self, plan: &Plan) -> String {
        let (first, pages) = self.range();
        let (_, many) = noun(self.tiles.part);
        let mut out = String::new();
        if let Plan::Cells(plan) = plan {
            let what = match plan.per {
                1 => format!("A cell of {0} × {0} px is a {1}", plan.px, noun(self.tiles.part).0),
                per => format!(
                    "A cell of {0} × {0} px is {per} {many}, of which the worst wins",
                    plan.px
                ),
            };
            let opens = format!("an area of 48 px opens as {} {many}", n(plan.span));
            out += &format!("<p class=\"c\">{what}; {opens}.</p>");
        }
        if self.query.span.is_some() {
            let all = self.to(Query { span: None, ..self.query });
            out += &format!(
                "<p class=\"c\">{many} {} to {} of {}. <a id=\"span-all\" href=\"{}\">Show all</a></p>",
                n(first),
                n((first + pages).saturating_sub(1)),
                n(self.tiles.len()),
                escape(&all)
            );
        }
        out
    }

    /// What the colours mean.
    fn legend(&self) -> String {
        let (part, by, facts) = (self.tiles.part, self.query.by, self.facts);
        let item = |sign: String, words: &str| format!("<span>{sign}{}</span>", escape(words));
        let hatch = "<svg class=\"gl\" width=\"12\" height=\"12\" aria-hidden=\"true\"><path d=\"M0 0h12v12H0z\" class=\"pad-bg\"/><path d=\"M0 5L5 0M0 11L11 0M6 12L12 6\" class=\"hatch\"/></svg>".to_owned();
        let square = |class: &str| {
            format!(
                "<svg class=\"gl\" width=\"12\" height=\"12\" aria-hidden=\"true\"><path d=\"M0 0h12v12H0z\" class=\"{class}\"/></svg>"
            )
        };
        let fault =
            if facts.faulty > 0 { item(square("fault"), "a finding") } else { String::new() };
        let (one, _) = noun(part);
        let words = match (by, part) {
            (By::Family, Part::Partitions | Part::Rows) => {
                let families = FAMILIES.map(|family| item(sign(family), words(family))).concat();
                let other = if part == Part::Rows { "entries" } else { "keys and footer" };
                format!(
                    "{families}{}{}<span class=\"c\">a box is a page; the height of a colour is its share of the bytes</span>",
                    item(square("f-other"), other),
                    item(hatch, "padding")
                )
            }
            (By::Family, Part::Data) => format!(
                "{}<span class=\"c\">a box is a chunk before compression; what is white is saved</span>",
                item(square("d-st"), "stored bytes")
            ),
            (By::Family, _) => {
                let named = shares(part)
                    .into_iter()
                    .zip(classes(part))
                    .filter(|(name, _)| !name.is_empty());
                named.map(|(name, class)| item(square(class), name)).collect()
            }
            (By::Fill, _) => shades(
                &format!(
                    "stronger: more padding, {} to {} B a full page",
                    n(facts.room.0.min(facts.room.1)),
                    n(facts.room.1)
                ),
                "sh",
            ),
            (By::Depth, _) => shades(
                &format!(
                    "stronger: farther from the root, {} to the topmost node",
                    count(facts.depth, "byte at most", "bytes at most")
                ),
                "sh",
            ),
            (By::Lookups, Part::Data) => shades("stronger: more partitions start there", "he"),
            (By::Lookups, _) => {
                shades("stronger: read by more lookups, when each key is looked up once", "he")
            }
            (By::Findings, _) => format!(
                "<span class=\"c\">a red mark: a {one} where something cannot be read</span>"
            ),
        };
        format!("<p class=\"legend\">{words}{fault}</p>")
    }

    fn littles(&self) -> String {
        let facts = self.facts;
        let room = room(self.ask.width);
        let width = if self.ask.width < PHONE { room } else { ((room - 48.0) / 3.0).floor() };
        let one = |by: By, caption: String| {
            if self.query.by == by || by.why_not(self.tiles.part).is_some() {
                return String::new();
            }
            let scene = little(self.tiles, facts, by, width);
            let name = by.name(self.tiles.part);
            let name = name.get(..1).unwrap_or_default().to_uppercase()
                + name.get(1..).unwrap_or_default();
            format!(
                "<figure><figcaption><a id=\"little-{}\" href=\"{}\">{name}</a> <span class=\"c\">{}</span></figcaption>{}</figure>",
                by.word(),
                escape(&self.to(Query { by, ..self.query })),
                escape(&caption),
                picture(&scene, &|_| String::new())
            )
        };
        let full = |room: u64| percent(4096u64.saturating_sub(room), 4096);
        let fill = match facts.full {
            0 => "stronger: less".to_owned(),
            _ => format!(
                "stronger: less; {} to {}",
                full(facts.room.1).trim_end_matches(" %"),
                full(facts.room.0)
            ),
        };
        let lookups = match self.tiles.part {
            Part::Data => "partitions that start in a chunk".to_owned(),
            _ => {
                let last = self.tiles.get(self.tiles.len().saturating_sub(1)).lookups;
                let last = match last > facts.lookups.1 {
                    true if last == facts.nodes.1 => ", last page all".to_owned(),
                    true => format!(", last page {}", n(last)),
                    false => String::new(),
                };
                format!(
                    "of all keys once: {} to {}{last}",
                    n(facts.lookups.0.min(facts.lookups.1)),
                    n(facts.lookups.1)
                )
            }
        };
        let findings = match facts.faulty {
            0 => "none in this file".to_owned(),
            some => count(some, "page with one", "pages with some"),
        };
        let depth = format!(
            "stronger: farther from the root, up to {}",
            count(facts.depth, "byte", "bytes")
        );
        let depth = if self.query.by == By::Family { String::new() } else { one(By::Depth, depth) };
        one(By::Fill, fill) + &depth + &one(By::Lookups, lookups) + &one(By::Findings, findings)
    }

    fn keys(&self, plan: &Plan) -> Vec<Key> {
        let (len, page) = (self.tiles.len(), self.query.page.unwrap_or(0));
        let last = len.saturating_sub(1);
        let go = |to: u64| {
            if len > 0 && to != page { Does::Leads(self.page(to)) } else { Does::Nothing }
        };
        let row = match plan {
            Plan::Boxes(plan) => plan.columns,
            Plan::Cells(plan) => plan.span,
        };
        let key = |key, shown, words, does| Key { key, shown, words, does };
        let span = match plan {
            Plan::Cells(plan) => Some(plan.span),
            Plan::Boxes(_) => None,
        };
        let nearer = span.map_or(Does::Nothing, |span| {
            Does::Leads(self.to(Query { span: Some(span), ..self.query }))
        });
        let farther = self.query.span.map_or(Does::Nothing, |span| {
            let span = span.checked_mul(64).filter(|span| *span < len);
            Does::Leads(self.to(Query { span, ..self.query }))
        });
        let finding = |forward: bool| {
            let mut pages: Box<dyn Iterator<Item = u64>> = match forward {
                true => Box::new(page + 1..len),
                false => Box::new((0..page).rev()),
            };
            let found = (self.facts.faulty > 0)
                .then(|| pages.find(|no| self.tiles.get(*no).faults > 0))
                .flatten();
            found.map_or(Does::Nothing, |no| Does::Leads(self.page(no)))
        };
        vec![
            key("ArrowLeft", "←", "page before", go(page.saturating_sub(1))),
            key("ArrowRight", "→", "next page", go((page + 1).min(last))),
            key("ArrowUp", "↑", "a row up", go(page.checked_sub(row).unwrap_or(page))),
            key(
                "ArrowDown",
                "↓",
                "a row down",
                go(if page + row <= last { page + row } else { page }),
            ),
            key("[", "[", "page before", go(page.saturating_sub(1))),
            key("]", "]", "next page", go((page + 1).min(last))),
            key("Home", "Home", "first page", go(0)),
            key("End", "End", "last page", go(last)),
            key("Enter", "Enter", "open the page", Does::Leads(side::opened(self))),
            key("n", "n", "next page with a finding", finding(true)),
            key("N", "N", "page before with a finding", finding(false)),
            key("+", "+", "nearer", nearer),
            key("-", "−", "farther", farther),
            key("0", "0", "all pages", Does::Leads(self.to(Query { span: None, ..self.query }))),
            key(
                "c",
                "c",
                "copy the page’s position",
                Does::Copies(page.saturating_mul(4096).to_string()),
            ),
        ]
    }
}

/// Shades from light to dark, with what they mean.
fn shades(words: &str, class: &str) -> String {
    let squares: String = (1..=8)
        .map(|shade| {
            format!("<path d=\"M{} 0h10v12h-10z\" class=\"{class} s{shade}\"/>", (shade - 1) * 10)
        })
        .collect();
    format!(
        "<span><svg class=\"gl\" width=\"80\" height=\"12\" aria-hidden=\"true\">{squares}</svg>{}</span>",
        escape(words)
    )
}
