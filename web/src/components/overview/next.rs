//! Where to go from here.

use crate::state::intent::OverviewIntent;
use yew::{Callback, Html, html};

/// Props of [`next`].
#[derive(Clone, PartialEq)]
pub struct NextProps {
    /// The key that the lookup would start with.
    pub start: Option<String>,
    /// Whether there are two indexes to race.
    pub race: bool,
    /// What is asked for.
    pub on: Callback<OverviewIntent>,
}

/// The views that are built.
pub fn next(props: &NextProps) -> Html {
    let note = match &props.start {
        Some(key) => format!("key {key}, page by page"),
        None => "the first key, page by page".to_owned(),
    };
    html! {
        <section aria-labelledby="next">
            <h2 id="next">{ "Next" }</h2>
            <ul class="nxt">
                <li>
                    <button
                        type="button"
                        class="lnk"
                        onclick={props.on.reform(|_| OverviewIntent::LookUp)}
                    >
                        { if props.race { "Race a lookup" } else { "Look a key up" } }
                    </button>
                    <span class="c">{ note }</span>
                </li>
            </ul>
        </section>
    }
}
