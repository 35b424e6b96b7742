//! The list of all pages as text: CSV or JSON, in the order of the file.

use super::tile::{Tile, Tiles};
use crate::board::{BoardAsk, value};
use std::fmt::Write as _;
use triescope_core::census::shares;
use triescope_core::table::Part;

/// Most rows of a text.
const ROWS: u64 = 100_000;

/// The text in the form that the query asks for.
pub fn text(ask: &BoardAsk, tiles: &Tiles<'_>) -> String {
    let is_json = value(&ask.query, "text").as_deref() == Some("json");
    let heads = heads(tiles.part);
    let shown = tiles.len().min(ROWS);
    let mut out = String::new();
    if is_json {
        out.push_str("[\n");
    } else {
        out.push_str(&heads.join(","));
        out.push('\n');
    }
    for no in 0..shown {
        let row = row(tiles.part, no, &tiles.get(no));
        if is_json {
            let pairs = heads.iter().zip(&row).map(|(head, value)| format!("\"{head}\": {value}"));
            let comma = if no + 1 < shown { "," } else { "" };
            // Writing to a String cannot fail.
            let _ = writeln!(out, "  {{{}}}{comma}", pairs.collect::<Vec<_>>().join(", "));
        } else {
            let row: Vec<String> = row.iter().map(u64::to_string).collect();
            let _ = writeln!(out, "{}", row.join(","));
        }
    }
    if is_json {
        out.push_str("]\n");
    }
    out
}

fn heads(part: Part) -> Vec<String> {
    let plain = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    if part == Part::Data {
        return plain(&["chunk", "bytes", "stored_bytes", "partitions", "findings"]);
    }
    let mut heads = plain(&["page", "at", "bytes", "filled", "padding"]);
    let shares = shares(part).into_iter().filter(|name| !name.is_empty());
    heads.extend(shares.map(|name| format!("{}_bytes", name.replace(' ', "_"))));
    let rest: &[&str] = match part {
        Part::Index => &["entries", "promoted", "lookups", "findings"],
        Part::Summary => &["samples", "findings"],
        _ => &["other_bytes", "nodes", "payloads", "subtrees", "depth", "lookups", "findings"],
    };
    heads.extend(plain(rest));
    heads
}

fn row(part: Part, no: u64, tile: &Tile) -> Vec<u64> {
    if part == Part::Data {
        return vec![no, tile.len, tile.used(), tile.lookups, tile.faults];
    }
    let mut row = vec![no, no.saturating_mul(4096), tile.len, tile.used(), tile.room];
    let named = shares(part).iter().filter(|name| !name.is_empty()).count();
    row.extend(tile.shares.iter().take(named));
    let count = &tile.count;
    let (nodes, payloads) = (u64::from(count.nodes), u64::from(count.payloads));
    match part {
        Part::Index => row.extend([nodes, payloads, tile.lookups, tile.faults]),
        Part::Summary => row.extend([nodes, tile.faults]),
        _ => {
            let other = tile.shares.last().copied().unwrap_or(0);
            let (roots, depth) = (u64::from(count.roots), u64::from(count.depth));
            row.extend([other, nodes, payloads, roots, depth, tile.lookups, tile.faults]);
        }
    }
    row
}
