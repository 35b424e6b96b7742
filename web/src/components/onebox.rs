//! The one box: a dialog that takes keys, pages, positions, bytes and commands, and says what it understood.

use super::keybox::Combo;
use crate::board::Readings;
use crate::shared::Shared;
use web_sys::HtmlDialogElement;
use yew::{
    Callback, Html, Properties, function_component, html, use_effect_with, use_node_ref,
    use_state_eq,
};

/// Id of the box.
pub const BOX_ID: &str = "box";

/// Props of [`OneBox`].
#[derive(Clone, PartialEq, Properties)]
pub struct OneBoxProps {
    /// Whether it is shown.
    pub open: bool,
    /// What was understood last.
    #[prop_or_default]
    pub readings: Option<Shared<Readings>>,
    /// This was typed.
    pub on_type: Callback<String>,
    /// To this address.
    pub on_go: Callback<String>,
    /// It was closed.
    pub on_close: Callback<()>,
}

/// The dialog.
#[function_component]
pub fn OneBox(props: &OneBoxProps) -> Html {
    let dialog = use_node_ref();
    let text = use_state_eq(String::new);
    // Enter was pressed before the text was understood.
    let waiting = use_state_eq(|| false);
    {
        let dialog = dialog.clone();
        use_effect_with(props.open, move |open| {
            let Some(dialog) = dialog.cast::<HtmlDialogElement>() else { return };
            if *open && !dialog.open() {
                let _ = dialog.show_modal();
                super::app::focus_box(BOX_ID);
            } else if !*open && dialog.open() {
                dialog.close();
            }
        });
    }
    let readings = props.readings.clone().filter(|readings| readings.text == *text);
    let to = |words: &str| {
        let readings = readings.as_ref()?;
        let chosen = readings.list.iter().find(|reading| reading.words == words);
        chosen.or_else(|| readings.list.first()).map(|reading| reading.to.clone())
    };
    let go = {
        let (on_go, waiting) = (props.on_go.clone(), waiting.clone());
        let found = readings.clone();
        Callback::from(move |words: String| {
            let Some(readings) = &found else { return waiting.set(true) };
            let chosen = readings.list.iter().find(|reading| reading.words == words);
            if let Some(reading) = chosen.or_else(|| readings.list.first()) {
                on_go.emit(reading.to.clone());
            }
        })
    };
    {
        let (on_go, waiting) = (props.on_go.clone(), waiting.clone());
        use_effect_with(to(""), move |to| {
            if let Some(to) = to.clone().filter(|_| *waiting) {
                on_go.emit(to);
            }
            waiting.set(false);
        });
    }
    let on_type = {
        let (text, on_type) = (text.clone(), props.on_type.clone());
        Callback::from(move |typed: String| {
            text.set(typed.clone());
            on_type.emit(typed);
        })
    };
    let meaning = readings.as_ref().and_then(|it| match it.list.first() {
        Some(_) => Some(Ok(String::new())),
        None => it.wrong.clone().map(Err),
    });
    let list = readings.iter().flat_map(|it| &it.list);
    let suggestions: Vec<String> = list.map(|reading| reading.words.clone()).collect();
    html! {
        <dialog class="onebox" ref={dialog} aria-label="Go to" onclose={props.on_close.reform(|_| ())}>
            <label for={BOX_ID}>{ "Key, " }<span class="m">{ "#rank" }</span>{ ", page 30, " }<span class="m">{ "@offset, hex:4017, data:92505, >command" }</span></label>
            <Combo id={BOX_ID} value={(*text).clone()} {meaning} {suggestions} {on_type} on_go={go} />
        </dialog>
    }
}
