//! WindowZoom: the part of Index.db that a lookup reads, magnified; fetched and not needed, parsed, compared.

use super::ladder::{self, Probe, TIGHT};
use super::pen::{CAPTION, Pen, n};
use super::strip::Touch;
use crate::layout::path::Path;
use crate::layout::{Face, Rect, fit, width};
use triescope_core::lookup::{
    EntriesStep, EntryHow, EntryStep, PageState, PromotedUse, Record, Step, WindowStep,
};
use triescope_core::pos::PAGE_SIZE;

/// Height of the magnified pages.
pub const H: f64 = 24.0;
/// A scan is drawn in at most this many pieces.
const PIECES: usize = 400;

/// The magnified part of Index.db.
pub struct Window<'a> {
    /// First page.
    pub first: u64,
    /// End of the pages, exclusive.
    pub end: u64,
    /// Bytes of the file.
    bytes: u64,
    windows: Vec<(usize, &'a WindowStep)>,
    parsed: Vec<(usize, &'a EntriesStep)>,
    /// The entries compared, in order.
    pub entries: Vec<(usize, &'a EntryStep)>,
}

impl<'a> Window<'a> {
    /// Of a record; `None` where no window was read.
    pub fn of(record: &'a Record, bytes: u64) -> Option<Self> {
        let mut out = Self {
            first: u64::MAX,
            end: 0,
            bytes,
            windows: Vec::new(),
            parsed: Vec::new(),
            entries: Vec::new(),
        };
        for (at, step) in record.steps.iter().enumerate() {
            match step {
                Step::Window(window) => {
                    out.windows.push((at, window));
                    out.cover(window.from.0, window.to.0);
                }
                Step::Entries(entries) => {
                    out.parsed.push((at, entries));
                    out.cover(entries.from.0, entries.to.0);
                }
                Step::Entry(entry) => {
                    out.entries.push((at, entry));
                    out.cover(entry.at.0, entry.at.0.saturating_add(u64::from(entry.head)));
                }
                _ => {}
            }
        }
        (!out.windows.is_empty() && out.first < out.end).then_some(out)
    }

    fn cover(&mut self, from: u64, to: u64) {
        let to = to.min(self.bytes.max(from + 1)).max(from + 1);
        self.first = self.first.min(from / PAGE_SIZE);
        self.end = self.end.max(to.div_ceil(PAGE_SIZE));
    }

    /// The entry that the lookup ends at: the one with the key, else the last one compared.
    pub fn last_entry(&self) -> Option<(usize, &'a EntryStep)> {
        let equal = |entry: &&(usize, &EntryStep)| {
            entry.1.cmp == triescope_core::lookup::Cmp::Equal
                && !matches!(entry.1.how, EntryHow::Probe { .. })
        };
        let ends = |entry: &&(usize, &EntryStep)| !matches!(entry.1.how, EntryHow::Probe { .. });
        self.entries.iter().find(equal).or_else(|| self.entries.iter().rev().find(ends)).copied()
    }

    /// Pixels a byte: all pages shown, the last one of the file no longer than it is.
    fn scale(&self, box_: Rect) -> f64 {
        let first = self.first.saturating_mul(PAGE_SIZE);
        let end = self.end.saturating_mul(PAGE_SIZE);
        let end = if self.bytes > first { end.min(self.bytes) } else { end };
        box_.w / end.saturating_sub(first).max(1) as f64
    }

    fn x(&self, at: u64, box_: Rect) -> f64 {
        let from = at.saturating_sub(self.first.saturating_mul(PAGE_SIZE));
        (box_.x + from as f64 * self.scale(box_)).min(box_.right())
    }

    /// Where an entry is drawn.
    pub fn entry_x(&self, entry: &EntryStep, box_: Rect) -> f64 {
        self.x(entry.at.0, box_)
    }

    /// Draws the pages, what was fetched and parsed, and the search among the entries. Gives the height below `box_.y`.
    pub fn draw(&self, pen: &mut Pen, box_: Rect, touches: &[Touch]) -> f64 {
        let first_step =
            touches.iter().map(|touch| touch.step).min().or(self.windows.first().map(|w| w.0));
        self.draw_pages(pen, box_, touches, first_step.unwrap_or(0));
        self.draw_parsed(pen, box_);
        let mut y = box_.bottom() + 3.0;
        y += self.draw_legend(pen, box_, y, first_step.unwrap_or(0));
        y += 6.0;
        y += self.draw_search(pen, box_, y);
        y - box_.y
    }

    fn draw_pages(&self, pen: &mut Pen, box_: Rect, touches: &[Touch], first_step: usize) {
        let page_px = PAGE_SIZE as f64 * self.scale(box_);
        let cell = |page: u64| {
            let from = self.x(page.saturating_mul(PAGE_SIZE), box_);
            let to = self.x(page.saturating_add(1).saturating_mul(PAGE_SIZE), box_);
            Rect::new(from, box_.y, to - from, box_.h)
        };
        pen.ahead(first_step);
        pen.rect(box_, "pg");
        if page_px >= 3.0 {
            let mut lines = Path::new();
            for page in self.first + 1..self.end {
                lines = lines.to(cell(page).x, box_.y).v(box_.bottom());
            }
            pen.path(lines, "pgl");
        }
        for touch in touches.iter().filter(|touch| (self.first..self.end).contains(&touch.page)) {
            let at = cell(touch.page);
            let at = if at.w < 3.0 {
                Rect { w: 3.0, x: at.x.min(box_.right() - 3.0), ..at }
            } else {
                at
            };
            pen.at(touch.step);
            pen.hatched(
                Rect::new(at.x + 0.5, at.y + 0.5, at.w - 1.0, at.h - 1.0),
                "soft-l",
                "ln-l",
            );
            if touch.state == PageState::Warm {
                pen.rect(at, "warm");
            }
        }
        let widest = width(&format!("page {}", n(self.end)), Face::Text) + 12.0;
        let every = super::strip::every(page_px, widest);
        let mut free_from = box_.x;
        for page in (self.first..self.end).filter(|page| (page - self.first).is_multiple_of(every))
        {
            let (at, label) = (cell(page), format!("page {}", n(page)));
            let half = width(&label, Face::Text) / 2.0;
            let middle = if every == 1 { at.x + at.w / 2.0 } else { at.x };
            let middle = middle.min(box_.right() - half).max(box_.x + half);
            if middle - half < free_from {
                continue;
            }
            free_from = middle + half + 8.0;
            match touches.iter().find(|touch| touch.page == page) {
                Some(touch) => pen.at(touch.step),
                None => pen.ahead(first_step),
            };
            pen.middle(middle, box_.y - 7.0, label, CAPTION);
        }
    }

    fn draw_parsed(&self, pen: &mut Pen, box_: Rect) {
        for &(step, parsed) in &self.parsed {
            if parsed.skipped_bytes > 0 {
                self.draw_heads(pen, box_, step);
                continue;
            }
            let (from, to) = (self.x(parsed.from.0, box_), self.x(parsed.to.0, box_));
            let solid = Rect::new(from, box_.y + 0.5, (to - from).max(2.0), box_.h - 1.0);
            pen.at(step).rect(solid, "lane-l");
            let ticks = parsed.ticks.len().max(1) as f64;
            let spacing = (to - from) / ticks;
            let (mut short, mut long) = (Path::new(), Path::new());
            for (i, tick) in parsed.ticks.iter().enumerate().skip(1) {
                let x = self.x(tick.0, box_);
                if i.is_multiple_of(10) && spacing * 10.0 >= 3.0 {
                    long = long.to(x, box_.y + 0.5).v(box_.bottom() - 0.5);
                } else if spacing >= 3.0 {
                    short = short.to(x, box_.y + 0.5).v(box_.y + 7.0);
                }
            }
            pen.path(short, "cut");
            pen.path(long, "cut");
            pen.hit(Rect::new(from, box_.y, to - from, box_.h), step);
        }
        self.draw_scan(pen, box_);
    }

    /// Where promoted indexes were skipped, only heads were parsed; the record has the places of those compared.
    fn draw_heads(&self, pen: &mut Pen, box_: Rect, step: usize) {
        for (_, entry) in &self.entries {
            let from = self.x(entry.at.0, box_);
            let to = self.x(entry.at.0.saturating_add(u64::from(entry.head)), box_);
            let w = (to - from).max(2.0);
            let x = from.min(box_.right() - w);
            pen.at(step).rect(Rect::new(x, box_.y + 0.5, w, box_.h - 1.0), "lane-l");
        }
    }

    /// Entries read one after the other: each solid as far as its head, the skipped promoted index behind it open.
    fn draw_scan(&self, pen: &mut Pen, box_: Rect) {
        let scanned: Vec<_> = self.entries.iter().filter(|(_, entry)| entry.of.is_none()).collect();
        let each = scanned.len().div_ceil(PIECES).max(1);
        for piece in scanned.chunks(each) {
            let (Some(first), Some(last)) = (piece.first(), piece.last()) else { continue };
            let to = self.x(last.1.at.0.saturating_add(u64::from(last.1.head)), box_);
            let from = self.x(first.1.at.0, box_).min(box_.right() - 2.0);
            pen.at(last.0);
            pen.rect(Rect::new(from, box_.y + 0.5, (to - from).max(2.0), box_.h - 1.0), "lane-l");
            if to - from >= 3.0 {
                pen.path(Path::new().to(to, box_.y + 0.5).v(box_.y + 7.0), "cut");
            }
            pen.hit(Rect::new(from, box_.y, (to - from).max(2.0), box_.h), last.0);
        }
    }

    fn draw_legend(&self, pen: &mut Pen, box_: Rect, y: f64, first_step: usize) -> f64 {
        let scanned: Vec<_> = self.entries.iter().filter(|(_, entry)| entry.of.is_none()).collect();
        let parsed: u64 = self.parsed.iter().map(|(_, entries)| entries.count).sum();
        let skipped: u64 =
            self.parsed.iter().map(|(_, entries)| entries.skipped_bytes).sum::<u64>()
                + scanned
                    .iter()
                    .filter(|(_, e)| e.promoted == PromotedUse::Skipped)
                    .map(|(_, e)| e.promoted_size)
                    .sum::<u64>();
        let (step, count, how) = match (self.parsed.last(), scanned.last()) {
            (Some(&(step, _)), _) => {
                (step, parsed, if parsed > 50 { " parsed, 50 a tick" } else { " parsed" })
            }
            (None, Some(&&(step, _))) => (step, scanned.len() as u64, " read one after the other"),
            (None, None) => return 14.0,
        };
        let entries =
            if count == 1 { "1 entry".to_owned() } else { format!("{} entries", n(count)) };
        let how = if count == 1 { " parsed" } else { how };
        let long = format!("{entries}{how}");
        let mut forms = vec![long.clone(), entries];
        if skipped > 0 {
            forms.insert(0, format!("{long}; {} B of promoted indexes skipped", n(skipped)));
        }
        let note = "hatched: fetched, not needed";
        let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
        let note_px = width(note, Face::Text) + 20.0;
        pen.at(step);
        match fit(&forms, box_.w - note_px, Face::Text) {
            Some(text) => {
                pen.text(box_.x, y + 13.0, text, CAPTION);
                pen.at(first_step).end(box_.right(), y + 13.0, note, CAPTION);
                15.0
            }
            None => {
                if let Some(text) = fit(&forms, box_.w, Face::Text) {
                    pen.text(box_.x, y + 13.0, text, CAPTION);
                }
                pen.at(first_step).text(box_.x, y + 29.0, note, CAPTION);
                31.0
            }
        }
    }

    fn draw_search(&self, pen: &mut Pen, box_: Rect, y: f64) -> f64 {
        let Some(&(_, parsed)) = self.parsed.first() else { return 0.0 };
        let x = |index: u64| self.x(position(parsed, index), box_);
        let probes: Vec<Probe> = self
            .entries
            .iter()
            .filter_map(|&(step, entry)| match entry.how {
                EntryHow::Probe { low, high } => {
                    let middle = entry.at.0.saturating_add(u64::from(entry.head) / 2);
                    Some(Probe { step, from: x(low), to: x(high), at: self.x(middle, box_) })
                }
                _ => None,
            })
            .collect();
        ladder::draw(pen, &probes, TIGHT, y)
    }
}

/// Position of an entry by its number, between the ticks that the record has.
fn position(parsed: &EntriesStep, index: u64) -> u64 {
    let tick = |i: usize| parsed.ticks.get(i).map(|tick| tick.0);
    let before = usize::try_from(index / 50).unwrap_or(usize::MAX);
    let from = tick(before).unwrap_or(parsed.to.0);
    let (to, count) = match tick(before.saturating_add(1)) {
        Some(to) => (to, 50),
        None => (parsed.to.0, (parsed.count.saturating_sub(index / 50 * 50)).max(1)),
    };
    from + to.saturating_sub(from) * (index % 50).min(count) / count
}
