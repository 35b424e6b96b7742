//! What stands where on the rows: the row above, the strip of Data.db, the list.

use super::find::{Found, Said};
use super::item::{marker_words, short, side, title};
use super::query::Query;
use super::strip::{BLOCKS_FROM, strip};
use super::times::{moment, written};
use super::window::{Entry, Window};
use crate::board::{Board, BoardAsk, Part as Piece, with};
use crate::state::address::Address;
use crate::worker::world::World;
use crate::workshop::html::{Does, Key, escape, keys, picture};
use crate::workshop::links::Links;
use crate::workshop::pages::{Tab, tabs};
use serde_bytes::ByteBuf;
use triescope_core::cql;
use triescope_core::data::{DataFormat, Item, Life, LineWriter, Row};
use triescope_core::lookup::words::number;
use triescope_core::source::Source;
use triescope_core::table::Table;

/// From this width on the panel stands beside the list, with this width of its own.
const WIDE: u32 = 1200;
const SIDE: u32 = 520;
/// Below this width there is one column.
const PHONE: u32 = 720;
/// What a scroll bar may take.
const BAR: u32 = 16;

/// What is shown.
pub struct Shown<'a, S: Source> {
    pub ask: &'a BoardAsk,
    pub table: &'a Table<S>,
    pub found: &'a Found,
    pub window: &'a Window,
    /// What is wrong with what was typed.
    pub note: Option<&'a str>,
    pub format: DataFormat,
}

/// A number with its groups.
pub fn n(number_of: u64) -> String {
    number(number_of, ',')
}

impl<S: Source> Shown<'_, S> {
    /// The chosen item.
    pub fn chosen(&self) -> Option<&Entry> {
        self.window.entries.get(self.window.chosen)
    }

    /// Clustering values as they are said: `ck1 = 25`.
    pub fn place(&self, values: &[Option<ByteBuf>]) -> String {
        if values.is_empty() {
            return "all rows".to_owned();
        }
        let names = self.names();
        let values = self.values(values);
        let pairs: Vec<String> =
            names.iter().zip(&values).map(|(name, value)| format!("{name} = {value}")).collect();
        pairs.join(", ")
    }

    /// Statistics.db has the types of the clustering columns and not their names.
    fn names(&self) -> Vec<String> {
        let columns = self.table.clustering_schema().map_or(0, |schema| schema.columns().len());
        match columns {
            1 => vec!["ck".to_owned()],
            many => (1..=many).map(|i| format!("ck{i}")).collect(),
        }
    }

    fn values(&self, values: &[Option<ByteBuf>]) -> Vec<String> {
        let Some(schema) = self.table.clustering_schema() else { return Vec::new() };
        let columns = schema.columns().iter().zip(values);
        columns
            .map(|(column, value)| {
                cql::to_text_or_null(&column.cql, value.as_ref().map(|bytes| bytes.as_slice()))
            })
            .collect()
    }
}

/// Addresses of the board.
pub struct Links2<'a, 'b, S: Source>(pub &'b Shown<'a, S>);

impl<S: Source> Links2<'_, '_, S> {
    /// An item of the same partition.
    pub fn item(&self, at: u64) -> String {
        Links(self.0.ask).to(&Query::put(&self.0.ask.query, Some(at)))
    }

    /// The partition of a key.
    pub fn key(&self, key: &str) -> String {
        partition(self.0.ask, key)
    }

    /// A chunk of Data.db in the map.
    pub fn chunk(&self, chunk: u64) -> String {
        let query = Query::put(&self.0.ask.query, None);
        let pairs =
            [("as", "map".to_owned()), ("part", "Data".to_owned()), ("page", chunk.to_string())];
        let query = ["node", "byte"].iter().fold(query, |query, name| with(&query, name, None));
        Links(self.0.ask)
            .to(&pairs.iter().fold(query, |query, (name, value)| with(&query, name, Some(value))))
    }
}

/// The address of the partition of a key.
fn partition(ask: &BoardAsk, key: &str) -> String {
    let mut address = Address::parse(&ask.place);
    address.ask.key = Some(key.to_owned());
    address.ask.row = None;
    address.rest = Query::put(&ask.query, None);
    address.rest = ["part", "page", "node", "byte"]
        .iter()
        .fold(address.rest, |query, name| with(&query, name, None));
    address.print()
}

