//! The contract between the frame and the views: their props. Views are components without effects on the world; big
//! data is behind [`Shared`] and compared by pointer.
//!
//! - The frame draws app bar, key box, transport, status line, drop target and help; a view draws the rest of the
//!   `main` element, from `width` (CSS pixels of `main`, scroll bar not included).
//! - The frame has the only live region. A view's sentence of the current step has no `aria-live`.
//! - `t` and `l` are the numbers of steps done in each lane: 0 is before the first step, `record.steps.len()` the end.

use crate::model::{Failure, Opened, SampleEntry, Wanted};
use crate::shared::Shared;
use crate::state::intent::{LookupIntent, OverviewIntent, Side, StartIntent};
use crate::state::store::Lane;
use triescope_core::race::{LegacyReader, Means, Race};
use triescope_core::table::TableFacts;
use yew::{Callback, Properties};

/// Props of `components::start::start_view`.
#[derive(Clone, PartialEq, Properties)]
pub struct StartProps {
    /// What was dropped or picked, grouped; `None` before that.
    #[prop_or_default]
    pub opened: Option<Shared<Opened>>,
    /// The samples of the gallery.
    pub samples: Shared<Vec<SampleEntry>>,
    /// What is going on, in words ("reading 12 files"); `None` when nothing is.
    #[prop_or_default]
    pub busy: Option<String>,
    /// Why the last attempt failed, a sentence.
    #[prop_or_default]
    pub failure: Option<String>,
    /// A link has asked for local files, and they are not here yet.
    #[prop_or_default]
    pub wanted: Option<Wanted>,
    /// Width in CSS pixels.
    pub width: f64,
    /// What the view asks for.
    pub on: Callback<StartIntent>,
}

/// Props of `components::overview::overview_view`.
#[derive(Clone, PartialEq, Properties)]
pub struct OverviewProps {
    /// Name of what is open: the sample's, or the table's.
    pub name: String,
    /// The SSTable with the trie index.
    #[prop_or_default]
    pub trie: Option<Shared<TableFacts>>,
    /// The SSTable with the legacy index.
    #[prop_or_default]
    pub legacy: Option<Shared<TableFacts>>,
    /// Version, generation and format of the files that are open: `da-1-bti`.
    pub names: String,
    /// Where the indexes come from: trie, legacy.
    #[prop_or_default]
    pub lanes: [Option<Lane>; 2],
    /// A sample of both formats, offered where one of them is missing.
    pub offer: String,
    /// Means over keys as they come; `None` before the first of them.
    #[prop_or_default]
    pub means: Option<Shared<Means>>,
    /// Why there are no means, or no more of them.
    #[prop_or_default]
    pub failure: Option<Shared<Failure>>,
    /// Who reads the legacy index.
    pub reader: LegacyReader,
    /// The key that the lookup would start with.
    #[prop_or_default]
    pub key: Option<String>,
    /// Width in CSS pixels.
    pub width: f64,
    /// What the view asks for.
    pub on: Callback<OverviewIntent>,
}

/// Props of `components::lookup::LookupView`.
#[derive(Clone, PartialEq, Properties)]
pub struct LookupProps {
    /// The SSTable with the trie index.
    #[prop_or_default]
    pub trie: Option<Shared<TableFacts>>,
    /// The SSTable with the legacy index.
    #[prop_or_default]
    pub legacy: Option<Shared<TableFacts>>,
    /// The race; the last one stays while a new one runs. `None` before the first.
    #[prop_or_default]
    pub race: Option<Shared<Race>>,
    /// Why there is no race: shown in place of the lanes. A key that was not understood is the key box's matter.
    #[prop_or_default]
    pub failure: Option<Shared<Failure>>,
    /// Steps done in the trie lane.
    pub t: usize,
    /// Steps done in the legacy lane.
    pub l: usize,
    /// The lane that the last step belongs to: the one whose step list follows.
    #[prop_or_default]
    pub latest: Option<Side>,
    /// Whether the transport is playing. Only then, and without reduced motion, a step lights up slowly.
    pub playing: bool,
    /// Bytes of the cache model, `None` when it is cold.
    #[prop_or_default]
    pub warm: Option<u64>,
    /// Means over keys, where they are known.
    #[prop_or_default]
    pub means: Option<Shared<Means>>,
    /// Where the indexes come from: trie, legacy.
    #[prop_or_default]
    pub lanes: [Option<Lane>; 2],
    /// A sample of both formats, offered where one of them is missing.
    pub offer: String,
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels of what is left below the key box.
    pub height: f64,
    /// What the view asks for.
    pub on: Callback<LookupIntent>,
}
