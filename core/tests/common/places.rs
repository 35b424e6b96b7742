//! Where real files lie: this repository, and other people's files beside it.
#![allow(dead_code, reason = "every test program uses its own part of this")]

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// A folder of other people's files, which are not ours to copy: `kopens-lsb/legacy_mc_clust`. `None`, with a line that
/// says so, where it is absent.
pub fn upstream(folder: &str) -> Option<PathBuf> {
    let found = root()
        .ancestors()
        .map(|above| above.join("shared/fixtures/upstream").join(folder))
        .find(|folder| folder.is_dir());
    if found.is_none() {
        eprintln!("skipped: ../shared/fixtures/upstream/{folder} is not here");
    }
    found
}
