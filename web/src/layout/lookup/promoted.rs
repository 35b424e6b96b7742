//! The promoted index of a wide partition: blocks and the table of their offsets at true scale, each probe below.

use super::ladder::{self, Probe};
use super::pen::{CAPTION, Pen, STRONG, n};
use super::strip::{LEAST_PX, Touch};
use crate::layout::path::Path;
use crate::layout::{Face, Rect, width};
use triescope_core::lookup::{BlockProbeStep, BlockStep, PageState, PromotedStep, Record, Step};
use triescope_core::pos::PAGE_SIZE;

/// What was read of a promoted index.
pub struct Promoted<'a> {
    /// Its head, and the step that read it.
    pub head: (usize, &'a PromotedStep),
    probes: Vec<(usize, &'a BlockProbeStep)>,
    block: Option<(usize, &'a BlockStep)>,
    touches: Vec<Touch>,
}

impl<'a> Promoted<'a> {
    /// Of a record; `None` where no promoted index was read.
    pub fn of(record: &'a Record, touches: &[Touch]) -> Option<Self> {
        let mut head = None;
        let mut probes = Vec::new();
        let mut block = None;
        for (at, step) in record.steps.iter().enumerate() {
            match step {
                Step::Promoted(promoted) => head = head.or(Some((at, promoted))),
                Step::BlockProbe(probe) => probes.push((at, probe)),
                Step::Block(chosen) => block = Some((at, chosen)),
                _ => {}
            }
        }
        let head = head?;
        let inside = |touch: &&Touch| {
            let from = touch.page.saturating_mul(PAGE_SIZE);
            from < head.1.end.0 && from.saturating_add(PAGE_SIZE) > head.1.at.0
        };
        let touches = touches.iter().filter(inside).copied().collect();
        Some(Self { head, probes, block, touches })
    }

    /// Whether it is nearly all of a file of this size: then the strip of the file shows it already.
    pub fn is_most_of(&self, bytes: u64) -> bool {
        let own = self.head.1.end.0.saturating_sub(self.head.1.at.0);
        own as f64 >= 0.9 * bytes as f64
    }

    /// First byte and end, as the picture's axis.
    pub fn span(&self) -> (u64, u64) {
        (self.head.1.at.0, self.head.1.end.0.max(self.head.1.at.0 + 1))
    }

    /// Names of both halves, above the axis.
    pub fn draw_names(&self, pen: &mut Pen, x: &dyn Fn(u64) -> f64, y: f64, from: f64, to: f64) {
        let head = self.head.1;
        let blocks = head.offsets_at.0.saturating_sub(head.blocks_at.0);
        let each = blocks.checked_div(head.blocks).unwrap_or(0);
        let name = match head.blocks {
            1 => "1 block".to_owned(),
            count => format!("{} blocks, {} B each", n(count), n(each)),
        };
        pen.ahead(self.head.0);
        let offsets = "offsets table";
        let offsets_px = width(offsets, Face::Text);
        let right = (x(head.offsets_at.0) + 4.0).min(to - offsets_px);
        if from + width(&name, Face::Text) + 16.0 <= right {
            pen.text(from, y, name, CAPTION);
            pen.text(right, y, offsets, CAPTION);
        } else {
            pen.text(from, y, name, CAPTION);
        }
    }

    /// The magnified promoted index with its ladder; gives the height.
    pub fn draw(&self, pen: &mut Pen, box_: Rect) -> f64 {
        let (from, to) = self.span();
        let scale = box_.w / (to - from) as f64;
        let x = |at: u64| box_.x + (at.clamp(from, to) - from) as f64 * scale;
        self.draw_names(pen, &x, box_.y - 6.0, box_.x, box_.right());
        pen.ahead(self.head.0).rect(box_, "pg");
        for touch in &self.touches {
            let start = touch.page.saturating_mul(PAGE_SIZE);
            let (left, right) = (x(start), x(start.saturating_add(PAGE_SIZE)));
            let w = (right - left).max(LEAST_PX);
            let left = left.min(box_.right() - w);
            pen.at(touch.step);
            pen.hatched(Rect::new(left, box_.y + 0.5, w, box_.h - 1.0), "soft-l", "ln-l");
            if touch.state == PageState::Warm {
                pen.rect(Rect::new(left, box_.y, w, box_.h), "warm");
            }
        }
        if self.head.1.whole {
            pen.at(self.head.0)
                .rect(Rect::new(box_.x, box_.y + 0.5, box_.w, box_.h - 1.0), "lane-l pale");
        }
        for &(step, probe) in &self.probes {
            let (left, right) =
                (x(probe.at.0), x(probe.at.0.saturating_add(u64::from(probe.size))));
            let w = (right - left).max(2.5);
            let left = left.min(box_.right() - w);
            pen.at(step).rect(Rect::new(left, box_.y + 0.5, w, box_.h - 1.0), "lane-l");
        }
        pen.ahead(self.head.0);
        self.draw_border(pen, &x, box_);
        box_.h + 6.0 + self.draw_ladder(pen, &x, box_.bottom() + 6.0)
    }

    /// Where the blocks end and their offsets begin.
    pub fn draw_border(&self, pen: &mut Pen, x: &dyn Fn(u64) -> f64, box_: Rect) {
        let border = x(self.head.1.offsets_at.0);
        pen.path(Path::new().to(border, box_.y).v(box_.bottom()), "ax");
    }

    /// The probes below the axis, and what they found; gives the height.
    pub fn draw_ladder(&self, pen: &mut Pen, x: &dyn Fn(u64) -> f64, y: f64) -> f64 {
        let head = self.head.1;
        let block_x = |block: u64| {
            let span = head.offsets_at.0.saturating_sub(head.blocks_at.0) as f64;
            let part = block.min(head.blocks) as f64 / head.blocks.max(1) as f64;
            x(head.blocks_at.0.saturating_add((span * part) as u64))
        };
        let rows = if self.probes.len() > 12 {
            ladder::TIGHT
        } else {
            ladder::Rows { pitch: 11.0, ..ladder::TIGHT }
        };
        let probes: Vec<Probe> = self
            .probes
            .iter()
            .map(|&(step, probe)| Probe {
                step,
                from: block_x(probe.low),
                to: block_x(probe.high),
                at: x(probe.at.0.saturating_add(u64::from(probe.size) / 2)),
            })
            .collect();
        let height = ladder::draw(pen, &probes, rows, y);
        for (i, &(step, probe)) in self.probes.iter().enumerate() {
            if let Some(offset) = probe.offset_at {
                let left = (x(offset.0) - 1.25).clamp(0.0, pen.width() - 2.5);
                let at = Rect::new(left, y + rows.pitch * i as f64, 2.5, rows.tick);
                pen.at(step).rect(at, "lane-l");
            }
        }
        let quiet = self.draw_quiet(pen, &probes, rows.pitch, y);
        y_after(pen, self, y + height.max(quiet) + 16.0, &probes) - y
    }

    /// From which probe on nothing more was fetched.
    fn draw_quiet(&self, pen: &mut Pen, probes: &[Probe], pitch: f64, y: f64) -> f64 {
        let last_fetch = self.touches.iter().map(|touch| touch.step).max().unwrap_or(0);
        let first =
            probes.iter().position(|probe| probe.step > last_fetch + 1).unwrap_or(probes.len());
        if probes.len() - first < 3 || self.head.1.whole {
            return 0.0;
        }
        let text = format!("probes {} to {} stay in pages already here", first + 1, probes.len());
        let (top, bottom) = (y + pitch * first as f64, y + pitch * probes.len() as f64);
        let right =
            probes.iter().skip(first).map(|probe| probe.to.max(probe.at)).fold(0.0, f64::max) + 8.0;
        let left = probes
            .iter()
            .skip(first)
            .map(|probe| probe.from.min(probe.at))
            .fold(f64::MAX, f64::min)
            - 8.0;
        let px = width(&text, Face::Text);
        pen.at(probes.get(first).map_or(0, |probe| probe.step));
        let offsets = self.probes.iter().skip(first).any(|(_, probe)| probe.offset_at.is_some());
        let free_right = pen.width() - right - 16.0;
        // The ticks of the offsets table stand at the right edge, so the text needs more room there.
        if free_right >= px + if offsets { pen.width() * 0.12 } else { 0.0 } {
            pen.path(Path::new().to(right, top).h(right + 5.0).v(bottom).h(right), "ax");
            pen.text(right + 12.0, f64::midpoint(top, bottom) + 4.0, text, CAPTION);
        } else if left >= px + 16.0 {
            pen.path(Path::new().to(left, top).h(left - 5.0).v(bottom).h(left), "ax");
            pen.end(left - 12.0, f64::midpoint(top, bottom) + 4.0, text, CAPTION);
        }
        bottom - y
    }
}

/// The line below the ladder: how many probes, and which block.
fn y_after(pen: &mut Pen, promoted: &Promoted<'_>, y: f64, probes: &[Probe]) -> f64 {
    let head = promoted.head.1;
    let count = match (probes.len(), head.whole) {
        (0, true) => "read whole with its entry".to_owned(),
        (0, false) => "no row is searched, so no block is probed".to_owned(),
        (1, true) => "1 probe in memory: read whole with its entry".to_owned(),
        (k, true) => format!("{k} probes in memory: read whole with its entry"),
        (1, false) => "1 probe, on a block and on the offsets table".to_owned(),
        (k, false) => format!("{k} probes, each on a block and on the offsets table"),
    };
    let room = pen.width();
    let count_px = width(&count, Face::Text);
    let shown = promoted.probes.last().map_or(promoted.head.0, |probe| probe.0);
    pen.at(shown).text(0.0, y, count, CAPTION);
    let Some((step, block)) = promoted.block else { return y + 6.0 };
    let text = match block.block {
        _ if block.after_last => "after the last block".to_owned(),
        Some(number) => format!("block {} starts at {}", n(number), n(block.start)),
        None => format!("the block starts at {}", n(block.start)),
    };
    let middle = probes.last().map_or(room / 2.0, |probe| probe.at);
    let px = width(&text, Face::Strong);
    pen.at(step);
    if count_px + 24.0 + px <= room {
        pen.text_within(middle, (count_px + 24.0, room), y, text, STRONG);
        y + 6.0
    } else {
        pen.text_within(middle, (0.0, room), y + 17.0, text, STRONG);
        y + 23.0
    }
}
