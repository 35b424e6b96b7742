//! The blocks of a promoted index: read where they are probed, or all at once, and bisected as either database does.

use super::equal_bytes;
use crate::big::{Block, BlockLayout, Bound, PromotedHead, parse, read_first};
use crate::cql::CqlType;
use crate::cursor::Cursor;
use crate::error::{Error, Kind, ReadError};
use crate::few::Few;
use crate::keys::{ClusteringSchema, Dialect};
use crate::limits;
use crate::lookup::{BlockBound, BlockProbeStep, Cmp, Observer, RowKind, RowTarget, Step};
use crate::pos::{FilePos, mem};
use crate::source::{Pages, Source};
use crate::table::{IndexFormat, Version};
use std::cmp::Ordering;
use std::rc::Rc;

/// The place among the rows that is searched, ready to be compared with bounds of blocks.
pub(super) struct Searched<'a> {
    pub(super) target: &'a RowTarget,
    clustering: &'a ClusteringSchema,
    comparable: Vec<u8>,
    lengths: Vec<Option<u32>>,
}

impl<'a> Searched<'a> {
    pub(super) fn new(target: &'a RowTarget, clustering: &'a ClusteringSchema) -> Self {
        let columns = clustering.columns().iter();
        Self {
            target,
            clustering,
            comparable: clustering_bytes(clustering, target.kind, &target.values),
            lengths: columns.map(|column| column.cql.fixed_len()).collect(),
        }
    }

    /// How it stands to a bound, and the bytes compared: both in byte-comparable form, which has the order of the rows.
    fn against(&self, bound: &Bound) -> (Ordering, u32) {
        // Before `ma` a block may begin or end inside a row, at a cell behind the one without a name that begins it.
        let column = bound.values.get(self.lengths.len());
        let is_inside = column.is_some_and(|name| name.as_ref().is_some_and(|it| !it.is_empty()));
        let side = if is_inside { RowKind::After } else { bound.kind.side() };
        let bound = clustering_bytes(self.clustering, side, &bound.values);
        (self.comparable.cmp(&bound), equal_bytes(&self.comparable, &bound).1)
    }
}

/// A place among the rows in byte-comparable form. Not-a-numbers become one: the databases compare numbers here, for which
/// all of them are equal and greatest, while byte-comparable forms keep their bits.
pub(crate) fn clustering_bytes<V: AsRef<[u8]>>(
    clustering: &ClusteringSchema,
    kind: RowKind,
    values: &[Option<V>],
) -> Vec<u8> {
    let columns = clustering.columns().iter();
    let values = columns.zip(values).map(|(column, value)| {
        let bytes = value.as_ref().map(V::as_ref)?;
        match column.cql {
            CqlType::Double => Some(<[u8; 8]>::try_from(bytes).map_or(bytes, |raw| {
                if f64::from_be_bytes(raw).is_nan() { &DOUBLE_NAN } else { bytes }
            })),
            CqlType::Float => Some(<[u8; 4]>::try_from(bytes).map_or(bytes, |raw| {
                if f32::from_be_bytes(raw).is_nan() { &FLOAT_NAN } else { bytes }
            })),
            _ => Some(bytes),
        }
    });
    clustering.comparable(Dialect::CASSANDRA, kind, values).bytes
}

/// Java's not-a-number.
const DOUBLE_NAN: [u8; 8] = [0x7f, 0xf8, 0, 0, 0, 0, 0, 0];
/// Java's not-a-number.
const FLOAT_NAN: [u8; 4] = [0x7f, 0xc0, 0, 0];

/// The promoted index of one entry during one lookup. What was read of it is remembered.
pub(super) struct Blocks<'p, 'a, S: Source, O: Observer> {
    pages: &'p mut Pages<'a, S, O>,
    head: PromotedHead,
    version: Version,
    searched: &'p Searched<'p>,
    /// The bytes of the promoted index, where it was read whole.
    whole: Option<Vec<u8>>,
    known: Few<u64, Known>,
    /// Without a table of offsets: the last block passed over, and where the next one lies.
    walked: Option<(u64, FilePos)>,
    /// Blocks parsed beside the probed ones.
    pub(super) parsed: u32,
    /// Bytes read beside those of the probes.
    pub(super) parsed_bytes: u32,
}

/// What is known of a block.
#[derive(Clone)]
enum Known {
    /// Where it lies, its first bound and the bytes of that.
    First(FilePos, Rc<Bound>, u32),
    /// All of it.
    Whole(Rc<Block>),
}

/// The blocks still possible before a probe: the first one, and the end, exclusive.
type Between = (u64, u64);

