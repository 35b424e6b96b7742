//! Partitions.db and Rows.db.

use super::{Ended, Finished};
use crate::bti::pack::{
    Flavour, PartitionTarget, PartitionsWriter, RowBlock, RowsWriter, end_marker, separator,
};
use crate::data::Deletion;
use crate::keys::{
    ClusteringSchema, Dialect, KeySchema, KeyStyle, Partitioner, murmur3, murmur3_blob_into,
    partition_key,
};
use crate::source::Source;
use crate::table::{Part, Table};
use crate::twin::TwinPlan;
use crate::twin::feed::{Head, Tail};
use crate::twin::former::{BlockRows, TwinBlock};
use crate::write::{Sink, WriteError};

/// What ScyllaDB's writers put behind the last entry for a year, so that the file was never empty.
const FILLER: [u8; 4] = [0x13, 0x37, 0x13, 0x37];

/// Writes a trie.
#[derive(Debug)]
pub(in crate::twin) struct TrieBuilder<W: Sink> {
    partitions: PartitionsWriter<W>,
    rows: RowsWriter<W>,
    partitioner: Partitioner,
    schema: KeySchema,
    clustering: ClusteringSchema,
    dialect: Dialect,
    has_pieces: bool,
    filler: bool,
    comparable: Vec<u8>,
    /// Blocks of the partition so far.
    blocks: u64,
    /// The first one: it is written when a second one comes.
    first: Option<(u64, Option<Deletion>)>,
    /// The last clustering so far in byte-comparable form, and the ends of its pieces.
    last: Vec<u8>,
    pieces: Vec<usize>,
    separator: Vec<u8>,
}

impl<W: Sink> TrieBuilder<W> {
    pub(super) fn new<S: Source>(
        table: &Table<S>,
        plan: &TwinPlan,
        partitions: W,
        rows: W,
    ) -> Self {
        let target = plan.options.target;
        let flavour = target.flavour().unwrap_or(Flavour::CASSANDRA);
        let has_pieces = flavour.edge_bytes > 1;
        Self {
            partitions: PartitionsWriter::new(flavour, partitions),
            rows: RowsWriter::new(flavour, rows),
            partitioner: table.partitioner(),
            schema: table.key_schema().clone(),
            clustering: table.clustering_schema().cloned().unwrap_or_default(),
            dialect: Dialect::of(target.version()),
            has_pieces,
            filler: plan.options.filler && has_pieces,
            comparable: Vec::new(),
            blocks: 0,
            first: None,
            last: Vec::new(),
            pieces: Vec::new(),
            separator: Vec::new(),
        }
    }

    pub(super) fn block(&mut self, block: TwinBlock) -> Result<(), WriteError> {
        if self.blocks == 0 {
            self.first = Some((block.offset, block.before));
        } else if let Some((offset, open)) = self.first.take() {
            self.rows.add(RowBlock { separator: &[], offset, open }, [])?;
        }
        let next = match block.rows {
            BlockRows::Separator(bytes) => {
                self.separator = bytes;
                None
            }
            BlockRows::Bounds(first, last) => {
                let values = |bound: &crate::big::Bound| -> Vec<Option<Vec<u8>>> {
                    bound.values.iter().map(|it| it.as_ref().map(|it| it.to_vec())).collect()
                };
                if self.blocks > 0 {
                    let values = values(&first);
                    let values = values.iter().map(Option::as_deref);
                    let side = first.kind.side();
                    let first = self.clustering.comparable(self.dialect, side, values).bytes;
                    if first <= self.last {
                        let previous = std::mem::take(&mut self.last);
                        return Err(WriteError::OutOfOrder { previous, got: first });
                    }
                    separator(&self.last, &first, &mut self.separator);
                }
                Some((last.kind.side(), values(&last)))
            }
        };
        if self.blocks > 0 {
            let (offset, open) = (block.offset, block.before);
            let row_block = RowBlock { separator: &self.separator, offset, open };
            self.rows.add(row_block, self.pieces.iter().copied())?;
        } else {
            self.separator.clear();
        }
        if let Some((side, values)) = next {
            let values = || values.iter().map(Option::as_deref);
            self.last = self.clustering.comparable(self.dialect, side, values()).bytes;
            if self.has_pieces {
                self.pieces = self.clustering.scylla_pieces(self.dialect, side, values());
            }
        }
        self.blocks += 1;
        Ok(())
    }

    pub(super) fn end<S: Source>(
        &mut self,
        _: &Table<S>,
        head: &Head,
        tail: Tail,
    ) -> Result<Ended, WriteError> {
        let mut target = PartitionTarget::Data(head.data);
        let blocks = std::mem::take(&mut self.blocks);
        self.first = None;
        if blocks >= 2 {
            match tail.separator {
                Some(separator) => self.separator = separator,
                None => end_marker(&self.last, &mut self.separator),
            }
            let end = RowBlock { separator: &self.separator, offset: tail.last, open: None };
            self.rows.add(end, self.pieces.iter().copied())?;
            let entry = self.rows.end_partition(&head.key, head.data, head.deletion)?;
            target = PartitionTarget::Rows(entry);
        }
        let hash = murmur3(&head.key);
        if self.partitioner == Partitioner::Murmur3 && self.dialect.key_style == KeyStyle::Blob {
            murmur3_blob_into(&head.key, hash, &mut self.comparable);
        } else {
            let style = self.dialect.key_style;
            let key = partition_key(&self.partitioner, style, &self.schema, &head.key);
            self.comparable = key.bytes;
        }
        self.partitions.add(&head.key, &self.comparable, hash.byte(), target)?;
        Ok(Ended::Written(if blocks >= 2 { blocks } else { 0 }))
    }

    pub(super) fn finish(self) -> Finished<W> {
        let partitions = self.partitions.finish()?;
        let mut rows = self.rows.into_sink();
        if self.filler {
            rows.put(&FILLER);
        }
        Ok(([Part::Partitions, Part::Rows], [partitions, rows], Vec::new()))
    }
}
