//! CompressionInfo.db: how Data.db is compressed, and where its chunks lie (`docs/format/data.md`).
//!
//! Only the header is kept. Offsets are read by index, since a large file has millions of them.

use super::text;
use crate::cursor::Cursor;
use crate::error::{Error, Kind, ReadError};
use crate::limits;
use crate::pos::{DataPos, FilePos, len64};
use crate::source::{Source, read_range};
use crate::table::{ChunkChecksum, Part, Version};
use std::fmt;

const PART: Part = Part::CompressionInfo;
/// First piece of the file that is tried: all headers without a dictionary fit.
const FIRST_BYTES: u64 = 4096;

/// The header of CompressionInfo.db.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compression {
    /// The compressor.
    pub compressor: Compressor,
    /// Its options in the order of the file; values of hidden options (ScyllaDB's dictionary) are no text.
    pub options: Vec<(String, Vec<u8>)>,
    /// Bytes of every chunk but the last after decompression.
    pub chunk_length: u32,
    /// Chunks stored in this many bytes or more are not compressed. `None` in versions without it.
    pub max_compressed_length: Option<u32>,
    /// Bytes of Data.db after decompression.
    pub data_length: u64,
    /// Chunk offsets in the file. Cassandra 3 could write one more, of an empty chunk.
    pub chunks: u64,
    /// Position of the first offset.
    pub offsets_at: FilePos,
    /// Algorithm of the checksum behind each chunk.
    pub checksum: ChunkChecksum,
}

/// A compressor, from its class name without the package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compressor {
    /// `LZ4Compressor`: length, little-endian, then an LZ4 block.
    Lz4,
    /// `LZ4WithDictsCompressor` (ScyllaDB): the same with a dictionary.
    Lz4WithDictionary,
    /// `SnappyCompressor`: Snappy without framing.
    Snappy,
    /// `DeflateCompressor`: a zlib stream.
    Deflate,
    /// `ZstdCompressor`: a Zstandard frame.
    Zstd,
    /// `ZstdWithDictsCompressor` (ScyllaDB): the same with a dictionary.
    ZstdWithDictionary,
    /// `NoopCompressor`: the bytes themselves.
    Noop,
    /// Another class.
    Unknown(String),
}

/// Where a chunk of Data.db is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredChunk {
    /// Number of the chunk, from 0.
    pub chunk: u64,
    /// Position of its first byte in the file.
    pub at: FilePos,
    /// Bytes in the file, without the four of the checksum behind them.
    pub stored_bytes: u64,
    /// Position of its first byte in the uncompressed stream.
    pub start: DataPos,
    /// Bytes after decompression, as chunk length and data length promise.
    pub bytes: u64,
}

impl Compressor {
    /// The compressor with this class name, with or without its package.
    pub fn from_class(class: &str) -> Self {
        match class.rsplit('.').next().unwrap_or(class) {
            "LZ4Compressor" => Self::Lz4,
            "LZ4WithDictsCompressor" => Self::Lz4WithDictionary,
            "SnappyCompressor" => Self::Snappy,
            "DeflateCompressor" => Self::Deflate,
            "ZstdCompressor" => Self::Zstd,
            "ZstdWithDictsCompressor" => Self::ZstdWithDictionary,
            "NoopCompressor" => Self::Noop,
            other => Self::Unknown(other.to_owned()),
        }
    }

    /// The class name without its package.
    pub fn name(&self) -> &str {
        match self {
            Self::Lz4 => "LZ4Compressor",
            Self::Lz4WithDictionary => "LZ4WithDictsCompressor",
            Self::Snappy => "SnappyCompressor",
            Self::Deflate => "DeflateCompressor",
            Self::Zstd => "ZstdCompressor",
            Self::ZstdWithDictionary => "ZstdWithDictsCompressor",
            Self::Noop => "NoopCompressor",
            Self::Unknown(name) => name,
        }
    }
}

