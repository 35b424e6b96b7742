//! Files and small helpers of these tests.

pub use super::common::places::{root, upstream};
use std::path::Path;
use triescope_core::bti::{Footer, PartitionIndex};
use triescope_core::keys::murmur3;
use triescope_core::lookup::{Record, Recorder};
use triescope_core::pos::FilePos;
use triescope_core::source::Pages;
use triescope_core::table::Part;

/// The two files of a trie index.
#[derive(Clone)]
pub struct Index {
    pub name: String,
    pub partitions: Vec<u8>,
    pub rows: Vec<u8>,
}

impl Index {
    /// The files `<stem>-Partitions.db` and `<stem>-Rows.db` of a folder.
    pub fn read(dir: &Path, stem: &str) -> Self {
        let read = |part: &str| std::fs::read(dir.join(format!("{stem}-{part}.db"))).unwrap();
        let name = format!("{} {stem}", dir.display());
        Self { name, partitions: read("Partitions"), rows: read("Rows") }
    }

    /// A set of `testdata/cassandra`, first generation.
    pub fn cassandra(table: &str) -> Self {
        Self::read(&root().join("testdata/cassandra").join(table).join("da"), "da-1-bti")
    }

    pub fn footer(&self) -> Footer {
        Footer::read(&self.partitions.as_slice()).unwrap()
    }

    pub fn trie(&self) -> PartitionIndex {
        PartitionIndex::new(&self.footer())
    }
}

/// Runs something with recorded pages of a file.
pub fn recorded<T>(
    part: Part,
    file: &[u8],
    run: impl FnOnce(&mut Pages<'_, &[u8], Recorder>) -> T,
) -> (T, Record) {
    let mut recorder = Recorder::new();
    let result = run(&mut Pages::new(part, &file, &mut recorder));
    (result, recorder.into_record())
}

/// The byte-comparable form of a serialized key under Murmur3, as Cassandra and `mt` make it: one blob.
pub fn comparable(key: &[u8]) -> Vec<u8> {
    let token = match murmur3(key).h1.cast_signed() {
        _ if key.is_empty() => i64::MIN,
        i64::MIN => i64::MAX,
        token => token,
    };
    let mut bytes = vec![0x40];
    bytes.extend((token.cast_unsigned() ^ 1 << 63).to_be_bytes());
    bytes.push(0x40);
    let mut zeros = false;
    for byte in key {
        match (*byte, zeros) {
            (0, false) => bytes.push(0),
            (0, true) => bytes.push(0xfe),
            (byte, true) => bytes.extend([0xff, byte]),
            (byte, false) => bytes.push(byte),
        }
        zeros = *byte == 0;
    }
    bytes.extend([if zeros { 0xfe } else { 0 }, 0x38]);
    bytes
}

pub fn hex(text: &str) -> Vec<u8> {
    let digits = text.split_whitespace().collect::<String>();
    assert!(digits.len().is_multiple_of(2), "{text}");
    (0..digits.len() / 2)
        .map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).unwrap())
        .collect()
}

pub fn pos(at: u64) -> FilePos {
    FilePos(at)
}
