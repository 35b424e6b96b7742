//! Keys that come in order become the rightmost path of a trie; what lies to the left of it is finished.

use super::flavour::Flavour;
use super::layout::{Packer, Waiting};
use super::observer::{PackObserver, PackStep};
use super::out::Out;
use super::payload::Payload;
use crate::pos::FilePos;
use crate::table::Part;
use crate::write::{Sink, WriteError, append_few};
use serde_bytes::ByteBuf;

/// Longest key: two bytes for each of 64 KiB, as escapes may make it, and some for separators.
const KEY_BYTES: usize = 1 << 18;

/// Writes one trie after the other into a file.
///
/// Memory: the path of the last key, and below each node of it at most 256 finished branches of less than a page.
#[derive(Clone, Debug)]
pub struct TrieWriter<W: Sink, O: PackObserver = ()> {
    packer: Packer<W, O>,
    /// The nodes of the last key, root first.
    path: Vec<Open>,
    last: Vec<u8>,
}

/// A node on the path of the last key.
#[derive(Clone, Debug)]
struct Open {
    /// Bytes of the key down to the node.
    depth: usize,
    /// Of these, bytes on the edge to it; none for the root.
    edge: usize,
    payload: Payload,
    /// Where its children start.
    from: Waiting,
}

impl<W: Sink> TrieWriter<W> {
    /// A writer at the start of Partitions.db or Rows.db, which `part` says: payloads differ. Nobody listens.
    pub fn new(part: Part, flavour: Flavour, sink: W) -> Self {
        Self::observed(part, flavour, sink, ())
    }
}

impl<W: Sink, O: PackObserver> TrieWriter<W, O> {
    /// A writer that tells `observer` each step.
    pub fn observed(part: Part, flavour: Flavour, sink: W, observer: O) -> Self {
        Self::from(part, flavour, FilePos(0), sink, observer)
    }

    /// A writer that begins at `start` of the file, which decides where pages end. The sink gets the bytes from there on.
    pub fn from(part: Part, flavour: Flavour, start: FilePos, sink: W, observer: O) -> Self {
        Self {
            packer: Packer::new(part, flavour, Out::new(sink, start.0), observer),
            path: Vec::new(),
            last: Vec::new(),
        }
    }

    /// Adds a key, which must sort after the one before; the first may be empty. `fragments` are the ends of the pieces
    /// in which ScyllaDB holds the key, ascending, in bytes from its start: a node ends at each of them that lies in the
    /// new tail. Where the flavour has a node a byte they say nothing.
    pub fn add(
        &mut self,
        key: &[u8],
        payload: Payload,
        fragments: impl IntoIterator<Item = usize>,
    ) -> Result<(), WriteError> {
        if key.len() > KEY_BYTES {
            let previous = (!self.path.is_empty()).then(|| self.last.clone());
            return Err(WriteError::TooLong { previous, got: key.to_vec(), limit: KEY_BYTES });
        }
        let shared = common(&self.last, key);
        if self.path.is_empty() {
            self.open(0, 0);
        } else if !follows(&self.last, key, shared) {
            return Err(self.refuse(key));
        }
        self.complete_to(shared);
        let (most, open) = (self.packer.flavour.edge_bytes, self.path.len());
        if most == 1 {
            for depth in shared + 1..=key.len() {
                self.open(depth, 1);
            }
        } else {
            let mut start = shared;
            let inside = fragments.into_iter().filter(|end| *end < key.len());
            for end in inside.chain([key.len()]) {
                if end > start {
                    self.open(end, end - start);
                    start = end;
                }
            }
        }
        let opened = self.path.get(open..).unwrap_or(&[]);
        self.packer.observer.step(|| push_step(shared, key, opened, most, &payload));
        append_few(&mut self.last, key.get(shared..).unwrap_or(&[]));
        if let Some(node) = self.path.last_mut() {
            node.payload = payload;
        }
        Ok(())
    }

    /// Finishes the trie and says where its root lies. `None` when there was no key. The next key begins another trie.
    pub fn finish(&mut self) -> Option<u64> {
        self.complete_to(0);
        let root = self.path.pop()?;
        let root = self.packer.complete(&[], 0, &root.payload, root.from);
        self.last.clear();
        Some(self.packer.finish(root))
    }

    /// Position of the next byte of the file: what is finished and waits is not counted.
    pub fn at(&self) -> u64 {
        self.packer.out.at()
    }

    /// Appends bytes that are no trie, between two tries.
    pub fn put(&mut self, bytes: &[u8]) {
        self.packer.out.put(bytes);
    }

    /// Who listens.
    pub fn observer(&self) -> &O {
        &self.packer.observer
    }

