//! Why a command could not run, and what its exit code says.

use std::io::{self, Write as _};
use triescope_core::error::{Error, Kind};

/// Why a command ended early.
#[derive(Debug)]
pub enum Failure {
    /// What was asked for cannot be done; a sentence says why.
    Message(String),
    /// Damage kept it from going on; it says where.
    Damaged(String),
    /// Whoever reads the output has enough.
    PipeClosed,
}

/// What a command has come to, where it could run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nothing is broken: exit code 0.
    Clean,
    /// Something is broken: exit code 1.
    Broken,
    /// Something could not be looked at: exit code 2.
    NotRun,
}

/// What commands return.
pub type Outcome = Result<Verdict, Failure>;

/// Says something on the standard error. Nobody is told when that is gone.
pub fn complain(text: &str) {
    _ = writeln!(io::stderr(), "triescope: {text}");
}

impl Failure {
    /// A sentence.
    pub fn new(text: impl Into<String>) -> Self {
        Self::Message(text.into())
    }
}

impl Verdict {
    /// The exit code.
    pub const fn code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Broken => 1,
            Self::NotRun => 2,
        }
    }
}

impl From<io::Error> for Failure {
    /// Only output is written with `?`: files are read by [`crate::source`], which has its own errors.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::PipeClosed,
            _ => Self::Message(format!("the output cannot be written: {error}")),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        match error.io_error_kind() {
            Some(kind) => io::Error::from(kind).into(),
            None => Self::Message(format!("the output cannot be written: {error}")),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match &error {
            Error::Damage(damage) if !matches!(damage.kind, Kind::Unreadable { .. }) => {
                Self::Damaged(error.to_string())
            }
            _ => Self::Message(error.to_string()),
        }
    }
}
