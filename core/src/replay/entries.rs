//! What a writer of one trie is fed, kept in memory: each key as what it does not share with the one before.

use super::error::EntriesError;
use crate::bti::pack::{Payload, TrieWriter, key_pieces};
use crate::limits;
use crate::pos::{FilePos, len64};
use crate::table::Part;
use crate::write::{Sink, WriteError};

/// The prefixes and payloads of one trie in order.
#[derive(Clone, Debug)]
pub struct Entries {
    part: Part,
    start: FilePos,
    fragments: Fragments,
    tail_bytes: u64,
    count: u64,
    arena: Vec<u8>,
    budget: u64,
    /// The key that was added last.
    last: Vec<u8>,
}

/// Where ScyllaDB's writer cuts the bytes of a key, since it holds it in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fragments {
    /// Nowhere.
    None,
    /// A partition key: behind its first byte and the token, then as a clustering.
    Partition,
    /// A clustering: behind 488 bytes, then 1000, 2024, 4072 and so on.
    Clustering,
}

/// A place among entries, with the key before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Cursor {
    at: usize,
    key: Vec<u8>,
    /// Entries passed.
    pub done: u64,
}

impl Entries {
    /// No entries of a trie that begins at `start` of `part`; `tail_bytes` is what follows the trie in the file: keys and
    /// footer, or an entry of Rows.db. `budget` is the memory that they may take.
    pub fn new(
        part: Part,
        start: FilePos,
        fragments: Fragments,
        tail_bytes: u64,
        budget: u64,
    ) -> Self {
        let (arena, last) = (Vec::new(), Vec::new());
        Self { part, start, fragments, tail_bytes, count: 0, arena, budget, last }
    }

    /// Adds a key with what its node carries. Keys must ascend.
    ///
    /// # Errors
    /// [`EntriesError::Write`] for a key out of order or twice, [`EntriesError::Budget`] once the entries take more memory
    /// than they may; `of` are the entries to come in all, where that is known, for the estimate.
    pub fn add(
        &mut self,
        key: &[u8],
        payload: &Payload,
        of: Option<u64>,
    ) -> Result<(), EntriesError> {
        if self.count > 0 && key <= self.last.as_slice() {
            let (previous, got) = (self.last.clone(), key.to_vec());
            return Err(EntriesError::Write(match previous == got {
                true => WriteError::Duplicate { key: got },
                false => WriteError::OutOfOrder { previous, got },
            }));
        }
        let shared = self.last.iter().zip(key).take_while(|(a, b)| a == b).count();
        let tail = key.get(shared..).unwrap_or(&[]);
        put(shared, &mut self.arena);
        put(tail.len(), &mut self.arena);
        self.arena.extend_from_slice(tail);
        let bytes = payload.bytes();
        self.arena.extend([payload.bits(), u8::try_from(bytes.len()).unwrap_or(0)]);
        self.arena.extend_from_slice(bytes);
        self.last.truncate(shared);
        self.last.extend_from_slice(tail);
        self.count += 1;
        let held = len64(self.arena.len());
        if held > self.budget {
            let needed = of.map_or(held, |of| held.saturating_mul(of.max(1)) / self.count);
            return Err(EntriesError::Budget { needed: needed.max(held), budget: self.budget });
        }
        Ok(())
    }

    /// Partitions.db or Rows.db.
    pub fn part(&self) -> Part {
        self.part
    }

    /// Where the trie begins in the file.
    pub fn start(&self) -> FilePos {
        self.start
    }

    /// Bytes that follow the trie and belong to it: first and last key with the footer, or the entry of Rows.db.
    pub fn tail_bytes(&self) -> u64 {
        self.tail_bytes
    }

    /// Number of entries.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Bytes of memory that they take.
    pub fn held_bytes(&self) -> u64 {
        len64(self.arena.len())
    }

    /// Calls `each` with the key and the payload of every entry, in order.
    pub fn for_each(&self, mut each: impl FnMut(&[u8], &Payload)) {
        let mut cursor = Cursor::default();
        while let Some(payload) = cursor.next(self) {
            each(&cursor.key, &payload);
        }
    }

    /// Says where the trie begins in the file, once that is known.
    pub(super) fn begin_at(&mut self, start: FilePos) {
        self.start = start;
    }

    /// Says how many bytes follow the trie, once that is known.
    pub(super) fn end_with(&mut self, tail_bytes: u64) {
        self.tail_bytes = tail_bytes;
    }

    /// Gives an entry to a writer. A trie of Partitions.db with one key has as much of it as the writer takes there.
    pub(super) fn feed<W: Sink, O: crate::bti::pack::PackObserver>(
        &self,
        cursor: &mut Cursor,
        writer: &mut TrieWriter<W, O>,
    ) -> Result<bool, WriteError> {
        let Some(payload) = cursor.next(self) else { return Ok(false) };
        let lone = self.count == 1 && self.part == Part::Partitions;
        let most = if lone { writer.flavour().lone_key_bytes } else { usize::MAX };
        let key = cursor.key.get(..most.min(cursor.key.len())).unwrap_or(&[]);
        writer.add(key, payload, self.fragments.ends())?;
        Ok(true)
    }
}

impl Fragments {
    /// The ends of the pieces, in bytes of the key. A clustering has no piece of 9 bytes before the others.
    pub fn ends(self) -> impl Iterator<Item = usize> {
        let (skipped, most) = match self {
            Self::None => (0, 0),
            Self::Partition => (0, limits::LITERAL_BYTES),
            Self::Clustering => (9, limits::LITERAL_BYTES),
        };
        let ends = key_pieces().map(move |end| end - skipped).filter(|end| *end > 0);
        ends.take_while(move |end| *end <= most)
    }
}

impl Cursor {
    /// Goes on to the next entry, whose key it then holds.
    fn next(&mut self, entries: &Entries) -> Option<Payload> {
        let mut rest = entries.arena.get(self.at..)?;
        let all = rest.len();
        let shared = get(&mut rest)?;
        let len = get(&mut rest)?;
        let tail = take(&mut rest, len)?;
        let [bits, len] = take(&mut rest, 2)? else { return None };
        let payload = Payload::raw(*bits, take(&mut rest, usize::from(*len))?);
        self.at += all - rest.len();
        self.key.truncate(shared);
        self.key.extend_from_slice(tail);
        self.done += 1;
        Some(payload)
    }

    /// Bytes of memory behind it.
    pub fn held_bytes(&self) -> usize {
        self.key.len()
    }
}

fn take<'a>(rest: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(len)?;
    *rest = left;
    Some(taken)
}

/// Seven bits a byte, the least first; all but the last byte have the high bit.
fn put(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        let [low, ..] = number.to_le_bytes();
        out.push(low | 0x80);
        number >>= 7;
    }
    let [low, ..] = number.to_le_bytes();
    out.push(low);
}

fn get(rest: &mut &[u8]) -> Option<usize> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (byte, left) = rest.split_first()?;
        *rest = left;
        number |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
        shift += 7;
    }
}
