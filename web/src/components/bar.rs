//! The app bar.

use super::icons;
use super::which::Which;
use crate::hooks::prefs::Theme;
use crate::state::address::{Address, Origin, View};
use crate::state::keymap::Command;
use yew::{Callback, Html, html};

/// Props of [`bar`].
#[derive(Clone, PartialEq)]
pub struct BarProps {
    /// The place that is shown.
    pub address: Address,
    /// What is open: its name, and what it is in a few words.
    pub open: Option<(String, String)>,
    /// Other things to open: address and name.
    pub others: Vec<(String, String)>,
    /// The theme.
    pub theme: Theme,
    /// What the buttons ask for.
    pub on: Callback<Command>,
}

/// The app bar: mark, what is open, views, link, theme, help.
pub fn bar(props: &BarProps) -> Html {
    let press = |command: Command| props.on.reform(move |_| command);
    let theme = format!("Theme: {}", props.theme.name());
    html! {
        <header class="bar">
            <a class="mark" href="#" aria-label="Triescope, start">
                { icons::mark() }<span>{ "Triescope" }</span>
            </a>
            if let Some((name, about)) = &props.open {
                <Which name={name.clone()} about={about.clone()} others={props.others.clone()} />
                if props.address.origin != Some(Origin::Keys) {
                    <nav class="tabs" aria-label="Views">
                        { for View::ALL.iter().map(|(view, _)| tab(&props.address, *view)) }
                    </nav>
                }
            }
            <span class="sp" />
            if props.open.is_some() {
                <button
                    class="ib goto"
                    aria-label="Key, page, offset, command /"
                    title="Go to a key, page, position or command (/)"
                    onclick={press(Command::Box)}
                >
                    { icons::find() }<span>{ "Key, page, offset, command" }</span><kbd>{ "/" }</kbd>
                </button>
                <button
                    class="ib wide-only"
                    aria-label="Copy link to this view"
                    title="Copy link to this view (Shift C)"
                    onclick={press(Command::CopyLink)}
                >
                    { icons::link() }
                </button>
            }
            <button
                class="ib"
                aria-label={theme.clone()}
                title={format!("{theme} (t)")}
                onclick={press(Command::Theme)}
            >
                { icons::theme() }
            </button>
            <button
                class="ib wide-only"
                aria-label="Keyboard help"
                title="Keyboard help (?)"
                onclick={press(Command::Help)}
            >
                { "?" }
            </button>
        </header>
    }
}

fn tab(here: &Address, view: View) -> Html {
    let current = here.view == view;
    let there = here.in_view(view);
    html! {
        <a href={there.print()} aria-current={current.then_some("page")}>{ view.name() }</a>
    }
}
