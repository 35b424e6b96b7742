//! The components as strips under one scale: what is too small is magnified below and says by how much.

use super::place::{Label, ROW, Taken, baseline, leaders};
use super::{here, is_index, rank};
use crate::layout::{Anchor, Face, Mark, Path, Rect, Scene, Shape, fit, width};
use triescope_core::lookup::words::number;
use triescope_core::pos::{PAGE_SIZE, pages_of};
use triescope_core::table::{Part, TableFacts};

/// An SSTable to draw.
#[derive(Clone, Debug)]
pub struct Strip<'a> {
    /// What it is: `With the trie index`.
    pub title: &'a str,
    /// What stands behind the title: name and size.
    pub caption: String,
    /// Its components.
    pub facts: &'a TableFacts,
}

/// Height of a strip.
const STRIP: f64 = 34.0;
/// Height of a magnified strip.
const BAR: f64 = 18.0;
/// Narrower pieces are magnified, wider ones labelled.
const SMALL: f64 = 3.0;
/// Least distance of two page ticks.
const TICK: f64 = 88.0;

/// A component in a strip.
#[derive(Clone, Debug)]
struct Piece<'a> {
    name: &'a str,
    part: Option<Part>,
    bytes: u64,
    /// Left edge and width at true scale.
    x: f64,
    w: f64,
}

impl Piece<'_> {
    fn label(&self) -> String {
        format!("{} {} B", self.name, number(self.bytes, ','))
    }

    /// Whether the other strip has the same thing at the same place.
    fn is_as(&self, other: &Self) -> bool {
        self.name == other.name && self.bytes == other.bytes && self.x == other.x
    }
}

/// Draws one SSTable or two of the same rows, `width` pixels wide. Every width in a strip is bytes in one scale for
/// all strips, a gap of one pixel included; marks of components carry their number in that order as hit.
pub fn strips(tables: &[Strip<'_>], wide: f64) -> Scene {
    let total = |strip: &Strip<'_>| here(strip.facts).iter().map(|(_, bytes)| bytes).sum::<u64>();
    let longest = tables.iter().map(total).max().unwrap_or(0).max(1);
    let scale = wide / longest as f64;
    let all: Vec<Vec<Piece<'_>>> = tables.iter().map(|it| pieces(it.facts, scale)).collect();
    // The second strip repeats the small ones of the first but for its index.
    let magnified: Vec<Vec<&Piece<'_>>> = all
        .iter()
        .enumerate()
        .map(|(i, pieces)| {
            let small: Vec<_> = pieces.iter().filter(|it| it.w < SMALL && it.bytes > 0).collect();
            let wanted = i == 0 || small.iter().any(|it| is_index(it.part));
            // One alone is labelled like the wider ones.
            if wanted && small.len() > 1 { small } else { Vec::new() }
        })
        .collect();
    let most = magnified.iter().map(|small| sum(small)).max().unwrap_or(0).max(1);
    let zoom = (wide * 0.42).min(330.0) / most as f64;

    let mut scene = Scene {
        width: wide,
        label: "Components at true scale; the list has the numbers".to_owned(),
        ..Scene::default()
    };
    let mut top = 0.0;
    let mut placed = Vec::new();
    for (i, strip) in tables.iter().enumerate() {
        let end = total(strip) as f64 * scale;
        let less = longest - total(strip);
        let bottom = top + 22.0 + STRIP;
        let mut taken = Taken::default();
        let arrow = tables.len() > 1 && less > 0 && difference(&mut scene, less, end, top + 22.0);
        title(&mut scene, strip, top, (!arrow && less > 0).then_some(less));
        for (n, piece) in all[i].iter().enumerate() {
            bar(&mut scene, piece, top + 22.0, n);
        }
        let small = || all[i].iter().filter(|it| it.w < SMALL && it.bytes > 0);
        let alone = small().count() == 1 && small().any(|it| i == 0 || is_index(it.part));
        // What the strip above has at the same place is labelled there.
        let said = |it: &Piece<'_>| all[..i].iter().flatten().any(|other| other.is_as(it));
        let labels = all[i].iter().filter(|it| {
            let large = it.w >= SMALL || alone && it.bytes > 0;
            large && !said(it) && (inside(it).is_none() || is_index(it.part) && !shows_bytes(it))
        });
        let labels = labels.map(|it| Label {
            x: it.x + it.w / 2.0 - 0.5,
            text: match it.part {
                Some(Part::Summary) => format!("{}, kept in memory", it.label()),
                _ => it.label(),
            },
        });
        let labels: Vec<_> = labels.collect();
        let mut below = ticks(&all[i], bottom, wide, &mut taken);
        below.extend(leaders(labels, bottom, wide, &mut taken));
        let mut low = taken.bottom(bottom + 4.0);
        if !magnified[i].is_empty() {
            let at = low.max(baseline(bottom, 0)) + 16.0;
            // The dashes go down from the end of the first strip, when that is the shorter one.
            let dashes = (i == 0 && arrow).then_some(end);
            let lens = Lens { zoom, scale, dashes };
            low = magnify(&mut scene, &all[i], &magnified[i], &lens, bottom, at);
        }
        scene.marks.extend(below);
        placed.push((end, top + 22.0, bottom, arrow));
        top = low + 20.0;
    }
    scene.height = top - 14.0;
    if let [(a, _, low, true), (_, high, _, _)] | [(_, _, low, _), (a, high, _, true)] =
        placed.as_slice()
    {
        dashes(&mut scene, *a, *low, *high);
    }
    scene
}

/// The components of a strip in drawing order, with the small ones side by side.
fn pieces(facts: &TableFacts, scale: f64) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece<'_>> = here(facts)
        .into_iter()
        .map(|(it, bytes)| Piece {
            name: &it.name,
            part: it.part,
            bytes,
            x: 0.0,
            w: bytes as f64 * scale,
        })
        .collect();
    pieces.sort_by_key(|it| {
        let group = match (is_index(it.part), it.w < SMALL) {
            (false, false) => 0,
            (false, true) => 1,
            (true, true) => 2,
            (true, false) => 3,
        };
        (group, rank(it.part))
    });
    let mut x = 0.0;
    for piece in &mut pieces {
        piece.x = x;
        x += piece.w;
    }
    pieces
}

