//! Data.db, the partition in it, and the partition magnified with its row blocks and the frame of what is listed.

use super::find::Found;
use super::window::Window;
use crate::layout::{Anchor, Face, Mark, Path, Rect, Scene, fit, width as text_width};
use triescope_core::lookup::words::number;

/// Rows of the picture.
const FILE_TOP: f64 = 18.0;
const HIGH: f64 = 18.0;
const PART_TOP: f64 = 68.0;
/// Most blocks that are drawn apart.
const MOST_BLOCKS: usize = 300;
/// Least width of what is chosen.
const LEAST: f64 = 3.0;

/// What the hit numbers stand for: partitions, then blocks.
pub const BLOCKS_FROM: u32 = 1 << 20;

/// The picture.
pub fn strip(found: &Found, window: &Window, length: u64, chunk: Option<u64>, width: f64) -> Scene {
    let n = |n: u64| number(n, ',');
    let label = format!(
        "Data.db, {} B, and in it the partition from {} to {}",
        n(length),
        n(found.at),
        n(found.end)
    );
    let mut scene = Scene { width, height: PART_TOP + HIGH + 30.0, label, marks: Vec::new() };
    let px = |at: u64| width * at as f64 / length.max(1) as f64;
    let chunks =
        chunk.map_or("not compressed".to_owned(), |bytes| format!("in chunks of {} B", n(bytes)));
    let title = Mark::text(0.0, 12.0, "Data.db", Face::Strong, "s");
    let taken = title.text_box().map_or(0.0, Rect::right) + 8.0;
    scene.push(title);
    let long = format!("{} B, {chunks}, partitions in token order", n(length));
    let short = format!("{} B, {chunks}", n(length));
    if let Some(text) = fit(&[&long, &short], width - taken, Face::Text) {
        scene.push(Mark::text(taken, 12.0, text, Face::Text, "c"));
    }
    // The file.
    scene.push(Mark::rect(Rect::new(0.0, FILE_TOP, width, HIGH), "st0"));
    if let (Some(bytes), true) = (chunk, chunk.is_some_and(|bytes| length / bytes.max(1) < 200)) {
        let mut ticks = Path::new();
        for at in (bytes..length).step_by(usize::try_from(bytes.max(1)).unwrap_or(1)) {
            ticks = ticks.to(px(at), FILE_TOP + HIGH).v(FILE_TOP + HIGH + 4.0);
        }
        if !ticks.is_empty() {
            scene.push(Mark::path(ticks, "ax"));
        }
    }
    let (from, to) = (px(found.at), px(found.end));
    let (from, to) = (from.min(width - LEAST), to.max(from.min(width - LEAST) + LEAST));
    let mut names = Vec::new();
    for (i, (key, at)) in found.all.iter().enumerate() {
        let end = found.all.get(i + 1).map_or(length, |(_, at)| *at);
        let rect = Rect::new(px(*at) + 0.5, FILE_TOP, (px(end) - px(*at) - 1.0).max(0.5), HIGH);
        let hit = u32::try_from(i).unwrap_or(u32::MAX);
        scene.push(Mark::rect(rect, if *at == found.at { "st2" } else { "st1" }).hit(hit));
        if text_width(key, Face::Text) + 8.0 <= rect.w {
            let class = if *at == found.at { "on s" } else { "k" };
            names.push(Mark::text(rect.x + 4.0, FILE_TOP + 13.0, key.clone(), Face::Strong, class));
        }
    }
    scene.marks.extend(
        names.into_iter().filter(|name| name.text_box().is_some_and(|it| it.right() <= width)),
    );
    if found.all.is_empty() {
        scene.push(Mark::rect(Rect::new(from, FILE_TOP, to - from, HIGH), "st2"));
    }
    // The partition.
    let zoom = Path::new()
        .to(from, FILE_TOP + HIGH + 2.0)
        .line(to, FILE_TOP + HIGH + 2.0)
        .line(width, PART_TOP - 2.0)
        .line(0.0, PART_TOP - 2.0)
        .close();
    scene.push(Mark::path(zoom, "zoom"));
    let bytes = found.end.saturating_sub(found.at).max(1);
    let inside = |at: u64| width * at.saturating_sub(found.at).min(bytes) as f64 / bytes as f64;
    scene.push(Mark::rect(Rect::new(0.0, PART_TOP, width, HIGH), "st0"));
    if found.blocks.len() <= MOST_BLOCKS {
        for (i, block) in found.blocks.iter().enumerate() {
            let end = found.blocks.get(i + 1).map_or(found.end, |next| next.at);
            let (x, to) = (inside(block.at), inside(end));
            let rect = Rect::new(x, PART_TOP, (to - x - 1.0).max(0.5), HIGH);
            let hit = BLOCKS_FROM.saturating_add(u32::try_from(i).unwrap_or(0));
            let class = if i % 2 == 0 { "st1" } else { "st3" };
            scene.push(Mark::rect(rect, class).hit(hit));
            if block.open.is_some() {
                scene.push(Mark::rect(Rect::new(x, PART_TOP + HIGH + 3.0, rect.w, 3.0), "del"));
            }
        }
    }
    if let (Some(first), Some(last)) = (window.entries.first(), window.entries.last()) {
        let (x, to) = (inside(first.at), inside(last.at.saturating_add(last.len)));
        let x = x.min(width - 6.0);
        let rect = Rect::new(x + 1.0, PART_TOP - 3.0, (to - x - 2.0).max(4.0), HIGH + 6.0);
        scene.push(Mark::rect(rect, "sel"));
    }
    let y = PART_TOP + HIGH + 24.0;
    let blocks = match found.count {
        0 => "no row index".to_owned(),
        count => format!("{} blocks", n(count)),
    };
    let tenths = length.saturating_mul(10) / bytes;
    let times = format!("magnified {}.{} times", n(tenths / 10), tenths % 10);
    let long = format!("partition {}, {} B, {blocks}, {times}", found.key, n(bytes));
    let short = format!("{} B, {blocks}", n(bytes));
    let left = "frame: what is listed";
    let room = width - text_width(left, Face::Text) - 16.0;
    if let Some(text) = fit(&[&long, &short], room, Face::Text) {
        scene.push(Mark::text(width, y, text, Face::Text, "c").anchored(Anchor::End));
    }
    scene.push(Mark::text(0.0, y, left, Face::Text, "c"));
    scene
}
