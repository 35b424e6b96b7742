//! The panel beside the map: the chosen page, how many pages have how much padding, and the list of pages.

use super::board::{MapOf, PHONE, n, noun, percent, piece};
use super::query::Query;
use super::tile::{BAR, Tile};
use crate::board::{Part as Piece, with};
use crate::layout::{Anchor, Face, Mark, Path, Rect, Scene, width as text_width};
use crate::state::address::{Address, View};
use crate::words::count;
use crate::worker::world::World;
use crate::workshop::html::{escape, picture};
use crate::workshop::links::Links;
use crate::workshop::selection::{table_with, word};
use triescope_core::bti::Node;
use triescope_core::census::shares;
use triescope_core::pos::{FilePos, PAGE_SIZE, PageNo};
use triescope_core::source::Source;
use triescope_core::table::Part;

/// Rows of the list that are shown at once.
const ROWS: u64 = 50;
/// Most bars of the histogram.
const BARS: usize = 16;

/// The pieces of the panel.
pub fn side<S: Source>(map: &MapOf<'_>, world: &World<S>, room: f64) -> Vec<Piece> {
    let mut side = Vec::new();
    if let Some(page) = map.query.page {
        side.push(piece("map", chosen(map, world, page)));
    }
    let width = match map.ask.width {
        1200.. => 318.0,
        PHONE.. => ((room - 64.0) / 2.0).floor(),
        _ => room,
    };
    let is_trie = matches!(map.tiles.part, Part::Partitions | Part::Rows);
    if is_trie && map.facts.full > 1 {
        let scene = histogram(map, width);
        side.push(piece(
            "map",
            format!("<h2>Pages by padding</h2>{}", picture(&scene, &|_| String::new())),
        ));
    }
    if map.tiles.len() > 0 && map.facts.known > 0 {
        side.push(piece("map list", list(map)));
    }
    side
}

/// The address of the chosen page as a page.
pub fn opened(map: &MapOf<'_>) -> String {
    let query = ["as", "by", "span", "list", "count"]
        .iter()
        .fold(map.ask.query.clone(), |query, name| with(&query, name, None));
    Links(map.ask).to(&query)
}

/// Why a page of Partitions.db ends where it ends.
fn why(map: &MapOf<'_>, page: u64) -> Option<String> {
    let is_full = map.tiles.part == Part::Partitions && page + 1 < map.tiles.len();
    is_full.then(|| {
        let mut address = Address::parse(&map.ask.place).in_view(View::Packing);
        address.rest = with("", "goto", Some(&format!("padding {page}")));
        address.print()
    })
}

fn chosen<S: Source>(map: &MapOf<'_>, world: &World<S>, page: u64) -> String {
    let (tile, part) = (map.tiles.get(page), map.tiles.part);
    let (one, _) = noun(part);
    let title = one.get(..1).unwrap_or_default().to_uppercase() + one.get(1..).unwrap_or_default();
    let pairs = match part {
        Part::Data => chunk(map, page, &tile),
        _ => facts(map, world, page, &tile),
    };
    let pairs: String =
        pairs.into_iter().map(|(name, value)| format!("<dt>{name}</dt><dd>{value}</dd>")).collect();
    let mut links = format!(
        "<a id=\"open\" class=\"btn sm\" href=\"{}\">Open the {one}</a>",
        escape(&opened(map))
    );
    if let Some(to) = why(map, page).filter(|_| tile.room > 0) {
        links += &format!(
            "<a id=\"why\" class=\"btn sm\" href=\"{}\">Why it ends here</a>",
            escape(&to)
        );
    }
    if part == Part::Data {
        let start = page.saturating_mul(chunk_bytes(map));
        let query = ["by", "span", "list", "count", "node", "byte", "page", "part"]
            .iter()
            .fold(with(&map.ask.query, "as", Some("rows")), |query, name| with(&query, name, None));
        let to = Links(map.ask).to(&with(&query, "item", Some(&start.to_string())));
        links +=
            &format!("<a id=\"rows\" class=\"btn sm\" href=\"{}\">Rows in it</a>", escape(&to));
    }
    if tile.faults > 0 {
        let address = Address {
            rest: String::new(),
            ..Address::parse(&map.ask.place).in_view(View::Findings)
        };
        links += &format!(
            "<a id=\"findings\" class=\"btn sm\" href=\"{}\">Findings</a>",
            escape(&address.print())
        );
    }
    format!(
        "<h2>{title} {}</h2><dl class=\"kv\">{pairs}</dl><p class=\"acts\">{links}</p>",
        n(page)
    )
}

