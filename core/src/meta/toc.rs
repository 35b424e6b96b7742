//! TOC.txt: the list of the components (`docs/format/files.md`).

use super::{read_whole, text};
use crate::error::{Error, ReadError};
use crate::limits;
use crate::pos::FilePos;
use crate::source::Source;
use crate::table::Part;

/// The components that TOC.txt lists, in its order, which means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toc {
    /// The lines.
    pub entries: Vec<TocEntry>,
}

/// A line of TOC.txt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TocEntry {
    /// The component's word, `Data.db`.
    pub name: String,
    /// The component, `None` where this program does not know the word.
    pub part: Option<Part>,
}

impl Toc {
    /// Reads the file whole (`limits::TOC_BYTES`). An empty list is damage.
    pub fn read<S: Source>(source: &S) -> Result<Self, Error> {
        let text = text(&read_whole(Part::Toc, source, limits::TOC_BYTES)?);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let entries: Vec<TocEntry> = lines
            .map(|name| TocEntry { name: name.to_owned(), part: Part::from_file_name(name) })
            .collect();
        if entries.is_empty() {
            let expected = "a component name a line";
            let error = ReadError::unexpected(Part::Toc, FilePos(0), "list", expected, "no names");
            return Err(error.into());
        }
        Ok(Self { entries })
    }

    /// Whether it lists a component.
    pub fn lists(&self, part: Part) -> bool {
        self.entries.iter().any(|entry| entry.part == Some(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f31_lines_are_names_in_any_order_and_unknown_ones_are_kept() {
        let toc = Toc::read(&&b"Data.db\n\nUNKNOWN.txt\nDigest.sha1\nTOC.txt"[..]).unwrap();
        let parts: Vec<_> = toc.entries.iter().map(|entry| entry.part).collect();
        assert_eq!(parts, [Some(Part::Data), None, Some(Part::Digest), Some(Part::Toc)]);
        assert!(toc.lists(Part::Digest) && !toc.lists(Part::Rows));
    }

    #[test]
    fn an_empty_toc_is_reported() {
        let error = Toc::read(&&b"\n"[..]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "TOC.txt, offset 0 (page 0 + 0), list: expected a component name a line, found no names"
        );
    }
}
