//! The frame of every view.

use super::bar::Bar;
use super::status::Status;
use yew::{Html, function_component, html};

/// The frame: app bar, view, transport, status line.
#[function_component]
pub fn App() -> Html {
    html! {
        <>
            <a class="skip" href="#main">{ "Skip to the view" }</a>
            <div class="app">
                <Bar />
                <main class="main" id="main" tabindex="-1" />
                <Status />
            </div>
        </>
    }
}
