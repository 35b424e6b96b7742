//! Spectrum: all children of a node on the axis 00–ff, the followed one marked.

use super::pen::Pen;
use crate::layout::Rect;
use crate::layout::path::Path;
use triescope_core::bti::Family;

/// Class of a family's colour.
pub const fn family(family: Family) -> &'static str {
    match family {
        Family::Leaf => "f-leaf",
        Family::Single => "f-single",
        Family::Sparse => "f-sparse",
        Family::Dense => "f-dense",
        Family::Long => "f-long",
    }
}

/// Where a byte lies on the axis: the middle of its 256th.
pub fn place(byte: u8, axis: Rect) -> f64 {
    axis.x + (f64::from(byte) + 0.5) * axis.w / 256.0
}

/// Draws the axis and the children. The marks of what was followed are the caller's.
pub fn draw(pen: &mut Pen, axis: Rect, children: &[u8], of: Family) {
    pen.rect(axis, "well");
    let unit = axis.w / 256.0;
    // Neighbours make one bar, so that a full node is one rectangle and not 256.
    let mut bars = Path::new();
    let mut rest = children;
    while let Some((&first, tail)) = rest.split_first() {
        let mut last = first;
        rest = tail;
        while let Some((&next, tail)) = rest.split_first() {
            if last.checked_add(1) != Some(next) {
                break;
            }
            (last, rest) = (next, tail);
        }
        let x = axis.x + f64::from(first) * unit;
        let w = (f64::from(last - first) + 1.0) * unit;
        let least: f64 = if children.len() > 100 { 1.0 } else { 1.6 };
        bars = bars.rect(Rect::new(x, axis.y, w.max(least).min(axis.right() - x), axis.h));
    }
    pen.path(bars, format!("{} spect", family(of)));
}

/// The pointer at a byte: a tip above and a line through the axis.
pub fn pointer(pen: &mut Pen, axis: Rect, byte: u8) {
    let x = place(byte, axis);
    let tip = Path::new().to(x - 5.0, axis.y - 7.0).h(x + 5.0).line(x, axis.y - 1.0).close();
    pen.path(tip, "inkf");
    pen.rect(Rect::new(x - 1.25, axis.y - 2.0, 2.5, axis.h + 4.0), "inkf");
}

/// A byte that has no child: an open tip and a dashed line.
pub fn absent(pen: &mut Pen, axis: Rect, byte: u8) {
    let x = place(byte, axis);
    let tip = Path::new().to(x - 5.0, axis.y - 7.0).h(x + 5.0).line(x, axis.y - 1.0).close();
    pen.path(tip, "inko");
    pen.path(Path::new().to(x, axis.y).v(axis.bottom()), "inkd");
}

/// The gap around a byte without a child, from neighbour to neighbour, drawn below the axis.
pub fn gap(pen: &mut Pen, axis: Rect, below: Option<u8>, above: Option<u8>) {
    let left = below.map_or(axis.x, |byte| place(byte, axis));
    let right = above.map_or(axis.right(), |byte| place(byte, axis));
    let y = axis.bottom() + 2.0;
    pen.path(Path::new().to(left, y).v(y + 3.0).h(right.max(left + 1.0)).v(y), "inko");
}
