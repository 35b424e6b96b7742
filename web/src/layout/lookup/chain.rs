//! NodeChain: the path as page containers with a column a node. Containers that do not fit beside each other go to the
//! next line; a page with more columns than a line holds gets several rows of them.

use super::column;
use super::pen::{CAPTION, Pen, STRONG, Towards, badge_width, line, n, soft};
use super::result::Outcome;
use super::spectrum::family;
use super::stops::{Column, Stop, Way};
use crate::layout::path::Path;
use crate::layout::{Face, Rect, fit, width};
use crate::state::intent::Side;
use triescope_core::lookup::PageState;
use triescope_core::pos::PAGE_SIZE;
use triescope_core::table::Part;

/// Height of a container with one row of columns.
const BOX: f64 = 164.0;
/// From the top of a container to its columns.
const HEAD: f64 = 34.0;
/// From one row of columns to the next.
const ROW: f64 = column::HEIGHT + 8.0;
/// Between two lines of containers.
const LINE_GAP: f64 = 26.0;

/// How much room columns get.
#[derive(Clone, Copy, Debug)]
struct Measure {
    /// Columns that a container is at least as wide as.
    least: f64,
    column: f64,
    gap: f64,
    pad: f64,
    between: f64,
}

const MEASURES: [Measure; 4] = [
    Measure { least: 2.0, column: 140.0, gap: 30.0, pad: 12.0, between: 36.0 },
    Measure { least: 2.0, column: 118.0, gap: 18.0, pad: 10.0, between: 30.0 },
    Measure { least: 1.0, column: 100.0, gap: 14.0, pad: 8.0, between: 22.0 },
    Measure { least: 1.0, column: 84.0, gap: 14.0, pad: 7.0, between: 18.0 },
];

/// A container with its place.
struct Placed {
    rect: Rect,
    line: usize,
    /// Rows of columns, each with left edge and width.
    rows: Vec<Vec<(usize, f64, f64)>>,
}

struct Plan {
    measure: Measure,
    placed: Vec<Placed>,
    lines: usize,
    /// Where the outcome starts, when it stands beside the last container.
    beside: Option<f64>,
}

/// Draws the way and its outcome with `y` the upper edge, and gives the height.
pub fn draw(
    pen: &mut Pen,
    way: &Way<'_>,
    outcome: Option<&Outcome>,
    file_bytes: &dyn Fn(Part) -> u64,
    y: f64,
) -> f64 {
    let room = pen.width();
    if way.stops.is_empty() {
        return 0.0;
    }
    let outcome_px = outcome.map_or(0.0, |outcome| {
        outcome.lines.iter().map(|line| width(&line.1, line.2.face)).fold(0.0, f64::max)
    });
    let mut plans: Vec<Plan> =
        MEASURES.iter().map(|&measure| plan(way, measure, room, outcome_px)).collect();
    // Fewest lines; then with the outcome beside; then the most room for a column.
    plans.sort_by_key(|plan| (plan.lines, plan.beside.is_none() && plan.lines > 1));
    let plan = &plans[0];
    let bar = bar_px(plan);
    let mut tops = vec![y];
    for number in 0..plan.lines {
        let highest =
            plan.placed.iter().filter(|p| p.line == number).map(|p| p.rect.h).fold(0.0, f64::max);
        tops.push(tops[number] + highest + LINE_GAP);
    }
    for (i, (stop, placed)) in way.stops.iter().zip(&plan.placed).enumerate() {
        let top = tops[placed.line];
        let left_out = way.left_out.filter(|&(_, before)| before == i).map(|(count, _)| count);
        let at = Rect { y: top, ..placed.rect };
        draw_stop(
            pen,
            stop,
            placed,
            at,
            plan.measure,
            bar,
            way.two_files,
            file_bytes(stop.page.part),
        );
        if let Some(next) = plan.placed.get(i + 1) {
            let to = Rect { y: tops[next.line], ..next.rect };
            pen.at(way.stops[i + 1].step);
            if next.line == placed.line {
                pen.arrow(at.right() + 2.0, to.x - 2.0, at.y + HEAD + column::AXIS_Y);
            } else {
                turn(pen, at, to, tops[next.line] - LINE_GAP / 2.0);
            }
        }
        if let Some(count) = left_out {
            let text = format!("{} more pages before this one", n(count as u64));
            pen.ahead(stop.step).text(at.x + 4.0, at.y - 8.0, text, CAPTION);
        }
    }
    let bottom = tops[plan.lines] - LINE_GAP;
    let Some(outcome) = outcome else { return bottom - y };
    let last = plan.placed.last().map_or(Rect::default(), |p| Rect { y: tops[p.line], ..p.rect });
    match plan.beside {
        Some(x) => {
            draw_beside(pen, outcome, last, x);
            bottom - y
        }
        None => bottom - y + draw_below(pen, outcome, last, bottom),
    }
}

