//! Index.db: an entry a partition, with a promoted index for those of several blocks.

use crate::big::promoted::OFFSET_BYTES;
use crate::big::{Block, BlockLayout, Bound, BoundKind};
use crate::data::{Deletion, write_values};
use crate::keys::{Decorated, Partitioner, Token};
use crate::limits;
use crate::pos::{DataPos, FilePos, len64};
use crate::table::Version;
use crate::vint::{svint, uvint};
use crate::write::{Sink, WriteError};
use std::borrow::Cow;
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
    partitioner: Cow<'a, Partitioner>,
    version: Version,
    lengths: Cow<'a, [Option<u32>]>,
    sink: W,
    at: u64,
    /// Where the entry begins that was begun last.
    begun: FilePos,
    last: Option<(Token, Vec<u8>, DataPos)>,
    entry: Vec<u8>,
    /// Head of the promoted index.
    head: Vec<u8>,
    /// Blocks of the partition that comes next.
    blocks: Vec<u8>,
    /// Where each of them starts.
    offsets: Vec<u8>,
    passing: Passing,
}

/// What becomes of the bytes of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passing {
    /// They wait for the partition that is added next.
    Waiting,
    /// They are counted: so many bytes of so many blocks.
    Measured { bytes: u64, blocks: u64 },
    /// They are passed on: so many of so many bytes are.
    Passed { bytes: u64, of: u64 },
}

impl<'a, W: Sink> IndexWriter<'a, W> {
    /// A writer at the start of the file. `layout` says how clustering values and deletion times are written.
    pub fn new(partitioner: &'a Partitioner, layout: BlockLayout<'a>, sink: W) -> Self {
        Self::with(Cow::Borrowed(partitioner), layout.version, Cow::Borrowed(layout.lengths), sink)
    }

