//! The status line.

use yew::{Html, function_component, html};

/// The status line: the promise, what was read, what is going on.
#[function_component]
pub fn Status() -> Html {
    html! { <footer class="status"><b>{ "Nothing leaves this tab" }</b></footer> }
}
