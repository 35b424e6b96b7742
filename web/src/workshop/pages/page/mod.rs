//! The tab *Page* of Pages: one page of a component, byte by byte, and what each byte says.

mod dump;
mod inspector;
mod keys;
mod parents;
mod picture;
mod shades;
mod shown;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

use super::{Tab, tabs};
use crate::board::{Board, BoardAsk, Part as Piece, value};
use crate::model::Failure;
use crate::words::bytes;
use crate::worker::world::World;
use crate::workshop::family;
use crate::workshop::html::{escape, picture};
use crate::workshop::jobs::Slice;
use crate::workshop::links::Links;
use crate::workshop::protocol::Reply;
use crate::workshop::selection::word;
use inspector::{Panel, kind};
use parents::Parents;
use shown::{PARTS, Shown};
use std::fmt::Write as _;
use triescope_core::dissect::ItemKind;
use triescope_core::lookup::words::number;
use triescope_core::source::Source;
use triescope_core::table::Part;

/// From this width on the panel stands beside the picture.
const WIDE: u32 = 1200;
/// Below this width there is one column.
const PHONE: u32 = 720;

/// What is kept between two questions: who points into the page that was shown last.
#[derive(Debug, Default)]
pub struct Page {
    parents: Option<(String, Option<Parents>, bool)>,
}

impl Page {
    /// A slice of the work on a board.
    pub fn board<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Slice {
        let shown = match Shown::of(ask, world) {
            Ok(shown) => shown,
            Err(Failure::Text { why }) => return done(nothing(ask, world, &why)),
            Err(failure) => return Slice::Done(Err(failure)),
        };
        if let Some(step) = value(&ask.query, "hunt") {
            return hunt(ask, world, &shown, &step, over);
        }
        let id = format!("{:?} {:?} {}", ask.tables, shown.part, shown.page());
        if self.parents.as_ref().is_none_or(|(known, ..)| *known != id) {
            let parents = Parents::new(shown.table, shown.part, shown.view.page);
            self.parents = Some((id, parents, false));
        }
        let Some((_, parents, finished)) = &mut self.parents else {
            return Slice::Done(Err(Failure::Cancelled));
        };
        while let Some(walk) = parents.as_mut().filter(|_| !*finished) {
            *finished = walk.step(shown.table);
            if !*finished && over() {
                return Slice::More(None);
            }
        }
        done(board(ask, world, &shown, parents.as_ref()))
    }

    /// A slice of the work on what is shown as text.
    pub fn text<S: Source>(
        &mut self,
        ask: &BoardAsk,
        world: &World<S>,
        _over: &dyn Fn() -> bool,
    ) -> Slice {
        let shown = match Shown::of(ask, world) {
            Ok(shown) => shown,
            Err(failure) => return Slice::Done(Err(failure)),
        };
        let as_json = value(&ask.query, "text").as_deref() == Some("json");
        let items = shown.view.items.iter().map(|item| {
            let problem = item.problem.as_ref().map(ToString::to_string);
            (item.at.0, item.len, kind(item.kind), item.summary.as_str(), problem)
        });
        let text = if as_json {
            let items: Vec<_> = items
                .map(|(pos, size, kind, text, problem)| {
                    serde_json::json!({ "pos": pos, "size": size, "kind": kind, "text": text, "problem": problem })
                })
                .collect();
            serde_json::json!({ "component": shown.part.file_name(), "page": shown.page(), "items": items })
                .to_string()
        } else {
            let mut out = String::from("offset,bytes,kind,what,problem\n");
            for (at, len, kind, text, problem) in items {
                let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
                let problem = problem.unwrap_or_default();
                let _ = writeln!(out, "{at},{len},{kind},{},{}", quoted(text), quoted(&problem));
            }
            out
        };
        Slice::Done(Ok(Reply::Text(text)))
    }
}

fn done(board: Board) -> Slice {
    Slice::Done(Ok(Reply::Board(Box::new(board))))
}

