//! The picture of a promoted index: blocks and offsets of one entry over the partition that they cut up, and the bisection.

use super::draw::{borders, in_pages, scale};
use super::facts::{Entry, Found, Promoted};
use super::sheet::Sheet;
use crate::layout::{Face, Path, Rect};
use crate::words::{bytes, count};
use triescope_core::lookup::words::number;

/// Height of a row of the bisection.
const PROBE: f64 = 12.0;

/// The picture; `lead` gives the address of a block.
pub fn strip(
    entry: &Entry,
    promoted: &Promoted,
    found: Option<&Found>,
    room: f64,
    lead: &dyn Fn(u64) -> String,
) -> Sheet {
    let label = "The promoted index of the chosen entry over the partition that its blocks cut up; the table of blocks says \
                 the same";
    let mut sheet = Sheet::new(room, label.to_owned());
    let head = &promoted.head;
    let (from, to) = (entry.at, entry.end().max(entry.at + 1));
    let x = |at: u64| at.saturating_sub(from).min(to - from) as f64 / (to - from) as f64 * room;
    let blocks = count(head.blocks, "block", "blocks");
    let size = format!("{blocks}, {} {}", bytes(entry.bytes()), in_pages(from, to));
    let long = format!("{size}: {}", scale(to - from, room));
    let extra = sheet.caption("Promoted index", &[&long, &size, &blocks], 12.0);
    let index = Rect::new(0.0, extra + 38.0, room, 36.0);
    sheet.rect(Rect::new(0.0, index.y, x(head.blocks_at.0), index.h), "soft-l");
    let end = head.offsets_at.0;
    let fill = Rect::new(x(head.blocks_at.0), index.y, x(end) - x(head.blocks_at.0), index.h);
    sheet.rect(fill, "leg-pi");
    if head.end.0 > end {
        let offsets = Rect::new(x(end), index.y, x(head.end.0) - x(end), index.h);
        sheet.rect(offsets, "soft-l");
        let table = format!("offsets: {} × 4 B", number(head.blocks, ','));
        let place = (offsets.x + 6.0, offsets.right() - 4.0);
        sheet.text(&[&table, "offsets table", "offsets"], place, index.y + 22.0, Face::Text, "k");
    }
    let px = fill.w / head.blocks.max(1) as f64;
    let mut gaps = Path::new();
    if px >= 3.0 {
        for block in promoted.blocks.iter().skip(1) {
            gaps = gaps.to(x(block.at.0), index.y).v(index.bottom());
        }
    }
    sheet.path(gaps, "leg-gap");
    sheet.rect(index, "leg-line");
    borders(&mut sheet, (from, to), index, &x);
    let (begin, last) = promoted.data;
    let span = last.saturating_sub(begin).max(1);
    let xd = |at: u64| at.min(span) as f64 / span as f64 * room;
    let data = Rect::new(0.0, index.bottom() + 44.0, room, 22.0);
    sheet.rect(data, "wr");
    let (mut gaps, mut joins) = (Path::new(), Path::new());
    let every = promoted.blocks.len().div_ceil(20).max(1);
    for (n, block) in promoted.blocks.iter().enumerate() {
        if px >= 3.0 {
            gaps = gaps.to(xd(block.start), data.y).v(data.bottom());
        }
        if n.is_multiple_of(every) {
            joins =
                joins.to(x(block.at.0), index.bottom() + 1.0).line(xd(block.start), data.y - 1.0);
        }
    }
    sheet.path(joins, "hl");
    sheet.path(gaps, "leg-gap");
    sheet.rect(data, "leg-line");
    if let Some(n) = promoted.blocks.iter().position(|block| block.number == promoted.chosen)
        && let Some(block) = promoted.blocks.get(n)
    {
        let next = promoted.blocks.get(n + 1).filter(|next| next.number == block.number + 1);
        let ends = next.map_or(end, |next| next.at.0);
        let (left, right) = (x(block.at.0), x(ends).max(x(block.at.0) + 3.0));
        let lies = (xd(block.start), xd(block.start.saturating_add(block.width.unwrap_or(0))));
        let lies = (lies.0, lies.1.max(lies.0 + 3.0));
        sheet.rect(Rect::new(left, index.y, right - left, index.h), "lane-l");
        sheet.rect(Rect::new(lies.0, data.y, lies.1 - lies.0, data.h), "leg-black");
        sheet.rect(Rect::new(left - 2.0, index.y - 3.0, right - left + 4.0, index.h + 6.0), "sel");
        sheet.rect(
            Rect::new(lies.0 - 2.0, data.y - 3.0, lies.1 - lies.0 + 4.0, data.h + 6.0),
            "sel",
        );
        let join = Path::new().to((left + right) / 2.0, index.bottom() + 4.0);
        sheet.path(join.line((lies.0 + lies.1) / 2.0, data.y - 4.0), "leg-join");
    }
    let cells = head.blocks.min((fill.w / 4.0) as u64).max(1);
    for cell in 0..cells {
        let number = u128::from(cell) * u128::from(head.blocks) / u128::from(cells);
        let number = u64::try_from(number).unwrap_or(0);
        let width = fill.w / cells as f64;
        sheet.lead(Rect::new(fill.x + cell as f64 * width, index.y, width, index.h), lead(number));
    }
    let range =
        format!("{}–{}", number(begin, ','), number(last.saturating_sub(1).max(begin), ','));
    let joined = match every {
        1 => "each block joined to its rows".to_owned(),
        _ => format!("one of every {every} blocks drawn joined to its rows"),
    };
    let partition = format!("{range}, the partition: {}", scale(span, room));
    let long = format!("{partition}, {joined}");
    let extra = sheet.caption("Data.db", &[&long, &partition, &range], data.bottom() + 18.0);
    let mut y = data.bottom() + 26.0 + extra;
    if let Some(found) = found.filter(|found| found.entry == Some(entry.at)) {
        y = bisection(&mut sheet, promoted, found, y, &x);
    }
    sheet.scene.height = y;
    sheet
}

