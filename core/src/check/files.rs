//! The set of files: what is missing, listed or not, named alike; and what could not be read when the table was opened.

use super::catalog::files::{
    DAMAGED, DERIVABLE, FORMAT_WORD, INDEX_MISSING, LEFTOVER, MISSING, SPLIT, TWICE, UNFINISHED,
    UNKNOWN_LISTED, UNLISTED, VERSION,
};
use super::{Finding, Findings, Stage, Step};
use crate::error::Miss;
use crate::source::Source;
use crate::table::{Component, FileSet, IndexKind, Part, Problem, Table, TableFacts};
use std::borrow::Cow;

/// Components of one SSTable that lie under two names, `me-1-big-Data.db` beside `mc-1-big-Index.db`. `sets` are those of
/// one grouping; each finding comes with the index of the set that has fewer of the components.
pub fn split_names(sets: &[FileSet]) -> Vec<(usize, Finding)> {
    let mut findings = Vec::new();
    for (i, one) in sets.iter().enumerate() {
        for (j, other) in sets.iter().enumerate().skip(i + 1) {
            let alike = one.directory == other.directory
                && one.generation == other.generation
                && one.table == other.table;
            // Two whole tables of one generation are what an upgrade in place, or a test, leaves: nothing is wrong.
            let both = |part| one.has(part) && other.has(part);
            if !alike || (is_whole(one) && is_whole(other)) || Part::ALL.into_iter().any(both) {
                continue;
            }
            let (at, few, many) =
                if one.files.len() < other.files.len() { (i, one, other) } else { (j, other, one) };
            let names: Vec<&str> = few.files.iter().map(|file| file.component.as_str()).collect();
            let expected = format!("all components named {}", many.name());
            let found = format!("{} named {}", names.join(", "), few.name());
            findings.push((at, Finding::new(SPLIT, "name", expected, found)));
        }
    }
    findings
}

fn is_whole(set: &FileSet) -> bool {
    set.has(Part::Data) && set.index().kind.is_some()
}

/// Looks at what opening the table found.
pub(super) struct FilesStage;

impl<S: Source> Stage<S> for FilesStage {
    fn name(&self) -> &'static str {
        "the set of files"
    }

    fn step(&mut self, table: &Table<S>, _: u64, findings: &mut Findings) -> Result<Step, Miss> {
        names(&table.set, findings);
        for problem in &table.facts.problems {
            match problem {
                // What was never finished is not whole: that is one fault, not one a component.
                Problem::Missing(_) if table.set.is_unfinished() => {}
                Problem::Missing(part) => missing(&table.facts, *part, findings),
                // Both indexes have checks of their own.
                Problem::Damaged(error)
                    if matches!(error.part, Part::Partitions | Part::Index | Part::Summary) => {}
                Problem::Damaged(error) => findings.add(Finding::unreadable(DAMAGED, error)),
                Problem::Version(version) => findings.add(Finding::new(
                    VERSION,
                    "version",
                    "a version that is read",
                    format!("{version}, written by {}", version.release()),
                )),
                Problem::UnknownInToc(name) => {
                    let here = |it: &Component| it.name == *name && it.bytes.is_some();
                    if !table.facts.components.iter().any(here) {
                        let found = format!("{name}, and no such file");
                        let finding =
                            Finding::new(UNKNOWN_LISTED, "list", "names of components", found);
                        findings.add(finding.part(Part::Toc));
                    }
                }
                // Both are told from the names, with more detail.
                Problem::Twice(_) | Problem::Unfinished => {}
            }
        }
        for component in &table.facts.components {
            // Whether the list lists itself means nothing.
            let is_list = component.part == Some(Part::Toc);
            if component.listed == Some(false) && component.bytes.is_some() && !is_list {
                let found = format!("{}, not listed", component.name);
                let finding = Finding::new(UNLISTED, "list", "every component here", found);
                findings.add(finding.part(Part::Toc));
            }
        }
        Ok(Step { bytes: 0, done: true })
    }
}

/// What names alone tell.
fn names(set: &FileSet, findings: &mut Findings) {
    let word = set.version.format_word();
    if set.version.index().is_some() && set.format != word {
        findings.add(Finding::new(
            FORMAT_WORD,
            "format word",
            format!("{word} for version {}", set.version),
            set.format.clone(),
        ));
    }
    for file in &set.twice {
        let used = set.files.iter().find(|used| match file.part {
            Some(part) => used.part == Some(part),
            None => used.component == file.component,
        });
        let used = used.map_or("", |used| &used.component);
        let found = format!("{} beside {used}", file.component);
        let finding = Finding::new(TWICE, "component", "one file", found);
        findings.add(match file.part {
            Some(part) => finding.part(part),
            None => finding,
        });
    }
    if set.is_unfinished() {
        let names = list(set.unfinished.iter().map(|file| file.component.as_str()));
        let found = format!("no TOC.txt, and temporary files: {names}");
        findings.add(Finding::new(UNFINISHED, "component", "TOC.txt", found).part(Part::Toc));
    } else {
        for file in &set.unfinished {
            let found = format!("{} in a temporary file", file.component);
            let finding = Finding::new(LEFTOVER, "component", "no temporary file", found);
            findings.add(match file.part {
                Some(part) => finding.part(part),
                None => finding,
            });
        }
    }
}

fn missing(facts: &TableFacts, part: Part, findings: &mut Findings) {
    let here =
        |part| facts.components.iter().find(|it| it.part == Some(part) && it.bytes.is_some());
    let listed = facts.components.iter().any(|it| it.part == Some(part) && it.listed == Some(true));
    let expected = if listed {
        "a file, listed in TOC.txt".into()
    } else {
        Cow::from(format!("a file, as version {} needs", facts.version))
    };
    // Rows.db without Partitions.db leads nowhere: one finding names the index that is gone.
    if part == Part::Rows && here(Part::Partitions).is_none() {
        return;
    }
    let index = facts.version.index().or(facts.index);
    let is_index = match index {
        Some(IndexKind::Trie) => matches!(part, Part::Partitions | Part::Rows),
        Some(IndexKind::Legacy) | None => part == Part::Index,
    };
    let scan = || match here(Part::Data).and_then(|data| data.bytes) {
        Some(bytes) => format!("no index present: every lookup is a full scan of {bytes} bytes"),
        None => "absent; no index is present".to_owned(),
    };
    let (check, found) = match part {
        Part::Rows if is_index => (
            INDEX_MISSING,
            "absent: wide partitions cannot be looked up; derivable from Data.db".to_owned(),
        ),
        _ if is_index => (INDEX_MISSING, scan()),
        Part::Data | Part::Statistics | Part::CompressionInfo | Part::Scylla => {
            (MISSING, "absent".to_owned())
        }
        _ => {
            let from = match part {
                Part::Summary if here(Part::Index).is_some() => "Index.db",
                Part::Toc => "the names of the files",
                _ => "Data.db",
            };
            (DERIVABLE, format!("absent; derivable from {from}"))
        }
    };
    findings.add(Finding::new(check, "component", expected, found).part(part));
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
