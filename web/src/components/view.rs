//! The view that the address asks for, with its props from the state and its intents to where they belong.

use super::board::{BoardView, Copied};
use super::keybox::KeyBox;
use super::pickers::Picker;
use crate::hooks::Dispatch;
use crate::hooks::clipboard::copy;
use crate::hooks::session::Session;
use crate::hooks::size::use_size;
use crate::model::{Failure, Twin};
use crate::state::address::View as Views;
use crate::state::intent::{KeyIntent, LookupIntent, OverviewIntent, Side, StartIntent};
use crate::state::store::{Action, Lane, State, Tables};
use crate::state::told;
use crate::views::{LookupProps, OverviewProps, StartProps};
use std::rc::Rc;
use triescope_core::race::CacheModel;
use yew::{Callback, Html, Properties, function_component, html, use_node_ref};

/// The sample that is offered where only one format is here.
const OFFER: &str = "p20k";

/// Props of [`View`].
#[derive(Clone, Properties)]
pub struct ViewProps {
    /// The state.
    pub state: State,
    /// What changes it.
    pub dispatch: Dispatch,
    /// The dealings with the worker.
    pub session: Rc<Session>,
}

impl PartialEq for ViewProps {
    fn eq(&self, other: &Self) -> bool {
        self.state == other.state
    }
}

/// What stands between app bar and transport.
#[function_component]
pub fn View(props: &ViewProps) -> Html {
    let state = &props.state;
    let frame = use_node_ref();
    let open = state.open().is_some();
    let (width, height) = use_size(&frame, (open, state.address.view));
    let inner = match (state.open(), state.address.view) {
        _ if state.is_board() => board(props, width, height),
        (Some(_), Views::Overview) => overview(props, width),
        (Some(_), Views::Lookup) => lookup(props, width, height),
        _ => start(props, width),
    };
    html! {
        <>
            if open && state.address.view == Views::Lookup {
                { key_box(props) }
            }
            <div class="view" ref={frame}>
                if width > 0.0 { { inner } }
            </div>
        </>
    }
}

fn start(props: &ViewProps, width: f64) -> Html {
    let (state, session) = (&props.state, Rc::clone(&props.session));
    let dispatch = props.dispatch.clone();
    let on = Callback::from(move |intent| match intent {
        StartIntent::ChooseFolder => Picker::Folder.open(),
        StartIntent::ChooseFiles => Picker::Files.open(),
        StartIntent::AddFiles => Picker::More.open(),
        StartIntent::Open(pair) => dispatch.dispatch(Action::OpenPair(pair)),
        StartIntent::OpenSample(name) => dispatch.dispatch(Action::OpenSample(name)),
        StartIntent::Forget => {
            session.forget();
            dispatch.dispatch(Action::Forget);
        }
    });
    let view = StartProps {
        opened: state.dropped.clone(),
        samples: state.samples.clone(),
        busy: state.loading.clone(),
        failure: state.failure.clone(),
        wanted: state.wanted_files().and_then(<[_]>::first).cloned(),
        width,
        on,
    };
    super::start::start_view(&view)
}

fn overview(props: &ViewProps, width: f64) -> Html {
    let state = &props.state;
    let Some(tables) = state.open() else { return html! {} };
    let key = state.address.ask.key.clone().or_else(|| state.first_key());
    let dispatch = props.dispatch.clone();
    let on = Callback::from(move |intent| {
        dispatch.dispatch(match intent {
            OverviewIntent::LookUp => Action::Show(Views::Lookup),
            OverviewIntent::LookUpKey(key) => Action::LookUp(key, None, None),
            OverviewIntent::Reader(reader) => Action::Reader(reader),
            OverviewIntent::SampleLarge => Action::SampleLarge,
            OverviewIntent::BuildTwin => Action::BuildTwin,
            OverviewIntent::OpenSample(name) => Action::OpenSample(name),
            OverviewIntent::AddFiles => return Picker::More.open(),
        });
    });
    let view = OverviewProps {
        name: tables.name.clone(),
        trie: state.lane_facts(Side::Trie),
        legacy: state.lane_facts(Side::Legacy),
        names: names(tables),
        lanes: lanes(state),
        offer: OFFER.to_owned(),
        means: state.current_means().cloned(),
        failure: state.current_means_failure().cloned(),
        reader: state.reader(),
        key,
        width,
        on,
    };
    super::overview::overview_view(&view)
}

