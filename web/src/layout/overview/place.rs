//! Labels of narrow things: beside or below them, joined by a leader line, never over one another.

use crate::layout::{Anchor, Face, Mark, Path, Rect, width};

/// Distance of two rows of labels.
pub const ROW: f64 = 16.0;
/// From the strip's lower edge to the baseline of the first row.
const FIRST: f64 = 18.0;

/// A label that wants a place below a strip.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Middle of the thing it names.
    pub x: f64,
    /// The text.
    pub text: String,
}

/// Where something is already.
#[derive(Debug, Default)]
pub struct Taken(Vec<Rect>);

impl Taken {
    /// Whether nothing is there.
    pub fn is_free(&self, rect: Rect) -> bool {
        !self.0.iter().any(|it| it.overlaps(rect))
    }

    /// Takes the place.
    pub fn take(&mut self, rect: Rect) {
        self.0.push(rect);
    }

    /// The lowest edge of all that is there, at least `from`.
    pub fn bottom(&self, from: f64) -> f64 {
        self.0.iter().map(|it| it.bottom()).fold(from, f64::max)
    }
}

/// The baseline of a row of labels below a strip that ends at `bottom`.
pub fn baseline(bottom: f64, row: u8) -> f64 {
    bottom + FIRST + f64::from(row) * ROW
}

/// Marks of the labels and their leaders. Labels stand left of their leader, those that would leave the picture right
/// of it; going away from the side on which they stand, each takes the first row in which neither its text nor its
/// leader meets anything. A label for which no row is left is not drawn; the list beside the picture has it.
pub fn leaders(labels: Vec<Label>, bottom: f64, right: f64, taken: &mut Taken) -> Vec<Mark> {
    let (left, mut rightwards): (Vec<_>, Vec<_>) =
        labels.into_iter().partition(|it| it.x - 8.0 - width(&it.text, Face::Text) >= 0.0);
    rightwards.reverse();
    let mut marks = Vec::new();
    let ordered = rightwards.into_iter().map(|it| (it, Anchor::Start));
    for (label, anchor) in ordered.chain(left.into_iter().map(|it| (it, Anchor::End))) {
        let way = if anchor == Anchor::End { -1.0 } else { 1.0 };
        for row in 0..8 {
            let y = baseline(bottom, row);
            let text = Mark::text(label.x + way * 8.0, y, label.text.clone(), Face::Text, "c")
                .anchored(anchor);
            let Some(there) = text.text_box() else { break };
            let down = Rect::new(label.x - 1.0, bottom, 2.0, y - 4.0 - bottom);
            if there.right() <= right && taken.is_free(there) && taken.is_free(down) {
                taken.take(there);
                taken.take(down);
                let line = Path::new().to(label.x, bottom + 1.0).v(y - 4.0).h(label.x + way * 5.0);
                marks.push(Mark::path(line, "ax"));
                marks.push(text);
                break;
            }
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Scene, Shape};

    fn texts(labels: &[(f64, &str)]) -> (Scene, Vec<String>) {
        let labels =
            labels.iter().map(|(x, text)| Label { x: *x, text: (*text).to_owned() }).collect();
        let marks = leaders(labels, 0.0, 400.0, &mut Taken::default());
        let scene = Scene { width: 400.0, height: 160.0, label: String::new(), marks };
        let texts = scene.marks.iter().filter_map(|mark| match &mark.shape {
            Shape::Text { y, text, .. } => Some(format!("{text}@{y}")),
            _ => None,
        });
        let texts = texts.collect();
        (scene, texts)
    }

    #[test]
    fn labels_that_are_close_go_to_rows_of_their_own() {
        let (scene, texts) =
            texts(&[(300.0, "Statistics.db"), (306.0, "Filter.db"), (310.0, "TOC")]);
        assert_eq!(texts, ["Statistics.db@18", "Filter.db@34", "TOC@50"]);
        assert_eq!(scene.faults(), Vec::<String>::new());
    }

    #[test]
    fn labels_at_the_left_edge_stand_on_the_right_of_their_leader() {
        let (scene, texts) = texts(&[(3.0, "Data.db 27 B"), (9.0, "Filter.db 16 B")]);
        assert_eq!(texts, ["Filter.db 16 B@18", "Data.db 27 B@34"]);
        assert_eq!(scene.faults(), Vec::<String>::new());
    }
}
