//! The one box: what a text means in the files that are open, and where each meaning leads.

mod parse;
mod seek;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

use crate::board::{BoxAsk, Reading, Readings};
use crate::model::Failure;
use crate::state::address::{Address, View};
use crate::worker::world::{World, failure};
use crate::workshop::jobs::Slice;
use crate::workshop::protocol::Reply;
use crate::workshop::selection::{Selection, table_with, word};
use parse::{Meaning, parse};
use seek::{Found, Seek};
use std::fmt::Write as _;
use triescope_core::lookup::words::number;
use triescope_core::pos::{FilePos, PAGE_SIZE, PageNo, pages_of};
use triescope_core::source::Source;
use triescope_core::table::{Part, Table};

/// What a view is called in the box, and the view.
const VIEWS: [(&str, View, &str); 9] = [
    ("Overview", View::Overview, ""),
    ("Lookup", View::Lookup, ""),
    ("Pages", View::Pages, ""),
    ("Map of pages", View::Pages, "as=map"),
    ("Legacy index", View::Pages, "as=legacy"),
    ("Rows", View::Pages, "as=rows"),
    ("Trie", View::Trie, ""),
    ("Packing", View::Packing, ""),
    ("Findings", View::Findings, ""),
];

/// A text that is being understood.
#[derive(Debug)]
pub struct Boxing {
    ask: BoxAsk,
    /// What it may mean and is not looked at yet, the last one first.
    left: Vec<Meaning>,
    /// What takes more than a slice.
    seek: Option<Seek>,
    readings: Readings,
}

impl Boxing {
    /// Begins.
    pub fn new(ask: BoxAsk) -> Self {
        let mut left = parse(&ask.text, &VIEWS.map(|(name, ..)| name));
        left.reverse();
        let text = ask.text.clone();
        Self { ask, left, seek: None, readings: Readings { text, list: Vec::new(), wrong: None } }
    }

    /// A slice of the work.
    pub fn slice<S: Source>(&mut self, world: &World<S>, over: &dyn Fn() -> bool) -> Slice {
        loop {
            if let Some(seek) = &mut self.seek {
                match seek.step(world, self.ask.tables) {
                    Ok(Some(found)) => {
                        self.seek = None;
                        self.found(found);
                    }
                    Ok(None) => {}
                    Err(why) => {
                        self.seek = None;
                        self.wrong(why);
                    }
                }
            } else if let Some(meaning) = self.left.pop() {
                self.read(meaning, world);
            } else {
                let mut readings = std::mem::take(&mut self.readings);
                readings.wrong = readings.wrong.filter(|_| readings.list.is_empty());
                return Slice::Done(Ok(Reply::Readings(readings)));
            }
            if over() {
                return Slice::More(None);
            }
        }
    }

    fn here(&self) -> Address {
        Address::parse(&self.ask.address)
    }

    /// Only the first thing that is wrong is said.
    fn wrong(&mut self, why: String) {
        self.readings.wrong.get_or_insert(why);
    }

    fn leads(&mut self, words: String, to: &Address) {
        self.readings.list.push(Reading { words, to: to.print() });
    }

    /// To a board with something selected.
    fn selects(&mut self, words: String, selection: Selection) {
        let mut to = self.here().in_view(View::Pages);
        to.rest = selection.put("");
        self.leads(words, &to);
    }

