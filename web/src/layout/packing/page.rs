//! The page that is being filled, at true scale.

use super::{PAGE, f, hit, n};
use crate::layout::{Anchor, Face, Mark, Path, Rect, Scene, width as text_width};

/// Something in the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The byte that leads to it, or what it is: `c8`, `root`.
    pub name: String,
    /// Where it begins in the page.
    pub at: u64,
    /// Its bytes in the page.
    pub size: u64,
    /// Whether this step has written it.
    pub is_now: bool,
    /// Whether it is padding.
    pub is_pad: bool,
    /// The step that wrote it, counted from 1.
    pub step: Option<u64>,
}

/// A page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filling {
    /// Its number.
    pub page: u64,
    /// What is in it, ascending.
    pub pieces: Vec<Piece>,
    /// What is said of the rest: `1 B left, no waiting subtree is that small: zeros`.
    pub rest: String,
}

/// From the strip's top.
const TOP: f64 = 18.0;
/// Height of the strip; on two lines where names have no room on one.
const HIGH: f64 = 34.0;

/// A strip of 4,096 bytes, what is in it, and the scale.
pub fn page(filling: &Filling, width: f64) -> Scene {
    let label = format!("Page {}, {} pieces", n(filling.page), filling.pieces.len());
    let mut scene = Scene { width, height: TOP + HIGH + 22.0, label, marks: Vec::new() };
    let px = |bytes: u64| 0.5 + (width - 1.0) * f(bytes.min(PAGE)) / f(PAGE);
    let title = format!("page {}, 4,096 B", n(filling.page));
    let title = Mark::text(0.0, 12.0, title, Face::Strong, "s");
    let taken = title.text_box().map_or(0.0, Rect::right);
    scene.push(title);
    if text_width(&filling.rest, Face::Text) < width - taken - 12.0 {
        let rest = Mark::text(width, 12.0, filling.rest.clone(), Face::Text, "c");
        scene.push(rest.anchored(Anchor::End));
    }
    let frame = Rect { x: 0.5, y: TOP, w: width - 1.0, h: HIGH };
    scene.push(Mark { shape: round(frame), class: "pg".into(), hit: None, step: None });
    for piece in &filling.pieces {
        put(&mut scene, piece, px(piece.at), px(piece.at + piece.size));
    }
    scene.push(Mark { shape: round(frame), class: "pagebox".into(), hit: None, step: None });
    let every = if width >= 600.0 { 512 } else { 1024 };
    for at in (0..=PAGE).step_by(every) {
        let (x, anchor) = match at {
            0 => (0.0, Anchor::Start),
            PAGE => (width, Anchor::End),
            at => (px(at), Anchor::Middle),
        };
        let down = px(at).clamp(0.5, width - 0.5);
        scene.push(Mark::path(Path::new().to(down, TOP + HIGH).v(TOP + HIGH + 4.0), "ax"));
        let text = Mark::text(x, TOP + HIGH + 17.0, n(at), Face::Text, "c").anchored(anchor);
        scene.push(text);
    }
    scene
}

fn round(rect: Rect) -> crate::layout::Shape {
    crate::layout::Shape::Rect { rect, radius: 3.0 }
}

fn put(scene: &mut Scene, piece: &Piece, from: f64, to: f64) {
    let gap = if to - from > 4.0 { 1.0 } else { 0.0 };
    let rect = Rect::new(from, TOP + 0.5, (to - from - gap).max(1.0), HIGH - 1.0);
    let class = match (piece.is_pad, piece.is_now) {
        (true, _) => "pad-bg",
        (false, true) => "inkf",
        (false, false) => "seg-t",
    };
    let mut mark = Mark::rect(rect, class);
    mark.hit = hit(piece.step);
    scene.push(mark);
    if piece.is_pad {
        scene.push(Mark::path(Path::new().hatch(rect, 5.0), "hatch"));
        if piece.is_now {
            scene.push(Mark::rect(rect, "inko"));
        }
        return;
    }
    let middle = from + rect.w / 2.0;
    let size = format!("{} B", n(piece.size));
    let (name, bytes) = (text_width(&piece.name, Face::Mono), text_width(&size, Face::Text));
    let (strong, plain) = if piece.is_now { ("on m s", "on") } else { ("k m s", "k") };
    if name + bytes + 12.0 <= rect.w {
        let start = middle - (name + 5.0 + bytes) / 2.0;
        let y = TOP + HIGH / 2.0 + 4.0;
        scene.push(Mark::text(start, y, piece.name.clone(), Face::Mono, strong));
        scene.push(Mark::text(start + name + 5.0, y, size, Face::Text, plain));
        return;
    }
    let short = n(piece.size);
    let two = name.max(text_width(&short, Face::Text)) + 4.0 <= rect.w;
    let one = name + 4.0 <= rect.w;
    if two || one {
        let y = TOP + if two { 14.0 } else { HIGH / 2.0 + 4.0 };
        let text = Mark::text(middle, y, piece.name.clone(), Face::Mono, strong);
        scene.push(text.anchored(Anchor::Middle));
    }
    if two {
        let text = Mark::text(middle, TOP + 28.0, short, Face::Text, plain);
        scene.push(text.anchored(Anchor::Middle));
    }
}
