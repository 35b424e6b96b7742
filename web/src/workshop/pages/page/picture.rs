//! The page as a picture: 64 bytes a row, every item a link; and the strip of all pages above it.

use super::parents::Parents;
use super::shades::{Shade, shades};
use super::shown::Shown;
use crate::layout::{Anchor, Face, Mark, Path, Rect, Scene};
use std::collections::BTreeMap;
use triescope_core::pos::{FilePos, PAGE_SIZE};
use triescope_core::source::Source;

/// Bytes of a row.
const ROW: u64 = 64;
/// Room for positions, left of the rows.
const LEFT: f64 = 48.0;
/// Room for pointers, right of the rows.
const RIGHT: f64 = 92.0;
/// Most pages that are drawn one by one in the strip.
const STRIP: u64 = 2_000;

/// Where the rows lie.
struct Plan {
    left: f64,
    wide: f64,
    pitch: f64,
    start: u64,
}

impl Plan {
    /// The rectangles that bytes take, a row each, from `from` to before `to`.
    fn runs(&self, from: u64, to: u64) -> Vec<Rect> {
        let mut runs = Vec::new();
        let mut at = from.saturating_sub(self.start);
        let to = to.saturating_sub(self.start);
        while at < to {
            let row = at / ROW;
            let end = to.min((row + 1) * ROW);
            let x = |byte: u64| self.left + self.wide * byte as f64 / ROW as f64;
            let (x0, x1) = (x(at % ROW), x(end - row * ROW));
            runs.push(Rect::new(x0, row as f64 * self.pitch, x1 - x0, self.pitch - 1.0));
            at = end;
        }
        runs
    }

    /// The outline of bytes that follow each other.
    fn outline(&self, from: u64, to: u64) -> Path {
        let runs = self.runs(from, to);
        let (Some(first), Some(last)) = (runs.first(), runs.last()) else { return Path::new() };
        let (left, right) = (self.left, self.left + self.wide);
        let bottom = |rect: &Rect| rect.y + self.pitch - 0.5;
        let top = first.y - 0.5;
        if runs.len() == 1 {
            return Path::new().rect(Rect::new(first.x, top, first.w, self.pitch));
        }
        let mut path = Path::new().to(first.x, top).h(right);
        let above_last = last.y - 0.5;
        path = match last.right() < right {
            true => path.v(above_last).h(last.right()).v(bottom(last)),
            false => path.v(bottom(last)),
        };
        path = path.h(left);
        match first.x > left {
            true => path.v(bottom(first)).h(first.x).close(),
            false => path.close(),
        }
    }
}

/// The rows of the page, and the items by hit number.
pub fn rows<S: Source>(
    shown: &Shown<'_, S>,
    parents: Option<&Parents>,
    width: f64,
    pitch: f64,
) -> Scene {
    let pointers = parents.is_some_and(|it| !it.found.is_empty()) && width >= 500.0;
    let (left, right) =
        if width < 500.0 { (0.0, 0.0) } else { (LEFT, if pointers { RIGHT } else { 8.0 }) };
    let count = (shown.bytes.len() as u64).div_ceil(ROW);
    let plan = Plan { left, wide: width - left - right, pitch, start: shown.view.at.0 };
    let mut scene = Scene {
        width,
        height: (count as f64 * pitch).max(pitch) + 4.0,
        label: format!(
            "Page {} of {}, {} bytes a row; its items are in the table below",
            shown.page(),
            shown.part.file_name(),
            ROW
        ),
        marks: Vec::new(),
    };
    fills(shown, &plan, &mut scene);
    for row in (0..count).step_by(8).filter(|_| left > 0.0) {
        let y = row as f64 * pitch;
        let text = shown.position(row * ROW);
        scene.push(
            Mark::text(left - 8.0, (y + 9.0).max(9.0), text, Face::Text, "c").anchored(Anchor::End),
        );
    }
    if pointers && let Some(parents) = parents {
        entrances(shown, parents, &plan, &mut scene);
    }
    for (hit, item) in (0u32..).zip(&shown.view.items) {
        let from = item.at.0.max(shown.view.at.0);
        let path = plan.runs(from, item.at.0.saturating_add(item.len).min(end(shown)));
        let path = path.into_iter().fold(Path::new(), Path::rect);
        if !path.is_empty() {
            scene.push(Mark::path(path, "hit").hit(hit));
        }
    }
    if let Some(item) = shown.at.and_then(|at| shown.view.items.get(at)) {
        let from = item.at.0.max(shown.view.at.0);
        let to = item.at.0.saturating_add(item.len.max(1)).min(end(shown));
        scene.push(Mark::path(plan.outline(from, to), "sel"));
    }
    if let Some(field) = shown.field() {
        let to = field.at.0.saturating_add(field.len).min(end(shown));
        scene.push(Mark::path(plan.outline(field.at.0.max(shown.view.at.0), to), "sel thin"));
    }
    scene
}

fn end<S: Source>(shown: &Shown<'_, S>) -> u64 {
    shown.view.at.0.saturating_add(shown.view.len)
}