/// A board without rows, and why.
pub fn none<S: Source>(
    ask: &BoardAsk,
    world: &World<S>,
    found: Option<&Found>,
    why: &str,
) -> Board {
    let query = with(&with(&with(&ask.query, "as", Some("rows")), "goto", None), "text", None);
    let mut head =
        format!("{}<div class=\"what\"><h1>Rows</h1></div>", tabs(ask, world, Tab::Rows));
    head += &goto(ask.width);
    let mut said = format!(
        "<p class=\"say-note\"><span class=\"jd warn\" aria-hidden=\"true\">!</span><span>{}</span></p>",
        escape(why)
    );
    if let Some(found) = found {
        let to = Links(ask).to(&Query::put(&ask.query, Some(found.at)));
        said += &format!(
            "<p class=\"q sm\"><a id=\"start\" href=\"{}\">Partition {}</a> is open.</p>",
            escape(&to),
            escape(&found.key)
        );
    } else {
        let mut address = Address::parse(&ask.place);
        address.ask.key = None;
        address.rest = Query::put(&ask.query, None);
        said += &format!(
            "<p class=\"q sm\"><a id=\"start\" href=\"{}\">The first partition</a></p>",
            escape(&address.print())
        );
    }
    let main = vec![Piece { class: "rows".to_owned(), title: String::new(), html: said }];
    assemble(query, head, why.to_owned(), main, Vec::new())
}

fn warning(why: &str) -> String {
    format!(
        "<p class=\"say-note\"><span class=\"jd warn\" aria-hidden=\"true\">!</span><span>{}</span></p>",
        escape(why)
    )
}

fn assemble(
    query: String,
    head: String,
    said: String,
    main: Vec<Piece>,
    side: Vec<Piece>,
) -> Board {
    Board {
        query,
        at: 0,
        of: 0,
        ticks: (String::new(), String::new()),
        said,
        is_worth_saying: false,
        sentence: String::new(),
        head,
        main,
        side,
    }
}

fn goto(width: u32) -> String {
    let field = "<div class=\"fld\"><label for=\"goto\">Go to</label><span class=\"box short\"><input id=\"goto\" name=\"goto\" \
     placeholder=\"25, block 3, @23307\" autocomplete=\"off\" enterkeyhint=\"go\"></span></div>";
    match width {
        PHONE.. => format!("<div class=\"opts\">{field}</div>"),
        _ => format!("<details class=\"opts\"><summary>Go to a row</summary>{field}</details>"),
    }
}

/// The board.
pub fn board<S: Source>(shown: &Shown<'_, S>, world: &World<S>) -> Board {
    let item = shown.chosen().map(|entry| entry.at);
    let query = Query::put(&shown.ask.query, item);
    let asked = BoardAsk { query: query.clone(), ..shown.ask.clone() };
    let shown = &Shown { ask: &asked, format: shown.format.clone(), ..*shown };
    let date = date(shown.window);
    let date = date.as_deref();
    let width = f64::from(match asked.width {
        WIDE.. => asked.width - SIDE - 48 - BAR,
        PHONE.. => asked.width - 48 - BAR,
        _ => asked.width.saturating_sub(32).max(280),
    });
    let length = shown.table.facts.data_length.unwrap_or(shown.found.end).max(shown.found.end);
    let scene = strip(shown.found, shown.window, length, super::chunk_bytes(shown.table), width);
    let links = Links2(shown);
    let leads = |hit: u32| match hit.checked_sub(BLOCKS_FROM) {
        Some(block) => {
            let block = shown.found.blocks.get(block as usize);
            block.map_or(String::new(), |block| links.item(block.at))
        }
        None => {
            let key = shown.found.all.get(hit as usize);
            key.map_or(String::new(), |(key, _)| links.key(key))
        }
    };
    let piece =
        |class: &str, html: String| Piece { class: class.to_owned(), title: String::new(), html };
    let legend = "<p class=\"legend\"><span><i class=\"k-del\"></i>blocks that begin inside a deletion</span></p>";
    let has_open = shown.found.blocks.iter().any(|block| block.open.is_some());
    let strip = format!("{}{}", picture(&scene, &leads), if has_open { legend } else { "" });
    let note = shown.note.map_or(String::new(), warning);
    let main = vec![piece("rows strip", note + &strip), piece("rows list", list(shown, date))];
    let said = match shown.note {
        Some(note) => note.to_owned(),
        None => said(shown, date),
    };
    assemble(query, head(shown, world), said, main, side(shown, date))
}

