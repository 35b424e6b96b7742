//! The page that is open: its subtrees side by side, and the followed one with its children in byte order.

use super::draw::{Draw, room};
use super::model::{Model, OpenPage, Root};
use super::nodes::{ROWS, Row, rows};
use super::open::{Seen, Step};
use super::query::spaced;
use crate::layout::{Anchor, Face, Mark, Path, Rect, Shape};
use crate::words::{bytes, count};
use crate::workshop::family::class;
use triescope_core::bti::Family;
use triescope_core::lookup::words::number;
use triescope_core::pos::FilePos;
use triescope_core::table;

/// Leaves of a small node that stand one below the other.
const FEW: usize = 4;

/// The page that is open.
pub fn opened(draw: &mut Draw<'_>, model: &Model, page: &OpenPage, top: f64) -> f64 {
    let width = draw.scene.width;
    let at = draw.scene.marks.len();
    let end =
        draw.words((12.0, width), top + 19.0, &[&format!("page {}", page.no)], Face::Strong, "k");
    let ends = match model.query.part {
        table::Part::Rows => count(page.ends, "block", "blocks"),
        _ => count(page.ends, "partition", "partitions"),
    };
    let tenths = (page.bytes * 1000 + 2048) / 4096;
    let short = format!("{}, {ends}", count(page.subtrees.len() as u64, "subtree", "subtrees"));
    let long =
        format!("{short}, {} of nodes: {}.{} %", bytes(page.bytes), tenths / 10, tenths % 10);
    if let Some(x) = end {
        draw.words((x + 10.0, width - 12.0), top + 19.0, &[&long, &short], Face::Text, "c");
    }
    let mut y = top + 34.0;
    for (at, why) in &page.bad {
        draw.fill(Rect::new(14.0, y, 12.0, 12.0), "badmark");
        let text = format!("{}: {why}", number(at.0, ','));
        draw.words(
            (32.0, width - 12.0),
            y + 10.0,
            &[&text, "a node cannot be read"],
            Face::Text,
            "badt",
        );
        y += 20.0;
    }
    let way: Vec<&Step> = model.steps.iter().filter(|step| step.at.page() == page.no).collect();
    let chosen = way.first().map(|step| step.at);
    y = cards(draw, page, chosen, y);
    if let Some(first) = way.first() {
        let from = model.steps.iter().position(|step| step.at == first.at).unwrap_or(0);
        let steps = model.steps.get(from..from + way.len()).unwrap_or(&[]);
        y = subtree(draw, model, page, steps, y + 10.0);
    }
    if page.subtrees.is_empty() && page.bad.is_empty() {
        draw.words((14.0, width), y + 10.0, &["No nodes of this trie lie here."], Face::Text, "c");
        y += 20.0;
    }
    let rect = Rect::new(0.5, top, width - 1.0, y + 10.0 - top);
    let mut mark = Mark::rect(rect, "pbox");
    mark.shape = Shape::Rect { rect, radius: 8.0 };
    draw.scene.marks.insert(at, mark);
    y + 10.0
}

/// The subtrees of the page: cards, cells with a byte, or marks, as many as there are.
fn cards(draw: &mut Draw<'_>, page: &OpenPage, chosen: Option<FilePos>, top: f64) -> f64 {
    let (left, width) = (12.0, draw.scene.width - 24.0);
    let n = page.subtrees.len();
    if n == 0 {
        return top;
    }
    let wide = (width + 8.0) / n as f64 - 8.0;
    let (w, h, gap) = match () {
        () if wide >= 78.0 => (wide.min(150.0), 70.0, 8.0),
        () if wide >= 44.0 => (wide, 44.0, 6.0),
        () if n <= 240 => (28.0, 24.0, 4.0),
        () => (7.0, 12.0, 2.0),
    };
    // A hair more, so that rounding does not cost the last one its place.
    let per_row = (((width + gap + 0.01) / (w + gap)).floor() as usize).max(1);
    for (i, subtree) in page.subtrees.iter().enumerate() {
        let (row, column) = (i / per_row, i % per_row);
        let rect = Rect::new(left + column as f64 * (w + gap), top + row as f64 * (h + gap), w, h);
        card(draw, subtree, rect, chosen == Some(subtree.at));
    }
    let rows = n.div_ceil(per_row) as f64;
    let mut y = top + rows * (h + gap) - gap;
    if page.more {
        draw.words((left, left + width), y + 16.0, &["and others"], Face::Text, "c");
        y += 20.0;
    }
    y
}

