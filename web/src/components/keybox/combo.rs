//! A box to type a key into, with suggestions below it.

use web_sys::{HtmlInputElement, InputEvent, KeyboardEvent};
use yew::{
    Callback, Html, MouseEvent, Properties, TargetCast as _, function_component, html, use_state_eq,
};

/// Props of [`Combo`].
#[derive(Clone, PartialEq, Properties)]
pub struct ComboProps {
    /// Id of the input.
    pub id: &'static str,
    /// What the box takes, in a word or two.
    #[prop_or_default]
    pub kind: String,
    /// The text in the box.
    pub value: String,
    /// What the text means, or what is wrong with it.
    #[prop_or_default]
    pub meaning: Option<Result<String, String>>,
    /// Keys to suggest for the text.
    #[prop_or_default]
    pub suggestions: Vec<String>,
    /// What the suggestions are.
    #[prop_or_default]
    pub origin: String,
    /// The text has changed.
    pub on_type: Callback<String>,
    /// Look this up.
    pub on_go: Callback<String>,
}

/// A combobox: arrows choose a suggestion, Enter goes, Esc closes the list and then leaves the box.
#[function_component]
pub fn Combo(props: &ComboProps) -> Html {
    let open = use_state_eq(|| false);
    let active = use_state_eq(|| None::<usize>);
    let count = props.suggestions.len();
    let shown = *open && count > 0;
    let list = format!("{}-list", props.id);
    let option = |n: usize| format!("{}-option-{n}", props.id);

    let on_input = {
        let (open, active, on_type) = (open.clone(), active.clone(), props.on_type.clone());
        Callback::from(move |event: InputEvent| {
            if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
                open.set(true);
                active.set(None);
                on_type.emit(input.value());
            }
        })
    };
    let on_key = {
        let (open, active) = (open.clone(), active.clone());
        let (props, chosen) = (props.clone(), *active);
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "ArrowDown" | "ArrowUp" if count > 0 => {
                event.prevent_default();
                let down = event.key() == "ArrowDown";
                active.set(if !shown {
                    Some(if down { 0 } else { count - 1 })
                } else {
                    neighbour(chosen, count, down)
                });
                open.set(true);
            }
            "Enter" => {
                event.prevent_default();
                let key = chosen.filter(|_| shown).and_then(|n| props.suggestions.get(n).cloned());
                open.set(false);
                active.set(None);
                match key {
                    Some(key) => props.on_go.emit(key),
                    // What is wrong is explained below the box already; the race before stays in sight.
                    None if matches!(props.meaning, Some(Err(_))) => {}
                    None => props.on_go.emit(props.value.clone()),
                }
            }
            "Escape" => {
                if shown {
                    event.prevent_default();
                    open.set(false);
                    active.set(None);
                } else if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
                    let _ = input.blur();
                }
            }
            _ => {}
        })
    };
    let on_blur = {
        let (open, active) = (open.clone(), active.clone());
        Callback::from(move |_| {
            open.set(false);
            active.set(None);
        })
    };
    let on_click = {
        let open = open.clone();
        Callback::from(move |_| open.set(true))
    };
    let wrong = match &props.meaning {
        Some(Err(why)) => Some(why.clone()),
        _ => None,
    };
    let said = match &props.meaning {
        Some(Ok(said)) => said.clone(),
        _ => String::new(),
    };
    let note = format!("{}-note", props.id);
    html! {
        <div class="combo">
            <span class={if wrong.is_some() { "box wrong" } else { "box" }}>
                <input
                    id={props.id}
                    role="combobox"
                    aria-expanded={shown.to_string()}
                    aria-controls={list.clone()}
                    aria-autocomplete="list"
                    aria-activedescendant={active.filter(|_| shown).map(option)}
                    aria-describedby={note.clone()}
                    aria-invalid={wrong.is_some().then_some("true")}
                    value={props.value.clone()}
                    spellcheck="false"
                    autocomplete="off"
                    autocapitalize="off"
                    oninput={on_input}
                    onkeydown={on_key}
                    onblur={on_blur}
                    onclick={on_click}
                />
                <span class="c nw meaning">{ said }</span>
                <span class="c nw type" aria-hidden="true">{ &props.kind }</span>
            </span>
            <p id={note} class="wrongtext">{ wrong.unwrap_or_default() }</p>
            <div class="suggest" hidden={!shown}>
                <ul role="listbox" id={list} aria-label="Keys to suggest">
                    if shown {
                        { for props.suggestions.iter().enumerate().map(|(n, key)| {
                            // The press must not take the focus from the box.
                            let pick = {
                                let (on_go, key) = (props.on_go.clone(), key.clone());
                                let (open, active) = (open.clone(), active.clone());
                                Callback::from(move |event: MouseEvent| {
                                    event.prevent_default();
                                    open.set(false);
                                    active.set(None);
                                    on_go.emit(key.clone());
                                })
                            };
                            html! {
                                <li
                                    role="option"
                                    id={option(n)}
                                    aria-selected={(*active == Some(n)).to_string()}
                                    onmousedown={pick}
                                >
                                    { key }
                                </li>
                            }
                        }) }
                    }
                </ul>
                <p class="c">{ &props.origin }</p>
            </div>
        </div>
    }
}

fn neighbour(chosen: Option<usize>, count: usize, down: bool) -> Option<usize> {
    match (chosen, down) {
        (None, true) => Some(0),
        (None, false) => count.checked_sub(1),
        (Some(n), true) => Some(n + 1).filter(|n| *n < count),
        (Some(n), false) => n.checked_sub(1),
    }
}
