//! The legacy index, entry by entry.

use super::model::{IndexCensus, SummaryCensus};
use super::sizes::PartitionSizes;
use crate::big::{IndexWalk, Summary};
use crate::error::Error;
use crate::pos::len64;
use crate::source::Source;
use std::ops::ControlFlow;

/// Bytes of Summary.db's header, of an offset and of a position.
const SUMMARY: (u64, u64, u64) = (24, 4, 8);

/// Counts entries of Index.db until about `budget` bytes of heads have been seen. Says how many it were.
pub(super) fn entries<S: Source>(
    source: &S,
    walk: &mut IndexWalk,
    budget: u64,
    census: &mut IndexCensus,
    sizes: &mut PartitionSizes,
) -> Result<u64, Error> {
    census.bytes = source.len();
    let mut seen = 0;
    walk.run(source, u64::MAX, |head, bytes| {
        let (position, promoted) = head.vints(bytes);
        census.entries += 1;
        census.key_bytes += 2 + len64(head.key(bytes).len());
        census.position_bytes += len64(position.len());
        census.promoted_size_bytes += len64(promoted.len());
        census.promoted_bytes += head.promoted_size;
        census.promoted_entries += u64::from(head.promoted_size > 0);
        census.greatest_promoted_bytes = census.greatest_promoted_bytes.max(head.promoted_size);
        sizes.next(head.data);
        seen += len64(bytes.len());
        if seen < budget { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(seen)
}

/// Summary.db, whose header tells it all.
pub(super) fn summary(summary: &Summary, bytes: u64) -> SummaryCensus {
    let (header_bytes, offset, position) = SUMMARY;
    let facts = summary.header.facts();
    let offset_bytes = facts.samples.saturating_mul(offset);
    let position_bytes = facts.samples.saturating_mul(position);
    SummaryCensus {
        bytes,
        header_bytes,
        offset_bytes,
        key_bytes: facts.memory_bytes.saturating_sub(offset_bytes).saturating_sub(position_bytes),
        position_bytes,
        end_bytes: bytes.saturating_sub(header_bytes).saturating_sub(facts.memory_bytes),
        samples: facts.samples,
    }
}
