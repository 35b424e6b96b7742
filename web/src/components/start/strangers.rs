//! Files that belong to no SSTable: they stay listed, with what was expected and found.

use crate::model::{Opened, Stranger};
use crate::shared::Shared;
use crate::words::{bytes, count};
use yew::{Html, html};

/// Props of [`strangers`].
#[derive(Clone, PartialEq)]
pub struct StrangersProps {
    /// What the files hold.
    pub opened: Shared<Opened>,
}

/// So many are listed; a folder can hold thousands.
const LISTED: usize = 50;

/// A list that is folded away, unless there is nothing else to show.
pub fn strangers(props: &StrangersProps) -> Html {
    let strangers = &props.opened.strangers;
    if strangers.is_empty() {
        return html! {};
    }
    let more = strangers.len().saturating_sub(LISTED);
    html! {
        <details class="found" open={props.opened.tables.is_empty()}>
            <summary>
                { count(strangers.len() as u64, "file belongs", "files belong") }{ " to no SSTable" }
            </summary>
            <table class="tbl ef">
                <thead>
                    <tr><th scope="col">{ "file" }</th><th scope="col" class="n">{ "size" }</th><th scope="col">{ "why" }</th></tr>
                </thead>
                <tbody>{ for strangers.iter().take(LISTED).map(row) }</tbody>
            </table>
            if more > 0 {
                <p class="c">{ format!("and {}", count(more as u64, "other", "others")) }</p>
            }
        </details>
    }
}

fn row(stranger: &Stranger) -> Html {
    html! {
        <tr>
            <td>{ &stranger.path }</td>
            <td class="n">{ bytes(stranger.bytes) }</td>
            <td class="q">{ &stranger.why }</td>
        </tr>
    }
}
