//! The address: everything that was chosen, in the fragment of the URL; never the contents of a file.
//!
//! `#/s/p20k/lookup?key=17021&reader=scylla&cache=cold&t=7&l=22` opens a sample,
//! `#/l/da-1-bti.162365.9f3c/overview` names local files, two of them joined by `+`,
//! `#/packing?make=words&n=100` packs keys that belong to no file. Steps are numbers of steps done in each lane. The query
//! of a board is read by the workshop. What an address does not say, or says in words that this program does not know, is left to the defaults.

use super::percent::{decode, encode};
use crate::model::Wanted;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use triescope_core::lookup::FilterMode;
use triescope_core::race::{CacheModel, LegacyReader};

/// Budget of a warm cache when it is switched on, in bytes for each index.
pub const WARM_BYTES: u64 = 65_536;
/// Most keys that an address remembers as looked up since the cache was emptied.
pub const WARM_KEYS: usize = 16;

/// Sizes of row blocks to choose from, in bytes.
pub const BLOCKS: [u64; 4] = [1 << 10, 4 << 10, 16 << 10, 64 << 10];

/// A view of what is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum View {
    /// Components and means.
    #[default]
    Overview,
    /// The race.
    Lookup,
    /// Pages of the components, byte by byte.
    Pages,
    /// Nodes of the tries.
    Trie,
    /// The replay of the writer.
    Packing,
    /// What is suspicious or damaged.
    Findings,
}

impl View {
    /// The views in the order of their tabs, with the digit that opens each.
    pub const ALL: [(Self, char); 6] = [
        (Self::Overview, '1'),
        (Self::Lookup, '2'),
        (Self::Pages, '3'),
        (Self::Trie, '4'),
        (Self::Packing, '5'),
        (Self::Findings, '7'),
    ];

    /// Its word in the address.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Overview => "overview",
            Self::Lookup => "lookup",
            Self::Pages => "page",
            Self::Trie => "trie",
            Self::Packing => "packing",
            Self::Findings => "findings",
        }
    }

    /// Its name on the tab.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Lookup => "Lookup",
            Self::Pages => "Pages",
            Self::Trie => "Trie",
            Self::Packing => "Packing",
            Self::Findings => "Findings",
        }
    }

    /// Whether it is a board of the workshop.
    pub const fn is_board(self) -> bool {
        !matches!(self, Self::Overview | Self::Lookup)
    }

    /// What the workshop does when it makes a board of it.
    pub const fn doing(self) -> &'static str {
        match self {
            Self::Packing => "packing the keys",
            Self::Findings => "checking",
            _ => "reading pages",
        }
    }
}

/// What is open, or asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A sample, by name.
    Sample(String),
    /// Local files: one SSTable, or one of each format.
    Local(Vec<Wanted>),
    /// Keys that belong to no file: their packing is all there is to see.
    Keys,
}

/// What is looked up and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The partition key as typed; `None` before one was chosen.
    pub key: Option<String>,
    /// The clustering key as typed.
    pub row: Option<String>,
    /// Reader of the legacy index; `None` leaves it to the files.
    pub reader: Option<LegacyReader>,
    /// Cache model.
    pub cache: CacheModel,
    /// Whether the filter may end the lookup.
    pub filter: FilterMode,
    /// Bytes of row blocks, one of [`BLOCKS`]; `None` takes those of the files.
    pub block: Option<u64>,
}

impl Default for Ask {
    fn default() -> Self {
        Self {
            key: None,
            row: None,
            reader: None,
            cache: CacheModel::Cold,
            filter: FilterMode::Ask,
            block: None,
        }
    }
}

/// An address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// What is open; `None` is the start view.
    pub origin: Option<Origin>,
    /// The view.
    pub view: View,
    /// What is looked up.
    pub ask: Ask,
    /// Steps done in the trie lane and in the legacy lane; `None` is the end.
    pub steps: Option<(usize, usize)>,
    /// What a board adds to the query; in the other views only what is selected, since all boards share that.
    pub rest: String,
}