fn empty(query: String, head: String, said: String) -> Board {
    Board {
        query,
        at: 0,
        of: 0,
        ticks: (String::new(), String::new()),
        said,
        is_worth_saying: false,
        sentence: String::new(),
        head,
        main: Vec::new(),
        side: Vec::new(),
    }
}

/// A board of what cannot be shown.
fn nothing<S: Source>(ask: &BoardAsk, world: &World<S>, why: &str) -> Board {
    let head = format!("{}{}", tabs(ask, world, Tab::Page), parts(ask, world, None));
    let mut board = empty(ask.query.clone(), head, why.to_owned());
    board.main = vec![Piece {
        class: "none".to_owned(),
        title: String::new(),
        html: format!("<p>{}</p>", escape(why)),
    }];
    board
}

/// To the next page with bytes that belong to nothing, or the one before; a bounded number of pages is looked through.
fn hunt<S: Source>(
    ask: &BoardAsk,
    world: &World<S>,
    shown: &Shown<'_, S>,
    step: &str,
    over: &dyn Fn() -> bool,
) -> Slice {
    let forward = step != "previous";
    let here = shown.item.as_ref().map_or(shown.view.at.0, |item| item.at.0);
    let mut page = shown.page();
    for turn in 0..512 {
        let view = triescope_core::dissect::page(
            shown.table,
            shown.part,
            triescope_core::pos::PageNo(page),
        );
        let Ok(view) = view else { break };
        let is_one = |at: u64| turn > 0 || if forward { at > here } else { at < here };
        let mut odd = view.items.iter().filter(|item| {
            matches!(item.kind, ItemKind::Unclaimed | ItemKind::Unreadable) && is_one(item.at.0)
        });
        let found = if forward { odd.next() } else { odd.next_back() };
        if let Some(found) = found {
            let query = shown.to_item(found.at);
            let to = crate::workshop::selection::Selection {
                part: Some(shown.part),
                node: Some(found.at),
                ..Default::default()
            };
            let ask = BoardAsk { query: to.put(&query), ..ask.clone() };
            return Page::default().board(&ask, world, &|| false);
        }
        let next = if forward { page.checked_add(1) } else { page.checked_sub(1) };
        let Some(next) = next.filter(|next| *next < shown.pages()) else { break };
        page = next;
        if over() && turn > 64 {
            break;
        }
    }
    let ask = BoardAsk { query: shown.query.clone(), ..ask.clone() };
    Page::default().board(&ask, world, &|| false)
}

/// The components to choose from.
fn parts<S: Source>(ask: &BoardAsk, world: &World<S>, shown: Option<Part>) -> String {
    let len = |part: Part| {
        let table = crate::workshop::selection::table_with(world, ask.tables, part)?;
        table.source(part).map(Source::len)
    };
    let option = |part: &Part| {
        len(*part).filter(|len| *len > 0)?;
        let here = if Some(*part) == shown { " selected" } else { "" };
        Some(format!("<option value=\"{}\"{here}>{}</option>", word(*part), part.file_name()))
    };
    let options: String = PARTS.iter().filter_map(option).collect();
    format!(
        "<select id=\"part\" name=\"part\" class=\"btn\" aria-label=\"Component\">{options}</select>"
    )
}

