//! What lies in a page of Index.db: entries from the nearest sample on, and the pieces of their promoted indexes.

use super::field::{Item, ItemKind};
use super::index::{block_item, entry_item, head_item, offsets_item};
use super::older;
use super::trie_page::{ends, overlaps};
use crate::big::{EntryHead, PromotedHead};
use crate::error::Error;
use crate::limits;
use crate::pos::{FilePos, PageNo};
use crate::source::{Pages, Source, read_range};
use crate::table::{IndexFormat, Part, Table};

/// Bytes of a block's offset.
const OFFSET: u64 = 4;

/// The items of a page, in order.
pub(super) fn index_page<S: Source>(
    table: &Table<S>,
    source: &S,
    no: PageNo,
) -> Result<Vec<Item>, Error> {
    let (start, end) = ends(source, no);
    let mut items = Vec::new();
    let mut at = nearest_sample(table, start)?;
    let mut passed = 0;
    let mut unheard = ();
    let mut pages = Pages::new(Part::Index, source, &mut unheard);
    let mut bytes = Vec::new();
    while at < end {
        bytes.clear();
        let head =
            match EntryHead::read(&mut pages, table.version().formats().index, at, &mut bytes) {
                Ok(head) => head,
                Err(Error::Damage(problem)) => {
                    // Nobody knows where the next entry starts.
                    let from = at.max(start);
                    let left = end.0.saturating_sub(from.0);
                    let text = format!("no entry can be read at {at}, so none after it is known");
                    let mut item = Item::plain(ItemKind::Unreadable, Part::Index, from, left, text);
                    item.problem = Some(*problem);
                    items.push(item);
                    break;
                }
                Err(miss) => return Err(miss),
            };
        if overlaps(at, head.promoted_at(), start, end) {
            let mut item = entry_item(table, source, at)?;
            item.fields.clear();
            items.push(item);
        }
        if overlaps(head.promoted_at(), head.end(), start, end) {
            promoted(table, source, &head, (start, end), &mut items)?;
        }
        at = head.end();
        passed += 1;
        if passed > limits::WINDOW_ENTRIES {
            let from = at.max(start);
            let left = end.0.saturating_sub(from.0);
            let text = "too many entries lie between here and the nearest sample of Summary.db";
            items.push(Item::plain(ItemKind::Bytes, Part::Index, from, left, text));
            break;
        }
    }
    Ok(items)
}

/// The start of an entry at or before a position: that of the last sample there, or the first entry.
fn nearest_sample<S: Source>(table: &Table<S>, start: FilePos) -> Result<FilePos, Error> {
    let (Some(summary), Some(source)) = (&table.summary, table.source(Part::Summary)) else {
        return Ok(FilePos(0));
    };
    let (mut low, mut high) = (0, summary.header.samples);
    let mut nearest = None;
    let mut key = Vec::new();
    while low < high {
        let mid = low + (high - low) / 2;
        match summary.sample(source, mid, &mut key) {
            Ok(at) if at <= start => (low, nearest) = (mid + 1, Some((mid, at))),
            Ok(_) => high = mid,
            // A damaged summary is no reason to show nothing: the way from the first entry is longer.
            Err(Error::Damage(_)) => return Ok(FilePos(0)),
            Err(miss) => return Err(miss),
        }
    }
    let (Some((sample, at)), Some(index)) = (nearest, table.source(Part::Index)) else {
        return Ok(FilePos(0));
    };
    // Only an entry with the sample's key is the start of one.
    let (mut unheard, mut bytes) = ((), Vec::new());
    let mut pages = Pages::new(Part::Index, index, &mut unheard);
    match (
        summary.sample(source, sample, &mut key),
        EntryHead::read(&mut pages, table.version().formats().index, at, &mut bytes),
    ) {
        (Ok(_), Ok(head)) if head.key(&bytes) == key => Ok(at),
        (Err(miss @ Error::Miss(_)), _) | (_, Err(miss @ Error::Miss(_))) => Err(miss),
        _ => Ok(FilePos(0)),
    }
}

/// The pieces of a promoted index that have bytes in a page.
fn promoted<S: Source>(
    table: &Table<S>,
    source: &S,
    entry: &EntryHead,
    (start, end): (FilePos, FilePos),
    items: &mut Vec<Item>,
) -> Result<(), Error> {
    let (at, size) = (entry.promoted_at(), entry.promoted_size);
    let mut unheard = ();
    let mut pages = Pages::new(Part::Index, source, &mut unheard);
    let head = match PromotedHead::read(&mut pages, at, size, table.version()) {
        Ok(head) => head,
        Err(Error::Damage(problem)) => {
            let text = "a promoted index whose head cannot be read";
            let mut item = Item::plain(ItemKind::Unreadable, Part::Index, at, size, text);
            item.problem = Some(*problem);
            items.push(item);
            return Ok(());
        }
        Err(miss) => return Err(miss),
    };
    if table.version().formats().index == IndexFormat::Fixed {
        return older::promoted(table, source, &head, (start, end), items);
    }
    if overlaps(at, head.blocks_at, start, end) {
        let mut item = head_item(table, source, at, size)?;
        item.fields.clear();
        items.push(item);
    }
    if overlaps(head.blocks_at, head.offsets_at, start, end) {
        blocks(table, source, &head, (start, end), items)?;
    }
    if overlaps(head.offsets_at, head.end, start, end)
        && let Some((first, from, to)) = offsets_in(&head, start, end)
    {
        let mut item = offsets_item(source, from, to, (first, head.blocks_at))?;
        item.fields.clear();
        items.push(item);
    }
    Ok(())
}

