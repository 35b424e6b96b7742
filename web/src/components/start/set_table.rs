//! The components of one SSTable: what is here and what is missing.

use crate::words::bytes;
use crate::words::start::what;
use triescope_core::table::words::role;
use triescope_core::table::{Component, Problem, TableFacts};
use yew::{Html, html};

/// A row a component; the name above them where there are several SSTables.
pub fn set_table(facts: &TableFacts, titled: bool) -> Html {
    html! {
        <>
            if titled {
                <p class="setname">
                    <b>{ &facts.name }</b>{ " " }<span class="c">{ what(facts) }</span>
                </p>
            }
            <table class="tbl">
                <caption class="vh">{ format!("Components of {}", facts.name) }</caption>
                <thead class="vh">
                    <tr>
                        <th scope="col">{ "state" }</th>
                        <th scope="col">{ "component" }</th>
                        <th scope="col">{ "size" }</th>
                        <th scope="col">{ "what it is" }</th>
                    </tr>
                </thead>
                <tbody>{ for facts.components.iter().map(|it| row(it, facts)) }</tbody>
            </table>
        </>
    }
}

fn row(component: &Component, facts: &TableFacts) -> Html {
    let broken = facts
        .problems
        .iter()
        .any(|it| matches!(it, Problem::Damaged(error) if Some(error.part) == component.part));
    let (class, sign, mark, state) = match component.bytes {
        None => ("miss", "jd warn", "!", "missing"),
        Some(_) if broken => ("broken", "jd bad", "×", "damaged"),
        Some(_) => ("ok", "jd good", "✓", "there"),
    };
    html! {
        <tr {class}>
            <td><span class={sign} role="img" aria-label={state}>{ mark }</span></td>
            <td>{ &component.name }</td>
            <td class="n">{ component.bytes.map_or_else(|| "missing".to_owned(), bytes) }</td>
            <td class="q">{ role(component, facts) }</td>
        </tr>
    }
}
