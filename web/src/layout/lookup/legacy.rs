//! The picture of the legacy lane: file, summary, window, entry, promoted index, outcome.

use super::files::Files;
use super::pen::{CAPTION, Pen, STRONG, Towards, n};
use super::promoted::Promoted;
use super::result::{Outcome, outcome, wrapped};
use super::strip::{HEADROOM, Strip, Touch, touches};
use super::summary::Summary;
use super::trie::{NARROW, nothing_read, stopped_by_filter};
use super::window::{self, Window};
use super::{entry, filter};
use crate::layout::path::Path;
use crate::layout::{Face, Rect, Scene, width};
use crate::state::intent::Side;
use triescope_core::lookup::{Record, SummarySource};
use triescope_core::race::{LegacyLane, Race};
use triescope_core::table::Part;

/// Width of the summary beside the window.
const SUMMARY: f64 = 278.0;
/// Where the window starts beside it.
const BESIDE: f64 = 300.0;

/// What the picture says to those who do not see it.
const LABEL: &str = "Legacy lane: samples bisected, pages fetched, entries parsed; the list of steps says the same in words";

/// The legacy lane of a race, all its steps; marks know the step that lights them up.
pub fn legacy(race: &Race, files: &Files, room: f64) -> Scene {
    let mut pen = Pen::new(room);
    let Some(lane) = &race.legacy else { return pen.finish(0.0, LABEL) };
    let record = &lane.lane.record;
    let narrow = room < NARROW;
    let touched = touches(record, Part::Index);
    let promoted = Promoted::of(record, &touched);
    let whole_file =
        promoted.as_ref().filter(|promoted| promoted.is_most_of(files.index) && !narrow);
    let strip = strip(&touched, files, room, whole_file.is_some());
    let mut y = 0.0;
    if !narrow {
        strip.draw(&mut pen);
        if race.trie.is_none() {
            files.draw_ruler(&mut pen, strip.right() + 22.0, strip.y + 11.0);
        }
        y = strip.y + strip.h + if strip.numbers_to.is_some() { 16.0 } else { 2.0 };
    }
    if stopped_by_filter(record) {
        y = nothing_read(&mut pen, record, y + 8.0, Side::Legacy);
        return pen.finish(y, LABEL);
    }
    let end = outcome(record);
    if let Some(promoted) = whole_file {
        y = promoted_on_strip(&mut pen, lane, promoted, &strip, files);
        let height = draw_end(&mut pen, end.as_ref(), 0.0, y);
        return pen.finish(y + height, LABEL);
    }
    let from_strip = (!narrow).then_some(&strip);
    y = summary_and_window(
        &mut pen,
        lane,
        record,
        &touched,
        files.index,
        from_strip,
        end.as_ref(),
        y,
    );
    if let Some(promoted) = &promoted {
        let box_ = Rect::new(0.0, y + 34.0, room, 20.0);
        y = box_.y + promoted.draw(&mut pen, box_) + 4.0;
    }
    pen.finish(y, LABEL)
}

fn strip<'a>(touched: &'a [Touch], files: &Files, room: f64, bare: bool) -> Strip<'a> {
    let mut strip = Strip {
        side: Side::Legacy,
        x: 0.0,
        y: 8.0,
        h: 22.0,
        bytes: files.index,
        scale: files.scale,
        touches: touched,
        numbers_to: None,
    };
    if strip.needs_headroom() || bare {
        strip.y = HEADROOM + 2.0 + if bare { 18.0 } else { 0.0 };
    }
    if !bare {
        strip.numbers_to = Some(strip.right().max(40.0).min(room));
    }
    strip
}

/// One entry is nearly the whole file: its promoted index is drawn on the file's own strip.
fn promoted_on_strip(
    pen: &mut Pen,
    lane: &LegacyLane,
    promoted: &Promoted<'_>,
    strip: &Strip<'_>,
    files: &Files,
) -> f64 {
    let x = |at: u64| strip.x + at.min(files.index) as f64 * files.scale;
    let box_ = Rect::new(strip.x, strip.y, strip.right() - strip.x, strip.h);
    promoted.draw_names(pen, &x, 12.0, box_.x, box_.right());
    promoted.draw_border(pen, &x, box_);
    let mut y = box_.bottom() + 8.0;
    let samples = if lane.samples == 1 {
        "1 sample".to_owned()
    } else {
        format!("{} samples", n(lane.samples))
    };
    let what = match lane.summary {
        SummarySource::File => "Summary.db",
        SummarySource::Sampled => "Summary in memory",
    };
    let mut line = format!("{what}: {samples}");
    let window = Window::of(&lane.lane.record, files.index);
    let entry = window.as_ref().and_then(Window::last_entry);
    if let Some((_, entry)) = entry {
        let (at, size) = (n(entry.at.0), n(entry.promoted_size));
        line = format!("{line}; the entry at {at} has {size} B of promoted index");
    }
    let line_px = width(&line, Face::Text);
    if let Some((at, step)) = filter::step(&lane.lane.record)
        && line_px + filter::span(step) + 24.0 <= pen.width()
    {
        filter::draw(pen, pen.width() - filter::span(step), y + 12.0, at, step, Side::Legacy);
    }
    if line_px <= pen.width() {
        pen.ahead(entry.map_or(0, |entry| entry.0)).text(0.0, y + 12.0, line, CAPTION);
        y += 24.0;
    }
    y + promoted.draw_ladder(pen, &x, y)
}

