//! Data.db with a bit changed, for readers that know nothing of the change.

use crate::data::{DataReader, Layout};
use crate::meta::Compression;
use crate::patched::{Change, Patched};
use crate::source::Source;
use crate::table::{Part, Table};

/// Data.db of a table, perhaps with a change, to be read without comparing checksums.
pub(super) struct View<'t, S> {
    data: Patched<'t, S>,
    compressed: Option<(&'t Compression, Patched<'t, S>)>,
}

impl<'t, S: Source> View<'t, S> {
    /// `None` without a Data.db of which it is known how it is stored.
    pub(super) fn new(table: &'t Table<S>, change: Option<Change>) -> Option<Self> {
        let data = Patched::new(table.source(Part::Data)?, change);
        let compressed = match (&table.compression, table.source(Part::CompressionInfo)) {
            (Some(info), Some(source)) => Some((info, Patched::new(source, None))),
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
