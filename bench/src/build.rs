//! A corpus larger than the files at hand: a Partitions.db packed into pages as Cassandra's writer does it, in memory.
//!
//! It is checked against lengths, roots and checksums of files that Cassandra's own writer made of the same keys.

use triescope_core::keys::murmur3;

/// Bytes in a page.
const PAGE: u64 = 4096;

/// A Partitions.db of the 4-byte big-endian numbers `0..n`; the partition of rank `r` lies at `100 r` in Data.db.
pub fn numbers(n: u32) -> Vec<u8> {
    let mut keys: Vec<(Vec<u8>, [u8; 4])> =
        (0..n).map(u32::to_be_bytes).map(|key| (comparable(&key), key)).collect();
    keys.sort_unstable();
    let mut trie = Builder::default();
    for (rank, (key, serialized)) in keys.iter().enumerate() {
        let before = rank.checked_sub(1).map(|i| common(&keys[i].0, key) + 1);
        let after = keys.get(rank + 1).map(|(next, _)| common(key, next) + 1);
        // One partition alone needs no bytes: the root is its leaf.
        let len = before.max(after).unwrap_or(0);
        let position = !i64::try_from(100 * rank).expect("a position");
        trie.add(&key[..len], payload(serialized, position));
    }
    let root = trie.finish();
    let mut file = trie.out;
    let keys_at = file.len() as u64;
    for (_, key) in [keys.first(), keys.last()].into_iter().flatten() {
        file.extend([0, 4]);
        file.extend(key);
    }
    for number in [keys_at, n.into(), root] {
        file.extend(number.to_be_bytes());
    }
    file
}

/// The byte-comparable form of a 4-byte key under Murmur3.
pub fn comparable(key: &[u8; 4]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(20);
    triescope_core::keys::murmur3_blob_into(key, murmur3(key), &mut bytes);
    bytes
}

