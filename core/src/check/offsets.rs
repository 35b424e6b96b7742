//! How Data.db is cut into chunks, against its length: the offsets in CompressionInfo.db, or the number of checksums in
//! CRC.db. Data.db is not read.

use super::catalog::data::{CHUNK_OFFSETS, CRC_COUNT};
use super::{Finding, Findings, Stage, Step};
use crate::cursor::Cursor;
use crate::error::{Error, Miss};
use crate::meta::Compression;
use crate::pos::{FilePos, len64};
use crate::source::{Source, read_range};
use crate::table::{Part, Table};

/// Offsets read at once.
const PIECE: u64 = 8192;
/// Bytes of an offset.
const OFFSET: u64 = 8;
/// Fewest bytes of a stored chunk: one, and the checksum.
const LEAST: u64 = 5;

/// Looks at the chunks as they are listed.
#[derive(Default)]
pub(super) struct OffsetsStage {
    /// Offsets looked at so far.
    next: u64,
    /// The offset before; `None` after one that was wrong, since what comes next cannot be compared with it.
    before: Option<u64>,
    /// Data.db ends before the offset that was looked at last: all later ones lie outside as well.
    is_outside: bool,
}

impl<S: Source> Stage<S> for OffsetsStage {
    fn name(&self) -> &'static str {
        "the chunks of Data.db, as listed"
    }

    fn step(
        &mut self,
        table: &Table<S>,
        budget: u64,
        findings: &mut Findings,
    ) -> Result<Step, Miss> {
        let length = table.source(Part::Data).map(Source::len);
        match (&table.compression, table.source(Part::CompressionInfo)) {
            (Some(info), Some(offsets)) => self.offsets(info, offsets, length, budget, findings),
            _ => {
                if let (Some(crc), Some(length)) = (table.crc, length) {
                    // One more stands for an empty chunk at the end.
                    let needed = length.div_ceil(u64::from(crc.chunk_bytes));
                    if crc.count != needed && crc.count != needed.saturating_add(1) {
                        let expected = format!(
                            "{needed} for {length} bytes of Data.db in chunks of {}",
                            crc.chunk_bytes
                        );
                        let found = crc.count.to_string();
                        let finding =
                            Finding::new(CRC_COUNT, "number of checksums", expected, found);
                        findings.add(finding.at(Part::Crc, FilePos(4)));
                    }
                }
                Ok(Step { bytes: 0, done: true })
            }
        }
    }
}

impl OffsetsStage {
    fn offsets<S: Source>(
        &mut self,
        info: &Compression,
        source: &S,
        length: Option<u64>,
        budget: u64,
        findings: &mut Findings,
    ) -> Result<Step, Miss> {
        let whole = source.len().saturating_sub(info.offsets_at.0) / OFFSET;
        let count = info.chunks.min(whole);
        let mut bytes = 0;
        while self.next < count && !self.is_outside && bytes < budget {
            let piece = (count - self.next).min(PIECE);
            let at = FilePos(info.offsets_at.0.saturating_add(self.next.saturating_mul(OFFSET)));
            let part = Part::CompressionInfo;
            let read = match read_range(part, source, at, piece * OFFSET, "chunk offsets") {
                Ok(read) => read,
                Err(Error::Miss(miss)) => return Err(miss),
                // Opening the table told it.
                Err(Error::Damage(_)) => return Ok(Step { bytes, done: true }),
            };
            let mut cursor = Cursor::new(part, at, &read);
            while !self.is_outside
                && let (at, Ok(offset)) = (cursor.pos(), cursor.u64("chunk offset"))
            {
                self.look(info, at, offset, length, findings);
            }
            bytes += len64(read.len());
        }
        let done = self.next >= count || self.is_outside;
        if done && !self.is_outside && count == info.chunks {
            self.end(info, length, findings);
        }
        Ok(Step { bytes, done })
    }

    /// Compares an offset with the one before it.
    fn look(
        &mut self,
        info: &Compression,
        at: FilePos,
        offset: u64,
        length: Option<u64>,
        findings: &mut Findings,
    ) {
        let is_first = self.next == 0;
        let (least, most) = match self.before {
            Some(before) => (before.saturating_add(LEAST), before.saturating_add(most(info))),
            None if is_first => (0, 0),
            None => (0, u64::MAX),
        };
        let end = length.map(|length| length.saturating_sub(LEAST));
        let field = format!("offset of chunk {}", self.next);
        let is_between = (least..=most).contains(&offset);
        self.before = Some(offset).filter(|_| is_between);
        if !is_between {
            let expected = match (is_first, least, most) {
                (true, ..) => "0, the start of Data.db".to_owned(),
                _ => format!("{least} to {most}, behind the chunk before"),
            };
            let finding = Finding::new(CHUNK_OFFSETS, field, expected, offset.to_string());
            findings.add(finding.at(Part::CompressionInfo, at).len(OFFSET));
        } else if let Some(end) = end.filter(|end| offset > *end) {
            self.is_outside = true;
            let left = info.chunks.saturating_sub(self.next);
            let expected = format!("at most {end}, a chunk before the end of Data.db");
            let found = format!("{offset}: Data.db ends before the last {left} chunks");
            let finding = Finding::new(CHUNK_OFFSETS, field, expected, found);
            findings.add(finding.at(Part::CompressionInfo, at).len(OFFSET));
        }
        self.next += 1;
    }

    /// The last chunk ends with Data.db.
    fn end(&self, info: &Compression, length: Option<u64>, findings: &mut Findings) {
        let (Some(last), Some(length)) = (self.before, length) else { return };
        let most = last.saturating_add(most(info));
        if length > most {
            let expected = format!("at most {most}, where the last chunk ends");
            let finding =
                Finding::new(CHUNK_OFFSETS, "length of Data.db", expected, length.to_string());
            findings.add(finding.part(Part::Data));
        }
    }
}

/// Most bytes of a stored chunk with its checksum, as [`Compression::chunk`] takes it.
fn most(info: &Compression) -> u64 {
    u64::from(info.chunk_length).saturating_mul(2).saturating_add(1028)
}
