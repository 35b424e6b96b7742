//! Scylla.db itself, and the other components against the checksums that it has of them.

use super::catalog::data::CHUNK_CHECKSUM;
use super::catalog::files::{COMPONENT_DIGEST, DAMAGED, DIGEST, REWRITTEN};
use super::{Finding, Findings, Stage, Step};
use crate::error::{Error, Miss};
use crate::meta::{ComponentDigest, Crc32, ScyllaMetadata};
use crate::pos::{FilePos, PAGE_SIZE, len64};
use crate::source::Source;
use crate::table::{Part, Problem, Table};

/// Bytes that are announced to the source at once.
const AHEAD: u64 = 256 << 10;

/// Sums up one component after the other.
pub(super) struct ComponentsStage {
    /// Reads Data.db as well.
    deep: bool,
    digests: Option<Vec<ComponentDigest>>,
    next: usize,
    /// Bytes of the component that were summed up.
    at: u64,
    announced: u64,
    crc: Crc32,
}

impl ComponentsStage {
    /// With Data.db or without.
    pub(super) fn new(deep: bool) -> Self {
        let crc = Crc32::default();
        Self { deep, digests: None, next: 0, at: 0, announced: 0, crc }
    }
}

impl<S: Source> Stage<S> for ComponentsStage {
    fn name(&self) -> &'static str {
        "the components against Scylla.db"
    }

    fn step(
        &mut self,
        table: &Table<S>,
        budget: u64,
        findings: &mut Findings,
    ) -> Result<Step, Miss> {
        if self.digests.is_none() {
            self.digests = Some(digests(table, findings)?);
        }
        let mut bytes = 0;
        while bytes < budget {
            let digests = self.digests.as_deref().unwrap_or(&[]);
            let Some(digest) = digests.get(self.next).copied() else {
                return Ok(Step { bytes, done: true });
            };
            let part = digest.part.filter(|part| *part != Part::Data || self.deep);
            let source = part.and_then(|part| Some((part, table.source(part)?)));
            let Some((part, source)) = source else {
                self.go_on();
                continue;
            };
            if self.at < source.len() {
                match self.sum(source) {
                    Ok(read) => bytes += read,
                    Err(Error::Miss(miss)) => return Err(miss),
                    // Whoever reads the component tells it.
                    Err(Error::Damage(_)) => self.go_on(),
                }
                continue;
            }
            let computed = self.crc.finish();
            let is_told =
                part == Part::Data && findings.total(CHUNK_CHECKSUM) + findings.total(DIGEST) > 0;
            if computed != digest.crc32 && !is_told {
                findings.add(differs(digest, part, computed));
            }
            self.go_on();
        }
        Ok(Step { bytes, done: false })
    }
}

impl ComponentsStage {
    fn go_on(&mut self) {
        self.next += 1;
        (self.at, self.announced, self.crc) = (0, 0, Crc32::default());
    }

    /// Sums up the rest of a page.
    fn sum<S: Source>(&mut self, source: &S) -> Result<u64, Error> {
        if self.at >= self.announced {
            self.announced = self.at.saturating_add(AHEAD).min(source.len());
            source.expect(FilePos(self.at), FilePos(self.announced))?;
        }
        let at = FilePos(self.at);
        let page = source.page(at.page())?;
        let piece = page.get(at.in_page()..).unwrap_or(&[]);
        self.crc.update(piece);
        // A source that gives nothing is passed over: its end would never come.
        let read = if piece.is_empty() { PAGE_SIZE } else { len64(piece.len()) };
        self.at = self.at.saturating_add(read);
        Ok(read)
    }
}

/// Reads Scylla.db, tells what is wrong with it, and gives what it says of the others.
fn digests<S: Source>(
    table: &Table<S>,
    findings: &mut Findings,
) -> Result<Vec<ComponentDigest>, Miss> {
    let Some(source) = table.source(Part::Scylla) else { return Ok(Vec::new()) };
    let is_told = |problem: &Problem| matches!(problem, Problem::Damaged(error) if error.part == Part::Scylla);
    let is_told = table.facts.problems.iter().any(is_told);
    let read = match ScyllaMetadata::read(source) {
        Ok(read) => read,
        Err(Error::Miss(miss)) => return Err(miss),
        Err(Error::Damage(error)) => {
            if !is_told {
                findings.add(Finding::unreadable(DAMAGED, &error));
            }
            return Ok(Vec::new());
        }
    };
    let checksum = read.checksum.as_ref().filter(|checksum| !checksum.holds());
    if let Some(checksum) = checksum {
        // Its records may be read or not: the checksum tells that they are not what was written.
        findings.add(Finding::unreadable(DAMAGED, &checksum.error(Part::Scylla)));
        return Ok(Vec::new());
    }
    for problem in read.problems.iter().filter(|_| !is_told) {
        findings.add(Finding::unreadable(DAMAGED, problem));
    }
    Ok(read.digests().to_vec())
}

fn differs(digest: ComponentDigest, part: Part, computed: u32) -> Finding {
    // Servers change these in a finished table: the level in Statistics.db, a summary that was made anew.
    let may_change = matches!(part, Part::Statistics | Part::Summary | Part::Toc | Part::Scylla);
    let check = if may_change { REWRITTEN } else { COMPONENT_DIGEST };
    let expected = format!("{computed:08x}, that of {part}");
    let finding =
        Finding::new(check, "component digest", expected, format!("{:08x}", digest.crc32));
    finding.at(Part::Scylla, FilePos(digest.at.0.saturating_add(4))).len(4)
}
