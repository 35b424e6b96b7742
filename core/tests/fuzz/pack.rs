//! Any keys, in order: written in both flavours they are read back as a map holds them, and what the writers tell on the way
//! is what lies in the file.
//!
//! An input is a little program that makes keys, since a trie of several pages has more keys than an input has bytes.

use super::input::Input;
use std::collections::BTreeMap;
use triescope_core::bti::pack::{
    Flavour, PackStep, PartitionTarget, PartitionsWriter, RowBlock, RowsWriter, Written,
};
use triescope_core::bti::{Exact, Footer, PartitionIndex, RowEntry, RowIndex};
use triescope_core::data::Deletion;
use triescope_core::pos::{DataPos, FilePos, PAGE_SIZE};
use triescope_core::source::Pages;
use triescope_core::table::Part;
use triescope_core::write::WriteError;

/// Most keys of a trie, and most bytes of all: runs stay short, and tries grow to dozens of pages.
const KEYS: usize = 5000;
const BYTES: usize = 400_000;
/// Most partitions of a Rows.db.
const PARTITIONS: usize = 4;

type Keys = BTreeMap<Vec<u8>, Option<Deletion>>;

/// Partitions, each with the ends of the pieces of its keys, until the input ends.
pub fn pack(data: &[u8]) {
    let mut input = Input::new(data);
    let pieces = [usize::from(input.two() % 600), usize::from(input.two() % 2000)];
    let step = 1 + u64::from(input.two());
    let mut tries = vec![keys(&mut input)];
    while tries.len() < PARTITIONS && !input.clone().rest().is_empty() {
        tries.push(keys(&mut input));
    }
    for flavour in [Flavour::CASSANDRA, Flavour::SCYLLA] {
        rows(&tries, flavour, &pieces, step);
        partitions(&tries[0], flavour, step);
    }
}

/// The keys that the next part of the program makes.
fn keys(input: &mut Input<'_>) -> Keys {
    // The first separator is empty, and there are at least two more.
    let mut keys: Keys = [vec![], vec![0x40], vec![0xff]].map(|key| (key, None)).into();
    let (mut last, mut bytes) = (Vec::new(), 0);
    while !input.clone().rest().is_empty() && keys.len() < KEYS && bytes < BYTES {
        let kind = input.below(8);
        let kept = usize::from(input.two()) % (last.len() + 1);
        last.truncate(kept);
        match kind {
            // The trie is over.
            0 => break,
            // A long tail of one byte: chains, and common prefixes of more than a page.
            1 => {
                let (byte, length) = (input.byte(), usize::from(input.two() % 6000));
                last.resize(kept + length, byte);
            }
            // So many children, each with a tail of the same length.
            2..=4 => {
                let (first, count, tail) = (input.byte(), input.byte(), input.below(40));
                let by = 1 + input.below(4);
                for n in 0..usize::from(count) {
                    let Some(edge) = usize::from(first).checked_add(n * by).filter(|e| *e < 256)
                    else {
                        break;
                    };
                    let mut key = last.clone();
                    key.push(edge as u8);
                    key.resize(kept + 1 + tail, (n * 37) as u8);
                    bytes += key.len();
                    keys.insert(key, None);
                }
            }
            _ => last.extend_from_slice(input.short()),
        }
        bytes += last.len();
        let open = (kind == 5).then(|| Deletion {
            timestamp: i64::from(input.two()) << 30,
            local_time: i64::from(input.two()),
        });
        keys.insert(last.clone(), open);
    }
    keys
}

/// What is told, held against the file as it grows.
#[derive(Default)]
struct Told {
    steps: Vec<PackStep>,
}

