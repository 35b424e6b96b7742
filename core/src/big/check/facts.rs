//! What a walk over a legacy index came to, as plain data, and the sentences for it (`docs/format/index.md`, what it
//! costs).

use crate::data::Deletion;
use crate::pos::{DataPos, FilePos};
use crate::race::LegacyReader;
use crate::table::{Part, TableFacts};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use std::fmt;

/// Width of a block when nothing was configured.
const USUAL_WIDTH: u64 = 65_536;

/// A legacy index in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LegacyFacts {
    /// Entries of Index.db that were read.
    pub entries: u64,
    /// Whether Index.db was read from its first entry to its last; else the other numbers are of what could be read.
    pub complete: bool,
    /// What the bytes of Index.db are.
    pub index: IndexBytes,
    /// How evenly the samples of Summary.db lie; `None` without one.
    pub spread: Option<Spread>,
    /// All promoted indexes.
    pub promoted: PromotedTotals,
    /// The greatest promoted index.
    pub largest: Option<PromotedFacts>,
    /// What a cold lookup of a key costs; `None` without entries.
    pub lookup: Option<LookupPages>,
}

/// What the bytes of Index.db are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexBytes {
    /// Lengths of keys, 2 bytes an entry.
    pub key_lengths: u64,
    /// Keys.
    pub keys: u64,
    /// Positions in Data.db.
    pub positions: u64,
    /// Sizes of promoted indexes.
    pub promoted_sizes: u64,
    /// Promoted indexes.
    pub promoted: u64,
}

/// How the samples of Summary.db divide the partitions: a window is what lies from one sample to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread {
    /// Windows, one a sample.
    pub windows: u64,
    /// Partitions in all of them.
    pub partitions: u64,
    /// Fewest partitions in a window. The last window counts only when it is the only one, for it is cut off by the end.
    pub least: u64,
    /// Partitions in the window in the middle, within one in 128; of an even number of windows the lower. The last window
    /// counts only when it is the only one.
    pub median: u64,
    /// The window with the most partitions, the last one included.
    pub largest: LargestWindow,
    /// Bytes of Summary.db.
    pub summary_bytes: u64,
    /// Bytes of Data.db, uncompressed; `None` where that is not known.
    pub data_bytes: Option<u64>,
    /// Whether the samples lie as interval and sampling level of the header say (Cassandra).
    pub as_declared: bool,
}

/// A window of Index.db between two samples.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LargestWindow {
    /// Its number, from 0.
    pub window: u64,
    /// Its partitions.
    pub partitions: u64,
    /// The key of its sample.
    pub first_key: ByteBuf,
    /// Its start in Index.db.
    pub from: FilePos,
    /// Its end, exclusive.
    pub to: FilePos,
    /// Bytes of Data.db, uncompressed, that its partitions have; `None` where the end of Data.db is not known.
    pub data_bytes: Option<u64>,
}

/// All promoted indexes of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromotedTotals {
    /// Partitions that have one.
    pub partitions: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their blocks.
    pub blocks: u64,
    /// Blocks at whose end a range deletion is open.
    pub open: u64,
    /// Last blocks that include the byte that ends the partition: Cassandra, and older ScyllaDB.
    pub with_end_marker: u64,
    /// Last blocks that end before it: newer ScyllaDB.
    pub without_end_marker: u64,
}

/// One promoted index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromotedFacts {
    /// The partition's serialized key.
    pub key: ByteBuf,
    /// Position of the entry in Index.db.
    pub entry: FilePos,
    /// Position of the partition in Data.db.
    pub data: DataPos,
    /// Bytes of the partition, `None` where the next position or the length of Data.db is not known.
    pub partition_bytes: Option<u64>,
    /// Bytes of the promoted index.
    pub bytes: u64,
    /// Bytes of the partition before its first row or marker.
    pub header_length: u64,
    /// Deletion of the whole partition.
    pub deletion: Option<Deletion>,
    /// Blocks, as its head counts them.
    pub blocks: u64,
    /// Blocks at whose end a range deletion is open.
    pub open: u64,
    /// Their widths; `None` where blocks cannot be read.
    pub widths: Option<Widths>,
    /// Whether the last block includes the byte that ends the partition.
    pub end_marker: EndMarker,
}

