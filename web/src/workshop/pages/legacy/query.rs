//! What the query of the tab says, beside the selection that all boards share.

use crate::board::{BoardAsk, value};
use triescope_core::race::LegacyReader;

/// Words of the query. What is not said is chosen by the board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Whose samples: those that Cassandra would use, the file's own where there are some, or those of ScyllaDB.
    pub by: LegacyBy,
    /// Number of the sample, from 0.
    pub sample: Option<u64>,
    /// Number of the entry in the sample's window, from 0.
    pub entry: Option<u64>,
    /// Number of the block in the promoted index. `block` is taken: it is the size of row blocks in a lookup.
    pub promoted: Option<u64>,
    /// Whether samples may be made of a large Index.db.
    pub make: bool,
    /// A sample that was typed.
    pub goto: Option<u64>,
    /// The form of a text.
    pub text: String,
}

/// Whose samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LegacyBy {
    /// The file's own, or each so-manyth entry as Cassandra makes them.
    #[default]
    Own,
    /// As ScyllaDB samples by bytes.
    Scylla,
}

impl LegacyBy {
    /// The reader that enters the index by them.
    pub const fn reader(self) -> LegacyReader {
        match self {
            Self::Own => LegacyReader::Cassandra,
            Self::Scylla => LegacyReader::Scylla,
        }
    }

    /// The word in the query; none for the default.
    pub const fn word(self) -> Option<&'static str> {
        match self {
            Self::Own => None,
            Self::Scylla => Some("scylla"),
        }
    }
}

impl Query {
    /// What a query says; words that are not known count as not said.
    pub fn of(ask: &BoardAsk) -> Self {
        let number = |name: &str| value(&ask.query, name)?.trim().parse().ok();
        let by = match value(&ask.query, "by").as_deref() {
            Some("scylla") => LegacyBy::Scylla,
            _ => LegacyBy::Own,
        };
        Self {
            by,
            sample: number("sample"),
            entry: number("entry"),
            promoted: number("promoted"),
            make: value(&ask.query, "make").is_some(),
            goto: number("goto"),
            text: value(&ask.query, "text").unwrap_or_default(),
        }
    }
}
