//! Data.db as one stream of bytes: chunks are read, verified and decompressed where they are needed, and listed.

use super::chunk::decompress;
use crate::cursor::Cursor;
use crate::error::{Error, Kind, ReadError};
use crate::limits;
use crate::lookup::ChunkRead;
use crate::meta::{Compression, CrcTable};
use crate::pos::{DataPos, FilePos, len64, mem};
use crate::source::{Source, read_range};
use crate::table::Part;

/// Bytes read at once from an uncompressed Data.db without CRC.db: what one checksum of CRC.db covers elsewhere.
const PLAIN_CHUNK_BYTES: u64 = 65_536;

/// How Data.db is stored.
#[derive(Debug)]
pub enum Layout<'t, S> {
    /// In compressed chunks, which CompressionInfo.db lists.
    Compressed {
        /// Its header.
        info: &'t Compression,
        /// CompressionInfo.db, for the offsets.
        offsets: &'t S,
    },
    /// As it is; with CRC.db, each chunk is verified.
    Plain {
        /// CRC.db.
        crc: Option<(CrcTable, &'t S)>,
    },
}

/// Reads the uncompressed stream of Data.db.
#[derive(Debug)]
pub struct DataReader<'t, S> {
    data: &'t S,
    layout: Layout<'t, S>,
    length: u64,
    chunks: Vec<ChunkRead>,
    purpose: Purpose,
    /// Position of the window's first byte: always the start of a chunk.
    start: u64,
    /// Bytes of consecutive chunks.
    window: Vec<u8>,
}

/// What a reader does besides reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// Verifies chunks and lists them: a lookup.
    Lookup,
    /// Verifies chunks; they are too many to be listed.
    Stream,
    /// Only reads: checksums are compared by someone else.
    StreamUnverified,
}

impl<'t, S: Source> DataReader<'t, S> {
    /// A reader of Data.db; nothing is read yet.
    pub fn new(data: &'t S, layout: Layout<'t, S>) -> Self {
        let length = match &layout {
            Layout::Compressed { info, .. } => info.data_length,
            Layout::Plain { .. } => data.len(),
        };
        let purpose = Purpose::Lookup;
        Self { data, layout, length, chunks: Vec::new(), purpose, start: 0, window: Vec::new() }
    }

    /// For reading much of the file: chunks are not listed, so that memory does not grow with it.
    #[must_use]
    pub fn streaming(self) -> Self {
        Self { purpose: Purpose::Stream, ..self }
    }

    /// As [`Self::streaming`], without comparing checksums.
    #[must_use]
    pub fn streaming_unverified(self) -> Self {
        Self { purpose: Purpose::StreamUnverified, ..self }
    }

    /// Bytes of the uncompressed stream.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Whether the stream has no bytes.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The chunks read so far, in order.
    pub fn chunks(&self) -> &[ChunkRead] {
        &self.chunks
    }

