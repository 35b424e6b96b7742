//! The panel: the selected node, the way to it as a tree, the shape of the whole trie, partitions with a row trie.

use super::model::{Model, target};
use super::open::{Seen, Step};
use super::query::{Query, hex, spaced};
use crate::board::{BoardAsk, Part};
use crate::state::address::{Address, View};
use crate::words::{bytes, count, mean};
use crate::workshop::family::{sign, words};
use crate::workshop::html::escape;
use crate::workshop::links::Links;
use crate::workshop::selection::Selection;
use std::fmt::Write as _;
use triescope_core::lookup::LeafTarget;
use triescope_core::lookup::words::number;
use triescope_core::pos::FilePos;
use triescope_core::table;

/// Other children that the tree lists at once.
const OTHERS: usize = 32;
/// Nodes of the way that the tree shows: the last ones, and the root.
const LEVELS: usize = 40;

/// Addresses of other views.
pub struct Elsewhere<'a>(pub &'a BoardAsk);

impl Elsewhere<'_> {
    /// Pages, with something selected.
    pub fn pages(&self, selection: Selection, tab: Option<&str>) -> String {
        let mut to = Address::parse(&self.0.place).in_view(View::Pages);
        let begin = tab.map_or_else(String::new, |tab| format!("as={tab}"));
        to.rest = selection.put(&begin);
        to.print()
    }

    /// The lookup of a key.
    pub fn lookup(&self, key: &str) -> String {
        let mut to = Address::parse(&self.0.place).in_view(View::Lookup);
        to.ask.key = Some(key.to_owned());
        to.rest = String::new();
        to.print()
    }

    /// This view, with another partition.
    pub fn partition(&self, key: &str, query: &Query) -> String {
        let mut to = Address::parse(&self.0.place);
        to.ask.key = Some(key.to_owned());
        to.ask.row = None;
        let query = Query {
            path: None,
            open: None,
            node: None,
            page: None,
            from: Vec::new(),
            others: None,
            find: None,
            part: table::Part::Rows,
            ..query.clone()
        };
        to.rest = query.print();
        to.print()
    }

    /// A node of a part in Pages.
    pub fn node(&self, part: table::Part, at: FilePos) -> String {
        let selection =
            Selection { part: Some(part), page: Some(at.page()), node: Some(at), byte: None };
        self.pages(selection, None)
    }
}

/// The panel.
pub fn side(model: &Model, ask: &BoardAsk) -> Vec<Part> {
    let part = |html: String| Part { class: String::new(), title: String::new(), html };
    let mut parts =
        vec![part(selected(model, ask)), part(tree(model, ask)), part(shape(model, ask))];
    if let Some(list) = list(model, ask) {
        parts.insert(2, part(list));
    }
    parts
}

fn link(to: &str, words: &str) -> String {
    format!("<a href=\"{}\">{}</a>", escape(to), escape(words))
}

fn row(out: &mut String, name: &str, html: &str) {
    let _ = write!(out, "<div><dt>{}</dt><dd>{html}</dd></div>", escape(name));
}

