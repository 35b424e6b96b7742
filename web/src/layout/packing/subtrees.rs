//! Finished subtrees, the greatest first, against the space that is left in the page.

use super::{f, hit, n};
use crate::layout::{Anchor, Face, Mark, Path, Rect, Scene, width as text_width};

/// Room at the right for the scale, in CSS pixels.
const SCALE: f64 = 52.0;
/// Room above the bars, and below them.
const TOP: f64 = 40.0;
const BELOW: f64 = 38.0;
/// A bar from this width on has its edge written below it.
const NAMED: f64 = 22.0;

/// How a subtree stands at this step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is in the file.
    Written,
    /// It waits, and would fit the rest of the page.
    Fits,
    /// It waits, and is too large for the rest of the page.
    TooLarge,
    /// It is what this step is about.
    Now,
}

/// A subtree.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The byte that leads to it: `a7`.
    pub edge: String,
    /// Its bytes.
    pub size: u64,
    /// How it stands.
    pub state: State,
    /// The step that writes it, counted from 1.
    pub step: Option<u64>,
}

/// The subtrees below one node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heap {
    /// The subtrees, greatest first.
    pub bars: Vec<Bar>,
    /// The page that is filled, and the bytes left in it; `None` while nothing is laid out.
    pub left: Option<(u64, u64)>,
    /// What is said of the one that this step is about: `the greatest that fits`.
    pub now: String,
}

/// A bar a subtree, its height its bytes.
pub fn subtrees(heap: &Heap, width: f64, height: f64) -> Scene {
    let mut scene = Scene { width, height, label: label(heap), marks: Vec::new() };
    legend(&mut scene, heap);
    let base = height - BELOW;
    let right = width - SCALE;
    let greatest = heap.bars.iter().map(|bar| bar.size).max().unwrap_or(0);
    let left = heap.left.map_or(0, |(_, left)| left);
    // A page that is all but empty would make every bar flat: its line is then above the picture, and says so.
    let top = greatest.max(if left <= greatest * 2 { left } else { 0 }).max(1);
    let step = nice(top, ((base - TOP) / 26.0).floor().clamp(1.0, 6.0));
    let y = |bytes: u64| base - (base - TOP) * f(bytes) / f(top);
    for line in 0..=top / step {
        let at = y(line * step);
        scene.push(Mark::path(Path::new().to(0.0, at).h(right), "hl"));
        let text = format!("{} B", n(line * step));
        scene.push(Mark::text(right + 6.0, at + 4.0, text, Face::Text, "c"));
    }
    let slot = right / f(heap.bars.len().max(1) as u64);
    let slot = slot.min(64.0);
    let wide = if slot >= 3.0 { slot - if slot >= 12.0 { 2.0 } else { 0.9 } } else { slot };
    for (i, bar) in heap.bars.iter().enumerate() {
        let at = y(bar.size).min(base - 1.0);
        let class = match bar.state {
            State::Written => "wr",
            State::Fits => "f-sparse",
            State::TooLarge => "f-sparse big",
            State::Now => "inkf",
        };
        let rect = Rect::new(f(i as u64) * slot, at, wide, base - at);
        let mut mark = Mark::rect(rect, class);
        mark.hit = hit(bar.step);
        scene.push(mark);
    }
    let axis = base + 28.0;
    let line = heap.left.and_then(|(page, left)| space(&mut scene, page, left, y, top, right));
    let now = heap.bars.iter().position(|bar| bar.state == State::Now);
    let mut from = 0.0;
    if let Some((i, bar)) = now.and_then(|i| heap.bars.get(i).map(|bar| (i, bar))) {
        let x = (f(i as u64) + 0.5) * slot - (slot - wide) / 2.0;
        scene.push(Mark::path(Path::new().to(x, base + 3.0).v(base + 15.0), "ar thin"));
        let text = match heap.now.is_empty() {
            true => format!("{}, {} B", bar.edge, n(bar.size)),
            false => format!("{}, {} B: {}", bar.edge, n(bar.size), heap.now),
        };
        let half = text_width(&text, Face::Strong) / 2.0;
        let middle = x.clamp(half, (width - half).max(half));
        from = middle - half;
        scene.push(Mark::text(middle, axis, text, Face::Strong, "s").anchored(Anchor::Middle));
    }
    let caption = match heap.bars.len() {
        0 => "no finished subtrees wait".to_owned(),
        1 => "1 subtree".to_owned(),
        many => format!("{many} subtrees, greatest first"),
    };
    let long = text_width(&caption, Face::Text);
    if now.is_none() || from > long + 12.0 {
        scene.push(Mark::text(0.0, axis, caption, Face::Text, "c"));
    } else if let Some(to) = scene.marks.last().and_then(Mark::text_box).map(Rect::right)
        && width - to > long + 12.0
    {
        let text = Mark::text(width, axis, caption, Face::Text, "c").anchored(Anchor::End);
        scene.push(text);
    }
    if slot >= NAMED {
        name_bars(&mut scene, heap, slot, wide, y, line);
    }
    scene
}

