//! What lies in a page of Partitions.db or Rows.db: nodes, entries, padding, and the end of the file.
//!
//! Nodes lie one after the other and never cross the end of a page; only zero bytes fill what the next one does not fit
//! into. So the first byte of a page is that of a node, unless an entry of Rows.db reaches into it, and each node tells
//! where the next one starts. An entry of Rows.db lies right behind its root node, and its key leads to it through
//! Partitions.db, which no other bytes do. Behind a node that cannot be read the next one is where the trie reaches one.

use super::field::{Item, ItemKind, counted};
use super::node::node_item;
use super::reach::Reached;
use super::trie::{entry_item, footer_item, keys_item, zeros};
use crate::bti::{Exact, FOOTER_BYTES, Leaf, Node, PartitionIndex, RowEntry};
use crate::cursor::Cursor;
use crate::error::Error;
use crate::keys::{murmur3, partition_key};
use crate::limits;
use crate::lookup::LeafTarget;
use crate::pos::{FilePos, PAGE_SIZE, PageNo, len64, mem};
use crate::source::{Pages, Source, read_range};
use crate::table::{Part, Table};

/// What older ScyllaDB writes at the end of Rows.db.
const FILLER: [u8; 4] = [0x13, 0x37, 0x13, 0x37];
/// Bytes of an entry of Rows.db before and after its key, at most.
const MOST_BESIDE_KEY: u64 = 2 + 9 + 9 + 9 + 13;

/// The items of a page of Partitions.db, in order.
pub(super) fn partitions_page<S: Source>(
    table: &Table<S>,
    source: &S,
    no: PageNo,
) -> Result<Vec<Item>, Error> {
    let (start, end) = ends(source, no);
    let footer_at = FilePos(source.len().saturating_sub(FOOTER_BYTES));
    // Without a footer that can be read nobody knows where the nodes end: they are read as far as they go.
    let nodes_end = table.footer.as_ref().map_or(footer_at, |footer| footer.keys_at);
    let mut items = Vec::new();
    if start < nodes_end {
        let page = source.page(no)?;
        let (mut at, end) = (start, end.min(nodes_end));
        let mut reached = None;
        while at < end {
            let mut item = node_or_rest(Part::Partitions, at, &page, end);
            if is_lost(&item) {
                let known = match reached.take() {
                    Some(known) => known,
                    None => Reached::partitions(table, source, at, end)?,
                };
                go_on(&mut item, known.next(at));
                reached = Some(known);
            }
            at = push(&mut items, item);
        }
    }
    if table.footer.is_some() && overlaps(nodes_end, footer_at, start, end) {
        items.push(keys_item(table, source, nodes_end)?);
    }
    if overlaps(footer_at, FilePos(source.len()), start, end) {
        items.push(footer_item(source)?);
    }
    Ok(items)
}

/// The items of a page of Rows.db, in order.
pub(super) fn rows_page<S: Source>(
    table: &Table<S>,
    source: &S,
    no: PageNo,
) -> Result<Vec<Item>, Error> {
    let (start, end) = ends(source, no);
    let page = source.page(no)?;
    let mut items = Vec::new();
    let mut at = start;
    if let Some(entry) = entry_into(table, source, start)? {
        at = push(&mut items, entry_item(table, source, entry)?);
    }
    // Where the node before ends: an entry may follow it.
    let (mut root, mut reached) = (None, None);
    while at < end {
        let rest = page.get(at.in_page()..).unwrap_or(&[]);
        if rest == FILLER && at.0.saturating_add(4) == source.len() {
            let text = "the end of a file of ScyllaDB's older writers; nothing points here";
            at = push(&mut items, Item::plain(ItemKind::Filler, Part::Rows, at, 4, text));
            continue;
        }
        let known = reached.as_ref().is_some_and(|reached: &Reached| reached.has_entry(at));
        let entry = match known {
            true => Some(entry_item(table, source, at)?),
            false => entry_at(table, source, at, root)?,
        };
        if let Some(entry) = entry {
            at = push(&mut items, entry);
            root = None;
            continue;
        }
        let mut item = node_or_rest(Part::Rows, at, &page, end);
        root = (item.kind == ItemKind::Node).then_some(at);
        if is_lost(&item) {
            let known = match reached.take() {
                Some(known) => known,
                None => Reached::rows(table, source, at, end)?,
            };
            go_on(&mut item, known.next(at));
            reached = Some(known);
        }
        at = push(&mut items, item);
    }
    Ok(items)
}

