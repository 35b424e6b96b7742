//! The partitions that the index has, against what the other components say of them: their number and their ends against
//! Statistics.db, each key against types and filter, and the filter's size against their number.
//!
//! Keys lie in Index.db; of a trie only the first and the last are known without Data.db.

use super::catalog::filter::{FALSE_POSITIVES, OVERSIZED};
use super::catalog::statistics::{KEY_RANGE, PARTITION_COUNT};
use super::keys::KeyRules;
use super::{Finding, Findings, Stage, Step};
use crate::big::IndexWalk;
use crate::error::{Error, Miss};
use crate::pos::{FilePos, PAGE_SIZE, len64};
use crate::source::Source;
use crate::table::{IndexKind, Part, Table};
use std::ops::ControlFlow;

/// Bytes of keys that are read before they are looked at; a greatest key more may lie in the batch.
const BATCH_BYTES: usize = 64 << 10;
/// Fewer keys say nothing of a filter: its least size is two words.
const FEWEST_KEYS: u64 = 10;
/// A filter of so many times the size that its chance asks for is one that was sized for other keys.
const TOO_LARGE: f64 = 3.0;
/// A filter that lets so many times more absent keys pass than its chance says.
const TOO_MANY: f64 = 4.0;

/// Looks at the partitions.
#[derive(Default)]
pub(super) struct PartitionsStage {
    phase: Phase,
    rules: KeyRules,
    /// Position of the next entry of Index.db.
    index_at: FilePos,
    batch: Batch,
    /// Entries of Index.db so far.
    count: u64,
    /// First and last key so far.
    ends: Option<(Vec<u8>, Vec<u8>)>,
    /// The end of Index.db could not be reached; the checks of the index tell why.
    is_cut: bool,
    /// Bytes of Filter.db read so far, and bits set in them.
    filter_at: FilePos,
    ones: u64,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Keys,
    Filter,
    Done,
}

/// Keys that were read from Index.db and are still to be looked at.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    /// Position of each entry, and where its key ends in `bytes`.
    keys: Vec<(FilePos, usize)>,
    next: usize,
    from: usize,
}

impl<S: Source> Stage<S> for PartitionsStage {
    fn name(&self) -> &'static str {
        match self.phase {
            Phase::Keys => "the keys of the index, one by one",
            Phase::Filter | Phase::Done => "Filter.db",
        }
    }

    fn step(
        &mut self,
        table: &Table<S>,
        budget: u64,
        findings: &mut Findings,
    ) -> Result<Step, Miss> {
        match self.phase {
            Phase::Keys => {
                let (bytes, ended) = match table.readable_index() {
                    Some(IndexKind::Legacy) => self.index(table, budget, findings)?,
                    Some(IndexKind::Trie) => {
                        self.footer(table, findings)?;
                        (0, true)
                    }
                    None => {
                        self.is_cut = true;
                        (0, true)
                    }
                };
                if ended {
                    self.compare(table, findings);
                    self.phase = Phase::Filter;
                }
                Ok(Step { bytes, done: false })
            }
            Phase::Filter => {
                let (bytes, ended) = self.filter(table, budget)?;
                if ended {
                    self.weigh(table, findings);
                    self.phase = Phase::Done;
                }
                Ok(Step { bytes, done: ended })
            }
            Phase::Done => Ok(Step { bytes: 0, done: true }),
        }
    }
}

impl PartitionsStage {
    /// What the footer of Partitions.db tells.
    fn footer<S: Source>(&mut self, table: &Table<S>, findings: &mut Findings) -> Result<(), Miss> {
        let Some(footer) = &table.footer else {
            self.is_cut = true;
            return Ok(());
        };
        if self.ends.is_none() {
            let at = (Part::Partitions, footer.keys_at);
            self.rules.look(table, &footer.first, at, findings)?;
            self.ends = Some((footer.first.clone(), footer.last.clone()));
        }
        if footer.last != footer.first {
            let at = FilePos(footer.keys_at.0.saturating_add(2 + len64(footer.first.len())));
            self.rules.look(table, &footer.last, (Part::Partitions, at), findings)?;
        }
        self.count = footer.count;
        Ok(())
    }

