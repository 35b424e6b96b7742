//! The zone that says where to drop, with the two pickers. The whole window takes drops; that is the frame's.

use crate::state::intent::StartIntent;
use yew::{Callback, Html, html};

/// Props of [`drop_zone`].
#[derive(Clone, PartialEq)]
pub struct DropZoneProps {
    /// What is asked for.
    pub on: Callback<StartIntent>,
}

/// Three rows of an index with one path lit, and two buttons.
pub fn drop_zone(props: &DropZoneProps) -> Html {
    let folder = props.on.reform(|_| StartIntent::ChooseFolder);
    let files = props.on.reform(|_| StartIntent::ChooseFiles);
    html! {
        <div class="drop" role="group" aria-label="Open an SSTable">
            <svg width="96" height="44" viewBox="0 0 96 44" aria-hidden="true">
                <path
                    class="lines"
                    d="M1 1h94v12H1zM1 17h24v10H1zM28 17h42v10H28zM73 17h22v10H73zM1 31h10v12H1zM14 31h11v12H14zM28 31h10v12H28zM41 31h13v12H41zM57 31h13v12H57zM73 31h22v12H73z"
                />
                <path class="path" d="M28 17h42v10H28zM41 31h13v12H41z" />
            </svg>
            <p><b>{ "Drop a folder, or any files of an SSTable" }</b></p>
            <div class="acts">
                <button type="button" class="btn go" onclick={folder}>{ "Choose folder" }</button>
                <button type="button" class="btn" onclick={files}>{ "Choose files" }</button>
            </div>
            <p class="c">{ "Any size: only the pages you look at are read." }</p>
        </div>
    }
}