fn chunk_bytes(map: &MapOf<'_>) -> u64 {
    match map.tiles.of {
        super::tile::Of::Chunks(_, starts) => starts.chunk_bytes(),
        super::tile::Of::Pages(_) => PAGE_SIZE,
    }
}

fn chunk(map: &MapOf<'_>, page: u64, tile: &Tile) -> Vec<(&'static str, String)> {
    let start = page.saturating_mul(chunk_bytes(map));
    if tile.faults > 0 {
        return vec![("place", "its offset in CompressionInfo.db leads nowhere".to_owned())];
    }
    let bytes = tile.used().saturating_add(tile.room);
    vec![
        ("positions", format!("{}–{}", n(start), n((start + bytes).saturating_sub(1)))),
        ("stored", format!("{} B, {}", n(tile.used()), percent(tile.used(), bytes))),
        (
            "partitions",
            match tile.lookups {
                0 => "none starts in it".to_owned(),
                some => count(some, "starts in it", "start in it"),
            },
        ),
    ]
}

fn facts<S: Source>(
    map: &MapOf<'_>,
    world: &World<S>,
    page: u64,
    tile: &Tile,
) -> Vec<(&'static str, String)> {
    let (part, start, of) = (map.tiles.part, page.saturating_mul(PAGE_SIZE), &tile.count);
    let mut pairs =
        vec![("bytes", format!("{}–{}", n(start), n((start + tile.len).saturating_sub(1))))];
    if !tile.known {
        pairs.push((
            "contents",
            match map.seen.done {
                true => "nothing leads here".to_owned(),
                false => "not read yet".to_owned(),
            },
        ));
        return pairs;
    }
    let named = shares(part)
        .into_iter()
        .zip(tile.shares)
        .filter(|(name, bytes)| !name.is_empty() && *bytes > 0);
    match part {
        Part::Index | Part::Summary => {
            let (one, many) =
                if part == Part::Index { ("entry", "entries") } else { ("sample", "samples") };
            let promoted = match of.payloads {
                0 => String::new(),
                some => format!(", {} with a promoted index", n(some.into())),
            };
            pairs.push((many, count(of.nodes.into(), one, many) + &promoted));
            pairs.extend(named.map(|(name, bytes)| (name, format!("{} B", n(bytes)))));
        }
        _ => {
            pairs.push((
                "filled",
                format!("{} B, {}", n(tile.used()), percent(tile.used(), tile.len)),
            ));
            if tile.room > 0 {
                pairs.push(("padding", format!("{} B", n(tile.room))));
            }
            let what = if part == Part::Rows { "row blocks" } else { "partitions" };
            pairs.push((
                "nodes",
                format!("{}, {} of them {what}", n(of.nodes.into()), n(of.payloads.into())),
            ));
            if of.entries > 0 {
                pairs.push(("entries", n(of.entries.into())));
            }
            pairs.push(("subtrees", subtrees(map, world, page, tile)));
            let depth = match of.depth {
                0 => "the root lies here".to_owned(),
                depth => format!("from {} on", count(depth.into(), "byte", "bytes")),
            };
            pairs.push(("depth", depth));
            let [header, transitions, distances, payload] = of.roles.map(|bytes| n(bytes.into()));
            pairs.push(("of nodes", format!("headers {header} B, transitions {transitions} B, distances {distances} B, payload {payload} B")));
        }
    }
    if part != Part::Summary {
        let all = match part {
            Part::Rows => "row blocks",
            _ => "keys",
        };
        let whole = match part {
            Part::Index => map.facts.nodes.0,
            _ => map.facts.nodes.1,
        };
        pairs.push(("lookups", format!("{} of {} {all}", n(tile.lookups), n(whole))));
    }
    if tile.faults > 0 {
        pairs.push(("findings", n(tile.faults)));
    }
    pairs
}

