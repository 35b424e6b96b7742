//! The rightmost path: a line a node that is still open, the root first, with the finished branches below it.

use super::{PAGE, f, n};
use crate::layout::{Face, Mark, Path, Rect, Scene, fit, width as text_width};

/// A finished branch below an open node.
#[derive(Clone, Debug, PartialEq)]
pub struct Kid {
    /// The byte that leads to it.
    pub edge: String,
    /// Its bytes that are not written; 0 once they are.
    pub size: u64,
}

/// A node of the path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    /// The bytes that lead to it: `40`; empty for the root.
    pub edge: String,
    /// Finished children.
    pub kids: Vec<Kid>,
    /// Bytes of the branch below it, where that is more than what still waits.
    pub below: Option<u64>,
    /// Its own size, once it is complete; `None` while it is open.
    pub own: Option<u64>,
    /// Whether this step is about it.
    pub is_now: bool,
}

impl Level {
    fn below(&self) -> u64 {
        self.below.unwrap_or_else(|| self.kids.iter().map(|kid| kid.size).sum())
    }

    fn total(&self) -> u64 {
        self.below() + self.own.unwrap_or(0)
    }
}

/// Lines that have room.
const LINES: usize = 4;
/// Distance of two lines, and the first one's top.
const HIGH: f64 = 24.0;
const TOP: f64 = 20.0;
/// Where the number of children stands, and where the bar begins.
const CHILDREN: f64 = 84.0;
const BAR: f64 = 148.0;

/// A line a node; of a long path the root and the deepest ones.
pub fn stack(levels: &[Level], width: f64) -> Scene {
    let label = format!("The path of the last key: {} nodes", levels.len());
    let mut scene =
        Scene { width, height: TOP + HIGH * LINES as f64 + 18.0, label, marks: Vec::new() };
    for (x, head) in [(0.0, "edge"), (CHILDREN, "children"), (BAR, "branch + node, B")] {
        scene.push(Mark::text(x, 12.0, head, Face::Text, "c"));
    }
    let most = levels.iter().map(Level::total).max().unwrap_or(0).max(PAGE + PAGE / 4);
    let scale = (width - BAR - 8.0).max(1.0) / f(most);
    let shown = shown(levels.len());
    for (line, which) in shown.iter().enumerate() {
        let y = TOP + HIGH * f(line as u64);
        match which.and_then(|i| levels.get(i).map(|level| (i, level))) {
            Some((i, level)) => put(&mut scene, level, i == 0, y, scale),
            None => {
                let left = levels.len() + 1 - shown.len();
                let text = format!("… {left} nodes between");
                scene.push(Mark::text(10.0, y + 15.0, text, Face::Text, "c"));
            }
        }
    }
    let at = BAR + f(PAGE) * scale;
    let bottom = TOP + HIGH * f(shown.len() as u64);
    let marks = (0..shown.len()).fold(Path::new(), |path, line| {
        let y = TOP + HIGH * f(line as u64);
        path.to(at, y + 12.0).v(y + HIGH - 3.0)
    });
    scene.push(Mark::path(marks.to(at, bottom - 3.0).v(bottom + 4.0), "ink1"));
    let room = (width - at - 6.0).max(at);
    if let Some(text) = fit(&["4,096: one page", "4,096"], room, Face::Text) {
        let long = text_width(text, Face::Text);
        let x = if at + 6.0 + long <= width { at + 6.0 } else { (at - 6.0 - long).max(0.0) };
        scene.push(Mark::text(x, bottom + 14.0, text, Face::Text, "c"));
    }
    scene
}

/// Which levels have a line; `None` stands for those between.
fn shown(levels: usize) -> Vec<Option<usize>> {
    if levels <= LINES {
        return (0..levels).map(Some).collect();
    }
    let mut shown = vec![Some(0), None];
    shown.extend((levels - (LINES - 2)..levels).map(Some));
    shown
}

fn put(scene: &mut Scene, level: &Level, is_root: bool, y: f64, scale: f64) {
    let class = if level.is_now { "soft-t" } else { "well" };
    scene.push(Mark::rect(Rect::new(0.0, y, scene.width, HIGH - 3.0), class));
    let (face, ink) = if level.is_now { (Face::Mono, "m s") } else { (Face::Mono, "m k") };
    let room = CHILDREN - 16.0;
    let mut name = if is_root { "root".to_owned() } else { level.edge.clone() };
    if text_width(&name, face) > room {
        let keep = name.chars().take_while({
            let mut used = text_width("…", face);
            move |c| {
                used += text_width(&c.to_string(), face);
                used <= room
            }
        });
        name = keep.collect::<String>() + "…";
    }
    scene.push(Mark::text(10.0, y + 15.0, name, face, ink));
    let text = n(level.kids.len() as u64);
    scene.push(Mark::text(CHILDREN, y + 15.0, text, Face::Text, "k"));
    let mut x = BAR;
    for kid in level.kids.iter().filter(|kid| kid.size > 0) {
        let wide = f(kid.size) * scale;
        let gap = if wide >= 3.0 { 1.0 } else { 0.0 };
        scene.push(Mark::rect(Rect::new(x, y + 14.0, (wide - gap).max(0.2), 5.0), "f-sparse"));
        x += wide;
    }
    let own = level.own.unwrap_or(0);
    if own > 0 {
        scene.push(Mark::rect(Rect::new(x, y + 14.0, (f(own) * scale).max(1.0), 5.0), "f-dense"));
    }
    let sum = match level.own {
        Some(own) => format!("{} + {} = {}", n(level.below()), n(own), n(level.total())),
        None if level.kids.is_empty() => "open".to_owned(),
        None => format!("{} + open", n(level.below())),
    };
    let short = n(level.total());
    if let Some(sum) = fit(&[&sum, &short], scene.width - BAR, Face::Text) {
        let class = if level.is_now { "k" } else { "c" };
        scene.push(Mark::text(BAR, y + 11.0, sum, Face::Text, class));
    }
}