/// A bar a probe: what was still possible, and the block that was asked; the x is that of the blocks above.
fn bisection(
    sheet: &mut Sheet,
    promoted: &Promoted,
    found: &Found,
    top: f64,
    x: &dyn Fn(u64) -> f64,
) -> f64 {
    if found.probes.is_empty() {
        return top;
    }
    let room = sheet.scene.width;
    let head = &promoted.head;
    let of = |block: u64| {
        if block >= head.blocks {
            return x(head.offsets_at.0);
        }
        match promoted.blocks.binary_search_by_key(&block, |block| block.number) {
            Ok(n) => promoted.blocks.get(n).map_or(0.0, |block| x(block.at.0)),
            Err(_) => {
                let (from, to) = (x(head.blocks_at.0), x(head.offsets_at.0));
                from + (to - from) * block as f64 / head.blocks as f64
            }
        }
    };
    let name = match &found.row {
        Some(row) => format!("Bisection for {}", shortened(row)),
        None => "Bisection".to_owned(),
    };
    let probes = count(found.probes.len() as u64, "probe", "probes");
    let pages: Vec<String> = found.pages.iter().take(12).map(u64::to_string).collect();
    let rest = if found.pages.len() > 12 { ", …" } else { "" };
    let short = format!("{probes}: a bar is what is left, a tick the block asked");
    let long = format!("{short}; pages fetched: {}{rest}", pages.join(", "));
    let extra = sheet.caption(&name, &[&long, &short, &probes], top + 12.0);
    let mut y = top + 22.0 + extra;
    let (mut bars, mut ticks) = (Path::new(), Path::new());
    for probe in found.probes.iter().take(40) {
        let (left, right) = (of(probe.low), of(probe.high));
        bars = bars.rect(Rect::new(left, y + 3.0, (right - left).max(2.0), 4.0));
        let tick = of(probe.block).min(room - 3.0);
        ticks = ticks.rect(Rect::new(tick, y, 3.0, 10.0));
        y += PROBE;
    }
    sheet.path(bars, "leg-pi");
    sheet.path(ticks, "lane-l");
    y + 4.0
}

/// Clustering keys may have kilobytes.
pub fn shortened(text: &str) -> String {
    match text.chars().count() {
        0..=28 => text.to_owned(),
        _ => text.chars().take(24).chain(['…']).collect(),
    }
}
