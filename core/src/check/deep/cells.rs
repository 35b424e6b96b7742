//! A walk over Data.db, by rows or, in `ka` and `la`, by cells. Of the latter only partitions are compared: their promoted
//! index and their cells have no types.

use super::rows::Listener;
use crate::data::raw::RawPartition;
use crate::data::walk::Walk;
use crate::data::{AtomItem, Atoms, DataReader};
use crate::error::Error;
use crate::pos::DataPos;
use crate::source::Source;

/// A walk from partition to partition.
#[derive(Debug)]
pub(super) enum Walker {
    Rows(Walk),
    Cells(Atoms),
}

impl Walker {
    /// Position of what comes next.
    pub(super) fn at(&self) -> DataPos {
        match self {
            Self::Rows(walk) => walk.at(),
            Self::Cells(atoms) => atoms.at(),
        }
    }

    /// The partition that the walk is in.
    pub(super) fn partition(&self) -> Option<DataPos> {
        match self {
            Self::Rows(walk) => walk.partition(),
            Self::Cells(atoms) => atoms.partition(),
        }
    }

    /// Goes on from the partition at `to`.
    pub(super) fn seek(&mut self, to: DataPos) {
        match self {
            Self::Rows(walk) => *walk = Walk::new(to),
            Self::Cells(atoms) => atoms.seek(to),
        }
    }

    /// Goes on until the listener has enough (`false`) or the data ends (`true`).
    pub(super) fn run<S: Source>(
        &mut self,
        reader: &mut DataReader<'_, S>,
        listener: &mut Listener<'_, '_>,
    ) -> Result<bool, Error> {
        let atoms = match self {
            Self::Rows(walk) => return walk.run(listener.context.format, reader, listener),
            Self::Cells(atoms) => atoms,
        };
        while let Some(item) = atoms.next(reader)? {
            let at = atoms.at().0;
            if let AtomItem::Partition(head) = &item {
                let (key, deletion) = (head.key.as_slice(), head.deletion);
                let raw = RawPartition { at: head.at.0, end: at, key, deletion };
                listener.reading.begin(listener.context, &raw);
            }
            listener.reading.at = at;
            if !listener.goes_on() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
