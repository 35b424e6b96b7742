//! Why there is nothing to replay.

use crate::error::{Error, Miss, ReadError};
use crate::limits;
use crate::twin::Refusal;
use crate::write::WriteError;
use std::fmt;

/// What stands against entries of a trie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntriesError {
    /// Bytes are not here yet: fetch them and run again.
    Miss(Miss),
    /// The file is damaged.
    Damage(Box<ReadError>),
    /// A writer would refuse the keys.
    Write(WriteError),
    /// The entries need more memory than they may take.
    Budget {
        /// Bytes that they would take in all, about.
        needed: u64,
        /// Bytes that they may take.
        budget: u64,
    },
    /// Index.db cannot be written again.
    Refused(Box<Refusal>),
    /// The SSTable has nothing of this kind, in words.
    Nothing(&'static str),
}

impl From<Error> for EntriesError {
    fn from(error: Error) -> Self {
        match error {
            Error::Miss(miss) => Self::Miss(miss),
            Error::Damage(error) => Self::Damage(error),
        }
    }
}

impl From<WriteError> for EntriesError {
    fn from(error: WriteError) -> Self {
        Self::Write(error)
    }
}

impl fmt::Display for EntriesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Miss(miss) => Error::Miss(*miss).fmt(f),
            Self::Damage(error) => error.fmt(f),
            Self::Write(error) => write!(f, "these keys cannot be written: {error}"),
            Self::Budget { needed, budget } => write!(
                f,
                "the keys of this trie would take about {} in memory, a replay may take {}; \
                 the verdict on the file needs none of it",
                mib(*needed),
                mib(*budget)
            ),
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Nothing(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for EntriesError {}

fn mib(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(1 << 20))
}

/// Why typed or generated keys are not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypedError {
    /// No line has a character.
    Empty,
    /// More keys than are taken.
    TooMany {
        /// Their number.
        keys: u64,
    },
    /// More bytes than are taken.
    TooLarge {
        /// Their number.
        bytes: u64,
    },
    /// A key that is too long.
    TooLong {
        /// Its line, from 1.
        line: u64,
        /// Its bytes.
        bytes: u64,
    },
}

impl fmt::Display for TypedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "no key yet: type one a line"),
            Self::TooMany { keys } => {
                write!(f, "{keys} keys: at most {} are taken", limits::TYPED_KEYS)
            }
            Self::TooLarge { bytes } => {
                write!(f, "keys of {bytes} bytes in all: at most {} are taken", limits::TYPED_BYTES)
            }
            Self::TooLong { line, bytes } => write!(
                f,
                "line {line} has {bytes} bytes: a key has at most {}",
                limits::TYPED_KEY_BYTES
            ),
        }
    }
}

impl std::error::Error for TypedError {}
