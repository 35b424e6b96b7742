//! The icicle: a row a depth, width what lies below a node; and the whole of it in small, with a frame.

use super::counts::{Profile, ROWS, Subtree};
use super::draw::{Draw, room};
use super::model::{Counted, Model};
use super::open::Step;
use super::query::{Query, spaced};
use crate::layout::{Anchor, Face, Mark, Path, Rect, Scene};
use crate::workshop::family::{FAMILIES, class};
use crate::workshop::links::Links;
use triescope_core::table;

/// Nodes that are marks of their own and lead somewhere; narrower ones are drawn together.
const MARKS: usize = 700;

/// Where a node stands in an icicle.
struct Stands {
    path: Vec<u8>,
    it: Subtree,
    x: f64,
    w: f64,
}

/// The icicle for a width.
pub fn icicle(model: &Model, links: Links<'_>, width: f64) -> (String, Scene) {
    let mut draw = Draw::new(width, links, &model.query);
    let Some(counted) = model.below.as_ref().or(model.counts.as_ref()) else {
        draw.words(
            (0.0, width),
            16.0,
            &["The nodes are not counted yet: the panel starts it.", "not counted"],
            Face::Text,
            "k",
        );
        return draw.done(24.0, "The icicle needs the counts of all nodes.".to_owned());
    };
    let base = model.query.from.len();
    let by_bytes = model.query.by_bytes;
    let whole = whole(counted, by_bytes);
    let depth = rows(counted);
    let above = model.from.split_last().map_or(&[][..], |(_, above)| above);
    let mut y = 0.0;
    // What lies above is as wide as what is shown: thin rows that lead back.
    for step in above.iter().rev().take(4).rev() {
        let hit = draw.to(&Query { from: step.path.clone(), ..model.query.clone() });
        let class = step.seen.as_ref().map_or("badmark", |seen| class(seen.family()));
        draw.push(Mark::rect(Rect::new(0.0, y, width, 18.0), class).hit(hit));
        let label =
            Mark::text(8.0, y + 13.0, format!("{}: zoom out to it", step.name()), Face::Mono, "on");
        draw.push(label.hit(hit));
        y += 20.0;
    }
    if y > 0.0 {
        y += 4.0;
    }
    let high = (460.0 / depth.max(1) as f64).clamp(26.0, 84.0);
    let gap = 5.0;
    let row = |depth: usize| y + depth as f64 * (high + gap);
    profile(&mut draw, &counted.profiles[usize::from(by_bytes)], (0.0, width), whole, |depth| {
        (row(depth), high)
    });
    let stands = stands(counted, &model.query.from, by_bytes, width, 1.5);
    let mut turned: Vec<(usize, f64, f64)> = Vec::new();
    if let [.., above, first] = model.from.as_slice()
        && above.at.page() != first.at.page()
    {
        turned.push((0, 0.0, width));
    }
    let selected = model.query.path.as_deref().unwrap_or_default();
    let mut framed = None;
    for it in &stands {
        let top = row(it.it.depth);
        let rect = Rect::new(it.x, top, (it.w - 1.0).max(1.0), high);
        let on_way = selected.starts_with(&it.path);
        // The gap beside it shows nothing of what is drawn together.
        draw.push(Mark::rect(Rect::new(it.x, top, it.w.max(1.0), high), "ground"));
        let hit = draw.node(Some(&it.path), it.it.at);
        draw.push(Mark::rect(rect, name(it, on_way)).hit(hit));
        if it.it.turned {
            turned.push((it.it.depth, it.x, it.x + it.w));
        }
        if it.path == selected {
            framed = Some((rect, it));
        }
        label(&mut draw, model, it, rect, on_way);
    }
    for path in dashed(&turned, &row, gap) {
        draw.push(Mark::path(path, "turn"));
    }
    let mut bottom = row(depth) - gap;
    // A node that is too narrow is pointed at, in the narrowest of those above it.
    let near = stands.iter().rfind(|it| selected.starts_with(&it.path));
    if let (None, Some(it)) = (framed, near) {
        let x = it.x + it.w / 2.0;
        let from = row(it.it.depth) + high;
        draw.push(Mark::path(Path::new().to(x, from).v(bottom + 8.0), "ink1"));
        let text = match &model.key {
            Some(Ok(key)) => format!("key {}, zoom in with +", super::side::short(&key.text)),
            _ => format!("{}, zoom in with +", spaced(selected)),
        };
        let wide = room(&text, Face::Strong) / 2.0;
        let x = x.clamp(wide, (width - wide).max(wide));
        draw.label(x, bottom + 20.0, &text, Face::Strong, "k", Anchor::Middle);
    }
    if let Some((rect, it)) = framed {
        let frame = Rect::new((rect.x - 2.0).max(0.0), rect.y - 2.0, rect.w + 4.0, rect.h + 4.0);
        draw.push(Mark::rect(frame, "sel"));
        let text = match (&model.key, it.path.is_empty()) {
            (Some(Ok(key)), _) => format!("key {}", super::side::short(&key.text)),
            (_, true) => "root".to_owned(),
            _ => spaced(&it.path),
        };
        let wide = room(&text, Face::Strong) / 2.0;
        let x = (rect.x + rect.w / 2.0).clamp(wide, (width - wide).max(wide));
        draw.push(Mark::path(
            Path::new().to(rect.x + rect.w / 2.0, rect.bottom() + 3.0).v(bottom + 8.0),
            "ink1",
        ));
        draw.label(x, bottom + 20.0, &text, Face::Strong, "k", Anchor::Middle);
    }
    let unit = match (by_bytes, model.query.part) {
        (true, _) => "width: bytes of a node and all below it",
        (_, table::Part::Rows) => "width: blocks below a node",
        _ => "width: partitions below a node",
    };
    draw.label(width, bottom + 38.0, unit, Face::Text, "c", Anchor::End);
    if !turned.is_empty() {
        draw.words(
            (0.0, width),
            bottom + 38.0,
            &["dashed line: another page below", "dashed: another page"],
            Face::Text,
            "c",
        );
    }
    bottom += 44.0;
    let from = if base == 0 { "the root".to_owned() } else { spaced(&model.query.from) };
    draw.done(bottom, format!("Icicle of what lies below {from}: {}", super::nodes::said(model)))
}