/// Widths of blocks, in bytes of Data.db.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Widths {
    /// The narrowest, the last one not counted unless it is the only one, for it is cut off by the partition's end.
    pub least: u64,
    /// The one in the middle, within one in 128; the last one is not counted unless it is the only one.
    pub median: u64,
    /// The widest.
    pub greatest: u64,
    /// All of them.
    pub sum: u64,
}

/// Whether the width of the last block includes the byte that ends the partition. Both are right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EndMarker {
    /// It does: Cassandra, and ScyllaDB without the feature `CorrectLastPiBlockWidth`.
    Included,
    /// It does not: ScyllaDB with it.
    Excluded,
    /// The end of the partition is not known, or the block ends elsewhere.
    #[default]
    Unknown,
}

/// Pages of Index.db that a cold lookup of a key that is here fetches, without those of rows and of Data.db.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookupPages {
    /// Who reads.
    pub reader: LegacyReader,
    /// For the key in the middle.
    pub median: u64,
    /// For the worst key.
    pub worst: u64,
    /// For the worst key, if promoted indexes were read through instead of skipped.
    pub worst_straight: u64,
}

/// Bytes of a component for each partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerPartition {
    /// The component.
    pub part: Part,
    /// Its bytes.
    pub bytes: u64,
    /// Tenths of a byte for each partition.
    pub tenths: u64,
}

/// Bytes of each component for each of so many partitions, the largest first; components that are missing are left out.
pub fn per_partition(facts: &TableFacts, partitions: u64) -> Vec<PerPartition> {
    let mut all: Vec<PerPartition> = facts
        .components
        .iter()
        .filter_map(|component| component.part.zip(component.bytes))
        .map(|(part, bytes)| PerPartition {
            part,
            bytes,
            tenths: bytes.saturating_mul(10) / partitions.max(1),
        })
        .collect();
    all.sort_by_key(|it| std::cmp::Reverse(it.bytes));
    all
}

impl fmt::Display for PerPartition {
    /// `Index.db 19.6 bytes a partition`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}.{} bytes a partition", self.part, self.tenths / 10, self.tenths % 10)
    }
}

/// How far a block of a promoted index is responsible: `block 0 (open until the start of block 1)`. A range deletion may
/// lie between its last bound and the next block.
pub fn reach(block: u64, blocks: u64) -> String {
    match block.saturating_add(1) {
        next if next < blocks => format!("block {block} (open until the start of block {next})"),
        _ => format!("block {block} (open until the end of the partition)"),
    }
}

/// Part of a whole, in words: `46.9 %`.
pub fn share(part: u64, whole: u64) -> String {
    let permille = permille(part, whole);
    format!("{}.{} %", permille / 10, permille % 10)
}

fn permille(part: u64, whole: u64) -> u64 {
    // Rounded to the nearest; a u128 holds the product of any two.
    let whole = u128::from(whole.max(1));
    let permille = (u128::from(part) * 1000 + whole / 2) / whole;
    u64::try_from(permille).unwrap_or(u64::MAX)
}

impl IndexBytes {
    /// All bytes of Index.db that were read.
    pub fn total(&self) -> u64 {
        [self.key_lengths, self.keys, self.positions, self.promoted_sizes, self.promoted]
            .iter()
            .fold(0, |sum, bytes| sum.saturating_add(*bytes))
    }

