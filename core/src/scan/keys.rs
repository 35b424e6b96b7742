//! The keys of partitions that a trie names by prefixes only: from Rows.db and Data.db.

use super::trie::FoundLeaf;
use super::{FoundKey, Partition, RowIndexed};
use crate::bti::RowEntry;
use crate::data::DataReader;
use crate::error::{Error, ReadError};
use crate::lookup::LeafTarget;
use crate::pos::{DataPos, FilePos};
use crate::source::{Pages, Source};
use crate::table::{Part, Table};

/// Reads keys where leaves point to.
pub(super) struct Keys<'a, S: Source> {
    table: &'a Table<S>,
    data: Option<DataReader<'a, S>>,
}

impl<'a, S: Source> Keys<'a, S> {
    pub(super) fn new(table: &'a Table<S>) -> Self {
        Self { table, data: table.data_reader().ok().map(DataReader::streaming) }
    }

    /// The partition of a leaf. Damage outside the trie leaves the prefix.
    pub(super) fn resolve(&mut self, found: &FoundLeaf) -> Result<Partition, Error> {
        let (rows, read) = match found.leaf.target() {
            LeafTarget::Data(at) => (RowIndexed::No, self.in_data(at).map(|key| (key, Some(at)))),
            LeafTarget::Rows(at) => (RowIndexed::Entry(at), self.in_rows(at)),
        };
        let (key, data, problem) = match read {
            Ok((key, data)) => (key, data, None),
            Err(Error::Damage(error)) => {
                let data = match found.leaf.target() {
                    LeafTarget::Data(at) => Some(at),
                    LeafTarget::Rows(_) => None,
                };
                (None, data, Some(error))
            }
            Err(miss) => return Err(miss),
        };
        Ok(Partition {
            key: key.map_or_else(|| FoundKey::Prefix(found.prefix.clone()), FoundKey::Whole),
            data,
            at: found.leaf.at,
            rows,
            certain: true,
            problem,
        })
    }

    /// The key at a position of Data.db, `None` where that is not here or not decoded.
    fn in_data(&mut self, at: DataPos) -> Result<Option<Vec<u8>>, Error> {
        match &mut self.data {
            Some(data) => data.key(at).map(|(key, _)| Some(key)),
            None => Ok(None),
        }
    }

    /// The key and the position in an entry of Rows.db.
    fn in_rows(&self, at: FilePos) -> Result<(Option<Vec<u8>>, Option<DataPos>), Error> {
        let Some(source) = self.table.source(Part::Rows) else { return Ok((None, None)) };
        if at.0 >= source.len() {
            let most = format!("at most {}", source.len().saturating_sub(1));
            return Err(ReadError::out_of_range(Part::Rows, at, "entry", most, at.0).into());
        }
        let mut unheard = ();
        let entry = RowEntry::read(&mut Pages::new(Part::Rows, source, &mut unheard), at)?;
        Ok((Some(entry.key), Some(entry.data)))
    }
}
