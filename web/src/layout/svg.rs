//! A scene as SVG text, with the same classes that the page paints: for pictures outside a browser, and for the judges.

use super::path::px;
use super::{Anchor, Face, Mark, Rect, Scene, Shape};
use std::fmt::Write as _;

/// How a mark stands to the steps done: a class beside its own.
pub fn state(mark: &Mark, done: Option<u32>) -> &'static str {
    match (mark.step, done) {
        (Some(step), Some(done)) if step >= done => "todo",
        (Some(step), Some(done)) if step + 1 == done => "now",
        _ => "",
    }
}

/// Classes that a face adds to a text.
pub const fn face(face: Face) -> &'static str {
    match face {
        Face::Text => "",
        Face::Strong => "b",
        Face::Mono => "m",
        Face::Body => "t13",
        Face::BodyStrong => "t13 b",
        Face::BodyMono => "m t13",
    }
}

/// Value of `text-anchor`.
pub const fn anchor(anchor: Anchor) -> &'static str {
    match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    }
}

/// The picture after `done` steps; `None` is after all of them.
pub fn svg(scene: &Scene, done: Option<u32>) -> String {
    let (w, h) = (px(scene.width), px(scene.height));
    let label = escape(&scene.label);
    let mut out = format!(
        "<svg width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" role=\"img\" aria-label=\"{label}\">"
    );
    for mark in &scene.marks {
        let state = state(mark, done);
        let mut class = mark.class.to_string();
        if let Shape::Text { face: of, .. } = &mark.shape {
            class = format!("{class} {}", face(*of));
        }
        let class = format!("{class} {state}");
        let class = class.split_whitespace().collect::<Vec<_>>().join(" ");
        // Writing to a String cannot fail.
        let _ = match &mark.shape {
            Shape::Rect { rect: Rect { x, y, w, h }, radius } => write!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" class=\"{class}\"/>",
                px(*x),
                px(*y),
                px(*w),
                px(*h),
                px(*radius)
            ),
            Shape::Circle { x, y, r } => write!(
                out,
                "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"{class}\"/>",
                px(*x),
                px(*y),
                px(*r)
            ),
            Shape::Path(d) => write!(out, "<path d=\"{d}\" class=\"{class}\"/>"),
            Shape::Text { x, y, anchor: at, text, .. } => write!(
                out,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" class=\"{class}\">{}</text>",
                px(*x),
                px(*y),
                anchor(*at),
                escape(text)
            ),
        };
    }
    out.push_str("</svg>");
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