/// The whole trie in small, with a frame around what is shown.
pub fn minimap(model: &Model, links: Links<'_>, width: f64) -> Option<String> {
    let counted = model.counts.as_ref()?;
    let mut draw = Draw::new(width, links, &model.query);
    let by_bytes = model.query.by_bytes;
    let whole = whole(counted, by_bytes);
    let depth = rows(counted).min(12);
    let high = (72.0 / depth.max(1) as f64).clamp(5.0, 15.0);
    let text = match model.query.part {
        table::Part::Rows => "The whole row trie, a row a depth; width by blocks",
        _ => "The whole trie, a row a depth; width by partitions",
    };
    let text = if by_bytes { "The whole trie, a row a depth; width by bytes" } else { text };
    draw.words((0.0, width), 12.0, &[text, "The whole trie, a row a depth"], Face::Text, "c");
    let top = 22.0;
    profile(&mut draw, &counted.profiles[usize::from(by_bytes)], (0.0, width), whole, |depth| {
        (top + depth as f64 * high, high - 1.0)
    });
    // Great subtrees lead to themselves.
    let stands = stands(counted, &[], by_bytes, width, 3.0);
    for it in stands.iter().filter(|it| it.it.depth < depth && it.it.depth > 0).take(300) {
        let rect = Rect::new(it.x, top + it.it.depth as f64 * high, it.w, high);
        let hit = draw.node(Some(&it.path), it.it.at);
        draw.push(Mark::rect(rect, "hit").hit(hit));
    }
    let shown = frame(model, counted, by_bytes, whole, width);
    let bottom = top + depth as f64 * high;
    if let Some((x, w)) = shown {
        let w = w.max(8.0);
        let x = (x - 1.0).clamp(1.0, (width - w - 1.0).max(1.0));
        draw.push(Mark::rect(Rect::new(x, top - 4.0, w, bottom - top + 8.0), "sel"));
    }
    Some(draw.done(bottom + 6.0, format!("{text}; the frame is around what is shown.")).0)
}

