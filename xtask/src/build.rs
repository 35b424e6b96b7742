//! Builds the page into `dist/`, and weighs what a first visit loads.

use crate::{root, say, setup};
use anyhow::{Context as _, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

/// What a first visit may load: the sum of gzipped wasm, js, css and html, in bytes.
pub const FIRST_LOAD_LIMIT: usize = 512_000;

/// What the module of the workers and the style of what they make may weigh: gzipped wasm, js and css, in bytes. They are
/// loaded when something is first opened.
pub const WORKSHOP_LIMIT: usize = 1_400_000;

/// What [`page`] does, as a step.
pub const WHAT: &str = "Build the page into dist/";

/// `cargo xtask build`
pub fn command(args: &[String]) -> Result<()> {
    ensure!(args.is_empty(), "`build` takes no arguments");
    let sh = Shell::new()?;
    setup::for_build(&sh)?;
    say::step(WHAT, || page(&sh))
}

/// Runs Trunk; everything it needs must be on the shell's `PATH`.
pub fn page(sh: &Shell) -> Result<()> {
    cmd!(sh, "trunk build --release").quiet().run().context("Trunk could not build the page")
}

/// Weighs the built page and says what each file weighs; an error above a limit.
pub fn weigh() -> Result<()> {
    let is_workshop = |file: &PathBuf| {
        let of = |name: &str| name.starts_with("workshop") || name.starts_with("boards");
        file.file_name().is_some_and(|name| of(&name.to_string_lossy()))
    };
    let (workshop, first): (Vec<PathBuf>, Vec<PathBuf>) =
        loaded_files(&root().join("dist"))?.into_iter().partition(is_workshop);
    weigh_files("the first load", &first, FIRST_LOAD_LIMIT)?;
    weigh_files("the workers", &workshop, WORKSHOP_LIMIT)
}

fn weigh_files(what: &str, files: &[PathBuf], limit: usize) -> Result<()> {
    let mut total = 0;
    for file in files {
        let bytes = fs::read(file)?;
        let gzipped = gzip_len(&bytes);
        total += gzipped;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        say::line(&format!("    {gzipped:>8} B gzipped, {:>8} B plain: {name}", bytes.len()));
    }
    say::line(&format!("    {total:>8} B gzipped in all, of {limit}: {what}"));
    ensure!(total > 0, "dist/ holds nothing of {what}");
    ensure!(total <= limit, "{what} weighs {total} B gzipped, above the limit of {limit}");
    Ok(())
}

/// Every wasm, js, css and html file below a folder, samples not counted.
fn loaded_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            let counted = path
                .extension()
                .is_some_and(|ext| ["wasm", "js", "css", "html"].iter().any(|known| ext == *known));
            if path.is_dir() && !path.ends_with("samples") {
                folders.push(path);
            } else if counted {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// What `gzip -9` makes of it: a deflate stream and a frame of 18 bytes.
fn gzip_len(bytes: &[u8]) -> usize {
    miniz_oxide::deflate::compress_to_vec(bytes, 9).len() + 18
}
