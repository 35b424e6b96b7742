//! What is said of flipped bits beside a finding: what could be tried, what was found, and what the checks say with it.

use super::Shown;
use super::flip::{Explained, Found, Tryable, tryable};
use super::list::to;
use super::query::{Bit, Query};
use crate::words::{about, count};
use crate::worker::world::World;
use crate::workshop::html::escape;
use triescope_core::check::Report;
use triescope_core::lookup::words::number;
use triescope_core::source::Source;

/// Candidates that are shown.
const SHOWN: usize = 4;
/// Bytes to look at from which on it is said how many they are.
const MANY: u64 = 64 << 20;

/// The section.
pub fn html<S: Source>(shown: &Shown<'_>, world: &World<S>) -> String {
    let Some((id, finding)) = shown.finding() else { return String::new() };
    let Some(table) = world.table(id) else { return String::new() };
    let mut out = String::new();
    if shown.query.is_flip {
        if let Some(explained) = shown.looked.explained(table) {
            out += &found(shown, &explained);
        }
    } else if let Some(tryable) = tryable(table, finding, shown.query.is_deep) {
        out += &offer(shown, tryable);
    }
    if let Some((bit, report)) = shown.query.attempt.zip(shown.looked.attempted()) {
        out += &attempted(shown, bit, report, shown.run.report(id));
    }
    match out.is_empty() {
        true => out,
        false => format!("<div class=\"flip\">{out}</div>"),
    }
}

/// That a bit can be searched.
fn offer(shown: &Shown<'_>, tryable: Tryable) -> String {
    let words = match tryable {
        Tryable::Bits(bits, bytes) => {
            let cost = bits.saturating_mul(bytes);
            let long = match cost >= MANY {
                true => format!(", up to {} to look at", about(cost)),
                false => String::new(),
            };
            format!(
                "{} of what lies here, before it, and points to it can be tried one by one, each with all checks{long}.",
                count(bits, "bit", "bits")
            )
        }
        Tryable::Sums => {
            "Checksums can be solved for the one bit that makes them right. All of Data.db is read for it.".to_owned()
        }
    };
    let link = to(shown.ask, &Query { is_flip: true, ..shown.query.clone() });
    format!(
        "<h3>Is it one flipped bit?</h3><p class=\"sm q\">{words}</p><p><a id=\"flip\" class=\"btn sm\" href=\"{}\">Search for the bit</a></p>",
        escape(&link)
    )
}

/// What the search came to.
fn found(shown: &Shown<'_>, explained: &Explained) -> String {
    let tried = match explained.tried {
        0 => String::new(),
        n => format!("{} were tried", count(n, "bit", "bits")),
    };
    if let Some(note) = &explained.note {
        return format!(
            "<h3>No flipped bit can be named</h3><p class=\"sm q\">{}.</p>",
            escape(note)
        );
    }
    let best = explained.found.as_slice();
    let tail = match (best.len(), tried.is_empty()) {
        (_, true) => String::new(),
        (1, false) => format!(" {tried}; only this one does that."),
        (n, false) => format!(" {tried}; {} do as much.", number(n as u64, ',')),
    };
    match best {
        [] => {
            let tried = if tried.is_empty() {
                String::new()
            } else {
                format!("{tried}, and none explains the finding. ")
            };
            format!(
                "<h3>No single bit explains it</h3><p class=\"sm q\">{tried}More than one bit is wrong, or it lies elsewhere.</p>"
            )
        }
        [only] => {
            format!("<h3>One flipped bit explains it</h3>{}", candidate(shown, only, &tail, 0))
        }
        many => {
            let lines = many.iter().enumerate().take(SHOWN);
            let lines: String =
                lines.map(|(n, it)| format!("<li>{}</li>", candidate(shown, it, "", n))).collect();
            let more = match many.len().saturating_sub(SHOWN) {
                0 => String::new(),
                n => format!("<p class=\"c\">and {} more</p>", number(n as u64, ',')),
            };
            format!(
                "<h3>{} explain it</h3><p class=\"sm q\">{}</p><ul>{lines}</ul>{more}",
                count(many.len() as u64, "single bit", "single bits"),
                escape(tail.trim())
            )
        }
    }
}

/// A change in words, and the way to try it.
fn candidate(shown: &Shown<'_>, it: &Found, tail: &str, n: usize) -> String {
    let (before, after) = it.bytes;
    let Some(bit) = it.bit else {
        let (before, after) = (char::from(before), char::from(after));
        return format!(
            "<p class=\"sm\">{}digit <b class=\"m\">{before}</b> would be <b class=\"m\">{after}</b>: {}.</p>",
            it.is,
            escape(&it.does)
        );
    };
    let link = to(shown.ask, &Query { attempt: Some(bit), ..shown.query.clone() });
    let is_tried = shown.query.attempt == Some(bit);
    let button = match is_tried {
        true => String::new(),
        false => format!(
            "<p><a id=\"try-{n}\" class=\"btn sm\" href=\"{}\">Try it in memory</a></p>",
            escape(&link)
        ),
    };
    format!(
        "<p class=\"sm\">Byte {} of {}: {}byte <span class=\"m\">{before:02x}</span> reads {}; with {} {}.{tail}</p>{button}",
        number(bit.at.0, ','),
        bit.part,
        it.is,
        binary(before, bit.bit, true),
        binary(after, bit.bit, false),
        escape(&it.does)
    )
}

/// A byte in two halves, a bit of it strong.
fn binary(byte: u8, bit: u8, is_bad: bool) -> String {
    let class = if is_bad { " class=\"badt\"" } else { "" };
    let digits = (0..8_u8).rev().map(|i| {
        let digit = byte >> i & 1;
        let gap = if i == 3 { " " } else { "" };
        match i == bit {
            true => format!("{gap}<b{class}>{digit}</b>"),
            false => format!("{gap}{digit}"),
        }
    });
    format!("<span class=\"m nw\">{}</span>", digits.collect::<String>())
}

/// What the checks say with the bit changed.
fn attempted(shown: &Shown<'_>, bit: Bit, report: &Report, before: Option<&Report>) -> String {
    let failed = |report: &Report| report.all.counts().len() as u64;
    let was = before.map_or(0, failed);
    let back = to(shown.ask, &Query { attempt: None, ..shown.query.clone() });
    let sum = match failed(report) {
        0 => format!("No check fails; {} before.", number(was, ',')),
        n => format!(
            "{} still; {} before.",
            count(n, "check fails", "checks fail"),
            number(was, ',')
        ),
    };
    let line = |(check, total): &(&'static triescope_core::check::Check, u64)| {
        let old = before.map_or(0, |it| it.all.total(check));
        let new = if old == 0 { ", not before" } else { "" };
        format!(
            "<li>{} <span class=\"c\">{}{new}</span></li>",
            escape(check.rule.trim_end_matches('.')),
            count(*total, "place", "places")
        )
    };
    let lines: String = report.all.counts().iter().map(line).collect();
    let lines =
        if lines.is_empty() { lines } else { format!("<ul class=\"left sm\">{lines}</ul>") };
    let (class, sign) = if lines.is_empty() { ("good", "✓") } else { ("warn", "!") };
    format!(
        "<h3>With bit {} of byte {} changed in memory</h3><p class=\"sm\"><span class=\"jd {class}\" aria-hidden=\"true\">{sign}</span> <b>{sum}</b> The file is as it was.</p>{lines}<p><a id=\"untry\" class=\"btn sm\" href=\"{}\">Back to the file</a></p>",
        bit.bit,
        number(bit.at.0, ','),
        escape(&back)
    )
}
