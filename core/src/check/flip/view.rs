//! Data.db with a bit changed, for readers that know nothing of the change.

use crate::data::{DataReader, Layout};
use crate::error::Error;
use crate::meta::Compression;
use crate::pos::{FilePos, PageNo};
use crate::source::Source;
use crate::table::{Part, Table};
use std::ops::Deref;
use std::rc::Rc;

/// A bit that is changed: its byte, and the mask that changes it.
pub(super) type Change = (FilePos, u8);

/// A component with at most one byte changed.
pub(super) struct Patched<'t, S> {
    source: &'t S,
    change: Option<Change>,
}

/// A page, or a changed copy of one.
#[derive(Clone)]
pub(super) enum Page<P> {
    Same(P),
    Changed(Rc<[u8]>),
}

impl<P: Deref<Target = [u8]>> Deref for Page<P> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Same(page) => page,
            Self::Changed(page) => page,
        }
    }
}

impl<S: Source> Source for Patched<'_, S> {
    type Page = Page<S::Page>;

    fn len(&self) -> u64 {
        self.source.len()
    }

    fn page(&self, no: PageNo) -> Result<Self::Page, Error> {
        let page = self.source.page(no)?;
        let Some((at, mask)) = self.change.filter(|(at, _)| at.page() == no) else {
            return Ok(Page::Same(page));
        };
        let mut changed = page.to_vec();
        if let Some(byte) = changed.get_mut(at.in_page()) {
            *byte ^= mask;
        }
        Ok(Page::Changed(changed.into()))
    }

    fn expect(&self, from: FilePos, to: FilePos) -> Result<(), Error> {
        self.source.expect(from, to)
    }
}

/// Data.db of a table, perhaps with a change, to be read without comparing checksums.
pub(super) struct View<'t, S> {
    data: Patched<'t, S>,
    compressed: Option<(&'t Compression, Patched<'t, S>)>,
}

impl<'t, S: Source> View<'t, S> {
    /// `None` without a Data.db of which it is known how it is stored.
    pub(super) fn new(table: &'t Table<S>, change: Option<Change>) -> Option<Self> {
        let data = Patched { source: table.source(Part::Data)?, change };
        let compressed = match (&table.compression, table.source(Part::CompressionInfo)) {
            (Some(info), Some(source)) => Some((info, Patched { source, change: None })),
            (None, None) => None,
            _ => return None,
        };
        Some(Self { data, compressed })
    }

    /// A reader of it.
    pub(super) fn reader(&self) -> DataReader<'_, Patched<'t, S>> {
        let layout = match &self.compressed {
            Some((info, offsets)) => Layout::Compressed { info, offsets },
            None => Layout::Plain { crc: None },
        };
        DataReader::new(&self.data, layout).streaming_unverified()
    }
}
