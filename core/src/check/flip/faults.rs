//! From sums that differ to faults: with the candidates that the sums themselves tell, and what is left to be solved.

use super::algebra::{Bit, CrcSearch, adler_flips, crc_change, field_flip};
use super::{Candidate, Fault, Place, Summed};
use crate::check::stored::{ChunkScan, FailedChunk};
use crate::error::{Error, Miss};
use crate::limits;
use crate::meta::DigestKind;
use crate::pos::{FilePos, len64};
use crate::source::{Source, read_range};
use crate::table::{ChunkChecksum, Part, Table};
use std::collections::VecDeque;

/// What the sums of a table come to.
#[derive(Debug, Default)]
pub(super) struct Faults {
    pub(super) faults: Vec<Fault>,
    /// Failed chunks that were not looked into.
    pub(super) more: u64,
    /// Faults whose bits are to be searched.
    pub(super) searches: VecDeque<Search>,
    /// Bits of the data that may be wrong.
    pub(super) bits: VecDeque<Suspect>,
    /// Whether the digest agrees with the bytes as they are; `None` without one.
    digest_holds: Option<bool>,
    /// How the digest differs, where one failed chunk alone explains it.
    difference: Option<u32>,
    /// Bytes of Data.db.
    length: u64,
}

/// A bit of Data.db that may be wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspect {
    pub(super) fault: usize,
    pub(super) at: FilePos,
    pub(super) bit: u8,
    /// What the bit must be now.
    pub(super) is_set: Option<bool>,
}

/// A stretch of Data.db in which a bit is searched.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) fault: usize,
    start: FilePos,
    crc: CrcSearch,
    found: usize,
}

impl Search {
    /// Searches on in about `budget` bytes. Gives the bytes searched, and what was found.
    pub(super) fn step(&mut self, budget: u64) -> (u64, Option<Suspect>) {
        let before = self.crc.done();
        let found = self.crc.next(budget).map(|bit| suspect(self.fault, self.start, bit));
        self.found += usize::from(found.is_some());
        (self.crc.done().saturating_sub(before), found)
    }

    /// Whether all was searched, or enough found.
    pub(super) fn ended(&self) -> bool {
        self.crc.ended() || self.found >= limits::FLIP_CANDIDATES
    }
}

fn suspect(fault: usize, start: FilePos, bit: Bit) -> Suspect {
    let at = FilePos(start.0.saturating_add(bit.byte));
    Suspect { fault, at, bit: bit.bit, is_set: bit.is_set }
}

impl Faults {
    /// From a pass that has ended.
    pub(super) fn new<S: Source>(table: &Table<S>, scan: &ChunkScan) -> Result<Self, Miss> {
        let texts = scan.digests();
        let stored = digest_text(table)?.filter(|_| !texts.is_empty());
        let holds = |stored: &[u8]| texts.iter().any(|text| text.as_bytes() == stored);
        let mut faults = Self {
            digest_holds: stored.as_ref().map(|(_, stored)| holds(stored)),
            difference: difference(table, &texts).filter(|_| scan.failures == 1),
            length: table.source(Part::Data).map_or(0, Source::len),
            ..Self::default()
        };
        for chunk in scan.failed.iter().take(limits::FLIP_CHUNKS) {
            faults.chunk(chunk);
        }
        faults.more = scan.failures.saturating_sub(len64(faults.faults.len()));
        if scan.failures == 0
            && faults.digest_holds == Some(false)
            && let Some((at, stored)) = stored
        {
            faults.digest(at, &stored, &texts);
            // Data that was compared chunk by chunk is not what is wrong.
            if !scan.has_checksums()
                && let Some(difference) = difference(table, &texts)
            {
                let crc = CrcSearch::new(faults.length, difference);
                faults.searches.push_back(Search { fault: 0, start: FilePos(0), crc, found: 0 });
            }
        }
        Ok(faults)
    }

