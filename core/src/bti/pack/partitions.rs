//! Partitions.db: the shortest prefixes that tell the keys apart, then the first and last key and the footer.
//! See `docs/format/trie.md`.

use super::flavour::Flavour;
use super::observer::PackObserver;
use super::payload::Payload;
use super::writer::{TrieWriter, common, follows};
use crate::limits;
use crate::pos::{DataPos, FilePos};
use crate::table::Part;
use crate::write::{Sink, WriteError, append_few};

/// Where a partition is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartitionTarget {
    /// It has no row index: its position in Data.db.
    Data(DataPos),
    /// It has one: the position of its entry in Rows.db.
    Rows(FilePos),
}

/// Writes Partitions.db of partitions that come in the order of their tokens.
#[derive(Debug)]
pub struct PartitionsWriter<W: Sink, O: PackObserver = ()> {
    trie: TrieWriter<W, O>,
    /// The partition before, which waits for its successor: only then its prefix is known.
    before: Option<Payload>,
    /// Its comparable key.
    key: Vec<u8>,
    /// Bytes that it needs to be told from its predecessor.
    needed: usize,
    first: Vec<u8>,
    last: Vec<u8>,
    count: u64,
}

impl<W: Sink> PartitionsWriter<W> {
    /// A writer at the start of the file. Nobody listens.
    pub fn new(flavour: Flavour, sink: W) -> Self {
        Self::observed(flavour, sink, ())
    }
}

impl<W: Sink, O: PackObserver> PartitionsWriter<W, O> {
    /// A writer that tells `observer` each step.
    pub fn observed(flavour: Flavour, sink: W, observer: O) -> Self {
        Self {
            trie: TrieWriter::observed(Part::Partitions, flavour, sink, observer),
            before: None,
            key: Vec::new(),
            needed: 0,
            first: Vec::new(),
            last: Vec::new(),
            count: 0,
        }
    }

    /// Adds a partition: its serialized key, the byte-comparable form of it, the low byte of its hash's second half, and
    /// where it is.
    pub fn add(
        &mut self,
        serialized: &[u8],
        comparable: &[u8],
        hash: u8,
        target: PartitionTarget,
    ) -> Result<(), WriteError> {
        if serialized.len() > limits::KEY_BYTES {
            let previous = self.before.map(|_| self.last.clone());
            let (got, limit) = (serialized.to_vec(), limits::KEY_BYTES);
            return Err(WriteError::TooLong { previous, got, limit });
        }
        let payload = Payload::partition(hash, signed(target)?);
        match self.before.take() {
            None => self.first.extend_from_slice(serialized),
            Some(before) => {
                let shared = common(&self.key, comparable);
                if !follows(&self.key, comparable, shared) {
                    self.before = Some(before);
                    return Err(match comparable == self.key.as_slice() {
                        true => WriteError::Duplicate { key: serialized.to_vec() },
                        false => WriteError::OutOfOrder {
                            previous: self.last.clone(),
                            got: serialized.to_vec(),
                        },
                    });
                }
                self.flush(before, shared + 1)?;
                self.needed = shared + 1;
            }
        }
        self.before = Some(payload);
        for (kept, new) in [(&mut self.key, comparable), (&mut self.last, serialized)] {
            kept.clear();
            append_few(kept, new);
        }
        self.count += 1;
        Ok(())
    }

    /// Writes the end of the file and gives the sink back. A file without partitions has no root and cannot be written.
    pub fn finish(mut self) -> Result<W, WriteError> {
        let none = WriteError::Number { field: "partitions", expected: "at least 1", got: 0 };
        let before = self.before.take().ok_or(none.clone())?;
        let lone = if self.count == 1 { self.trie.flavour().lone_key_bytes } else { 0 };
        self.flush(before, lone)?;
        let root = self.trie.finish().ok_or(none)?;
        let keys_at = self.trie.at();
        for key in [&self.first, &self.last] {
            let bytes = u16::try_from(key.len()).unwrap_or(u16::MAX);
            self.trie.put(&bytes.to_be_bytes());
            self.trie.put(key);
        }
        for number in [keys_at, self.count, root] {
            self.trie.put(&number.to_be_bytes());
        }
        Ok(self.trie.into_sink())
    }

    /// Adds the waiting partition with the prefix that tells it from both neighbours.
    fn flush(&mut self, payload: Payload, needed: usize) -> Result<(), WriteError> {
        let bytes = needed.max(self.needed).min(self.key.len());
        let prefix = self.key.get(..bytes).unwrap_or(&[]);
        self.trie.add(prefix, payload, key_pieces().take_while(|end| *end < bytes))
    }
}

/// Ends of the pieces in which ScyllaDB holds a partition key: one for the first byte and the token, then those of a buffer
/// that grows by 512, 1024, 2048, … bytes less 24 (`docs/format/packing.md`, "Pieces of a key").
pub(crate) fn key_pieces() -> impl Iterator<Item = usize> {
    let mut piece = 256_usize;
    std::iter::successors(Some(9), move |end: &usize| {
        piece = (piece * 2).min(128 << 10);
        Some(end + piece - 24)
    })
}

/// `~position` for Data.db, the position itself for Rows.db.
fn signed(target: PartitionTarget) -> Result<i64, WriteError> {
    let (field, position) = match target {
        PartitionTarget::Data(DataPos(at)) => ("position in Data.db", at),
        PartitionTarget::Rows(FilePos(at)) => ("position in Rows.db", at),
    };
    let expected = "at most 2^63 - 1";
    let number = i64::try_from(position).map_err(|_| WriteError::Number {
        field,
        expected,
        got: position,
    })?;
    Ok(if matches!(target, PartitionTarget::Data(_)) { !number } else { number })
}
