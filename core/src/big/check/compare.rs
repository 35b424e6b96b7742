//! An entry of Index.db against the one before: key, position, and the end of its promoted index.

use super::about::summary;
use super::facts::PromotedFacts;
use super::job::LegacyCheck;
use super::layout;
use super::words::to_hex;
use crate::big::EntryHead;
use crate::check::catalog::index::{FIRST_POSITION, ORDER, POSITION_IN_DATA, POSITIONS_ASCEND};
use crate::check::catalog::summary::FIRST_KEY;
use crate::check::{Finding, Findings};
use crate::keys::{Decorated, Token};
use crate::pos::{DataPos, len64};
use crate::source::Source;
use crate::table::{Part, Table};
use std::cmp::Ordering;

impl LegacyCheck {
    /// Compares an entry with the one before. All its bytes are here: nothing can miss.
    pub(super) fn entry<S: Source>(
        &mut self,
        table: &Table<S>,
        head: &EntryHead,
        sampled: Option<u64>,
        stored: u64,
        findings: &mut Findings,
    ) {
        let bytes = std::mem::take(&mut self.bytes);
        let key = head.key(&bytes);
        if self.held.is_empty() {
            self.held_from = head.at;
        }
        let after = self.order(head, key);
        let in_order = self.position(head, key, after);
        self.close_promoted(in_order.then_some(head.data));
        if self.facts.entries == 0 {
            self.first_key(table, key, findings);
        }
        if let Some(sample) = sampled {
            let header = summary(table).map(|(summary, _)| &summary.header);
            self.windows.end(head.at, Some(head.data.0), header, false);
            self.windows.begin(sample, head, key);
        }
        self.windows.entry(head);
        let (place, length) = ((self.facts.entries, head.at), len64(key.len()));
        self.by_data.next(place, length, head.data.0, sampled.is_some());
        if let Some(beside) = &mut self.by_stored {
            beside.next(place, length, stored, sampled.is_some());
        }
        let (positions, sizes) = head.vints(&bytes);
        let index = &mut self.facts.index;
        index.key_lengths += 2;
        index.keys += length;
        index.positions += len64(positions.len());
        index.promoted_sizes += len64(sizes.len());
        index.promoted = index.promoted.saturating_add(head.promoted_size);
        self.facts.entries += 1;
        self.key.clear();
        self.key.extend_from_slice(key);
        self.bytes = bytes;
    }

    /// Whether the key is behind that of the entry before, or that is not known.
    fn order(&mut self, head: &EntryHead, key: &[u8]) -> bool {
        let Some(order) = &self.about.order else { return true };
        let (token, mut after) = (order.token(key), true);
        if self.facts.entries > 0 {
            let here = Decorated { token: &token, key };
            let before = Decorated { token: &self.token, key: &self.key };
            if before.order(&here) != Ordering::Less {
                let (expected, found) = (said(&before), said(&here));
                let expected = format!("behind {expected}, that of the entry before");
                let finding = Finding::new(ORDER, "key", expected, found);
                self.held.add(finding.at(Part::Index, head.at).key(key));
                after = false;
            }
        }
        self.token = token;
        after
    }

    /// Whether the position in Data.db is behind that of the entry before, and in Data.db. Nothing is said of an entry
    /// whose key is not behind either: that is one fault.
    fn position(&mut self, head: &EntryHead, key: &[u8], after: bool) -> bool {
        let (field, data) = ("data position", head.data);
        if let Some(length) = self.about.data_length
            && data.0 >= length
        {
            // Where Data.db was cut off this holds for all that follow: one fault.
            if !after {
                return false;
            }
            if self.held.total(POSITION_IN_DATA) == 0 {
                let expected = format!("below {length}, the length of Data.db");
                let finding = Finding::new(POSITION_IN_DATA, field, expected, data.to_string());
                self.held.add(finding.at(Part::Index, head.at).key(key));
            } else {
                self.held.count(POSITION_IN_DATA);
            }
            return false;
        }
        let finding = match self.data {
            None if data.0 > 0 && self.facts.entries == 0 => {
                Some(Finding::new(FIRST_POSITION, field, "0", data.to_string()))
            }
            Some(before) if data <= before => {
                let expected = format!("above {before}, that of the entry before");
                Some(Finding::new(POSITIONS_ASCEND, field, expected, data.to_string()))
            }
            _ => None,
        };
        self.data = Some(data);
        let fine = finding.is_none();
        if let Some(finding) = finding.filter(|_| after) {
            self.held.add(finding.at(Part::Index, head.at).key(key));
        }
        fine
    }

    fn first_key<S: Source>(&self, table: &Table<S>, key: &[u8], findings: &mut Findings) {
        if let Some(summary) = &table.summary
            && summary.first != key
        {
            let expected = format!("{}, the first of Index.db", to_hex(key));
            let finding = Finding::new(FIRST_KEY, "first key", expected, to_hex(&summary.first));
            findings.add(finding.at(Part::Summary, summary.first_at()).key(key));
        }
    }

    /// The entry before is complete: its partition ends where the next one begins, if that is known.
    pub(super) fn close_promoted(&mut self, next: Option<DataPos>) {
        if !std::mem::take(&mut self.promoted_open) {
            return;
        }
        // Not in the entry that follows: its position was not taken over yet where it is wrong.
        let data = self.promoted.data();
        let partition = next.and_then(|next| next.0.checked_sub(data.0)).filter(|bytes| *bytes > 0);
        let facts = self.promoted.close(&self.key, partition, &mut self.held);
        layout::promoted(&facts, self.promoted.known_head(), self.windows.reader(), &mut self.wide);
        let totals = &mut self.facts.promoted;
        totals.add(&facts);
        let largest =
            self.facts.largest.as_ref().map_or(0, |largest: &PromotedFacts| largest.bytes);
        if facts.bytes > largest {
            self.facts.largest = Some(facts);
        }
    }
}

/// A key with its token, in words.
fn said(key: &Decorated<'_>) -> String {
    let hex = to_hex(key.key);
    match key.token {
        Token::Murmur3(token) => format!("{hex} (token {token})"),
        Token::Random(token) => format!("{hex} (token {token})"),
        Token::Key => hex,
    }
}