/// What the colours say; short words where there is little room.
fn legend(scene: &mut Scene, heap: &Heap) {
    const LONG: [(&str, &str); 4] = [
        ("wr", "written"),
        ("f-sparse", "waiting"),
        ("f-sparse big", "waiting, too large for the space left"),
        ("inkf", "this step"),
    ];
    const SHORT: [&str; 4] = ["written", "waiting", "too large", "this step"];
    if heap.bars.is_empty() {
        return;
    }
    let long: f64 = LONG.iter().map(|(_, word)| text_width(word, Face::Text) + 30.0).sum();
    let mut x = 0.0;
    for ((class, word), short) in LONG.into_iter().zip(SHORT) {
        let word = if long <= scene.width { word } else { short };
        scene.push(Mark::rect(Rect::new(x, 2.0, 10.0, 10.0), class));
        scene.push(Mark::text(x + 15.0, 11.0, word, Face::Text, "c"));
        x += text_width(word, Face::Text) + 30.0;
    }
}

/// The line of what is left, with its words above it; gives the place of the words.
fn space(
    scene: &mut Scene,
    page: u64,
    left: u64,
    y: impl Fn(u64) -> f64,
    top: u64,
    right: f64,
) -> Option<Rect> {
    let above = left > top;
    let at = y(left);
    let text = format!("space left in page {}: {} B", n(page), n(left));
    let text = if above { format!("{text}, above this picture") } else { text };
    if !above {
        scene.push(Mark::path(Path::new().to(0.0, at).h(right), "space"));
    }
    let words = if above { TOP - 8.0 } else { at - 6.0 };
    // Above the line at its right end, where the bars are low.
    let text = Mark::text(right, words, text, Face::Strong, "s").anchored(Anchor::End);
    let place = text.text_box();
    if let Some(place) = place {
        let ground = Rect::new(place.x - 4.0, place.y - 1.0, place.w + 4.0, place.h + 2.0);
        scene.push(Mark::rect(ground, "ground"));
    }
    scene.push(text);
    place
}

/// Edges above wide bars.
fn name_bars(
    scene: &mut Scene,
    heap: &Heap,
    slot: f64,
    wide: f64,
    y: impl Fn(u64) -> f64,
    taken: Option<Rect>,
) {
    for (i, bar) in heap.bars.iter().enumerate() {
        let x = f(i as u64) * slot + wide / 2.0;
        let text = Mark::text(x, y(bar.size) - 5.0, bar.edge.clone(), Face::Mono, "k m")
            .anchored(Anchor::Middle);
        let Some(place) = text.text_box().filter(|place| place.w < slot) else { continue };
        if place.y >= TOP - 18.0 && !taken.is_some_and(|taken| taken.overlaps(place)) {
            scene.push(text);
        }
    }
}

/// A round step of a scale that has about so many.
fn nice(top: u64, lines: f64) -> u64 {
    let least = (f(top) / lines).ceil().max(1.0) as u64;
    let mut unit = 1;
    loop {
        for step in [unit, unit * 2, unit * 5] {
            if step >= least {
                return step;
            }
        }
        unit *= 10;
    }
}

fn label(heap: &Heap) -> String {
    let count = |state: State| heap.bars.iter().filter(|bar| bar.state == state).count();
    format!(
        "Finished subtrees by size: {} written, {} waiting that fit, {} too large for the space left",
        count(State::Written),
        count(State::Fits) + count(State::Now),
        count(State::TooLarge),
    )
}
