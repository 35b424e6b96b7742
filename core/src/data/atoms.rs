//! Data.db of `ka` and `la`: cell after cell, each with its full name (`docs/format/data.md`, ka and la).
//!
//! Statistics.db of these versions has no types, so names and values are bytes here. Names that have the composite form
//! are split into their parts.

use super::walk::end_of_need;
use super::{DataReader, Deletion, PartitionEnd, PartitionHead, Value};
use crate::cursor::Cursor;
use crate::error::{Error, ReadError};
use crate::limits;
use crate::pos::{DataPos, FilePos, mem};
use crate::source::Source;
use crate::table::Part;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

const DELETED: u8 = 0x01;
const EXPIRING: u8 = 0x02;
const COUNTER: u8 = 0x04;
const COUNTER_UPDATE: u8 = 0x08;
const RANGE_TOMBSTONE: u8 = 0x10;
const SHADOWABLE: u8 = 0x40;

/// In place of the first length of a composite: the name of a static cell.
const STATIC: u16 = 0xffff;

/// One thing that a walk over such a Data.db comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AtomItem {
    /// A partition begins.
    Partition(PartitionHead),
    /// A cell or a range tombstone.
    Atom(Atom),
    /// The partition ends, with an empty name of two bytes.
    End(PartitionEnd),
}

/// A cell or a range tombstone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Atom {
    /// Position of its first byte.
    pub at: DataPos,
    /// Its bytes.
    pub len: u64,
    /// Its name: clustering values and the column's name, as a composite unless the table is an old compact one.
    pub name: ByteBuf,
    /// What it is.
    pub kind: AtomKind,
}

/// What an atom is. Timestamps are in microseconds, other times in seconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields are named by the format, with the units said above")]
pub enum AtomKind {
    /// A living cell.
    Cell { timestamp: i64, value: Value },
    /// A cell that lives until then.
    Expiring { timestamp: i64, ttl: i32, expires_at: i32, value: Value },
    /// A deleted cell.
    Deleted { timestamp: i64, local_time: i32 },
    /// A counter.
    Counter { timestamp: i64, last_deletion: i64, value: Value },
    /// An update of a counter that was not applied yet; it should never reach an SSTable.
    CounterUpdate { timestamp: i64, value: Value },
    /// Everything from the name to `end` is deleted.
    Range { end: ByteBuf, deletion: Deletion, is_shadowable: bool },
}

/// A name in parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Composite {
    /// The name of a static cell.
    pub is_static: bool,
    /// Its parts: bytes, and the byte behind them (0; −1 or 1 in a bound: before or after all that begin so).
    pub parts: Vec<(ByteBuf, i8)>,
}

/// Walks over Data.db of `ka` and `la` from a partition to the end of the data.
#[derive(Clone, Debug)]
pub struct Atoms {
    at: u64,
    partition: Option<u64>,
}

impl Atoms {
    /// From the partition at `from`; 0 is the first.
    pub fn new(from: DataPos) -> Self {
        Self { at: from.0, partition: None }
    }

    /// Position of what comes next.
    pub fn at(&self) -> DataPos {
        DataPos(self.at)
    }

    /// The partition that the walk is in; `None` between partitions.
    pub fn partition(&self) -> Option<DataPos> {
        self.partition.map(DataPos)
    }

    /// Goes on from the partition at `to`.
    pub fn seek(&mut self, to: DataPos) {
        *self = Self::new(to);
    }

    /// The next item; `None` at the end of the data.
    ///
    /// # Errors
    /// A miss: call again, the walk goes on where it was. Damage: the walk stays there, and can only [`Self::seek`].
    pub fn next<S: Source>(
        &mut self,
        reader: &mut DataReader<'_, S>,
    ) -> Result<Option<AtomItem>, Error> {
        let length = reader.len();
        if self.partition.is_none() && self.at == length {
            return Ok(None);
        }
        loop {
            let bytes = reader.window(DataPos(self.at))?;
            let mut cursor = Cursor::new(Part::Data, FilePos(self.at), bytes);
            match item(&mut cursor, self.partition, length) {
                Ok((item, end)) => {
                    match &item {
                        AtomItem::Partition(head) => self.partition = Some(head.at.0),
                        AtomItem::End(_) => self.partition = None,
                        AtomItem::Atom(_) => {}
                    }
                    self.at = end;
                    return Ok(Some(item));
                }
                Err(Error::Damage(error)) => {
                    let end = end_of_need(*error, self.at, length)?;
                    reader.extend_to(end)?;
                }
                Err(miss) => return Err(miss),
            }
        }
    }
}

