//! What a writer refuses.

use crate::table::Version;
use std::fmt;

/// Input that cannot be written. Both keys are told, so that a person sees what came where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteError {
    /// A key does not sort after the one before.
    OutOfOrder {
        /// The key before.
        previous: Vec<u8>,
        /// The key that came.
        got: Vec<u8>,
    },
    /// A key came twice.
    Duplicate {
        /// The key.
        key: Vec<u8>,
    },
    /// A key is longer than the format can hold.
    TooLong {
        /// The key before, if there was one.
        previous: Option<Vec<u8>>,
        /// The key that came.
        got: Vec<u8>,
        /// The greatest length.
        limit: usize,
    },
    /// A number that the format has no room for, or that does not follow the ones before it.
    Number {
        /// What it is.
        field: &'static str,
        /// What is allowed, in words.
        expected: &'static str,
        /// The number.
        got: u64,
    },
    /// As [`Self::Number`], of numbers that may be negative.
    Signed {
        /// What it is.
        field: &'static str,
        /// What is allowed, in words.
        expected: &'static str,
        /// The number.
        got: i64,
    },
    /// Something that the version cannot be written without, and that is not known.
    Lacks {
        /// What it is.
        field: &'static str,
    },
    /// A version that is not written here.
    Version {
        /// Those that are, in words.
        expected: &'static str,
        /// The version.
        got: Version,
    },
}

/// The first bytes of a key in hexadecimal.
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 40;
        for byte in self.0.iter().take(SHOWN) {
            write!(f, "{byte:02x}")?;
        }
        if self.0.len() > SHOWN {
            write!(f, "… ({} bytes)", self.0.len())?;
        }
        Ok(())
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfOrder { previous, got } => {
                write!(f, "key {} came after {}, but sorts before it", Hex(got), Hex(previous))
            }
            Self::Duplicate { key } => write!(f, "key {} came twice", Hex(key)),
            Self::TooLong { previous, got, limit } => {
                write!(f, "key {} is too long: the format holds at most {limit} bytes", Hex(got))?;
                previous
                    .as_ref()
                    .map_or(Ok(()), |before| write!(f, "; it came after {}", Hex(before)))
            }
            Self::Number { field, expected, got } => {
                write!(f, "{field}: expected {expected}, got {got}")
            }
            Self::Signed { field, expected, got } => {
                write!(f, "{field}: expected {expected}, got {got}")
            }
            Self::Lacks { field } => write!(f, "the version needs what is not known: {field}"),
            Self::Version { expected, got } => {
                write!(f, "version: expected {expected}, got {got}")
            }
        }
    }
}

impl std::error::Error for WriteError {}
