//! What the lookup shows while there is no race: nothing asked yet, or a reason why not.

use crate::model::Failure;
use crate::state::intent::LookupIntent;
use crate::views::LookupProps;
use triescope_core::lookup::words::number;
use yew::{Html, html};

/// In place of the lanes.
pub fn empty(props: &LookupProps) -> Html {
    html! { <div class="nolook">{ words(props) }</div> }
}

fn words(props: &LookupProps) -> Html {
    match props.failure.as_deref() {
        None | Some(Failure::Text { .. }) => html! {
            <>
                <h2>{ "No key yet" }</h2>
                <p class="q">
                    { "Type a partition key above, or try the first, the last or a random one, \
                       and watch it being looked up, page by page." }
                </p>
            </>
        },
        Some(Failure::AskToSample { bytes }) => {
            let go = props.on.reform(|_| LookupIntent::SampleLarge);
            html! {
                <>
                    <h2>{ format!("Index.db has {} B", number(*bytes, ',')) }</h2>
                    <p class="q">
                        { "ScyllaDB would read all of it once and keep a sample in memory. So does this page, when you say so: \
                           it takes a while, and nothing else waits for it." }
                    </p>
                    <p class="acts"><button class="btn go" onclick={go}>{ "Sample Index.db" }</button></p>
                </>
            }
        }
        Some(Failure::Read(error)) => html! {
            <>
                <h2>{ "This lookup cannot be done" }</h2>
                <p class="badt">{ error.to_string() }</p>
                <p class="q">{ "Everything else that was opened stays usable." }</p>
            </>
        },
        Some(Failure::Cancelled) => html! {
            <>
                <h2>{ "Stopped" }</h2>
                <p class="q">{ "The lookup was stopped before it had an answer." }</p>
            </>
        },
        Some(Failure::WorkerDied { said }) => html! {
            <>
                <h2>{ "The reader stopped on this lookup and was started again" }</h2>
                <p class="badt">{ said.clone() }</p>
                <p class="q">{ "The files are open again. Another key can be looked up." }</p>
            </>
        },
    }
}
