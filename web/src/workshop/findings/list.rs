//! The list of checks: those that fail first, then those that could not be made, then those that pass.

use super::Shown;
use super::checked::{Group, Listed};
use super::query::Query;
use crate::board::{BoardAsk, Part};
use crate::state::address::{Address, View};
use crate::words::count;
use crate::workshop::html::{Does, Key, escape, keys, seg};
use crate::workshop::links::Links;
use triescope_core::check::Severity;
use triescope_core::check::scope::Scope;
use triescope_core::lookup::words::number;

/// The address of another query.
pub fn to(ask: &BoardAsk, query: &Query) -> String {
    Links(ask).to(&query.print(Default::default()))
}

/// The address of what is selected in Pages.
pub fn in_pages(shown: &Shown<'_>) -> Option<String> {
    let place = shown.place.as_ref().filter(|place| place.page.is_some())?;
    let address = Address::parse(&shown.ask.place).in_view(View::Pages);
    let asked = BoardAsk { place: address.place(), ..shown.ask.clone() };
    Some(Links(&asked).to(&place.selection().put("")))
}

/// Title, sentence, choices and keys.
pub fn head(shown: &Shown<'_>) -> String {
    let names = shown.run.names_of().join(" and ");
    let failed = failed_of(shown).count();
    let choose =
        |is_failed_only: bool| to(shown.ask, &Query { is_failed_only, ..shown.query.clone() });
    let made = shown.run.listed.len();
    let (all, few) = (format!("All {made}"), format!("Failed {failed}"));
    let only = shown.query.is_failed_only;
    let shows = seg(
        "Checks",
        &[
            ("show-all".to_owned(), &all, !only, choose(false)),
            ("show-failed".to_owned(), &few, only, choose(true)),
        ],
    );
    let depth = |is_deep: bool| {
        to(shown.ask, &Query { is_deep, attempt: None, is_flip: false, ..shown.query.clone() })
    };
    let deep = seg(
        "What is read",
        &[
            ("deep-no".to_owned(), "Index", !shown.query.is_deep, depth(false)),
            ("deep-yes".to_owned(), "Rows too", shown.query.is_deep, depth(true)),
        ],
    );
    format!(
        "<div class=\"what\"><h1>Findings <span class=\"q\">{}</span></h1><p>{}</p></div><div class=\"opts\">{shows}{deep}</div>{}",
        escape(&names),
        sentence(shown),
        keys(&all_keys(shown))
    )
}

fn failed_of<'a>(shown: &Shown<'a>) -> impl Iterator<Item = &'a Listed> {
    shown.run.listed.iter().filter(|it| it.is_failed())
}

/// What is known in one sentence or two, with its emphasis.
fn sentence(shown: &Shown<'_>) -> String {
    let (what, rest) = summary(shown);
    let class = if failed_of(shown).next().is_some() { " class=\"badt\"" } else { "" };
    format!("<b{class}>{}</b>{}", escape(&what), escape(&rest))
}

/// The same for those who hear it.
pub fn said(shown: &Shown<'_>) -> String {
    let (what, rest) = summary(shown);
    what + &rest
}

/// The sum, and what else is known.
fn summary(shown: &Shown<'_>) -> (String, String) {
    let listed = &shown.run.listed;
    let made = listed.iter().filter(|it| it.is_made() || it.is_failed()).count() as u64;
    let failed: Vec<&Listed> = failed_of(shown).collect();
    let what = match failed.len() as u64 {
        0 => format!("All {} pass", count(made, "check", "checks")),
        1 => format!("1 of {} fails", count(made, "check", "checks")),
        n => format!("{} of {} fail", number(n, ','), count(made, "check", "checks")),
    };
    let of = |severity| failed.iter().filter(|it| it.check.severity == severity).count() as u64;
    let kinds = [
        (of(Severity::Broken), "broken"),
        (of(Severity::Suspicious), "suspicious"),
        (of(Severity::Note), "worth a note"),
    ];
    let kinds: Vec<String> = kinds
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, word)| format!("{} {word}", number(*n, ',')))
        .collect();
    let mut rest = match kinds.is_empty() {
        true => ".".to_owned(),
        false => format!(": {}.", kinds.join(", ")),
    };
    let deep = size(listed, Group::Rows);
    if deep > 0 {
        rest += &format!(
            " {} the rows and {} not made.",
            verb(deep, "more reads", "more read"),
            are(deep)
        );
    }
    let not = size(listed, Group::Impossible);
    if not > 0 {
        rest += &format!(" {} not possible.", verb(not, "is", "are"));
    }
    (what, rest)
}

