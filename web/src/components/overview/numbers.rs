//! The two indexes of these keys in numbers, the same questions to both.

use crate::shared::Shared;
use crate::words::overview::{Row, progress, rows};
use triescope_core::race::{LegacyReader, Means};
use triescope_core::table::TableFacts;
use yew::{Html, html};

/// Props of [`numbers`].
#[derive(Clone, PartialEq)]
pub struct NumbersProps {
    /// The SSTable with the trie index.
    pub trie: Option<Shared<TableFacts>>,
    /// The SSTable with the legacy index.
    pub legacy: Option<Shared<TableFacts>>,
    /// Whether each was built and does not lie in the files: trie, legacy.
    pub twins: [bool; 2],
    /// Means over keys as they come.
    pub means: Option<Shared<Means>>,
    /// Who reads the legacy index.
    pub reader: LegacyReader,
}

/// The table, and what its means are over.
pub fn numbers(props: &NumbersProps) -> Html {
    let (trie, legacy) = (props.trie.as_deref(), props.legacy.as_deref());
    let means = props.means.as_deref();
    let heading = match (trie, legacy) {
        (Some(_), Some(_)) => "The two indexes of these keys",
        _ => "The index of these keys",
    };
    html! {
        <section aria-labelledby="two-indexes">
            <h2 id="two-indexes">{ heading }</h2>
            <table class="tbl">
                <thead>
                    <tr>
                        <th><span class="vh">{ "question" }</span></th>
                        <th class="n" scope="col">
                            <span class="dot" aria-hidden="true"></span>{ title("Trie", props.twins[0]) }
                        </th>
                        <th class="n" scope="col">
                            <span class="dot l" aria-hidden="true"></span>{ title("Legacy", props.twins[1]) }
                        </th>
                    </tr>
                </thead>
                <tbody>{ for rows(trie, legacy, means, props.reader).iter().map(row) }</tbody>
            </table>
            if let Some(means) = means {
                <p class="c below">{ progress(means) }</p>
            }
        </section>
    }
}

fn title(name: &str, twin: bool) -> String {
    format!(" {name}{}", if twin { ", twin" } else { "" })
}

fn row(row: &Row) -> Html {
    html! { <tr><th scope="row">{ row.what }</th>{ cell(row.trie.as_deref()) }{ cell(row.legacy.as_deref()) }</tr> }
}

fn cell(text: Option<&str>) -> Html {
    match text {
        None => html! { <td class="n c">{ "not here" }</td> },
        Some("") => html! { <td class="n"><span class="vh">{ "not yet" }</span></td> },
        Some(text) => html! { <td class="n">{ text }</td> },
    }
}
