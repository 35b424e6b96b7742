//! NodeChain on a narrow screen: a container a page, a row a node.

use super::column;
use super::pen::{CAPTION, INK, MONO, Pen, STRONG, n};
use super::result::{Outcome, wrapped};
use super::stops::{Column, Way};
use crate::layout::{Face, Rect, width};
use crate::state::intent::Side;
use triescope_core::lookup::{LeafTarget, NodeOutcome, NodeStep, PageState};
use triescope_core::table::Part;

/// Height of a row.
const ROW: f64 = 44.0;
/// Height of a container's head.
const HEAD: f64 = 26.0;
/// Width of the cell with the byte, and of the column at the right.
const BYTE: f64 = 28.0;
const ASIDE: f64 = 70.0;
/// Inside a container.
const PAD: f64 = 10.0;

/// Draws the way with `y` the upper edge, and gives the height.
pub fn draw(pen: &mut Pen, way: &Way<'_>, outcome: Option<&Outcome>, y: f64) -> f64 {
    let room = pen.width();
    let mut top = y;
    for (i, stop) in way.stops.iter().enumerate() {
        if let Some((count, before)) = way.left_out
            && before == i
        {
            pen.ahead(stop.step).text(
                4.0,
                top + 12.0,
                format!("{} more pages", n(count as u64)),
                CAPTION,
            );
            top += 20.0;
        }
        let height = HEAD + ROW * stop.columns.len() as f64 + 6.0;
        pen.ahead(stop.step).page_box(Rect::new(0.5, top + 0.5, room - 1.0, height - 1.0));
        pen.at(stop.step);
        let mut x = PAD;
        if let PageState::Fetched(nth) = stop.page.state {
            let label = n(u64::from(nth));
            let w = super::pen::badge_width(&label);
            pen.badge(x + w / 2.0, top + 6.0, &label, Side::Trie);
            x += w + 7.0;
        }
        let file = match (way.two_files, stop.page.part) {
            (true, Part::Rows) => "Rows ",
            (true, _) => "Partitions ",
            _ => "",
        };
        let title = format!("{file}page {}", n(stop.page.page.0));
        pen.text(x, top + 19.0, title.clone(), STRONG);
        x += width(&title, Face::Strong) + 10.0;
        let word = match stop.page.state {
            PageState::Warm => "in the cache",
            PageState::Here => "already here",
            PageState::Fetched(_) => "",
        };
        if !word.is_empty() {
            pen.text(x, top + 19.0, word, CAPTION);
        }
        pen.end(room - PAD, top + 19.0, format!("{} B", n(stop.page.bytes)), CAPTION);
        let mut at = top + HEAD;
        for col in &stop.columns {
            row(pen, col, at);
            at += ROW;
        }
        top += height + 8.0;
    }
    if let Some(outcome) = outcome.filter(|_| !way.stops.is_empty()) {
        let shown = outcome.lines.last().map_or(outcome.step, |line| line.0);
        pen.at(shown);
        for line in wrapped(&outcome.in_one_line(), room - 2.0 * PAD, Face::Strong) {
            pen.text(PAD, top + 12.0, line, STRONG);
            top += 17.0;
        }
        top += 5.0;
    }
    top - y
}

fn row(pen: &mut Pen, col: &Column<'_>, y: f64) {
    let room = pen.width();
    let left = PAD + BYTE + 8.0;
    let right = room - PAD - ASIDE;
    pen.ahead(col.step());
    match col {
        Column::Node(_, node) => {
            let cell = Rect::new(PAD, y + 6.0, BYTE, BYTE);
            byte_cell(pen, node, cell);
            pen.text(left, y + 12.0, node.kind.name(), MONO);
            node_row(pen, node, y, left, right);
        }
        Column::Entry(_, entry) => {
            pen.text(left, y + 12.0, "row entry", STRONG);
            let says = if entry.equal {
                format!("key equal, root {}", n(entry.root.0))
            } else {
                "another key".to_owned()
            };
            pen.text(left, y + 30.0, says, INK);
            pen.end(room - PAD, y + 12.0, format!("{} B", n(u64::from(entry.size))), CAPTION);
        }
        Column::Run(run) => {
            let what = if run.singles { "single nodes, one byte each" } else { "nodes" };
            pen.text(left, y + 12.0, format!("{} {what}", n(run.nodes.len() as u64)), STRONG);
            let (at, size) = col.bytes();
            pen.text(left, y + 30.0, format!("{}–{}", n(at), n(at + size)), CAPTION);
        }
    }
    pen.hit(Rect::new(0.0, y, room, ROW), col.step());
}