impl Told {
    /// Whether what is written and padded lies one behind the other in each trie, up to where its root ends.
    fn check(&self, file: &[u8]) {
        let mut end: Option<u64> = None;
        for step in &self.steps {
            match *step {
                PackStep::Pad { at, bytes, least } => {
                    assert!(end.is_none_or(|end| end == at), "padding begins where writing ended");
                    let to = at + u64::from(bytes);
                    assert!(to % PAGE_SIZE == 0 && least > u64::from(bytes));
                    assert!(file[at as usize..to as usize].iter().all(|byte| *byte == 0));
                    end = Some(to);
                }
                PackStep::Write { at, size, entry, what, .. } => {
                    match what {
                        // All pieces have been told.
                        Written::Apart | Written::RootApart => {
                            assert_eq!(end, Some(at + size));
                        }
                        Written::Branch | Written::Piece | Written::Root => {
                            assert!(end.is_none_or(|end| end == at), "writing goes on");
                            assert!(
                                size <= PAGE_SIZE && at / PAGE_SIZE == (at + size - 1) / PAGE_SIZE
                            );
                            end = Some(at + size);
                        }
                    }
                    assert!((at..at + size).contains(&entry));
                    if what.is_root() {
                        // Bytes that are no trie may follow.
                        end = None;
                    }
                }
                PackStep::Choose { size, left, waiting, fitting, .. } => {
                    assert!(fitting <= waiting && waiting > 0);
                    assert!(size <= u64::from(left) || fitting == 0);
                }
                _ => {}
            }
        }
    }
}

/// Rows.db with a partition for each trie, written twice: with somebody who listens, and with what must be refused in
/// between; that makes no difference.
fn rows(tries: &[Keys], flavour: Flavour, pieces: &[usize], step: u64) {
    let mut told = Told::default();
    let mut quiet = RowsWriter::new(flavour, Vec::new());
    let mut loud = RowsWriter::observed(flavour, Vec::new(), &mut told.steps);
    let mut entries = Vec::new();
    for (number, keys) in tries.iter().enumerate() {
        let mut before: Option<&[u8]> = None;
        for ((separator, open), offset) in keys.iter().zip((step..).step_by(step as usize)) {
            let block = RowBlock { separator, offset, open: *open };
            quiet.add(block, pieces.iter().copied()).unwrap();
            loud.add(block, pieces.iter().copied()).unwrap();
            if let Some(before) = before {
                let block = RowBlock { separator: before, offset: offset + 1, open: None };
                let error = loud.add(block, []).unwrap_err();
                let (previous, got) = (separator.clone(), before.to_vec());
                assert_eq!(error, WriteError::OutOfOrder { previous, got });
            }
            before = Some(separator);
        }
        let data = DataPos(number as u64 * 1000);
        let at = quiet.end_partition(b"key", data, None).unwrap();
        assert_eq!(loud.end_partition(b"key", data, None).unwrap(), at);
        entries.push(at);
    }
    let file = quiet.into_sink();
    assert!(loud.into_sink() == file, "listening changes nothing");
    told.check(&file);
    for (keys, at) in tries.iter().zip(entries) {
        read_rows(keys, &file, at, step);
    }
}

/// The trie of an entry gives back its keys in order, and the block of each and of what lies beside it.
fn read_rows(keys: &Keys, file: &[u8], at: FilePos, step: u64) {
    let (mut nobody, mut nobody2) = ((), ());
    let mut pages = Pages::new(Part::Rows, &file, &mut nobody);
    let entry = RowEntry::read(&mut pages, at).unwrap();
    assert_eq!(entry.blocks + 1, keys.len() as u64);
    let trie = RowIndex::new(&entry);
    let mut blocks = trie.blocks(Pages::new(Part::Rows, &file, &mut nobody2));
    for ((separator, open), offset) in keys.iter().zip((step..).step_by(step as usize)) {
        let block = blocks.next().unwrap().unwrap();
        assert_eq!((blocks.separator(), block.offset), (separator.as_slice(), offset));
        assert_eq!(block.open, *open);
        // The key itself, and one between it and the next.
        for place in [separator.clone(), [separator, &[0][..]].concat()] {
            let floor = trie.floor(&mut pages, &place).unwrap();
            // What lies between may be a key itself: the next one.
            let offset = if place != *separator && keys.contains_key(&place) {
                offset + step
            } else {
                offset
            };
            assert_eq!(floor.block.offset, offset, "{place:02x?}");
        }
    }
    assert!(blocks.next().unwrap().is_none());
}

