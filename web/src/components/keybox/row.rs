//! The row itself.

use super::KEY_ID;
use super::combo::Combo;
use super::options::{OptionsProps, options};
use super::tries::Tries;
use crate::model::{SampleEntry, Suggestions, Understood};
use crate::shared::Shared;
use crate::state::address::Ask;
use crate::state::intent::KeyIntent;
use crate::state::keytext;
use triescope_core::race::LegacyReader;
use triescope_core::table::TableFacts;
use web_sys::SubmitEvent;
use yew::{
    Callback, Html, Properties, classes, function_component, html, use_effect_with, use_state_eq,
};

/// Props of [`KeyBox`].
#[derive(Clone, PartialEq, Properties)]
pub struct KeyBoxProps {
    /// The SSTable whose keys they are.
    pub facts: Shared<TableFacts>,
    /// What is looked up.
    pub ask: Ask,
    /// Who reads the legacy index; `None` where there is none.
    #[prop_or_default]
    pub reader: Option<LegacyReader>,
    /// Whether row blocks of another size can be built.
    #[prop_or_default]
    pub blocks: bool,
    /// What the text in the box means.
    #[prop_or_default]
    pub understood: Option<Shared<Understood>>,
    /// Why the key that was looked up could not be: a sentence.
    #[prop_or_default]
    pub wrong: Option<String>,
    /// Keys to suggest.
    #[prop_or_default]
    pub suggestions: Option<Shared<Suggestions>>,
    /// The sample that is open.
    #[prop_or_default]
    pub sample: Option<SampleEntry>,
    /// What is asked for.
    pub on: Callback<KeyIntent>,
}

/// The key box, the box of the clustering key, keys to try, and options.
#[function_component]
pub fn KeyBox(props: &KeyBoxProps) -> Html {
    let (asked_key, asked_row) =
        (props.ask.key.clone().unwrap_or_default(), props.ask.row.clone().unwrap_or_default());
    let key = use_state_eq(|| asked_key.clone());
    let row = use_state_eq(|| asked_row.clone());
    let unfolded = use_state_eq(|| false);
    {
        let (key, row, on) = (key.clone(), row.clone(), props.on.clone());
        use_effect_with((asked_key.clone(), asked_row.clone()), move |(asked_key, asked_row)| {
            key.set(asked_key.clone());
            row.set(asked_row.clone());
            on.emit(KeyIntent::Typed(asked_key.clone(), asked_row.clone()));
        });
    }
    let row_type = keytext::row_type(&props.facts);
    let understood = props.understood.as_deref();
    let mut meaning = keytext::meaning(understood, &key);
    let row_meaning = keytext::row_meaning(understood, &row);
    if *key == asked_key
        && row_meaning.as_ref().is_none_or(Result::is_ok)
        && meaning.as_ref().is_none_or(Result::is_ok)
        && let Some(wrong) = &props.wrong
    {
        meaning = Some(Err(wrong.clone()));
    }
    let suggestions: Vec<String> = match &props.suggestions {
        Some(all) if *key != asked_key => {
            keytext::matching(all, &key).into_iter().map(str::to_owned).collect()
        }
        Some(all) => keytext::matching(all, "").into_iter().map(str::to_owned).collect(),
        None => Vec::new(),
    };
    let type_key = {
        let (key, row, on) = (key.clone(), row.clone(), props.on.clone());
        Callback::from(move |text: String| {
            key.set(text.clone());
            on.emit(KeyIntent::Typed(text, (*row).clone()));
        })
    };
    let type_row = {
        let (key, row, on) = (key.clone(), row.clone(), props.on.clone());
        Callback::from(move |text: String| {
            row.set(text.clone());
            on.emit(KeyIntent::Typed((*key).clone(), text));
        })
    };
    let go_key = {
        let (key, row, on) = (key.clone(), row.clone(), props.on.clone());
        Callback::from(move |text: String| {
            key.set(text.clone());
            on.emit(KeyIntent::Go(text, (*row).clone()));
        })
    };
    let go_row = {
        let (key, row, on) = (key.clone(), row.clone(), props.on.clone());
        Callback::from(move |text: String| {
            row.set(text.clone());
            on.emit(KeyIntent::Go((*key).clone(), text));
        })
    };
    let unfold = {
        let unfolded = unfolded.clone();
        Callback::from(move |_| unfolded.set(!*unfolded))
    };
    html! {
        <form
            class={classes!("keyrow", unfolded.then_some("unfolded"))}
            onsubmit={Callback::from(|event: SubmitEvent| event.prevent_default())}
        >
            <div class="fld grow">
                <label for={KEY_ID}>
                    { format!("Partition key, {}", keytext::key_type(&props.facts)) }
                    <span class="also">
                        { " · also " }<span class="m">{ "0x…" }</span>{ " bytes or " }
                        <span class="m">{ "token:" }</span>
                    </span>
                </label>
                <Combo
                    id={KEY_ID}
                    kind={keytext::key_type(&props.facts)}
                    value={(*key).clone()}
                    {meaning}
                    {suggestions}
                    origin={props.suggestions.as_deref().map(keytext::origin).unwrap_or_default()}
                    on_type={type_key}
                    on_go={go_key}
                />
            </div>
            if let Some(row_type) = row_type {
                <div class="fld grow">
                    <label for="row">{ format!("Clustering key, {row_type}") }</label>
                    <Combo
                        id="row"
                        kind={format!("clustering key, {row_type}")}
                        value={(*row).clone()}
                        meaning={row_meaning}
                        on_type={type_row}
                        on_go={go_row}
                    />
                </div>
            }
            <button
                type="button"
                class="btn phone-only"
                aria-expanded={unfolded.to_string()}
                aria-label="Options: keys to try, legacy reader, cache, filter, block size"
                onclick={unfold}
            >
                { "Options" }
            </button>
            <div class="opts">
                <div class="fld">
                    <span aria-hidden="true">{ "Try" }</span>
                    <Tries
                        sample={props.sample.clone()}
                        key_text={props.ask.key.clone()}
                        row_text={props.ask.row.clone()}
                        on={props.on.clone()}
                    />
                </div>
                { options(&OptionsProps { reader: props.reader, cache: props.ask.cache.clone(), filter: props.ask.filter, block: props.blocks.then_some(props.ask.block), on: props.on.clone() }) }
            </div>
        </form>
    }
}
