//! The lookup in the legacy index, as ScyllaDB and as Cassandra read it (`docs/format/index.md`, lookups).
//!
//! Both bisect the samples of Summary.db in memory. ScyllaDB then parses all entries up to the next sample and bisects
//! them; Cassandra reads entries one after the other until one equals the key. In a wide partition both bisect the blocks
//! of the promoted index, ScyllaDB by their first bounds and Cassandra by their last ones. Cassandra reads a promoted
//! index of up to 2,048 bytes whole with its entry; larger ones, and any in ScyllaDB, are read only where probed. Before `ma` a
//! promoted index has no table of offsets: Cassandra reads it whole, ScyllaDB block after block.

mod blocks;
mod entries;
mod table;

use super::{AbsentWhy, BlockStep, Observer, PromotedUse, Query, RowTarget, Step};
use crate::big::{PromotedHead, Samples};
use crate::cursor::Cursor;
use crate::data::Deletion;
use crate::error::{Error, Kind, ReadError};
use crate::keys::{ClusteringSchema, Decorated, Partitioner, Token};
use crate::limits;
use crate::pos::{DataPos, FilePos, mem};
use crate::race::LegacyReader;
use crate::source::{Pages, Source};
use crate::table::{Part, Version};
pub(crate) use blocks::clustering_bytes;
use blocks::{Blocks, Searched};
use entries::Hit;
use std::cmp::Ordering;
pub use table::legacy;
pub(crate) use table::walk as walk_legacy;

/// A legacy index as a lookup reads it.
#[derive(Clone, Copy)]
pub struct LegacyIndex<'a, S: Source> {
    /// Index.db.
    pub index: &'a S,
    /// The samples to bisect.
    pub samples: Samples<'a, S>,
    /// How keys are ordered.
    pub partitioner: &'a Partitioner,
    /// The version, for the form of deletion times.
    pub version: Version,
    /// The clustering columns.
    pub clustering: &'a ClusteringSchema,
    /// Whether the width of a last block leaves out the byte that ends the partition (ScyllaDB's feature
    /// `CorrectLastPiBlockWidth`): then ScyllaDB passes over a block that ends before the row.
    pub exact_widths: bool,
}

/// What the index says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LegacyFound {
    /// The partition has an entry.
    Entry {
        /// Position of the entry in Index.db.
        at: FilePos,
        /// Position of the partition in Data.db.
        data: DataPos,
        /// Deletion of the whole partition, where the entry has a promoted index.
        deletion: Option<Deletion>,
        /// The row block that the promoted index chose, where a row was searched and there is a promoted index.
        block: Option<BlockStep>,
    },
    /// It has none.
    Absent(AbsentWhy),
}

/// Looks a key up in the legacy index, and a row where the query names one. Filter and Data.db are not asked.
/// An error is a miss, after which the lookup is run again, or damage.
pub fn find_legacy<S: Source, O: Observer>(
    legacy: &LegacyIndex<'_, S>,
    reader: LegacyReader,
    query: &Query<'_>,
    observer: &mut O,
) -> Result<LegacyFound, Error> {
    legacy.samples.usable(legacy.index)?;
    let row = query.row.map(|row| Searched::new(row, legacy.clustering));
    let row = row.as_ref();
    match reader {
        LegacyReader::Scylla => {
            let up_to = legacy.samples_up_to(query, observer)?;
            let mut pages = Pages::new(Part::Index, legacy.index, observer);
            match legacy.bisect(query, up_to, &mut pages)? {
                Ok(hit) => legacy.scylla_hit(&hit, row, &mut pages),
                Err(why) => Ok(LegacyFound::Absent(why)),
            }
        }
        LegacyReader::Cassandra => {
            if let Some(why) = legacy.bounds(query, observer) {
                return Ok(LegacyFound::Absent(why));
            }
            let Some(sample) = legacy.sample_for_scan(query, observer)? else {
                return Ok(LegacyFound::Absent(AbsentWhy::BeforeFirst));
            };
            let mut pages = Pages::new(Part::Index, legacy.index, observer);
            match legacy.scan(query, sample, &mut pages)? {
                Ok(hit) => legacy.cassandra_hit(&hit, row, &mut pages),
                Err(why) => Ok(LegacyFound::Absent(why)),
            }
        }
    }
}

