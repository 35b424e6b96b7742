//! Words for the steps of a lookup: step data becomes a message (an id and arguments), and a language turns that into text.
//!
//! [`sentence`] is what is said while a step happens, [`short`] what stands in a list of steps, [`verdict`] what a race has
//! shown. A second language is a second table like [`ENGLISH`].

mod en;
mod message;
mod text;
mod verdict;

pub use en::ENGLISH;
pub use message::{Names, NoNames};
pub use text::{Arg, Id, Language, Message, Span, Style, Text, bytes, number};
pub use verdict::{Runner, verdict};

use super::{Record, SummarySource};

/// What is said while step number `step` (from 0) of `record` happens; empty for a step that does not exist.
pub fn sentence(language: &Language, names: &dyn Names, record: &Record, step: usize) -> Text {
    message::of(names, record, step)
        .map_or_else(Text::default, |message| language.sentence(&message))
}

/// How step number `step` stands in a list of steps.
pub fn short(language: &Language, names: &dyn Names, record: &Record, step: usize) -> Text {
    message::of(names, record, step).map_or_else(Text::default, |message| language.short(&message))
}

/// What stands where the sentence of a lane will be, before its first step: `summary` is where the samples of a
/// legacy index come from, `None` for a trie.
pub fn before(language: &Language, summary: Option<SummarySource>) -> Text {
    language.sentence(&message::before(summary))
}