fn selected(model: &Model, ask: &BoardAsk) -> String {
    let Some(step) = model.selected() else { return "<h2>No node</h2>".to_owned() };
    let elsewhere = Elsewhere(ask);
    let part = model.query.part;
    let mut facts = String::new();
    let title = match &step.seen {
        Ok(seen) => {
            let name = if seen.children.is_empty() { "Leaf" } else { "Node" };
            let path = if step.path.is_empty() { "root".to_owned() } else { spaced(&step.path) };
            format!("{} {name} <span class=\"m\">{path}</span>", sign(seen.family()))
        }
        Err(_) => format!(
            "<span class=\"jd bad\" aria-hidden=\"true\"></span> Node <span class=\"m\">{}</span>",
            if step.path.is_empty() { "root".to_owned() } else { spaced(&step.path) }
        ),
    };
    let at = format!(
        "{} in {} · page {}",
        link(&elsewhere.node(part, step.at), &number(step.at.0, ',')),
        part.file_name(),
        step.at.page()
    );
    match &step.seen {
        Ok(seen) => {
            let says = model.says.last().map(String::as_str).unwrap_or_default();
            match &model.key {
                Some(Ok(key)) => row(
                    &mut facts,
                    "key",
                    &format!("<span class=\"m\">{}</span>", escape(&cut(&key.text, 160))),
                ),
                Some(Err(why)) => {
                    row(&mut facts, "key", &format!("not known: {}", escape(why)));
                    row(&mut facts, "bytes say", &escape(says));
                }
                None if part == table::Part::Rows => {
                    let name = if seen.carries() { "separator" } else { "bytes say" };
                    row(&mut facts, name, &format!("<span class=\"m\">{}</span>", escape(says)));
                }
                None => row(&mut facts, "bytes say", &escape(says)),
            }
            row(
                &mut facts,
                "type",
                &format!("<span class=\"m\">{}</span> {}", seen.kind.name(), words(seen.family())),
            );
            row(&mut facts, "position", &format!("{at} · {}", bytes(seen.size as u64)));
            if seen.children.len() > 1 {
                let ends = [seen.children.first(), seen.children.last()];
                let ends: Vec<String> =
                    ends.into_iter().flatten().map(|(byte, _)| format!("{byte:02x}")).collect();
                let text = format!(
                    "{}, <span class=\"m\">{}</span>",
                    seen.children.len(),
                    ends.join("</span> to <span class=\"m\">")
                );
                row(&mut facts, "children", &text);
            }
            payload(&mut facts, model, seen, ask);
        }
        Err(why) => {
            row(&mut facts, "position", &at);
            row(&mut facts, "error", &format!("<span class=\"bad\">{}</span>", escape(why)));
        }
    }
    let bytes_to = escape(&elsewhere.node(part, step.at));
    let mut buttons = format!("<a id=\"to-bytes\" class=\"btn\" href=\"{bytes_to}\">Bytes</a>");
    if let Some(key) = &model.lookup {
        let to = escape(&elsewhere.lookup(key));
        let _ = write!(buttons, "<a id=\"to-lookup\" class=\"btn\" href=\"{to}\">Look it up</a>");
    }
    format!(
        "<h2 class=\"node\">{title}</h2><dl class=\"facts\">{facts}</dl><p class=\"btns\">{buttons}</p>"
    )
}

fn payload(facts: &mut String, model: &Model, seen: &Seen, ask: &BoardAsk) {
    let elsewhere = Elsewhere(ask);
    if let Some(hash) = seen.leaf.and_then(|leaf| leaf.hash) {
        row(facts, "hash byte", &format!("<span class=\"m\">{hash:02x}</span>"));
    }
    match target(seen) {
        Some(LeafTarget::Data(at)) => {
            let mut to = Address::parse(&ask.place).in_view(View::Pages);
            if let Some(key) = &model.lookup {
                to.ask.key = Some(key.clone());
            }
            let selection = Selection {
                part: Some(table::Part::Data),
                node: Some(FilePos(at.0)),
                ..Selection::default()
            };
            to.rest = selection.put("as=rows");
            row(facts, "points to", &link(&to.print(), &format!("Data.db {}", number(at.0, ','))));
        }
        Some(LeafTarget::Rows(at)) => {
            let to = elsewhere.node(table::Part::Rows, at);
            let mut html = link(&to, &format!("Rows.db {}", number(at.0, ',')));
            if let Some(key) = &model.lookup {
                let to = elsewhere.partition(key, &model.query);
                let _ = write!(html, " · {}", link(&to, "its row trie"));
            }
            row(facts, "points to", &html);
        }
        None => {}
    }
    match (&seen.block, &model.entry) {
        (Some(Ok(block)), Some((entry, _))) => {
            let at = entry.data.0.saturating_add(block.offset);
            let selection = Selection {
                part: Some(table::Part::Data),
                node: Some(FilePos(at)),
                ..Selection::default()
            };
            let to = elsewhere.pages(selection, Some("rows"));
            let offset = format!("{} B into the partition", number(block.offset, ','));
            row(
                facts,
                "block",
                &format!("{offset}, {}", link(&to, &format!("Data.db {}", number(at, ',')))),
            );
            let open = match &block.open {
                None => "none".to_owned(),
                Some(deletion) => format!("marked at {} µs", deletion.timestamp),
            };
            row(facts, "open deletion", &escape(&open));
        }
        (Some(Err(why)), _) => {
            row(facts, "block", &format!("<span class=\"bad\">{}</span>", escape(why)))
        }
        _ => {}
    }
    if !seen.payload.is_empty() {
        let raw = spaced(&seen.payload);
        row(facts, "payload", &format!("<span class=\"m\">{raw}</span>"));
    }
    if let (Some(Ok(key)), Some(step)) = (&model.key, model.selected()) {
        let text = format!(
            "{} of {} key bytes, the shortest that tells it from its neighbours",
            step.path.len(),
            key.len
        );
        row(facts, "stored prefix", &text);
    }
}

