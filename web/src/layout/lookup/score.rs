//! ScoreTable and StepList as data: what both lanes have cost up to their steps, and which steps a list shows.

use super::pen::n;
use triescope_core::lookup::{Counts, PageState, Record, Step};
use triescope_core::race::Race;
use triescope_core::table::TableFacts;

/// A row of the table: the same count for both lanes. `None` is "no such index here".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What is counted.
    pub what: String,
    /// Trie.
    pub trie: Option<String>,
    /// Legacy.
    pub legacy: Option<String>,
    /// Whether this is the count that a phone shows, and that is written large.
    pub main: Main,
}

/// How much a row matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Main {
    /// Page fetches.
    First,
    /// Work done.
    Second,
    /// All others.
    No,
}

/// The table for `t` and `l` steps; `warm` is the budget of the cache model.
pub fn score(
    race: &Race,
    trie: Option<&TableFacts>,
    legacy: Option<&TableFacts>,
    (t, l): (usize, usize),
    warm: Option<u64>,
) -> Vec<Row> {
    let of_trie = race.trie.as_ref().map(|lane| lane.record.counts(t));
    let of_legacy = race.legacy.as_ref().map(|lane| lane.lane.record.counts(l));
    let row = |what: &str, main: Main, count: &dyn Fn(&Counts) -> String| Row {
        what: what.to_owned(),
        trie: of_trie.as_ref().map(count),
        legacy: of_legacy.as_ref().map(count),
        main,
    };
    let fetches = match warm {
        None => "Page fetches, cold".to_owned(),
        Some(bytes) => format!("Page fetches, {} warm", size(bytes)),
    };
    let mut rows = vec![row(&fetches, Main::First, &|c| n(c.fetches))];
    if warm.is_some() {
        rows.push(row("Pages in the cache", Main::No, &|c| n(c.warm)));
    }
    let whole = |lane: Option<&Record>| lane.map(Record::total).unwrap_or_default();
    let end = [
        whole(race.trie.as_ref().map(|lane| &lane.record)),
        whole(race.legacy.as_ref().map(|lane| &lane.lane.record)),
    ];
    let with_blocks = end.iter().any(|counts| counts.blocks > 0);
    let parsed =
        if with_blocks { "Nodes, entries, blocks parsed" } else { "Nodes or entries parsed" };
    if let Some(lane) = &race.legacy
        && let record = &lane.lane.record
        && record.straight_pages(usize::MAX) > Some(end[1].fetches + end[1].warm)
    {
        // Promoted indexes were skipped over: a reader that does not jump would fetch their pages as well.
        rows.push(Row {
            what: "Pages, read straight on".to_owned(),
            trie: race.trie.as_ref().map(|_| String::new()),
            legacy: Some(n(record.straight_pages(l).unwrap_or(0))),
            main: Main::No,
        });
    }
    rows.push(row("Page requests", Main::No, &|c| n(c.requests)));
    rows.push(row("Bytes fetched", Main::No, &|c| format!("{} B", n(c.bytes_fetched))));
    rows.push(row("Bytes used", Main::No, &|c| format!("{} B", n(c.bytes_used))));
    rows.push(row(parsed, Main::Second, &|c| n(c.nodes + c.entries + c.blocks)));
    rows.push(row("Bytes compared", Main::No, &|c| n(c.bytes_compared)));
    rows.push(row("Keys compared", Main::No, &|c| n(c.keys_compared)));
    rows.push(row("Data.db chunks read", Main::No, &|c| n(c.chunks)));
    rows.push(Row {
        what: "Resident: Summary.db".to_owned(),
        trie: race.trie.as_ref().map(|_| "0 B".to_owned()),
        legacy: race.legacy.as_ref().map(|lane| format!("{} B", n(lane.resident))),
        main: Main::No,
    });
    let filter = |facts: Option<&TableFacts>| {
        facts.map(|facts| {
            facts.filter_bytes.map_or_else(|| "none".to_owned(), |bytes| format!("{} B", n(bytes)))
        })
    };
    rows.push(Row {
        what: "Resident: Filter.db".to_owned(),
        trie: race.trie.as_ref().and_then(|_| filter(trie)),
        legacy: race.legacy.as_ref().and_then(|_| filter(legacy)),
        main: Main::No,
    });
    rows
}

/// `64 KiB`.
fn size(bytes: u64) -> String {
    match bytes {
        b if b >= 1 << 20 && b.is_multiple_of(1 << 20) => format!("{} MiB", n(b >> 20)),
        b if b.is_multiple_of(1 << 10) => format!("{} KiB", n(b >> 10)),
        b => format!("{} B", n(b)),
    }
}