/// Which block of a promoted index Cassandra starts at when it reads backwards from a position: the last one that does not
/// start after it, `None` where all do. `entry` is the position of the partition's entry in Index.db.
pub fn find_reverse_block<S: Source, O: Observer>(
    legacy: &LegacyIndex<'_, S>,
    entry: FilePos,
    row: &RowTarget,
    observer: &mut O,
) -> Result<Option<u64>, Error> {
    let mut pages = Pages::new(Part::Index, legacy.index, observer);
    let head = crate::big::EntryHead::read(
        &mut pages,
        legacy.version.formats().index,
        entry,
        &mut Vec::new(),
    )?;
    if head.promoted_size == 0 {
        return Ok(None);
    }
    let promoted = entries::cassandra_use(legacy.version, head.promoted_size);
    let hit = Hit { head, promoted, next_window: None };
    match legacy.promoted(&hit, &mut pages)? {
        Some((head, whole)) => {
            let searched = Searched::new(row, legacy.clustering);
            Blocks::new(&mut pages, head, legacy.version, &searched, whole).last_starting()
        }
        None => Ok(None),
    }
}

type Row<'r> = Option<&'r Searched<'r>>;

/// The head of a promoted index, and all its bytes where it was read whole.
type Promoted = (PromotedHead, Option<Vec<u8>>);

impl<S: Source> LegacyIndex<'_, S> {
    /// Reads what a match reads of the entry's promoted index.
    fn promoted<O: Observer>(
        &self,
        hit: &Hit,
        pages: &mut Pages<'_, S, O>,
    ) -> Result<Option<Promoted>, Error> {
        let (at, size) = (hit.head.promoted_at(), hit.head.promoted_size);
        let version = self.version;
        let (head, whole) = match hit.promoted {
            PromotedUse::None | PromotedUse::Skipped => return Ok(None),
            PromotedUse::Probed => (PromotedHead::read(pages, at, size, version)?, None),
            PromotedUse::Whole if size > limits::PROMOTED_WHOLE_BYTES => {
                let kind = Kind::OverLimit { limit: limits::PROMOTED_WHOLE_BYTES, found: size };
                return Err(ReadError::new(Part::Index, at, "promoted index", kind).into());
            }
            PromotedUse::Whole => {
                let mut bytes = Vec::new();
                pages.read(at, mem(size).unwrap_or(usize::MAX), "promoted index", &mut bytes)?;
                let mut cursor = Cursor::new(Part::Index, at, &bytes);
                (PromotedHead::parse(&mut cursor, size, version)?, Some(bytes))
            }
        };
        pages.observer().step(|| Step::Promoted(head.step(whole.is_some())));
        Ok(Some((head, whole)))
    }

    fn cassandra_hit<O: Observer>(
        &self,
        hit: &Hit,
        row: Row<'_>,
        pages: &mut Pages<'_, S, O>,
    ) -> Result<LegacyFound, Error> {
        let Some((head, whole)) = self.promoted(hit, pages)? else { return Ok(found(hit)) };
        let block = match row {
            None => None,
            Some(searched) => {
                let mut blocks = Blocks::new(pages, head, self.version, searched, whole);
                let number = blocks.first_reaching()?;
                let after_last = number >= head.blocks;
                let (start, end, open) = if after_last {
                    (blocks.block(head.blocks.saturating_sub(1))?.end(), None, None)
                } else {
                    let block = blocks.block(number)?;
                    let open = match number.checked_sub(1) {
                        Some(before) => blocks.block(before)?.open,
                        None => None,
                    };
                    (block.offset, Some(block.end()), open)
                };
                Some(BlockStep {
                    block: Some(number),
                    of: head.blocks,
                    start,
                    end,
                    open,
                    partition: hit.head.data,
                    after_last,
                    parsed: blocks.parsed,
                    parsed_bytes: blocks.parsed_bytes,
                })
            }
        };
        Ok(with_block(hit, &head, block, pages))
    }

    fn scylla_hit<O: Observer>(
        &self,
        hit: &Hit,
        row: Row<'_>,
        pages: &mut Pages<'_, S, O>,
    ) -> Result<LegacyFound, Error> {
        let Some((head, whole)) = self.promoted(hit, pages)? else {
            self.next_window(hit, pages)?;
            return Ok(found(hit));
        };
        let mut ends_in_index = false;
        let block = match row {
            None => None,
            Some(searched) => {
                let mut blocks = Blocks::new(pages, head, self.version, searched, whole);
                let greater = blocks.first_greater()?;
                // The block probed last with a greater bound ends the slice; after the last one the partition's end does.
                ends_in_index = greater < head.blocks;
                Some(self.scylla_block(hit, &head, greater, &mut blocks)?)
            }
        };
        let found = with_block(hit, &head, block, pages);
        if !ends_in_index {
            self.next_window(hit, pages)?;
        }
        Ok(found)
    }

    /// The block that ScyllaDB starts at: the one before the first that starts after the position.
    fn scylla_block<O: Observer>(
        &self,
        hit: &Hit,
        head: &PromotedHead,
        greater: u64,
        blocks: &mut Blocks<'_, '_, S, O>,
    ) -> Result<BlockStep, Error> {
        let (mut number, mut start, mut end) = (0, head.header_length, None);
        let (mut open, mut after_last) = (None, false);
        if let Some(chosen) = greater.checked_sub(1) {
            let block = blocks.block(chosen)?;
            let passed = self.exact_widths && blocks.against_last(chosen)? == Ordering::Greater;
            if passed {
                (number, start, open) = (greater, block.end(), block.open);
                after_last = greater >= head.blocks;
            } else {
                (number, start, end) = (chosen, block.offset, Some(block.end()));
                open = match chosen.checked_sub(1) {
                    Some(before) => blocks.block(before)?.open,
                    None => None,
                };
            }
        }
        Ok(BlockStep {
            block: Some(number),
            of: head.blocks,
            start,
            end,
            open,
            partition: hit.head.data,
            after_last,
            parsed: blocks.parsed,
            parsed_bytes: blocks.parsed_bytes,
        })
    }

    /// ScyllaDB: where the partition ends at the next one, and that one lies in the next window, that is parsed too.
    fn next_window<O: Observer>(
        &self,
        hit: &Hit,
        pages: &mut Pages<'_, S, O>,
    ) -> Result<(), Error> {
        if let Some(next) = hit.next_window {
            self.window(next, Some(next), true, pages)?;
        }
        Ok(())
    }
}