/// Start of a page, and its end or that of the file.
pub(super) fn ends<S: Source>(source: &S, no: PageNo) -> (FilePos, FilePos) {
    let start = no.start();
    (start, FilePos(start.0.saturating_add(PAGE_SIZE).min(source.len())))
}

/// Whether a piece of the file has bytes in a page.
pub(super) fn overlaps(from: FilePos, to: FilePos, start: FilePos, end: FilePos) -> bool {
    from < end && start < to && from < to
}

/// Adds an item, and gives the position after it.
fn push(items: &mut Vec<Item>, item: Item) -> FilePos {
    // Damage may leave an item without bytes: the walk must go on.
    let next = item.end().max(FilePos(item.at.0.saturating_add(1)));
    items.push(item);
    next
}

/// Whether nobody knows what follows an item.
fn is_lost(item: &Item) -> bool {
    matches!(item.kind, ItemKind::Unreadable | ItemKind::Unclaimed)
}

/// Ends an item where something else is known to begin.
fn go_on(item: &mut Item, next: Option<FilePos>) {
    if let Some(next) = next.filter(|next| *next < item.end()) {
        item.len = next.0.saturating_sub(item.at.0);
        item.summary =
            format!("no node, {} up to the next that is known", counted(item.len, "byte"));
    }
}

/// The node at `at`; or what fills the rest of the page when there is none.
fn node_or_rest(part: Part, at: FilePos, page: &[u8], end: FilePos) -> Item {
    let left = end.0.saturating_sub(at.0);
    let rest = page.get(at.in_page()..).unwrap_or(&[]);
    let rest = mem(left).and_then(|left| rest.get(..left)).unwrap_or(rest);
    // No node begins with a zero byte: it would have neither children nor a payload.
    if zeros(rest) == left && end.in_page() == 0 {
        let text = format!("{} too few for the next node", counted(left, "byte"));
        return Item::plain(ItemKind::Padding, part, at, left, text);
    }
    match Node::read(part, at, page) {
        Ok(node) if node.end() <= end => {
            let mut item = node_item(part, at, page);
            item.fields.clear();
            item
        }
        Ok(_) => {
            let text = format!("a node here would reach beyond {end}, where the nodes end");
            Item::plain(ItemKind::Unclaimed, part, at, left, text)
        }
        Err(error) => {
            let text = format!("no node, {} to the end", counted(left, "byte"));
            let mut item = Item::plain(ItemKind::Unreadable, part, at, left, text);
            if let Error::Damage(problem) = error {
                item.problem = Some(*problem);
            }
            item
        }
    }
}

/// The entry at `at` of Rows.db, if there is one. `before` is the node that ends there, where it is known.
fn entry_at<S: Source>(
    table: &Table<S>,
    source: &S,
    at: FilePos,
    before: Option<FilePos>,
) -> Result<Option<Item>, Error> {
    let Some(root) = root_of(source, at)? else { return Ok(None) };
    let behind_root = match before {
        Some(before) => root == before,
        None => ends_at(source, root, at)?,
    };
    if !behind_root {
        return Ok(None);
    }
    let mut unheard = ();
    let entry = match RowEntry::read(&mut Pages::new(Part::Rows, source, &mut unheard), at) {
        Ok(entry) => entry,
        Err(Error::Damage(_)) => return Ok(None),
        Err(miss) => return Err(miss),
    };
    // A leaf that points here is proof. Where no leaf can be read there is the root: the entry is next to one.
    let claimed = is_pointed_at(table, &entry.key, at)?.unwrap_or(true);
    if !claimed && before.is_none() {
        return Ok(None);
    }
    let mut item = entry_item(table, source, at)?;
    item.fields.clear();
    if !claimed {
        item.summary.push_str(", to which no leaf of Partitions.db points");
    }
    Ok(Some(item))
}

