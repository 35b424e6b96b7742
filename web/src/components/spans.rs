//! Text with a little emphasis, as elements.

use triescope_core::lookup::words::{Style, Text};
use yew::{Html, html};

/// The text: bytes and types in the fixed-width face, what matters strong.
pub fn spans(text: &Text) -> Html {
    html! {
        { for text.0.iter().map(|span| match span.style {
            Style::Plain => html! { { &span.text } },
            Style::Code => html! { <span class="m">{ &span.text }</span> },
            Style::Strong => html! { <b>{ &span.text }</b> },
        }) }
    }
}
