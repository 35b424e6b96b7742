//! A pen for the lookup's pictures: marks with the step that lights them up, and the signs that all of them share.

use crate::layout::path::Path;
use crate::layout::{Anchor, Face, Mark, Rect, Scene, Shape, width};
use crate::state::intent::Side;
use std::borrow::Cow;
use triescope_core::lookup::words;

/// Draws marks into a scene.
pub struct Pen {
    scene: Scene,
    step: Option<u32>,
    dim: bool,
}

impl Pen {
    /// An empty picture of this width.
    pub fn new(width: f64) -> Self {
        Self { scene: Scene { width, ..Scene::default() }, step: None, dim: false }
    }

    /// Width of the picture.
    pub fn width(&self) -> f64 {
        self.scene.width
    }

    /// What follows is always there.
    pub fn always(&mut self) -> &mut Self {
        (self.step, self.dim) = (None, false);
        self
    }

    /// What follows appears with this step (from 0).
    pub fn at(&mut self, step: usize) -> &mut Self {
        (self.step, self.dim) = (u32::try_from(step).ok(), false);
        self
    }

    /// What follows is faint before this step, since its place is known beforehand.
    pub fn ahead(&mut self, step: usize) -> &mut Self {
        self.at(step).dim = true;
        self
    }

    /// Adds a mark.
    pub fn mark(&mut self, mut mark: Mark) -> &mut Self {
        mark.step = self.step;
        if self.dim {
            mark.class = Cow::Owned(format!("{} dim", mark.class));
        }
        self.scene.push(mark);
        self
    }

    /// A rectangle.
    pub fn rect(&mut self, rect: Rect, class: impl Into<Cow<'static, str>>) -> &mut Self {
        self.mark(Mark::rect(rect, class))
    }

    /// The container that stands for a page.
    pub fn page_box(&mut self, rect: Rect) -> &mut Self {
        let mut mark = Mark::rect(rect, "pagebox");
        if let Shape::Rect { radius, .. } = &mut mark.shape {
            *radius = 8.0;
        }
        self.mark(mark)
    }

    /// A place that a click finds, laid over what it stands for.
    pub fn hit(&mut self, rect: Rect, step: usize) -> &mut Self {
        let mark = Mark::rect(rect, "hit").hit(u32::try_from(step).unwrap_or(u32::MAX));
        let (step, dim) = (self.step.take(), std::mem::take(&mut self.dim));
        self.mark(mark);
        (self.step, self.dim) = (step, dim);
        self
    }

    /// A path.
    pub fn path(&mut self, path: Path, class: impl Into<Cow<'static, str>>) -> &mut Self {
        if path.is_empty() { self } else { self.mark(Mark::path(path, class)) }
    }

    /// A path behind all marks so far.
    pub fn under(&mut self, path: Path, class: &'static str) -> &mut Self {
        self.path(path, class);
        if let Some(mark) = self.scene.marks.pop() {
            self.scene.marks.insert(0, mark);
        }
        self
    }

    /// A text that starts at `x`.
    pub fn text(&mut self, x: f64, y: f64, text: impl Into<String>, style: Style) -> &mut Self {
        self.mark(Mark::text(x, y, text, style.face, style.class))
    }

    /// A text around `x`, moved as far as it must to stay between `from` and `to`.
    pub fn text_within(
        &mut self,
        x: f64,
        (from, to): (f64, f64),
        y: f64,
        text: impl Into<String>,
        style: Style,
    ) -> &mut Self {
        let text = text.into();
        let half = width(&text, style.face) / 2.0;
        let x = x.min(to - half).max(from + half);
        self.mark(Mark::text(x, y, text, style.face, style.class).anchored(Anchor::Middle))
    }

    /// A text around `x`.
    pub fn middle(&mut self, x: f64, y: f64, text: impl Into<String>, style: Style) -> &mut Self {
        self.mark(Mark::text(x, y, text, style.face, style.class).anchored(Anchor::Middle))
    }

    /// A text that ends at `x`.
    pub fn end(&mut self, x: f64, y: f64, text: impl Into<String>, style: Style) -> &mut Self {
        self.mark(Mark::text(x, y, text, style.face, style.class).anchored(Anchor::End))
    }

