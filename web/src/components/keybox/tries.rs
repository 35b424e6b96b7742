//! Keys worth trying.

use crate::model::SampleEntry;
use crate::state::intent::{KeyIntent, TryWhat};
use triescope_core::lookup::FilterMode;
use yew::{Callback, Html, Properties, function_component, html, use_mut_ref};

/// Props of [`Tries`].
#[derive(Clone, PartialEq, Properties)]
pub struct TriesProps {
    /// The sample that is open.
    #[prop_or_default]
    pub sample: Option<SampleEntry>,
    /// The key that is looked up.
    #[prop_or_default]
    pub key_text: Option<String>,
    /// The row that is looked up.
    #[prop_or_default]
    pub row_text: Option<String>,
    /// What a button asks for.
    pub on: Callback<KeyIntent>,
}

/// One button a kind of key. A sample has keys of its own for most of them; the others are found in the files.
#[function_component]
pub fn Tries(props: &TriesProps) -> Html {
    let seed = use_mut_ref(|| js_sys::Math::random() * 4_294_967_296.0);
    let find = |name: &'static str, what: fn(u64) -> TryWhat| {
        let (on, seed) = (props.on.clone(), seed.clone());
        let press = Callback::from(move |_| {
            let mut seed = seed.borrow_mut();
            *seed += 1.0;
            on.emit(KeyIntent::Try(what(seed.to_bits())));
        });
        html! { <button type="button" onclick={press}>{ name }</button> }
    };
    let pick = |name: &'static str, key: &str, row: Option<&str>, filter: FilterMode| {
        let here = props.key_text.as_deref() == Some(key) && props.row_text.as_deref() == row;
        let (key, row) = (key.to_owned(), row.map(str::to_owned));
        let press = props.on.reform(move |_| KeyIntent::Pick(key.clone(), row.clone(), filter));
        html! {
            <button type="button" aria-pressed={here.to_string()} onclick={press}>{ name }</button>
        }
    };
    let sample = props.sample.as_ref();
    let absent = sample.and_then(|sample| sample.absent.as_deref());
    let dead_end = sample.and_then(|sample| sample.dead_end.as_deref());
    let row = sample.and_then(|sample| sample.row.as_ref());
    html! {
        <div class="seg tries" role="group" aria-label="Try">
            if let Some(sample) = sample {
                { pick("present", &sample.present, None, FilterMode::Ask) }
            }
            { match absent {
                Some(key) => pick("absent", key, None, FilterMode::Off),
                None => find("absent", TryWhat::Absent),
            } }
            { match dead_end {
                Some(key) => pick("dead end", key, None, FilterMode::Off),
                None => find("dead end", TryWhat::DeadEnd),
            } }
            if let Some((key, row)) = row {
                { pick("row", key, Some(row), FilterMode::Ask) }
            }
            { find("first", |_| TryWhat::First) }
            { find("last", |_| TryWhat::Last) }
            { find("random", TryWhat::Random) }
        </div>
    }
}
