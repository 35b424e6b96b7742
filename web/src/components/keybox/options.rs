//! How a key is looked up: reader of the legacy index, cache model, filter.

use crate::state::address::{BLOCKS, WARM_BYTES};
use crate::state::intent::KeyIntent;
use triescope_core::lookup::FilterMode;
use triescope_core::lookup::words::number;
use triescope_core::race::{CacheModel, LegacyReader};
use wasm_bindgen::JsCast as _;
use web_sys::{Event, HtmlElement, HtmlSelectElement, KeyboardEvent};
use yew::{Callback, Html, TargetCast as _, html};

/// Budgets to choose from, in bytes for each index.
const BUDGETS: [u64; 5] = [4_096, 16_384, WARM_BYTES, 262_144, 1_048_576];

/// Props of [`options`].
#[derive(Clone, PartialEq)]
pub struct OptionsProps {
    /// Who reads the legacy index; `None` where there is none.
    pub reader: Option<LegacyReader>,
    /// The cache model.
    pub cache: CacheModel,
    /// Whether the filter may end the lookup.
    pub filter: FilterMode,
    /// Bytes of row blocks: of those built anew, `Some(None)` for those of the files; `None` where there are no rows.
    pub block: Option<Option<u64>>,
    /// What is chosen.
    pub on: Callback<KeyIntent>,
}

/// The choices.
pub fn options(props: &OptionsProps) -> Html {
    let warm = match &props.cache {
        CacheModel::Cold => None,
        CacheModel::Warm { bytes, .. } => Some(*bytes),
    };
    let budget = props.on.reform(|event| KeyIntent::Cache(chosen(&event)));
    let size = props.on.reform(|event| KeyIntent::Block(chosen(&event)));
    html! {
        <>
            if let Some(reader) = props.reader {
                <div class="fld">
                    <span aria-hidden="true">{ "Legacy reader" }</span>
                    { radios("Legacy reader", &props.on, &[
                        ("ScyllaDB", reader == LegacyReader::Scylla, KeyIntent::Reader(LegacyReader::Scylla)),
                        ("Cassandra", reader == LegacyReader::Cassandra, KeyIntent::Reader(LegacyReader::Cassandra)),
                    ]) }
                </div>
            }
            <div class="fld">
                <span aria-hidden="true">{ "Cache" }</span>
                <span class="two">
                    { radios("Cache", &props.on, &[
                        ("cold", warm.is_none(), KeyIntent::Cache(None)),
                        ("warm", warm.is_some(), KeyIntent::Cache(Some(WARM_BYTES))),
                    ]) }
                    if let Some(warm) = warm {
                        <select class="btn" aria-label="Bytes of the cache, for each index" onchange={budget}>
                            { for budgets(warm).into_iter().map(|bytes| html! {
                                <option value={bytes.to_string()} selected={bytes == warm}>
                                    { format!("{} B", number(bytes, ',')) }
                                </option>
                            }) }
                        </select>
                    }
                </span>
            </div>
            <div class="fld">
                <span aria-hidden="true">{ "Filter" }</span>
                { radios("Filter", &props.on, &[
                    ("ask", props.filter == FilterMode::Ask, KeyIntent::Filter(FilterMode::Ask)),
                    ("off", props.filter == FilterMode::Off, KeyIntent::Filter(FilterMode::Off)),
                ]) }
            </div>
            if let Some(block) = props.block {
                <div class="fld">
                    <span aria-hidden="true">{ "Block size" }</span>
                    <select class="btn" aria-label="Block size" onchange={size}>
                        <option value="" selected={block.is_none()}>{ "own" }</option>
                        { for BLOCKS.map(|bytes| html! {
                            <option value={bytes.to_string()} selected={block == Some(bytes)}>
                                { format!("{} KiB", bytes / 1024) }
                            </option>
                        }) }
                    </select>
                </div>
            }
        </>
    }
}

/// The number that was chosen.
fn chosen(event: &Event) -> Option<u64> {
    event.target_dyn_into::<HtmlSelectElement>()?.value().parse().ok()
}

fn budgets(warm: u64) -> Vec<u64> {
    let mut budgets = BUDGETS.to_vec();
    if !budgets.contains(&warm) {
        budgets.push(warm);
        budgets.sort_unstable();
    }
    budgets
}

/// One of several: arrows move and choose, as in a group of radio buttons.
fn radios(
    name: &'static str,
    on: &Callback<KeyIntent>,
    choices: &[(&'static str, bool, KeyIntent)],
) -> Html {
    html! {
        <div class="seg" role="radiogroup" aria-label={name} onkeydown={Callback::from(arrows)}>
            { for choices.iter().map(|(word, chosen, intent)| {
                let intent = intent.clone();
                html! {
                    <button
                        type="button"
                        role="radio"
                        aria-checked={chosen.to_string()}
                        tabindex={if *chosen { "0" } else { "-1" }}
                        onclick={on.reform(move |_| intent.clone())}
                    >
                        { *word }
                    </button>
                }
            }) }
        </div>
    }
}

fn arrows(event: KeyboardEvent) {
    let element = event.target_dyn_into::<HtmlElement>();
    let to = element.and_then(|element| match event.key().as_str() {
        "ArrowRight" | "ArrowDown" => element.next_element_sibling(),
        "ArrowLeft" | "ArrowUp" => element.previous_element_sibling(),
        _ => None,
    });
    if let Some(to) = to.and_then(|to| to.dyn_into::<HtmlElement>().ok()) {
        event.prevent_default();
        let _ = to.focus();
        to.click();
    }
}