impl fmt::Display for Compressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Compression {
    /// Reads the header, at most `limits::COMPRESSION_HEADER_BYTES` of it.
    pub fn read<S: Source>(version: Version, source: &S) -> Result<Self, Error> {
        let most = source.len().min(limits::COMPRESSION_HEADER_BYTES);
        let mut len = most.min(FIRST_BYTES);
        loop {
            let bytes = read_range(PART, source, FilePos(0), len, "header")?;
            match Self::parse(version, &bytes) {
                // Long options (a dictionary) go on behind the piece that was read.
                Err(Error::Damage(error))
                    if matches!(error.kind, Kind::Truncated { .. }) && len < most =>
                {
                    len = most.min(len.saturating_mul(8));
                }
                other => return other,
            }
        }
    }

    fn parse(version: Version, bytes: &[u8]) -> Result<Self, Error> {
        let mut cursor = Cursor::new(PART, FilePos(0), bytes);
        let compressor = Compressor::from_class(&text(cursor.short_bytes("compressor")?));
        let mut options = Vec::new();
        let before = cursor.clone();
        let count = cursor.count(4, "option count")?;
        if len64(count) > limits::COMPRESSION_OPTIONS {
            let found = i128::try_from(count).unwrap_or(i128::MAX);
            return Err(before.error("option count", "at most 4096", found));
        }
        for _ in 0..count {
            let name = text(cursor.short_bytes("option name")?);
            options.push((name, cursor.short_bytes("option value")?.to_vec()));
        }
        let before = cursor.clone();
        let chunk_length = cursor.u32("chunk length")?;
        if chunk_length == 0 || u64::from(chunk_length) > limits::CHUNK_BYTES {
            let found = i128::from(chunk_length);
            return Err(before.error("chunk length", "1 to 16777216", found));
        }
        let max_compressed_length = if version.formats().has_max_compressed_length {
            Some(cursor.u32("max compressed length")?)
        } else {
            None
        };
        let before = cursor.clone();
        let data_length = cursor.u64("data length")?;
        if data_length > i64::MAX.cast_unsigned() {
            let found = i128::from(data_length);
            return Err(before.error("data length", "a 63-bit number", found));
        }
        let chunks = u64::from(cursor.u32("chunk count")?);
        Ok(Self {
            compressor,
            options,
            chunk_length,
            max_compressed_length,
            data_length,
            chunks,
            offsets_at: cursor.pos(),
            checksum: version.formats().chunk_checksum,
        })
    }

    /// Compares the number of offsets with the length of the data and of the file. Chunks that are there can be read
    /// although this reports an error.
    pub fn check<S: Source>(&self, source: &S) -> Result<(), Error> {
        let needed = self.data_length.div_ceil(u64::from(self.chunk_length));
        // The count is stored in front of the first offset.
        let at = FilePos(self.offsets_at.0.saturating_sub(4));
        if self.chunks != needed && self.chunks != needed + 1 {
            let expected = format!(
                "{needed} for {} bytes in chunks of {}",
                self.data_length, self.chunk_length
            );
            return Err(
                ReadError::out_of_range(PART, at, "chunk count", expected, self.chunks).into()
            );
        }
        let (bytes, left) =
            (self.chunks.saturating_mul(8), source.len().saturating_sub(self.offsets_at.0));
        if bytes > left {
            return Err(
                ReadError::truncated(PART, self.offsets_at, "chunk offsets", bytes, left).into()
            );
        }
        Ok(())
    }

    /// The chunk that holds a position of the uncompressed stream.
    pub fn chunk_of(&self, at: DataPos) -> u64 {
        at.0 / u64::from(self.chunk_length)
    }

    /// Position in Data.db where a chunk is stored, as its offset says.
    pub fn stored_at<S: Source>(&self, source: &S, chunk: u64) -> Result<FilePos, Error> {
        let at = FilePos(self.offsets_at.0.saturating_add(chunk.saturating_mul(8)));
        let bytes = read_range(PART, source, at, 8, "chunk offset")?;
        Ok(FilePos(Cursor::new(PART, at, &bytes).u64("chunk offset")?))
    }

