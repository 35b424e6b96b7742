//! The picture of the trie lane: files, key, path, outcome.

use super::files::Files;
use super::pen::{CAPTION, Pen, badge_width, n};
use super::result::{Outcome, outcome};
use super::ribbon::{Caption, Ribbon};
use super::stops::Way;
use super::strip::{HEADROOM, LEAST_PX, Strip, Touch, touches};
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
        return whole_strip(
            pen,
            files,
            files.partitions,
            &touched,
            Place { x: 0.0, y: headroom, name: None },
        );
    }
    let partitions = touches(record, Part::Partitions);
    let rows = touches(record, Part::Rows);
    if files.partitions as f64 * files.scale > pen.width() * 0.3 {
        let first = Place { x: 0.0, y: 8.0, name: Some("Partitions.db") };
        let y = whole_strip(pen, files, files.partitions, &partitions, first) - 4.0;
        let second = Place { x: 0.0, y, name: Some("Rows.db") };
        return whole_strip(pen, files, files.rows, &rows, second);
    }
    let small_px = small_strip_px(files, &partitions);
    let rows_px = (files.rows as f64 * files.scale).max(LEAST_PX);
    if small_px + 28.0 + rows_px + 260.0 <= pen.width() {
        // Both on one line: less to scroll.
        let at = Place { x: small_px + 28.0, y: 8.0, name: Some("Rows.db") };
        let above = at_headroom(files, files.rows, &rows);
        small_strip(pen, files, &partitions, 8.0 + above + 4.0);
        return whole_strip(pen, files, files.rows, &rows, at);
    }
    small_strip(pen, files, &partitions, 4.0);
    whole_strip(pen, files, files.rows, &rows, Place { x: 0.0, y: 22.0, name: Some("Rows.db") })
}

/// Where a strip stands, and its name, where there are several.
#[derive(Clone, Copy)]
struct Place<'a> {
    x: f64,
    y: f64,
    name: Option<&'a str>,
}

/// What the numbers above a strip need.
fn at_headroom(files: &Files, bytes: u64, touched: &[Touch]) -> f64 {
    if strip(files, bytes, touched, 0.0, 0.0).needs_headroom() { HEADROOM - 6.0 } else { 0.0 }
}

fn strip<'a>(files: &Files, bytes: u64, touches: &'a [Touch], x: f64, y: f64) -> Strip<'a> {
    let side = Side::Trie;
    Strip { side, x, y, h: 22.0, bytes, scale: files.scale, touches, numbers_to: None }
}

/// A strip on a line of its own, with the scale beside it where there is room.
fn whole_strip(
    pen: &mut Pen,
    files: &Files,
    bytes: u64,
    touched: &[Touch],
    place: Place<'_>,
) -> f64 {
    let Place { x, y, name } = place;
    let room = pen.width();
    let named = name.map_or(0.0, |name| width(name, Face::Text));
    let above = at_headroom(files, bytes, touched);
    let mut strip = strip(files, bytes, touched, x, y + above);
    strip.numbers_to = Some(strip.right().max(x + 40.0));
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
        if let Some(text) = fit(forms, room - x, Face::Text) {
            pen.text(x, y + 22.0, text, CAPTION);
        }
    }
    strip.y + 54.0
}

/// Partitions.db beside a much greater Rows.db: its strip within a line of text, `y` its upper edge.
fn small_strip(pen: &mut Pen, files: &Files, touched: &[Touch], y: f64) {
    let x = width("Partitions.db", Face::Text) + 14.0;
    let strip = Strip { h: 14.0, ..strip(files, files.partitions, &[], x, y) };
    pen.always().text(0.0, y + 11.0, "Partitions.db", CAPTION);
    strip.draw(pen);
    let mut x = strip.right() + 8.0;
    for touch in touched {
        strip.draw_touch(pen, touch);
        if let Some(label) = small_label(&strip, touch) {
            let w = badge_width(&label);
            pen.badge(x + w / 2.0, y - 2.0, &label, Side::Trie);
            x += w + 4.0;
        }
    }
    pen.always().text(x + 4.0, y + 11.0, small_note(files, &strip), CAPTION);
}

/// The number of a fetch that does not fit into its page.
fn small_label(strip: &Strip<'_>, touch: &Touch) -> Option<String> {
    match touch.state {
        PageState::Fetched(nth) if !strip.is_inside(touch) => Some(n(u64::from(nth))),
        _ => None,
    }
}

fn small_note(files: &Files, strip: &Strip<'_>) -> String {
    let what = match pages_of(files.partitions) {
        1 => "one page".to_owned(),
        pages => format!("{} pages", n(pages)),
    };
    let note = if strip.is_widened() { ", drawn 3 px wide" } else { "" };
    format!("{what} of {} B{note}", n(files.partitions))
}

/// Width of that line.
fn small_strip_px(files: &Files, touched: &[Touch]) -> f64 {
    let x = width("Partitions.db", Face::Text) + 14.0;
    let strip = strip(files, files.partitions, &[], x, 0.0);
    let labels = touched.iter().filter_map(|touch| small_label(&strip, touch));
    let badges: f64 = labels.map(|label| badge_width(&label) + 4.0).sum();
    strip.right() + 12.0 + badges + width(&small_note(files, &strip), Face::Text)
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
