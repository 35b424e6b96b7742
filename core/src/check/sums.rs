//! Sums over the bytes of a file that come in pieces: those of chunks, and those of digest files.

use crate::meta::{Crc32, DigestKind};
use adler2::Adler32;
use sha1::{Digest as _, Sha1};
use std::fmt::Write;

/// A sum of 32 bits.
#[derive(Clone, Debug)]
pub(crate) enum Sum {
    /// CRC32.
    Crc32(Crc32),
    /// Adler-32.
    Adler32(Adler32),
}

/// The sum of a whole file.
#[derive(Clone, Debug)]
pub(crate) enum Whole {
    /// A sum of all bytes as stored, and one that leaves out the checksums of the chunks, as early ScyllaDB made it.
    Sum {
        /// All bytes.
        all: Sum,
        /// All but the checksums of chunks.
        without: Sum,
    },
    /// SHA-1.
    Sha1(Sha1),
}

impl Sum {
    /// CRC32.
    pub(crate) fn crc32() -> Self {
        Self::Crc32(Crc32::default())
    }

    /// Adler-32.
    pub(crate) fn adler32() -> Self {
        Self::Adler32(Adler32::new())
    }

    /// Adds the next bytes.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Crc32(crc) => crc.update(bytes),
            Self::Adler32(adler) => adler.write_slice(bytes),
        }
    }

    /// The sum so far.
    pub(crate) fn finish(&self) -> u32 {
        match self {
            Self::Crc32(crc) => crc.finish(),
            Self::Adler32(adler) => adler.checksum(),
        }
    }
}

impl Whole {
    /// A sum of this kind.
    pub(crate) fn new(kind: DigestKind) -> Self {
        match kind {
            DigestKind::Crc32 => Self::Sum { all: Sum::crc32(), without: Sum::crc32() },
            DigestKind::Adler32 => Self::Sum { all: Sum::adler32(), without: Sum::adler32() },
            DigestKind::Sha1 => Self::Sha1(Sha1::new()),
        }
    }

    /// Adds the next bytes; `is_checksum` says that they are the checksum of a chunk.
    pub(crate) fn update(&mut self, bytes: &[u8], is_checksum: bool) {
        match self {
            // Files with CRC32 have one form only.
            Self::Sum { all: all @ Sum::Crc32(_), .. } => all.update(bytes),
            Self::Sum { all, without } => {
                all.update(bytes);
                if !is_checksum {
                    without.update(bytes);
                }
            }
            Self::Sha1(sha) => sha.update(bytes),
        }
    }

    /// The digests that a healthy file may have, as text; the usual one first.
    pub(crate) fn texts(&self) -> Vec<String> {
        match self {
            Self::Sum { all: Sum::Crc32(crc), .. } => vec![crc.finish().to_string()],
            Self::Sum { all, without } => {
                let mut texts = vec![all.finish().to_string(), without.finish().to_string()];
                texts.dedup();
                texts
            }
            Self::Sha1(sha) => {
                let mut text = String::with_capacity(40);
                for byte in sha.clone().finalize() {
                    _ = write!(text, "{byte:02x}");
                }
                vec![text]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(kind: DigestKind, pieces: &[(&[u8], bool)]) -> Vec<String> {
        let mut whole = Whole::new(kind);
        pieces.iter().for_each(|(bytes, is_checksum)| whole.update(bytes, *is_checksum));
        whole.texts()
    }

    #[test]
    fn sums_equal_the_known_ones_of_the_nine_digits() {
        let pieces: &[(&[u8], bool)] = &[(b"1234", false), (b"56789", false)];
        assert_eq!(texts(DigestKind::Crc32, pieces), [0xcbf4_3926_u32.to_string()]);
        assert_eq!(texts(DigestKind::Adler32, pieces), [0x091e_01de_u32.to_string()]);
        assert_eq!(texts(DigestKind::Sha1, pieces), ["f7c3bc1d808e04732adf679965ccc34ca7ae3441"]);
    }

    #[test]
    fn an_adler_sum_may_leave_out_the_checksums_of_chunks() {
        let pieces: &[(&[u8], bool)] = &[(b"1234", false), (b"sums", true), (b"56789", false)];
        let found = texts(DigestKind::Adler32, pieces);
        assert_eq!((found.len(), found[1].as_str()), (2, 0x091e_01de_u32.to_string().as_str()));
    }
}
