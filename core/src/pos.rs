//! Positions, pages and tokens as types of their own, and the only place where file positions meet memory indices.
//!
//! File positions are `u64` (wasm32 has 32-bit `usize`, files may exceed 4 GiB); memory indices are `usize`.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Bytes in a page: the unit in which both databases read their indexes.
pub const PAGE_SIZE: u64 = 4096;
/// [`PAGE_SIZE`] as a memory size.
pub const PAGE_BYTES: usize = 4096;

/// Bytes from the start of an index or metadata file.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct FilePos(pub u64);

/// Bytes from the start of the *uncompressed* stream of Data.db.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct DataPos(pub u64);

/// Number of an aligned 4096-byte page of a file, from 0.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct PageNo(pub u64);

impl FilePos {
    /// The page that holds this byte.
    #[inline]
    pub const fn page(self) -> PageNo {
        PageNo(self.0 / PAGE_SIZE)
    }

    /// Bytes from the start of that page, 0..4096.
    #[inline]
    pub const fn in_page(self) -> usize {
        (self.0 % PAGE_SIZE) as usize
    }

    /// The position `bytes` further on, or `None` past the end of what a `u64` can address.
    #[inline]
    pub fn after(self, bytes: u64) -> Option<Self> {
        self.0.checked_add(bytes).map(Self)
    }

    /// The position `bytes` back, or `None` before the start of the file.
    #[inline]
    pub fn before(self, bytes: u64) -> Option<Self> {
        self.0.checked_sub(bytes).map(Self)
    }
}

impl PageNo {
    /// Position of the page's first byte. Saturates, since a page number may come from a damaged pointer.
    #[inline]
    pub const fn start(self) -> FilePos {
        FilePos(self.0.saturating_mul(PAGE_SIZE))
    }
}

impl fmt::Display for FilePos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for DataPos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for PageNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Number of pages that `len` bytes occupy, the last one perhaps shorter.
pub const fn pages_of(len: u64) -> u64 {
    len.div_ceil(PAGE_SIZE)
}

/// A length in a file as a memory size, where memory can hold it.
#[inline]
pub fn mem(len: u64) -> Option<usize> {
    usize::try_from(len).ok()
}

/// A memory size as a length in a file. Never loses anything: `usize` has at most 64 bits.
#[inline]
pub const fn len64(len: usize) -> u64 {
    len as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_knows_its_page_also_above_4_gib() {
        let at = FilePos((1 << 32) + 5000);
        assert_eq!(at.page(), PageNo((1 << 20) + 1));
        assert_eq!(at.in_page(), 904);
        assert_eq!(at.page().start(), FilePos((1 << 32) + 4096));
    }

    #[test]
    fn positions_do_not_wrap() {
        assert_eq!(FilePos(3).before(4), None);
        assert_eq!(FilePos(u64::MAX).after(1), None);
    }
}