/// An item of a list of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// A step, from 0.
    Step(usize),
    /// Steps that are not shown: the first and the end, exclusive.
    Gap(usize, usize),
}

/// Longer lists are shown in parts.
const LIST_WHOLE: usize = 500;
/// Steps shown around the current one, to either side, and at both ends.
const AROUND: usize = 120;
const ENDS: usize = 40;

/// The steps that a list shows when `now` steps are done: all, or those at both ends and around the current one.
pub fn listed(steps: usize, now: usize) -> Vec<Listed> {
    if steps <= LIST_WHOLE {
        return (0..steps).map(Listed::Step).collect();
    }
    let middle = now.saturating_sub(1);
    let parts = [
        (0, ENDS),
        (middle.saturating_sub(AROUND), (middle + AROUND).min(steps)),
        (steps - ENDS, steps),
    ];
    let mut out = Vec::new();
    let mut at = 0;
    for (from, to) in parts {
        if from > at {
            out.push(Listed::Gap(at, from));
        }
        out.extend((from.max(at)..to.max(at)).map(Listed::Step));
        at = at.max(to);
    }
    out
}

/// The number of the fetch that a step is.
pub fn fetch(record: &Record, step: usize) -> Option<u32> {
    match record.steps.get(step)? {
        Step::Page(page) => match page.state {
            PageState::Fetched(nth) => Some(nth),
            PageState::Warm | PageState::Here => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn cells(rows: &[Row], what: &str) -> (Option<String>, Option<String>) {
        let row = rows.iter().find(|row| row.what == what).unwrap();
        (row.trie.clone(), row.legacy.clone())
    }

    #[test]
    fn the_table_counts_up_to_the_steps_of_each_lane() {
        let race = sample::present();
        let pair = |a: &str, b: &str| (Some(a.to_owned()), Some(b.to_owned()));
        let end = score(&race, None, None, (99, 99), None);
        assert_eq!(cells(&end, "Page fetches, cold"), pair("2", "5"));
        assert_eq!(cells(&end, "Bytes fetched"), pair("6,717 B", "20,480 B"));
        assert_eq!(cells(&end, "Nodes or entries parsed"), pair("5", "1,867"));
        assert_eq!(cells(&end, "Bytes compared").0.as_deref(), Some("5"));
        assert_eq!(cells(&end, "Keys compared").1.as_deref(), Some("16"));
        assert_eq!(cells(&end, "Resident: Summary.db"), pair("0 B", "216 B"));
        let start = score(&race, None, None, (2, 0), None);
        assert_eq!(cells(&start, "Page fetches, cold"), pair("1", "0"));
    }

    #[test]
    fn pages_of_skipped_promoted_indexes_stand_beside_the_fetches() {
        let mut race = sample::present();
        let what = "Pages, read straight on";
        let row = |race: &Race, l| {
            let rows = score(race, None, None, (99, l), None);
            rows.into_iter().find(|row| row.what == what).map(|row| row.legacy)
        };
        assert_eq!(row(&race, 99), None, "nothing was skipped");
        let record = &mut race.legacy.as_mut().unwrap().lane.record;
        // Three of the five pages of the window hold bodies only.
        let mut pages = 0;
        record.steps.retain(|step| {
            pages += u64::from(matches!(step, Step::Page(_)));
            !matches!(step, Step::Page(_)) || pages < 3
        });
        assert_eq!(row(&race, 99), Some(Some("5".to_owned())));
        assert_eq!(row(&race, 0), Some(Some("0".to_owned())));
    }

    #[test]
    fn a_lane_that_is_not_here_has_no_numbers() {
        let mut race = sample::present();
        race.legacy = None;
        let rows = score(&race, None, None, (99, 0), Some(65_536));
        assert_eq!(cells(&rows, "Page fetches, 64 KiB warm"), (Some("2".to_owned()), None));
        assert_eq!(cells(&rows, "Resident: Summary.db").1, None);
    }

    #[test]
    fn a_long_list_shows_its_ends_and_what_is_around_the_current_step() {
        assert_eq!(listed(3, 1), [Listed::Step(0), Listed::Step(1), Listed::Step(2)]);
        for now in [0, 1, 60, 5_000, 9_990, 10_000] {
            let items = listed(10_000, now);
            assert!(items.len() < LIST_WHOLE, "{}", items.len());
            let mut at = 0;
            for item in items {
                let (from, to) = match item {
                    Listed::Step(step) => (step, step + 1),
                    Listed::Gap(from, to) => (from, to),
                };
                assert_eq!(from, at, "a gap or repeat at {now}");
                assert!(
                    now == 0
                        || !matches!(item, Listed::Gap(..))
                        || !(from..to).contains(&(now - 1))
                );
                at = to;
            }
            assert_eq!(at, 10_000);
        }
    }
}