/// The way as a tree, with what lies beside it folded away.
fn tree(model: &Model, ask: &BoardAsk) -> String {
    let mut out = String::from(
        "<h2>As a tree</h2><ol class=\"tree\" aria-label=\"The way to the selected node\">",
    );
    let skip = model.steps.len().saturating_sub(LEVELS);
    for (level, step) in model.steps.iter().enumerate() {
        if level > 0 && level <= skip {
            if level == 1 {
                let text = count(skip as u64, "node", "nodes");
                let _ = write!(out, "<li class=\"oth\"><span>{text} on the way</span></li>");
            }
            continue;
        }
        let parent = level.checked_sub(1).and_then(|at| model.steps.get(at));
        let depth = level.saturating_sub(skip).min(9);
        let last = level + 1 == model.steps.len();
        if let Some(seen) = parent.and_then(|parent| parent.seen.as_ref().ok())
            && let Some(parent) = parent
        {
            others(&mut out, model, ask, (level, depth), parent, seen, step);
        }
        line(&mut out, model, ask, step, depth, last);
    }
    if let Some(step) = model.selected()
        && let Ok(seen) = &step.seen
        && !seen.children.is_empty()
    {
        let level = model.steps.len();
        let depth = level.saturating_sub(skip).min(9);
        kids(&mut out, model, ask, (level, depth), step, seen);
    }
    out + "</ol><p class=\"btns\"><button id=\"copy-csv\" class=\"btn sm\" data-text=\"csv\">Copy as CSV</button>\
           <button id=\"copy-json\" class=\"btn sm\" data-text=\"json\">JSON</button></p>"
}

fn line(out: &mut String, model: &Model, ask: &BoardAsk, step: &Step, depth: usize, last: bool) {
    let to = Links(ask).to(&model.query.selecting(&step.path, step.at).print());
    let here = if last { " aria-current=\"true\"" } else { "" };
    let (glyph, kind, right) = match &step.seen {
        Ok(seen) => (
            sign(seen.family()),
            seen.kind.name().to_owned(),
            match seen.children.len() {
                0 => "leaf".to_owned(),
                many => number(many as u64, ','),
            },
        ),
        Err(_) => (
            "<span class=\"jd bad\" aria-hidden=\"true\"></span>".to_owned(),
            "cannot be read".to_owned(),
            String::new(),
        ),
    };
    let name = step.name();
    let id = if step.path.is_empty() { "root".to_owned() } else { hex(&step.path) };
    let _ = write!(
        out,
        "<li class=\"d{depth}\"{here}><a id=\"tree-{id}\" href=\"{}\">{glyph}<span class=\"m\">{name}</span> <span>{kind}</span> <span class=\"r\">{right}</span></a></li>",
        escape(&to)
    );
}

