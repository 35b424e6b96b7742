//! Where bytes come from: aligned pages on demand, and the one place where page requests are recorded.
//!
//! A [`Source`] is one component of an SSTable. It hands out 4096-byte pages (the last one shorter) or says which range
//! is missing. Everything that is *counted* goes through [`Pages`]; what opening a table reads, and what the worker reads
//! ahead, does not.

use crate::error::{Error, Miss, ReadError};
use crate::lookup::Observer;
use crate::pos::{FilePos, PAGE_BYTES, PAGE_SIZE, PageNo, len64, mem};
use crate::table::Part;
use std::ops::Deref;

/// One component of an SSTable, read in pages.
pub trait Source {
    /// A page: a borrowed slice natively, a counted one in the worker.
    type Page: Deref<Target = [u8]> + Clone;

    /// Length of the file in bytes.
    fn len(&self) -> u64;

    /// Whether the file has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The page `no`: 4096 bytes, the last one of the file shorter. The caller asks for pages inside the file only; past
    /// the end the page is empty.
    fn page(&self, no: PageNo) -> Result<Self::Page, Error>;

    /// Says that `from..to` will be read next, so that a source that must fetch can miss once for the whole range.
    fn expect(&self, _from: FilePos, _to: FilePos) -> Result<(), Error> {
        Ok(())
    }
}

impl<'a> Source for &'a [u8] {
    type Page = &'a [u8];

    #[inline]
    fn len(&self) -> u64 {
        len64(<[u8]>::len(self))
    }

    #[inline]
    fn page(&self, no: PageNo) -> Result<&'a [u8], Error> {
        let from = mem(no.start().0).unwrap_or(usize::MAX).min(<[u8]>::len(self));
        let to = from.saturating_add(PAGE_BYTES).min(<[u8]>::len(self));
        Ok(self.get(from..to).unwrap_or(&[]))
    }
}

/// A [`Miss`] for a range of a part, as an error.
#[cold]
pub fn miss(part: Part, from: FilePos, to: FilePos) -> Error {
    Error::Miss(Miss { part, from, to })
}

/// Reads `len` bytes at `at` without recording anything: for what opening reads, and for Data.db.
/// The range must lie in the file; `field` names it when it does not.
pub fn read_range<S: Source>(
    part: Part,
    source: &S,
    at: FilePos,
    len: u64,
    field: &'static str,
) -> Result<Vec<u8>, Error> {
    let left = source.len().saturating_sub(at.0);
    let end = match at.after(len) {
        Some(end) if len <= left => end,
        _ => return Err(ReadError::truncated(part, at, field, len, left).into()),
    };
    source.expect(at, end)?;
    let mut bytes = Vec::with_capacity(mem(len).unwrap_or(0));
    let mut pos = at;
    while pos < end {
        let page = source.page(pos.page())?;
        let to = mem(end.0 - pos.page().start().0).unwrap_or(PAGE_BYTES).min(page.len());
        let slice = page.get(pos.in_page()..to).unwrap_or(&[]);
        if slice.is_empty() {
            return Err(ReadError::truncated(part, pos, field, end.0 - pos.0, 0).into());
        }
        bytes.extend_from_slice(slice);
        pos = FilePos(pos.0 + len64(slice.len()));
    }
    Ok(bytes)
}

/// Hands out pages of one component to a walk and tells the observer each time the walk turns to another page.
///
/// This is the only place where page requests are recorded; fetches are counted from that record.
pub struct Pages<'a, S: Source, O: Observer> {
    part: Part,
    source: &'a S,
    observer: &'a mut O,
    here: Option<(PageNo, S::Page)>,
}

impl<'a, S: Source, O: Observer> Pages<'a, S, O> {
    /// A walk over `source`, which is `part`; no page is open.
    #[inline]
    pub fn new(part: Part, source: &'a S, observer: &'a mut O) -> Self {
        Self { part, source, observer, here: None }
    }

    /// The component.
    #[inline]
    pub fn part(&self) -> Part {
        self.part
    }

    /// Length of the component in bytes.
    #[inline]
    pub fn len(&self) -> u64 {
        self.source.len()
    }

    /// Whether the component has no bytes.
    pub fn is_empty(&self) -> bool {
        self.source.is_empty()
    }

    /// The observer, for steps that are not page requests.
    #[inline]
    pub fn observer(&mut self) -> &mut O {
        self.observer
    }

    /// Says that a range will be read next (see [`Source::expect`]); nothing is recorded.
    pub fn expect(&mut self, from: FilePos, to: FilePos) -> Result<(), Error> {
        self.source.expect(from, to)
    }

    /// Whether the walk stands in this page: asking for it would be no new request.
    pub fn stands_in(&self, no: PageNo) -> bool {
        matches!(&self.here, Some((here, _)) if *here == no)
    }

    /// The page `no`. A request is recorded when the walk stood in another page, or in none.
    #[inline]
    pub fn page(&mut self, no: PageNo) -> Result<&S::Page, Error> {
        if !self.stands_in(no) {
            let page = self.source.page(no)?;
            self.observer.request(self.part, no, len64(page.len()));
            self.here = Some((no, page));
        }
        match &self.here {
            Some((_, page)) => Ok(page),
            None => Err(ReadError::truncated(self.part, no.start(), "page", PAGE_SIZE, 0).into()),
        }
    }

    /// Copies `len` bytes at `at`, over as many pages as they span. The range must lie in the file.
    pub fn read(
        &mut self,
        at: FilePos,
        len: usize,
        field: &'static str,
        into: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let left = self.source.len().saturating_sub(at.0);
        if len64(len) > left {
            return Err(ReadError::truncated(self.part, at, field, len64(len), left).into());
        }
        let (mut pos, mut missing) = (at, len);
        while missing > 0 {
            let page = self.page(pos.page())?;
            let rest = page.get(pos.in_page()..).unwrap_or(&[]);
            let slice = rest.get(..missing).unwrap_or(rest);
            if slice.is_empty() {
                return Err(ReadError::truncated(self.part, pos, field, len64(missing), 0).into());
            }
            into.extend_from_slice(slice);
            missing -= slice.len();
            pos = FilePos(pos.0 + len64(slice.len()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lookup::Observer;

    #[derive(Default)]
    struct Requests(Vec<u64>);
    impl Observer for Requests {
        fn request(&mut self, _: Part, page: PageNo, _: u64) {
            self.0.push(page.0);
        }
    }

    #[test]
    fn turning_to_another_page_is_a_request_and_staying_is_none() {
        let file = vec![7u8; 10_000];
        let (source, mut seen) = (file.as_slice(), Requests::default());
        let mut pages = Pages::new(Part::Index, &source, &mut seen);
        let mut bytes = Vec::new();
        pages.read(FilePos(4000), 200, "x", &mut bytes).unwrap();
        pages.read(FilePos(4200), 10, "x", &mut bytes).unwrap();
        pages.read(FilePos(9990), 10, "x", &mut bytes).unwrap();
        pages.read(FilePos(0), 1, "x", &mut bytes).unwrap();
        assert_eq!(bytes.len(), 221);
        assert!(pages.read(FilePos(9990), 11, "x", &mut bytes).is_err());
        assert_eq!(seen.0, [0, 1, 2, 0]);
    }
}
