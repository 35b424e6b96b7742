//! From paths to SSTables: which files belong together, and opening them.

use crate::failure::Failure;
use crate::source::{Cache, FileSource};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use triescope_core::table::words;
use triescope_core::table::{
    ComponentName, FileSet, IndexKind, Part, Table, TableName, group, pairs,
};

/// An opened SSTable.
pub type Opened = Table<FileSource>;

/// The SSTables that some paths name.
#[derive(Debug)]
pub struct Found {
    /// The SSTables, by folder, table and generation.
    pub sets: Vec<FileSet>,
    /// The files, by the numbers that the sets have for them.
    paths: Vec<PathBuf>,
    cache: Rc<Cache>,
}

/// Bytes of files that are kept in memory.
const CACHE_BYTES: usize = 24 << 20;

/// Finds the SSTables of some paths: folders, with all folders below them, and component files.
pub fn find(paths: &[PathBuf]) -> Result<Found, Failure> {
    let mut files = BTreeSet::new();
    for path in paths {
        let meta = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
        if meta.is_dir() {
            let mut below = BTreeSet::new();
            walk(path, &mut below)?;
            if below.is_empty() {
                let path = path.display();
                return Err(Failure::new(format!("{path}: no SSTable lies in this folder")));
            }
            files.extend(below);
        } else {
            siblings(path, &mut files)?;
        }
    }
    Found::of(files)
}

impl Found {
    fn of(files: BTreeSet<PathBuf>) -> Result<Self, Failure> {
        let mut listed = Vec::new();
        for path in files {
            let meta = fs::metadata(&path).map_err(|error| unreadable(&path, &error))?;
            listed.push((slashed(&path), meta.len(), path));
        }
        let grouping = group(listed.iter().map(|(name, bytes, _)| (name.as_str(), *bytes)));
        let mut sets = grouping.sets;
        for set in sets.iter_mut().filter(|set| set.table.is_none()) {
            // A path such as `.` does not tell of keyspace and table, the folder that it leads to may.
            let folder = if set.directory.is_empty() { "." } else { &set.directory };
            if let Ok(folder) = fs::canonicalize(folder) {
                set.table = TableName::of_directory(&slashed(&folder));
            }
        }
        let paths = listed.into_iter().map(|(_, _, path)| path).collect();
        Ok(Self { sets, paths, cache: Cache::new(CACHE_BYTES) })
    }

    /// Opens an SSTable.
    pub fn open(&self, set: &FileSet) -> Result<Opened, Failure> {
        let mut sources = Vec::new();
        for file in &set.files {
            let (Some(part), Some(path)) = (file.part, self.paths.get(file.file)) else { continue };
            let source = FileSource::open(path, part, &self.cache);
            sources.push((part, source.map_err(|error| unreadable(path, &error))?));
        }
        Table::open(set.clone(), sources).map_err(|miss| {
            Failure::new(format!("{}: a file did not answer at once: {miss:?}", name(set)))
        })
    }

    /// The one SSTable that the path names.
    pub fn only(&self) -> Result<Opened, Failure> {
        match self.sets.as_slice() {
            [set] => {
                let table = self.open(set)?;
                refuse_unread(&table)?;
                Ok(table)
            }
            [] => Err(Failure::new("no SSTable is named")),
            several => {
                let names: Vec<String> = several.iter().take(10).map(name).collect();
                let more = several.len().saturating_sub(names.len());
                let more = if more > 0 { format!("\n  and {more} more") } else { String::new() };
                Err(Failure::new(format!(
                    "this command takes one SSTable, and there are {}: name one of its files\n  {}{more}",
                    several.len(),
                    names.join("\n  ")
                )))
            }
        }
    }

    /// The SSTable of the path with its twin, which holds the same rows with the other index and lies in the same folder;
    /// of a folder, all SSTables, twins together. Those with a trie come first.
    pub fn races(&self, path: &Path) -> Result<Vec<Race>, Failure> {
        let one = !fs::metadata(path).is_ok_and(|meta| meta.is_dir());
        if !one {
            return self.paired(&self.sets);
        }
        let mut files = BTreeSet::new();
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
        list(folder.unwrap_or(Path::new(".")), &mut files, &mut Vec::new())?;
        let wanted: Vec<String> = self.sets.iter().map(FileSet::name).collect();
        let all = Self::of(files)?;
        let is_wanted = |set: &FileSet| wanted.contains(&set.name());
        let kinds: Vec<_> =
            all.sets.iter().filter(|set| is_wanted(set)).map(|set| set.index().kind).collect();
        let candidates =
            all.sets.iter().filter(|set| is_wanted(set) || !kinds.contains(&set.index().kind));
        let candidates: Vec<FileSet> = candidates.cloned().collect();
        let mut races = all.paired(&candidates)?;
        races.retain(|race| race.tables().any(|table| wanted.contains(&table.facts.name)));
        Ok(races)
    }