    /// A horizontal arrow.
    pub fn arrow(&mut self, from: f64, to: f64, y: f64) -> &mut Self {
        self.path(Path::new().to(from, y).h(to - 6.0), "ar");
        self.head(to, y, Towards::Right)
    }

    /// A line that ends at a wall: nothing follows.
    pub fn stop(&mut self, from: f64, to: f64, y: f64) -> &mut Self {
        self.path(Path::new().to(from, y).h(to).to(to, y - 8.0).v(y + 8.0), "ar")
    }

    /// The head of an arrow, its tip at the point.
    pub fn head(&mut self, x: f64, y: f64, towards: Towards) -> &mut Self {
        let path = Path::new().to(x, y);
        let path = match towards {
            Towards::Right => path.line(x - 8.0, y - 4.0).line(x - 8.0, y + 4.0),
            Towards::Down => path.line(x - 4.0, y - 8.0).line(x + 4.0, y - 8.0),
        };
        self.path(path.close(), "ard")
    }

    /// A rectangle with an outline and lines at 45°: bytes that do nothing, pages that were not fetched.
    pub fn hatched(&mut self, rect: Rect, ground: &'static str, lines: &'static str) -> &mut Self {
        self.rect(rect, ground);
        self.path(Path::new().hatch(rect, 5.0), lines)
    }

    /// The order of a fetch on the colour of its lane, around `x`, `y` its upper edge.
    pub fn badge(&mut self, x: f64, y: f64, label: &str, side: Side) -> &mut Self {
        let w = badge_width(label);
        let mut mark = Mark::rect(Rect::new(x - w / 2.0, y, w, 17.0), lane(side));
        if let Shape::Rect { radius, .. } = &mut mark.shape {
            *radius = 3.0;
        }
        self.mark(mark);
        self.middle(x, y + 13.0, label, NUM)
    }

    /// A text box for bytes: a cell with hex in it.
    pub fn byte(
        &mut self,
        cell: Rect,
        text: impl Into<String>,
        ground: &'static str,
        style: Style,
    ) {
        self.rect(cell, ground);
        self.middle(cell.x + cell.w / 2.0, cell.y + cell.h / 2.0 + 4.5, text, style);
    }

    /// The picture, with its height and what it shows.
    pub fn finish(mut self, height: f64, label: impl Into<String>) -> Scene {
        self.scene.height = height.ceil();
        self.scene.label = label.into();
        self.scene
    }
}

/// Where the head of an arrow points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Towards {
    /// To the right.
    Right,
    /// Down.
    Down,
}

/// Face and class of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Face and size.
    pub face: Face,
    /// Class of `marks.css`.
    pub class: &'static str,
}

/// Captions, axes, offsets.
pub const CAPTION: Style = Style { face: Face::Text, class: "c" };
/// Text.
pub const INK: Style = Style { face: Face::Text, class: "k" };
/// What a thing is called, results.
pub const STRONG: Style = Style { face: Face::Strong, class: "s" };
/// Bytes and node types.
pub const MONO: Style = Style { face: Face::Mono, class: "m k" };
/// Bytes that do not matter.
pub const MONO_FAINT: Style = Style { face: Face::Mono, class: "m c" };
/// Bytes on the colour of a payload.
pub const MONO_ON: Style = Style { face: Face::Mono, class: "m onleaf" };
/// Numbers on the colour of a lane.
pub const NUM: Style = Style { face: Face::Strong, class: "num" };
/// Damage.
pub const BAD: Style = Style { face: Face::Strong, class: "bad" };

/// Class of what a lane has fetched or compared.
pub const fn lane(side: Side) -> &'static str {
    match side {
        Side::Trie => "lane-t",
        Side::Legacy => "lane-l",
    }
}

/// Class of the lane's pale ground.
pub const fn soft(side: Side) -> &'static str {
    match side {
        Side::Trie => "soft-t",
        Side::Legacy => "soft-l",
    }
}

/// Class of lines in the lane's colour.
pub const fn line(side: Side) -> &'static str {
    match side {
        Side::Trie => "ln-t",
        Side::Legacy => "ln-l",
    }
}

/// Width of a badge with this label.
pub fn badge_width(label: &str) -> f64 {
    (width(label, Face::Strong) + 8.0).max(18.0)
}

/// A number with its digits in groups of three.
pub fn n(number: u64) -> String {
    words::number(number, ',')
}