    /// Who listens.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.packer.observer
    }

    /// Hands the sink all bytes written so far, and lets it be looked at. What is finished and waits is not written.
    pub fn flush(&mut self) -> &mut W {
        self.packer.out.flush()
    }

    /// Bytes of memory that a clone takes, about, without sink and observer.
    pub fn held_bytes(&self) -> usize {
        self.packer.held_bytes() + self.path.len() * size_of::<Open>() + self.last.len()
    }

    /// The sink, with everything in it.
    pub fn into_sink(self) -> W {
        self.packer.out.into_sink()
    }

    /// How it packs.
    pub fn flavour(&self) -> Flavour {
        self.packer.flavour
    }

    #[cold]
    fn refuse(&self, key: &[u8]) -> WriteError {
        if key == self.last.as_slice() {
            return WriteError::Duplicate { key: key.to_vec() };
        }
        WriteError::OutOfOrder { previous: self.last.clone(), got: key.to_vec() }
    }

    fn open(&mut self, depth: usize, edge: usize) {
        let from = self.packer.waiting();
        self.path.push(Open { depth, edge, payload: Payload::NONE, from });
    }

    /// Finishes what lies deeper than `depth`, the deepest first. An edge that is longer than a node may have, or that the
    /// next key parts from in its middle, is cut: its end becomes a node, the only child of what is left.
    fn complete_to(&mut self, depth: usize) {
        let most = self.packer.flavour.edge_bytes;
        while let Some(top) = self.path.last_mut().filter(|top| top.depth > depth) {
            let cut = (top.depth - depth).min(most);
            let (start, end, from, payload) =
                (top.depth.saturating_sub(cut.min(top.edge)), top.depth, top.from, top.payload);
            let edge = self.last.get(start..end).unwrap_or(&[]);
            if top.edge > cut {
                top.depth -= cut;
                top.edge -= cut;
                top.payload = Payload::NONE;
            } else {
                self.path.pop();
            }
            let child = if from.children == self.packer.children.len() {
                self.packer.complete_leaf(edge, end, &payload)
            } else {
                self.packer.complete(edge, end, &payload, from)
            };
            self.packer.children.push(child);
        }
        self.last.truncate(depth);
    }
}

/// What is told of the nodes that a key opens.
fn push_step(
    shared: usize,
    key: &[u8],
    opened: &[Open],
    most: usize,
    payload: &Payload,
) -> PackStep {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let inner = opened.split_last().map_or(&[][..], |(_, inner)| inner);
    PackStep::Push {
        shared: number(shared),
        tail: ByteBuf::from(key.get(shared..).unwrap_or(&[])),
        nodes: number(opened.len()),
        cuts: match most {
            1 => Vec::new(),
            _ => inner.iter().map(|node| number(node.depth)).collect(),
        },
        payload: payload.len(),
    }
}

/// Number of equal leading bytes.
#[inline]
pub(crate) fn common(a: &[u8], b: &[u8]) -> usize {
    // Keys may have thousands of bytes in common: 32 at a time, then eight, then one.
    const WIDE: usize = 32;
    const STEP: usize = 8;
    let (wide, _) = a.as_chunks::<WIDE>();
    let whole = wide.iter().zip(b.as_chunks::<WIDE>().0).take_while(|(x, y)| x == y).count() * WIDE;
    let [a, b] = [a, b].map(|bytes| bytes.get(whole..).unwrap_or(&[]));
    let (words, _) = a.as_chunks::<STEP>();
    let mut at = whole;
    for (x, y) in words.iter().zip(b.as_chunks::<STEP>().0) {
        let differ = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if differ != 0 {
            return at + usize::try_from(differ.trailing_zeros() / 8).unwrap_or(0);
        }
        at += STEP;
    }
    let [a, b] = [a, b].map(|bytes| bytes.get(at - whole..).unwrap_or(&[]));
    at + a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Whether `key` sorts after `last`, with which it has so many leading bytes in common.
#[inline]
pub(super) fn follows(last: &[u8], key: &[u8], shared: usize) -> bool {
    match (last.get(shared), key.get(shared)) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(last), Some(byte)) => last < byte,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_bytes_are_counted_as_one_by_one() {
        let long: Vec<u8> = (0..50).collect();
        for length in 0..50 {
            let a = &long[..length];
            assert_eq!(common(a, &long), length);
            assert_eq!(common(&long, a), length);
            for at in 0..length {
                let mut b = long.clone();
                b[at] = 255;
                assert_eq!(common(a, &b), at);
                assert_eq!(common(&b, a), at);
                assert_eq!(common(&b[..length], a), at);
                assert!(follows(a, &b, at) && !follows(&b, a, at));
            }
            assert!(!follows(a, a, length));
            assert!(follows(a, &long, length) && !follows(&long, a, length));
        }
    }
}