fn title(scene: &mut Scene, strip: &Strip<'_>, top: f64, less: Option<u64>) {
    let y = top + 13.0;
    scene.push(Mark::text(0.0, y, strip.title, Face::Strong, "s"));
    let less = less.map_or(String::new(), |less| format!(", {} B less", number(less, ',')));
    let x = width(strip.title, Face::Strong) + 8.0;
    scene.push(Mark::text(x, y, format!("{}{less}", strip.caption), Face::Text, "c"));
}

/// An arrow over what the shorter strip saves; false where its words do not fit.
fn difference(scene: &mut Scene, less: u64, end: f64, top: f64) -> bool {
    let words = format!("{} B less", number(less, ','));
    if scene.width - end < width(&words, Face::Text) + 7.0 {
        return false;
    }
    let (y, tip) = (top + STRIP / 2.0, scene.width - 1.0);
    scene.push(Mark::text(end + 6.0, y - 7.0, words, Face::Text, "k"));
    scene.push(Mark::path(Path::new().to(end + 4.0, y).h(tip - 6.0), "ar thin"));
    let head = Path::new().to(tip - 7.5, y - 3.5).line(tip, y).line(tip - 7.5, y + 3.5).close();
    scene.push(Mark::path(head, "ard"));
    true
}

/// A line down from where the shorter strip ends, unless something else lies in its way.
fn dashes(scene: &mut Scene, x: f64, low: f64, high: f64) {
    let way = Rect::new(x - 2.0, low + 4.0, 4.0, high - low - 4.0);
    let met = |mark: &Mark| match &mark.shape {
        Shape::Rect { rect, .. } => rect.overlaps(way),
        _ => mark.text_box().is_some_and(|it| it.overlaps(way)),
    };
    if !scene.marks.iter().any(met) {
        scene.push(Mark::path(Path::new().to(x, low + 4.0).v(high), "ar dash"));
    }
}