fn plan(way: &Way<'_>, measure: Measure, room: f64, outcome_px: f64) -> Plan {
    let Measure { least: columns, column: least, gap, pad, between } = measure;
    let mut placed: Vec<Placed> = Vec::new();
    let (mut x, mut line) = (0.0, 0);
    for stop in &way.stops {
        let widths: Vec<f64> =
            stop.columns.iter().map(|c| column::span(c, least).min(room - 2.0 * pad)).collect();
        let head = head_px(stop, way.two_files) + 2.0 * pad;
        let inner: f64 = widths.iter().sum::<f64>() + gap * widths.len().saturating_sub(1) as f64;
        let two = columns * least + (columns - 1.0) * gap + 2.0 * pad;
        let whole = (inner + 2.0 * pad).max(head).max(two);
        if x > 0.0 && x + whole > room {
            (x, line) = (0.0, line + 1);
        }
        let inside = whole.min(room) - 2.0 * pad;
        let mut rows: Vec<Vec<(usize, f64, f64)>> = vec![Vec::new()];
        let mut at = 0.0;
        for (i, &w) in widths.iter().enumerate() {
            if at > 0.0 && at + w > inside + 0.5 {
                rows.push(Vec::new());
                at = 0.0;
            }
            if let Some(row) = rows.last_mut() {
                row.push((i, x + pad + at, w));
            }
            at += w + gap;
        }
        let h = BOX + ROW * (rows.len() - 1) as f64;
        placed.push(Placed { rect: Rect::new(x, 0.0, whole.min(room), h), line, rows });
        x += whole.min(room) + between;
    }
    let beside = (x + outcome_px <= room).then_some(x);
    Plan { measure, placed, lines: line + 1, beside }
}

/// All bars stand for the same 4,096 bytes, so all are as wide as the narrowest container allows.
fn bar_px(plan: &Plan) -> f64 {
    let most = 2.0 * plan.measure.column + plan.measure.gap;
    plan.placed.iter().map(|p| p.rect.w - 2.0 * plan.measure.pad).fold(most, f64::min)
}

fn title(stop: &Stop<'_>, two_files: bool) -> String {
    let page = n(stop.page.page.0);
    if two_files {
        format!("{} page {page}", file_word(stop.page.part))
    } else {
        format!("page {page}")
    }
}

fn file_word(part: Part) -> &'static str {
    if part == Part::Rows { "Rows" } else { "Partitions" }
}

/// What stands before the title: the number of the fetch, or where else the page came from.
fn lead_px(stop: &Stop<'_>) -> f64 {
    match stop.page.state {
        PageState::Fetched(nth) => badge_width(&n(u64::from(nth))) + 7.0,
        PageState::Warm => 25.0,
        PageState::Here => 0.0,
    }
}