fn common(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Payload bits, hash byte and the shortest signed form of the position.
fn payload(key: &[u8], position: i64) -> Payload {
    let bits = 65 - (position ^ position >> 63).leading_zeros();
    let number = &position.to_be_bytes()[8 - (bits.div_ceil(8) as usize)..];
    let bits = 7 + number.len() as u8;
    Payload { bits, bytes: [&[murmur3(key).byte()], number].concat() }
}

struct Payload {
    bits: u8,
    bytes: Vec<u8>,
}

/// A node in memory. Once written only `edge` and `at` are of use.
#[derive(Default)]
struct Node {
    edge: u8,
    payload: Option<Payload>,
    children: Vec<Node>,
    /// Bytes of the node.
    size: u64,
    /// Bytes of what is below and not written yet.
    below: u64,
    /// Whether a child is written already, elsewhere.
    has_far_child: bool,
    /// Whether that holds for a node below.
    has_far_below: bool,
    at: Option<u64>,
}

/// Makes a trie of keys that come in order.
#[derive(Default)]
struct Builder {
    out: Vec<u8>,
    /// The nodes of the last key, root first.
    path: Vec<Node>,
    last: Vec<u8>,
}

impl Builder {
    fn add(&mut self, key: &[u8], payload: Payload) {
        if self.path.is_empty() {
            self.path.push(Node::default());
        }
        let shared = common(&self.last, key);
        self.complete_to(shared);
        for byte in &key[shared..] {
            self.path.push(Node { edge: *byte, ..Node::default() });
        }
        self.path.last_mut().expect("a root").payload = Some(payload);
        self.last = key.to_vec();
    }

    /// Completes what lies deeper than `depth` and hangs it into its parents.
    fn complete_to(&mut self, depth: usize) {
        while self.path.len() > depth + 1 {
            let mut node = self.path.pop().expect("a node");
            self.complete(&mut node);
            self.path.last_mut().expect("a parent").children.push(node);
        }
    }

    /// Writes the rest and says where the root lies.
    fn finish(&mut self) -> u64 {
        self.complete_to(0);
        let mut root = self.path.pop().unwrap_or_default();
        self.complete(&mut root);
        let mut size = self.recalculate(&mut root);
        if size > PAGE {
            self.lay_out_children(&mut root);
            size = root.serialized(self.at());
        }
        if size > self.left() {
            self.pad();
            self.recalculate(&mut root);
        }
        self.write_branch(&mut root);
        root.at.expect("a written root")
    }

    fn at(&self) -> u64 {
        self.out.len() as u64
    }

    fn left(&self) -> u64 {
        PAGE - self.at() % PAGE
    }

    fn pad(&mut self) {
        let at = self.at().next_multiple_of(PAGE);
        self.out.resize(at as usize, 0);
    }

    /// Sizes a node whose children are complete; a branch that fills a page or more lets its children go to disk.
    fn complete(&mut self, node: &mut Node) {
        let below = node.children.iter().map(|child| child.below + child.size).sum();
        let size = node.serialized(self.at() + below);
        if below + size < PAGE {
            node.below = below;
            node.size = size;
            node.has_far_child = node.children.iter().any(|child| child.at.is_some());
            node.has_far_below =
                node.children.iter().any(|child| child.has_far_child || child.has_far_below);
        } else {
            self.lay_out_children(node);
            node.size = node.serialized(self.at());
        }
    }

    /// Writes all children of a node, each time the greatest that fits into the rest of the page.
    fn lay_out_children(&mut self, node: &mut Node) {
        loop {
            let left = self.left();
            let waiting =
                || node.children.iter().enumerate().filter(|(_, child)| child.at.is_none());
            let sized = |(i, child): (usize, &Node)| (child.below + child.size, i);
            let Some((_, greatest)) = waiting().map(sized).max() else { break };
            let fitting = waiting().map(sized).filter(|(size, _)| *size <= left).max();
            let i = fitting.map_or_else(
                || {
                    self.pad();
                    greatest
                },
                |(_, i)| i,
            );
            let mut child = std::mem::take(&mut node.children[i]);
            let actual = self.recalculate(&mut child);
            if actual <= self.left() {
                self.write_branch(&mut child);
            } else if actual > PAGE && self.left() == PAGE {
                // Its pointers have grown past a page: its children go first.
                self.lay_out_children(&mut child);
                child.size = child.serialized(self.at());
            }
            node.children[i] = child;
        }
        node.below = 0;
        node.has_far_child = true;
        node.has_far_below = false;
    }

    /// Size of a branch if it were written here: distances to what is written already depend on the place.
    fn recalculate(&self, node: &mut Node) -> u64 {
        fn at(node: &mut Node, start: u64) -> u64 {
            if node.has_far_below {
                let mut below = 0;
                for child in node.children.iter_mut().filter(|child| child.at.is_none()) {
                    below += at(child, start + below);
                }
                node.below = below;
            }
            if node.has_far_below || node.has_far_child {
                node.size = node.serialized(start + node.below);
            }
            node.below + node.size
        }
        at(node, self.at())
    }

    /// Children first, then the node.
    fn write_branch(&mut self, node: &mut Node) {
        for child in node.children.iter_mut().filter(|child| child.at.is_none()) {
            self.write_branch(child);
        }
        let at = self.at();
        node.write(at, &mut self.out);
        *node = Node { edge: node.edge, at: Some(at), ..Node::default() };
    }
}

/// Widths of distances in bits, and the types that hold them.
const WIDTHS: [u32; 8] = [4, 8, 12, 16, 24, 32, 40, 64];
const SINGLE: [u8; 8] = [1, 2, 3, 4, 12, 13, 14, 15];
const SPARSE: [u8; 8] = [5, 5, 6, 7, 8, 9, 9, 15];
const DENSE: [u8; 8] = [10, 10, 10, 11, 12, 13, 14, 15];

impl Node {
    /// Distance to every child if the node itself lay at `at`, directly after those not written yet.
    fn distances(&self, at: u64) -> impl Iterator<Item = (u8, u64)> {
        let mut between = 0;
        self.children.iter().rev().map(move |child| {
            let distance = match child.at {
                Some(child) => at - child,
                None => {
                    between += child.size;
                    let distance = between;
                    between += child.below;
                    distance
                }
            };
            (child.edge, distance)
        })
    }

    fn kind(&self, at: u64) -> u8 {
        let farthest = self.distances(at).map(|(_, distance)| distance).max().unwrap_or(0);
        let width = WIDTHS.into_iter().position(|bits| bits == 64 || farthest < 1 << bits);
        let width = width.expect("64 bits hold every distance");
        match self.children.len() {
            0 => 0,
            // Two types have no room for payload bits.
            1 if self.payload.is_some() && matches!(width, 0 | 2) => SINGLE[width + 1],
            1 => SINGLE[width],
            _ if self.bytes_of(SPARSE[width]) < self.bytes_of(DENSE[width]) => SPARSE[width],
            _ => DENSE[width],
        }
    }

    /// Bytes of the node as this type, without its payload.
    fn bytes_of(&self, kind: u8) -> u64 {
        let n = self.children.len() as u64;
        let slots = match (self.children.first(), self.children.last()) {
            (Some(first), Some(last)) => u64::from(last.edge - first.edge) + 1,
            _ => 0,
        };
        match kind {
            0 => 1,
            1 => 2,
            2 | 3 => 3,
            4 => 4,
            5..=9 => 2 + n + (n * u64::from(bits(kind))).div_ceil(8),
            _ => 3 + (slots * u64::from(bits(kind))).div_ceil(8),
        }
    }

    fn serialized(&self, at: u64) -> u64 {
        let payload = self.payload.as_ref().map_or(0, |payload| payload.bytes.len() as u64);
        self.bytes_of(self.kind(at)) + payload
    }

    fn write(&self, at: u64, out: &mut Vec<u8>) {
        let kind = self.kind(at);
        let mut children: Vec<(u8, u64)> = self.distances(at).collect();
        children.reverse();
        let low = self.payload.as_ref().map_or(0, |payload| payload.bits);
        let first = kind << 4 | low;
        match (kind, &children[..]) {
            (0, _) => out.push(first),
            (1, [(byte, distance)]) => out.extend([first | *distance as u8, *byte]),
            (3, [(byte, distance)]) => {
                out.extend([first | (distance >> 8) as u8, *distance as u8, *byte]);
            }
            (2 | 4, [(byte, distance)]) => {
                out.extend([first, *byte]);
                packed(&[*distance], if kind == 2 { 8 } else { 16 }, out);
            }
            (5..=9, _) => {
                out.extend([first, children.len() as u8]);
                out.extend(children.iter().map(|(byte, _)| byte));
                let distances: Vec<u64> = children.iter().map(|(_, distance)| *distance).collect();
                packed(&distances, bits(kind), out);
            }
            (_, [(start, _), ..]) => {
                let last = children[children.len() - 1].0;
                out.extend([first, *start, last - start]);
                let mut slots = vec![0; usize::from(last - start) + 1];
                for (byte, distance) in &children {
                    slots[usize::from(byte - start)] = *distance;
                }
                packed(&slots, bits(kind), out);
            }
            _ => unreachable!("types above 0 have children"),
        }
        out.extend(self.payload.iter().flat_map(|payload| &payload.bytes));
    }
}

/// Bits of a distance in types with more than one child.
fn bits(kind: u8) -> u32 {
    match kind {
        5 => 8,
        6 | 10 => 12,
        7 | 11 => 16,
        8 | 12 => 24,
        13 => 32,
        9 | 14 => 40,
        _ => 64,
    }
}

/// Numbers of some bits each as one bit string, most significant bit first; the last byte is filled with zeros.
fn packed(numbers: &[u64], bits: u32, out: &mut Vec<u8>) {
    let (mut held, mut holds) = (0u128, 0);
    for number in numbers {
        held = held << bits | u128::from(*number);
        holds += bits;
        while holds >= 8 {
            holds -= 8;
            out.push((held >> holds) as u8);
        }
    }
    if holds > 0 {
        out.push((held << (8 - holds)) as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use triescope_core::bti::Footer;

    fn check(n: u32, len: usize, root: u64, crc: u32) {
        let file = numbers(n);
        let footer = Footer::read(&file.as_slice()).unwrap();
        let found = (file.len(), footer.root.0, crc32fast::hash(&file));
        assert_eq!(found, (len, root, crc), "{n} keys");
        assert_eq!(footer.count, u64::from(n));
    }

    #[test]
    fn files_equal_those_of_cassandras_writer() {
        check(1, 39, 0, 0x26da_c06a);
        check(2, 50, 12, 0xe029_aaa8);
        check(10, 99, 60, 0x52db_ec69);
        check(1000, 7656, 7617, 0x2f88_4dac);
        check(20_000, 165_575, 165_536, 0xbded_a1e5);
        check(100_000, 1_047_995, 1_047_956, 0x0035_04b0);
    }

    #[test]
    fn the_corpus_of_a_million_keys_equals_cassandras_file() {
        check(1_000_000, 8_395_056, 8_395_017, 0x9a42_1656);
    }
}
