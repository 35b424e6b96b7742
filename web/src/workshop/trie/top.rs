//! The board: the row above, the pictures, the panel, the keys.

use super::model::Model;
use super::query::{Query, spaced};
use super::{icicle, nodes, side};
use crate::board::{Board, BoardAsk, Part};
use crate::state::address::{Address, View};
use crate::words::count;
use crate::workshop::html::{Does, Key, escape, keys, seg};
use crate::workshop::links::Links;
use std::fmt::Write as _;
use triescope_core::lookup::words::number;
use triescope_core::pos::FilePos;
use triescope_core::table;

/// From this width on the panel stands beside the pictures, with this width of its own.
const WIDE: u32 = 1200;
const SIDE: u32 = 336;
const PHONE: u32 = 720;
/// Steps of the way that the row above names.
const CRUMBS: usize = 12;

/// Room for the pictures in a view of this width.
pub fn room(width: u32) -> f64 {
    f64::from(match width {
        WIDE.. => width - SIDE - 48,
        PHONE.. => width - 48,
        _ => width.saturating_sub(32).max(288),
    })
}

/// The board of a model.
pub fn board(model: &Model, ask: &BoardAsk) -> Board {
    let part = |class: &str, title: &str, html: String| Part {
        class: class.to_owned(),
        title: title.to_owned(),
        html,
    };
    let mut main = Vec::new();
    let mut said = String::new();
    let notes: String = model.notes.iter().map(|note| say(note)).collect();
    let (links, width) = (Links(ask), room(ask.width));
    if let Some(why) = &model.without {
        main.push(part("pkboard", "", instead(model, ask, why)));
        said.clone_from(why);
    } else {
        let (html, _) = match model.query.icicle {
            true => icicle::icicle(model, links, width),
            false => nodes::nodes(model, links, width),
        };
        said += &nodes::said(model);
        let mut html = notes + &way(model) + &html;
        if let Some(map) = icicle::minimap(model, links, width) {
            let _ = write!(html, "<div class=\"mini\">{map}</div>");
        }
        main.push(part("pkboard", "", html));
    }
    if let Some(last) = main.last_mut() {
        last.html += &keys(&board_keys(model, ask));
    }
    let side = if model.without.is_some() { Vec::new() } else { side::side(model, ask) };
    Board {
        query: model.query.print(),
        at: 0,
        of: 0,
        ticks: (String::new(), String::new()),
        said,
        is_worth_saying: false,
        sentence: String::new(),
        head: head(model, ask),
        main,
        side,
    }
}

fn say(note: &str) -> String {
    format!(
        "<p class=\"say-note\"><span class=\"jd warn\" aria-hidden=\"true\">!</span><span>{}</span></p>",
        escape(note)
    )
}

fn instead(model: &Model, ask: &BoardAsk, why: &str) -> String {
    let mut out = say(why);
    if model.has_partitions {
        let to =
            Links(ask).to(&Query { part: table::Part::Partitions, ..model.query.clone() }.print());
        let _ = write!(
            out,
            "<p><a id=\"to-partitions\" href=\"{}\">The trie of Partitions.db</a></p>",
            escape(&to)
        );
    } else {
        let mut to = Address::parse(&ask.place).in_view(View::Packing);
        to.rest = String::new();
        let _ = write!(
            out,
            "<p>Packing shows the trie that a writer would build of the same keys. <a id=\"to-packing\" href=\"{}\">Packing</a></p>",
            escape(&to.print())
        );
    }
    out
}

