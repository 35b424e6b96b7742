//! Pieces of boards, and how they become HTML. All text goes through [`escape`] on its way.

use crate::layout::{Scene, svg};
use std::fmt::Write as _;
use triescope_core::lookup::words::{Style, Text};

/// A piece of a board.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A heading, with a caption beside it.
    Heading(String, String),
    /// A paragraph.
    Words(Text),
    /// Something that has to be noticed.
    Note(Text),
    /// A sum: large.
    Sum(Text),
    /// A picture. A mark with a hit number leads to the address of that number.
    Picture(Scene),
    /// Blocks beside each other.
    Beside(Vec<Vec<Block>>),
    /// Two columns of equal width.
    Halves(Vec<Vec<Block>>),
    /// A table.
    Table(Table),
    /// Lines of code, and which of them is at work.
    Code(Vec<String>, usize),
    /// Words that lead to an address.
    Lead(Text, String),
}

/// A table; all but the first column are numbers, on the right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What it holds, for those who do not see it.
    pub caption: String,
    /// Heads of the columns; none where the first column says it all.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

/// Text between tags, or between the quotes of an attribute.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Text with its emphasis.
pub fn spans(text: &Text) -> String {
    text.0.iter().fold(String::new(), |mut out, span| {
        let words = escape(&span.text);
        match span.style {
            Style::Plain => out.push_str(&words),
            Style::Code => out.push_str(&format!("<span class=\"m\">{words}</span>")),
            Style::Strong => out.push_str(&format!("<b>{words}</b>")),
        }
        out
    })
}

/// The address of a hit number.
pub type Leads<'a> = &'a dyn Fn(u32) -> String;

/// Blocks, one after the other.
pub fn html(blocks: &[Block], leads: Leads<'_>) -> String {
    blocks.iter().map(|it| block(it, leads)).collect()
}

fn block(block: &Block, leads: Leads<'_>) -> String {
    match block {
        Block::Heading(text, caption) => {
            format!("<h2>{} <span class=\"c\">{}</span></h2>", escape(text), escape(caption))
        }
        Block::Words(text) => format!("<p class=\"q sm\">{}</p>", spans(text)),
        Block::Note(text) => format!(
            "<p class=\"say-note\"><span class=\"jd warn\" aria-hidden=\"true\">!</span><span>{}</span></p>",
            spans(text)
        ),
        Block::Sum(text) => format!("<p class=\"sum\">{}</p>", spans(text)),
        Block::Picture(scene) => picture(scene, leads),
        Block::Beside(columns) => {
            let columns =
                columns.iter().map(|it| format!("<section>{}</section>", html(it, leads)));
            format!("<div class=\"beside\">{}</div>", columns.collect::<String>())
        }
        Block::Halves(columns) => {
            let columns = columns
                .iter()
                .map(|it| format!("<section class=\"pkboard\">{}</section>", html(it, leads)));
            format!("<div class=\"halves\">{}</div>", columns.collect::<String>())
        }
        Block::Table(it) => table(it),
        Block::Code(lines, now) => {
            let line = |(n, line): (usize, &String)| {
                let here = if n == *now { " aria-current=\"step\"" } else { "" };
                format!("<li{here}>{}</li>", escape(line))
            };
            let lines: String = lines.iter().enumerate().map(line).collect();
            format!("<ol class=\"code\" aria-label=\"The writer in ten lines\">{lines}</ol>")
        }
        Block::Lead(text, to) => {
            format!("<p class=\"sm\"><a href=\"{}\">{}</a></p>", escape(to), spans(text))
        }
    }
}

/// A picture; marks that lead somewhere are links, for the pointer: the keyboard has the text twin.
pub fn picture(scene: &Scene, leads: Leads<'_>) -> String {
    let text = svg(scene, None);
    let text = text.replacen("<svg ", "<svg class=\"pic\" ", 1);
    if scene.marks.iter().all(|mark| mark.hit.is_none()) {
        return text;
    }
    // An image has nothing in it that could be chosen; a group has.
    let text = text.replacen("role=\"img\"", "role=\"group\"", 1);
    // Its marks are the children in order, so those that lead somewhere are put into links one by one.
    let Some((open, rest)) = text.split_once('>') else { return text };
    let mut out = format!("{open}>");
    let mut rest = rest.strip_suffix("</svg>").unwrap_or(rest);
    for mark in &scene.marks {
        let end = match rest.starts_with("<text") {
            true => rest.find("</text>").map(|at| at + "</text>".len()),
            false => rest.find("/>").map(|at| at + 2),
        };
        let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
        match mark.hit {
            Some(hit) => {
                let to = escape(&leads(hit));
                let _ = write!(
                    out,
                    "<a href=\"{to}\" tabindex=\"-1\" aria-hidden=\"true\">{piece}</a>"
                );
            }
            None => out.push_str(piece),
        }
        rest = after;
    }
    out + rest + "</svg>"
}