fn found(hit: &Hit) -> LegacyFound {
    let (at, data) = (hit.head.at, hit.head.data);
    LegacyFound::Entry { at, data, deletion: None, block: None }
}

fn with_block<S: Source, O: Observer>(
    hit: &Hit,
    head: &PromotedHead,
    block: Option<BlockStep>,
    pages: &mut Pages<'_, S, O>,
) -> LegacyFound {
    if let Some(block) = &block {
        pages.observer().step(|| Step::Block(block.clone()));
    }
    let (at, data, deletion) = (hit.head.at, hit.head.data, head.deletion);
    LegacyFound::Entry { at, data, deletion, block }
}

/// Compares two keys, and counts the bytes compared: the token, and where tokens are equal the key up to and including the
/// first difference.
fn compare(searched: &Decorated<'_>, other: &Decorated<'_>) -> (Ordering, u32) {
    let token_bytes = match searched.token {
        Token::Murmur3(_) => 8,
        Token::Random(_) => 16,
        Token::Key => 0,
    };
    match searched.token.cmp(other.token) {
        Ordering::Equal => {
            let (_, key_bytes) = equal_bytes(searched.key, other.key);
            (searched.key.cmp(other.key), token_bytes + key_bytes)
        }
        unequal => (unequal, token_bytes),
    }
}

/// Whether two keys are equal, and the bytes up to and including the first difference.
fn equal_bytes(one: &[u8], other: &[u8]) -> (bool, u32) {
    let common = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let compared = (common + 1).min(one.len()).min(other.len());
    (one == other, u32::try_from(compared).unwrap_or(u32::MAX))
}
