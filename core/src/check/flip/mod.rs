//! The bit-flip finder: which single-bit changes of a damaged chunk, or of the checksum beside it, make the checksum
//! right, and what each would change in the rows.
//!
//! A flipped bit in memory or on disk is the commonest small damage. A checksum that fails says only that something is
//! wrong; since it is solved for the bit here, it says what was there before, if it was one bit. Two faults in one chunk
//! have no candidate, or a wrong one with a chance of 1 in some 8,000 a chunk of 64 KiB: the digest tells.

mod algebra;
mod effect;
mod faults;
mod job;
mod trial;
mod view;

pub use job::FlipJob;
pub use trial::{Repair, TrialJob, suspects};

use crate::pos::{DataPos, FilePos};
use crate::table::Part;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use std::fmt;

/// What the finder came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlipReport {
    /// What is wrong, each with the changes that would make it right.
    pub faults: Vec<Fault>,
    /// Failed chunks beyond [`crate::limits::FLIP_CHUNKS`], which were not looked into.
    pub more: u64,
    /// Why nothing can be said, in a sentence; `None` when everything was compared.
    pub note: Option<String>,
}

/// A checksum that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What it is of.
    pub of: Summed,
    /// The sum that is stored, as text: hexadecimal of a chunk, as in the file of a digest.
    pub stored: String,
    /// The sum of the bytes.
    pub computed: String,
    /// The changes that make the sums equal. None: more than one bit is wrong.
    pub candidates: Vec<Candidate>,
}

/// What a checksum is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Summed {
    /// A chunk of Data.db.
    Chunk {
        /// Its number, from 0.
        chunk: u64,
        /// Position of its first stored byte.
        at: FilePos,
        /// Its stored bytes.
        stored_bytes: u64,
        /// Position of its first byte in the uncompressed stream.
        start: DataPos,
        /// Its bytes there.
        bytes: u64,
    },
    /// All of Data.db.
    File,
}

/// A change that makes a checksum right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The component that is changed.
    pub part: Part,
    /// Its byte.
    pub at: FilePos,
    /// What the byte belongs to.
    pub place: Place,
    /// The bit, 0 is the lowest. `None` for a digit of a digest that differs in more than a bit.
    pub bit: Option<u8>,
    /// The byte as it is.
    pub before: u8,
    /// The byte as it would be.
    pub after: u8,
    /// Whether the digest of the whole file would be right as well; `None` where that cannot be told.
    pub digest_agrees: Option<bool>,
    /// What it would change in the rows; `None` where it changes no data, or the data cannot be read.
    pub effect: Option<Effect>,
}

/// What a changed byte belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// The bytes that were summed up.
    Data,
    /// The checksum of the chunk.
    Checksum,
    /// The text of the digest file.
    Digest,
}

/// What a change does to the decoded data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    /// Why the stored bytes of a compressed chunk cannot be decompressed as they are.
    pub error_before: Option<String>,
    /// Why they cannot be with the change.
    pub error_after: Option<String>,
    /// Bytes of the uncompressed stream that change.
    pub differing: u64,
    /// The first of them, at most [`crate::limits::FLIP_BYTES`].
    pub bytes: Vec<ByteChange>,
    /// Key of the partition that the first of them belongs to.
    pub key: Option<ByteBuf>,
    /// Position of that partition.
    pub partition: Option<DataPos>,
    /// The field of the partition: `cell of column v`, `partition key`.
    pub field: Option<String>,
    /// The row, marker or head there as it is now, or why it cannot be read.
    pub before: Option<String>,
    /// And as it would be.
    pub after: Option<String>,
}

/// A byte of the uncompressed stream that changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByteChange {
    /// Its position.
    pub at: DataPos,
    /// As it is.
    pub before: u8,
    /// As it would be.
    pub after: u8,
}

impl fmt::Display for Candidate {
    /// `Data.db, offset 7900, bit 3: the byte 4f becomes 47, and the digest agrees`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, offset {}", self.part, self.at)?;
        if let Some(bit) = self.bit {
            write!(f, ", bit {bit}")?;
        }
        match self.place {
            Place::Data => f.write_str(": the byte ")?,
            Place::Checksum => f.write_str(": the checksum's byte ")?,
            Place::Digest => {
                let (before, after) = (char::from(self.before), char::from(self.after));
                return write!(f, ": the digit {before} of the digest becomes {after}");
            }
        }
        write!(f, "{:02x} becomes {:02x}", self.before, self.after)?;
        match self.digest_agrees {
            Some(true) => f.write_str(", and the digest agrees"),
            Some(false) => f.write_str(", and the digest does not agree"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Fault {
    /// `checksum of stored chunk 2: stored 23a2a1ff, its bytes have 3ff90653`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.of {
            Summed::Chunk { chunk, .. } => write!(f, "checksum of stored chunk {chunk}")?,
            Summed::File => f.write_str("digest of Data.db")?,
        }
        write!(f, ": stored {}, its bytes have {}", self.stored, self.computed)
    }
}
