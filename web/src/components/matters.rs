//! What is missing, odd or damaged, each with what follows from it.

use crate::words::start::{Matter, matters as matters_of};
use triescope_core::table::TableFacts;
use triescope_core::table::words::Weight;
use yew::{Html, classes, html};

/// A line for each thing of at least this weight.
pub fn matters(tables: &[&TableFacts], least: Weight) -> Html {
    matters_of(tables).iter().filter(|it| it.cost.weight >= least).map(line).collect()
}

fn line(matter: &Matter) -> Html {
    let (sign, mark) = match matter.cost.weight {
        Weight::Note => ("note", "i"),
        Weight::Warning => ("warn", "!"),
        Weight::Bad => ("bad", "×"),
    };
    html! {
        <p class="say-note">
            <span class={classes!("jd", sign)} aria-hidden="true">{ mark }</span>
            <span>
                if let Some(name) = &matter.of {
                    { format!("{name}: ") }
                }
                <b>{ &matter.cost.what }</b>{ " " }{ &matter.cost.then }
            </span>
        </p>
    }
}
