//! The query of the view: which trie, which node of it, which page is open, and how it is drawn.

use crate::board::{BoardAsk, value, with};
use crate::workshop::selection::{Selection, word};
use triescope_core::pos::{FilePos, PageNo};
use triescope_core::table::Part;

/// Bytes of a path that a query may hold: a link has room for no more.
pub const PATH_BYTES: usize = 900;

/// What a query says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// `Partitions` or `Rows`.
    pub part: Part,
    /// Bytes from the root to the selected node.
    pub path: Option<Vec<u8>>,
    /// The page that is opened.
    pub open: Option<PageNo>,
    /// Whether it is drawn as an icicle.
    pub icicle: bool,
    /// Where the icicle begins.
    pub from: Vec<u8>,
    /// Whether bytes give the widths of the icicle.
    pub by_bytes: bool,
    /// Whether all nodes are counted, however many there are.
    pub count: bool,
    /// The level of the tree whose other children are listed, and how many of them come before.
    pub others: Option<(usize, usize)>,
    /// Partitions with a row trie that come before those listed.
    pub list: u64,
    /// What was typed to find a node.
    pub find: Option<String>,
    /// The selected node, as all boards know it.
    pub node: Option<FilePos>,
    /// Its page, or the one that another board has selected.
    pub page: Option<PageNo>,
}

impl Query {
    /// What a question says; words that are not known count as not said.
    pub fn of(ask: &BoardAsk) -> Self {
        let said = |name: &str| value(&ask.query, name);
        let selection = Selection::of(ask);
        let of_trie = matches!(selection.part, None | Some(Part::Partitions | Part::Rows));
        let others = said("others").and_then(|text| {
            let (level, before) = text.split_once('.').unwrap_or((&text, "0"));
            Some((level.parse().ok()?, before.parse().ok()?))
        });
        Self {
            part: match selection.part {
                Some(Part::Rows) => Part::Rows,
                _ => Part::Partitions,
            },
            path: said("path").and_then(|text| unhex(&text)).filter(|_| of_trie),
            open: said("open").and_then(|text| text.parse().ok()).map(PageNo),
            icicle: said("pic").as_deref() == Some("icicle"),
            from: said("from").and_then(|text| unhex(&text)).unwrap_or_default(),
            by_bytes: said("w").as_deref() == Some("bytes"),
            count: said("count").as_deref() == Some("all"),
            others,
            list: said("list").and_then(|text| text.parse().ok()).unwrap_or_default(),
            find: said("find").filter(|text| !text.trim().is_empty()),
            node: selection.node.filter(|_| of_trie),
            page: selection.page.filter(|_| of_trie),
        }
    }

    /// The query as text: the same words in the same order, however they came.
    pub fn print(&self) -> String {
        let mut query = format!("part={}", word(self.part));
        let mut put = |name: &str, value: Option<String>| {
            query = with(&query, name, value.as_deref());
        };
        put("path", self.path.as_deref().map(hex));
        put("open", self.open.map(|page| page.0.to_string()));
        put("pic", self.icicle.then(|| "icicle".to_owned()));
        put("from", (!self.from.is_empty()).then(|| hex(&self.from)));
        put("w", self.by_bytes.then(|| "bytes".to_owned()));
        put("count", self.count.then(|| "all".to_owned()));
        put("others", self.others.map(|(level, before)| format!("{level}.{before}")));
        put("list", (self.list > 0).then(|| self.list.to_string()));
        put("find", self.find.clone());
        put("page", self.page.map(|page| page.0.to_string()));
        put("node", self.node.map(|node| node.0.to_string()));
        query
    }

    /// The same with another node selected: its page is opened.
    pub fn selecting(&self, path: &[u8], at: FilePos) -> Self {
        Self {
            path: Some(path.to_vec()),
            open: None,
            find: None,
            others: None,
            node: Some(at),
            page: Some(at.page()),
            ..self.clone()
        }
    }
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The same with a space between two bytes; long ones keep their beginning and their end.
pub fn spaced(bytes: &[u8]) -> String {
    const MOST: usize = 16;
    let list =
        |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    match (bytes.get(..MOST / 2), bytes.get(bytes.len().saturating_sub(MOST / 2)..)) {
        (Some(first), Some(last)) if bytes.len() > MOST => {
            format!("{} … {}", list(first), list(last))
        }
        _ => list(bytes),
    }
}

/// Hexadecimal digits as bytes; as many as a query may hold.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    if text.len() % 2 == 1 || !text.is_ascii() || text.len() > 2 * PATH_BYTES {
        return None;
    }
    let digits = text.as_bytes().chunks_exact(2);
    digits
        .map(|pair| {
            let [high, low] = pair else { return None };
            let digit = |byte: u8| char::from(byte).to_digit(16);
            u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()
        })
        .collect()
}
