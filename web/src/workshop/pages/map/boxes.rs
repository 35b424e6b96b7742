//! A box a page, filled by what lies in it.

use super::query::By;
use super::tile::{Facts, SHADES, Tile, Tiles};
use crate::layout::{Anchor, Face, Mark, Path, Rect, Scene, Shape, width as text_width};
use crate::words::count;
use triescope_core::lookup::words::number;
use triescope_core::table::Part;

/// Most pages that are drawn as boxes.
pub const MOST_BOXES: u64 = 2048;
/// Most boxes whose padding is hatched.
const MOST_HATCHED: u64 = 512;
/// Room for numbers at the left, with a gap.
const GAP: f64 = 8.0;

/// Where boxes lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Boxes a row.
    pub columns: u64,
    /// From one to the next.
    pitch: f64,
    /// Height of a row.
    row: f64,
    /// A box.
    size: (f64, f64),
    left: f64,
    /// First page.
    first: u64,
    /// Pages.
    pages: u64,
}

impl Plan {
    /// The boxes of `pages` pages from `first` on in so much width.
    pub fn new(first: u64, pages: u64, width: f64) -> Self {
        let label = number(first + pages.saturating_sub(1), ',');
        let left = (text_width(&label, Face::Text) + GAP).ceil();
        let wanted: &[u64] = if pages > MOST_HATCHED { &[64, 32, 16] } else { &[32, 16, 8] };
        let least = if pages > MOST_HATCHED { 11.0 } else { 20.0 };
        let fits = |columns: &&u64| (width - left) / **columns as f64 >= least;
        let columns = wanted.iter().find(fits).copied().unwrap_or(8);
        let pitch = ((width - left) / columns as f64).min(48.0);
        let wide = pitch - if pitch > 24.0 { 4.0 } else { 2.0 };
        let high = (wide * 1.35).min(38.0).round();
        let row = high + if pages > MOST_HATCHED { 4.0 } else { 10.0 };
        Self { columns, pitch, row, size: (wide, high), left, first, pages }
    }

    /// Where the box of a page lies.
    pub fn rect(&self, no: u64) -> Rect {
        let at = no.saturating_sub(self.first);
        let (column, row) = (at % self.columns, at / self.columns);
        let x = self.left + self.pitch * column as f64;
        Rect::new(x, 3.0 + self.row * row as f64, self.size.0, self.size.1)
    }

    fn radius(&self) -> f64 {
        (self.size.0 / 6.0).min(8.0)
    }
}

/// The classes of what lies in pages of a component.
pub const fn classes(part: Part) -> [&'static str; 6] {
    match part {
        Part::Index => ["i-key", "i-pos", "i-size", "i-pro", "i-key", "i-key"],
        Part::Summary => ["i-size", "i-pos", "i-key", "i-pro", "i-key", "i-key"],
        Part::Data => ["d-st", "d-st", "d-st", "d-st", "d-st", "d-st"],
        _ => ["f-leaf", "f-single", "f-sparse", "f-dense", "f-long", "f-other"],
    }
}