/// What the frame is around: what the icicle shows, or the subtree of the open page.
fn frame(
    model: &Model,
    counted: &Counted,
    by_bytes: bool,
    whole: u64,
    width: f64,
) -> Option<(f64, f64)> {
    let root = model.steps.first()?.at.page();
    let path = match model.query.icicle {
        true if model.query.from.is_empty() => model.query.path.clone()?,
        true => model.query.from.clone(),
        false => {
            let below = model.steps.iter().find(|step| step.at.page() != root);
            below.or(model.steps.last())?.path.clone()
        }
    };
    let mut best: Option<Subtree> = None;
    each(counted, &[], |at, it| {
        if path.starts_with(at) && best.is_none_or(|best| it.depth > best.depth) {
            best = Some(*it);
        }
    });
    let it = best?;
    let slot = usize::from(by_bytes);
    let (start, sum) = (it.start.get(slot)?, it.sum.get(slot)?);
    Some((*start as f64 / whole as f64 * width, *sum as f64 / whole as f64 * width))
}

fn whole(counted: &Counted, by_bytes: bool) -> u64 {
    let sums = &counted.sums;
    if by_bytes { sums.bytes } else { sums.ends }.max(1)
}

fn rows(counted: &Counted) -> usize {
    counted.profiles.iter().map(|profile| profile.rows.len()).max().unwrap_or(1).clamp(1, ROWS)
}

/// Goes through the great subtrees with their paths, each before those below it.
fn each(counted: &Counted, base: &[u8], mut visit: impl FnMut(&[u8], &Subtree)) {
    let mut path = base.to_vec();
    // They are kept each after those below it.
    for it in counted.kept.iter().rev() {
        if it.depth > 0 {
            path.truncate(base.len() + it.depth - 1);
            path.push(it.byte);
        } else {
            path.truncate(base.len());
        }
        visit(&path, it);
    }
}

/// The widest subtrees, at most as many as get marks.
fn stands(counted: &Counted, base: &[u8], by_bytes: bool, width: f64, least: f64) -> Vec<Stands> {
    let slot = usize::from(by_bytes);
    let scale = width / whole(counted, by_bytes) as f64;
    let of = |it: &Subtree, which: fn(&Subtree) -> [u64; 2]| {
        which(it).get(slot).copied().unwrap_or(0) as f64 * scale
    };
    let mut widths: Vec<f64> = counted.kept.iter().map(|it| of(it, |it| it.sum)).collect();
    widths.sort_by(f64::total_cmp);
    let least = widths.iter().rev().nth(MARKS).copied().unwrap_or(0.0).max(least);
    let mut all = Vec::new();
    each(counted, base, |path, it| {
        let (x, w) = (of(it, |it| it.start), of(it, |it| it.sum));
        if w >= least && all.len() <= 2 * MARKS {
            all.push(Stands { path: path.to_vec(), it: *it, x, w });
        }
    });
    all
}

