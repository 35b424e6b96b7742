//! Partitions from a trie: the leaves in order, keys where they point to, blocks from Rows.db.
//!
//! A promoted index and ScyllaDB's trie need the clusterings at the ends of the blocks, which Rows.db does not have: then
//! the rows of wide partitions are read, from each start that Rows.db names to the next.

use super::rows::no_data;
use super::{Context, Got, Head, Tail};
use crate::bti::{self, BlocksPlace, Leaf, LeavesPlace, PartitionIndex, RowEntry, RowIndex};
use crate::data::Deletion;
use crate::error::{Error, ReadError};
use crate::keys::murmur3;
use crate::lookup::LeafTarget;
use crate::pos::{DataPos, FilePos};
use crate::source::{Pages, Source};
use crate::table::{Part, Table};
use crate::twin::former::{BlockRows, Formed, Former, TwinBlock, Until};

/// A walk over the leaves.
#[derive(Debug)]
pub(in crate::twin) struct TrieFeed {
    with_rows: bool,
    leaves: Option<LeavesPlace>,
    /// A leaf whose key is still to be read.
    leaf: Option<Leaf>,
    /// Position of the partition found last.
    data: DataPos,
    blocks: Option<Walk>,
    /// The same before the first block.
    first: Option<Walk>,
    tail: Tail,
}

/// The blocks of a wide partition.
#[derive(Clone, Debug)]
struct Walk {
    /// The entry in Rows.db.
    entry: FilePos,
    place: Option<BlocksPlace>,
    /// A separator that was read: it is a block when another one follows.
    here: Option<(bti::Block, Vec<u8>)>,
    /// The one behind it.
    ahead: Option<(bti::Block, Vec<u8>)>,
    /// Separators that were read.
    read: u64,
    /// Those that there are, the end marker included.
    of: u64,
    rows: Option<Former>,
}

impl TrieFeed {
    pub(super) fn new<S: Source>(table: &Table<S>, with_rows: bool) -> Self {
        let leaves = table.footer.as_ref().map(PartitionIndex::new).map(LeavesPlace::first);
        let (data, tail) = (DataPos(0), Tail::default());
        Self { with_rows, leaves, leaf: None, data, blocks: None, first: None, tail }
    }

    pub(super) fn at(&self) -> DataPos {
        let rows = self.blocks.as_ref().and_then(|walk| walk.rows.as_ref());
        rows.map_or(self.data, Former::at)
    }

    pub(super) fn next<S: Source>(
        &mut self,
        context: &mut Context<'_, S>,
    ) -> Result<Option<Head>, Error> {
        (self.blocks, self.first) = (None, None);
        let leaf = match self.leaf {
            Some(leaf) => leaf,
            None => match self.next_leaf(context.table)? {
                Some(leaf) => *self.leaf.insert(leaf),
                None => return Ok(None),
            },
        };
        let head = match leaf.target() {
            LeafTarget::Data(data) => {
                let reader = context.data.as_mut().ok_or_else(|| no_data(data.0))?;
                let (key, _) = reader.key(data)?;
                check_hash(&leaf, &key, (Part::Data, FilePos(data.0)))?;
                let named = (Part::Partitions, leaf.at);
                Head { key, data, deletion: None, named }
            }
            LeafTarget::Rows(at) => {
                let entry = read_entry(context.table, at)?;
                check_hash(&leaf, &entry.key, (Part::Rows, at))?;
                let rows = match self.with_rows {
                    true => Some(start_of_rows(context, &entry)?),
                    false => None,
                };
                let place = Some(BlocksPlace::first(RowIndex::new(&entry)));
                let of = entry.blocks.saturating_add(1);
                let walk = Walk { entry: at, place, here: None, ahead: None, read: 0, of, rows };
                (self.first, self.blocks) = (Some(walk.clone()), Some(walk));
                let RowEntry { key, data, deletion, .. } = entry;
                Head { key, data, deletion, named: (Part::Rows, at) }
            }
        };
        (self.data, self.leaf) = (head.data, None);
        Ok(Some(head))
    }

    fn next_leaf<S: Source>(&mut self, table: &Table<S>) -> Result<Option<Leaf>, Error> {
        let (Some(source), Some(place)) = (table.source(Part::Partitions), self.leaves.take())
        else {
            return Ok(None);
        };
        let mut unheard = ();
        let mut leaves = place.resume(Pages::new(Part::Partitions, source, &mut unheard));
        let next = leaves.next();
        self.leaves = Some(leaves.suspend());
        Ok(next?.map(|found| found.leaf))
    }