/// The picture; the hit number of a page is its place after the first.
pub fn boxes(
    tiles: &Tiles<'_>,
    facts: &Facts,
    by: By,
    plan: &Plan,
    chosen: Option<u64>,
    width: f64,
) -> Scene {
    let (first, end) = (plan.first, plan.first + plan.pages);
    let rows = plan.pages.div_ceil(plan.columns).max(1);
    let what = match tiles.part {
        Part::Data => count(plan.pages, "chunk", "chunks"),
        _ => count(plan.pages, "page", "pages"),
    };
    let label = format!(
        "{what} of {}, by {}: the list has the numbers",
        tiles.part.file_name(),
        by.name(tiles.part)
    );
    let height = 6.0 + plan.row * rows as f64;
    let mut scene = Scene { width, height, label, marks: Vec::new() };
    for row in 0..rows {
        let no = first + row * plan.columns;
        let rect = plan.rect(no);
        let every = if plan.row < 16.0 { 2 } else { 1 };
        if row % every == 0 {
            let text = Mark::text(
                plan.left - GAP,
                rect.y + rect.h / 2.0 + 4.0,
                number(no, ','),
                Face::Text,
                "c",
            );
            scene.push(text.anchored(Anchor::End));
        }
    }
    let mut fills = vec![Path::new(); 6];
    let mut shades = vec![Path::new(); usize::try_from(SHADES).unwrap_or(8) + 1];
    let (mut room, mut hatch, mut edges, mut faults) =
        (Path::new(), Path::new(), Path::new(), Path::new());
    for no in first..end {
        let (tile, rect) = (tiles.get(no), plan.rect(no));
        edges = round(edges, rect, plan.radius());
        if !tile.known {
            continue;
        }
        match by {
            By::Family => {
                let inner = inside(rect);
                let top = stack(&mut fills, &tile, tiles.part, inner);
                let rest = Rect::new(inner.x, inner.y, inner.w, top - inner.y);
                if tile.room > 0 && rest.h > 0.4 && tiles.part != Part::Data {
                    room = room.rect(rest);
                    if plan.pages <= MOST_HATCHED && rest.h > 1.5 {
                        hatch = hatch.hatch(rest, 5.0);
                    }
                }
            }
            _ => {
                let shade = usize::try_from(facts.shade(&tile, by)).unwrap_or(0);
                if let Some(path) = shades.get_mut(shade) {
                    *path = std::mem::take(path).rect(inside(rect));
                }
            }
        }
        if tile.faults > 0 {
            faults = faults.rect(fault(rect));
        }
    }
    for (path, class) in fills.into_iter().zip(classes(tiles.part)) {
        put(&mut scene, path, class);
    }
    for (shade, path) in shades.into_iter().enumerate() {
        put(&mut scene, path, shade_class(by, shade));
    }
    put(&mut scene, room, "pad-bg");
    put(&mut scene, hatch, "hatch");
    put(&mut scene, edges, "pgs");
    put(&mut scene, faults, "fault");
    if let Some(no) = chosen.filter(|no| (first..end).contains(no)) {
        let rect = plan.rect(no);
        let rect = Rect::new(rect.x - 2.0, rect.y - 2.0, rect.w + 4.0, rect.h + 4.0);
        let shape = Shape::Rect { rect, radius: plan.radius() + 2.0 };
        scene.push(Mark { shape, class: "sel".into(), hit: None, step: None });
    }
    for no in first..end {
        let hit = u32::try_from(no - first).unwrap_or(u32::MAX);
        scene.push(Mark::rect(plan.rect(no), "hit").hit(hit));
    }
    scene
}

/// Shares from the bottom up; where they end.
fn stack(fills: &mut [Path], tile: &Tile, part: Part, rect: Rect) -> f64 {
    let scale = match part {
        Part::Data => tile.len.max(1) as f64,
        _ => 4096.0,
    };
    let mut y = rect.bottom();
    for (bytes, path) in tile.shares.iter().zip(fills) {
        let high = rect.h * *bytes as f64 / scale;
        if high > 0.0 {
            *path = std::mem::take(path).rect(Rect::new(rect.x, y - high, rect.w, high));
            y -= high;
        }
    }
    y.max(rect.y)
}

/// The class of a shade.
pub const fn shade_class(by: By, shade: usize) -> &'static str {
    const INK: [&str; 9] =
        ["", "sh s1", "sh s2", "sh s3", "sh s4", "sh s5", "sh s6", "sh s7", "sh s8"];
    const HEAT: [&str; 9] =
        ["", "he s1", "he s2", "he s3", "he s4", "he s5", "he s6", "he s7", "he s8"];
    const NONE: [&str; 9] =
        ["", "sh s1", "sh s1", "sh s1", "sh s1", "sh s1", "sh s1", "sh s1", "sh s1"];
    let all = match by {
        By::Lookups => &HEAT,
        By::Findings => &NONE,
        _ => &INK,
    };
    match shade {
        1 => all[1],
        2 => all[2],
        3 => all[3],
        4 => all[4],
        5 => all[5],
        6 => all[6],
        7 => all[7],
        8 => all[8],
        _ => all[0],
    }
}

fn put(scene: &mut Scene, path: Path, class: &'static str) {
    if !path.is_empty() {
        scene.push(Mark::path(path, class));
    }
}

fn inside(rect: Rect) -> Rect {
    Rect::new(rect.x + 1.5, rect.y + 1.5, rect.w - 3.0, rect.h - 3.0)
}

/// The mark of a finding.
fn fault(rect: Rect) -> Rect {
    let size = (rect.w / 2.0).clamp(4.0, 10.0);
    Rect::new(rect.x + (rect.w - size) / 2.0, rect.y + (rect.h - size) / 2.0, size, size)
}

/// A box with round corners, cut at 45°: the same at this size, and half as long.
fn round(path: Path, rect: Rect, radius: f64) -> Path {
    let r = (radius * 0.6).max(1.0);
    path.to(rect.x + r, rect.y)
        .h(rect.right() - r)
        .line(rect.right(), rect.y + r)
        .v(rect.bottom() - r)
        .line(rect.right() - r, rect.bottom())
        .h(rect.x + r)
        .line(rect.x, rect.bottom() - r)
        .v(rect.y + r)
        .close()
}
