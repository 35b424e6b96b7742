//! What the worker tells the page beside [`triescope_core::race`]: plain data, drawn and worded by the page.

use crate::shared::Shared;
use serde::{Deserialize, Serialize};
use triescope_core::error::ReadError;
use triescope_core::race::{KeyFacts, RowFacts};
use triescope_core::table::{Part, TableFacts};

/// Number of an opened SSTable in the worker.
pub type TableId = u32;

/// Files that were dropped or picked, grouped.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// The SSTables, trie index first.
    pub tables: Vec<(TableId, TableFacts)>,
    /// Pairs of the same rows: same first and last key and same number of partitions.
    pub pairs: Vec<Pair>,
    /// Files that belong to no SSTable, with what was expected and found.
    pub strangers: Vec<Stranger>,
}

/// A trie SSTable and a legacy SSTable of the same rows, or one of them alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The one with the trie index.
    pub trie: Option<TableId>,
    /// The one with the legacy index.
    pub legacy: Option<TableId>,
}

/// A file that belongs to no SSTable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stranger {
    /// Its path.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Why: `expected a name like da-1-bti-Partitions.db`.
    pub why: String,
}

/// What is said of an index that was built in the workshop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TwinWords {
    /// What it was built from: `Index.db alone`.
    pub from: String,
    /// Its row blocks: `blocks of 16 KiB`; `None` where no partition has any.
    pub blocks: Option<String>,
    /// What had to be assumed, a clause each.
    pub assumed: Vec<String>,
    /// Milliseconds of work.
    pub millis: u64,
}

/// An index that does not lie in the files that were opened, and how far it has come.
#[derive(Clone, Debug, PartialEq)]
pub enum Twin {
    /// It is open under this number.
    Made {
        /// The number.
        id: TableId,
        /// What it is.
        facts: Shared<TableFacts>,
        /// How it came about.
        words: Shared<TwinWords>,
    },
    /// There is none.
    Not {
        /// Why, a sentence.
        why: String,
        /// Whether it would be built if a person says so.
        ask: bool,
    },
}

/// What the worker answers when a request cannot be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Failure {
    /// Text in a box that is no key of this table; the text says what was expected.
    Text {
        /// What was expected, a sentence.
        why: String,
    },
    /// Damage or an unreadable file.
    Read(ReadError),
    /// Index.db is larger than what is sampled without asking.
    AskToSample {
        /// Its size.
        bytes: u64,
    },
    /// The request was cancelled.
    Cancelled,
    /// The worker died; it was started again.
    WorkerDied {
        /// What it last said.
        said: String,
    },
}

/// A pair of SSTables that comes with the page: the same rows in both formats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleEntry {
    /// Its name, which stands in the address.
    pub name: String,
    /// What it teaches, one line.
    pub teaches: String,
    /// The SSTable with the trie index.
    pub trie: SampleTable,
    /// The SSTable with the legacy index.
    pub legacy: SampleTable,
    /// A key that is there.
    pub present: String,
    /// A key that is not: the trie's walk ends at a leaf of another key.
    pub absent: Option<String>,
    /// A key that is not: the trie's walk ends where a node has no child for a byte.
    pub dead_end: Option<String>,
    /// A partition key and a clustering key of a row that is there, for wide partitions.
    pub row: Option<(String, String)>,
    /// Who wrote it, where no database did.
    pub writer: Option<String>,
    /// How it is made in this tab; `None` where its files come with the page.
    pub made: Option<Made>,
}

/// A table of one partition that is made when it is picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// Its rows.
    pub rows: u32,
    /// Bytes of its row blocks.
    pub block_bytes: u32,
}

/// One SSTable of a sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleTable {
    /// Its folder below `samples/`: `p20k/da`.
    pub folder: String,
    /// The version, the first two letters of the file names.
    pub version: String,
    /// Its files.
    pub files: Vec<SampleFile>,
}

/// A file of a sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleFile {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
}

impl SampleTable {
    /// Bytes of the files whose name ends in one of these.
    pub fn bytes_of(&self, names: &[&str]) -> u64 {
        let is = |file: &&SampleFile| names.iter().any(|name| file.name.ends_with(name));
        self.files.iter().filter(is).map(|file| file.bytes).sum()
    }
}

/// Local files that a link names and that must be chosen again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// Version, generation and format: `da-1-bti`.
    pub name: String,
    /// Size of Partitions.db, else Index.db.
    pub bytes: u64,
    /// First 4 hex digits of the CRC32 of the last 64 bytes of that file.
    pub hash: String,
}

impl Wanted {
    /// From `da-1-bti.162365.9f3c`, as [`TableFacts::identity`] and addresses say it.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.rsplitn(3, '.');
        let (hash, bytes, name) = (parts.next()?, parts.next()?, parts.next()?);
        let (name, hash) = (name.to_owned(), hash.to_owned());
        (!name.is_empty()).then_some(Self { name, bytes: bytes.parse().ok()?, hash })
    }
}

/// What the text in the key box means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Understood {
    /// The text of the partition key that was read.
    pub key_text: String,
    /// The text of the clustering key, where there is one.
    pub row_text: Option<String>,
    /// The partition key, or what was expected instead.
    pub key: Result<KeyFacts, String>,
    /// The clustering key, or what was expected instead.
    pub row: Option<Result<RowFacts, String>>,
}

/// Keys to suggest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestions {
    /// Keys as text, in the order of the table.
    pub keys: Vec<String>,
    /// Where they were read; `None` for the first and last key, which opening has read.
    pub from: Option<Part>,
    /// Whether these are all keys of the table.
    pub all: bool,
}
