//! What the page says of a state: the sentence of the step, the live region, the title.

use super::address::View;
use super::clock::Tick;
use super::intent::Side;
use super::store::State;
use triescope_core::error::Kind;
use triescope_core::lookup::words::{self, ENGLISH, Runner, Text};
use triescope_core::lookup::{
    Answer, Confirmation, DataStep, FilterAnswer, FilterStep, NotConfirmed, Record,
    RowConfirmation, Step,
};
use triescope_core::race::{Race, TableNames};
use triescope_core::table::TableFacts;

/// The record of a lane.
pub fn record(race: &Race, side: Side) -> Option<&Record> {
    match side {
        Side::Trie => race.trie.as_ref().map(|lane| &lane.record),
        Side::Legacy => race.legacy.as_ref().map(|lane| &lane.lane.record),
    }
}

/// The sentence of the step that has happened last.
pub fn sentence(state: &State) -> Text {
    match (&state.race, state.clock.latest(state.at)) {
        (Some(race), Some(tick)) => of_tick(race, &names(state), tick),
        _ => Text::default(),
    }
}

fn names(state: &State) -> TableNames {
    state.open().and_then(|tables| tables.facts()).map(TableNames::of).unwrap_or_default()
}

fn of_tick(race: &Race, names: &TableNames, tick: Tick) -> Text {
    match record(race, tick.side) {
        Some(record) => words::sentence(&ENGLISH, names, record, tick.step),
        None => Text::default(),
    }
}

/// What the race has shown, so far or at its end.
pub fn verdict(state: &State) -> Option<String> {
    let race = state.race.as_ref()?;
    let (t, l) = state.steps();
    let runner = |side: Side, done: usize| record(race, side).map(|record| Runner { record, done });
    Some(words::verdict(&ENGLISH, runner(Side::Trie, t), runner(Side::Legacy, l)).plain())
}

/// What a screen reader should hear: each step, at the end also the verdict; while it plays only fetches and answers,
/// since nobody speaks as fast as a lookup is played.
pub fn live(state: &State) -> String {
    if let Some(board) = state.current_board() {
        let is_said = !state.playing || board.is_worth_saying;
        return if is_said { board.said.clone() } else { String::new() };
    }
    if state.open().is_none() {
        return state.failure.clone().or_else(|| state.loading.clone()).unwrap_or_default();
    }
    let (Some(race), View::Lookup) = (&state.race, state.address.view) else {
        return String::new();
    };
    let at = if state.playing {
        let worth = |tick: &Tick| {
            tick.fetch
                || record(race, tick.side)
                    .and_then(|record| record.steps.get(tick.step))
                    .is_some_and(|step| matches!(step, Step::Answer(_)))
        };
        state.clock.ticks().iter().take(state.at).rposition(worth).map_or(0, |last| last + 1)
    } else {
        state.at
    };
    let Some(tick) = state.clock.latest(at) else { return String::new() };
    let lane = match tick.side {
        Side::Trie => "Trie",
        Side::Legacy => "Legacy",
    };
    let sentence = of_tick(race, &names(state), tick).plain();
    match verdict(state).filter(|_| at == state.clock.len()) {
        Some(verdict) => format!("{lane}: {sentence}. {verdict}"),
        None => format!("{lane}: {sentence}"),
    }
}

/// A file that could not be read during a race, and what can be done: bytes that are not here are no damage.
pub fn unreadable(race: &Race) -> Option<String> {
    let records = [Side::Trie, Side::Legacy].into_iter().filter_map(|side| record(race, side));
    let mut errors = records.flat_map(|record| &record.steps).filter_map(|step| match step {
        Step::Damage(error) | Step::Answer(Answer::Unknown(error)) => Some(error),
        Step::Filter(FilterStep { answer: FilterAnswer::Damaged(error), .. }) => Some(error),
        Step::Data(DataStep {
            key: Confirmation::NotConfirmed(NotConfirmed::Damaged(error)),
            ..
        }) => Some(error),
        Step::Data(DataStep { row: Some(RowConfirmation::NotRead { error }), .. }) => {
            error.as_ref()
        }
        _ => None,
    });
    errors.find_map(|error| match &error.kind {
        Kind::Unreadable { reason } => Some(format!(
            "{} cannot be read any more: {reason}. Choose the files again.",
            error.part
        )),
        _ => None,
    })
}

/// The title of the page.
pub fn title(state: &State) -> String {
    match state.open() {
        None if state.is_packing() => "Packing of your own keys · Triescope".to_owned(),
        None => "Triescope: see how an SSTable’s index finds a key".to_owned(),
        Some(tables) => match (state.address.view, &state.address.ask.key) {
            (View::Lookup, Some(key)) => format!("{key} in {} · Triescope", tables.name),
            (view, _) => format!("{} · {} · Triescope", tables.name, view.name()),
        },
    }
}

/// All steps of both lanes as text, a line each.
pub fn as_text(race: &Race, facts: Option<&TableFacts>) -> String {
    let names = facts.map(TableNames::of).unwrap_or_default();
    let mut out = format!("Lookup of {}\n", race.key.text);
    for (side, name) in [(Side::Trie, "Trie"), (Side::Legacy, "Legacy")] {
        let Some(record) = record(race, side) else { continue };
        out.push_str(&format!("\n{name}, {} steps\n", record.steps.len()));
        for step in 0..record.steps.len() {
            let text = words::sentence(&ENGLISH, &names, record, step).plain();
            out.push_str(&format!("{}. {text}\n", step + 1));
        }
    }
    out
}
