//! ScoreTable: what both lanes have cost so far, in adjacent columns.

use super::steps::dot;
use crate::layout::lookup::{Main, Row};
use crate::state::intent::Side;
use crate::words::{count, mean};
use triescope_core::race::Means;
use yew::{Html, classes, html};

/// The table; `only_main` leaves all but the first counts out, for a phone.
pub fn table(rows: &[Row], means: Option<&Means>, at_end: bool, only_main: bool) -> Html {
    let head = if at_end { "This lookup" } else { "This lookup, so far" };
    html! {
        <table class="tbl">
            <thead>
                <tr>
                    <th scope="col">{ head }</th>
                    <th scope="col" class="n">{ dot(Side::Trie) }{ " Trie" }</th>
                    <th scope="col" class="n">{ dot(Side::Legacy) }{ " Legacy" }</th>
                </tr>
            </thead>
            <tbody>
                { for rows.iter().filter(|row| !only_main || row.main != Main::No).map(|row| html! {
                    <>
                        { line(&row.what, row.trie.as_deref(), row.legacy.as_deref(), row.main == Main::First) }
                        { if row.main == Main::First && !only_main { means.map(mean_row) } else { None } }
                    </>
                }) }
            </tbody>
        </table>
    }
}

fn line(what: &str, trie: Option<&str>, legacy: Option<&str>, big: bool) -> Html {
    let cell = |text: Option<&str>| match text {
        Some(text) => html! { <td class="n">{ text }</td> },
        None => {
            html! { <td class="n c"><span aria-hidden="true">{ "–" }</span><span class="vh">{ "not here" }</span></td> }
        }
    };
    html! {
        <tr class={classes!(big.then_some("big"))}>
            <th scope="row">{ what }</th>
            { cell(trie) }
            { cell(legacy) }
        </tr>
    }
}

fn mean_row(means: &Means) -> Html {
    let keys = count(means.done, "key", "keys");
    let what = match (means.all_keys, means.done < means.of) {
        (true, false) if means.done == 1 => "The only key, cold".to_owned(),
        (true, false) => format!("Mean of all {keys}, cold"),
        (true, true) => format!("Mean of the first {keys}, cold"),
        (false, _) => format!("Mean of {keys} at random, cold"),
    };
    let of = |sum: Option<u64>| sum.and_then(|sum| mean(sum, means.done, 2));
    let (trie, legacy) = (of(means.trie.map(|m| m.fetches)), of(means.legacy.map(|m| m.fetches)));
    line(&what, trie.as_deref(), legacy.as_deref(), false)
}
