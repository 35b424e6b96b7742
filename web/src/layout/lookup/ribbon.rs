//! KeyRibbon: the byte-comparable key, the bytes that decide underlined, its parts bracketed.

use super::pen::{CAPTION, MONO, MONO_FAINT, Pen, n};
use crate::layout::path::Path;
use crate::layout::{Face, Rect, width};
use triescope_core::lookup::{NodeOutcome, Record, Step};
use triescope_core::race::{ComparablePart, ComparableWhat};
use triescope_core::table::Part;

/// A key to draw.
#[derive(Clone, Copy, Debug)]
pub struct Ribbon<'a> {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Room to the right edge.
    pub room: f64,
    /// Width of a byte.
    pub cell: f64,
    /// The key in byte order.
    pub bytes: &'a [u8],
    /// What its bytes are.
    pub parts: &'a [ComparablePart],
    /// Which trie walks it.
    pub part: Part,
    /// The walk.
    pub record: &'a Record,
    /// What stands beside it.
    pub caption: Caption,
}

/// What stands beside a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caption {
    /// How many bytes decide, and what of the others.
    Full,
    /// How many bytes decide.
    Brief,
    /// Which key it is, where two stand beside each other.
    Which,
    /// Nothing.
    None,
}

/// What stands in a place of the ribbon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    /// A byte, by its index.
    Byte(usize),
    /// This many bytes, left out.
    Gap(usize),
}

/// For each byte that the walk has compared, its index and the first step that did.
fn compared(record: &Record, part: Part) -> Vec<(usize, usize)> {
    let mut out: Vec<(usize, usize)> = Vec::new();
    for (step, what) in record.steps.iter().enumerate() {
        let Step::Node(node) = what else { continue };
        let compares = match &node.outcome {
            NodeOutcome::Follow(_)
            | NodeOutcome::NoTransition { .. }
            | NodeOutcome::Floor { .. } => true,
            NodeOutcome::Back { wanted, .. } => wanted.is_some(),
            NodeOutcome::KeyEnds
            | NodeOutcome::Leaf(_)
            | NodeOutcome::Last(_)
            | NodeOutcome::Block(_) => false,
        };
        let index = node.depth as usize;
        if node.part == part && compares && out.iter().all(|&(seen, _)| seen != index) {
            out.push((index, step));
        }
    }
    out
}

