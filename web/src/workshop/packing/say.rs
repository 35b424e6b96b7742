//! The sentence of a step.

use super::text::rich;
use crate::words::{bytes, count};
use triescope_core::bti::pack::{PackStep, Written};
use triescope_core::lookup::words::{Text, number};
use triescope_core::pos::PAGE_SIZE;
use triescope_core::replay::{Choice, Frame};

/// The sentence.
pub fn sentence(frame: &Frame) -> Text {
    rich(&template(frame))
}

fn n(of: u64) -> String {
    number(of, ',')
}

/// `a7` in the face of bytes, or the root.
fn node(edge: u8, is_root: bool) -> String {
    if is_root { "the root".to_owned() } else { format!("`{edge:02x}`") }
}

fn template(frame: &Frame) -> String {
    let sign = frame.writer.sign();
    match &frame.what {
        PackStep::Push { shared, nodes, .. } => {
            let key = n(frame.counts.keys);
            let opened = count((*nodes).into(), "node is", "nodes are");
            match shared {
                0 if frame.counts.keys <= 1 => {
                    format!("Key {key} is the first: **{opened}** opened, and stay open.")
                }
                shared => format!(
                    "Key {key} shares {} with the last one: **{opened}** opened for the rest of it.",
                    count((*shared).into(), "byte", "bytes")
                ),
            }
        }
        PackStep::Complete { edge, edge_bytes, own, below, children, keeps, .. } => {
            let (node, own) = (node(*edge, *edge_bytes == 0), u64::from(*own));
            match (keeps, children) {
                (true, 0) => format!(
                    "{node} is complete, a leaf of **{}**: it waits for its parent.",
                    bytes(own)
                ),
                (true, _) => format!(
                    "{node} is complete: {} branch + {} node = **{} {sign} 4,096 B**, so both wait in memory.",
                    n(*below),
                    n(own),
                    n(below + own)
                ),
                (false, children) => format!(
                    "{node} is complete: {} branch + {} node = **{}** do not fit one page, so its {} laid out.",
                    n(*below),
                    n(own),
                    bytes(below + own),
                    count((*children).into(), "child is", "children are")
                ),
            }
        }
        PackStep::LayOut { edge, depth, children, .. } => format!(
            "The {} of {} now: of those that fit the rest of the page, the greatest first.",
            count(children.len() as u64, "child is written", "children are written"),
            node(*edge, *depth == 0)
        ),
        PackStep::Choose { .. } => frame.choice.as_ref().map_or_else(String::new, chosen),
        PackStep::Recalculate { edge, was, now } => format!(
            "`{edge:02x}` points at what is written already, so its size depends on its place: **{}** here, {} before.",
            bytes(*now),
            bytes(*was)
        ),
        PackStep::Pad { at, bytes: zeros, least } => format!(
            "Page {} has **{}** left, and the least that waits has **{}**: zeros fill the page.",
            n(at / PAGE_SIZE),
            bytes((*zeros).into()),
            bytes(*least)
        ),
        PackStep::TakeApart { edge, size } => format!(
            "`{edge:02x}` has grown to **{}**, more than a page: it is written node by node.",
            bytes(*size)
        ),
        PackStep::Melt { nodes, .. } => format!(
            "Its {} sized anew, since each now lies at a place of its own.",
            count((*nodes).into(), "node is", "nodes are")
        ),
        PackStep::Node { edge, at, size, children, .. } => format!(
            "The node of `{edge:02x}`, **{}** with {}, goes to {}, page {}.",
            bytes((*size).into()),
            count((*children).into(), "child", "children"),
            n(*at),
            n(at / PAGE_SIZE)
        ),
        PackStep::Alone { edge, depth, own } => format!(
            "All children of {} are written. The node alone, **{}**, waits for its parent.",
            node(*edge, *depth == 0),
            bytes(*own)
        ),
        PackStep::Write { edge, at, size, entry, what } => {
            let page = n(at / PAGE_SIZE);
            match (what, &frame.choice) {
                (Written::Root | Written::RootApart, _) => format!(
                    "The root comes last, with what was not written below it: **{}** in page {page}, the root node at {}.",
                    bytes(*size),
                    n(*entry)
                ),
                (Written::Piece, _) => {
                    format!("A piece of `{edge:02x}`, **{}**, goes into page {page}.", bytes(*size))
                }
                (Written::Apart, _) => {
                    format!("`{edge:02x}` is written, in pieces: {} in all.", bytes(*size))
                }
                (Written::Branch, Some(choice)) => chosen(choice),
                (Written::Branch, None) => {
                    format!("`{edge:02x}`, **{}**, is written to page {page}.", bytes(*size))
                }
            }
        }
    }
}

/// Why this one.
fn chosen(choice: &Choice) -> String {
    let Choice { edge, size, left, page, waiting, fitting } = choice;
    let space = match u64::from(*left) {
        PAGE_SIZE => format!("Page {} is empty.", n(page.0)),
        left => format!("Page {} has **{}** left.", n(page.0), bytes(left)),
    };
    let (size, of) = (bytes(*size), n((*waiting).into()));
    match (*waiting, *fitting) {
        (1, 1) => {
            format!("{space} The last waiting subtree, `{edge:02x}` with **{size}**, goes in.")
        }
        (_, 0) => format!(
            "{space} None of {of} waiting subtrees fits; the greatest of all, `{edge:02x}` with **{size}**, is next."
        ),
        (_, fitting) => format!(
            "{space} Of {of} waiting subtrees {} {}; the greatest, `{edge:02x}` with **{size}**, goes in.",
            n(fitting.into()),
            if fitting == 1 { "fits" } else { "fit" }
        ),
    }
}
