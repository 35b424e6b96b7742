//! The query of the map: which component, what its pages are coloured by, which page is chosen, how many are shown.

use crate::board::{BoardAsk, value, with};
use crate::workshop::selection::{Selection, word};
use triescope_core::pos::PageNo;
use triescope_core::table::Part;

/// Components that have a map, in the order of their links.
pub const PARTS: [Part; 5] = [Part::Partitions, Part::Rows, Part::Index, Part::Summary, Part::Data];
/// Least pages that a part of a map shows.
pub const LEAST_SPAN: u64 = 64;

/// What pages are coloured by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// What lies in them.
    #[default]
    Family,
    /// How full they are.
    Fill,
    /// How far from the root.
    Depth,
    /// How many lookups read them.
    Lookups,
    /// What is wrong in them.
    Findings,
}

impl By {
    /// In the order of their links.
    pub const ALL: [Self; 5] =
        [Self::Family, Self::Fill, Self::Depth, Self::Lookups, Self::Findings];

    /// The word in the query.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Family => "family",
            Self::Fill => "fill",
            Self::Depth => "depth",
            Self::Lookups => "lookups",
            Self::Findings => "findings",
        }
    }

    /// The words on its link.
    pub const fn name(self, part: Part) -> &'static str {
        match (self, part) {
            (Self::Family, Part::Partitions | Part::Rows) => "node family",
            (Self::Family, Part::Data) => "size",
            (Self::Family, _) => "contents",
            (Self::Lookups, Part::Data) => "partitions",
            _ => self.word(),
        }
    }

    /// Why pages of a component cannot be coloured so.
    pub const fn why_not(self, part: Part) -> Option<&'static str> {
        match (self, part) {
            (Self::Fill, Part::Index | Part::Summary) => Some("its pages have no padding"),
            (Self::Fill, Part::Data) => Some("chunks have no padding: see size"),
            (Self::Depth, Part::Index | Part::Summary | Part::Data) => Some("it is no trie"),
            (Self::Lookups, Part::Summary) => Some("a database keeps it in memory"),
            _ => None,
        }
    }
}

/// A query, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// The component; `None` for the first that is here.
    pub part: Option<Part>,
    /// What pages are coloured by.
    pub by: By,
    /// The chosen page, or that of the chosen node or byte.
    pub page: Option<u64>,
    /// So many pages are shown around the chosen one: a power of two. All where it says nothing.
    pub span: Option<u64>,
    /// The list begins with this rank, counted from 0.
    pub list: u64,
    /// Whether a large file is to be counted.
    pub all: bool,
}

impl Query {
    /// Reads it. What it does not say, or says in words that are not known, is left to the defaults.
    pub fn of(ask: &BoardAsk) -> Self {
        let number = |name: &str| value(&ask.query, name).and_then(|it| it.parse::<u64>().ok());
        let chosen = Selection::of(ask);
        let place = chosen.node.or(chosen.byte).filter(|_| chosen.part != Some(Part::Data));
        let page = chosen.page.or(place.map(|at| at.page()));
        let by = value(&ask.query, "by");
        let by = By::ALL.into_iter().find(|known| Some(known.word()) == by.as_deref());
        Self {
            part: chosen.part.filter(|part| PARTS.contains(part)),
            by: by.unwrap_or_default(),
            page: page.map(|page| page.0),
            span: number("span").filter(|span| span.is_power_of_two() && *span >= LEAST_SPAN),
            list: number("list").unwrap_or(0),
            all: value(&ask.query, "count").as_deref() == Some("all"),
        }
    }

    /// The query of an address that shows this; what belongs to other views stays.
    pub fn put(&self, query: &str) -> String {
        let number = |n: u64| Some(n.to_string());
        let pairs = [
            ("as", Some("map".to_owned())),
            ("part", self.part.map(|part| word(part).to_owned())),
            ("by", (self.by != By::Family).then(|| self.by.word().to_owned())),
            ("page", self.page.and_then(number)),
            ("span", self.span.and_then(number)),
            ("list", Some(self.list).filter(|rank| *rank > 0).and_then(number)),
            ("count", self.all.then(|| "all".to_owned())),
        ];
        let put = |query: String, (name, value): &(&str, Option<String>)| {
            with(&query, name, value.as_deref())
        };
        let clean =
            ["text", "goto"].iter().fold(query.to_owned(), |query, name| with(&query, name, None));
        let put = pairs.iter().fold(clean, put);
        // A node or byte that lies elsewhere is no longer chosen.
        ["node", "byte"].iter().fold(put, |query, name| {
            let at = value(&query, name)
                .and_then(|at| at.parse().ok())
                .map(triescope_core::pos::FilePos);
            let is_here = at.is_some_and(|at| Some(at.page()) == self.page.map(PageNo));
            if is_here { query } else { with(&query, name, None) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::address::View;

    fn ask(query: &str) -> BoardAsk {
        BoardAsk {
            view: View::Pages,
            tables: (None, None),
            place: "#/s/p20k/page".into(),
            query: query.into(),
            keys: None,
            width: 1440,
            height: 800,
        }
    }

    #[test]
    fn a_query_is_read_and_put_back() {
        let query = "as=map&part=Partitions&by=fill&page=254&span=1024&list=50&count=all";
        let read = Query::of(&ask(query));
        assert_eq!((read.part, read.by, read.page), (Some(Part::Partitions), By::Fill, Some(254)));
        assert_eq!((read.span, read.list, read.all), (Some(1024), 50, true));
        assert_eq!(read.put("as=map"), query);
        assert_eq!(Query::of(&ask(&read.put(query))), read);
        let odd = Query::of(&ask("part=Filter&by=x&page=-1&span=100&list=a"));
        assert_eq!(
            (odd.part, odd.by, odd.page, odd.span, odd.list),
            (None, By::Family, None, None, 0)
        );
    }

    #[test]
    fn the_page_of_a_node_is_chosen_and_the_node_stays_while_it_is() {
        let query = "as=map&part=Partitions&node=124446";
        let read = Query::of(&ask(query));
        assert_eq!(read.page, Some(30));
        assert!(read.put(query).contains("node=124446"));
        let other = Query { page: Some(3), ..read };
        assert!(!other.put(query).contains("node="), "{}", other.put(query));
    }
}