fn others(
    out: &mut String,
    model: &Model,
    ask: &BoardAsk,
    (level, depth): (usize, usize),
    parent: &Step,
    seen: &Seen,
    step: &Step,
) {
    let n = seen.children.len().saturating_sub(1);
    if n == 0 {
        return;
    }
    let shown = model.query.others.filter(|(known, _)| *known == level).map(|(_, before)| before);
    let toggle = |before: Option<usize>| {
        let query = Query { others: before.map(|before| (level, before)), ..model.query.clone() };
        escape(&Links(ask).to(&query.print()))
    };
    let text =
        if n == 1 { "1 other".to_owned() } else { format!("{} others", number(n as u64, ',')) };
    let (word, to) = match shown {
        None => ("show", toggle(Some(0))),
        Some(_) => ("hide", toggle(None)),
    };
    let _ = write!(
        out,
        "<li class=\"oth d{depth}\"><span>{text} · <a id=\"others-{level}\" href=\"{to}\" aria-label=\"{word} the others of {}\">{word}</a></span></li>",
        parent.name()
    );
    let Some(before) = shown else { return };
    let rest = seen.children.iter().filter(|(byte, _)| Some(*byte) != step.byte());
    listed(out, model, ask, (level, depth), parent, rest.collect(), before);
}

fn kids(
    out: &mut String,
    model: &Model,
    ask: &BoardAsk,
    (level, depth): (usize, usize),
    step: &Step,
    seen: &Seen,
) {
    let before =
        model.query.others.filter(|(known, _)| *known == level).map_or(0, |(_, before)| before);
    listed(out, model, ask, (level, depth), step, seen.children.iter().collect(), before);
}

fn listed(
    out: &mut String,
    model: &Model,
    ask: &BoardAsk,
    (level, depth): (usize, usize),
    parent: &Step,
    rest: Vec<&(u8, Option<FilePos>)>,
    before: usize,
) {
    let n = rest.len();
    let before = if before < n { before } else { 0 };
    let page = |before: usize| {
        let query = Query { others: Some((level, before)), ..model.query.clone() };
        escape(&Links(ask).to(&query.print()))
    };
    if before > 0 {
        let _ = write!(
            out,
            "<li class=\"oth d{depth}\"><span><a id=\"less-{level}\" href=\"{}\">{} before</a></span></li>",
            page(before.saturating_sub(OTHERS)),
            number(before as u64, ',')
        );
    }
    for (byte, at) in rest.iter().skip(before).take(OTHERS) {
        let path = [parent.path.as_slice(), &[*byte]].concat();
        let Some(at) = at else {
            let _ = write!(
                out,
                "<li class=\"oth d{depth}\"><span class=\"bad\"><span class=\"m\">{byte:02x}</span> leads out of the file</span></li>"
            );
            continue;
        };
        let to = Links(ask).to(&model.query.selecting(&path, *at).print());
        let _ = write!(
            out,
            "<li class=\"d{depth} kid\"><a id=\"tree-{}\" href=\"{}\"><span class=\"m\">{byte:02x}</span> <span class=\"r\">page {}</span></a></li>",
            hex(&path),
            escape(&to),
            at.page()
        );
    }
    let after = n.saturating_sub(before + OTHERS);
    if after > 0 {
        let _ = write!(
            out,
            "<li class=\"oth d{depth}\"><span><a id=\"more-{level}\" href=\"{}\">{} more</a></span></li>",
            page(before + OTHERS),
            number(after as u64, ',')
        );
    }
}