fn card(draw: &mut Draw<'_>, it: &Root, rect: Rect, chosen: bool) {
    let hit = draw.node(it.path.as_deref(), it.at);
    let name = match it.path.as_deref() {
        Some([.., byte]) => format!("{byte:02x}"),
        Some([]) => "root".to_owned(),
        None => number(it.at.0, ','),
    };
    if rect.w < 20.0 {
        draw.push(Mark::rect(rect, class(it.family)).hit(hit));
        if chosen {
            let frame = Rect::new(rect.x - 1.0, rect.y - 1.0, rect.w + 2.0, rect.h + 2.0);
            draw.push(Mark::rect(frame, "sel"));
        }
        return;
    }
    draw.push(Mark::rect(rect, if chosen { "card now" } else { "card" }).hit(hit));
    let middle = rect.x + rect.w / 2.0;
    let short = ["·".to_owned(), name.clone()];
    let fits = |text: &str, face| room(text, face) - 4.0 <= rect.w;
    let [dot, _] = &short;
    let text = if fits(&name, Face::Mono) { &name } else { dot };
    if rect.h < 60.0 {
        let y = rect.y + if rect.h > 30.0 { 18.0 } else { 16.0 };
        draw.label(middle, y, text, Face::Mono, "k", Anchor::Middle);
        let ends = number(it.within.ends, ',');
        if rect.h > 30.0 {
            draw.label(middle, y + 18.0, &ends, Face::Text, "c", Anchor::Middle);
        }
        return;
    }
    draw.label(rect.x + 8.0, rect.y + 16.0, text, Face::Mono, "k", Anchor::Start);
    let ends = number(it.within.ends, ',');
    draw.label(rect.right() - 8.0, rect.y + 16.0, &ends, Face::Text, "c", Anchor::End);
    // Its children side by side: leaves in one row, others deeper.
    let slot = (rect.w - 16.0) / it.kids.len().max(1) as f64;
    let (mut flat, mut deep) = (Path::new(), Path::new());
    for (i, family) in it.kids.iter().enumerate() {
        let x = rect.x + 8.0 + slot * i as f64;
        let wide = if slot > 3.0 { slot - 1.0 } else { slot };
        match family {
            Family::Leaf => flat = flat.rect(Rect::new(x, rect.y + 24.0, wide, 10.0)),
            _ => deep = deep.rect(Rect::new(x, rect.y + 24.0, wide.max(1.0), 16.0)),
        }
    }
    for (path, class) in [(flat, "f-leaf"), (deep, "f-sparse")] {
        if !path.is_empty() {
            draw.push(Mark::path(path, class));
        }
    }
    let words = match it.within.out {
        0 => bytes(it.within.bytes),
        out => format!("{} → {out}", bytes(it.within.bytes)),
    };
    if fits(&words, Face::Text) {
        draw.label(rect.x + 8.0, rect.y + 58.0, &words, Face::Text, "c", Anchor::Start);
    }
}

/// The followed subtree of the page: a bar a node, its children in byte order below it.
fn subtree(draw: &mut Draw<'_>, model: &Model, page: &OpenPage, way: &[Step], top: f64) -> f64 {
    let width = draw.scene.width;
    let ground = draw.scene.marks.len();
    let mut y = top + 8.0;
    let all = rows(way);
    let hidden = all.len().saturating_sub(ROWS);
    if hidden > 0 {
        let text = format!("{} above", count(hidden as u64, "node", "nodes"));
        draw.words((24.0, width), y + 12.0, &[&text], Face::Text, "c");
        y += 22.0;
    }
    let after = model
        .steps
        .iter()
        .find(|step| way.last().is_some_and(|last| step.path.len() == last.path.len() + 1));
    let mut above: Option<f64> = None;
    for (n, row) in all.iter().enumerate().skip(hidden) {
        let next = all.get(n + 1).and_then(|row| row.steps.first()).or(after);
        let is_last = all.get(n + 1).is_none();
        let only_leaf =
            |step: &&Step| step.seen.as_ref().is_ok_and(|seen| seen.children.is_empty());
        // A leaf is shown among the children of the node above it, and the leaves of a small node below that.
        if is_last && n > 0 && row.steps.first().as_ref().is_some_and(only_leaf) {
            break;
        }
        if n > hidden && is_shown_above(page, row, next) {
            break;
        }
        (y, above) = bar_row(draw, model, page, row, next, y, above);
    }
    let rect = Rect::new(12.0, top, width - 24.0, y - top);
    draw.scene.marks.insert(ground, Mark::rect(rect, "well"));
    y
}

