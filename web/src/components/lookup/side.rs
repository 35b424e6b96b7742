//! The side panel: verdict, table of costs, steps of both lanes in words.

use super::steps::{SharedNames, StepList, record};
use super::table::table;
use crate::components::spans::spans;
use crate::layout::lookup::score;
use crate::state::intent::{LookupIntent, Side};
use crate::views::LookupProps;
use triescope_core::lookup::words::{ENGLISH, Runner, Text, verdict};
use triescope_core::race::Race;
use yew::{Callback, Html, html};

/// The verdict on both lanes as far as they are.
pub fn verdict_of(race: &Race, t: usize, l: usize) -> Text {
    let runner = |side, done| record(race, side).map(|record| Runner { record, done });
    verdict(&ENGLISH, runner(Side::Trie, t), runner(Side::Legacy, l))
}

/// Whether both lanes have reached their ends.
pub fn at_end(race: &Race, t: usize, l: usize) -> bool {
    let ended = |side, done| record(race, side).is_none_or(|record| done >= record.steps.len());
    ended(Side::Trie, t) && ended(Side::Legacy, l)
}

/// The table of costs for these props; only its first rows on a phone.
pub fn costs(props: &LookupProps, race: &Race, only_main: bool) -> Html {
    let rows =
        score(race, props.trie.as_deref(), props.legacy.as_deref(), (props.t, props.l), props.warm);
    table(&rows, props.means.as_deref(), at_end(race, props.t, props.l), only_main)
}

/// The steps of one lane.
pub fn list(props: &LookupProps, side: Side, names: &SharedNames, tools: Html) -> Html {
    let Some(race) = &props.race else { return Html::default() };
    let done = if side == Side::Trie { props.t } else { props.l };
    let on_step: Callback<usize> = props.on.reform(move |step| LookupIntent::Go(side, step));
    let room = (props.means.is_some(), props.height as u32);
    html! { <StepList {room} race={race.clone()} {side} names={names.clone()} {done} {tools} {on_step} /> }
}

/// Copies the steps.
pub fn copy(props: &LookupProps, class: &'static str) -> Html {
    let text = props.on.reform(|_| LookupIntent::CopyText);
    let json = props.on.reform(|_| LookupIntent::CopyJson);
    html! {
        <>
            <button {class} aria-label="copy text of the steps of both lanes" onclick={text}>{ "copy text" }</button>
            <button {class} aria-label="JSON of the steps of both lanes, to copy" onclick={json}>{ "JSON" }</button>
        </>
    }
}

/// The panel.
pub fn side(props: &LookupProps, race: &Race, names: &SharedNames) -> Html {
    let first = if record(race, Side::Trie).is_some() { Side::Trie } else { Side::Legacy };
    let tools = |side| if side == first { copy(props, "lnk") } else { Html::default() };
    html! {
        <aside class="side" aria-label="Cost and steps">
            <section class="score" aria-label="Cost">
                <p class="verdict">{ spans(&verdict_of(race, props.t, props.l)) }</p>
                { costs(props, race, false) }
            </section>
            { list(props, Side::Trie, names, tools(Side::Trie)) }
            { list(props, Side::Legacy, names, tools(Side::Legacy)) }
        </aside>
    }
}