impl<'p, 'a, S: Source, O: Observer> Blocks<'p, 'a, S, O> {
    /// The blocks of an entry; `whole` holds the bytes from `head.at` on where all of them were read.
    pub(super) fn new(
        pages: &'p mut Pages<'a, S, O>,
        head: PromotedHead,
        version: Version,
        searched: &'p Searched<'p>,
        whole: Option<Vec<u8>>,
    ) -> Self {
        let (known, walked) = (Few::default(), None);
        Self { pages, head, version, searched, whole, known, walked, parsed: 0, parsed_bytes: 0 }
    }

    /// ScyllaDB: the first block whose first bound is greater than the position; the number of blocks when there is none.
    /// Of a block only the first bound is read. Without a table of offsets, blocks are read one after the other.
    pub(super) fn first_greater(&mut self) -> Result<u64, Error> {
        if !self.has_offsets() {
            return self.first_greater_by_scan();
        }
        let (mut low, mut high) = (0, self.head.blocks);
        while low < high {
            let mid = low + (high - low) / 2;
            let (at, first, size) = self.first(mid)?;
            match self.compare(BlockBound::First, &first, (low, high), mid, at, size)? {
                Ordering::Less => high = mid,
                Ordering::Equal | Ordering::Greater => low = mid + 1,
            }
        }
        Ok(low)
    }

    fn first_greater_by_scan(&mut self) -> Result<u64, Error> {
        let (of, layout) = (self.head.blocks, self.layout());
        let (mut at, mut before, mut greater) = (self.head.blocks_at, [None, None], of);
        for number in 0..of {
            if number >= limits::BLOCKS_PASSED {
                let kind = Kind::OverLimit { limit: limits::BLOCKS_PASSED, found: of };
                return Err(ReadError::new(self.pages.part(), at, "blocks to read", kind).into());
            }
            let (block, _) = self.read(at, |cursor| Block::read(cursor, layout))?;
            let (size, between) = (block.size, (number, of));
            let against =
                self.compare(BlockBound::First, &block.first, between, number, at, size)?;
            if against == Ordering::Less {
                greater = number;
                break;
            }
            at = behind(&block);
            let [_, last] = before;
            before = [last, Some((number, block))];
        }
        // The block chosen is the last one passed, and the one before it is asked for what it leaves open.
        for (number, block) in before.into_iter().flatten() {
            self.known.insert(number, Known::Whole(Rc::new(block)));
        }
        Ok(greater)
    }

    /// Cassandra, forwards: the first block whose last bound is not smaller than the position; the number of blocks when
    /// there is none. A position before all rows needs no probe; one after all rows is only held by a last block that goes
    /// on to the partition's end, which the block itself tells.
    pub(super) fn first_reaching(&mut self) -> Result<u64, Error> {
        let (mut low, mut high) = (0, self.head.blocks);
        let target = self.searched.target;
        match target.kind {
            RowKind::Before if target.values.is_empty() => return Ok(0),
            RowKind::After if target.values.is_empty() => {
                let last = high.saturating_sub(1);
                return Ok(if self.block(last)?.last.is_top() { last } else { high });
            }
            RowKind::Before | RowKind::After | RowKind::Row => {}
        }
        while low < high {
            // Cassandra counts with an inclusive end: (low + high - 1) / 2.
            let mid = low + (high - low - 1) / 2;
            let block = self.probed(mid)?;
            let (at, size) = (block.at, block.size);
            match self.compare(BlockBound::Last, &block.last, (low, high), mid, at, size)? {
                Ordering::Less => high = mid,
                Ordering::Equal => return Ok(mid),
                Ordering::Greater => low = mid + 1,
            }
        }
        Ok(low)
    }

    /// Cassandra, backwards: the last block whose first bound is not greater than the position; `None` when there is none.
    pub(super) fn last_starting(&mut self) -> Result<Option<u64>, Error> {
        let (mut low, mut high) = (0, self.head.blocks);
        while low < high {
            let mid = low + (high - low - 1) / 2;
            let block = self.probed(mid)?;
            let (at, size) = (block.at, block.size);
            match self.compare(BlockBound::First, &block.first, (low, high), mid, at, size)? {
                Ordering::Less => high = mid,
                Ordering::Equal => return Ok(Some(mid)),
                Ordering::Greater => low = mid + 1,
            }
        }
        Ok(low.checked_sub(1))
    }

    /// ScyllaDB: compares the last bound of a block that is known, which costs no read.
    pub(super) fn against_last(&mut self, number: u64) -> Result<Ordering, Error> {
        let block = self.block(number)?;
        self.compare(BlockBound::Last, &block.last, (number, number + 1), number, block.at, 0)
    }

