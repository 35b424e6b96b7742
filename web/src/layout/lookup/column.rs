//! A column of the node chain: one node, or an entry of Rows.db, with what was done there.

use super::pen::{CAPTION, INK, MONO, MONO_ON, Pen, STRONG, Style, n};
use super::spectrum;
use super::stops::{Column, Run};
use crate::layout::{Face, Rect, fit, width};
use triescope_core::bti::Family;
use triescope_core::lookup::{
    BlockPayload, LeafPayload, LeafTarget, NodeOutcome, NodeStep, RowEntryStep, words,
};

/// Height of a column: from its title to its last caption.
pub const HEIGHT: f64 = 100.0;
/// Where arrows between columns run, from a column's top.
pub const AXIS_Y: f64 = 55.0;
/// Width of a payload byte.
const BYTE: f64 = 23.0;

/// The width that a column needs, at least `least`.
pub fn span(column: &Column<'_>, least: f64) -> f64 {
    let title = match column {
        Column::Node(_, node) => width(node.kind.name(), Face::Mono),
        Column::Entry(..) => 0.0,
        Column::Run(run) => width(&run_title(run), Face::Strong),
    };
    let own = match column {
        Column::Node(_, node) => match &node.outcome {
            NodeOutcome::Leaf(leaf) => payload_span(&leaf.bytes, least).max(leaf_span(leaf)),
            NodeOutcome::Block(block) => payload_span(offset_bytes(block), least),
            _ => 0.0,
        },
        Column::Entry(_, entry) => width(&entry_root(entry), Face::Text),
        Column::Run(_) => 0.0,
    };
    least.max(title).max(own).max(width(&place(column), Face::Text)).ceil()
}

fn place(column: &Column<'_>) -> String {
    let (at, size) = column.bytes();
    match column {
        Column::Run(_) => format!("{}–{}", n(at), n(at + size)),
        _ => format!("{} · {} B", n(at), n(size)),
    }
}

/// Draws a column into a box of this width; `x`, `y` its upper left corner.
pub fn draw(pen: &mut Pen, column: &Column<'_>, x: f64, y: f64, w: f64) {
    pen.ahead(column.step());
    match column {
        Column::Node(_, node) => {
            pen.text(x, y + 12.0, node.kind.name(), MONO);
            pen.text(x, y + 28.0, place(column), CAPTION);
            draw_node(pen, node, x, y, w);
        }
        Column::Entry(_, entry) => {
            pen.text(x, y + 12.0, "row entry", STRONG);
            pen.text(x, y + 28.0, place(column), CAPTION);
            pen.text(x, y + 59.0, if entry.equal { "key equal" } else { "another key" }, STRONG);
            if entry.equal {
                pen.text(x, y + 82.0, entry_root(entry), INK);
                pen.text(x, y + 97.0, blocks(entry.blocks), CAPTION);
            }
        }
        Column::Run(run) => draw_run(pen, run, column, x, y, w),
    }
    pen.hit(Rect::new(x, y, w, HEIGHT), column.step());
}

fn entry_root(entry: &RowEntryStep) -> String {
    format!("root {}", n(entry.root.0))
}

fn blocks(count: u64) -> String {
    if count == 1 { "1 block".to_owned() } else { format!("{} blocks", n(count)) }
}

fn run_title(run: &Run<'_>) -> String {
    let what = if run.singles { "single nodes" } else { "nodes" };
    format!("{} {what}", n(run.nodes.len() as u64))
}

fn draw_run(pen: &mut Pen, run: &Run<'_>, column: &Column<'_>, x: f64, y: f64, w: f64) {
    pen.text(x, y + 12.0, run_title(run), STRONG);
    pen.text(x, y + 28.0, place(column), CAPTION);
    let axis = Rect::new(x, y + 44.0, w, 22.0);
    pen.rect(axis, "well");
    let bytes: Vec<u8> = run.nodes.iter().filter_map(|node| followed(node)).collect();
    let text = run_bytes(&bytes, w - 12.0);
    pen.middle(x + w / 2.0, y + 59.5, text, MONO);
    pen.text(
        x,
        y + 97.0,
        if run.singles { "one byte each" } else { "not drawn one by one" },
        CAPTION,
    );
}

