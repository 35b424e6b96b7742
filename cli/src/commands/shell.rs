//! `triescope completions` and `triescope man`: written by the parser's own generators.

use crate::args::Cli;
use crate::failure::{Failure, Outcome, Verdict};
use crate::out::Out;
use clap::CommandFactory as _;
use std::io::Write as _;
use std::path::Path;

/// Completions for a shell.
pub fn completions(shell: clap_complete::Shell, out: &mut Out) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "triescope", &mut script);
    out.write_all(&script)?;
    Ok(Verdict::Clean)
}

/// The manual page; with a folder, a page for each command.
pub fn man(folder: Option<&Path>, out: &mut Out) -> Outcome {
    let failed = |folder: &Path, error| Failure::new(format!("{}: {error}", folder.display()));
    match folder {
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
            clap_mangen::generate_to(Cli::command(), folder)
                .map_err(|error| failed(folder, error))?;
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page)?;
            out.write_all(&page)?;
        }
    }
    Ok(Verdict::Clean)
}
