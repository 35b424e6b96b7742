//! The mark and the icons, as SVG drawn in 16 units.

use yew::{Html, html};

/// The mark: an icicle of three rows with the followed path lit.
pub fn mark() -> Html {
    html! {
        <svg viewBox="0 0 24 24" aria-hidden="true">
            <rect fill="currentColor" x="2" y="2" width="20" height="5.5" />
            <path
                fill="var(--line-2)"
                d="M2 9h4v5.5H2zM16 9h6v5.5h-6zM2 16.5h4V22H2zM13 16.5h1.5V22H13zM16 16.5h2.5V22H16zM20 16.5h2V22h-2z"
            />
            <path fill="var(--trie)" d="M7.5 9h7v5.5h-7zM7.5 16.5h4V22h-4z" />
        </svg>
    }
}

/// A chain link: copy the address.
pub fn link() -> Html {
    html! {
        <svg viewBox="0 0 16 16" aria-hidden="true">
            <path
                d="M6.5 9.5l3-3M7 4.5l1.3-1.3a3 3 0 0 1 4.3 4.3L11.3 8.8M9 11.5l-1.3 1.3a3 3 0 0 1-4.3-4.3L4.7 7.2"
                fill="none"
                stroke="currentColor"
                stroke-width="1.5"
            />
        </svg>
    }
}

/// A lens: the one box.
pub fn find() -> Html {
    shape(
        "M6.5 1.5a5 5 0 1 0 0 10 5 5 0 0 0 0-10zm0 1.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM10 11l1-1 4 4-1 1z",
    )
}

/// A half-moon: the theme.
pub fn theme() -> Html {
    html! {
        <svg viewBox="0 0 16 16" aria-hidden="true">
            <circle cx="8" cy="8" r="5.7" fill="none" stroke="currentColor" stroke-width="1.5" />
            <path d="M8 2.3a5.7 5.7 0 0 1 0 11.4z" />
        </svg>
    }
}

/// To the first step.
pub fn first() -> Html {
    shape("M3 3h2v10H3zM14 3v10L6 8z")
}

/// One step back.
pub fn back() -> Html {
    shape("M11 3v10L4 8zM12.5 3H14v10h-1.5z")
}

/// Play.
pub fn play() -> Html {
    shape("M4 2.5v11l9.5-5.5z")
}

/// Pause.
pub fn pause() -> Html {
    shape("M4 3h3v10H4zM9 3h3v10H9z")
}

/// One step on.
pub fn step() -> Html {
    shape("M5 3v10l7-5zM2 3h1.5v10H2z")
}

/// To the last step.
pub fn last() -> Html {
    shape("M11 3h2v10h-2zM2 3v10l8-5z")
}

fn shape(d: &'static str) -> Html {
    html! { <svg viewBox="0 0 16 16" aria-hidden="true"><path {d} /></svg> }
}
