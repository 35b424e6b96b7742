//! The picture of nodes: pages as containers with the followed nodes in them, the strip of all pages, and the page that is
//! open with its subtrees.

use super::draw::{Draw, room};
use super::model::Model;
use super::open::{Seen, Step};
use super::opened::opened;
use super::query::{Query, spaced};
use crate::layout::{Anchor, Face, Mark, Path, Rect, Scene, Shape, px};
use crate::words::{bytes, count};
use crate::workshop::family::class;
use crate::workshop::links::Links;
use triescope_core::bti::Family;
use triescope_core::lookup::words::number;
use triescope_core::pos::{FilePos, PageNo};

/// Width of a page on the strip from which on it is drawn by itself.
const CELL: f64 = 7.0;
/// Rows of branching nodes that a container shows; those above are told in a line.
pub const ROWS: usize = 12;

/// A row of a container: one node with several children, or nodes with one child that follow each other.
pub struct Row<'m> {
    /// The nodes.
    pub steps: &'m [Step],
}

/// Where the children of a node stand.
struct Spread {
    y: f64,
    kids: Vec<(f64, u8, PageNo)>,
    followed: Option<u8>,
}

/// The picture for a width.
pub fn nodes(model: &Model, links: Links<'_>, width: f64) -> (String, Scene) {
    let mut draw = Draw::new(width, links, &model.query);
    let mut y = 1.0;
    let groups = by_page(&model.steps);
    let open = model.open.as_ref();
    let is_open =
        |group: &[Step]| group.first().map(|step| step.at.page()) == open.map(|open| open.no);
    let first_page = groups.first().and_then(|group| group.first()).map(|step| step.at.page());
    let mut last = None;
    for (at, group) in groups.iter().enumerate() {
        // The open page has a container of its own below.
        if at > 0 && is_open(group) {
            break;
        }
        if at > 0 && !groups.iter().any(|group| is_open(group)) {
            break;
        }
        let next = groups.get(at + 1).and_then(|group| group.first()).and_then(Step::byte);
        let (bottom, spread) = container(&mut draw, model, group, next, y, at == 0);
        y = bottom;
        match (at, spread) {
            // Links that stay in the page are no links to the strip.
            (0, Some(spread))
                if spread.kids.iter().any(|(_, _, page)| Some(*page) != first_page) =>
            {
                y = strip(&mut draw, model, Some(&spread), y);
            }
            (0, Some(_)) => y = strip(&mut draw, model, None, y),
            (0, None) => y = strip(&mut draw, model, None, y),
            (_, Some(spread)) => {
                followed_down(&mut draw, &spread, y, y + 28.0);
                y += 28.0;
            }
            _ => y += 12.0,
        }
        last = Some(at);
    }
    if let Some(open) = open.filter(|open| Some(open.no) != first_page || last.is_none()) {
        y = opened(&mut draw, model, open, y);
    }
    let label = format!("Nodes of the trie in their pages: {}", said(model));
    draw.done(y + 2.0, label)
}

/// The picture in a sentence.
pub fn said(model: &Model) -> String {
    let Some(step) = model.selected() else { return "no node can be read.".to_owned() };
    let what = match &step.seen {
        Ok(seen) => format!(
            "{} {} is selected, in page {} at {}",
            seen.kind.name(),
            if step.path.is_empty() { "root".to_owned() } else { spaced(&step.path) },
            step.at.page(),
            number(step.at.0, ',')
        ),
        Err(_) => format!("the node at {} cannot be read", number(step.at.0, ',')),
    };
    let open = model.open.as_ref().map_or_else(String::new, |open| {
        format!(
            "; page {} is open and has {}",
            open.no,
            count(open.subtrees.len() as u64, "subtree", "subtrees")
        )
    });
    format!("{what}{open}.")
}

/// The steps, those of one page together.
fn by_page(steps: &[Step]) -> Vec<&[Step]> {
    steps.chunk_by(|one, other| one.at.page() == other.at.page()).collect()
}

/// The nodes of a page on the way, in rows.
pub fn rows(steps: &[Step]) -> Vec<Row<'_>> {
    let kids = |step: &Step| step.seen.as_ref().map_or(0, |seen| seen.children.len());
    let carries = |step: &Step| step.seen.as_ref().is_ok_and(Seen::carries);
    let together = |one: &Step, other: &Step| {
        kids(one) == 1 && kids(other) == 1 && !carries(one) && !carries(other)
    };
    steps.chunk_by(together).map(|steps| Row { steps }).collect()
}

