//! From a list of files to SSTables: which files belong together, and why the others do not.
//!
//! An SSTable is the set of files of one folder that share version, generation and format (and, before `la`, keyspace and
//! table). Nothing is read here: names and sizes decide.

use super::{ComponentName, Generation, IndexKind, NameError, Part, TableName, Version};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// A file of an SSTable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetFile {
    /// Its place in the list that was grouped: by this the host finds the file again.
    pub file: usize,
    /// The component's word in the name, `Data.db`.
    pub component: String,
    /// The component; `None` where the word is not known to this program.
    pub part: Option<Part>,
    /// Length in bytes.
    pub bytes: u64,
}

/// The files of one SSTable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSet {
    /// The folder, as given, without the last slash; empty for files without one.
    pub directory: String,
    /// Keyspace and table where names or folders tell them.
    pub table: Option<TableName>,
    /// Version letters.
    pub version: Version,
    /// Where the index is a twin: the version of everything else.
    pub twin_of: Option<Version>,
    /// Generation.
    pub generation: Generation,
    /// The format word, `big` or `bti`.
    pub format: String,
    /// The components, each known one once, in the order of the list.
    pub files: Vec<SetFile>,
    /// Files that claim to be a component that [`Self::files`] has already: not used.
    pub twice: Vec<SetFile>,
    /// Temporary files (`TOC.txt.tmp`): the SSTable was being written, or deleted. Not used.
    pub unfinished: Vec<SetFile>,
}

/// A file that belongs to no SSTable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stranger {
    /// Its place in the list that was grouped.
    pub file: usize,
    /// Its path as given.
    pub path: String,
    /// Length in bytes.
    pub bytes: u64,
    /// Why it is no component.
    pub why: NameError,
}

/// What a list of files holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grouping {
    /// SSTables, by folder, table and generation.
    pub sets: Vec<FileSet>,
    /// Everything else.
    pub strangers: Vec<Stranger>,
}

/// Which index an SSTable has, and what says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexEvidence {
    /// The index: that of the version when its files are here, else the one whose files are. `None` without either.
    pub kind: Option<IndexKind>,
    /// What the version letters say.
    pub version: Option<IndexKind>,
    /// Whether Partitions.db is here.
    pub partitions: bool,
    /// Whether Index.db is here.
    pub index: bool,
}

type SetKey = (String, Option<(String, String)>, Generation, Version, String);

/// Groups files, given as path (folders separated by `/`) and length in bytes.
pub fn group<P: AsRef<str>>(files: impl IntoIterator<Item = (P, u64)>) -> Grouping {
    let mut sets: BTreeMap<SetKey, FileSet> = BTreeMap::new();
    let mut strangers = Vec::new();
    for (file, (path, bytes)) in files.into_iter().enumerate() {
        let path = path.as_ref();
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        match ComponentName::parse(name) {
            Err(why) => strangers.push(Stranger { file, path: path.to_owned(), bytes, why }),
            Ok(name) => {
                let key = (
                    directory.to_owned(),
                    name.table.clone(),
                    name.generation,
                    name.version,
                    name.format.clone(),
                );
                let set = sets.entry(key).or_insert_with(|| FileSet::new(directory, &name));
                set.add(
                    SetFile { file, component: name.component, part: name.part, bytes },
                    name.temporary,
                );
            }
        }
    }
    Grouping { sets: sets.into_values().collect(), strangers }
}

impl FileSet {
    fn new(directory: &str, name: &ComponentName) -> Self {
        let table = match &name.table {
            Some((keyspace, table)) => {
                Some(TableName { keyspace: Some(keyspace.clone()), table: table.clone() })
            }
            None => TableName::of_directory(directory),
        };
        Self {
            directory: directory.to_owned(),
            table,
            version: name.version,
            twin_of: None,
            generation: name.generation,
            format: name.format.clone(),
            files: Vec::new(),
            twice: Vec::new(),
            unfinished: Vec::new(),
        }
    }

    fn add(&mut self, file: SetFile, temporary: bool) {
        if temporary {
            self.unfinished.push(file);
        } else if self.files.iter().any(|other| match file.part {
            Some(part) => other.part == Some(part),
            None => other.component == file.component,
        }) {
            self.twice.push(file);
        } else {
            self.files.push(file);
        }
    }

    /// The same SSTable with an index that was built for it: index files of `version` with these lengths, and everything
    /// else as it is. What is built lies in no list, so its files have the place [`usize::MAX`].
    #[must_use]
    pub fn twin(&self, version: Version, index: &[(Part, u64)]) -> Self {
        let built = index.iter().map(|(part, bytes)| SetFile {
            file: usize::MAX,
            component: part.file_name().to_owned(),
            part: Some(*part),
            bytes: *bytes,
        });
        let shared = self.files.iter().filter(|file| file.part.is_some_and(Part::is_shared));
        Self {
            directory: self.directory.clone(),
            table: self.table.clone(),
            version,
            twin_of: Some(self.data_version()),
            generation: self.generation,
            format: version.format_word().to_owned(),
            files: built.chain(shared.cloned()).collect(),
            twice: Vec::new(),
            unfinished: Vec::new(),
        }
    }

    /// Version of all that is no index: that of the SSTable, but in a twin.
    pub fn data_version(&self) -> Version {
        self.twin_of.unwrap_or(self.version)
    }

    /// Version, generation and format as in the file names: `da-1-bti`.
    pub fn name(&self) -> String {
        format!("{}-{}-{}", self.version, self.generation, self.format)
    }

    /// The file of a component.
    pub fn file(&self, part: Part) -> Option<&SetFile> {
        self.files.iter().find(|file| file.part == Some(part))
    }

