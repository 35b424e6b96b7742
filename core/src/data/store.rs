//! Data.db as it is stored: in compressed chunks with CompressionInfo.db, or as it is with CRC.db; and its digest
//! (`docs/format/data.md`, `docs/format/files.md`).

use crate::limits;
use crate::meta::{Compression, Compressor, Crc32, crc32};
use crate::pos::{len64, mem};
use crate::table::{Part, Version};
use crate::write::{Sink, WriteError};
use std::fmt;

/// Bytes that a checksum of CRC.db covers.
const CRC_CHUNK_BYTES: u32 = 65_536;

/// Takes the files of an SSTable, each from its start to its end.
pub trait PartSink {
    /// The next bytes of a component. A sink that can fail keeps its first error and tells it at its own end.
    fn put(&mut self, part: Part, bytes: &[u8]);
}

/// How Data.db is to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storing {
    /// As it is.
    Plain,
    /// In compressed chunks.
    Compressed {
        /// The compressor.
        compressor: Compressor,
        /// Its options, as CompressionInfo.db lists them.
        options: Vec<(String, Vec<u8>)>,
        /// Bytes of every chunk but the last before compression.
        chunk_length: u32,
        /// Chunks that would be stored in this many bytes or more are stored as they are; in versions that have it.
        max_compressed_length: Option<u32>,
    },
}

/// Stores a stream. Memory: two chunks, and 4 bytes for each chunk that was written.
#[derive(Clone, Debug)]
pub struct DataStore {
    version: Version,
    storing: Storing,
    chunk: Vec<u8>,
    /// Bytes of each compressed chunk in the file, with its checksum.
    stored: Vec<u32>,
    digest: Crc32,
    done: Stored,
    /// The first thing that went wrong; nothing is written after it.
    problem: Option<WriteError>,
}

/// What was stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// Bytes of the stream.
    pub data: u64,
    /// Bytes of Data.db.
    pub file: u64,
    /// Chunks.
    pub chunks: u64,
    /// CRC32 of Data.db.
    pub digest: u32,
}

/// A store and where its files go, as one sink.
#[derive(Debug)]
pub struct StoreSink<'s, P> {
    /// The store.
    pub store: &'s mut DataStore,
    /// The files.
    pub parts: &'s mut P,
}

impl Storing {
    /// As a compressed source stores it, for a version.
    pub fn of(info: &Compression, version: Version) -> Self {
        let has_most = version.formats().has_max_compressed_length;
        Self::Compressed {
            compressor: info.compressor.clone(),
            options: info.options.clone(),
            chunk_length: info.chunk_length,
            max_compressed_length: has_most
                .then(|| info.max_compressed_length.unwrap_or(i32::MAX.unsigned_abs())),
        }
    }

    /// The file that goes with Data.db.
    pub fn part(&self) -> Part {
        match self {
            Self::Plain => Part::Crc,
            Self::Compressed { .. } => Part::CompressionInfo,
        }
    }
}

impl DataStore {
    /// A store at the start of the file.
    pub fn new(version: Version, storing: Storing) -> Self {
        let (chunk, stored) = (Vec::new(), Vec::new());
        let (digest, done) = (Crc32::default(), Stored::default());
        Self { version, storing, chunk, stored, digest, done, problem: None }
    }

    /// The next bytes of the stream.
    pub fn put(&mut self, mut bytes: &[u8], parts: &mut impl PartSink) {
        let length = match &self.storing {
            Storing::Plain => CRC_CHUNK_BYTES,
            Storing::Compressed { chunk_length, .. } => *chunk_length,
        };
        let length = mem(u64::from(length)).unwrap_or(usize::MAX).max(1);
        if self.done.data == 0 && self.chunk.is_empty() && matches!(self.storing, Storing::Plain) {
            parts.put(Part::Crc, &CRC_CHUNK_BYTES.to_be_bytes());
        }
        while !bytes.is_empty() {
            let room = length.saturating_sub(self.chunk.len());
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.chunk.extend_from_slice(now);
            bytes = later;
            if self.chunk.len() == length {
                self.flush(parts);
            }
        }
    }

    /// Writes the last chunk, and CompressionInfo.db and the digest.
    ///
    /// # Errors
    /// A chunk that could not be stored.
    pub fn finish(mut self, parts: &mut impl PartSink) -> Result<Stored, WriteError> {
        if !self.chunk.is_empty() {
            self.flush(parts);
        }
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        if let Storing::Compressed { compressor, options, chunk_length, max_compressed_length } =
            &self.storing
        {
            let count = u32::try_from(self.done.chunks).map_err(|_| WriteError::Number {
                field: "chunks of Data.db",
                expected: "at most 4294967295",
                got: self.done.chunks,
            })?;
            let mut head = Vec::new();
            compression_head(
                compressor,
                options,
                *chunk_length,
                *max_compressed_length,
                &mut head,
            )?;
            head.extend(self.done.data.to_be_bytes());
            head.extend(count.to_be_bytes());
            parts.put(Part::CompressionInfo, &head);
            let mut at = 0u64;
            for stored in &self.stored {
                parts.put(Part::CompressionInfo, &at.to_be_bytes());
                at += u64::from(*stored);
            }
        }
        self.done.digest = self.digest.finish();
        parts.put(Part::Digest, self.done.digest.to_string().as_bytes());
        Ok(self.done)
    }

