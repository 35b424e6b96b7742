//! The frame of every view, and what ties it to state, worker and browser.

use super::bar::{BarProps, bar};
use super::help::Help;
use super::onebox::OneBox;
use super::pickers::{PickersProps, pickers};
use super::status::{StatusProps, status};
use super::transport::{TransportProps, transport};
use super::view::View;
use crate::board::BoxAsk;
use crate::hooks::clipboard::copy;
use crate::hooks::drop::use_drop;
use crate::hooks::history::{back, current, link, use_history};
use crate::hooks::keyboard::{Acting, use_keyboard};
use crate::hooks::prefs::use_prefs;
use crate::hooks::session::Session;
use crate::state::address::{Address, Origin, View as Views};
use crate::state::keymap::Command;
use crate::state::store::{Action, SPEEDS, State, Tables};
use crate::state::told;
use gloo_timers::callback::Timeout;
use std::rc::Rc;
use triescope_core::table::words::index_name;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::spawn_local;
use web_sys::{HtmlElement, HtmlInputElement};
use yew::{
    Callback, Html, UseReducerHandle, UseStateHandle, classes, function_component, hook, html,
    use_effect_with, use_memo, use_reducer, use_state_eq,
};

/// The frame: app bar, view, transport, status line; over it the help and the drop target.
#[function_component]
pub fn App() -> Html {
    let state = use_reducer(|| State::new(current()));
    let session = {
        let dispatch = state.dispatcher();
        use_memo((), move |()| Session::new(dispatch))
    };
    let prefs = use_prefs();
    use_history(&state.address, state.is_settled, &state.dispatcher());
    use_questions(&state, &session);
    use_clock(&state);
    use_title(&state);
    let dragging = {
        let session = Rc::clone(&session);
        use_drop(Callback::from(move |dropped: Rc<std::cell::Cell<Option<_>>>| {
            let Some(dropped) = dropped.take() else { return };
            let dropped: crate::hooks::files::Dropped = dropped;
            let session = Rc::clone(&session);
            spawn_local(async move {
                match dropped.files().await {
                    Ok(files) => session.open_local(files, false),
                    Err(why) => session.failed(why),
                }
            });
        }))
    };
    let boxed = use_state_eq(|| false);
    let packing = state.is_packing();
    let racing = packing || state.open().is_some() && state.address.view == Views::Lookup;
    let on_command = {
        let (state, next_theme) = (state.clone(), prefs.next_theme.clone());
        let boxed = boxed.clone();
        Callback::from(move |command| obey(&state, &next_theme, &boxed, command))
    };
    use_keyboard(
        Acting {
            letters: prefs.letters,
            open: state.open().is_some() || packing,
            race: racing && !state.help,
            pack: packing && !state.help,
        },
        on_command.clone(),
    );
    let send = |action: fn(usize) -> Action| {
        let dispatch = state.dispatcher();
        Callback::from(move |n| dispatch.dispatch(action(n)))
    };
    let close_help = {
        let dispatch = state.dispatcher();
        Callback::from(move |()| dispatch.dispatch(Action::Help(false)))
    };
    let close_box = {
        let boxed = boxed.clone();
        Callback::from(move |()| boxed.set(false))
    };
    let understand = {
        let (state, session) = (state.clone(), Rc::clone(&session));
        Callback::from(move |text| {
            let tables = state.open().map_or((None, None), Tables::ids);
            session.understand(BoxAsk { tables, address: state.address.print(), text });
        })
    };
    let go = {
        let (boxed, dispatch) = (boxed.clone(), state.dispatcher());
        Callback::from(move |to: String| {
            boxed.set(false);
            dispatch.dispatch(Action::Navigate(Address::parse(&to)));
        })
    };
    let stop = {
        let session = Rc::clone(&session);
        Callback::from(move |id| session.stop(id))
    };
    html! {
        <>
            <a class="skip" href="#main" onclick={Callback::from(skip)}>{ "Skip to the view" }</a>
            <div class={classes!("app", racing.then_some("xport"))}>
                { bar(&BarProps { address: state.address.clone(), open: opened(&state), others: others(&state), theme: prefs.theme, on: on_command.clone() }) }
                <main class={classes!("main", racing.then_some("racing"))} id="main" tabindex="-1">
                    <View state={(*state).clone()} dispatch={state.dispatcher()} session={Rc::clone(&session)} />
                </main>
                if racing {
                    { transport(&TransportProps { clock: state.clock.clone(), board: state.current_board().filter(|_| packing).cloned(), at: if packing { state.position().0 } else { state.at }, playing: state.playing, speed: state.speed, sentence: if packing { super::board::sentence(&state) } else { super::spans::spans(&told::sentence(&state)) }, on: on_command, on_scrub: send(Action::To), on_speed: send(Action::Speed) }) }
                }
                { status(&StatusProps { busy: state.busy.last().cloned(), loading: state.loading.clone(), notice: state.notice.clone(), of: state.open().map(|tables| tables.bytes()), spent: state.spent, on_stop: stop }) }
            </div>
            <p class="vh live" role="status" aria-live="polite">{ told::live(&state) }</p>
            { pickers(&PickersProps { session: Rc::clone(&session) }) }
            <Help
                open={state.help}
                letters={prefs.letters}
                on_letters={prefs.set_letters.clone()}
                on_close={close_help}
            />
            <OneBox
                open={*boxed}
                readings={state.readings.clone()}
                on_type={understand}
                on_go={go}
                on_close={close_box}
            />
            if dragging {
                <div class="dropall">{ "Drop a folder, or any files of an SSTable" }</div>
            }
        </>
    }
}

