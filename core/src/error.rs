//! What can go wrong while reading: bytes that are not here yet ([`Miss`]) and bytes that are wrong ([`ReadError`]).
//!
//! Missing bytes are not damage: a miss asks the host for a range and the lookup is run again. Damage says part,
//! position, field, expected and found, as data; the text is made in one place, `Display`.

use crate::pos::{FilePos, PAGE_SIZE};
use crate::table::Part;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// A range of a component that the source cannot hand out yet. The host fetches it and runs the work again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Miss {
    /// The component.
    pub part: Part,
    /// First byte wanted.
    pub from: FilePos,
    /// End of the range, exclusive: the whole range the work is about to need, not only one page.
    pub to: FilePos,
}

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// The file or record ends before the field does.
    Truncated {
        /// Bytes that the field needs.
        needed: u64,
        /// Bytes that are there.
        left: u64,
    },
    /// A number outside the range that the format allows.
    OutOfRange {
        /// The allowed range or value, in words: `1..=255`, `at most 4096`.
        expected: Cow<'static, str>,
        /// The number found.
        found: i128,
    },
    /// A number above a limit of this program, which guards memory and time, not the format.
    OverLimit {
        /// The limit.
        limit: u64,
        /// The number found.
        found: u64,
    },
    /// Other bytes or another text than the format asks for.
    Unexpected {
        /// What should be there.
        expected: Cow<'static, str>,
        /// What is there.
        found: Cow<'static, str>,
    },
    /// The host could not read the file: it vanished, changed, or the permission ended.
    Unreadable {
        /// The host's reason.
        reason: Cow<'static, str>,
    },
}

/// A field that cannot be read, with its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadError {
    /// The component.
    pub part: Part,
    /// Position in that component (for Data.db in the uncompressed stream unless `field` says otherwise).
    pub at: FilePos,
    /// Name of the field, a noun of the format: `child distance`, `key length`.
    pub field: Cow<'static, str>,
    /// What is wrong.
    pub kind: Kind,
}

impl ReadError {
    /// A field with an error of any kind.
    #[cold]
    pub fn new(part: Part, at: FilePos, field: impl Into<Cow<'static, str>>, kind: Kind) -> Self {
        Self { part, at, field: field.into(), kind }
    }

    /// A number outside its range.
    #[cold]
    pub fn out_of_range(
        part: Part,
        at: FilePos,
        field: impl Into<Cow<'static, str>>,
        expected: impl Into<Cow<'static, str>>,
        found: impl Into<i128>,
    ) -> Self {
        Self::new(
            part,
            at,
            field,
            Kind::OutOfRange { expected: expected.into(), found: found.into() },
        )
    }

    /// Bytes or text other than expected.
    #[cold]
    pub fn unexpected(
        part: Part,
        at: FilePos,
        field: impl Into<Cow<'static, str>>,
        expected: impl Into<Cow<'static, str>>,
        found: impl Into<Cow<'static, str>>,
    ) -> Self {
        let kind = Kind::Unexpected { expected: expected.into(), found: found.into() };
        Self::new(part, at, field, kind)
    }

    /// A field that the file's end cuts off.
    #[cold]
    pub fn truncated(
        part: Part,
        at: FilePos,
        field: impl Into<Cow<'static, str>>,
        needed: u64,
        left: u64,
    ) -> Self {
        Self::new(part, at, field, Kind::Truncated { needed, left })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { needed, left } => {
                write!(f, "expected {needed} more bytes, found {left}")
            }
            Self::OutOfRange { expected, found } => write!(f, "expected {expected}, found {found}"),
            Self::OverLimit { limit, found } => {
                write!(f, "expected at most {limit} (a limit of this program), found {found}")
            }
            Self::Unexpected { expected, found } => write!(f, "expected {expected}, found {found}"),
            Self::Unreadable { reason } => write!(f, "expected a readable file, found: {reason}"),
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (at, page) = (self.at.0, self.at.0 / PAGE_SIZE);
        write!(
            f,
            "{}, offset {at} (page {page} + {}), {}: {}",
            self.part,
            at % PAGE_SIZE,
            self.field,
            self.kind
        )
    }
}

impl std::error::Error for ReadError {}

/// Why reading stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// Bytes are not here yet: fetch them and run again.
    Miss(Miss),
    /// Bytes are wrong.
    Damage(Box<ReadError>),
}

impl From<Miss> for Error {
    fn from(miss: Miss) -> Self {
        Self::Miss(miss)
    }
}

impl From<ReadError> for Error {
    #[cold]
    fn from(error: ReadError) -> Self {
        Self::Damage(Box::new(error))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Miss(m) => write!(f, "{}: bytes {}..{} are not here yet", m.part, m.from, m.to),
            Self::Damage(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_part_position_field_expected_and_found() {
        let error = ReadError::out_of_range(
            Part::Partitions,
            FilePos(0x1f40),
            "child distance",
            "1..=8000",
            9121,
        );
        assert_eq!(
            error.to_string(),
            "Partitions.db, offset 8000 (page 1 + 3904), child distance: expected 1..=8000, found 9121"
        );
    }
}
