//! The query of the packing view: what it asks for.

use crate::board::{BoardAsk, value};
use triescope_core::limits::TYPED_KEYS;
use triescope_core::replay::Generated;

/// Who packs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// Apache Cassandra.
    Cassandra,
    /// ScyllaDB.
    Scylla,
    /// Both, side by side.
    Both,
}

impl Show {
    /// In the order of their links: word in the query, words on the link, short words.
    pub const ALL: [(Self, &'static str, &'static str, &'static str); 3] = [
        (Self::Cassandra, "cassandra", "Cassandra, a node a byte", "Cassandra"),
        (Self::Scylla, "scylla", "ScyllaDB, chains", "ScyllaDB"),
        (Self::Both, "both", "Both", "Both"),
    ];
}

/// Keys that belong to no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keys {
    /// One a line.
    Typed(String),
    /// So many of a kind.
    Made(Generated, u32),
}

/// Kinds of keys that are made, with their words in the query and on their links.
pub const MADE: [(Generated, &str, &str); 4] = [
    (Generated::Counters, "counters", "Counters"),
    (Generated::Uuids, "uuids", "UUIDs"),
    (Generated::Words, "words", "Words"),
    (Generated::LongCommonPrefix, "prefix", "Long prefix"),
];

/// Where to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goto {
    /// The last step.
    Last,
    /// This step, counted from 1.
    Step(u64),
    /// To the next step that begins a page.
    Next,
    /// Back to the last step before this one that begins a page.
    Previous,
    /// To what begins this page.
    Page(u64),
    /// To what wrote the byte at this position of the file.
    Byte(u64),
    /// To the padding at the end of this page, and what caused it.
    Padding(u64),
    /// What was typed is none of these.
    Unknown(String),
}

/// A query, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Who packs; `None` leaves it to the file.
    pub writer: Option<Show>,
    /// Whether each key and each node is a step, not only what is decided.
    pub every: bool,
    /// The partition key as typed whose trie in Rows.db is meant; empty for the first that has one.
    pub rows: Option<String>,
    /// The keys, where they belong to no file.
    pub keys: Keys,
    /// Where to go.
    pub to: Goto,
    /// The step that was shown, where that leads nowhere.
    pub step: Option<u64>,
}

impl Query {
    /// Reads it. What it does not say, or says in words that are not known, is left to the defaults.
    pub fn of(ask: &BoardAsk) -> Self {
        let of = |name: &str| value(&ask.query, name);
        let writer = of("writer");
        let known = Show::ALL.into_iter().find(|(_, word, ..)| Some(*word) == writer.as_deref());
        let made = of("make");
        let made = MADE.into_iter().find(|(_, word, _)| Some(*word) == made.as_deref());
        let keys = match made {
            Some((made, ..)) => {
                let count = of("n").and_then(|count| count.parse().ok()).unwrap_or(1_000);
                Keys::Made(made, u32::clamp(count, 1, most_keys()))
            }
            None => Keys::Typed(ask.keys.clone().or_else(|| of("keys")).unwrap_or_default()),
        };
        let step = of("step").and_then(|step| step.parse().ok());
        let to = match of("goto") {
            Some(typed) => goto(&typed),
            None => step.map_or(Goto::Last, Goto::Step),
        };
        let every = of("steps").as_deref() == Some("all");
        Self { writer: known.map(|(show, ..)| show), every, rows: of("rows"), keys, to, step }
    }
}

/// Most keys that are made.
fn most_keys() -> u32 {
    u32::try_from(TYPED_KEYS).unwrap_or(u32::MAX)
}

fn goto(typed: &str) -> Goto {
    let text = typed.trim().to_lowercase();
    let number = |text: &str| {
        let digits: String = text.chars().filter(|c| !matches!(c, ',' | ' ')).collect();
        match digits.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None => digits.parse().ok(),
        }
    };
    let after = |word: &str| text.strip_prefix(word).and_then(number);
    match text.as_str() {
        "next" => return Goto::Next,
        "previous" => return Goto::Previous,
        "last" => return Goto::Last,
        _ => {}
    }
    if let Some(page) = after("page") {
        Goto::Page(page)
    } else if let Some(at) = after("@") {
        Goto::Byte(at)
    } else if let Some(page) = after("padding").or_else(|| after("pad")) {
        Goto::Padding(page)
    } else if let Some(step) = after("step").or_else(|| number(&text)) {
        Goto::Step(step)
    } else {
        Goto::Unknown(typed.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::address::View;

    fn ask(query: &str) -> BoardAsk {
        BoardAsk {
            view: View::Packing,
            tables: (None, None),
            place: "#/packing".into(),
            query: query.into(),
            keys: None,
            width: 1440,
            height: 700,
        }
    }

    #[test]
    fn a_query_says_writer_keys_and_step() {
        let query = Query::of(&ask("writer=scylla&steps=all&make=uuids&n=50&step=7"));
        assert_eq!((query.writer, query.every), (Some(Show::Scylla), true));
        assert_eq!((query.keys, query.to), (Keys::Made(Generated::Uuids, 50), Goto::Step(7)));
        let odd = Query::of(&ask("writer=me&steps=few&make=x&step=-1&keys=a%0Ab"));
        assert_eq!((odd.writer, odd.every, odd.to), (None, false, Goto::Last));
        assert_eq!(odd.keys, Keys::Typed("a\nb".into()));
        let most = Query::of(&ask("make=words&n=4000000000"));
        assert_eq!(most.keys, Keys::Made(Generated::Words, most_keys()));
    }

    #[test]
    fn what_is_typed_leads_somewhere() {
        for (typed, to) in [
            ("page 7", Goto::Page(7)),
            ("Page7", Goto::Page(7)),
            ("@32,118", Goto::Byte(32_118)),
            ("@0x1f40", Goto::Byte(0x1f40)),
            ("padding 5", Goto::Padding(5)),
            ("step 52", Goto::Step(52)),
            ("52", Goto::Step(52)),
            ("next", Goto::Next),
            ("here", Goto::Unknown("here".into())),
        ] {
            assert_eq!(goto(typed), to);
        }
    }
}
