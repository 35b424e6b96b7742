//! A component with a byte changed in memory: the file stays as it is, and only the page with the byte is copied.

use crate::error::{Error, Miss};
use crate::pos::{FilePos, PageNo};
use crate::source::Source;
use crate::table::{Part, Table};
use std::ops::Deref;
use std::rc::Rc;

/// Bits that are changed: their byte, and the mask that changes them.
pub type Change = (FilePos, u8);

/// A component with at most one byte changed.
#[derive(Clone, Copy, Debug)]
pub struct Patched<'t, S> {
    source: &'t S,
    change: Option<Change>,
}

impl<'t, S> Patched<'t, S> {
    /// `source` with `change`.
    pub const fn new(source: &'t S, change: Option<Change>) -> Self {
        Self { source, change }
    }
}

/// A page, or a changed copy of one.
#[derive(Clone, Debug)]
pub enum PatchedPage<P> {
    /// As it is in the file.
    Same(P),
    /// With the change.
    Changed(Rc<[u8]>),
}

impl<P: Deref<Target = [u8]>> Deref for PatchedPage<P> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Same(page) => page,
            Self::Changed(page) => page,
        }
    }
}

impl<S: Source> Source for Patched<'_, S> {
    type Page = PatchedPage<S::Page>;

    fn len(&self) -> u64 {
        self.source.len()
    }

    fn page(&self, no: PageNo) -> Result<Self::Page, Error> {
        let page = self.source.page(no)?;
        let Some((at, mask)) = self.change.filter(|(at, _)| at.page() == no) else {
            return Ok(PatchedPage::Same(page));
        };
        let mut changed = page.to_vec();
        if let Some(byte) = changed.get_mut(at.in_page()) {
            *byte ^= mask;
        }
        Ok(PatchedPage::Changed(changed.into()))
    }

    fn expect(&self, from: FilePos, to: FilePos) -> Result<(), Error> {
        self.source.expect(from, to)
    }
}

impl<S: Source> Table<S> {
    /// The same SSTable with a byte of a component changed, opened anew: heads and ends may read otherwise.
    ///
    /// # Errors
    /// A miss: bytes that opening reads are not here yet.
    pub fn patched(&self, part: Part, change: Change) -> Result<Table<Patched<'_, S>>, Miss> {
        let sources = Part::ALL.into_iter().filter_map(|it| {
            let change = (it == part).then_some(change);
            Some((it, Patched::new(self.source(it)?, change)))
        });
        Table::open(self.set.clone(), sources)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_byte_differs_and_the_rest_does_not() {
        let file = vec![7_u8; 10_000];
        let source: &[u8] = &file;
        let patched = Patched::new(&source, Some((FilePos(5_000), 0x08)));
        let read = |no| patched.page(PageNo(no)).unwrap().to_vec();
        assert_eq!((read(0), read(2)), (file[..4096].to_vec(), file[8192..].to_vec()));
        let page = read(1);
        let differ: Vec<usize> = (0..page.len()).filter(|i| page[*i] != 7).collect();
        assert_eq!((differ, page[904]), (vec![904], 0x0f));
        assert!(read(3).is_empty(), "behind the end is nothing");
        assert_eq!(Patched::new(&source, None).page(PageNo(1)).unwrap()[904], 7);
        let behind = Patched::new(&source, Some((FilePos(20_000), 1)));
        assert_eq!(*behind.page(PageNo(2)).unwrap(), file[8192..]);
    }
}