fn are(n: u64) -> &'static str {
    if n == 1 { "is" } else { "are" }
}

fn verb(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(n, ','), if n == 1 { one } else { many })
}

fn size(listed: &[Listed], group: Group) -> u64 {
    listed.iter().filter(|it| it.group() == group).count() as u64
}

/// All checks, group by group.
pub fn whole(shown: &Shown<'_>) -> Vec<Part> {
    let groups = GROUPS.iter().filter(|(group, _)| is_listed(shown, *group));
    let html = groups.map(|(group, title)| {
        let lines = lines_of(shown, |it| it.group() == *group);
        let heading = match (group, lines.is_empty()) {
            (Group::Failed, _) => String::new(),
            (_, true) => return String::new(),
            _ => format!(
                "<h2 class=\"c\">{} {title}</h2>",
                count(lines.len() as u64, "check", "checks")
            ),
        };
        heading + &lines_html(shown, &lines, title)
    });
    vec![part("checks", html.collect())]
}

/// The groups, with what is said of their checks.
const GROUPS: [(Group, &str); 4] = [
    (Group::Failed, "failed"),
    (Group::Impossible, "not possible"),
    (Group::Passed, "passed"),
    (Group::Rows, "not made: they read the rows"),
];

fn is_listed(shown: &Shown<'_>, group: Group) -> bool {
    group == Group::Failed || !shown.query.is_failed_only
}

/// Those that fail, and the one that is chosen.
pub fn failed(shown: &Shown<'_>) -> Vec<Part> {
    let chosen = shown.listed().map(|it| it.check.id);
    let lines = lines_of(shown, |it| it.is_failed() || Some(it.check.id) == chosen);
    vec![part("checks", lines_html(shown, &lines, "failed"))]
}

/// All others, folded away.
pub fn others(shown: &Shown<'_>) -> Vec<Part> {
    let chosen = shown.listed().map(|it| it.check.id);
    let groups =
        GROUPS.iter().filter(|(group, _)| *group != Group::Failed && is_listed(shown, *group));
    let fold = |(group, title): &(Group, &str)| {
        let lines = lines_of(shown, |it| it.group() == *group && Some(it.check.id) != chosen);
        let html = format!("<div class=\"checks\">{}</div>", lines_html(shown, &lines, title));
        let title = format!("{} {title}", count(lines.len() as u64, "check", "checks"));
        (!lines.is_empty()).then(|| Part { class: "fold".into(), title, html })
    };
    groups.filter_map(fold).collect()
}

fn lines_of<'a>(shown: &Shown<'a>, is: impl Fn(&Listed) -> bool) -> Vec<(usize, &'a Listed)> {
    shown.run.listed.iter().enumerate().filter(|(_, it)| is(it)).collect()
}

fn part(class: &str, html: String) -> Part {
    Part { class: class.into(), title: String::new(), html }
}

fn lines_html(shown: &Shown<'_>, lines: &[(usize, &Listed)], label: &str) -> String {
    let lines: String = lines.iter().map(|(at, listed)| line(shown, *at, listed)).collect();
    match lines.is_empty() {
        true => "<p class=\"q sm none\">No check fails.</p>".to_owned(),
        false => format!("<ul aria-label=\"{}\">{lines}</ul>", escape(label)),
    }
}