    /// Where a chunk is stored, from two offsets of the file; the last chunk ends with Data.db, `data_file_bytes` long.
    pub fn chunk<S: Source>(
        &self,
        source: &S,
        chunk: u64,
        data_file_bytes: u64,
    ) -> Result<StoredChunk, Error> {
        let length = u64::from(self.chunk_length);
        let start = chunk.saturating_mul(length);
        let count_at = FilePos(self.offsets_at.0.saturating_sub(4));
        if chunk >= self.chunks {
            let expected = format!("more than {chunk}");
            return Err(ReadError::out_of_range(
                PART,
                count_at,
                "chunk count",
                expected,
                self.chunks,
            )
            .into());
        }
        let is_last = chunk + 1 == self.chunks;
        let offset_at = FilePos(self.offsets_at.0.saturating_add(chunk.saturating_mul(8)));
        let bytes =
            read_range(PART, source, offset_at, if is_last { 8 } else { 16 }, "chunk offset")?;
        let mut cursor = Cursor::new(PART, offset_at, &bytes);
        let from = cursor.u64("chunk offset")?;
        let to = if is_last { data_file_bytes } else { cursor.u64("chunk offset")? };
        // At least one stored byte and the checksum. Incompressible chunks grow a little: by a sixth in Snappy, less in
        // the others.
        let most = length.saturating_mul(2).saturating_add(1024);
        let stored = to.checked_sub(from).and_then(|len| len.checked_sub(4));
        match stored {
            Some(stored_bytes @ 1..) if stored_bytes <= most && to <= data_file_bytes => {
                let bytes = length.min(self.data_length.saturating_sub(start));
                let (at, start) = (FilePos(from), DataPos(start));
                Ok(StoredChunk { chunk, at, stored_bytes, start, bytes })
            }
            _ => Err(ReadError::unexpected(
                PART,
                offset_at,
                "chunk offset",
                format!(
                    "a chunk of 5 to {} bytes inside Data.db of {data_file_bytes} bytes",
                    most + 4
                ),
                format!("{from} to {to}"),
            )
            .into()),
        }
    }