    /// Parses something at `at` and says where it ends. `parse` sees as many bytes as it turns out to need: it is run
    /// again with another chunk when its bytes end, so it should do nothing but read. Positions in errors are those of
    /// the uncompressed stream, but those about a stored chunk, which say so.
    pub fn parse<T>(
        &mut self,
        at: DataPos,
        field: &'static str,
        mut parse: impl FnMut(&mut Cursor<'_>) -> Result<T, Error>,
    ) -> Result<(T, DataPos), Error> {
        if at.0 >= self.length {
            let expected = format!("a position before the end of the data, {}", self.length);
            return Err(
                ReadError::out_of_range(Part::Data, FilePos(at.0), field, expected, at.0).into()
            );
        }
        self.turn_to(at)?;
        loop {
            let here = mem(at.0.saturating_sub(self.start)).unwrap_or(usize::MAX);
            let bytes = self.window.get(here..).unwrap_or(&[]);
            let seen = len64(bytes.len());
            let mut cursor = Cursor::new(Part::Data, FilePos(at.0), bytes);
            match parse(&mut cursor) {
                Ok(value) => return Ok((value, DataPos(cursor.pos().0))),
                Err(Error::Damage(mut error)) => {
                    let Kind::Truncated { needed, left } = &mut error.kind else {
                        return Err(Error::Damage(error));
                    };
                    let rest = self.length.saturating_sub(error.at.0);
                    let used = error.at.0.saturating_sub(at.0);
                    if *needed > rest || used.saturating_add(*needed) > limits::ROW_HEAD_BYTES {
                        *left = rest;
                        return Err(Error::Damage(error));
                    }
                }
                Err(miss) => return Err(miss),
            }
            self.extend()?;
            // A chunk has at least one byte, or the stream ends before the field does: no endless loop.
            if self.window_end().saturating_sub(at.0) <= seen {
                let end = FilePos(self.window_end());
                return Err(ReadError::truncated(Part::Data, end, field, 1, 0).into());
            }
        }
    }

    /// The partition key at a position: 2 bytes of length, then the key.
    pub fn key(&mut self, at: DataPos) -> Result<(Vec<u8>, DataPos), Error> {
        self.parse(at, "partition position", |cursor| {
            Ok(cursor.short_bytes("partition key")?.to_vec())
        })
    }

    /// The bytes from `at` on that are here: at least one, unless the data ends there or `at` lies beyond.
    pub(super) fn window(&mut self, at: DataPos) -> Result<&[u8], Error> {
        if at.0 >= self.length {
            return Ok(&[]);
        }
        self.turn_to(at)?;
        let here = mem(at.0.saturating_sub(self.start)).unwrap_or(usize::MAX);
        Ok(self.window.get(here..).unwrap_or(&[]))
    }

    /// Reads on until the window reaches `end`, or the data ends.
    pub(super) fn extend_to(&mut self, end: u64) -> Result<(), Error> {
        while self.window_end() < end.min(self.length) {
            let before = self.window_end();
            self.extend()?;
            if self.window_end() == before {
                break;
            }
        }
        Ok(())
    }

    fn window_end(&self) -> u64 {
        self.start.saturating_add(len64(self.window.len()))
    }

    fn chunk_bytes(&self) -> u64 {
        match &self.layout {
            Layout::Compressed { info, .. } => u64::from(info.chunk_length),
            Layout::Plain { crc: Some((crc, _)) } => u64::from(crc.chunk_bytes),
            Layout::Plain { crc: None } => PLAIN_CHUNK_BYTES,
        }
    }

    /// Makes the window begin with the chunk that holds `at`.
    fn turn_to(&mut self, at: DataPos) -> Result<(), Error> {
        let size = self.chunk_bytes();
        let start = at.0 / size * size;
        if (self.start..self.window_end()).contains(&at.0) {
            // The position lies in the window, and its chunk starts there: what lies before is no longer needed.
            let drop = mem(start.saturating_sub(self.start)).unwrap_or(0).min(self.window.len());
            self.window.drain(..drop);
            self.start = start.max(self.start);
            return Ok(());
        }
        self.window.clear();
        self.start = start;
        self.extend()
    }

    /// Appends the next chunk to the window.
    fn extend(&mut self) -> Result<(), Error> {
        let start = self.window_end();
        if start >= self.length {
            return Ok(());
        }
        let chunk = start / self.chunk_bytes();
        let bytes = self.read_chunk(chunk)?;
        self.window.extend_from_slice(&bytes);
        Ok(())
    }

    /// Whether the chunk that holds `at` has its checksum; a chunk without one has.
    pub(crate) fn chunk_is_sound(&mut self, at: DataPos) -> Result<bool, Error> {
        let purpose = std::mem::replace(&mut self.purpose, Purpose::Stream);
        let read = self.read_chunk(at.0 / self.chunk_bytes());
        self.purpose = purpose;
        match read {
            Ok(_) => Ok(true),
            Err(Error::Damage(_)) => Ok(false),
            Err(miss) => Err(miss),
        }
    }

    fn verifies(&self) -> bool {
        self.purpose != Purpose::StreamUnverified
    }

    fn read_chunk(&mut self, chunk: u64) -> Result<Vec<u8>, Error> {
        let (read, bytes) = match &self.layout {
            Layout::Compressed { info, offsets } => {
                let place = info.chunk(*offsets, chunk, self.data.len())?;
                let stored = read_range(
                    Part::Data,
                    self.data,
                    place.at,
                    place.stored_bytes + 4,
                    "stored chunk",
                )?;
                let (stored, checksum) = stored.split_last_chunk::<4>().unwrap_or((&[], &[0; 4]));
                let checksum = self.verifies().then(|| u32::from_be_bytes(*checksum));
                let bytes = decompress(info, place, stored, checksum)?;
                let (at, stored_bytes) = (place.at, place.stored_bytes);
                (ChunkRead { chunk, at, stored_bytes, bytes: place.bytes }, bytes)
            }
            Layout::Plain { crc } => {
                let at = FilePos(chunk.saturating_mul(self.chunk_bytes()));
                let len = self.chunk_bytes().min(self.length.saturating_sub(at.0));
                let bytes = read_range(Part::Data, self.data, at, len, "chunk")?;
                if let Some((table, source)) = crc
                    && self.verifies()
                {
                    verify(*table, table.checksum(*source, chunk)?, chunk, at, &bytes)?;
                }
                (ChunkRead { chunk, at, stored_bytes: len, bytes: len }, bytes)
            }
        };
        if self.purpose == Purpose::Lookup {
            self.chunks.push(read);
        }
        Ok(bytes)
    }
}

/// Compares an uncompressed chunk with its checksum in CRC.db.
fn verify(
    table: CrcTable,
    stored: u32,
    chunk: u64,
    at: FilePos,
    bytes: &[u8],
) -> Result<(), Error> {
    let computed = table.checksum.of(bytes);
    if computed == stored {
        return Ok(());
    }
    let (expected, found) =
        (format!("{stored:08x}, as CRC.db says"), format!("{computed:08x} from its bytes"));
    let field = format!("checksum of stored chunk {chunk}");
    Err(ReadError::unexpected(Part::Data, at, field, expected, found).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three chunks of 65,536 bytes, the last one shorter, with a key across the first border.
    fn data() -> Vec<u8> {
        let mut data = vec![0u8; 150_000];
        data[65_530..65_532].copy_from_slice(&300u16.to_be_bytes());
        data[65_532..65_832].fill(7);
        data
    }

    #[test]
    fn a_key_across_a_chunk_border_is_read_from_both_chunks() {
        let data = data();
        let source = data.as_slice();
        let mut reader = DataReader::new(&source, Layout::Plain { crc: None });
        let (key, after) = reader.key(DataPos(65_530)).unwrap();
        assert_eq!((key, after), (vec![7; 300], DataPos(65_832)));
        assert_eq!(reader.chunks().iter().map(|read| read.chunk).collect::<Vec<_>>(), [0, 1]);
        // What is in the window is not read again.
        reader.key(DataPos(70_000)).unwrap();
        reader.key(DataPos(131_072)).unwrap();
        assert_eq!(reader.chunks().iter().map(|read| read.chunk).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(reader.chunks()[2].bytes, 150_000 - 131_072);
    }

    #[test]
    fn a_key_that_the_end_of_the_data_cuts_off_is_reported() {
        let mut data = data();
        data[149_990..149_992].copy_from_slice(&500u16.to_be_bytes());
        let source = data.as_slice();
        let mut reader = DataReader::new(&source, Layout::Plain { crc: None });
        assert_eq!(
            reader.key(DataPos(149_990)).unwrap_err().to_string(),
            "Data.db, offset 149992 (page 36 + 2536), partition key: expected 500 more bytes, found 8"
        );
        assert_eq!(
            reader.key(DataPos(149_999)).unwrap_err().to_string(),
            "Data.db, offset 149999 (page 36 + 2543), partition key: expected 2 more bytes, found 1"
        );
        assert_eq!(
            reader.key(DataPos(1 << 40)).unwrap_err().to_string(),
            "Data.db, offset 1099511627776 (page 268435456 + 0), partition position: expected a position before the end of the data, 150000, found 1099511627776"
        );
    }

    #[test]
    fn a_claimed_length_beyond_the_limit_reads_no_further_chunk() {
        let data = vec![0xf0; 5 << 20];
        let source = data.as_slice();
        let mut reader = DataReader::new(&source, Layout::Plain { crc: None });
        let claimed = reader.parse(DataPos(0), "row", |cursor| {
            cursor.take(4_500_000, "clustering values").map(|_| ())
        });
        assert!(claimed.unwrap_err().to_string().contains("clustering values"));
        assert_eq!(reader.chunks().len(), 1);
    }

    #[test]
    fn a_plain_chunk_is_compared_with_crc_db() {
        let data = data();
        let source = data.as_slice();
        let mut crc = 65_536u32.to_be_bytes().to_vec();
        for chunk in data.chunks(65_536) {
            crc.extend(crate::meta::crc32(chunk).to_be_bytes());
        }
        crc[10] ^= 1;
        let crc = crc.as_slice();
        let table = CrcTable::read(crate::table::Version::new(b"da").unwrap(), &crc).unwrap();
        let mut reader = DataReader::new(&source, Layout::Plain { crc: Some((table, &crc)) });
        reader.key(DataPos(0)).unwrap();
        let said = reader.key(DataPos(65_536)).unwrap_err().to_string();
        assert!(said.contains("checksum of stored chunk 1: expected"), "{said}");
        reader.key(DataPos(140_000)).unwrap();
    }
}
