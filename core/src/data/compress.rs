//! A Data.db of compressed chunks, written in order, and the CompressionInfo.db that goes with it
//! (`docs/format/data.md`, CompressionInfo.db).

use crate::meta::{Compressor, Crc32};
use crate::pos::len64;
use crate::table::Version;
use crate::write::{Sink, WriteError};

/// Bytes in front of an LZ4 block: its length after decompression.
const LENGTH_BYTES: usize = 4;
/// What every writer says of its options: that each chunk's checksum is compared.
const OPTION: (&str, &str) = ("crc_check_chance", "1.0");

/// Takes the uncompressed stream of Data.db and writes it chunk by chunk, each with its checksum behind it.
///
/// Memory: two chunks, and eight bytes for each chunk written.
#[derive(Debug)]
pub struct ChunkWriter<W: Sink> {
    sink: W,
    chunk_length: usize,
    chunk: Vec<u8>,
    stored: Vec<u8>,
    offsets: Vec<u64>,
    at: u64,
    data_length: u64,
    digest: Crc32,
}

/// The chunks of a Data.db that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunks {
    /// Bytes of every chunk but the last after decompression.
    pub chunk_length: u32,
    /// Bytes of Data.db after decompression.
    pub data_length: u64,
    /// Bytes of the file.
    pub file_length: u64,
    /// Where each chunk begins in the file.
    pub offsets: Vec<u64>,
    /// CRC32 of the file, checksums included, as in the digest.
    pub digest: u32,
}

impl<W: Sink> ChunkWriter<W> {
    /// A writer of LZ4 chunks of `chunk_length` bytes, of at least one.
    pub fn lz4(chunk_length: u32, sink: W) -> Self {
        let chunk_length = usize::try_from(chunk_length.max(1)).unwrap_or(usize::MAX);
        let most = lz4_flex::block::get_maximum_output_size(chunk_length);
        Self {
            sink,
            chunk_length,
            chunk: Vec::with_capacity(chunk_length),
            stored: vec![0; LENGTH_BYTES + most],
            offsets: Vec::new(),
            at: 0,
            data_length: 0,
            digest: Crc32::default(),
        }
    }

    /// Bytes of the uncompressed stream so far: the position of the next one.
    pub fn data_length(&self) -> u64 {
        self.data_length
    }

    /// Writes the last chunk and gives the sink back, with what the other components say of Data.db.
    pub fn finish(mut self) -> (W, Chunks) {
        self.end_chunk();
        let chunks = Chunks {
            chunk_length: u32::try_from(self.chunk_length).unwrap_or(u32::MAX),
            data_length: self.data_length,
            file_length: self.at,
            offsets: self.offsets,
            digest: self.digest.finish(),
        };
        (self.sink, chunks)
    }

    fn end_chunk(&mut self) {
        if self.chunk.is_empty() {
            return;
        }
        let length = u32::try_from(self.chunk.len()).unwrap_or(u32::MAX);
        let Some((head, body)) = self.stored.split_at_mut_checked(LENGTH_BYTES) else { return };
        head.copy_from_slice(&length.to_le_bytes());
        // The room is what the greatest block can take, so nothing fails.
        let bytes = lz4_flex::block::compress_into(&self.chunk, body).unwrap_or(0);
        let stored = self.stored.get(..LENGTH_BYTES + bytes).unwrap_or(&[]);
        let checksum = crate::meta::crc32(stored).to_be_bytes();
        for bytes in [stored, &checksum] {
            self.sink.put(bytes);
            self.digest.update(bytes);
        }
        self.offsets.push(self.at);
        self.at += len64(stored.len()) + len64(checksum.len());
        self.chunk.clear();
    }
}

impl<W: Sink> Sink for ChunkWriter<W> {
    fn put(&mut self, bytes: &[u8]) {
        self.data_length += len64(bytes.len());
        let mut rest = bytes;
        while !rest.is_empty() {
            let room = self.chunk_length.saturating_sub(self.chunk.len());
            let (now, later) = rest.split_at_checked(room).unwrap_or((rest, &[]));
            self.chunk.extend_from_slice(now);
            if self.chunk.len() == self.chunk_length {
                self.end_chunk();
            }
            rest = later;
        }
    }
}

impl Chunks {
    /// CompressionInfo.db of a version.
    pub fn compression_info(&self, version: Version) -> Result<Vec<u8>, WriteError> {
        let count = u32::try_from(self.offsets.len()).map_err(|_| WriteError::Number {
            field: "chunks",
            expected: "at most 4294967295",
            got: len64(self.offsets.len()),
        })?;
        let mut out = Vec::new();
        let short = |text: &str, out: &mut Vec<u8>| {
            out.extend(u16::try_from(text.len()).unwrap_or(u16::MAX).to_be_bytes());
            out.extend_from_slice(text.as_bytes());
        };
        short(Compressor::Lz4.name(), &mut out);
        out.extend(1u32.to_be_bytes());
        short(OPTION.0, &mut out);
        short(OPTION.1, &mut out);
        out.extend(self.chunk_length.to_be_bytes());
        if version.formats().has_max_compressed_length {
            // All chunks are compressed, whatever comes out.
            out.extend(i32::MAX.to_be_bytes());
        }
        out.extend(self.data_length.to_be_bytes());
        out.extend(count.to_be_bytes());
        out.extend(self.offsets.iter().flat_map(|offset| offset.to_be_bytes()));
        Ok(out)
    }

    /// The digest file.
    pub fn digest_file(&self) -> Vec<u8> {
        self.digest.to_string().into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::super::chunk::decompress;
    use super::*;
    use crate::meta::Compression;

    #[test]
    fn what_is_written_in_pieces_is_read_back_chunk_by_chunk() {
        let stream: Vec<u8> = (0..10_000u32).flat_map(|n| (n / 7).to_be_bytes()).collect();
        for letters in [b"me", b"nb"] {
            let version = Version::new(letters).unwrap();
            let mut writer = ChunkWriter::lz4(4096, Vec::new());
            for piece in stream.chunks(999) {
                writer.put(piece);
            }
            assert_eq!(writer.data_length(), 40_000);
            let (file, chunks) = writer.finish();
            assert_eq!(chunks.file_length, len64(file.len()));
            assert_eq!(chunks.digest_file(), crate::meta::crc32(&file).to_string().as_bytes());
            let info = chunks.compression_info(version).unwrap();
            let read = Compression::read(version, &info.as_slice()).unwrap();
            read.check(&info.as_slice()).unwrap();
            let mut back = Vec::new();
            for chunk in 0..read.chunks {
                let chunk = read.chunk(&info.as_slice(), chunk, chunks.file_length).unwrap();
                let from = usize::try_from(chunk.at.0).unwrap();
                let to = from + usize::try_from(chunk.stored_bytes).unwrap();
                let checksum = u32::from_be_bytes(*file[to..].first_chunk().unwrap());
                back.extend(decompress(&read, chunk, &file[from..to], Some(checksum)).unwrap());
            }
            assert_eq!(back, stream);
        }
    }
}
