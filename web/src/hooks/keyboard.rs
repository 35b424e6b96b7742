//! Key presses anywhere on the page, as commands.

use crate::state::keymap::{Command, Focus, Press, command};
use gloo_events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement, HtmlInputElement, KeyboardEvent};
use yew::{Callback, hook, use_effect_with, use_mut_ref};

/// Which keys act now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acting {
    /// Keys of a single character.
    pub letters: bool,
    /// Something is open.
    pub open: bool,
    /// A view with steps is shown.
    pub race: bool,
    /// It is the packing.
    pub pack: bool,
}

/// Listens to the keyboard.
#[hook]
pub fn use_keyboard(acting: Acting, on: Callback<Command>) {
    let now = use_mut_ref(|| None);
    *now.borrow_mut() = Some((acting, on));
    use_effect_with((), move |()| {
        let listen = move |window: web_sys::Window| {
            let options = EventListenerOptions::enable_prevent_default();
            EventListener::new_with_options(&window, "keydown", options, move |event| {
                let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
                let Some((acting, on)) = now.borrow().clone() else { return };
                if event.default_prevented() || event.is_composing() {
                    return;
                }
                let press = Press {
                    key: &event.key(),
                    ctrl: event.ctrl_key() || event.meta_key(),
                    alt: event.alt_key(),
                    focus: focus(event),
                    letters: acting.letters,
                    open: acting.open,
                    race: acting.race,
                    pack: acting.pack,
                };
                if let Some(command) = command(press) {
                    if command != Command::Leave {
                        event.prevent_default();
                    }
                    on.emit(command);
                } else if press.is_for_board()
                    && let Some(element) = of_board(press.key)
                {
                    event.prevent_default();
                    element.click();
                }
            })
        };
        let listener = web_sys::window().map(listen);
        move || drop(listener)
    });
}

/// What a key of the board that is shown does when it is clicked.
fn of_board(key: &str) -> Option<HtmlElement> {
    let document = web_sys::window()?.document()?;
    let key = if matches!(key, "\"" | "\\") { return None } else { key };
    document.query_selector(&format!("#main .keys [data-key=\"{key}\"]")).ok()??.dyn_into().ok()
}

fn focus(event: &KeyboardEvent) -> Focus {
    let element = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some(element) = element else { return Focus::Page };
    if let Some(input) = element.dyn_ref::<HtmlInputElement>() {
        return match input.type_().as_str() {
            "range" => Focus::Slider,
            "checkbox" | "button" | "file" => Focus::Button,
            _ => Focus::Text,
        };
    }
    match element.tag_name().as_str() {
        "TEXTAREA" | "SELECT" => Focus::Text,
        "BUTTON" | "A" | "SUMMARY" => match element.get_attribute("role").as_deref() {
            Some("radio" | "tab" | "option") => Focus::Slider,
            _ => Focus::Button,
        },
        _ => match element.get_attribute("role").as_deref() {
            Some("slider" | "radio" | "tab" | "option") => Focus::Slider,
            Some("button") => Focus::Button,
            _ => Focus::Page,
        },
    }
}
