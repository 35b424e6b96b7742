//! FileStrip: a file as its pages at true scale, with the pages that a lookup has fetched.

use super::pen::{CAPTION, Pen, badge_width, lane, line, n, soft};
use crate::layout::path::Path;
use crate::layout::{Face, Rect, width};
use crate::state::intent::Side;
use triescope_core::lookup::{PageState, Record, Step};
use triescope_core::pos::{PAGE_SIZE, pages_of};
use triescope_core::table::Part;

/// Narrower pages than this have no outline of their own, and fetched ones are drawn this wide.
pub const LEAST_PX: f64 = 3.0;
/// From this width on the order of a fetch stands inside its page.
const INSIDE_PX: f64 = 12.0;
/// Height that numbers above a strip take.
pub const HEADROOM: f64 = 20.0;

/// The first touch of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The step, from 0.
    pub step: usize,
    /// The page.
    pub page: u64,
    /// What it cost.
    pub state: PageState,
}

/// The first touches of a component's pages, in order.
pub fn touches(record: &Record, part: Part) -> Vec<Touch> {
    let steps = record.steps.iter().enumerate();
    steps
        .filter_map(|(step, what)| match what {
            Step::Page(page) if page.part == part && page.state != PageState::Here => {
                Some(Touch { step, page: page.page.0, state: page.state })
            }
            _ => None,
        })
        .collect()
}

/// A strip to draw.
#[derive(Clone, Copy, Debug)]
pub struct Strip<'a> {
    /// Whose colour.
    pub side: Side,
    /// Left edge.
    pub x: f64,
    /// Upper edge of the pages.
    pub y: f64,
    /// Height of the pages.
    pub h: f64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Pixels a byte.
    pub scale: f64,
    /// Pages touched.
    pub touches: &'a [Touch],
    /// Whether page numbers stand below; they take 14 px and may go as far right as this.
    pub numbers_to: Option<f64>,
}

