//! The set of files: what is missing, and what could not be read when the table was opened.

use super::catalog::files::{DAMAGED, MISSING};
use super::{Finding, Findings, Stage, Step};
use crate::error::Miss;
use crate::source::Source;
use crate::table::{Problem, Table};

/// Looks at what opening the table found.
pub(super) struct FilesStage;

impl<S: Source> Stage<S> for FilesStage {
    fn name(&self) -> &'static str {
        "the set of files"
    }

    fn step(&mut self, table: &Table<S>, _: u64, findings: &mut Findings) -> Result<Step, Miss> {
        for problem in &table.facts.problems {
            match problem {
                Problem::Missing(part) => {
                    let listed = table.facts.components.iter().any(|component| {
                        component.part == Some(*part) && component.listed == Some(true)
                    });
                    let expected =
                        if listed { "as TOC.txt lists it" } else { "as the version needs it" };
                    findings.add(
                        Finding::new(MISSING, "component", expected, "no such file").part(*part),
                    );
                }
                Problem::Damaged(error) => findings.add(Finding::unreadable(DAMAGED, error)),
                Problem::Version(_)
                | Problem::UnknownInToc(_)
                | Problem::Twice(_)
                | Problem::Unfinished => {}
            }
        }
        Ok(Step { bytes: 0, done: true })
    }
}
