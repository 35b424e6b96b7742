//! The row above a board: what was packed, the verdict, and what can be chosen.

use super::query::{Keys, MADE, Query, Show};
use crate::board::{BoardAsk, LINK_BYTES, with};
use crate::words::bytes;
use crate::workshop::html::{escape, seg, spans};
use crate::workshop::links::Links;
use triescope_core::lookup::words::Text;

/// What the row says.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// `How the writer packed Partitions.db`; on a phone a short one.
    pub title: (String, String),
    /// What the replay was made from, and whether it gives the same bytes.
    pub verdict: Text,
    /// Whether that is a difference.
    pub differs: bool,
    /// Who packs.
    pub shown: Option<Show>,
    /// Whether there are tries in Rows.db.
    pub has_rows: bool,
    /// The partition whose row trie is packed, as text.
    pub rows: Option<String>,
}

/// The row as HTML.
pub fn head(head: &Head, query: &Query, ask: &BoardAsk) -> String {
    let links = Links(ask);
    let phone = ask.width < super::board::PHONE;
    let title = if phone { &head.title.1 } else { &head.title.0 };
    let mark = match head.differs {
        true => "<span class=\"jd warn\" aria-hidden=\"true\">!</span>",
        false => "",
    };
    let what = format!(
        "<div class=\"what\"><h1>{}</h1><p class=\"q sm\">{mark}{}</p></div>",
        escape(title),
        spans(&head.verdict)
    );
    let field = |name: &str, inner: String| {
        format!("<div class=\"fld\"><span aria-hidden=\"true\">{name}</span>{inner}</div>")
    };
    let mut options = String::new();
    if ask.tables == (None, None) {
        options += &field("Keys", kinds(query, links));
        if let Keys::Made(_, count) = query.keys {
            options += &format!(
                "<div class=\"fld\"><label for=\"n\">How many</label><span class=\"box\"><input id=\"n\" name=\"n\" type=\"number\" min=\"1\" max=\"100000\" value=\"{count}\"></span></div>"
            );
        }
    }
    if head.has_rows {
        options += &field("Trie", tries(head, query, links));
    }
    let steps = |every: bool| links.with("steps", every.then_some("all"));
    let steps = [
        ("steps-written".to_owned(), "decisions", !query.every, steps(false)),
        ("steps-all".to_owned(), "every one", query.every, steps(true)),
    ];
    options += &field("Steps", seg("Steps", &steps));
    options += "<div class=\"fld\"><label for=\"goto\">Go to</label><span class=\"box short\"><input id=\"goto\" name=\"goto\" \
                placeholder=\"page 7, @32118, step 52\" autocomplete=\"off\" enterkeyhint=\"go\"></span></div>";
    let writers = Show::ALL.map(|(show, word, long, short)| {
        let words = if phone { short } else { long };
        (
            format!("writer-{word}"),
            words,
            head.shown == Some(show),
            links.with("writer", Some(word)),
        )
    });
    let writers = field("Writer", seg("Writer", &writers));
    let left_out = match &ask.keys {
        Some(keys) => format!(
            "<p class=\"say-note\"><span class=\"jd warn\" aria-hidden=\"true\">!</span><span>A link holds {} of keys, and these are {}: \
             the address leaves them out.</span></p>",
            bytes(LINK_BYTES as u64),
            bytes(keys.len() as u64)
        ),
        None => String::new(),
    };
    match phone {
        true => format!(
            "{what}{writers}<details class=\"opts\"><summary>Steps, jumps</summary>{options}</details>{left_out}"
        ),
        false => format!("{what}<div class=\"opts\">{options}{writers}</div>{left_out}"),
    }
}

/// Typed, or one of the kinds that are made.
fn kinds(query: &Query, links: Links<'_>) -> String {
    let typed = links.to(&with(&with(&links.0.query, "make", None), "n", None));
    let mut kinds =
        vec![("make-typed".to_owned(), "Typed", matches!(query.keys, Keys::Typed(_)), typed)];
    for (made, word, name) in MADE {
        let asked = with(&with(&links.0.query, "keys", None), "make", Some(word));
        let (asked, chosen) = match query.keys {
            Keys::Made(known, _) => (asked, known == made),
            Keys::Typed(_) => (with(&asked, "n", Some("1000")), false),
        };
        kinds.push((format!("make-{word}"), name, chosen, links.to(&asked)));
    }
    seg("Keys", &kinds)
}

/// Partitions.db, or a trie in Rows.db.
fn tries(head: &Head, query: &Query, links: Links<'_>) -> String {
    let choices = [
        (
            "trie-partitions".to_owned(),
            "Partitions.db",
            query.rows.is_none(),
            links.with("rows", None),
        ),
        ("trie-rows".to_owned(), "Rows.db", query.rows.is_some(), links.with("rows", Some(""))),
    ];
    let key = match &head.rows {
        Some(key) => format!(
            "<span class=\"box short\"><input id=\"rows\" name=\"rows\" aria-label=\"Partition key whose row trie is packed\" value=\"{}\"></span>",
            escape(key)
        ),
        None => String::new(),
    };
    format!("<span class=\"two\">{}{key}</span>", seg("Trie", &choices))
}
