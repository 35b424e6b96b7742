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
use std::fmt;

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

/// All checks of one table. It does not hold the table, so it can be kept while that is lent to others.
pub struct CheckJob {
    stages: Vec<AnyStage>,
    at: usize,
    bytes: u64,
    findings: Findings,
}

/// A stage of a table whose bytes come from anywhere.
enum AnyStage {
    Files(FilesStage),
    Statistics(StatisticsStage),
    Offsets(OffsetsStage),
    Partitions(Box<PartitionsStage>),
    Legacy(Box<LegacyCheck>),
    Trie(Box<TrieStage>),
    Chunks(Box<ChunksStage>),
    Deep(Box<DeepStage>),
    Components(Box<ComponentsStage>),
}

impl AnyStage {
    fn of<S: Source>(&mut self) -> &mut dyn Stage<S> {
        match self {
            Self::Files(stage) => stage,
            Self::Statistics(stage) => stage,
            Self::Offsets(stage) => stage,
            Self::Partitions(stage) => &mut **stage,
            Self::Legacy(stage) => &mut **stage,
            Self::Trie(stage) => &mut **stage,
            Self::Chunks(stage) => &mut **stage,
            Self::Deep(stage) => &mut **stage,
            Self::Components(stage) => &mut **stage,
        }
    }
}

impl fmt::Debug for CheckJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckJob").field("at", &self.at).field("bytes", &self.bytes).finish()
    }
}

impl CheckJob {
    /// The stages that this table needs.
    pub fn new<S: Source>(table: &Table<S>, options: CheckOptions) -> Self {
        let mut stages = vec![
            AnyStage::Files(FilesStage),
            AnyStage::Statistics(StatisticsStage),
            AnyStage::Offsets(OffsetsStage::default()),
            AnyStage::Partitions(Box::default()),
            AnyStage::Legacy(Box::default()),
            AnyStage::Trie(Box::new(TrieStage::new(table))),
        ];
        if options.deep {
            stages.push(AnyStage::Chunks(Box::new(ChunksStage::new(table))));
            stages.push(AnyStage::Deep(Box::default()));
        }
        stages.push(AnyStage::Components(Box::new(ComponentsStage::new(options.deep))));
        Self { stages, at: 0, bytes: 0, findings: Findings::default() }
    }

    /// Works on until about `budget` bytes have been looked at. The table is the one that the job was made for.
    pub fn step<S: Source>(&mut self, table: &Table<S>, budget: u64) -> Result<Progress, Miss> {
        let mut left = budget;
        while let Some(stage) = self.stages.get_mut(self.at).map(AnyStage::of) {
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
        let stage = self.stages.get_mut(self.at).map_or("", |stage| stage.of::<S>().name());
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
