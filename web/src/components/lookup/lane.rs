//! A lane: whose it is, what its files are, the sentence of its step, its picture.

use super::picture::Picture;
use super::steps::{SharedNames, dot, name, record};
use crate::components::spans::spans;
use crate::layout::Scene;
use crate::layout::lookup::size;
use crate::model::Twin;
use crate::shared::Shared;
use crate::state::intent::{LookupIntent, Side};
use crate::state::store::Lane as From;
use crate::words::count;
use crate::words::twin::{assumed, built};
use triescope_core::lookup::words::{ENGLISH, Text, before, number, sentence};
use triescope_core::lookup::{Record, Step};
use triescope_core::pos::pages_of;
use triescope_core::race::{LegacyReader, Race};
use triescope_core::table::{Part, TableFacts};
use yew::{Callback, Html, Properties, function_component, html};

/// Props of [`Lane`].
#[derive(Clone, PartialEq, Properties)]
pub struct LaneProps {
    /// The race.
    pub race: Shared<Race>,
    /// Which lane.
    pub side: Side,
    /// The SSTable of the lane.
    #[prop_or_default]
    pub facts: Option<Shared<TableFacts>>,
    /// Its picture.
    pub scene: Shared<Scene>,
    /// How keys are written.
    pub names: SharedNames,
    /// Steps done.
    pub done: usize,
    /// Whether the newest mark lights up slowly.
    pub playing: bool,
    /// Where its index comes from.
    #[prop_or_default]
    pub from: Option<From>,
    /// A sample of both formats.
    pub offer: String,
    /// What the lane asks for.
    pub on: Callback<LookupIntent>,
}

/// What is said of the current step.
pub fn say(race: &Race, side: Side, names: &SharedNames, done: usize) -> Text {
    let Some(record) = record(race, side) else { return Text::default() };
    match done.min(record.steps.len()).checked_sub(1) {
        Some(step) => sentence(&ENGLISH, &*names.0, record, step),
        None => {
            let legacy = race.legacy.as_ref().filter(|_| side == Side::Legacy);
            before(&ENGLISH, legacy.map(|lane| lane.summary))
        }
    }
}

/// The lane.
#[function_component]
pub fn Lane(props: &LaneProps) -> Html {
    let side = props.side;
    let Some(record) = record(&props.race, side) else { return missing(props) };
    let id = if side == Side::Trie { "lane-trie" } else { "lane-legacy" };
    let on_step = props.on.reform(move |step| LookupIntent::Go(side, step));
    html! {
        <section class="lane" aria-labelledby={id}>
            <header>
                <h2 {id}>{ dot(side) }{ name(side) }</h2>
                <span class="c what">{ what(&props.race, side, record, props.facts.as_deref()) }</span>
                <p class="say">{ spans(&say(&props.race, side, &props.names, props.done)) }</p>
            </header>
            { twin(props.from.as_ref()) }
            <Picture scene={props.scene.clone()} done={props.done} playing={props.playing} {on_step} />
        </section>
    }
}

/// What is said of an index that was built and does not lie in the files.
pub fn twin(from: Option<&From>) -> Html {
    let Some(From::Twin(Twin::Made { words, .. })) = from else { return Html::default() };
    html! {
        <p class="c twin">
            { format!("Twin, {}.", built(words)) }
            if let Some(assumed) = assumed(words) {
                { format!(" {assumed}") }
            }
        </p>
    }
}

/// The file of a lane in numbers: `Partitions.db · 162,365 B · 40 pages`.
fn what(race: &Race, side: Side, record: &Record, facts: Option<&TableFacts>) -> Html {
    let reads_rows =
        record.steps.iter().any(|step| matches!(step, Step::Page(page) if page.part == Part::Rows));
    let part = match side {
        Side::Trie if reads_rows => Part::Rows,
        Side::Trie => Part::Partitions,
        Side::Legacy => Part::Index,
    };
    let bytes = facts.and_then(|facts| size(facts, part));
    let reader = match race.legacy.as_ref().filter(|_| side == Side::Legacy).map(|lane| lane.reader)
    {
        Some(LegacyReader::Scylla) => " · as ScyllaDB reads",
        Some(LegacyReader::Cassandra) => " · as Cassandra reads",
        None => "",
    };
    html! {
        <>
            { part.to_string() }
            if let Some(bytes) = bytes {
                <span class="more">{ format!(" · {} B", number(bytes, ',')) }</span>
                { format!(" · {}", count(pages_of(bytes), "page", "pages")) }
            }
            <span class="more">{ reader }</span>
        </>
    }
}

/// What stands where there is no index of this kind: it is being built, or there is none.
fn missing(props: &LaneProps) -> Html {
    let side = props.side;
    let (what, why, ask) = match &props.from {
        Some(From::Building | From::Twin(Twin::Made { .. })) => {
            let why = "These files do not hold this index. It is being built in this tab, from what they hold, \
                       and this lane joins in when it is there.";
            return empty_lane(side, "being built", html! { <p>{ why }</p> });
        }
        Some(From::Twin(Twin::Not { why, ask })) => ("no such index here", why.clone(), *ask),
        _ => ("no such index here", not_read(props), false),
    };
    let build = props.on.reform(|_| LookupIntent::BuildTwin);
    let offer = {
        let name = props.offer.clone();
        props.on.reform(move |_| LookupIntent::OpenSample(name.clone()))
    };
    let add = props.on.reform(|_| LookupIntent::AddFiles);
    empty_lane(
        side,
        what,
        html! {
            <>
                <p>{ why }</p>
                <p class="q">{ format!("The sample {} has the same rows in both formats.", props.offer) }</p>
                <p class="acts">
                    if ask {
                        <button class="btn go" onclick={build}>{ "Build it" }</button>
                    }
                    <button class="btn" onclick={offer}>{ format!("Open the sample {}", props.offer) }</button>
                    <button class="btn" onclick={add}>{ "Add files" }</button>
                </p>
            </>
        },
    )
}

fn empty_lane(side: Side, what: &str, inner: Html) -> Html {
    html! {
        <section class="lane missing" aria-label={name(side)}>
            <header>
                <h2>{ dot(side) }{ name(side) }</h2>
                <span class="c what">{ what }</span>
            </header>
            { inner }
        </section>
    }
}

/// Why the files of this lane cannot be read.
fn not_read(props: &LaneProps) -> String {
    let side = props.side;
    let (files, other) = match side {
        Side::Trie => ("Partitions.db and Rows.db", "Summary.db and Index.db"),
        Side::Legacy => ("Index.db", "Partitions.db"),
    };
    match (&props.facts, side) {
        (Some(_), Side::Trie) => {
            "Partitions.db is not here, so the trie cannot be walked.".to_owned()
        }
        (Some(_), Side::Legacy) => {
            "Index.db is not here, so the legacy index cannot be read.".to_owned()
        }
        (None, _) => format!(
            "These files hold {other}, not {files}: one format only, so this lane has nothing to read."
        ),
    }
}
