//! A board of the workshop, put in as it came, and the box for keys of one's own. What can be chosen on a board are links;
//! boxes say their name in the query; `data-to` leads to an address, `data-copy` is copied, `data-text` asks the workshop
//! for what is shown as text. The keys of a board are such elements too (`data-key`), out of sight.

use super::lookup::keep_in_sight;
use crate::board::{Board, Part};
use crate::layout::px;
use crate::shared::Shared;
use crate::state::address::{Address, View};
use crate::state::store::{Action, State};
use crate::worker::client::named_file;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Element, HtmlElement};
use yew::{
    AttrValue, Callback, Event, FocusEvent, Html, InputEvent, KeyboardEvent, MouseEvent,
    Properties, classes, function_component, html, use_effect_with, use_mut_ref, use_node_ref,
};

/// From this width on the panel stands beside the pictures.
const WIDE: f64 = 1200.0;

/// Props of [`BoardView`].
#[derive(Clone, PartialEq, Properties)]
pub struct BoardProps {
    /// The view.
    pub view: View,
    /// The board; the last one stays while another is on its way.
    #[prop_or_default]
    pub board: Option<Shared<Board>>,
    /// Why there is none, a sentence.
    #[prop_or_default]
    pub failure: Option<String>,
    /// The keys in the box, where they are typed.
    #[prop_or_default]
    pub keys: Option<String>,
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// What is chosen.
    pub on: Callback<Action>,
    /// Copies a text, or what the workshop makes of what is shown.
    pub copy: Callback<Copied>,
}

/// What is copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Copied {
    /// This.
    Text(String),
    /// What is shown, in this form.
    Shown(String),
}

/// The view.
#[function_component]
pub fn BoardView(props: &BoardProps) -> Html {
    let frame = use_node_ref();
    let focused = use_mut_ref(String::new);
    {
        let on = props.on.clone();
        use_effect_with((props.width, props.height), move |(width, height)| {
            on.emit(Action::Room(*width as u32, *height as u32));
        });
    }
    {
        let (frame, focused) = (frame.clone(), focused.clone());
        use_effect_with(props.board.clone(), move |_| {
            let Some(frame) = frame.cast::<Element>() else { return };
            if let Ok(Some(list)) = frame.query_selector(".steps") {
                keep_in_sight(list.unchecked_ref());
            }
            // What had the focus may have been put in anew.
            let document = frame.owner_document();
            let lost = document.as_ref().and_then(|document| document.active_element());
            if lost.is_none_or(|element| element.tag_name() == "BODY")
                && let Some(again) = document.and_then(|it| it.get_element_by_id(&focused.borrow()))
            {
                let _ = again.unchecked_into::<HtmlElement>().focus();
            }
        });
    }
    let remember = Callback::from(move |event: FocusEvent| {
        *focused.borrow_mut() = field(&event, "id");
    });
    let choose = {
        let on = props.on.clone();
        move |event: &Event, typed: bool| {
            let name = field(event, "name");
            if !name.is_empty() && (name == "keys") == typed {
                on.emit(Action::Choose(name, field(event, "value")));
            }
        }
    };
    let change = choose.clone();
    let step = {
        let on = props.on.clone();
        Callback::from(move |event: KeyboardEvent| {
            let forward = match event.key().as_str() {
                "ArrowUp" => false,
                "ArrowDown" => true,
                _ => return,
            };
            event.prevent_default();
            on.emit(Action::Step(forward));
        })
    };
    let follow = {
        let (on, copy) = (props.on.clone(), props.copy.clone());
        Callback::from(move |event: MouseEvent| {
            let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            let found = target.and_then(|it| it.closest("[data-to],[data-copy],[data-text]").ok());
            let Some(found) = found.flatten() else { return };
            if let Some(to) = found.get_attribute("data-to") {
                on.emit(Action::Navigate(Address::parse(&to)));
            } else if let Some(text) = found.get_attribute("data-copy") {
                copy.emit(Copied::Text(text));
            } else if let Some(form) = found.get_attribute("data-text") {
                copy.emit(Copied::Shown(form));
            }
        })
    };
    let part = |part: &Part| match part.class.as_str() {
        "steps" => html! {
            <section class="steps" aria-label={part.title.clone()}>
                <h3>
                    { &part.title }
                    <span class="sp" />
                    <button id="copy" class="lnk" data-text="">{ "copy text" }</button>
                </h3>
                <ol id="steps" tabindex="0" aria-label={part.title.clone()} onkeydown={step.clone()}>
                    { raw(&part.html) }
                </ol>
            </section>
        },
        "fold" => {
            html! { <details><summary>{ &part.title }</summary>{ raw(&part.html) }</details> }
        }
        class => html! { <section class={class.to_owned()}>{ raw(&part.html) }</section> },
    };
    let wide = props.width >= WIDE;
    let height = wide.then(|| format!("height:{}px", px(props.height)));
    html! {
        <div
            class={classes!("pk", props.view.word(), (!wide).then_some("mid"))}
            style={height}
            ref={frame}
            onfocusin={remember}
            onclick={follow}
            onchange={Callback::from(move |event: Event| change(&event, false))}
            oninput={Callback::from(move |event: InputEvent| choose(&event, true))}
        >
            <link rel="stylesheet" href={named_file("boards")} />
            if let Some(board) = &props.board {
                <header class="keyrow">{ raw(&board.head) }</header>
            }
            if let Some(keys) = &props.keys {
                <textarea
                    id="keys"
                    name="keys"
                    aria-label="Keys, one a line"
                    placeholder="One key a line"
                    rows="4"
                    spellcheck="false"
                    value={keys.clone()}
                />
            }
            if let Some(why) = &props.failure {
                <p class="nolook">{ why }</p>
            } else if let Some(board) = &props.board {
                <div class="pkm">
                    if !board.sentence.is_empty() {
                        <p class="say wide-only">{ raw(&board.sentence) }</p>
                    }
                    { for board.main.iter().map(part) }
                </div>
                <aside class="side" aria-label="Details">
                    { for board.side.iter().map(part) }
                </aside>
            }
        </div>
    }
}

/// The sentence of the step.
pub fn sentence(state: &State) -> Html {
    state.current_board().map(|board| raw(&board.sentence)).unwrap_or_default()
}

/// Text of the workshop, which has escaped all that comes from a file.
fn raw(html: &str) -> Html {
    Html::from_html_unchecked(AttrValue::from(html.to_owned()))
}

/// What an element that something happened to says of itself.
fn field(event: &Event, name: &str) -> String {
    let target = event.target().map_or(JsValue::NULL, JsValue::from);
    let value = js_sys::Reflect::get(&target, &JsValue::from_str(name)).ok();
    value.and_then(|value| value.as_string()).unwrap_or_default()
}
