//! How the keys of a table are written in the words for its steps.

use crate::keys::{ClusteringSchema, KeySchema};
use crate::lookup::words::{Names, NoNames};
use crate::table::TableFacts;
use serde_bytes::ByteBuf;

/// Keys as CQL text, by the types that Statistics.db names; as hex where they are not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableNames {
    key: KeySchema,
    clustering: ClusteringSchema,
}

impl TableNames {
    /// The names of a table.
    pub fn of(facts: &TableFacts) -> Self {
        let classes = &facts.classes;
        Self {
            key: classes.key.as_deref().map(KeySchema::from_class).unwrap_or_default(),
            clustering: ClusteringSchema::from_classes(
                classes.clustering.iter().map(String::as_str),
            ),
        }
    }
}

impl Names for TableNames {
    fn key(&self, key: &[u8]) -> String {
        if self.key.is_known() { shorten(self.key.to_text(key)) } else { NoNames.key(key) }
    }

    fn row(&self, values: &[Option<ByteBuf>]) -> String {
        if self.clustering.columns().is_empty() {
            NoNames.row(values)
        } else {
            let values = values.iter().map(|value| value.as_ref().map(|value| value.as_slice()));
            shorten(self.clustering.to_text(values))
        }
    }
}

/// Keys may have kilobytes; a sentence has room for forty characters of one.
fn shorten(text: String) -> String {
    const ROOM: usize = 40;
    if text.chars().count() <= ROOM {
        return text;
    }
    let start: String = text.chars().take(ROOM - 8).collect();
    let end: Vec<char> = text.chars().rev().take(6).collect();
    let end: String = end.into_iter().rev().collect();
    format!("{start}…{end}")
}
