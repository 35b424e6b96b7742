//! Single bits of an index, tried one by one: no checksum says which is wrong, but the checks do.
//!
//! A bit is tried on a copy in memory. It explains a finding when the finding's check fails less often with it, and no
//! other check of what is broken more often than before. What is merely dear may be told only now: damage hides it.

use crate::bti::Node;
use crate::check::{Check, CheckJob, CheckOptions, Finding, Findings, Progress, Severity};
use crate::dissect::{self, ItemKind, PageItem};
use crate::error::{Error, Miss};
use crate::limits::{TRIED_BYTES, TRIED_FOUND};
use crate::pos::{FilePos, len64};
use crate::source::Source;
use crate::table::{Part, Table};

/// Bytes that a check looks at before its findings are compared with those of before.
const PIECE: u64 = 32 << 10;
/// What a try counts as, beside the bytes that its checks look at.
const TRY_BYTES: u64 = 4 << 10;

/// A bit that explains a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The component.
    pub part: Part,
    /// Its byte.
    pub at: FilePos,
    /// The bit, 0 is the lowest.
    pub bit: u8,
    /// The byte as it is.
    pub before: u8,
    /// The byte as it would be.
    pub after: u8,
    /// Findings of what is broken that are left with it.
    pub broken: u64,
    /// All findings that are left.
    pub left: u64,
}

/// The search.
#[derive(Debug)]
pub struct TrialJob {
    part: Part,
    check: &'static Check,
    options: CheckOptions,
    before: Vec<(&'static Check, u64)>,
    /// The bytes that are tried.
    bytes: Vec<FilePos>,
    tried: u64,
    looked: u64,
    now: Option<CheckJob>,
    repairs: Vec<Repair>,
}

/// The stretches in which a wrong bit would explain a finding: what lies there, what lies before it, and the nodes of the
/// page that point to it. Empty where the bytes are summed up ([`super::FlipJob`] is for those), or say nothing.
///
/// # Errors
/// A miss.
pub fn suspects<S: Source>(
    table: &Table<S>,
    finding: &Finding,
) -> Result<Vec<(FilePos, u64)>, Miss> {
    let (Some(part), Some(at)) = (finding.part, finding.at) else { return Ok(Vec::new()) };
    if !matches!(part, Part::Partitions | Part::Rows | Part::Index | Part::Summary) {
        return Ok(Vec::new());
    }
    let view = match dissect::page(table, part, at.page()) {
        Ok(view) => view,
        Err(Error::Miss(miss)) => return Err(miss),
        Err(Error::Damage(_)) => return Ok(Vec::new()),
    };
    let holds = |item: &PageItem| item.at <= at && at.0 - item.at.0 < item.len.max(1);
    let Some(here) = view.items.iter().position(holds) else { return Ok(Vec::new()) };
    let near = here.saturating_sub(1)..=here;
    let mut found: Vec<(FilePos, u64)> = Vec::new();
    let mut total = 0_u64;
    let mut put = |item: &PageItem| {
        let room = TRIED_BYTES.saturating_sub(total);
        let stretch = (item.at, item.len.min(room));
        if stretch.1 > 0 && !found.contains(&stretch) {
            total = total.saturating_add(stretch.1);
            found.push(stretch);
        }
    };
    for item in view.items.get(near).unwrap_or(&[]).iter().rev() {
        put(item);
    }
    let target = view.items.get(here).map_or(at, |item| item.at);
    let page = match table.source(part).map(|source| source.page(at.page())) {
        Some(Ok(page)) => page,
        Some(Err(Error::Miss(miss))) => return Err(miss),
        Some(Err(Error::Damage(_))) | None => return Ok(found),
    };
    let nodes = view.items.iter().filter(|item| item.kind == ItemKind::Node && item.at >= view.at);
    for item in nodes {
        let Ok(node) = Node::read(part, item.at, &page) else { continue };
        if node.children().flatten().any(|child| child.at == target || child.at == at) {
            put(item);
        }
    }
    Ok(found)
}

impl TrialJob {
    /// For a finding of a table, which has these findings in all. `None` where there is nothing to try.
    ///
    /// # Errors
    /// A miss.
    pub fn new<S: Source>(
        table: &Table<S>,
        finding: &Finding,
        before: &Findings,
        options: CheckOptions,
    ) -> Result<Option<Self>, Miss> {
        let stretches = suspects(table, finding)?;
        let Some(part) = finding.part.filter(|_| !stretches.is_empty()) else { return Ok(None) };
        let mut bytes: Vec<FilePos> = stretches
            .iter()
            .flat_map(|(at, len)| (at.0..at.0.saturating_add(*len)).map(FilePos))
            .collect();
        let mut seen = std::collections::BTreeSet::new();
        bytes.retain(|at| seen.insert(*at));
        Ok(Some(Self {
            part,
            check: finding.check,
            options,
            before: before.counts().to_vec(),
            bytes,
            tried: 0,
            looked: 0,
            now: None,
            repairs: Vec::new(),
        }))
    }

