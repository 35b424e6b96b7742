//! Files for a test to drop or choose: copies of real SSTables, whole or damaged, in a folder of their own.

use anyhow::{Context as _, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that is there for one test; dropping it removes it.
pub struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    /// An empty folder. The name is what a person would see.
    pub fn new(name: &str) -> Result<Scratch> {
        let folder = xtask::root().join("target/e2e/files").join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        Ok(Scratch { folder })
    }

    /// Adds the components of a set in `testdata/cassandra`, as `p20k/da`.
    pub fn set(self, set: &str) -> Result<Scratch> {
        self.set_into(set, "")
    }

    /// Adds the components of a set in a folder below.
    pub fn set_into(self, set: &str, below: &str) -> Result<Scratch> {
        let target = self.folder.join(below);
        fs::create_dir_all(&target)?;
        for file in components(set)? {
            fs::copy(&file, target.join(file.file_name().unwrap_or_default()))?;
        }
        Ok(self)
    }

    /// Adds a file with these bytes.
    pub fn write(self, name: &str, bytes: &[u8]) -> Result<Scratch> {
        fs::write(self.folder.join(name), bytes)?;
        Ok(self)
    }

    /// Changes the bytes of a file that was added.
    pub fn damage(self, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> Result<Scratch> {
        let mut bytes = fs::read(self.folder.join(name)).context(name.to_owned())?;
        change(&mut bytes);
        self.write(name, &bytes)
    }

    /// Takes a file away.
    pub fn remove(self, name: &str) -> Result<Scratch> {
        fs::remove_file(self.folder.join(name)).context(name.to_owned())?;
        Ok(self)
    }

    /// The folder.
    pub fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// All files in it, not those in folders below.
    pub fn files(&self) -> Result<Vec<PathBuf>> {
        list(&self.folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // It lies below target/, where leftovers do no harm.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The components of a set in `testdata/cassandra`, as `p20k/da`; what stands beside them is left out.
pub fn components(set: &str) -> Result<Vec<PathBuf>> {
    let format = set.rsplit('/').next().unwrap_or_default();
    let is_component = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(&format!("{format}-")))
    };
    Ok(list(&xtask::root().join("testdata/cassandra").join(set))?
        .into_iter()
        .filter(is_component)
        .collect())
}

fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