    /// What was stored so far.
    pub fn done(&self) -> Stored {
        self.done
    }

    /// The version whose Data.db it is.
    pub fn version(&self) -> Version {
        self.version
    }

    fn flush(&mut self, parts: &mut impl PartSink) {
        if self.problem.is_some() {
            return self.chunk.clear();
        }
        match &self.storing {
            Storing::Plain => {
                parts.put(Part::Crc, &crc32(&self.chunk).to_be_bytes());
                self.digest.update(&self.chunk);
                parts.put(Part::Data, &self.chunk);
                self.done.file += len64(self.chunk.len());
            }
            Storing::Compressed { compressor, max_compressed_length, .. } => {
                match stored_chunk(compressor, *max_compressed_length, &self.chunk) {
                    Ok(mut bytes) => {
                        bytes.extend(crc32(&bytes).to_be_bytes());
                        self.digest.update(&bytes);
                        parts.put(Part::Data, &bytes);
                        self.done.file += len64(bytes.len());
                        // A chunk has at most 16 MiB, and no compressor doubles one.
                        self.stored.push(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
                    }
                    Err(problem) => self.problem = Some(problem),
                }
                if self.done.chunks >= limits::CHUNKS_WRITTEN {
                    self.problem = Some(WriteError::Number {
                        field: "chunks of Data.db",
                        expected: "at most 33554432, whose offsets are kept in memory",
                        got: self.done.chunks,
                    });
                }
            }
        }
        self.done.data += len64(self.chunk.len());
        self.done.chunks += 1;
        self.chunk.clear();
    }
}

impl<P: PartSink> Sink for StoreSink<'_, P> {
    fn put(&mut self, bytes: &[u8]) {
        self.store.put(bytes, self.parts);
    }
}

/// CompressionInfo.db up to the length of the data.
pub(crate) fn compression_head(
    compressor: &Compressor,
    options: &[(String, Vec<u8>)],
    chunk_length: u32,
    max_compressed_length: Option<u32>,
    out: &mut Vec<u8>,
) -> Result<(), WriteError> {
    let short = |field, bytes: &[u8], out: &mut Vec<u8>| {
        let (expected, got) = ("at most 65535", len64(bytes.len()));
        let length = u16::try_from(got).map_err(|_| WriteError::Number { field, expected, got })?;
        out.extend(length.to_be_bytes());
        out.extend_from_slice(bytes);
        Ok(())
    };
    short("bytes of the compressor", compressor.name().as_bytes(), out)?;
    let (field, expected, got) =
        ("compression options", "at most 4294967295", len64(options.len()));
    let count = u32::try_from(got).map_err(|_| WriteError::Number { field, expected, got })?;
    out.extend(count.to_be_bytes());
    for (name, value) in options {
        short("bytes of a compression option", name.as_bytes(), out)?;
        short("bytes of a compression option", value, out)?;
    }
    out.extend(chunk_length.to_be_bytes());
    out.extend(max_compressed_length.iter().flat_map(|most| most.to_be_bytes()));
    Ok(())
}

/// A chunk as it is stored, without its checksum.
fn stored_chunk(
    compressor: &Compressor,
    max_compressed_length: Option<u32>,
    bytes: &[u8],
) -> Result<Vec<u8>, WriteError> {
    let packed = pack(compressor, bytes)?;
    let most = max_compressed_length.map(|most| mem(u64::from(most)).unwrap_or(usize::MAX));
    match most.filter(|most| packed.len() >= *most) {
        None => Ok(packed),
        Some(most) => {
            let mut raw = bytes.to_vec();
            // A reader tells raw chunks by their length.
            raw.resize(raw.len().max(most), 0);
            Ok(raw)
        }
    }
}

fn pack(compressor: &Compressor, bytes: &[u8]) -> Result<Vec<u8>, WriteError> {
    match compressor {
        Compressor::Lz4 => Ok(lz4_flex::block::compress_prepend_size(bytes)),
        Compressor::Snappy => {
            snap::raw::Encoder::new().compress_vec(bytes).map_err(|_| too_long(bytes))
        }
        Compressor::Deflate => Ok(miniz_oxide::deflate::compress_to_vec_zlib(bytes, 6)),
        Compressor::Zstd => Ok(ruzstd::encoding::compress_to_vec(
            bytes,
            ruzstd::encoding::CompressionLevel::Fastest,
        )),
        Compressor::Noop => Ok(bytes.to_vec()),
        Compressor::Lz4WithDictionary | Compressor::ZstdWithDictionary | Compressor::Unknown(_) => {
            Err(WriteError::Lacks { field: "how its compressor compresses" })
        }
    }
}

