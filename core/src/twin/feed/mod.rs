//! Where a twin's partitions come from: one after the other, each with its blocks, by three ways.
//!
//! Every call may miss and is then made again: what was read before stays.

mod legacy;
mod rows;
mod trie;

use self::legacy::LegacyFeed;
use self::rows::RowFeed;
use self::trie::TrieFeed;
use super::former::{Sizes, TwinBlock};
use super::{BuiltFrom, Progress};
use crate::data::{DataFormat, DataReader, Deletion};
use crate::error::Error;
use crate::pos::{DataPos, FilePos};
use crate::source::Source;
use crate::table::{Part, Table};

/// A partition, before its blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// Its serialized key.
    pub key: Vec<u8>,
    /// Its position in Data.db.
    pub data: DataPos,
    /// Its deletion, where it may have blocks.
    pub deletion: Option<Deletion>,
    /// Where the source names it: for what is to be said of it.
    pub named: (Part, FilePos),
}

impl Default for Head {
    fn default() -> Self {
        let named = (Part::Data, FilePos(0));
        Self { key: Vec::new(), data: DataPos(0), deletion: None, named }
    }
}

/// The end of a partition with blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tail {
    /// Its last byte, from its start.
    pub last: u64,
    /// The separator behind its last block, where the source has one.
    pub separator: Option<Vec<u8>>,
    /// Widths are those of a promoted index, that of the last block as it stands there.
    pub keeps_widths: bool,
}

/// What comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Got<T> {
    /// This.
    One(T),
    /// Nothing.
    End,
    /// The budget is spent.
    Spent,
}

/// What a step of work works with.
pub(super) struct Context<'a, S: Source> {
    pub table: &'a Table<S>,
    /// A reader of Data.db, where it can be read.
    pub data: Option<DataReader<'a, S>>,
    /// How its rows are read, where that is known.
    pub format: Option<&'a DataFormat>,
    /// Partitions, blocks and rows that are still to be passed.
    pub budget: u64,
    pub notes: &'a mut Notes,
}

/// What a feed notes on its way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Notes {
    pub sizes: Sizes,
    /// Partitions whose rows could not be indexed.
    pub left_out: u64,
    /// The end of the last partition was that of its last block.
    pub end_assumed: bool,
}

/// One of the three.
#[derive(Debug)]
pub(super) enum Feed {
    Trie(Box<TrieFeed>),
    Legacy(Box<LegacyFeed>),
    Rows(Box<RowFeed>),
}

impl Feed {
    /// Before the first partition.
    pub(super) fn new<S: Source>(table: &Table<S>, from: BuiltFrom) -> Self {
        match from {
            BuiltFrom::Trie { with_rows } => Self::Trie(Box::new(TrieFeed::new(table, with_rows))),
            BuiltFrom::Legacy => Self::Legacy(Box::new(LegacyFeed::new(table))),
            BuiltFrom::Data { block_bytes } => Self::Rows(Box::new(RowFeed::new(block_bytes))),
        }
    }

    /// The next partition. That before must have been asked for all its blocks.
    pub(super) fn next<S: Source>(
        &mut self,
        context: &mut Context<'_, S>,
    ) -> Result<Got<Head>, Error> {
        match context.budget.checked_sub(1) {
            None => return Ok(Got::Spent),
            Some(left) => context.budget = left,
        }
        let next = match self {
            Self::Trie(feed) => feed.next(context)?,
            Self::Legacy(feed) => feed.next(context)?,
            Self::Rows(feed) => feed.next(context)?,
        };
        Ok(next.map_or(Got::End, Got::One))
    }

    /// The next block of that partition.
    pub(super) fn block<S: Source>(
        &mut self,
        context: &mut Context<'_, S>,
    ) -> Result<Got<TwinBlock>, Error> {
        match context.budget.checked_sub(1) {
            None => return Ok(Got::Spent),
            Some(left) => context.budget = left,
        }
        match self {
            Self::Trie(feed) => feed.block(context),
            Self::Legacy(feed) => feed.block(context),
            Self::Rows(feed) => feed.block(context),
        }
    }

    /// What ends that partition, after its last block.
    pub(super) fn tail(&self) -> Tail {
        match self {
            Self::Trie(feed) => feed.tail(),
            Self::Legacy(feed) => feed.tail(),
            Self::Rows(feed) => feed.tail(),
        }
    }

    /// Goes back to its first block.
    pub(super) fn rewind(&mut self) {
        match self {
            Self::Trie(feed) => feed.rewind(),
            Self::Legacy(feed) => feed.rewind(),
            Self::Rows(feed) => feed.rewind(),
        }
    }

    /// How far it is, in bytes of what it goes through; the partitions are not its business.
    pub(super) fn progress<S: Source>(&self, table: &Table<S>) -> Progress {
        let data = table.facts.data_length.unwrap_or(0);
        let (done, of) = match self {
            Self::Legacy(feed) => (feed.at().0, table.source(Part::Index).map_or(0, Source::len)),
            Self::Trie(feed) => (feed.at().0, data),
            Self::Rows(feed) => (feed.at().0, data),
        };
        Progress { done: done.min(of), of, partitions: 0, is_finished: false }
    }
}
