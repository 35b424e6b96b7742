//! Rows.db: a row trie for each partition with several blocks, and its entry behind it. See `docs/format/rows.md`.

use super::flavour::Flavour;
use super::observer::PackObserver;
use super::payload::Payload;
use super::writer::TrieWriter;
use crate::data::Deletion;
use crate::limits;
use crate::pos::{DataPos, FilePos};
use crate::table::Part;
use crate::vint;
use crate::write::{Sink, WriteError};

/// A separator with what it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowBlock<'a> {
    /// The separator; empty for the first block. For the end marker, what sorts after every row.
    pub separator: &'a [u8],
    /// Start of the block in bytes from the start of the partition; for the end marker, of the partition's last byte.
    pub offset: u64,
    /// The range deletion in force there.
    pub open: Option<Deletion>,
}

/// Writes Rows.db, partition after partition.
#[derive(Debug)]
pub struct RowsWriter<W: Sink, O: PackObserver = ()> {
    trie: TrieWriter<W, O>,
    separators: u64,
    last_offset: Option<u64>,
}

impl<W: Sink> RowsWriter<W> {
    /// A writer at the start of the file. Nobody listens.
    pub fn new(flavour: Flavour, sink: W) -> Self {
        Self::observed(flavour, sink, ())
    }
}

impl<W: Sink, O: PackObserver> RowsWriter<W, O> {
    /// A writer that tells `observer` each step.
    pub fn observed(flavour: Flavour, sink: W, observer: O) -> Self {
        Self {
            trie: TrieWriter::observed(Part::Rows, flavour, sink, observer),
            separators: 0,
            last_offset: None,
        }
    }

    /// Adds the next separator of the partition, the end marker last. `fragments` as in [`TrieWriter::add`]: those of the
    /// clustering that the separator was cut from.
    pub fn add(
        &mut self,
        block: RowBlock<'_>,
        fragments: impl IntoIterator<Item = usize>,
    ) -> Result<(), WriteError> {
        let got = block.offset;
        let offset = i64::try_from(got).ok().filter(|offset| *offset < 1 << 55);
        let ascends = self.last_offset.is_none_or(|last| got > last);
        let Some(offset) = offset.filter(|_| ascends) else {
            let expected = "more than the one before, and at most 7 bytes";
            return Err(WriteError::Number { field: "block offset", expected, got });
        };
        self.trie.add(block.separator, Payload::block(offset, block.open), fragments)?;
        self.last_offset = Some(got);
        self.separators += 1;
        Ok(())
    }

    /// Ends the partition and says where its entry lies: what the leaf in Partitions.db points at.
    pub fn end_partition(
        &mut self,
        key: &[u8],
        data: DataPos,
        deletion: Option<Deletion>,
    ) -> Result<FilePos, WriteError> {
        let bytes = u16::try_from(key.len()).map_err(|_| WriteError::TooLong {
            previous: None,
            got: key.to_vec(),
            limit: limits::KEY_BYTES,
        })?;
        let too_few = WriteError::Number {
            field: "separators",
            expected: "3 or more: two blocks and the end",
            got: self.separators,
        };
        if self.separators < 3 {
            return Err(too_few);
        }
        let root = self.trie.finish().ok_or(too_few)?;
        let entry = self.trie.at();
        self.trie.put(&bytes.to_be_bytes());
        self.trie.put(key);
        let base = self.trie.at();
        let mut rest = Vec::new();
        vint::uvint(data.0, &mut rest);
        vint::svint(root.cast_signed() - base.cast_signed(), &mut rest);
        vint::uvint(self.separators - 1, &mut rest);
        Deletion::write_compact(deletion, &mut rest);
        self.trie.put(&rest);
        (self.separators, self.last_offset) = (0, None);
        Ok(FilePos(entry))
    }

    /// The sink, with everything in it.
    pub fn into_sink(self) -> W {
        self.trie.into_sink()
    }
}
