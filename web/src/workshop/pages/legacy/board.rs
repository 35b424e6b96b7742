//! The board of the tab: head, pictures, tables.

use super::draw::{Leads, alignment};
use super::facts::{Facts, Note};
use super::query::{LegacyBy, Query};
use super::{TabsOf, detail, list, promoted};
use crate::board::{Board, BoardAsk, Part as Piece, with};
use crate::words::{bytes, count};
use crate::workshop::html::{Does, Key, escape, keys, picture, seg};
use crate::workshop::links::Links;
use crate::workshop::pages::Tab;
use crate::workshop::selection::Selection;
use triescope_core::lookup::words::number;
use triescope_core::pos::FilePos;
use triescope_core::source::Source;
use triescope_core::table::Part;

/// Widths from which the pictures lie in a frame with wide margins.
const MARGINS: u32 = 720;

/// The addresses of a board.
struct Ways<'a> {
    links: Links<'a>,
    /// The canonical query.
    query: String,
}

impl Ways<'_> {
    /// A sample: its first entry.
    fn sample(&self, sample: u64) -> String {
        self.links.to(&of_sample(&self.query, sample))
    }

    fn entry<S: Source>(&self, facts: &Facts<'_, S>, n: usize) -> String {
        self.links.to(&of_entry(&with(&self.query, "promoted", None), facts, n))
    }

    fn block(&self, block: u64) -> String {
        self.links.to(&with(&self.query, "promoted", Some(&block.to_string())))
    }
}

/// Without a selection in Index.db, which would choose another sample.
fn of_sample(query: &str, sample: u64) -> String {
    let query = Selection::default().put(query);
    let query = with(&with(&query, "promoted", None), "entry", Some("0"));
    with(&query, "sample", Some(&sample.to_string()))
}

fn of_entry<S: Source>(query: &str, facts: &Facts<'_, S>, n: usize) -> String {
    let Some(entry) = facts.window.entries.get(n) else { return query.to_owned() };
    let selection = Selection {
        part: Some(Part::Index),
        page: Some(FilePos(entry.at).page()),
        node: Some(FilePos(entry.at)),
        byte: None,
    };
    with(&selection.put(query), "entry", Some(&n.to_string()))
}

/// The query of what is shown: sample and entry stand in it, and the selection where it is one in Index.db.
fn canonical<S: Source>(facts: &Facts<'_, S>, ask: &BoardAsk, query: &Query) -> String {
    let mut out = with(&ask.query, "text", None);
    out = with(&out, "by", query.by.word());
    let sample = facts.samples.as_ref().map(|samples| samples.chosen.to_string());
    out = with(&out, "sample", sample.as_deref());
    let selection = Selection::of(ask);
    let elsewhere = selection.part.is_some_and(|part| part != Part::Index);
    let entry = facts.window.entries.get(facts.chosen).map(|_| facts.chosen.to_string());
    out = match elsewhere {
        true => with(&out, "entry", entry.as_deref()),
        false if entry.is_none() => with(&Selection::default().put(&out), "entry", None),
        false => of_entry(&out, facts, facts.chosen),
    };
    let block = match &facts.promoted {
        Some(Ok(promoted)) => Some(promoted.chosen.to_string()),
        _ => None,
    };
    with(&out, "promoted", block.as_deref())
}

