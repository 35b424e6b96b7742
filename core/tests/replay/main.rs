//! What fuzzing found, again: every input of the corpus, every input that once failed, and every seed goes through the body of
//! its target.
//!
//! With `FUZZ_SEEDS=FOLDER` the seeds are written there as well, a folder for each target: `cargo xtask fuzz` begins with them.

#[path = "../common/mod.rs"]
mod common;
#[path = "../fuzz/mod.rs"]
mod fuzz;

use fuzz::{MOST_BYTES, TARGETS};
use std::fs;
use std::path::PathBuf;

/// The inputs of a target in a folder below `fuzz/`, with their names, in order.
fn inputs(folder: &str, target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = common::root().join("fuzz").join(folder).join(target);
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: PathBuf| (path.clone(), fs::read(path).unwrap());
    paths.into_iter().map(read).collect()
}

/// Runs inputs of all targets and says which one is at work, so that a failure names it.
fn replay(folder: &str) -> usize {
    let mut count = 0;
    for target in &TARGETS {
        for (path, input) in inputs(folder, target.name) {
            println!("{}", path.display());
            (target.body)(&input);
            count += 1;
        }
    }
    println!("{count} inputs");
    count
}

#[test]
fn every_input_of_the_corpus_keeps_what_is_promised() {
    replay("corpus");
}

#[test]
fn every_input_that_once_failed_keeps_what_is_promised() {
    replay("crashes");
}

#[test]
fn every_seed_keeps_what_is_promised() {
    for target in &TARGETS {
        let seeds = (target.seeds)();
        assert!(!seeds.is_empty(), "{} has no seeds", target.name);
        for (i, seed) in seeds.iter().enumerate() {
            println!("{} seed {i}", target.name);
            assert!(seed.len() <= MOST_BYTES, "{} seed {i}: {} bytes", target.name, seed.len());
            (target.body)(seed);
            if let Some(folder) = std::env::var_os("FUZZ_SEEDS") {
                let folder = PathBuf::from(folder).join(target.name);
                fs::create_dir_all(&folder).unwrap();
                fs::write(folder.join(format!("seed-{i}")), seed).unwrap();
            }
        }
    }
}

#[test]
fn every_target_has_its_program() {
    for target in &TARGETS {
        let program = common::root().join(format!("fuzz/fuzz_targets/{}.rs", target.name));
        assert!(program.is_file(), "{}", program.display());
    }
}
