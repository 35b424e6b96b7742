//! The tabs of Pages.

use crate::board::BoardAsk;
use crate::worker::world::World;
use crate::workshop::html::escape;
use crate::workshop::links::Links;
use crate::workshop::selection::table_with;
use triescope_core::source::Source;
use triescope_core::table::Part;

/// A tab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// One page.
    #[default]
    Page,
    /// All pages.
    Map,
    /// Summary.db over Index.db over Data.db.
    Legacy,
    /// Rows of a partition.
    Rows,
}

impl Tab {
    /// In their order.
    pub const ALL: [Self; 4] = [Self::Page, Self::Map, Self::Legacy, Self::Rows];

    /// The word in the query.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Map => "map",
            Self::Legacy => "legacy",
            Self::Rows => "rows",
        }
    }

    /// The word on the tab.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Page => "Page",
            Self::Map => "Map",
            Self::Legacy => "Legacy",
            Self::Rows => "Rows",
        }
    }
}

/// The row of tabs. A tab that has nothing to show is there and says why.
pub fn tabs<S: Source>(ask: &BoardAsk, world: &World<S>, now: Tab) -> String {
    let is_here = |part| table_with(world, ask.tables, part).is_some();
    let missing = |tab| match tab {
        Tab::Legacy if !is_here(Part::Index) => Some("no Index.db is open"),
        Tab::Rows if !is_here(Part::Data) => Some("Data.db is not here"),
        _ => None,
    };
    let tab = |tab: Tab| {
        let (word, name) = (tab.word(), tab.name());
        match missing(tab) {
            Some(why) => format!(
                "<span id=\"as-{word}\" class=\"off\" aria-disabled=\"true\" role=\"link\" title=\"{0}\">{name}<span class=\"vh\">: {0}</span></span>",
                escape(why)
            ),
            None => {
                let here = if tab == now { " aria-current=\"true\"" } else { "" };
                let to = Links(ask).with("as", (tab != Tab::Page).then_some(word));
                format!("<a id=\"as-{word}\" href=\"{}\"{here}>{name}</a>", escape(&to))
            }
        }
    };
    let all: String = Tab::ALL.into_iter().map(tab).collect();
    format!("<nav class=\"seg\" aria-label=\"The same selection as\">{all}</nav>")
}