#[expect(clippy::too_many_arguments, reason = "the parts of one picture")]
fn summary_and_window(
    pen: &mut Pen,
    lane: &LegacyLane,
    record: &Record,
    touched: &[Touch],
    bytes: u64,
    strip: Option<&Strip<'_>>,
    end: Option<&Outcome>,
    y: f64,
) -> f64 {
    let room = pen.width();
    let beside = strip.is_some();
    let summary = Summary::of(record);
    let zoom = Window::of(record, bytes);
    let top = if beside { y + 6.0 } else { y };
    let (left_px, arrow) = summary.draw(pen, lane, 0.0, top, if beside { SUMMARY } else { room });
    let Some(zoom) = zoom else {
        return top + left_px + 8.0 + draw_end(pen, end, 0.0, top + left_px + 4.0);
    };
    let box_ = if beside {
        Rect::new(BESIDE, y + 46.0, room - BESIDE, window::H)
    } else {
        Rect::new(0.0, top + left_px + 34.0, room, window::H)
    };
    if let Some(strip) = strip {
        trapezoid(pen, strip, &zoom, touched, box_);
    }
    if let Some((step, from)) = arrow {
        pen.at(step);
        if beside {
            let path =
                Path::new().to(SUMMARY - 22.0, from).h(box_.x - 16.0).v(box_.y + box_.h / 2.0);
            pen.path(path.h(box_.x - 8.0), "ar thin");
            pen.head(box_.x - 2.0, box_.y + box_.h / 2.0, Towards::Right);
        }
    }
    let mut bottom = box_.y + zoom.draw(pen, box_, touched);
    if let Some((step, last)) = zoom.last_entry() {
        let (x, to) = (zoom.entry_x(last, box_), box_.x + 3.0);
        // A bend of a few pixels would look like a slip of the pen.
        let x = if x < to + 8.0 { to } else { x };
        let bytes_y = bottom + 22.0;
        pen.at(step);
        let path = Path::new().to(x, bottom + 1.0).v(bytes_y - 12.0).h(to).v(bytes_y - 9.0);
        pen.path(path, "ar thin");
        pen.head(to, bytes_y - 2.0, Towards::Down);
        let byte = if box_.w < 420.0 { 20.0 } else { 24.0 };
        bottom = bytes_y + entry::draw(pen, (step, last), end, (box_.x, bytes_y), box_.w, byte);
    } else {
        bottom += 4.0 + draw_end(pen, end, box_.x, bottom + 4.0);
    }
    bottom.max(top + left_px)
}

/// The magnified part of the file, from its pages in the strip to the box.
fn trapezoid(pen: &mut Pen, strip: &Strip<'_>, zoom: &Window<'_>, touched: &[Touch], box_: Rect) {
    let (from, to) = (strip.page(zoom.first).x, strip.page(zoom.end - 1).right());
    let first = touched.iter().map(|touch| touch.step).min();
    let y = strip.y + strip.h + 1.0;
    match first {
        Some(step) => pen.at(step),
        None => pen.always(),
    };
    let path = Path::new().to(from, y).line(to.max(from + 2.0), y);
    let below = path.line(box_.right(), box_.y - 20.0).line(box_.x, box_.y - 20.0).close();
    pen.under(below, "zoom");
}

/// The outcome as text, where no entry leads to it; gives the height.
fn draw_end(pen: &mut Pen, end: Option<&Outcome>, x: f64, y: f64) -> f64 {
    let Some(end) = end else { return 0.0 };
    let shown = end.lines.last().map_or(end.step, |line| line.0);
    pen.at(shown);
    if end.leads_on {
        pen.arrow(x, x + 26.0, y + 8.0);
    } else {
        pen.stop(x, x + 17.0, y + 8.0);
    }
    let mut baseline = y + 12.5;
    for line in wrapped(&end.in_one_line(), pen.width() - x - 34.0, Face::Strong) {
        pen.text(x + 34.0, baseline, line, STRONG);
        baseline += 17.0;
    }
    baseline - y - 7.0
}
