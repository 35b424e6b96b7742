//! A pass over Data.db as it is stored: each chunk against its checksum, the whole against its digest.

use super::Step;
use super::sums::{Sum, Whole};
use crate::error::{Error, Miss, ReadError};
use crate::meta::{CrcTable, DigestKind};
use crate::pos::{DataPos, FilePos, len64, mem};
use crate::source::Source;
use crate::table::{ChunkChecksum, Part, Table};

/// Failed chunks that are kept; more are only counted.
const KEPT: usize = 100;
/// Bytes that are announced to the source at once.
const AHEAD: u64 = 256 << 10;
/// Hex digits of a SHA-1. Files of that name hold a shorter number since Cassandra 2.1.
const SHA1_TEXT: u64 = 40;
/// What an offset that leads nowhere counts as: its bytes in CompressionInfo.db.
const OFFSET_BYTES: u64 = 8;

/// A chunk whose bytes do not have its checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedChunk {
    /// Its number, from 0.
    pub chunk: u64,
    /// Position of its first stored byte in Data.db.
    pub at: FilePos,
    /// Its bytes as stored, without a checksum behind them.
    pub stored_bytes: u64,
    /// Position of its first byte in the uncompressed stream.
    pub start: DataPos,
    /// Its bytes in the uncompressed stream.
    pub bytes: u64,
    /// Where the checksum lies: behind the chunk, or in CRC.db.
    pub checksum_at: (Part, FilePos),
    /// The checksum that is stored.
    pub stored: u32,
    /// The checksum of the stored bytes.
    pub computed: u32,
    /// The algorithm.
    pub algorithm: ChunkChecksum,
}

/// How chunks lie in Data.db.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chunks {
    /// As CompressionInfo.db lists them, each with its checksum behind it.
    Compressed,
    /// As CRC.db has a checksum for each.
    Plain(CrcTable),
    /// Without checksums.
    None,
}

/// A chunk that is being read.
#[derive(Debug)]
struct Open {
    place: FailedChunk,
    /// End of its bytes, and of the checksum behind them, if there is one.
    body_end: u64,
    end: u64,
    sum: Sum,
    checksum: Vec<u8>,
}

/// The pass. It holds one sum a chunk and one for the file, and no bytes.
#[derive(Debug)]
pub(crate) struct ChunkScan {
    chunks: Chunks,
    algorithm: ChunkChecksum,
    whole: Option<Whole>,
    at: u64,
    announced: u64,
    /// Number of the chunk that comes next.
    next: u64,
    open: Option<Open>,
    /// The first of the chunks that failed.
    pub(crate) failed: Vec<FailedChunk>,
    /// How many failed.
    pub(crate) failures: u64,
    /// Chunks that were compared.
    pub(crate) compared: u64,
    /// Something lies in no chunk that could be compared: a damaged offset, a checksum that is not there.
    pub(crate) has_gaps: bool,
    /// Why the pass ended before the end of the file.
    pub(crate) stopped: Option<ReadError>,
}

/// What a digest file holds; told from its name where its text cannot be read.
fn digest_kind<S: Source>(table: &Table<S>) -> Option<DigestKind> {
    let source = table.source(Part::Digest)?;
    if let Some(digest) = &table.digest {
        return Some(digest.kind);
    }
    let name = table.set.file(Part::Digest).map_or("", |file| &file.component);
    Some(match name {
        "Digest.sha1" if source.len() >= SHA1_TEXT => DigestKind::Sha1,
        "Digest.sha1" | "Digest.adler32" => DigestKind::Adler32,
        _ => DigestKind::Crc32,
    })
}

/// Chunks whose offsets CompressionInfo.db has: it may claim more than it can hold.
fn listed<S: Source>(table: &Table<S>) -> u64 {
    let Some((info, source)) = table.compression.as_ref().zip(table.source(Part::CompressionInfo))
    else {
        return 0;
    };
    info.chunks.min(source.len().saturating_sub(info.offsets_at.0) / OFFSET_BYTES)
}

impl ChunkScan {
    /// A pass over the Data.db of a table; `None` where there is none, or it cannot be told how it is stored.
    pub(crate) fn new<S: Source>(table: &Table<S>) -> Option<Self> {
        table.source(Part::Data).filter(|_| table.data_version().is_read())?;
        let has_info = table.source(Part::CompressionInfo).is_some();
        let chunks = match (&table.compression, table.crc, has_info) {
            (Some(_), ..) => Chunks::Compressed,
            (None, Some(crc), false) if table.source(Part::Crc).is_some() => Chunks::Plain(crc),
            _ => Chunks::None,
        };
        Some(Self {
            chunks,
            algorithm: table.data_version().formats().chunk_checksum,
            whole: digest_kind(table).map(Whole::new),
            at: 0,
            announced: 0,
            next: 0,
            open: None,
            failed: Vec::new(),
            failures: 0,
            compared: 0,
            has_gaps: table.compression.as_ref().is_some_and(|info| listed(table) < info.chunks),
            stopped: None,
        })
    }

    /// The digests that the bytes read so far have, as text; empty without a digest to compare.
    pub(crate) fn digests(&self) -> Vec<String> {
        self.whole.as_ref().map_or_else(Vec::new, Whole::texts)
    }

    /// Whether chunks have checksums.
    pub(crate) fn has_checksums(&self) -> bool {
        self.chunks != Chunks::None
    }

