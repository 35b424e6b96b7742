//! The job that runs all checks of a table, stage after stage, in pieces of bounded work.

use super::chunks::ChunksStage;
use super::components::ComponentsStage;
use super::deep::DeepStage;
use super::files::FilesStage;
use super::offsets::OffsetsStage;
use super::partitions::PartitionsStage;
use super::statistics::StatisticsStage;
use super::{Finding, Findings};
use crate::big::check::LegacyCheck;
use crate::bti::check::TrieStage;
use crate::error::Miss;
use crate::source::Source;
use crate::table::Table;
use serde::{Deserialize, Serialize};

/// What is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckOptions {
    /// Reads Data.db too: every chunk, every row, and compares them with both indexes and the statistics.
    pub deep: bool,
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// All stages are done.
    pub done: bool,
    /// What is being looked at: `Partitions.db, node by node`.
    pub stage: &'static str,
    /// Bytes looked at so far, of all stages.
    pub bytes: u64,
}

/// What a table's check came to.
#[derive(Clone, Debug)]
pub struct Report {
    /// The findings, the worst first, then in the order they were found.
    pub findings: Vec<Finding>,
    /// Each rule that was broken, with how often: more than are listed when a rule is broken often.
    pub all: Findings,
}

/// A part of the work. It keeps its own place: a miss is answered by fetching and calling again, and nothing is reported
/// twice.
pub(crate) trait Stage<S: Source> {
    /// What is being looked at, for people who wait.
    fn name(&self) -> &'static str;

    /// Works on until about `budget` bytes have been looked at.
    fn step(
        &mut self,
        table: &Table<S>,
        budget: u64,
        findings: &mut Findings,
    ) -> Result<Step, Miss>;
}

/// What one call of a stage did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// Bytes looked at.
    pub bytes: u64,
    /// The stage is over.
    pub done: bool,
}

/// All checks of one table.
pub struct CheckJob<S: Source> {
    stages: Vec<Box<dyn Stage<S>>>,
    at: usize,
    bytes: u64,
    findings: Findings,
}

impl<S: Source> CheckJob<S> {
    /// The stages that this table needs.
    pub fn new(table: &Table<S>, options: CheckOptions) -> Self {
        let mut stages: Vec<Box<dyn Stage<S>>> = vec![
            Box::new(FilesStage),
            Box::new(StatisticsStage),
            Box::new(OffsetsStage::default()),
            Box::new(PartitionsStage::default()),
            Box::new(LegacyCheck::new()),
            Box::new(TrieStage::new(table)),
        ];
        if options.deep {
            stages.push(Box::new(ChunksStage::new(table)));
            stages.push(Box::new(DeepStage::default()));
        }
        stages.push(Box::new(ComponentsStage::new(options.deep)));
        Self { stages, at: 0, bytes: 0, findings: Findings::default() }
    }

    /// Works on until about `budget` bytes have been looked at.
    pub fn step(&mut self, table: &Table<S>, budget: u64) -> Result<Progress, Miss> {
        let mut left = budget;
        while let Some(stage) = self.stages.get_mut(self.at) {
            let step = stage.step(table, left, &mut self.findings)?;
            self.bytes = self.bytes.saturating_add(step.bytes);
            left = left.saturating_sub(step.bytes);
            if step.done {
                self.at += 1;
            }
            if left == 0 {
                break;
            }
        }
        let stage = self.stages.get(self.at).map_or("", |stage| stage.name());
        Ok(Progress { done: self.at >= self.stages.len(), stage, bytes: self.bytes })
    }

    /// Adds what was told from outside of the table: names of the files beside it ([`super::split_names`]).
    pub fn add(&mut self, finding: Finding) {
        self.findings.add(finding);
    }

    /// What was found so far.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// The report.
    pub fn into_report(self) -> Report {
        let mut findings = self.findings.kept().to_vec();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.check.severity));
        Report { findings, all: self.findings }
    }
}
