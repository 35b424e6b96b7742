//! The file so far, page by page, at the scale of the whole file.

use super::{PAGE, f, hit, n};
use crate::layout::{Anchor, Face, Mark, Path, Rect, Scene, width as text_width};

/// The file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileSoFar {
    /// Bytes written.
    pub bytes: u64,
    /// Bytes that it will have.
    pub of: u64,
    /// The page that is being filled.
    pub page: u64,
    /// For each page that is begun, as far as they are told: the step that begins it, counted from 1.
    pub begun: Vec<u64>,
    /// What is said of the end: `the root comes last, in page 39`.
    pub end: String,
}

/// A cell narrower than this is drawn together with its neighbours.
const CELL: f64 = 3.0;
const HIGH: f64 = 16.0;

/// A strip: what is written solid, what is to come a dashed line.
pub fn file(file: &FileSoFar, width: f64) -> Scene {
    let label = format!("{} B of {} B written", n(file.bytes), n(file.of));
    let mut scene = Scene { width, height: HIGH + 26.0, label, marks: Vec::new() };
    let px = |at: u64| 1.0 + (width - 2.0) * f(at) / f(file.of.max(file.bytes).max(1));
    let (top, middle) = (2.0, 2.0 + HIGH / 2.0);
    let end = px(file.bytes);
    let cell = px(PAGE) - px(0);
    if cell >= CELL {
        for page in 0..file.bytes.div_ceil(PAGE) {
            let (from, to) = (px(page * PAGE), px(((page + 1) * PAGE).min(file.bytes)));
            let class = if page == file.page { "f-sparse" } else { "seg-t" };
            let mut mark =
                Mark::rect(Rect::new(from, top, (to - from - 1.0).max(0.5), HIGH), class);
            let begun = usize::try_from(page).ok().and_then(|page| file.begun.get(page));
            mark.hit = hit(begun.copied());
            scene.push(mark);
        }
    } else if file.bytes > 0 {
        scene.push(Mark::rect(Rect::new(px(0), top, end - px(0), HIGH), "seg-t"));
    }
    if width - end > 8.0 {
        scene.push(Mark::path(Path::new().to(end + 4.0, middle).h(width), "ar dash"));
    }
    let here = Rect::new(
        (px(file.page * PAGE) - 1.0).clamp(1.0, (width - 5.0).max(1.0)),
        top - 1.0,
        cell.clamp(4.0, (width - 2.0).max(4.0)),
        HIGH + 2.0,
    );
    let here = Rect { w: here.w.min(width - 1.0 - here.x), ..here };
    scene.push(Mark::rect(here, "sel"));
    let line = HIGH + 20.0;
    let number = n(file.page);
    let half = text_width(&number, Face::Strong) / 2.0;
    let at = (here.x + here.w / 2.0).clamp(half, (width - half).max(half));
    let text = Mark::text(at, line, number, Face::Strong, "s").anchored(Anchor::Middle);
    let (from, to) = (at - half, at + half);
    scene.push(text);
    if from > text_width("0", Face::Text) + 6.0 {
        scene.push(Mark::text(0.0, line, "0", Face::Text, "c"));
    }
    let long = text_width(&file.end, Face::Text);
    if width - to > long + 10.0 {
        scene
            .push(Mark::text(width, line, file.end.clone(), Face::Text, "c").anchored(Anchor::End));
    } else if from > long + 26.0 {
        scene.push(
            Mark::text(from - 10.0, line, file.end.clone(), Face::Text, "c").anchored(Anchor::End),
        );
    }
    scene
}