/// The offsets that have bytes in a page: number of the first, and their bytes.
pub(super) fn offsets_in(
    head: &PromotedHead,
    start: FilePos,
    end: FilePos,
) -> Option<(u64, FilePos, FilePos)> {
    let first = start.0.saturating_sub(head.offsets_at.0) / OFFSET;
    let last = end.0.saturating_sub(head.offsets_at.0).div_ceil(OFFSET).min(head.blocks);
    (first < last).then(|| (first, head.offset_at(first), head.offset_at(last)))
}

fn blocks<S: Source>(
    table: &Table<S>,
    source: &S,
    head: &PromotedHead,
    (start, end): (FilePos, FilePos),
    items: &mut Vec<Item>,
) -> Result<(), Error> {
    // The last block that starts at or before the page, by the offsets.
    let (mut low, mut high) = (0, head.blocks);
    while high - low > 1 {
        let mid = low + (high - low) / 2;
        match block_at(source, head, mid)? {
            Some(at) if at <= start => low = mid,
            Some(_) => high = mid,
            None => break,
        }
    }
    for block in low..head.blocks {
        let Some(at) = block_at(source, head, block)? else {
            let text = format!("the offset of block {block} leads nowhere");
            let from = head.offset_at(block);
            items.push(Item::plain(ItemKind::Unreadable, Part::Index, from, OFFSET, text));
            break;
        };
        if at >= end {
            break;
        }
        let next = match block + 1 < head.blocks {
            true => block_at(source, head, block + 1)?.filter(|next| *next > at),
            false => None,
        };
        let until = next.unwrap_or(head.offsets_at);
        let mut item = block_item(table, source, at, until)?;
        let unread = until.0.saturating_sub(item.end().0);
        let behind = Item::plain(
            ItemKind::Unclaimed,
            Part::Index,
            item.end(),
            unread,
            format!("bytes between block {block} and what follows it"),
        );
        let is_whole = item.problem.is_none();
        if overlaps(item.at, item.end().max(FilePos(at.0.saturating_add(1))), start, end) {
            item.fields.clear();
            items.push(item);
        }
        if unread > 0 && is_whole && overlaps(behind.at, behind.end(), start, end) {
            items.push(behind);
        }
    }
    Ok(())
}

/// Where a block lies by its offset; `None` when that leads nowhere.
pub(super) fn block_at<S: Source>(
    source: &S,
    head: &PromotedHead,
    block: u64,
) -> Result<Option<FilePos>, Error> {
    let at = head.offset_at(block);
    let bytes = read_range(Part::Index, source, at, OFFSET, "block offset")?;
    let offset = u32::from_be_bytes(bytes.first_chunk().copied().unwrap_or_default());
    Ok(head.block_at(block, offset).ok())
}

/// The promoted index that holds a position, with the head of its entry; found from the nearest sample on.
pub(super) fn promoted_with<S: Source>(
    table: &Table<S>,
    source: &S,
    wanted: FilePos,
) -> Result<Option<PromotedHead>, Error> {
    let mut at = nearest_sample(table, wanted)?;
    let mut unheard = ();
    let mut pages = Pages::new(Part::Index, source, &mut unheard);
    let mut bytes = Vec::new();
    let mut passed = 0;
    while at <= wanted && passed <= limits::WINDOW_ENTRIES {
        bytes.clear();
        let head =
            match EntryHead::read(&mut pages, table.version().formats().index, at, &mut bytes) {
                Ok(head) => head,
                Err(Error::Damage(_)) => return Ok(None),
                Err(miss) => return Err(miss),
            };
        if wanted < head.end() {
            if wanted < head.promoted_at() {
                return Ok(None);
            }
            let (at, size) = (head.promoted_at(), head.promoted_size);
            return match PromotedHead::read(&mut pages, at, size, table.version()) {
                Ok(head) => Ok(Some(head)),
                Err(Error::Damage(_)) => Ok(None),
                Err(miss) => Err(miss),
            };
        }
        at = head.end();
        passed += 1;
    }
    Ok(None)
}
