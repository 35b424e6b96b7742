//! How large partitions are: the distance from one position in Data.db to the next, as an index alone tells it. Only of
//! the last one the uncompressed length of Data.db is needed.

use crate::error::Error;
use crate::pos::DataPos;
use crate::scan::{Next, Order, Partition, Scan};
use crate::source::Source;
use crate::table::Table;
use serde::{Deserialize, Serialize};

/// Sizes of the partitions of a table, in bytes of the uncompressed Data.db.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartitionSizes {
    /// Partitions whose size is known: all but the last one where the length of Data.db is not.
    pub known: u64,
    /// Partitions whose size is not known.
    pub unknown: u64,
    /// Bytes of those whose size is known.
    pub bytes: u64,
    /// The smallest one; 0 where none is known.
    pub min: u64,
    /// The largest one.
    pub max: u64,
    /// Where the largest one starts.
    pub largest: Option<DataPos>,
    /// Partitions by the bits of their size: of number `n` those of 2^(n-1) to 2^n - 1 bytes.
    pub bits: Vec<u64>,
    #[serde(skip)]
    before: Option<DataPos>,
}

impl Default for PartitionSizes {
    fn default() -> Self {
        Self {
            known: 0,
            unknown: 0,
            bytes: 0,
            min: 0,
            max: 0,
            largest: None,
            bits: vec![0; 65],
            before: None,
        }
    }
}

impl PartitionSizes {
    /// The next partition starts here.
    #[inline]
    pub(crate) fn next(&mut self, data: DataPos) {
        self.end(Some(data.0));
        self.before = Some(data);
    }

    /// The last partition ends here, if that is known.
    pub(super) fn finish(&mut self, length: Option<u64>) {
        self.end(length);
        self.before = None;
    }

    #[inline]
    fn end(&mut self, end: Option<u64>) {
        let Some(start) = self.before else { return };
        let Some(size) = end.and_then(|end| end.checked_sub(start.0)).filter(|size| *size > 0)
        else {
            self.unknown += 1;
            return;
        };
        if self.known == 0 || size < self.min {
            self.min = size;
        }
        if size > self.max {
            (self.max, self.largest) = (size, Some(start));
        }
        self.known += 1;
        self.bytes = self.bytes.saturating_add(size);
        let bits = u64::BITS - size.leading_zeros();
        if let Some(count) = usize::try_from(bits).ok().and_then(|bits| self.bits.get_mut(bits)) {
            *count += 1;
        }
    }
}

/// A partition with its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sized {
    /// The partition.
    pub partition: Partition,
    /// Its bytes in the uncompressed Data.db; `None` for the last one where the length of Data.db is not known, and where
    /// positions are damaged.
    pub bytes: Option<u64>,
}

/// The partitions of a table in order, each with its size. Data.db is not needed: where it is not here, keys of a trie
/// index are prefixes.
pub struct SizeScan<'a, S: Source> {
    scan: Scan<'a, S>,
    length: Option<u64>,
    before: Option<Partition>,
}

impl<'a, S: Source> SizeScan<'a, S> {
    /// All partitions of a table. `None` without an index that can be read.
    pub fn new(table: &'a Table<S>) -> Option<Self> {
        let scan = Scan::new(table, None, Order::Forward)?;
        Some(Self { scan, length: table.facts.data_length, before: None })
    }

    /// The next partition, `None` after the last one. After a miss it goes on where it was; after damage to the index it
    /// cannot go on.
    pub fn step(&mut self) -> Result<Option<Sized>, Error> {
        loop {
            let (partition, end) = match self.scan.step()? {
                Next::Working { .. } => continue,
                Next::Partition(next) => {
                    let start = next.data.map(|data| data.0);
                    match self.before.replace(next) {
                        Some(before) => (before, start),
                        None => continue,
                    }
                }
                Next::End => match self.before.take() {
                    Some(last) => (last, self.length),
                    None => return Ok(None),
                },
            };
            let size = partition.data.zip(end).and_then(|(data, end)| end.checked_sub(data.0));
            return Ok(Some(Sized { partition, bytes: size }));
        }
    }
}
