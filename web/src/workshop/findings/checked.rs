//! The checks of the tables that are open, in slices, and what came of each.

use crate::board::BoardAsk;
use crate::model::{Failure, TableId};
use crate::worker::protocol::Which;
use crate::worker::world::{World, failure};
use triescope_core::check::scope::{Scope, scopes};
use triescope_core::check::{
    Check, CheckJob, CheckOptions, Finding, Report, Severity, split_names,
};
use triescope_core::race::Stop;
use triescope_core::source::Source;
use triescope_core::table::{FileSet, Part, Table};

/// Bytes looked at between two looks at the clock.
pub const BUDGET: u64 = 128 << 10;

/// All checks of the tables.
#[derive(Debug)]
pub struct Run {
    /// The tables.
    pub tables: Which,
    /// Data.db is read too.
    pub is_deep: bool,
    /// One after the other.
    ones: Vec<One>,
    /// What came of it, when it is done.
    pub listed: Vec<Listed>,
}

/// The checks of one table.
#[derive(Debug)]
struct One {
    id: TableId,
    name: String,
    job: Option<CheckJob>,
    report: Option<Report>,
    scopes: Vec<(&'static Check, Scope)>,
    done: u64,
    /// Bytes that there are to look at, about.
    of: u64,
}

/// A check, and what came of it in all tables.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The rule.
    pub check: &'static Check,
    /// How often it was broken.
    pub total: u64,
    /// The findings that were kept, each with its table.
    pub found: Vec<(TableId, Finding)>,
    /// The tables in which it was made.
    pub made: Vec<TableId>,
    /// Those in which it was not, though it is a check of such tables, and why.
    pub not: Vec<(TableId, Scope)>,
}

/// What came of a check, in the order of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// It fails.
    Failed,
    /// It could not be made: something is missing, or cannot be read.
    Impossible,
    /// It passes.
    Passed,
    /// It reads the rows, which was not asked for.
    Rows,
}

impl Listed {
    /// Its group.
    pub fn group(&self) -> Group {
        match (self.is_failed(), self.is_made(), self.not.first()) {
            (true, ..) => Group::Failed,
            (false, true, _) => Group::Passed,
            (false, false, Some((_, Scope::Deep))) => Group::Rows,
            (false, false, _) => Group::Impossible,
        }
    }

    /// Whether it fails.
    pub fn is_failed(&self) -> bool {
        self.total > 0
    }

    /// Whether it was made somewhere.
    pub fn is_made(&self) -> bool {
        !self.made.is_empty()
    }
}

impl Run {
    /// Nothing is looked at yet.
    ///
    /// # Errors
    /// When the tables are not open any more.
    pub fn new<S: Source>(
        ask: &BoardAsk,
        is_deep: bool,
        world: &World<S>,
    ) -> Result<Self, Failure> {
        let ids = [ask.tables.0, ask.tables.1].into_iter().flatten();
        let ones: Vec<One> =
            ids.filter_map(|id| Some(One::new(id, is_deep, world.table(id)?))).collect();
        if ones.is_empty() {
            return Err(Failure::Cancelled);
        }
        let mut run = Self { tables: ask.tables, is_deep, ones, listed: Vec::new() };
        run.names(world);
        Ok(run)
    }

    /// What is told by the names of both.
    fn names<S: Source>(&mut self, world: &World<S>) {
        let sets: Vec<FileSet> =
            self.ones.iter().filter_map(|one| Some(world.table(one.id)?.set.clone())).collect();
        // A twin has the files of another set: they are in both.
        if sets.len() != self.ones.len() || sets.iter().any(|set| set.twin_of.is_some()) {
            return;
        }
        for (at, finding) in split_names(&sets) {
            if let Some(job) = self.ones.get_mut(at).and_then(|one| one.job.as_mut()) {
                job.add(finding);
            }
        }
    }