impl Strip<'_> {
    /// Width of a whole page.
    pub fn page_px(&self) -> f64 {
        PAGE_SIZE as f64 * self.scale
    }

    /// Right edge; a file is at least as wide as the least page.
    pub fn right(&self) -> f64 {
        self.x + (self.bytes as f64 * self.scale).max(LEAST_PX)
    }

    /// Where a page is drawn, at its true place and size.
    pub fn page(&self, page: u64) -> Rect {
        let from = page.saturating_mul(PAGE_SIZE).min(self.bytes) as f64 * self.scale;
        let to =
            page.saturating_add(1).saturating_mul(PAGE_SIZE).min(self.bytes) as f64 * self.scale;
        Rect::new(self.x + from, self.y, to - from, self.h)
    }

    /// Where a fetched page is drawn: the same, but never narrower than [`LEAST_PX`].
    pub fn cell(&self, page: u64) -> Rect {
        let at = self.page(page);
        if at.w >= LEAST_PX {
            return at;
        }
        let x = (at.x - (LEAST_PX - at.w) / 2.0).min(self.right() - LEAST_PX).max(self.x);
        Rect::new(x, at.y, LEAST_PX, at.h)
    }

    /// Whether some number must stand above the strip.
    pub fn needs_headroom(&self) -> bool {
        self.touches.iter().any(|touch| !self.is_inside(touch))
    }

    /// Whether fetched pages are drawn wider than they are.
    pub fn is_widened(&self) -> bool {
        self.page_px() < LEAST_PX
    }

    /// Whether the order of a fetch stands inside its page.
    pub fn is_inside(&self, touch: &Touch) -> bool {
        let PageState::Fetched(nth) = touch.state else { return true };
        let w = self.page(touch.page).w;
        w >= INSIDE_PX && w >= width(&n(u64::from(nth)), Face::Strong) + 4.0
    }

    /// Draws it.
    pub fn draw(&self, pen: &mut Pen) {
        self.draw_pages(pen);
        if let Some(to) = self.numbers_to {
            self.draw_numbers(pen, to);
        }
        for touch in self.touches {
            self.draw_touch(pen, touch);
        }
        self.draw_numbers_above(pen);
    }

    fn draw_pages(&self, pen: &mut Pen) {
        let whole = Rect::new(self.x, self.y, self.right() - self.x, self.h);
        pen.always().rect(whole, "pg");
        if self.is_widened() {
            return;
        }
        let mut lines = Path::new();
        for page in 1..pages_of(self.bytes) {
            let x = self.page(page).x;
            lines = lines.to(x, self.y).v(self.y + self.h);
        }
        pen.path(lines, "pgl");
    }

    fn draw_numbers(&self, pen: &mut Pen, to: f64) {
        let pages = pages_of(self.bytes);
        let every = every(self.page_px(), 110.0);
        let mut ticks = Path::new();
        let mut page = 0;
        while page < pages {
            let (x, label) = (self.page(page).x, n(page));
            if x + 1.0 + width(&label, Face::Text) > to {
                break;
            }
            if self.is_widened() && page > 0 {
                ticks = ticks.to(x, self.y + self.h).v(self.y + self.h + 4.0);
            }
            let x = if page == 0 { x + 1.0 } else { x + 2.0 };
            pen.text(x, self.y + self.h + 13.5, label, CAPTION);
            page += every;
        }
        pen.path(ticks, "ax");
    }

    /// Draws one touched page.
    pub fn draw_touch(&self, pen: &mut Pen, touch: &Touch) {
        let cell = self.cell(touch.page);
        pen.at(touch.step);
        match touch.state {
            PageState::Fetched(nth) => {
                pen.rect(cell, lane(self.side));
                if self.is_inside(touch) {
                    let y = self.y + self.h / 2.0 + 4.5;
                    pen.middle(cell.x + cell.w / 2.0, y, n(u64::from(nth)), super::pen::NUM);
                }
            }
            PageState::Warm => {
                pen.hatched(cell, soft(self.side), line(self.side));
                pen.rect(cell, "warm");
            }
            PageState::Here => {}
        }
    }

    /// Numbers that do not fit inside stand above; those that would overlap become one: "1–5".
    fn draw_numbers_above(&self, pen: &mut Pen) {
        let mut groups: Vec<Group> = Vec::new();
        let mut outside: Vec<&Touch> =
            self.touches.iter().filter(|touch| !self.is_inside(touch)).collect();
        outside.sort_by_key(|touch| touch.page);
        for touch in outside {
            let PageState::Fetched(nth) = touch.state else { continue };
            let cell = self.cell(touch.page);
            let mut group =
                Group { from: cell.x, to: cell.x + cell.w, orders: vec![nth], step: touch.step };
            while let Some(before) = groups.last() {
                if before.rect(self.limits(pen)).1 + 3.0 <= group.rect(self.limits(pen)).0 {
                    break;
                }
                group = group.with(groups.pop());
            }
            groups.push(group);
        }
        for group in groups {
            let (left, right) = group.rect(self.limits(pen));
            pen.at(group.step);
            pen.badge((left + right) / 2.0, self.y - 20.0, &group.label(), self.side);
            pen.path(
                Path::new().to((group.from + group.to) / 2.0, self.y - 3.0).v(self.y),
                line(self.side),
            );
        }
    }

    fn limits(&self, pen: &Pen) -> (f64, f64) {
        (0.0, pen.width())
    }
}

/// Fetches whose numbers stand above the strip in one badge.
struct Group {
    from: f64,
    to: f64,
    orders: Vec<u32>,
    step: usize,
}

impl Group {
    fn with(mut self, other: Option<Self>) -> Self {
        if let Some(other) = other {
            self.from = self.from.min(other.from);
            self.to = self.to.max(other.to);
            self.step = self.step.max(other.step);
            self.orders.extend(other.orders);
            self.orders.sort_unstable();
        }
        self
    }

    /// `3`, `1–5`, `2, 4–6`; of many only the first and how many.
    fn label(&self) -> String {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for &order in &self.orders {
            match runs.last_mut() {
                Some((_, end)) if *end + 1 == order => *end = order,
                _ => runs.push((order, order)),
            }
        }
        if runs.len() > 3 {
            return format!("{} fetches", self.orders.len());
        }
        let text = |&(from, to): &(u32, u32)| {
            if from == to { from.to_string() } else { format!("{from}–{to}") }
        };
        runs.iter().map(text).collect::<Vec<_>>().join(", ")
    }