/// The board; `tabs` gives the tabs of an address.
pub fn board<S: Source>(
    facts: &Facts<'_, S>,
    ask: &BoardAsk,
    query: &Query,
    tabs: TabsOf<'_>,
) -> Board {
    let canon = canonical(facts, ask, query);
    let shown = BoardAsk { query: canon.clone(), ..ask.clone() };
    let ways = Ways { links: Links(&shown), query: canon.clone() };
    let margin = if ask.width >= MARGINS { 48 } else { 32 };
    let room = f64::from(ask.width.saturating_sub(margin + 16).max(280));
    let said = sentence(facts, query);
    let (sample, entry) = (|n: u64| ways.sample(n), |n: usize| ways.entry(facts, n));
    let leads = Leads { sample: &sample, entry: &entry };
    let sheet = alignment(facts, room, leads);
    let lead = |hit: u32| sheet.leads.get(hit as usize).cloned().unwrap_or_default();
    let piece =
        |class: &str, html: String| Piece { class: class.to_owned(), title: String::new(), html };
    let notes: String = facts.notes.iter().map(|it| note(it, &ways)).collect();
    let damage = facts.window.broken.as_ref().map(|error| wrong(&error.to_string()));
    let mut main = vec![
        piece(
            "leg",
            format!("<p class=\"say\">{}</p>{notes}{}", escape(&said), damage.unwrap_or_default()),
        ),
        piece("leg", picture(&sheet.scene, &lead)),
    ];
    let mut side = Vec::new();
    let block = |n: u64| ways.block(n);
    if let Some(entry_now) = facts.window.entries.get(facts.chosen) {
        if let Some(Ok(it)) = &facts.promoted {
            let sheet = promoted::strip(entry_now, it, facts.found.as_ref(), room, &block);
            let lead = |hit: u32| sheet.leads.get(hit as usize).cloned().unwrap_or_default();
            let damage = it.broken.as_ref().map(|error| wrong(&error.to_string()));
            main.push(piece("leg", picture(&sheet.scene, &lead) + &damage.unwrap_or_default()));
        }
        let rows = facts.table.source(Part::Data).map(|_| rows_link(&ways, entry_now.data));
        let detail = detail::entry(facts, entry_now, &bytes_link(&ways), rows.as_deref());
        side.push(piece("leg", detail));
    }
    if let Some(Ok(it)) = &facts.promoted {
        let title = format!("<h2>Blocks {}</h2>", exports("blocks"));
        side.push(piece("leg", title + &list::blocks(facts, it, &block)));
    }
    if facts.samples.is_some() {
        let title = format!("<h2>Windows {}</h2>", exports("windows"));
        side.push(piece("leg", title + &list::windows(facts, &sample)));
    }
    if !facts.window.entries.is_empty() {
        let title = format!("<h2>Entries {}</h2>", exports("entries"));
        side.push(piece("leg", title + &list::entries(facts, &entry)));
    }
    side.push(piece("leg", detail::costs(facts)));
    Board {
        head: head(facts, query, &ways, tabs(&shown)),
        query: canon,
        at: 0,
        of: 0,
        ticks: (String::new(), String::new()),
        said,
        is_worth_saying: true,
        sentence: String::new(),
        main,
        side,
    }
}

/// The entry in the tab of pages.
fn bytes_link(ways: &Ways<'_>) -> String {
    ways.links.to(&with(&ways.query, "as", None))
}

fn rows_link(ways: &Ways<'_>, data: u64) -> String {
    let selection =
        Selection { part: Some(Part::Data), page: None, node: Some(FilePos(data)), byte: None };
    ways.links.to(&with(&selection.put(&ways.query), "as", Some(Tab::Rows.word())))
}

fn exports(what: &str) -> String {
    format!(
        "<span class=\"c\"><button id=\"leg-{what}-csv\" class=\"lnk\" data-text=\"{what}.csv\">copy CSV</button> <button \
         id=\"leg-{what}-json\" class=\"lnk\" data-text=\"{what}.json\">copy JSON</button></span>"
    )
}

fn wrong(words: &str) -> String {
    format!(
        "<p class=\"leg-wrong\"><span class=\"jd bad\" aria-hidden=\"true\">✗</span> {}. What was read before it is shown.</p>",
        escape(words)
    )
}

fn note(note: &Note, ways: &Ways<'_>) -> String {
    let offer = match note.offer {
        true => format!(
            " <a id=\"leg-make\" href=\"{}\">Make the samples</a>",
            escape(&ways.links.to(&with(&ways.query, "make", Some("yes"))))
        ),
        false => String::new(),
    };
    let (class, mark) = if note.bad {
        ("leg-wrong", "bad\" aria-hidden=\"true\">✗")
    } else {
        ("say-note", "warn\" aria-hidden=\"true\">!")
    };
    format!(
        "<p class=\"{class}\"><span class=\"jd {mark}</span> <span>{}{offer}</span></p>",
        escape(&note.words)
    )
}

/// What is shown, in one sentence.
fn sentence<S: Source>(facts: &Facts<'_, S>, query: &Query) -> String {
    let window = &facts.window;
    let Some(entry) = window.entries.get(facts.chosen) else {
        return "No entry of this window can be read.".to_owned();
    };
    let read = window.entries.len() as u64;
    let more = if window.more || window.broken.is_some() { "at least " } else { "" };
    let entries = format!("{more}{}", count(read, "entry", "entries"));
    let key = promoted::shortened(&facts.keys.to_text(&entry.key));
    let at = number(entry.data, ',');
    if let Some(found) = facts.found.as_ref().filter(|found| found.entry == Some(entry.at)) {
        if let (Some(block), Some(row)) = (found.block, &found.row) {
            let (row, key) = (promoted::shortened(row), promoted::shortened(&found.key));
            let lies = match &facts.promoted {
                Some(Ok(it)) => it.blocks.iter().find(|it| it.number == block).and_then(|it| {
                    let from = entry.data.saturating_add(it.start);
                    let to = from.saturating_add(it.width?).saturating_sub(1);
                    Some(format!(", then Data.db {}–{}", number(from, ','), number(to, ',')))
                }),
                _ => None,
            };
            return format!(
                "Row {row} of partition {key} is looked for in block {}: {} in the promoted index{}.",
                number(block, ','),
                count(found.probes.len() as u64, "probe", "probes"),
                lies.unwrap_or_default()
            );
        }
        let sample = number(found.sample.unwrap_or(0), ',');
        let parsed = number(found.parsed, ',');
        return match query.by {
            LegacyBy::Own => format!(
                "Sample {sample} leads to a window of {entries}; {parsed} of them are parsed until key {key} is equal. It lies at \
                 Data.db {at}."
            ),
            LegacyBy::Scylla => format!(
                "Sample {sample} leads to a window of {entries}; ScyllaDB parses all of them and bisects: key {key} lies at Data.db {at}."
            ),
        };
    }
    let position = number(facts.chosen as u64, ',');
    let promoted = match entry.promoted {
        0 => String::new(),
        size => format!(", with a promoted index of {}", bytes(size)),
    };
    match &facts.samples {
        Some(samples) => format!(
            "Sample {} leads to a window of {entries}; entry {position} is key {key}, whose partition lies at Data.db {at}{promoted}.",
            number(samples.chosen, ',')
        ),
        None => format!(
            "Index.db from its first entry on, {entries}; entry {position} is key {key}, whose partition lies at Data.db {at}{promoted}."
        ),
    }
}

