//! What a trie costs to read: fetches of its lookups, branches that are split over pages, how full pages are, how deep
//! keys lie; and the findings about layouts that are valid but dear.

use super::super::cover::Fill;
use super::super::walk::Below;
use crate::check::catalog::layout;
use crate::check::{Cost, Finding, Findings};
use crate::pos::{FilePos, PAGE_SIZE};
use crate::table::Part;

/// Counts of small numbers; what is greater counts as the greatest.
#[derive(Clone, Debug)]
pub(super) struct Tally(Vec<u64>);

/// Greatest number that a [`Tally`] tells from others.
const GREATEST: usize = 1023;

impl Default for Tally {
    fn default() -> Self {
        Self(vec![0; GREATEST + 1])
    }
}

impl Tally {
    #[inline]
    pub fn add(&mut self, number: usize) {
        if let Some(count) = self.0.get_mut(number.min(GREATEST)) {
            *count += 1;
        }
    }

    /// The median; 0 when nothing was counted.
    pub fn median(&self) -> usize {
        let half = self.0.iter().sum::<u64>().div_ceil(2);
        let mut below = 0;
        self.0
            .iter()
            .position(|count| {
                below += count;
                half > 0 && below >= half
            })
            .unwrap_or(0)
    }

    /// The greatest number counted.
    pub fn worst(&self) -> usize {
        self.0.iter().rposition(|count| *count > 0).unwrap_or(0)
    }
}

/// A branch of fewer bytes lies in one page. Cassandra keeps one of 4095 bytes whole, ScyllaDB one of 4096; but it takes
/// 300 bytes of a key for one node, which it writes as the node itself and a chain of 299 nodes of two bytes, one of them
/// of three, and it cuts between such nodes only. `wide_longck`, packed by ScyllaDB's rules, has such cuts.
const WHOLE_BELOW: u64 = PAGE_SIZE - 599;

/// What a walk tells of the layout of a file.
#[derive(Default)]
pub(super) struct Shape {
    /// Pages fetched by the lookup of each leaf.
    pub fetches: Tally,
    /// Bytes that lead to each leaf.
    pub depths: Tally,
    /// Branches that would fit one page and lie in several: how many, and the first one.
    split: u64,
    first_split: Option<Below>,
}

impl Shape {
    /// A node with all that is below it.
    #[inline]
    pub fn leave(&mut self, below: Below) {
        if below.bytes < WHOLE_BELOW && below.low.page() != below.at.page() {
            self.split += 1;
            self.first_split.get_or_insert(below);
        }
    }

    /// Fetches of the lookups.
    pub fn cost(&self) -> Cost {
        let fetches = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Cost { median: fetches(self.fetches.median()), worst: fetches(self.fetches.worst()) }
    }

    /// What is dear, in a file that was walked without a fault.
    pub fn report(&self, part: Part, fill: Fill, findings: &mut Findings) {
        // Of two neighbours the second begins with what did not fit the first, so together they hold more than a page:
        // less than half is full only where a writer did something else. An odd page at the end may hold anything.
        let least = fill.pages / 2 * PAGE_SIZE;
        if fill.used < least {
            let expected = format!("at least {least} of {} bytes", fill.pages * PAGE_SIZE);
            let found = format!("{} in {} whole pages", fill.used, fill.pages);
            let finding =
                Finding::new(layout::FILL, "bytes of nodes in whole pages", expected, found);
            findings.add(finding.part(part).cost(self.cost()));
        }
        if fill.thin_pairs > 0 {
            let found = format!(
                "{} of {} whole pages whose neighbour's nodes would have fitted too; {} bytes are padding",
                fill.thin_pairs, fill.pages, fill.padding
            );
            let expected = "pages padded only where the next branch does not fit";
            let finding = Finding::new(layout::PADDING, "padding", expected, found);
            findings.add(finding.part(part).cost(self.cost()));
        }
        if let Some(first) = self.first_split {
            let pages = first.at.page().0.saturating_sub(first.low.page().0) + 1;
            let found = format!(
                "{} branches that are split; this one has {} bytes in pages {} to {}",
                self.split,
                first.bytes,
                first.low.page(),
                first.at.page()
            );
            let expected = format!("branches of fewer than {WHOLE_BELOW} bytes in one page each");
            let finding = Finding::new(layout::CROSSINGS, "pages of a branch", expected, found);
            let finding = finding.at(part, first.at).cost(self.cost());
            findings.add(if pages > 1 { finding.len(first.bytes) } else { finding });
        }
    }

    /// Keys that lie deeper than their tokens tell them apart, where tokens are hashes.
    ///
    /// Evenly spread tokens differ after one byte and about log256 of their number more. `token_edges`, made of runs of
    /// consecutive tokens, uses all eight bytes of a token and is as cheap to read; what lies deeper has the token of
    /// another key, which hashing explains for none in a billion tables.
    pub fn report_depth(&self, root: FilePos, findings: &mut Findings) {
        let median = self.depths.median();
        if median > TOKEN_PATH {
            let expected = format!("at most {TOKEN_PATH}, where tokens end");
            let field = "bytes to the median leaf";
            let finding = Finding::new(layout::CHAINS, field, expected, median.to_string());
            findings.add(finding.at(Part::Partitions, root).cost(self.cost()));
        }
    }
}

/// Bytes of a path that ends with the token: a byte that all keys begin with, and the token.
const TOKEN_PATH: usize = 9;
