//! What is open, and the way to something else.

use wasm_bindgen::JsCast as _;
use web_sys::{FocusEvent, HtmlElement, KeyboardEvent, Node};
use yew::{
    Callback, Html, NodeRef, Properties, function_component, html, use_node_ref, use_state_eq,
};

/// Props of [`Which`].
#[derive(Clone, PartialEq, Properties)]
pub struct WhichProps {
    /// Its name.
    pub name: String,
    /// What it is.
    pub about: String,
    /// Other things to open: address and name.
    pub others: Vec<(String, String)>,
}

/// A button that names what is open and unfolds what else there is.
#[function_component]
pub fn Which(props: &WhichProps) -> Html {
    let open = use_state_eq(|| false);
    let (frame, button) = (use_node_ref(), use_node_ref());
    let toggle = {
        let open = open.clone();
        Callback::from(move |_| open.set(!*open))
    };
    let leave = {
        let (open, frame) = (open.clone(), frame.clone());
        Callback::from(move |event: FocusEvent| {
            if !holds(&frame, &event) {
                open.set(false);
            }
        })
    };
    let escape = {
        let (open, button) = (open.clone(), button.clone());
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" && *open {
                event.prevent_default();
                open.set(false);
                if let Some(button) = button.cast::<HtmlElement>() {
                    let _ = button.focus();
                }
            }
        })
    };
    let close = {
        let open = open.clone();
        Callback::from(move |_| open.set(false))
    };
    html! {
        <div class="whichbox" ref={frame} onfocusout={leave} onkeydown={escape}>
            <button
                class="which"
                ref={button}
                aria-expanded={open.to_string()}
                onclick={toggle}
            >
                <span>{ &props.name }</span>
                <span class="c">{ &props.about }{ " ▾" }</span>
                <span class="vh">{ ": open something else" }</span>
            </button>
            if *open {
                <nav class="others" aria-label="Open something else">
                    <a href="#" onclick={close.clone()}>{ "Samples and files" }</a>
                    { for props.others.iter().map(|(address, name)| html! {
                        <a href={address.clone()} onclick={close.clone()}>{ name }</a>
                    }) }
                </nav>
            }
        </div>
    }
}

fn holds(frame: &NodeRef, event: &FocusEvent) -> bool {
    let to = event.related_target().and_then(|target| target.dyn_into::<Node>().ok());
    to.is_some_and(|to| frame.cast::<Node>().is_some_and(|frame| frame.contains(Some(&to))))
}
