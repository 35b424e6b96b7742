//! The lookup in the trie index: filter, walk, the entry of a wide partition and its row trie, Data.db, answer.

use super::conclude::{Indexed, conclude, unknown};
use super::{AbsentWhy, Answer, BlockStep, LeafTarget, Observer, Query, Step, ask_filter};
use crate::bti::{Exact, Floor, PartitionIndex, RowEntry, RowIndex};
use crate::error::{Error, ReadError};
use crate::pos::{DataPos, FilePos};
use crate::source::{Pages, Source};
use crate::table::{Part, Table};

/// Looks a key up, and a row where the query names one, and tells the observer every step, the answer last.
///
/// Damage ends the lookup with [`Answer::Unknown`]; the only errors are bytes that are not here yet, after which the
/// lookup is run again from the beginning, and a table without a readable trie index.
pub fn trie<S: Source, O: Observer>(
    table: &Table<S>,
    query: &Query<'_>,
    observer: &mut O,
) -> Result<Answer, Error> {
    let filter = ask_filter(table, query, observer)?;
    if filter.ends_lookup() {
        return conclude(table, query, Indexed::Absent(AbsentWhy::Filter), observer);
    }
    match walk(table, query, observer) {
        Ok(indexed) => conclude(table, query, indexed, observer),
        Err(Error::Damage(error)) => Ok(unknown(*error, observer)),
        Err(miss) => Err(miss),
    }
}

/// What the index alone says: nothing but Partitions.db and Rows.db is read, the filter and Data.db are not asked.
pub(crate) fn walk<S: Source, O: Observer>(
    table: &Table<S>,
    query: &Query<'_>,
    observer: &mut O,
) -> Result<Indexed, Error> {
    let (Some(footer), Some(source)) = (&table.footer, table.source(Part::Partitions)) else {
        return Err(no_index(Part::Partitions));
    };
    let mut pages = Pages::new(Part::Partitions, source, observer);
    let found =
        PartitionIndex::new(footer).exact(&mut pages, query.comparable, query.hash.byte())?;
    let leaf = match found {
        Exact::DeadEnd => return Ok(Indexed::Absent(AbsentWhy::DeadEnd)),
        Exact::OtherHash(_) => return Ok(Indexed::Absent(AbsentWhy::HashByte)),
        Exact::Candidate(leaf) => leaf,
    };
    match leaf.target() {
        LeafTarget::Data(data) => Ok(Indexed::At { data, key_compared: false, block: None }),
        LeafTarget::Rows(entry) => wide(table, query, entry, observer),
    }
}

fn wide<S: Source, O: Observer>(
    table: &Table<S>,
    query: &Query<'_>,
    at: FilePos,
    observer: &mut O,
) -> Result<Indexed, Error> {
    let Some(source) = table.source(Part::Rows) else { return Err(no_index(Part::Rows)) };
    let mut pages = Pages::new(Part::Rows, source, observer);
    let entry = RowEntry::find(&mut pages, at, query.key)?;
    if entry.key != query.key {
        return Ok(Indexed::Absent(AbsentWhy::OtherKey));
    }
    let block = match query.row {
        None => None,
        Some(row) => {
            let floor = RowIndex::new(&entry).floor(&mut pages, &row.comparable)?;
            let block = block_step(&entry, &floor);
            pages.observer().step(|| Step::Block(block.clone()));
            Some(block)
        }
    };
    Ok(Indexed::At { data: entry.data, key_compared: true, block })
}

fn block_step(entry: &RowEntry, floor: &Floor) -> BlockStep {
    BlockStep {
        block: None,
        of: entry.blocks,
        start: floor.block.offset,
        end: floor.end,
        open: floor.block.open,
        partition: DataPos(entry.data.0),
        after_last: floor.after_last,
        parsed: 0,
        parsed_bytes: 0,
    }
}

#[cold]
fn no_index(part: Part) -> Error {
    ReadError::unexpected(part, FilePos(0), "file", "a readable index", "none").into()
}
