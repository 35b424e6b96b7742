//! The tasks of this project, as a library: the command line is `main.rs`, and the browser tests use the server and the
//! browser from here.

pub mod bench;
pub mod browser;
pub mod build;
pub mod fuzz;
pub mod hook;
pub mod http;
pub mod samples;
pub mod say;
pub mod serve;
pub mod setup;
pub mod shots;
pub mod squeeze;
pub mod tally;
pub mod test;
pub mod tidy;
pub mod truth;

use std::path::{Path, PathBuf};

/// The folder of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}
