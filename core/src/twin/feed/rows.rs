//! Partitions from Data.db alone: keys as they lie there, and blocks formed again.

use super::{Context, Got, Head, Tail};
use crate::error::{Error, ReadError};
use crate::pos::{DataPos, FilePos};
use crate::source::Source;
use crate::table::Part;
use crate::twin::former::{Formed, Former, TwinBlock, Until};

/// A walk over Data.db.
#[derive(Debug)]
pub(in crate::twin) struct RowFeed {
    block_bytes: u64,
    /// Position of the next partition.
    at: u64,
    /// The partition that is read: at its first row, and where it is.
    walk: Option<(Former, Former)>,
    last: u64,
}

impl RowFeed {
    pub(super) fn new(block_bytes: u64) -> Self {
        Self { block_bytes, at: 0, walk: None, last: 0 }
    }

    pub(super) fn at(&self) -> DataPos {
        self.walk.as_ref().map_or(DataPos(self.at), |(_, walk)| walk.at())
    }

    pub(super) fn next<S: Source>(
        &mut self,
        context: &mut Context<'_, S>,
    ) -> Result<Option<Head>, Error> {
        let (Some(reader), Some(format)) = (&mut context.data, context.format) else {
            return Err(no_data(self.at));
        };
        if self.at >= reader.len() {
            return Ok(None);
        }
        let data = DataPos(self.at);
        let (key, deletion, rows) = reader.partition_head(format.rows(), data)?;
        let walk = Former::new(data, rows);
        self.walk = Some((walk.clone(), walk));
        Ok(Some(Head { key, data, deletion, named: (Part::Data, FilePos(data.0)) }))
    }

    pub(super) fn block<S: Source>(
        &mut self,
        context: &mut Context<'_, S>,
    ) -> Result<Got<TwinBlock>, Error> {
        let (Some(reader), Some(format), Some((_, walk))) =
            (&mut context.data, context.format, &mut self.walk)
        else {
            return Err(no_data(self.at));
        };
        let until = Until::Bytes(self.block_bytes);
        let (sizes, budget) = (&mut context.notes.sizes, &mut context.budget);
        match walk.run(reader, format, until, sizes, budget)? {
            Formed::Block(block) => Ok(Got::One(block)),
            Formed::Spent => Ok(Got::Spent),
            Formed::End(last) => {
                self.last = last;
                // Behind the byte that ends the partition.
                self.at = walk.at().0.saturating_add(1);
                Ok(Got::End)
            }
        }
    }

    pub(super) fn tail(&self) -> Tail {
        Tail { last: self.last, ..Tail::default() }
    }

    pub(super) fn rewind(&mut self) {
        if let Some((first, walk)) = &mut self.walk {
            *walk = first.clone();
        }
    }
}

/// The plan said that Data.db can be read, so this is not met.
#[cold]
pub(super) fn no_data(at: u64) -> Error {
    let (expected, found) = ("a file whose rows can be read", "none");
    ReadError::unexpected(Part::Data, FilePos(at), "file", expected, found).into()
}
