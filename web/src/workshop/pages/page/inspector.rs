//! The item that is selected, in words and fields; what else lies in the page; pointers across pages.

use super::dump;
use super::parents::{Parents, Way, way};
use super::shades::family_of;
use super::shown::Shown;
use crate::board::Part as Piece;
use crate::words::{bytes, count};
use crate::workshop::family;
use crate::workshop::html::escape;
use crate::workshop::links::Links;
use std::fmt::Write as _;
use triescope_core::bti::Node;
use triescope_core::dissect::{Field, ItemKind};
use triescope_core::lookup::words::number;
use triescope_core::pos::{DataPos, FilePos, PAGE_SIZE};
use triescope_core::source::Source;
use triescope_core::table::Part;

/// Fields of one name in a row from which on they are one line.
const MANY: usize = 5;

/// What the panel is made from.
pub struct Panel<'a, 'w, S> {
    /// What is shown.
    pub shown: &'a Shown<'w, S>,
    /// Who points into the page, where that is known.
    pub parents: Option<&'a Parents>,
    /// Links of the board.
    pub links: Links<'a>,
    /// The address up to the view: `#/s/p20k`.
    pub source: &'a str,
    /// Bytes a row of the dump.
    pub a_row: u64,
}

impl<S: Source> Panel<'_, '_, S> {
    /// The way to the selected node.
    fn way(&self) -> Option<Way> {
        let item = self.shown.item.as_ref().filter(|item| item.kind == ItemKind::Node)?;
        way(self.shown, self.parents?, item.at)
    }

    fn to_byte(&self, at: FilePos) -> String {
        escape(&self.links.to(&self.shown.to_byte(at)))
    }

    /// All pieces.
    pub fn pieces(&self) -> Vec<Piece> {
        let piece = |class: &str, title: &str, html: String| Piece {
            class: class.to_owned(),
            title: title.to_owned(),
            html,
        };
        let mut all = vec![piece("insp", "", self.head() + &self.table())];
        all.push(piece(
            "hex",
            "",
            dump::dump(self.shown, self.links, self.a_row) + &self.selected(),
        ));
        all.push(piece("inpage", "", self.in_page() + &self.across()));
        all.push(piece("fold", "The items of this page", self.items()));
        all
    }

    fn head(&self) -> String {
        let Some(item) = &self.shown.item else {
            return "<h2>This page has no bytes</h2>".to_owned();
        };
        let placed = self.shown.at.and_then(|at| self.shown.view.items.get(at));
        let family = placed.and_then(|item| family_of(self.shown, item));
        let sign = family.map(family::sign).unwrap_or_default();
        let name = match item.kind {
            ItemKind::Node => item.summary.split(',').next().unwrap_or_default().to_owned(),
            _ => kind(item.kind).to_owned(),
        };
        let mut facts = vec![bytes(item.len)];
        let way = self.way();
        if let Some(way) = &way {
            facts.push(match way.bytes.is_empty() {
                true => "the root".to_owned(),
                false => format!("prefix <span class=\"m\">{}</span>", hex(&way.bytes)),
            });
        }
        facts.push(escape(&item.summary));
        let mut acts = String::new();
        let mut act = |id: &str, to: Option<String>, words: &str| {
            if let Some(to) = to {
                let _ = write!(
                    acts,
                    "<a id=\"{id}\" class=\"btn sm\" href=\"{}\">{words}</a>",
                    escape(&to)
                );
            }
        };
        if let Some(parent) = way.as_ref().and_then(|way| way.parent) {
            let to = self.links.to(&self.shown.to_byte(parent));
            act("parent", Some(to), &format!("Parent, page {}", parent.page()));
        }
        act(
            "child",
            self.first_child().map(|at| self.links.to(&self.shown.to_byte(at))),
            "First child",
        );
        if let Some((key, data)) = self.key() {
            let key = crate::state::address::Address::encoded(&key);
            act("lookup", Some(format!("{}/lookup?key={key}", self.source)), "Look it up");
            act(
                "rows",
                Some(format!("{}/page?key={key}&as=rows&item={data}", self.source)),
                "Rows",
            );
        }
        if let Some(way) = way.as_ref().filter(|_| item.kind == ItemKind::Node) {
            let path: String = way.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            act("trie", Some(format!("{}/trie?path={path}", self.source)), "In the trie");
        }
        let copies = [
            ("copy-at", "Copy offset", item.at.0.to_string()),
            ("copy-hex", "Copy hex", self.hex_of_item()),
        ];
        for (id, words, text) in copies {
            let _ = write!(
                acts,
                "<button id=\"{id}\" class=\"btn sm\" data-copy=\"{}\">{words}</button>",
                escape(&text)
            );
        }
        let known = match item.known {
            true => "",
            false => {
                "<p class=\"say-note\"><span class=\"jd warn\" aria-hidden=\"true\">!</span><span>Nothing says that an item begins here: the bytes are read as if it did.</span></p>"
            }
        };
        let problem = item.problem.as_ref().map_or(String::new(), |problem| {
            format!("<p class=\"say-note bad\"><span class=\"jd bad\" aria-hidden=\"true\">✕</span><span>{}.</span></p>", escape(&problem.to_string()))
        });
        let key = match self.key() {
            Some((key, _)) => format!(" · key <span class=\"m\">{}</span>", escape(&key)),
            None => String::new(),
        };
        format!(
            "<h2>{sign}{} at {}</h2><p class=\"q sm\">{}{key}</p>{problem}{known}<div class=\"acts\">{acts}</div>",
            escape(&name),
            self.shown.position(item.at.0),
            facts.join(" · ")
        )
    }

