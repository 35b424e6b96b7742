//! The help: all keys of this view, from the table that makes them act.

use crate::state::keymap::{BINDINGS, Binding, Scope};
use web_sys::{HtmlDialogElement, HtmlInputElement};
use yew::{
    Callback, Event, Html, MouseEvent, Properties, TargetCast as _, function_component, html,
    use_effect_with, use_node_ref,
};

/// Props of [`Help`].
#[derive(Clone, PartialEq, Properties)]
pub struct HelpProps {
    /// Whether it is shown.
    pub open: bool,
    /// Whether keys of a single character act.
    pub letters: bool,
    /// Turns them on or off.
    pub on_letters: Callback<bool>,
    /// It was closed.
    pub on_close: Callback<()>,
}

/// A dialog with the keys, and the switch that turns single characters off.
#[function_component]
pub fn Help(props: &HelpProps) -> Html {
    let dialog = use_node_ref();
    {
        let dialog = dialog.clone();
        use_effect_with(props.open, move |open| {
            if let Some(dialog) = dialog.cast::<HtmlDialogElement>() {
                if *open && !dialog.open() {
                    let _ = dialog.show_modal();
                } else if !*open && dialog.open() {
                    dialog.close();
                }
            }
        });
    }
    let on_letters = props.on_letters.reform(|event: Event| {
        event.target_dyn_into::<HtmlInputElement>().is_some_and(|input| input.checked())
    });
    let close = props.on_close.reform(|_: MouseEvent| ());
    html! {
        <dialog class="help" ref={dialog} aria-labelledby="help-title" onclose={props.on_close.reform(|_| ())}>
            <header>
                <h2 id="help-title">{ "Keys" }</h2>
                <button class="btn sm" onclick={close}>{ "Close" }</button>
            </header>
            <div class="helpcols">
                if let Some(keys) = of_board().filter(|_| props.open) {
                    <section><h3>{ "In this view" }</h3><dl>{ keys }</dl></section>
                }
                { group("Everywhere", Scope::Everywhere) }
                { group("With an SSTable open", Scope::Open) }
                { group("In lookup and packing", Scope::Race) }
                { group("In the packing", Scope::Pack) }
            </div>
            <label class="switch">
                <input type="checkbox" checked={props.letters} onchange={on_letters} />
                { "Keys of a single character act (outside of text boxes)" }
            </label>
        </dialog>
    }
}

/// The keys of the board that is shown.
fn of_board() -> Option<Html> {
    let keys = web_sys::window()?.document()?.query_selector("#main .keys").ok()??;
    Some(Html::from_html_unchecked(keys.inner_html().into()))
}

fn group(title: &'static str, scope: Scope) -> Html {
    html! {
        <section>
            <h3>{ title }</h3>
            <dl>{ for BINDINGS.iter().filter(|binding| binding.scope == scope).map(line) }</dl>
        </section>
    }
}

fn line(binding: &Binding) -> Html {
    html! {
        <div><dt><kbd>{ binding.shown }</kbd></dt><dd>{ binding.words }</dd></div>
    }
}