    /// Bits that were tried, and those that there are.
    pub fn tried(&self) -> (u64, u64) {
        (self.tried, len64(self.bytes.len()).saturating_mul(8))
    }

    /// What explains the finding so far, the bits that leave the fewest findings first.
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }

    /// Works on until about `budget` bytes have been looked at.
    ///
    /// # Errors
    /// A miss; nothing is lost.
    pub fn step<S: Source>(&mut self, table: &Table<S>, budget: u64) -> Result<Progress, Miss> {
        let until = self.looked.saturating_add(budget.max(1));
        while self.looked < until
            && let Some((at, bit)) = self.bit()
        {
            self.attempt(table, at, bit, until)?;
        }
        let stage = "the checks with a bit changed";
        Ok(Progress { done: self.bit().is_none(), stage, bytes: self.looked })
    }

    /// The bit that is tried now.
    fn bit(&self) -> Option<(FilePos, u8)> {
        let byte = usize::try_from(self.tried / 8).ok()?;
        let bit = u8::try_from(self.tried % 8).ok()?;
        self.bytes.get(byte).map(|at| (*at, bit))
    }

    /// Runs the checks with a bit changed, until they say enough or `until` is reached.
    fn attempt<S: Source>(
        &mut self,
        table: &Table<S>,
        at: FilePos,
        bit: u8,
        until: u64,
    ) -> Result<(), Miss> {
        let mask = 1_u8 << (bit & 7);
        let patched = table.patched(self.part, (at, mask))?;
        self.looked = self.looked.saturating_add(TRY_BYTES);
        loop {
            let job = self.now.get_or_insert_with(|| CheckJob::new(&patched, self.options));
            let step = job.step(&patched, PIECE)?;
            self.looked = self.looked.saturating_add(PIECE);
            let is_worse = is_worse(self.check, &self.before, job.findings());
            if is_worse || step.done {
                let left = left(job.findings());
                self.now = None;
                self.tried += 1;
                if !is_worse {
                    self.keep(table, (at, mask), left)?;
                }
                return Ok(());
            }
            if self.looked >= until {
                return Ok(());
            }
        }
    }

    fn keep<S: Source>(
        &mut self,
        table: &Table<S>,
        (at, mask): (FilePos, u8),
        (broken, left): (u64, u64),
    ) -> Result<(), Miss> {
        let page = match table.source(self.part).map(|source| source.page(at.page())) {
            Some(Ok(page)) => page,
            Some(Err(Error::Miss(miss))) => return Err(miss),
            Some(Err(Error::Damage(_))) | None => return Ok(()),
        };
        let Some(before) = page.get(at.in_page()).copied() else { return Ok(()) };
        let bit = u8::try_from(mask.trailing_zeros()).unwrap_or_default();
        self.repairs.push(Repair {
            part: self.part,
            at,
            bit,
            before,
            after: before ^ mask,
            broken,
            left,
        });
        self.repairs.sort_by_key(|repair| (repair.broken, repair.left));
        self.repairs.truncate(TRIED_FOUND);
        Ok(())
    }
}

/// Whether the checks found so much that the bit explains nothing.
fn is_worse(check: &Check, before: &[(&'static Check, u64)], now: &Findings) -> bool {
    let was = |id: &str| before.iter().find(|(it, _)| it.id == id).map_or(0, |(_, total)| *total);
    now.counts().iter().any(|(it, total)| match it.id == check.id {
        true => *total >= was(it.id),
        false => it.severity == Severity::Broken && *total > was(it.id),
    })
}

/// Findings of what is broken, and all.
fn left(findings: &Findings) -> (u64, u64) {
    findings.counts().iter().fold((0, 0), |(broken, all), (check, total)| {
        let more = if check.severity == Severity::Broken { *total } else { 0 };
        (broken.saturating_add(more), all.saturating_add(*total))
    })
}
