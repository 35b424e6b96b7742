//! The files of a race as strips at one scale: those of the trie lane with the ruler, and all of them for a phone.

use super::files::Files;
use super::pen::{CAPTION, Pen, badge_width, n};
use super::strip::{HEADROOM, LEAST_PX, Strip, Touch, touches};
use crate::layout::path::Path;
use crate::layout::{Face, Scene, width};
use crate::state::intent::Side;
use crate::words::count;
use triescope_core::lookup::{PageState, Record};
use triescope_core::pos::pages_of;
use triescope_core::race::Race;
use triescope_core::table::Part;

/// The files in the scale of both lanes. Gives where the next thing starts.
pub fn strips(pen: &mut Pen, record: &Record, files: &Files) -> f64 {
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
    let above = at_headroom(files, bytes, touched);
    let mut strip = strip(files, bytes, touched, x, y + above);
    strip.numbers_to = Some(strip.right().max(x + 40.0));
    strip.draw(pen);
    let right = strip.right();
    pen.always();
    let mut x = right + 22.0;
    if let Some(name) = name {
        let long = format!("{name}, {}", count(pages_of(bytes), "page", "pages"));
        pen.text(right + 10.0, strip.y + 15.0, long.clone(), CAPTION);
        x = right + 10.0 + width(&long, Face::Text) + 20.0;
    }
    files.draw_ruler(pen, x, strip.y + 11.0);
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
