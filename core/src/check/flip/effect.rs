//! What a changed bit does to the decoded data: which bytes of the stream differ, and the row they belong to, read with
//! the change and without it.

use super::view::View;
use super::{ByteChange, Effect};
use crate::cursor::Cursor;
use crate::data::{DataFormat, DataReader, Item, Items, LineWriter};
use crate::error::{Error, Miss};
use crate::limits;
use crate::patched::Change;
use crate::pos::{DataPos, len64};
use crate::source::Source;
use crate::table::Table;
use serde_bytes::ByteBuf;

/// Characters of a line that are shown.
const LINE: usize = 400;

/// Compares the contents of a chunk that starts at `start` with and without a change.
pub(super) fn compare<S: Source>(
    table: &Table<S>,
    change: Change,
    start: DataPos,
) -> Result<Option<Effect>, Miss> {
    let (Some(now), Some(then)) = (View::new(table, None), View::new(table, Some(change))) else {
        return Ok(None);
    };
    let (now, then) = (contents(&mut now.reader(), start)?, contents(&mut then.reader(), start)?);
    let mut effect = Effect::default();
    match (&now, &then) {
        (Ok(now), Ok(then)) => {
            for (place, (before, after)) in now.iter().zip(then).enumerate() {
                if before == after {
                    continue;
                }
                effect.differing += 1;
                if effect.bytes.len() < limits::FLIP_BYTES {
                    let at = DataPos(start.0.saturating_add(len64(place)));
                    effect.bytes.push(ByteChange { at, before: *before, after: *after });
                }
            }
        }
        _ => {
            effect.error_before = now.err();
            effect.error_after = then.err();
        }
    }
    Ok(Some(effect))
}

/// The bytes of a chunk, or why it cannot be decompressed.
fn contents<S: Source>(
    reader: &mut DataReader<'_, S>,
    start: DataPos,
) -> Result<Result<Vec<u8>, String>, Miss> {
    let all = |cursor: &mut Cursor<'_>| Ok(cursor.take(cursor.left(), "chunk")?.to_vec());
    match reader.parse(start, "chunk", all) {
        Ok((bytes, _)) => Ok(Ok(bytes)),
        Err(Error::Miss(miss)) => Err(miss),
        Err(Error::Damage(error)) => Ok(Err(error.to_string())),
    }
}

/// Looks for the item that holds a position, from the start of its partition, in pieces of bounded work.
#[derive(Debug)]
pub(super) struct ItemSearch {
    items: Items,
    partition: DataPos,
    at: DataPos,
    change: Option<Change>,
    key: Option<ByteBuf>,
}

/// An item as text, with the field that holds the position; or why it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) line: String,
    pub(super) field: Option<String>,
}

impl ItemSearch {
    /// For the position `at` in the partition at `partition`.
    pub(super) fn new(
        format: DataFormat,
        partition: DataPos,
        at: DataPos,
        change: Option<Change>,
    ) -> Self {
        let key = None;
        Self { items: Items::new(format, partition), partition, at, change, key }
    }

    /// The key of the partition, once it was read.
    pub(super) fn key(&self) -> Option<&ByteBuf> {
        self.key.as_ref()
    }

    /// Reads on for about `budget` bytes; `None` when it is not there yet.
    pub(super) fn step<S: Source>(
        &mut self,
        table: &Table<S>,
        budget: u64,
    ) -> Result<Option<Found>, Miss> {
        let Some(view) = View::new(table, self.change) else {
            return Ok(Some(Found { line: "Data.db is not here".to_owned(), field: None }));
        };
        let mut reader = view.reader();
        let started = self.items.at().0;
        loop {
            let passed = self.items.at().0.saturating_sub(self.partition.0);
            if passed > limits::ROW_SEARCH_BYTES {
                let line =
                    format!("more than {} bytes into its partition", limits::ROW_SEARCH_BYTES);
                return Ok(Some(Found { line, field: None }));
            }
            match self.items.next(&mut reader) {
                Err(Error::Miss(miss)) => return Err(miss),
                Err(Error::Damage(error)) => {
                    return Ok(Some(Found { line: error.to_string(), field: None }));
                }
                Ok(None) => {
                    return Ok(Some(Found { line: "no row is there".to_owned(), field: None }));
                }
                Ok(Some(Item::Partition(head))) if head.at == self.partition => {
                    self.key = Some(head.key.clone());
                    if head.at.0.saturating_add(head.len) > self.at.0 {
                        return Ok(Some(self.found(table, &Item::Partition(head))));
                    }
                }
                Ok(Some(item)) if item.at().0.saturating_add(item.bytes()) > self.at.0 => {
                    return Ok(Some(self.found(table, &item)));
                }
                Ok(Some(_)) => {}
            }
            if self.items.at().0.saturating_sub(started) >= budget {
                return Ok(None);
            }
        }
    }

    fn found<S: Source>(&self, table: &Table<S>, item: &Item) -> Found {
        let format = self.items.format();
        let line = match table.clustering_schema() {
            Some(clustering) => {
                LineWriter { format, keys: table.key_schema(), clustering }.line(item)
            }
            None => String::new(),
        };
        Found { line: shortened(line), field: Some(field(format, item, self.at)) }
    }
}

/// What holds a position of an item, in words.
fn field(format: &DataFormat, item: &Item, at: DataPos) -> String {
    match item {
        Item::Partition(head) => {
            let key = head.at.0..head.at.0.saturating_add(2 + len64(head.key.len()));
            if key.contains(&at.0) { "partition key" } else { "deletion of the partition" }
                .to_owned()
        }
        Item::Marker(_) => "range tombstone marker".to_owned(),
        Item::End(_) => "end of the partition".to_owned(),
        Item::Row(row) => {
            let holds =
                |start: DataPos, len: u64| (start.0..start.0.saturating_add(len)).contains(&at.0);
            let column = row
                .columns
                .iter()
                .find(|column| column.cells.iter().any(|cell| holds(cell.at, cell.len)));
            let name = column.and_then(|it| format.columns(row.is_static).get(it.column));
            match name {
                Some(column) => {
                    format!("cell of column {}", String::from_utf8_lossy(&column.name))
                }
                None if row.is_static => "head of the static row".to_owned(),
                None => "head of the row: flags, clustering, times, columns".to_owned(),
            }
        }
    }
}

fn shortened(line: String) -> String {
    if line.chars().count() <= LINE {
        return line;
    }
    line.chars().take(LINE).chain("...".chars()).collect()
}