/// One path a shade.
fn fills<S: Source>(shown: &Shown<'_, S>, plan: &Plan, scene: &mut Scene) {
    let shades = shades(shown);
    let mut paths: BTreeMap<Shade, Path> = BTreeMap::new();
    let mut hatch = Path::new();
    let mut at = 0;
    while let Some(shade) = shades.get(at).copied() {
        let run = shades.iter().skip(at).take_while(|other| **other == shade).count();
        let from = shown.view.at.0 + at as u64;
        for rect in plan.runs(from, from + run as u64) {
            let path = paths.remove(&shade).unwrap_or_default();
            paths.insert(shade, path.rect(rect));
            if matches!(shade, Shade::Padding | Shade::Unclaimed) {
                hatch = hatch.hatch(rect, 5.0);
            }
        }
        at += run;
    }
    for (shade, path) in paths {
        scene.push(Mark::path(path, shade.class()));
    }
    if !hatch.is_empty() {
        scene.push(Mark::path(hatch, "hatch"));
    }
}

/// Pointers from other pages: a ring where they lead, and a label at the margin.
fn entrances<S: Source>(shown: &Shown<'_, S>, parents: &Parents, plan: &Plan, scene: &mut Scene) {
    let right = plan.left + plan.wide;
    let mut below = f64::MIN;
    for (at, entrance) in &parents.found {
        let Some(run) = plan.runs(at.0, at.0 + 1).first().copied() else { continue };
        let y = run.y + run.h / 2.0;
        let is_here = shown.item.as_ref().is_some_and(|item| item.at == *at);
        let byte = entrance.path.last().copied().unwrap_or(0);
        scene.push(Mark {
            shape: crate::layout::Shape::Circle { x: run.x + run.w / 2.0, y, r: 3.0 },
            class: "ring".into(),
            hit: None,
            step: None,
        });
        // A label that would lie over the one before is left out: the table below has them all.
        if y - below < 13.0 {
            continue;
        }
        below = y;
        scene.push(Mark::path(Path::new().to(right + 2.0, y).h(right + 22.0), "ax"));
        let face = if is_here { Face::Strong } else { Face::Mono };
        let text = format!("{byte:02x} \u{2190} p{}", entrance.parent.page().0);
        scene.push(Mark::text(right + 27.0, (y + 4.0).max(9.5), text, face, "k"));
    }
}

/// The strip of all pages, the current one framed; hits are pages.
pub fn strip<S: Source>(shown: &Shown<'_, S>, width: f64) -> Scene {
    let pages = shown.pages();
    let cell = width / pages.clamp(1, STRIP) as f64;
    let mut scene = Scene {
        width,
        height: 38.0,
        label: format!(
            "{} has {} pages; this is page {}",
            shown.part.file_name(),
            pages,
            shown.page()
        ),
        marks: Vec::new(),
    };
    let x = |page: u64| width * page as f64 / pages.max(1) as f64;
    let gap = if cell > 6.0 {
        2.0
    } else if cell > 3.0 {
        1.0
    } else {
        0.0
    };
    let last = shown.len - (pages.saturating_sub(1)) * PAGE_SIZE;
    let full = if cell > 3.0 { pages } else { 0 };
    let mut boxes = Path::new();
    for page in 0..full {
        let filled = if page + 1 == pages { last as f64 / PAGE_SIZE as f64 } else { 1.0 };
        boxes = boxes.rect(Rect::new(x(page), 4.0, ((cell - gap) * filled).max(1.0), 12.0));
    }
    if full == 0 {
        boxes = boxes.rect(Rect::new(0.0, 4.0, width, 12.0));
    }
    let class = match shown.part {
        triescope_core::table::Part::Partitions | triescope_core::table::Part::Rows => "pgs",
        triescope_core::table::Part::Index | triescope_core::table::Part::Summary => "pgs of-l",
        _ => "pgs of-d",
    };
    scene.push(Mark::path(boxes, class));
    let shown_cell = (width / pages.max(1) as f64).max(3.0);
    let at = x(shown.page()).min(width - shown_cell);
    scene.push(Mark::rect(Rect::new(at - 1.0, 1.0, shown_cell + 2.0 - gap, 18.0), "sel"));
    let step = step(pages, width);
    let number = |page: u64| shown.position(page);
    for page in (0..pages).step_by(usize::try_from(step).unwrap_or(usize::MAX)) {
        let text = number(page);
        let wide = crate::layout::width(&text, Face::Text);
        if x(page) + wide <= width {
            scene.push(Mark::text(x(page), 34.0, text, Face::Text, "c"));
        }
    }
    let links = pages.min(STRIP);
    for link in 0..links {
        let page = link * pages / links.max(1);
        let Ok(hit) = u32::try_from(page) else { continue };
        let rect = Rect::new(x(page), 0.0, cell, 20.0);
        scene.push(Mark::rect(rect, "hit").hit(hit));
    }
    scene
}

/// Pages from one label to the next.
fn step(pages: u64, width: f64) -> u64 {
    let most = (width / 90.0).max(1.0) as u64;
    let mut step = 1;
    for factor in [2, 5, 10].into_iter().cycle() {
        if pages / step <= most {
            return step;
        }
        let magnitude = 10_u64.pow(step.ilog10());
        step = magnitude * factor;
    }
    step
}

/// What the hit numbers of [`rows`] select.
pub fn item_at<S: Source>(shown: &Shown<'_, S>, hit: u32) -> Option<FilePos> {
    shown.view.items.get(usize::try_from(hit).ok()?).map(|item| item.at)
}