/// The root that what lies at `at` would have as an entry; its key, which may be long, is passed over.
fn root_of<S: Source>(source: &S, at: FilePos) -> Result<Option<FilePos>, Error> {
    let left = source.len().saturating_sub(at.0);
    if left < 2 {
        return Ok(None);
    }
    let length = read_range(Part::Rows, source, at, 2, "key length")?;
    let length = u64::from(u16::from_be_bytes(length.first_chunk().copied().unwrap_or_default()));
    let base = FilePos(at.0.saturating_add(2).saturating_add(length));
    let numbers = source.len().saturating_sub(base.0).min(MOST_BESIDE_KEY);
    let bytes = read_range(Part::Rows, source, base.min(FilePos(source.len())), numbers, "entry")?;
    Ok(numbers_of(at, base, &mut Cursor::new(Part::Rows, base, &bytes)))
}

/// The entry that begins in a page before `start` and reaches beyond it, if there is one.
fn entry_into<S: Source>(
    table: &Table<S>,
    source: &S,
    start: FilePos,
) -> Result<Option<FilePos>, Error> {
    let most = len64(limits::KEY_BYTES) + MOST_BESIDE_KEY;
    let from = FilePos(start.0.saturating_sub(most));
    let to = start.0.saturating_add(most).min(source.len());
    let bytes = read_range(Part::Rows, source, from, to.saturating_sub(from.0), "entry")?;
    for back in 1..=start.0 - from.0 {
        let at = FilePos(start.0 - back);
        let bytes = mem(at.0 - from.0).and_then(|at| bytes.get(at..)).unwrap_or(&[]);
        let Some((root, end)) = root_and_end(at, bytes) else { continue };
        if end > start && ends_at(source, root, at)? {
            let mut unheard = ();
            let mut pages = Pages::new(Part::Rows, source, &mut unheard);
            match RowEntry::read(&mut pages, at) {
                Ok(entry) if is_pointed_at(table, &entry.key, at)?.unwrap_or(true) => {
                    return Ok(Some(at));
                }
                Ok(_) | Err(Error::Damage(_)) => {}
                Err(miss) => return Err(miss),
            }
        }
    }
    Ok(None)
}

/// Root and end of what would be an entry, before anything is read for it.
fn root_and_end(at: FilePos, bytes: &[u8]) -> Option<(FilePos, FilePos)> {
    let mut cursor = Cursor::new(Part::Rows, at, bytes);
    cursor.short_bytes("key").ok()?;
    let base = cursor.pos();
    let root = numbers_of(at, base, &mut cursor)?;
    Some((root, cursor.pos()))
}

/// The root from what follows the key of an entry; `None` where nothing such follows.
fn numbers_of(at: FilePos, base: FilePos, cursor: &mut Cursor<'_>) -> Option<FilePos> {
    cursor.uvint("data position").ok()?;
    let root = base.0.checked_add_signed(cursor.svint("root distance").ok()?)?;
    if root >= at.0 || at.0 - root > PAGE_SIZE {
        return None;
    }
    cursor.uvint("number of blocks").ok()?;
    crate::data::Deletion::read_compact(cursor).ok()?;
    Some(FilePos(root))
}

/// Whether a node lies at `root` that ends at `end`.
fn ends_at<S: Source>(source: &S, root: FilePos, end: FilePos) -> Result<bool, Error> {
    let page = source.page(root.page())?;
    Ok(Node::read(Part::Rows, root, &page).is_ok_and(|node| node.end() == end))
}

/// Whether the trie leads from a key to an entry of Rows.db; `None` when the trie cannot tell.
fn is_pointed_at<S: Source>(
    table: &Table<S>,
    key: &[u8],
    entry: FilePos,
) -> Result<Option<bool>, Error> {
    let (Some(footer), Some(source)) = (&table.footer, table.source(Part::Partitions)) else {
        return Ok(None);
    };
    let style = table.dialect().key_style;
    let comparable = partition_key(&table.partitioner(), style, table.key_schema(), key);
    let mut unheard = ();
    let mut pages = Pages::new(Part::Partitions, source, &mut unheard);
    let index = PartitionIndex::new(footer);
    let is_here = |leaf: Leaf| leaf.target() == LeafTarget::Rows(entry);
    match index.exact(&mut pages, &comparable.bytes, murmur3(key).byte()) {
        Ok(Exact::Candidate(leaf) | Exact::OtherHash(leaf)) => Ok(Some(is_here(leaf))),
        Ok(Exact::DeadEnd) => Ok(Some(false)),
        Err(Error::Damage(_)) => Ok(None),
        Err(miss) => Err(miss),
    }
}