    /// `Index.db is 1.6 × Data.db: key bytes 70 %, …`, the greatest part first; `data` is the size of the file Data.db.
    pub fn sentence(&self, data: u64) -> String {
        let total = self.total();
        let mut parts = [
            ("key bytes", self.keys),
            ("promoted indexes", self.promoted),
            ("key lengths", self.key_lengths),
            ("positions", self.positions),
            ("promoted sizes", self.promoted_sizes),
        ];
        parts.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        let parts: Vec<String> = parts
            .iter()
            .filter(|(_, bytes)| *bytes > 0)
            .map(|(name, bytes)| format!("{name} {} %", (permille(*bytes, total) + 5) / 10))
            .collect();
        let ratio = (permille(total, data) + 50) / 100;
        format!("Index.db is {}.{} × Data.db: {}", ratio / 10, ratio % 10, parts.join(", "))
    }
}

impl Spread {
    /// Whether one window holds far more partitions than the others: more than 8 times the one in the middle, and more
    /// than the 128 of Cassandra; or more than 4096. Never where the samples lie as declared.
    pub fn is_uneven(&self) -> bool {
        let most = self.largest.partitions;
        let uneven = most > self.median.saturating_mul(8) && most > 128;
        !self.as_declared && (uneven || most > 4096)
    }

    /// Bytes of Data.db for a byte of Summary.db: ScyllaDB wants 2000.
    pub fn data_per_summary_byte(&self) -> Option<u64> {
        Some(self.data_bytes? / self.summary_bytes.max(1))
    }
}

impl fmt::Display for Spread {
    /// `page 2 of 3 holds 4990 of 5000 partitions`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, most) = (self.largest.window + 1, self.largest.partitions);
        write!(
            f,
            "page {number} of {} holds {most} of {} partitions",
            self.windows, self.partitions
        )
    }
}

impl PromotedFacts {
    /// Bytes of the promoted index in 1000 of the partition; `None` where the partition's size is not known.
    pub fn permille(&self) -> Option<u64> {
        Some(permille(self.bytes, self.partition_bytes?))
    }

    /// How often the usual width of 64 KiB was doubled, where the blocks in the middle have such a width.
    pub fn doublings(&self) -> Option<u32> {
        // A block ends with the row that fills it, so it is a little wider than its granularity.
        let times = self.widths?.median / USUAL_WIDTH;
        times.is_power_of_two().then(|| times.trailing_zeros())
    }
}

impl fmt::Display for PromotedFacts {
    /// `31502 bytes of promoted index for a partition of 67196 bytes (46.9 %): 13 blocks of 5368 to 5376 bytes, the last
    /// one with the end marker`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of promoted index", self.bytes)?;
        if let Some(bytes) = self.partition_bytes {
            write!(f, " for a partition of {bytes} bytes ({})", share(self.bytes, bytes))?;
        }
        write!(f, ": {} blocks", self.blocks)?;
        if let Some(widths) = self.widths {
            let Widths { least, median, greatest, .. } = widths;
            write!(f, " of {least} to {greatest} bytes, {median} in the middle")?;
        }
        if self.doublings().is_some_and(|times| times > 0) {
            f.write_str(", the usual 64 KiB doubled, as ScyllaDB does for large ones")?;
        }
        match self.end_marker {
            EndMarker::Included => f.write_str("; the last one includes the end marker"),
            EndMarker::Excluded => f.write_str("; the last one leaves out the end marker"),
            EndMarker::Unknown => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_larger_than_the_data_says_why() {
        // 1,000,000 partitions keyed by two ints, as in the field: 14 of 20 bytes are key.
        let bytes = IndexBytes {
            key_lengths: 2_000_000,
            keys: 14_000_000,
            positions: 3_000_000,
            promoted_sizes: 1_000_000,
            promoted: 0,
        };
        assert_eq!(
            bytes.sentence(12_600_000),
            "Index.db is 1.6 × Data.db: key bytes 70 %, positions 15 %, key lengths 10 %, promoted sizes 5 %"
        );
    }

    #[test]
    fn shares_are_rounded() {
        assert_eq!(share(31_502, 67_196), "46.9 %");
        assert_eq!((share(0, 0), share(1, 1)), ("0.0 %".into(), "100.0 %".into()));
        assert!(share(u64::MAX, 1).ends_with('%'));
    }
}