    fn paired(&self, sets: &[FileSet]) -> Result<Vec<Race>, Failure> {
        let mut facts = Vec::new();
        for set in sets {
            // Opened once more below: a folder may hold more SSTables than files can be open at once.
            facts.push(self.open(set)?.facts);
        }
        let open = |at: Option<usize>| at.map(|at| self.open(&sets[at])).transpose();
        let pairs = pairs(&facts.iter().collect::<Vec<_>>());
        pairs
            .into_iter()
            .map(|pair| Ok(Race { trie: open(pair.0)?, legacy: open(pair.1)? }))
            .collect()
    }
}

/// An SSTable, or two of the same rows with different indexes.
#[derive(Debug)]
pub struct Race {
    /// The one with the trie index.
    pub trie: Option<Opened>,
    /// The one with the legacy index.
    pub legacy: Option<Opened>,
}

impl Race {
    /// The tables, trie first.
    pub fn tables(&self) -> impl Iterator<Item = &Opened> {
        [self.trie.as_ref(), self.legacy.as_ref()].into_iter().flatten()
    }
}

/// How an SSTable is called: what its file names begin with, and the folder.
pub fn name(set: &FileSet) -> String {
    let stem = match &set.table {
        Some(TableName { keyspace: Some(keyspace), table }) if set.version.has_table_in_names() => {
            format!("{keyspace}-{table}-{}-{}", set.version, set.generation)
        }
        _ => set.name(),
    };
    if set.directory.is_empty() { stem } else { format!("{}/{stem}", set.directory) }
}

/// A sentence for a version that is not read.
pub fn refuse_unread(table: &Opened) -> Result<(), Failure> {
    if table.version().is_read() {
        return Ok(());
    }
    let name = name(&table.set);
    Err(Failure::new(format!("{name}: {}", words::refused(table.version()))))
}

/// The index of an SSTable that can be read, or a sentence that there is none.
pub fn index_of(table: &Opened) -> Result<IndexKind, Failure> {
    let name = name(&table.set);
    let Some(kind) = table.readable_index() else {
        return Err(Failure::new(format!("{name}: {}", words::told_from(&table.facts))));
    };
    Ok(kind)
}

/// A component by its name: `Partitions.db`, `partitions`, or the name of a whole file.
pub fn component(text: &str) -> Result<Part, Failure> {
    let base = |name: &str| name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    let wanted = text.rsplit(['-', '/']).next().unwrap_or(text);
    Part::ALL.into_iter().find(|part| base(part.file_name()) == base(wanted)).ok_or_else(|| {
        let known = Part::ALL.map(|part| part.file_name().to_owned()).join(", ");
        Failure::new(format!("{text} is no component; expected one of {known}"))
    })
}

/// All component files of a folder and of the folders below it.
fn walk(folder: &Path, files: &mut BTreeSet<PathBuf>) -> Result<(), Failure> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        list(&folder, files, &mut folders)?;
    }
    Ok(())
}

/// The component files of a folder, and its folders. Links to folders are not followed, so that a walk ends.
fn list(
    folder: &Path,
    files: &mut BTreeSet<PathBuf>,
    folders: &mut Vec<PathBuf>,
) -> Result<(), Failure> {
    for entry in fs::read_dir(folder).map_err(|error| unreadable(folder, &error))? {
        let entry = entry.map_err(|error| unreadable(folder, &error))?;
        let kind = entry.file_type().map_err(|error| unreadable(&entry.path(), &error))?;
        if kind.is_dir() {
            folders.push(entry.path());
        } else if entry.file_name().to_str().is_some_and(|name| ComponentName::parse(name).is_ok())
            && fs::metadata(entry.path()).is_ok_and(|meta| meta.is_file())
        {
            files.insert(plain(entry.path()));
        }
    }
    Ok(())
}

/// The files of the SSTable that a component file belongs to.
fn siblings(path: &Path, files: &mut BTreeSet<PathBuf>) -> Result<(), Failure> {
    let parse = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        ComponentName::parse(&name)
    };
    let wanted = parse(path).map_err(|error| {
        Failure::new(format!("{} is no SSTable component: {error}", path.display()))
    })?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut all = BTreeSet::new();
    list(folder.unwrap_or(Path::new(".")), &mut all, &mut Vec::new())?;
    files.extend(all.into_iter().filter(|path| {
        parse(path).is_ok_and(|name| {
            (name.table, name.version, name.generation, name.format)
                == (wanted.table.clone(), wanted.version, wanted.generation, wanted.format.clone())
        })
    }));
    Ok(())
}

/// A path without a leading `./`, so that the same file is the same path.
fn plain(path: PathBuf) -> PathBuf {
    match path.strip_prefix(".") {
        Ok(rest) if !rest.as_os_str().is_empty() => rest.to_owned(),
        _ => path,
    }
}

fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{}: {error}", path.display()))
}