fn container(
    draw: &mut Draw<'_>,
    model: &Model,
    group: &[Step],
    next: Option<u8>,
    top: f64,
    is_first: bool,
) -> (f64, Option<Spread>) {
    let width = draw.scene.width;
    let Some(first) = group.first() else { return (top, None) };
    let no = first.at.page();
    let at = draw.scene.marks.len();
    let end = draw.words((12.0, width), top + 18.0, &[&format!("page {no}")], Face::Strong, "k");
    let what = match is_first {
        true => match model.entry {
            Some(_) => "holds the root: every lookup in this partition reads it".to_owned(),
            None => "holds the root: every lookup reads it".to_owned(),
        },
        false => format!("reached from page {}", page_above(model, first)),
    };
    if let Some(x) = end {
        draw.words((x + 10.0, width - 12.0), top + 18.0, &[&what, ""], Face::Text, "c");
    }
    let mut y = top + 28.0;
    let mut spread = None;
    let all = rows(group);
    let hidden = all.len().saturating_sub(ROWS);
    if hidden > 0 {
        let text = format!("{} above", count(hidden as u64, "node", "nodes"));
        draw.words((14.0, width), y + 12.0, &[&text], Face::Text, "c");
        y += 22.0;
    }
    for (n, row) in all.iter().enumerate().skip(hidden) {
        let next = match all.get(n + 1) {
            Some(row) => row.steps.first().and_then(Step::byte),
            None => next,
        };
        let above = spread.take();
        let spread_here;
        (y, spread_here) = node_row(draw, model, row, next, y, above.as_ref());
        // Below a leaf there is nothing: the links are those of the node above it.
        spread = spread_here.or(above);
    }
    let height = y + 8.0 - top;
    let rect = Rect::new(0.5, top, width - 1.0, height);
    let mut mark = Mark::rect(rect, "pbox");
    mark.shape = Shape::Rect { rect, radius: 8.0 };
    draw.scene.marks.insert(at, mark);
    (top + height, spread)
}

fn page_above(model: &Model, step: &Step) -> u64 {
    let above = step.path.len().checked_sub(1).and_then(|at| model.steps.get(at));
    above.map_or(0, |step| step.at.page().0)
}

/// A node of the way, with its children on the axis 00 to ff.
fn node_row(
    draw: &mut Draw<'_>,
    model: &Model,
    row: &Row<'_>,
    next: Option<u8>,
    top: f64,
    above: Option<&Spread>,
) -> (f64, Option<Spread>) {
    let width = draw.scene.width;
    let (Some(first), Some(last)) = (row.steps.first(), row.steps.last()) else {
        return (top, None);
    };
    let selected = model.selected().is_some_and(|step| row.steps.iter().any(|it| it.at == step.at));
    let mut y = top;
    if let Some((spread, byte)) = above.and_then(|spread| Some((spread, first.byte()?)))
        && let Some((x, ..)) = spread.kids.iter().find(|(_, known, _)| *known == byte)
    {
        let path = Path::new().to(*x, spread.y).v(y + 3.0).h(20.0).v(y + 8.0);
        draw.push(Mark::path(path, "way"));
        y += 8.0;
    }
    let seen = match &last.seen {
        Ok(seen) => seen,
        Err(why) => {
            draw.fill(Rect::new(14.0, y + 2.0, 12.0, 12.0), "badmark");
            draw.words(
                (32.0, width - 12.0),
                y + 12.0,
                &[why, "cannot be read"],
                Face::Text,
                "badt",
            );
            return (y + 20.0, None);
        }
    };
    let hit = draw.node(Some(&last.path), last.at);
    if selected {
        draw.push(Mark::rect(Rect::new(11.0, y - 1.0, 18.0, 18.0), "sel"));
    }
    draw.push(Mark::rect(Rect::new(14.0, y + 2.0, 12.0, 12.0), class(seen.family())).hit(hit));
    let name = match row.steps {
        [one] => one.name(),
        many => many.iter().take(24).map(Step::name).collect::<Vec<_>>().join(" "),
    };
    let right = width - 12.0;
    let x = draw.words((34.0, right), y + 12.0, &[&name, &first.name()], Face::Mono, "k");
    let kind = match row.steps.len() {
        1 => seen.kind.name().to_owned(),
        many => format!("{many} nodes with one child"),
    };
    let open = model.open.as_ref().map(|open| open.no);
    let leads = seen.children.iter().filter(|(_, at)| at.map(FilePos::page) == open).count();
    let long = match (seen.children.as_slice(), open) {
        ([], _) => format!("{kind}: {}", bytes(seen.size as u64)),
        ([(byte, _)], _) => format!("{kind}: {byte:02x}"),
        (kids, Some(open)) if leads > 0 && open != last.at.page() => {
            let verb = if leads == 1 { "leads" } else { "lead" };
            format!("{kind}: {} children, {leads} {verb} to page {open}", kids.len())
        }
        (kids, _) => format!("{kind}: {} children", kids.len()),
    };
    if let Some(x) = x {
        draw.words((x + 8.0, right), y + 12.0, &[&long, &kind], Face::Text, "c");
    }
    y += 20.0;
    if seen.children.len() < 2 {
        let kids = seen.children.iter().filter_map(|(byte, at)| Some((20.0, *byte, (*at)?.page())));
        let kids: Vec<_> = kids.collect();
        // The line goes straight down to the next one.
        let spread = Spread { y: y - 4.0, kids, followed: next };
        return (y, Some(spread).filter(|spread| !spread.kids.is_empty()));
    }
    let spread = spectrum(draw, &last.path, seen, next, y);
    (y + 16.0 + 16.0, Some(spread))
}

