//! Index.db: an entry a partition, with a promoted index for those of several blocks.

use crate::big::{Block, BlockLayout, Bound, BoundKind};
use crate::data::{Deletion, write_values};
use crate::keys::{Decorated, Partitioner, Token};
use crate::limits;
use crate::pos::{DataPos, FilePos, len64};
use crate::vint::{svint, uvint};
use crate::write::{Sink, WriteError};
use std::cmp::Ordering;

/// Widths are written less this, whatever the size of blocks in the table.
const WIDTH_BASE: i64 = 65_536;

/// What a promoted index says of its partition.
#[derive(Clone, Copy, Debug)]
pub struct Promoted<'a> {
    /// Bytes from the partition's start to its first row or marker, static row included.
    pub header_length: u64,
    /// Deletion of the whole partition.
    pub deletion: Option<Deletion>,
    /// The blocks in order, at least two; where they lay in the file they were read from says nothing here.
    pub blocks: &'a [Block],
}

/// Writes Index.db of partitions that come in the order of their tokens.
#[derive(Debug)]
pub struct IndexWriter<'a, W: Sink> {
    partitioner: &'a Partitioner,
    layout: BlockLayout<'a>,
    sink: W,
    at: u64,
    last: Option<(Token, Vec<u8>, DataPos)>,
    entry: Vec<u8>,
    blocks: Vec<u8>,
}

impl<'a, W: Sink> IndexWriter<'a, W> {
    /// A writer at the start of the file. `layout` says how clustering values and deletion times are written.
    pub fn new(partitioner: &'a Partitioner, layout: BlockLayout<'a>, sink: W) -> Self {
        let (entry, blocks) = (Vec::new(), Vec::new());
        Self { partitioner, layout, sink, at: 0, last: None, entry, blocks }
    }

    /// Adds a partition, and says where its entry begins.
    pub fn add(
        &mut self,
        key: &[u8],
        data: DataPos,
        promoted: Option<Promoted<'_>>,
    ) -> Result<FilePos, WriteError> {
        let bytes = u16::try_from(key.len())
            .map_err(|_| WriteError::TooLong { bytes: key.len(), limit: limits::KEY_BYTES })?;
        let token = self.partitioner.token(key);
        self.check(&token, key, data)?;
        self.entry.clear();
        self.entry.extend(bytes.to_be_bytes());
        self.entry.extend_from_slice(key);
        uvint(data.0, &mut self.entry);
        self.blocks.clear();
        if let Some(promoted) = promoted {
            self.promoted(promoted)?;
        }
        uvint(len64(self.blocks.len()), &mut self.entry);
        self.sink.put(&self.entry);
        self.sink.put(&self.blocks);
        let at = FilePos(self.at);
        self.at += len64(self.entry.len()) + len64(self.blocks.len());
        self.last = Some((token, key.to_vec(), data));
        Ok(at)
    }

    /// Position of the next entry.
    pub fn at(&self) -> FilePos {
        FilePos(self.at)
    }

    /// The sink, with everything in it.
    pub fn into_sink(self) -> W {
        self.sink
    }

    /// An unknown partitioner's order is not known, so only the positions are compared then.
    fn check(&self, token: &Token, key: &[u8], data: DataPos) -> Result<(), WriteError> {
        let Some((last_token, last_key, last_data)) = &self.last else { return Ok(()) };
        let (this, last) =
            (Decorated { token, key }, Decorated { token: last_token, key: last_key });
        let order = match self.partitioner {
            Partitioner::Unknown(_) if key != last_key.as_slice() => Ordering::Less,
            _ => last.order(&this),
        };
        match order {
            Ordering::Greater => {
                Err(WriteError::OutOfOrder { previous: last_key.clone(), got: key.to_vec() })
            }
            Ordering::Equal => Err(WriteError::Duplicate { key: key.to_vec() }),
            Ordering::Less if data <= *last_data => {
                let expected = "more than the one before";
                Err(WriteError::Number { field: "position in Data.db", expected, got: data.0 })
            }
            Ordering::Less => Ok(()),
        }
    }

    fn promoted(&mut self, promoted: Promoted<'_>) -> Result<(), WriteError> {
        let count = len64(promoted.blocks.len());
        if count < 2 {
            let expected = "at least 2";
            return Err(WriteError::Number { field: "blocks", expected, got: count });
        }
        uvint(promoted.header_length, &mut self.blocks);
        self.put_deletion(promoted.deletion);
        uvint(count, &mut self.blocks);
        let first = self.blocks.len();
        let mut offsets = Vec::new();
        for block in promoted.blocks {
            let offset = self.blocks.len() - first;
            let offset = u32::try_from(offset).map_err(|_| WriteError::Number {
                field: "bytes of the blocks",
                expected: "at most 4 GiB",
                got: len64(offset),
            })?;
            offsets.extend(offset.to_be_bytes());
            self.bound(&block.first);
            self.bound(&block.last);
            uvint(block.offset, &mut self.blocks);
            svint(block.width.cast_signed() - WIDTH_BASE, &mut self.blocks);
            self.blocks.push(u8::from(block.open.is_some()));
            if block.open.is_some() {
                self.put_deletion(block.open);
            }
        }
        self.blocks.extend(offsets);
        Ok(())
    }

    fn bound(&mut self, bound: &Bound) {
        self.blocks.push(bound.kind.byte());
        if bound.kind != BoundKind::Row {
            let values = u16::try_from(bound.values.len()).unwrap_or(u16::MAX);
            self.blocks.extend(values.to_be_bytes());
        }
        let values = bound.values.iter().map(|value| value.as_ref().map(|value| value.as_slice()));
        write_values(values, self.layout.lengths, &mut self.blocks);
    }

    fn put_deletion(&mut self, deletion: Option<Deletion>) {
        if self.layout.version.has_compact_deletion() {
            Deletion::write_compact(deletion, &mut self.blocks);
        } else {
            Deletion::write_legacy(deletion, &mut self.blocks);
        }
    }
}
