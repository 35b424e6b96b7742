//! Why a race cannot be run, or not yet.

use crate::big::SampleRule;
use crate::error::{Error, Miss, ReadError};
use crate::table::IndexFormat;

/// Why a race stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Bytes are not here yet: fetch them and run again.
    Miss(Miss),
    /// What was typed is no key of this table; a sentence says what was expected.
    Text {
        /// The sentence.
        why: String,
    },
    /// Index.db must be sampled first ([`crate::big::Sampler`]), since no summary can be used.
    Sample(SampleWanted),
    /// Damage outside the lookup itself.
    Damage(Box<ReadError>),
}

/// Samples that have to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleWanted {
    /// By which rule.
    pub rule: SampleRule,
    /// The format of Index.db.
    pub format: IndexFormat,
    /// Bytes of Index.db that will be read for them.
    pub bytes: u64,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        match error {
            Error::Miss(miss) => Self::Miss(miss),
            Error::Damage(error) => Self::Damage(error),
        }
    }
}
