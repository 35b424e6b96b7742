//! What a race has shown, in one sentence without a favourite.

use super::text::{Id, Language, Message, Text};
use crate::lookup::{AbsentWhy, Answer, Counts, Record, Step};

/// One lane, as far as it has come.
#[derive(Clone, Copy, Debug)]
pub struct Runner<'a> {
    /// Its record.
    pub record: &'a Record,
    /// Steps that have happened.
    pub done: usize,
}

impl Runner<'_> {
    fn counts(&self) -> Counts {
        self.record.counts(self.done)
    }

    fn finished(&self) -> bool {
        self.done >= self.record.steps.len()
    }

    fn answer(&self) -> Option<&Answer> {
        match self.record.steps.last() {
            Some(Step::Answer(answer)) => Some(answer),
            _ => None,
        }
    }
}

/// The verdict on one or two lanes; before their ends it says the fetches so far.
pub fn verdict(language: &Language, trie: Option<Runner<'_>>, legacy: Option<Runner<'_>>) -> Text {
    language.sentence(&message(trie, legacy))
}

fn message(trie: Option<Runner<'_>>, legacy: Option<Runner<'_>>) -> Message {
    let fetches = |runner: Option<Runner<'_>>| runner.map(|runner| runner.counts().fetches);
    let (t, l) = (fetches(trie), fetches(legacy));
    let lanes = || [trie, legacy].into_iter().flatten();
    if !lanes().all(|runner| runner.finished()) {
        return match (t, l) {
            (Some(t), Some(l)) => plain(Id::SoFar, &[t, l]),
            (Some(t), None) => plain(Id::SoFarTrie, &[t]),
            (None, l) => plain(Id::SoFarLegacy, &[l.unwrap_or(0)]),
        };
    }
    let ends =
        |wanted: fn(&Answer) -> bool| lanes().any(|runner| runner.answer().is_some_and(wanted));
    if lanes().count() > 0
        && lanes().all(|runner| runner.answer() == Some(&Answer::Absent(AbsentWhy::Filter)))
    {
        return plain(Id::VerdictFilter, &[]);
    }
    let counted = match (t, l) {
        (Some(0), Some(0)) if lanes().any(|runner| runner.counts().warm > 0) => {
            plain(Id::VerdictWarm, &[])
        }
        (Some(t), Some(l)) if t == l => plain(Id::VerdictSame, &[t]),
        (Some(t), Some(l)) if t > l => plain(Id::VerdictLegacyLess, &[t, l]),
        (Some(t), Some(l)) => plain(Id::VerdictBoth, &[t, l]),
        (Some(t), None) => plain(Id::VerdictTrie, &[t]),
        (None, l) => plain(Id::VerdictLegacy, &[l.unwrap_or(0)]),
    };
    if ends(|answer| matches!(answer, Answer::Unknown(_))) {
        wrap(Id::VerdictDamaged, counted)
    } else if ends(|answer| matches!(answer, Answer::Absent(_))) {
        wrap(Id::VerdictAbsent, counted)
    } else {
        counted
    }
}

fn plain(id: Id, numbers: &[u64]) -> Message {
    Message { id, args: numbers.iter().map(|n| (*n).into()).collect() }
}

fn wrap(id: Id, inner: Message) -> Message {
    Message { id, args: vec![inner.into()] }
}
