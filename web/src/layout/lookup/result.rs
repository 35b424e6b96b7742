//! What stands at the end of a lane: where Data.db was read and what it said, or why it was not.

use super::pen::{BAD, CAPTION, INK, MONO, STRONG, Style, n};
use crate::layout::{Face, width};
use triescope_core::error::Kind;
use triescope_core::lookup::{
    AbsentWhy, Answer, Confirmation, LeafTarget, NodeOutcome, NotConfirmed, Record,
    RowConfirmation, Step,
};

/// The end of a lane, line by line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Whether the walk leads on to Data.db; else it ends at a wall.
    pub leads_on: bool,
    /// Step of the arrow or wall.
    pub step: usize,
    /// Lines: the step that shows it, text and style.
    pub lines: Vec<(usize, String, Style)>,
}

/// The outcome of a lane; `None` where the record does not tell one (yet).
pub fn outcome(record: &Record) -> Option<Outcome> {
    let steps = || record.steps.iter().enumerate();
    let answer = steps().rev().find_map(|(at, step)| match step {
        Step::Answer(answer) => Some((at, answer)),
        _ => None,
    });
    let data = steps().rev().find_map(|(at, step)| match step {
        Step::Data(data) => Some((at, data)),
        _ => None,
    });
    let block = steps().rev().find_map(|(at, step)| match step {
        Step::Block(block) => Some((at, block)),
        _ => None,
    });
    if let Some((at, data)) = data {
        let mut out =
            Outcome { leads_on: true, step: found_at(record).unwrap_or(at), lines: Vec::new() };
        let (shown, place) = match block {
            Some((step, block)) => (step, block.partition.0.saturating_add(block.start)),
            None => (out.step, data.at.0),
        };
        if block.is_some() {
            out.step = shown;
        }
        out.lines.push((shown, "Data.db".to_owned(), STRONG));
        out.lines.push((shown, n(place), MONO));
        if let Some((step, block)) = block
            && let Some(end) = block.end
            && end > block.start
        {
            out.lines.push((step, format!("block of {} B", n(end - block.start)), CAPTION));
        }
        match &data.key {
            Confirmation::Equal => out.lines.push((at, "key equal".to_owned(), INK)),
            Confirmation::Differs { .. } if matches!(answer, Some((_, Answer::Present { .. }))) => {
                out.lines.push((at, "another key there:".to_owned(), BAD));
                out.lines.push((at, "not its index".to_owned(), BAD));
            }
            Confirmation::Differs { .. } => {
                out.lines.push((at, "another key:".to_owned(), STRONG));
                out.lines.push((at, "absent".to_owned(), STRONG));
            }
            Confirmation::NotConfirmed(why) => {
                out.lines.push((at, "not confirmed:".to_owned(), INK));
                out.lines.push((at, not_confirmed(why).to_owned(), CAPTION));
            }
        }
        match &data.row {
            Some(RowConfirmation::Found { .. }) => {
                out.lines.push((at, "row found".to_owned(), INK))
            }
            Some(RowConfirmation::Absent { .. }) => {
                out.lines.push((at, "row absent".to_owned(), STRONG))
            }
            Some(RowConfirmation::NotRead { error: Some(_) }) => {
                out.lines.push((at, "block damaged".to_owned(), BAD));
            }
            Some(RowConfirmation::NotRead { error: None }) | None => {}
        }
        return Some(out);
    }
    let (at, answer) = answer?;
    let mut out = Outcome { leads_on: false, step: at.saturating_sub(1), lines: Vec::new() };
    let mut say =
        |text: &str, style| out.lines.push((at.saturating_sub(1), text.to_owned(), style));
    match answer {
        Answer::Absent(AbsentWhy::Filter) => say("absent: no page is read", STRONG),
        Answer::Absent(_) => {
            say("absent", STRONG);
            say("Data.db is", CAPTION);
            say("not read", CAPTION);
        }
        Answer::Unknown(_) => {
            say("damaged", BAD);
            say("no answer", CAPTION);
        }
        Answer::Present { data, block, .. } => {
            out.leads_on = true;
            let place = block.unwrap_or(*data);
            out.lines.push((at, "Data.db".to_owned(), STRONG));
            out.lines.push((at, n(place.0), MONO));
            out.step = at;
        }
    }
    Some(out)
}

/// The step that gave the position in Data.db.
fn found_at(record: &Record) -> Option<usize> {
    record.steps.iter().enumerate().rev().find_map(|(at, step)| match step {
        Step::Node(node) => match &node.outcome {
            NodeOutcome::Leaf(leaf) => matches!(leaf.target, LeafTarget::Data(_)).then_some(at),
            _ => None,
        },
        Step::RowEntry(_) | Step::Entry(_) => Some(at),
        _ => None,
    })
}

fn not_confirmed(why: &NotConfirmed) -> &'static str {
    match why {
        NotConfirmed::NoData => "Data.db is not here",
        NotConfirmed::NoCompressionInfo => "no CompressionInfo",
        NotConfirmed::UnknownCompressor { .. } => "compressor unknown",
        NotConfirmed::Version => "version not decoded",
        // A file that vanished or changed is not damaged: the sentence of the step says which.
        NotConfirmed::Damaged(error) if matches!(error.kind, Kind::Unreadable { .. }) => {
            "cannot be read any more"
        }
        NotConfirmed::Damaged(_) => "Data.db is damaged",
    }
}

impl Outcome {
    /// `Data.db 92,505`: where the lane leads, without what was found there.
    pub fn place(&self) -> String {
        match self.lines.as_slice() {
            [file, place, ..] if place.2 == MONO => format!("{} {}", file.1, place.1),
            [first, ..] => first.1.clone(),
            [] => String::new(),
        }
    }

    /// All lines as one: `Data.db 92,505: key equal, row found`.
    pub fn in_one_line(&self) -> String {
        let mut out = String::new();
        for (i, (_, text, style)) in self.lines.iter().enumerate() {
            let before = self.lines.get(i.wrapping_sub(1)).map(|line| line.2);
            out.push_str(match (i, before) {
                (0, _) => "",
                (1, _) if *style == MONO => " ",
                (_, Some(MONO)) => ": ",
                _ if out.ends_with(':') || out.ends_with(" is") => " ",
                (1, _) => ": ",
                _ => ", ",
            });
            out.push_str(text);
        }
        out
    }
}

/// A text in as many lines as its words need in this room.
pub fn wrapped(text: &str, room: f64, face: Face) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), face) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use triescope_core::error::ReadError;
    use triescope_core::pos::FilePos;
    use triescope_core::table::Part;

    #[test]
    fn a_file_that_vanished_is_not_called_damaged() {
        let why = |kind| {
            not_confirmed(&NotConfirmed::Damaged(ReadError::new(
                Part::Data,
                FilePos(0),
                "page",
                kind,
            )))
        };
        let vanished = Kind::Unreadable { reason: "the file vanished".into() };
        assert_eq!(why(vanished), "cannot be read any more");
        assert_eq!(why(Kind::Truncated { needed: 2, left: 0 }), "Data.db is damaged");
    }
}
