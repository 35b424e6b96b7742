//! The stage that reads Data.db as it is stored, and says of each difference which side is wrong: the data, or what was
//! summed up of it.

use super::catalog::data::CHUNK_CHECKSUM;
use super::catalog::files::{DAMAGED, DIGEST};
use super::stored::{ChunkScan, FailedChunk};
use super::within::{At, Stretch, Within};
use super::{Finding, Findings, Stage, Step};
use crate::error::Miss;
use crate::pos::FilePos;
use crate::source::Source;
use crate::table::{Part, Table};

/// Reads all of Data.db, then looks up which partitions the failed chunks hold.
pub(super) struct ChunksStage {
    scan: Option<ChunkScan>,
    within: Option<Within>,
}

/// What digest and chunks say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// There is no digest, or it could not be compared.
    Unknown,
    /// The digest agrees with the bytes.
    Intact,
    /// It does not.
    Damaged,
}

impl ChunksStage {
    /// For one table.
    pub(super) fn new<S: Source>(table: &Table<S>) -> Self {
        Self { scan: ChunkScan::new(table), within: None }
    }
}

impl<S: Source> Stage<S> for ChunksStage {
    fn name(&self) -> &'static str {
        match self.within {
            None => "Data.db, checksum by checksum",
            Some(_) => "the partitions of damaged chunks",
        }
    }

    fn step(
        &mut self,
        table: &Table<S>,
        budget: u64,
        findings: &mut Findings,
    ) -> Result<Step, Miss> {
        let Some(scan) = &mut self.scan else { return Ok(Step { bytes: 0, done: true }) };
        let within = match &mut self.within {
            Some(within) => within,
            None => {
                let step = scan.step(table, budget)?;
                if step.done {
                    let ranges = scan
                        .failed
                        .iter()
                        .map(|it| it.start.0..it.start.0.saturating_add(it.bytes));
                    self.within = Some(Within::new(table, ranges));
                }
                return Ok(Step { done: false, ..step });
            }
        };
        let step = within.step(table, budget)?;
        if step.done {
            tell(table, scan, within.stretches(), findings);
        }
        Ok(step)
    }
}

fn tell<S: Source>(
    table: &Table<S>,
    scan: &ChunkScan,
    stretches: &[Stretch],
    findings: &mut Findings,
) {
    if let Some(error) = &scan.stopped {
        findings.add(Finding::unreadable(DAMAGED, error));
        return;
    }
    let computed = scan.digests();
    let stored = table.digest.as_ref().map(|digest| &digest.text);
    let holds = stored.map(|stored| computed.iter().any(|text| text.eq_ignore_ascii_case(stored)));
    let verdict = match holds {
        None => Verdict::Unknown,
        Some(true) => Verdict::Intact,
        Some(false) => Verdict::Damaged,
    };
    for (chunk, stretch) in scan.failed.iter().zip(stretches) {
        findings.add(failed(table, chunk, stretch, verdict));
    }
    for _ in scan.failed.len()..usize::try_from(scan.failures).unwrap_or(usize::MAX) {
        findings.count(CHUNK_CHECKSUM);
    }
    // A chunk that failed, or lies where it cannot be found, is why the digest differs: that is told already.
    if let (Verdict::Damaged, 0, false, Some(stored)) =
        (verdict, scan.failures, scan.has_gaps, stored)
    {
        let who = if scan.has_checksums() {
            "the digest file is wrong, the data is intact"
        } else {
            "the digest file or the data is wrong; there are no chunk checksums to tell which"
        };
        let expected = format!("{}, that of Data.db", computed.first().map_or("", String::as_str));
        let finding = Finding::new(DIGEST, "digest", expected, format!("{stored}: {who}"));
        findings.add(finding.at(Part::Digest, FilePos(0)));
    }
}

fn failed<S: Source>(
    table: &Table<S>,
    chunk: &FailedChunk,
    stretch: &Stretch,
    verdict: Verdict,
) -> Finding {
    let (start, end) = (chunk.start.0, chunk.start.0.saturating_add(chunk.bytes));
    let who = match verdict {
        Verdict::Unknown => "",
        Verdict::Damaged => ": the data is damaged, the digest differs too",
        Verdict::Intact if chunk.checksum_at.0 == Part::Crc => {
            ": CRC.db is wrong, the data is intact, as the digest says"
        }
        Verdict::Intact => ": the file is as it was written, as the digest says",
    };
    let name = |at: &At| match &at.key {
        Some(key) => table.key_schema().to_text(key),
        None => format!("the one at {}", at.at),
    };
    let partitions = match (stretch.count, &stretch.first, &stretch.last) {
        (0, ..) | (_, None, _) | (_, _, None) => String::new(),
        (1, Some(first), _) => format!("; it holds bytes of one partition, {}", name(first)),
        (count, Some(first), Some(last)) => {
            format!("; it holds bytes of {count} partitions, {} to {}", name(first), name(last))
        }
    };
    let expected =
        format!("{:08x}, that of the chunk's bytes, {start} to {end} of the data", chunk.computed);
    let found = format!("{:08x}{who}{partitions}", chunk.stored);
    let field = format!("checksum of stored chunk {}", chunk.chunk);
    let finding = Finding::new(CHUNK_CHECKSUM, field, expected, found);
    let finding = finding.at(Part::Data, chunk.at).len(chunk.stored_bytes);
    match stretch.first.as_ref().and_then(|first| first.key.as_ref()) {
        Some(key) => finding.key(key),
        None => finding,
    }
}