/// Partitions.db of the keys, made prefix-free as real ones are.
fn partitions(keys: &Keys, flavour: Flavour, step: u64) {
    let comparable = |key: &Vec<u8>| -> Vec<u8> {
        // No byte is 0, which ends the key.
        key.iter().map(|byte| (*byte).max(1)).chain([0]).collect()
    };
    let keys: BTreeMap<Vec<u8>, u64> =
        keys.keys().map(comparable).zip((0..).step_by(step as usize)).collect();
    let mut steps = Vec::new();
    let mut quiet = PartitionsWriter::new(flavour, Vec::new());
    let mut loud = PartitionsWriter::observed(flavour, Vec::new(), &mut steps);
    let hash = |at: u64| at.to_le_bytes()[1];
    for (key, at) in &keys {
        let serialized = &key[..key.len().min(100)];
        let target = if at % 3 == 0 {
            PartitionTarget::Rows(FilePos(*at))
        } else {
            PartitionTarget::Data(DataPos(*at))
        };
        quiet.add(serialized, key, hash(*at), target).unwrap();
        loud.add(serialized, key, hash(*at), target).unwrap();
        let error = loud.add(serialized, key, 0, target).unwrap_err();
        assert_eq!(error, WriteError::Duplicate { key: serialized.to_vec() });
    }
    let file = quiet.finish().unwrap();
    assert!(loud.finish().unwrap() == file, "listening changes nothing");
    Told { steps }.check(&file);
    let file = file.as_slice();
    let footer = Footer::read(&file).unwrap();
    assert_eq!(footer.count, keys.len() as u64);
    let index = PartitionIndex::new(&footer);
    let (mut nobody, mut nobody2) = ((), ());
    let mut pages = Pages::new(Part::Partitions, &file, &mut nobody);
    let mut leaves = index.leaves(Pages::new(Part::Partitions, &file, &mut nobody2));
    for (key, at) in &keys {
        let raw = i64::try_from(*at).unwrap();
        let raw = if at % 3 == 0 { raw } else { !raw };
        let Exact::Candidate(leaf) = index.exact(&mut pages, key, hash(*at)).unwrap() else {
            panic!("{key:02x?} is not found")
        };
        let found = leaves.next().unwrap().unwrap().leaf;
        assert_eq!((leaf.raw, found.at), (raw, leaf.at));
        assert!(key.starts_with(&leaves.prefix()), "{key:02x?}");
    }
    assert!(leaves.next().unwrap().is_none());
}

/// A program for each thing that writers do.
pub fn pack_seeds() -> Vec<Vec<u8>> {
    let head = [0x01, 0xe8, 0x05, 0xd0, 0, 16];
    let of = |program: &[u8]| [&head[..], program].concat();
    vec![
        of(&[]),
        // Every child, and below each every child again.
        of(&(0..=255u8)
            .flat_map(|byte| [5, 0, 0, 1, byte, 2, 0, 1, 0, 255, 3, 0])
            .collect::<Vec<_>>()),
        // A prefix longer than a page, and few children.
        of(&[1, 0, 0, 7, 0x13, 0x88, 2, 0x13, 0x88, 0, 30, 20, 1, 3, 0x10, 0, 9, 20, 30, 2]),
        // Two tries, one of deletions.
        of(&[5, 0, 0, 2, 7, 8, 1, 2, 3, 4, 5, 0, 1, 2, 9, 9, 1, 2, 3, 4, 0, 0, 0, 6, 0, 0, 1, 7]),
        // Branches about as large as a page.
        of(&(0..16u8)
            .flat_map(|n| [5, 0, 0, 1, 16 * n, 3, 0, 1, n, 200 + n, 17 + n, 0])
            .collect::<Vec<_>>()),
    ]
}