/// A component's rectangle with what fits into it of its name and size.
fn bar(scene: &mut Scene, piece: &Piece<'_>, top: f64, number_of: usize) {
    if piece.bytes == 0 {
        return;
    }
    let class = class(piece.part, inside(piece).is_some());
    // A pixel of ground parts two pieces; the smallest are drawn a little wider than they are, and magnified below.
    let rect = Rect::new(piece.x, top, (piece.w - 1.0).max(1.0), STRIP);
    let hit = u32::try_from(number_of).unwrap_or(u32::MAX);
    scene.push(Mark::rect(rect, class).hit(hit));
    let Some(name) = inside(piece) else { return };
    let on = is_index(piece.part);
    let y = top + 22.0;
    scene.push(Mark::text(piece.x + 8.0, y, name, Face::Strong, if on { "on s" } else { "s" }));
    let bytes = format!("{} B", number(piece.bytes, ','));
    if shows_bytes(piece) {
        let text =
            Mark::text(piece.x + piece.w - 10.0, y, bytes, Face::Text, if on { "on" } else { "k" });
        scene.push(text.anchored(Anchor::End));
    }
}

/// The form of the name that fits into a piece.
fn inside<'a>(piece: &Piece<'a>) -> Option<&'a str> {
    let short = piece.name.strip_suffix(".db").unwrap_or(piece.name);
    fit(&[piece.name, short], piece.w - 14.0, Face::Strong)
}

/// Whether the size fits into a piece behind its name.
fn shows_bytes(piece: &Piece<'_>) -> bool {
    let bytes = format!("{} B", number(piece.bytes, ','));
    inside(piece)
        .is_some_and(|name| width(name, Face::Strong) + width(&bytes, Face::Text) + 28.0 <= piece.w)
}

