//! One finding: what it means, what is expected and what is there, and where that lies.

use super::draw::{Stroke, map, strip};
use super::explain;
use super::list::{in_pages, mark, to, why};
use super::place::{Place, ROW};
use super::{PHONE, Shown, WIDE};
use crate::board::Part;
use crate::words::{bytes, count};
use crate::worker::world::World;
use crate::workshop::html::{escape, picture};
use std::fmt::Write as _;
use triescope_core::check::Finding;
use triescope_core::lookup::words::number;
use triescope_core::source::Source;

/// Most characters of the summary of an item.
const SUMMARY: usize = 120;

/// The parts of the finding.
pub fn parts<S: Source>(shown: &Shown<'_>, world: &World<S>) -> Vec<Part> {
    let part = |class: &str, html: String| Part { class: class.into(), title: String::new(), html };
    let Some(listed) = shown.listed() else {
        return vec![part("fhead", "<p class=\"q\">No check could be made.</p>".to_owned())];
    };
    let mut parts = vec![part("fhead", head(shown))];
    let Some((id, finding)) = shown.finding() else {
        if listed.is_failed() {
            return parts;
        }
        let not = listed.not.iter().map(|(id, scope)| {
            format!(
                "<p class=\"q sm\">Not made in {}: {}.</p>",
                escape(shown.run.name(*id)),
                escape(&why(*scope))
            )
        });
        parts.push(part("fnot", not.collect()));
        parts.retain(|part| !part.html.is_empty());
        return parts;
    };
    parts.push(part("ftable", table(shown, finding, shown.run.name(id))));
    let Some((place, open)) = shown.place.as_ref().zip(world.table(id)) else { return parts };
    if let Some(html) = pages(shown, place) {
        parts.push(part("fstrip", html));
    }
    let dump = dump(place);
    let side = format!("{dump}{}{}", open_link(shown, place), explain::html(shown, world));
    let room = match shown.ask.width {
        PHONE.. => shown.room() - 318.0 - 24.0,
        _ => shown.room(),
    };
    let drawn = map(open, place, room);
    match drawn {
        Some(scene) if shown.ask.width >= PHONE => {
            let html = format!(
                "<div class=\"fpic\"><div>{}</div><div>{side}</div></div>",
                picture(&scene, &|_| String::new())
            );
            parts.push(part("fmap", html));
        }
        Some(scene) => {
            parts.push(part("fmap", side));
            let title = "The page as a map".to_owned();
            let html = picture(&scene, &|_| String::new());
            parts.push(Part { class: "fold".into(), title, html });
        }
        None => parts.push(part("fmap", side)),
    }
    parts.retain(|part| !part.html.is_empty());
    parts
}

fn head(shown: &Shown<'_>) -> String {
    let Some(listed) = shown.listed() else { return String::new() };
    let (class, sign, word) = mark(listed);
    let check = listed.check;
    let mut out = format!(
        "<header><h2><span class=\"jd {class}\" aria-hidden=\"true\">{sign}</span> {}</h2><span class=\"acts\"><button id=\"copy\" class=\"btn sm\" data-text=\"text\">Copy as text</button><button id=\"copy-json\" class=\"btn sm\" data-text=\"json\">JSON</button><button id=\"copy-csv\" class=\"btn sm\" data-text=\"csv\">CSV</button></span></header>",
        escape(check.rule)
    );
    let _ = match listed.is_failed() {
        true => write!(out, "<p>{}</p>", escape(check.meaning)),
        false => {
            write!(out, "<p class=\"q\">If it did not hold: {}</p>", escape(&lower(check.meaning)))
        }
    };
    let _ = write!(
        out,
        "<p class=\"c\"><span class=\"m\">{}</span> · {word} · format page <span class=\"m\">{}</span></p>",
        escape(check.id),
        escape(check.page)
    );
    out + &pager(shown)
}

