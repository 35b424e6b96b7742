//! The checksum of SSTables: CRC32 as zlib computes it, of chunks, components, and the ends of files.

use crate::cursor::Cursor;
use crate::error::{Error, ReadError};
use crate::pos::FilePos;
use crate::table::Part;
use crc::{CRC_32_ISO_HDLC, Crc, Table};

pub(super) const CRC32: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISO_HDLC);

/// The CRC32 of some bytes.
pub fn crc32(bytes: &[u8]) -> u32 {
    CRC32.checksum(bytes)
}

/// A checksum that a metadata file stores of itself, beside the one its bytes have. A difference is a result here and no
/// error: the fields are there to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checksum {
    /// What it is of: `table of contents`, `stats component`, `file`.
    pub of: &'static str,
    /// The first byte that it covers.
    pub from: FilePos,
    /// Position of the stored checksum, 4 bytes.
    pub at: FilePos,
    /// As it is stored.
    pub stored: u32,
    /// As the bytes have it.
    pub computed: u32,
}

impl Checksum {
    /// Reads a stored checksum at the cursor, which covers `over` from `from` on.
    pub(super) fn read(
        of: &'static str,
        cursor: &mut Cursor<'_>,
        from: FilePos,
        over: &[&[u8]],
    ) -> Result<Self, Error> {
        let at = cursor.pos();
        let stored = cursor.u32("checksum")?;
        let mut digest = CRC32.digest();
        over.iter().for_each(|bytes| digest.update(bytes));
        Ok(Self { of, from, at, stored, computed: digest.finalize() })
    }

    /// Whether the bytes are those that the writer summed up.
    pub const fn holds(&self) -> bool {
        self.stored == self.computed
    }

    /// Bytes from the first one covered to the stored checksum.
    pub const fn bytes(&self) -> u64 {
        self.at.0.saturating_sub(self.from.0)
    }

    /// The difference as an error of a component.
    pub fn error(&self, part: Part) -> ReadError {
        let expected = format!("{:08x}, that of the {}'s bytes", self.computed, self.of);
        let found = format!("{:08x}", self.stored);
        ReadError::unexpected(part, self.at, "checksum", expected, found)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_equals_another_implementation() {
        let bytes: Vec<u8> = (0..5000_u32).flat_map(|n| (n * n).to_be_bytes()).collect();
        for end in [0, 1, 3, 64, 4096, bytes.len()] {
            assert_eq!(super::crc32(&bytes[..end]), crc32fast::hash(&bytes[..end]));
        }
    }
}