fn board<S: Source>(
    ask: &BoardAsk,
    world: &World<S>,
    shown: &Shown<'_, S>,
    parents: Option<&Parents>,
) -> Board {
    let asked = BoardAsk { query: shown.query.clone(), ..ask.clone() };
    let links = Links(&asked);
    let phone = ask.width < PHONE;
    let margin = if phone { 32.0 } else { 48.0 };
    let whole = f64::from(ask.width) - margin;
    let side = if ask.width >= WIDE { 608.0 } else { 0.0 };
    let room = whole - side;
    let file = shown.part.file_name();
    let (page, pages) = (shown.page(), shown.pages());
    let arrow = |id: &str, to: Option<u64>, words: &str, sign: &str| match to {
        Some(to) => format!(
            "<a id=\"{id}\" class=\"ib\" href=\"{}\" aria-label=\"{words}\">{sign}</a>",
            escape(&links.to(&shown.to_page(to)))
        ),
        None => format!("<span class=\"ib off\" aria-hidden=\"true\">{sign}</span>"),
    };
    let before = page.checked_sub(1);
    let after = Some(page + 1).filter(|page| *page < pages);
    let of = if phone { String::new() } else { format!(", {file}") };
    let title = format!(
        "<div class=\"turn\">{}<h1>Page {} <span class=\"q\">of {}{of}</span></h1>{}</div>",
        arrow("before", before, "Page before", "\u{2039}"),
        number(page, ','),
        number(pages, ','),
        arrow("after", after, "Page after", "\u{203a}")
    );
    let strip = picture(&picture::strip(shown, whole), &|hit| links.to(&shown.to_page(hit.into())));
    let head = format!(
        "{}{}{title}{}<div class=\"strip\">{strip}</div>{}",
        tabs(&asked, world, Tab::Page),
        parts(&asked, world, Some(shown.part)),
        legend(shown),
        keys::keys(shown, parents, links)
    );
    let rows = (shown.bytes.len() as u64).div_ceil(64).max(1) as f64;
    // All rows are in sight beside the panel.
    let pitch = match ask.width {
        WIDE.. => ((f64::from(ask.height) - 150.0) / rows.max(64.0)).clamp(8.0, 11.0),
        PHONE.. => 8.0,
        _ => 6.0,
    };
    let scene = picture::rows(shown, parents, room, pitch);
    let map = picture(&scene, &|hit| {
        picture::item_at(shown, hit).map_or_else(String::new, |at| links.to(&shown.to_item(at)))
    });
    let (source, _) = ask.place.rsplit_once("/page").unwrap_or((&ask.place, ""));
    let a_row = match ask.width {
        WIDE.. => 16,
        PHONE.. => 32,
        _ => 8,
    };
    let panel = Panel { shown, parents, links, source, a_row };
    let said = shown.item.as_ref().map_or_else(String::new, |item| {
        format!(
            "{} at {}, page {page} of {file}: {}",
            kind(item.kind),
            number(item.at.0, ','),
            item.summary
        )
    });
    let mut board = empty(shown.query.clone(), head, said);
    board.main = vec![Piece { class: "pmap".to_owned(), title: String::new(), html: map }];
    board.side = panel.pieces();
    board
}

/// What the colours of the page stand for.
fn legend<S: Source>(shown: &Shown<'_, S>) -> String {
    let range = format!(
        "bytes {}–{}, filled to {}",
        number(shown.view.at.0, ','),
        number(shown.view.at.0 + shown.view.len.saturating_sub(1), ','),
        bytes(shown.view.len - padding(shown))
    );
    let swatch =
        |class: &str, words: &str| format!("<span><i class=\"sw {class}\"></i>{words}</span>");
    let signs: String = match shown.part {
        Part::Partitions | Part::Rows => {
            let families: String = family::FAMILIES
                .iter()
                .map(|it| format!("<span>{}{}</span>", family::sign(*it), family::words(*it)))
                .collect();
            let shades = [
                swatch("f-sparse", ""),
                swatch("f-sparse tb", ""),
                swatch("f-sparse db", "header, transitions, distances"),
                swatch("pl", "payload"),
                swatch("pad-bg hatched", "padding"),
            ];
            families + &shades.concat()
        }
        Part::Index | Part::Summary => [
            swatch("ek", "key"),
            swatch("ep", "position"),
            swatch("en", "lengths"),
            swatch("eb", "promoted index, blocks"),
        ]
        .concat(),
        _ => String::new(),
    };
    format!("<div class=\"legend wide-only\"><span class=\"q\">{range}</span>{signs}</div>")
}

fn padding<S: Source>(shown: &Shown<'_, S>) -> u64 {
    let last = shown.view.items.last().filter(|item| item.kind == ItemKind::Padding);
    last.map_or(0, |item| item.len)
}
