//! What a view that is made in the workshop asks of it, and what it is told. The page knows little of such a board: the
//! workshop reads the query of the address, makes words and pictures, and gives them as HTML and SVG text; what can be
//! chosen in them are links to other addresses. So a board costs the first load next to nothing.

use crate::state::address::{Address, View};
use crate::worker::protocol::Which;
use serde::{Deserialize, Serialize};

/// Bytes of typed keys that a link holds.
pub const LINK_BYTES: usize = 2_000;

/// A question to the workshop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardAsk {
    /// The view.
    pub view: View,
    /// The SSTables that are open: trie, legacy. None for keys that belong to no file.
    pub tables: Which,
    /// The address up to its query: `#/s/p20k/packing`.
    pub place: String,
    /// The query: `writer=cassandra&step=52`.
    pub query: String,
    /// Typed keys that a link does not hold.
    pub keys: Option<String>,
    /// Width of the view in CSS pixels.
    pub width: u32,
    /// Height of the view in CSS pixels.
    pub height: u32,
}

impl BoardAsk {
    /// The same, for what is shown as text: the form is a name of the query.
    #[must_use]
    pub fn shown_as(mut self, form: &str) -> Self {
        if !form.is_empty() {
            self.query = with(&self.query, "text", Some(form));
        }
        self
    }

    /// Whether both ask about the same thing: an answer to one is on the way to that of the other.
    pub fn is_of(&self, other: &Self) -> bool {
        self.view == other.view && self.tables == other.tables && self.keys == other.keys
    }
}

/// What is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Board {
    /// The query of the address of what is shown: the step is in it.
    pub query: String,
    /// The step, counted from 1; 0 where there are none.
    pub at: u32,
    /// Steps in all.
    pub of: u32,
    /// The steps and the beginnings of pages on the scrub line: SVG paths over 1,000 units.
    pub ticks: (String, String),
    /// The sentence of the step, plain.
    pub said: String,
    /// Whether it is worth saying while it plays.
    pub is_worth_saying: bool,
    /// The sentence as HTML.
    pub sentence: String,
    /// The row above.
    pub head: String,
    /// The pictures.
    pub main: Vec<Part>,
    /// The panel.
    pub side: Vec<Part>,
}

/// A piece of a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// How it looks: `steps` is a list, `fold` folds away, others are classes of a section.
    pub class: String,
    /// Its title, where it is a list or folds away.
    pub title: String,
    /// What is in it.
    pub html: String,
}

/// A text in the one box, to be understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoxAsk {
    /// The SSTables that are open: trie, legacy.
    pub tables: Which,
    /// The address that is shown.
    pub address: String,
    /// The text.
    pub text: String,
}

/// What a text in the one box may mean.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Readings {
    /// The text.
    pub text: String,
    /// The most likely first.
    pub list: Vec<Reading>,
    /// What is wrong with it, a sentence.
    pub wrong: Option<String>,
}

/// One of the meanings of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// In words: `page 30 of Partitions.db`.
    pub words: String,
    /// Where it leads.
    pub to: String,
}

/// A query with another value; `None` takes it out. Another place begins at its last step again.
pub fn with(query: &str, name: &str, value: Option<&str>) -> String {
    let stays = matches!(name, "step" | "goto" | "writer");
    let kept = |pair: &&str| {
        let known = pair.split('=').next().unwrap_or_default();
        !pair.is_empty() && known != name && known != "goto" && (stays || known != "step")
    };
    let mut pairs: Vec<String> = query.split('&').filter(kept).map(str::to_owned).collect();
    pairs.extend(value.map(|value| format!("{name}={}", Address::encoded(value))));
    pairs.join("&")
}

/// The value of a name in a query.
pub fn value(query: &str, name: &str) -> Option<String> {
    let of = |pair: &str| {
        let (known, value) = pair.split_once('=')?;
        (known == name).then(|| Address::decoded(value))
    };
    query.split('&').find_map(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_takes_the_place_of_the_one_before() {
        assert_eq!(with("writer=scylla&step=3", "step", Some("4")), "writer=scylla&step=4");
        assert_eq!(with("step=3", "writer", Some("scylla")), "step=3&writer=scylla");
        assert_eq!(with("keys=a&step=3", "keys", Some("a\nb&c")), "keys=a%0Ab%26c");
        assert_eq!(with("step=3&goto=next", "goto", Some("page 7")), "step=3&goto=page%207");
        assert_eq!(with("keys=a", "keys", None), "");
        assert_eq!(value("keys=a%0Ab&step=2", "keys").as_deref(), Some("a\nb"));
        assert_eq!(value("step=2", "keys"), None);
    }
}