    /// Walks on over Index.db.
    fn index<S: Source>(
        &mut self,
        table: &Table<S>,
        budget: u64,
        findings: &mut Findings,
    ) -> Result<(u64, bool), Miss> {
        let Some(source) = table.source(Part::Index) else {
            self.is_cut = true;
            return Ok((0, true));
        };
        let mut walk = IndexWalk::from(table.version().formats().index, self.index_at);
        let before = walk.at();
        loop {
            while let Some((at, key)) = self.batch.key() {
                self.rules.look(table, key, (Part::Index, at), findings)?;
                let last = key.to_vec();
                self.count += 1;
                match &mut self.ends {
                    Some(ends) => ends.1 = last,
                    none => *none = Some((last.clone(), last)),
                }
                self.batch.advance();
            }
            let done = walk.at().0.saturating_sub(before.0);
            if self.is_cut || walk.ended(source) {
                return Ok((done, true));
            }
            if done >= budget {
                return Ok((done, false));
            }
            self.batch.clear();
            let batch = &mut self.batch;
            let read = walk.run(source, u64::MAX, |head, bytes| {
                batch.push(head.at, head.key(bytes));
                if batch.bytes.len() < BATCH_BYTES {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
            self.index_at = walk.at();
            match read {
                Ok(_) => {}
                // What was read before the miss lies in the batch, and is looked at when the job is called again.
                Err(Error::Miss(miss)) => return Err(miss),
                Err(Error::Damage(_)) => self.is_cut = true,
            }
        }
    }

    /// The number of partitions and the ends, against Statistics.db.
    fn compare<S: Source>(&self, table: &Table<S>, findings: &mut Findings) {
        let Some(stats) = table.statistics.as_ref().and_then(|it| it.stats.as_ref()) else {
            return;
        };
        if self.is_cut {
            return;
        }
        let index = match table.readable_index() {
            Some(IndexKind::Trie) => Part::Partitions,
            _ => Part::Index,
        };
        let counted = stats.partition_sizes.total();
        if counted != self.count {
            findings.add(
                Finding::new(
                    PARTITION_COUNT,
                    "partition sizes",
                    format!("{} partitions, as {index} has", self.count),
                    format!("{counted}, summed up"),
                )
                .at(Part::Statistics, stats.at.partition_sizes),
            );
        }
        if let (Some(said), Some(ends)) = (&stats.ends, &self.ends) {
            let text = |key: &[u8]| table.key_schema().to_text(key);
            let sides = [("first key", &said.0, &ends.0), ("last key", &said.1, &ends.1)];
            if let Some((field, said, key)) = sides.into_iter().find(|(_, said, key)| said != key) {
                let expected = format!("{}, as in {index}", text(key));
                let finding = Finding::new(KEY_RANGE, field, expected, text(said));
                findings.add(finding.at(Part::Statistics, stats.at.ends).key(key));
            }
        }
    }

    /// Counts on the bits that are set.
    fn filter<S: Source>(&mut self, table: &Table<S>, budget: u64) -> Result<(u64, bool), Miss> {
        let (Some(filter), Some(source)) = (table.filter, table.source(Part::Filter)) else {
            return Ok((0, true));
        };
        // The head of the file is in the first page, and is no bit.
        let end = 8 + filter.words.saturating_mul(8);
        let before = self.filter_at.0;
        while self.filter_at.0 < end && self.filter_at.0.saturating_sub(before) < budget {
            let no = self.filter_at.page();
            let until = no.start().0.saturating_add(PAGE_SIZE).min(end);
            let page = match source.page(no) {
                Ok(page) => page,
                Err(Error::Miss(miss)) => return Err(miss),
                Err(Error::Damage(_)) => return Ok((0, true)),
            };
            let start = if no.0 == 0 { 8 } else { 0 };
            let stop = until.saturating_sub(no.start().0);
            let bytes = page.get(start..usize::try_from(stop).unwrap_or(0)).unwrap_or(&[]);
            self.ones += bytes.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>();
            self.filter_at = FilePos(until);
        }
        Ok((self.filter_at.0.saturating_sub(before), self.filter_at.0 >= end))
    }

    /// The size of the filter and the bits set in it, against the number of keys and the stated chance.
    fn weigh<S: Source>(&self, table: &Table<S>, findings: &mut Findings) {
        let chance = table
            .statistics
            .as_ref()
            .and_then(|it| it.validation.as_ref())
            .map(|validation| validation.filter_chance)
            .filter(|chance| *chance > 0.0 && *chance < 1.0);
        let (Some(filter), Some(chance)) = (table.filter, chance) else { return };
        if self.is_cut || self.count < FEWEST_KEYS || self.filter_at.0 == 0 {
            return;
        }
        let weight = Weight { keys: self.count, bits: filter.bits(), chance };
        if weight.oversize() >= TOO_LARGE {
            findings.add(
                Finding::new(
                    OVERSIZED,
                    "size per key",
                    format!("about {:.1} bits for a chance of {chance}", weight.asked()),
                    format!(
                        "{:.1} bits: about {:.0} × oversized (partition estimate was wrong)",
                        weight.per_key(),
                        weight.oversize()
                    ),
                )
                .part(Part::Filter),
            );
        }
        let passing = weight.passing(self.ones, filter.hashes);
        if passing > TOO_MANY * chance {
            findings.add(
                Finding::new(
                    FALSE_POSITIVES,
                    "bits set",
                    format!("{} of 100 absent keys pass, as stated", 100.0 * chance),
                    format!("{:.1} pass: {:.1} bits per key", 100.0 * passing, weight.per_key()),
                )
                .part(Part::Filter),
            );
        }
    }
}

impl Batch {
    fn clear(&mut self) {
        self.bytes.clear();
        self.keys.clear();
        (self.next, self.from) = (0, 0);
    }

    fn push(&mut self, at: FilePos, key: &[u8]) {
        self.bytes.extend_from_slice(key);
        self.keys.push((at, self.bytes.len()));
    }

    /// The next key to look at.
    fn key(&self) -> Option<(FilePos, &[u8])> {
        let (at, end) = self.keys.get(self.next).copied()?;
        Some((at, self.bytes.get(self.from..end).unwrap_or(&[])))
    }

    fn advance(&mut self) {
        self.from = self.keys.get(self.next).map_or(self.from, |(_, end)| *end);
        self.next += 1;
    }
}

/// A filter as numbers.
#[derive(Clone, Copy, Debug)]
struct Weight {
    keys: u64,
    bits: u64,
    chance: f64,
}

impl Weight {
    /// Bits a key.
    fn per_key(&self) -> f64 {
        real(self.bits) / real(self.keys)
    }

    /// Bits a key that both databases give a filter of this chance: a whole number for each key, 20 more in all, and
    /// then whole words.
    fn asked(&self) -> f64 {
        let a_key = (-self.chance.log2() / std::f64::consts::LN_2).ceil().clamp(1.0, 20.0);
        let words = ((real(self.keys) * a_key + 20.0) / 64.0).ceil();
        words * 64.0 / real(self.keys)
    }

    fn oversize(&self) -> f64 {
        self.per_key() / self.asked()
    }

    /// The part of absent keys that find all their bits set.
    fn passing(&self, ones: u64, hashes: u32) -> f64 {
        (real(ones) / real(self.bits)).powf(f64::from(hashes))
    }
}

/// A count as a real number; sizes of files lose nothing.
fn real(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f28_sizes_are_weighed_against_what_the_chance_asks_for() {
        let weight = |keys, bytes: u64| Weight { keys, bits: 8 * bytes, chance: 0.01 };
        let said =
            |it: Weight| format!("{:.1} {:.1} {:.1}", it.per_key(), it.asked(), it.oversize());
        assert_eq!(said(weight(10, 168)), "134.4 12.8 10.5");
        assert_eq!(said(weight(10, 16)), "12.8 12.8 1.0");
        assert_eq!(said(weight(130, 328)), "20.2 10.3 2.0");
        let seven_million = Weight { keys: 7_000_000, bits: 120_000_000, chance: 0.0001 };
        assert_eq!(said(seven_million), "17.1 20.0 0.9");
    }
}