    /// The first child of the selected node.
    fn first_child(&self) -> Option<FilePos> {
        let item = self.shown.item.as_ref().filter(|item| item.kind == ItemKind::Node)?;
        let node = Node::read(self.shown.part, item.at, &self.shown.bytes).ok()?;
        node.first_child().ok()?.map(|child| child.at)
    }

    /// The key of the partition that the item leads to, and its position in Data.db.
    fn key(&self) -> Option<(String, u64)> {
        let item = self.shown.item.as_ref()?;
        let number = |name: &str| {
            let field = item.fields.iter().find(|field| field.name == name)?;
            field.value.parse::<i64>().ok()
        };
        let data = match (self.shown.part, item.kind) {
            (Part::Partitions, ItemKind::Node) => {
                number("position").filter(|it| *it < 0).map(|it| !it)?
            }
            (Part::Rows, ItemKind::RowsEntry) | (Part::Index, ItemKind::IndexEntry) => {
                number("data position")?
            }
            _ => return None,
        };
        let data = u64::try_from(data).ok()?;
        let mut reader = self.shown.table.data_reader().ok()?;
        let (key, _) = reader.key(DataPos(data)).ok()?;
        Some((self.shown.table.key_schema().to_text(&key), data))
    }

    fn hex_of_item(&self) -> String {
        let Some(item) = &self.shown.item else { return String::new() };
        let at = |at: u64| usize::try_from(at.saturating_sub(self.shown.view.at.0)).unwrap_or(0);
        let (from, to) = (at(item.at.0), at(item.at.0 + item.len).min(self.shown.bytes.len()));
        let bytes = self.shown.bytes.get(from..to).unwrap_or(&[]);
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The fields: many of one name in a row are one line, and the selected one of them is another.
    fn table(&self) -> String {
        let Some(item) = self.shown.item.as_ref().filter(|item| !item.fields.is_empty()) else {
            return String::new();
        };
        let selected = self.shown.field().map(|field| (field.at, field.name.clone()));
        let mut rows = String::new();
        let mut left = item.fields.as_slice();
        while let Some((first, _)) = left.split_first() {
            let run = left.iter().take_while(|field| field.name == first.name).count();
            let (these, rest) = left.split_at_checked(run).unwrap_or((left, &[]));
            left = rest;
            if run < MANY {
                for field in these {
                    rows += &self.row(field, None);
                }
                continue;
            }
            rows += &self.group(these);
            for (n, field) in these.iter().enumerate() {
                // The n-th transition byte and the n-th distance are of the same child.
                let is_selected = selected
                    .as_ref()
                    .is_some_and(|(at, name)| *at == field.at && *name == field.name);
                if is_selected || self.selected_place() == Some(n) {
                    rows += &self.row(field, Some(n));
                }
            }
        }
        let head: String = ["offset", "bytes", "field", "value", "meaning"]
            .iter()
            .map(|name| format!("<th scope=\"col\">{name}</th>"))
            .collect();
        format!(
            "<div class=\"scroll\"><table class=\"tbl fields\"><caption class=\"vh\">Fields</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        )
    }

    /// The place of the selected field among those of its name, where there are many.
    fn selected_place(&self) -> Option<usize> {
        let field = self.shown.field()?;
        let item = self.shown.item.as_ref()?;
        let mut same = item.fields.iter().filter(|other| other.name == field.name);
        let place = same.clone().position(|other| other == field)?;
        same.nth(MANY - 1).map(|_| place)
    }

    fn group(&self, fields: &[Field]) -> String {
        let (Some(first), Some(last)) = (fields.first(), fields.last()) else {
            return String::new();
        };
        let len = last.at.0 + last.len - first.at.0;
        let value = match first.name.as_ref() {
            "transition byte" => format!("{} … {}", first.value, last.value),
            _ => String::new(),
        };
        let words = format!("{} of them", number(fields.len() as u64, ','));
        self.line(first.at, number(len, ','), &format!("{}s", first.name), &value, &words, false)
    }

    fn row(&self, field: &Field, n: Option<usize>) -> String {
        let size = match field.bits {
            Some(bits) if bits.count % 8 != 0 => match (bits.count / 8, bits.count % 8) {
                (0, _) => format!("{} bits", bits.count),
                (whole, 4) => format!("{whole}½"),
                (whole, rest) => format!("{whole}+{rest}/8"),
            },
            _ => number(field.len, ','),
        };
        let name = match n {
            Some(n) => format!("{} {n}", field.name),
            None => field.name.to_string(),
        };
        let here = self.shown.field() == Some(field);
        self.line(field.at, size, &name, &field.value, &field.meaning, here)
    }

    fn line(
        &self,
        at: FilePos,
        size: String,
        name: &str,
        value: &str,
        meaning: &str,
        here: bool,
    ) -> String {
        let class = if here { " class=\"now\" aria-current=\"true\"" } else { "" };
        let value = cut(value, 40);
        format!(
            "<tr{class}><th scope=\"row\" class=\"n\"><a href=\"{}\">{}</a></th><td class=\"n\">{size}</td><td>{}</td><td class=\"m\">{}</td><td>{}</td></tr>",
            self.to_byte(at),
            self.shown.position(at.0),
            escape(name),
            escape(&value),
            escape(meaning),
        )
    }

    /// The selected byte in bits, and the selection read as numbers.
    fn selected(&self) -> String {
        let line = |(name, value): &(&str, String)| {
            format!(
                "<div><dt>{name}</dt><dd class=\"m\">{}<button class=\"lnk\" data-copy=\"{0}\">copy</button></dd></div>",
                escape(value)
            )
        };
        let readings: String = dump::readings(self.shown).iter().map(line).collect();
        let bits = match (self.shown.byte, dump::bits(self.shown)) {
            (Some(at), Some(bits)) => format!(
                "<p class=\"sm\">Byte {} is <b class=\"m\">{bits}</b></p>",
                self.shown.position(at.0)
            ),
            _ => String::new(),
        };
        format!(
            "{bits}<details id=\"reads\"><summary>The selection read as numbers, text, time</summary><dl class=\"kv\">{readings}</dl></details>"
        )
    }

    /// Families or kinds of items in the page, with their bytes.
    fn in_page(&self) -> String {
        let mut rows: Vec<(String, String, u64, u64)> = Vec::new();
        for item in &self.shown.view.items {
            let (sign, words) = match family_of(self.shown, item) {
                Some(family) => (family::sign(family), family::words(family)),
                None => (String::new(), kind(item.kind)),
            };
            let from = item.at.0.max(self.shown.view.at.0);
            let to = (item.at.0 + item.len).min(self.shown.view.at.0 + self.shown.view.len);
            let len = to.saturating_sub(from);
            match rows.iter_mut().find(|row| row.1 == words) {
                Some(row) => (row.2, row.3) = (row.2 + 1, row.3 + len),
                None => rows.push((sign, words.to_owned(), 1, len)),
            }
        }
        let row = |(sign, words, items, len): &(String, String, u64, u64)| {
            let tenths = (len * 1_000 + PAGE_SIZE / 2) / PAGE_SIZE;
            format!(
                "<tr><th scope=\"row\">{sign}{words}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}.{} %</td></tr>",
                number(*items, ','),
                bytes(*len),
                tenths / 10,
                tenths % 10
            )
        };
        let rows: String = rows.iter().map(row).collect();
        format!(
            "<table class=\"tbl\"><thead><tr><th scope=\"col\">In this page</th><th scope=\"col\" class=\"n\">items</th><th scope=\"col\" class=\"n\">bytes</th><th scope=\"col\" class=\"n\">of page</th></tr></thead><tbody>{rows}</tbody></table>"
        )
    }

    /// Pointers in and out, and why the page ends where it ends.
    fn across(&self) -> String {
        if !matches!(self.shown.part, Part::Partitions | Part::Rows) {
            return String::new();
        }
        let mut out = String::from("<div class=\"across\"><h3>Pointers across pages</h3>");
        if let Some(parents) = self.parents {
            let entrances = parents.found.len() as u64;
            let mut from: Vec<u64> = parents.found.values().map(|it| it.parent.page().0).collect();
            from.sort_unstable();
            from.dedup();
            let pages: Vec<String> = from
                .iter()
                .take(8)
                .map(|page| {
                    format!(
                        "<a href=\"{}\">{page}</a>",
                        escape(&self.links.to(&self.shown.to_page(*page)))
                    )
                })
                .collect();
            let more = if from.len() > 8 { " and others" } else { "" };
            let words = match (parents.given_up, entrances) {
                (true, _) => "In: not looked for in a trie of so many nodes.".to_owned(),
                (_, 0) => "In: none, the root lies here or nothing leads here.".to_owned(),
                (_, n) => format!(
                    "In: {}, from page {}{more}, ringed in the picture.",
                    number(n, ','),
                    pages.join(", ")
                ),
            };
            let _ = write!(out, "<p>{words}</p>");
        }
        let (mut outside, mut to) = (0_u64, Vec::new());
        for item in &self.shown.view.items {
            let Ok(node) = Node::read(self.shown.part, item.at, &self.shown.bytes) else {
                continue;
            };
            if item.kind != ItemKind::Node {
                continue;
            }
            for child in
                node.children().flatten().filter(|child| child.at.page() != self.shown.view.page)
            {
                outside += 1;
                to.push(child.at.page().0);
            }
        }
        to.sort_unstable();
        to.dedup();
        let words = match outside {
            0 => "Out: none, every node’s children are in this page.".to_owned(),
            n => format!(
                "Out: {}, to {}.",
                count(n, "pointer", "pointers"),
                count(to.len() as u64, "page", "pages")
            ),
        };
        let _ = write!(out, "<p>{words}</p>");
        let padding = self.shown.view.items.last().filter(|item| item.kind == ItemKind::Padding);
        if let Some(padding) = padding {
            let to = format!("{}/packing?goto=padding%20{}", self.source, self.shown.page());
            let _ = write!(
                out,
                "<p>The page ends with {} of padding: whatever the writer still had to place was larger. <a id=\"why\" href=\"{}\">Why it ends here</a></p>",
                bytes(padding.len),
                escape(&to)
            );
        }
        out + "</div>"
    }

    /// Every item, a row each: the picture as a table.
    fn items(&self) -> String {
        let row = |item: &triescope_core::dissect::PageItem| {
            let to = escape(&self.links.to(&self.shown.to_item(item.at)));
            let problem = item.problem.as_ref().map_or(String::new(), |it| format!(". {it}"));
            format!(
                "<tr><th scope=\"row\" class=\"n\"><a href=\"{to}\">{}</a></th><td class=\"n\">{}</td><td>{}</td><td>{}</td></tr>",
                self.shown.position(item.at.0),
                number(item.len, ','),
                kind(item.kind),
                escape(&(item.summary.clone() + &problem))
            )
        };
        let rows: String = self.shown.view.items.iter().map(row).collect();
        format!(
            "<div class=\"acts\"><button class=\"btn sm\" data-text=\"csv\">Copy as CSV</button><button class=\"btn sm\" data-text=\"json\">Copy as JSON</button></div><div class=\"scroll\"><table class=\"tbl\"><thead><tr><th scope=\"col\" class=\"n\">offset</th><th scope=\"col\" class=\"n\">bytes</th><th scope=\"col\">kind</th><th scope=\"col\">what</th></tr></thead><tbody>{rows}</tbody></table></div>"
        )
    }
}

/// What an item is, in words.
pub const fn kind(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Node => "node",
        ItemKind::RowsEntry => "entry of Rows.db",
        ItemKind::Keys => "first and last key",
        ItemKind::Footer => "footer",
        ItemKind::Padding => "padding",
        ItemKind::Filler => "filler",
        ItemKind::IndexEntry => "entry",
        ItemKind::PromotedHead => "head of a promoted index",
        ItemKind::Block => "block of a promoted index",
        ItemKind::BlockOffsets => "offsets of blocks",
        ItemKind::Head => "head",
        ItemKind::SampleOffsets => "offsets of samples",
        ItemKind::Sample => "sample",
        ItemKind::Segments => "segments",
        ItemKind::FilterWords => "words of the filter",
        ItemKind::ChunkOffsets => "offsets of chunks",
        ItemKind::Checksums => "checksums",
        ItemKind::StatisticsPart => "part of the statistics",
        ItemKind::Text => "text",
        ItemKind::Unclaimed => "belongs to nothing",
        ItemKind::Unreadable => "cannot be read",
        ItemKind::Bytes => "bytes",
    }
}

/// `40 4f`
pub fn hex(bytes: &[u8]) -> String {
    let all: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    all.join(" ")
}

/// A text of at most so many characters.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
