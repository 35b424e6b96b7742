//! What a twin is written by: partitions with their blocks go in, in order, and two files come out.

mod legacy;
mod trie;

use self::legacy::LegacyBuilder;
use self::trie::TrieBuilder;
use super::feed::{Context, Head, Tail};
use super::former::TwinBlock;
use super::{Assumption, TwinPlan};
use crate::error::{Error, ReadError};
use crate::pos::{FilePos, len64};
use crate::source::Source;
use crate::table::{IndexKind, Part, Table};
use crate::write::{Hex, Sink, WriteError};

/// One of the two.
#[derive(Debug)]
pub(super) enum Builder<W: Sink> {
    Trie(Box<TrieBuilder<Counted<W>>>),
    Legacy(Box<LegacyBuilder<Counted<W>>>),
}

/// How a partition ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// It is written, with so many blocks in its row index: none or at least two.
    Written(u64),
    /// Its blocks have been measured, and must be told again.
    Again,
}

/// The files.
pub(super) struct Built<W> {
    pub files: [(Part, W); 2],
    pub bytes: [(Part, u64); 2],
    pub assumptions: Vec<Assumption>,
}

/// A sink that knows how much it was given.
#[derive(Debug)]
pub(super) struct Counted<W: Sink> {
    sink: W,
    bytes: u64,
}

impl<W: Sink> Sink for Counted<W> {
    fn put(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.saturating_add(len64(bytes.len()));
        self.sink.put(bytes);
    }
}

impl<W: Sink> Builder<W> {
    /// Nothing is written. `sink` makes the sink of each file.
    pub(super) fn new<S: Source>(
        table: &Table<S>,
        plan: &TwinPlan,
        mut sink: impl FnMut(Part) -> W,
    ) -> Self {
        let mut counted = |part| Counted { sink: sink(part), bytes: 0 };
        let [a, b] = plan.options.target.parts().map(&mut counted);
        match plan.options.target.kind() {
            IndexKind::Trie => Self::Trie(Box::new(TrieBuilder::new(table, plan, a, b))),
            IndexKind::Legacy => Self::Legacy(Box::new(LegacyBuilder::new(table, plan, a, b))),
        }
    }

    /// The next block of the partition.
    pub(super) fn block(&mut self, head: &Head, block: TwinBlock) -> Result<(), Error> {
        let result = match self {
            Self::Trie(builder) => builder.block(block),
            Self::Legacy(builder) => builder.block(head, block),
        };
        result.map_err(|error| refused(error, head.named, Of::Blocks))
    }

    /// The end of the partition. A miss leaves it as it was.
    pub(super) fn end<S: Source>(
        &mut self,
        context: &mut Context<'_, S>,
        head: &Head,
        tail: Tail,
    ) -> Result<Ended, Error> {
        let result = match self {
            Self::Trie(builder) => builder.end(context.table, head, tail),
            Self::Legacy(builder) => {
                builder.prepare(context.table, head)?;
                builder.end(context, head, tail)
            }
        };
        result.map_err(|error| refused(error, head.named, Of::Partitions))
    }

    /// Writes what comes behind the last partition.
    pub(super) fn finish(self) -> Result<Built<W>, Error> {
        let result = match self {
            Self::Trie(builder) => builder.finish(),
            Self::Legacy(builder) => builder.finish(),
        };
        let (parts, [a, b], assumptions) =
            result.map_err(|error| refused(error, (Part::Data, FilePos(0)), Of::Partitions))?;
        let [part_a, part_b] = parts;
        Ok(Built {
            bytes: [(part_a, a.bytes), (part_b, b.bytes)],
            files: [(part_a, a.sink), (part_b, b.sink)],
            assumptions,
        })
    }
}

/// Parts, sinks, and what was assumed.
type Finished<W> = Result<([Part; 2], [W; 2], Vec<Assumption>), WriteError>;

/// What a writer was given when it refused.
#[derive(Clone, Copy)]
enum Of {
    Partitions,
    Blocks,
}

/// What a writer refuses lies in the file that it was read from.
#[cold]
fn refused(error: WriteError, (part, at): (Part, FilePos), of: Of) -> Error {
    let key = match of {
        Of::Partitions => "partition key",
        Of::Blocks => "clustering at the end of a row block",
    };
    match error {
        WriteError::OutOfOrder { previous, got } => {
            let expected = format!("one that sorts after {}, the one before", Hex(&previous));
            ReadError::unexpected(part, at, key, expected, Hex(&got).to_string())
        }
        WriteError::Duplicate { key: twice } => {
            let found = format!("{} a second time", Hex(&twice));
            ReadError::unexpected(part, at, key, "another than the one before", found)
        }
        WriteError::TooLong { previous, got, limit } => {
            let mut most = format!("at most {limit} bytes");
            if let Some(previous) = previous {
                most += &format!(" after {}", Hex(&previous));
            }
            let found = format!("{} of {} bytes", Hex(&got), got.len());
            ReadError::unexpected(part, at, key, most, found)
        }
        WriteError::Number { field, expected, got } => {
            ReadError::out_of_range(part, at, field, expected, got)
        }
        // The writers of an index refuse nothing else.
        other => ReadError::unexpected(part, at, key, "one that can be written", other.to_string()),
    }
    .into()
}
