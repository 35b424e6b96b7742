//! The two file pickers of the browser. They lie outside of what is seen; buttons of the views press them.

use crate::hooks::files::picked;
use crate::hooks::session::Session;
use std::rc::Rc;
use wasm_bindgen::JsCast as _;
use web_sys::{Event, HtmlInputElement};
use yew::{Callback, Html, TargetCast as _, html};

/// Which picker, and what happens to what is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picker {
    /// A folder, instead of what is here.
    Folder,
    /// Files, instead of what is here.
    Files,
    /// Files, beside what is here.
    More,
}

impl Picker {
    const ALL: [Self; 3] = [Self::Folder, Self::Files, Self::More];

    const fn id(self) -> &'static str {
        match self {
            Self::Folder => "pick-folder",
            Self::Files => "pick-files",
            Self::More => "pick-more",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Folder => "Folder with SSTables",
            Self::Files => "Files of SSTables",
            Self::More => "More files of these SSTables",
        }
    }

    /// Opens it. The browser allows that while it handles a press of a key or a button.
    pub fn open(self) {
        let document = web_sys::window().and_then(|window| window.document());
        let element = document.and_then(|document| document.get_element_by_id(self.id()));
        if let Some(input) = element.and_then(|element| element.dyn_into::<HtmlInputElement>().ok())
        {
            input.click();
        }
    }
}

/// Props of [`pickers`].
#[derive(Clone)]
pub struct PickersProps {
    /// What takes the files.
    pub session: Rc<Session>,
}

impl PartialEq for PickersProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.session, &other.session)
    }
}

/// The pickers.
pub fn pickers(props: &PickersProps) -> Html {
    let input = |picker: Picker| {
        let session = Rc::clone(&props.session);
        let on_change = Callback::from(move |event: Event| {
            let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
            let files = input.files().map(|list| picked(&list)).unwrap_or_default();
            // Else the same files chosen again would be no change.
            input.set_value("");
            session.open_local(files, picker == Picker::More);
        });
        html! {
            <input
                type="file"
                id={picker.id()}
                class="vh"
                tabindex="-1"
                aria-label={picker.name()}
                multiple=true
                webkitdirectory={picker == Picker::Folder}
                onchange={on_change}
            />
        }
    };
    html! { <div class="pickers">{ for Picker::ALL.map(input) }</div> }
}