/// Whether a node has a few leaves only: they stand below its mark, among the children of the node above.
fn is_shown_above(page: &OpenPage, row: &Row<'_>, next: Option<&Step>) -> bool {
    let [step] = row.steps else { return false };
    let Ok(seen) = &step.seen else { return false };
    let is_leaf = |at: Option<FilePos>| {
        page.kids.iter().any(|kid| Some(kid.at) == at && kid.children.is_empty())
    };
    next.is_some() && seen.children.len() <= FEW && seen.children.iter().all(|(_, at)| is_leaf(*at))
}

fn bar_row(
    draw: &mut Draw<'_>,
    model: &Model,
    page: &OpenPage,
    row: &Row<'_>,
    next: Option<&Step>,
    top: f64,
    above: Option<f64>,
) -> (f64, Option<f64>) {
    let (left, right) = (24.0, draw.scene.width - 24.0);
    let Some(last) = row.steps.last() else { return (top, above) };
    let selected = model.selected().map(|step| step.at);
    let name: Vec<String> = row.steps.iter().take(24).map(Step::name).collect();
    let x =
        draw.words((left, right), top + 10.0, &[&name.join(" "), &last.name()], Face::Mono, "k");
    let seen = match &last.seen {
        Ok(seen) => seen,
        Err(why) => {
            draw.fill(Rect::new(left, top + 18.0, 12.0, 12.0), "badmark");
            draw.words(
                (left + 18.0, right),
                top + 28.0,
                &[why, "cannot be read"],
                Face::Text,
                "badt",
            );
            return (top + 40.0, None);
        }
    };
    let kids = count(seen.children.len() as u64, "child", "children");
    let short = match row.steps.len() {
        1 => seen.kind.name().to_owned(),
        many => format!("{many} nodes with one child"),
    };
    let long = format!("{short}, {kids}, {}", bytes(seen.size as u64));
    if let Some(x) = x {
        draw.words((x + 8.0, right), top + 10.0, &[&long, &short], Face::Text, "c");
    }
    let y = top + 18.0;
    if let Some(x) = above {
        let x = x.clamp(left + 2.0, right - 2.0);
        draw.push(Mark::path(Path::new().to(x, top - 10.0).line(x, y), "way"));
    }
    let hit = draw.node(Some(&last.path), last.at);
    draw.push(Mark::rect(Rect::new(left, y, right - left, 12.0), class(seen.family())).hit(hit));
    if row.steps.iter().any(|step| Some(step.at) == selected) {
        draw.push(Mark::rect(Rect::new(left - 3.0, y - 3.0, right - left + 6.0, 18.0), "sel"));
    }
    if seen.children.is_empty() {
        return (y + 24.0, None);
    }
    children(draw, model, page, (last, seen), next, y + 12.0)
}

/// The selected node in a few words.
fn named(model: &Model) -> String {
    let Some(step) = model.selected() else { return String::new() };
    match &model.key {
        Some(Ok(key)) => format!("{}: key {}", spaced(&step.path), super::side::short(&key.text)),
        _ => spaced(&step.path),
    }
}

