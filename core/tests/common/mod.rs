//! Real files for tests: folders opened as SSTables in memory, and the answers that lie beside them.
#![allow(dead_code, unused_imports, reason = "every test program uses its own part of this")]

pub mod pieces;
pub mod places;
pub mod random;

pub use places::{root, upstream};
pub use random::Random;

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use triescope_core::table::{FileSet, Grouping, Part, Table, group};

/// An SSTable in memory: a test may damage its bytes before it opens them.
#[derive(Clone, Debug)]
pub struct InMemory {
    /// The folder it was read from.
    pub folder: PathBuf,
    /// Its files.
    pub set: FileSet,
    /// The bytes of its known components.
    pub bytes: BTreeMap<Part, Vec<u8>>,
}

impl InMemory {
    /// Reads all SSTables of a folder, in the order of their generations; folders below it are left alone.
    pub fn folder(folder: &Path) -> Vec<Self> {
        let (grouping, names) = grouped(folder);
        grouping
            .sets
            .into_iter()
            .map(|set| {
                let read = |file: usize| fs::read(folder.join(&names[file])).unwrap();
                let files = set.files.iter().filter_map(|file| Some((file.part?, read(file.file))));
                Self { folder: folder.to_owned(), bytes: files.collect(), set: set.clone() }
            })
            .collect()
    }

    /// Opens it.
    pub fn table(&self) -> Table<&[u8]> {
        let sources = self.bytes.iter().map(|(part, bytes)| (*part, bytes.as_slice()));
        Table::open(self.set.clone(), sources).unwrap()
    }

    /// The bytes of a component.
    pub fn part(&self, part: Part) -> &[u8] {
        &self.bytes[&part]
    }

    /// Without a component, as if its file were not there.
    pub fn without(&self, part: Part) -> Self {
        let mut other = self.clone();
        other.bytes.remove(&part);
        other.set.files.retain(|file| file.part != Some(part));
        other
    }

    /// With other bytes for a component.
    pub fn with(&self, part: Part, bytes: &[u8]) -> Self {
        let mut other = self.clone();
        for file in other.set.files.iter_mut().filter(|file| file.part == Some(part)) {
            file.bytes = bytes.len() as u64;
        }
        other.bytes.insert(part, bytes.to_vec());
        other
    }
}

/// Groups the files of a folder, and gives the names of the list that was grouped.
pub fn grouped(folder: &Path) -> (Grouping, Vec<String>) {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    let size = |name: &String| fs::metadata(folder.join(name)).unwrap().len();
    (group(names.iter().map(|name| (name.as_str(), size(name)))), names)
}

/// An SSTable that Cassandra wrote, with what Cassandra's readers answer on it.
pub struct Expected {
    /// `wide_many/da`, or `lsm_two/da generation 2`: for messages.
    pub name: String,
    /// The version's folder, `da`, `oa` or `nb`.
    pub version: String,
    /// The SSTable.
    pub files: InMemory,
    /// expected.json.
    pub json: Value,
}

impl Expected {
    /// Whether only the index, Statistics.db and TOC.txt were kept.
    pub fn is_index_only(&self) -> bool {
        self.json["index_only"] == true
    }
}

/// One of the SSTables in `testdata/cassandra`: `cassandra("wide_many", "da", 1)`.
pub fn cassandra(table: &str, version: &str, generation: u64) -> Expected {
    let folder = testdata().join(table).join(version);
    let files = InMemory::folder(&folder)
        .into_iter()
        .find(|files| files.set.generation.to_string() == generation.to_string())
        .unwrap_or_else(|| panic!("{table}/{version} has no generation {generation}"));
    let several = folder.join(format!("expected-{generation}.json"));
    let (json, name) = if several.exists() {
        (several, format!("{table}/{version} generation {generation}"))
    } else {
        (folder.join("expected.json"), format!("{table}/{version}"))
    };
    let json = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    Expected { name, version: version.to_owned(), files, json }
}

/// All SSTables in `testdata/cassandra` of one version (`da`, `oa`, `nb`), one after the other.
pub fn all_cassandra(version: &str) -> impl Iterator<Item = Expected> {
    let mut found: Vec<(String, u64)> = Vec::new();
    for table in folders(&testdata()) {
        let folder = table.join(version);
        if !folder.is_dir() {
            continue;
        }
        let name = table.file_name().unwrap().to_str().unwrap().to_owned();
        for set in grouped(&folder).0.sets {
            found.push((name.clone(), set.generation.to_string().parse().unwrap()));
        }
    }
    assert!(!found.is_empty(), "no files of version {version} in testdata");
    let version = version.to_owned();
    found.into_iter().map(move |(table, generation)| cassandra(&table, &version, generation))
}

/// `testdata/cassandra`.
pub fn testdata() -> PathBuf {
    root().join("testdata/cassandra")
}

/// The folders in a folder, sorted.
pub fn folders(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.is_dir());
    found.sort();
    found
}

/// Bytes from the hexadecimal text of expected.json. Texts that were cut (`...`) have no bytes.
pub fn unhex(text: &Value) -> Option<Vec<u8>> {
    let text = text.as_str()?;
    if text.len() % 2 != 0 {
        return None;
    }
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(text.get(i..i + 2)?, 16).ok()).collect()
}
