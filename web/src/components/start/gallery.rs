//! The samples: SSTables that come with the page and are loaded only when one is picked, or made then.

use crate::model::SampleEntry;
use crate::shared::Shared;
use crate::words::start::{sample_formats, sample_link, sample_size};
use yew::{Html, html};

/// Props of [`gallery`].
#[derive(Clone, PartialEq)]
pub struct GalleryProps {
    /// The samples in their order.
    pub samples: Shared<Vec<SampleEntry>>,
}

/// A row a sample: a real link, so that it can be opened in another tab.
pub fn gallery(props: &GalleryProps) -> Html {
    html! {
        <section class="samples" aria-labelledby="samples">
            <header>
                <h2 id="samples">{ "Samples" }</h2>
                <span class="c">{ "written by a real database unless marked, loaded when you pick one" }</span>
            </header>
            <ul>{ for props.samples.iter().map(row) }</ul>
        </section>
    }
}

fn row(sample: &SampleEntry) -> Html {
    html! {
        <li key={sample.name.clone()}>
            <a href={sample_link(sample)}>
                <b>{ &sample.name }</b>
                <span class="teach">
                    { &sample.teaches }
                    if let Some(writer) = &sample.writer {
                        <span class="c">{ format!(" · written by {writer}") }</span>
                    }
                </span>
                <span class="c nw">{ sample_formats(sample) }</span>
                <span class="c n nw" title="Partitions.db and Rows.db">{ sample_size(sample) }</span>
            </a>
        </li>
    }
}