/// Children of a node: dots are leaves, bars go deeper, and below them what they have.
fn children(
    draw: &mut Draw<'_>,
    model: &Model,
    page: &OpenPage,
    (of, seen): (&Step, &Seen),
    next: Option<&Step>,
    top: f64,
) -> (f64, Option<f64>) {
    let (left, right) = (24.0, draw.scene.width - 24.0);
    let selected = model.selected().map(|step| step.at);
    let n = seen.children.len();
    let slot = (right - left) / n as f64;
    let line = top + 34.0;
    let (mut ticks, mut way) = (Path::new(), None);
    let mut lowest = line + 6.0;
    let r = (slot * 0.4).clamp(1.2, 4.0);
    let mut marks = Vec::new();
    let mut labels = Vec::new();
    let mut ring = None;
    let mut way_to = None;
    for (i, (byte, at)) in seen.children.iter().enumerate() {
        let x = left + slot * (i as f64 + 0.5);
        let lit = next.and_then(Step::byte) == Some(*byte);
        if lit {
            way = Some(x);
        } else {
            ticks = ticks.to(x, top).v(line - 6.0);
        }
        let Some(at) = at else {
            marks.push(Mark::rect(Rect::new(x - 4.0, line - 4.0, 8.0, 8.0), "badmark"));
            continue;
        };
        let path = [of.path.as_slice(), &[*byte]].concat();
        let hit = draw.node(Some(&path), *at);
        let child = page.kids.iter().find(|kid| kid.at == *at);
        if Some(*at) == selected {
            ring = Some((x, line));
        }
        match child {
            Some(child) if child.children.is_empty() => {
                marks.push(dot(x, line, r, "f-leaf").hit(hit));
            }
            Some(child) => {
                let wide = (slot - 1.0).clamp(2.0, 10.0);
                let rect = Rect::new(x - wide / 2.0, line - 5.0, wide, 10.0);
                marks.push(Mark::rect(rect, class(child.family())).hit(hit));
                labels.push((x, *byte, lit));
                let below = child.children.len().min(FEW);
                marks.push(Mark::path(
                    Path::new().to(x, line + 5.0).v(line + 2.0 + 12.0 * below as f64),
                    "ax",
                ));
                for (k, (byte, grand)) in child.children.iter().take(FEW).enumerate() {
                    let y = line + 14.0 + 12.0 * k as f64;
                    let Some(grand) = grand else {
                        marks.push(Mark::rect(Rect::new(x - 3.0, y - 3.0, 6.0, 6.0), "badmark"));
                        continue;
                    };
                    let path = [path.as_slice(), &[*byte]].concat();
                    let hit = draw.node(Some(&path), *grand);
                    if Some(*grand) == selected {
                        ring = Some((x, y));
                        way_to = Some(Path::new().to(x, line).v(y));
                    }
                    let more = k + 1 == FEW && child.children.len() > FEW;
                    let (class, r) = if more { ("more", r) } else { ("f-leaf", r) };
                    marks.push(dot(x, y, r, class).hit(hit));
                    lowest = lowest.max(y + 6.0);
                }
            }
            None if at.page() == page.no => {
                let rect = Rect::new(x - 4.0, line - 4.0, 8.0, 8.0);
                marks.push(Mark::rect(rect, "badmark").hit(hit));
                labels.push((x, *byte, lit));
            }
            None => {
                // It lies in another page.
                let rect = Rect::new(x - 3.0, line - 5.0, 6.0, 10.0);
                marks.push(Mark::rect(rect, "pg").hit(hit));
                labels.push((x, *byte, lit));
            }
        }
    }
    if !ticks.is_empty() {
        draw.push(Mark::path(ticks, "link dark"));
    }
    if let Some(x) = way {
        draw.push(Mark::path(Path::new().to(x, top).v(line - 4.0), "way"));
    }
    labels.sort_by_key(|(_, _, lit)| !lit);
    if slot >= 22.0 {
        labels = seen
            .children
            .iter()
            .enumerate()
            .map(|(i, (byte, _))| {
                let lit = next.and_then(Step::byte) == Some(*byte);
                (left + slot * (i as f64 + 0.5), *byte, lit)
            })
            .collect();
        labels.sort_by_key(|(_, _, lit)| !lit);
    } else if let Some(x) = way {
        let byte = next.and_then(Step::byte).unwrap_or_default();
        labels.insert(0, (x, byte, true));
    }
    for (x, byte, lit) in labels {
        let ground = Rect::new(x - 9.0, top + 9.0, 18.0, 14.0);
        let at = draw.scene.marks.len();
        let class = if lit { "k" } else { "c" };
        if draw
            .label(x, top + 20.0, &format!("{byte:02x}"), Face::Mono, class, Anchor::Middle)
            .is_some()
        {
            draw.scene.marks.insert(at, Mark::rect(ground, "wellbg"));
        }
    }
    if let Some(path) = way_to {
        draw.push(Mark::path(path, "way"));
    }
    for mark in marks {
        draw.push(mark);
    }
    if let Some((x, y)) = ring {
        draw.push(dot(x, y, 7.0, "sel"));
        lowest = lowest.max(y + 8.0);
        let text = named(model);
        let wide = room(&text, Face::Text) / 2.0;
        let middle = x.clamp(left + wide, (right - wide).max(left + wide));
        draw.push(Mark::path(Path::new().to(x, y + 8.0).v(lowest + 4.0), "ax"));
        draw.label(middle, lowest + 16.0, &text, Face::Text, "k", Anchor::Middle);
        lowest += 18.0;
    }
    (lowest + 12.0, way)
}

fn dot(x: f64, y: f64, r: f64, class: &'static str) -> Mark {
    Mark { shape: Shape::Circle { x, y, r }, class: class.into(), hit: None, step: None }
}