/// The children of a node on the axis 00 to ff.
fn spectrum(draw: &mut Draw<'_>, path: &[u8], seen: &Seen, next: Option<u8>, y: f64) -> Spread {
    let width = draw.scene.width;
    let (left, room) = (14.0, width - 28.0);
    let slot = room / 256.0;
    draw.fill(Rect::new(left, y, room, 16.0), "axis");
    let mut kids = Vec::new();
    for (byte, at) in &seen.children {
        let x = left + slot * f64::from(*byte);
        let wide = if slot > 2.5 { slot - 1.0 } else { slot };
        let Some(at) = at else {
            draw.fill(Rect::new(x, y, wide.max(2.0), 16.0), "badmark");
            continue;
        };
        let lit = next == Some(*byte);
        let path = [path, &[*byte]].concat();
        let hit = draw.node(Some(&path), *at);
        let rect = Rect::new(x, y, wide.max(1.0), 16.0);
        let name = match (lit, seen.family()) {
            (true, _) => "lit",
            (_, Family::Sparse) => "f-sparse pale",
            (_, Family::Single) => "f-single pale",
            (_, Family::Leaf) => "f-leaf pale",
            (_, Family::Dense) => "f-dense pale",
            (_, Family::Long) => "f-long pale",
        };
        draw.push(Mark::rect(rect, name).hit(hit));
        kids.push((x + wide / 2.0, *byte, at.page()));
    }
    let labels = [next, Some(0), Some(0x40), Some(0x80), Some(0xc0), Some(0xff)];
    for (n, byte) in labels.into_iter().enumerate().filter_map(|(n, byte)| Some((n, byte?))) {
        let x = left + slot * (f64::from(byte) + 0.5);
        let (face, class) = if n == 0 { (Face::Mono, "k") } else { (Face::Mono, "c") };
        let x = x.clamp(left + 8.0, left + room - 8.0);
        draw.label(x, y + 29.0, &format!("{byte:02x}"), face, class, Anchor::Middle);
    }
    Spread { y: y + 16.0, kids, followed: next }
}