    fn chunk(&mut self, chunk: &FailedChunk) {
        let fault = self.faults.len();
        let mut candidates = Vec::new();
        if let Some((byte, bit)) = field_flip(chunk.stored, chunk.computed) {
            let (part, FilePos(at)) = chunk.checksum_at;
            let at = FilePos(at.saturating_add(byte));
            let bytes = chunk.stored.to_be_bytes();
            let before = bytes.iter().zip(0..).find(|(_, place)| *place == byte);
            let before = before.map_or(0, |(byte, _)| *byte);
            candidates.push(self.candidate(part, at, Place::Checksum, bit, before));
        }
        match chunk.algorithm {
            ChunkChecksum::Adler32 => {
                let (now, right) = (chunk.computed, chunk.stored);
                let found = adler_flips(chunk.stored_bytes, now, right, limits::FLIP_CANDIDATES);
                self.bits.extend(found.into_iter().map(|bit| suspect(fault, chunk.at, bit)));
            }
            ChunkChecksum::Crc32 => {
                let crc = CrcSearch::new(chunk.stored_bytes, chunk.stored ^ chunk.computed);
                self.searches.push_back(Search { fault, start: chunk.at, crc, found: 0 });
            }
        }
        self.faults.push(Fault {
            of: Summed::Chunk {
                chunk: chunk.chunk,
                at: chunk.at,
                stored_bytes: chunk.stored_bytes,
                start: chunk.start,
                bytes: chunk.bytes,
            },
            stored: format!("{:08x}", chunk.stored),
            computed: format!("{:08x}", chunk.computed),
            candidates,
        });
    }

    /// The digest differs although no chunk does: a digit of its text may be wrong.
    fn digest(&mut self, at: FilePos, stored: &[u8], texts: &[String]) {
        let mut candidates = Vec::new();
        for text in texts.iter().filter(|text| text.len() == stored.len()) {
            let both = stored.iter().zip(text.as_bytes()).zip(0u64..);
            let mut differing = both.filter(|((is, was), _)| is != was);
            if let (Some(((before, after), place)), None) = (differing.next(), differing.next()) {
                let mask = before ^ after;
                let bit = u8::try_from(mask.trailing_zeros()).unwrap_or(0);
                let at = FilePos(at.0.saturating_add(place));
                let found = self.candidate(Part::Digest, at, Place::Digest, bit, *before);
                let bit = found.bit.filter(|_| mask.count_ones() == 1);
                candidates.push(Candidate { bit, after: *after, ..found });
            }
        }
        self.faults.push(Fault {
            of: Summed::File,
            stored: String::from_utf8_lossy(stored).into_owned(),
            computed: texts.first().cloned().unwrap_or_default(),
            candidates,
        });
    }

    /// A candidate, with what the digest says of it.
    pub(super) fn candidate(
        &self,
        part: Part,
        at: FilePos,
        place: Place,
        bit: u8,
        before: u8,
    ) -> Candidate {
        let digest_agrees = match part {
            Part::Crc => self.digest_holds,
            Part::Data => self.difference.map(|difference| {
                let behind = self.length.saturating_sub(1).saturating_sub(at.0);
                crc_change(bit, behind) == difference
            }),
            _ => None,
        };
        let after = before ^ mask(bit);
        Candidate { part, at, place, bit: Some(bit), before, after, digest_agrees, effect: None }
    }
}

/// A byte with this bit alone.
pub(super) fn mask(bit: u8) -> u8 {
    1u8.checked_shl(u32::from(bit)).unwrap_or(0)
}

/// How a CRC32 digest differs from the sum of the bytes.
fn difference<S: Source>(table: &Table<S>, texts: &[String]) -> Option<u32> {
    let digest = table.digest.as_ref().filter(|digest| digest.kind == DigestKind::Crc32)?;
    let sum: u32 = texts.first()?.parse().ok()?;
    Some(digest.value()? ^ sum)
}

/// The first word of the digest file, as it stands there, with its position.
fn digest_text<S: Source>(table: &Table<S>) -> Result<Option<(FilePos, Vec<u8>)>, Miss> {
    let Some(source) = table.source(Part::Digest) else { return Ok(None) };
    let length = source.len().min(limits::DIGEST_BYTES);
    let bytes = match read_range(Part::Digest, source, FilePos(0), length, "digest") {
        Ok(bytes) => bytes,
        Err(Error::Miss(miss)) => return Err(miss),
        Err(Error::Damage(_)) => return Ok(None),
    };
    let blank = |byte: &u8| byte.is_ascii_whitespace();
    let start = bytes.iter().take_while(|byte| blank(byte)).count();
    let word: Vec<u8> = bytes.into_iter().skip(start).take_while(|byte| !blank(byte)).collect();
    Ok((!word.is_empty()).then_some((FilePos(len64(start)), word)))
}
