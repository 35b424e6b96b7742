//! What a writer does in ten lines, and which line a step carries out.

use super::writer::Writer;
use crate::bti::pack::PackStep;
use serde::Serialize;

/// A line of the pseudocode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CodeLine {
    /// Its number, from 1.
    pub number: u8,
    /// How deep it stands, from 0.
    pub indent: u8,
    /// Its words.
    pub text: String,
}

/// Indents and words; `{sign}` is the comparison of the writer.
const LINES: [(u8, &str); 10] = [
    (0, "for each key: complete what lies below the bytes it shares with the last"),
    (1, "push the rest of it onto the stack"),
    (0, "at the end: complete everything, write the root"),
    (0, "complete a node with its finished branch below it:"),
    (1, "if both {sign} 4,096 B: keep them in memory"),
    (1, "else: lay out its children, keep the node alone"),
    (0, "lay out children: take the greatest that fits the rest of the page"),
    (1, "if none fits: fill the page with zeros, take the greatest of all"),
    (1, "if it points at something written: size it anew for its place"),
    (1, "write it, its children before it"),
];

/// The ten lines.
pub fn pseudocode(writer: Writer) -> [CodeLine; 10] {
    let mut number = 0;
    LINES.map(|(indent, text)| {
        number += 1;
        CodeLine { number, indent, text: text.replace("{sign}", writer.sign()) }
    })
}

/// The line that a step carries out, from 1.
pub fn line(step: &PackStep) -> u8 {
    match step {
        PackStep::Push { .. } => 2,
        PackStep::Complete { keeps: true, .. } => 5,
        PackStep::Complete { keeps: false, .. } => 4,
        PackStep::LayOut { .. } | PackStep::Alone { .. } => 6,
        PackStep::Choose { .. } => 7,
        PackStep::Pad { .. } => 8,
        PackStep::Recalculate { .. } => 9,
        PackStep::Write { what, .. } if what.is_root() => 3,
        PackStep::TakeApart { .. }
        | PackStep::Melt { .. }
        | PackStep::Node { .. }
        | PackStep::Write { .. } => 10,
    }
}