/// The date of all moments that are listed, where it is one.
fn date(window: &Window) -> Option<String> {
    let mut dates =
        window.entries.iter().filter_map(|entry| moment(stamp(entry)?)).map(|(date, _)| date);
    let first = dates.next()?;
    dates.all(|date| date == first).then_some(first)
}

/// When an item was written.
fn stamp(entry: &Entry) -> Option<i64> {
    match entry.item.as_ref().ok()? {
        Item::Row(row) => {
            let cells =
                row.columns.iter().flat_map(|column| &column.cells).map(|cell| cell.timestamp);
            row.liveness
                .map(|live| live.timestamp)
                .or_else(|| cells.max())
                .or(row.deletion.map(|it| it.deletion.timestamp))
        }
        Item::Marker(marker) => marker.opens.or(marker.closes).map(|it| it.timestamp),
        Item::Partition(head) => head.deletion.map(|it| it.timestamp),
        Item::End(_) => None,
    }
}

fn said<S: Source>(shown: &Shown<'_, S>, date: Option<&str>) -> String {
    let Some(entry) = shown.chosen() else {
        return "There is nothing in this partition.".to_owned();
    };
    let what = match &entry.item {
        Ok(Item::Marker(marker)) => marker_words(shown, marker, date),
        Ok(Item::Row(row)) if !row.is_static => shown.place(&row.clustering),
        _ => String::new(),
    };
    let key = &shown.found.key;
    format!("Partition {key}: {} at {}. {what}", title(entry).to_lowercase(), n(entry.at))
        .trim_end()
        .to_owned()
}

fn head<S: Source>(shown: &Shown<'_, S>, world: &World<S>) -> String {
    let (found, links) = (shown.found, Links2(shown));
    let arrow = |id: &str, sign: &str, words: &str, key: &Option<String>| match key {
        Some(key) => format!(
            "<a id=\"{id}\" class=\"btn\" href=\"{}\" aria-label=\"{words}: {}\">{sign}</a>",
            escape(&links.key(key)),
            escape(key)
        ),
        None => format!("<span class=\"btn off\" aria-hidden=\"true\">{sign}</span>"),
    };
    let place = found.all.iter().position(|(_, at)| *at == found.at);
    let place = place.map_or(String::new(), |at| format!("{} of {}", at + 1, found.all.len()));
    format!(
        "{}<span class=\"two\">{}{}</span><div class=\"what\"><h1>Partition {} <span class=\"q\">{place}</span></h1><p class=\"q sm\">bytes {}–{} of the uncompressed Data.db</p></div>{}{}",
        tabs(shown.ask, world, Tab::Rows),
        arrow("partition-before", "‹", "Partition before", &found.before),
        arrow("partition-next", "›", "Next partition", &found.behind),
        escape(&short(&found.key, 60)),
        n(found.at),
        n(found.end.saturating_sub(1)),
        goto(shown.ask.width),
        keys(&board_keys(shown))
    )
}

fn board_keys<S: Source>(shown: &Shown<'_, S>) -> Vec<Key> {
    let (links, window, found) = (Links2(shown), shown.window, shown.found);
    let key = |key, shown, words, does| Key { key, shown, words, does };
    let item = |at: Option<u64>| at.map_or(Does::Nothing, |at| Does::Leads(links.item(at)));
    let place = |key: &Option<String>| {
        key.as_ref().map_or(Does::Nothing, |key| Does::Leads(links.key(key)))
    };
    let entry = |i: Option<usize>| i.and_then(|i| window.entries.get(i)).map(|entry| entry.at);
    let at = shown.chosen().map_or(found.at, |entry| entry.at);
    let here = found.blocks.partition_point(|block| block.at <= at);
    let block = |i: Option<usize>| i.and_then(|i| found.blocks.get(i)).map(|block| block.at);
    vec![
        key("ArrowUp", "↑", "item before", item(entry(window.chosen.checked_sub(1)))),
        key("ArrowDown", "↓", "next item", item(entry(Some(window.chosen + 1)))),
        key("Home", "Home", "the partition’s head", item(Some(found.at))),
        key("PageUp", "Page ↑", "block before", item(block(here.checked_sub(2)))),
        key("PageDown", "Page ↓", "next block", item(block(Some(here)))),
        key("[", "[", "partition before", place(&found.before)),
        key("]", "]", "next partition", place(&found.behind)),
        key("n", "n", "next deletion", item(window.deletions.1)),
        key("N", "N", "deletion before", item(window.deletions.0)),
        key("c", "c", "copy the item’s position", Does::Copies(at.to_string())),
    ]
}