fn lookup(props: &ViewProps, width: f64, height: f64) -> Html {
    let state = &props.state;
    let Some(tables) = state.open() else { return html! {} };
    let (t, l) = state.steps();
    let (dispatch, race) = (props.dispatch.clone(), state.race.clone());
    let session = Rc::clone(&props.session);
    let named = tables.trie.as_ref().or(tables.legacy.as_ref()).map(|(_, facts)| facts.clone());
    let on = Callback::from(move |intent| match intent {
        LookupIntent::Go(side, step) => dispatch.dispatch(Action::ToStep(side, step)),
        LookupIntent::CopyText => {
            if let Some(race) = &race {
                copy(&dispatch, "Steps", &told::as_text(race, named.as_deref()));
            }
        }
        LookupIntent::CopyJson => {
            if let Some(race) = &race {
                session.copy_json(race);
            }
        }
        LookupIntent::SampleLarge => dispatch.dispatch(Action::SampleLarge),
        LookupIntent::BuildTwin => dispatch.dispatch(Action::BuildTwin),
        LookupIntent::OpenSample(name) => dispatch.dispatch(Action::OpenSample(name)),
        LookupIntent::AddFiles => Picker::More.open(),
    });
    let view = LookupProps {
        trie: state.lane_facts(Side::Trie),
        legacy: state.lane_facts(Side::Legacy),
        lanes: lanes(state),
        race: state.race.clone(),
        // A key that was not understood is the key box's matter.
        failure: state.race_failure.clone().filter(|why| !matches!(**why, Failure::Text { .. })),
        t,
        l,
        latest: state.clock.latest(state.at).map(|tick| tick.side),
        playing: state.playing,
        warm: match &state.address.ask.cache {
            CacheModel::Cold => None,
            CacheModel::Warm { bytes, .. } => Some(*bytes),
        },
        means: state.current_means().cloned(),
        offer: OFFER.to_owned(),
        width,
        height,
        on,
    };
    html! { <super::lookup::LookupView ..view /> }
}

/// Where the indexes of both lanes come from.
fn lanes(state: &State) -> [Option<Lane>; 2] {
    [state.lane(Side::Trie), state.lane(Side::Legacy)]
}

/// Names of the SSTables in the files.
fn names(tables: &Tables) -> String {
    let facts = [&tables.trie, &tables.legacy].into_iter().flatten();
    facts.map(|(_, facts)| facts.name.as_str()).collect::<Vec<_>>().join(" and ")
}

fn board(props: &ViewProps, width: f64, height: f64) -> Html {
    let state = &props.state;
    let (dispatch, session) = (props.dispatch.clone(), Rc::clone(&props.session));
    let ask = state.board_ask();
    let (to, view) = (dispatch.clone(), state.address.view);
    let copy = Callback::from(move |what| match (what, ask.clone()) {
        (Copied::Text(text), _) => copy(&to, "Value", &text),
        (Copied::Shown(form), Some(ask)) => session.copy_board(ask.shown_as(&form)),
        _ => {}
    });
    html! {
        <BoardView
            {view}
            board={state.current_board().cloned()}
            failure={state.board_trouble()}
            keys={state.typed_keys()}
            {width}
            {height}
            on={Callback::from(move |action| dispatch.dispatch(action))}
            {copy}
        />
    }
}

fn key_box(props: &ViewProps) -> Html {
    let state = &props.state;
    let Some(tables) = state.open() else { return html! {} };
    let Some((_, facts)) = tables.trie.as_ref().or(tables.legacy.as_ref()) else {
        return html! {};
    };
    let ids = tables.ids();
    let (dispatch, session) = (props.dispatch.clone(), Rc::clone(&props.session));
    let on = Callback::from(move |intent| match intent {
        KeyIntent::Typed(key, row) => {
            let row = Some(row).filter(|row| !row.trim().is_empty());
            session.parse(ids, key, row);
        }
        KeyIntent::Go(key, row) => dispatch.dispatch(Action::LookUp(key, Some(row), None)),
        KeyIntent::Pick(key, row, mode) => {
            dispatch.dispatch(Action::LookUp(key, row, Some(mode)));
        }
        KeyIntent::Try(what) => session.try_key(ids, what),
        KeyIntent::Reader(reader) => dispatch.dispatch(Action::Reader(reader)),
        KeyIntent::Cache(bytes) => dispatch.dispatch(Action::Cache(bytes)),
        KeyIntent::Filter(mode) => dispatch.dispatch(Action::Filter(mode)),
        KeyIntent::Block(bytes) => dispatch.dispatch(Action::Block(bytes)),
    });
    let has_legacy = !matches!(state.lane(Side::Legacy), Some(Lane::Twin(Twin::Not { .. })));
    let wrong = state.race_failure.as_deref().and_then(|failure| match failure {
        Failure::Text { why } => Some(why.clone()),
        _ => None,
    });
    html! {
        <KeyBox
            facts={facts.clone()}
            ask={state.address.ask.clone()}
            reader={has_legacy.then(|| state.reader())}
            blocks={state.has_blocks()}
            understood={state.understood.clone()}
            {wrong}
            suggestions={state.suggestions.clone()}
            sample={state.sample().cloned()}
            {on}
        />
    }
}
