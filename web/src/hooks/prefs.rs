//! What is kept between visits: the theme and the switch of the single-letter keys. Nothing of any file.

use yew::{Callback, UseStateHandle, hook, use_effect_with, use_state};

/// Light, dark, or as the system is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    const fn next(self) -> Self {
        match self {
            Self::System => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::System,
        }
    }
}

/// Preferences and how to change them.
#[derive(Clone, PartialEq)]
pub struct Prefs {
    /// The theme.
    pub theme: Theme,
    /// Whether keys of a single character act.
    pub letters: bool,
    /// Goes on to the next theme.
    pub next_theme: Callback<()>,
    /// Turns the single-character keys on or off.
    pub set_letters: Callback<bool>,
}

const THEME: &str = "triescope.theme";
const LETTERS: &str = "triescope.letters";

/// The preferences; the theme is set on the document.
#[hook]
pub fn use_prefs() -> Prefs {
    let theme = use_state(|| match load(THEME).as_deref() {
        Some("light") => Theme::Light,
        Some("dark") => Theme::Dark,
        _ => Theme::System,
    });
    let letters = use_state(|| load(LETTERS).as_deref() != Some("off"));
    use_effect_with(*theme, |theme| {
        let root = web_sys::window().and_then(|w| w.document()).and_then(|d| d.document_element());
        if let Some(root) = root {
            let _ = match theme {
                Theme::System => root.remove_attribute("data-theme"),
                theme => root.set_attribute("data-theme", theme.name()),
            };
        }
    });
    Prefs {
        theme: *theme,
        letters: *letters,
        next_theme: set(theme, THEME, |theme, ()| theme.next(), |theme| theme.name()),
        set_letters: set(letters, LETTERS, |_, on| on, |on| if on { "on" } else { "off" }),
    }
}

fn set<T: Copy + 'static, E: 'static>(
    state: UseStateHandle<T>,
    key: &'static str,
    next: fn(T, E) -> T,
    word: fn(T) -> &'static str,
) -> Callback<E> {
    Callback::from(move |event| {
        let value = next(*state, event);
        if let Some(storage) = storage() {
            let _ = storage.set_item(key, word(value));
        }
        state.set(value);
    })
}

fn load(key: &str) -> Option<String> {
    storage()?.get_item(key).ok()?
}

fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}