/// The strip of all pages, with curves from the children of the node above.
fn strip(draw: &mut Draw<'_>, model: &Model, above: Option<&Spread>, top: f64) -> f64 {
    let width = draw.scene.width;
    let pages = model.pages.max(1);
    let most = (width / CELL).floor().max(1.0);
    let per = (pages as f64 / most).ceil().max(1.0);
    let cells = (pages as f64 / per).ceil();
    let pitch = (width / cells).min(56.0);
    let open = model.open.as_ref().map(|open| open.no);
    let x_of = |page: PageNo| ((page.0 as f64 / per).floor() + 0.5) * pitch;
    let y = top + if above.is_some() { 68.0 } else { 14.0 };
    if let Some(spread) = above {
        let from = spread.y.min(top);
        let curve = |path: Path, x: f64, to: f64| {
            // The line leaves the container upright.
            let path: String = path.to(x, from).into();
            format!("{path}V{0}C{x} {1} {to} {1} {to} {2}", px(top), px(top + 36.0), px(y))
        };
        let (mut thin, mut dark, mut way) = (String::new(), String::new(), String::new());
        for (x, byte, page) in &spread.kids {
            let to = x_of(*page);
            let path = curve(Path::new(), *x, to);
            match (Some(*byte) == spread.followed, Some(*page) == open) {
                (true, _) => way += &path,
                (_, true) => dark += &path,
                _ => thin += &path,
            }
        }
        for (path, class) in [(thin, "link"), (dark, "link dark"), (way, "way")] {
            if !path.is_empty() {
                draw.push(Mark::path(path, class));
            }
        }
    }
    let gap = if pitch >= 12.0 { 3.0 } else { 1.0 };
    let high = 34.0;
    let fills = model.counts.as_ref().map(|counts| &counts.fills);
    for cell in 0..cells as u64 {
        let first = PageNo((cell as f64 * per) as u64);
        let rect = Rect::new(cell as f64 * pitch + gap / 2.0, y, pitch - gap, high);
        let is_open = open.is_some_and(|open| (open.0 as f64 / per).floor() as u64 == cell);
        draw.push(Mark::rect(rect, "pg"));
        if let Some((fills, count)) = fills {
            let from = (first.0 / count) as usize;
            let to = ((first.0 + per as u64).div_ceil(*count) as usize).min(fills.len());
            let fills = fills.get(from..to).unwrap_or(&[]);
            bar(draw, rect, fills, 4096 * count * fills.len().max(1) as u64);
        }
        let hit = page_hit(draw, model, first);
        draw.push(Mark::rect(rect, "hit").hit(hit));
        if is_open {
            let frame = Rect::new(rect.x - 2.0, y - 2.0, rect.w + 4.0, high + 4.0);
            let mut mark = Mark::rect(frame, "sel");
            mark.shape = Shape::Rect { rect: frame, radius: 3.0 };
            draw.push(mark);
        }
    }
    let mut under = y + high + 17.0;
    if let Some(open) = open {
        let x = x_of(open).clamp(20.0, width - 20.0);
        draw.label(x, under, &open.to_string(), Face::Strong, "k", Anchor::Middle);
    }
    let step = nice(pages as f64 / (width / 90.0));
    for n in (0..pages).step_by(step as usize) {
        let text = number(n, ',');
        let x = x_of(PageNo(n));
        let x = x.max(room(&text, Face::Text) / 2.0 - 4.0);
        draw.label(x, under, &text, Face::Text, "c", Anchor::Middle);
    }
    if per > 1.0 {
        under += 18.0;
        let text = format!("{} pages, {per} in a column; open one", number(pages, ','));
        draw.words((0.0, width), under, &[&text], Face::Text, "c");
    }
    let root = model.steps.first().map(|step| step.at.page());
    if let Some(open) = open.filter(|open| Some(*open) != root) {
        let x = x_of(open);
        let path = Path::new()
            .to((x - pitch / 2.0).max(0.0), under + 5.0)
            .line((x + pitch / 2.0).min(width), under + 5.0)
            .line(width, under + 30.0)
            .line(0.0, under + 30.0)
            .close();
        draw.push(Mark::path(path, "zoom"));
    }
    under + 31.0
}

fn page_hit(draw: &mut Draw<'_>, model: &Model, page: PageNo) -> u32 {
    // The first node that was reached in the page becomes the selected one: its way leads there.
    let first = model
        .counts
        .as_ref()
        .and_then(|counts| counts.first.get((page.0 / counts.fills.1.max(1)) as usize)?.clone());
    match first.filter(|(_, at)| at.page() == page) {
        Some((path, at)) => draw.node(Some(&path), at),
        None => draw.to(&Query { open: Some(page), ..model.query.clone() }),
    }
}

/// Families of a page from below, as far as it is filled.
fn bar(draw: &mut Draw<'_>, rect: Rect, fills: &[[u64; 5]], whole: u64) {
    let mut y = rect.bottom() - 1.0;
    for (slot, family) in crate::workshop::family::FAMILIES.into_iter().enumerate() {
        let sum: u64 = fills.iter().filter_map(|fill| fill.get(slot)).sum();
        let high = (rect.h - 2.0) * sum as f64 / whole as f64;
        if high < 0.2 {
            continue;
        }
        y -= high;
        draw.fill(Rect::new(rect.x + 1.0, y, rect.w - 2.0, high), class(family));
    }
}

fn nice(step: f64) -> u64 {
    let mut unit = 1.0;
    loop {
        for times in [1.0, 2.0, 5.0] {
            if unit * times >= step {
                return (unit * times) as u64;
            }
        }
        unit *= 10.0;
    }
}

fn followed_down(draw: &mut Draw<'_>, spread: &Spread, top: f64, bottom: f64) {
    let Some((x, ..)) = spread.kids.iter().find(|(_, byte, _)| Some(*byte) == spread.followed)
    else {
        return;
    };
    draw.push(Mark::path(Path::new().to(*x, spread.y.min(top)).line(*x, bottom), "way"));
}