impl Address {
    /// Reads a fragment, with or without its `#`. Whatever it holds, some address comes out.
    pub fn parse(fragment: &str) -> Self {
        let fragment = fragment.strip_prefix('#').unwrap_or(fragment);
        let (path, query) = fragment.split_once('?').unwrap_or((fragment, ""));
        let mut segments = path.split('/').filter(|segment| !segment.is_empty());
        let origin = match (segments.next(), segments.next()) {
            (Some("s"), Some(name)) => Some(Origin::Sample(decode(name))),
            (Some("l"), Some(names)) => wanted(names).map(Origin::Local),
            (Some("packing"), None) => Some(Origin::Keys),
            _ => None,
        };
        if origin.is_none() {
            return Self::default();
        }
        let word = match origin {
            Some(Origin::Keys) => View::Packing.word(),
            _ => segments.next().unwrap_or_default(),
        };
        let view = View::ALL.into_iter().find(|(view, _)| view.word() == word);
        let view = view.map_or(View::default(), |(view, _)| view);
        let (ask, steps) = parse_query(query);
        let others =
            query.split('&').filter(|pair| !pair.is_empty() && !ASKED.contains(&name(pair)));
        let rest = others.collect::<Vec<_>>().join("&");
        let steps = steps.filter(|_| !view.is_board());
        match view.is_board() {
            true => Self { origin, view, ask, steps, rest },
            false => Self { origin, view, ask, steps, rest: selected(&rest) },
        }
    }

    /// The same place in another view: what is selected in one is selected in all.
    pub fn in_view(&self, view: View) -> Self {
        let rest = if view == self.view { self.rest.clone() } else { selected(&self.rest) };
        Self { view, rest, ..self.clone() }
    }

    /// A value as it stands in a query.
    pub fn encoded(value: &str) -> String {
        encode(value)
    }

    /// A value of a query.
    pub fn decoded(value: &str) -> String {
        decode(value)
    }

    /// The fragment with its `#`. The start view has an empty one.
    pub fn print(&self) -> String {
        let Some(origin) = &self.origin else { return String::from("#") };
        let mut out = String::from("#/");
        match origin {
            Origin::Sample(name) => out.push_str(&format!("s/{}", encode(name))),
            Origin::Local(tables) => {
                let name = |table: &Wanted| {
                    format!("{}.{}.{}", encode(&table.name), table.bytes, encode(&table.hash))
                };
                let names: Vec<String> = tables.iter().map(name).collect();
                out.push_str(&format!("l/{}", names.join("+")));
            }
            // The view says it.
            Origin::Keys => out.truncate(1),
        }
        let _ = write!(out, "/{}", self.view.word());
        let mut mark = '?';
        for (name, value) in self.pairs() {
            let _ = write!(out, "{mark}{name}={}", encode(&value));
            mark = '&';
        }
        if !self.rest.is_empty() {
            out.push(mark);
            out.push_str(&self.rest);
        }
        out
    }

    /// The part before the query of a board, for the links in it.
    pub fn place(&self) -> String {
        Self { rest: String::new(), ..self.clone() }.print()
    }

    /// Whether two addresses show the same place: they differ in nothing but the steps.
    pub fn same_place(&self, other: &Self) -> bool {
        // Typing is no way to another place, and neither is a step.
        let stays = |pair: &&str| !matches!(name(pair), "step" | "goto" | "keys" | "byte");
        self.origin == other.origin
            && self.view == other.view
            && self.ask == other.ask
            && self.rest.split('&').filter(stays).eq(other.rest.split('&').filter(stays))
    }

    fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        let ask = &self.ask;
        if let Some(key) = &ask.key {
            pairs.push(("key", key.clone()));
        }
        if let Some(row) = &ask.row {
            pairs.push(("ck", row.clone()));
        }
        match ask.reader {
            Some(LegacyReader::Scylla) => pairs.push(("reader", "scylla".to_owned())),
            Some(LegacyReader::Cassandra) => pairs.push(("reader", "cassandra".to_owned())),
            None => {}
        }
        match &ask.cache {
            CacheModel::Cold if self.view != View::Lookup => {}
            CacheModel::Cold => pairs.push(("cache", "cold".to_owned())),
            CacheModel::Warm { bytes, keys } => {
                pairs.push(("cache", bytes.to_string()));
                pairs.extend(keys.iter().map(|key| ("warm", key.clone())));
            }
        }
        if ask.filter == FilterMode::Off {
            pairs.push(("filter", "off".to_owned()));
        }
        if let Some(bytes) = ask.block {
            pairs.push(("block", bytes.to_string()));
        }
        if let Some((t, l)) = self.steps.filter(|_| !self.view.is_board()) {
            pairs.push(("t", t.to_string()));
            pairs.push(("l", l.to_string()));
        }
        pairs
    }
}

/// Names in the query of a board that say what is selected: component, page, node or entry, byte.
const SELECTED: [&str; 4] = ["part", "page", "node", "byte"];

