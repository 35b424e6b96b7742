//! Where a summary departs from the rules by which the databases choose samples (`docs/format/summary.md`, which keys are
//! sampled).

use crate::big::sample::ByBytes;
use crate::pos::FilePos;

/// Where a summary departs from ScyllaDB's rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Departure {
    /// Number of the entry, from 0.
    pub(super) entry: u64,
    /// Its position in Index.db.
    pub(super) at: FilePos,
    /// Whether it is a sample; the rule says the opposite.
    pub(super) sampled: bool,
}

/// A summary beside one rule.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Beside {
    rule: ByBytes,
    pub(super) departure: Option<Departure>,
}

impl Beside {
    /// The next entry, which is a sample or not.
    #[inline]
    pub(super) fn next(
        &mut self,
        (entry, at): (u64, FilePos),
        key_length: u64,
        data: u64,
        sampled: bool,
    ) {
        if self.departure.is_none() && self.rule.next(key_length, data) != sampled {
            self.departure = Some(Departure { entry, at, sampled });
        }
    }
}

/// Where a summary departs from Cassandra's rule: a window that does not have as many entries as declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Uneven {
    /// Number of the sample that begins the window.
    pub(super) sample: u64,
    /// Position of the window in Index.db.
    pub(super) at: FilePos,
    /// Entries that it should have.
    pub(super) declared: u64,
    /// Entries that it has.
    pub(super) found: u64,
}