/// How many subtrees begin in a page, and where the last one hangs.
fn subtrees<S: Source>(map: &MapOf<'_>, world: &World<S>, page: u64, tile: &Tile) -> String {
    let (part, of) = (map.tiles.part, &tile.count);
    let many = match of.roots {
        1 => "one".to_owned(),
        many => format!("{}, the last", n(many.into())),
    };
    let parent = FilePos(of.parent);
    let source = table_with(world, map.ask.tables, part).and_then(|table| table.source(part));
    let bytes = source.filter(|_| of.parent > 0).and_then(|source| source.page(parent.page()).ok());
    let Some(bytes) = bytes else {
        return if of.roots == 1 { "one, with the root".to_owned() } else { n(of.roots.into()) };
    };
    let Ok(node) = Node::read(part, parent, &bytes) else { return many };
    let child = node.children().flatten().filter(|child| child.at.page() == PageNo(page)).last();
    let query = with(
        &with(&opened_query(map), "page", Some(&parent.page().to_string())),
        "node",
        Some(&parent.0.to_string()),
    );
    let to = escape(&Links(map.ask).to(&query));
    match child {
        Some(child) => format!(
            "{many}, child <span class=\"m\">{:02x}</span> of the <a id=\"parent\" href=\"{to}\">{} in page {}</a>",
            child.byte,
            node.kind().name(),
            n(parent.page().0)
        ),
        None => many,
    }
}

fn opened_query(map: &MapOf<'_>) -> String {
    ["as", "by", "span", "list", "count", "byte"]
        .iter()
        .fold(map.ask.query.clone(), |query, name| with(&query, name, None))
}

/// Bars of pages by padding.
pub fn histogram(map: &MapOf<'_>, width: f64) -> Scene {
    let by_room = &map.facts.by_room;
    let first = by_room.iter().position(|pages| *pages > 0).unwrap_or(0);
    let last = by_room.iter().rposition(|pages| *pages > 0).unwrap_or(0);
    let mut per = 1;
    while (last / per) - (first / per) + 1 > BARS {
        per *= 2;
    }
    let (from, to) = (first / per, last / per);
    let bars: Vec<u64> =
        (from..=to).map(|bar| by_room.iter().skip(bar * per).take(per).sum()).collect();
    let step = BAR * per as u64;
    let (top, high) = (18.0, 62.0);
    let label = format!("Pages by bytes of padding, {} bars of {} B", bars.len(), n(step));
    let mut scene = Scene { width, height: top + high + 20.0, label, marks: Vec::new() };
    let most = bars.iter().copied().max().unwrap_or(0).max(1) as f64;
    let pitch = width / bars.len().max(1) as f64;
    let wide = (pitch - 1.5).min(48.0);
    let chosen = map.query.page.filter(|page| page + 1 < map.tiles.len());
    let chosen = chosen.map(|page| (map.tiles.get(page).room / step) as usize);
    let mut free = 0.0;
    for (i, pages) in bars.iter().enumerate().filter(|(_, pages)| **pages > 0) {
        let (x, h) = (pitch * i as f64, (high * *pages as f64 / most).max(1.0));
        let class = if chosen == Some(from + i) { "bar now" } else { "bar" };
        scene.push(Mark::rect(Rect::new(x, top + high - h, wide, h), class));
        let text = n(*pages);
        let half = text_width(&text, Face::Text) / 2.0;
        let middle = (x + wide / 2.0).clamp(half, (width - half).max(half));
        if middle - half >= free {
            free = middle + half + 2.0;
            let text = Mark::text(middle, top + high - h - 4.0, text, Face::Text, "c");
            scene.push(text.anchored(Anchor::Middle));
        }
    }
    scene.push(Mark::path(Path::new().to(0.0, top + high).h(width), "ax"));
    let y = top + high + 15.0;
    let left = format!("{} B", n(from as u64 * step));
    let right = format!("{} B", n((to as u64 + 1) * step));
    let middle = format!("padding, {} B a bar", n(step));
    let both = text_width(&left, Face::Text) + text_width(&right, Face::Text);
    let fits = both + text_width(&middle, Face::Text) + 16.0 <= width;
    scene.push(Mark::text(0.0, y, left, Face::Text, "c"));
    scene.push(Mark::text(width, y, right, Face::Text, "c").anchored(Anchor::End));
    if fits {
        scene.push(Mark::text(width / 2.0, y, middle, Face::Text, "c").anchored(Anchor::Middle));
    }
    scene
}

