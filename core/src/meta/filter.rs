//! Filter.db: the Bloom filter of the partition keys, read one word at a time (`docs/format/filter.md`).

use crate::cursor::Cursor;
use crate::error::{Error, ReadError};
use crate::keys::Hash;
use crate::lookup::FilterBit;
use crate::pos::FilePos;
use crate::source::{Source, read_range};
use crate::table::{FilterDoubt, FilterFormat, Part, Version};

/// Bytes before the first word.
const HEAD_BYTES: u64 = 8;
/// Greatest number of hash functions that is believed; the databases use at most 20.
const MAX_HASHES: u32 = 64;

/// The head of Filter.db.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilterHeader {
    /// Number of hash functions: bits tested a key.
    pub hashes: u32,
    /// Number of 64-bit words.
    pub words: u64,
    /// Whether each word is stored with its highest byte first: versions before `na`, and all of ScyllaDB.
    big_endian_words: bool,
    /// Whether the first word of a key's hash is the base, and not the step: versions before `ma`.
    is_base_first: bool,
}

/// A bit that is not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClearBit {
    /// Its index.
    pub bit: u64,
    /// Position of its word in the file.
    pub at: FilePos,
}

/// Position of the word that holds a bit.
fn word_at(bit: u64) -> FilePos {
    FilePos(HEAD_BYTES + bit / 64 * 8)
}

impl FilterHeader {
    /// Reads the head and compares it with the length of the file.
    pub fn read<S: Source>(version: Version, source: &S) -> Result<Self, Error> {
        let head = read_range(Part::Filter, source, FilePos(0), HEAD_BYTES, "filter header")?;
        let mut cursor = Cursor::new(Part::Filter, FilePos(0), &head);
        let before = cursor.clone();
        let hashes = cursor.u32("hash count")?;
        if !(1..=MAX_HASHES).contains(&hashes) {
            return Err(before.error("hash count", "1 to 64", i128::from(hashes)));
        }
        let before = cursor.clone();
        let words = u64::from(cursor.u32("word count")?);
        if words == 0 {
            return Err(before.error("word count", "at least 1", 0));
        }
        let left = source.len().saturating_sub(HEAD_BYTES);
        if words * 8 > left {
            let at = FilePos(HEAD_BYTES);
            return Err(ReadError::truncated(Part::Filter, at, "words", words * 8, left).into());
        }
        let FilterFormat { has_bytes, is_base_first, .. } = version.formats().filter;
        Ok(Self { hashes, words, big_endian_words: !has_bytes, is_base_first })
    }