fn line(shown: &Shown<'_>, at: usize, listed: &Listed) -> String {
    let here = if shown.chosen == Some(at) { " aria-current=\"true\"" } else { "" };
    let (class, sign, word) = mark(listed);
    let (id, rule) = (listed.check.id, listed.check.rule.trim_end_matches('.'));
    let link = to(shown.ask, &shown.query.finding(id, 0));
    format!(
        "<li><a id=\"check-{}\" href=\"{}\"{here}><span class=\"jd {class}\" aria-hidden=\"true\">{sign}</span><span><span class=\"vh\">{word}: </span>{}</span><span class=\"c\">{}</span></a></li>",
        id.replace('/', "-"),
        escape(&link),
        escape(rule),
        escape(&beside(shown, listed))
    )
}

/// Class, sign and word of what came of a check.
pub fn mark(listed: &Listed) -> (&'static str, &'static str, &'static str) {
    match (listed.is_failed(), listed.check.severity, listed.is_made()) {
        (true, Severity::Broken, _) => ("bad", "✕", "broken"),
        (true, Severity::Suspicious, _) => ("warn", "!", "suspicious"),
        (true, Severity::Note, _) => ("note", "i", "note"),
        (false, _, true) => ("good", "✓", "passed"),
        (false, _, false) => ("note", "–", "not made"),
    }
}

/// How often it failed, or why it was not made.
fn beside(shown: &Shown<'_>, listed: &Listed) -> String {
    match (listed.total, listed.is_made(), listed.not.first()) {
        (1.., ..) => count(listed.total, "place", "places"),
        (0, true, Some((id, scope))) => {
            format!("not in {}: {}", shown.run.name(*id), why(*scope))
        }
        (0, false, Some((_, scope))) => why(*scope),
        _ => String::new(),
    }
}

/// Why a check was not made, in few words.
pub fn why(scope: Scope) -> String {
    match scope {
        Scope::Made => String::new(),
        Scope::Needless => "nothing to look at".to_owned(),
        Scope::Deep => "reads rows".to_owned(),
        Scope::Missing(part) => format!("{part} is missing"),
        Scope::Unreadable(part) => format!("{part} cannot be read"),
    }
}

fn all_keys(shown: &Shown<'_>) -> Vec<Key> {
    let listed = &shown.run.listed;
    let at = shown.chosen.unwrap_or_default();
    let lead = |at: Option<usize>| match at.and_then(|at| listed.get(at)) {
        Some(it) => Does::Leads(to(shown.ask, &shown.query.finding(it.check.id, 0))),
        None => Does::Nothing,
    };
    let seen =
        |at: usize| listed.get(at).is_some_and(|it| it.is_failed() || !shown.query.is_failed_only);
    let fails = |at: &usize| listed.get(*at).is_some_and(Listed::is_failed);
    let next = (at + 1..listed.len()).find(|at| seen(*at));
    let previous = (0..at).rev().find(|at| seen(*at));
    let of_check = |n: Option<usize>| match (n, shown.listed()) {
        (Some(n), Some(it)) if n < it.found.len() => {
            Does::Leads(to(shown.ask, &shown.query.finding(it.check.id, n)))
        }
        _ => Does::Nothing,
    };
    let open = in_pages(shown).map_or(Does::Nothing, Does::Leads);
    let key = |key, shown, words, does| Key { key, shown, words, does };
    vec![
        key("ArrowUp", "↑", "the check above", lead(previous)),
        key("ArrowDown", "↓", "the check below", lead(next)),
        key("n", "n", "the next check that fails", lead((at + 1..listed.len()).find(fails))),
        key("N", "N", "the one before", lead((0..at).rev().find(fails))),
        key("[", "[", "the finding before, of this check", of_check(shown.query.n.checked_sub(1))),
        key("]", "]", "the next finding of this check", of_check(shown.query.n.checked_add(1))),
        key("Enter", "Enter", "its bytes in Pages", open),
    ]
}
