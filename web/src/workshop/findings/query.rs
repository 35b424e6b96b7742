//! What the query of the view says: the check, which of its findings, and what is to be looked into.

use crate::board::{BoardAsk, value};
use crate::workshop::selection::{Selection, word};
use triescope_core::pos::FilePos;
use triescope_core::table::Part;

/// A query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The id of a check.
    pub check: Option<String>,
    /// Which of its findings.
    pub n: usize,
    /// Only checks that fail are listed.
    pub is_failed_only: bool,
    /// Data.db is read too.
    pub is_deep: bool,
    /// The bit that explains the finding is searched.
    pub is_flip: bool,
    /// A bit that is changed in memory.
    pub attempt: Option<Bit>,
}

/// A bit of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bit {
    /// The component.
    pub part: Part,
    /// Its byte.
    pub at: FilePos,
    /// 0 is the lowest.
    pub bit: u8,
}

impl Query {
    /// What a query says; words that are not known count as not said.
    pub fn of(ask: &BoardAsk) -> Self {
        let word = |name: &str| value(&ask.query, name);
        let is = |name: &str, wanted: &str| word(name).as_deref() == Some(wanted);
        Self {
            check: word("check"),
            n: word("n").and_then(|n| n.parse().ok()).unwrap_or_default(),
            is_failed_only: is("show", "failed"),
            is_deep: is("deep", "1"),
            is_flip: is("flip", "1"),
            attempt: word("try").and_then(|text| Bit::read(&text)),
        }
    }

    /// The query, with a selection.
    pub fn print(&self, selection: Selection) -> String {
        let mut pairs = Vec::new();
        pairs.extend(self.check.as_ref().map(|check| format!("check={check}")));
        pairs.extend((self.n > 0).then(|| format!("n={}", self.n)));
        let flags = [
            (self.is_failed_only, "show=failed"),
            (self.is_deep, "deep=1"),
            (self.is_flip, "flip=1"),
        ];
        pairs.extend(flags.iter().filter(|(is, _)| *is).map(|(_, text)| (*text).to_owned()));
        pairs.extend(self.attempt.map(|bit| format!("try={}", bit.print())));
        selection.put(&pairs.join("&"))
    }

    /// Another finding: what was looked into belongs to the one before.
    pub fn finding(&self, check: &str, n: usize) -> Self {
        let (check, is_flip, attempt) = (Some(check.to_owned()), false, None);
        Self { check, n, is_flip, attempt, ..self.clone() }
    }
}

impl Bit {
    fn read(text: &str) -> Option<Self> {
        let (part, rest) = text.split_once('@')?;
        let (at, bit) = rest.split_once(':')?;
        let part = Part::ALL.into_iter().find(|it| word(*it) == part)?;
        let bit = bit.parse().ok().filter(|bit| *bit < 8)?;
        Some(Self { part, at: FilePos(at.parse().ok()?), bit })
    }

    fn print(self) -> String {
        format!("{}@{}:{}", word(self.part), self.at.0, self.bit)
    }
    /// The byte with this bit alone.
    pub const fn mask(self) -> u8 {
        1 << (self.bit & 7)
    }
}