    fn read<S: Source>(&mut self, meaning: Meaning, world: &World<S>) {
        match meaning {
            Meaning::Wrong(why) => self.wrong(why),
            Meaning::Command(n) => {
                let Some((name, view, rest)) = VIEWS.get(n) else { return };
                let mut to = self.here().in_view(*view);
                if !rest.is_empty() {
                    to.rest = format!("{rest}&{}", to.rest).trim_end_matches('&').to_owned();
                }
                self.leads(format!("go to {name}"), &to);
            }
            Meaning::Key(text) => self.key(&text, world),
            Meaning::Path(path) => {
                let mut to = self.here().in_view(View::Trie);
                let hex = hex(&path);
                to.rest = format!("path={}", hex.replace(' ', ""));
                self.leads(format!("the node at {hex} in the trie"), &to);
            }
            Meaning::Page(part, page) => match self.component(part, world) {
                Err(why) => self.wrong(why),
                Ok((part, len)) => {
                    let pages = pages_of(len);
                    match page < pages {
                        true => self.selects(
                            format!("page {page} of {}", part.file_name()),
                            Selection {
                                part: Some(part),
                                page: Some(PageNo(page)),
                                ..Selection::default()
                            },
                        ),
                        false => self.wrong(format!(
                            "{} has pages 0 to {}.",
                            part.file_name(),
                            number(pages.saturating_sub(1), ',')
                        )),
                    }
                }
            },
            Meaning::At(part, at) => match self.component(part, world) {
                Err(why) => self.wrong(why),
                Ok((part, len)) if at < len => self.selects(
                    format!(
                        "byte {} of {}, in page {}",
                        number(at, ','),
                        part.file_name(),
                        at / PAGE_SIZE
                    ),
                    at_byte(part, at),
                ),
                Ok((part, len)) => {
                    self.wrong(format!("{} ends at {}.", part.file_name(), number(len, ',')));
                }
            },
            Meaning::Bytes(part, bytes) => match self.component(part, world) {
                Err(why) => self.wrong(why),
                Ok((part, _)) => self.seek = Some(Seek::bytes(part, bytes)),
            },
            Meaning::Data(at) => self.seek = Some(Seek::data(at)),
            Meaning::Rank(rank) => self.seek = Some(Seek::rank(rank)),
        }
    }

    fn key<S: Source>(&mut self, text: &str, world: &World<S>) {
        let resolved = world.contest(self.ask.tables).and_then(|contest| {
            let key = contest.resolve(text).map_err(failure)?;
            Ok(contest.key_schema().to_text(&key))
        });
        match resolved {
            Ok(key) => self.of_key(&format!("key {key}"), &key),
            Err(Failure::Text { why }) => self.wrong(why),
            Err(Failure::AskToSample { .. }) => self.wrong(
                "A token is found by samples of Index.db, and none were made yet.".to_owned(),
            ),
            Err(_) => self.wrong("The index cannot be read.".to_owned()),
        }
    }

    /// Where a key leads.
    fn of_key(&mut self, words: &str, key: &str) {
        let mut to = self.here().in_view(View::Lookup);
        (to.ask.key, to.ask.row, to.steps) = (Some(key.to_owned()), None, None);
        self.leads(format!("look up {words}"), &to);
        let mut to = to.in_view(View::Trie);
        to.rest = String::new();
        self.leads(format!("the path of {words} in the trie"), &to);
    }

    /// The component that is meant: the one that is named, else the one that is shown, else the first of an index.
    fn component<S: Source>(
        &self,
        part: Option<Part>,
        world: &World<S>,
    ) -> Result<(Part, u64), String> {
        let len = |part: Part| {
            let table: &Table<S> = table_with(world, self.ask.tables, part)?;
            Some((part, table.source(part)?.len()))
        };
        if let Some(part) = part {
            return len(part).ok_or_else(|| format!("{} is not here.", part.file_name()));
        }
        let shown = Part::ALL.into_iter().find(|part| {
            crate::board::value(&self.here().rest, "part").as_deref() == Some(word(*part))
        });
        let all = shown.into_iter().chain(Part::ALL);
        all.filter_map(len).find(|(_, len)| *len > 0).ok_or_else(|| "No file is open.".to_owned())
    }

    fn found(&mut self, found: Found) {
        match found {
            Found::Key { words, key } => self.of_key(&format!("{words}, key {key}"), &key),
            Found::Nothing(why) => self.wrong(why),
            Found::Places { part, bytes, places, all, to } => {
                let of = part.file_name();
                if places.is_empty() {
                    let until = if all {
                        String::new()
                    } else {
                        format!(" in its first {}", crate::words::bytes(to))
                    };
                    self.wrong(format!("{of} has no {}{until}.", hex(&bytes)));
                }
                for at in &places {
                    let page = at / PAGE_SIZE;
                    let words =
                        format!("{} at {} of {of}, in page {page}", hex(&bytes), number(*at, ','));
                    self.selects(words, at_byte(part, *at));
                }
            }
        }
    }
}

fn at_byte(part: Part, at: u64) -> Selection {
    Selection { part: Some(part), byte: Some(FilePos(at)), ..Selection::default() }
}

/// `40 17`
fn hex(bytes: &[u8]) -> String {
    let mut out = String::new();
    for byte in bytes {
        let _ = write!(out, "{}{byte:02x}", if out.is_empty() { "" } else { " " });
    }
    out
}