fn head(model: &Model, ask: &BoardAsk) -> String {
    let query = &model.query;
    let is_rows = query.part == table::Part::Rows;
    let pages = count(model.pages, "page", "pages");
    let about = match (&model.entry, model.without.is_some()) {
        (_, true) => String::new(),
        (Some((_, key)), _) => {
            format!("partition {}: {} blocks", side::short(key), number(model.ends, ','))
        }
        _ => format!("{} in {pages}", count(model.ends, "partition", "partitions")),
    };
    let mut out = format!(
        "<div class=\"what\"><h1>{} <span class=\"c\">{}</span></h1>{}</div>",
        query.part.file_name(),
        escape(&about),
        crumbs(model, ask)
    );
    let links = Links(ask);
    let to = |query: Query| links.to(&query.print());
    let fresh = Query {
        path: None,
        open: None,
        from: Vec::new(),
        others: None,
        find: None,
        node: None,
        page: None,
        ..query.clone()
    };
    out.push_str("<div class=\"opts\">");
    if model.has_partitions && (model.has_rows || is_rows) {
        let part = |part| to(Query { part, ..fresh.clone() });
        out += &seg(
            "Trie",
            &[
                ("part-partitions".into(), "Partitions", !is_rows, part(table::Part::Partitions)),
                ("part-rows".into(), "Rows", is_rows, part(table::Part::Rows)),
            ],
        );
    }
    if model.without.is_none() {
        let (label, hint) = match is_rows {
            true => ("Go to a row", "clustering key, #rank"),
            false => ("Go to a key", "key, token:, 0x, #rank"),
        };
        let _ = write!(
            out,
            "<label class=\"box short\"><span class=\"vh\">{label}</span><input id=\"find\" name=\"find\" value=\"{}\" placeholder=\"{hint}\" autocomplete=\"off\" spellcheck=\"false\"></label>",
            escape(query.find.as_deref().unwrap_or_default())
        );
        let pic = |icicle| to(Query { icicle, ..query.clone() });
        out += &seg(
            "Picture",
            &[
                ("pic-nodes".into(), "Nodes", !query.icicle, pic(false)),
                ("pic-icicle".into(), "Icicle", query.icicle, pic(true)),
            ],
        );
        if query.icicle {
            let width = |by_bytes| to(Query { by_bytes, ..query.clone() });
            let ends = if is_rows { "Blocks" } else { "Partitions" };
            out += &seg(
                "Width",
                &[
                    ("w-ends".into(), ends, !query.by_bytes, width(false)),
                    ("w-bytes".into(), "Bytes", query.by_bytes, width(true)),
                ],
            );
            let zoom = |from: Vec<u8>| to(Query { from, ..query.clone() });
            let (out_to, in_to) = zooms(model);
            out += &seg(
                "Zoom",
                &[
                    ("zoom-out".into(), "−", false, zoom(out_to)),
                    ("zoom-in".into(), "+", false, zoom(in_to)),
                    ("zoom-fit".into(), "Fit", query.from.is_empty(), zoom(Vec::new())),
                ],
            );
        }
    }
    out + "</div>"
}

/// Where the icicle begins after a step out and after one in, along the way to the selected node.
fn zooms(model: &Model) -> (Vec<u8>, Vec<u8>) {
    let from = &model.query.from;
    let out = from.get(..from.len().saturating_sub(1)).unwrap_or_default().to_vec();
    let path = model.query.path.as_deref().unwrap_or_default();
    let further = path.get(..from.len() + 1).filter(|further| further.starts_with(from));
    let further = further.filter(|further| further.len() < path.len() || !is_leaf(model));
    (out, further.unwrap_or(from).to_vec())
}

fn is_leaf(model: &Model) -> bool {
    model
        .selected()
        .is_none_or(|step| step.seen.as_ref().map_or(true, |seen| seen.children.is_empty()))
}

fn crumbs(model: &Model, ask: &BoardAsk) -> String {
    let n = model.steps.len();
    let skip = n.saturating_sub(CRUMBS);
    let step = |(level, step): (usize, &super::open::Step)| {
        if level > 0 && level <= skip {
            return if level == 1 { "<span>…</span>".to_owned() } else { String::new() };
        }
        let name = step.name();
        if level + 1 == n {
            return format!("<b class=\"m\" aria-current=\"location\">{name}</b>");
        }
        let to = Links(ask).to(&model.query.selecting(&step.path, step.at).print());
        format!(
            "<a id=\"crumb-{level}\" class=\"m\" href=\"{}\">{name}</a><span aria-hidden=\"true\">›</span>",
            escape(&to)
        )
    };
    let all: String = model.steps.iter().enumerate().map(step).collect();
    format!("<nav class=\"crumbs\" aria-label=\"Path of the selected node\">{all}</nav>")
}

