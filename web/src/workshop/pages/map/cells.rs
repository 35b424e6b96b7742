//! Small cells of one page or of many, of which the worst wins: a path a shade, so a million pages are a few elements.

use super::boxes::{classes, shade_class};
use super::query::{By, LEAST_SPAN};
use super::tile::{Facts, SHADES, Tiles};
use crate::layout::{Mark, Rect, Scene};
use crate::words::count;
use std::fmt::Write as _;
use std::ops::Range;
use triescope_core::table::Part;

/// Side of an area that leads to its pages: large enough for a finger.
const AREA: u64 = 48;
/// Most areas.
const MOST_AREAS: u64 = 128;

/// Where cells lie: areas of a power of two of pages, side by side, each with its own rows of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// First page.
    pub first: u64,
    /// Pages.
    pub pages: u64,
    /// Pages of an area: what is shown when one is chosen.
    pub span: u64,
    /// Pages of a cell.
    pub per: u64,
    /// Side of a cell in pixels.
    pub px: u64,
    /// Cells on a side of an area.
    side: u64,
    /// Areas a row.
    columns: u64,
}

impl Plan {
    /// The areas of `pages` pages from `first` on in so much width.
    pub fn new(first: u64, pages: u64, width: f64) -> Self {
        let columns = (width / AREA as f64).floor().max(1.0) as u64;
        // As many rows as make a picture that is wider than high, and no more than can be told apart.
        let most = (columns * columns.div_ceil(2).min(8)).clamp(1, MOST_AREAS);
        let span = pages.div_ceil(most).next_power_of_two().max(LEAST_SPAN * 4);
        let side = [16, 12].into_iter().find(|side| span <= side * side).unwrap_or(12);
        let per = span.div_ceil(side * side);
        Self { first, pages, span, per, px: AREA / side, side, columns }
    }

    /// How many areas there are.
    pub fn areas(&self) -> u64 {
        self.pages.div_ceil(self.span)
    }

    fn area(&self, area: u64) -> Rect {
        let (column, row) = (area % self.columns, area / self.columns);
        let size = AREA as f64;
        Rect::new(column as f64 * size, row as f64 * size, size, size)
    }

    /// Where the cell with a page lies: row by row in its area.
    pub fn rect(&self, no: u64) -> Rect {
        let at = no.saturating_sub(self.first);
        let (area, inside) = (self.area(at / self.span), at % self.span / self.per);
        let px = self.px as f64;
        let (x, y) = ((inside % self.side) as f64 * px, (inside / self.side) as f64 * px);
        Rect::new(area.x + x, area.y + y, px, px)
    }

    /// Height of the picture.
    pub fn height(&self) -> f64 {
        (self.areas().div_ceil(self.columns) * AREA) as f64
    }
}

/// The picture; the hit number is that of the area.
pub fn cells(
    tiles: &Tiles<'_>,
    facts: &Facts,
    by: By,
    plan: &Plan,
    chosen: Option<u64>,
    width: f64,
) -> Scene {
    let what = match tiles.part {
        Part::Data => count(plan.pages, "chunk", "chunks"),
        _ => count(plan.pages, "page", "pages"),
    };
    let label = format!(
        "{what} of {}, by {}: the list has the numbers",
        tiles.part.file_name(),
        by.name(tiles.part)
    );
    let mut scene = Scene { width, height: plan.height().max(1.0), label, marks: Vec::new() };
    let end = plan.first + plan.pages;
    let mut paths = Paths::default();
    let mut no = plan.first;
    while no < end {
        // A cell never has pages of two areas.
        let area_end = plan.first + ((no - plan.first) / plan.span + 1) * plan.span;
        let next = (no + plan.per).min(end).min(area_end);
        let (shade, faults) = worst(tiles, facts, by, no..next);
        paths.cell(shade, plan.rect(no), faults);
        no = next;
    }
    paths.put(&mut scene, by, tiles.part);
    if let Some(no) = chosen.filter(|no| (plan.first..end).contains(no)) {
        let rect = plan.rect(no);
        scene.push(Mark::rect(
            Rect::new(rect.x - 2.0, rect.y - 2.0, rect.w + 4.0, rect.h + 4.0),
            "sel",
        ));
    }
    for area in 0..plan.areas() {
        scene.push(Mark::rect(plan.area(area), "hit").hit(u32::try_from(area).unwrap_or(u32::MAX)));
    }
    scene
}