    /// Looks on; how far it came, until it is done.
    ///
    /// # Errors
    /// When a table is not open any more, or its bytes are not here.
    pub fn step<S: Source>(
        &mut self,
        world: &World<S>,
        over: &dyn Fn() -> bool,
    ) -> Result<Option<(u64, u64)>, Failure> {
        while let Some(one) = self.ones.iter_mut().find(|one| one.job.is_some()) {
            one.step(world.table(one.id).ok_or(Failure::Cancelled)?)?;
            if over() && self.ones.iter().any(|one| one.job.is_some()) {
                let done = self.ones.iter().map(|one| one.done).sum();
                let of = self.ones.iter().map(|one| one.of.max(one.done)).sum();
                return Ok(Some((done, of)));
            }
        }
        if self.listed.is_empty() {
            self.listed = self.list();
        }
        Ok(None)
    }

    /// The name of a table.
    pub fn name(&self, id: TableId) -> &str {
        self.ones.iter().find(|one| one.id == id).map_or("", |one| &one.name)
    }

    /// All names.
    pub fn names_of(&self) -> Vec<&str> {
        self.ones.iter().map(|one| one.name.as_str()).collect()
    }

    /// The tables.
    pub fn ids(&self) -> Vec<TableId> {
        self.ones.iter().map(|one| one.id).collect()
    }

    /// The report on a table.
    pub fn report(&self, id: TableId) -> Option<&Report> {
        self.ones.iter().find(|one| one.id == id)?.report.as_ref()
    }

    /// Group by group, those that fail with the worst of them first; else in the order of the catalogue.
    fn list(&self) -> Vec<Listed> {
        let mut listed: Vec<Listed> = Vec::new();
        for one in &self.ones {
            let Some(report) = &one.report else { continue };
            for (at, (check, scope)) in one.scopes.iter().enumerate() {
                if listed.len() <= at {
                    let (found, made, not) = Default::default();
                    listed.push(Listed { check, total: 0, found, made, not });
                }
                let Some(line) = listed.get_mut(at) else { continue };
                match scope {
                    Scope::Needless => {}
                    Scope::Made => line.made.push(one.id),
                    other => line.not.push((one.id, *other)),
                }
                line.total = line.total.saturating_add(report.all.total(check));
                let of_check = report.findings.iter().filter(|it| it.check.id == check.id);
                line.found.extend(of_check.map(|it| (one.id, it.clone())));
            }
        }
        listed.retain(|line| line.is_failed() || line.is_made() || !line.not.is_empty());
        listed.sort_by_key(|line| {
            (line.group(), 3 - rank(line.check.severity) * u8::from(line.is_failed()))
        });
        listed
    }
}

const fn rank(severity: Severity) -> u8 {
    match severity {
        Severity::Note => 1,
        Severity::Suspicious => 2,
        Severity::Broken => 3,
    }
}

impl One {
    fn new<S: Source>(id: TableId, is_deep: bool, table: &Table<S>) -> Self {
        let options = CheckOptions { deep: is_deep };
        Self {
            id,
            name: table.facts.name.clone(),
            job: Some(CheckJob::new(table, options)),
            report: None,
            scopes: scopes(table, options).collect(),
            done: 0,
            of: bytes_of(table, is_deep),
        }
    }

    fn step<S: Source>(&mut self, table: &Table<S>) -> Result<(), Failure> {
        let Some(job) = &mut self.job else { return Ok(()) };
        let step = job.step(table, BUDGET).map_err(|miss| failure(Stop::Miss(miss)))?;
        self.done = step.bytes;
        if step.done {
            self.report = self.job.take().map(CheckJob::into_report);
        }
        Ok(())
    }
}

/// Bytes that the checks of a table look at, about: the index, and Data.db twice, as it is stored and as rows.
pub fn bytes_of<S: Source>(table: &Table<S>, is_deep: bool) -> u64 {
    let index = [Part::Partitions, Part::Rows, Part::Index, Part::Summary, Part::Filter];
    let index: u64 = index.iter().filter_map(|part| table.source(*part)).map(Source::len).sum();
    let stored = table.source(Part::Data).map_or(0, Source::len);
    match is_deep {
        true => index
            .saturating_mul(2)
            .saturating_add(stored)
            .saturating_add(table.facts.data_length.unwrap_or(stored)),
        false => index,
    }
}
