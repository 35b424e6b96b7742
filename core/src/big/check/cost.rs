//! What a cold lookup of a row costs in a large promoted index: the pages that its bisection turns.

use crate::big::PromotedHead;
use crate::check::Cost;
use crate::pos::{FilePos, PAGE_SIZE};
use crate::race::LegacyReader;

/// Rows that are looked for, spread evenly over the blocks.
const ROWS: u64 = 63;
/// Cassandra reads a promoted index of up to this many bytes whole with its entry (`column_index_cache_size`).
const WHOLE_BYTES: u64 = 2048;
/// Bytes of a block that are counted: two bounds seldom have more.
const MOST_OF_BLOCK: u64 = 2 * PAGE_SIZE;

/// Pages of Index.db that lookups of rows fetch in one promoted index, its head included. Blocks are taken to be of one
/// size, since reading them all again for this would cost more than it tells.
pub(super) fn of_rows(head: &PromotedHead, reader: LegacyReader) -> Cost {
    let step = (head.blocks / ROWS).max(1);
    let mut pages: Vec<u32> = Vec::new();
    let mut target = 0;
    while target < head.blocks {
        pages.push(of_row(head, reader, target));
        target = target.saturating_add(step);
    }
    pages.sort_unstable();
    let median = pages.get(pages.len().saturating_sub(1) / 2).copied().unwrap_or(0);
    Cost { median, worst: pages.last().copied().unwrap_or(0) }
}

/// Pages that the lookup of a row in block `target` fetches.
fn of_row(head: &PromotedHead, reader: LegacyReader, target: u64) -> u32 {
    let mut seen: Vec<u64> = Vec::new();
    let mut fetch = |from: FilePos, to: FilePos| {
        let last = FilePos(to.0.saturating_sub(1).max(from.0)).page().0;
        for page in from.page().0..=last {
            if !seen.contains(&page) {
                seen.push(page);
            }
        }
        u32::try_from(seen.len()).unwrap_or(u32::MAX)
    };
    let mut fetched = fetch(head.at, head.blocks_at);
    if reader == LegacyReader::Cassandra && head.end.0.saturating_sub(head.at.0) <= WHOLE_BYTES {
        return fetch(head.at, head.end);
    }
    let mut probe = |block: u64| {
        let offset = head.offset_at(block);
        fetch(offset, FilePos(offset.0.saturating_add(4)));
        let (from, to) = (block_at(head, block), block_at(head, block + 1));
        fetch(from, FilePos(to.0.min(from.0.saturating_add(MOST_OF_BLOCK))))
    };
    let (mut low, mut high) = (0, head.blocks);
    while low < high {
        let mid = match reader {
            LegacyReader::Scylla => low + (high - low) / 2,
            LegacyReader::Cassandra => low + (high - low - 1) / 2,
        };
        fetched = probe(mid);
        match reader {
            // The first block that starts behind the row.
            LegacyReader::Scylla if mid > target => high = mid,
            LegacyReader::Scylla => low = mid + 1,
            // The first block that does not end before it.
            LegacyReader::Cassandra if mid >= target => high = mid,
            LegacyReader::Cassandra => low = mid + 1,
        }
    }
    // The block itself, and the one before for the deletion that it leaves open.
    for block in [Some(target), target.checked_sub(1)].into_iter().flatten() {
        fetched = probe(block);
    }
    fetched
}

/// Where a block would begin if all were of one size.
fn block_at(head: &PromotedHead, block: u64) -> FilePos {
    let all = u128::from(head.offsets_at.0.saturating_sub(head.blocks_at.0));
    let before = all * u128::from(block) / u128::from(head.blocks.max(1));
    FilePos(head.blocks_at.0.saturating_add(u64::try_from(before).unwrap_or(u64::MAX)))
}
