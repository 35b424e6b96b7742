//! BisectLadder: a search as bars of what is still possible, a row a probe, the probe as a tick on the bar.

use super::pen::Pen;
use crate::layout::Rect;

/// A probe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// The step.
    pub step: usize,
    /// Left edge of what is still possible.
    pub from: f64,
    /// Right edge.
    pub to: f64,
    /// Where it was probed.
    pub at: f64,
}

/// How the rows look.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// From one row to the next.
    pub pitch: f64,
    /// Height of a bar.
    pub bar: f64,
    /// Height of a tick.
    pub tick: f64,
}

/// Rows close together, for many probes below a picture.
pub const TIGHT: Rows = Rows { pitch: 8.0, bar: 4.0, tick: 8.0 };
/// Rows that have a word beside them.
pub const WORDED: Rows = Rows { pitch: 16.0, bar: 5.0, tick: 13.0 };

/// Draws the ladder with `y` its upper edge, and gives its height.
pub fn draw(pen: &mut Pen, probes: &[Probe], rows: Rows, y: f64) -> f64 {
    for (i, probe) in probes.iter().enumerate() {
        let top = y + rows.pitch * i as f64;
        let bar_w = (probe.to - probe.from).max(2.0);
        let bar_x = probe.from.min(pen.width() - bar_w);
        let bar = Rect::new(bar_x, top + (rows.tick - rows.bar) / 2.0, bar_w, rows.bar);
        pen.at(probe.step).rect(bar, "lane-l pale");
        let tick = (probe.at - 1.25).clamp(0.0, pen.width() - 2.5);
        pen.rect(Rect::new(tick, top, 2.5, rows.tick), "lane-l");
        let w = bar.w.max(8.0);
        let x = bar.x.min(probe.at - 4.0).clamp(0.0, pen.width() - w);
        pen.hit(Rect::new(x, top, w, rows.pitch), probe.step);
    }
    rows.pitch * probes.len() as f64
}
