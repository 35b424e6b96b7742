//! The samples of Summary.db in order, while Index.db is walked beside them.

use super::promoted::found;
use super::words::to_hex;
use crate::big::Summary;
use crate::check::catalog::summary::{
    FIRST_SAMPLE, KEY, ORDER, POSITION, POSITIONS_ASCEND, SAMPLE,
};
use crate::check::{Finding, Findings};
use crate::error::Miss;
use crate::keys::{Decorated, Partitioner, Token};
use crate::pos::FilePos;
use crate::source::Source;
use crate::table::Part;
use std::cmp::Ordering;

/// Samples that are looked at in one go in search of one that can be read.
const IN_ONE_GO: u64 = 256;

/// A summary and its bytes.
pub(super) type File<'a, S> = (&'a Summary, &'a S);

/// The walk over the samples. One is held until the walk over Index.db has come to its position.
#[derive(Clone, Debug, Default)]
pub(super) struct SampleWalk {
    next: u64,
    here: Option<Sample>,
    key: Vec<u8>,
    /// The last sample that could be read: its key and token, and its position in Index.db.
    before: Option<(Token, FilePos)>,
    before_key: Vec<u8>,
    /// Whether the sample before could not be read.
    unreadable: bool,
    /// Whether anything was wrong: then windows are not those that the writer meant.
    pub(super) faulty: bool,
}

/// A sample that could be read; its key is [`SampleWalk::key`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Its number, from 0.
    pub(super) number: u64,
    /// Its position in Index.db.
    pub(super) at: FilePos,
    /// Position of its first byte in Summary.db.
    place: FilePos,
    /// Whether something was said of it.
    told: bool,
}

impl SampleWalk {
    /// The sample that is held.
    #[inline]
    pub(super) fn here(&self) -> Option<Sample> {
        self.here
    }

    /// The key of the sample that is held.
    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }

    /// Lets go of the sample that is held.
    pub(super) fn pass(&mut self) {
        self.here = None;
    }

    /// Whether no sample is held and none is left.
    pub(super) fn ended(&self, summary: &Summary) -> bool {
        self.here.is_none() && self.next >= summary.header.samples
    }

    /// Samples that were not read yet.
    pub(super) fn left(&self, summary: &Summary) -> u64 {
        summary.header.samples.saturating_sub(self.next)
    }

    /// Holds the next sample that can be read. The answer is whether there is one, or none is left; else it is to be
    /// called again. `order` is the partitioner where the order of keys is known.
    pub(super) fn load<S: Source>(
        &mut self,
        (summary, source): File<'_, S>,
        order: Option<&Partitioner>,
        findings: &mut Findings,
    ) -> Result<bool, Miss> {
        for _ in 0..IN_ONE_GO {
            if self.here.is_some() || self.next >= summary.header.samples {
                return Ok(true);
            }
            let number = self.next;
            let at = match found(summary.sample(source, number, &mut self.key))? {
                Ok(at) => at,
                Err(error) => {
                    // An offset that is wrong spoils two entries, and is one fault.
                    if !self.unreadable {
                        findings.add(Finding::unreadable(SAMPLE, &error));
                    }
                    (self.unreadable, self.faulty) = (true, true);
                    self.next += 1;
                    continue;
                }
            };
            let position = found(summary.position_field(source, number))?.unwrap_or(FilePos(0));
            let key_bytes = crate::pos::len64(self.key.len());
            let place = FilePos(position.0.saturating_sub(key_bytes));
            let mut sample = Sample { number, at, place, told: false };
            let finding = self.look(&mut sample, position, order);
            self.next += 1;
            self.unreadable = false;
            if let Some(finding) = finding {
                self.faulty = true;
                let passed_by = finding.check.id == POSITIONS_ASCEND.id;
                findings.add(finding.key(&self.key));
                if passed_by {
                    continue;
                }
            }
            let token = order.map_or(Token::Key, |order| order.token(&self.key));
            self.before = Some((token, at));
            self.before_key.clear();
            self.before_key.extend_from_slice(&self.key);
            self.here = Some(sample);
        }
        Ok(false)
    }

    /// Compares a sample with the one before.
    fn look(
        &self,
        sample: &mut Sample,
        position: FilePos,
        order: Option<&Partitioner>,
    ) -> Option<Finding> {
        let field = format!("position of sample {}", sample.number);
        let Some((token, before)) = &self.before else {
            if sample.number > 0 || sample.at == FilePos(0) {
                return None;
            }
            sample.told = true;
            let finding = Finding::new(FIRST_SAMPLE, field, "0", sample.at.to_string());
            return Some(finding.at(Part::Summary, position));
        };
        if sample.at <= *before {
            let expected = format!("above {before}, that of the sample before");
            let finding = Finding::new(POSITIONS_ASCEND, field, expected, sample.at.to_string());
            return Some(finding.at(Part::Summary, position));
        }
        let order = order?;
        let here = Decorated { token: &order.token(&self.key), key: &self.key };
        let before = Decorated { token, key: &self.before_key };
        if before.order(&here) == Ordering::Less {
            return None;
        }
        sample.told = true;
        let expected = format!("behind {}, that of the sample before", to_hex(&self.before_key));
        let field = format!("key of sample {}", sample.number);
        let finding = Finding::new(ORDER, field, expected, to_hex(&self.key));
        Some(finding.at(Part::Summary, sample.place))
    }

    /// The walk over Index.db has an entry with this key at the position of the sample that is held.
    pub(super) fn meet(&mut self, key: &[u8], findings: &mut Findings) {
        let Some(sample) = self.here.take() else { return };
        if self.key == key || sample.told {
            return;
        }
        self.faulty = true;
        let expected = format!("{}, that of the entry at {}", to_hex(key), sample.at);
        let field = format!("key of sample {}", sample.number);
        let finding = Finding::new(KEY, field, expected, to_hex(&self.key));
        findings.add(finding.at(Part::Summary, sample.place).key(key));
    }

    /// No entry begins at the position of the sample that is held. `why` says what is there.
    pub(super) fn astray(&mut self, why: String, findings: &mut Findings) {
        let Some(sample) = self.here.take() else { return };
        self.faulty = true;
        let at = FilePos(sample.place.0.saturating_add(crate::pos::len64(self.key.len())));
        let field = format!("position of sample {}", sample.number);
        let found = format!("{}, {why}", sample.at);
        let finding = Finding::new(POSITION, field, "the start of an entry of Index.db", found);
        findings.add(finding.at(Part::Summary, at).key(&self.key));
    }
}
