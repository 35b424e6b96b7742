//! CRC.db: a checksum of each chunk of an uncompressed Data.db, read by range (`docs/format/files.md`).

use crate::cursor::Cursor;
use crate::error::{Error, ReadError};
use crate::limits;
use crate::pos::FilePos;
use crate::source::{Source, read_range};
use crate::table::{ChunkChecksum, Part, Version};

/// The head of CRC.db.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrcTable {
    /// Bytes of Data.db that one checksum covers, the last one perhaps fewer. 65,536 in all known files.
    pub chunk_bytes: u32,
    /// Checksums in the file. Early writers added one for an empty chunk.
    pub count: u64,
    /// Their algorithm.
    pub checksum: ChunkChecksum,
}

impl CrcTable {
    /// Reads the chunk size.
    pub fn read<S: Source>(version: Version, source: &S) -> Result<Self, Error> {
        let bytes = read_range(Part::Crc, source, FilePos(0), 4, "chunk size")?;
        let chunk_bytes = Cursor::new(Part::Crc, FilePos(0), &bytes).u32("chunk size")?;
        if chunk_bytes == 0 || u64::from(chunk_bytes) > limits::CHUNK_BYTES {
            let expected = format!("1 to {}", limits::CHUNK_BYTES);
            return Err(ReadError::out_of_range(
                Part::Crc,
                FilePos(0),
                "chunk size",
                expected,
                chunk_bytes,
            )
            .into());
        }
        let count = source.len().saturating_sub(4) / 4;
        Ok(Self { chunk_bytes, count, checksum: version.formats().chunk_checksum })
    }

    /// The checksum of a chunk: that of its bytes.
    pub fn checksum<S: Source>(&self, source: &S, chunk: u64) -> Result<u32, Error> {
        let at = FilePos(chunk.saturating_mul(4).saturating_add(4));
        let bytes = read_range(Part::Crc, source, at, 4, "chunk checksum")?;
        Cursor::new(Part::Crc, at, &bytes).u32("chunk checksum")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_read_by_index() {
        let file: &[u8] = &[
            0, 1, 0, 0, // chunks of 65,536 bytes
            0, 0, 0, 7, // chunk 0
            0, 0, 0, 9, // chunk 1
        ];
        let read = |letters| CrcTable::read(Version::new(letters).unwrap(), &file).unwrap();
        let table = read(b"da");
        let checksum = ChunkChecksum::Crc32;
        assert_eq!(table, CrcTable { chunk_bytes: 65_536, count: 2, checksum });
        assert_eq!(read(b"la").checksum, ChunkChecksum::Adler32);
        assert_eq!(table.checksum(&file, 1).unwrap(), 9);
        assert_eq!(
            table.checksum(&file, 2).unwrap_err().to_string(),
            "CRC.db, offset 12 (page 0 + 12), chunk checksum: expected 4 more bytes, found 0"
        );
    }

    #[test]
    fn a_chunk_size_of_zero_is_reported() {
        assert!(CrcTable::read(Version::new(b"da").unwrap(), &&[0u8; 8][..]).is_err());
    }
}