fn table(table: &Table) -> String {
    let mut out =
        format!("<table class=\"tbl\"><caption class=\"vh\">{}</caption>", escape(&table.caption));
    let cell = |n: usize, text: &String, tag: (&str, &str)| {
        let text = escape(text);
        match n {
            0 => format!("<th scope=\"{}\">{text}</th>", tag.1),
            _ => format!("<{0} class=\"n\">{text}</{0}>", tag.0),
        }
    };
    let row = |cells: &[String], tag: (&str, &str)| {
        let cells = cells.iter().enumerate().map(|(n, text)| cell(n, text, tag));
        format!("<tr>{}</tr>", cells.collect::<String>())
    };
    if !table.head.is_empty() {
        let _ = write!(out, "<thead>{}</thead>", row(&table.head, ("th", "col")));
    }
    let rows: String = table.rows.iter().map(|cells| row(cells, ("td", "row"))).collect();
    let _ = write!(out, "<tbody>{rows}</tbody></table>");
    out
}

/// A key of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// `KeyboardEvent.key`.
    pub key: &'static str,
    /// As it stands in the help.
    pub shown: &'static str,
    /// What it does, in words.
    pub words: &'static str,
    /// What comes of it.
    pub does: Does,
}

/// What comes of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Does {
    /// It leads to this address.
    Leads(String),
    /// It copies this text.
    Copies(String),
    /// Nothing here, and it stands in the help all the same.
    Nothing,
}

/// The keys of a board: out of sight, shown by the help, and clicked when they are pressed.
pub fn keys(keys: &[Key]) -> String {
    let line = |it: &Key| {
        let does = match &it.does {
            Does::Leads(to) => format!(" data-to=\"{}\"", escape(to)),
            Does::Copies(text) => format!(" data-copy=\"{}\"", escape(text)),
            Does::Nothing => String::new(),
        };
        let (key, shown, words) = (escape(it.key), escape(it.shown), escape(it.words));
        format!("<div data-key=\"{key}\"{does}><dt><kbd>{shown}</kbd></dt><dd>{words}</dd></div>")
    };
    format!("<dl class=\"keys\" hidden>{}</dl>", keys.iter().map(line).collect::<String>())
}

/// One of several, as links in one frame: id, words, whether it is chosen, address.
pub fn seg(name: &str, choices: &[(String, &str, bool, String)]) -> String {
    let link = |(id, words, chosen, to): &(String, &str, bool, String)| {
        let here = if *chosen { " aria-current=\"true\"" } else { "" };
        format!("<a id=\"{id}\" href=\"{}\"{here}>{}</a>", escape(to), escape(words))
    };
    let links: String = choices.iter().map(link).collect();
    format!("<nav class=\"seg\" aria-label=\"{}\">{links}</nav>", escape(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Face, Mark, Rect};
    use crate::workshop::packing::text::rich;

    fn leads(hit: u32) -> String {
        format!("#/packing?step={}", hit + 1)
    }

    #[test]
    fn text_never_becomes_a_tag() {
        let bad = "<img src=x onerror=\"alert(1)\">&".to_owned();
        let blocks = [
            Block::Heading(bad.clone(), bad.clone()),
            Block::Words(rich(&bad)),
            Block::Table(Table {
                caption: bad.clone(),
                head: vec![bad.clone()],
                rows: vec![vec![bad.clone()]],
            }),
            Block::Code(vec![bad.clone()], 0),
            Block::Lead(rich(&bad), bad.clone()),
            Block::Picture(Scene {
                label: bad.clone(),
                marks: vec![Mark::text(0.0, 9.0, bad.clone(), Face::Text, "k").hit(1)],
                ..Scene::default()
            }),
        ];
        let out = html(&blocks, &leads) + &seg(&bad, &[("id".into(), &bad, true, bad.clone())]);
        assert!(!out.contains("<img") && !out.contains("\"alert"), "{out}");
    }

    #[test]
    fn marks_that_lead_to_a_step_are_links() {
        let scene = Scene {
            width: 9.0,
            height: 9.0,
            label: String::new(),
            marks: vec![
                Mark::rect(Rect::new(0.0, 0.0, 2.0, 2.0), "wr").hit(6),
                Mark::text(0.0, 9.0, "a/>b", Face::Text, "k"),
                Mark::path("M0 0H1", "ax").hit(7),
            ],
        };
        let out = html(&[Block::Picture(scene)], &leads);
        assert_eq!(out.matches("<a ").count(), 2, "{out}");
        assert!(out.contains("step=7\" tabindex=\"-1\" aria-hidden=\"true\"><rect"), "{out}");
        assert!(out.contains("step=8\" tabindex=\"-1\" aria-hidden=\"true\"><path"), "{out}");
        assert!(
            out.ends_with("</a></svg>") && out.contains("a/&gt;b</text>")
                || out.contains("a/>b</text>"),
            "{out}"
        );
    }
}
