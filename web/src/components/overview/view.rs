//! The overview as a whole.

use super::components::Components;
use super::next::{NextProps, next};
use super::numbers::{NumbersProps, numbers};
use super::readers::{ReadersProps, readers};
use crate::components::matters::matters;
use crate::components::spans::spans;
use crate::state::intent::OverviewIntent;
use crate::views::OverviewProps;
use crate::words::overview::fair;
use triescope_core::table::TableFacts;
use triescope_core::table::words::{Weight, description, pair_description};
use yew::{Html, html};

/// What is open, in one line, one picture, one table and one next step.
pub fn overview_view(props: &OverviewProps) -> Html {
    let (trie, legacy) = (props.trie.as_deref(), props.legacy.as_deref());
    let Some(first) = trie.or(legacy) else { return html! {} };
    let facts: Vec<&TableFacts> = [trie, legacy].into_iter().flatten().collect();
    let names = facts.iter().map(|it| it.name.as_str()).collect::<Vec<_>>().join(" and ");
    let line = if facts.len() > 1 { pair_description(first) } else { description(first) };
    html! {
        <div class="ov pad">
            <div class="ohead">
                <div>
                    <h1>
                        if names.starts_with(&props.name) {
                            { names }
                        } else {
                            { &props.name }{ " " }<span class="q">{ names }</span>
                        }
                    </h1>
                    <p class="q">{ spans(&line) }</p>
                </div>
                <span class="sp"></span>
                <button
                    type="button"
                    class="btn go"
                    onclick={props.on.reform(|_| OverviewIntent::LookUp)}
                >
                    { "Look a key up" }
                </button>
            </div>
            <Components trie={props.trie.clone()} legacy={props.legacy.clone()} width={props.width} />
            { lacking(props, trie, legacy) }
            { matters(&facts, Weight::Warning) }
            <div class="ogrid">
                { numbers(&NumbersProps { trie: props.trie.clone(), legacy: props.legacy.clone(), means: props.means.clone(), reader: props.reader }) }
                if let Some(legacy) = &props.legacy {
                    { readers(&ReadersProps { legacy: legacy.clone(), means: props.means.clone(), failure: props.failure.clone(), reader: props.reader, on: props.on.clone() }) }
                }
                <div>
                    { fair_sentence(props, trie, legacy) }
                    { next(&NextProps { start: props.key.clone(), race: facts.len() > 1, on: props.on.clone() }) }
                </div>
            </div>
        </div>
    }
}

/// Which index costs less, whichever it is.
fn fair_sentence(
    props: &OverviewProps,
    trie: Option<&TableFacts>,
    legacy: Option<&TableFacts>,
) -> Html {
    let (Some(trie), Some(legacy), Some(means)) = (trie, legacy, props.means.as_deref()) else {
        return html! {};
    };
    let Some(sentence) = fair(trie, legacy, means, props.reader) else { return html! {} };
    html! {
        <section aria-labelledby="fair">
            <h2 id="fair">{ "Which costs less" }</h2>
            <p>{ sentence }</p>
        </section>
    }
}

/// One format alone: the other lane stays empty, and a sample has both.
fn lacking(props: &OverviewProps, trie: Option<&TableFacts>, legacy: Option<&TableFacts>) -> Html {
    let (here, other) = match (trie, legacy) {
        (Some(_), None) => ("trie", "legacy"),
        (None, Some(_)) => ("legacy", "trie"),
        _ => return html! {},
    };
    let offer = props.offer.clone();
    html! {
        <p class="say-note">
            <span class="jd note" aria-hidden="true">{ "i" }</span>
            <span>
                { format!("These files hold the {here} index alone: there is no {other} index of the same rows to \
                           race against. ") }
                <button
                    type="button"
                    class="lnk"
                    onclick={props.on.reform(move |_| OverviewIntent::OpenSample(offer.clone()))}
                >
                    { format!("Open {}", props.offer) }
                </button>
                { ", a sample that has both, or " }
                <button type="button" class="lnk" onclick={props.on.reform(|_| OverviewIntent::AddFiles)}>
                    { format!("add the files of the {other} index") }
                </button>
                { "." }
            </span>
        </p>
    }
}