fn obey(
    state: &UseReducerHandle<State>,
    next_theme: &Callback<()>,
    boxed: &UseStateHandle<bool>,
    command: Command,
) {
    let action = match command {
        Command::Box => {
            if state.open().is_none() {
                return focus_box("keys");
            }
            return boxed.set(true);
        }
        Command::View(view) => Action::Show(view),
        Command::Help => Action::Help(!state.help),
        Command::Theme => return next_theme.emit(()),
        Command::Go => return focus_box("goto"),
        Command::CopyLink => return copy(&state.dispatcher(), "Link", &link(&state.address)),
        Command::Back => return back(),
        Command::First => Action::End(false),
        Command::StepBack => Action::Step(false),
        Command::Play => Action::Play,
        Command::Step => Action::Step(true),
        Command::Last => Action::End(true),
        Command::PreviousFetch => Action::Fetch(false),
        Command::NextFetch => Action::Fetch(true),
        Command::Slower => Action::Speed(state.speed.saturating_sub(1)),
        Command::Faster => Action::Speed(state.speed + 1),
        Command::Leave => return,
    };
    state.dispatch(action);
}

/// Asks the worker for what the state wants.
#[hook]
fn use_questions(state: &UseReducerHandle<State>, session: &Rc<Session>) {
    {
        let session = Rc::clone(session);
        use_effect_with((), move |()| session.list_samples());
    }
    {
        let session = Rc::clone(session);
        use_effect_with(state.wanted_source().cloned(), move |sample| {
            if let Some(sample) = sample.clone() {
                session.load_sample(sample);
            }
        });
    }
    {
        let session = Rc::clone(session);
        use_effect_with((state.wanted_race(), state.attempt), move |(call, _)| {
            if let Some(call) = call.clone() {
                session.race(call);
            }
        });
    }
    {
        let session = Rc::clone(session);
        use_effect_with(state.wanted_twins(), move |calls| session.twins(calls));
    }
    {
        let session = Rc::clone(session);
        use_effect_with(state.wanted_board(), move |ask| match ask.clone() {
            Some(ask) => session.board(ask),
            None => session.leave_board(),
        });
    }
    {
        // The answer that is waited for comes first, what is only nice to have after it.
        let waiting = state.wanted_race().is_some() && state.race.is_none();
        let wanted = state.wanted_means().filter(|_| !waiting || state.race_failure.is_some());
        let session = Rc::clone(session);
        use_effect_with(wanted, move |call| {
            if let Some(call) = *call {
                session.means(call);
                session.suggest((call.trie, call.legacy));
            }
        });
    }
}

/// Plays: one timer a step.
#[hook]
fn use_clock(state: &UseReducerHandle<State>) {
    let dispatch = state.dispatcher();
    let factor = SPEEDS.get(state.speed).map_or(1.0, |(factor, _)| *factor);
    let wait = state.wait();
    use_effect_with(
        (state.at, state.address.rest.clone(), wait, state.speed),
        move |(_, _, wait, _)| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "waits are a few hundred milliseconds"
            )]
            let timer = wait.map(|wait| {
                Timeout::new((f64::from(wait) / factor) as u32, move || {
                    dispatch.dispatch(Action::Tick);
                })
            });
            move || drop(timer)
        },
    );
}

#[hook]
fn use_title(state: &UseReducerHandle<State>) {
    use_effect_with(told::title(state), |title| {
        if let Some(document) = web_sys::window().and_then(|window| window.document()) {
            document.set_title(title);
        }
    });
}

/// Name of what is open, and what it is.
fn opened(state: &State) -> Option<(String, String)> {
    if state.address.origin == Some(Origin::Keys) {
        return Some(("Your own keys".to_owned(), "of no file".to_owned()));
    }
    let tables = state.open()?;
    let facts = tables.facts()?;
    let name = if tables.name == facts.name { "SSTable".to_owned() } else { tables.name.clone() };
    Some((name, format!("{} · {}", facts.name, index_name(facts.index))))
}

/// What else there is: the samples.
fn others(state: &State) -> Vec<(String, String)> {
    let view = state.address.view;
    let other = |name: &String| {
        let origin = Some(Origin::Sample(name.clone()));
        let address = Address { origin, view, ..Address::default() };
        (address.print(), name.clone())
    };
    state.samples.iter().map(|sample| other(&sample.name)).collect()
}

fn element(id: &str) -> Option<HtmlElement> {
    web_sys::window()?.document()?.get_element_by_id(id)?.dyn_into().ok()
}

/// Gives a box the focus, its text selected.
pub fn focus_box(id: &str) {
    let element = element(id);
    if let Some(input) = element.and_then(|element| element.dyn_into::<HtmlInputElement>().ok()) {
        let _ = input.focus();
        input.select();
    }
}

/// Moves the focus without touching the address, which holds the state.
fn skip(event: yew::MouseEvent) {
    event.prevent_default();
    if let Some(main) = element("main") {
        let _ = main.focus();
    }
}