    pub(super) fn block<S: Source>(
        &mut self,
        context: &mut Context<'_, S>,
    ) -> Result<Got<TwinBlock>, Error> {
        let Some(walk) = &mut self.blocks else { return Ok(Got::End) };
        if walk.here.is_none() && walk.read == 0 {
            walk.here = read_separator(walk, context.table)?;
        }
        if walk.ahead.is_none() && walk.read < walk.of {
            walk.ahead = read_separator(walk, context.table)?;
        }
        let (Some((here, separator)), Some((ahead, _))) = (&walk.here, &walk.ahead) else {
            // The end marker.
            if let Some((end, separator)) = &walk.here {
                let separator = Some(separator.clone());
                self.tail = Tail { last: end.offset, separator, keeps_widths: false };
            }
            return Ok(Got::End);
        };
        if ahead.offset <= here.offset {
            let least = format!("more than {}, that of the block before", here.offset);
            let (at, field) = (ahead.node, "block offset");
            return Err(ReadError::out_of_range(Part::Rows, at, field, least, ahead.offset).into());
        }
        let width = ahead.offset - here.offset;
        let block = match &mut walk.rows {
            None => {
                let rows = BlockRows::Separator(separator.clone());
                TwinBlock { offset: here.offset, width, before: here.open, after: None, rows }
            }
            Some(rows) => {
                let (Some(reader), Some(format)) = (&mut context.data, context.format) else {
                    return Err(no_data(rows.at().0));
                };
                let until = match walk.read < walk.of {
                    true => Until::Offset(ahead.offset),
                    false => Until::End(ahead.offset),
                };
                let (sizes, budget) = (&mut context.notes.sizes, &mut context.budget);
                match rows.run(reader, format, until, sizes, budget)? {
                    Formed::Spent => return Ok(Got::Spent),
                    Formed::Block(block) if block.offset == here.offset => {
                        check_open(here, block.before)?;
                        block
                    }
                    Formed::Block(block) => {
                        return Err(other_start(here, &block.offset.to_string()));
                    }
                    Formed::End(end) => {
                        return Err(other_start(
                            here,
                            &format!("the end of the partition at {end}"),
                        ));
                    }
                }
            }
        };
        if walk.rows.is_none() && walk.read < walk.of {
            context.notes.sizes.width(width);
        }
        walk.here = walk.ahead.take();
        Ok(Got::One(block))
    }

    pub(super) fn tail(&self) -> Tail {
        self.tail.clone()
    }

    pub(super) fn rewind(&mut self) {
        self.blocks.clone_from(&self.first);
    }
}

fn read_separator<S: Source>(
    walk: &mut Walk,
    table: &Table<S>,
) -> Result<Option<(bti::Block, Vec<u8>)>, Error> {
    let (Some(source), Some(place)) = (table.source(Part::Rows), walk.place.take()) else {
        return Ok(None);
    };
    let mut unheard = ();
    let mut blocks = place.resume(Pages::new(Part::Rows, source, &mut unheard));
    let next = blocks.next();
    let separator = blocks.separator().to_vec();
    walk.place = Some(blocks.suspend());
    match next? {
        Some(block) => {
            walk.read += 1;
            Ok(Some((block, separator)))
        }
        None => {
            let expected = format!("{}, one more than blocks", walk.of);
            let (found, field) = (walk.read.to_string(), "number of separators");
            Err(ReadError::unexpected(Part::Rows, walk.entry, field, expected, found).into())
        }
    }
}

fn read_entry<S: Source>(table: &Table<S>, at: FilePos) -> Result<RowEntry, Error> {
    let length = table.source(Part::Rows).map_or(0, Source::len);
    match table.source(Part::Rows).filter(|_| at.0 < length) {
        Some(source) => RowEntry::read(&mut Pages::new(Part::Rows, source, &mut ()), at),
        None => {
            let most = format!("at most {}", length.saturating_sub(1));
            Err(ReadError::out_of_range(Part::Rows, at, "entry", most, at.0).into())
        }
    }
}

/// The partition in Data.db must be the one that the entry names.
fn start_of_rows<S: Source>(
    context: &mut Context<'_, S>,
    entry: &RowEntry,
) -> Result<Former, Error> {
    let (Some(reader), Some(format)) = (&mut context.data, context.format) else {
        return Err(no_data(entry.data.0));
    };
    let (key, _, rows) = reader.partition_head(format.rows(), entry.data)?;
    if key != entry.key {
        let expected = format!("{}, as Rows.db has it", hex(&entry.key));
        let at = FilePos(entry.data.0);
        let found = hex(&key);
        return Err(ReadError::unexpected(Part::Data, at, "partition key", expected, found).into());
    }
    Ok(Former::new(entry.data, rows))
}

/// The leaf has a byte of the key's hash: a damaged key mostly has another.
fn check_hash(leaf: &Leaf, key: &[u8], (part, at): (Part, FilePos)) -> Result<(), Error> {
    let found = murmur3(key).byte();
    match leaf.hash.filter(|hash| *hash != found) {
        None => Ok(()),
        Some(hash) => {
            let expected =
                format!("one with hash byte {hash:02x}, as its leaf at {} has it", leaf.at);
            let found = format!("{} with hash byte {found:02x}", hex(key));
            Err(ReadError::unexpected(part, at, "partition key", expected, found).into())
        }
    }
}

/// The deletion in force at the start of a block stands in both.
fn check_open(block: &bti::Block, found: Option<Deletion>) -> Result<(), Error> {
    // Where local times do not fit 32 bits with a sign, the two files may extend them differently.
    let low =
        |deletion: Option<Deletion>| deletion.map(|it| (it.timestamp, it.local_time & 0xffff_ffff));
    if low(block.open) == low(found) {
        return Ok(());
    }
    let text = |deletion: Option<Deletion>| match deletion {
        Some(deletion) => format!("one of {}", deletion.timestamp),
        None => "none".to_owned(),
    };
    let expected = format!("{}, as the rows say", text(found));
    let found = text(block.open);
    Err(ReadError::unexpected(Part::Rows, block.node, "open deletion", expected, found).into())
}

#[cold]
fn other_start(block: &bti::Block, found: &str) -> Error {
    let expected = format!("{found}, where Data.db has it");
    let found = block.offset.to_string();
    ReadError::unexpected(Part::Rows, block.node, "block offset", expected, found).into()
}

/// The first bytes of a key.
pub(super) fn hex(key: &[u8]) -> String {
    crate::write::Hex(key).to_string()
}
