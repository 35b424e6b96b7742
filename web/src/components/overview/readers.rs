//! Which database reads the legacy index, and what the other one's way would cost.

use crate::model::Failure;
use crate::shared::Shared;
use crate::state::intent::OverviewIntent;
use crate::words::failure;
use crate::words::overview::{other, other_reader, reader_name, reading};
use triescope_core::race::{LegacyReader, Means};
use triescope_core::table::TableFacts;
use yew::{Callback, Html, html};

/// Props of [`readers`].
#[derive(Clone, PartialEq)]
pub struct ReadersProps {
    /// The SSTable with the legacy index.
    pub legacy: Shared<TableFacts>,
    /// Means over keys as they come.
    pub means: Option<Shared<Means>>,
    /// Why there are no means, or no more of them.
    pub failure: Option<Shared<Failure>>,
    /// Who reads the legacy index.
    pub reader: LegacyReader,
    /// What is asked for.
    pub on: Callback<OverviewIntent>,
}

/// A choice of two, how that one reads, and what the other would cost.
pub fn readers(props: &ReadersProps) -> Html {
    let means = props.means.as_deref();
    html! {
        <section aria-labelledby="readers">
            <h2 id="readers">{ "Legacy as it is read by" }</h2>
            <div class="seg" role="group" aria-labelledby="readers">
                { for [LegacyReader::Cassandra, LegacyReader::Scylla].map(|it| choice(it, props)) }
            </div>
            <p class="below">{ reading(props.reader, &props.legacy, means) }</p>
            if let Some(costs) = means.and_then(other) {
                <p class="c">{ format!("As {} reads it: {costs}.", reader_name(other_reader(props.reader))) }</p>
            }
            { why_not(props) }
        </section>
    }
}

fn choice(reader: LegacyReader, props: &ReadersProps) -> Html {
    let pressed = if reader == props.reader { "true" } else { "false" };
    html! {
        <button
            type="button"
            aria-pressed={pressed}
            onclick={props.on.reform(move |_| OverviewIntent::Reader(reader))}
        >
            { reader_name(reader) }
        </button>
    }
}

fn why_not(props: &ReadersProps) -> Html {
    let Some(why) = props.failure.as_deref() else { return html! {} };
    html! {
        <p class="say-note">
            <span class="jd warn" aria-hidden="true">{ "!" }</span>
            <span>
                { failure::sentence(why) }
                if matches!(why, Failure::AskToSample { .. }) {
                    { " " }
                    <button
                        type="button"
                        class="lnk"
                        onclick={props.on.reform(|_| OverviewIntent::SampleLarge)}
                    >
                        { "Sample it" }
                    </button>
                }
            </span>
        </p>
    }
}
