//! Rows.db: a row trie for each partition with several blocks, and its entry behind it. See `docs/format/rows.md`.

use super::error::WriteError;
use super::flavour::Flavour;
use super::out::Sink;
use super::payload::Payload;
use super::writer::TrieWriter;
use crate::data::Deletion;
use crate::limits;
use crate::pos::{DataPos, FilePos, len64};
use crate::table::Part;

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
pub struct RowsWriter<W: Sink> {
    trie: TrieWriter<W>,
    separators: u64,
    last_offset: Option<u64>,
}

impl<W: Sink> RowsWriter<W> {
    /// A writer at the start of the file.
    pub fn new(flavour: Flavour, sink: W) -> Self {
        Self { trie: TrieWriter::new(Part::Rows, flavour, sink), separators: 0, last_offset: None }
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
        let bytes = u16::try_from(key.len())
            .map_err(|_| WriteError::TooLong { bytes: key.len(), limit: limits::KEY_BYTES })?;
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
        uvint(data.0, &mut rest);
        // The root lies before its entry, so the distance is negative: zig-zag makes it odd.
        uvint((base - root).saturating_mul(2) - 1, &mut rest);
        uvint(self.separators - 1, &mut rest);
        put_deletion(deletion, &mut rest);
        self.trie.put(&rest);
        (self.separators, self.last_offset) = (0, None);
        Ok(FilePos(entry))
    }

    /// The sink, with everything in it.
    pub fn into_sink(self) -> W {
        self.trie.into_sink()
    }
}

/// The compact form: `80` for live, 12 bytes, or `c0` and 12 bytes for a negative timestamp, which only ScyllaDB reads.
fn put_deletion(deletion: Option<Deletion>, out: &mut Vec<u8>) {
    let Some(Deletion { timestamp, local_time }) = deletion else { return out.push(0x80) };
    if timestamp < 0 {
        out.push(0xc0);
    }
    out.extend(timestamp.to_be_bytes());
    out.extend((local_time & 0xffff_ffff).to_be_bytes().last_chunk::<4>().unwrap_or(&[0; 4]));
}

/// An unsigned variable integer: as many leading one bits as bytes follow the first.
pub(crate) fn uvint(number: u64, out: &mut Vec<u8>) {
    let bits = 64 - u64::from(number.leading_zeros());
    // Seven bits a byte, and 8 more bytes where 7 would not do.
    let extra = if bits <= 7 { 0 } else { (bits - 1) / 7 };
    let bytes = number.to_be_bytes();
    if extra >= 8 {
        out.push(0xff);
        out.extend(bytes);
        return;
    }
    let kept = len64(bytes.len()) - extra - 1;
    let ones = !(0xffu16 >> extra) & 0xff;
    let mut rest = bytes.iter().skip(usize::try_from(kept).unwrap_or(0));
    if let Some(first) = rest.next() {
        out.push(first | u8::try_from(ones).unwrap_or(0));
    }
    out.extend(rest);
}