/// With a small first letter, unless the first word is a name.
fn lower(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let is_name = first.contains('.') || matches!(first, "Cassandra" | "ScyllaDB");
    let mut letters = text.chars();
    match letters.next() {
        Some(letter) if !is_name => letter.to_lowercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}

/// Which of the findings of the check it is.
fn pager(shown: &Shown<'_>) -> String {
    let Some(listed) = shown.listed().filter(|it| it.found.len() > 1) else {
        return String::new();
    };
    let (kept, n) = (listed.found.len(), shown.query.n);
    let link = |name: &str, words: &str, to_n: Option<usize>| match to_n.filter(|n| *n < kept) {
        Some(n) => format!(
            "<a id=\"n-{name}\" class=\"btn sm\" href=\"{}\">{words}</a>",
            escape(&to(shown.ask, &shown.query.finding(listed.check.id, n)))
        ),
        None => format!(
            "<span class=\"btn sm off\" role=\"link\" aria-disabled=\"true\" id=\"n-{name}\">{words}</span>"
        ),
    };
    let more = match listed.total > kept as u64 {
        true => format!(", of {} in all", number(listed.total, ',')),
        false => String::new(),
    };
    format!(
        "<nav class=\"pager\" aria-label=\"Findings of this check\">{}<span>finding {} of {}{more}</span>{}</nav>",
        link("before", "Previous", n.checked_sub(1)),
        number(n as u64 + 1, ','),
        number(kept as u64, ','),
        link("next", "Next", n.checked_add(1))
    )
}

/// Expected and found, in two rows.
fn table(shown: &Shown<'_>, finding: &Finding, name: &str) -> String {
    let place = shown.place.as_ref();
    let part = match finding.part {
        Some(part) => part.to_string(),
        None => "the set of files".to_owned(),
    };
    let page = place.and_then(|place| {
        let (no, _) = place.page?;
        Some(format!(", {} {}", if place.is_chunks { "chunk" } else { "page" }, number(no.0, ',')))
    });
    let at = finding.at.map_or(String::new(), |at| number(at.0, ','));
    let found_bytes = place.and_then(Place::bytes).map_or(String::new(), |(bytes, more)| {
        let more = if more { " …" } else { "" };
        format!("<b class=\"badt\">{}</b>{more}", spaced(&bytes))
    });
    let several = if shown.run.ids().len() > 1 {
        format!("<span class=\"c\">{}</span> ", escape(name))
    } else {
        String::new()
    };
    let rows = [
        (
            "good",
            "✓",
            "expected",
            format!("{several}{}{}", escape(&part), escape(&page.unwrap_or_default())),
            at,
            finding.field.to_string(),
            String::new(),
            &finding.expected,
        ),
        (
            "bad",
            "✕",
            "found",
            String::new(),
            String::new(),
            String::new(),
            found_bytes,
            &finding.found,
        ),
    ];
    let row = |(class, sign, word, part, at, field, bytes, value): &(
        &str,
        &str,
        &str,
        String,
        String,
        String,
        String,
        &std::borrow::Cow<'static, str>,
    )| {
        format!(
            "<tr><th scope=\"row\"><span class=\"jd {class}\" aria-hidden=\"true\">{sign}</span> {word}</th><td class=\"part\">{part}</td><td class=\"n\">{at}</td><td>{}</td><td class=\"m\">{bytes}</td><td class=\"val\">{}</td></tr>",
            escape(field),
            escape(value)
        )
    };
    let rows: String = rows.iter().map(row).collect();
    let mut out = format!(
        "<table class=\"tbl ef\"><caption class=\"vh\">Expected and found</caption><thead><tr><td></td><th scope=\"col\">part</th><th scope=\"col\" class=\"n\">offset</th><th scope=\"col\">field</th><th scope=\"col\">bytes</th><th scope=\"col\">value</th></tr></thead><tbody>{rows}</tbody></table>"
    );
    out += &beside(shown, finding);
    out
}

/// The partition, and what it costs.
fn beside(shown: &Shown<'_>, finding: &Finding) -> String {
    let mut lines = Vec::new();
    if let Some(text) = &shown.key {
        lines.push(format!("Partition <span class=\"m\">{}</span>", escape(text)));
    }
    if let Some(cost) = finding.cost {
        lines.push(format!(
            "{} in the median lookup, {} in the worst",
            count(cost.median.into(), "page fetch", "page fetches"),
            count(cost.worst.into(), "page fetch", "page fetches")
        ));
    }
    match lines.is_empty() {
        true => String::new(),
        false => format!("<p class=\"sm q\">{}</p>", lines.join(" · ")),
    }
}

/// The strip of the component.
fn pages(shown: &Shown<'_>, place: &Place) -> Option<String> {
    let (no, of) = place.page?;
    let word = if place.is_chunks { ("chunk", "chunks") } else { ("page", "pages") };
    let others: Vec<u64> = match place.is_chunks {
        true => Vec::new(),
        false => others(shown, place),
    };
    let scene = strip(&Stroke { page: no.0, of, others: &others, word: word.0 }, shown.room());
    let link = in_pages(shown)?;
    let where_to = format!("{} {} of {}", word.0, number(no.0, ','), number(of, ','));
    Some(format!(
        "<a id=\"strip\" href=\"{}\"><span class=\"vh\">Open {} of {} in Pages</span>{}</a>",
        escape(&link),
        escape(&where_to),
        escape(place.part.file_name()),
        picture(&scene, &|_| String::new())
    ))
}

/// Pages of the same component with other findings.
fn others(shown: &Shown<'_>, place: &Place) -> Vec<u64> {
    let table = shown.finding().map(|(id, _)| id);
    let all = shown.run.listed.iter().flat_map(|it| &it.found);
    let here = all.filter(|(id, it)| Some(*id) == table && it.part == Some(place.part));
    let mut pages: Vec<u64> = here.filter_map(|(_, it)| Some(it.at?.page().0)).collect();
    pages.sort_unstable();
    pages.dedup();
    pages
}

/// Bytes as they stand in a dump.
pub fn spaced(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

/// Bytes around the finding.
fn dump(place: &Place) -> String {
    let (from, around) = (place.around.0.0, &place.around.1);
    let Some(at) = place.at.filter(|_| !around.is_empty()) else { return String::new() };
    let row = |(n, row): (usize, &[u8])| {
        let start = from.saturating_add(n as u64 * ROW);
        let cell = |(i, byte): (usize, &u8)| {
            let here = start.saturating_add(i as u64);
            match here >= at.0 && here - at.0 < place.len {
                true => format!("<td><b>{byte:02x}</b></td>"),
                false => format!("<td>{byte:02x}</td>"),
            }
        };
        let cells: String = row.iter().enumerate().map(cell).collect();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>", number(start, ','))
    };
    let rows: String = around.chunks(ROW as usize).enumerate().map(row).collect();
    format!(
        "<table class=\"dump m\"><caption class=\"vh\">Bytes around offset {}; those of the finding are strong</caption><tbody>{rows}</tbody></table>",
        number(at.0, ',')
    )
}

/// A summary, cut where a damaged length has made it long.
fn short(summary: &str) -> String {
    match summary.char_indices().nth(SUMMARY) {
        Some((at, _)) => format!("{} …", summary.get(..at).unwrap_or_default()),
        None => summary.to_owned(),
    }
}

/// What holds the bytes, in words, and the way to it.
fn open_link(shown: &Shown<'_>, place: &Place) -> String {
    let mut out = String::new();
    if let Some(item) = &place.item {
        let _ = write!(
            out,
            "<p class=\"sm\">{} at {}, {}",
            escape(&short(&item.summary)),
            number(item.at.0, ','),
            bytes(item.len)
        );
        if let Some((field, at, len)) = &place.field {
            let _ = write!(
                out,
                "; field <b>{}</b> at {}, {}",
                escape(field),
                number(at.0, ','),
                bytes(*len)
            );
        }
        out += ".</p>";
    }
    let (Some(link), Some((no, _))) = (in_pages(shown), place.page) else { return out };
    let word = if place.is_chunks { "chunk" } else { "page" };
    let size = if shown.ask.width >= WIDE { " sm" } else { "" };
    let _ = write!(
        out,
        "<p><a id=\"open\" class=\"btn{size}\" href=\"{}\">Open {word} {}</a></p>",
        escape(&link),
        number(no.0, ',')
    );
    out
}