fn head<S: Source>(facts: &Facts<'_, S>, query: &Query, ways: &Ways<'_>, tabs: String) -> String {
    let mut out = tabs;
    let name = escape(&facts.table.facts.name);
    out +=
        &format!("<div class=\"what\"><h1>Legacy index <span class=\"c\">{name}</span></h1></div>");
    out += "<div class=\"opts\">";
    let own = facts.table.summary.is_some();
    if !(own && facts.table.version().is_read_by_scylla()) {
        let count = |by: LegacyBy| {
            let shown = facts.samples.as_ref().filter(|_| by == query.by);
            shown.map_or(String::new(), |samples| format!(": {}", number(samples.count, ',')))
        };
        let (first, second) = match own {
            true => (format!("The file’s own{}", count(LegacyBy::Own)), count(LegacyBy::Scylla)),
            false => {
                (format!("as Cassandra samples{}", count(LegacyBy::Own)), count(LegacyBy::Scylla))
            }
        };
        let second = format!("as ScyllaDB samples{second}");
        let to = |by: LegacyBy| {
            let query = with(&with(&ways.query, "sample", None), "entry", None);
            ways.links.to(&with(&query, "by", by.word()))
        };
        let choices = [
            ("leg-own".to_owned(), first.as_str(), query.by == LegacyBy::Own, to(LegacyBy::Own)),
            (
                "leg-scylla".to_owned(),
                second.as_str(),
                query.by == LegacyBy::Scylla,
                to(LegacyBy::Scylla),
            ),
        ];
        out += &seg("Samples", &choices);
    }
    if let Some(samples) = facts.samples.as_ref().filter(|samples| samples.count > 1) {
        let of = number(samples.count - 1, ',');
        out += &format!(
            "<div class=\"fld\"><label for=\"leg-goto\">Sample</label><span class=\"box short\"><input id=\"leg-goto\" name=\"goto\" \
             inputmode=\"numeric\" autocomplete=\"off\" enterkeyhint=\"go\" placeholder=\"0 to {of}\"></span></div>"
        );
    }
    out += "</div>";
    out + &keys(&all_keys(facts, ways))
}

fn all_keys<S: Source>(facts: &Facts<'_, S>, ways: &Ways<'_>) -> Vec<Key> {
    let leads = |to: Option<String>| to.map_or(Does::Nothing, Does::Leads);
    let key = |key, shown, words, to: Option<String>| Key { key, shown, words, does: leads(to) };
    let samples = facts.samples.as_ref();
    let before = samples.and_then(|it| it.chosen.checked_sub(1));
    let after = samples.map(|it| it.chosen + 1).filter(|n| samples.is_some_and(|it| *n < it.count));
    let last = facts.window.entries.len();
    let up = facts.chosen.checked_sub(1);
    let down = Some(facts.chosen + 1).filter(|n| *n < last);
    let promoted = facts.promoted.as_ref().and_then(|it| it.as_ref().ok());
    let block = |n: Option<u64>| {
        n.filter(|n| promoted.is_some_and(|it| *n < it.head.blocks)).map(|n| ways.block(n))
    };
    let entry = |n: Option<usize>| n.map(|n| ways.entry(facts, n));
    vec![
        key("ArrowLeft", "←", "sample before", before.map(|n| ways.sample(n))),
        key("ArrowRight", "→", "next sample", after.map(|n| ways.sample(n))),
        key("ArrowUp", "↑", "entry before", entry(up)),
        key("ArrowDown", "↓", "next entry", entry(down)),
        key("Enter", "Enter", "bytes of the entry", (last > 0).then(|| bytes_link(ways))),
        key("[", "[", "block before", block(promoted.and_then(|it| it.chosen.checked_sub(1)))),
        key("]", "]", "next block", block(promoted.map(|it| it.chosen + 1))),
    ]
}
