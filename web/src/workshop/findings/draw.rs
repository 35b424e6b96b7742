//! The pictures: all pages of the component with that of the finding, and that page, 64 bytes a row.

use super::place::{Look, Place, look};
use crate::layout::{Anchor, Face, Mark, Path, Rect, Scene, fit, width as text_width};
use crate::workshop::family;
use triescope_core::lookup::words::number;
use triescope_core::pos::PAGE_SIZE;
use triescope_core::source::Source;
use triescope_core::table::Table;

/// The pages of a component.
pub struct Stroke<'a> {
    /// The page of the finding.
    pub page: u64,
    /// Pages in all.
    pub of: u64,
    /// Pages with findings.
    pub others: &'a [u64],
    /// `page` or `chunk`.
    pub word: &'a str,
}

/// A page narrower than this is drawn together with its neighbours.
const CELL: f64 = 3.0;
/// Height of the strip.
const HIGH: f64 = 18.0;
/// Bytes of a row of the map.
const ROW: u64 = 64;
/// Height of a row, and the gap below it.
const ROW_HIGH: f64 = 7.7;
const ROW_STEP: f64 = 8.6;
/// Height of a line of words.
const LINE: f64 = 16.0;
/// Room for the outline around the map.
const EDGE: f64 = 2.0;
/// Width of the map where there is room.
const MAP: f64 = 422.0;
/// Least room for labels beside the map.
const LABELS: f64 = 150.0;

fn f(n: u64) -> f64 {
    n as f64
}

fn n(n: u64) -> String {
    number(n, ',')
}

/// All pages, that of the finding filled, others with findings pale.
pub fn strip(stroke: &Stroke<'_>, width: f64) -> Scene {
    let (of, page) = (stroke.of.max(1), stroke.page.min(stroke.of.saturating_sub(1)));
    let room = (width - 2.0).max(8.0);
    let cell = (room / f(of)).min(48.0);
    let x = |page: u64| 1.0 + cell * f(page);
    let end = x(of);
    let together = if cell < CELL { (CELL / cell).ceil() as u64 } else { 1 };
    let label = format!(
        "{} {} of {}; findings in {}",
        stroke.word,
        n(page),
        n(of),
        n(stroke.others.len().max(1) as u64)
    );
    let mut scene = Scene { width, height: HIGH + 20.0, label, marks: Vec::new() };
    let mut lines = Path::new().rect(Rect::new(1.0, 1.0, end - 1.0, HIGH));
    if cell >= 6.0 {
        for page in 1..of {
            lines = lines.to(x(page), 1.0).line(x(page), 1.0 + HIGH);
        }
    }
    let wide = cell.max(CELL);
    let left = |page: u64| x(page / together * together).min((end - wide).max(1.0));
    let mut last = -1.0;
    for other in stroke.others.iter().filter(|other| **other != page && **other < of) {
        let at = left(*other);
        // Neighbours in one column are one mark.
        if at - last >= 0.5 {
            scene.push(Mark::rect(Rect::new(at, 1.0, wide, HIGH), "bad-pale"));
            last = at;
        }
    }
    scene.push(Mark::rect(Rect::new(left(page), 1.0, wide, HIGH), "bad-full"));
    scene.push(Mark::path(lines, "pgl"));
    let line = HIGH + 16.0;
    let text = n(page);
    let half = text_width(&text, Face::Strong) / 2.0;
    let middle = (left(page) + wide / 2.0).clamp(half, (width - half).max(half));
    scene.push(Mark::text(middle, line, text, Face::Strong, "s").anchored(Anchor::Middle));
    if page > 0 && middle - half > text_width("0", Face::Text) + 6.0 {
        scene.push(Mark::text(1.0, line, "0", Face::Text, "c"));
    }
    let said = n(of - 1);
    let forms = [format!("last {} {said}", stroke.word), said];
    let forms = forms.each_ref().map(String::as_str);
    // Behind a short strip there is room for the words all the same.
    let right = end.max(middle + half + 8.0 + text_width(forms[0], Face::Text)).min(width);
    let beside = right - middle - half - 8.0;
    if page + 1 < of
        && let Some(form) = fit(&forms, beside, Face::Text)
    {
        scene.push(Mark::text(right, line, form, Face::Text, "c").anchored(Anchor::End));
    }
    scene
}

