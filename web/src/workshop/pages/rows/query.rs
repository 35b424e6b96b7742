//! The query of the rows: which item is chosen, and what was typed to get somewhere else.

use crate::board::{BoardAsk, value, with};
use crate::workshop::selection::Selection;
use triescope_core::table::Part;

/// A query, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Position of an item in the uncompressed Data.db.
    pub item: Option<u64>,
    /// What was typed.
    pub to: Option<Goto>,
    /// A chunk of Data.db that is chosen elsewhere.
    pub chunk: Option<u64>,
}

/// Where to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goto {
    /// To a block.
    Block(u64),
    /// To a position.
    At(u64),
    /// To a row, as its clustering is typed.
    Row(String),
}

impl Query {
    /// Reads it.
    pub fn of(ask: &BoardAsk) -> Self {
        let item = value(&ask.query, "item").and_then(|item| item.parse().ok());
        let typed = value(&ask.query, "goto").filter(|typed| !typed.trim().is_empty());
        let chosen = Selection::of(ask);
        let chunk = chosen.page.filter(|_| chosen.part == Some(Part::Data)).map(|page| page.0);
        Self { item, to: typed.map(|typed| goto(&typed)), chunk }
    }

    /// The query of an address that shows an item.
    pub fn put(query: &str, item: Option<u64>) -> String {
        let item = item.map(|item| item.to_string());
        let clean = ["text", "goto", "item"]
            .iter()
            .fold(query.to_owned(), |query, name| with(&query, name, None));
        with(&with(&clean, "as", Some("rows")), "item", item.as_deref())
    }
}

fn goto(typed: &str) -> Goto {
    let text = typed.trim();
    let number = |text: &str| {
        let digits: String = text.chars().filter(|c| !matches!(c, ',' | ' ')).collect();
        digits.parse::<u64>().ok()
    };
    let after = |word: &str| {
        let (start, rest) = text.split_at_checked(word.len())?;
        start.eq_ignore_ascii_case(word).then_some(rest).and_then(number)
    };
    match (after("block"), after("@")) {
        (Some(block), _) => Goto::Block(block),
        (_, Some(at)) => Goto::At(at),
        _ => Goto::Row(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_leads_somewhere() {
        assert_eq!(goto("Block 1,200"), Goto::Block(1200));
        assert_eq!(goto("@ 23,307"), Goto::At(23_307));
        assert_eq!(goto("25"), Goto::Row("25".into()));
        assert_eq!(goto("é"), Goto::Row("é".into()));
    }

    #[test]
    fn an_item_takes_the_place_of_what_was_typed() {
        assert_eq!(
            Query::put("as=rows&item=3&goto=block%202&part=Data", Some(9)),
            "part=Data&as=rows&item=9"
        );
        assert_eq!(Query::put("as=rows&item=3", None), "as=rows");
    }
}
