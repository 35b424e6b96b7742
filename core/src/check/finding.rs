//! A place that breaks a rule, as data; and the collector that keeps the first ones of each rule and counts all.

use super::catalog::{Check, Severity, from_id, to_id};
use crate::error::{Kind, ReadError};
use crate::pos::{FilePos, PAGE_SIZE, len64};
use crate::table::Part;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use std::borrow::Cow;
use std::fmt;

/// Findings of one rule that are kept; more are only counted. A file with a million broken nodes has one fault.
const KEPT_OF_A_CHECK: u64 = 100;

/// A place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule.
    #[serde(serialize_with = "to_id", deserialize_with = "from_id")]
    pub check: &'static Check,
    /// The component; `None` where it is about the set as a whole.
    pub part: Option<Part>,
    /// Position in that component; for Data.db in the uncompressed stream unless `field` says otherwise.
    pub at: Option<FilePos>,
    /// Bytes from there that it is about, where that is known.
    pub len: Option<u64>,
    /// Name of the field, a noun of the format.
    pub field: Cow<'static, str>,
    /// What a healthy table has there.
    pub expected: Cow<'static, str>,
    /// What is there.
    pub found: Cow<'static, str>,
    /// The serialized key of the partition it is about.
    pub key: Option<ByteBuf>,
    /// What it costs, for layouts that are valid but dear.
    pub cost: Option<Cost>,
}

/// Page fetches of a cold lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Of the median key.
    pub median: u32,
    /// Of the worst key.
    pub worst: u32,
}

/// Collects findings: of each rule the first hundred, and how many there were.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    kept: Vec<Finding>,
    counts: Vec<(&'static Check, u64)>,
}

impl Finding {
    /// A finding about the set as a whole, to be completed by the methods below.
    pub fn new(
        check: &'static Check,
        field: impl Into<Cow<'static, str>>,
        expected: impl Into<Cow<'static, str>>,
        found: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            check,
            part: None,
            at: None,
            len: None,
            field: field.into(),
            expected: expected.into(),
            found: found.into(),
            key: None,
            cost: None,
        }
    }

    /// A field that could not be read.
    pub fn unreadable(check: &'static Check, error: &ReadError) -> Self {
        let (expected, found) = error.kind.sides();
        Self::new(check, error.field.clone(), expected, found).at(error.part, error.at)
    }

    /// In a component.
    #[must_use]
    pub fn part(self, part: Part) -> Self {
        Self { part: Some(part), ..self }
    }

    /// At a position of a component.
    #[must_use]
    pub fn at(self, part: Part, at: FilePos) -> Self {
        Self { part: Some(part), at: Some(at), ..self }
    }

    /// About so many bytes.
    #[must_use]
    pub fn len(self, len: u64) -> Self {
        Self { len: Some(len), ..self }
    }

    /// About a partition.
    #[must_use]
    pub fn key(self, key: &[u8]) -> Self {
        Self { key: Some(ByteBuf::from(key)), ..self }
    }

    /// With a cost.
    #[must_use]
    pub fn cost(self, cost: Cost) -> Self {
        Self { cost: Some(cost), ..self }
    }
}

impl Findings {
    /// Adds a finding: keeps it if its rule has few, and counts it.
    pub fn add(&mut self, finding: Finding) {
        if self.count(finding.check) {
            self.kept.push(finding);
        }
    }

    /// Counts one more of a rule and says whether it is still to be kept ([`Self::keep`]); for findings that are dear to
    /// make.
    pub fn count(&mut self, check: &'static Check) -> bool {
        let count = match self.counts.iter_mut().find(|(known, _)| known.id == check.id) {
            Some((_, count)) => count,
            None => {
                self.counts.push((check, 0));
                match self.counts.last_mut() {
                    Some((_, count)) => count,
                    None => return false,
                }
            }
        };
        *count = count.saturating_add(1);
        *count <= KEPT_OF_A_CHECK
    }

    /// Keeps a finding that was counted.
    pub fn keep(&mut self, finding: Finding) {
        self.kept.push(finding);
    }

    /// Takes over what another collector holds, as if it had been added here.
    pub fn absorb(&mut self, other: Self) {
        let kept = |check: &Check| other.kept.iter().filter(|it| it.check.id == check.id).count();
        let only_counted: Vec<(&'static Check, u64)> = other
            .counts
            .iter()
            .map(|(check, count)| (*check, count.saturating_sub(len64(kept(check)))))
            .filter(|(_, more)| *more > 0)
            .collect();
        for finding in other.kept {
            self.add(finding);
        }
        for (check, more) in only_counted {
            self.count(check);
            if let Some((_, total)) = self.counts.iter_mut().find(|(own, _)| own.id == check.id) {
                *total = total.saturating_add(more - 1);
            }
        }
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// How often a rule was broken so far.
    pub fn total(&self, check: &Check) -> u64 {
        self.counts.iter().find(|(known, _)| known.id == check.id).map_or(0, |(_, count)| *count)
    }

    /// Those kept, in the order they were found.
    pub fn kept(&self) -> &[Finding] {
        &self.kept
    }

    /// Each rule that was broken, with how often.
    pub fn counts(&self) -> &[(&'static Check, u64)] {
        &self.counts
    }

    /// The worst severity found.
    pub fn worst(&self) -> Option<Severity> {
        self.counts.iter().map(|(check, _)| check.severity).max()
    }
}

impl Kind {
    /// Expected and found, in words.
    pub fn sides(&self) -> (Cow<'static, str>, Cow<'static, str>) {
        match self {
            Self::Truncated { needed, left } => {
                (format!("{needed} more bytes").into(), left.to_string().into())
            }
            Self::OutOfRange { expected, found } => (expected.clone(), found.to_string().into()),
            Self::OverLimit { limit, found } => (
                format!("at most {limit} (a limit of this program)").into(),
                found.to_string().into(),
            ),
            Self::Unexpected { expected, found } => (expected.clone(), found.clone()),
            Self::Unreadable { reason } => ("a readable file".into(), reason.clone()),
        }
    }
}

impl fmt::Display for Finding {
    /// `Partitions.db, offset 8000 (page 1 + 3904), child distance: expected 1..=8000, found 9121`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(part) = self.part {
            write!(f, "{part}, ")?;
        }
        if let Some(FilePos(at)) = self.at {
            write!(f, "offset {at} (page {} + {}), ", at / PAGE_SIZE, at % PAGE_SIZE)?;
        }
        write!(f, "{}: expected {}, found {}", self.field, self.expected, self.found)
    }
}
