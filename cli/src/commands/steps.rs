//! Steps of a lookup: as JSON, and which of them a person is shown.

use serde::Serialize;
use std::collections::BTreeMap;
use std::mem::discriminant;
use triescope_core::lookup::words::{self, ENGLISH, Names};
use triescope_core::lookup::{PageState, Record, Step};

/// Steps of one kind in a row that are all shown; of more, the first and the last ones are.
const ALL_SHOWN: usize = 8;
/// How many are shown at either end of a longer run.
const AT_ENDS: usize = 3;

/// A step.
#[derive(Debug, Serialize)]
pub struct StepJson {
    index: &'static str,
    kind: &'static str,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    component: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pos: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<String>,
}

impl StepJson {
    /// Step number `at` of a record.
    pub fn new(index: &'static str, names: &dyn Names, record: &Record, at: usize) -> Self {
        let text = words::sentence(&ENGLISH, names, record, at).plain();
        let mut json = Self {
            index,
            kind: "",
            text,
            component: None,
            page: None,
            state: None,
            pos: None,
            size: None,
            node: None,
        };
        let Some(step) = record.steps.get(at) else { return json };
        match step {
            Step::Filter(_) => json.kind = "filter",
            Step::Page(page) => {
                json.kind = "page";
                json.component = Some(page.part.file_name());
                json.page = Some(page.page.0);
                json.state = Some(match page.state {
                    PageState::Fetched(_) => "fetched",
                    PageState::Warm => "warm",
                    PageState::Here => "here",
                });
            }
            Step::Node(node) => {
                json.kind = "node";
                json.component = Some(node.part.file_name());
                (json.pos, json.size) = (Some(node.at.0), Some(node.size.into()));
                json.node = Some(node.kind.to_string());
            }
            Step::RowEntry(entry) => {
                json.kind = "row_entry";
                (json.pos, json.size) = (Some(entry.at.0), Some(entry.size.into()));
            }
            Step::Bounds(_) => json.kind = "bounds",
            Step::SummaryProbe(_) => json.kind = "sample",
            Step::Window(window) => {
                json.kind = "window";
                json.pos = Some(window.from.0);
                json.size = Some(window.to.0.saturating_sub(window.from.0));
            }
            Step::Entries(entries) => {
                json.kind = "entries";
                json.pos = Some(entries.from.0);
                json.size = Some(entries.to.0.saturating_sub(entries.from.0));
            }
            Step::Entry(entry) => {
                json.kind = "entry";
                (json.pos, json.size) = (Some(entry.at.0), Some(entry.head.into()));
            }
            Step::Promoted(promoted) => {
                json.kind = "promoted";
                json.pos = Some(promoted.at.0);
                json.size = Some(promoted.end.0.saturating_sub(promoted.at.0));
            }
            Step::BlockProbe(probe) => {
                json.kind = "block_probe";
                (json.pos, json.size) = (Some(probe.at.0), Some(probe.size.into()));
            }
            Step::Block(_) => json.kind = "block",
            Step::Data(data) => {
                json.kind = "data";
                json.pos = Some(data.at.0);
            }
            Step::Answer(_) => json.kind = "answer",
            Step::Damage(error) => {
                json.kind = "damage";
                json.component = Some(error.part.file_name());
                json.pos = Some(error.at.0);
            }
        }
        json
    }
}

/// The pages of each component in the order touched: all requests, or the fetches alone.
pub fn pages(record: &Record, fetched: bool) -> BTreeMap<&'static str, Vec<u64>> {
    let mut pages: BTreeMap<&'static str, Vec<u64>> = BTreeMap::new();
    for step in &record.steps {
        if let Step::Page(page) = step
            && (!fetched || matches!(page.state, PageState::Fetched(_)))
        {
            pages.entry(page.part.file_name()).or_default().push(page.page.0);
        }
    }
    pages
}

/// The steps that a person is shown, by their numbers; where some of one kind are left out, how many.
pub fn shown(record: &Record) -> Vec<Result<usize, u64>> {
    let mut shown = Vec::new();
    let mut from = 0;
    for run in record.steps.chunk_by(|a, b| discriminant(a) == discriminant(b)) {
        let to = from + run.len();
        if run.len() <= ALL_SHOWN {
            shown.extend((from..to).map(Ok));
        } else {
            shown.extend((from..from + AT_ENDS).map(Ok));
            shown.push(Err((run.len() - 2 * AT_ENDS) as u64));
            shown.extend((to - AT_ENDS..to).map(Ok));
        }
        from = to;
    }
    shown
}
