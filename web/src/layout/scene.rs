//! A picture as data: marks in CSS pixels, painted as SVG by one component and judged by the tests.
//!
//! Invariant: a scene is laid out for its width in pixels and never scaled, so text stays as large as it was meant.

use super::text::{Face, width};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// What the picture shows, for those who do not see it; numbers are in the text twin beside it.
    pub label: String,
    /// Back to front.
    pub marks: Vec<Mark>,
}

/// One thing in a picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// Its form and place.
    pub shape: Shape,
    /// Classes of `static/css/marks.css`: colour and line.
    pub class: Cow<'static, str>,
    /// What a click or the pointer finds here; numbered by the layout that made the scene.
    pub hit: Option<u32>,
    /// Number of the step that lights it up; `None` for what is always there.
    pub step: Option<u32>,
}

/// Form and place of a mark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// An upright rectangle.
    Rect {
        /// Where.
        rect: Rect,
        /// Radius of the corners; only containers that stand for a page have one.
        radius: f64,
    },
    /// A circle.
    Circle {
        /// Centre.
        x: f64,
        /// Centre.
        y: f64,
        /// Radius.
        r: f64,
    },
    /// An SVG path in absolute coordinates.
    Path(String),
    /// One line of text.
    Text {
        /// Start, middle or end of the text, as `anchor` says.
        x: f64,
        /// Baseline.
        y: f64,
        /// What `x` is.
        anchor: Anchor,
        /// Its face and size.
        face: Face,
        /// The text.
        text: String,
    },
}

/// Which point of a text its `x` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Anchor {
    /// Its start.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// An upright rectangle, in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rect {
    /// Left.
    pub x: f64,
    /// Top.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

impl Rect {
    /// From left, top, width and height.
    pub const fn new(x: f64, y: f64, w: f64, h: f64) -> Self {
        Self { x, y, w, h }
    }

    /// Right edge.
    pub fn right(self) -> f64 {
        self.x + self.w
    }

    /// Lower edge.
    pub fn bottom(self) -> f64 {
        self.y + self.h
    }

    /// Whether the two share more than an edge.
    pub fn overlaps(self, other: Self) -> bool {
        self.x < other.right()
            && other.x < self.right()
            && self.y < other.bottom()
            && other.y < self.bottom()
    }

    /// Whether the point is inside.
    pub fn contains(self, x: f64, y: f64) -> bool {
        (self.x..self.right()).contains(&x) && (self.y..self.bottom()).contains(&y)
    }
}

impl Mark {
    /// A rectangle.
    pub fn rect(rect: Rect, class: impl Into<Cow<'static, str>>) -> Self {
        Self {
            shape: Shape::Rect { rect, radius: 0.0 },
            class: class.into(),
            hit: None,
            step: None,
        }
    }

    /// A path.
    pub fn path(d: impl Into<String>, class: impl Into<Cow<'static, str>>) -> Self {
        Self { shape: Shape::Path(d.into()), class: class.into(), hit: None, step: None }
    }

    /// A text that starts at `x`.
    pub fn text(
        x: f64,
        y: f64,
        text: impl Into<String>,
        face: Face,
        class: impl Into<Cow<'static, str>>,
    ) -> Self {
        let shape = Shape::Text { x, y, anchor: Anchor::Start, face, text: text.into() };
        Self { shape, class: class.into(), hit: None, step: None }
    }

    /// The same text with another anchor; any other mark unchanged.
    pub fn anchored(mut self, to: Anchor) -> Self {
        if let Shape::Text { anchor, .. } = &mut self.shape {
            *anchor = to;
        }
        self
    }

    /// The same mark, found under this number.
    pub fn hit(self, hit: u32) -> Self {
        Self { hit: Some(hit), ..self }
    }

    /// The same mark, lit up by this step.
    pub fn step(self, step: u32) -> Self {
        Self { step: Some(step), ..self }
    }

    /// The room that a text takes, from the widths of [`width`]; `None` for other marks.
    pub fn text_box(&self) -> Option<Rect> {
        let Shape::Text { x, y, anchor, face, text } = &self.shape else { return None };
        let w = width(text, *face);
        let left = match anchor {
            Anchor::Start => *x,
            Anchor::Middle => x - w / 2.0,
            Anchor::End => x - w,
        };
        // Capitals reach 0.72 em above the baseline, tails 0.21 em below it.
        let size = face.size();
        Some(Rect::new(left, y - 0.74 * size, w, 0.95 * size))
    }
}

impl Scene {
    /// Adds a mark.
    pub fn push(&mut self, mark: Mark) {
        self.marks.push(mark);
    }

    /// The number of the topmost mark with one under the point.
    pub fn hit(&self, x: f64, y: f64) -> Option<u32> {
        self.marks.iter().rev().find_map(|mark| match &mark.shape {
            Shape::Rect { rect, .. } if rect.contains(x, y) => mark.hit,
            Shape::Circle { x: cx, y: cy, r } if (x - cx).hypot(y - cy) <= *r => mark.hit,
            Shape::Text { .. } => {
                mark.hit.filter(|_| mark.text_box().is_some_and(|b| b.contains(x, y)))
            }
            _ => None,
        })
    }

    /// What must never happen, as sentences: texts that overlap, leave the picture or are too small.
    pub fn faults(&self) -> Vec<String> {
        let texts: Vec<(&str, Rect, f64)> = self
            .marks
            .iter()
            .filter_map(|mark| match (&mark.shape, mark.text_box()) {
                (Shape::Text { text, face, .. }, Some(rect)) => {
                    Some((text.as_str(), rect, face.size()))
                }
                _ => None,
            })
            .collect();
        let mut faults = Vec::new();
        for (i, (text, rect, size)) in texts.iter().enumerate() {
            if *size < 12.0 {
                faults.push(format!("“{text}” is {size} px high"));
            }
            if rect.x < -0.5
                || rect.y < -0.5
                || rect.right() > self.width + 0.5
                || rect.bottom() > self.height + 0.5
            {
                faults.push(format!("“{text}” leaves the picture: {rect:?}"));
            }
            for (other, there, _) in &texts[..i] {
                if rect.overlaps(*there) {
                    faults.push(format!("“{text}” overlaps “{other}”"));
                }
            }
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(marks: Vec<Mark>) -> Scene {
        Scene { width: 200.0, height: 40.0, label: String::new(), marks }
    }

    #[test]
    fn overlapping_and_cut_labels_are_faults() {
        let here = Mark::text(10.0, 20.0, "Data.db", Face::Text, "k");
        assert_eq!(scene(vec![here.clone()]).faults(), Vec::<String>::new());
        let near = Mark::text(20.0, 20.0, "Filter.db", Face::Text, "k");
        assert_eq!(scene(vec![here, near]).faults(), ["“Filter.db” overlaps “Data.db”"]);
        let cut = Mark::text(190.0, 20.0, "Partitions.db", Face::Text, "k");
        assert_eq!(scene(vec![cut.clone()]).faults().len(), 1);
        assert_eq!(scene(vec![cut.anchored(Anchor::End)]).faults(), Vec::<String>::new());
    }

    #[test]
    fn the_topmost_mark_is_hit() {
        let back = Mark::rect(Rect::new(0.0, 0.0, 50.0, 10.0), "pg").hit(1);
        let front = Mark::rect(Rect::new(10.0, 0.0, 10.0, 10.0), "lane-t").hit(2);
        let scene = scene(vec![back, front]);
        assert_eq!([5.0, 15.0, 70.0].map(|x| scene.hit(x, 5.0)), [Some(1), Some(2), None]);
    }
}