    /// A block, read whole unless it was before.
    pub(super) fn block(&mut self, number: u64) -> Result<Rc<Block>, Error> {
        let (at, had) = match self.known.get(&number) {
            Some(Known::Whole(block)) => return Ok(block.clone()),
            Some(Known::First(at, _, size)) => (*at, Some(*size)),
            None => (self.locate(number)?, None),
        };
        let layout = self.layout();
        let (block, _) = self.read(at, |cursor| Block::read(cursor, layout))?;
        self.parsed += u32::from(had.is_none());
        if self.whole.is_none() {
            // An offset of 4 bytes was read for it, or the probe has counted that and the first bound.
            self.parsed_bytes += had.map_or(4 + block.size, |had| block.size.saturating_sub(had));
        }
        if !self.has_offsets() {
            self.walked = Some((number, behind(&block)));
        }
        let block = Rc::new(block);
        self.known.insert(number, Known::Whole(block.clone()));
        Ok(block)
    }

    /// A block read whole for a probe, which counts what it reads by itself.
    fn probed(&mut self, number: u64) -> Result<Rc<Block>, Error> {
        let counted = (self.parsed, self.parsed_bytes);
        let block = self.block(number)?;
        (self.parsed, self.parsed_bytes) = counted;
        Ok(block)
    }

    /// A block's position, its first bound and the bytes read of it.
    fn first(&mut self, number: u64) -> Result<(FilePos, Rc<Bound>, u32), Error> {
        if let Some(Known::First(at, first, size)) = self.known.get(&number) {
            return Ok((*at, first.clone(), *size));
        }
        let (at, layout) = (self.locate(number)?, self.layout());
        let (first, size) = self.read(at, |cursor| read_first(cursor, layout))?;
        let (first, size) = (Rc::new(first), u32::try_from(size).unwrap_or(u32::MAX));
        self.known.insert(number, Known::First(at, first.clone(), size));
        Ok((at, first, size))
    }

    /// Compares the position searched with a bound, and says so. `size` is what was read of the block, 0 for nothing.
    fn compare(
        &mut self,
        bound: BlockBound,
        against: &Bound,
        (low, high): Between,
        block: u64,
        at: FilePos,
        size: u32,
    ) -> Result<Ordering, Error> {
        let (ordering, bytes_compared) = self.searched.against(against);
        let of = self.head.blocks;
        let offset_at = (self.whole.is_none() && size > 0 && self.has_offsets())
            .then(|| self.head.offset_at(block));
        self.pages.observer().step(|| {
            Step::BlockProbe(BlockProbeStep {
                block,
                of,
                low,
                high,
                at,
                size,
                offset_at,
                bound,
                values: against.values.clone(),
                cmp: Cmp::from(ordering),
                bytes_compared,
            })
        });
        Ok(ordering)
    }

    fn layout(&self) -> BlockLayout<'p> {
        BlockLayout { version: self.version, lengths: &self.searched.lengths }
    }

    fn has_offsets(&self) -> bool {
        self.version.formats().index == IndexFormat::Vints
    }

    /// Reads a block's entry in the offsets table: its position. Without the table a block lies behind those before it,
    /// which are read for that.
    fn locate(&mut self, number: u64) -> Result<FilePos, Error> {
        if !self.has_offsets() {
            let (mut at, mut from) = (self.head.blocks_at, 0);
            if let Some(last) = self.walked.filter(|(last, _)| *last < number) {
                (from, at) = (last.0 + 1, last.1);
            }
            let layout = self.layout();
            for passed in from..number {
                let (block, _) = self.read(at, |cursor| Block::read(cursor, layout))?;
                at = behind(&block);
                self.walked = Some((passed, at));
            }
            return Ok(at);
        }
        let at = self.head.offset_at(number);
        let (entry, _) = self.read(at, |cursor| cursor.u32("block offset"))?;
        self.head.block_at(number, entry)
    }

    /// Reads a record of the promoted index: a block must end before the offsets table, an offset with the table.
    fn read<T>(
        &mut self,
        at: FilePos,
        mut read: impl FnMut(&mut Cursor<'_>) -> Result<T, Error>,
    ) -> Result<(T, usize), Error> {
        let end = if at < self.head.offsets_at { self.head.offsets_at } else { self.head.end };
        let Some(whole) = &self.whole else {
            return parse(self.pages, at, end, &mut Vec::new(), read);
        };
        let index = |pos: FilePos| mem(pos.0.saturating_sub(self.head.at.0)).unwrap_or(usize::MAX);
        let bytes = whole.get(index(at)..index(end)).unwrap_or(&[]);
        let mut cursor = Cursor::new(self.pages.part(), at, bytes);
        let value = read(&mut cursor)?;
        Ok((value, cursor.used()))
    }
}

/// Position of what follows a block.
fn behind(block: &Block) -> FilePos {
    FilePos(block.at.0.saturating_add(u64::from(block.size)))
}
