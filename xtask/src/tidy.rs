//! `cargo xtask tidy`: the rules of the house that no other tool checks.

use crate::root;
use anyhow::{Context as _, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// Longest source file, in lines.
const MAX_LINES: usize = 600;

/// Files that are one table each and may be longer.
const TABLES: &[&str] = &[];

/// Folders that hold nothing we write.
const FOREIGN: &[&str] = &["target", "dist", "testdata", "axe", ".git"];

/// Kinds of files whose lines may not end in blanks.
const TEXTS: &[&str] = &["rs", "toml", "md", "css", "html", "js", "svg"];

/// One source file: its path from the root with forward slashes, and its text.
type Source = (String, String);

/// `cargo xtask tidy`
pub fn command(args: &[String]) -> Result<()> {
    ensure!(args.is_empty(), "`tidy` takes no arguments");
    check()?;
    println!("tidy");
    Ok(())
}

/// Checks every rule; the error lists all that is wrong.
pub fn check() -> Result<()> {
    let sources = sources(&root())?;
    let mut wrong: Vec<String> = sources.iter().flat_map(about_file).collect();
    match fs::read_to_string(root().join("ARCHITECTURE.md")) {
        Ok(text) => wrong.extend(about_invariants(&text, &sources)?),
        Err(_) => wrong.push(
            "ARCHITECTURE.md: expected the rooms and the invariants, found no such file".to_owned(),
        ),
    }
    if wrong.is_empty() {
        return Ok(());
    }
    bail!("{} things are not as the house wants them:\n    {}", wrong.len(), wrong.join("\n    "))
}

fn about_file((path, text): &Source) -> Vec<String> {
    let mut wrong = Vec::new();
    if path.ends_with(".rs") {
        if !text.starts_with("//!") {
            wrong.push(format!("{path}:1: expected `//!` and what the file holds"));
        }
        let lines = text.lines().count();
        if lines > MAX_LINES && !TABLES.contains(&path.as_str()) {
            wrong.push(format!("{path}: expected at most {MAX_LINES} lines, found {lines}: split it by what it holds"));
        }
    }
    for (number, line) in (1..).zip(text.lines()) {
        if line.ends_with([' ', '\t']) {
            wrong.push(format!("{path}:{number}: the line ends in blanks"));
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        wrong.push(format!("{path}: the last line has no end"));
    }
    wrong
}

/// Holds the sources against the invariants that say who names what.
///
/// Two forms are understood, each on one line: "Invariant: only `place` names `word`." and "Invariant: `place` never
/// names `word`."; further words may follow, each in backticks. Other invariants are for people.
fn about_invariants(text: &str, sources: &[Source]) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let mut checked = 0;
    for line in text
        .lines()
        .filter(|line| line.trim_start_matches(['-', '*', ' ']).starts_with("Invariant:"))
    {
        let quoted: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
        let (Some(place), words) = (quoted.first(), quoted.get(1..).unwrap_or_default()) else {
            continue;
        };
        let only = line.contains("Invariant: only `") && line.contains("` names `");
        let never = line.contains("Invariant: `") && line.contains("` never names `");
        if !only && !never {
            continue;
        }
        checked += 1;
        if !sources.iter().any(|(path, _)| inside(path, place)) {
            wrong.push(format!(
                "ARCHITECTURE.md: an invariant speaks of `{place}`, where there is no source"
            ));
        }
        for (path, text) in
            sources.iter().filter(|(path, _)| path.ends_with(".rs") && inside(path, place) == never)
        {
            // This file has to name them to explain itself.
            if path == "xtask/src/tidy.rs" {
                continue;
            }
            for word in words {
                if let Some(number) = code_line_with(text, word) {
                    wrong.push(format!(
                        "{path}:{number}: names `{word}`, against \"{}\"",
                        line.trim()
                    ));
                }
            }
        }
    }
    ensure!(
        checked > 0,
        "ARCHITECTURE.md: expected lines like \"Invariant: only `web/src/paint` names `…`.\", found none"
    );
    Ok(wrong)
}

/// Whether a path is a place or below it.
fn inside(path: &str, place: &str) -> bool {
    let place = place.trim_end_matches('/');
    path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The first line outside of comments that holds a word, from 1.
fn code_line_with(text: &str, word: &str) -> Option<usize> {
    let code = |line: &str| !line.trim_start().starts_with("//") && line.contains(word);
    text.lines().position(code).map(|index| index + 1)
}

fn sources(root: &Path) -> Result<Vec<Source>> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                if !FOREIGN.contains(&name.as_ref()) {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|ext| TEXTS.iter().any(|known| ext == *known)) {
                found.push((
                    from_root(root, &path),
                    fs::read_to_string(&path).with_context(|| path.display().to_string())?,
                ));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn from_root(root: &Path, path: &Path) -> String {
    let relative: PathBuf = path.strip_prefix(root).unwrap_or(path).to_path_buf();
    relative
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        (path.to_owned(), text.to_owned())
    }

    #[test]
    fn a_file_says_what_it_holds_and_stays_short() {
        let long = format!("//! Long.\n{}", "\n".repeat(MAX_LINES));
        let cases = [
            ("a.rs", "//! Fine.\n", 0),
            ("a.rs", "fn main() {}\n", 1),
            ("a.rs", long.as_str(), 1),
            ("a.md", "blank \nend", 2),
        ];
        for (path, text, expected) in cases {
            assert_eq!(about_file(&source(path, text)).len(), expected, "{path} {:.20}", text);
        }
    }

    #[test]
    fn invariants_are_held_against_the_sources() {
        let text = "- Invariant: only `web/src/paint` names `Context2d`.\nInvariant: `core/src` never names `std::fs`, `std::thread`.\n\
                    Invariant: damage is a result.\n";
        let kept = [
            source("web/src/paint/mod.rs", "use Context2d;"),
            source("core/src/lib.rs", "// std::fs is not for us\n"),
            source("xtask/src/main.rs", "std::fs::read"),
        ];
        assert_eq!(about_invariants(text, &kept).unwrap(), Vec::<String>::new());
        let broken = [
            source("web/src/paint/mod.rs", ""),
            source("web/src/painter.rs", "\nuse Context2d;"),
            source("core/src/lib.rs", "std::thread"),
        ];
        let wrong = about_invariants(text, &broken).unwrap();
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(
            wrong.iter().any(|line| line.starts_with("web/src/painter.rs:2: names `Context2d`")),
            "{wrong:?}"
        );
    }

    #[test]
    fn invariants_without_a_checkable_line_are_reported() {
        assert!(about_invariants("Invariant: be good.", &[]).is_err());
    }
}
