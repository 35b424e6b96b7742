//! StepList: every step of a lane in words, the twin of its picture.

use crate::components::spans::spans;
use crate::layout::lookup::{Listed, fetch, listed};
use crate::shared::Shared;
use crate::state::intent::Side;
use std::rc::Rc;
use triescope_core::lookup::Record;
use triescope_core::lookup::words::{ENGLISH, Names, number, short};
use triescope_core::race::Race;
use web_sys::HtmlElement;
use yew::{
    Callback, Html, KeyboardEvent, Properties, classes, function_component, html, use_effect_with,
    use_node_ref,
};

/// The words for the keys of a table.
#[derive(Clone)]
pub struct SharedNames(pub Rc<dyn Names>);

impl PartialEq for SharedNames {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// Props of [`StepList`].
#[derive(Clone, PartialEq, Properties)]
pub struct StepListProps {
    /// The race.
    pub race: Shared<Race>,
    /// Which lane.
    pub side: Side,
    /// How keys are written.
    pub names: SharedNames,
    /// Steps done.
    pub done: usize,
    /// Changes when the list gets another height.
    pub room: (bool, u32),
    /// Beside the heading.
    #[prop_or_default]
    pub tools: Html,
    /// Goes to the state after a step, counted from 1.
    pub on_step: Callback<usize>,
}

/// The record of a lane.
pub fn record(race: &Race, side: Side) -> Option<&Record> {
    match side {
        Side::Trie => race.trie.as_ref().map(|lane| &lane.record),
        Side::Legacy => race.legacy.as_ref().map(|lane| &lane.lane.record),
    }
}

/// `Trie`, `Legacy`.
pub const fn name(side: Side) -> &'static str {
    match side {
        Side::Trie => "Trie",
        Side::Legacy => "Legacy",
    }
}

/// The mark of a lane.
pub fn dot(side: Side) -> Html {
    html! { <span class={classes!("dot", (side == Side::Legacy).then_some("l"))} aria-hidden="true" /> }
}

/// The list with its heading.
#[function_component]
pub fn StepList(props: &StepListProps) -> Html {
    let list = use_node_ref();
    use_effect_with((props.done, props.race.clone(), props.room), {
        let list = list.clone();
        move |_| {
            if let Some(list) = list.cast() {
                keep_in_sight(&list);
            }
        }
    });
    let Some(record) = record(&props.race, props.side) else { return Html::default() };
    let count = record.steps.len();
    let onkeydown = {
        let (on_step, done) = (props.on_step.clone(), props.done);
        Callback::from(move |event: KeyboardEvent| {
            let to = match event.key().as_str() {
                "ArrowUp" => done.saturating_sub(1).max(1),
                "ArrowDown" => (done + 1).min(count),
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            on_step.emit(to);
        })
    };
    let steps = number(count as u64, ',');
    let title = match (record.dropped, count) {
        (0, 1) => format!("{}, 1 step", name(props.side)),
        (0, _) => format!("{}, {steps} steps", name(props.side)),
        (more, _) => {
            format!("{}, {steps} steps and {} not kept", name(props.side), number(more, ','))
        }
    };
    let label = format!("{}, steps in words", name(props.side));
    html! {
        <section class={classes!("steps", (props.side == Side::Trie).then_some("st"))} ref={list} aria-label={label}>
            <h3>{ dot(props.side) }{ title }<span class="sp" />{ props.tools.clone() }</h3>
            <ol {onkeydown}>
                { for listed(count, props.done).into_iter().map(|item| match item {
                    Listed::Step(step) => self::step(props, record, step),
                    Listed::Gap(from, to) => gap(props, from, to),
                }) }
            </ol>
        </section>
    }
}

fn step(props: &StepListProps, record: &Record, step: usize) -> Html {
    let number = step + 1;
    let state = match number {
        n if n == props.done => Some("now"),
        n if n > props.done => Some("todo"),
        _ => None,
    };
    let now = state == Some("now");
    // One stop for Tab: the current step, or the first one before the start.
    let tabbed = now || (props.done == 0 && step == 0);
    let badge = fetch(record, step).map(|nth| {
        let class = classes!("pgbadge", (props.side == Side::Legacy).then_some("l"));
        html! { <><span {class}>{ nth }</span>{ " " }</> }
    });
    html! {
        <li key={step} class={state} aria-current={now.then_some("step")}>
            <button tabindex={if tabbed { "0" } else { "-1" }} onclick={props.on_step.reform(move |_| number)}>
                <span class="no">{ number }</span>
                <span>{ badge }{ spans(&short(&ENGLISH, &*props.names.0, record, step)) }</span>
            </button>
        </li>
    }
}

fn gap(props: &StepListProps, from: usize, to: usize) -> Html {
    let middle = from + (to - from) / 2 + 1;
    let text = format!("{} steps, {} to {}", number((to - from) as u64, ','), from + 1, to);
    html! {
        <li key={format!("gap {from}")} class="gap">
            <button tabindex="-1" onclick={props.on_step.reform(move |_| middle)}>
                <span class="no">{ "…" }</span>
                <span>{ text }</span>
            </button>
        </li>
    }
}

/// Scrolls the list, and nothing around it, so that the current step is seen; the focus goes with it.
pub fn keep_in_sight(list: &HtmlElement) {
    let Ok(Some(now)) = list.query_selector("[aria-current]") else {
        list.set_scroll_top(0);
        return;
    };
    let (outer, inner) = (list.get_bounding_client_rect(), now.get_bounding_client_rect());
    let head = list
        .query_selector("h3")
        .ok()
        .flatten()
        .map_or(0.0, |head| head.get_bounding_client_rect().height());
    let (above, below) = (inner.top() - outer.top() - head, inner.bottom() - outer.bottom());
    let by: f64 = if above < 0.0 {
        above
    } else if below > 0.0 {
        below
    } else {
        0.0
    };
    if by != 0.0 {
        list.set_scroll_top(list.scroll_top() + by.round() as i32);
    }
    let focused = list.query_selector("li button:focus").ok().flatten().is_some();
    if focused
        && let Ok(Some(button)) = now.query_selector("button")
        && let Some(button) = wasm_bindgen::JsCast::dyn_ref::<web_sys::HtmlElement>(&button)
    {
        let _ = button.focus();
    }
}
