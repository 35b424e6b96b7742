//! What the tests of the core in wasm32 share: a file that stands far up in a larger one.

use triescope_core::error::Error;
use triescope_core::pos::{FilePos, PAGE_SIZE, PageNo};
use triescope_core::source::Source;

/// The bytes of a file behind many pages that nobody may read: its first byte is at `base`.
#[derive(Clone, Copy, Debug)]
pub struct Lifted<'a> {
    /// Position of the first byte; a multiple of the page size.
    pub base: FilePos,
    /// The bytes.
    pub bytes: &'a [u8],
}

impl<'a> Source for Lifted<'a> {
    type Page = &'a [u8];

    fn len(&self) -> u64 {
        self.base.0 + Source::len(&self.bytes)
    }

    fn page(&self, no: PageNo) -> Result<&'a [u8], Error> {
        let below = self.base.0 / PAGE_SIZE;
        assert!(no.0 >= below, "page {no} was asked for, the file starts at page {below}");
        self.bytes.page(PageNo(no.0 - below))
    }
}