    /// As [`Self::new`], with copies of what it is told, so that it can outlive them.
    pub fn owned(
        partitioner: &Partitioner,
        layout: BlockLayout<'_>,
        sink: W,
    ) -> IndexWriter<'static, W> {
        let partitioner = Cow::Owned(partitioner.clone());
        IndexWriter::with(partitioner, layout.version, Cow::Owned(layout.lengths.to_vec()), sink)
    }

    fn with(
        partitioner: Cow<'a, Partitioner>,
        version: Version,
        lengths: Cow<'a, [Option<u32>]>,
        sink: W,
    ) -> Self {
        let [entry, head, blocks, offsets] = [(); 4].map(|()| Vec::new());
        let (at, begun, last, passing) = (0, FilePos(0), None, Passing::Waiting);
        Self {
            partitioner,
            version,
            lengths,
            sink,
            at,
            begun,
            last,
            entry,
            head,
            blocks,
            offsets,
            passing,
        }
    }

    /// Adds a partition, and says where its entry begins.
    pub fn add(
        &mut self,
        key: &[u8],
        data: DataPos,
        promoted: Option<Promoted<'_>>,
    ) -> Result<FilePos, WriteError> {
        let Some(Promoted { header_length, deletion, blocks }) = promoted else {
            return self.put_entry(key, data, 0);
        };
        for block in blocks {
            self.block(block)?;
        }
        self.add_with_blocks(key, data, header_length, deletion)
    }

    /// Adds a block of the partition that is added next, by [`Self::add_with_blocks`]. So blocks need not be held: only
    /// their bytes wait, as the format tells how many they are before them.
    pub fn block(&mut self, block: &Block) -> Result<(), WriteError> {
        let got = match self.passing {
            Passing::Waiting => len64(self.blocks.len()),
            Passing::Measured { bytes, .. } | Passing::Passed { bytes, .. } => bytes,
        };
        let (field, expected) = ("bytes of the blocks", "at most 4 GiB");
        let offset = u32::try_from(got).map_err(|_| WriteError::Number { field, expected, got })?;
        if !matches!(self.passing, Passing::Measured { .. }) {
            self.offsets.extend(offset.to_be_bytes());
        }
        self.bound(&block.first);
        self.bound(&block.last);
        uvint(block.offset, &mut self.blocks);
        svint(block.width.cast_signed() - WIDTH_BASE, &mut self.blocks);
        self.blocks.push(u8::from(block.open.is_some()));
        if block.open.is_some() {
            put_deletion(self.version, block.open, &mut self.blocks);
        }
        let written = len64(self.blocks.len());
        match &mut self.passing {
            Passing::Waiting => return Ok(()),
            Passing::Measured { bytes, blocks } => {
                (*bytes, *blocks) = (*bytes + written, *blocks + 1)
            }
            Passing::Passed { bytes, .. } => {
                *bytes += written;
                self.sink.put(&self.blocks);
                self.at += written;
            }
        }
        self.blocks.clear();
        Ok(())
    }

    /// Bytes of blocks that wait for the partition that is added next.
    pub fn waiting(&self) -> usize {
        self.blocks.len()
    }

    /// Counts the bytes of the blocks of this partition, those that wait included, and does not keep them: they are told
    /// again, from the first, after [`Self::begin_measured`].
    pub fn measure(&mut self) {
        let (bytes, blocks) = (len64(self.blocks.len()), len64(self.offsets.len()) / OFFSET_BYTES);
        self.passing = Passing::Measured { bytes, blocks };
        self.forget_blocks();
    }

    /// Begins the partition whose blocks were measured: these are told again now, and passed on at once.
    pub fn begin_measured(
        &mut self,
        key: &[u8],
        data: DataPos,
        header_length: u64,
        deletion: Option<Deletion>,
    ) -> Result<(), WriteError> {
        let Passing::Measured { bytes, blocks } = self.passing else {
            let (field, expected) = ("blocks measured", "at least 2");
            return Err(WriteError::Number { field, expected, got: 0 });
        };
        self.passing = Passing::Waiting;
        self.put_head(header_length, deletion, blocks);
        let promoted = len64(self.head.len()) + bytes + blocks * OFFSET_BYTES;
        self.put_entry(key, data, promoted)?;
        self.passing = Passing::Passed { bytes: 0, of: bytes };
        Ok(())
    }

    /// Ends that partition, and says where its entry begins.
    pub fn end_measured(&mut self) -> Result<FilePos, WriteError> {
        let (got, of) = match std::mem::replace(&mut self.passing, Passing::Waiting) {
            Passing::Passed { bytes, of } => (bytes, of),
            _ => (0, 1),
        };
        if got != of {
            let (field, expected) = ("bytes of the blocks", "as many as were measured");
            return Err(WriteError::Number { field, expected, got });
        }
        self.sink.put(&self.offsets);
        self.at += len64(self.offsets.len());
        self.forget_blocks();
        Ok(self.begun)
    }

    /// Adds a partition whose blocks were told, at least two of them; the other arguments are as in [`Promoted`].
    pub fn add_with_blocks(
        &mut self,
        key: &[u8],
        data: DataPos,
        header_length: u64,
        deletion: Option<Deletion>,
    ) -> Result<FilePos, WriteError> {
        let count = len64(self.offsets.len()) / OFFSET_BYTES;
        if count < 2 {
            self.forget_blocks();
            let expected = "at least 2";
            return Err(WriteError::Number { field: "blocks", expected, got: count });
        }
        self.put_head(header_length, deletion, count);
        let promoted = self.head.len() + self.blocks.len() + self.offsets.len();
        self.put_entry(key, data, len64(promoted))
    }

    fn put_head(&mut self, header_length: u64, deletion: Option<Deletion>, blocks: u64) {
        uvint(header_length, &mut self.head);
        put_deletion(self.version, deletion, &mut self.head);
        uvint(blocks, &mut self.head);
    }

    /// The entry with what there is of its promoted index, which has so many bytes.
    fn put_entry(
        &mut self,
        key: &[u8],
        data: DataPos,
        promoted: u64,
    ) -> Result<FilePos, WriteError> {
        if let Err(error) = self.check(key, data) {
            self.forget_blocks();
            return Err(error);
        }
        let bytes = u16::try_from(key.len()).unwrap_or(u16::MAX);
        self.entry.clear();
        self.entry.extend(bytes.to_be_bytes());
        self.entry.extend_from_slice(key);
        uvint(data.0, &mut self.entry);
        uvint(promoted, &mut self.entry);
        let at = FilePos(self.at);
        self.begun = at;
        for bytes in [&self.entry, &self.head, &self.blocks, &self.offsets] {
            self.sink.put(bytes);
            self.at += len64(bytes.len());
        }
        self.forget_blocks();
        Ok(at)
    }

    fn forget_blocks(&mut self) {
        for bytes in [&mut self.head, &mut self.blocks, &mut self.offsets] {
            bytes.clear();
        }
    }

    /// Position of the next entry.
    pub fn at(&self) -> FilePos {
        FilePos(self.at)
    }

    /// The sink, with everything in it.
    pub fn into_sink(self) -> W {
        self.sink
    }

    /// Compares a partition with the one before, and takes its place. An unknown partitioner's order is not known, so only
    /// the positions are compared then.
    fn check(&mut self, key: &[u8], data: DataPos) -> Result<(), WriteError> {
        if key.len() > limits::KEY_BYTES {
            let previous = self.last.as_ref().map(|(_, key, _)| key.clone());
            let (got, limit) = (key.to_vec(), limits::KEY_BYTES);
            return Err(WriteError::TooLong { previous, got, limit });
        }
        let token = self.partitioner.token(key);
        if let Some((last_token, last_key, last_data)) = &self.last {
            let (this, last) =
                (Decorated { token: &token, key }, Decorated { token: last_token, key: last_key });
            let order = match &*self.partitioner {
                Partitioner::Unknown(_) if key != last_key.as_slice() => Ordering::Less,
                _ => last.order(&this),
            };
            match order {
                Ordering::Greater => {
                    let previous = last_key.clone();
                    return Err(WriteError::OutOfOrder { previous, got: key.to_vec() });
                }
                Ordering::Equal => return Err(WriteError::Duplicate { key: key.to_vec() }),
                Ordering::Less if data <= *last_data => {
                    let (field, expected) = ("position in Data.db", "more than the one before");
                    return Err(WriteError::Number { field, expected, got: data.0 });
                }
                Ordering::Less => {}
            }
        }
        // The room of the last key is used again.
        let mut kept = self.last.take().map_or_else(Vec::new, |(_, kept, _)| kept);
        kept.clear();
        kept.extend_from_slice(key);
        self.last = Some((token, kept, data));
        Ok(())
    }

    fn bound(&mut self, bound: &Bound) {
        self.blocks.push(bound.kind.byte());
        if bound.kind != BoundKind::Row {
            let values = u16::try_from(bound.values.len()).unwrap_or(u16::MAX);
            self.blocks.extend(values.to_be_bytes());
        }
        let values = bound.values.iter().map(|value| value.as_ref().map(|value| value.as_slice()));
        write_values(values, &self.lengths, &mut self.blocks);
    }
}

fn put_deletion(version: Version, deletion: Option<Deletion>, out: &mut Vec<u8>) {
    if version.has_compact_deletion() {
        Deletion::write_compact(deletion, out);
    } else {
        Deletion::write_legacy(deletion, out);
    }
}