    /// Whether a component is among the files.
    pub fn has(&self, part: Part) -> bool {
        self.file(part).is_some()
    }

    /// Bytes of all components.
    pub fn bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum, file| sum.saturating_add(file.bytes))
    }

    /// Whether only temporary files say that this SSTable exists: the database would remove it.
    pub fn is_unfinished(&self) -> bool {
        !self.unfinished.is_empty() && !self.has(Part::Toc)
    }

    /// Which index there is. The format word says nothing: `ms` files say `big` and have a trie.
    pub fn index(&self) -> IndexEvidence {
        let version = self.version.index();
        let (partitions, index) = (self.has(Part::Partitions), self.has(Part::Index));
        let kind = match (version, partitions, index) {
            (Some(IndexKind::Trie), true, _) => Some(IndexKind::Trie),
            (Some(IndexKind::Legacy), _, true) => Some(IndexKind::Legacy),
            (_, true, _) => Some(IndexKind::Trie),
            (_, _, true) => Some(IndexKind::Legacy),
            (_, false, false) => None,
        };
        IndexEvidence { kind, version, partitions, index }
    }
}

impl Stranger {
    /// Name of the file, without its folders.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

impl fmt::Display for Stranger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let empty = if self.bytes == 0 { ", an empty file" } else { "" };
        write!(f, "{} is no SSTable component{empty}. {}", self.path, self.why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(files: &[&str]) -> Grouping {
        group(files.iter().map(|name| (*name, 10)))
    }

    fn set(files: &[&str]) -> FileSet {
        let mut grouping = names(files);
        assert_eq!((grouping.sets.len(), grouping.strangers.len()), (1, 0));
        grouping.sets.remove(0)
    }

    #[test]
    fn generations_tables_and_folders_become_sstables_of_their_own() {
        let grouping = names(&[
            "a/da-2-bti-Data.db",
            "a/da-1-bti-Data.db",
            "a/da-1-bti-Partitions.db",
            "a/oa-1-big-Data.db",
            "b/da-1-bti-Data.db",
            "a/da-3gll_1kke_3qdyo2i4kzfpt3cqcy-bti-Data.db",
            "k/try1-tab-ka-1-Data.db",
            "k/try1-tab2-ka-1-Data.db",
        ]);
        let sets: Vec<_> = grouping
            .sets
            .iter()
            .map(|set| format!("{}/{} {}", set.directory, set.name(), set.files.len()))
            .collect();
        assert_eq!(
            sets,
            [
                "a/da-3gll_1kke_3qdyo2i4kzfpt3cqcy-bti 1",
                "a/da-1-bti 2",
                "a/oa-1-big 1",
                "a/da-2-bti 1",
                "b/da-1-bti 1",
                "k/ka-1-big 1",
                "k/ka-1-big 1"
            ]
        );
        let tables: Vec<_> = grouping.sets.iter().filter_map(|set| set.table.as_ref()).collect();
        assert_eq!(
            tables.iter().map(|t| t.to_string()).collect::<Vec<_>>(),
            ["try1.tab", "try1.tab2"]
        );
    }

    #[test]
    fn a_second_file_for_one_component_is_set_aside() {
        let set = set(&[
            "da-1-bti-Data.db",
            "da-1-bti-Digest.crc32",
            "da-1-bti-Digest.sha1",
            "da-1-bti-Data.db",
        ]);
        assert_eq!(set.files.iter().map(|f| f.file).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(set.twice.iter().map(|f| f.file).collect::<Vec<_>>(), [2, 3]);
    }

    #[test]
    fn f10_the_index_is_told_from_version_and_components_not_from_the_word_big() {
        let kind = |files: &[&str]| set(files).index().kind;
        assert_eq!(kind(&["ms-5-big-Partitions.db", "ms-5-big-Rows.db"]), Some(IndexKind::Trie));
        assert_eq!(kind(&["da-1-bti-Partitions.db"]), Some(IndexKind::Trie));
        assert_eq!(kind(&["bb-1-bti-Partitions.db"]), Some(IndexKind::Trie));
        assert_eq!(kind(&["nb-1-big-Index.db", "nb-1-big-Summary.db"]), Some(IndexKind::Legacy));
        assert_eq!(kind(&["oa-1-big-Index.db"]), Some(IndexKind::Legacy));
        assert_eq!(kind(&["oa-1-big-Summary.db"]), None);
        // A version that does not fit its files, or is not known: the files decide.
        assert_eq!(kind(&["ms-1-big-Index.db"]), Some(IndexKind::Legacy));
        assert_eq!(kind(&["me-1-big-Partitions.db"]), Some(IndexKind::Trie));
        assert_eq!(kind(&["zz-1-big-Partitions.db"]), Some(IndexKind::Trie));
    }

    #[test]
    fn a_temporary_toc_means_unfinished() {
        assert!(set(&["me-1-big-Data.db", "me-1-big-TOC.txt.tmp"]).is_unfinished());
        assert!(!set(&["me-1-big-Data.db", "me-1-big-TOC.txt"]).is_unfinished());
    }

    #[test]
    fn a_text_file_and_an_empty_file_are_strangers_with_a_reason() {
        let grouping = group([("x/readme.txt", 7), ("empty", 0)]);
        let said: Vec<_> = grouping.strangers.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "x/readme.txt is no SSTable component. file name: expected a name such as da-1-bti-Data.db, found readme.txt",
                "empty is no SSTable component, an empty file. file name: expected a name such as da-1-bti-Data.db, found empty"
            ]
        );
        assert!(grouping.sets.is_empty());
    }
}