fn selected(rest: &str) -> String {
    let pairs = rest.split('&').filter(|pair| SELECTED.contains(&name(pair)));
    pairs.collect::<Vec<_>>().join("&")
}

/// Names in a query that are no matter of a board.
const ASKED: [&str; 9] = ["key", "ck", "reader", "cache", "warm", "filter", "block", "t", "l"];

fn name(pair: &str) -> &str {
    pair.split('=').next().unwrap_or_default()
}

fn parse_query(query: &str) -> (Ask, Option<(usize, usize)>) {
    let mut ask = Ask::default();
    let (mut warm, mut t, mut l) = (Vec::new(), None, None);
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = decode(value);
        match name {
            "key" => ask.key = Some(value),
            "ck" => ask.row = Some(value),
            "reader" if value == "scylla" => ask.reader = Some(LegacyReader::Scylla),
            "reader" if value == "cassandra" => ask.reader = Some(LegacyReader::Cassandra),
            "cache" => {
                if let Ok(bytes) = value.parse() {
                    ask.cache = CacheModel::Warm { bytes, keys: Vec::new() };
                }
            }
            "warm" => warm.push(value),
            "filter" if value == "off" => ask.filter = FilterMode::Off,
            "block" => ask.block = value.parse().ok().filter(|bytes| BLOCKS.contains(bytes)),
            "t" => t = value.parse().ok(),
            "l" => l = value.parse().ok(),
            _ => {}
        }
    }
    if let CacheModel::Warm { keys, .. } = &mut ask.cache {
        let too_many = warm.len().saturating_sub(WARM_KEYS);
        warm.drain(..too_many);
        *keys = warm;
    }
    let steps = (t.is_some() || l.is_some()).then(|| (t.unwrap_or(0), l.unwrap_or(0)));
    (ask, steps)
}