fn shape(model: &Model, ask: &BoardAsk) -> String {
    let is_rows = model.query.part == table::Part::Rows;
    let mut out = String::from("<h2>Shape</h2>");
    let Some(counted) = &model.counts else {
        let to = Links(ask).to(&Query { count: true, ..model.query.clone() }.print());
        let _ = write!(
            out,
            "<p class=\"q sm\">{} in {}, not counted yet.</p><p class=\"btns\"><a id=\"count\" class=\"btn\" href=\"{}\">Count the nodes</a></p>",
            count(model.pages, "page", "pages"),
            model.query.part.file_name(),
            escape(&to)
        );
        return out;
    };
    let sums = &counted.sums;
    out.push_str("<table class=\"tbl\"><caption class=\"vh\">Shape of the trie</caption><tbody>");
    let mut line = |name: &str, value: String| {
        let _ = write!(out, "<tr><th scope=\"row\">{name}</th><td class=\"n\">{value}</td></tr>");
    };
    line("nodes", number(sums.nodes, ','));
    line(if is_rows { "separators, with the end" } else { "partitions" }, number(sums.ends, ','));
    if is_rows {
        line("bytes a separator", mean(sums.bytes, sums.ends, 2).unwrap_or_default());
        line("key bytes stored, mean", mean(sums.stored, sums.ends, 2).unwrap_or_default());
        line("longest separator", bytes(sums.deepest as u64));
    } else {
        let pages = model.steps.first().map_or(model.pages, |root| root.at.page().0 + 1);
        line("partitions per page", mean(sums.ends, pages, 0).unwrap_or_default());
        line("key bytes stored, mean", mean(sums.stored, sums.ends, 2).unwrap_or_default());
        line("deepest leaf", count(sums.deepest as u64, "byte", "bytes"));
    }
    line("bytes of nodes", bytes(sums.bytes));
    out.push_str("</tbody></table>");
    if !counted.faults.is_empty() {
        let _ = write!(out, "<h2>Cannot be read</h2><ul class=\"bads\">");
        for (at, why) in counted.faults.iter().take(8) {
            let to = Elsewhere(ask).node(model.query.part, *at);
            let _ = write!(
                out,
                "<li><span class=\"jd bad\" aria-hidden=\"true\"></span> {}: {}</li>",
                link(&to, &number(at.0, ',')),
                escape(why)
            );
        }
        let more = counted.more_faults + counted.faults.len().saturating_sub(8) as u64;
        if more > 0 {
            let _ = write!(out, "<li>and {} more</li>", number(more, ','));
        }
        out.push_str("</ul>");
    }
    out
}

fn list(model: &Model, ask: &BoardAsk) -> Option<String> {
    let (list, more) = model.list.as_ref()?;
    let mut out = String::from("<h2>Partitions with a row trie</h2><ul class=\"parts\">");
    for it in list {
        match &it.entry {
            Ok((key, blocks)) => {
                let here = model.entry.as_ref().is_some_and(|(entry, _)| entry.at == it.at);
                let here = if here { " aria-current=\"true\"" } else { "" };
                let to = Elsewhere(ask).partition(key, &model.query);
                let _ = write!(
                    out,
                    "<li{here}><a id=\"part-{}\" href=\"{}\"><span class=\"m\">{}</span> <span class=\"r\">{}</span></a></li>",
                    it.at,
                    escape(&to),
                    escape(&short(key)),
                    count(*blocks, "block", "blocks")
                );
            }
            Err(why) => {
                let _ = write!(out, "<li class=\"bad\">Entry at {}: {}</li>", it.at, escape(why));
            }
        }
    }
    out.push_str("</ul>");
    let page = |list: u64| escape(&Links(ask).to(&Query { list, ..model.query.clone() }.print()));
    let (before, listed) = (model.query.list, super::LISTED as u64);
    if before > 0 {
        let _ = write!(
            out,
            "<p class=\"sm\"><a id=\"list-back\" href=\"{}\">those before</a></p>",
            page(before.saturating_sub(listed))
        );
    }
    if *more {
        let _ = write!(
            out,
            "<p class=\"sm\"><a id=\"list-on\" href=\"{}\">the next ones</a></p>",
            page(before + listed)
        );
    }
    Some(out)
}

/// A key that is long keeps its beginning.
pub fn short(text: &str) -> String {
    cut(text, 40)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or(text)),
        None => text.to_owned(),
    }
}
