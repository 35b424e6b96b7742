//! The picture of the trie lane: files, key, path, outcome.

use super::files::Files;
use super::pen::{CAPTION, Pen, n};
use super::result::{Outcome, outcome};
use super::ribbon::Ribbon;
use super::stops::Way;
use super::strip::{HEADROOM, LEAST_PX, Strip, touches};
use super::{chain, filter, rows};
use crate::layout::path::Path;
use crate::layout::{Face, Scene, fit, width};
use crate::state::intent::Side;
use triescope_core::lookup::{AbsentWhy, Answer, PageState, Record, Step};
use triescope_core::pos::pages_of;
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

/// The files in the scale of both lanes. Gives where the next thing starts.
fn strips(pen: &mut Pen, record: &Record, files: &Files) -> f64 {
    if files.rows == 0 {
        let touched = touches(record, Part::Partitions);
        let headroom = if files.partitions > 0 { 8.0 } else { 0.0 };
        return whole_strip(pen, files, files.partitions, &touched, headroom, None);
    }
    let partitions = touches(record, Part::Partitions);
    let rows = touches(record, Part::Rows);
    if files.partitions as f64 * files.scale > pen.width() * 0.3 {
        let y = whole_strip(pen, files, files.partitions, &partitions, 8.0, Some("Partitions.db"));
        return whole_strip(pen, files, files.rows, &rows, y - 4.0, Some("Rows.db"));
    }
    let y = small_strip(pen, files, &partitions);
    whole_strip(pen, files, files.rows, &rows, y, Some("Rows.db"))
}

/// A strip on a line of its own, with the scale beside it where there is room.
fn whole_strip(
    pen: &mut Pen,
    files: &Files,
    bytes: u64,
    touched: &[super::strip::Touch],
    y: f64,
    name: Option<&str>,
) -> f64 {
    let mut strip = Strip {
        side: Side::Trie,
        x: 0.0,
        y,
        h: 22.0,
        bytes,
        scale: files.scale,
        touches: touched,
        numbers_to: None,
    };
    let room = pen.width();
    let named = name.map_or(0.0, |name| width(name, Face::Text));
    if strip.needs_headroom() {
        strip.y = y + HEADROOM;
    }
    strip.numbers_to = Some(strip.right().max(40.0));
    strip.draw(pen);
    let right = strip.right();
    pen.always();
    let (px, ruler) = files.ruler();
    let beside = room - right - 22.0;
    let legend = px + 7.0 + width(&ruler, Face::Text);
    let mut x = right + 22.0;
    if let Some(name) = name {
        let pages = pages_of(bytes);
        let long = format!(
            "{name}, {}",
            if pages == 1 { "1 page".to_owned() } else { format!("{} pages", n(pages)) }
        );
        if width(&long, Face::Text) <= beside - legend - 20.0 {
            pen.text(right + 10.0, strip.y + 15.0, long.clone(), CAPTION);
            x = right + 10.0 + width(&long, Face::Text) + 20.0;
        } else if named <= beside {
            pen.text(right + 10.0, strip.y + 15.0, name, CAPTION);
            x = right + 10.0 + named + 20.0;
        }
    }
    if room - x >= legend {
        let y = strip.y + 11.0;
        pen.path(
            Path::new().to(x, y - 4.0).v(y + 4.0).to(x, y).h(x + px).to(x + px, y - 4.0).v(y + 4.0),
            "ax",
        );
        pen.text(x + px + 7.0, y + 4.0, ruler, CAPTION);
        let forms: &[&str] = if strip.is_widened() {
            &[
                "same scale below; fetched pages are drawn 3 px wide",
                "same scale below; least 3 px",
                "least 3 px",
            ]
        } else {
            &["same scale below"]
        };
        debug_assert_eq!(LEAST_PX, 3.0);
        if let Some(text) = fit(forms, room - x, Face::Text) {
            pen.text(x, y + 22.0, text, CAPTION);
        }
    }
    strip.y + 54.0
}