fn state_word(stop: &Stop<'_>) -> Option<&'static str> {
    match stop.page.state {
        PageState::Fetched(_) => None,
        PageState::Warm => Some("in the cache"),
        PageState::Here => Some("already here"),
    }
}

fn head_px(stop: &Stop<'_>, two_files: bool) -> f64 {
    let word = state_word(stop).map_or(0.0, |word| 10.0 + width(word, Face::Text));
    lead_px(stop) + width(&title(stop, two_files), Face::Strong) + word
}

#[expect(clippy::too_many_arguments, reason = "all of it is one container")]
fn draw_stop(
    pen: &mut Pen,
    stop: &Stop<'_>,
    placed: &Placed,
    at: Rect,
    measure: Measure,
    bar: f64,
    two_files: bool,
    file_bytes: u64,
) {
    let pad = measure.pad;
    pen.ahead(stop.step);
    pen.page_box(Rect::new(at.x + 0.5, at.y + 0.5, at.w - 1.0, at.h - 1.0));
    pen.at(stop.step);
    draw_head(pen, stop, at, pad, two_files, file_bytes);
    let page = Rect::new(
        at.x + pad,
        at.bottom() - 22.0,
        bar * stop.page.bytes as f64 / PAGE_SIZE as f64,
        8.0,
    );
    pen.rect(page, "pg");
    for (number, row) in placed.rows.iter().enumerate() {
        let y = at.y + HEAD + ROW * number as f64;
        for (place, &(i, x, w)) in row.iter().enumerate() {
            let Some(col) = stop.columns.get(i) else { continue };
            column::draw(pen, col, x, y, w);
            draw_in_page(pen, col, page, stop.page.page.0, bar);
            if let Some(next) = stop.columns.get(i + 1) {
                pen.at(next.step());
                match row.get(place + 1) {
                    Some(&(_, next_x, _)) => {
                        pen.arrow(x + w + 3.0, next_x - 3.0, y + column::AXIS_Y);
                    }
                    None => {
                        // Its arrow leads to the start of the next row.
                        let mid = y + column::HEIGHT + 2.0;
                        let end = Rect::new(x, y, w, 0.0);
                        let path = Path::new().to(end.right() + 2.0, y + column::AXIS_Y);
                        let path = path.h((end.right() + 7.0).min(at.right() - 3.0)).v(mid);
                        let (next_x, next_y) = (at.x + pad - 2.0, y + ROW + column::AXIS_Y);
                        pen.path(path.h(next_x - 5.0).v(next_y).h(next_x), "ar thin");
                        pen.head(next_x + 1.0, next_y, Towards::Right);
                    }
                }
            }
        }
    }
}

fn draw_head(pen: &mut Pen, stop: &Stop<'_>, at: Rect, pad: f64, two_files: bool, file_bytes: u64) {
    let y = at.y + 22.0;
    let mut x = at.x + pad - 2.0;
    match stop.page.state {
        PageState::Fetched(nth) => {
            let label = n(u64::from(nth));
            let w = badge_width(&label);
            pen.badge(x + w / 2.0, y - 13.0, &label, Side::Trie);
        }
        PageState::Warm => {
            let cell = Rect::new(x + 0.5, y - 12.5, 17.0, 16.0);
            pen.hatched(cell, soft(Side::Trie), line(Side::Trie));
            pen.rect(cell, "warm");
        }
        PageState::Here => {}
    }
    x += lead_px(stop);
    let title = title(stop, two_files);
    pen.text(x, y, title.clone(), STRONG);
    x += width(&title, Face::Strong) + 10.0;
    if let Some(word) = state_word(stop) {
        pen.text(x, y, word, CAPTION);
        x += width(word, Face::Text) + 10.0;
    }
    let size = format!("{} B", n(stop.page.bytes));
    let last =
        stop.page.bytes < PAGE_SIZE && stop.page.page.start().0 + stop.page.bytes >= file_bytes;
    let long = if last { format!("{size}, shorter: end of file") } else { size.clone() };
    if let Some(text) = fit(&[&long, &size], at.right() - pad - x, Face::Text) {
        pen.end(at.right() - pad, y, text, CAPTION);
    }
}

/// The bytes of a column where they lie in their page.
fn draw_in_page(pen: &mut Pen, col: &Column<'_>, page: Rect, number: u64, bar: f64) {
    let (at, size) = col.bytes();
    let scale = bar / PAGE_SIZE as f64;
    let from = at.saturating_sub(number.saturating_mul(PAGE_SIZE)) as f64 * scale;
    let w = (size as f64 * scale).max(2.0);
    let x = (page.x + from).min(page.right() - w).max(page.x);
    let class = match col {
        Column::Node(_, node) => family(node.kind.family()),
        Column::Entry(..) => "meta",
        Column::Run(run) => run.nodes.first().map_or("meta", |node| family(node.kind.family())),
    };
    pen.at(col.step()).rect(Rect::new(x, page.y, w.min(page.right() - x), page.h), class);
}

/// From the end of a line of containers to the start of the next.
fn turn(pen: &mut Pen, from: Rect, to: Rect, mid: f64) {
    let y = from.y + HEAD + column::AXIS_Y;
    let right = (from.right() + 10.0).min(pen.width() - 1.0);
    let x = to.x + 20.0;
    pen.path(Path::new().to(from.right() + 1.0, y).h(right).v(mid).h(x).v(to.y - 8.0), "ar thin");
    pen.head(x, to.y - 1.0, Towards::Down);
}

fn draw_beside(pen: &mut Pen, outcome: &Outcome, last: Rect, x: f64) {
    let axis = last.bottom() - BOX + HEAD + column::AXIS_Y;
    pen.at(outcome.step);
    if outcome.leads_on {
        pen.arrow(last.right() + 2.0, x - 5.0, axis);
    } else {
        pen.stop(last.right() + 2.0, x - 10.0, axis);
    }
    let height = 17.0 * outcome.lines.len() as f64;
    let mut y = (axis + 4.0 - height / 2.0 + 8.5).max(last.y + 14.0);
    for (step, text, style) in &outcome.lines {
        pen.at(*step).text(x, y, text.clone(), *style);
        y += 17.0;
    }
}

fn draw_below(pen: &mut Pen, outcome: &Outcome, last: Rect, bottom: f64) -> f64 {
    let text = outcome.in_one_line();
    let w = width(&text, Face::Strong);
    let x = (last.right() - 24.0).min(pen.width() - 12.0);
    let shown = outcome.lines.last().map_or(outcome.step, |line| line.0);
    pen.at(outcome.step).path(Path::new().to(x, last.bottom() + 1.0).v(bottom + 8.0), "ar thin");
    if outcome.leads_on {
        pen.head(x, bottom + 15.0, Towards::Down);
    } else {
        pen.path(Path::new().to(x - 7.0, bottom + 9.0).h(x + 7.0), "ar");
    }
    pen.at(shown);
    if w + 12.0 <= x {
        pen.end(x - 12.0, bottom + 17.0, text, STRONG);
        22.0
    } else {
        pen.text(0.0, bottom + 34.0, text, STRONG);
        39.0
    }
}
