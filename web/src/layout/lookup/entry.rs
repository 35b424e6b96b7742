//! The bytes of the entry of Index.db that a lookup ends at, and where it leads.

use super::pen::{CAPTION, INK, MONO, Pen, STRONG, n};
use super::result::{Outcome, wrapped};
use crate::layout::{Face, Rect, width};
use triescope_core::lookup::{Cmp, EntryStep};

/// Height of a byte.
const H: f64 = 20.0;

/// Draws the bytes from `x` with `y` their upper edge, in as much room; gives the height.
pub fn draw(
    pen: &mut Pen,
    (step, entry): (usize, &EntryStep),
    outcome: Option<&Outcome>,
    (x, y): (f64, f64),
    room: f64,
    byte: f64,
) -> f64 {
    let length = u16::try_from(entry.key.len()).unwrap_or(u16::MAX).to_be_bytes();
    let tail = if entry.promoted_size == 0 {
        "no promoted index".to_owned()
    } else {
        format!("promoted index, {} B", n(entry.promoted_size))
    };
    let fields: [(&[u8], &str, &'static str); 4] = [
        (&length, "length", "well"),
        (&entry.key, "whole key", "soft-l"),
        (&entry.data_bytes, "position", "soft-l"),
        (&entry.promoted_size_bytes, &tail, "well"),
    ];
    let others: usize = fields.iter().map(|field| field.0.len()).sum::<usize>() - entry.key.len();
    let most = ((room / byte) as usize).saturating_sub(others);
    let text = match outcome {
        Some(outcome) if entry.cmp == Cmp::Equal => outcome.in_one_line(),
        _ => "another key: absent".to_owned(),
    };
    let mut at = x;
    let (mut labels_from, mut label_y) = (x, y + 35.0);
    pen.at(step);
    for (bytes, name, ground) in fields {
        let start = at;
        for item in cells(bytes, most) {
            let (text, w) = match item {
                Ok(b) => (format!("{b:02x}"), byte),
                Err(left) => {
                    let text = format!("… {} B …", n(left as u64));
                    let w = width(&text, Face::Mono) + 10.0;
                    (text, w)
                }
            };
            pen.byte(Rect::new(at, y, w - 1.0, H), text, ground, MONO);
            at += w;
        }
        if !bytes.is_empty() {
            let px = width(name, Face::Text);
            let mut label_x = labels_from.max(start + 1.0);
            if label_x + px > x + room {
                label_x = x + room - px;
                if label_x < labels_from {
                    // No room beside the others: it goes below them.
                    (label_x, label_y) = (x, label_y + 15.0);
                }
            }
            pen.text(label_x, label_y, name, CAPTION);
            labels_from = label_x + px + 9.0;
        }
    }
    pen.hit(Rect::new(x, y, at - x, H + 18.0), step);
    let shown =
        outcome.and_then(|outcome| outcome.lines.last()).map_or(step, |line| line.0.max(step));
    let below = at + 46.0 + width(&text, Face::Strong) > x + room;
    let (left, axis) = if below { (x, label_y + 21.0) } else { (at + 8.0, y + 10.0) };
    let mut end = if below { axis + 10.0 } else { label_y + 5.0 };
    pen.at(step);
    if entry.cmp == Cmp::Equal {
        pen.arrow(left, left + 28.0, axis);
        // What Data.db says comes after where it is asked.
        let first = outcome.map_or_else(String::new, Outcome::place);
        let rest = text.strip_prefix(first.as_str()).unwrap_or("");
        let rest = rest.trim_start_matches([':', ' ']).to_owned();
        let rest_x = left + 44.0 + width(&first, Face::Strong);
        pen.text(left + 36.0, axis + 4.5, first, STRONG);
        if rest_x + width(&rest, Face::Text) <= x + room {
            pen.at(shown).text(rest_x, axis + 4.5, rest, INK);
        } else {
            for line in wrapped(&rest, room - 36.0, Face::Text) {
                pen.at(shown).text(x + 36.0, end + 11.5, line, INK);
                end += 17.0;
            }
        }
    } else {
        pen.stop(left, left + 17.0, axis);
        pen.text(left + 28.0, axis + 4.5, text, STRONG);
    }
    end - y
}

/// The bytes of a field; of a long one its ends and how many are left out.
fn cells(bytes: &[u8], most: usize) -> Vec<Result<u8, usize>> {
    if bytes.len() <= most || bytes.len() <= 9 {
        return bytes.iter().map(|&b| Ok(b)).collect();
    }
    let shown = most.saturating_sub(5).clamp(4, 32);
    let head = shown.div_ceil(2);
    let tail = shown - head;
    let mut out: Vec<Result<u8, usize>> = bytes.iter().take(head).map(|&b| Ok(b)).collect();
    out.push(Err(bytes.len() - shown));
    out.extend(bytes.iter().skip(bytes.len() - tail).map(|&b| Ok(b)));
    out
}
