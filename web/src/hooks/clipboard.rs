//! Copying text.

use super::Dispatch;
use crate::state::store::Action;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Copies `text`, and says that `what` was copied, or that the browser does not allow it.
pub fn copy(dispatch: &Dispatch, what: &'static str, text: &str) {
    let Some(window) = web_sys::window() else { return };
    let promise = window.navigator().clipboard().write_text(text);
    let dispatch = dispatch.clone();
    spawn_local(async move {
        let notice = match JsFuture::from(promise).await {
            Ok(_) => format!("{what} copied"),
            Err(_) => format!("{what} not copied: the browser does not allow it"),
        };
        dispatch.dispatch(Action::Notice(Some(notice)));
    });
}