/// Ticks with page numbers below the index files that are wide enough for two of them.
fn ticks(pieces: &[Piece<'_>], bottom: f64, wide: f64, taken: &mut Taken) -> Vec<Mark> {
    let mut marks = Vec::new();
    let long = |it: &&Piece<'_>| is_index(it.part) && it.part != Some(Part::Summary) && it.w > TICK;
    for piece in pieces.iter().filter(long) {
        let page = piece.w / piece.bytes.max(1) as f64 * PAGE_SIZE as f64;
        let mut step = 1;
        while (step as f64) * page < TICK {
            step = match step.to_string().as_bytes().first() {
                Some(b'2') => step / 2 * 5,
                _ => step * 2,
            };
        }
        if pages_of(piece.bytes) <= step {
            continue;
        }
        for no in (0..pages_of(piece.bytes)).step_by(usize::try_from(step).unwrap_or(usize::MAX)) {
            let x = piece.x + no as f64 * page;
            let text = match no {
                0 => Mark::text(x, baseline(bottom, 0), "page 0", Face::Text, "c"),
                _ => Mark::text(x, baseline(bottom, 0), number(no, ','), Face::Text, "c")
                    .anchored(Anchor::Middle),
            };
            let Some(there) = text.text_box() else { continue };
            let around = Rect::new(there.x - 6.0, there.y, there.w + 12.0, there.h);
            if there.right() <= wide && taken.is_free(around) {
                taken.take(there);
                marks.push(Mark::path(Path::new().to(x, bottom + 1.0).v(bottom + 5.0), "ax"));
                marks.push(text);
            }
        }
    }
    marks
}

/// How small pieces are magnified.
struct Lens {
    /// Pixels a byte.
    zoom: f64,
    /// Pixels a byte in the strip.
    scale: f64,
    /// Where dashes will go down, which nothing should cross.
    dashes: Option<f64>,
}

/// The small pieces of a strip that ends at `strip` again, from `top` on; below them by how much they are magnified.
/// Returns the lower edge.
fn magnify(
    scene: &mut Scene,
    pieces: &[Piece<'_>],
    small: &[&Piece<'_>],
    lens: &Lens,
    strip: f64,
    top: f64,
) -> f64 {
    let Lens { zoom, scale, dashes } = *lens;
    let all = sum(small) as f64 * zoom;
    let (mut named, mut rest) = (Vec::new(), Vec::new());
    let mut x = 0.0;
    for piece in small {
        let long = piece.label();
        let w = piece.bytes as f64 * zoom;
        let shows = w >= width(&long, Face::Text) + 14.0;
        named.push((x, w, shows.then(|| long.clone()), piece.part));
        if !shows {
            rest.push(long);
        }
        x += w;
    }
    rest.extend(pieces.iter().filter(|it| it.bytes == 0).map(|it| format!("{} 0 B", it.name)));
    let joined = rest.join(", ");
    let room = if rest.is_empty() { 0.0 } else { width(&joined, Face::Text) + 10.0 };
    let beside = all + room <= scene.width;

    let from = small.first().map_or(0.0, |it| it.x);
    let to = small.last().map_or(from, |it| it.x + it.w).max(from + 1.4);
    let most = scene.width - all - if beside { room } else { 0.0 };
    let mut left = ((from + to) / 2.0 - all * 0.4).clamp(0.0, most.max(0.0));
    let right = |left: f64| left + all + if beside { room } else { 0.0 } + 8.0;
    if let Some(x) = dashes.filter(|x| left < *x && *x < right(left)) {
        left = (left + x - right(left)).max(0.0);
    }
    // Drawn first, so that leaders and page numbers stand on it.
    let funnel = Path::new().to(from, strip + 1.0).h(to).line(left + all, top).h(left).close();
    scene.marks.insert(0, Mark::path(funnel, "zoom"));
    for (x, w, text, part) in named {
        let rect = Rect::new(left + x, top, (w - 1.0).max(1.0), BAR);
        scene.push(Mark::rect(rect, if is_index(part) { class(part, true) } else { "meta-soft" }));
        if let Some(text) = text {
            let on = if is_index(part) { "on" } else { "k" };
            scene.push(Mark::text(left + x + 6.0, top + 13.5, text, Face::Text, on));
        }
    }
    let mut lines = vec![format!(
        "{} B, magnified {} times",
        number(sum(small), ','),
        number((zoom / scale).round() as u64, ',')
    )];
    if beside && !rest.is_empty() {
        let x = left + all + 6.0;
        scene.push(Mark::text(x, top + 13.5, joined, Face::Text, "c"));
    } else {
        wrap(&mut lines, rest, scene.width);
    }
    let mut y = top + BAR - 1.0;
    for line in lines {
        y += ROW;
        let x = left.min(scene.width - width(&line, Face::Text)).max(0.0);
        scene.push(Mark::text(x, y, line, Face::Text, "c"));
    }
    y + 3.0
}

/// Adds items to the last line, and lines where it is full.
fn wrap(lines: &mut Vec<String>, items: Vec<String>, wide: f64) {
    for (i, item) in items.into_iter().enumerate() {
        let joint = if i == 0 { "; " } else { ", " };
        match lines.last_mut() {
            Some(line) if width(&format!("{line}{joint}{item}"), Face::Text) <= wide => {
                line.push_str(joint);
                line.push_str(&item);
            }
            _ => lines.push(item),
        }
    }
}

fn class(part: Option<Part>, labelled: bool) -> &'static str {
    match part {
        Some(Part::Data) => "data",
        Some(Part::Filter) => "filter",
        Some(Part::Statistics) => "stats",
        Some(Part::Partitions | Part::Rows) => "lane-t",
        Some(Part::Summary) if !labelled => "lane-l kept",
        Some(Part::Index | Part::Summary) => "lane-l",
        // Ink needs a paler ground.
        _ if labelled => "meta-soft",
        _ => "meta",
    }
}

fn sum(pieces: &[&Piece<'_>]) -> u64 {
    pieces.iter().map(|it| it.bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{facts, set};
    use super::*;
    use crate::layout::Shape;

    fn pair<'a>(trie: &'a TableFacts, legacy: &'a TableFacts) -> Vec<Strip<'a>> {
        let strip = |title, facts: &'a TableFacts| Strip {
            title,
            caption: format!("{}, {} B", facts.name, number(facts.bytes, ',')),
            facts,
        };
        vec![strip("With the trie index", trie), strip("With the legacy index", legacy)]
    }

    /// Rectangles of components: number, left edge, width.
    fn rects(scene: &Scene) -> Vec<(u32, Rect)> {
        let rect = |mark: &Mark| match (&mark.shape, mark.hit) {
            (Shape::Rect { rect, .. }, Some(hit)) => Some((hit, *rect)),
            _ => None,
        };
        scene.marks.iter().filter_map(rect).collect()
    }

    const SETS: [&str; 14] = [
        "one_partition",
        "ten_partitions",
        "p1000",
        "p20k",
        "p100k_text",
        "p5k_uuid",
        "wide_int",
        "wide_many",
        "wide_longck",
        "wide_desc",
        "wide_deep",
        "range_tombstones",
        "composite_pk",
        "token_edges",
    ];

    #[test]
    fn no_label_meets_another_or_leaves_the_picture_whatever_the_set_and_the_width() {
        for name in SETS {
            let (trie, legacy) = (set(name, "da"), set(name, "oa"));
            for wide in [673.0, 772.0, 900.0, 1152.0, 1392.0, 1872.0] {
                let both = pair(&trie, &legacy);
                for tables in [&both[..], &both[..1], &both[1..]] {
                    let faults = strips(tables, wide).faults();
                    assert_eq!(faults, Vec::<String>::new(), "{name} at {wide}");
                }
            }
        }
    }

    #[test]
    fn both_strips_are_drawn_in_one_true_scale() {
        let (trie, legacy) = (set("p20k", "da"), set("p20k", "oa"));
        let scene = strips(&pair(&trie, &legacy), 1392.0);
        let scale = 1392.0 / 343_973.0;
        let drawn = rects(&scene);
        for (facts, hits) in [(&trie, &drawn[..7]), (&legacy, &drawn[7..])] {
            let mut at = 0;
            let pieces = pieces(facts, scale);
            for (hit, rect) in hits {
                let piece = &pieces[*hit as usize];
                assert!((rect.x - at as f64 * scale).abs() < 0.01, "{piece:?} {rect:?}");
                let drawn = (piece.bytes as f64 * scale - 1.0).max(1.0);
                assert!((rect.w - drawn).abs() < 0.01, "{piece:?} {rect:?}");
                at += piece.bytes;
            }
            assert_eq!(at, facts.bytes);
        }
    }

    fn texts(scene: &Scene) -> Vec<&str> {
        let text = |mark: &'_ Mark| matches!(mark.shape, Shape::Text { .. });
        scene
            .marks
            .iter()
            .filter(|mark| text(mark))
            .filter_map(|mark| match &mark.shape {
                Shape::Text { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn what_is_saved_is_said_on_the_shorter_strip_and_what_is_small_is_magnified() {
        let (trie, legacy) = (set("p20k", "da"), set("p20k", "oa"));
        let scene = strips(&pair(&trie, &legacy), 1392.0);
        let texts = texts(&scene);
        for wanted in [
            "39,083 B less",
            "295 B, magnified 276 times",
            "CompressionInfo.db 191 B",
            "Digest.crc32 10 B, Rows.db 0 B",
            "Statistics.db 10,269 B",
            "Summary.db 2,552 B, kept in memory",
            "page 0",
        ] {
            assert!(texts.contains(&wanted), "{wanted}: {texts:?}");
        }
    }

    #[test]
    fn a_small_index_beside_much_data_is_still_to_be_seen() {
        let big =
            facts("da", &[("Data.db", 1 << 40), ("Partitions.db", 60 << 20), ("TOC.txt", 90)]);
        let scene = strips(&pair(&big, &big)[..1], 1392.0);
        let index = scene.marks.iter().find_map(|mark| match &mark.shape {
            Shape::Rect { rect, .. } if mark.class == "lane-t" && rect.h == BAR => Some(*rect),
            _ => None,
        });
        assert!(index.is_some_and(|rect| rect.w > 300.0), "{index:?}");
        assert_eq!(scene.faults(), Vec::<String>::new());
    }

    #[test]
    fn nothing_at_all_is_an_empty_strip() {
        let none = facts("da", &[]);
        let scene = strips(&pair(&none, &none), 800.0);
        assert_eq!(scene.faults(), Vec::<String>::new());
        assert!(scene.marks.iter().all(|mark| !matches!(mark.shape, Shape::Rect { .. })));
    }
}
