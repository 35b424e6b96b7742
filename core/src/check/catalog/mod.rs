//! The list of all checks, area by area. `docs/checks.md` is generated from it.

pub(crate) mod data;
pub(crate) mod files;
pub(crate) mod filter;
pub(crate) mod index;
pub(crate) mod layout;
pub(crate) mod rows;
pub(crate) mod statistics;
pub(crate) mod summary;
pub(crate) mod trie;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// What a rule is about, and the first word of its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Area {
    /// The set of files: names, TOC.txt, checksums of whole files.
    Files,
    /// Partitions.db.
    Trie,
    /// Rows.db.
    Rows,
    /// Index.db and its promoted index.
    Index,
    /// Summary.db.
    Summary,
    /// Statistics.db.
    Statistics,
    /// Filter.db.
    Filter,
    /// Data.db and its chunks.
    Data,
    /// Valid, but dear to read.
    Layout,
}

/// How bad it is when a rule is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing has to be done.
    Note,
    /// Valid, but costs more than it should, or looks like the trace of a fault.
    Suspicious,
    /// Readers get wrong answers or errors.
    Broken,
}

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// `area/what`, stable: scripts and links name it.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The rule in one sentence: what holds in a healthy table.
    pub rule: &'static str,
    /// What it means to a reader of the table when it does not hold, in one sentence.
    pub meaning: &'static str,
    /// The page of `docs/format` with the heading's anchor: `trie.md#nodes`.
    pub page: &'static str,
}

/// All areas with their checks, in the order of the documentation.
pub const ALL: [(Area, &[Check]); 9] = [
    (Area::Files, files::ALL),
    (Area::Trie, trie::ALL),
    (Area::Rows, rows::ALL),
    (Area::Index, index::ALL),
    (Area::Summary, summary::ALL),
    (Area::Statistics, statistics::ALL),
    (Area::Filter, filter::ALL),
    (Area::Data, data::ALL),
    (Area::Layout, layout::ALL),
];

/// The check with this id.
pub fn find(id: &str) -> Option<&'static Check> {
    ALL.iter().flat_map(|(_, checks)| checks.iter()).find(|check| check.id == id)
}

impl Area {
    /// The first word of the ids.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Trie => "trie",
            Self::Rows => "rows",
            Self::Index => "index",
            Self::Summary => "summary",
            Self::Statistics => "statistics",
            Self::Filter => "filter",
            Self::Data => "data",
            Self::Layout => "layout",
        }
    }
}

impl Severity {
    /// As it is written: `broken`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Suspicious => "suspicious",
            Self::Broken => "broken",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A check in a finding is written as its id.
pub(super) fn to_id<S: Serializer>(
    check: &&'static Check,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(check.id)
}

/// And read back from it.
pub(super) fn from_id<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<&'static Check, D::Error> {
    let id = String::deserialize(deserializer)?;
    find(&id).ok_or_else(|| de::Error::custom(format_args!("no check is called {id}")))
}

/// The constants of one area, and the list of them.
macro_rules! checks {
    ($($name:ident = $severity:ident $id:literal, $rule:literal, $meaning:literal, $page:literal;)*) => {
        $(
            #[doc = $rule]
            pub(crate) const $name: &crate::check::Check = &crate::check::Check {
                id: $id,
                severity: crate::check::Severity::$severity,
                rule: $rule,
                meaning: $meaning,
                page: $page,
            };
        )*
        /// All of this area.
        pub(crate) const ALL: &[crate::check::Check] = &[$(*$name),*];
    };
}
use checks;
