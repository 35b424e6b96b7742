//! The picture of the trie lane: files, key, path, outcome.

use super::files::Files;
use super::pen::Pen;
use super::result::{Outcome, outcome};
use super::ribbon::{Caption, Ribbon};
use super::stops::Way;
use super::strips::strips;
use super::{chain, filter, rows};
use crate::layout::Scene;
use crate::state::intent::Side;
use triescope_core::lookup::{AbsentWhy, Answer, Record, Step};
use triescope_core::race::Race;
use triescope_core::table::Part;

/// Below this width a node is a row, above it a column.
pub const NARROW: f64 = 560.0;

/// What the picture says to those who do not see it.
const LABEL: &str =
    "Trie lane: pages fetched and nodes visited; the list of steps says the same in words";

/// The trie lane of a race, all its steps; marks know the step that lights them up.
pub fn trie(race: &Race, files: &Files, room: f64) -> Scene {
    let mut pen = Pen::new(room);
    let Some(lane) = &race.trie else { return pen.finish(0.0, LABEL) };
    let record = &lane.record;
    let narrow = room < NARROW;
    let mut y = if narrow { 0.0 } else { strips(&mut pen, record, files) };
    if stopped_by_filter(record) {
        y = nothing_read(&mut pen, record, y + 4.0, Side::Trie);
        return pen.finish(y, LABEL);
    }
    let way = Way::of(record);
    let end = outcome(record);
    if narrow {
        // A row has its byte in front of it already, so the whole key comes last.
        if let Some((at, step)) = filter::step(record) {
            filter::draw(&mut pen, 0.0, y + 12.0, at, step, Side::Trie);
            y += 22.0;
        }
        y += rows::draw(&mut pen, &way, end.as_ref(), y) + 6.0;
        y += ribbons(&mut pen, race, record, y, 20.0, false);
    } else {
        y += ribbons(&mut pen, race, record, y, 24.0, true);
        let bytes = |part| if part == Part::Rows { files.rows } else { files.partitions };
        y += chain::draw(&mut pen, &way, end.as_ref(), &bytes, y);
    }
    pen.finish(y + 8.0, LABEL)
}

/// Whether the filter has ended the lookup.
pub fn stopped_by_filter(record: &Record) -> bool {
    matches!(record.steps.last(), Some(Step::Answer(Answer::Absent(AbsentWhy::Filter))))
}

/// The filter's answer where it ends the lane: nothing else happens there.
pub fn nothing_read(pen: &mut Pen, record: &Record, y: f64, side: Side) -> f64 {
    let Some((at, step)) = filter::step(record) else { return y };
    filter::draw(pen, 0.0, y + 12.0, at, step, side);
    let Outcome { lines, .. } = outcome(record).unwrap_or_default();
    for (at, text, style) in lines {
        pen.at(at).text(0.0, y + 34.0, text, style);
    }
    y + 46.0
}

/// The key, and the clustering key where a row is searched; the filter at the right where it fits.
fn ribbons(
    pen: &mut Pen,
    race: &Race,
    record: &Record,
    y: f64,
    cell: f64,
    with_filter: bool,
) -> f64 {
    let room = pen.width();
    let mut at = y;
    let walks_rows = record.steps.iter().any(|step| matches!(step, Step::RowEntry(_)));
    let of_row = race.row.as_ref().filter(|_| walks_rows);
    let full = Ribbon {
        x: 0.0,
        y: at,
        room,
        cell,
        bytes: &race.key.comparable,
        parts: &race.key.parts,
        part: Part::Partitions,
        record,
        caption: Caption::Full,
    };
    let filter = filter::step(record).filter(|_| with_filter);
    let filter_px = filter.map_or(0.0, |(_, step)| filter::span(step) + 24.0);
    let captions = [Caption::Full, Caption::Brief].map(|caption| Ribbon { caption, ..full });
    let fitting = captions.into_iter().find(|key| key.span_with_caption() + filter_px <= room);
    let mut beside = filter_px;
    if let Some((step, what)) = filter {
        if fitting.is_some() {
            filter::draw(pen, room - filter_px + 24.0, at + 15.5, step, what, Side::Trie);
        } else {
            filter::draw(pen, 0.0, at + 12.0, step, what, Side::Trie);
            at += 24.0;
            beside = 0.0;
        }
    }
    let partition = Ribbon { y: at, ..fitting.unwrap_or(full) };
    let Some(row) = of_row else { return at + partition.draw(pen) + 14.0 - y };
    // Both keys on one line where they fit, else one below the other.
    let row = Ribbon { bytes: &row.comparable, parts: &row.parts, part: Part::Rows, ..full };
    let x = partition.bytes.len() as f64 * cell + 24.0;
    let captions =
        [Caption::Which, Caption::None].map(|caption| Ribbon { x, y: at, caption, ..row });
    if let Some(row) = captions.into_iter().find(|key| x + key.span_with_caption() + beside <= room)
    {
        let partition = Ribbon { caption: Caption::None, ..partition };
        return at + partition.draw(pen).max(row.draw(pen)) + 14.0 - y;
    }
    at += partition.draw(pen) + 14.0;
    at += Ribbon { y: at, ..row }.draw(pen) + 14.0;
    at - y
}