/// A stretch of the page as rectangles, a row each.
struct Grid {
    unit: f64,
    start: u64,
    len: u64,
}

impl Grid {
    /// The stretch `from..to` of the file, cut to the page.
    fn runs(&self, from: u64, to: u64) -> Vec<Rect> {
        let from = from.max(self.start) - self.start;
        let to = to.min(self.start.saturating_add(self.len)).saturating_sub(self.start);
        let mut runs = Vec::new();
        let mut at = from;
        while at < to {
            let (row, column) = (at / ROW, at % ROW);
            let end = to.min((row + 1) * ROW);
            let rect = Rect::new(
                EDGE + f(column) * self.unit,
                EDGE + f(row) * ROW_STEP,
                f(end - at) * self.unit,
                ROW_HIGH,
            );
            runs.push(rect);
            at = end;
        }
        runs
    }

    /// The line around a stretch.
    fn outline(&self, from: u64, to: u64) -> Path {
        let runs = self.runs(from, to);
        let (Some(first), Some(last)) = (runs.first(), runs.last()) else { return Path::new() };
        let all = EDGE + ROW as f64 * self.unit;
        let (gap, top, bottom) = (1.0, first.y - 1.0, last.bottom() + 1.0);
        match runs.len() {
            1 => Path::new().rect(Rect::new(first.x - gap, top, first.w + 2.0 * gap, bottom - top)),
            // Two stretches that do not touch, at the end of a row and the beginning of the next.
            2 if last.right() < first.x => {
                let around = |rect: &Rect| {
                    Rect::new(rect.x - gap, rect.y - gap, rect.w + 2.0 * gap, rect.h + 2.0 * gap)
                };
                Path::new().rect(around(first)).rect(around(last))
            }
            _ => Path::new()
                .to(first.x - gap, top)
                .h(all + gap)
                .v(last.y - gap)
                .h(last.right() + gap)
                .v(bottom)
                .h(EDGE - gap)
                .v(first.bottom() + gap)
                .h(first.x - gap)
                .close(),
        }
    }
}

/// The page of a finding; `None` where its bytes are not listed.
pub fn map<S: Source>(table: &Table<S>, place: &Place, room: f64) -> Option<Scene> {
    let view = place.view.as_ref()?;
    let at = place.at?;
    let has_labels = room >= MAP + LABELS;
    let wide = if has_labels { MAP } else { room.min(MAP) };
    let grid = Grid { unit: (wide - 2.0 * EDGE) / ROW as f64, start: view.at.0, len: view.len };
    let rows = view.len.clamp(1, PAGE_SIZE).div_ceil(ROW);
    let label = format!(
        "Page {} of {}: {} items, the one with the finding outlined, its bytes at {} red",
        n(view.page.0),
        place.part,
        n(view.items.len() as u64),
        n(at.0)
    );
    let mut scene = Scene {
        width: if has_labels { room } else { wide },
        height: (f(rows) * ROW_STEP).max(2.0 * LINE) + 2.0 * EDGE + 2.0,
        label,
        marks: Vec::new(),
    };
    for (class, idle) in CLASSES {
        let mut path = Path::new();
        let mut lines = Path::new();
        let of_class =
            view.items.iter().filter(|item| class_of(look(table, place.part, item)) == class);
        for item in of_class {
            let runs = grid.runs(item.at.0, item.at.0.saturating_add(item.len));
            let last = runs.len().saturating_sub(1);
            for (i, run) in runs.into_iter().enumerate() {
                // A hairline parts an item from the next one.
                let cut = if i == last { 0.6 } else { 0.0 };
                let run = Rect { w: (run.w - cut).max(0.5), ..run };
                path = path.rect(run);
                if idle {
                    lines = lines.hatch(run, 5.0);
                }
            }
        }
        if !path.is_empty() {
            scene.push(Mark::path(path, class));
        }
        if !lines.is_empty() {
            scene.push(Mark::path(lines, "hatch"));
        }
    }
    for run in grid.runs(at.0, at.0.saturating_add(place.len)) {
        let w = run.w.max(5.0);
        scene.push(Mark::rect(Rect { x: run.x.min(wide - 2.0 - w), w, ..run }, "bad-full"));
    }
    if let Some(item) = &place.item {
        let to = item.at.0.saturating_add(item.len);
        let outline = grid.outline(item.at.0, to);
        if !outline.is_empty() {
            scene.push(Mark::path(outline, "sel"));
        }
        if has_labels {
            labels(&mut scene, &grid, place, &item.summary);
        }
    }
    Some(scene)
}

