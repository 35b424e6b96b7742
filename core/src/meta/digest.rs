//! The digest file: a checksum of Data.db (`docs/format/files.md`).

use super::{read_whole, text};
use crate::error::{Error, ReadError};
use crate::limits;
use crate::pos::FilePos;
use crate::source::Source;
use crate::table::Part;

/// What a digest file says of Data.db.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// The algorithm, from the file's name and contents.
    pub kind: DigestKind,
    /// The digest as it stands there: a decimal number, or hex digits for SHA-1.
    pub text: String,
}

/// The algorithm of a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DigestKind {
    /// CRC32 of all bytes of Data.db as stored; `m*` and later.
    Crc32,
    /// Adler-32, in `ka` and `la`, also in files called `Digest.sha1`: of all bytes as stored, or of all but the checksums
    /// behind compressed chunks. Both are known, and nothing tells which it is.
    Adler32,
    /// SHA-1 of all bytes as stored, before `ka`.
    Sha1,
}

impl Digest {
    /// Reads the file whole (`limits::DIGEST_BYTES`); `component` is its word in the name, `Digest.crc32`.
    pub fn read<S: Source>(component: &str, source: &S) -> Result<Self, Error> {
        let text = text(&read_whole(Part::Digest, source, limits::DIGEST_BYTES)?);
        // Cassandra 2.0 wrote the name of the data file behind the digest.
        let text = text.split_whitespace().next().unwrap_or("").to_owned();
        let is_number = text.parse::<u32>().is_ok();
        let is_hex = text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let (kind, expected) = match (component, is_number, is_hex) {
            // Cassandra 2.1 turned to Adler-32 and kept the name; ScyllaDB did the same in `la`.
            ("Digest.sha1", true, _) => (Some(DigestKind::Adler32), ""),
            ("Digest.sha1", _, true) => (Some(DigestKind::Sha1), ""),
            ("Digest.sha1", ..) => (None, "40 hex digits, or a decimal number of 32 bits"),
            ("Digest.adler32", true, _) => (Some(DigestKind::Adler32), ""),
            (_, true, _) => (Some(DigestKind::Crc32), ""),
            _ => (None, "a decimal number of 32 bits"),
        };
        let Some(kind) = kind else {
            let found = if text.is_empty() { "nothing".to_owned() } else { text };
            return Err(
                ReadError::unexpected(Part::Digest, FilePos(0), "digest", expected, found).into()
            );
        };
        Ok(Self { kind, text })
    }

    /// The value of a CRC32 or Adler-32 digest.
    pub fn value(&self) -> Option<u32> {
        match self.kind {
            DigestKind::Sha1 => None,
            _ => self.text.parse().ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_a_decimal_number_or_hex_digits() {
        let read = |name, text: &str| Digest::read(name, &text.as_bytes());
        assert_eq!(read("Digest.crc32", "2974575252").unwrap().value(), Some(2_974_575_252));
        assert_eq!(read("Digest.adler32", "7\n").unwrap().kind, DigestKind::Adler32);
        let sha1 = read("Digest.sha1", "da39a3ee5e6b4b0d3255bfef95601890afd80709  x-Data.db");
        let sha1 = sha1.unwrap();
        assert_eq!((sha1.kind, sha1.text.len(), sha1.value()), (DigestKind::Sha1, 40, None));
        let adler = read("Digest.sha1", "4153355033").unwrap();
        assert_eq!((adler.kind, adler.value()), (DigestKind::Adler32, Some(4_153_355_033)));
        assert!(read("Digest.sha1", "da39a3ee5e6b4b0d").is_err());
        for bad in ["", "-1", "4294967296", "crc"] {
            assert!(read("Digest.crc32", bad).is_err(), "{bad}");
        }
    }
}
