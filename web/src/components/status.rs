//! The status line.

use crate::layout::px;
use crate::state::store::{Busy, Progress, Spent};
use crate::state::supervisor::RequestId;
use crate::words::{bytes, count};
use triescope_core::lookup::words::number;
use yew::{Callback, Html, html};

/// Props of [`status`].
#[derive(Clone, PartialEq)]
pub struct StatusProps {
    /// What is going on.
    pub busy: Option<Busy>,
    /// What is being loaded.
    pub loading: Option<String>,
    /// Something to say.
    pub notice: Option<String>,
    /// Bytes of what is open.
    pub of: Option<u64>,
    /// What the last answer has cost.
    pub spent: Spent,
    /// Stops a request.
    pub on_stop: Callback<RequestId>,
}

/// The status line: the promise, what was read, what is going on.
pub fn status(props: &StatusProps) -> Html {
    let stop = props.busy.as_ref().map(|busy| {
        let id = RequestId(busy.id);
        props.on_stop.reform(move |_| id)
    });
    html! {
        <footer class="status">
            <b>{ "Nothing leaves this tab" }</b>
            <span>{ read(props) }</span>
            if let Some(busy) = &props.busy {
                // Drawn at once, seen after 200 ms: what is over by then was never in the way.
                <span class="busy" key={busy.id}>
                    { words(busy) }
                    { " " }
                    <button class="lnk" onclick={stop}>{ "Stop" }</button>
                </span>
            } else if let Some(words) = &props.loading {
                <span>{ words }</span>
            }
            if let Some(notice) = &props.notice {
                <span class="notice" role="status">{ notice }</span>
            } else if props.of.is_none() {
                <span>{ "formats: da ms mt bb, ma mb mc md me, na nb nc oa" }</span>
            }
        </footer>
    }
}

fn read(props: &StatusProps) -> String {
    let Spent { bytes: read, reads, ms } = props.spent;
    match props.of {
        None => "nothing read yet".to_owned(),
        Some(of) if reads == 0 => format!("read 0 B of {}: all of it was here", bytes(of)),
        Some(of) => format!(
            "read {} of {} in {}, {} ms",
            bytes(read),
            bytes(of),
            count(reads, "read", "reads"),
            px((ms * 10.0).round() / 10.0)
        ),
    }
}

/// `means over keys: 3,100 of 20,000, 9,000 a second`.
fn words(busy: &Busy) -> String {
    match busy.progress {
        Some(Progress { done, of, a_second }) => {
            let [done, of, a_second] = [done, of, a_second].map(|n| number(n, ','));
            format!("{}: {done} of {of}, {a_second} a second", busy.about)
        }
        None => busy.about.clone(),
    }
}