impl Composite {
    /// A name in parts; `None` when the bytes do not have the form.
    pub fn parse(name: &[u8]) -> Option<Self> {
        let (is_static, mut rest) = match name.split_first_chunk::<2>() {
            Some((first, rest)) if u16::from_be_bytes(*first) == STATIC => (true, rest),
            _ => (false, name),
        };
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let (length, after) = rest.split_first_chunk::<2>()?;
            let (bytes, after) =
                after.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
            let (end, after) = after.split_first()?;
            parts.push((ByteBuf::from(bytes), end.cast_signed()));
            rest = after;
        }
        (!parts.is_empty()).then_some(Self { is_static, parts })
    }
}

fn item(
    cursor: &mut Cursor<'_>,
    partition: Option<u64>,
    length: u64,
) -> Result<(AtomItem, u64), Error> {
    let at = cursor.pos().0;
    let Some(partition) = partition else {
        let key = ByteBuf::from(cursor.short_bytes("partition key")?);
        let deletion = Deletion::read_legacy(cursor)?;
        let end = cursor.pos().0;
        let head = PartitionHead { at: DataPos(at), len: end - at, key, deletion };
        return Ok((AtomItem::Partition(head), end));
    };
    let name = cursor.short_bytes("cell name")?;
    if name.is_empty() {
        let end = PartitionEnd { partition: DataPos(partition), at: DataPos(at) };
        return Ok((AtomItem::End(end), cursor.pos().0));
    }
    let (kind, cut) = kind(cursor, length)?;
    let end = cursor.pos().0.saturating_add(cut);
    let atom = Atom { at: DataPos(at), len: end - at, name: ByteBuf::from(name), kind };
    Ok((AtomItem::Atom(atom), end))
}

/// What an atom is, and the bytes of its value that were passed over.
fn kind(cursor: &mut Cursor<'_>, length: u64) -> Result<(AtomKind, u64), Error> {
    let before = cursor.clone();
    let flags = cursor.u8("cell flags")?;
    let timestamp = |cursor: &mut Cursor<'_>| cursor.i64("timestamp");
    let (kind, cut) = match flags {
        0 => {
            let timestamp = timestamp(cursor)?;
            let value = value(cursor, length)?;
            (AtomKind::Cell { timestamp, value: value.0 }, value.1)
        }
        DELETED => {
            let timestamp = timestamp(cursor)?;
            let before = cursor.clone();
            let bytes = cursor.u32("length of a deletion time")?;
            if bytes != 4 {
                return Err(before.error("length of a deletion time", "4", i128::from(bytes)));
            }
            (AtomKind::Deleted { timestamp, local_time: cursor.i32("local deletion time")? }, 0)
        }
        EXPIRING => {
            let (ttl, expires_at) = (cursor.i32("time to live")?, cursor.i32("expiry")?);
            let timestamp = timestamp(cursor)?;
            let (value, cut) = value(cursor, length)?;
            (AtomKind::Expiring { timestamp, ttl, expires_at, value }, cut)
        }
        COUNTER => {
            let last_deletion = cursor.i64("timestamp of the last deletion")?;
            let timestamp = timestamp(cursor)?;
            let (value, cut) = value(cursor, length)?;
            (AtomKind::Counter { timestamp, last_deletion, value }, cut)
        }
        COUNTER_UPDATE => {
            let timestamp = timestamp(cursor)?;
            let (value, cut) = value(cursor, length)?;
            (AtomKind::CounterUpdate { timestamp, value }, cut)
        }
        _ if flags & !SHADOWABLE == RANGE_TOMBSTONE => {
            let end = ByteBuf::from(cursor.short_bytes("end of a range")?);
            let local_time = i64::from(cursor.i32("local deletion time")?);
            let deletion = Deletion { timestamp: timestamp(cursor)?, local_time };
            let is_shadowable = flags & SHADOWABLE != 0;
            (AtomKind::Range { end, deletion, is_shadowable }, 0)
        }
        _ => {
            let expected = "0, 0x01, 0x02, 0x04, 0x08, 0x10 or 0x50";
            return Err(before.error("cell flags", expected, i128::from(flags)));
        }
    };
    Ok((kind, cut))
}

