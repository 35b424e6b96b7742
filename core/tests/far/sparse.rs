//! A file of which only some stretches hold anything; all else is zeros that take no memory. It may be longer than memory,
//! and longer than 32 bits can count.

use std::collections::BTreeMap;
use std::rc::Rc;
use triescope_core::error::Error;
use triescope_core::pos::{PAGE_BYTES, PageNo};
use triescope_core::source::Source;

/// The file.
#[derive(Clone, Debug)]
pub struct Sparse {
    len: u64,
    pages: BTreeMap<u64, Rc<[u8]>>,
    zeros: Rc<[u8]>,
}

impl Sparse {
    /// A file of so many zeros.
    pub fn new(len: u64) -> Self {
        Self { len, pages: BTreeMap::new(), zeros: Rc::from(vec![0; PAGE_BYTES]) }
    }

    /// A file that ends with these bytes, which begin at `at`.
    pub fn ending(at: u64, bytes: &[u8]) -> Self {
        Self::new(at + bytes.len() as u64).with(at, bytes)
    }

    /// With these bytes at `at`.
    pub fn with(mut self, at: u64, bytes: &[u8]) -> Self {
        for (at, byte) in (at..).zip(bytes) {
            let no = at / PAGE_BYTES as u64;
            let page = self.pages.entry(no).or_insert_with(|| self.zeros.clone());
            let in_page = usize::try_from(at % PAGE_BYTES as u64).unwrap();
            Rc::make_mut(page)[in_page] = *byte;
        }
        self
    }
}

impl Source for Sparse {
    type Page = Page;

    fn len(&self) -> u64 {
        self.len
    }

    fn page(&self, no: PageNo) -> Result<Page, Error> {
        let bytes = self.pages.get(&no.0).unwrap_or(&self.zeros).clone();
        let left = self.len.saturating_sub(no.start().0).min(PAGE_BYTES as u64);
        Ok(Page { bytes, len: usize::try_from(left).unwrap() })
    }
}

/// A page, the last one of a file shorter.
#[derive(Clone, Debug)]
pub struct Page {
    bytes: Rc<[u8]>,
    len: usize,
}

impl std::ops::Deref for Page {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}
