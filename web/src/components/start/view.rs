//! The start view as a whole.

use super::drop_zone::{DropZoneProps, drop_zone};
use super::gallery::{GalleryProps, gallery};
use super::recognised::{RecognisedProps, recognised};
use crate::views::StartProps;
use crate::words::start;
use yew::{Html, html};

/// What this is, where to drop files, what was recognised, and the samples.
pub fn start_view(props: &StartProps) -> Html {
    let (strong, rest) = start::PROMISE;
    html! {
        <div class="startv">
            <section class="intro">
                <h1>{ "See how an SSTable’s index finds a key" }</h1>
                <p class="q">
                    { "Trie index (Partitions.db, Rows.db) and legacy index (Summary.db, Index.db) of Apache \
                       Cassandra and ScyllaDB, page by page, byte by byte, side by side." }
                </p>
                if let Some(wanted) = &props.wanted {
                    <p class="say-note"><span class="jd note" aria-hidden="true">{ "i" }</span>{ start::wanted(wanted) }</p>
                }
                { drop_zone(&DropZoneProps { on: props.on.clone() }) }
                <p class="promise">
                    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
                        <path d="M8 1L2.5 3v4.5c0 3.6 2.3 6.2 5.5 7.5 3.2-1.3 5.5-3.9 5.5-7.5V3z" />
                        <path d="M5.3 7.8l2 2 3.6-3.8" />
                    </svg>
                    <span><b>{ strong }</b>{ " " }{ rest }</span>
                </p>
                <p class="q">
                    { "No file at hand? " }
                    <a href={start::OWN_KEYS}>{ "Type keys of your own" }</a>
                    { " and watch both writers pack them." }
                </p>
                if let Some(busy) = &props.busy {
                    <p class="say-note"><span class="jd note" aria-hidden="true">{ "…" }</span>{ busy }</p>
                }
                if let Some(failure) = &props.failure {
                    <p class="say-note"><span class="jd bad" aria-hidden="true">{ "×" }</span>{ failure }</p>
                }
                if let Some(opened) = &props.opened {
                    { recognised(&RecognisedProps { opened: opened.clone(), on: props.on.clone() }) }
                }
            </section>
            { gallery(&GalleryProps { samples: props.samples.clone() }) }
        </div>
    }
}
