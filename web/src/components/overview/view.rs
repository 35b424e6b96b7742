//! The overview as a whole.

use super::components::Components;
use super::next::{NextProps, next};
use super::numbers::{NumbersProps, numbers};
use super::readers::{ReadersProps, readers};
use crate::components::matters::matters;
use crate::components::spans::spans;
use crate::model::Twin;
use crate::state::intent::OverviewIntent;
use crate::state::store::Lane;
use crate::views::OverviewProps;
use crate::words::overview::fair;
use crate::words::twin::{assumed, built};
use triescope_core::table::TableFacts;
use triescope_core::table::words::{Weight, description, pair_description};
use yew::{Html, html};

/// What is open, in one line, one picture, one table and one next step.
pub fn overview_view(props: &OverviewProps) -> Html {
    let (trie, legacy) = (props.trie.as_deref(), props.legacy.as_deref());
    let Some(first) = trie.or(legacy) else { return html! {} };
    let facts: Vec<&TableFacts> = [trie, legacy].into_iter().flatten().collect();
    let names = &props.names;
    let is_twin = |lane: &Option<Lane>| matches!(lane, Some(Lane::Twin(Twin::Made { .. })));
    let twins = props.lanes.each_ref().map(is_twin);
    let pair = props.lanes.iter().all(|lane| matches!(lane, Some(Lane::Own(..))));
    let line = if pair { pair_description(first) } else { description(first) };
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
            <Components trie={props.trie.clone()} legacy={props.legacy.clone()} {twins} width={props.width} />
            { lacking(props) }
            { matters(&facts, Weight::Warning) }
            <div class="ogrid">
                { numbers(&NumbersProps { trie: props.trie.clone(), legacy: props.legacy.clone(), twins, means: props.means.clone(), reader: props.reader }) }
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

/// One format alone: the other index is built, or it is said why not, and a sample has both.
fn lacking(props: &OverviewProps) -> Html {
    let [trie, legacy] = &props.lanes;
    let note = |inner: Html| {
        html! {
            <p class="say-note">
                <span class="jd note" aria-hidden="true">{ "i" }</span>
                <span>{ inner }</span>
            </p>
        }
    };
    let (name, lane) = match (trie, legacy) {
        (Some(lane), Some(Lane::Own(..))) => ("trie", lane),
        (Some(Lane::Own(..)), Some(lane)) => ("legacy", lane),
        _ => return html! {},
    };
    match lane {
        Lane::Own(..) => html! {},
        Lane::Building => note(html! {
            { format!("These files do not hold the {name} index of these rows. It is being built in this tab, from what they hold.") }
        }),
        Lane::Twin(Twin::Made { facts, words, .. }) => note(html! {
            <>
                { format!("The {name} index is a twin, {}, {}.", facts.name, built(words)) }
                if let Some(assumed) = assumed(words) {
                    { format!(" {assumed}") }
                }
            </>
        }),
        Lane::Twin(Twin::Not { why, ask }) => {
            let offer = props.offer.clone();
            note(html! {
                <>
                    { why.clone() }{ " " }
                    if *ask {
                        <button type="button" class="lnk" onclick={props.on.reform(|_| OverviewIntent::BuildTwin)}>
                            { "Build it" }
                        </button>
                        { ", open " }
                    } else {
                        { "Open " }
                    }
                    <button
                        type="button"
                        class="lnk"
                        onclick={props.on.reform(move |_| OverviewIntent::OpenSample(offer.clone()))}
                    >
                        { props.offer.clone() }
                    </button>
                    { ", a sample that has both, or " }
                    <button type="button" class="lnk" onclick={props.on.reform(|_| OverviewIntent::AddFiles)}>
                        { format!("add the files of the {name} index") }
                    </button>
                    { "." }
                </>
            })
        }
    }
}
