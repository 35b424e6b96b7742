//! What is selected, as every board has it in its query: a component, a page of it, a node or entry, a byte.

use crate::board::{BoardAsk, value, with};
use crate::worker::protocol::Which;
use crate::worker::world::World;
use triescope_core::pos::{FilePos, PageNo};
use triescope_core::source::Source;
use triescope_core::table::{Part, Table};

/// A selection. What is not said is `None`: the board chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The component.
    pub part: Option<Part>,
    /// A page of it.
    pub page: Option<PageNo>,
    /// Where a node, an entry or another item begins.
    pub node: Option<FilePos>,
    /// A byte.
    pub byte: Option<FilePos>,
}

impl Selection {
    /// What a query says; words that are not known count as not said.
    pub fn of(ask: &BoardAsk) -> Self {
        let number = |name: &str| value(&ask.query, name)?.parse().ok();
        Self {
            part: value(&ask.query, "part").and_then(|word| part(&word)),
            page: number("page").map(PageNo),
            node: number("node").map(FilePos),
            byte: number("byte").map(FilePos),
        }
    }

    /// A query with this selection in it.
    pub fn put(self, query: &str) -> String {
        let pairs = [
            ("part", self.part.map(|part| word(part).to_owned())),
            ("page", self.page.map(|page| page.0.to_string())),
            ("node", self.node.map(|node| node.0.to_string())),
            ("byte", self.byte.map(|byte| byte.0.to_string())),
        ];
        pairs
            .iter()
            .fold(query.to_owned(), |query, (name, value)| with(&query, name, value.as_deref()))
    }
}

/// The word of a component in an address: its file name without what follows the point.
pub fn word(part: Part) -> &'static str {
    part.file_name().split('.').next().unwrap_or_default()
}

fn part(text: &str) -> Option<Part> {
    Part::ALL.into_iter().find(|part| word(*part) == text)
}

/// The SSTable that has a component, of those that are open: trie, legacy. What both have is that of the first.
pub fn table_with<S: Source>(world: &World<S>, tables: Which, part: Part) -> Option<&Table<S>> {
    let tables = [tables.0, tables.1].into_iter().flatten();
    tables.filter_map(|id| world.table(id)).find(|table| table.source(part).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::address::View;

    #[test]
    fn a_selection_goes_into_a_query_and_comes_out_of_it() {
        let query = "as=map&part=Partitions&page=30&node=124446&byte=124476";
        let ask = |query: &str| BoardAsk {
            view: View::Pages,
            tables: (None, None),
            place: "#/s/p20k/page".into(),
            query: query.into(),
            keys: None,
            width: 1440,
            height: 800,
        };
        let selection = Selection::of(&ask(query));
        assert_eq!(selection.part, Some(Part::Partitions));
        assert_eq!(selection.byte, Some(FilePos(124_476)));
        assert_eq!(selection.put("as=map"), query);
        assert_eq!(Selection::default().put(query), "as=map");
        let odd = Selection::of(&ask("part=Nothing&page=-1&node=x"));
        assert_eq!(odd, Selection::default());
        for part in Part::ALL {
            assert_eq!(super::part(word(part)), Some(part));
        }
    }
}
