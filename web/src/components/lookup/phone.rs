//! The lookup in one column: costs, strips of both files at one scale, one lane at a time, then everything in words.

use super::lane::{Lane, twin};
use super::picture::Picture;
use super::side::{copy, costs, list, verdict_of};
use super::steps::{SharedNames, name, record};
use super::view::{Scenes, lane_of};
use crate::components::spans::spans;
use crate::state::intent::{LookupIntent, Side};
use crate::state::store::Lane as From;
use crate::views::LookupProps;
use triescope_core::race::Race;
use yew::{Callback, Html, html};

/// The column. `shown` is the lane that is drawn, `on_show` asks for the other one.
pub fn phone(
    props: &LookupProps,
    race: &Race,
    scenes: &Scenes,
    names: &SharedNames,
    shown: Side,
    on_show: &Callback<Side>,
) -> Html {
    let tab = |side: Side, done: usize| {
        let text = match record(race, side) {
            Some(record) => {
                let of = record.steps.len();
                let word = if side == Side::Trie { ", step " } else { ", " };
                format!("{}{word}{} of {of}", name(side), done.min(of))
            }
            None if lane_of(props, side) == Some(From::Building) => {
                format!("{}: being built", name(side))
            }
            None => format!("{}: not here", name(side)),
        };
        let selected = (side == shown).to_string();
        html! {
            <button role="tab" aria-selected={selected} aria-controls="lane" onclick={on_show.reform(move |_| side)}>
                { text }
            </button>
        }
    };
    let (scene, facts, done) = match shown {
        Side::Trie => (&scenes.trie, &props.trie, props.t),
        Side::Legacy => (&scenes.legacy, &props.legacy, props.l),
    };
    let lane = match (record(race, shown), &props.race) {
        (Some(_), _) => {
            let on_step = props.on.reform(move |step| LookupIntent::Go(shown, step));
            html! {
                <>
                    { twin(lane_of(props, shown).as_ref()) }
                    <Picture scene={scene.clone()} {done} playing={props.playing} {on_step} />
                </>
            }
        }
        (None, Some(shared)) => html! {
            <Lane
                race={shared.clone()}
                side={shown}
                facts={facts.clone()}
                scene={scene.clone()}
                names={names.clone()}
                {done}
                playing={props.playing}
                from={lane_of(props, shown)}
                offer={props.offer.clone()}
                on={props.on.clone()}
            />
        },
        (None, None) => Html::default(),
    };
    html! {
        <div class="plook">
            <section class="score" aria-label="Cost">
                <p class="verdict">{ spans(&verdict_of(race, props.t, props.l)) }</p>
                { costs(props, race, true) }
            </section>
            <Picture scene={scenes.strips.clone()} done={usize::MAX} playing=false on_step={Callback::noop()} />
            <div class="seg full" role="tablist" aria-label="Lane">
                { tab(Side::Trie, props.t) }
                { tab(Side::Legacy, props.l) }
            </div>
            <div id="lane" role="tabpanel" aria-label={name(shown)}>{ lane }</div>
            <details>
                <summary>{ "All counts" }</summary>
                { costs(props, race, false) }
            </details>
            { list(props, shown, names, Html::default()) }
            <p class="acts">{ copy(props, "btn") }</p>
        </div>
    }
}