    /// Settles what the letters of the version leave open ([`FilterDoubt`]): the order of the bytes in `na`, the base in `la`.
    /// `keys` are hashes of keys that certainly are in the SSTable, so the filter must not deny them.
    pub fn settle_order<S: Source>(
        self,
        version: Version,
        source: &S,
        keys: &[Hash],
    ) -> Result<Self, Error> {
        let other = match version.formats().filter.doubt {
            None => return Ok(self),
            Some(FilterDoubt::Bytes) => Self { big_endian_words: !self.big_endian_words, ..self },
            Some(FilterDoubt::Base) => Self { is_base_first: !self.is_base_first, ..self },
        };
        let knows_all = |filter: &Self| -> Result<bool, Error> {
            for key in keys {
                if filter.test(source, *key)?.iter().any(|bit| !bit.set) {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        Ok(if !knows_all(&self)? && knows_all(&other)? { other } else { self })
    }

    /// Of a filter that is to be written. `words` is at least 1.
    pub(super) fn new(version: Version, hashes: u32, words: u64) -> Self {
        let FilterFormat { has_bytes, is_base_first, .. } = version.formats().filter;
        Self { hashes, words: words.max(1), big_endian_words: !has_bytes, is_base_first }
    }

    /// The byte behind the head in which a bit lies.
    pub(super) fn byte_of(&self, bit: u64) -> Option<u64> {
        let byte = bit / 8;
        // Of a word with its highest byte first, the lowest byte is the last.
        Some(if self.big_endian_words { byte / 8 * 8 + 7 - byte % 8 } else { byte })
    }

    /// Whether the bits are stored as words with their highest byte first; else as bytes.
    pub fn has_words(&self) -> bool {
        self.big_endian_words
    }

    /// Bits in the filter.
    pub fn bits(&self) -> u64 {
        self.words * 64
    }

    /// The bits that belong to a key, in the order in which they are tested.
    pub fn indexes(&self, hash: Hash) -> impl Iterator<Item = u64> + use<> {
        let bits = self.bits();
        let (mut base, step) =
            if self.is_base_first { (hash.h1, hash.h2) } else { (hash.h2, hash.h1) };
        (0..self.hashes).map(move |_| {
            let index = base.cast_signed().unsigned_abs() % bits;
            // Wrapping is how both databases add.
            base = base.wrapping_add(step);
            index
        })
    }

    /// Tests the bits of a key and stops at the first that is not set, as a database does. The key may be in the SSTable
    /// when all are set.
    pub fn test<S: Source>(&self, source: &S, hash: Hash) -> Result<Vec<FilterBit>, Error> {
        let mut tested = Vec::new();
        for bit in self.indexes(hash) {
            let set = self.bit(source, bit)?;
            tested.push(FilterBit { bit, set });
            if !set {
                break;
            }
        }
        Ok(tested)
    }

    /// The first bit of a key that is not set, `None` when the key may be in the SSTable. Nothing is recorded.
    pub fn denying<S: Source>(&self, source: &S, hash: Hash) -> Result<Option<ClearBit>, Error> {
        for bit in self.indexes(hash) {
            if !self.bit(source, bit)? {
                return Ok(Some(ClearBit { bit, at: word_at(bit) }));
            }
        }
        Ok(None)
    }

    fn bit<S: Source>(&self, source: &S, bit: u64) -> Result<bool, Error> {
        let at = word_at(bit);
        // A page holds whole words, since the head has the size of one.
        let page = source.page(at.page())?;
        let Some(word) = page.get(at.in_page()..).and_then(|rest| rest.first_chunk()) else {
            return Err(ReadError::truncated(Part::Filter, at, "word", 8, 0).into());
        };
        let word = if self.big_endian_words {
            u64::from_be_bytes(*word)
        } else {
            u64::from_le_bytes(*word)
        };
        Ok(word >> (bit % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::murmur3;

    const FILTER: &[u8] = &[
        0, 0, 0, 2, // two hash functions
        0, 0, 0, 1, // one word
        0x80, 0, 0, 0, 0, 0, 0, 0x02,
    ];

    fn header(version: &[u8]) -> FilterHeader {
        FilterHeader::read(Version::new(version).unwrap(), &FILTER).unwrap()
    }

    #[test]
    fn words_are_big_endian_before_na_and_in_scylladb_and_bytes_after() {
        let set = |version: &[u8]| {
            let header = header(version);
            (0..64).filter(|bit| header.bit(&FILTER, *bit).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(set(b"mc"), [1, 63]);
        assert_eq!(set(b"ms"), [1, 63]);
        assert_eq!(set(b"na"), [7, 57]);
        assert_eq!(set(b"da"), [7, 57]);
    }

    #[test]
    fn the_second_hash_word_is_the_base_and_the_first_the_step() {
        let header =
            FilterHeader { hashes: 3, words: 2, big_endian_words: true, is_base_first: false };
        let hash = Hash { h1: 5, h2: (-130i64).cast_unsigned() };
        assert_eq!(header.indexes(hash).collect::<Vec<_>>(), [2, 125, 120]);
        let older = FilterHeader { is_base_first: true, ..header };
        assert_eq!(older.indexes(hash).collect::<Vec<_>>(), [5, 125, 127]);
        let least = Hash { h1: 0, h2: i64::MIN.cast_unsigned() };
        assert_eq!(header.indexes(least).next(), Some(0));
    }

    #[test]
    fn testing_stops_at_the_first_bit_that_is_not_set() {
        let tested = header(b"mc").test(&FILTER, murmur3(b"key")).unwrap();
        assert_eq!(tested.iter().filter(|bit| !bit.set).count(), 1);
        assert!(!tested.last().unwrap().set);
    }

    #[test]
    fn a_filter_cut_at_every_length_is_reported() {
        let version = Version::new(b"da").unwrap();
        for cut in 0..FILTER.len() {
            let error = FilterHeader::read(version, &&FILTER[..cut]).unwrap_err();
            assert!(matches!(error, Error::Damage(_)), "{cut}");
        }
    }

    #[test]
    fn a_text_file_is_no_filter() {
        let error = FilterHeader::read(Version::new(b"da").unwrap(), &&b"some text"[..]);
        assert_eq!(
            error.unwrap_err().to_string(),
            "Filter.db, offset 0 (page 0 + 0), hash count: expected 1 to 64, found 1936682341"
        );
    }
}
