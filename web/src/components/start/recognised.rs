//! What was recognised among the files: SSTables alone or in pairs, and the files that belong to none.

use super::set_table::set_table;
use super::strangers::{StrangersProps, strangers};
use crate::components::matters::matters;
use crate::components::spans::spans;
use crate::model::Opened;
use crate::shared::Shared;
use crate::state::intent::StartIntent;
use crate::words::start::{self, Group};
use triescope_core::table::TableFacts;
use triescope_core::table::words::Weight;
use yew::{Callback, Html, html};

/// Props of [`recognised`].
#[derive(Clone, PartialEq)]
pub struct RecognisedProps {
    /// What the files hold.
    pub opened: Shared<Opened>,
    /// What is asked for.
    pub on: Callback<StartIntent>,
}

/// A heading with the number of SSTables, a section for each or for each pair, and the strangers.
pub fn recognised(props: &RecognisedProps) -> Html {
    let opened = &*props.opened;
    let folded = start::is_folded(opened);
    html! {
        <section class="set" aria-labelledby="recognised">
            <header>
                <h2 id="recognised">{ start::heading(opened) }</h2>
                <span class="sp"></span>
                <button type="button" class="lnk" onclick={props.on.reform(|_| StartIntent::Forget)}>
                    { "Put away" }
                </button>
            </header>
            if opened.tables.is_empty() {
                <p class="say-note">
                    <span class="jd warn" aria-hidden="true">{ "!" }</span>
                    <span>{ start::expected(opened) }</span>
                </p>
            }
            { for start::groups(opened).iter().map(|it| group(it, opened, folded, &props.on)) }
            { strangers(&StrangersProps { opened: props.opened.clone() }) }
        </section>
    }
}

fn group(group: &Group, opened: &Opened, folded: bool, on: &Callback<StartIntent>) -> Html {
    let facts: Vec<&TableFacts> =
        group.tables.iter().filter_map(|i| opened.tables.get(*i)).map(|(_, it)| it).collect();
    let tables: Html = facts.iter().map(|it| set_table(it, facts.len() > 1)).collect();
    let pair = group.pair;
    html! {
        <article class="found" aria-label={group.title.clone()}>
            <header>
                <h3>{ &group.title }</h3>
                <span class="c">{ &group.caption }</span>
            </header>
            if folded {
                <p class="c">
                    if let Some(folders) = &group.folders {
                        { folders }{ " · " }
                    }
                    { spans(&group.about) }
                </p>
                <details><summary>{ "Components" }</summary>{ tables }</details>
            } else {
                { tables }
            }
            { matters(&facts, Weight::Note) }
            <div class="acts">
                if let Some(open) = group.open {
                    <button
                        type="button"
                        class="btn go"
                        aria-label={format!("{open}: {}", group.title)}
                        onclick={on.reform(move |_| StartIntent::Open(pair))}
                    >
                        { open }
                    </button>
                }
                if let Some(add) = group.add {
                    <button type="button" class="btn" onclick={on.reform(|_| StartIntent::AddFiles)}>
                        { add }
                    </button>
                }
            </div>
        </article>
    }
}
