//! The lookup: two lanes on the same key, what each costs, and every step in words.

use super::empty::empty;
use super::lane::Lane;
use super::phone::phone;
use super::side::side;
use super::steps::SharedNames;
use crate::layout::Scene;
use crate::layout::lookup::{Files, legacy, phone_strips, trie};
use crate::shared::Shared;
use crate::state::intent::Side;
use crate::state::store::Lane as From;
use crate::views::LookupProps;
use std::rc::Rc;
use triescope_core::race::{Race, TableNames};
use triescope_core::table::TableFacts;
use yew::{Callback, Html, classes, function_component, html, use_memo, use_state_eq};

/// Width of the side panel beside the lanes.
const SIDE: f64 = 384.0;
/// From this width on the panel stands beside the lanes.
const WIDE: f64 = 1200.0;
/// Below this width there is one column.
const PHONE: f64 = 720.0;

/// The pictures of a race at one width.
#[derive(Clone)]
pub struct Scenes {
    /// The trie lane.
    pub trie: Shared<Scene>,
    /// The legacy lane.
    pub legacy: Shared<Scene>,
    /// Both lanes' files for one column.
    pub strips: Shared<Scene>,
}

impl Scenes {
    fn of(race: &Race, t: Option<&TableFacts>, l: Option<&TableFacts>, width: f64) -> Self {
        let files = Files::of(race, t, l, width);
        Self {
            trie: Shared::new(trie(race, &files, width)),
            legacy: Shared::new(legacy(race, &files, width)),
            strips: Shared::new(phone_strips(race, &files, width)),
        }
    }
}

/// Room for a lane in a view of this width.
fn lane_px(width: f64) -> f64 {
    let room = if width >= WIDE {
        width - SIDE - 48.0
    } else if width >= PHONE {
        width - 48.0
    } else {
        width - 32.0
    };
    room.floor().max(288.0)
}

/// Where the index of a lane comes from.
pub fn lane_of(props: &LookupProps, side: Side) -> Option<From> {
    props.lanes[usize::from(side == Side::Legacy)].clone()
}

/// The view.
#[function_component]
pub fn LookupView(props: &LookupProps) -> Html {
    let shown = use_state_eq(|| None::<Side>);
    let scenes = use_memo(
        (props.race.clone(), props.trie.clone(), props.legacy.clone(), lane_px(props.width)),
        |(race, t, l, width)| {
            race.as_ref().map(|race| Scenes::of(race, t.as_deref(), l.as_deref(), *width))
        },
    );
    let names = use_memo((props.trie.clone(), props.legacy.clone()), |(trie, legacy)| {
        let facts = trie.as_deref().or(legacy.as_deref());
        SharedNames(Rc::new(facts.map_or_else(TableNames::default, TableNames::of)))
    });
    let (Some(race), Some(scenes)) = (&props.race, scenes.as_ref()) else { return empty(props) };
    if props
        .failure
        .as_deref()
        .is_some_and(|failure| !matches!(failure, crate::model::Failure::Text { .. }))
    {
        return empty(props);
    }
    if props.width < PHONE {
        let lanes = [Side::Trie, Side::Legacy];
        let first = lanes.into_iter().find(|&side| super::steps::record(race, side).is_some());
        let on_show = {
            let shown = shown.clone();
            Callback::from(move |side| shown.set(Some(side)))
        };
        let side = shown.or(first).unwrap_or(Side::Trie);
        return phone(props, race, scenes, &names, side, &on_show);
    }
    let wide = props.width >= WIDE;
    let lane = |side: Side| {
        let (facts, scene, done) = match side {
            Side::Trie => (&props.trie, &scenes.trie, props.t),
            Side::Legacy => (&props.legacy, &scenes.legacy, props.l),
        };
        html! {
            <Lane
                race={race.clone()}
                {side}
                facts={facts.clone()}
                scene={scene.clone()}
                names={(*names).clone()}
                {done}
                playing={props.playing}
                from={lane_of(props, side)}
                offer={props.offer.clone()}
                on={props.on.clone()}
            />
        }
    };
    let height = crate::layout::px(props.height);
    let style = if wide { format!("height:{height}px") } else { format!("min-height:{height}px") };
    html! {
        <div class={classes!("race", (!wide).then_some("mid"))} {style}>
            <div class="lanes" tabindex="0" role="group" aria-label="Both lanes">
                { lane(Side::Trie) }
                { lane(Side::Legacy) }
            </div>
            { side(props, race, &names) }
        </div>
    }
}
