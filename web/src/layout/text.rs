//! How wide a text is, before any browser has seen it.
//!
//! The faces of `tokens.css` differ; what is measured here is the advance of Arial and its metric twins with a margin
//! that covers the wider ones, so a label that fits here fits everywhere.

use serde::{Deserialize, Serialize};

/// Face and size of a text in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Face {
    /// 12 px.
    Text,
    /// 12 px, strong.
    Strong,
    /// 12 px, fixed pitch: bytes.
    Mono,
    /// 13 px.
    Body,
    /// 13 px, strong.
    BodyStrong,
    /// 13 px, fixed pitch.
    BodyMono,
}

impl Face {
    /// Size in CSS pixels.
    pub const fn size(self) -> f64 {
        match self {
            Self::Text | Self::Strong | Self::Mono => 12.0,
            Self::Body | Self::BodyStrong | Self::BodyMono => 13.0,
        }
    }
}

/// Width of a text in CSS pixels, rounded up to what the widest of our faces needs.
pub fn width(text: &str, face: Face) -> f64 {
    let em = match face {
        Face::Mono | Face::BodyMono => text.chars().map(|_| 0.61).sum::<f64>(),
        Face::Text | Face::Body => 1.06 * text.chars().map(advance).sum::<f64>(),
        Face::Strong | Face::BodyStrong => 1.16 * text.chars().map(advance).sum::<f64>(),
    };
    em * face.size()
}

/// The first of these texts that fits into `room` pixels: from the long form to the short one.
pub fn fit<'a>(forms: &[&'a str], room: f64, face: Face) -> Option<&'a str> {
    forms.iter().copied().find(|text| width(text, face) <= room)
}

/// Advance of a character in em.
fn advance(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '\'' | '’' | '‘' => 0.222,
        '|' => 0.26,
        ' ' | '!' | ',' | '.' | '/' | ':' | ';' | 'I' | '[' | ']' | 'f' | 't' | '·' => 0.278,
        '(' | ')' | '-' | 'r' | '“' | '”' | '`' => 0.334,
        '"' | '*' | '{' | '}' => 0.39,
        'c' | 'k' | 's' | 'v' | 'x' | 'y' | 'z' | 'J' => 0.5,
        'F' | 'T' | 'Z' | '+' | '<' | '=' | '>' | '~' | '×' | '−' => 0.611,
        'A' | 'B' | 'E' | 'K' | 'P' | 'S' | 'V' | 'X' | 'Y' | '&' => 0.667,
        'C' | 'D' | 'H' | 'N' | 'R' | 'U' | 'w' => 0.722,
        'G' | 'O' | 'Q' => 0.778,
        'M' | 'm' => 0.833,
        'W' | '%' => 0.944,
        '…' | '—' | '@' => 1.02,
        c if c.is_ascii() => 0.556,
        // Other scripts: a full em for the wide ones is the safe side.
        c if (c as u32) < 0x2e80 => 0.7,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_cover_what_a_browser_measured() {
        // Liberation Sans 12 px in Chromium, and DejaVu Sans Mono.
        for (text, face, measured) in [
            ("Partitions.db", Face::Text, 66.70),
            ("162,365 B", Face::Text, 54.71),
            ("Statistics.db 10,269 B", Face::Text, 116.07),
            ("Partitions.db", Face::Strong, 73.34),
            ("Statistics.db 10,269 B", Face::Strong, 123.39),
            ("Partitions.db", Face::Mono, 93.92),
        ] {
            let ours = width(text, face);
            assert!((measured..measured * 1.12).contains(&ours), "{text}: {ours} for {measured}");
        }
    }

    #[test]
    fn the_longest_form_that_fits_is_taken() {
        let forms = ["Statistics.db 10,269 B", "Statistics.db", "Stat"];
        assert_eq!(fit(&forms, 200.0, Face::Text), Some("Statistics.db 10,269 B"));
        assert_eq!(fit(&forms, 90.0, Face::Text), Some("Statistics.db"));
        assert_eq!(fit(&forms, 10.0, Face::Text), None);
    }
}