/// As many bytes from both ends as fit.
fn run_bytes(bytes: &[u8], room: f64) -> String {
    let digits = (room / width("0", Face::Mono)).max(0.0) as usize;
    let each = (digits.saturating_sub(2) / 6).max(1);
    if bytes.len() <= each * 2 {
        return spaced(bytes);
    }
    format!("{} … {}", spaced(&bytes[..each]), spaced(&bytes[bytes.len() - each..]))
}

fn spaced(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

/// The byte whose child was followed.
pub fn followed(node: &NodeStep) -> Option<u8> {
    match &node.outcome {
        NodeOutcome::Follow(edge) | NodeOutcome::Floor { edge, .. } | NodeOutcome::Last(edge) => {
            Some(edge.byte)
        }
        _ => None,
    }
}

/// What stands below the axis: at the byte, at the far side, and in the second line.
pub struct Notes {
    /// The byte and what stands at it.
    pub at: Option<(u8, String, Style)>,
    /// Distance back.
    pub back: Option<String>,
    /// Which child, which neighbours.
    pub line: Vec<String>,
}

/// What is said of a node that is no leaf; the second line from its long form to its short one.
pub fn notes(node: &NodeStep) -> Notes {
    let children = node.children.len();
    let hex = |byte: u8| format!("0x{byte:02x}");
    let child = |child: u32| match children {
        1 => "only child".to_owned(),
        of => format!("child {} of {of}", child + 1),
    };
    let bold = Style { face: Face::Mono, class: "m s" };
    match &node.outcome {
        NodeOutcome::Follow(edge) => Notes {
            at: Some((edge.byte, hex(edge.byte), bold)),
            back: Some(format!("−{} B", n(edge.distance))),
            line: vec![child(edge.child)],
        },
        NodeOutcome::Floor { wanted, edge } => Notes {
            at: Some((edge.byte, hex(edge.byte), bold)),
            back: Some(format!("−{} B", n(edge.distance))),
            line: vec![format!("floor of {}", hex(*wanted))],
        },
        NodeOutcome::Last(edge) => Notes {
            at: Some((edge.byte, hex(edge.byte), bold)),
            back: Some(format!("−{} B", n(edge.distance))),
            line: vec![if children == 1 { "only child" } else { "last child" }.to_owned()],
        },
        NodeOutcome::NoTransition { byte, below, above } => Notes {
            at: Some((*byte, format!("{}: none", hex(*byte)), STRONG)),
            back: None,
            line: match (below, above) {
                (Some(below), Some(above)) => vec![
                    format!("between {} and {}", hex(*below), hex(*above)),
                    format!("{}–{}", hex(*below), hex(*above)),
                ],
                (Some(below), None) => vec![format!("after {}", hex(*below))],
                (None, Some(above)) => vec![format!("before {}", hex(*above))],
                (None, None) => Vec::new(),
            },
        },
        NodeOutcome::Back { wanted, to } => Notes {
            at: wanted.map(|byte| (byte, format!("{}: none", hex(byte)), STRONG)),
            back: None,
            line: vec![format!("back to {}", n(to.0))],
        },
        NodeOutcome::KeyEnds | NodeOutcome::Leaf(_) | NodeOutcome::Block(_) => {
            Notes { at: None, back: None, line: Vec::new() }
        }
    }
}

/// The axis with its children and pointers.
pub fn draw_axis(pen: &mut Pen, node: &NodeStep, axis: Rect) {
    spectrum::draw(pen, axis, &node.children, node.kind.family());
    match &node.outcome {
        NodeOutcome::Follow(edge) | NodeOutcome::Last(edge) => {
            spectrum::pointer(pen, axis, edge.byte);
        }
        NodeOutcome::Floor { wanted, edge } => {
            spectrum::absent(pen, axis, *wanted);
            spectrum::pointer(pen, axis, edge.byte);
        }
        NodeOutcome::NoTransition { byte, below, above } => {
            spectrum::gap(pen, axis, *below, *above);
            spectrum::absent(pen, axis, *byte);
        }
        NodeOutcome::Back { wanted: Some(byte), .. } => spectrum::absent(pen, axis, *byte),
        _ => {}
    }
}

fn draw_node(pen: &mut Pen, node: &NodeStep, x: f64, y: f64, w: f64) {
    match &node.outcome {
        NodeOutcome::Leaf(leaf) => return draw_leaf(pen, leaf, x, y, w),
        NodeOutcome::Block(block) => return draw_block(pen, node, block, x, y, w),
        _ => {}
    }
    let axis = Rect::new(x, y + 44.0, w, 22.0);
    draw_axis(pen, node, axis);
    let notes = notes(node);
    if let NodeOutcome::KeyEnds = node.outcome {
        pen.text(x, y + 82.0, "the key ends here", STRONG);
        let text = format!("{} children", node.children.len());
        pen.text(
            x,
            y + 97.0,
            if node.children.len() == 1 { "1 child".to_owned() } else { text },
            CAPTION,
        );
        return;
    }
    draw_notes(pen, &notes, axis, y + 82.0);
}

/// Both lines below an axis: the byte where it is, the distance on whichever side has room.
fn draw_notes(pen: &mut Pen, notes: &Notes, axis: Rect, y: f64) {
    let (x, right) = (axis.x, axis.right());
    let mut second_right = right;
    if let Some((byte, label, style)) = &notes.at {
        let half = width(label, style.face) / 2.0;
        let back_px = notes.back.as_ref().map_or(0.0, |back| width(back, Face::Text) + 8.0);
        let mut middle = spectrum::place(*byte, axis).max(x + half).min(right - half);
        let mut on_the_right = true;
        if let Some(back) = &notes.back {
            let fits_right = middle + half + back_px <= right;
            let fits_left = middle - half - back_px >= x;
            if !fits_right && fits_left {
                on_the_right = false;
            } else if !fits_right && 2.0 * half + back_px <= axis.w {
                // The label gives way, the tick stays.
                middle = right - back_px - half;
            } else if !fits_right {
                // Too narrow for both: the distance goes to the second line, if there is room for it.
                let line = notes.line.first().map_or(0.0, |line| width(line, Face::Text) + 8.0);
                if line + back_px - 8.0 <= axis.w {
                    pen.end(right, y + 15.0, back.clone(), CAPTION);
                    second_right = right - back_px;
                }
                pen.middle(middle, y, label.clone(), *style);
                return second_line(pen, notes, x, second_right, y);
            }
            if on_the_right {
                pen.end(right, y, back.clone(), CAPTION);
            } else {
                pen.text(x, y, back.clone(), CAPTION);
            }
        }
        pen.middle(middle, y, label.clone(), *style);
    }
    second_line(pen, notes, x, second_right, y);
}

fn second_line(pen: &mut Pen, notes: &Notes, x: f64, right: f64, y: f64) {
    let forms: Vec<&str> = notes.line.iter().map(String::as_str).collect();
    if let Some(text) = fit(&forms, right - x, Face::Text) {
        pen.text(x, y + 15.0, text, CAPTION);
    }
}

/// The width of a payload drawn byte by byte, or, where that is too wide, as one cell behind its first byte.
fn payload_span(bytes: &[u8], least: f64) -> f64 {
    let cells = bytes.len() as f64 * BYTE;
    if cells <= least.max(140.0) { cells } else { packed_span(bytes) }
}

fn packed_span(bytes: &[u8]) -> f64 {
    BYTE + width(&words::bytes(bytes.get(1..).unwrap_or(&[])), Face::Mono) + 8.0
}

/// Payload bytes: the first one strong, since it is the hash byte of a leaf.
pub fn draw_payload(pen: &mut Pen, bytes: &[u8], strong_first: bool, at: Rect) {
    let cell = |i: usize, w: f64| Rect::new(at.x + i as f64 * BYTE, at.y, w, at.h);
    let first = |pen: &mut Pen, byte: u8| {
        let (ground, style) = if strong_first { ("f-leaf", MONO_ON) } else { ("payload", MONO) };
        pen.byte(cell(0, BYTE - 1.0), format!("{byte:02x}"), ground, style);
    };
    let Some((&head, tail)) = bytes.split_first() else { return };
    first(pen, head);
    if bytes.len() as f64 * BYTE <= at.w + 1.0 {
        for (i, byte) in tail.iter().enumerate() {
            pen.byte(cell(i + 1, BYTE - 1.0), format!("{byte:02x}"), "payload", MONO);
        }
    } else {
        let text = packed(tail, at.w - BYTE - 8.0);
        let w = width(&text, Face::Mono) + 8.0;
        pen.byte(cell(1, w), text, "payload", MONO);
    }
}

/// Bytes as one run of hex digits, as many as fit.
fn packed(bytes: &[u8], room: f64) -> String {
    let whole = words::bytes(bytes);
    if width(&whole, Face::Mono) <= room {
        return whole;
    }
    let digits = (room / width("0", Face::Mono)).max(0.0) as usize;
    let shown = (digits.saturating_sub(1) / 2).min(bytes.len());
    format!("{}…", words::bytes(&bytes[..shown]))
}

fn leaf_says(leaf: &LeafPayload) -> String {
    match leaf.hash {
        None => "no hash byte".to_owned(),
        Some(hash) if hash == leaf.expected_hash => "hash equal".to_owned(),
        Some(_) => format!("hash ≠ 0x{:02x}", leaf.expected_hash),
    }
}

fn leaf_leads(leaf: &LeafPayload) -> Option<String> {
    match (leaf.hash_matches(), leaf.target) {
        (false, _) => None,
        (true, LeafTarget::Data(_)) => Some("~position".to_owned()),
        (true, LeafTarget::Rows(to)) => Some(format!("Rows.db {}", n(to.0))),
    }
}

fn leaf_span(leaf: &LeafPayload) -> f64 {
    leaf_leads(leaf).map_or(0.0, |text| width(&text, Face::Text))
}

fn draw_leaf(pen: &mut Pen, leaf: &LeafPayload, x: f64, y: f64, w: f64) {
    draw_payload(pen, &leaf.bytes, leaf.hash.is_some(), Rect::new(x, y + 44.0, w, 22.0));
    pen.text(x, y + 82.0, leaf_says(leaf), STRONG);
    if let Some(leads) = leaf_leads(leaf) {
        pen.text(x, y + 97.0, leads, CAPTION);
    }
}

/// The bytes of a block's offset, without those of an open deletion behind it.
pub fn offset_bytes(block: &BlockPayload) -> &[u8] {
    let deletion = if block.open.is_some() { 12 } else { 0 };
    block.bytes.get(..block.bytes.len().saturating_sub(deletion)).unwrap_or(&block.bytes)
}

fn draw_block(pen: &mut Pen, node: &NodeStep, block: &BlockPayload, x: f64, y: f64, w: f64) {
    draw_payload(pen, offset_bytes(block), false, Rect::new(x, y + 44.0, w, 22.0));
    let says = if node.kind.family() == Family::Leaf { "block start" } else { "own payload" };
    pen.text(x, y + 82.0, says, STRONG);
    let forms = if block.open.is_some() {
        vec![format!("{}, in a deletion", n(block.offset)), n(block.offset)]
    } else {
        vec![
            format!("{} in the partition", n(block.offset)),
            format!("at {}", n(block.offset)),
            n(block.offset),
        ]
    };
    let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
    if let Some(text) = fit(&forms, w, Face::Text) {
        pen.text(x, y + 97.0, text, CAPTION);
    }
}