    /// Reads on for about `budget` bytes.
    pub(crate) fn step<S: Source>(&mut self, table: &Table<S>, budget: u64) -> Result<Step, Miss> {
        let Some(source) = table.source(Part::Data) else {
            return Ok(Step { bytes: 0, done: true });
        };
        let (length, mut bytes) = (source.len(), 0);
        while self.at < length && bytes < budget && self.stopped.is_none() {
            let read = if self.open.is_none() && self.goes_on(table) {
                self.open_next(table)
            } else {
                self.read_on(source, length)
            };
            match read {
                Ok(read) => bytes += read,
                Err(Error::Miss(miss)) => return Err(miss),
                Err(Error::Damage(error)) => self.stopped = Some(*error),
            }
        }
        let done = self.at >= length || self.stopped.is_some();
        self.has_gaps |= done && (self.open.is_some() || self.goes_on(table));
        Ok(Step { bytes, done })
    }

    /// Whether a chunk is left.
    fn goes_on<S: Source>(&self, table: &Table<S>) -> bool {
        match self.chunks {
            Chunks::Compressed => self.next < listed(table),
            Chunks::Plain(crc) => {
                let chunk = u64::from(crc.chunk_bytes);
                let length = table.source(Part::Data).map_or(0, Source::len);
                self.next < length.div_ceil(chunk)
            }
            Chunks::None => false,
        }
    }

    /// Finds out where the next chunk lies. Counts as reading what that takes.
    fn open_next<S: Source>(&mut self, table: &Table<S>) -> Result<u64, Error> {
        let place = match self.place(table) {
            // The offsets have checks of their own, which tell this.
            Err(Error::Damage(_)) => None,
            place => place?.filter(|place| place.at.0 >= self.at),
        };
        self.next += 1;
        match place {
            Some(place) => {
                let body_end = place.at.0.saturating_add(place.stored_bytes);
                let behind = if place.checksum_at.0 == Part::Data { 4 } else { 0 };
                let sum = match self.algorithm {
                    ChunkChecksum::Crc32 => Sum::crc32(),
                    ChunkChecksum::Adler32 => Sum::adler32(),
                };
                let (end, checksum) = (body_end.saturating_add(behind), Vec::new());
                self.has_gaps |= place.at.0 > self.at;
                self.open = Some(Open { place, body_end, end, sum, checksum });
            }
            None => self.has_gaps = true,
        }
        Ok(OFFSET_BYTES)
    }

    fn place<S: Source>(&self, table: &Table<S>) -> Result<Option<FailedChunk>, Error> {
        let length = table.source(Part::Data).map_or(0, Source::len);
        let mut place = FailedChunk {
            chunk: self.next,
            at: FilePos(0),
            stored_bytes: 0,
            start: DataPos(0),
            bytes: 0,
            checksum_at: (Part::Data, FilePos(0)),
            stored: 0,
            computed: 0,
            algorithm: self.algorithm,
        };
        match (self.chunks, &table.compression) {
            (Chunks::Compressed, Some(info)) => {
                let Some(offsets) = table.source(Part::CompressionInfo) else { return Ok(None) };
                let chunk = info.chunk(offsets, self.next, length)?;
                (place.at, place.stored_bytes) = (chunk.at, chunk.stored_bytes);
                (place.start, place.bytes) = (chunk.start, chunk.bytes);
                let behind = chunk.at.0.saturating_add(chunk.stored_bytes);
                place.checksum_at = (Part::Data, FilePos(behind));
            }
            (Chunks::Plain(crc), _) => {
                let Some(source) = table.source(Part::Crc) else { return Ok(None) };
                let start = self.next.saturating_mul(u64::from(crc.chunk_bytes));
                (place.at, place.start) = (FilePos(start), DataPos(start));
                place.bytes = u64::from(crc.chunk_bytes).min(length.saturating_sub(start));
                place.stored_bytes = place.bytes;
                place.stored = crc.checksum(source, self.next)?;
                let at = FilePos(self.next.saturating_mul(4).saturating_add(4));
                place.checksum_at = (Part::Crc, at);
            }
            _ => return Ok(None),
        }
        Ok(Some(place))
    }

    /// Reads at most to the end of the page.
    fn read_on<S: Source>(&mut self, source: &S, length: u64) -> Result<u64, Error> {
        if self.at >= self.announced {
            let until = self.at.saturating_add(AHEAD).min(length);
            source.expect(FilePos(self.at), FilePos(until))?;
            self.announced = until;
        }
        let (limit, in_body, in_checksum) = match &self.open {
            None => (length, false, false),
            Some(open) if self.at < open.place.at.0 => (open.place.at.0, false, false),
            Some(open) if self.at < open.body_end => (open.body_end, true, false),
            Some(open) => (open.end, false, true),
        };
        let at = FilePos(self.at);
        let page = source.page(at.page())?;
        let rest = page.get(at.in_page()..).unwrap_or(&[]);
        let left = mem(limit.min(length).saturating_sub(self.at)).unwrap_or(usize::MAX);
        let piece = rest.get(..left).unwrap_or(rest);
        if piece.is_empty() {
            let needed = length.saturating_sub(self.at);
            return Err(ReadError::truncated(Part::Data, at, "file", needed, 0).into());
        }
        if let Some(whole) = &mut self.whole {
            whole.update(piece, in_checksum);
        }
        let read = len64(piece.len());
        self.at = self.at.saturating_add(read);
        if let Some(open) = &mut self.open {
            if in_body {
                open.sum.update(piece);
            } else if in_checksum {
                open.checksum.extend_from_slice(piece);
            }
            if self.at >= open.end {
                self.close();
            }
        }
        Ok(read)
    }

    /// Compares the chunk that was read to its end.
    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let mut place = open.place;
        if let Some(stored) = open.checksum.first_chunk::<4>() {
            place.stored = u32::from_be_bytes(*stored);
        }
        place.computed = open.sum.finish();
        self.compared += 1;
        if place.stored != place.computed {
            self.failures += 1;
            if self.failed.len() < KEPT {
                self.failed.push(place);
            }
        }
    }
}