/// The key growing beside the way: what the bytes so far say of it.
fn way(model: &Model) -> String {
    let skip = model.steps.len().saturating_sub(6);
    let step = |(step, says): (&super::open::Step, &String)| {
        let path = match step.path.is_empty() {
            true => "root".to_owned(),
            false => spaced(&step.path),
        };
        format!(
            "<li><span class=\"m\">{path}</span> <span>{}</span></li>",
            escape(&side::short(says))
        )
    };
    let mut all: String = model.steps.iter().zip(&model.says).skip(skip).map(step).collect();
    if let Some(Ok(key)) = &model.key {
        let _ = write!(all, "<li><b>key {}</b></li>", escape(&side::short(&key.text)));
    }
    format!("<ol class=\"grow\" aria-label=\"What the bytes say of the key\">{all}</ol>")
}

fn board_keys(model: &Model, ask: &BoardAsk) -> Vec<Key> {
    let links = Links(ask);
    let leads = |to: Option<(Vec<u8>, FilePos)>| match to {
        Some((path, at)) => Does::Leads(links.to(&model.query.selecting(&path, at).print())),
        None => Does::Nothing,
    };
    let n = model.steps.len();
    let step = |at: usize| model.steps.get(at).map(|step| (step.path.clone(), step.at));
    let parent = n.checked_sub(2).and_then(step);
    let child = model.selected().and_then(|step| {
        let seen = step.seen.as_ref().ok()?;
        seen.children
            .iter()
            .find_map(|(byte, at)| Some(([step.path.as_slice(), &[*byte]].concat(), (*at)?)))
    });
    let sibling = |by: isize| {
        let own = model.selected()?.byte()?;
        let above = model.steps.get(n.checked_sub(2)?)?;
        let seen = above.seen.as_ref().ok()?;
        let at = seen.children.iter().position(|(byte, _)| *byte == own)?;
        let (byte, at) = seen.children.get(at.checked_add_signed(by)?)?;
        Some(([above.path.as_slice(), &[*byte]].concat(), (*at)?))
    };
    let page = |by: i64| {
        let open = model.query.open?.0.checked_add_signed(by).filter(|page| *page < model.pages)?;
        let first = model.counts.as_ref().and_then(|counts| {
            counts.first.get(usize::try_from(open / counts.fills.1.max(1)).ok()?)?.clone()
        });
        Some(match first.filter(|(_, at)| at.page().0 == open) {
            Some((path, at)) => model.query.selecting(&path, at),
            None => Query { open: Some(triescope_core::pos::PageNo(open)), ..model.query.clone() },
        })
    };
    let turned = |by| page(by).map_or(Does::Nothing, |query| Does::Leads(links.to(&query.print())));
    let key = |key, shown, words, does| Key { key, shown, words, does };
    let mut all = vec![
        key("ArrowUp", "↑", "parent", leads(parent.clone())),
        key("ArrowDown", "↓", "first child", leads(child.clone())),
        key("ArrowLeft", "←", "child before", leads(sibling(-1))),
        key("ArrowRight", "→", "child after", leads(sibling(1))),
        key("Enter", "Enter", "open", leads(child)),
        key("Backspace", "Backspace", "up", leads(parent.clone())),
        key("p", "p", "parent", leads(parent)),
        key("[", "[", "page before", turned(-1)),
        key("]", "]", "page after", turned(1)),
    ];
    if model.query.icicle {
        let zoom =
            |from: Vec<u8>| Does::Leads(links.to(&Query { from, ..model.query.clone() }.print()));
        let (out, further) = zooms(model);
        let path = model.query.path.clone().unwrap_or_default();
        let centre = path.get(..path.len().saturating_sub(1)).unwrap_or_default().to_vec();
        all.push(key("+", "+", "zoom in along the path", zoom(further)));
        all.push(key("-", "−", "zoom out", zoom(out)));
        all.push(key("0", "0", "the whole trie", zoom(Vec::new())));
        all.push(key("f", "f", "the selection, as wide as it can be", zoom(centre)));
    }
    let at = model.selected().map(|step| step.at.0.to_string());
    all.push(key(
        "c",
        "c",
        "copy the path",
        match &model.query.path {
            Some(path) if at.is_some() => Does::Copies(super::query::hex(path)),
            _ => Does::Nothing,
        },
    ));
    all
}