fn list<S: Source>(shown: &Shown<'_, S>, date: Option<&str>) -> String {
    let (links, window) = (Links2(shown), shown.window);
    let names = shown.names();
    let mut out = String::new();
    let line = |at: Option<u64>, id: &str, words: &str| {
        at.map_or(String::new(), |at| {
            format!(
                "<p class=\"acts\"><a id=\"{id}\" href=\"{}\">{words}</a></p>",
                escape(&links.item(at))
            )
        })
    };
    let first = window.entries.first().map(|entry| entry.at).filter(|_| window.more.0);
    // What lies before the first one listed is chosen, so that the list goes on from there.
    out += &line(first.map(|at| at.saturating_sub(1)), "earlier", "Earlier items");
    let heads: String =
        names.iter().map(|name| format!("<th scope=\"col\" class=\"n\">{name}</th>")).collect();
    out += &format!(
        "<table class=\"tbl\"><caption class=\"vh\">Rows and markers</caption><thead><tr><th scope=\"col\" class=\"n\">offset</th>\
         <th scope=\"col\" class=\"n by\">bytes</th>{heads}<th scope=\"col\">cells</th><th scope=\"col\" class=\"n ti\">written</th></tr></thead><tbody>"
    );
    let mut block = window
        .entries
        .first()
        .map_or(0, |entry| shown.found.blocks.partition_point(|it| it.at < entry.at));
    for (i, entry) in window.entries.iter().enumerate() {
        while let Some(here) = shown.found.blocks.get(block).filter(|it| it.at <= entry.at) {
            let said = match &here.rows {
                Said::Separator(bytes) if bytes.is_empty() => {
                    "no separator, the first block".to_owned()
                }
                Said::Separator(bytes) => format!("separator <span class=\"m\">{bytes}</span>"),
                Said::Bounds(first, last) => {
                    format!("{} to {}", escape(&short(first, 40)), escape(&short(last, 40)))
                }
            };
            let open = here.open.map_or("no deletion open".to_owned(), |open| {
                format!("begins inside the deletion of {}", written(open.timestamp, date))
            });
            out += &format!(
                "<tr class=\"bh\"><th scope=\"rowgroup\" colspan=\"{}\"><b>Block {}</b> at {} · {said} · {open}</th></tr>",
                names.len() + 4,
                n(here.number),
                n(here.at)
            );
            block += 1;
        }
        out += &row(shown, entry, i == window.chosen, names.len(), date);
    }
    out += "</tbody></table>";
    let last = window.entries.last().map(|entry| entry.at).filter(|_| window.more.1);
    out += &line(last, "later", "Later items");
    let date =
        date.map_or(String::new(), |date| format!("<span class=\"c\">written: {date}, UTC</span>"));
    out + &format!(
        "<p class=\"acts\">{date}<button id=\"copy-csv\" class=\"btn sm\" data-text=\"csv\">Copy as CSV</button>\
         <button id=\"copy-json\" class=\"btn sm\" data-text=\"json\">Copy as JSON</button></p>"
    )
}