/// What the small subtrees come to: for each row and family, runs of columns in which it has most. A column of which only a
/// part goes so deep is as much lower.
fn profile(
    draw: &mut Draw<'_>,
    profile: &Profile,
    (left, width): (f64, f64),
    whole: u64,
    row: impl Fn(usize) -> (f64, f64),
) {
    /// Heights that are told apart.
    const PARTS: u64 = 6;
    let scale = width / whole as f64 * profile.unit as f64;
    for (depth, columns) in profile.rows.iter().enumerate() {
        let (y, h) = row(depth);
        let mut paths = [(); 5].map(|()| Path::new());
        let most = |(at, column): (usize, &[u32; 5])| {
            let sum: u64 = column.iter().map(|n| u64::from(*n)).sum();
            let best = column.iter().enumerate().max_by_key(|(_, n)| **n).filter(|_| sum > 0)?;
            // The last column is not full of anything.
            let full = profile.unit.min(whole.saturating_sub(at as u64 * profile.unit)).max(1);
            Some((best.0, (sum * PARTS).div_ceil(full).clamp(1, PARTS)))
        };
        let mut run: Option<(usize, (usize, u64))> = None;
        for (at, now) in columns.iter().enumerate().map(most).chain([None]).enumerate() {
            if let Some((from, (slot, parts))) = run.filter(|(_, known)| Some(*known) != now) {
                let x = left + from as f64 * scale;
                let w = ((at - from) as f64 * scale).min(left + width - x).max(0.3);
                if let Some(path) = paths.get_mut(slot) {
                    let h = h * parts as f64 / PARTS as f64;
                    *path = std::mem::take(path).rect(Rect::new(x, y, w, h));
                }
                run = None;
            }
            if let (None, Some(now)) = (run, now) {
                run = Some((at, now));
            }
        }
        for (path, family) in paths.into_iter().zip(FAMILIES) {
            if !path.is_empty() {
                draw.push(Mark::path(path, class(family)));
            }
        }
    }
}

fn name(it: &Stands, on_way: bool) -> &'static str {
    use triescope_core::bti::Family;
    match (it.it.family, on_way) {
        (family, true) => class(family),
        (Family::Leaf, _) => "f-leaf pale",
        (Family::Single, _) => "f-single pale",
        (Family::Sparse, _) => "f-sparse pale",
        (Family::Dense, _) => "f-dense pale",
        (Family::Long, _) => "f-long pale",
    }
}

fn label(draw: &mut Draw<'_>, model: &Model, it: &Stands, rect: Rect, on_way: bool) {
    let byte = match it.path.last() {
        Some(byte) => format!("{byte:02x}"),
        None => "root".to_owned(),
    };
    let step: Option<&Step> = model.steps.iter().find(|step| step.at == it.it.at);
    let kind = step.and_then(|step| step.seen.as_ref().ok()).map(|seen| seen.kind.name());
    let long = match (kind, it.it.children) {
        (Some(kind), 0) => format!("{byte} {kind}"),
        (Some(kind), 1) => format!("{byte} {kind}, 1 child"),
        (Some(kind), n) => format!("{byte} {kind}, {n} children"),
        _ => byte.clone(),
    };
    let (face, class) = match on_way {
        true => (Face::Mono, "on"),
        false => (Face::Mono, "k"),
    };
    let y = rect.y + rect.h / 2.0 + 4.0;
    let text = [long.as_str(), byte.as_str()].into_iter().find(|text| room(text, face) <= rect.w);
    if let Some(text) = text {
        draw.label(rect.x + rect.w / 2.0, y, text, face, class, Anchor::Middle);
    }
}

/// Dashed lines above nodes whose parents lie in other pages; those side by side are one.
fn dashed(turned: &[(usize, f64, f64)], row: &impl Fn(usize) -> f64, gap: f64) -> Vec<Path> {
    let mut all = turned.to_vec();
    all.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let mut lines: Vec<(usize, f64, f64)> = Vec::new();
    for (depth, from, to) in all {
        match lines.last_mut() {
            Some((known, _, end)) if *known == depth && from - *end < 3.0 => *end = to,
            _ => lines.push((depth, from, to)),
        }
    }
    let line = |(depth, from, to): (usize, f64, f64)| {
        let y = row(depth) - gap / 2.0;
        Path::new().to(from, y).line(to, y)
    };
    lines.into_iter().map(line).collect()
}