fn wanted(names: &str) -> Option<Vec<Wanted>> {
    let tables: Option<Vec<Wanted>> =
        names.split('+').map(|name| Wanted::parse(&decode(name))).collect();
    tables.filter(|tables| (1..=2).contains(&tables.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(text: &str) -> Address {
        let address = Address::parse(text);
        assert_eq!(address.print(), text);
        assert_eq!(Address::parse(&address.print()), address);
        address
    }

    #[test]
    fn a_lookup_in_a_sample_says_key_reader_cache_and_steps() {
        let address = there_and_back("#/s/p20k/lookup?key=17021&reader=scylla&cache=cold&t=7&l=22");
        assert_eq!(address.origin, Some(Origin::Sample("p20k".into())));
        assert_eq!(address.view, View::Lookup);
        assert_eq!(address.ask.key.as_deref(), Some("17021"));
        assert_eq!(address.ask.reader, Some(LegacyReader::Scylla));
        assert_eq!(address.steps, Some((7, 22)));
    }

    #[test]
    fn local_files_are_named_by_name_size_and_hash() {
        let one = there_and_back("#/l/da-1-bti.162365.9f3c/overview");
        let two = there_and_back("#/l/da-3gz1_0abc_x-bti.12.00ff+oa-1-big.198898.77aa/overview");
        let (Some(Origin::Local(one)), Some(Origin::Local(two))) = (one.origin, two.origin) else {
            panic!("both are local")
        };
        assert_eq!((one[0].name.as_str(), one[0].bytes), ("da-1-bti", 162_365));
        assert_eq!((two.len(), two[1].hash.as_str()), (2, "77aa"));
    }

    #[test]
    fn keys_of_any_text_survive() {
        for key in ["'user:7'", "'a&b=c#d?/%+ é\u{1F511}'", "0xcafe", "(1, 'a')", "", "\"\\\u{0}"]
        {
            let ask = Ask { key: Some(key.into()), row: Some(key.into()), ..Ask::default() };
            let origin = Some(Origin::Sample("p/2?0".into()));
            let view = View::Lookup;
            let address = Address { origin, view, ask, ..Address::default() };
            assert_eq!(Address::parse(&address.print()), address, "{key:?}");
            assert!(address.print().is_ascii());
        }
    }

    #[test]
    fn a_warm_cache_says_its_bytes_and_the_last_16_keys() {
        let address = there_and_back("#/s/p20k/lookup?key=3&cache=65536&warm=1&warm=2&filter=off");
        assert_eq!(
            address.ask.cache,
            CacheModel::Warm { bytes: 65_536, keys: vec!["1".into(), "2".into()] }
        );
        assert_eq!(address.ask.filter, FilterMode::Off);
        let many: String = (0..20).map(|n| format!("&warm={n}")).collect();
        let address = Address::parse(&format!("#/s/p20k/lookup?cache=1{many}"));
        let CacheModel::Warm { keys, .. } = address.ask.cache else { panic!("it is warm") };
        assert_eq!((keys.len(), keys[0].as_str()), (WARM_KEYS, "4"));
    }

    #[test]
    fn what_is_not_understood_is_left_to_the_defaults() {
        assert_eq!(Address::parse(""), Address::default());
        assert_eq!(Address::parse("#/x/y/z?a=b"), Address::default());
        assert_eq!(Address::parse("#/l/da-1-bti/overview"), Address::default());
        assert_eq!(Address::parse("#/l/da-1-bti.x.y/overview"), Address::default());
        let odd = Address::parse("#/s/p20k/nowhere?reader=me&cache=hot&filter=on&t=-1&l=x&key=%zz");
        assert_eq!((odd.view, odd.steps, odd.ask.reader), (View::Overview, None, None));
        assert_eq!(Address::parse("#/s/p20k/lookup?block=7").ask.block, None);
        assert_eq!(odd.ask.key.as_deref(), Some("%zz"));
        assert_eq!(Address::default().print(), "#");
    }

    #[test]
    fn the_size_of_row_blocks_is_said_and_makes_another_place() {
        let at = "#/s/wide-1m/lookup?key=0&ck=654386&cache=cold&block=1024&t=12&l=38";
        let address = there_and_back(at);
        assert_eq!(address.ask.block, Some(1024));
        assert!(!address.same_place(&Address::parse(&at.replace("1024", "65536"))));
    }

    #[test]
    fn the_packing_keeps_its_query_and_the_question_of_the_lookup() {
        let address = there_and_back("#/s/p20k/packing?writer=cassandra&step=52");
        assert_eq!(
            (address.view, address.rest.as_str()),
            (View::Packing, "writer=cassandra&step=52")
        );
        let address = there_and_back("#/s/p20k/packing?key=5&filter=off&rows=1&steps=all");
        assert_eq!(address.ask.key.as_deref(), Some("5"));
        assert_eq!(
            (address.rest.as_str(), address.place().as_str()),
            ("rows=1&steps=all", "#/s/p20k/packing?key=5&filter=off")
        );
        assert_eq!(Address::parse("#/s/p20k/lookup?writer=scylla&step=3").rest, "");
        there_and_back("#/l/da-1-bti.162365.9f3c/packing?step=3");
    }

    #[test]
    fn what_is_selected_in_one_view_is_selected_in_all() {
        let page =
            there_and_back("#/s/p20k/page?key=5&part=Partitions&page=30&node=124446&byte=124476");
        assert_eq!(page.view, View::Pages);
        let trie = page.in_view(View::Trie);
        assert_eq!(trie.print(), page.print().replace("/page?", "/trie?"));
        there_and_back("#/s/p20k/lookup?key=5&cache=cold&part=Partitions&node=124446");
        let map = Address::parse("#/s/p20k/page?as=map&by=fill&part=Rows");
        assert_eq!(map.in_view(View::Findings).print(), "#/s/p20k/findings?part=Rows");
        assert_eq!(map.in_view(View::Pages), map);
        assert!(page.same_place(&Address::parse(&page.print().replace("124476", "124477"))));
        assert!(!page.same_place(&Address::parse(&page.print().replace("124446", "1"))));
    }

    #[test]
    fn keys_of_no_file_have_an_address_of_their_own() {
        let address = there_and_back("#/packing?keys=apple%0Aa%26b%0A0xcafe&step=2");
        assert_eq!((address.origin.as_ref(), address.view), (Some(&Origin::Keys), View::Packing));
        assert_eq!(there_and_back("#/packing").rest, "");
        let place = |text: &str| Address::parse(text);
        let here = place("#/packing?keys=a&step=1");
        assert!(here.same_place(&place("#/packing?keys=ab&step=2")));
        assert!(!here.same_place(&place("#/packing?make=words&n=9")));
        assert!(!here.same_place(&place("#/packing?keys=a&writer=scylla")));
    }

    #[test]
    fn steps_do_not_make_another_place() {
        let here = Address::parse("#/s/p20k/lookup?key=1&t=1&l=2");
        assert!(here.same_place(&Address::parse("#/s/p20k/lookup?key=1&t=3&l=2")));
        assert!(!here.same_place(&Address::parse("#/s/p20k/lookup?key=2&t=1&l=2")));
    }
}
