//! Tries made by hand: node after node, children first, so that a test can put any node anywhere.

#![allow(dead_code, reason = "made for three test files")]

use triescope_core::keys::murmur3;

/// A file of nodes that grows.
#[derive(Clone, Default)]
pub struct Nodes(pub Vec<u8>);

impl Nodes {
    /// Where the next node will lie.
    pub fn at(&self) -> u64 {
        self.0.len() as u64
    }

    /// Any bytes, and where they lie.
    pub fn put(&mut self, bytes: &[u8]) -> u64 {
        let at = self.at();
        self.0.extend_from_slice(bytes);
        at
    }

    /// A leaf of Partitions.db: the partition of a key at a position in Data.db.
    pub fn direct(&mut self, key: &[u8], position: u64) -> u64 {
        let raw = !i32::try_from(position).unwrap();
        self.put(&[&[8 + 3, murmur3(key).byte()][..], &raw.to_be_bytes()].concat())
    }

    /// A leaf of Partitions.db that points to an entry in Rows.db.
    pub fn indirect(&mut self, key: &[u8], entry: u64) -> u64 {
        let raw = i32::try_from(entry).unwrap();
        self.put(&[&[8 + 3, murmur3(key).byte()][..], &raw.to_be_bytes()].concat())
    }

    /// A separator of a row trie without children.
    pub fn block(&mut self, offset: u32) -> u64 {
        self.put(&[&[4][..], &offset.to_be_bytes()].concat())
    }

    /// A node with these children (`SPARSE_40`) and perhaps a payload.
    pub fn node(&mut self, children: &[(u8, u64)], payload_bits: u8, payload: &[u8]) -> u64 {
        let at = self.at();
        let mut bytes = vec![0x90 | payload_bits, children.len() as u8];
        bytes.extend(children.iter().map(|(byte, _)| byte));
        for (_, child) in children {
            bytes.extend(&(at - child).to_be_bytes()[3..]);
        }
        bytes.extend(payload);
        self.put(&bytes)
    }

    /// A node with a slot of 16 bits for each byte from `start` on; `None` is an empty one.
    pub fn dense(&mut self, start: u8, slots: &[Option<u64>]) -> u64 {
        let at = self.at();
        let mut bytes = vec![0xb0, start, (slots.len() - 1) as u8];
        for slot in slots {
            let distance = slot.map_or(0, |child| u16::try_from(at - child).unwrap());
            bytes.extend(distance.to_be_bytes());
        }
        self.put(&bytes)
    }

    /// Nodes of one child each that lead to `child` by these bytes; the topmost one.
    pub fn chain(&mut self, bytes: &[u8], child: u64) -> u64 {
        bytes.iter().rev().fold(child, |child, byte| self.node(&[(*byte, child)], 0, &[]))
    }

    /// Zeros up to the next page.
    pub fn pad(&mut self) {
        self.0.resize(self.0.len().next_multiple_of(4096), 0);
    }

    /// The end of Partitions.db, and the file.
    pub fn partitions(mut self, root: u64, first: &[u8], last: &[u8], count: u64) -> Vec<u8> {
        let keys_at = self.at();
        for key in [first, last] {
            self.put(&(key.len() as u16).to_be_bytes());
            self.put(key);
        }
        for number in [keys_at, count, root] {
            self.put(&number.to_be_bytes());
        }
        self.0
    }

    /// The entry of a partition in Rows.db, directly after the root of its trie.
    pub fn entry(&mut self, key: &[u8], data: u64, root: u64, blocks: u8) -> u64 {
        let at = self.put(&(key.len() as u16).to_be_bytes());
        self.put(key);
        let distance = self.at() - root;
        self.put(&[0xff]);
        self.put(&data.to_be_bytes());
        self.put(&[0xff]);
        self.put(&(2 * distance - 1).to_be_bytes());
        self.put(&[blocks, 0x80]);
        at
    }
}
