//! The checksum of SSTables: CRC32 as zlib computes it, of chunks, components, and the ends of files.
//!
//! There are two engines: a table of 1 KB, which keeps the page small, and with the feature `fast-crc` the instructions of
//! the processor, which keep up with memory.

use crate::cursor::Cursor;
use crate::error::{Error, ReadError};
use crate::pos::FilePos;
use crate::table::Part;

/// The CRC32 of some bytes.
pub fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = Crc32::default();
    crc.update(bytes);
    crc.finish()
}

/// A CRC32 of bytes that come in pieces.
#[derive(Clone, Default)]
pub struct Crc32(Engine);

impl Crc32 {
    /// Adds the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The CRC32 of all bytes so far.
    pub fn finish(&self) -> u32 {
        self.0.clone().finalize()
    }
}

impl std::fmt::Debug for Crc32 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Crc32({:08x})", self.finish())
    }
}

#[cfg(feature = "fast-crc")]
type Engine = crc32fast::Hasher;

#[cfg(not(feature = "fast-crc"))]
type Engine = small::Small;

#[cfg(any(test, not(feature = "fast-crc")))]
mod small {
    //! The engine with a table of 1 KB.

    use crc::{CRC_32_ISO_HDLC, Crc, Digest, Table};

    static CRC32: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISO_HDLC);

    #[derive(Clone)]
    pub(super) struct Small(Digest<'static, u32, Table<1>>);

    impl Default for Small {
        fn default() -> Self {
            Self(CRC32.digest())
        }
    }

    impl Small {
        pub(super) fn update(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }

        pub(super) fn finalize(self) -> u32 {
            self.0.finalize()
        }
    }
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
        let mut crc = Crc32::default();
        over.iter().for_each(|bytes| crc.update(bytes));
        Ok(Self { of, from, at, stored, computed: crc.finish() })
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
    fn both_engines_give_the_same_in_one_piece_and_in_many() {
        let bytes: Vec<u8> = (0..5000_u32).flat_map(|n| (n * n).to_be_bytes()).collect();
        for end in [0, 1, 3, 64, 4096, bytes.len()] {
            let expected = crc32fast::hash(&bytes[..end]);
            let (mut small, mut used) = (super::small::Small::default(), super::Crc32::default());
            for piece in bytes[..end].chunks(100) {
                small.update(piece);
                used.update(piece);
            }
            assert_eq!((small.finalize(), used.finish()), (expected, expected));
            assert_eq!(super::crc32(&bytes[..end]), expected);
        }
    }
}