/// What is marked, in words beside the map, each with a line to it.
fn labels(scene: &mut Scene, grid: &Grid, place: &Place, summary: &str) {
    let (Some(at), Some(item)) = (place.at, &place.item) else { return };
    let left = MAP + 28.0;
    let room = scene.width - left;
    let middle = |from: u64, to: u64| {
        grid.runs(from, to).last().map(|run| (run.right(), run.y + ROW_HIGH / 2.0))
    };
    let of_item = {
        let runs = grid.runs(item.at.0, item.at.0.saturating_add(item.len));
        runs.first().map(|run| (run.right(), run.y + ROW_HIGH / 2.0))
    };
    let is_whole = item.at == at && item.len <= place.len;
    let short = summary.split(',').next().unwrap_or(summary);
    let item_words = [
        format!("{summary}, at {}", n(item.at.0)),
        format!("{short} at {}", n(item.at.0)),
        format!("item at {}", n(item.at.0)),
        n(item.at.0),
    ];
    let field = place.field.as_ref().map_or("byte", |(field, ..)| field);
    let byte_words = [format!("{field} at {}", n(at.0)), format!("byte {}", n(at.0)), n(at.0)];
    let mut lines = vec![(of_item, item_words.to_vec())];
    if !is_whole {
        lines.push((middle(at.0, at.0.saturating_add(place.len)), byte_words.to_vec()));
    }
    let (mut y, mut left_over) = (0.0, lines.len());
    for (from, words) in lines {
        left_over = left_over.saturating_sub(1);
        let Some((x, from_y)) = from else { continue };
        let forms: Vec<&str> = words.iter().map(String::as_str).collect();
        let Some(words) = fit(&forms, room, Face::Text) else { continue };
        let lowest = scene.height - 4.0 - LINE * left_over as f64;
        let line = (from_y + 4.0).max(y + LINE).min(lowest);
        y = line;
        let path =
            Path::new().to(x, from_y).line(left - 14.0, line - 4.0).line(left - 4.0, line - 4.0);
        scene.push(Mark::path(path, "ar thin"));
        scene.push(Mark::text(left, line, words, Face::Text, "k"));
    }
}

/// All classes of items, and which of them do nothing.
const CLASSES: [(&str, bool); 8] = [
    ("it f-leaf", false),
    ("it f-single", false),
    ("it f-sparse", false),
    ("it f-dense", false),
    ("it f-long", false),
    ("soft-l", false),
    ("pad-bg", true),
    ("it meta", false),
];

fn class_of(look: Look) -> &'static str {
    match look {
        Look::Node(family) => match family::class(family) {
            "f-leaf" => "it f-leaf",
            "f-single" => "it f-single",
            "f-sparse" => "it f-sparse",
            "f-dense" => "it f-dense",
            _ => "it f-long",
        },
        Look::Entry => "soft-l",
        Look::Idle => "pad-bg",
        Look::Meta => "it meta",
    }
}
