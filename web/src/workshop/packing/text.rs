//! Text with emphasis, from a template: backticks for bytes, two asterisks for what matters.

use triescope_core::lookup::words::{Span, Style, Text};

/// The text of a template.
pub fn rich(template: &str) -> Text {
    let mut text = Text::default();
    let mut style = Style::Plain;
    let mut rest = template;
    while let Some(at) = rest.find(['`', '*']) {
        let (before, from) = rest.split_at(at);
        push(&mut text, before, style);
        let (mark, wide) = match from.starts_with("**") {
            true => (Style::Strong, 2),
            false if from.starts_with('`') => (Style::Code, 1),
            false => {
                push(&mut text, "*", style);
                rest = &from[1..];
                continue;
            }
        };
        style = if style == mark { Style::Plain } else { mark };
        rest = &from[wide..];
    }
    push(&mut text, rest, style);
    text
}

/// Plain text.
pub fn plain(text: impl Into<String>) -> Text {
    Text(vec![Span { text: text.into(), style: Style::Plain }])
}

fn push(text: &mut Text, piece: &str, style: Style) {
    if !piece.is_empty() {
        text.0.push(Span { text: piece.to_owned(), style });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_styles() {
        let text = rich("Page 7 has **650 B** left; `a7` goes in, 2 * 3.");
        assert_eq!(text.plain(), "Page 7 has 650 B left; a7 goes in, 2 * 3.");
        let styles: Vec<_> = text.0.iter().map(|span| (span.text.as_str(), span.style)).collect();
        assert!(
            styles.contains(&("650 B", Style::Strong)) && styles.contains(&("a7", Style::Code))
        );
    }
}
