//! Writing text for people: colours on a terminal only, columns, paragraphs of 80 characters.

use std::io::{self, BufWriter, IsTerminal as _, StdoutLock, Write};

/// Characters of a line.
const WIDTH: usize = 80;

/// When text is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How text looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// As the terminal has it.
    Plain,
    /// What a section is about.
    Head,
    /// What is less important.
    Dim,
    /// All is well.
    Good,
    /// Worth a look.
    Odd,
    /// Broken.
    Bad,
}

/// The standard output.
pub struct Out {
    to: BufWriter<StdoutLock<'static>>,
    coloured: bool,
}

impl Out {
    /// The standard output, locked.
    pub fn new(colour: Colour) -> Self {
        let coloured = match colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => {
                let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                io::stdout().is_terminal() && !unwanted
            }
        };
        Self { to: BufWriter::with_capacity(64 << 10, io::stdout().lock()), coloured }
    }

    /// Text in a look.
    pub fn paint(&self, look: Look, text: &str) -> String {
        let code = match look {
            Look::Plain => "",
            Look::Head => "1",
            Look::Dim => "2",
            Look::Good => "32",
            Look::Odd => "33",
            Look::Bad => "1;31",
        };
        if self.coloured && !code.is_empty() && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    /// A line in a look.
    pub fn line(&mut self, look: Look, text: &str) -> io::Result<()> {
        let text = self.paint(look, text);
        writeln!(self.to, "{text}")
    }

    /// A paragraph, each line indented and at most 80 characters long where words allow it.
    pub fn paragraph(&mut self, indent: usize, look: Look, text: &str) -> io::Result<()> {
        for line in wrap(text, WIDTH.saturating_sub(indent)) {
            let line = self.paint(look, line);
            writeln!(self.to, "{:indent$}{line}", "")?;
        }
        Ok(())
    }

    /// Rows of a table, columns aligned and two blanks apart; the last column goes on in further lines.
    pub fn table(
        &mut self,
        indent: usize,
        columns: &[Column],
        rows: &[Vec<Cell>],
    ) -> io::Result<()> {
        let widths: Vec<usize> = (0..columns.len())
            .map(|at| rows.iter().filter_map(|row| row.get(at)).map(Cell::width).max().unwrap_or(0))
            .collect();
        for row in rows {
            let mut line = " ".repeat(indent);
            let mut used = indent;
            let last = row.len().saturating_sub(1);
            for (at, cell) in row.iter().enumerate() {
                let width = widths.get(at).copied().unwrap_or(0);
                if at == last && columns.get(at) == Some(&Column::Left) {
                    let room = WIDTH.saturating_sub(used).max(12);
                    let lines = wrap(&cell.text, room);
                    let lines: Vec<String> =
                        lines.into_iter().map(|line| self.paint(cell.look, line)).collect();
                    line.push_str(&lines.join(&format!("\n{}", " ".repeat(used))));
                    continue;
                }
                let gap = " ".repeat(width.saturating_sub(cell.width()));
                let text = self.paint(cell.look, &cell.text);
                match columns.get(at) {
                    Some(Column::Right) => line.push_str(&format!("{gap}{text}")),
                    _ if at == last => line.push_str(&text),
                    _ => line.push_str(&format!("{text}{gap}")),
                }
                if at < last {
                    line.push_str("  ");
                }
                used += width + 2;
            }
            writeln!(self.to, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.to.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// How a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// A cell of a table.
#[derive(Clone, Debug)]
pub struct Cell {
    text: String,
    look: Look,
}

impl Cell {
    /// Text in a look.
    pub fn new(look: Look, text: impl Into<String>) -> Self {
        Self { text: text.into(), look }
    }

    fn width(&self) -> usize {
        self.text.chars().count()
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::new(Look::Plain, text)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::new(Look::Plain, text)
    }
}

/// A row of plain cells.
pub fn row<const N: usize>(cells: [&str; N]) -> Vec<Cell> {
    cells.map(Cell::from).into()
}

/// A number with its thousands apart: `1,234,567`.
pub fn number(n: u64) -> String {
    triescope_core::lookup::words::number(n, ',')
}

/// A number of things: `1 page`, `2 pages`.
pub fn count(n: u64, one: &str) -> String {
    if n == 1 {
        return format!("1 {one}");
    }
    match one.strip_suffix('y') {
        Some(stem) => format!("{} {stem}ies", number(n)),
        None if one.ends_with("ch") => format!("{} {one}es", number(n)),
        None => format!("{} {one}s", number(n)),
    }
}

/// Text cut to so many characters, the last one an ellipsis where some are left out.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(most.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// Breaks at blanks into lines of at most `most` characters; a longer word stays whole.
fn wrap(text: &str, most: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let (mut start, mut end, mut room) = (0, 0, most);
        for word in paragraph.split_inclusive(' ') {
            let length = word.trim_end().chars().count();
            if length > room && end > start {
                lines.push(paragraph[start..end].trim_end());
                (start, room) = (end, most);
            }
            end += word.len();
            room = room.saturating_sub(word.chars().count());
        }
        lines.push(paragraph[start..end].trim_end());
    }
    if lines.is_empty() {
        lines.push("");
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_break_at_blanks_and_long_words_stay_whole() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("a antidisestablishment b", 5), ["a", "antidisestablishment", "b"]);
        assert_eq!(wrap("", 5), [""]);
    }

    #[test]
    fn numbers_of_things_are_words() {
        assert_eq!(count(1, "page"), "1 page");
        assert_eq!(count(1234, "entry"), "1,234 entries");
        assert_eq!(count(2, "fetch"), "2 fetches");
        assert_eq!(cut("abcdef", 4), "abc…");
    }
}