    /// The dictionary that ScyllaDB stores among the options, in numbered pieces. `None` when there is none.
    pub fn dictionary(&self) -> Result<Option<Vec<u8>>, Error> {
        let mut blob = Vec::new();
        let pieces = self.options.iter().filter(|(name, _)| name.starts_with(".dictionary."));
        let count = pieces.count();
        for piece in 0..count {
            let name = format!(".dictionary.{piece:08}");
            let Some((_, value)) = self.options.iter().find(|(other, _)| *other == name) else {
                let expected = format!("{count} pieces of a dictionary, numbered from 0");
                let found = format!("no option {name}");
                return Err(
                    ReadError::unexpected(PART, FilePos(0), "dictionary", expected, found).into()
                );
            };
            blob.extend_from_slice(value);
        }
        Ok((count > 0).then_some(blob))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(
        class: &str,
        options: &[(&str, &[u8])],
        data_length: u64,
        offsets: &[u64],
    ) -> Vec<u8> {
        let mut bytes = Vec::new();
        let short = |text: &[u8], bytes: &mut Vec<u8>| {
            bytes.extend(u16::try_from(text.len()).unwrap().to_be_bytes());
            bytes.extend(text);
        };
        short(class.as_bytes(), &mut bytes);
        bytes.extend(u32::try_from(options.len()).unwrap().to_be_bytes());
        for (name, value) in options {
            short(name.as_bytes(), &mut bytes);
            short(value, &mut bytes);
        }
        bytes.extend(16u32.to_be_bytes());
        bytes.extend(i32::MAX.to_be_bytes());
        bytes.extend(data_length.to_be_bytes());
        bytes.extend(u32::try_from(offsets.len()).unwrap().to_be_bytes());
        bytes.extend(offsets.iter().flat_map(|offset| offset.to_be_bytes()));
        bytes
    }

    fn read(bytes: &[u8]) -> Result<Compression, Error> {
        Compression::read(Version::new(b"da").unwrap(), &bytes)
    }

    #[test]
    fn chunks_lie_between_two_offsets_and_the_last_one_ends_with_the_file() {
        let bytes = header("LZ4Compressor", &[("crc_check_chance", b"1.0")], 40, &[0, 20, 33]);
        let info = read(&bytes).unwrap();
        assert_eq!((info.compressor.clone(), info.chunk_length), (Compressor::Lz4, 16));
        info.check(&bytes.as_slice()).unwrap();
        let chunk = |n| info.chunk(&bytes.as_slice(), n, 50);
        let middle = chunk(1).unwrap();
        assert_eq!((middle.at, middle.stored_bytes, middle.bytes), (FilePos(20), 9, 16));
        let last = chunk(2).unwrap();
        assert_eq!((last.start, last.stored_bytes, last.bytes), (DataPos(32), 13, 8));
        assert_eq!(
            chunk(3).unwrap_err().to_string(),
            "CompressionInfo.db, offset 58 (page 0 + 58), chunk count: expected more than 3, found 3"
        );
    }

    #[test]
    fn chunk_offsets_that_go_back_or_leave_the_file_are_reported() {
        let bytes = header("LZ4Compressor", &[], 40, &[0, 20, 10]);
        let info = read(&bytes).unwrap();
        let said = |n, file| info.chunk(&bytes.as_slice(), n, file).unwrap_err().to_string();
        assert_eq!(
            said(1, 50),
            "CompressionInfo.db, offset 47 (page 0 + 47), chunk offset: expected a chunk of 5 to 1060 bytes inside Data.db of 50 bytes, found 20 to 10"
        );
        assert!(said(0, 12).contains("found 0 to 20"));
        assert!(said(2, 100_000).contains("found 10 to 100000"));
    }

    #[test]
    fn cut_at_every_length_it_is_reported() {
        let bytes = header("SnappyCompressor", &[("a", b"b")], 40, &[0, 20, 33]);
        for cut in 0..bytes.len() {
            let cut_bytes = &bytes[..cut];
            let problem = match read(cut_bytes) {
                Ok(info) => info.check(&cut_bytes).unwrap_err(),
                Err(error) => error,
            };
            assert!(matches!(problem, Error::Damage(_)), "{cut}: {problem}");
        }
        read(&bytes).unwrap().check(&bytes.as_slice()).unwrap();
    }

    #[test]
    fn f34_a_dictionary_lies_among_the_options_and_may_be_long() {
        let (first, second) = (vec![7; 65_534], vec![8; 40_000]);
        let pieces: &[(&str, &[u8])] =
            &[(".dictionary.00000001", &second), (".dictionary.00000000", &first)];
        let info = read(&header("ZstdWithDictsCompressor", pieces, 16, &[0])).unwrap();
        assert_eq!(info.compressor.name(), "ZstdWithDictsCompressor");
        let blob = info.dictionary().unwrap().unwrap();
        assert_eq!((blob.len(), blob[0], blob[65_534]), (105_534, 7, 8));
        let gap = read(&header("ZstdWithDictsCompressor", &pieces[..1], 16, &[0])).unwrap();
        assert!(
            gap.dictionary().unwrap_err().to_string().contains("no option .dictionary.00000000")
        );
        assert_eq!(read(&header("LZ4Compressor", &[], 1, &[0])).unwrap().dictionary(), Ok(None));
    }

    #[test]
    fn a_chunk_length_of_zero_or_above_the_limit_is_reported() {
        for length in [0, (16 << 20) + 1, u32::MAX] {
            let mut bytes = header("LZ4Compressor", &[], 40, &[0]);
            bytes[19..23].copy_from_slice(&length.to_be_bytes());
            assert!(read(&bytes).unwrap_err().to_string().contains("chunk length"), "{length}");
        }
    }

    #[test]
    fn an_unknown_compressor_is_named() {
        assert_eq!(
            Compressor::from_class("org.apache.cassandra.io.compress.BrotliCompressor"),
            Compressor::Unknown("BrotliCompressor".into())
        );
        let class = "org.apache.cassandra.io.compress.DeflateCompressor";
        assert_eq!(Compressor::from_class(class), Compressor::Deflate);
    }
}