fn too_long(chunk: &[u8]) -> WriteError {
    let (field, expected) = ("bytes of a chunk", "at most 4294967295, for Snappy");
    WriteError::Number { field, expected, got: len64(chunk.len()) }
}

impl fmt::Display for Storing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain => f.write_str("not compressed"),
            Self::Compressed { compressor, chunk_length, .. } => {
                write!(f, "compressed by {compressor} in chunks of {chunk_length} bytes")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{DataReader, Layout};
    use crate::meta::CrcTable;
    use crate::pos::DataPos;
    use std::collections::BTreeMap;

    #[derive(Default)]
    struct Files(BTreeMap<Part, Vec<u8>>);

    impl PartSink for Files {
        fn put(&mut self, part: Part, bytes: &[u8]) {
            self.0.entry(part).or_default().extend_from_slice(bytes);
        }
    }

    /// Text, then bytes that no compressor makes shorter.
    fn stream() -> Vec<u8> {
        let mut state = 1u64;
        let noise = std::iter::repeat_with(move || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(9);
            state.to_be_bytes()[0]
        });
        b"row after row ".iter().copied().cycle().take(9000).chain(noise.take(9000)).collect()
    }

    fn stored(version: Version, storing: Storing) -> (Files, Stored) {
        let (mut files, mut store) = (Files::default(), DataStore::new(version, storing));
        for piece in stream().chunks(777) {
            StoreSink { store: &mut store, parts: &mut files }.put(piece);
        }
        let done = store.finish(&mut files).unwrap();
        (files, done)
    }

    fn read(mut reader: DataReader<'_, &[u8]>) -> Vec<u8> {
        let length = usize::try_from(reader.len()).unwrap();
        let all = |cursor: &mut crate::cursor::Cursor<'_>| Ok(cursor.take(length, "all")?.to_vec());
        reader.parse(DataPos(0), "all", all).unwrap().0
    }

    #[test]
    fn every_compressor_is_read_back_and_some_chunks_are_raw() {
        for compressor in [
            Compressor::Lz4,
            Compressor::Snappy,
            Compressor::Deflate,
            Compressor::Zstd,
            Compressor::Noop,
        ] {
            for (letters, most) in [(b"me", None), (b"nb", Some(4000)), (b"nb", Some(5000))] {
                let version = Version::new(letters).unwrap();
                let storing = Storing::Compressed {
                    compressor: compressor.clone(),
                    options: vec![("a".into(), b"b".to_vec())],
                    chunk_length: 4096,
                    max_compressed_length: most,
                };
                let (files, done) = stored(version, storing);
                let (data, offsets) =
                    (files.0[&Part::Data].as_slice(), files.0[&Part::CompressionInfo].as_slice());
                let info = Compression::read(version, &offsets).unwrap();
                info.check(&offsets).unwrap();
                assert_eq!((done.chunks, done.data, done.file), (5, 18_000, len64(data.len())));
                assert_eq!(crc32(data).to_string().as_bytes(), files.0[&Part::Digest]);
                let layout = Layout::Compressed { info: &info, offsets: &offsets };
                assert_eq!(read(DataReader::new(&data, layout)), stream(), "{compressor} {most:?}");
            }
        }
    }

    #[test]
    fn what_is_not_compressed_has_its_checksums_in_crc_db() {
        let version = Version::new(b"nb").unwrap();
        let (files, done) = stored(version, Storing::Plain);
        let (data, crc) = (files.0[&Part::Data].as_slice(), files.0[&Part::Crc].as_slice());
        let table = CrcTable::read(version, &crc).unwrap();
        assert_eq!((table.count, done.digest), (1, crc32(data)));
        let layout = Layout::Plain { crc: Some((table, &crc)) };
        assert_eq!(read(DataReader::new(&data, layout)), stream());
    }

    #[test]
    fn a_dictionary_is_not_written_with() {
        let version = Version::new(b"me").unwrap();
        let storing = Storing::Compressed {
            compressor: Compressor::ZstdWithDictionary,
            options: Vec::new(),
            chunk_length: 16,
            max_compressed_length: None,
        };
        let (mut files, mut store) = (Files::default(), DataStore::new(version, storing));
        store.put(&[7; 40], &mut files);
        let said = store.finish(&mut files).unwrap_err().to_string();
        assert_eq!(said, "the version needs what is not known: how its compressor compresses");
    }
}
