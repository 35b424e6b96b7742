//! The Bloom filter's answer in one line: a square a tested bit, filled where it is set.

use super::pen::{CAPTION, INK, Pen, STRONG, lane};
use crate::layout::{Face, Rect, width};
use crate::state::intent::Side;
use triescope_core::lookup::{FilterAnswer, FilterMode, FilterStep, Record, Step};

/// Side of a square.
const SQUARE: f64 = 9.0;
/// From one square to the next.
const PITCH: f64 = 12.0;
/// More squares than this are not drawn.
const MOST: usize = 24;

/// The filter step of a record.
pub fn step(record: &Record) -> Option<(usize, &FilterStep)> {
    record.steps.iter().enumerate().find_map(|(at, step)| match step {
        Step::Filter(filter) => Some((at, filter)),
        _ => None,
    })
}

fn words(filter: &FilterStep) -> (&'static str, bool) {
    match (&filter.answer, filter.mode) {
        (FilterAnswer::Maybe, _) => ("maybe here", false),
        (FilterAnswer::No, FilterMode::Ask) => ("not here", true),
        (FilterAnswer::No, FilterMode::Off) => ("not here; asked all the same", true),
        (FilterAnswer::NoFilter, _) => ("none: the index is always asked", false),
        (FilterAnswer::Damaged(_), _) => ("damaged: the index is asked", true),
    }
}

/// Width of the line.
pub fn span(filter: &FilterStep) -> f64 {
    let squares = filter.tested.len().min(MOST) as f64 * PITCH;
    width("Filter.db", Face::Text) + 8.0 + squares + 4.0 + width(words(filter).0, Face::Strong)
}

/// Draws it from `x`, with `y` the baseline.
pub fn draw(pen: &mut Pen, x: f64, y: f64, at: usize, filter: &FilterStep, side: Side) {
    pen.ahead(at).text(x, y, "Filter.db", CAPTION);
    let mut x = x + width("Filter.db", Face::Text) + 8.0;
    for bit in filter.tested.iter().take(MOST) {
        let square = Rect::new(x + 0.5, y - 8.5, SQUARE - 1.0, SQUARE - 1.0);
        pen.rect(square, if bit.set { lane(side) } else { "pg" });
        x += PITCH;
    }
    let (text, strong) = words(filter);
    pen.text(x + 4.0, y, text, if strong { STRONG } else { INK });
}
