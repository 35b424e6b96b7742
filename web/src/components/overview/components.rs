//! The components as a picture on wide screens, and as a list: for narrow ones, and for those who do not see pictures.

use crate::components::picture::picture;
use crate::layout::overview::{Row, Strip, rows, strips};
use crate::shared::Shared;
use crate::words::bytes;
use triescope_core::table::{Part, TableFacts};
use yew::{Html, Properties, component, html, use_memo};

/// Props of [`Components`].
#[derive(Clone, PartialEq, Properties)]
pub struct ComponentsProps {
    /// The SSTable with the trie index.
    pub trie: Option<Shared<TableFacts>>,
    /// The SSTable with the legacy index.
    pub legacy: Option<Shared<TableFacts>>,
    /// Whether the index of each was built and does not lie in the files: trie, legacy.
    pub twins: [bool; 2],
    /// Width of the view.
    pub width: f64,
}

/// Outer margins of the view on both sides.
const MARGINS: f64 = 48.0;
/// Up to this width there is a list and no picture.
const NARROW: f64 = 720.0;

/// One scale for both SSTables.
#[component]
pub fn Components(props: &ComponentsProps) -> Html {
    let scene = use_memo(props.clone(), |props| {
        (props.width > NARROW).then(|| strips(&tables(props), props.width - MARGINS))
    });
    html! {
        <section aria-label="Components">
            if let Some(scene) = &*scene {
                { picture(scene, "strips") }
            }
            <div class={if scene.is_some() { "vh" } else { "cl" }}>{ list(props) }</div>
        </section>
    }
}

fn tables(props: &ComponentsProps) -> Vec<Strip<'_>> {
    let both = props.trie.is_some() && props.legacy.is_some();
    let strip = |title, facts: &'_ Shared<TableFacts>, same| {
        let same = if same && both { " of the same rows" } else { "" };
        (title, format!("{}{same}, {}", facts.name, bytes(facts.bytes)))
    };
    let trie = props.trie.as_ref().map(|facts| {
        let title = if props.twins[0] { "Twin with the trie index" } else { "With the trie index" };
        let (title, caption) = strip(title, facts, false);
        Strip { title, caption, facts }
    });
    let legacy = props.legacy.as_ref().map(|facts| {
        let title =
            if props.twins[1] { "Twin with the legacy index" } else { "With the legacy index" };
        let (title, caption) = strip(title, facts, true);
        Strip { title, caption, facts }
    });
    trie.into_iter().chain(legacy).collect()
}

fn list(props: &ComponentsProps) -> Html {
    // The files first, then what was built from them.
    let mut all = [(&props.trie, props.twins[0]), (&props.legacy, props.twins[1])];
    all.sort_by_key(|(_, twin)| *twin);
    let sizes = all.iter().filter_map(|(facts, _)| facts.as_ref()).flat_map(|it| &it.components);
    let largest = sizes.filter_map(|it| it.bytes).max().unwrap_or(0);
    let mut first = true;
    let here = all.into_iter().filter_map(|(facts, twin)| Some((facts.as_ref()?, twin)));
    let parts = here.map(|(facts, twin)| {
        let heading = match first {
            true => format!("{}, {}", facts.name, bytes(facts.bytes)),
            false if twin => format!("Instead of that index, its twin {} has", facts.name),
            false => format!("Instead of that index, {} has", facts.name),
        };
        let rows = rows(facts, largest, !first);
        first = false;
        html! { <><h3>{ heading }</h3><ul>{ for rows.iter().map(row) }</ul></> }
    });
    parts.collect()
}

fn row(row: &Row) -> Html {
    let class = match row.part {
        Some(Part::Partitions | Part::Rows) => "t",
        Some(Part::Index | Part::Summary) => "l",
        Some(Part::Data | Part::Filter | Part::Statistics) => "",
        _ => "meta",
    };
    let per_mille = (row.share * 1000.0).round() as u64;
    html! {
        <li>
            <span>{ &row.name }</span>
            <i {class} style={format!("width:{}.{}%", per_mille / 10, per_mille % 10)}></i>
            <span class="n">{ bytes(row.bytes) }</span>
        </li>
    }
}