impl Ribbon<'_> {
    /// Draws it and gives its height.
    pub fn draw(&self, pen: &mut Pen) -> f64 {
        let compared = compared(self.record, self.part);
        let used = compared.iter().map(|&(index, _)| index + 1).max().unwrap_or(0);
        let caption = self.words(used);
        let caption_px = width(&caption, Face::Text) + 16.0;
        let (items, beside) = {
            let narrow = self.items(used, self.room - caption_px);
            if narrow.iter().any(|item| matches!(item, Item::Gap(_))) && self.room < 720.0 {
                (self.items(used, self.room), false)
            } else {
                let beside = self.span(&narrow) + caption_px <= self.room;
                (narrow, beside)
            }
        };
        let mut x = self.x;
        let mut places = Vec::with_capacity(items.len());
        for &item in &items {
            let w = self.width_of(item);
            match item {
                Item::Byte(index) => {
                    let step =
                        compared.iter().find(|&&(seen, _)| seen == index).map(|&(_, step)| step);
                    self.draw_byte(pen, x, index, step);
                    places.push((index, x));
                }
                Item::Gap(count) => {
                    pen.always().middle(x + w / 2.0, self.y + 15.5, gap_label(count), CAPTION);
                }
            }
            x += w;
        }
        let labelled = self.draw_parts(pen, &places);
        let last = compared.iter().map(|&(_, step)| step).max();
        match last {
            Some(step) => pen.ahead(step),
            None => pen.always(),
        };
        let under = if labelled { 42.0 } else { 26.0 };
        if caption.is_empty() {
            under
        } else if beside {
            pen.text(x + 16.0, self.y + 15.5, caption, CAPTION);
            under
        } else {
            pen.text(self.x, self.y + under + 13.0, caption, CAPTION);
            under + 17.0
        }
    }

    /// Width of the whole key with its caption beside it.
    pub fn span_with_caption(&self) -> f64 {
        let used = compared(self.record, self.part).iter().map(|&(index, _)| index + 1).max();
        let caption = width(&self.words(used.unwrap_or(0)), Face::Text);
        self.bytes.len() as f64 * self.cell + 16.0 + caption
    }

    fn draw_byte(&self, pen: &mut Pen, x: f64, index: usize, step: Option<usize>) {
        let Some(byte) = self.bytes.get(index) else { return };
        let style = match step {
            Some(step) => {
                let cell = Rect::new(x + 0.5, self.y, self.cell - 1.0, 22.0);
                pen.at(step).rect(cell, "soft-t");
                pen.rect(Rect::new(cell.x, self.y + 21.5, cell.w, 2.0), "lane-t");
                MONO
            }
            None => MONO_FAINT,
        };
        pen.always().middle(x + self.cell / 2.0, self.y + 15.5, format!("{byte:02x}"), style);
    }

    /// Brackets below the bytes of one part, where a name stands below them without being cut.
    fn draw_parts(&self, pen: &mut Pen, places: &[(usize, f64)]) -> bool {
        let mut labelled = false;
        let mut from = 0;
        for part in self.parts {
            let bytes = from..from + part.bytes as usize;
            from = bytes.end;
            let inside = places.iter().filter(|(index, _)| bytes.contains(index));
            let Some(name) = name(&part.what) else { continue };
            let (Some(left), Some(right)) = (
                inside.clone().map(|p| p.1).reduce(f64::min),
                inside.map(|p| p.1).reduce(f64::max),
            ) else {
                continue;
            };
            let (left, right) = (left + 0.5, right + self.cell - 0.5);
            if width(name, Face::Text) > right - left {
                continue;
            }
            let y = self.y + 25.0;
            pen.always();
            pen.path(Path::new().to(left, y).v(y + 4.0).h(right).v(y), "ax");
            pen.middle((left + right) / 2.0, self.y + 42.0, name, CAPTION);
            labelled = true;
        }
        labelled
    }

    fn words(&self, used: usize) -> String {
        let all = self.bytes.len();
        let ends_in_trie = self.record.steps.iter().any(|step| {
            matches!(step, Step::Node(node) if node.part == self.part
                && matches!(node.outcome, NodeOutcome::NoTransition { .. }))
        });
        match self.caption {
            Caption::None => return String::new(),
            Caption::Which => return "partition key, clustering key".to_owned(),
            Caption::Full | Caption::Brief => {}
        }
        if self.part == Part::Rows {
            return "clustering key in byte order; the trie stores separators of blocks".to_owned();
        }
        match (used, all - used.min(all)) {
            (0, _) => "no byte is compared".to_owned(),
            (_, 0) => format!("all {} bytes are compared", n(all as u64)),
            (_, left) => {
                let others = match (left, ends_in_trie) {
                    (1, true) => "the other is never looked at",
                    (1, false) => "the other is not in the trie",
                    (_, true) => "the others are never looked at",
                    (_, false) => "the others are not in the trie",
                };
                let decide = if used == 1 { "decides" } else { "decide" };
                let decide = format!("{} of {} bytes {decide}", n(used as u64), n(all as u64));
                if self.caption == Caption::Brief { decide } else { format!("{decide}; {others}") }
            }
        }
    }

    fn width_of(&self, item: Item) -> f64 {
        match item {
            Item::Byte(_) => self.cell,
            Item::Gap(count) => width(&gap_label(count), Face::Text) + 12.0,
        }
    }

    fn span(&self, items: &[Item]) -> f64 {
        items.iter().map(|&item| self.width_of(item)).sum()
    }

    /// Which bytes stand in the room: all, or those around both ends of what decides.
    fn items(&self, used: usize, room: f64) -> Vec<Item> {
        let all = self.bytes.len();
        let gap = width(&gap_label(all), Face::Text) + 12.0;
        let fits = |room: f64| (room / self.cell).max(0.0) as usize;
        if all <= fits(room) {
            return (0..all).map(Item::Byte).collect();
        }
        let cells = fits(room - gap).max(1);
        if used <= cells {
            let shown = cells.min(all);
            let mut items: Vec<Item> = (0..shown).map(Item::Byte).collect();
            if shown < all {
                items.push(Item::Gap(all - shown));
            }
            return items;
        }
        let cells = fits(room - 2.0 * gap).max(2);
        let head = cells / 2;
        let tail = cells - head;
        let mut items: Vec<Item> = (0..head).map(Item::Byte).collect();
        items.push(Item::Gap(used - head - tail.min(used - head)));
        items.extend((used - tail.min(used - head)..used).map(Item::Byte));
        if used < all {
            items.push(Item::Gap(all - used));
        }
        items
    }
}

fn gap_label(count: usize) -> String {
    format!("… {} bytes …", n(count as u64))
}

fn name(what: &ComparableWhat) -> Option<&str> {
    match what {
        ComparableWhat::Token => Some("token"),
        ComparableWhat::Key => Some("key, escaped"),
        ComparableWhat::Column(name) => Some(name),
        ComparableWhat::Separator | ComparableWhat::Terminator => None,
    }
}