/// The same in little: rows of cells with a gap, for what pages are not coloured by.
pub fn little(tiles: &Tiles<'_>, facts: &Facts, by: By, width: f64) -> Scene {
    let pages = tiles.len();
    let (pitch, most) = if pages <= 1024 { (8.0, 26) } else { (4.0, 14) };
    let columns = ((width / pitch).floor() as u64).max(1);
    let per = pages.div_ceil(columns * most).max(1);
    let rows = pages.div_ceil(per).div_ceil(columns).max(1);
    let label = format!("The same pages by {}", by.name(tiles.part));
    let mut scene = Scene { width, height: rows as f64 * pitch, label, marks: Vec::new() };
    let mut paths = Paths::default();
    let gap = if pitch > 4.0 { 1.0 } else { 0.0 };
    for cell in 0..pages.div_ceil(per) {
        let from = cell * per;
        let (shade, faults) = worst(tiles, facts, by, from..(from + per).min(pages));
        let (x, y) = ((cell % columns) as f64 * pitch, (cell / columns) as f64 * pitch);
        paths.cell(shade, Rect::new(x, y, pitch - gap, pitch - gap), faults);
    }
    paths.put(&mut scene, by, tiles.part);
    scene
}

/// The darkest shade of some pages, or what most of their bytes are, counted from 1; and whether there is a finding in one.
fn worst(tiles: &Tiles<'_>, facts: &Facts, by: By, pages: Range<u64>) -> (u64, bool) {
    let mut shares = [0u64; 6];
    let (shade, faults) = pages.fold((0, false), |(shade, faults), no| {
        let tile = tiles.get(no);
        shares.iter_mut().zip(tile.shares).for_each(|(sum, bytes)| *sum += bytes);
        (shade.max(facts.shade(&tile, by)), faults || tile.faults > 0)
    });
    let most = shares.iter().zip(1..).max_by_key(|(bytes, no)| (**bytes, u64::MAX - no));
    match (by, most) {
        (By::Family, Some((1.., no))) => (no, faults),
        (By::Family, _) => (0, faults),
        _ => (shade, faults),
    }
}

/// A path for each shade. Cells of one shade that follow one another in a row are one rectangle.
#[derive(Default)]
struct Paths {
    shades: [String; SHADES as usize + 1],
    faults: String,
    last: Option<(u64, Rect)>,
}

impl Paths {
    fn cell(&mut self, shade: u64, rect: Rect, fault: bool) {
        match &mut self.last {
            Some((known, run)) if *known == shade && run.y == rect.y && run.right() == rect.x => {
                run.w += rect.w;
            }
            _ => {
                self.end();
                self.last = Some((shade, rect));
            }
        }
        if fault {
            let size = rect.w.max(6.0);
            let (x, y) = (rect.x + (rect.w - size) / 2.0, rect.y + (rect.h - size) / 2.0);
            square(&mut self.faults, Rect::new(x, y, size, size));
        }
    }

    fn end(&mut self) {
        if let Some((shade, rect)) = self.last.take()
            && let Some(path) =
                usize::try_from(shade).ok().and_then(|shade| self.shades.get_mut(shade))
        {
            square(path, rect);
        }
    }

    fn put(mut self, scene: &mut Scene, by: By, part: Part) {
        self.end();
        for (shade, path) in self.shades.into_iter().enumerate() {
            let class = match (by, shade.checked_sub(1)) {
                (_, None) => "sh none",
                (By::Family, Some(share)) => classes(part).get(share).copied().unwrap_or("sh none"),
                _ => shade_class(by, shade),
            };
            if !path.is_empty() {
                scene.push(Mark::path(path, class));
            }
        }
        if !self.faults.is_empty() {
            scene.push(Mark::path(self.faults, "fault"));
        }
    }
}

/// A rectangle whose sides are whole pixels, in few bytes.
fn square(path: &mut String, rect: Rect) {
    let whole = |n: f64| n.round() as i64;
    let (x, y, w, h) = (whole(rect.x), whole(rect.y), whole(rect.w), whole(rect.h));
    // Writing to a String cannot fail.
    let _ = write!(path, "M{x} {y}h{w}v{h}h-{w}z");
}