/// The list of pages: what is shown as a picture, in numbers.
fn list(map: &MapOf<'_>) -> String {
    let (part, query) = (map.tiles.part, map.query);
    let (title, heads): (&str, &[&str]) = match part {
        Part::Index => ("Most read first", &["page", "lookups", "entries", "promoted"]),
        Part::Summary => ("Most samples first", &["page", "samples", "filled"]),
        Part::Data => ("Largest first", &["chunk", "stored", "of its bytes", "partitions"]),
        Part::Rows => ("Least filled first", &["page", "padding", "filled", "nodes", "blocks"]),
        _ => ("Least filled first", &["page", "padding", "filled", "nodes", "partitions"]),
    };
    let pages = map.facts.ranked(map.tiles, query.list, ROWS);
    let head: String = heads
        .iter()
        .enumerate()
        .map(|(i, head)| match i {
            0 => format!("<th scope=\"col\">{head}</th>"),
            _ => format!("<th scope=\"col\" class=\"n\">{head}</th>"),
        })
        .collect();
    let row = |no: &u64| {
        let tile = map.tiles.get(*no);
        let count = &tile.count;
        let b = |bytes: u64| format!("{} B", n(bytes));
        let cells = match part {
            Part::Index => vec![n(tile.lookups), n(count.nodes.into()), b(tile.shares[3])],
            Part::Summary => vec![n(count.nodes.into()), b(tile.used())],
            Part::Data => {
                vec![b(tile.used()), percent(tile.used(), tile.used() + tile.room), n(tile.lookups)]
            }
            _ => vec![
                b(tile.room),
                percent(tile.used(), tile.len),
                n(count.nodes.into()),
                n(count.payloads.into()),
            ],
        };
        let cells: String =
            cells.iter().map(|cell| format!("<td class=\"n\">{cell}</td>")).collect();
        let here = if query.page == Some(*no) { " aria-selected=\"true\"" } else { "" };
        let fault = if tile.faults > 0 {
            " <span class=\"jd bad\" title=\"a finding\">!</span>"
        } else {
            ""
        };
        format!(
            "<tr{here}><th scope=\"row\"><a id=\"l-{no}\" href=\"{}\">{}</a>{fault}</th>{cells}</tr>",
            escape(&map.page(*no)),
            n(*no)
        )
    };
    let rows: String = pages.iter().map(row).collect();
    let (len, shown) = (map.tiles.len(), query.list + pages.len() as u64);
    let mut more = String::new();
    if query.list > 0 {
        let to = map.to(Query { list: query.list.saturating_sub(ROWS), ..query });
        more += &format!(
            "<a id=\"list-before\" href=\"{}\">the {} before</a>",
            escape(&to),
            n(query.list.min(ROWS))
        );
    }
    if shown < len {
        let to = map.to(Query { list: query.list + ROWS, ..query });
        more +=
            &format!("<a id=\"list-next\" href=\"{}\">{} more</a>", escape(&to), n(len - shown));
    }
    format!(
        "<h2>{title} <span class=\"c\">{} {} to {} of {}</span></h2>\
         <table class=\"tbl\"><caption class=\"vh\">{title}: {}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>\
         <p class=\"acts\">{more}</p><p class=\"acts\"><button id=\"copy-csv\" class=\"btn sm\" data-text=\"csv\">Copy all as CSV</button>\
         <button id=\"copy-json\" class=\"btn sm\" data-text=\"json\">Copy all as JSON</button></p>",
        noun(part).1,
        n(query.list + 1),
        n(shown),
        n(len),
        word(part)
    )
}