    /// Left and right edge of its badge.
    fn rect(&self, (least, most): (f64, f64)) -> (f64, f64) {
        let half = badge_width(&self.label()) / 2.0;
        let middle = ((self.from + self.to) / 2.0).min(most - half).max(least + half);
        (middle - half, middle + half)
    }
}

/// How many pages lie between two numbers that are at least `least` pixels apart: 1, 2, 5, 10, 20, 50, …
pub fn every(page_px: f64, least: f64) -> u64 {
    let mut step: u64 = 10;
    if page_px * 2.0 >= least {
        return if page_px >= least { 1 } else { 2 };
    }
    if page_px * 5.0 >= least {
        return 5;
    }
    while (step as f64) * page_px < least {
        let first = step.to_string().starts_with('2');
        step = if first { step / 2 * 5 } else { step * 2 };
        if step > 1 << 50 {
            break;
        }
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetched(pages: &[u64]) -> Vec<Touch> {
        let touch = |(i, &page)| Touch { step: i, page, state: PageState::Fetched(i as u32 + 1) };
        pages.iter().enumerate().map(touch).collect()
    }

    fn draw(bytes: u64, px: f64, pages: &[u64]) -> crate::layout::Scene {
        let touches = fetched(pages);
        let strip = Strip {
            side: Side::Trie,
            x: 0.0,
            y: 24.0,
            h: 22.0,
            bytes,
            scale: px / bytes as f64,
            touches: &touches,
            numbers_to: Some(px),
        };
        let mut pen = Pen::new(px.max(100.0));
        strip.draw(&mut pen);
        pen.finish(70.0, "")
    }

    fn texts(scene: &crate::layout::Scene) -> Vec<String> {
        let text = |mark: &crate::layout::Mark| match &mark.shape {
            crate::layout::Shape::Text { text, .. } => Some(text.clone()),
            _ => None,
        };
        scene.marks.iter().filter_map(text).collect()
    }

    #[test]
    fn the_order_stands_inside_a_wide_page_and_above_a_narrow_one() {
        let wide = draw(49 * 4096, 1008.0, &[48, 13]);
        assert_eq!(texts(&wide), ["0", "10", "20", "30", "40", "1", "2"]);
        assert_eq!(wide.faults(), Vec::<String>::new());
        let narrow = draw(1474 * 4096, 1008.0, &[0, 700, 701, 1400]);
        let above = texts(&narrow).split_off(8);
        assert_eq!(above, ["1", "2–3", "4"]);
        assert_eq!(narrow.faults(), Vec::<String>::new());
    }

    #[test]
    fn pages_lie_at_true_scale_and_never_vanish() {
        let touches = fetched(&[10, 99_999]);
        let strip = Strip {
            side: Side::Legacy,
            x: 0.0,
            y: 0.0,
            h: 20.0,
            bytes: 100_000 * 4096,
            scale: 1000.0 / (100_000.0 * 4096.0),
            touches: &touches,
            numbers_to: None,
        };
        assert!((strip.page(50_000).x - 500.0).abs() < 0.01);
        assert_eq!(strip.cell(50_000).w, LEAST_PX);
        assert!(strip.cell(99_999).right() <= strip.right() + 0.01);
        assert!(strip.is_widened());
    }

    #[test]
    fn many_fetches_in_one_place_become_one_number() {
        let pages: Vec<u64> = (0..19).map(|i| i * 7 % 19).collect();
        let scene = draw(100_000 * 4096, 1000.0, &pages);
        assert!(texts(&scene).contains(&"1–19".to_owned()));
        assert_eq!(scene.faults(), Vec::<String>::new());
    }

    #[test]
    fn numbers_below_keep_their_distance() {
        assert_eq!(
            [120.0, 60.0, 25.0, 20.0, 3.0, 0.1].map(|px| every(px, 110.0)),
            [1, 2, 5, 10, 50, 2000]
        );
    }
}
