//! Legacy indexes that are valid but dear: which ones, and what a cold lookup in them costs (`docs/format/index.md`, what
//! it costs).

use super::cost;
use super::facts::{EndMarker, LegacyFacts, LookupPages, PromotedFacts, PromotedTotals, share};
use super::rule::Beside;
use super::windows::Windows;
use crate::big::PromotedHead;
use crate::check::catalog::layout::{
    INDEX_LARGER, PROMOTED_DOMINATES, PROMOTED_SIZE, SUMMARY_PAGES,
};
use crate::check::catalog::summary::{INTERVAL, RULE};
use crate::check::{Cost, Finding, Findings};
use crate::pos::PAGE_SIZE;
use crate::race::LegacyReader;
use crate::source::Source;
use crate::table::{Part, Product, Table};

/// ScyllaDB doubles the width of blocks when the promoted index of a partition reaches this much.
const LARGE_PROMOTED: u64 = 10 << 20;
/// A promoted index of at most this many in 1000 of its partition is small.
const SMALL_SHARE: u64 = 100;

impl PromotedTotals {
    /// One more promoted index.
    pub(super) fn add(&mut self, facts: &PromotedFacts) {
        self.partitions += 1;
        self.bytes = self.bytes.saturating_add(facts.bytes);
        self.blocks = self.blocks.saturating_add(facts.blocks);
        self.open = self.open.saturating_add(facts.open);
        match facts.end_marker {
            EndMarker::Included => self.with_end_marker += 1,
            EndMarker::Excluded => self.without_end_marker += 1,
            EndMarker::Unknown => {}
        }
    }
}

/// One promoted index: above 10 MB, or above a tenth of its partition and of more than a page.
pub(super) fn promoted(
    facts: &PromotedFacts,
    head: Option<&PromotedHead>,
    reader: LegacyReader,
    findings: &mut Findings,
) {
    let share = facts.permille();
    let dear = share.is_some_and(|share| share > SMALL_SHARE) && facts.bytes > PAGE_SIZE;
    if facts.bytes <= LARGE_PROMOTED && !dear {
        return;
    }
    if !findings.count(PROMOTED_SIZE) {
        return;
    }
    let expected = "at most 10 MB and a tenth of the partition";
    let finding = Finding::new(PROMOTED_SIZE, "promoted index", expected, facts.to_string())
        .at(Part::Index, facts.entry)
        .len(facts.bytes)
        .key(&facts.key);
    findings.keep(match head {
        Some(head) => finding.cost(cost::of_rows(head, reader)),
        None => finding,
    });
}

/// The table as a whole. `even` says whether its windows can be judged; `wide` holds what was found of single partitions,
/// which is not told again where it is true of all.
pub(super) fn table<S: Source>(
    table: &Table<S>,
    facts: &LegacyFacts,
    even: bool,
    wide: Findings,
    findings: &mut Findings,
) {
    let index = facts.index.total();
    let data = table.source(Part::Data).map(Source::len);
    let larger = data.is_some_and(|data| index > data) && index > PAGE_SIZE;
    let mostly_promoted = facts.index.promoted > index / 2;
    let of_data = facts.spread.as_ref().and_then(|spread| spread.data_bytes);
    let dear = of_data.is_some_and(|data| facts.index.promoted > data / 10);
    if mostly_promoted && index > PAGE_SIZE && (larger || dear) && facts.promoted.partitions > 1 {
        let finding = Finding::new(
            PROMOTED_DOMINATES,
            "promoted indexes",
            "small beside the rows that they index",
            dominated(facts, data),
        );
        findings.add(costing(finding.part(Part::Index).len(facts.index.promoted), facts.lookup));
    } else {
        findings.absorb(wide);
        if larger && !mostly_promoted {
            let found = facts.index.sentence(data.unwrap_or(0));
            let finding =
                Finding::new(INDEX_LARGER, "size of Index.db", "less than Data.db", found);
            findings.add(costing(finding.part(Part::Index).len(index), facts.lookup));
        }
    }
    if let Some(spread) = facts.spread.as_ref().filter(|spread| even && spread.is_uneven()) {
        let expected = format!("about {} partitions a page", spread.median);
        let finding = Finding::new(SUMMARY_PAGES, "samples", expected, spread.to_string())
            .at(Part::Index, spread.largest.from)
            .len(spread.largest.to.0.saturating_sub(spread.largest.from.0))
            .key(&spread.largest.first_key);
        findings.add(costing(finding, facts.lookup));
    }
}

/// The promoted indexes of a table in a sentence.
fn dominated(facts: &LegacyFacts, data: Option<u64>) -> String {
    let index = facts.index.total();
    let mut out = format!("{} of Index.db", share(facts.index.promoted, index));
    if let Some(data) = data.filter(|data| *data > 0) {
        let ratio = u128::from(index) * 10 / u128::from(data);
        out.push_str(&format!(", which is {}.{} × Data.db", ratio / 10, ratio % 10));
    }
    if let Some(largest) = &facts.largest {
        out.push_str(&format!("; the greatest is {largest}"));
    }
    if let Some(lookup) = facts.lookup {
        out.push_str(&format!(
            "; the worst lookup fetches {} pages where promoted indexes are skipped, {} read straight through",
            lookup.worst, lookup.worst_straight
        ));
    }
    out
}

/// With the pages of Index.db that a cold lookup of a key fetches.
fn costing(finding: Finding, lookup: Option<LookupPages>) -> Finding {
    let small = |pages: u64| u32::try_from(pages).unwrap_or(u32::MAX);
    match lookup {
        Some(lookup) => {
            finding.cost(Cost { median: small(lookup.median), worst: small(lookup.worst) })
        }
        None => finding,
    }
}

/// Samples against the rule of the database that wrote them; against both where that is not known, for early ScyllaDB
/// left no Scylla.db.
pub(super) fn rule<S: Source>(
    table: &Table<S>,
    windows: &Windows,
    by_data: &Beside,
    by_stored: Option<&Beside>,
    findings: &mut Findings,
) {
    let Some(summary) = &table.summary else { return };
    let scylla = table.source(Part::Scylla).is_some();
    let either = table.version().product() == Product::Either && !scylla;
    let as_scylla =
        by_data.departure.is_none() || by_stored.is_some_and(|beside| beside.departure.is_none());
    let as_cassandra = windows.uneven.is_none();
    // Older ScyllaDB, too, took each so-manyth entry.
    if as_cassandra || ((scylla || either) && as_scylla) {
        return;
    }
    if !scylla {
        let Some(uneven) = windows.uneven else { return };
        let field = format!("entries from sample {} to the next", uneven.sample);
        let header = &summary.header;
        let (interval, level) = (header.min_index_interval, header.sampling_level);
        let expected = format!("{}, by interval {interval} and level {level}", uneven.declared);
        let finding = Finding::new(INTERVAL, field, expected, uneven.found.to_string());
        findings.add(finding.at(Part::Index, uneven.at));
        return;
    }
    // The rule that held longer is the one that was meant.
    let departures = [Some(by_data), by_stored].into_iter().flatten();
    let latest = departures.filter_map(|beside| beside.departure).max_by_key(|it| it.entry);
    let Some(departure) = latest else { return };
    let words = |sampled| if sampled { "a sample" } else { "no sample" };
    let field = format!("entry {}", departure.entry);
    let (expected, found) = (words(!departure.sampled), words(departure.sampled));
    findings.add(Finding::new(RULE, field, expected, found).at(Part::Index, departure.at));
}
