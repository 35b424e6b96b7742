//! The app bar.

use super::icons;
use yew::{Html, function_component, html};

/// The app bar: mark, what is open, views, link, theme, help.
#[function_component]
pub fn Bar() -> Html {
    html! {
        <header class="bar">
            <a class="mark" href="#">{ icons::mark() }<span>{ "Triescope" }</span></a>
            <span class="sp" />
        </header>
    }
}