/// Partitions.db beside a much greater Rows.db: its strip within a line of text.
fn small_strip(pen: &mut Pen, files: &Files, touched: &[super::strip::Touch]) -> f64 {
    let name = "Partitions.db";
    let strip = Strip {
        side: Side::Trie,
        x: width(name, Face::Text) + 14.0,
        y: 4.0,
        h: 14.0,
        bytes: files.partitions,
        scale: files.scale,
        touches: &[],
        numbers_to: None,
    };
    pen.always().text(0.0, 15.0, name, CAPTION);
    strip.draw(pen);
    let mut x = strip.right() + 8.0;
    for touch in touched {
        strip.draw_touch(pen, touch);
        if let PageState::Fetched(nth) = touch.state
            && !strip.is_inside(touch)
        {
            let label = n(u64::from(nth));
            let w = super::pen::badge_width(&label);
            pen.badge(x + w / 2.0, 2.0, &label, Side::Trie);
            x += w + 4.0;
        }
    }
    let pages = pages_of(files.partitions);
    let what = if pages == 1 { "one page".to_owned() } else { format!("{} pages", n(pages)) };
    let note = if strip.is_widened() { ", drawn 3 px wide" } else { "" };
    pen.always().text(x + 4.0, 15.0, format!("{what} of {} B{note}", n(files.partitions)), CAPTION);
    22.0
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
    let partition = Ribbon {
        x: 0.0,
        y: at,
        room,
        cell,
        bytes: &race.key.comparable,
        parts: &race.key.parts,
        part: Part::Partitions,
        record,
        brief: false,
        bare: false,
    };
    let filter = filter::step(record).filter(|_| with_filter);
    let filter_px = filter.map_or(0.0, |(_, step)| filter::span(step) + 24.0);
    let brief = partition.span_with_caption() + filter_px > room;
    let mut partition = Ribbon { brief, ..partition };
    let beside = partition.span_with_caption() + filter_px <= room;
    partition.brief = brief && beside && filter.is_some();
    let mut filtered = filter.is_none();
    if let Some((step, what)) = filter
        && !beside
    {
        filter::draw(pen, 0.0, at + 12.0, step, what, Side::Trie);
        at += 24.0;
        filtered = true;
    }
    let mut partition = Ribbon { y: at, ..partition };
    let of_row = of_row.map(|row| Ribbon {
        y: at,
        bytes: &row.comparable,
        parts: &row.parts,
        part: Part::Rows,
        ..partition
    });
    if !filtered && let Some((step, what)) = filter {
        filter::draw(pen, room - filter_px + 24.0, at + 15.5, step, what, Side::Trie);
    }
    let Some(mut row) = of_row else { return at + partition.draw(pen) + 14.0 - y };
    // Both keys on one line where they fit, else one below the other.
    row.x = partition.bytes.len() as f64 * cell + 24.0;
    (partition.bare, row.bare) = (true, true);
    let taken = if filtered { 0.0 } else { filter_px };
    if row.x + row.span_with_caption() + taken <= room {
        return at + partition.draw(pen).max(row.draw(pen)) + 14.0 - y;
    }
    (partition.bare, row.bare) = (false, false);
    at += partition.draw(pen) + 14.0;
    row = Ribbon { x: 0.0, y: at, ..row };
    at += row.draw(pen) + 14.0;
    at - y
}

/// The strips of both files for a phone, one scale.
pub fn phone_strips(race: &Race, files: &Files, room: f64) -> Scene {
    let mut pen = Pen::new(room);
    let mut y = 0.0;
    let walk = race.trie.as_ref().map(|lane| &lane.record);
    let index = race.legacy.as_ref().map(|lane| &lane.lane.record);
    let all = [
        (walk, Part::Partitions, files.partitions, Side::Trie),
        (walk, Part::Rows, files.rows, Side::Trie),
        (index, Part::Index, files.index, Side::Legacy),
    ];
    for (record, part, bytes, side) in all {
        let Some(record) = record.filter(|_| bytes > 0) else { continue };
        let touched = touches(record, part);
        let strip = Strip {
            side,
            x: 0.0,
            y: y + 24.0,
            h: 16.0,
            bytes,
            scale: files.scale,
            touches: &touched,
            numbers_to: None,
        };
        strip.draw(&mut pen);
        let pages = pages_of(bytes);
        let plural = if pages == 1 { "page" } else { "pages" };
        let name = format!("{part}, {} {plural}", n(pages));
        // The name stands on whichever side the numbers leave free.
        let middle = touched.iter().map(|touch| strip.cell(touch.page).x).sum::<f64>()
            / touched.len().max(1) as f64;
        pen.always();
        if strip.needs_headroom() && middle < room / 2.0 {
            let first = touched.iter().map(|t| strip.cell(t.page).right()).fold(0.0, f64::max);
            if first + 60.0 + width(&name, Face::Text) <= room {
                pen.end(room, y + 17.0, name, CAPTION);
            } else {
                pen.end(room, y + 55.0, name, CAPTION);
                y += 18.0;
            }
        } else {
            let first = touched.iter().map(|t| strip.cell(t.page).x).fold(room, f64::min);
            if !strip.needs_headroom() || width(&name, Face::Text) + 40.0 <= first {
                pen.text(0.0, y + 17.0, name, CAPTION);
            } else {
                pen.text(0.0, y + 55.0, name, CAPTION);
                y += 18.0;
            }
        }
        y += 48.0;
    }
    let (px, ruler) = files.ruler();
    pen.always();
    pen.path(Path::new().to(0.5, y).v(y + 8.0).to(0.5, y + 4.0).h(px).to(px, y).v(y + 8.0), "ax");
    pen.text(px + 7.0, y + 8.0, format!("{ruler}, one scale"), CAPTION);
    pen.finish(y + 14.0, "Pages fetched in the index files, all at one scale")
}