fn row<S: Source>(
    shown: &Shown<'_, S>,
    entry: &Entry,
    is_chosen: bool,
    names: usize,
    date: Option<&str>,
) -> String {
    let mut class = String::new();
    if entry.open.is_some() {
        class.push_str("open ");
    }
    if entry.deletes() {
        class.push_str("dels ");
    }
    let here = if is_chosen { " aria-current=\"true\"" } else { "" };
    let (wide, cells) = match &entry.item {
        Err(why) => {
            (true, format!("<span class=\"jd bad\" aria-hidden=\"true\">!</span> {}", escape(why)))
        }
        Ok(Item::Partition(head)) => {
            let deleted = head
                .deletion
                .map_or(String::new(), |it| format!(", deleted {}", written(it.timestamp, None)));
            (true, format!("partition {}{deleted}", escape(&short(&shown.found.key, 80))))
        }
        Ok(Item::End(_)) => (true, "end of the partition".to_owned()),
        Ok(Item::Marker(marker)) => {
            (true, format!("<b>{}</b>", escape(&marker_words(shown, marker, date))))
        }
        Ok(Item::Row(row)) if row.is_static => {
            let cells = summary(shown, row, date);
            let cells = if cells.is_empty() { "no cells".to_owned() } else { cells };
            (true, format!("static: {}", escape(&cells)))
        }
        Ok(Item::Row(row)) => {
            let values: String = shown
                .values(&row.clustering)
                .iter()
                .map(|value| format!("<td class=\"n m\">{}</td>", escape(&short(value, 24))))
                .collect();
            (false, format!("{values}<td class=\"v\">{}</td>", escape(&summary(shown, row, date))))
        }
    };
    let cells = match wide {
        true => format!("<td class=\"v\" colspan=\"{}\">{cells}</td>", names + 1),
        false => cells,
    };
    let time = match &entry.item {
        Ok(Item::Row(_)) => stamp(entry).map_or(String::new(), |stamp| written(stamp, date)),
        _ => String::new(),
    };
    format!(
        "<tr class=\"{}\"{here}><th scope=\"row\" class=\"n m\"><a id=\"i-{}\" href=\"{}\">{}</a></th><td class=\"n by\">{}</td>{cells}<td class=\"n ti\">{time}</td></tr>",
        class.trim_end(),
        entry.at,
        escape(&Links2(shown).item(entry.at)),
        n(entry.at),
        n(entry.len)
    )
}

/// The cells of a row in one line.
fn summary<S: Source>(shown: &Shown<'_, S>, row: &Row, date: Option<&str>) -> String {
    let Some(clustering) = shown.table.clustering_schema() else { return String::new() };
    let writer = LineWriter { format: &shown.format, keys: shown.table.key_schema(), clustering };
    let mut words = Vec::new();
    if let Some(deletion) = row.deletion {
        words.push(format!("row deleted {}", written(deletion.deletion.timestamp, date)));
    }
    if let Some(expiry) = row.liveness.and_then(|live| live.expiry) {
        words.push(format!("ttl {} s", n(expiry.ttl.unsigned_abs().into())));
    }
    for column in row.columns.iter().take(12) {
        if column.deletion.is_some() && column.cells.is_empty() {
            let name = shown.format.columns(row.is_static).get(column.column);
            words.push(name.map_or(String::new(), |name| {
                format!("{} deleted", String::from_utf8_lossy(&name.name))
            }));
        }
        for cell in column.cells.iter().take(4) {
            let (name, value) = writer.cell(row, column, cell);
            words.push(match (cell.life, value) {
                (Life::Deleted { .. }, _) => format!("{name} deleted"),
                (_, Some(value)) => format!("{name} = {}", short(&value, 60)),
                (_, None) => name,
            });
        }
        if column.cells.len() > 4 {
            words.push(format!("and {} more", n(column.cells.len() as u64 - 4)));
        }
    }
    if row.columns.len() > 12 {
        words.push(format!("{} more columns", n(row.columns.len() as u64 - 12)));
    }
    short(&words.join(", "), 160)
}

/// The list as text.
pub fn text<S: Source>(shown: &Shown<'_, S>, form: Option<&str>) -> String {
    let is_json = form == Some("json");
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let cell = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut lines = Vec::new();
    for entry in &shown.window.entries {
        let kind = title(entry).to_lowercase();
        let (place, what) = match &entry.item {
            Ok(Item::Row(row)) => (shown.place(&row.clustering), summary(shown, row, None)),
            Ok(Item::Marker(marker)) => {
                (shown.place(&marker.clustering), marker_words(shown, marker, None))
            }
            Ok(_) => (String::new(), String::new()),
            Err(why) => (String::new(), why.clone()),
        };
        let written = stamp(entry).map(|stamp| stamp.to_string());
        lines.push(match is_json {
            true => format!(
                "  {{\"at\": {}, \"bytes\": {}, \"kind\": {}, \"clustering\": {}, \"what\": {}, \"timestamp\": {}}}",
                entry.at,
                entry.len,
                quoted(&kind),
                quoted(&place),
                quoted(&what),
                written.as_deref().unwrap_or("null")
            ),
            false => format!(
                "{},{},{},{},{},{}",
                entry.at,
                entry.len,
                cell(&kind),
                cell(&place),
                cell(&what),
                written.unwrap_or_default()
            ),
        });
    }
    match is_json {
        true => format!("[\n{}\n]\n", lines.join(",\n")),
        false => format!("at,bytes,kind,clustering,what,timestamp\n{}\n", lines.join("\n")),
    }
}
