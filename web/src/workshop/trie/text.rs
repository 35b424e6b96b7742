//! The nodes in sight as CSV or JSON: those of the way, and the children of the selected one.

use super::model::Model;
use super::query::hex;
use std::fmt::Write as _;

/// A line: path, position, page, type, size, children, payload.
type Line = (String, u64, u64, String, usize, usize, String);

fn lines(model: &Model) -> Vec<Line> {
    let of_way = model.steps.iter().map(|step| {
        let (path, at, page) = (hex(&step.path), step.at.0, step.at.page().0);
        match &step.seen {
            Ok(seen) => {
                let (kind, payload) = (seen.kind.name().to_owned(), hex(&seen.payload));
                (path, at, page, kind, seen.size, seen.children.len(), payload)
            }
            Err(why) => (path, at, page, why.clone(), 0, 0, String::new()),
        }
    });
    let page = model.open.iter().flat_map(|open| &open.subtrees).filter_map(|subtree| {
        let path = hex(subtree.path.as_deref()?);
        let (at, kids) = (subtree.at, subtree.kids.len());
        let kind = crate::workshop::family::words(subtree.family).to_owned();
        let size = usize::try_from(subtree.within.bytes).unwrap_or(0);
        Some((path, at.0, at.page().0, kind, size, kids, String::new()))
    });
    let mut lines: Vec<Line> = of_way.collect();
    let known: Vec<u64> = lines.iter().map(|line| line.1).collect();
    lines.extend(page.filter(|line| !known.contains(&line.1)));
    lines
}

/// The text in a form: `json`, or else CSV.
pub fn text(model: &Model, form: &str) -> String {
    let lines = lines(model);
    if form == "json" {
        let rows: Vec<_> = lines
            .iter()
            .map(|(path, at, page, kind, size, children, payload)| {
                serde_json::json!({
                    "path": path, "position": at, "page": page, "type": kind, "bytes": size,
                    "children": children, "payload": payload,
                })
            })
            .collect();
        return serde_json::to_string_pretty(&rows).unwrap_or_default();
    }
    let mut out = String::from("path,position,page,type,bytes,children,payload\n");
    for (path, at, page, kind, size, children, payload) in lines {
        let kind = match kind.contains([',', '"', '\n']) {
            true => format!("\"{}\"", kind.replace('"', "\"\"")),
            false => kind,
        };
        let _ = writeln!(out, "{path},{at},{page},{kind},{size},{children},{payload}");
    }
    out
}
