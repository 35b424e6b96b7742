//! Data.db item by item: partitions, rows and markers as a model of their own.
//!
//! Memory is bounded by one row, and the part of a row that is kept by [`limits::ROW_KEPT_BYTES`].

use super::raw::{RawCell, RawMarker, RawPartition, RawRow};
use super::walk::{Sink, Walk};
use super::{
    Cell, DataFormat, DataReader, Deletion, Item, Marker, Omitted, PartitionEnd, PartitionHead,
    Row, RowColumn, Value,
};
use crate::error::Error;
use crate::limits;
use crate::pos::{DataPos, len64};
use crate::source::Source;
use serde_bytes::ByteBuf;

/// Bytes that a kept cell takes beside its value and path.
const CELL_BYTES: u64 = 128;

/// Walks over Data.db from a partition to the end of the data.
#[derive(Clone, Debug)]
pub struct Items {
    format: DataFormat,
    walk: Walk,
    maker: Maker,
}

/// Makes items of what the walk comes to.
#[derive(Clone, Debug, Default)]
struct Maker {
    /// The row that is being read.
    row: Option<Row>,
    kept: u64,
    item: Option<Item>,
}

impl Items {
    /// From the partition at `from`; 0 is the first.
    pub fn new(format: DataFormat, from: DataPos) -> Self {
        Self { format, walk: Walk::new(from), maker: Maker::default() }
    }

    /// From a row or marker inside of a partition, where a row block begins; not from the static row.
    pub fn within(format: DataFormat, partition: DataPos, at: DataPos) -> Self {
        Self { format, walk: Walk::within(partition, at), maker: Maker::default() }
    }

    /// How the data is decoded: the columns that items number.
    pub fn format(&self) -> &DataFormat {
        &self.format
    }

    /// Position of what comes next.
    pub fn at(&self) -> DataPos {
        self.walk.at()
    }

    /// The partition that the walk is in; `None` between partitions.
    pub fn partition(&self) -> Option<DataPos> {
        self.walk.partition()
    }

    /// Goes on from the partition at `to`: after damage, or to pass over the rest of a partition.
    pub fn seek(&mut self, to: DataPos) {
        (self.walk, self.maker) = (Walk::new(to), Maker::default());
    }

    /// The next item; `None` at the end of the data.
    ///
    /// # Errors
    /// A miss: call again, the walk goes on where it was. Damage: the walk stays there, and can only [`Self::seek`].
    pub fn next<S: Source>(
        &mut self,
        reader: &mut DataReader<'_, S>,
    ) -> Result<Option<Item>, Error> {
        self.walk.run(&self.format, reader, &mut self.maker)?;
        Ok(self.maker.item.take())
    }
}

impl Sink for Maker {
    fn partition(&mut self, head: &RawPartition<'_>) -> bool {
        self.item = Some(Item::Partition(PartitionHead {
            at: DataPos(head.at),
            len: head.end - head.at,
            key: ByteBuf::from(head.key),
            deletion: head.deletion,
        }));
        false
    }

    fn row(&mut self, format: &DataFormat, row: &RawRow<'_>) {
        self.kept = 0;
        self.row = Some(Row {
            at: DataPos(row.at),
            len: row.end - row.at,
            previous: row.previous,
            is_static: row.is_static,
            clustering: row.clustering.to_vec(format),
            liveness: row.liveness,
            deletion: row.deletion,
            shadowable: row.shadowable,
            columns: Vec::new(),
            omitted: None,
        });
    }

    fn complex(&mut self, column: usize, deletion: Option<Deletion>) {
        if let Some(row) = &mut self.row {
            row.columns.push(RowColumn { column: place(column), deletion, cells: Vec::new() });
        }
    }

    fn cell(&mut self, cell: &RawCell<'_>) {
        let Some(row) = &mut self.row else { return };
        let (column, len) = (place(cell.column), cell.end - cell.at);
        let path = cell.path.map_or(0, <[u8]>::len);
        let size = CELL_BYTES + len64(cell.value.len()) + len64(path);
        if self.kept + size > limits::ROW_KEPT_BYTES {
            let omitted = row.omitted.get_or_insert(Omitted::default());
            omitted.cells += 1;
            omitted.bytes = omitted.bytes.saturating_add(len);
            return;
        }
        self.kept += size;
        let owned = Cell {
            at: DataPos(cell.at),
            len,
            timestamp: cell.timestamp,
            has_row_timestamp: cell.has_row_timestamp,
            life: cell.life,
            path: cell.path.map(ByteBuf::from),
            value: Value { bytes: ByteBuf::from(cell.value), cut: cell.cut },
        };
        match row.columns.last_mut() {
            Some(last) if last.column == column && owned.path.is_some() => last.cells.push(owned),
            _ => row.columns.push(RowColumn { column, deletion: None, cells: vec![owned] }),
        }
    }

    fn row_end(&mut self) -> bool {
        self.item = self.row.take().map(Item::Row);
        false
    }

    fn marker(&mut self, format: &DataFormat, marker: &RawMarker<'_>) -> bool {
        self.item = Some(Item::Marker(Marker {
            at: DataPos(marker.at),
            len: marker.end - marker.at,
            previous: marker.previous,
            kind: marker.kind,
            clustering: marker.clustering.to_vec(format),
            closes: marker.closes,
            opens: marker.opens,
        }));
        false
    }

    fn partition_end(&mut self, partition: u64, at: u64) -> bool {
        let (partition, at) = (DataPos(partition), DataPos(at));
        self.item = Some(Item::End(PartitionEnd { partition, at }));
        false
    }
}

/// A place among the columns. The header of a file of at most 16 MiB cannot list more.
fn place(column: usize) -> u32 {
    u32::try_from(column).unwrap_or(u32::MAX)
}