/// A value, as much of it as is kept, and the bytes that were passed over.
fn value(cursor: &mut Cursor<'_>, length: u64) -> Result<(Value, u64), Error> {
    let bytes = u64::from(cursor.u32("value length")?);
    let left = length.saturating_sub(cursor.pos().0);
    if bytes > left {
        return Err(ReadError::truncated(Part::Data, cursor.pos(), "value", bytes, left).into());
    }
    let kept = bytes.min(limits::VALUE_BYTES);
    let value = cursor.take(mem(kept).unwrap_or(usize::MAX), "value")?;
    let cut = bytes - kept;
    Ok((Value { bytes: ByteBuf::from(value), cut }, cut))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Layout;

    const PARTITION: &[u8] = &[
        0, 1, b'k', 0x7f, 0xff, 0xff, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, // key, not deleted
        0, 8, 0xff, 0xff, 0, 3, b'a', b'b', b'c', 0, // name: static, abc
        0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1, 7, // flags, timestamp 9, a value of one byte
        0, 4, 0, 1, 5, 0xff, // a range from before all that begin with 05
        0x10, 0, 4, 0, 1, 5, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 10, // to after, deletion
        0, 1, b'n', 1, 0, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0, 4, 0, 0, 0, 12, // a deleted cell
        0, 0, // end
    ];

    fn all(bytes: &[u8]) -> Result<Vec<AtomItem>, Error> {
        let mut reader = DataReader::new(&bytes, Layout::Plain { crc: None });
        let (mut atoms, mut found) = (Atoms::new(DataPos(0)), Vec::new());
        while let Some(item) = atoms.next(&mut reader)? {
            found.push(item);
        }
        Ok(found)
    }

    #[test]
    fn cells_ranges_and_deletions_are_told_apart() {
        let items = all(PARTITION).unwrap();
        let atoms: Vec<_> = items
            .iter()
            .filter_map(|item| match item {
                AtomItem::Atom(atom) => Some(atom),
                _ => None,
            })
            .collect();
        assert_eq!((items.len(), atoms.len()), (5, 3));
        let name = Composite::parse(&atoms[0].name).unwrap();
        assert_eq!((name.is_static, name.parts), (true, vec![(ByteBuf::from("abc"), 0)]));
        let value = Value { bytes: ByteBuf::from([7]), cut: 0 };
        assert_eq!(atoms[0].kind, AtomKind::Cell { timestamp: 9, value });
        let AtomKind::Range { end, deletion, is_shadowable: false } = &atoms[1].kind else {
            panic!("{:?}", atoms[1]);
        };
        assert_eq!(Composite::parse(end).unwrap().parts, [(ByteBuf::from([5]), 1)]);
        assert_eq!(Composite::parse(&atoms[1].name).unwrap().parts, [(ByteBuf::from([5]), -1)]);
        assert_eq!(*deletion, Deletion { timestamp: 10, local_time: 6 });
        assert_eq!(atoms[2].kind, AtomKind::Deleted { timestamp: 11, local_time: 12 });
        assert_eq!(Composite::parse(&atoms[2].name), None);
    }

    #[test]
    fn cut_anywhere_the_walk_ends_with_a_report() {
        for cut in 1..PARTITION.len() {
            assert!(matches!(all(&PARTITION[..cut]), Err(Error::Damage(_))), "{cut}");
        }
        assert_eq!(all(&[]), Ok(vec![]));
    }

    #[test]
    fn unknown_flags_are_reported() {
        let mut bytes = PARTITION.to_vec();
        bytes[25] = 3;
        assert_eq!(
            all(&bytes).unwrap_err().to_string(),
            "Data.db, offset 25 (page 0 + 25), cell flags: expected 0, 0x01, 0x02, 0x04, 0x08, 0x10 or 0x50, found 3"
        );
    }
}