fn byte_cell(pen: &mut Pen, node: &NodeStep, cell: Rect) {
    let byte = column::notes(node).at.map(|(byte, _, _)| byte);
    match byte {
        Some(byte) => {
            pen.byte(cell, format!("{byte:02x}"), "soft-t", MONO);
            pen.rect(Rect::new(cell.x, cell.bottom(), cell.w, 2.0), "lane-t");
        }
        None => {
            pen.rect(cell, "soft-t");
            let middle =
                Rect::new(cell.x + cell.w / 2.0 - 4.0, cell.y + cell.h / 2.0 - 4.0, 8.0, 8.0);
            pen.rect(middle, "f-leaf");
        }
    }
}

fn node_row(pen: &mut Pen, node: &NodeStep, y: f64, left: f64, right: f64) {
    let edge = pen.width() - PAD;
    let axis = Rect::new(left, y + 22.0, right - left, 12.0);
    let notes = column::notes(node);
    match &node.outcome {
        NodeOutcome::Leaf(leaf) => {
            column::draw_payload(
                pen,
                &leaf.bytes,
                leaf.hash.is_some(),
                Rect::new(left, y + 19.0, right - left, 19.0),
            );
            let says = match leaf.hash {
                None => "no hash byte".to_owned(),
                Some(_) if leaf.hash_matches() => "hash equal".to_owned(),
                Some(_) => format!("hash ≠ 0x{:02x}", leaf.expected_hash),
            };
            pen.end(right, y + 12.0, says, CAPTION);
            if leaf.hash_matches() {
                let (file, at) = match leaf.target {
                    LeafTarget::Data(at) => ("Data.db", at.0),
                    LeafTarget::Rows(at) => ("Rows.db", at.0),
                };
                pen.end(edge, y + 12.0, file, INK);
                pen.end(edge, y + 32.0, n(at), STRONG);
            }
        }
        NodeOutcome::Block(block) => {
            let offset = n(block.offset);
            let room = right.min(edge - width(&offset, Face::Strong) - 10.0) - left;
            let cells = Rect::new(left, y + 19.0, room, 19.0);
            column::draw_payload(pen, column::offset_bytes(block), false, cells);
            pen.end(edge, y + 12.0, "block at", INK);
            pen.end(edge, y + 32.0, offset, STRONG);
        }
        NodeOutcome::KeyEnds => {
            column::draw_axis(pen, node, axis);
            pen.end(edge, y + 12.0, "the key ends", STRONG);
        }
        _ => {
            column::draw_axis(pen, node, axis);
            let name = width(node.kind.name(), Face::Mono) + 10.0;
            let wide = edge - left - name;
            let near = right - left - name;
            if let Some(line) = notes.line.iter().find(|line| width(line, Face::Text) <= near) {
                pen.end(right, y + 12.0, line.clone(), CAPTION);
            } else if let Some(line) =
                notes.line.iter().find(|line| width(line, Face::Text) <= wide)
            {
                pen.end(edge, y + 12.0, line.clone(), CAPTION);
            }
            if let Some(back) = &notes.back {
                pen.end(edge, y + 32.0, back.clone(), CAPTION);
            } else if let Some((_, label, style)) = &notes.at {
                let short = label.rsplit(' ').next().unwrap_or(label).to_owned();
                pen.end(edge, y + 32.0, short, *style);
            }
        }
    }
}
